"""Numbers are data, too: nobody who holds the population, an earlier release or most of the records learns a raw value."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from tests.seeds import seeded

from sfumato import tables
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
