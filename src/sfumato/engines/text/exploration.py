"""What the text engine's explore returns: the frontier and the classifiers of every candidate."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.errors import ModelError, NoCandidateError
from ...core.exploration import Exploration
from ...core.records import FrontierRecord
from .records import TextCandidate, TextFrontier, format_label_counts, is_measured

if TYPE_CHECKING:
    from ...data.document import Document
    from .payload import Learned
    from .redaction.explain import FoundSpan
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
    learned : Learned
        What is kept of the documents that were learned from.

    """

    Record = TextFrontier

    def __init__(
        self, record: TextFrontier, classifiers: Mapping[str, ClassifierSet], learned: Learned
    ) -> None:
        super().__init__(record)
        self.classifiers = dict(classifiers)
        self.learned = learned

    def save_payload(self, folder: Path) -> None:
        """Write the classifiers into model/ and data about the training documents into learned/."""
        from .sanitize.models import save_candidates

        save_candidates(folder, self.classifiers, force=True)
        self.learned.save(folder)

    @classmethod
    def load_payload(cls, folder: Path, record: FrontierRecord) -> TextExploration:
        """Read the classifiers back; those of another frontier are refused."""
        from .payload import Learned
        from .sanitize.models import load_candidates

        assert isinstance(record, TextFrontier)
        classifiers = load_candidates(folder)
        learned = Learned.load(folder)
        known = {candidate.id for candidate in record.candidates}
        # What rules or answers made was not judged on whole documents.
        judged = known if record.answers is None and record.sensitive_words else set()
        if set(classifiers) != known or set(learned.held_out) != judged:
            raise ModelError(
                "The frontier and the model in its folder do not belong together.",
                hint="explore again.",
            )
        return cls(record, classifiers, learned)

    def spans(self, document: Document | str, ratio: float = 10.0) -> list[FoundSpan]:
        """Return what a candidate redacts in a document, with scores and reasons.

        Parameters
        ----------
        document : Document or str
            A document, or its text.
        ratio : float, default 10
            The loss ratio of the candidate.

        Returns
        -------
        list of FoundSpan
            In the order of the text; offsets count characters.

        """
        from .redaction.explain import explain

        for candidate in self.candidates:
            if candidate.ratio == ratio:
                return explain(document, self.classifiers[candidate.id])
        known = ", ".join(f"{c.ratio:g}" for c in sorted(self.candidates, key=lambda c: c.ratio))
        raise NoCandidateError(
            f"No candidate has the loss ratio {ratio:g}.", hint=f"explored were: {known}."
        )

    def lines(self) -> list[str]:
        """Return what the command line prints: one line per ratio."""
        width = max([10, *(len(c.id) for c in self.candidates)])
        found = [f"{'id':>{width}}  {'left':>8}  {'published':>9}  {'rounds':>6}  {'T':>10}"]
        for c in sorted(self.candidates, key=lambda c: (c.ratio, c.way)):
            mark = "  (dominated)" if c.dominated else ""
            if c.encoder_reads:
                mark = f"  an encoder reads {c.encoder_reads:.0%} of the words{mark}"
            left, loss = f"{c.risk.value:.2%}", f"{c.total_loss:,.0f}"
            if not is_measured(c.risk):
                left, loss = "–", "–"
            found.append(
                f"{c.id:>{width}}  {left:>8}  {c.utility.value:9.2%}  {c.rounds:>6}  {loss:>10}{mark}"
            )
        if any(is_measured(c.risk) for c in self.candidates):
            found.append(
                "left: the share of sensitive words that stays, in documents not learned from"
            )
        else:
            found.append("What is left is not measured: nobody has looked at these documents.")
        if self.record.left_as_they_are:
            listed = format_label_counts(self.record.left_as_they_are)
            found.append(f"labels not chosen, left as they are: {listed}")
        return found
