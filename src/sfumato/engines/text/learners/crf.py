"""Linear-chain conditional random field with two states, learned by AdaGrad.

Almost every feature is a function of the word type, so a model turns into one score per distinct word
and offset, and a token costs a few look-ups.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ....core.errors import DataError, ModelError
from ....core.randomness import Streams
from ..reading.arrays import Array, Arrays, Header
from ..reading.features import REDACTED, FeatureIndex, TokenData, WordTable, lower_keys
from . import _crf_kernels, _weight_kernels
from .linear.columns import laid_places
from .memory import MEMORY_SIZE, Memory
from .protocol import Learner, Model, every_document, labelled_documents
from .weights import UNIT, Slots, hash_weights, pack_weights, scores_of_words

__all__ = ["CRF", "CRFModel"]

_SENTENCE_MARKS = lower_keys([".", "!", "?", "…", "。", "！", "？", "।", "؟"])
_CONTEXT = (61, 62, 63, 64)  # templates of the offsets −1, +1, −2, +2


@dataclass(frozen=True, slots=True)
class CRF(Learner):
    """Learn a linear-chain CRF.

    Parameters
    ----------
    epochs : int, default 8
        Passes over the documents, each in a random order.
    rate : float, default 0.05
        The AdaGrad step.
    min_gradient : float, default 0.005
        Smaller gradients are skipped.
    pause : int, default 3
        Passes that a sentence without a larger gradient rests for.
    average : int, default 3
        How many of the last passes the weights are averaged over.
    memory : bool, default True
        Whether a word's record in the other documents is a feature.
    repeats : int, default 1
        Models, learned in other orders of the documents, that are averaged into one.
    start : CRFModel, default None
        A model whose weights learning starts from, for example one of background corpora.
    doubt : float, default 3.0
        The squared gradient that those weights begin with, and so how strongly they hold: with 0 the
        first steps would overwrite them.

    """

    epochs: int = 8
    rate: float = 0.05
    min_gradient: float = 5e-3
    pause: int = 3
    average: int = 3
    memory: bool = True
    repeats: int = 1
    start: CRFModel | None = None
    doubt: float = 3.0

    @classmethod
    def literal(cls) -> CRF:
        """Return the plain CRF: words and their context alone, tuned for accuracy as the papers ask."""
        return cls(epochs=8, rate=0.2, average=1, memory=False)

    def careful(self) -> CRF:
        """Return the same learner with less chance in it: the mean of three orders of the documents."""
        return replace(self, repeats=3 * self.repeats)

    def quick(self) -> CRF:
        """Return the same learner with half the passes."""
        return replace(self, epochs=max(1, self.epochs // 2), average=max(1, self.average // 2))

    def warm_start(self, model: Model) -> CRF | None:
        """Return the same learner, starting from the weights of another CRF."""
        return replace(self, start=model) if isinstance(model, CRFModel) else None

    @property
    def name(self) -> str:
        return "crf"

    def fit(
        self,
        data: TokenData,
        labels: npt.NDArray[np.uint8],
        *,
        documents: npt.NDArray[np.bool_] | None = None,
        cost_ratio: float = 1.0,
        seed: int = 0,
    ) -> CRFModel:
        """Learn from the labelled tokens; the cost-sensitive form is the threshold alone."""
        _ = cost_ratio
        chosen = np.flatnonzero(labelled_documents(data, labels, documents))
        index = data.index()
        own, near, far, joint = index.sizes
        base = np.cumsum([own, near, near, far, far, joint])
        places, sizes = laid_places(data)
        memory = None
        if self.memory:
            memory = Memory.of(data, labels, chosen)
            places = np.hstack([places, memory.recalled(data, labels, chosen) + sum(sizes)])
        total = int(base[-1]) + sum(sizes) + MEMORY_SIZE * self.memory
        weights = np.zeros((total, 2), np.float32)
        transitions = np.zeros((2, 2, 2))
        row_keys = sealed_keys(index)
        if self.start is not None:
            self.start.write(row_keys, index.keys[3], weights[:, 0], transitions)
            weights[weights[:, 0] != 0, 1] = self.doubt
        random = Streams(seed).generator("crf")
        ends = sentence_ends(data.words)
        summed = np.zeros(total, np.float32)
        moved = np.zeros((2, 2))
        first, first_transitions = weights.copy(), transitions.copy()
        for _ in range(self.repeats):
            weights[:], transitions[:] = first, first_transitions
            rest = np.zeros(len(data), np.int8)
            for epoch in range(self.epochs):
                _crf_kernels.train(
                    random.permutation(chosen), data.rows, data.tokens.doc, labels, REDACTED, ends,
                    index.own_bounds, index.own, index.near, index.far, index.joint, places, base,
                    weights, transitions, self.rate, self.min_gradient, self.pause, rest,
                )  # fmt: skip
                if epoch >= self.epochs - self.average:
                    summed += weights[:, 0]
                    moved += transitions[:, :, 0]
        summed /= np.float32(self.average * self.repeats)
        moved /= self.average * self.repeats
        cuts = np.split(summed, base)
        row_weights = np.concatenate(cuts[:5])
        used = row_weights != 0
        joined = np.round(cuts[5] / UNIT) != 0
        return CRFModel(
            row_keys[used],
            row_weights[used],
            index.keys[3][joined],
            cuts[5][joined],
            cuts[6][: sum(sizes)],
            sizes,
            moved,
            memory,
            cuts[6][sum(sizes) :],
        )


def _seal(keys: npt.NDArray[np.uint64], template: int) -> npt.NDArray[np.uint64]:
    out = np.empty_like(keys)
    _weight_kernels.seal_all(keys, template, out)
    return out


def sealed_keys(index: FeatureIndex) -> npt.NDArray[np.uint64]:
    """Return the hashes of all features of words, each sealed with the offset that it is seen at."""
    keys = [index.keys[0]]
    keys += [_seal(index.keys[1 + k // 2], template) for k, template in enumerate(_CONTEXT)]
    return np.concatenate(keys)


def sentence_ends(words: WordTable) -> npt.NDArray[np.bool_]:
    """Return which words end a sentence: where the learner may take a step."""
    return np.isin(words.lower, _SENTENCE_MARKS)


@dataclass(frozen=True, eq=False)
class CRFModel(Model):
    """Weights by 64-bit feature hash, and the transitions between the two states."""

    row_keys: npt.NDArray[np.uint64]
    row_weights: npt.NDArray[np.float32]
    joint_keys: npt.NDArray[np.uint64]
    joint_weights: npt.NDArray[np.float32]
    place_weights: npt.NDArray[np.float32]
    place_sizes: tuple[int, ...]
    transitions: npt.NDArray[np.float64]
    memory: Memory | None = None
    memory_weights: npt.NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    kind = "crf"

    @property
    def dimension(self) -> float:
        weights = (self.row_weights, self.joint_weights, self.place_weights, self.memory_weights)
        return float(sum(part.size for part in weights) + 1)

    def write(
        self,
        row_keys: npt.NDArray[np.uint64],
        joint_keys: npt.NDArray[np.uint64],
        weights: npt.NDArray[np.float32],
        transitions: npt.NDArray[np.float64],
    ) -> None:
        """Put the model's weights where another model starts from."""
        n, joint = len(row_keys), hash_weights(self.joint_keys, self.joint_weights)
        _weight_kernels.find_all(row_keys, *self._slots, weights[:n])
        _weight_kernels.find_all(joint_keys, *joint, weights[n : n + len(joint_keys)])
        transitions[:, :, 0] = self.transitions

    @cached_property
    def _slots(self) -> Slots:
        return hash_weights(self.row_keys, self.row_weights)

    @cached_property
    def joint_table(self) -> npt.NDArray[np.uint64]:
        """The conjunctions as a hash table of packed words."""
        return pack_weights(self.joint_keys, self.joint_weights)

    def word_scores(self, words: WordTable) -> npt.NDArray[np.float32]:
        """Score each distinct word at each offset: 0, −1, +1, −2, +2."""
        scores = scores_of_words(words, self._slots)
        if self.memory is not None:
            self.memory.add_scores(words, self.memory_weights, scores)
        return scores

    def scores(
        self, data: TokenData, *, documents: npt.NDArray[np.bool_] | None = None
    ) -> npt.NDArray[np.float64]:
        """Return each token's log-odds of being sensitive, by forward–backward."""
        places, sizes = laid_places(data)
        if sizes != self.place_sizes:
            raise DataError(
                "The tokens do not carry the place features that the model was fitted on."
            )
        wanted = every_document(data, documents)
        n = len(data)
        out = np.empty(n)
        _crf_kernels.score(
            data.rows, data.tokens.doc, wanted, REDACTED, data.words.scores_of(self),
            data.words.lower, data.words.shape, self.joint_table, UNIT, places,
            self.place_weights, np.exp(self.transitions), np.empty(n), np.empty(n), out,
        )  # fmt: skip
        return out

    def to_arrays(self) -> tuple[Header, Arrays]:
        header = {
            "kind": self.kind,
            "place_sizes": list(self.place_sizes),
            "memory": self.memory is not None,
        }
        memory: dict[str, Array] = (
            {}
            if self.memory is None
            else {
                "memory_keys": self.memory.keys,
                "memory_bins": self.memory.bins,
                "memory_weights": self.memory_weights,
            }
        )
        return header, {
            **memory,
            "row_keys": self.row_keys,
            "row_weights": self.row_weights,
            "joint_keys": self.joint_keys,
            "joint_weights": self.joint_weights,
            "place_weights": self.place_weights,
            "transitions": self.transitions,
        }

    @classmethod
    def from_arrays(cls, header: Header, arrays: Arrays) -> CRFModel:
        """Rebuild a stored model; what does not fit together is refused."""
        try:
            memory = None
            if header["memory"]:
                memory = Memory(
                    arrays["memory_keys"].astype(np.uint64), arrays["memory_bins"].astype(np.uint8)
                )
            weights = arrays["memory_weights"] if memory else np.zeros(0)
            model = cls(
                arrays["row_keys"].astype(np.uint64),
                arrays["row_weights"].astype(np.float32),
                arrays["joint_keys"].astype(np.uint64),
                arrays["joint_weights"].astype(np.float32),
                arrays["place_weights"].astype(np.float32),
                tuple(int(s) for s in header["place_sizes"]),
                arrays["transitions"].astype(np.float64),
                memory,
                weights.astype(np.float32),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError("The CRF of the model directory lacks a part.") from error
        fits = (
            model.row_keys.shape == model.row_weights.shape == (len(model.row_keys),)
            and model.joint_keys.shape == model.joint_weights.shape == (len(model.joint_keys),)
            and model.place_weights.shape == (sum(model.place_sizes),)
            and model.transitions.shape == (2, 2)
            and (memory is None or memory.sound())
            and model.memory_weights.shape == (MEMORY_SIZE * (memory is not None),)
            and all(size > 0 for size in model.place_sizes)
            and all(
                np.isfinite(part).all()
                for part in (
                    model.row_weights,
                    model.joint_weights,
                    model.place_weights,
                    model.transitions,
                    model.memory_weights,
                )
            )
        )
        if not fits:
            raise ModelError("The arrays of the CRF do not fit together.")
        return model
