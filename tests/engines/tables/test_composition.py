"""Two releases together: joint groups as counted by brute force, the bound without a link, and what publishing says."""

import csv
import hashlib
import json
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.core.composition.joint import (
    ReleaseCodes,
    bound_without_link,
    combine_codes,
    group_sizes,
    join_groups,
)
from sfumato.core.engine import Part
from sfumato.core.errors import InputError, PrivacyWarning, ReleaseRefusedError
from sfumato.data.table_schema import TableSchema
from sfumato.data.table_source import TableSource
from sfumato.engines.tables.composition.people import (
    MARK,
    PEOPLE_FILE,
    SHOWN,
    CommonPeople,
    KnownPeople,
)
from sfumato.engines.tables.release.composing import people_of_rows
from sfumato.engines.tables.release.distinct_rows import DistinctRows
from sfumato.engines.tables.release.rows import Generaliser
from sfumato.engines.tables.release.steps import publish_by_policy
from sfumato.engines.tables.release.suppression import SuppressedGroups
from sfumato.engines.tables.story.together import sentences_together

people = st.integers(1, 40).flatmap(
    lambda n: st.tuples(
        *(st.lists(st.integers(0, most), min_size=n, max_size=n) for most in (4, 5, 3, 3)),
        st.lists(st.booleans(), min_size=n, max_size=n),
    )
)


def brute_linked(first, second):
    return [
        sum(p == (a, b) for p in zip(first, second, strict=True))
        for a, b in zip(first, second, strict=True)
    ]


def brute_unlinked(first, shown_first, second, shown_second, pairs):
    found = []
    for a, b in pairs:
        total = 0
        for s in set(shown_first) | set(shown_second):
            in_a = sum(g == a and v == s for g, v in zip(first, shown_first, strict=True))
            in_b = sum(g == b and v == s for g, v in zip(second, shown_second, strict=True))
            total += min(in_a, in_b)
        found.append(total)
    return found


@given(people)
def test_joint_groups_are_those_of_brute_force(drawn):
    first, second, shared, _, _ = (np.array(column) for column in drawn)
    assert group_sizes(first).tolist() == [first.tolist().count(v) for v in first]
    linked = join_groups(first, second)
    assert linked.tolist() == brute_linked(first.tolist(), second.tolist())
    here = np.arange(len(first))
    bound = bound_without_link(
        ReleaseCodes(first, shared), ReleaseCodes(second, shared), here, here
    )
    pairs = list(zip(first, second, strict=True))
    assert bound.tolist() == brute_unlinked(first, shared, second, shared, pairs)
    assert (linked <= bound).all()
    assert (bound <= np.minimum(group_sizes(first), group_sizes(second))).all()


@given(people)
def test_the_bound_counts_all_rows_of_both_releases_and_looks_at_the_people_in_both(drawn):
    first, second, shown_first, shown_second, both = (np.array(column) for column in drawn)
    at = np.flatnonzero(both)
    bound = bound_without_link(
        ReleaseCodes(first, shown_first), ReleaseCodes(second, shown_second), at, at
    )
    pairs = list(zip(first[at], second[at], strict=True))
    assert bound.tolist() == brute_unlinked(first, shown_first, second, shown_second, pairs)


@given(st.lists(st.tuples(*[st.integers(0, 10**6)] * 4), min_size=1, max_size=30))
def test_many_columns_are_one_number_without_collisions(rows):
    columns = [np.array(column, np.int64) for column in zip(*rows, strict=True)]
    codes = combine_codes(columns * 3)  # more combinations than a number has room for
    assert all(
        (codes[i] == codes[j]) == (rows[i] == rows[j]) for i in range(len(rows)) for j in range(i)
    )


# --- the engine ----------------------------------------------------------------------------------

