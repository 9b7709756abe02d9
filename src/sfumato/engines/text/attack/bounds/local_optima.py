"""Local optima: Theorems 2, 3 and 4, Lemmas 2 and 3, and our own bound on ranked prefixes."""

from __future__ import annotations

from ...attack_records import Assumption, Bound
from ..inspection import Confusion, InspectionResult, found_at_random, found_positives_first
from .answers import (
    assume,
    better_than_chance,
    check_ratio,
    conclude,
    gain_sentence,
    large_budget,
    optimal_attacker,
    trivial_gain,
)

__all__ = [
    "gain_at_local_optimum",
    "gain_of_positives_first",
    "local_optimum",
    "most_true_positives",
    "positives_first_pays",
    "ranked_prefix",
]


def _local(attack: Confusion, ratio: float) -> Assumption:
    return assume(
        "local optimum",
        attack.fp >= ratio * attack.tp,
        "adding the attacker's classifier would not lower the publisher's loss (Definition 4.1)",
    )


def local_optimum(attack: Confusion, ratio: float) -> Bound:
    """Theorem 2: H is a local optimum iff TP_A = 0 or FP_A / TP_A ≥ L/C.

    >>> local_optimum(Confusion(tp=1, fp=10, fn=5, tn=100), ratio=10).assumptions[-1].holds
    True
    """
    check_ratio(ratio)
    optimum = _local(attack, ratio)
    value = attack.fp / attack.tp if attack.tp else None
    says = "is" if optimum.holds else "is not"
    alarms = (
        "finds nothing" if value is None else f"raises {value:.2f} false alarms for each true one"
    )
    return conclude(
        "theorem 2",
        value,
        (optimal_attacker(), optimum),
        vacuous=False,
        sentence=f"The release {says} a local optimum: the attacker's classifier {alarms} "
        f"(L/C = {ratio:g}).",
    )


def most_true_positives(attack: Confusion, ratio: float, *, words: int, sensitive: int) -> Bound:
    """Theorem 3: at a local optimum TP_A ≤ (C/L)·(1 − α)·n.

    `words` and `sensitive` are n and α·n before redaction. The number is vacuous where no more than
    that many sensitive words are left anyway.
    """
    check_ratio(ratio)
    value = (words - sensitive) / ratio
    vacuous = value >= attack.sensitive
    return conclude(
        "theorem 3",
        value,
        (optimal_attacker(), _local(attack, ratio)),
        vacuous,
        f"The attacker's classifier points at no more than {value:,.0f} sensitive words"
        + (f"; only {attack.sensitive:,} are left, so this says nothing." if vacuous else "."),
    )


def positives_first_pays(attack: Confusion, budget: float) -> Bound:
    """Lemma 2: with B ≥ TP_A + FP_A and TP·TN ≥ FP·FN, reading positives first gives U_A* ≥ U_A.

    The value is U_A* − U_A in units of L.
    """
    value = found_positives_first(attack, budget) - found_at_random(attack, budget)
    return conclude(
        "lemma 2",
        value,
        (large_budget(attack, budget), better_than_chance(attack)),
        vacuous=False,
        sentence=f"Reading the predicted positives first finds {value:+.2f} sensitive words "
        f"against reading {budget:,.0f} words at random.",
    )


def gain_of_positives_first(attack: Confusion, budget: float) -> Bound:
    """Lemma 3: U_A*/U_A ≤ 1 + (TP·TN − FP·FN) / ((TP + FP)(TP + FN))."""
    above = attack.tp * attack.tn - attack.fp * attack.fn
    below = attack.positives * attack.sensitive
    value = 1 + above / below if below else None
    something = assume(
        "something to find",
        below > 0,
        "the classifier has predicted positives and something sensitive is left",
    )
    # Trivially U_A* ≤ L·min(B, sensitive), and U_A = L·B·sensitive/words.
    vacuous = value is None or value >= trivial_gain(attack, budget)
    return conclude(
        "lemma 3",
        value,
        (large_budget(attack, budget), better_than_chance(attack), something),
        vacuous,
        gain_sentence("Lemma 3", value, vacuous, attack, budget),
    )


def gain_at_local_optimum(
    attack: Confusion, ratio: float, budget: float, *, words: int, sensitive: int
) -> Bound:
    """Theorem 4: at a local optimum U_A*/U_A ≤ ((1 − α)n + 1) / (1 + L/C).

    The proof divides by TP_A, so TP_A ≥ 1 is an assumption too (without a true positive the gain is 1
    and the number may be less).
    """
    check_ratio(ratio)
    value = (words - sensitive + 1) / (1 + ratio)
    vacuous = value >= trivial_gain(attack, budget)
    return conclude(
        "theorem 4",
        value,
        (
            optimal_attacker(),
            _local(attack, ratio),
            large_budget(attack, budget),
            better_than_chance(attack),
            assume("a true positive", attack.tp >= 1, "the classifier finds something"),
        ),
        vacuous,
        gain_sentence("Theorem 4", value, vacuous, attack, budget),
    )


def ranked_prefix(found: InspectionResult, budget: int, ratio: float) -> Bound:
    """Ours: at an honest local optimum no ranked prefix holds more than C/(L + C) sensitive words.

    A prefix with TP sensitive among B words is worth redacting when L·TP > C·(B − TP), that is when
    TP/B > C/(L + C): a publisher whose class holds that prefix's classifier would have done so. It is a
    statement about what the publisher could learn, so it is tested, not proved, on a release.

    >>> ranked_prefix(InspectionResult(9, 4, 15), 100, ratio=10).applies
    True
    """
    check_ratio(ratio)
    value = 1 / (1 + ratio)
    share, low = found.found / budget, found.low / budget
    verdict = "within" if share <= value else ("within the range of" if low <= value else "above")
    return conclude(
        "ranked prefix",
        value,
        (
            assume(
                "observed",
                low <= value,
                "what was found is under the bound, or its range reaches down to it",
            ),
            assume(
                "known learner",
                None,
                "the publisher's hypothesis class holds the attacker's ranking, learned from as much data",
            ),
        ),
        vacuous=False,
        sentence=f"The best {budget:,} words hold {share:.1%} sensitive ones "
        f"({low:.1%} to {found.high / budget:.1%}), {verdict} the bound C/(L+C) = {value:.1%}.",
    )
