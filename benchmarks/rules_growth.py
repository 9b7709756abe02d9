"""How the time of each built-in rule grows with a hostile text: the worst of many texts, 16 times as long.

A rule whose time grows with the length of the text takes 16 times as long; one whose time grows with the
square 256 times. A hostile text is one run of a few characters, alone or after a word that the rule's pattern
begins with, so that the pattern gets far before it fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from benchmarks._common import best_of
from sfumato.engines.text.rules import built_in
from sfumato.engines.text.rules.rule import PatternRule, Rule

FACTOR = 16
LENGTHS = {"phone": 100}
"""The shorter text's characters for rules that take longer than a pattern."""
LENGTH = 500
_RUNS = (
    " ", "\n", "\t", "a", "A", "1", ".", "-", ":", "/", "@", "'", "A.", "A-", "a.", "a-", "Ab ", "Ab-",
    "Ab\n", "1 ", "1/", "1.", "1-", "1,", " :", "\n ", "a@", "www.", "http://.", "Dr. ", "van ", "A1 ",
)  # fmt: skip
_BEGINNINGS = ("12", "1 Ab")
_WORDS = 6


def beginnings(rule: Rule) -> list[str]:
    """Return words that a rule's pattern begins with, as far as they can be read off it."""
    if not isinstance(rule, PatternRule):
        return []
    pattern = re.sub(r"\[([^\W\d_])[^\W\d_]\]", r"\1", rule.pattern.pattern)
    words = re.findall(r"(?<!\\)[^\W\d_]{2,}(?: [^\W\d_]+)*", pattern.replace("?P<span>", ""))
    return [*dict.fromkeys(words)][:_WORDS] or []


def hostile(rule: Rule) -> Iterator[tuple[str, str]]:
    """Yield beginnings and runs: a text is the beginning, then the run again and again."""
    words = beginnings(rule)
    for run in _RUNS:
        yield "", run
    for word in (*words, *_BEGINNINGS):
        for run in (" ", "\n", ":", ": ", "a", "A", "Ab ", "Ab-", "1", "-"):
            yield f"{word}", run
        yield "", word
        yield "", f"{word} "
        yield "", f"{word}. "
        yield "", f"{word}:"


def seconds(rule: Rule, beginning: str, run: str, length: int, times: int = 2) -> float:
    """Return the CPU time of a rule on a text of so many characters."""
    text = beginning + run * (length // len(run))
    return best_of(times, lambda: sum(1 for _ in rule.spans(text)))[0]


def growth(rule: Rule, beginning: str, run: str, *, times: int = 2) -> tuple[float, float]:
    """Return how many times as long a text takes that is `FACTOR` times as long, and its seconds."""
    short = LENGTHS.get(rule.name, LENGTH)
    first = seconds(rule, beginning, run, short, times)
    second = seconds(rule, beginning, run, FACTOR * short, times)
    return second / max(first, 1e-9), second


def rules() -> list[Rule]:
    """Return the built-in rules of all languages."""
    return list(built_in().rules)


def run() -> dict[str, Any]:
    """Measure the worst growth and the slowest text of every built-in rule."""
    found: dict[str, dict[str, Any]] = {}
    for rule in rules():
        name = f"{rule.name} {'/'.join(sorted(rule.languages)) if len(rule.languages) == 1 else ''}"
        # What takes less than a millisecond says more of the clock than of the rule.
        grown = [
            (ratio, spent, beginning + run)
            for beginning, run in hostile(rule)
            for ratio, spent in [growth(rule, beginning, run)]
        ]
        slow = [each for each in grown if each[1] >= 1e-3]
        length = FACTOR * LENGTHS.get(rule.name, LENGTH)
        entry = {
            "growth": round(max((ratio for ratio, _, _ in slow), default=0.0), 1),
            "microseconds_per_character": round(max(s for _, s, _ in grown) / length * 1e6, 3),
            "texts": len(grown),
        }
        key = name.strip()
        if key not in found or entry["growth"] > found[key]["growth"]:
            found[key] = entry
        print(f"   {key}: {entry}", flush=True)
    worst = max(found.values(), key=lambda entry: entry["growth"])
    return {"factor": FACTOR, "worst_growth": worst["growth"], "rules": found}
