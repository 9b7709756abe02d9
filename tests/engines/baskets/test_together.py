"""Two releases of baskets together: rows that fit as counted by brute force, and what publishing and the attack say."""

import csv
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.core.engine import Part
from sfumato.core.errors import FormatError, InputError, PrivacyWarning, ReleaseRefusedError
from sfumato.engines.baskets.attack.people import ITEMS_FILE, PublishedPeople
from sfumato.engines.baskets.attack.together import CommonRows, measure_composition
from sfumato.engines.baskets.records import BasketsAttack
from sfumato.engines.baskets.story.part import story

from .test_engine import purchases

rows = st.integers(1, 14).flatmap(
    lambda n: st.tuples(
        *(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=n, max_size=n),) * 2,
        *(st.lists(st.booleans(), min_size=n, max_size=n),) * 2,
        st.booleans(),
    )
)
NAMES = (("a", "b", "c", "d"), ("c", "d", "e", "f"))


def contains(row, other):
    return all(mine >= its for mine, its in zip(row, other, strict=True))


def brute(first, second, both, alike):
    """Count by looking at every row of each release: dictionaries of rows by person."""
    found = []
    for person in both:
        in_first = [p for p, row in first.items() if contains(row, first[person])]
        in_second = [p for p, row in second.items() if contains(row, second[person])]
        linked = [p for p in both if p in in_first and p in in_second]
        shown = [
            [tuple(release[p][places[name]] for name in alike) for p in fitting]
            for release, fitting, places in (
                (first, in_first, {n: i for i, n in enumerate(NAMES[0])}),
                (second, in_second, {n: i for i, n in enumerate(NAMES[1])}),
            )
        ]
        bound = sum(min(shown[0].count(s), shown[1].count(s)) for s in set(shown[0]))
        found.append((len(in_first), len(in_second), len(linked), bound))
    return found


@given(rows)
def test_rows_that_fit_are_those_of_brute_force(drawn):
    first, second, there, later, agree = drawn
    first, second = np.array(first, int), np.array(second, int)
    if agree:  # what both show is the same
        second[:, :2] = first[:, 2:]
    there, later = np.flatnonzero(there), np.flatnonzero(later)
    known = [
        PublishedPeople.of_rows("r", (7919 * (at + 1)).astype(np.uint64), table[at], names)
        for table, at, names in ((first, there, NAMES[0]), (second, later, NAMES[1]))
    ]
    both = sorted(set(there) & set(later), key=lambda p: 7919 * (p + 1))
    common = CommonRows.of(*known)
    assert (measure_composition(*known) is None) == (not both)
    if not both:
        return
    alike = [n for i, n in enumerate("cd") if (first[both, 2 + i] == second[both, i]).all()]
    sizes = common.sizes()
    counted = brute(
        {p: first[p].tolist() for p in there}, {p: second[p].tolist() for p in later}, both, alike
    )
    found = zip(sizes.first, sizes.second, sizes.linked, sizes.unlinked, strict=True)
    assert list(found) == counted
    assert (sizes.linked <= sizes.unlinked).all()
    assert (sizes.unlinked <= np.minimum(sizes.first, sizes.second)).all()
    joint = [(*first[p], *second[p]) for p in both]
    assert common.equal_rows()[2].tolist() == [joint.count(row) for row in joint]
    assert common.changed.tolist() == [(first[p, 2:] != second[p, :2]).any() for p in both]


# --- the engine ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def explored():
    X, _ = purchases(n=300, d=25, seed=8)
    return X, sf.baskets.explore(X, k=[5], method=["columns", "cells"], selector=["support"])


@pytest.fixture(scope="module")
def two(explored, tmp_path_factory):
    """Two candidates of the same rows, published next to each other."""
    folder = tmp_path_factory.mktemp("two")
    X, found = explored
    first, second = (found.candidate(name) for name in ("support-k5", "cells-k5"))
    found.publish(first, X, out=folder / "first")
    with pytest.warns(PrivacyWarning, match="300 people are also in the release 'first'"):
        found.publish(second, X, out=folder / "second")
    return folder, X, found


