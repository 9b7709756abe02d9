"""What to do next: never "stop" while more may be left than was wanted, but what is expected to help most."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from ....presentation.language import say, say_many
from ....presentation.numbers import percent
from .estimate import RiskEstimate, answers_to_go, audit_size
from .journal import Event

__all__ = ["NextStep", "next_step", "seconds_of"]

_SECONDS = {"mark": 4.0, "window": 20.0, "class": 8.0}  # per answer, until enough were timed
_FEWEST_TIMED = 5
_FEWEST_WORDS = 30  # sensitive words in random windows before a share says much


@dataclass(frozen=True, slots=True)
class NextStep:
    """A step in words, how many minutes of a person it takes (None: none, or not known), and whether it is the last.

    `what` is one of "enough", "windows", "audit", "ratio", "rule" and "answers".
    """

    what: str
    words: str
    minutes: int | None = None


def seconds_of(events: Iterable[Event]) -> dict[str, float]:
    """Return how long a person takes for an answer of each kind: the median of those that were timed.

    Parameters
    ----------
    events : iterable of Event
        The journal.

    """
    timed: dict[str, list[int]] = {kind: [] for kind in _SECONDS}
    for event in events:
        if event["do"] in timed and event.get("seconds"):
            timed[event["do"]].append(event["seconds"])
    return {
        kind: float(median(found)) if len(found) >= _FEWEST_TIMED else _SECONDS[kind]
        for kind, found in timed.items()
    }


def next_step(
    history: Sequence[tuple[int, RiskEstimate]],
    wanted: float,
    *,
    seconds: Mapping[str, float],
    higher: Sequence[tuple[float, RiskEstimate]] = (),
    proposals: Mapping[str, int] | None = None,
    by_label: Mapping[str, float] | None = None,
) -> NextStep:
    """Return the step that is expected to help most.

    Parameters
    ----------
    history : sequence of (int, RiskEstimate)
        The estimates by number of answers, oldest first.
    wanted : float
        The share left that is wanted.
    seconds : mapping from str to float
        How long a person takes for an answer about a word ("mark") and for a window.
    higher : sequence of (float, RiskEstimate)
        The same estimate at higher loss ratios, lowest first.
    proposals : mapping from str to int
        How many places were proposed for each label.
    by_label : mapping from str to float
        The shares left that are wanted of single labels. Of other labels that were met the same is wanted as of
        all words.

    """
    measured = [(n, e) for n, e in history if e.sensitive]
    if not measured:
        return NextStep("windows", say("Answer random windows: there is no estimate of risk yet."))
    _, now = measured[-1]
    share = now.share or 0.0
    if now.high <= wanted:
        return _step_of_labels(now, wanted, by_label or {}, seconds)
    per_window = now.sensitive / max(now.windows, 1)
    if now.sensitive < _FEWEST_WORDS:
        more = math.ceil((_FEWEST_WORDS - now.sensitive) / max(per_window, 0.1))
        words = say_many(
            more,
            "Answer about {n} more random window: those so far held only {words} sensitive words, too few to say what is left.",
            "Answer about {n} more random windows: those so far held only {words} sensitive words, too few to say what is left.",
            n=more, words=now.sensitive,
        )  # fmt: skip
        return NextStep("windows", words, _minutes(more * seconds["window"]))
    if share < wanted:
        more = math.ceil(max(audit_size(share, wanted) - now.sensitive, 1) / max(per_window, 0.1))
        words = say(
            "Audit: about {n} more random windows bring the upper end under {wanted}, if what they hold is like what was seen.",
            n=more, wanted=percent(wanted),
        )  # fmt: skip
        return NextStep("audit", words, _minutes(more * seconds["window"]))
    if (missing := _without_rules(now, proposals or {})) is not None:
        words = say(
            "Add a rule for {label}, or answer about its words: most of what is left is {label}, and nothing proposes it.",
            label=missing,
        )
        return NextStep("rule", words)
    for ratio, other in higher:
        if (other.share or 0.0) <= wanted:
            words = say(
                "Publish at L/C {ratio}: about {left} would be left instead of {share}, and more harmless words withheld; or go on answering.",
                ratio=f"{ratio:g}", left=percent(other.share or 0.0), share=percent(share),
            )  # fmt: skip
            return NextStep("ratio", words, 0)
    _, more_answers = answers_to_go([(n, e.high) for n, e in measured], wanted)
    where = _mostly(now)
    if more_answers is None:
        words = say(
            "Go on: it cannot be told yet how many answers bring the upper end under {wanted}.{where} Labelled documents of another origin (--background) would help, too.",
            wanted=percent(wanted), where=where,
        )  # fmt: skip
        return NextStep("answers", words)
    words = say(
        "Go on: at this rate about {n} more answers bring the upper end under {wanted}.{where}",
        n=more_answers, wanted=percent(wanted), where=where,
    )  # fmt: skip
    each = (seconds["window"] + 4 * seconds["mark"]) / 5
    return NextStep("answers", words, _minutes(more_answers * each))


def _step_of_labels(
    now: RiskEstimate, wanted: float, by_label: Mapping[str, float], seconds: Mapping[str, float]
) -> NextStep:
    """Return the step where all words together are under what is wanted: enough, or what a label still needs."""
    aims = [
        (one, by_label.get(one.label, wanted))
        for one in now.by_label
        if one.sensitive or one.label in by_label
    ]
    one, aim = max(aims, key=lambda pair: pair[0].high - pair[1], default=(None, 1.0))
    if one is None or one.high <= aim:
        enough = (
            say("The upper end of all words and of each label is under what is wanted: enough.")
            if aims
            else say("The upper end is under what is wanted: enough.")
        )
        return NextStep("enough", enough, 0)
    above = say(
        "of {label} up to {high} may be left, and {aim} are wanted.",
        label=one.label, high=percent(one.high), aim=percent(aim),
    )  # fmt: skip
    share = one.share
    if share is None:
        words = say(
            "Answer more random windows: {above} None of its words was met yet.", above=above
        )
        return NextStep("windows", words)
    if share >= aim:
        words = say(
            "Go on with words of {label}, or add a rule for it: {above}",
            label=one.label,
            above=above,
        )
        return NextStep("answers", words)
    per_window = one.sensitive / max(now.windows, 1)
    more = math.ceil(max(audit_size(share, aim) - one.sensitive, 1) / per_window)
    words = say(
        "Audit: {above} About {n} more random windows decide, if what they hold is like what was seen.",
        above=above, n=more,
    )  # fmt: skip
    return NextStep("audit", words, _minutes(more * seconds["window"]))


def _without_rules(now: RiskEstimate, proposals: Mapping[str, int]) -> str | None:
    """Return the label of at least half of what is left, where nothing proposes it."""
    for one in now.by_label:
        if 2 * one.left >= now.left > 0 and proposals and not proposals.get(one.label):
            return one.label
    return None


def _mostly(now: RiskEstimate) -> str:
    worst = max(now.by_label, key=lambda one: one.left, default=None)
    if worst is None or not worst.left or len(now.by_label) < 2:
        return ""
    return say(
        " Most of what is left is {label} ({n} of {all} words).",
        label=worst.label, n=worst.left, all=now.left,
    )  # fmt: skip


def _minutes(seconds: float) -> int:
    return max(1, math.ceil(seconds / 60))
