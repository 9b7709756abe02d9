"""The shipped rule on stored runs: known where the run tells, a range where it does not."""

from __future__ import annotations

import pytest
from benchmarks._halves_replay import ALL, MEAN, replay

LINEAR = "pass + stack"


def part(form, measured, *, two, gains=None, every=None):
    forms = {MEAN: two} if every is None else {MEAN: two, ALL: every}
    found = {
        "form": form, "measured": measured, "measured_linear": 100.0, "measured_by_form": forms,
        "upper_end_holds": True, "attackers_found": {"linear": 2.0, "encoder": 5.0},
    }  # fmt: skip
    if gains is not None:
        names = ("errors_gained", "spreads_gained_on_halves")
        found["two_layers_over_linear"] = dict(zip(names, gains, strict=True))
    return found


@pytest.mark.parametrize(
    ("stored", "ends"),
    [
        (part(MEAN, 50.0, two=50.0), [0.5]),  # what gained a whole error gains half of it
        (part(LINEAR, 100.0, two=60.0, gains=(0.8, 0.6)), [0.6]),
        (part(LINEAR, 100.0, two=60.0, gains=(0.8, 0.4)), [1.0]),  # not ahead on halves
        (part(LINEAR, 100.0, two=60.0), [0.6, 1.0]),  # nobody knows
    ],
)
def test_what_half_an_error_would_have_chosen(stored, ends):
    found = replay({"a--0--0--two": stored})["two"]
    assert found["over_linear_by_corpus"] == {"a": [ends]}
    assert found["median_over_linear"] == [ends[0], ends[-1]]
    assert found["choice_open"] == (len(ends) > 1)


def test_a_run_with_all_layers_tells_of_the_same_half_with_two():
    parts = {
        "a--0--0--two": part(LINEAR, 100.0, two=60.0),
        "a--0--0--all": part(ALL, 40.0, two=61.0, every=40.0, gains=(0.7, 0.7)),
        "b--0--0--all": part(ALL, 40.0, two=61.0, every=40.0, gains=(1.5, 1.5)),
    }
    found = replay(parts)
    assert found["two"]["over_linear_by_corpus"] == {"a": [[0.6]]}
    # Two layers stand first now, unless they already did.
    assert found["all"]["over_linear_by_corpus"] == {"a": [[0.4, 0.61]], "b": [[0.4]]}


def test_goals_are_met_open_or_not():
    parts = {"a--0--0--two": part(LINEAR, 100.0, two=50.0), "b--0--0--two": part(MEAN, 65.0, two=65.0)}  # fmt: skip
    found = replay(parts)["two"]
    assert found["median_over_linear"] == [0.575, 0.825]
    assert (found["goal_met"], found["none_above_1.02"]) == ("open", "yes")
    known = found["attackers_find_in_100_words_where_the_choice_is_that_of_the_run"]
    assert known == {"halves": 1, "median": 5.0, "most": 5.0, "above_12": 0}
    worse = {"a--0--0--two": part(MEAN, 130.0, two=130.0)}
    assert replay(worse)["two"]["none_above_1.02"] == "no"
