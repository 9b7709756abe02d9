"""All CRFs of a candidate as one table of words and one table of conjunctions.

A candidate whose classifiers are CRFs is compiled: a token's words and conjunctions are looked up
once for all of its models, and again only next to what an earlier classifier redacted. What it decides
is what the candidate itself decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ...learners.crf import CRFModel
from ...learners.labels import likeliest_labels
from ...learners.weights import UNIT
from ...reading.arrays import Scores
from ...reading.features import REDACTED, RESERVED, TokenData, WordKnowledge, WordTable
from ...sanitize.classifiers import Classifier, ClassifierSet
from ...sanitize.lone_marks import without_lone_marks
from . import _kernels

__all__ = ["CompiledCandidate", "compile_candidate"]

D = TypeVar("D")
_MAX_VALUES = 16  # values that a place feature may take in the kernels
_LINE, _BINS = 4, 12  # those that it takes: ends of lines, bins of another stage's scores


def compile_candidate(candidate: D) -> D | CompiledCandidate:
    """Compile a candidate where it can be; return others as they are."""
    if not isinstance(candidate, ClassifierSet):
        return candidate
    if candidate.rules is not None:  # texts are looked at before their words
        return candidate
    seen = [(stage.model, stage.sees) for h in candidate.classifiers for stage in h.stages]
    if candidate.typing is not None and candidate.typing.scorers:
        return candidate
    label_models = () if candidate.typing is None else candidate.typing.models
    for model, sees in [*seen, *((model, ()) for model in label_models)]:
        # A stored model may say anything: the kernels write as many columns as `sees` tells them.
        bins = sum(5 if with_own else 4 for _, with_own in sees)
        if not isinstance(model, CRFModel) or model.place_sizes != (_LINE, *[_BINS] * bins):
            return candidate
    return CompiledCandidate(candidate)


@dataclass(frozen=True, slots=True)
class _Chain:
    """What one model needs besides the shared tables: weights of places and transitions."""

    place_weights: Scores
    places: int
    transitions: Scores

    @classmethod
    def of(cls, model: CRFModel) -> _Chain:
        weights = np.zeros(_MAX_VALUES * max(1, len(model.place_sizes)))
        first = 0
        for k, size in enumerate(model.place_sizes):
            weights[_MAX_VALUES * k : _MAX_VALUES * k + size] = model.place_weights[
                first : first + size
            ]
            first += size
        return cls(weights, len(model.place_sizes), np.exp(model.transitions))


def _side_by_side(
    models: Sequence[tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]],
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]:
    """Put the weights of all models into one hash table; row 0 is for what none of them knows."""
    keys = np.concatenate([np.zeros(0, np.uint64), *(keys for keys, _ in models)])
    union, rows = np.unique(keys, return_inverse=True)
    weights = np.zeros((len(union) + 1, len(models)), np.float32)
    first = 0
    for m, (own, values) in enumerate(models):
        weights[1 + rows[first : first + len(own)], m] = values
        first += len(own)
    table = np.zeros(1 << max(4, int(2 * len(union)).bit_length()), np.uint64)
    _kernels.fill_table(union, table)
    return table, weights


def _memories(
    models: Sequence[CRFModel],
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]:
    """Put what the models remember of words into one hash table: [word, offset, model].

    Row 0 is for words that none of them remembers; each model has its own answer to those.
    """
    keys = [m.memory.keys for m in models if m.memory is not None]
    union = np.unique(np.concatenate([np.zeros(0, np.uint64), *keys]))
    weights = np.zeros((len(union) + 1, 3, len(models)), np.float32)
    for m, model in enumerate(models):
        if model.memory is None:
            continue
        bins = np.zeros((len(union) + 1, 2), np.uint8)
        bins[1 + np.searchsorted(union, model.memory.keys)] = model.memory.bins
        own, before, after = model.memory.weights_of(bins, model.memory_weights)
        weights[:, 0, m], weights[:, 1, m], weights[:, 2, m] = own, before, after
    table = np.zeros(1 << max(4, int(2 * len(union)).bit_length()), np.uint64)
    _kernels.fill_table(union, table)
    return table, weights


def _log(odds: Scores) -> Scores:
    with np.errstate(divide="ignore"):
        return np.log(odds, out=odds)


class _Batch:
    """The state of one batch: what is redacted so far and the sums of all models."""

    def __init__(self, owner: CompiledCandidate, data: TokenData) -> None:
        self.owner = owner
        self.data = data
        self.doc = data.tokens.doc
        self.rows = np.ascontiguousarray(data.rows).copy()
        self.words = data.words
        self.group: npt.NDArray[np.int32] | None = None
        n = len(data)
        self.sums = np.empty((n, len(owner.chains)))
        self.found = np.empty((n, 3), np.int32)
        self.x = np.empty(n)
        self.by_group = np.empty((0, 4))
        self.line = data.places[0].values.astype(np.uint8)
        self.look(np.ones(n, np.uint8), 0)

    def look(self, todo: npt.NDArray[np.uint8], first_model: int) -> None:
        """Sum the weights of tokens again, for the models from one on."""
        owner = self.owner
        _kernels.emissions(
            self.rows, self.doc, todo, REDACTED, first_model, self.words.scores_of(owner),
            self.words.lower, self.words.shape, owner.table, owner.weights, self.found, self.sums,
        )  # fmt: skip

    def redact(self, found: npt.NDArray[np.bool_], first_model: int) -> None:
        """Redact tokens; those next to them are looked at again."""
        marks = found.view(np.uint8)
        todo = np.zeros(len(marks), np.uint8)
        _kernels.nearby(marks, self.doc, todo)
        self.rows[found] = REDACTED
        self.look(todo, first_model)

    def odds(self, model: int, seen: Sequence[tuple[Scores, bool]] = ()) -> Scores:
        """Return the odds of all tokens by one model, which sees the scores of other stages."""
        chain = self.owner.chains[model]
        places = np.empty((len(self.rows), chain.places), np.uint8)
        places[:, 0] = self.line
        column = 1
        for scores, with_own in seen:
            if self.group is None:
                groups = self.words.groups()
                self.group = groups[self.data.tokens.type + np.int32(RESERVED)]
                self.by_group = np.zeros((int(groups.max(initial=-1)) + 1, 4))
                self.by_group[:, :2] = -np.inf
            _kernels.stack_bins(
                self.group, self.doc, scores, self.by_group, places, column, with_own
            )
            column += 5 if with_own else 4
        _kernels.add_places(self.sums, model, places, chain.place_weights, self.x)
        np.exp(self.x, out=self.x)
        odds = np.empty(len(self.rows))
        _kernels.chains(self.rows, self.doc, REDACTED, self.x, chain.transitions, odds)
        return odds


class CompiledCandidate:
    """Decides as a `ClassifierSet` of CRFs does, several times as fast."""

    def __init__(self, source: ClassifierSet) -> None:
        self.source = source
        self.labels: Sequence[str] = source.labels
        self.knowledge: Sequence[WordKnowledge] = source.knowledge
        staged = [stage.model for h in source.classifiers for stage in h.stages]
        label_models = () if source.typing is None else source.typing.models
        self.models: list[CRFModel] = [*label_models, *staged]  # type: ignore[list-item]
        self.chains = [_Chain.of(model) for model in self.models]
        self.table, joint = _side_by_side([(m.joint_keys, m.joint_weights) for m in self.models])
        self.weights = (np.round(joint / UNIT) * UNIT).astype(np.float32)
        self.row_table, self.row_weights = _side_by_side(
            [(m.row_keys, m.row_weights) for m in self.models]
        )
        self.memory_table, self.memory_weights = _memories(self.models)

    def word_scores(self, words: WordTable) -> npt.NDArray[np.float32]:
        """Score words at each offset by each model: [row, offset, model]."""
        out = np.zeros((len(words), 5, len(self.models)), np.float32)
        _kernels.row_scores(
            words.own_bounds, words.own, words.near, words.far, self.row_table, self.row_weights,
            out,
        )  # fmt: skip
        _kernels.add_memories(words.lower, RESERVED, self.memory_table, self.memory_weights, out)
        return out

    def decide(self, data: TokenData) -> npt.NDArray[np.int16]:
        """Return 0 for each token to publish and i + 1 for each to redact as `labels[i]`."""
        source = self.source
        typed = 0 if source.typing is None else len(source.typing.models)
        allowed = source.allow.matches(data)
        first = data.redacted | (source.deny.matches(data) & ~allowed)
        batch = _Batch(self, data)
        odds = [batch.odds(m) for m in range(typed)]  # which label, should a token be redacted
        if first.any():
            batch.redact(first, typed)
        redacted = first.copy()
        known: list[Scores] = []
        model = typed
        for classifier in source.classifiers:
            stages = self._stages(batch, classifier, model, known)
            model += len(stages)
            members = [stages[m] for m in classifier.members]
            scores_now = members[0] if len(members) == 1 else np.mean(members, axis=0)
            known.append(scores_now)
            found = (scores_now >= classifier.threshold) & ~allowed
            redacted |= found
            if model < len(self.models):
                batch.redact(found, model)
        kinds = redacted.astype(np.int16)
        if source.typing is not None:
            places = np.flatnonzero(redacted)
            emissions = np.zeros((typed, len(redacted)))
            emissions[:, places] = [_log(own[places]) for own in odds]
            starts = data.tokens.line_starts
            kinds = likeliest_labels(emissions, source.typing.moves, redacted, starts)
        return without_lone_marks(kinds, data)

    @staticmethod
    def _stages(
        batch: _Batch, classifier: Classifier, model: int, known: Sequence[Scores]
    ) -> list[Scores]:
        stages: list[Scores] = []
        for place, stage in enumerate(classifier.stages):
            seen = [
                (stages[source] if source >= 0 else known[-source - 1], with_own)
                for source, with_own in stage.sees
            ]
            stages.append(_log(batch.odds(model + place, seen)))
        return stages
