"""A linear classifier over factored features, with calibrated log-odds; SVM and AdaBoost end as one."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .....core.errors import DataError, ModelError
from ...reading.arrays import Arrays, Header
from ...reading.features import REDACTED, TokenData, WordTable
from ..protocol import Model, every_document
from ..registry import MODELS
from ..weights import UNIT, Slots, hash_weights, pack_weights, scores_of_words
from . import _kernels
from .columns import Columns, known_columns, laid_places

__all__ = ["LinearModel", "model_of"]


@dataclass(frozen=True, eq=False)
class LinearModel(Model):
    """Weights by 64-bit feature hash, of the history (four states of two labels, bias), and a calibration.

    The log-odds of a token are `slope` · margin + `offset`.
    """

    kind: str
    row_keys: npt.NDArray[np.uint64]
    row_weights: npt.NDArray[np.float32]
    joint_keys: npt.NDArray[np.uint64]
    joint_weights: npt.NDArray[np.float32]
    place_weights: npt.NDArray[np.float32]
    place_sizes: tuple[int, ...]
    history: npt.NDArray[np.float64]
    slope: float = 1.0
    offset: float = 0.0
    # The weights by number, while the data that was learned from is at hand.
    _fitted: tuple[Columns, npt.NDArray[np.float64]] | None = field(default=None, repr=False)

    @property
    def dimension(self) -> float:
        weights = (self.row_weights, self.joint_weights, self.place_weights)
        return float(sum(part.size for part in weights) + 1)

    @property
    def _back(self) -> bool:
        return bool(self.history[:4].any())

    @cached_property
    def _slots(self) -> Slots:
        return hash_weights(self.row_keys, self.row_weights)

    @cached_property
    def _joint_table(self) -> npt.NDArray[np.uint64]:
        return pack_weights(self.joint_keys, self.joint_weights)

    def word_scores(self, words: WordTable) -> npt.NDArray[np.float32]:
        """Score each distinct word at each offset: 0, −1, +1, −2, +2."""
        return scores_of_words(words, self._slots)

    def margins(
        self, data: TokenData, *, documents: npt.NDArray[np.bool_] | None = None
    ) -> npt.NDArray[np.float64]:
        """Score each token without calibration."""
        wanted = every_document(data, documents)
        out = np.empty(len(data))
        if self._fitted is not None and self._fitted[0] is known_columns(data):
            columns, weights = self._fitted
            _kernels.margins(
                data.rows, data.tokens.doc, wanted, REDACTED, columns.numbers, weights,
                self.history, self._back, out,
            )  # fmt: skip
            return out
        places, sizes = laid_places(data)
        if sizes != self.place_sizes:
            raise DataError(
                "The tokens do not carry the place features that the model was fitted on."
            )
        words = data.words
        _kernels.factored_margins(
            data.rows, data.tokens.doc, wanted, REDACTED, words.scores_of(self), words.lower,
            words.shape, self._joint_table, UNIT, places, self.place_weights, self.history, self._back, out,
        )  # fmt: skip
        return out

    def scores(
        self, data: TokenData, *, documents: npt.NDArray[np.bool_] | None = None
    ) -> npt.NDArray[np.float64]:
        """Return each token's log-odds of being sensitive."""
        return self.slope * self.margins(data, documents=documents) + self.offset

    def to_arrays(self) -> tuple[Header, Arrays]:
        header = {"kind": self.kind, "place_sizes": list(self.place_sizes)}
        return header, {
            "row_keys": self.row_keys,
            "row_weights": self.row_weights,
            "joint_keys": self.joint_keys,
            "joint_weights": self.joint_weights,
            "place_weights": self.place_weights,
            "history": self.history,
            "calibration": np.array([self.slope, self.offset]),
        }

    @classmethod
    def from_arrays(cls, header: Header, arrays: Arrays) -> LinearModel:
        """Rebuild a stored model; what does not fit together is refused."""
        try:
            calibration = arrays["calibration"].astype(np.float64)
            model = cls(
                str(header["kind"]),
                arrays["row_keys"].astype(np.uint64),
                arrays["row_weights"].astype(np.float32),
                arrays["joint_keys"].astype(np.uint64),
                arrays["joint_weights"].astype(np.float32),
                arrays["place_weights"].astype(np.float32),
                tuple(int(s) for s in header["place_sizes"]),
                arrays["history"].astype(np.float64),
                slope=float(calibration[0]),
                offset=float(calibration[1]),
            )
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise ModelError("A linear classifier of the model directory lacks a part.") from error
        parts = (model.row_weights, model.joint_weights, model.place_weights, model.history,
                 calibration)  # fmt: skip
        fits = (
            model.kind in MODELS
            and model.row_keys.shape == model.row_weights.shape == (len(model.row_keys),)
            and model.joint_keys.shape == model.joint_weights.shape == (len(model.joint_keys),)
            and model.place_weights.shape == (sum(model.place_sizes),)
            and all(size > 0 for size in model.place_sizes)
            and model.history.shape == (5,)
            and calibration.shape == (2,)
            and model.slope > 0
            and all(np.isfinite(part).all() for part in parts)
        )
        if not fits:
            raise ModelError("The arrays of a linear classifier do not fit together.")
        return model


def model_of(
    kind: str,
    columns: Columns,
    weights: npt.NDArray[np.float64],
    history: npt.NDArray[np.float64],
) -> LinearModel:
    """Keep the weights that are not zero, by the keys of their features."""
    rows, joints = len(columns.row_keys), len(columns.row_keys) + len(columns.joint_keys)
    row, joint = weights[:rows], weights[rows:joints]
    used, joined = row != 0, np.round(joint / UNIT) != 0
    return LinearModel(
        kind,
        columns.row_keys[used],
        row[used].astype(np.float32),
        columns.joint_keys[joined],
        joint[joined].astype(np.float32),
        weights[joints:].astype(np.float32),
        columns.place_sizes,
        history,
        _fitted=(columns, weights),
    )
