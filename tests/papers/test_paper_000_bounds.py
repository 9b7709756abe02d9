"""Section 4 of the paper: Theorem 2 to Theorem 6 on random counts and on small worlds, exactly."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.core.errors import ParameterError
from sfumato.engines.text.attack.bounds import (
    Confusion,
    certificate,
    false_alarm_floor,
    finite_sample_gain,
    finite_sample_true_positives,
    gain_at_local_optimum,
    gain_of_positives_first,
    local_optimum,
    most_true_positives,
    positives_first_pays,
    ranked_prefix,
    tightest_parameters,
    vc_deviation,
)
from sfumato.engines.text.attack.inspection import (
    InspectionResult,
    found_at_random,
    found_positives_first,
    gain_over_random,
)

counts = st.builds(
    Confusion,
    tp=st.integers(0, 30),
    fp=st.integers(0, 200),
    fn=st.integers(0, 30),
    tn=st.integers(0, 300),
)
ratios = st.sampled_from([0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 400.0])
SLACK = 1e-9


def test_example_1():
    figure_1 = Confusion(tp=3, fp=6, fn=2, tn=15)
    assert figure_1.words == 26
    gain = gain_over_random(figure_1, 20)
    assert gain == pytest.approx((3 + (20 - 3 - 6) * 2 / 17) / (20 * 5 / 26))
    assert round(gain, 4) == 1.1165
    assert gain <= gain_of_positives_first(figure_1, 20).value + SLACK


# ---- small worlds in which the optimal attacker is found by enumeration ------------------------


def worlds():
    """A truth for each of up to seven words and a hypothesis class of up to eight classifiers."""
    return st.integers(2, 7).flatmap(
        lambda n: st.tuples(
            st.lists(st.booleans(), min_size=n, max_size=n),
            st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=8),
        )
    )


def count(h, truth, published):
    cells = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for x in published:
        cells[h[x], truth[x]] += 1
    return Confusion(cells[True, True], cells[True, False], cells[False, True], cells[False, False])


def loss(chosen, truth, ratio):
    redacted = [any(h[x] for h in chosen) for x in range(len(truth))]
    leaks = sum(t and not r for t, r in zip(truth, redacted, strict=True))
    alarms = sum(r and not t for t, r in zip(truth, redacted, strict=True))
    return ratio * leaks + alarms


@settings(max_examples=60)
@given(worlds(), ratios)
def test_theorems_2_and_3_in_enumerable_worlds(world, ratio):
    truth, hypotheses = world
    for size in range(min(3, len(hypotheses)) + 1):
        for chosen in itertools.combinations(hypotheses, size):
            published = [x for x in range(len(truth)) if not any(h[x] for h in chosen)]
            best = min(hypotheses, key=lambda h: count(h, truth, published).errors)
            attack = count(best, truth, published)
            optimum = loss([*chosen, best], truth, ratio) - loss(chosen, truth, ratio) >= 0
            assert local_optimum(attack, ratio).assumptions[-1].holds == optimum
            if optimum:
                bound = most_true_positives(attack, ratio, words=len(truth), sensitive=sum(truth))
                assert bound.applies
                assert attack.tp <= bound.value + SLACK
                for budget in range(max(attack.positives, 1), attack.words + 1):
                    gain = gain_at_local_optimum(
                        attack, ratio, budget, words=len(truth), sensitive=sum(truth)
                    )
                    if gain.applies:
                        assert gain_over_random(attack, budget) <= gain.value + SLACK


def test_a_local_optimum_exists_that_the_theorem_2_test_refuses_after_one_change():
    """The test can say no: one false alarm less and the release is no longer a local optimum."""
    assert local_optimum(Confusion(2, 20, 0, 5), 10).assumptions[-1].holds
    assert not local_optimum(Confusion(2, 19, 0, 5), 10).assumptions[-1].holds
    assert local_optimum(Confusion(0, 0, 3, 5), 10).value is None


# ---- random counts ----------------------------------------------------------------------------


@settings(max_examples=200)
@given(counts, st.integers(1, 600))
def test_lemma_2_sufficient_condition(attack, budget):
    answer = positives_first_pays(attack, budget)
    if answer.applies:
        assert answer.value >= -SLACK
    # The converse direction shows that the condition is the right one, not merely a harmless one.
    elif attack.positives <= budget < attack.words and attack.tn + attack.fn > 0:
        assert answer.value <= SLACK


@settings(max_examples=200)
@given(counts, st.integers(1, 600))
def test_lemma_3(attack, budget):
    answer = gain_of_positives_first(attack, budget)
    if answer.applies:
        assert gain_over_random(attack, budget) <= answer.value + SLACK
        if budget == attack.positives:
            assert gain_over_random(attack, budget) == pytest.approx(answer.value)


@settings(max_examples=300)
@given(counts, counts, ratios, st.integers(1, 600))
def test_theorems_3_and_4(attack, redacted, ratio, budget):
    words, sensitive = (attack + redacted).words, (attack + redacted).sensitive
    three = most_true_positives(attack, ratio, words=words, sensitive=sensitive)
    four = gain_at_local_optimum(attack, ratio, budget, words=words, sensitive=sensitive)
    if three.applies:
        assert attack.tp <= three.value + SLACK
    if four.applies:
        assert gain_over_random(attack, budget) <= four.value + SLACK
    if not four.vacuous and four.applies:
        assert four.value < min(budget, attack.sensitive) / found_at_random(attack, budget)


def test_theorem_4_needs_a_true_positive():
    """As printed it fails here: the attacker gains nothing (ratio 1) and the number is below 1."""
    attack = Confusion(tp=0, fp=0, fn=1, tn=4)
    answer = gain_at_local_optimum(attack, 10.0, 3, words=5, sensitive=1)
    assert gain_over_random(attack, 3) == 1.0 > answer.value
    assert not answer.applies


def equation_5(train, attack):
    """The smallest λ for which equation 5 holds on these counts."""
    return max(0.0, train.errors / train.words - attack.errors / attack.words)


def floor(train, attack, ratio, deviation, *, printed=False):
    """Lemma 4's right-hand side with the tightest parameters, in plain arithmetic."""
    p = tightest_parameters(train, attack)
    q, r = (p.q_printed, p.r_printed) if printed else (p.q, p.r)
    left = (1 + 1 / p.p) * q * ratio - deviation
    return left / ((1 + 1 / p.s) * r)


