"""The tables of the text engine's part of a report."""

from __future__ import annotations

from collections.abc import Mapping

from ....core.story import Grid, Section
from ....presentation.language import retell, say
from ....presentation.numbers import about, count, decimal, join_words, percent, span
from ....presentation.sentences import as_sentence
from ..attack_records import Bound
from ..records import INSPECTED, LabelCounts, TextCandidate, is_measured
from .charts import ATTACKER_NAMES
from .facts import TextFacts

__all__ = [
    "attack_grid",
    "bounds_grid",
    "conditions_grid",
    "label_grid",
    "ratio_grid",
    "vacuous_grid",
]

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
        return _released_labels(facts)
    heads = (
        (say("Label"), None),
        (say("Words"), None),
        (say("Left"), "text.risk"),
        (say("Share left"), "text.risk"),
    )
    rows = tuple(
        (label, count(own.sensitive), count(own.leaked), _share_left(own))
        for label, own in sorted(chosen.by_label.items())
    )
    in_windows = any(own.range is not None for own in chosen.by_label.values())
    title = (
        say("What is left of each label, in random windows")
        if in_windows
        else say("What is left of each label, on held-out documents")
    )
    return Grid("cost", title, heads, rows)


def _released_labels(facts: TextFacts) -> Grid | None:
    """List what a release itself says of each label: shares and ranges, without counts."""
    left = {} if facts.release is None else facts.release.left_by_label
    if not left:
        return None
    rows = tuple(
        (label, percent(own.value), f"{percent(own.low)}–{percent(own.high)}")
        for label, own in sorted(left.items())
    )
    heads = ((say("Label"), None), (say("Share left"), "text.risk"), (say("Range"), "interval"))
    return Grid("cost", say("What is expected to be left of each label"), heads, rows)


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
    candidates = sorted(facts.frontier.candidates, key=lambda c: c.ratio)
    attacked = any(c.found is not None for c in candidates)
    heads = (
        ("L/C", "text.ratio"),
        (say("Left"), "text.risk"),
        (say("Harmless redacted"), "text.false_positives"),
        (say("Total loss T"), "text.total_loss"),
        (say("Published"), "text.published"),
        (say("Rounds"), "text.rounds"),
        *(
            [(say("Found among {budget} words", budget=count(INSPECTED)), "text.found")]
            if attacked
            else []
        ),
    )
    rows = tuple(
        (
            decimal(c.ratio),
            *(
                (count(c.leaked), count(c.false_positives), count(c.total_loss))
                if is_measured(c.risk)
                else ("–", "–", "–")
            ),
            percent(c.published),
            str(c.rounds),
            *([_found(c)] if attacked else []),
        )
        for c in candidates
    )
    own = facts.chosen.id if facts.chosen is not None else None
    marked = next((i for i, c in enumerate(candidates) if c.id == own), None)
    return Grid(
        "cost", say("What each loss ratio gives on held-out documents"), heads, rows, marked
    )


def _found(candidate: TextCandidate) -> str:
    """Return what the strongest attacker of a candidate finds first, with its range."""
    found = candidate.found
    return "–" if found is None else f"{about(found.found)} ({span(found.low, found.high)})"


def attack_grid(facts: TextFacts) -> Grid | None:
    """Return what each attacker finds at each budget."""
    budgets = facts.budgets
    if not budgets:
        return None
    heads = (
        (say("Attacker"), "text.attackers"),
        (say("Reads"), None),
        *((f"B = {count(b)}", "text.found") for b in budgets),
    )
    rows = []
    for reading, record in facts.readings.items():
        for way, found in (
            (say("best first"), record.ranked),
            (say("positives first"), record.unordered),
        ):
            cells = [
                f"{about(f.found)} ({span(f.low, f.high)})" if f is not None else "–"
                for f in (found.get(str(b)) for b in budgets)
            ]
            rows.append((f"{say(ATTACKER_NAMES[reading])} ({say(record.learner)})", way, *cells))
    at_random = next(iter(facts.readings.values())).random
    guesses = [about(at_random[str(b)].found) if str(b) in at_random else "–" for b in budgets]
    rows.append((say("Nobody's classifier"), say("at random"), *guesses))
    if facts.bound is not None:
        rows.append(
            (say("Bound C/(L+C)"), say("best first"), *(about(facts.bound * b) for b in budgets))
        )
    caption = say(
        "{capitalize} found, with 95% ranges, on {where}",
        capitalize=as_sentence(facts.noun[1]),
        where=facts.where,
    )
    return Grid("attack", caption, heads, tuple(rows))


def _verdict_on(bound: Bound) -> str:
    """Return what a bound is worth here, by the engine's own verdict."""
    if not bound.applies:
        broken = [a.name for a in bound.assumptions if a.holds is False]
        return say("conditions not met: {join}", join=", ".join(map(say, broken)))
    return say("vacuous here") if bound.vacuous else say("applies")


def _says_something(bound: Bound) -> bool:
    return bound.applies and not bound.vacuous


def bounds_grid(facts: TextFacts) -> Grid | None:
    """Return those of the paper's guarantees that say something here."""
    if facts.bounds is None:
        return None
    found = {n: b for n, b in facts.bounds.theorems.items() if _says_something(b)}
    return _grid_of_bounds("attack", say("The paper's guarantees"), found)


def vacuous_grid(facts: TextFacts) -> Grid | None:
    """Return the guarantees that say nothing here, for the appendix."""
    if facts.bounds is None:
        return None
    found = {n: b for n, b in facts.bounds.theorems.items() if not _says_something(b)}
    return _grid_of_bounds("appendix", say("Guarantees that say nothing here"), found)


def _grid_of_bounds(section: Section, caption: str, bounds: Mapping[str, Bound]) -> Grid | None:
    rows = tuple(
        (
            say(_THEOREMS.get(name, name.capitalize())),
            "–" if bound.value is None else decimal(bound.value),
            _verdict_on(bound),
        )
        for name, bound in sorted(bounds.items())
    )
    heads = ((say("Guarantee"), "text.theorems"), (say("Value"), None), (say("Here"), None))
    return Grid(section, caption, heads, rows, words=True) if rows else None


def conditions_grid(facts: TextFacts) -> Grid | None:
    """List every assumption of every bound with its verdict; the same ones share a row."""
    if facts.bounds is None:
        return None
    verdicts: dict[tuple[str, str, str], list[str]] = {}
    for name, bound in sorted(facts.bounds.theorems.items()):
        for assumption in bound.assumptions:
            holds = {True: say("holds"), False: say("does not hold"), None: say("cannot be told")}[
                assumption.holds
            ]
            key = (say(assumption.name), retell(assumption.text), holds)
            verdicts.setdefault(key, []).append(say(name))
    if not verdicts:
        return None
    rows = tuple(
        (condition, text, join_words(theorems), holds)
        for (condition, text, holds), theorems in verdicts.items()
    )
    heads = (
        (say("Condition"), "text.theorems"),
        (say("What it asks"), None),
        (say("Of"), None),
        (say("Here"), None),
    )
    return Grid(
        "appendix", say("The conditions of the paper's guarantees"), heads, rows, words=True
    )
