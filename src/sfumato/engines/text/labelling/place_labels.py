"""Which label a place gets that the readers find sensitive: before it is published, and on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..reading.arrays import Mask, Scores
from ..reading.features import TokenData
from ..rules.whole_matches import whole_from
from ..starter.adapted import AdaptedStarter
from .answers import AnswerSheet, Place
from .project import Project

__all__ = ["PlaceLabels"]


class PlaceLabels:
    """Tells the labels of places.

    Parameters
    ----------
    sheet : AnswerSheet
        Finds the tokens of a place.
    data : TokenData
        The tokens.
    project : Project
        Its labels, and what rules and other tools propose.
    starter : AdaptedStarter, optional
        The shipped model, where it knows the language.

    """

    def __init__(
        self,
        sheet: AnswerSheet,
        data: TokenData,
        project: Project,
        starter: AdaptedStarter | None,
    ) -> None:
        self.sheet, self.data, self.project = sheet, data, project
        self.labels = project.record.labels
        self.kinds: Mapping[str, Sequence[str]] = {}
        """By label: the kinds of the starter that it stands for."""
        self._scores: dict[str, Scores] = {}
        if starter is not None:
            self.kinds = starter.kinds_of(self.labels)
            self._scores = {
                label: starter.only(kinds).scores(data) for label, kinds in self.kinds.items()
            }

    def starter_scores(self) -> Scores | None:
        """Return each token's largest log-odds of all labels by the starter; None where it is silent."""
        return np.max(list(self._scores.values()), axis=0) if self._scores else None

    def whole_matches(self, document: int, hidden: Mask) -> Mask:
        """Return the tokens of a document that go with hidden ones, because a rule matched them together."""
        low = int(self.data.tokens.doc[document])
        found = np.zeros(len(hidden), np.bool_)
        for span in self.project.proposals[document]:
            least = whole_from(span.label)
            if least is None:
                continue
            tokens = self.sheet.tokens_of((document, span.start, span.end))
            inside = slice(tokens.start - low, tokens.stop - low)
            words = self.data.counted[tokens]
            if words.any() and hidden[inside][words].mean() > least:
                found[inside] = True
        return found

    def at(self, place: Place, known: npt.NDArray[np.integer], threshold: float) -> str:
        """Return the label that a place would get.

        That of a proposal, of the same word where somebody answered about it, of the starter, of words of
        the same shape, or the first one.

        Parameters
        ----------
        place : Place
            The place.
        known : array of int
            The answers, by number of label.
        threshold : float
            The log-odds from which the starter is heard.

        """
        document, first, last = place
        overlaps = [
            (min(s.end, last) - max(s.start, first), s.label)
            for s in (*self.project.proposals[document], *self.project.found[document])
            if s.start < last and first < s.end
        ]
        if overlaps:
            return max(overlaps, key=lambda found: found[0])[1]
        tokens = self.sheet.tokens_of(place)
        if tokens.start >= tokens.stop:
            return self.labels[0]
        types = self.data.tokens.type
        same = self._commonest(types == types[tokens.start], known)
        if same is not None:
            return same
        if self._scores:
            best = max(self._scores, key=lambda label: float(self._scores[label][tokens].max()))
            if float(self._scores[best][tokens].max()) >= threshold:
                return best
        shapes = self.data.words.shape[self.data.rows]
        return self._commonest(shapes == shapes[tokens.start], known) or self.labels[0]

    def _commonest(self, where: np.ndarray, known: npt.NDArray[np.integer]) -> str | None:
        codes = known[where & (known > 0)]
        return self.labels[int(np.bincount(codes).argmax()) - 1] if len(codes) else None
