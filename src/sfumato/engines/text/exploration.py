"""What the text engine's explore returns: the frontier and the classifiers of every candidate."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.errors import ModelError
from ...core.exploration import Exploration
from ...core.records import FrontierRecord
from .records import TextCandidate, TextFrontier

if TYPE_CHECKING:
    from .sanitize.classifiers import ClassifierSet

__all__ = ["TextExploration"]


class TextExploration(Exploration[TextFrontier, TextCandidate]):
    """A frontier of candidates, kept as frontier.json and model/.

    Parameters
    ----------
    record : TextFrontier
        The content of frontier.json.
    classifiers : mapping from str to ClassifierSet
        What publishes each candidate, by its id.

    """

    Record = TextFrontier

    def __init__(self, record: TextFrontier, classifiers: Mapping[str, ClassifierSet]) -> None:
        super().__init__(record)
        self.classifiers = dict(classifiers)

    def save_payload(self, folder: Path) -> None:
        """Write the classifiers into model/."""
        from .sanitize.models import save_candidates

        save_candidates(folder, self.classifiers, force=True)

    @classmethod
    def load_payload(cls, folder: Path, record: FrontierRecord) -> TextExploration:
        """Read the classifiers back; those of another frontier are refused."""
        from .sanitize.models import load_candidates

        assert isinstance(record, TextFrontier)
        classifiers = load_candidates(folder)
        if set(classifiers) != {candidate.id for candidate in record.candidates}:
            raise ModelError(
                "The frontier and the model beside it do not belong together.",
                hint="explore again.",
            )
        return cls(record, classifiers)

    def lines(self) -> list[str]:
        """Return what the command line prints: one line per ratio."""
        width = max([10, *(len(c.id) for c in self.candidates)])
        found = [f"{'id':>{width}}  {'left':>8}  {'published':>9}  {'rounds':>6}  {'T':>10}"]
        for c in sorted(self.candidates, key=lambda c: (c.ratio, c.way)):
            mark = "  (dominated)" if c.dominated else ""
            if c.encoder_reads:
                mark = f"  an encoder reads {c.encoder_reads:.0%} of the words{mark}"
            found.append(
                f"{c.id:>{width}}  {c.risk.value:8.2%}  {c.utility.value:9.2%}  {c.rounds:>6}  "
                f"{c.total_loss:>10,.0f}{mark}"
            )
        found.append("left: the share of sensitive words that stays, in documents not learned from")
        return found
