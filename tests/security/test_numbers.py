"""Numbers are data, too: nobody who holds the population, an earlier release or most of the records learns a raw value."""

import itertools
import json
import warnings

import numpy as np
import pandas as pd
import pytest
from fuzz.metamorphic import public_bytes, write_public_report
from tests.seeds import seeded

from sfumato import tables
from sfumato.core.errors import PrivacyWarning
from sfumato.engines.tables.release.codebook import codebook
from sfumato.engines.tables.space.labels import DomainLabels
from sfumato.engines.tables.space.policy import Lattice
from sfumato.engines.tables.space.policy_files import load_policy, save_policy
from sfumato.reports import write_report

AGES, SEXES, AREAS = range(18, 42), ("F", "M"), ("1", "2", "3", "4")
SCHEMA = {
    "attribute": [
        {"name": "age", "role": "quasi", "domain": {"range": [18, 41]}},
        {"name": "sex", "role": "quasi", "domain": {"values": list(SEXES)}},
        {"name": "area", "role": "quasi", "domain": {"values": list(AREAS)}},
    ]
}


def population(seed=0):
    draw = np.random.default_rng(seeded(seed))
    cells = list(itertools.product(map(str, AGES), SEXES, AREAS))
    return pd.DataFrame(cells, columns=["age", "sex", "area"]).assign(
        count=draw.integers(5, 400, len(cells))
    )


def people(seed, rows):
    draw = np.random.default_rng(seeded(seed))
    return pd.DataFrame(
        {
            "age": draw.integers(18, 42, rows).astype(str),
            "sex": draw.choice(SEXES, rows),
            "area": draw.choice(AREAS, rows),
        }
    )


def public(record):
    """Return release.json without the marks under the private key."""
    inputs = [{k: v for k, v in file.items() if k != "hmac"} for file in record["inputs"]]
    return {**record, "inputs": inputs, "frontier": None}


def published(found, candidate, frame, folder):
    """Publish a table; return what its release.json says to everybody, and the data."""
    folder.mkdir()
    frame.to_csv(folder / "people.csv", index=False)
    how = {"accept_shift": True, "accept_worse": True}
    found.publish(candidate.id, folder / "people.csv", out=folder / "out", **how)
    record = json.loads((folder / "out" / "release.json").read_text(encoding="utf-8"))
    return public(record), (folder / "out" / "people.csv").read_bytes()


def test_c1_four_people_behind_stars_stay_behind_them(tmp_path):
    frame = people(4, 4)
    found = tables.explore(frame, schema=SCHEMA, population=population(), evaluations=60, min_k=4)
    everything = min(found, key=lambda c: c.utility.value)
    assert all(len(ends) == 1 for ends in everything.ends.values())
    seen = [
        published(found, everything, people(seed, 4), tmp_path / str(seed)) for seed in range(6)
    ]
    assert all(other == seen[0] for other in seen)  # every table of four people fits


def test_c1_two_releases_do_not_tell_who_was_added(tmp_path):
    frame = people(1, 60)
    found = tables.explore(frame, schema=SCHEMA, population=population(), evaluations=120, min_k=5)
    chosen = found.knee()
    ages = [str(age) for age in AGES]
    ends = chosen.ends["age"]
    low, high = max(zip((-1, *ends[:-1]), ends, strict=True), key=lambda span: span[1] - span[0])
    band = ages[low + 1 : high + 1]
    assert len(band) > 1
    added = []
    for number, age in enumerate((band[0], band[-1])):
        more = pd.concat(
            [frame, pd.DataFrame({"age": [age], "sex": ["F"], "area": ["1"]})], ignore_index=True
        )
        added.append(published(found, chosen, more, tmp_path / str(number)))
    assert added[0] == added[1]


def test_c1_an_insider_who_knows_all_but_one_learns_the_band_alone(tmp_path):
    frame = people(2, 40)
    found = tables.explore(frame, schema=SCHEMA, population=population(), evaluations=120, min_k=5)
    chosen = found.knee()
    ages = [str(age) for age in AGES]
    at = ages.index(frame["age"].iloc[0])
    low = max((e + 1 for e in chosen.ends["age"] if e < at), default=0)
    high = min(e for e in chosen.ends["age"] if e >= at)
    fitting = []
    for age in ages[low : high + 1][:4]:
        frame.loc[0, "age"] = age
        fitting.append(published(found, chosen, frame, tmp_path / age))
    assert all(other == fitting[0] for other in fitting)