def test_the_attack_measures_what_publishing_warned_of(two):
    folder, *_ = two
    found = sf.baskets.attack(folder / "second", earlier=[folder / "first"])
    assert BasketsAttack.from_json(found.to_json()) == found
    (joint,) = found.compositions
    assert joint.people == 300
    assert joint.linked.k <= joint.unlinked.k <= min(joint.first.k, joint.second.k)
    assert joint.first.k >= 5 <= joint.second.k  # what each promised
    assert joint.linked.average > max(joint.first.average, joint.second.average)
    assert joint.unique_rows[2] >= max(joint.unique_rows[:2])
    assert joint.lines()[-1].startswith("  Remedies")


def test_the_list_of_people_is_private_and_reads_back(two):
    folder, X, _ = two
    file = folder / "first.private" / ITEMS_FILE
    assert file.stat().st_mode & 0o077 == 0
    assert not any(p.name == ITEMS_FILE for p in (folder / "first").iterdir())
    known = PublishedPeople.of(folder / "first")
    assert len(known) == len(X)
    assert len(np.unique(known.marks)) == len(X)
    places = [int(name[1:]) for name in known.features]
    assert sorted(map(tuple, known.matrix.to_array())) == sorted(map(tuple, X[:, places]))
    file_of_second = folder / "second.private" / ITEMS_FILE
    content = file_of_second.read_bytes()
    try:
        kept = dict(np.load(file_of_second))
        wrong = {"bounds": kept["bounds"][:-1], "items": kept["items"] + len(kept["features"]),
                 "marks": kept["marks"][1:], "features": np.zeros(3, np.uint8)}  # fmt: skip
        for name, value in wrong.items():
            np.savez(file_of_second, **{**kept, name: value})
            with pytest.raises(FormatError, match="does not hold the people"):
                PublishedPeople.of(folder / "second")
        file_of_second.write_bytes(b"no archive")
        with pytest.raises(FormatError, match="does not hold the people"):
            PublishedPeople.of(folder / "second")
    finally:
        file_of_second.write_bytes(content)
    with pytest.raises(InputError, match="Nothing is known"):
        PublishedPeople.of(folder / "none")


def test_what_is_above_the_joint_risk_is_refused_and_leaves_nothing(two):
    folder, X, found = two
    with pytest.raises(ReleaseRefusedError, match="nothing was published"):
        found.publish(found.candidate("cells-k5"), X, out=folder / "third", max_joint_risk=1 / 250)
    assert not (folder / "third").exists()
    assert not (folder / "third.private").exists()


def test_the_same_rows_again_add_nothing_and_other_rows_are_other_people(two, tmp_path):
    _, X, found = two
    candidate = found.candidate("support-k5")
    found.publish(candidate, X, out=tmp_path / "first")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found.publish(candidate, X, out=tmp_path / "again", max_joint_risk=0.2)
        found.publish(candidate, X[::-1], out=tmp_path / "other", max_joint_risk=1e-9)
    with pytest.raises(InputError, match="Nobody is known"):
        sf.baskets.attack(tmp_path / "other", earlier=[tmp_path / "first"])


def test_people_of_a_log_are_known_a_quarter_later(tmp_path):
    X, _ = purchases(n=120, d=12, seed=3)
    rng = np.random.default_rng(0)
    logs = []
    for quarter in range(2):
        logs.append(tmp_path / f"q{quarter}.csv")
        with logs[-1].open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["who", "what"])
            for i in rng.permutation(np.arange(10 * quarter, 110 + 10 * quarter)):
                held = X[i].astype(bool) | (quarter * (rng.random(12) < 0.02))
                writer.writerows([f"person {i}", f"f{j}"] for j in np.flatnonzero(held))
    columns = {"item": "what", "person": "who"}
    found = sf.baskets.explore(
        logs[0], log=columns, k=[3], method=["columns"], selector=["support"]
    )
    candidate = next(iter(found))
    found.publish(candidate, logs[0], log=columns, out=tmp_path / "first")
    with pytest.warns(PrivacyWarning, match="people are also in the release 'first'"):
        release = found.publish(
            candidate, logs[1], log=columns, accept_shift=True, out=tmp_path / "second"
        )
    attack = sf.baskets.attack(tmp_path / "second", earlier=[tmp_path / "first"])
    (joint,) = attack.compositions
    assert 70 < joint.people <= 100
    assert joint.changed > 0
    told = story(Part("baskets", "baskets", release=release, attack=attack)).attack
    assert any(sentence.startswith("Together with first") for sentence in told)
