"""What is kept of the training documents, to check a release against the promise.

Counts by document, the shift check, the reading of numeric dates, and marks of the texts; no word of
them. It is next to the model, on the private side.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ...core.arrays import Counts
from ...core.errors import ModelError
from ...core.statistics.resampling import NextBatch
from .reading.arrays import Array, Header
from .redaction.surrogates.dates import DateReading
from .sanitize.storage import load_model, save_model
from .shift import ShiftReference

__all__ = ["LEARNED_FOLDER", "HeldOut", "Learned", "mark_of"]

LEARNED_FOLDER = "learned"
LARGEST_BATCH = (
    20_000  # documents: beyond, a range does not get narrower by an amount worth the time
)
_COLUMNS = ("words", "kept", "sensitive", "left")


def mark_of(text: str, salt: int) -> int:
    """Return a mark of a text that tells whether it is the same, and little else.

    >>> mark_of("Ann", 1) == mark_of("Ann", 1), mark_of("Ann", 1) == mark_of("Ann", 2)
    (True, False)
    """
    key = salt.to_bytes(8, "little")
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, key=key)
    return int.from_bytes(digest.digest(), "little")


@dataclass(frozen=True, eq=False)
class HeldOut:
    """One candidate on the documents that it was judged on: counts, one row per document.

    `table` has the columns words, words kept, sensitive words and sensitive words left;
    `redacted` counts redacted words by label.
    """

    table: Counts
    redacted: Counts

    def column(self, name: str) -> Counts:
        """Return one column of the table."""
        return self.table[:, _COLUMNS.index(name)]

    def batch(self, documents: int, seed: int) -> NextBatch:
        """Return the draws of a release of this many documents."""
        return NextBatch(len(self.table), max(1, min(documents, LARGEST_BATCH)), seed)


@dataclass(frozen=True, eq=False)
class Learned:
    """Everything that is kept: by candidate what was held out, and what all candidates share."""

    labels: tuple[str, ...]
    held_out: Mapping[str, HeldOut]
    shift: ShiftReference | None
    reading: DateReading
    marks: npt.NDArray[np.uint64]
    salt: int

    def knows(self, text: str) -> bool:
        """Return whether a text is one of those that were learned from."""
        mark = np.uint64(mark_of(text, self.salt))
        place = int(np.searchsorted(self.marks, mark))
        return place < len(self.marks) and bool(self.marks[place] == mark)

    @staticmethod
    def marked(texts: Sequence[str], salt: int) -> npt.NDArray[np.uint64]:
        """Return the marks of texts, sorted."""
        return np.unique(np.array([mark_of(text, salt) for text in texts], np.uint64))

    def save(self, folder: Path) -> None:
        """Write it into its own folder."""
        arrays: dict[str, Array] = {"marks": self.marks}
        for name, counts in self.held_out.items():
            arrays |= {f"{name}/table": counts.table, f"{name}/redacted": counts.redacted}
        header: Header = {
            "labels": list(self.labels),
            "candidates": list(self.held_out),
            "day_first": [[s, first] for s, first in self.reading.by_separator],
            "day_first_default": self.reading.default,
            "salt": self.salt,
            "shift": None,
        }
        if self.shift is not None:
            header["shift"], own = self.shift.to_arrays()
            arrays |= {f"shift/{name}": array for name, array in own.items()}
        save_model(folder / LEARNED_FOLDER, header, arrays, force=True)

    @classmethod
    def load(cls, folder: Path) -> Learned:
        """Read it back; what is damaged is refused."""
        header, arrays = load_model(folder / LEARNED_FOLDER)
        try:
            labels = tuple(str(label) for label in header["labels"])
            held_out = {
                str(name): _check_held_out(
                    arrays[f"{name}/table"], arrays[f"{name}/redacted"], len(labels)
                )
                for name in header["candidates"]
            }
            reading = DateReading(
                tuple((str(s), bool(first)) for s, first in header["day_first"]),
                bool(header["day_first_default"]),
            )
            marks, salt = arrays["marks"], int(header["salt"])
            if marks.dtype != np.uint64 or marks.ndim != 1 or not 0 <= salt < 1 << 63:
                raise ValueError
            described = header["shift"]
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError("The training documents do not fit the model.") from error
        shift = None
        if described is not None:
            own = {k[len("shift/") :]: v for k, v in arrays.items() if k.startswith("shift/")}
            shift = ShiftReference.from_arrays(described, own)
        return cls(labels, held_out, shift, reading, np.sort(marks), salt)


def _check_held_out(table: Array, redacted: Array, labels: int) -> HeldOut:
    sound = (
        table.dtype == np.int64
        and table.ndim == 2
        and table.shape[1] == len(_COLUMNS)
        and len(table) > 0
        and redacted.dtype == np.int64
        and redacted.shape == (len(table), labels)
        and not (table < 0).any()
        and not (redacted < 0).any()
    )
    if not sound:
        raise ValueError
    return HeldOut(table, redacted)
