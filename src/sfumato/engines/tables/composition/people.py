"""The steward's record of which row became which: `OUT.private/people.parquet`, by marks under the private key.

One line per published person: the mark, made from the column of people or of identifiers, and the labels of the person's
first row. With it two releases of the same people can be measured together, later; without the key it names nobody.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ....core.composition.joint import Codes, JointSizes, ReleaseCodes, combine_codes
from ....core.composition.releases import private_record
from ....core.errors import FormatError
from ....core.storage.private_folder import write_private

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "MARK",
    "PEOPLE_FILE",
    "SHOWN",
    "CommonPeople",
    "KnownPeople",
    "write_people",
]

PEOPLE_FILE = "people.parquet"
MARK = "sfumato mark"
SHOWN = "sfumato shown "
"""What the names of columns that are published unchanged begin with in the file."""


def write_people(out: str | os.PathLike[str], rows: pa.Table) -> Path:
    """Write the list into the private folder of a release."""
    import io

    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(rows, stream, use_dictionary=True)
    return write_private(out, PEOPLE_FILE, stream.getvalue())


@dataclass(frozen=True)
class KnownPeople:
    """The people of a release by their marks, and the labels that each was published with."""

    name: str
    rows: pa.Table

    @classmethod
    def of(cls, release: str | os.PathLike[str]) -> KnownPeople:
        """Read the list of a release; refuse one whose private folder is not at hand."""
        release = Path(release)
        file = private_record(
            release, PEOPLE_FILE, about="people",
            hint="its private folder must be next to it, and its schema must have had a column with "
            'role = "person" or "identifier".',
        )  # fmt: skip
        return cls(release.name, _read(file))

    @property
    def quasi(self) -> list[str]:
        """The quasi-identifiers."""
        return [n for n in self.rows.column_names if n != MARK and not n.startswith(SHOWN)]

    @property
    def shown(self) -> list[str]:
        """The columns that are published unchanged."""
        return [n for n in self.rows.column_names if n.startswith(SHOWN)]


def _read(file: Path) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows = pq.read_table(file)
    except (OSError, pa.ArrowException):
        raise FormatError(
            f"The file {file.name!r} does not hold the people of a release."
        ) from None
    if MARK not in rows.column_names:
        raise FormatError(f"The file {file.name!r} does not hold the people of a release.")
    return rows


@dataclass(frozen=True)
class CommonPeople:
    """The people whom two releases are both about.

    Parameters
    ----------
    first, second : ReleaseCodes
        All rows of the two.
    at_first, at_second : array of int
        The places of the same people in each.
    changed : array of bool
        Whether a label of a column that both have differs.

    """

    first: ReleaseCodes
    second: ReleaseCodes
    at_first: Codes
    at_second: Codes
    changed: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, first: KnownPeople, second: KnownPeople) -> CommonPeople:
        """Join two releases by the marks of their people; of somebody with several rows the first is taken."""
        left, right = _once(first), _once(second)
        marks_a, marks_b = (
            rows.column(MARK).to_numpy(zero_copy_only=False) for rows in (left, right)
        )
        _, at_a, at_b = np.intersect1d(marks_a, marks_b, assume_unique=True, return_indices=True)
        shared = _codes_in_common(
            left, right, sorted(set(first.shown) & set(second.shown)), at_a, at_b
        )
        changed = np.zeros(len(at_a), np.bool_)
        for name in set(first.quasi) & set(second.quasi):
            one, other = left.column(name).take(at_a), right.column(name).take(at_b)
            changed |= one.to_numpy(zero_copy_only=False) != other.to_numpy(zero_copy_only=False)
        codes = [
            ReleaseCodes(_codes(rows, people.quasi), own)
            for rows, people, own in zip((left, right), (first, second), shared, strict=True)
        ]
        return cls(codes[0], codes[1], at_a, at_b, changed)

    def __len__(self) -> int:
        return len(self.at_first)

    def sizes(self) -> JointSizes:
        """Measure the two releases together."""
        return JointSizes.of(self.first, self.second, self.at_first, self.at_second)


def _codes_in_common(
    left: pa.Table, right: pa.Table, names: Sequence[str], at_a: Codes, at_b: Codes
) -> tuple[Codes, Codes]:
    """Return one number per row of each table for the columns that show the same of everybody in both."""
    import pyarrow as pa

    same = [n for n in names if left.column(n).take(at_a).equals(right.column(n).take(at_b))]
    if not same:
        return np.zeros(len(left), np.int64), np.zeros(len(right), np.int64)
    codes = _codes(pa.concat_tables([left.select(same), right.select(same)]), same)
    return codes[: len(left)], codes[len(left) :]


def _once(people: KnownPeople) -> pa.Table:
    """Return one row per person."""
    marks = people.rows.column(MARK).to_numpy(zero_copy_only=False)
    _, first = np.unique(marks, return_index=True)
    return people.rows if len(first) == len(marks) else people.rows.take(np.sort(first))


def _codes(rows: pa.Table, names: Sequence[str]) -> Codes:
    """Return one number per row for the values of some columns."""
    columns = []
    for name in names:
        encoded = rows.column(name).combine_chunks().dictionary_encode()
        found = encoded.indices.fill_null(len(encoded.dictionary)).to_numpy(zero_copy_only=False)
        columns.append(found.astype(np.int64))
    return combine_codes(columns)
