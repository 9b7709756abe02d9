"""What all engines' parts say alike: the choice, the references, the search, the commands."""

from __future__ import annotations

import shlex

from ...presentation.numbers import count, decimal, percent, plural
from ..facts.model import Part, ReferencePoint
from .story import Check, Grid

__all__ = ["chosen_sentence", "command", "measured_check", "reference_grid", "search_sentence", "status_of", "times", "title_for", "withheld_check"]  # fmt: skip

_TERMS = {"text": ("text.risk", "text.published"), "tables": ("tables.risk", "tables.utility"),
          "baskets": ("baskets.risk", "baskets.auc")}  # fmt: skip


def title_for(kind: str, part: Part) -> str:
    """Name a part after the file it published, or explored."""
    files = part.published_from or part.inputs
    return f"{kind}: {files[0].name}" if files else kind


def status_of(part: Part) -> str:
    """Say whether something was published."""
    if part.published:
        return "Published"
    return "Chosen, not published" if part.chosen_by == "steward" else "Explored, not published"


def chosen_sentence(part: Part) -> str:
    """Say which candidate the numbers are about, and who chose it."""
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


def search_sentence(part: Part, engine: str) -> str:
    """Say how large the frontier is and how it was found."""
    search = part.search
    if not search.candidates:
        return "The folder of the exploration was not given, so the frontier is not shown."
    words = f"The [[frontier|frontier]] holds {count(search.candidates)} {plural(search.candidates, 'candidate')}"
    if search.evaluations and engine == "tables":
        words += f", found by measuring [[evaluations|{count(search.evaluations)} candidates]]"
    if search.area is not None:
        words += f"; the area under it is [[area|{decimal(search.area)}]]"
    return words + "."


def times(larger: float, smaller: float) -> str:
    """Say how many times smaller something is.

    >>> times(0.081, 0.001), times(3, 2)
    ('81 times', '1.5 times')
    """
    ratio = larger / smaller
    return f"{count(ratio)} times" if ratio >= 10 else f"{ratio:.1f}".removesuffix(".0") + " times"


def reference_grid(part: Part, engine: str, risk_head: str, utility_head: str) -> Grid | None:
    """Set the chosen candidate beside the references."""
    if not part.references or part.chosen is None:
        return None

    def row(name: str, risk: float, utility: float, beaten: str) -> tuple[str, ...]:
        shown = f"{utility:.3f}" if engine == "baskets" else percent(utility)
        return name, decimal(risk) if engine == "tables" else percent(risk), shown, beaten

    def beaten(reference: ReferencePoint) -> str:
        return f"{count(reference.dominated_by)}" if reference.dominated_by else "none"

    risk_term, utility_term = _TERMS[engine]
    mine = "This release" if part.published else "This candidate"
    rows = [row(f"{mine} ({part.chosen.id})", part.chosen.risk, part.chosen.utility, "–")]
    rows += [row(r.name, r.risk, r.utility, beaten(r)) for r in part.references]
    heads = (("", None), (risk_head, risk_term), (utility_head, utility_term), ("Candidates better on both", "frontier"))  # fmt: skip
    return Grid("The choice beside what people know", heads, tuple(rows), marked=0)


def measured_check(part: Part) -> Check | None:
    """Say whether the output, measured again, keeps what the candidate promised."""
    if part.measured_risk is None or part.chosen is None:
        return None
    promised, measured = part.chosen.risk, part.measured_risk
    if measured <= promised * (1 + 1e-9):
        return Check("holds", f"The risk was measured again on the published file: {decimal(measured)}, no more than the {decimal(promised)} promised.")  # fmt: skip
    return Check("look", f"The risk measured on the published file is {decimal(measured)}, more than the {decimal(promised)} of the candidate.")  # fmt: skip


def withheld_check(part: Part) -> Check | None:
    """Say whether records were withheld."""
    if not part.published:
        return None
    if part.withheld:
        return Check("look", f"{count(part.withheld)} {plural(part.withheld, 'record')} could not be processed and {'was' if part.withheld == 1 else 'were'} not published.")  # fmt: skip
    return Check("holds", "No record was withheld.")


def command(*words: object) -> str:
    """Write a command as it is typed.

    >>> command("sfumato", "report", "my folder")
    "sfumato report 'my folder'"
    """
    return " ".join(shlex.quote(str(word)) for word in words)
