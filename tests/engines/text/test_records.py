"""Every record of the text engine, written and read back, is equal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from sfumato.core.errors import FormatError
from sfumato.core.measures import Risk, Utility
from sfumato.engines.text.attack_records import READINGS, AttackDetails, TextAttack, TheoremBounds
from sfumato.engines.text.records import TextCandidate, TextFrontier, TextReference

amount = st.floats(0, 1e6, allow_nan=False).map(lambda v: round(v, 4))
count = st.integers(0, 10**9)
budgets = st.lists(st.integers(1, 10**6), min_size=1, max_size=3, unique=True)
names = st.sampled_from(
    ["crf", "svm", "character n-grams", "crf on release, informed by background"]
)


@st.composite
def founds(draw):
    low, found, high = sorted(draw(st.tuples(amount, amount, amount)))
    return {"found": found, "low": low, "high": high}


@st.composite
def readings(draw, keys):
    counts = {k: draw(count) for k in ("tp", "fp", "fn", "tn")}
    ways = {
        way: {str(b): draw(founds()) for b in keys} for way in ("ranked", "unordered", "random")
    }
    learner = draw(names)
    return {
        "learner": learner,
        **counts,
        **ways,
        "gain_over_random": {str(b): draw(st.none() | amount) for b in keys},
        "learners": {learner: {**counts, "ranked": {str(b): draw(amount) for b in keys}}},
    }


@st.composite
def attacks(draw):
    keys = draw(budgets)
    run = draw(st.lists(st.sampled_from(READINGS), unique=True))
    strongest = None
    if run:
        strongest = {
            **draw(founds()), "attacker": "crf that learns from the publisher's residual training data",
            "reading": run[0], "learner": "crf", "budget": keys[0],
        }  # fmt: skip
    left = {"words": draw(count), "sensitive": draw(count)}
    return {**{r: draw(readings(keys)) for r in run}, "strongest": strongest, "left": left}


@st.composite
def bounds(draw):
    def bound(name):
        return {
            "name": name,
            "value": draw(st.none() | amount),
            "assumptions": [
                {
                    "name": "large sample",
                    "holds": draw(st.none() | st.booleans()),
                    "text": "λ is small",
                }
            ],
            "applies": draw(st.booleans()),
            "vacuous": draw(st.booleans()),
            "sentence": "The attacker finds little.",
        }

    found = {name: bound(name) for name in ("theorem 2", "lemma 4")}
    found["ranked prefix"] = {str(b): bound("ranked prefix") for b in draw(budgets)}
    if draw(st.booleans()):
        found["deviation"] = draw(st.none() | amount)
        found["parameters"] = {
            k: draw(st.none() | amount) for k in ("p", "q", "r", "s", "q_printed", "r_printed")
        }
    return found


shares = st.floats(0, 1)


@st.composite
def measures(draw):
    risk = Risk(draw(shares), attacker="reads every published word")
    utility = Utility(draw(shares), kept="words published")
    if draw(st.booleans()):
        how = "bootstrap over documents"
        risk = risk.with_interval(0.0, 1.0, method=how)
        utility = utility.with_interval(0.1, 0.9, level=0.9, method=how)
    return {"risk": risk, "utility": utility}


@st.composite
def candidates(draw, ratio):
    return TextCandidate(
        id=f"r{ratio:g}", **draw(measures()), ratio=ratio, rounds=draw(st.integers(0, 9)),
        published=draw(shares), leaked=draw(count), false_positives=draw(count),
        total_loss=draw(amount), held_out=draw(st.booleans()),
        record=[{"form": "pass + stack", "threshold": draw(st.none() | st.floats(-9, 9)), "found": 1,
                 "false_positives": 2, "total_loss": 3.0, "kept": True,
                 "total_loss_by_form": {"cost-sensitive pass": 4.0}}],
        total_loss_in_sample=draw(st.none() | amount),
        attack=draw(st.none() | attacks()), bounds=draw(st.none() | bounds()),
    )  # fmt: skip


@st.composite
def frontiers(draw):
    ratios = draw(st.lists(st.sampled_from([0.5, 1.0, 10.0, 3.14159]), unique=True))
    return TextFrontier(
        engine="text", seed=draw(count), request={"labels": ["NAME"]}, axes={"risk": "left"},
        area=draw(shares), candidates=[draw(candidates(r)) for r in ratios],
        references=[TextReference(name="Literal Algorithm 1", **draw(measures()),
                                  ratios={"10": {"total_loss": draw(amount)}},
                                  attack=draw(st.none() | attacks()))],
        mode="honest", learner="crf", labels=["NAME", "ID_SUJETO"], folds=4, folds_dealt=8,
        background=[{"documents": 3, "labels_matched": 1}], documents=draw(count),
        words=draw(count), sensitive_words=draw(count), contextual_words=draw(count),
    )  # fmt: skip


def read_back(record):
    return type(record).from_json(json.loads(json.dumps(record.to_json(), allow_nan=False)))


@settings(max_examples=60)
@given(frontiers())
def test_a_frontier_round_trips(record):
    again = read_back(record)
    assert again == record
    for mine, theirs in zip(again.candidates, record.candidates, strict=True):
        assert (mine.risk, mine.utility) == (theirs.risk, theirs.utility)
        assert mine.risk.attacker == "reads every published word"


@settings(max_examples=60)
@given(attacks(), bounds())
def test_attacks_and_bounds_round_trip_and_keep_their_keys(attack, bound):
    details, certified = AttackDetails.from_json(attack), TheoremBounds.from_json(bound)
    assert read_back(details) == details
    assert read_back(certified) == certified
    # A reading that was not run is absent.
    assert set(details.to_json()) == {*attack, "with_encoder"}
    assert certified.to_json().keys() == bound.keys()
    record = TextAttack(
        engine="text", candidate="r10", seed=0, documents=1, words_before=2, sensitive_before=1,
        background_documents=0, attack=details, bounds=certified,
        inference={"cases": 2, "candidates": 3, "right": 1, "share": 0.5, "low": 0.0, "high": 1.0,
                   "by_prior": 0},
    )  # fmt: skip
    assert read_back(record) == record
    assert record.lines()


@pytest.mark.parametrize("label", ["Ann\nLee", "[NAME]", "", "x" * 65])
def test_a_label_is_a_name(label):
    with pytest.raises(ValidationError):
        TextFrontier(
            engine="text", seed=0, axes={}, area=0.0, candidates=(), mode="honest", learner="crf",
            labels=[label], folds=2, folds_dealt=2, documents=0, words=0, sensitive_words=0,
        )  # fmt: skip


def test_what_is_no_record_is_refused():
    with pytest.raises(FormatError, match="fields"):
        TextFrontier.from_json({"engine": "text"})
    with pytest.raises(FormatError):
        AttackDetails.from_json({"left": {"words": -1, "sensitive": 0}, "strongest": None})
