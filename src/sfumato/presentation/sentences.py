"""What all engines' parts say alike: the choice, the references, the search, the verdict on a measurement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from ..core.engine import Part
from ..core.frontier import Frontier
from ..core.records import Candidate, ShiftRecord
from ..core.statistics.shift import DIFFERENT, TOO_FEW
from ..core.story import Check, Grid
from .numbers import count, decimal, percent, plural

__all__ = [
    "better_on_both",
    "chosen_sentence",
    "measured_check",
    "reference_grid",
    "search_sentence",
    "shift_check",
    "status_of",
    "times",
    "title_for",
    "withheld_check",
]


def title_for(kind: str, part: Part) -> str:
    """Name a part after the file it published, or explored."""
    files = part.release.inputs if part.release is not None else ()
    files = files or (part.frontier.inputs if part.frontier is not None else ())
    return f"{kind}: {files[0].path}" if files else kind


def status_of(part: Part) -> str:
    """Return whether something was published."""
    if part.release is not None:
        return "Published"
    return "Chosen, not published" if part.chosen_by == "steward" else "Explored, not published"


def chosen_sentence(part: Part) -> str:
    """Return which candidate the numbers are about, and who chose it."""
    if part.chosen is None:
        return "No candidate has been chosen."
    name = part.chosen.id
    if part.chosen_by == "release":
        return f"The numbers are about candidate {name}, which was published."
    if part.chosen_by == "steward":
        return f"The numbers are about candidate {name}, which the steward chose; nothing has been published yet."
    return (
        f"Nothing has been published yet. The numbers are about candidate {name}, the [[knee|knee]] of the "
        "frontier: a starting point, not a recommendation."
    )


def search_sentence(part: Part, *, size: int | None = None, measured: bool = False) -> str:
    """Return how large the frontier is and how it was found.

    Parameters
    ----------
    part : Part
        The part.
    size : int, optional
        The number of candidates on the whole frontier, where the record lists a selection.
    measured : bool, default=False
        Whether the number of evaluations is worth a mention.

    """
    record = part.frontier
    if record is None:
        return "The folder of the exploration was not given, so the frontier is not shown."
    many = size if size is not None else sum(not c.dominated for c in record.candidates)
    words = f"The [[frontier|frontier]] holds {count(many)} {plural(many, 'candidate')}"
    if measured and record.evaluations:
        words += f", found by measuring [[evaluations|{count(record.evaluations)} candidates]]"
    return f"{words}; the area under it is [[area|{decimal(record.area)}]]."


def times(larger: float, smaller: float) -> str:
    """Return how many times smaller something is.

    >>> times(0.081, 0.001), times(3, 2)
    ('81 times', '1.5 times')
    """
    ratio = larger / smaller
    return f"{count(ratio)} times" if ratio >= 10 else f"{ratio:.1f}".removesuffix(".0") + " times"


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

    mine = "This release" if part.release is not None else "This candidate"
    chosen = (part.chosen.risk.value, part.chosen.utility.value)
    rows = [row(f"{mine} ({part.chosen.id})", chosen, "–")]
    measured = [(r.name, (r.risk.value, r.utility.value)) for r in part.frontier.references]
    for name, point in (*known, *measured):
        better = len(better_on_both(part, *point))
        rows.append(row(name, point, count(better) if better else "none"))
    heads = (("", None), risk, utility, ("Candidates better on both", "frontier"))
    return Grid("tradeoff", "The choice beside what people know", heads, tuple(rows), marked=0)


def measured_check(promised: float, measured: float | None) -> Check | None:
    """Return whether the output, measured again, keeps what the candidate promised."""
    if measured is None:
        return None
    if measured <= promised * (1 + 1e-9):
        return Check(
            "holds",
            f"The risk was measured again on the published file: {decimal(measured)}, no more than the "
            f"{decimal(promised)} promised.",
        )
    return Check(
        "look",
        f"The risk measured on the published file is {decimal(measured)}, more than the "
        f"{decimal(promised)} of the candidate.",
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
    words = " The steward accepted this." if accepted and state == "look" else ""
    return Check(state, f"{sentences[0]}{words}")


def withheld_check(part: Part) -> Check | None:
    """Return whether records were withheld."""
    if part.release is None:
        return None
    many = part.release.left_out.get("withheld", 0)
    if many:
        told, was = part.release.tell_left_out("withheld"), "was" if many == 1 else "were"
        return Check(
            "look",
            f"{told[:1].upper()}{told[1:]} {plural(many, 'record')} could not be processed and {was} not "
            "published.",
        )
    return Check("holds", "Every record could be processed.")
