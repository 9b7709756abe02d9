"""What the text engine's explore returns: the frontier and the classifiers of every candidate."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ...core.dominance import ChosenBy, frontier_of
from ...core.errors import ModelError, NoCandidateError, PrivacyWarning
from ...core.exploration import Exploration
from ...core.frontier import Frontier
from ...core.records import FrontierRecord
from ...core.storage.quarantine import read_unread, write_unread
from .records import (
    INSPECTED,
    MOST_FOUND,
    TWICE_FOUND,
    TextCandidate,
    TextFrontier,
    format_label_counts,
    found_limit,
    is_measured,
    with_few_found,
)

if TYPE_CHECKING:
    from ...data.document import Document
    from .attack_records import InspectionRecord
    from .payload import Learned
    from .redaction.explain import FoundSpan
    from .sanitize.classifiers import ClassifierSet

__all__ = ["TextExploration"]


def _format_range(found: InspectionRecord) -> str:
    """Return what an attacker finds, with its range."""
    return f"{found.found:.0f} ({found.low:.0f}–{found.high:.0f})"


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
    unread : sequence of mappings
        The documents that could not be read, by id, with the reason.

    """

    Record = TextFrontier
    ways: ClassVar[tuple[str, ...]] = (*Exploration.ways, "max-found:N", "ratio:L/C")

    def __init__(
        self,
        record: TextFrontier,
        classifiers: Mapping[str, ClassifierSet],
        learned: Learned,
        unread: Sequence[Mapping[str, str]] = (),
    ) -> None:
        super().__init__(record)
        self.classifiers = dict(classifiers)
        self.learned = learned
        self.unread = tuple(unread)

    def save_payload(self, folder: Path) -> None:
        """Write the classifiers into model/, data about the training documents into learned/, and what was unread."""
        from .sanitize.models import save_candidates

        save_candidates(folder, self.classifiers, force=True)
        self.learned.save(folder)
        write_unread(folder, self.unread)

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
        return cls(record, classifiers, learned, read_unread(folder))

    def choose(
        self,
        *,
        max_risk: float | None = None,
        min_utility: float | None = None,
        max_found: float | None = None,
    ) -> TextCandidate:
        """Return the most useful candidate within limits, or the safest with at least a utility.

        Parameters
        ----------
        max_risk : float, optional
            The largest risk allowed.
        min_utility : float, optional
            The smallest utility allowed.
        max_found : float, optional
            How many sensitive words the strongest attacker that was run may find among the first 100 that it inspects.

        """
        if max_found is None:
            return super().choose(max_risk=max_risk, min_utility=min_utility)
        within = self._with_few_found(max_found)
        if max_risk is None and min_utility is None:
            max_risk = 1.0
        chosen = within.choose(max_risk=max_risk, min_utility=min_utility)
        assert chosen.attack is not None
        if self.record.encoder is not None and not chosen.attack.with_encoder:
            warnings.warn(
                "No attacker with an encoder was run, and the publisher has one. "
                "Hint: explore with --attackers all.",
                PrivacyWarning,
                stacklevel=3,
            )
        return chosen

    def _with_few_found(self, most: float) -> Frontier[TextCandidate]:
        """Return the frontier of the candidates in which attackers find few enough; none is refused."""
        attacked = [c for c in self.candidates if c.found is not None]
        if not attacked:
            raise NoCandidateError(
                f"No attacker that inspects {INSPECTED} words was run on this frontier.",
                hint=f"explore with --attackers crf, or all, and with {INSPECTED} among the budgets.",
            )
        within = with_few_found(attacked, most)
        if not within:
            fewest = min(c.found.found for c in attacked if c.found is not None)
            raise NoCandidateError(
                f"In every candidate the strongest attacker finds more than {most:g} sensitive words among "
                f"the first {INSPECTED}; the fewest are {fewest:.3g}.",
                hint="explore higher loss ratios (--ratios 20,50,100), or label more documents.",
            )
        return frontier_of(within)

    @classmethod
    def suggest(cls, record: FrontierRecord) -> tuple[TextCandidate, ChosenBy] | None:
        """Return the knee, or a safer candidate where attackers find too much in the knee.

        That is the most useful one among those that leave no more than the knee and in which the strongest
        attacker finds at most `MOST_FOUND` of the first `INSPECTED` words, or else at most `TWICE_FOUND`; without
        one, the knee.
        """
        suggested = super().suggest(record)
        assert isinstance(record, TextFrontier)
        if suggested is None or suggested[0].found is None:
            return suggested
        knee = suggested[0]
        safer = [c for c in record.candidates if c.risk.value <= knee.risk.value]
        for most in (MOST_FOUND, TWICE_FOUND):
            within = with_few_found(safer, most)
            if knee in within:
                break
            if within:
                return frontier_of(within).choose(max_risk=1.0), "max-found"
        return suggested

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
        attacked = any(c.found is not None for c in self.candidates)
        heads = f"{'id':>{width}}  {'left':>8}  {'published':>9}  {'rounds':>6}  {'T':>10}"
        found = [heads + ("  found (range)" if attacked else "")]
        for c in sorted(self.candidates, key=lambda c: (c.ratio, c.way)):
            mark = "  (dominated)" if c.dominated else ""
            if c.encoder_reads:
                mark = f"  an encoder reads {c.encoder_reads:.0%} of the words{mark}"
            left, loss = f"{c.risk.value:.2%}", f"{c.total_loss:,.0f}"
            if not is_measured(c.risk):
                left, loss = "–", "–"
            if attacked:
                mark = ("–" if c.found is None else _format_range(c.found)).rjust(15) + mark
            found.append(
                f"{c.id:>{width}}  {left:>8}  {c.utility.value:9.2%}  {c.rounds:>6}  {loss:>10}{mark}"
            )
        if any(is_measured(c.risk) for c in self.candidates):
            found.append(
                "left: the share of sensitive words that stays, in documents not learned from"
            )
        else:
            found.append("What is left is not measured: nobody has looked at these documents.")
        if attacked:
            found.append(
                "found: by the strongest attacker that was run, among the first "
                f"{INSPECTED} words that it inspects; the range is for as many other documents"
            )
            found += self._suggestion(self.knee())
        if self.record.left_as_they_are:
            listed = format_label_counts(self.record.left_as_they_are)
            found.append(f"labels not chosen, left as they are: {listed}")
        return found

    def _suggestion(self, knee: TextCandidate) -> list[str]:
        """Return lines with the suggested candidate, which is the knee or a safer one, and who did not attack."""
        suggested, way = self.suggest(self.record) or (knee, "knee")
        found = 0.0 if knee.found is None else knee.found.found
        lines = [f"knee: {knee.id}"] if len(self) > 1 else []
        if way != "knee":
            few = f"in which attackers find at most {found_limit(suggested)}"
            too_many = f"the knee is {knee.id}, in which they find {found:.0f}"
            lines = [f"suggested: {suggested.id}, {few}; {too_many}"]
        elif found > MOST_FOUND:
            lines.append(
                f"{knee.id}: attackers find {found:.0f}, and more than {MOST_FOUND} in every candidate that "
                "leaves no more; explore higher loss ratios"
            )
        attack = suggested.attack
        if self.record.encoder is not None and attack is not None and not attack.with_encoder:
            lines.append(
                "No attacker with an encoder was run, who may find more: explore with --attackers all."
            )
        return lines
