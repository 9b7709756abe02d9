"""Numbers of columns other than quasi-identifiers: coded at the ends, rounded, averaged in groups, or blurred.

The rows are stored for this, since some methods look at a whole column. Noise is drawn by a keyed
cryptographic hash of the person (of the published row where no column names one), the column and the number:
the same number of the same person is blurred alike in every release under one private key, so that many
releases do not average the noise away, and nobody without the key can tell one draw from another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ....core.errors import DataError
from ....data.attributes import Attribute
from ....data.column_treatments import Treatment
from ....data.table_domains import not_a_number
from ....data.table_schema import TableSchema
from ....data.table_source import TableSource, quote_name
from ..records import ColumnLoss
from .microaggregation import average_together, microaggregate, round_to
from .post_randomisation import STORED as _STORED
from .post_randomisation import RedrawnColumn
from .rows import WHO, ReleaseRows

__all__ = ["Treated", "check_cells", "treat"]

_NUMBER = quote_name("sfumato number")
_UNIT = float(1 << 64)


@dataclass(frozen=True)
class Treated:
    """Rows with their treated columns, what each column lost, and who is alone by a weight."""

    rows: ReleaseRows
    losses: dict[str, ColumnLoss]
    alone: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """By column of weights: the people alone by theirs, as it was and as it is published, of how many."""


def check_cells(opened: TableSource, schema: TableSchema) -> None:
    """Refuse a table in which a treated column holds what cannot be treated: it would go out as it is."""
    for attribute in schema.attributes:
        if attribute.role not in {"other", "weight"}:
            continue
        plain = attribute.model_copy(update={"date": None}).cell(schema.missing_values)
        if isinstance(attribute.publish, Treatment) and attribute.publish.pram is None:
            number = f"TRY_CAST({plain} AS DOUBLE)"
            wrong = f"{plain} IS NOT NULL AND ({number} IS NULL OR NOT isfinite({number}))"
            found = opened.query(f"SELECT count(*) FILTER ({wrong}) AS n FROM {opened.sql}")  # noqa: S608 (quoted)
            if found.column("n")[0].as_py():
                raise not_a_number(opened, attribute.name, plain)
        if attribute.date is not None:
            wrong = f"{plain} IS NOT NULL AND {attribute.date.day(plain)} IS NULL"
            found = opened.query(
                f"SELECT min(place) AS place FROM (SELECT row_number() OVER () AS place, {wrong} AS odd "  # noqa: S608 (quoted)
                f"FROM {opened.sql}) WHERE odd"
            )
            if (row := found.column("place")[0].as_py()) is not None:
                raise DataError(
                    f"The column {attribute.name!r} holds a cell that is not a date in row {row:,}.",
                    hint="say how dates are written: date = { format = … }.",
                )


def treat(rows: ReleaseRows, columns: Sequence[str], schema: TableSchema, key: str) -> Treated:
    """Treat the columns of rows that the schema says so of.

    Parameters
    ----------
    rows : ReleaseRows
        What is published otherwise.
    columns : sequence of str
        The columns of the rows.
    schema : TableSchema
        How columns are published.
    key : str
        Private; the noise comes from it.

    """
    chosen = [
        a for a in schema.attributes if isinstance(a.publish, Treatment) and a.name in columns
    ]
    if not chosen:
        return Treated(rows, {})
    cells = ", ".join(quote_name(column) for column in columns)
    plain = [c for c in columns if c not in {a.name for a in chosen}]
    stored = rows.materialise(_STORED, f"row_number() OVER () AS {_NUMBER}")
    made: list[_TreatedColumn | RedrawnColumn] = []
    for number, attribute in enumerate(chosen):
        if isinstance(attribute.publish, Treatment) and attribute.publish.pram is not None:
            made.append(RedrawnColumn(stored.opened, attribute, schema, number, tuple(plain), key))
            continue
        new = f"sfumato_new_{number}"
        made.append(_TreatedColumn(stored.opened, attribute, schema, new, tuple(plain), key))
    for column in made:
        column.fill()
    numbers = [column for column in made if isinstance(column, _TreatedColumn)]
    _average_groups(numbers)
    losses = {column.attribute.name: column.loss() for column in made}
    alone = {c.attribute.name: c.alone() for c in numbers if c.attribute.role == "weight"}
    replaced = [column.replacement() for column in made]
    sql = f"SELECT {cells} FROM (SELECT * REPLACE ({', '.join(replaced)}) FROM {_STORED})"  # noqa: S608 (quoted)
    return Treated(ReleaseRows(stored.opened, sql, rows.failed), losses, alone)


def _average_groups(columns: Sequence[_TreatedColumn]) -> None:
    """Average the columns that the schema wants averaged together."""
    names = [c.method.together for c in columns if c.method.together is not None]
    for name in dict.fromkeys(names):
        some = [column for column in columns if column.method.together == name]
        average_together(
            some[0].opened,
            _STORED,
            [column.new for column in some],
            person=some[0].person,
            number=_NUMBER,
            min_people=some[0].method.microaggregate or 0,
            steps=[column.step() / 10 for column in some],
        )


@dataclass(frozen=True)
class _TreatedColumn:
    """One column of the stored rows, and the new one."""

    opened: TableSource
    attribute: Attribute
    schema: TableSchema
    new: str
    plain: tuple[str, ...]
    key: str

    @property
    def method(self) -> Treatment:
        """How its numbers are published."""
        assert isinstance(self.attribute.publish, Treatment)
        return self.attribute.publish

    @property
    def _old(self) -> str:
        """The SQL of the number as it was."""
        text = f"CAST({quote_name(self.attribute.name)} AS VARCHAR)"
        cell = self.schema.cell(self.attribute.name).replace(quote_name(self.attribute.name), text)
        return f"TRY_CAST({cell} AS DOUBLE)"

    def fill(self) -> None:
        """Compute the new numbers."""
        method = self.method
        value = self._old
        if method.bottom is not None:
            value = f"greatest({value}, {method.bottom}::DOUBLE)"
        if method.top is not None:
            value = f"least({value}, {method.top}::DOUBLE)"
        if method.round is not None:
            digits = max(0, -_exponent(method.round))
            value = (
                f"round(round({value} / {method.round}::DOUBLE) * {method.round}::DOUBLE, {digits})"
            )
        value = f"CASE WHEN {self._old} IS NOT NULL THEN {value} END"
        self.opened.execute(f"ALTER TABLE {_STORED} ADD COLUMN {self.new} DOUBLE")
        self.opened.execute(f"UPDATE {_STORED} SET {self.new} = {value}")  # noqa: S608 (quoted)
        if method.microaggregate is not None and method.together is None:
            self._average(method.microaggregate)
        if method.noise is not None:
            self._blur(method.noise)

    @property
    def _who(self) -> str:
        """The SQL of whose row it is: a person's mark, or what is published of the row besides.

        Equal rows are distinguished by their number among each other; which of them has which does not matter.
        """
        if self.schema.person is not None:
            return quote_name(WHO)
        others = ", ".join(quote_name(c) for c in self.plain)
        content = f"CAST(row({others}) AS VARCHAR)" if others else "''"
        same = ", ".join(filter(None, (others, self._old)))
        return f"{content} || ' ' || row_number() OVER (PARTITION BY {same})"

    @property
    def person(self) -> str:
        """The SQL of whose row it is: a person's mark, or the row's number where no column names one."""
        return quote_name(WHO) if self.schema.person is not None else _NUMBER

    def alone(self) -> tuple[int, int, int]:
        """Return how many people nobody shares a number with: the old one, and the new one; and all of them."""

        def count(number: str) -> int:
            held = (
                f"SELECT {number} AS v, min({self.person}) AS who, count(DISTINCT {self.person}) AS n "  # noqa: S608 (quoted)
                f"FROM {_STORED} WHERE {number} IS NOT NULL GROUP BY v"
            )
            alone = f"SELECT count(DISTINCT who) FILTER (n = 1) AS n FROM ({held})"  # noqa: S608 (quoted)
            found = self.opened.query(alone)
            return int(found.column("n")[0].as_py())

        every = self.opened.query(f"SELECT count(DISTINCT {self.person}) AS n FROM {_STORED}")  # noqa: S608 (quoted)
        return count(self._old), count(self.new), int(every.column("n")[0].as_py())

    def _average(self, min_people: int) -> None:
        """Replace the numbers by means of groups of neighbours, each of several different people."""
        import pyarrow as pa

        person = self.person
        found = self.opened.query(
            f"SELECT {self.new} AS v, dense_rank() OVER (ORDER BY {person}) AS who, count(*) AS n "  # noqa: S608 (quoted)
            f"FROM {_STORED} WHERE {self.new} IS NOT NULL GROUP BY {self.new}, {person} ORDER BY v, who"
        )
        values, people, counts = (found.column(c).to_numpy() for c in ("v", "who", "n"))
        many = len(np.unique(people))
        if self.attribute.role == "weight":  # where few people are left, all of them share one
            min_people = min(min_people, many)
        if many < min_people:
            raise DataError(
                f"The column {self.attribute.name!r} holds numbers of fewer than {min_people:,} people, "
                "too few to average."
            )
        exact = microaggregate(values, people, counts, min_people)
        means = np.where(_alike(exact, values), values, round_to(exact, self.step() / 10))
        one, first = np.unique(values, return_index=True)
        table = pa.table({"v": one, "mean": means[first]})
        self.opened.connection.register("sfumato_means", table)
        self.opened.execute(
            f"UPDATE {_STORED} SET {self.new} = m.mean FROM sfumato_means m WHERE {self.new} = m.v"  # noqa: S608 (ours)
        )

    def _blur(self, share: float) -> None:
        """Add normal noise whose deviation is a share of the column's, to the nearest of ten steps per decade.

        The deviation belongs to what a draw is keyed by. If it were not rounded, two releases of a growing
        table would blur one number by two multiples of one draw, from which both could be computed.
        """
        import pyarrow as pa

        scale = _nearest_step(share * self._deviation())
        found = self.opened.query(
            f"SELECT {_NUMBER} AS i, {self.new} AS v, {self._who} AS who FROM {_STORED} "  # noqa: S608 (quoted)
            f"WHERE {self.new} IS NOT NULL"
        )
        values = found.column("v").to_numpy()
        parts = (f"{self.attribute.name} {scale!r} {v!r} " for v in values.tolist())
        keyed = [p + w for p, w in zip(parts, found.column("who").to_pylist(), strict=True)]
        blurred = round_to(values + scale * normals(self.key, keyed), self.step() / 1000)
        table = pa.table({"i": found.column("i"), "blurred": blurred})
        self.opened.connection.register("sfumato_blurred", table)
        self.opened.execute(
            f"UPDATE {_STORED} SET {self.new} = b.blurred FROM sfumato_blurred b WHERE {_NUMBER} = b.i"  # noqa: S608 (ours)
        )

    def _deviation(self) -> float:
        found = self.opened.query(f"SELECT stddev_samp({self.new}) AS s FROM {_STORED}")  # noqa: S608 (ours)
        return float(found.column("s")[0].as_py() or 0.0)

    def step(self) -> float:
        """Return the power of ten below the column's deviation: numbers are rounded to a part of it.

        It hardly ever depends on a single number; finer steps would reveal single numbers.
        """
        deviation = self._deviation()
        return 10.0 ** np.floor(np.log10(deviation)) if deviation > 0 else 1.0

    def loss(self) -> ColumnLoss:
        """Measure how far the new numbers are from the old ones."""
        old, new = self._old, self.new
        found = self.opened.query(
            f"SELECT count({old}) AS many, avg(CASE WHEN {old} <> {new} THEN 1.0 ELSE 0.0 END) AS changed, "  # noqa: S608 (quoted)
            f"avg(abs({old} - {new})) AS distance, stddev_samp({old}) AS spread, corr({old}, {new}) AS linear "
            f"FROM {_STORED} WHERE {old} IS NOT NULL"
        )
        many, changed, distance, spread, linear = (c[0].as_py() for c in found.columns)
        if not many:
            return ColumnLoss(method=self.method.in_words(), changed=0.0, distance=0.0)
        could_stay = self.attribute.role == "weight"  # who is alone by it is counted instead
        if not (
            changed or could_stay or self.method.top is not None or self.method.bottom is not None
        ):
            raise DataError(
                f"The column {self.attribute.name!r} would be published unchanged: "
                f"{self.method.in_words()} changed none of its numbers.",
                hint="choose a stronger treatment, or remove `publish` to publish it as it is.",
            )
        spread = spread or 0.0
        known = linear is not None and np.isfinite(linear)
        return ColumnLoss(
            method=self.method.in_words(),
            changed=changed,
            distance=distance / (np.sqrt(2.0) * spread) if spread > 0 else 0.0,
            correlation=min(1.0, max(-1.0, linear)) if known else None,
        )

    def replacement(self) -> str:
        """Return the SQL of the column as it is published: whole numbers where all of them are."""
        found = self.opened.query(
            f"SELECT coalesce(bool_and({self.new} = floor({self.new}) AND abs({self.new}) < 1e15), true) AS whole "  # noqa: S608 (ours)
            f"FROM {_STORED}"
        )
        name = quote_name(self.attribute.name)
        if found.column("whole")[0].as_py():
            return f"CAST({self.new} AS BIGINT) AS {name}"
        if self.attribute.decimal == "," and self._is_text():
            return f"replace(CAST({self.new} AS VARCHAR), '.', ',') AS {name}"
        return f"CAST({self.new} AS DOUBLE) AS {name}"

    def _is_text(self) -> bool:
        """Return whether the column is text, in which numbers are written with the comma they were read with."""
        name = quote_name(self.attribute.name)
        found = self.opened.query(f"SELECT typeof({name}) AS kind FROM {_STORED} LIMIT 1")  # noqa: S608 (quoted)
        return bool(found.column("kind").to_pylist() == ["VARCHAR"])


def _alike(
    means: npt.NDArray[np.float64], values: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """Return whether all numbers of a number's group are equal; numbers ascend, groups go by their mean."""
    first = np.flatnonzero(np.diff(means, prepend=-np.inf))
    last = np.append(first[1:], values.size) - 1
    return np.repeat(values[first] == values[last], last - first + 1)


def normals(key: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return one standard normal number for each text, by a keyed cryptographic hash (Box–Muller).

    >>> one, two, again = normals("a key", ["one", "two", "one"])
    >>> bool(one == again), bool(one == two), bool(one == normals("another", ["one"])[0])
    (True, False, False)
    """
    secret = bytes.fromhex(key) if len(key) == 64 else key.encode()
    digests = b"".join(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, key=secret).digest()
        for text in texts
    )
    first, second = ((np.frombuffer(digests, dtype="<u8").reshape(-1, 2).T + 0.5) / _UNIT).clip(
        max=1 - 2**-53
    )
    return np.asarray(np.sqrt(-2 * np.log(first)) * np.cos(2 * np.pi * second))


def _nearest_step(value: float) -> float:
    """Return the nearest of ten numbers per decade, in equal ratios (a Renard series).

    >>> _nearest_step(1234.0), _nearest_step(0.0)
    (1300.0, 0.0)
    """
    return float(f"{10.0 ** (round(10 * np.log10(value)) / 10):.1e}") if value > 0 else 0.0


def _exponent(step: float) -> int:
    """Return the place of the last digit of a step: −2 for 0.25."""
    from decimal import Decimal

    exponent = Decimal(str(step)).normalize().as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0