@pytest.mark.parametrize(
    "treatment", [{"round": 1000}, {"microaggregate": 5}, {"noise": 0.2}, {"top": 4000}]
)
def test_c1_a_release_says_nothing_of_what_treated_numbers_were(tmp_path, treatment):
    draw = np.random.default_rng(seeded(3))
    frame = people(3, 60).assign(pay=draw.integers(1_000, 9_999, 60))
    schema = {
        "attribute": [*SCHEMA["attribute"], {"name": "pay", "role": "other", "publish": treatment}]
    }
    found = tables.explore(frame, schema=schema, evaluations=40, min_k=5)
    record, _ = published(found, found.knee(), frame, tmp_path / "a")
    assert "columns" not in record["measured"]
    assert set(record["how"]["columns_treated"]) == {"pay"}


def test_h1_a_public_report_holds_nothing_of_the_unchanged_table(tmp_path):
    frame = people(5, 120)
    found = tables.explore(frame, schema=SCHEMA, population=population(), evaluations=120, min_k=5)
    found.save(tmp_path / "frontier")
    published(found, found.knee(), frame, tmp_path / "given")
    written = write_report([tmp_path / "frontier", tmp_path / "given"], out=tmp_path / "report")
    facts = json.loads((tmp_path / "report" / "facts.json").read_text(encoding="utf-8"))
    assert [part["frontier"] for part in facts["parts"]] == [None]
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    for word in ("groups_before", "expected_unchanged", "unchanged it would be", "relative_risk"):
        assert word not in json.dumps(facts)
        assert word not in page
    own = written["private report.html"]
    assert own.parent == tmp_path / "report.private"
    assert own.parent.stat().st_mode & 0o077 == 0
    assert "expected_unchanged" in (own.parent / "facts.json").read_text(encoding="utf-8")


def test_figures_of_a_release_are_kept_for_the_steward(tmp_path):
    frame = people(6, 60)
    found = tables.explore(frame, schema=SCHEMA, population=population(), evaluations=60, min_k=5)
    published(found, found.knee(), frame, tmp_path / "a")
    kept = tmp_path / "a" / "out.private" / "figures.json"
    assert kept.stat().st_mode & 0o077 == 0
    assert json.loads(kept.read_text(encoding="utf-8"))["measured"]["expected_unchanged"] > 0


def test_two_releases_that_differ_by_one_person_who_is_left_out_are_equal(tmp_path):
    """The granularity is k people: one to five of them left out look alike, and the sixth is the first of ten."""
    schema, frame = {**SCHEMA, "missing": "drop"}, people(7, 60)
    found = tables.explore(frame, schema=schema, population=population(), evaluations=60, min_k=5)
    alike = []
    for many in (1, 2, 5, 6):
        more = people(8, many).assign(age="")
        given = pd.concat([frame, more], ignore_index=True)
        alike.append(published(found, found.knee(), given, tmp_path / str(many)))
    assert alike[0] == alike[1] == alike[2]
    assert alike[0][0]["left_out"] == {"dropped": 5, "suppressed": 0}
    assert alike[3][0] == {**alike[0][0], "left_out": {"dropped": 10, "suppressed": 0}}
    assert alike[3][1] == alike[0][1]


