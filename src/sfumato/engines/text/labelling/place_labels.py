"""Which label a place gets that the readers find sensitive: before it is published, and on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..learners.labels import FittedLabels, LabelCRF, likeliest_labels, with_scores
from ..learners.partial import UNKNOWN, Pool
from ..reading.arrays import Mask, Scores
from ..reading.features import TokenData
from ..rules.whole_matches import one_label, whole_from
from ..starter.adapted import AdaptedStarter
from .answers import AnswerSheet, Place
from .project import Project

__all__ = ["PlaceLabels"]

_SAID = 1e3  # the score of an answer for its label


class PlaceLabels:
    """Predicts the labels of places from answers, rules and the starter, as a release would.

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
        """By label: the kinds of the starter that it means."""
        self._scorers = () if starter is None else starter.label_scorers(self.labels)
        self._starter = starter
        if starter is not None:
            self.kinds = starter.kinds_of(self.labels)
        self._pool = Pool(with_scores(data, [scorer.scores(data) for scorer, _ in self._scorers]))
        self._line = data.tokens.line_starts
        self.learn(np.zeros(len(data), np.int16))

    def starter_scores(self) -> Scores | None:
        """Return each token's largest log-odds of all labels by the starter; None where it is silent."""
        if self._starter is None or not self.kinds:
            return None
        meant = sorted({kind for kinds in self.kinds.values() for kind in kinds})
        return self._starter.only(meant).scores(self.data)

    def learned(self, codes: npt.NDArray[np.integer]) -> FittedLabels:
        """Return what tells the labels apart in the light of some answers.

        Parameters
        ----------
        codes : array of int
            The answers, by number of label.

        """
        seed = self.project.record.seed
        return LabelCRF().fit(self._pool, codes, self.labels, scorers=self._scorers, seed=seed)

    def learn(self, codes: npt.NDArray[np.integer]) -> None:
        """Learn from these answers how labels are predicted from here on."""
        self._fitted = self.learned(codes)

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

    def of_document(
        self, document: int, known: npt.NDArray[np.integer], hidden: Mask
    ) -> npt.NDArray[np.int16]:
        """Return the label of each hidden token of a document by its number, 0 for the others.

        Parameters
        ----------
        document : int
            The number of the document.
        known : array of int
            The answers about its tokens, by number of label.
        hidden : mask over its tokens
            What is redacted.

        """
        low, high = self.data.tokens.doc[document : document + 2].tolist()
        fitted = self._fitted
        emissions = fitted.emissions(document)
        said = np.flatnonzero(known > 0)
        emissions[known[said] - 1, said] += _SAID
        found = likeliest_labels(emissions, fitted.moves, hidden, self._line[low:high])
        for span in self.project.proposals[document]:
            if whole_from(span.label) is None:
                continue
            tokens = self.sheet.tokens_of((document, span.start, span.end))
            inside = found[tokens.start - low : tokens.stop - low]
            said_there = known[tokens.start - low : tokens.stop - low]
            open_ = (inside > 0) & (said_there == UNKNOWN)
            if open_.any():
                matched = self.labels.index(span.label) + 1
                inside[open_] = one_label(inside[open_], matched, self.labels)
        return found

    def proposed_at(self, place: Place) -> str:
        """Return the label that a rule proposes for a place, or an empty text.

        Parameters
        ----------
        place : Place
            The place.

        """
        document, first, last = place
        spans = self.project.proposals[document]
        return next((s.label for s in spans if s.start < last and first < s.end), "")

    def at(self, place: Place) -> str:
        """Return the label that a place would get as one.

        Parameters
        ----------
        place : Place
            The place.

        """
        tokens = self.sheet.tokens_of(place)
        if tokens.start >= tokens.stop:
            return self.labels[0]
        low = int(self.data.tokens.doc[place[0]])
        scores = self._fitted.emissions(place[0])[:, tokens.start - low : tokens.stop - low]
        return self.labels[int(scores.sum(axis=1).argmax())]
