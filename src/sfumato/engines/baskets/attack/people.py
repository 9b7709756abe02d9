"""The steward's record of which row became which: `OUT.private/items.npz`, by marks under the private key.

One line per published row: the mark of its person, and the items that the row holds. People are known by the column of
a log that names them; the rows of a matrix are known again in the same file only. Without the key it names nobody.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ....core.composition.releases import private_record
from ....core.errors import FormatError
from ....core.randomness import Streams
from ....core.records import InputFile
from ....core.storage.private_folder import write_private
from ....core.storage.private_key import private_key
from ....data.baskets import Baskets
from ....data.npz import read_npz, write_npz
from ..matrix.binary import BinaryMatrix, as_binary

__all__ = [
    "ITEMS_FILE",
    "PublishedPeople",
    "hash_rows",
    "mark_units",
    "number_rows",
    "people_of_rows",
]

ITEMS_FILE = "items.npz"
_NAMES = ("marks", "bounds", "items", "features")


def number_rows(baskets: Baskets) -> npt.NDArray[np.object_] | npt.NDArray[np.int64]:
    """Return who each row is about: people by name, or rows by number."""
    return np.arange(len(baskets)) if baskets.units is None else baskets.units


def mark_units(
    units: npt.NDArray[np.object_] | npt.NDArray[np.int64], source: str
) -> npt.NDArray[np.uint64]:
    """Return a number for each row's person, which nobody can compute without the private key.

    Parameters
    ----------
    units : array
        Names of people, or numbers of rows.
    source : str
        The hash of the input: a row's number says nothing about another file.

    """
    if units.dtype.kind != "O":
        most = int(units.max(initial=-1)) + 1
        drawn = Streams(private_key().seed("rows of baskets", source)).generator("marks")
        marks = drawn.integers(0, 2**64 - 1, most, np.uint64, endpoint=True)
        return np.asarray(marks[units.astype(np.int64)])
    mark = private_key().marker("people of baskets")
    return np.array([int(mark(str(name))[:16], 16) for name in units], np.uint64)


@dataclass(frozen=True)
class PublishedPeople:
    """The people of a release by their marks, in rising order, and the items that each was published with."""

    name: str
    marks: npt.NDArray[np.uint64]
    matrix: BinaryMatrix
    features: tuple[str, ...]

    @classmethod
    def of_rows(
        cls, name: str, marks: npt.NDArray[np.uint64], matrix: object, features: Sequence[str]
    ) -> PublishedPeople:
        """Take published rows with the marks of their people."""
        order = np.argsort(marks, kind="stable")
        return cls(name, marks[order], as_binary(matrix).take_rows(order), tuple(features))

    @classmethod
    def of(cls, release: str | os.PathLike[str]) -> PublishedPeople:
        """Read the list of a release; refuse one whose private folder is not at hand."""
        release = Path(release)
        file = private_record(
            release, ITEMS_FILE, about="people",
            hint="name a release of baskets; its private folder must be next to it.",
        )  # fmt: skip
        return cls._read(release.name, file)

    @classmethod
    def _read(cls, name: str, file: Path) -> PublishedPeople:
        refused = FormatError(f"The file {file.name!r} does not hold the people of a release.")
        found = read_npz(file, _NAMES)
        if found is None:
            raise refused
        marks, bounds, held, spelled = found
        try:
            features = tuple(map(str, json.loads(spelled.tobytes())))
            widths = np.diff(bounds.astype(np.int64))
            whole = len(widths) == len(marks) and bounds[0] == 0 and bounds[-1] == len(held)
        except (TypeError, ValueError, IndexError):
            raise refused from None
        if not whole or widths.min(initial=0) < 0:
            raise refused
        if held.size and not 0 <= held.min() <= held.max() < len(features):
            raise refused
        matrix = BinaryMatrix(bounds.astype(np.int64), held.astype(np.int32), len(features))
        return cls(name, marks.astype(np.uint64), matrix, features)

    def __len__(self) -> int:
        return len(self.marks)

    def write(self, out: str | os.PathLike[str]) -> Path:
        """Write the list into the private folder of a release."""
        # Not as Parquet: importing its library would take longer than everything else that is written.
        spelled = np.frombuffer(json.dumps(self.features).encode(), np.uint8)
        narrow = np.min_scalar_type(max(self.matrix.d - 1, 0))
        columns = (self.marks, self.matrix.indptr, self.matrix.indices.astype(narrow), spelled)
        stream = io.BytesIO()
        write_npz(stream, dict(zip(_NAMES, columns, strict=True)), level=1)
        return write_private(out, ITEMS_FILE, stream.getvalue())


def hash_rows(baskets: Baskets, inputs: Sequence[InputFile]) -> str:
    """Return what the same rows are known by: their file, or what they hold where there is none."""
    if inputs:
        return str(inputs[0].sha256)
    rows = as_binary(baskets.matrix)
    return hashlib.sha256(rows.indptr.tobytes() + rows.indices.tobytes()).hexdigest()


def people_of_rows(released: Baskets, source: str, name: str) -> PublishedPeople:
    """Return the people of published rows; a log has no line for somebody of whom nothing is left."""
    assert released.units is not None
    marks = mark_units(released.units, source)
    rows = released.matrix
    if released.format == "log":
        there = np.diff(rows.indptr) > 0
        marks, rows = marks[there], rows[there]
    return PublishedPeople.of_rows(name, marks, rows, released.feature_names)
