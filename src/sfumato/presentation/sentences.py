"""What all engines' parts say alike: the choice, the references, the search, the verdict on a measurement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from ..core.engine import Part
from ..core.frontier import Frontier
from ..core.records import Candidate, Release, ShiftRecord
from ..core.statistics.shift import DIFFERENT, TOO_FEW
from ..core.story import Check, Grid
from .language import retell, say, say_many
from .numbers import count, decimal, percent, plural

__all__ = [
    "as_sentence",
    "better_on_both",
    "chosen_sentence",
    "measured_check",
    "reference_grid",
    "search_sentence",
    "shift_check",
    "status_of",
    "tell_left_out",
    "times",
    "title_for",
    "withheld_check",
]


def title_for(kind: str, part: Part) -> str:
    """Name a part after the file it published, and the candidate, or after the file that was explored."""
    files = part.release.inputs if part.release is not None else ()
    files = files or (part.frontier.inputs if part.frontier is not None else ())
    if not files:
        return kind
    title = say("{name}: {value}", name=kind, value=files[0].path)
    return title if part.release is None else f"{title} ({part.release.candidate})"


def status_of(part: Part) -> str:
    """Return whether something was published."""
    if part.release is not None:
        return say("Published")
    return (
        say("Chosen, not published")
        if part.chosen_by == "steward"
        else say("Explored, not published")
    )


def chosen_sentence(part: Part) -> str:
    """Return which candidate the numbers are about, and who chose it."""
    if part.release is not None:
        name = part.release.candidate
        return say("The numbers are about candidate {name}, which was published.", name=name)
    if part.chosen is None:
        return say("No candidate has been chosen.")
    name = part.chosen.id
    if part.chosen_by == "steward":
        return say(
            "The numbers are about candidate {name}, which the steward chose; nothing has been published yet.",
            name=name,
        )
    if part.chosen_by == "project":
        return say(
            "Nothing has been published yet. The numbers are about candidate {name}, at the loss ratio of the project, for which its questions are chosen.",
            name=name,
        )
    return say(
        "Nothing has been published yet. The numbers are about candidate {name}, the [[knee|knee]] of the frontier: a starting point, not a recommendation.",
        name=name,
    )


def search_sentence(
    part: Part, *, size: int | None = None, area: float | None = None, measured: bool = False
) -> str:
    """Return how large the frontier is and how it was found.

    Parameters
    ----------
    part : Part
        The part.
    size : int, optional
        The number of candidates on the whole frontier, where the record lists a selection.
    area : float, optional
        The area under the whole frontier, where the record lists a selection.
    measured : bool, default=False
        Whether the number of evaluations is worth a mention.

    """
    record = part.frontier
    if record is None and part.public:
        return say("The other candidates are shown in the steward's edition.")
    if record is None:
        return say("The folder of the exploration was not given, so the frontier is not shown.")
    many = size if size is not None else sum(not c.dominated for c in record.candidates)
    words = say(
        "The [[frontier|frontier]] holds {many} {many_2}",
        many=count(many),
        many_2=plural(many, "candidate"),
    )
    if measured and record.evaluations:
        words += say(
            ", found by measuring [[evaluations|{evaluations} candidates]]",
            evaluations=count(record.evaluations),
        )
    return say(
        "{words}; the area under it is [[area|{area}]].",
        words=words,
        area=decimal(record.area if area is None else area),
    )


def times(larger: float, smaller: float) -> str:
    """Return how many times smaller something is.

    >>> times(0.081, 0.001), times(3, 2)
    ('81 times', '1.5 times')
    """
    ratio = larger / smaller
    return (
        say("{ratio} times", ratio=count(ratio))
        if ratio >= 10
        else say("{ratio} times", ratio=decimal(round(ratio, 1)))
    )


def better_on_both(part: Part, risk: float, utility: float) -> list[Candidate]:
    """Return the candidates that are better than a point on one axis and no worse on the other."""
    frontier: Frontier[Candidate] = Frontier()
    for candidate in part.frontier.candidates if part.frontier is not None else ():
        frontier.insert(candidate.risk.value, candidate.utility.value, candidate)
    return frontier.all_dominating(risk, utility)


def reference_grid(
    part: Part,
    *,
    risk: tuple[str, str],
    utility: tuple[str, str],
    risk_words: Callable[[float], str] = percent,
    utility_words: Callable[[float], str] = percent,
    known: Sequence[tuple[str, tuple[float, float]]] = (),
) -> Grid | None:
    """Compare the chosen candidate with the references.

    Parameters
    ----------
    part : Part
        The part.
    risk, utility : (str, str)
        The head of the column and its glossary term.
    risk_words, utility_words : callable
        How a value is written.
    known : sequence of (str, (float, float))
        Points that need no measurement, with their risk and utility: everything as it is.

    """
    if part.frontier is None or not part.frontier.references or part.chosen is None:
        return None

    def row(name: str, point: tuple[float, float], beaten: str) -> tuple[str, ...]:
        return name, risk_words(point[0]), utility_words(point[1]), beaten

    # Of the candidate, as it was explored: that is what the references were measured on.
    chosen = (part.chosen.risk.value, part.chosen.utility.value)
    rows = [row(f"{say('This candidate')} ({part.chosen.id})", chosen, "–")]
    measured = [(r.name, (r.risk.value, r.utility.value)) for r in part.frontier.references]
    for name, point in (*known, *measured):
        better = len(better_on_both(part, *point))
        rows.append(row(say(name), point, count(better) if better else say("none")))
    heads = (("", None), risk, utility, (say("Candidates better on both"), "frontier"))
    return Grid("tradeoff", say("The choice beside what people know"), heads, tuple(rows), marked=0)


def measured_check(promised: float, measured: float | None) -> Check | None:
    """Return whether the output, measured again, keeps what the candidate promised."""
    if measured is None:
        return None
    if measured <= promised * (1 + 1e-9):
        return Check(
            "holds",
            say(
                "The risk was measured again on the published file: {measured}, no more than the {promised} promised.",
                measured=decimal(measured),
                promised=decimal(promised),
            ),
        )
    return Check(
        "look",
        say(
            "The risk measured on the published file is {measured}, more than the {promised} of the candidate.",
            measured=decimal(measured),
            promised=decimal(promised),
        ),
    )


def shift_check(
    shift: ShiftRecord | None, sentences: Sequence[str], *, accepted: bool
) -> Check | None:
    """Return whether a release is like what was learned from.

    Parameters
    ----------
    shift : ShiftRecord, optional
        What was compared.
    sentences : sequence of str
        What the release says first; the first of them is about the comparison.
    accepted : bool
        Whether the steward published in spite of a difference.

    """
    if shift is None or not sentences:
        return None
    state: Literal["holds", "look", "open"] = (
        "look" if shift.verdict == DIFFERENT else "open" if shift.verdict == TOO_FEW else "holds"
    )
    words = say(" The steward accepted this.") if accepted and state == "look" else ""
    return Check(state, f"{retell(sentences[0])}{words}")


def tell_left_out(release: Release, name: str) -> str:
    """Return how many records a release leaves out for a reason, as exactly as this edition knows it."""
    many = count(release.left_out.get(name, 0))
    return many if release.multiples_of == 1 else say("at most {n}", n=many)


def as_sentence(words: str) -> str:
    """Return words with a capital letter at their beginning."""
    return f"{words[:1].upper()}{words[1:]}"


def withheld_check(part: Part, left_out: int = 0) -> Check | None:
    """Return whether records were withheld.

    Parameters
    ----------
    part : Part
        The part.
    left_out : int, default=0
        How many records the release leaves out on purpose: they could be processed, and are not in it.

    """
    if part.release is None:
        return None
    many = part.release.left_out.get("withheld", 0)
    if many:
        words = say_many(
            many,
            "{n} record could not be processed and was not published.",
            "{n} records could not be processed and were not published.",
            n=tell_left_out(part.release, "withheld"),
        )
        return Check("look", as_sentence(words))
    if left_out:
        words = say_many(
            left_out,
            "{n} record was left out because its group was too small; all others could be processed.",
            "{n} records were left out because their groups were too small; all others could be processed.",
            n=tell_left_out(part.release, "suppressed"),
        )
        return Check("look", as_sentence(words))
    return Check("holds", say("Every record could be processed."))
