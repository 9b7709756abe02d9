"""Post-randomisation (PRAM): some cells of a column are drawn again from the column's own values.

A cell stays with chance 1 − p and is drawn again from the column's distribution π otherwise, so the transition matrix is
P = (1 − p) I + p 1πᵀ, and πP = π: counts of the column need no correction. A table N of another column (rows) against this one is
corrected by N P⁻¹ = (N − p n πᵀ) / (1 − p), n being its row sums; π is the distribution in the release. Draws are keyed by the
person (by the published row where no column names one) and the column, so that several releases under one key draw alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....core.errors import DataError
from ....data.attributes import Attribute
from ....data.column_treatments import Treatment
from ....data.table_schema import TableSchema
from ....data.table_source import TableSource, quote_name
from ..records import ColumnLoss
from .rows import WHO

__all__ = ["STORED", "RedrawnColumn", "redraw", "transition_matrix", "transitions"]

STORED = "sfumato_rows"  # the rows while columns are treated
_NUMBER = quote_name("sfumato number")
_UNIT = float(1 << 64)
_MOST_VALUES = 50  # values of a column up to which a release contains its matrix


def redraw(
    codes: npt.NDArray[np.integer], chance: float, draws: npt.NDArray[np.float64]
) -> npt.NDArray[np.int64]:
    """Draw some codes again from their own distribution.

    Parameters
    ----------
    codes : array of int
        The number of each cell's value.
    chance : float
        The chance of a cell to be drawn again.
    draws : array of shape (cells, 2)
        Numbers in [0, 1): whether a cell is drawn again, and what it becomes.

    >>> redraw(np.array([0, 0, 1, 1]), 0.5, np.array([[0.9, 0], [0.1, 0.8], [0.2, 0.1], [0.6, 0]])).tolist()
    [0, 1, 0, 1]

    """
    share = np.cumsum(np.bincount(codes)) / codes.size
    drawn = np.searchsorted(share, draws[:, 1], side="right").clip(max=share.size - 1)
    return np.where(draws[:, 0] < chance, drawn, codes).astype(np.int64)


def transition_matrix(counts: Sequence[int], chance: float) -> tuple[tuple[float, ...], ...]:
    """Return the chances that a cell with the value of a row is published as the value of a column.

    Parameters
    ----------
    counts : sequence of int
        How often each value is published.
    chance : float
        The chance of a cell to be drawn again.

    >>> transition_matrix([3, 1], 0.2)
    ((0.95, 0.05), (0.15, 0.85))

    """
    share = np.asarray(counts, dtype=np.float64) / max(sum(counts), 1)
    matrix = (1 - chance) * np.eye(share.size) + chance * share
    return tuple(tuple(round(float(cell), 6) for cell in row) for row in matrix)


def transitions(
    schema: TableSchema, published: TableSource
) -> dict[str, tuple[tuple[float, ...], ...]]:
    """Return the transition matrix of each column of a release that was drawn again, its values in order.

    It is computed from the published cells alone.
    """
    found = {}
    for attribute in schema.attributes:
        method = attribute.publish
        if isinstance(method, Treatment) and method.pram is not None:
            name = quote_name(attribute.name)
            cell = f"nullif(CAST({name} AS VARCHAR), '')"
            counted = published.query(
                f"SELECT count(*) AS n FROM {published.sql} WHERE {cell} IS NOT NULL "  # noqa: S608 (quoted)
                f"GROUP BY {cell} ORDER BY {cell}"
            )
            if counted.num_rows <= _MOST_VALUES:
                counts = counted.column("n").to_pylist()
                found[attribute.name] = transition_matrix(counts, method.pram)
    return found


@dataclass(frozen=True)
class RedrawnColumn:
    """One column of the stored rows of which some cells are drawn again."""

    opened: TableSource
    attribute: Attribute
    schema: TableSchema
    number: int
    plain: tuple[str, ...]
    key: str

    @property
    def _new(self) -> str:
        return f"sfumato_new_{self.number}"

    @property
    def _cell(self) -> str:
        """The SQL of the cell as it was: text, NULL where it is missing."""
        text = f"CAST({quote_name(self.attribute.name)} AS VARCHAR)"
        return self.schema.cell(self.attribute.name).replace(quote_name(self.attribute.name), text)

    def fill(self) -> None:
        """Compute the new cells; missing ones stay missing."""
        import pyarrow as pa

        method = self.attribute.publish
        assert isinstance(method, Treatment)
        assert method.pram is not None
        found = self.opened.query(
            f"SELECT {_NUMBER} AS i, {self._cell} AS v, {self._who} AS who FROM {STORED} "  # noqa: S608 (quoted)
            f"WHERE {self._cell} IS NOT NULL"
        )
        if found.num_rows == 0:
            raise DataError(f"The column {self.attribute.name!r} holds nothing to draw from.")
        encoded = found.column("v").combine_chunks().dictionary_encode()
        values = np.array(encoded.dictionary.to_pylist(), dtype=object)
        order = np.argsort(values.astype(str), kind="stable")
        place = np.empty(order.size, dtype=np.int64)
        place[order] = np.arange(order.size)
        codes = place[encoded.indices.to_numpy()]
        keyed = [f"{self.attribute.name} {who}" for who in found.column("who").to_pylist()]
        new = redraw(codes, method.pram, uniforms(self.key, keyed))
        table = pa.table({"i": found.column("i"), "new": values[order][new].tolist()})
        self.opened.connection.register("sfumato_redrawn", table)
        self.opened.execute(f"ALTER TABLE {STORED} ADD COLUMN {self._new} VARCHAR")
        self.opened.execute(
            f"UPDATE {STORED} SET {self._new} = r.new FROM sfumato_redrawn r WHERE {_NUMBER} = r.i"  # noqa: S608 (ours)
        )

    @property
    def _who(self) -> str:
        """The SQL of whose row it is; equal rows are distinguished by their number among each other."""
        if self.schema.person is not None:
            return quote_name(WHO)
        others = ", ".join(quote_name(c) for c in self.plain)
        content = f"CAST(row({others}) AS VARCHAR)" if others else "''"
        same = ", ".join(filter(None, (others, self._cell)))
        return f"{content} || ' ' || {self._cell} || row_number() OVER (PARTITION BY {same})"

    def loss(self) -> ColumnLoss:
        """Measure how many cells changed."""
        method = self.attribute.publish
        assert method is not None
        found = self.opened.query(
            f"SELECT avg(CASE WHEN {self._cell} <> {self._new} THEN 1.0 ELSE 0.0 END) AS changed FROM {STORED} "  # noqa: S608 (quoted)
            f"WHERE {self._cell} IS NOT NULL"
        )
        changed = float(found.column("changed")[0].as_py() or 0.0)
        if not changed:
            raise DataError(
                f"The column {self.attribute.name!r} would be published unchanged: drawing again changed none "
                "of its cells.",
                hint="choose a larger chance, or remove `publish` to publish it as it is.",
            )
        return ColumnLoss(method=method.in_words(), changed=changed, distance=0.0)

    def replacement(self) -> str:
        """Return the SQL of the column as it is published, with its own type."""
        name = quote_name(self.attribute.name)
        found = self.opened.query(f"SELECT typeof({name}) AS kind FROM {STORED} LIMIT 1")  # noqa: S608 (quoted)
        kind = found.column("kind").to_pylist()
        return f"CAST({self._new} AS {kind[0] if kind else 'VARCHAR'}) AS {name}"


def uniforms(key: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return two numbers in [0, 1) for each text, by a keyed cryptographic hash.

    >>> one, again, other = uniforms("a key", ["one", "one", "two"])
    >>> bool((one == again).all()), bool((one == other).any())
    (True, False)
    """
    secret = bytes.fromhex(key) if len(key) == 64 else key.encode()
    digests = b"".join(
        hashlib.blake2b(
            text.encode("utf-8", "surrogatepass"),
            digest_size=16,
            key=secret,
            person=b"sfumato pram",
        ).digest()
        for text in texts
    )
    found: npt.NDArray[np.float64] = np.frombuffer(digests, dtype="<u8").reshape(-1, 2) / _UNIT
    return found.clip(max=1 - 2**-53)