def usable(train, attack, ratio):
    return (
        train.tp >= 1
        and attack.tp >= 1
        and min(train.fn, train.fp, attack.fn, attack.fp, train.tn, attack.tn) >= 1
        and train.fp >= ratio * train.tp
    )


@settings(max_examples=300)
@given(counts, counts, ratios)
def test_lemma_4_and_theorem_5_with_shares(train, attack, ratio):
    assume(usable(train, attack, ratio))
    deviation = equation_5(train, attack)
    lower = floor(train, attack, ratio, deviation)
    assert attack.fp / attack.tp >= lower - SLACK
    if lower > 0:
        assert attack.tp <= (attack.fp + attack.tn) / lower + SLACK


def test_lemma_4_as_printed_fails():
    """TP̂ ≥ q·TN̂ does not give TP̂/m ≥ q: with the printed q the bound is broken by plain counts."""
    rng = np.random.default_rng(0)
    broken = held = 0
    for _ in range(4000):
        train = Confusion(*(int(c) for c in rng.integers(1, 30, 4)))
        attack = Confusion(*(int(c) for c in rng.integers(1, 30, 4)))
        if not usable(train, attack, 1.0):
            continue
        deviation = equation_5(train, attack)
        # With the printed r as well, m/TP ≥ 1/r still holds (TN ≤ m), so q alone is at fault.
        p = tightest_parameters(train, attack)
        printed = ((1 + 1 / p.p) * p.q_printed - deviation) / ((1 + 1 / p.s) * p.r)
        ratio = attack.fp / attack.tp
        broken += ratio < printed - SLACK
        held += ratio >= floor(train, attack, 1.0, deviation) - SLACK
        assert ratio >= floor(train, attack, 1.0, deviation) - SLACK
    assert broken > 0
    assert held > 100