SCHEMA = {
    "attribute": [
        {"name": "id", "role": "identifier"},
        {"name": "age", "role": "quasi", "domain": {"range": [20, 79]}},
        {"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}},
        {"name": "illness", "role": "sensitive"},
    ]
}
FIRST = {"age": [[low, low + 9] for low in range(20, 80, 10)]}
CROSSED = {"age": [[20, 24], *([low, low + 9] for low in range(25, 75, 10)), [75, 79]]}


def write_table(path, later=0):
    """Write 600 people; a seventh of them is a year older later, and some have left or come."""
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([a["name"] for a in SCHEMA["attribute"]])
        for i in range(20 * bool(later), 600 + 20 * bool(later)):
            age = min(79, 20 + (7 * i) % 60 + (later and i % 7 == 0))
            writer.writerow([f"p{i}", age, "fm"[i % 2], f"ill {i % 5}"])
    return path


@pytest.fixture(scope="module")
def lattice(tmp_path_factory):
    table = write_table(tmp_path_factory.mktemp("lattice") / "t.csv")
    return sf.tables.explore(table, schema=SCHEMA, evaluations=2).payload.lattice


def publish(lattice, intervals, table, out, **options):
    return publish_by_policy(lattice.policy(intervals), table, schema=SCHEMA, out=out, **options)


@pytest.fixture
def two(tmp_path, lattice):
    """Two policies whose bands cross, on the same people."""
    table = write_table(tmp_path / "t.csv")
    publish(lattice, FIRST, table, tmp_path / "first")
    with pytest.warns(PrivacyWarning, match="600 people are also in the release 'first'"):
        publish(lattice, CROSSED, table, tmp_path / "second")
    return tmp_path


def test_publishing_measures_and_the_attack_says_the_same(two):
    found = sf.tables.attack(two / "second", earlier=[two / "first"])
    (joint,) = found.compositions
    assert joint.people == 600
    with (two / "t.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    keys = [((int(r["age"])) // 10, (int(r["age"]) + 5) // 10, r["sex"]) for r in rows]
    sizes = [keys.count(key) for key in keys]
    assert joint.linked.k == min(sizes)
    assert joint.linked.average == pytest.approx(np.mean(1 / np.array(sizes)))
    assert joint.linked.average > max(joint.first.average, joint.second.average)
    assert joint.linked.k <= joint.unlinked.k <= min(joint.first.k, joint.second.k)


def test_the_list_of_people_is_private_and_names_nobody(two):
    file = two / "first.private" / PEOPLE_FILE
    assert file.stat().st_mode & 0o077 == 0
    assert b"p599" not in file.read_bytes()
    known = KnownPeople.of(two / "first")
    assert known.quasi == ["age", "sex"]
    assert len(known.rows) == 600
    assert not any("people" in p.name for p in (two / "first").iterdir())
    assert "people" not in json.loads((two / "first" / "release.json").read_text())


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 5), st.integers(20, 79), st.sampled_from("fm"), st.integers(0, 2)),
        min_size=1,
        max_size=25,
    ),
    copies=st.integers(1, 3),
    small=st.booleans(),
)
@settings(max_examples=15)
def test_people_are_marked_as_plain_code_marks_them(lattice, rows, copies, small):
    """Whether the rows are read one by one or each once, everybody's first published row is listed."""
    header = [a["name"] for a in SCHEMA["attribute"]]
    lines = [f"p{who},{age},{sex},ill {ill}" for who, age, sex, ill in rows] * copies
    policy = lattice.policy(FIRST)
    schema = TableSchema.of(SCHEMA)
    generaliser = Generaliser.of(policy, schema)
    labels = [
        dict(zip(d, l, strict=True))
        for d, l in zip(lattice.domains, generaliser.labels, strict=True)
    ]
    out = {("20-29", "f")} if small else set()
    wanted = {}
    for line in lines:
        who, age, sex, ill = line.split(",")
        shown = (labels[0][age], labels[1][sex])
        mark = int(hashlib.sha256(f"key people {who}".encode()).hexdigest()[:16], 16)
        if shown not in out:
            wanted.setdefault(mark, (*shown, ill))
    groups = pa.table({"age": ["20-29"], "sex": ["f"]})
    left_out = SuppressedGroups(groups, 0) if small else None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_text("\n".join([",".join(header), *lines]) + "\n")
        opened = TableSource.open(path)
        different = DistinctRows.of(opened, header)
        assert (different is not None) == (2 * len(set(lines)) <= len(lines))
        for given_rows in (None, different):
            found = people_of_rows(generaliser, opened, "key", left_out, None, given_rows)
            assert found.column_names == [MARK, "age", "sex", f"{SHOWN}illness"]
            got = {m: tuple(rest) for m, *rest in zip(*found.to_pydict().values(), strict=True)}
            assert got == wanted
            assert list(got) == sorted(wanted)
            assert len(found) == len(wanted)


