"""Which label a place gets that the readers find sensitive: before it is published, and on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..reading.arrays import Mask, Scores
from ..reading.features import TokenData
from ..reading.tokens import labels_from_spans
from ..rules.whole_matches import whole_from
from ..starter.adapted import AdaptedStarter
from .answers import AnswerSheet, Place
from .project import Project

__all__ = ["PlaceLabels"]

_FEWEST_SAID = 5  # words of a proposed label that were answered before another takes its place


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

        That of the same word where somebody answered about it, of a proposal or whatever people said of such
        proposals, of the starter, of words of the same shape, or the first one.

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
        proposed = max(overlaps, key=lambda found: found[0])[1] if overlaps else None
        tokens = self.sheet.tokens_of(place)
        if tokens.start >= tokens.stop:
            return proposed or self.labels[0]
        types = self.data.tokens.type
        same = self._commonest(types == types[tokens.start], known)
        if same is not None and (proposed is None or self.data.words.capital[self.data.rows[tokens.start]]):  # fmt: skip
            return same
        if proposed is not None:
            return self._as_said(proposed, tokens.start, known)
        if self._scores:
            best = max(self._scores, key=lambda label: float(self._scores[label][tokens].max()))
            if float(self._scores[best][tokens].max()) >= threshold:
                return best
        shapes = self.data.words.shape[self.data.rows]
        return self._commonest(shapes == shapes[tokens.start], known) or self.labels[0]

    @cached_property
    def _proposed(self) -> npt.NDArray[np.int16]:
        """By token: the label that rules propose, by number; 0 for none."""
        proposals = self.project.with_spans(self.project.proposals)
        return labels_from_spans(proposals, self.data.tokens, self.labels)

    def _as_said(self, proposed: str, token: int, known: npt.NDArray[np.integer]) -> str:
        """Return what people called proposals of this label that look like the token, or most of its proposals.

        Rules know identifiers; which of them are record numbers and which insurance numbers, people tell.
        """
        such = self._proposed == self.labels.index(proposed) + 1
        shapes = self.data.words.shape[self.data.rows]
        alike = self._commonest(such & (shapes == shapes[token]), known)
        if alike is not None:
            return alike
        enough = int(np.count_nonzero(such & (known > 0))) >= _FEWEST_SAID
        return (self._commonest(such, known) if enough else None) or proposed

    def are_proposals_right(self, label: str, known: npt.NDArray[np.integer]) -> bool:
        """Return whether rules propose a label for words that people call so; also where too little was answered.

        Parameters
        ----------
        label : str
            The label.
        known : array of int
            The answers, by number of label.

        """
        code = self.labels.index(label) + 1
        said = known[(self._proposed == code) & (known > 0)]
        return len(said) < _FEWEST_SAID or bool(np.mean(said == code) >= 0.5)

    def _commonest(self, where: np.ndarray, known: npt.NDArray[np.integer]) -> str | None:
        codes = known[where & (known > 0)]
        return self.labels[int(np.bincount(codes).argmax()) - 1] if len(codes) else None
