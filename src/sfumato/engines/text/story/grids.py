"""The tables of the text engine's part of a report."""

from __future__ import annotations

from ....core.story import Grid
from ....presentation.numbers import about, count, decimal, join_words, percent, span
from ..attack_records import Bound
from ..records import LabelCounts
from .charts import ATTACKER_NAMES
from .facts import TextFacts

__all__ = ["attack_grid", "bounds_grid", "conditions_grid", "label_grid", "ratio_grid"]

_THEOREMS = {
    "theorem 2": "False alarms for each true one (Theorem 2)",
    "theorem 3": "Most true positives (Theorem 3)",
    "lemma 2": "Gain of reading positives first, in words (Lemma 2)",
    "lemma 3": "Most gain over random reading (Lemma 3)",
    "theorem 4": "Most gain over random reading (Theorem 4)",
    "lemma 4": "Fewest false alarms for each true one, from a sample (Lemma 4)",
    "theorem 5": "Most true positives, from a sample (Theorem 5)",
    "theorem 6": "Most gain over random reading, from a sample (Theorem 6)",
}


def label_grid(facts: TextFacts) -> Grid | None:
    """List what is left of each label, on held-out documents."""
    chosen = facts.chosen
    if chosen is None or not chosen.by_label:
        return None
    heads = (("Label", None), ("Words", None), ("Left", "text.risk"), ("Share left", "text.risk"))
    rows = tuple(
        (label, count(own.sensitive), count(own.leaked), _share_left(own))
        for label, own in sorted(chosen.by_label.items())
    )
    in_windows = any(own.range is not None for own in chosen.by_label.values())
    where = "in random windows" if in_windows else "on held-out documents"
    return Grid("cost", f"What is left of each label, {where}", heads, rows)


def _share_left(own: LabelCounts) -> str:
    """Return the share left of one label, with its range where there is one."""
    if not own.sensitive:
        return "–"
    value = percent(own.leaked / own.sensitive)
    if own.range is None:
        return value
    return f"{value} ({percent(own.range.low)}–{percent(own.range.high)})"


def ratio_grid(facts: TextFacts) -> Grid | None:
    """Return what each loss ratio gives."""
    if facts.frontier is None:
        return None
    heads = (
        ("L/C", "text.ratio"),
        ("Left", "text.risk"),
        ("Harmless redacted", "text.false_positives"),
        ("Total loss T", "text.total_loss"),
        ("Published", "text.published"),
        ("Rounds", "text.rounds"),
    )
    candidates = sorted(facts.frontier.candidates, key=lambda c: c.ratio)
    rows = tuple(
        (
            f"{c.ratio:g}",
            count(c.leaked),
            count(c.false_positives),
            count(c.total_loss),
            percent(c.published),
            str(c.rounds),
        )
        for c in candidates
    )
    own = facts.chosen.id if facts.chosen is not None else None
    marked = next((i for i, c in enumerate(candidates) if c.id == own), None)
    return Grid("cost", "What each loss ratio gives on held-out documents", heads, rows, marked)


def attack_grid(facts: TextFacts) -> Grid | None:
    """Return what each attacker finds at each budget."""
    budgets = facts.budgets
    if not budgets:
        return None
    heads = (
        ("Attacker", "text.attackers"),
        ("Reads", None),
        *((f"B = {count(b)}", "text.found") for b in budgets),
    )
    rows = []
    for reading, record in facts.readings.items():
        for way, found in (("best first", record.ranked), ("positives first", record.unordered)):
            cells = [
                f"{about(f.found)} ({span(f.low, f.high)})" if f is not None else "–"
                for f in (found.get(str(b)) for b in budgets)
            ]
            rows.append((f"{ATTACKER_NAMES[reading]} ({record.learner})", way, *cells))
    at_random = next(iter(facts.readings.values())).random
    guesses = [about(at_random[str(b)].found) if str(b) in at_random else "–" for b in budgets]
    rows.append(("Nobody's classifier", "at random", *guesses))
    if facts.bound is not None:
        rows.append(("Bound C/(L+C)", "best first", *(about(facts.bound * b) for b in budgets)))
    caption = f"{facts.noun[1].capitalize()} found, with 95% ranges, on {facts.where}"
    return Grid("attack", caption, heads, tuple(rows))


def _verdict_on(bound: Bound) -> str:
    """Return what a bound is worth here, by the engine's own verdict."""
    if not bound.applies:
        broken = [a.name for a in bound.assumptions if a.holds is False]
        return f"conditions not met: {', '.join(broken)}"
    return "vacuous here" if bound.vacuous else "applies"


def bounds_grid(facts: TextFacts) -> Grid | None:
    """Return the paper's guarantees with the engine's verdict on each."""
    if facts.bounds is None:
        return None
    rows = tuple(
        (
            _THEOREMS.get(name, name.capitalize()),
            "–" if bound.value is None else decimal(bound.value),
            _verdict_on(bound),
        )
        for name, bound in sorted(facts.bounds.theorems.items())
    )
    heads = (("Guarantee", "text.theorems"), ("Value", None), ("Here", None))
    return Grid("attack", "The paper's guarantees", heads, rows, words=True)


def conditions_grid(facts: TextFacts) -> Grid | None:
    """List every assumption of every bound with its verdict; the same ones share a row."""
    if facts.bounds is None:
        return None
    verdicts: dict[tuple[str, str, str], list[str]] = {}
    for name, bound in sorted(facts.bounds.theorems.items()):
        for assumption in bound.assumptions:
            holds = {True: "holds", False: "does not hold", None: "cannot be told"}[
                assumption.holds
            ]
            key = (assumption.name, assumption.text, holds)
            verdicts.setdefault(key, []).append(name)
    if not verdicts:
        return None
    rows = tuple(
        (condition, text, join_words(theorems), holds)
        for (condition, text, holds), theorems in verdicts.items()
    )
    heads = (("Condition", "text.theorems"), ("What it asks", None), ("Of", None), ("Here", None))
    return Grid("assumptions", "The conditions of the paper's guarantees", heads, rows, words=True)