def test_rows_that_repeat_are_published_as_those_that_are_read_one_by_one(
    tmp_path, lattice, monkeypatch
):
    path = write_table(tmp_path / "t.csv")
    header, *lines = path.read_text().splitlines()
    path.write_text("\n".join([header, *(lines[:50] * 6)]) + "\n")
    for name in ("once", "each"):
        (tmp_path / name).mkdir()
        publish(lattice, FIRST, path, tmp_path / name / "out")
        monkeypatch.setattr(DistinctRows, "of", lambda *_: None)
    once, each = (
        {p.relative_to(tmp_path / name): p for p in (tmp_path / name).rglob("*") if p.is_file()}
        for name in ("once", "each")
    )
    assert once.keys() == each.keys()
    assert [p for p in once if once[p].read_bytes() != each[p].read_bytes()] == []
    assert len(KnownPeople.of(tmp_path / "once" / "out").rows) == 50


def test_what_is_above_the_joint_risk_is_refused_and_leaves_nothing(two, lattice):
    with pytest.raises(ReleaseRefusedError, match="nothing was published"):
        publish(
            lattice,
            {"age": [[20, 41], [42, 79]]},
            two / "t.csv",
            two / "third",
            max_joint_risk=1 / 600,
        )
    assert not (two / "third").exists()
    assert not (two / "third.private").exists()


def test_one_policy_a_quarter_later_tells_who_crossed_a_band(tmp_path, lattice):
    publish(lattice, FIRST, write_table(tmp_path / "t.csv"), tmp_path / "first")
    later = write_table(tmp_path / "later.csv", later=1)
    with pytest.warns(PrivacyWarning, match="580 people are also in"):
        publish(lattice, FIRST, later, tmp_path / "second")
    attack = sf.tables.attack(tmp_path / "second", earlier=[tmp_path / "first"])
    (joint,) = attack.compositions
    told = sentences_together(Part("tables", "tables", attack=attack))
    assert told[0].startswith("Together with first, which is about 580 of the same people")
    assert "A crossed band tells a birthday or a move" in told[1]
    assert (joint.people, joint.only_earlier, joint.only_later) == (580, 20, 20)
    common = CommonPeople.of(
        KnownPeople.of(tmp_path / "first"), KnownPeople.of(tmp_path / "second")
    )
    assert 0 < joint.changed == common.changed.mean() < 0.1
    assert joint.changed_below > 0.5
    assert joint.lines()[-1].startswith("  Remedies")


def test_the_same_release_again_adds_nothing(tmp_path, lattice):
    table = write_table(tmp_path / "t.csv")
    publish(lattice, FIRST, table, tmp_path / "first")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        publish(lattice, FIRST, table, tmp_path / "again", max_joint_risk=0.5)
    assert not [w for w in said if "are also in" in str(w.message)]


def test_people_who_are_not_known_are_one_sentence(tmp_path, lattice):
    table = write_table(tmp_path / "t.csv")
    publish(lattice, FIRST, table, tmp_path / "first")
    for path in (tmp_path / "first.private").iterdir():
        path.unlink()
    with pytest.raises(InputError, match="Nothing is known of the people"):
        sf.tables.attack(tmp_path / "first", earlier=[tmp_path / "first"])
