"""facts.json: the records behind a report, without what must stay private.

Hashes of inputs are omitted, because a reader of the release could test guesses against them; so are
folders, times and machine names, so that the same plan gives the same facts byte for byte.
"""

from __future__ import annotations

from dataclasses import dataclass

from .._version import __version__
from ..core.engine import Part
from ..core.files import canonical_json
from ..core.regimes import Regime
from .board import limits_json
from .small_cells import cell_json

__all__ = ["ReportFacts", "facts_json"]


@dataclass(frozen=True)
class ReportFacts:
    """Everything a report is made from: its parts, and the name of the plan that was run, if one was.

    `public` says that the report is published with a release: it holds nothing that was measured on the
    raw data. `regime` is what the report is made for, and `language` what it is written in.
    """

    parts: tuple[Part, ...]
    plan: str | None = None
    public: bool = False
    regime: Regime | None = None
    language: str = "en"

    def to_json(self) -> dict[str, object]:
        """Return the content of facts.json."""
        if self.regime is not None and self.regime.cell is not None:
            return cell_json(self.parts, self.regime, self.regime.cell)
        return {
            "facts": 2,
            "version": __version__,
            "plan": self.plan,
            "parts": [_part(part, public=self.public) for part in self.parts],
            **({} if self.regime is None else {"regime": limits_json(self.regime, self.parts)}),
        }


def facts_json(facts: ReportFacts) -> str:
    """Return facts.json as text.

    >>> facts_json(ReportFacts(()))
    '{\\n "facts": 2,\\n "parts": [],\\n "plan": null,\\n "version": "..."\\n}\\n'
    """
    return canonical_json(facts.to_json())


def _part(part: Part, *, public: bool) -> dict[str, object]:
    """Return the records of a part; the steward's edition has the private figures of the release, too."""
    records = {"release": part.release, "frontier": part.frontier, "attack": part.attack}
    shown = {
        name: record.to_public_json() if public else record.to_report_json()
        for name, record in records.items()
        if record is not None
    }
    return {
        "id": part.id,
        "engine": part.engine,
        "chosen": None if part.chosen is None else part.chosen.id,
        "chosen_by": part.chosen_by,
        **dict.fromkeys(records),
        **shown,
        **({} if public else _dossier(part)),
    }


def _dossier(part: Part) -> dict[str, object]:
    """Return who approved the release, what audits found, and the candidates of other releases."""
    found: dict[str, object] = {}
    if part.approval is not None:
        found["approval"] = part.approval.to_json()
    if part.audits:
        found["audits"] = [audit.to_json() for audit in part.audits]
    if part.others:
        found["others"] = list(part.others)
    return found
