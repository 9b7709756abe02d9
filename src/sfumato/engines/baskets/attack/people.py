"""What the steward keeps of whose row became which: `OUT.private/items.parquet`, by marks under the private key.

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
from ....core.errors import FormatError, InputError
from ....core.randomness import Streams
from ....core.records import InputFile
from ....core.storage.private_folder import write_private
from ....core.storage.private_key import private_key
from ....data.baskets import Baskets
from ..matrix.binary import BinaryMatrix, as_binary

__all__ = [
    "ITEMS_FILE",
    "PublishedPeople",
    "hash_rows",
    "mark_units",
    "number_rows",
    "people_of_rows",
]

ITEMS_FILE = "items.parquet"
_MARK, _ITEMS, _FEATURES = "sfumato mark", "items", b"sfumato features"


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
        file = private_record(release, ITEMS_FILE)
        if file is None:
            raise InputError(
                f"Nothing is known of the people in {release.name!r}.",
                hint="name a release of baskets; its private folder must be next to it.",
            )
        return cls._read(release.name, file)

    @classmethod
    def _read(cls, name: str, file: Path) -> PublishedPeople:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            table = pq.read_table(file).combine_chunks()
            features = tuple(map(str, json.loads(table.schema.metadata[_FEATURES])))
            items = table.column(_ITEMS).combine_chunks()
            marks = table.column(_MARK).to_numpy().astype(np.uint64)
            bounds = np.concatenate(([0], np.cumsum(items.value_lengths().to_numpy())))
            held = items.flatten().to_numpy().astype(np.int32)
        except (OSError, pa.ArrowException, KeyError, TypeError, ValueError):
            raise FormatError(
                f"The file {file.name!r} does not hold the people of a release."
            ) from None
        if held.size and not 0 <= held.min() <= held.max() < len(features):
            raise FormatError(f"The file {file.name!r} does not hold the people of a release.")
        return cls(name, marks, BinaryMatrix(bounds.astype(np.int64), held, len(features)), features)  # fmt: skip

    def __len__(self) -> int:
        return len(self.marks)

    def write(self, out: str | os.PathLike[str]) -> Path:
        """Write the list into the private folder of a release."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        # Of the arrays' own memory: `pa.array` would import pandas, which takes longer than the rest.
        indices = np.ascontiguousarray(self.matrix.indices, np.int32)
        held = pa.Array.from_buffers(pa.int32(), len(indices), [None, pa.py_buffer(indices)])
        bounds = pa.py_buffer(self.matrix.indptr.astype(np.int32))
        items = pa.Array.from_buffers(
            pa.list_(pa.int32()), len(self.marks), [None, bounds], children=[held]
        )
        marks = pa.py_buffer(np.ascontiguousarray(self.marks, np.uint64))
        known = pa.Array.from_buffers(pa.uint64(), len(self.marks), [None, marks])
        table = pa.Table.from_arrays([known, items], names=[_MARK, _ITEMS])
        names = {_FEATURES: json.dumps(self.features).encode()}
        stream = io.BytesIO()
        pq.write_table(table.replace_schema_metadata(names), stream)
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
