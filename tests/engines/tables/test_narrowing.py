"""The person behind the words: counts equal to brute force, an attacker's own reader, and what publishing measures."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.engines.tables.narrowing.linking import RowBlocks
from sfumato.engines.tables.narrowing.measure import Narrowing, NotedRow
from sfumato.engines.tables.narrowing.people import (
    Certainty,
    PeopleCounter,
    best_guess,
    masks_of,
)
from sfumato.engines.tables.narrowing.reading import NoteReading, read_note
from sfumato.engines.tables.narrowing.sampled import SampleOf
from sfumato.engines.tables.release.notes_people import bins_of

cells = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 1), st.integers(1, 9)),
    min_size=1,
    max_size=40,
)
masks = st.tuples(*(st.lists(st.booleans(), min_size=n, max_size=n) for n in (5, 3, 2)))


@given(cells, masks, masks, st.lists(st.floats(0.05, 1.0), min_size=3, max_size=3))
def test_people_and_best_guess_are_those_of_brute_force(population, row, read, certainty):
    codes = np.array([c[:3] for c in population]).T
    counter = PeopleCounter(codes, np.array([c[3] for c in population], float))
    group = counter.within([np.array(mask) for mask in row])

    def fit(followed):
        return sum(
            n
            for *values, n in population
            if all(row[a][v] for a, v in enumerate(values))
            and all(read[a][values[a]] for a in followed)
        )

    assert group.count_known({a: np.array(read[a]) for a in range(3)}) == fit(range(3))
    noted = {a: (np.array(read[a]), "age") for a in range(3)}

    class Known:
        def of(self, forms, people):
            assert people == max(1, fit([a for a, _ in forms]))
            return np.prod([certainty[a] for a, _ in forms])

    guess = best_guess(group, noted, Known())
    subsets = [s for size in range(4) for s in itertools.combinations(range(3), size)]
    best = max(np.prod([certainty[a] for a in s]) / max(1, fit(s)) for s in subsets)
    assert guess.chance == pytest.approx(best)
    assert guess.people == max(1, fit(guess.followed))


def test_readings_that_leave_few_people_are_judged_by_others_that_do():
    known, age, birth = Certainty(), ((0, "age"),), ((0, "birth"),)
    for i in range(400):
        known.add(age, 3_000, are_right=True)
        known.add(age, 2, are_right=i % 40 == 0)
    assert known.of(age, 3_000) > 0.99
    assert known.of(age, 2) == pytest.approx(1 / 40, abs=0.01)
    assert known.of(birth, 2) == pytest.approx(1 / 40, abs=0.01)  # by how few they leave alone
    assert known.of(birth, 50) == 0.5


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A 47-year-old woman", [("age", 47, 47)]),
        ("eine 45–49jährige Frau", [("age", 45, 49)]),
        ("patiente de 85+ ans", [("age", 85, 115)]),
        ("born in 1975", [("birth", 47, 48)]),
        ("geb. 1973–1978", [("birth", 44, 50)]),
        ("Pulse 47, dose 47 mg, her son is 12 years old", []),
        ("lives in 30022", [("word", {1})]),
    ],
)
def test_an_attacker_reads_ages_births_and_places(text, found):
    read = read_note(text, age="age", words={"area": {"30011": 0, "30022": 1}}, year=2023)
    said = [(r.form, set(r.values)) if r.values else (r.form, r.low, r.high) for r in read]
    assert said == found


def test_a_reading_that_contradicts_the_row_is_not_followed():
    ages = np.arange(100)
    row = [(ages >= 40) & (ages < 60)]
    domains = [[str(n) for n in ages]]
    wrong, right = NoteReading("age", "age", 12, 12), NoteReading("age", "age", 47, 47)
    assert masks_of([wrong], ["age"], domains, ages, row) == {}
    (mask, form) = masks_of([wrong, right], ["age"], domains, ages, row)[0]
    assert form == "age"
    assert np.flatnonzero(mask).tolist() == [47]


def test_words_that_say_the_band_add_nothing_and_an_exact_age_does():
    ages = np.arange(100)
    counter = PeopleCounter(ages[None, :], np.full(100, 10.0))
    narrowing = Narrowing(["age"], [[str(n) for n in ages]], "age", [], counter)
    rows = []
    for age in range(20, 80):
        band = (ages // 20) == age // 20
        low = age // 20 * 20
        rows.append(NotedRow((age,), (band,), f"aged {age} years", f"aged {low}–{low + 19} years"))
    found, per_note = narrowing.measure(rows)
    assert found.row.named == found.published.named == pytest.approx(1 / 200)
    assert found.raw.named == pytest.approx(1 / 10)
    assert found.raw.stated == pytest.approx(found.raw.named, rel=0.1)
    assert per_note[0] == {"row": 200.0, "raw": 10.0, "published": 200.0}


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=12), st.data()
)
def test_notes_are_put_to_rows_as_by_brute_force(labels, data):
    sizes = (8, 6)
    rows = [[np.arange(n) // 2 == v for n, v in zip(sizes, row, strict=True)] for row in labels]
    read = []
    for _ in labels:
        mask = np.zeros(8, np.bool_)
        for v in data.draw(st.sets(st.integers(0, 7), min_size=1)):
            mask[v] = True
        read.append({0: (mask, "age")} if data.draw(st.booleans()) else {})
    right = 0.0
    for i, masks in enumerate(read):
        scores = [
            np.prod([(row[a] & m).sum() / m.sum() for a, (m, _) in masks.items()] or [1.0])
            for row in rows
        ]
        best = [j for j, score in enumerate(scores) if score >= max(scores) - 1e-6]
        right += (i in best) / len(best)
    blocks = RowBlocks(rows)
    assert blocks.share_right(read) == pytest.approx(right / len(rows))
    assert blocks.share_alone() == pytest.approx(len(set(labels)) / len(labels))


def test_publishing_with_a_population_measures_the_people_behind_the_words(short_samples, tmp_path):
    register = short_samples / "register_with_notes.csv"
    found = sf.tables.explore(
        register,
        schema=short_samples / "schema_with_notes.toml",
        population=short_samples / "population.csv",
        evaluations=100,
    )
    release = found.publish(found.choose(max_risk=0.05), register, out=tmp_path / "out")
    people = release.measured.notes["notes"].people
    assert people.raw.named > 2 * people.row.named
    assert people.published.named <= 1.1 * people.row.named
    linked = people.linked
    assert linked.random < linked.published <= linked.table
    public = json.loads((tmp_path / "out" / "release.json").read_text())["measured"]["notes"][
        "notes"
    ]
    assert sum(public["people_who_fit"].values()) == people.notes
    assert min(public["people_who_fit"].values()) >= 11
    assert set(public) == {"notes", "people_who_fit"}
    assert (
        "people"
        not in json.loads((tmp_path / "out" / "release.json").read_text())["measured"]["notes"][
            "notes"
        ]
    )
    lines = (tmp_path / "out.private" / "notes_people.jsonl").read_text().splitlines()
    assert len(lines) == people.notes == 200


@pytest.mark.parametrize("fraction", [0.01, 0.05, 0.2])
def test_the_interval_holds_where_the_population_is_known_by_a_sample(fraction):
    rng = np.random.default_rng(round(1000 * fraction))
    people = rng.integers(1, 2000, 4000)  # who fit, in 4,000 populations
    counted = 1 + rng.binomial(people - 1, fraction)  # the person is in the sample
    low, high = SampleOf(fraction).interval(counted.astype(float))
    assert np.mean((low <= people) & (people <= high)) >= 0.92
    middle = SampleOf(fraction).people(counted.astype(float))
    assert middle.mean() == pytest.approx(people.mean(), rel=0.1)
    assert ((low <= middle) & (middle <= high)).all()


def test_a_whole_population_has_no_interval():
    low, high = SampleOf(1.0).interval(np.array([1.0, 7.0]))
    assert low.tolist() == high.tolist() == SampleOf(1.0).people(np.array([1.0, 7.0])).tolist()


@given(st.lists(st.floats(1, 30_000), max_size=80), st.integers(1, 20))
def test_no_public_count_is_below_the_least(people, least):
    found = bins_of(people, least)
    assert all(notes >= least for notes in found.values())
    assert sum(found.values()) == (len(people) if len(people) >= least else 0)
    edges = [name.removeprefix("from ").split("-") for name in found]
    for (_, last), (first, *_) in itertools.pairwise(edges):
        assert int(first) == int(last) + 1
    for name, notes in found.items():
        low, _, high = name.removeprefix("from ").partition("-")
        inside = [n for n in people if int(low) <= n < (int(high) + 1 if high else np.inf)]
        assert len(inside) == notes


def test_a_table_that_is_a_sample_has_people_with_their_interval(short_samples, tmp_path):
    register = short_samples / "register_with_notes.csv"
    schema = short_samples / "schema_with_notes.toml"
    found = sf.tables.explore(register, schema=schema, sampling_fraction=0.05, evaluations=30)
    release = found.publish(next(iter(found)), register, out=tmp_path / "out", accept_worse=True)
    notes = release.measured.notes["notes"]
    people = notes.people
    assert people.fraction == 0.05
    low, high = people.published.named_between
    assert low <= people.published.named <= high
    assert notes.people_who_fit == {}  # estimated from raw rows: not for everybody
    lines = (tmp_path / "out.private" / "notes_people.jsonl").read_text().splitlines()
    for line in map(json.loads, lines):
        for name in ("row", "raw", "published"):
            assert line[f"{name}_between"][0] <= line[name] <= line[f"{name}_between"][1]