def test_no_count_of_raw_records_below_k_is_in_a_public_file(tmp_path):
    """Neither of what was suppressed, nor in the sizes of groups before."""
    frame = people(9, 90)
    frame.loc[[0, 1], "area"] = "4"
    found = tables.explore(frame, schema=SCHEMA, population=population(), evaluations=80, min_k=7, suppress=0.1)  # fmt: skip
    assert all(size.records >= 7 for size in found.record.groups_before)
    chosen = next((c for c in found if 0 < c.suppressed < 7), None) or max(found, key=lambda c: c.suppressed)  # fmt: skip
    record, data = published(found, chosen, frame, tmp_path / "a")
    assert record["left_out"]["suppressed"] % 7 == 0
    assert record["measured"]["suppressed"] == record["left_out"]["suppressed"]
    assert record["counts"]["rows"] == len(data.splitlines()) - 1 == 90 - chosen.suppressed
    assert all("rows" not in file for file in record["inputs"])
    kept = json.loads((tmp_path / "a" / "out.private" / "figures.json").read_text())
    assert kept["left_out"]["suppressed"] == chosen.suppressed
    assert kept["inputs"][0]["rows"] == 90


# --- domains that are read from the data ----------------------------------------------------------


def register(rows=80):
    """People with an income, a town and a day that the schema does not list."""
    dice = np.random.default_rng(seeded(10))
    towns = [f"town {i}" for i in dice.choice(30, rows, p=np.arange(30, 0, -1) / 465)]
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(dice.integers(0, 300, rows), unit="D")
    return pd.DataFrame({
        "income": dice.integers(100, 900, rows) * 10, "town": towns, "day": days.strftime("%Y-%m-%d"),
        "sex": dice.choice(SEXES, rows),
    })  # fmt: skip


OBSERVED = {
    "missing": "value",
    "attribute": [
        {"name": "income", "role": "quasi", "domain": "observed"},
        {"name": "town", "role": "quasi", "domain": "observed"},
        {"name": "day", "role": "quasi", "date": {"unit": "day"}, "domain": "observed"},
        {"name": "sex", "role": "quasi", "domain": {"values": list(SEXES)}},
    ],
}


def stars(frame, folder):
    """Explore a table, publish it as stars and report on it; return every public byte."""
    folder.mkdir()
    frame.to_csv(folder / "people.csv", index=False)
    found = tables.explore(folder / "people.csv", schema=OBSERVED, evaluations=40, min_k=5)
    found.save(folder / "frontier")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        top = found.candidate_of(found.payload.lattice.top)
        found.publish(top, folder / "people.csv", out=folder / "out", accept_worse=True)
    return public_bytes(write_public_report(folder, folder / "frontier", pdf=False))


@pytest.mark.parametrize("change", ["one value fewer", "the last day", "a missing cell"])
def test_a_release_does_not_tell_how_many_values_a_domain_that_was_read_has(tmp_path, change):
    """The number of different values is a figure of the raw data: it tells whether one person's was a new one."""
    frame = register()
    first, other = stars(frame, tmp_path / "first"), frame.copy()
    lonely = frame.index[~frame["income"].duplicated(keep=False)][0]
    if change == "one value fewer":
        other.loc[lonely, ["income", "town"]] = frame.loc[frame.index != lonely, ["income", "town"]].iloc[0]  # fmt: skip
    elif change == "the last day":
        other.loc[frame["day"].idxmax(), "day"] = "2024-12-24"
    else:
        other.loc[lonely, "sex"] = ""
    assert other["income"].nunique() < frame["income"].nunique() or change != "one value fewer"
    assert stars(other, tmp_path / "second") == first


def test_labels_of_names_that_were_read_hold_no_count(tmp_path):
    labels = DomainLabels(tuple(f"name {i}" for i in range(30)), True, frozenset(range(20, 30)))
    lattice = Lattice(("town",), (labels.domain,), (labels,))
    bits = np.zeros(29, dtype=np.uint8)
    bits[[2, 18, 21, 24]] = 1
    policy = lattice.from_bits(bits)
    assert policy.labels(0) == ["name 0|name 1|name 2", "group 2 (several values)", "name 19|rare values",
                                "group 4 (rare values)", "group 5 (rare values)"]  # fmt: skip
    save_policy(policy, tmp_path / "policy.json")
    assert load_policy(tmp_path / "policy.json", lattice) == policy
    assert [entry["complete"] for entry in codebook(policy)] == [True, True, False, False, False]
    assert policy.published_ends() == ({"town": (0, 1, 2, 3, 4)}, {})
    assert codebook(lattice.top)[0]["values"] == []