def test_finite_sample_bounds_on_a_large_sample():
    """With a small dimension and a large sample the bounds speak, and they agree with the formula."""
    train = Confusion(tp=200_000, fp=2_500_000, fn=500_000, tn=40_000_000)
    attack = Confusion(tp=150_000, fp=2_400_000, fn=550_000, tn=40_100_000)
    deviation = vc_deviation(0.05, train.words, 3)
    assert deviation == pytest.approx(
        math.sqrt(41 / train.words * (3 * math.log(2 * math.e * train.words / 3) + math.log(80)))
    )
    lower = floor(train, attack, 10, deviation)
    lemma = false_alarm_floor(train, attack, 10, dimension=3)
    assert lemma.value == pytest.approx(lower)
    assert not lemma.vacuous
    size = {"words": 50_000_000, "sensitive": 5_000_000}
    five = finite_sample_true_positives(train, attack, 10, **size, dimension=3)
    assert five.value == pytest.approx(45_000_000 / lower)
    six = finite_sample_gain(train, attack, 10, 5_000_000, **size, dimension=3)
    assert six.value == pytest.approx(45_000_001 / (1 + lower))
    # Words are not independent draws: no finite-sample answer ever claims to apply.
    assert not lemma.applies
    assert not five.applies
    assert not six.applies


@settings(max_examples=100)
@given(counts, counts, ratios, st.integers(1, 500), st.integers(1, 10**6))
def test_certificate_is_plain_and_finite(train, attack, ratio, budget, dimension):
    import json

    content = certificate(
        attack=attack, ratio=ratio, budget=budget, words=attack.words + 10,
        sensitive=attack.sensitive, train=train, dimension=dimension,
        ranked={budget: InspectionResult(1.0, 0.0, 2.0)},
    ).to_json()  # fmt: skip
    json.dumps(content, allow_nan=False)
    for name in ("theorem 2", "theorem 3", "lemma 2", "lemma 3", "theorem 4", "lemma 4",
                 "theorem 5", "theorem 6"):  # fmt: skip
        assert content[name]["sentence"].endswith(".")
        assert content[name]["assumptions"]


def test_small_data_is_called_vacuous():
    train, attack = Confusion(3, 40, 90, 50_000), Confusion(4, 50, 80, 50_000)
    content = certificate(
        attack=attack, ratio=10, budget=100, words=60_000, sensitive=3_000,
        train=train, dimension=100_000,
    ).to_json()  # fmt: skip
    assert content["deviation"] > 1
    for name in ("theorem 3", "theorem 4", "lemma 4", "theorem 5", "theorem 6"):
        assert content[name]["vacuous"]


@settings(max_examples=100)
@given(st.integers(1, 500), st.integers(0, 500), ratios)
def test_a_prefix_above_the_bound_is_worth_redacting(budget, found, ratio):
    """L·TP > C·FP on a prefix exactly when found/B > C/(L + C)."""
    assume(found <= budget)
    answer = ranked_prefix(InspectionResult(found, found, found), budget, ratio)
    worth = ratio * found > budget - found
    if abs(ratio * found - (budget - found)) > 1e-6:
        assert answer.applies == (not worth)


@settings(max_examples=100)
@given(counts, st.integers(0, 700))
def test_inspection_matches_drawing_words(attack, budget):
    """The two expectations against the hypergeometric mean, class by class."""
    positives = [True] * attack.tp + [False] * attack.fp
    negatives = [True] * attack.fn + [False] * attack.tn
    first = min(budget, len(positives))
    rest = min(budget - first, len(negatives))
    expected = (first * float(np.mean(positives)) if positives else 0.0) + (
        rest * float(np.mean(negatives)) if negatives else 0.0
    )
    assert found_positives_first(attack, budget) == pytest.approx(expected)
    everything = positives + negatives
    drawn = min(budget, len(everything)) * float(np.mean(everything)) if everything else 0.0
    assert found_at_random(attack, budget) == pytest.approx(drawn)


@pytest.mark.parametrize("ratio", [0, -1, math.inf, math.nan])
def test_bad_ratio(ratio):
    with pytest.raises(ParameterError, match="ratio"):
        local_optimum(Confusion(1, 1, 1, 1), ratio)


def test_bad_deviation():
    with pytest.raises(ParameterError):
        vc_deviation(0, 10, 1)
    with pytest.raises(ParameterError):
        vc_deviation(0.1, 0, 1)
    assert math.isinf(vc_deviation(0.1, 10, 100))
