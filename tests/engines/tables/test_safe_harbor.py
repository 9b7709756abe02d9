"""Safe Harbor as a policy, and frontiers beside it."""

from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import tables
from sfumato.core.dominance import mark_dominated
from sfumato.core.errors import InputError, ParameterError
from sfumato.core.exploration import Exploration
from sfumato.core.measures import Risk, Utility
from sfumato.core.records import Candidate, FrontierRecord, Reference
from sfumato.data.attributes import DIRECT_MEANINGS
from sfumato.data.calendar import units_between
from sfumato.engines.tables.frontier.comparison import compare
from sfumato.engines.tables.space.policy import Lattice
from sfumato.engines.tables.space.safe_harbor import find_roles, safe_harbor

AGES = tuple(str(a) for a in range(96))


def intervals(zips, people=None, ages=AGES):
    lattice = Lattice(("age", "sex", "zip"), (ages, ("f", "m"), zips))
    counts = None if people is None else [np.zeros(len(ages)), np.zeros(2), np.array(people, float)]
    return safe_harbor(lattice, counts).intervals()


def test_prefixes_and_the_old():
    found = intervals(("37010", "37011", "37110", "37211"), [30_000, 1, 25_000, 40_000])
    assert found["zip"] == ["37010-37011", "37110", "37211"]
    assert found["age"][:3] == ["0", "1", "2"]
    assert found["age"][-2:] == ["89", "90-95"]
    assert found["sex"] == ["f", "m"]


def test_exactly_twenty_thousand_is_still_small():
    # the rule asks for more than 20,000 people
    zips = ("37010", "37110", "37210")
    assert intervals(zips, [20_000, 25_000, 90_000])["zip"] == ["37010-37110", "37210"]
    assert intervals(zips, [20_001, 25_000, 90_000])["zip"] == list(zips)


def test_small_prefixes_join_each_other_before_a_large_one():
    zips = ("37010", "37110", "37210", "37310")
    found = intervals(zips, [90_000, 12_000, 12_000, 21_000])
    assert found["zip"] == ["37010", "37110-37210", "37310"]


def test_without_a_population_the_census_of_2000_says_which_are_small():
    found = intervals(("03501", "03601", "03701", "82101", "82201", "82301"))
    # 036, 821 and 823 are on the list; the last two join the prefix between them
    assert found["zip"] == ["03501-03601", "03701", "82101-82301"]


def test_missing_values_stay_by_themselves():
    found = intervals(("37010", "37011", "?"), [1, 1, 0], ages=("89", "90", "91", "?"))
    assert found["zip"] == ["37010-37011", "?"]
    assert found["age"] == ["89", "90-91", "?"]


@given(
    st.lists(
        st.tuples(st.integers(0, 12), st.integers(0, 9)), min_size=1, max_size=30, unique=True
    ),
    st.randoms(use_true_random=False),
    st.booleans(),
)
@settings(max_examples=60)
def test_never_less_protective(chosen, draw, shuffled):
    """No interval splits a prefix, and each holds more than 20,000 people or is the whole domain."""
    zips = sorted(f"{370 + prefix}{rest:02d}" for prefix, rest in chosen)
    if shuffled:
        draw.shuffle(zips)
    people = [draw.randrange(30_000) for _ in zips]
    lattice = Lattice(("zip",), (tuple(zips),))
    policy = safe_harbor(lattice, [np.array(people, float)])
    spans = policy.spans(0)
    homes = {}
    for number, (low, high) in enumerate(spans):
        for value in zips[low : high + 1]:
            homes.setdefault(value[:3], set()).add(number)
        assert len(spans) == 1 or sum(people[low : high + 1]) > 20_000
    assert all(len(h) == 1 for h in homes.values())


def test_roles_by_name_by_domain_and_as_given():
    lattice = Lattice(
        ("patientAge", "PostalCode", "county", "income"),
        (("1", "95"), ("K1A0B1", "K1A0B2"), ("x", "y"), ("a", "b")),
    )
    roles = find_roles(lattice)
    assert (roles.age, roles.zip_code, roles.places) == (0, 1, (2,))
    assert safe_harbor(lattice).intervals()["county"] == ["*"]
    five = Lattice(("stage", "area"), (("1", "2"), ("30001", "30002")))
    assert find_roles(five) == find_roles(five, zip_code="area")
    assert find_roles(five).age is None  # "stage" is not an age
    assert find_roles(five, age="stage").age == 0
    with pytest.raises(ParameterError, match="no quasi-identifier"):
        find_roles(five, age="aeg")
    with pytest.raises(ParameterError, match="not an age"):
        safe_harbor(Lattice(("sex",), (("f", "m"),)), age="sex")
    with pytest.raises(InputError, match="needs an age"):
        safe_harbor(Lattice(("sex",), (("f", "m"),)))


def frontier(*points, **references):
    found = [
        Candidate(id=f"c{i}", risk=Risk(risk), utility=Utility(1 - loss))
        for i, (risk, loss) in enumerate(points)
    ]
    candidates, area = mark_dominated(found)
    known = [
        Reference(name=name.replace("_", " "), risk=Risk(r), utility=Utility(u))
        for name, (r, u) in references.items()
    ]
    axes = {"risk": "risk", "utility": "utility"}
    return Exploration(
        FrontierRecord(
            engine="tables", seed=0, axes=axes, area=area, candidates=candidates, references=known
        )
    )


def test_comparison_in_words():
    found = frontier(
        (0.001, 0.5), (0.01, 0.3), (0.05, 0.2), (0.5, 0.1),
        Safe_Harbor=(0.08, 0.64), mine=(0.0001, 0.9),
    )  # fmt: skip
    beside = compare(found, "Safe Harbor")
    assert beside.dominating == ("c1", "c2")
    assert beside.risk_at_same_loss == pytest.approx(0.01)
    assert beside.loss_at_same_risk == pytest.approx(0.2)
    assert beside.risk_ratio == pytest.approx(8)
    assert beside.in_words == (
        "2 policies are better than Safe Harbor: at Safe Harbor's loss the risk is 8.0 times lower, and at "
        "Safe Harbor's risk the loss is 0.200 instead of 0.360."
    )
    assert compare(found, "mine").in_words.startswith("No policy found is better")
    with pytest.raises(ParameterError, match="no reference"):
        compare(found, "Safe Harbour")


def test_dates_ages_in_words_and_ages_of_houses():
    days = ("2019-12-30", "2019-12-31", "2020-01-01", "2020-05-02")
    lattice = Lattice(
        ("birthdate", "age", "housing_median_age"),
        (days, ("88 years", "90 years", "91 years"), ("1", "2")),
    )
    found = safe_harbor(lattice).intervals()
    assert [len(found[n]) for n in lattice.names] == [2, 2, 2]
    roles = find_roles(lattice)
    assert (roles.age, roles.dates) == (1, (0,))
    assert "housing_median_age not recognised" in roles.in_words(lattice.names)
    assert find_roles(lattice, meanings={"housing_median_age": "age", "age": "other"}).age == 2


def test_nothing_is_said_of_no_difference():
    found = frontier((0.0799, 0.3599), Safe_Harbor=(0.08, 0.64))
    assert compare(found, "Safe Harbor").in_words.endswith("by next to nothing.")


@pytest.mark.parametrize("meaning", sorted(DIRECT_MEANINGS))
def test_every_kind_of_identifier_is_removed(meaning):
    lattice = Lattice(("code", "sex"), (("a", "b", "c"), ("f", "m")))
    found = safe_harbor(lattice, meanings={"code": meaning})
    assert found.intervals() == {"code": ["*"], "sex": ["f", "m"]}
    said = find_roles(lattice, meanings={"code": meaning}).in_words(lattice.names)
    assert said == "Safe Harbor takes code as an identifier; sex not recognised, left as it is."


def test_birth_dates_of_the_old_are_one_interval():
    months = units_between(date(1900, 11, 1), date(2000, 2, 1), "month")
    lattice = Lattice(("born", "visit"), (months, months))
    found = safe_harbor(lattice, meanings={"born": "birth date", "visit": "date"})
    spans = [[(months[a][:4], months[b][:4]) for a, b in found.spans(i)] for i in (0, 1)]
    assert spans[0] == [("1900", "1910"), *((str(y), str(y)) for y in range(1911, 2001))]
    assert spans[1] == [(str(y), str(y)) for y in range(1900, 2001)]


def test_what_the_rule_would_remove_but_is_published_is_said():
    frame = {"age": [1, 2, 3, 4] * 5, "mail": ["x"] * 20, "stay": [1] * 20}
    schema = {
        "attribute": [
            {"name": "age", "role": "quasi", "domain": {"range": [0, 9]}},
            {"name": "mail", "role": "other", "meaning": "email"},
            {"name": "stay", "role": "other"},
        ]
    }
    said = tables.explore(frame, schema=schema, evaluations=20).record.assumptions
    assert any(s.startswith("mail: published as declared") for s in said)
