"""Rows under a policy: one query generalises them on any engine, and one writer writes them.

Identifiers are dropped, quasi-identifiers become the labels of
their intervals, every other column stays as it is. ReleaseRows are put into an order that depends on what is
published and on a private seed alone: the order of a register sorted by name would reveal whose row is
whose. On a cluster a batch of rows is one task and the query runs there; so a
row, and the file, are what they are on one machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ....core.errors import DataError, SfumatoError
from ....data.table_schema import MISSING, TableSchema
from ....data.table_source import TableSource, quote_name, quote_text
from ....data.value_labels import LABELLED, NamedCodes, write_with_labels
from ..space.policy import Policy
from .distinct_rows import COPIES, PLACE, DistinctRows, rows_repeat

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["WHO", "Generaliser", "ReleaseRows"]

NUMBER = "sfumato row number"
WHO = "sfumato person"  # whose row it is, where treatments of numbers count people; never written
SMALL = "sfumato_small_groups"
BLANKS = "sfumato_blanks"
_GROUP_ROWS = 122_880  # rows of a row group of a Parquet file
_COPIED = 1_000  # copies of a row that are made at a time
_MARK = 16  # hexadecimal digits of the mark of a person


@dataclass(frozen=True)
class Generaliser:
    """What generalising needs of a policy; small, and plain enough to travel."""

    schema: TableSchema
    domains: tuple[tuple[str, ...], ...]
    labels: tuple[tuple[str, ...], ...]
    undeclared: tuple[str, ...] = ()
    key: str = field(default="", repr=False)  # private: what dates are moved by
    link: str = field(default="", repr=False)  # private: what the marks of people are made from
    who: bool = False  # whether rows carry a private mark of their person besides

    @classmethod
    def of(
        cls, policy: Policy, schema: TableSchema, undeclared: Sequence[str] = (), key: str = ""
    ) -> Generaliser:
        """Return for each attribute what each value is published as; intervals must not share a label."""
        found = []
        for a, name in enumerate(policy.lattice.names):
            by_value: list[str] = []
            spans = policy.spans(a)
            for label, (low, high) in zip(policy.labels(a), spans, strict=True):
                by_value += [label] * (high - low + 1)
            if len(set(by_value)) != len(spans):
                raise DataError(
                    f"Two intervals of {name!r} would be published under one label.",
                    hint="a value of its domain reads like an interval; rename it in the schema.",
                )
            found.append(tuple(by_value))
        link = f"{key} people of {policy.id} " if schema.joined else ""
        who = schema.person is not None and any(
            a.publish is not None and a.publish.looks_at_people for a in schema.attributes
        )
        return cls(schema, policy.lattice.domains, tuple(found), tuple(undeclared), key, link, who)

    def columns(self, opened: TableSource) -> list[str]:
        """Return the columns that go out: no identifier, and none undeclared but those that are to be kept.

        Where rows are joined, the column of the person holds marks instead.
        """
        private = {"identifier", "household"} | (set() if self.schema.joined else {"person"})
        shown = {a.name for a in self.schema.attributes if a.role not in private}
        shown.update(self.undeclared)
        return [column for column in opened.columns if column in shown]

    def selection(
        self,
        opened: TableSource,
        *,
        counted: bool = False,
        distinct: DistinctRows | None = None,
    ) -> str:
        """Write the query: a cell's place in its domain (an enum) gives its label in constant time.

        With `counted`, equal rows of the input are read once, with the number of its copies; where they were
        read so already (`distinct`), the file is not read again.
        """
        labels, text, where = self._labels(opened)
        dates = self._dates() | self._links()
        text += [
            f"CAST({quote_name(c)} AS VARCHAR) AS {quote_name(c)}" for c in self._read_for(dates)
        ]
        labels |= dates
        columns = [labels.get(c, quote_name(c)) for c in self.columns(opened)]
        if self.who:
            columns.append(f"{self._mark_of_person()} AS {quote_name(WHO)}")
        raw = opened.raw
        if counted:
            cells = ", ".join(map(quote_name, self.columns(opened)))
            copies = "count(*)"
            if distinct is not None:
                raw, copies = distinct.relation, f"CAST(sum({COPIES}) AS BIGINT)"
            raw = f"(SELECT {cells}, {copies} AS {COPIES} FROM {raw} GROUP BY {cells})"  # noqa: S608 (quoted)
            columns.append(COPIES)
        source = f"(SELECT * REPLACE ({', '.join(text)}) FROM {raw})"  # noqa: S608 (quoted)
        return f"SELECT {', '.join(columns)} FROM {source}{where}"  # noqa: S608 (quoted)

    def repeats(self, opened: TableSource) -> bool:
        """Return whether equal rows are published alike, and repeat often enough that counting them pays."""
        moved = any(a.date is not None and a.date.shift for a in self.schema.attributes)
        changed = any(a.publish is not None for a in self.schema.attributes)
        if moved or changed or self.schema.joined:
            return False
        return rows_repeat(opened, self.columns(opened))

    def _dates(self) -> dict[str, str]:
        """Return the expression of each column of dates that is no quasi-identifier."""
        schema = self.schema
        person = None if schema.person is None else schema.cell(schema.person.name)
        found = {}
        for attribute in schema.attributes:
            if attribute.role == "other" and attribute.date is not None:
                plain = attribute.model_copy(update={"date": None}).cell(schema.missing_values)
                made = attribute.date.release_sql(plain, person, self.key)
                found[attribute.name] = f"{made} AS {quote_name(attribute.name)}"
        return found

    def _links(self) -> dict[str, str]:
        """Return the expression of the marks that link the rows of a person, where rows are joined.

        A mark is made from the person and a private key, differently for each policy.
        """
        person = self.schema.person
        if person is None or not self.schema.joined:
            return {}
        digest = f"sha256({quote_text(self.link)} || {self.schema.cell(person.name)})"
        return {person.name: f"substr({digest}, 1, {_MARK}) AS {quote_name(person.name)}"}

    def _mark_of_person(self) -> str:
        """Return the expression of a mark that is the same for a person in every release under the key."""
        person = self.schema.person
        assert person is not None
        return f"sha256({quote_text(f'{self.key} numbers of ')} || {self.schema.cell(person.name)})"

    def _read_for(self, made: Mapping[str, str]) -> list[str]:
        """Return the columns that are read as text for dates and marks."""
        moved = any(a.date is not None and a.date.shift for a in self.schema.attributes)
        person = self.schema.person
        needed = (moved or self.who) and person is not None and person.name not in made
        return [*made, *([person.name] if needed and person is not None else [])]

    def linked_sql(self, opened: TableSource) -> str:
        """Write the query of the labels with the person of each row, and what was there before.

        The person is `p`, the values before are `o0`, `o1`, …, the number of such rows is `n`; sensitive
        columns keep their names.
        """
        labels, text, where = self._labels(opened)
        person = self.schema.person
        assert person is not None
        before = [f"{self.schema.cell(a.name)} AS o{i}" for i, a in enumerate(self.schema.quasi)]
        sensitive = [quote_name(n) for n in self.schema.names("sensitive")]
        who = f"CAST({quote_name(person.name)} AS VARCHAR) AS {quote_name(person.name)}"
        listed = ", ".join(
            [*labels.values(), *before, f"{self.schema.cell(person.name)} AS p", *sensitive]
        )
        source = f"(SELECT * REPLACE ({', '.join([*text, who])}) FROM {opened.raw})"  # noqa: S608 (quoted)
        return f"SELECT {listed}, count(*) AS n FROM {source}{where} GROUP BY ALL"  # noqa: S608 (quoted)

    def household_sql(self, opened: TableSource) -> str:
        """Write the query of the labels with the household `h` of each row, and the person or number `p` whose it is."""
        labels, text, where = self._labels(opened)
        schema = self.schema
        household = schema.names("household")[0]
        number = f"CAST(row_number() OVER () AS VARCHAR) AS {quote_name(NUMBER)}"
        named = {household, *([] if schema.person is None else [schema.person.name])}
        text += [f"CAST({quote_name(n)} AS VARCHAR) AS {quote_name(n)}" for n in sorted(named)]
        source = f"(SELECT {number}, * REPLACE ({', '.join(text)}) FROM {opened.raw})"  # noqa: S608 (quoted)
        alone = f"'row ' || {quote_name(NUMBER)}"
        person = alone if schema.person is None else schema.cell(schema.person.name)
        listed = ", ".join(labels.values())
        return f"SELECT {listed}, coalesce({schema.cell(household)}, {alone}) AS h, {person} AS p FROM {source}{where}"  # noqa: S608 (quoted)

    def numbered_sql(
        self,
        opened: TableSource,
        carried: Mapping[str, str] | None = None,
        distinct: DistinctRows | None = None,
    ) -> str:
        """Write the query of the labels with the number of each row in its file.

        Parameters
        ----------
        opened : TableSource
            The rows.
        carried : mapping, optional
            Further columns of the result by name, as expressions of cells, which are text.
        distinct : DistinctRows, optional
            The same rows, each once: its number is then that of the first.

        """
        labels, text, where = self._labels(opened)
        carried = carried or {}
        if carried:
            others = [c for c in opened.columns if c not in labels]
            text += [f"CAST({quote_name(c)} AS VARCHAR) AS {quote_name(c)}" for c in others]
        raw, place = opened.raw, "row_number() OVER ()"
        if distinct is not None:
            raw, place = distinct.relation, PLACE
        source = (
            f"(SELECT {place} AS {quote_name(NUMBER)}, * REPLACE ({', '.join(text)}) FROM {raw})"  # noqa: S608 (quoted)
        )
        more = [f"{made} AS {quote_name(name)}" for name, made in carried.items()]
        listed = ", ".join([quote_name(NUMBER), *labels.values(), *more])
        return f"SELECT {listed} FROM {source}{where}"  # noqa: S608 (quoted)

    def _labels(self, opened: TableSource) -> tuple[dict[str, str], list[str], str]:
        """Return the expression of each label, the columns as text, and which rows are suppressed."""
        schema = self.schema
        places = {a.name: i for i, a in enumerate(schema.quasi)}
        labels, text, present = {}, [], []
        for column in self.columns(opened):
            if column not in places:
                continue
            i = places[column]
            values = ", ".join(quote_text(v) for v in self.domains[i])
            opened.execute(f"DROP TYPE IF EXISTS domain_of_{i}")
            opened.execute(f"CREATE TYPE domain_of_{i} AS ENUM ({values})")
            listed = ", ".join(quote_text(v) for v in self.labels[i])
            cell = schema.cell(column)
            present.append(f"{cell} IS NOT NULL")
            code = f"enum_code(CAST(coalesce({cell}, {quote_text(MISSING)}) AS domain_of_{i}))"
            labels[column] = f"[{listed}][CAST({code} AS INTEGER) + 1] AS {quote_name(column)}"
            text.append(f"CAST({quote_name(column)} AS VARCHAR) AS {quote_name(column)}")
        where = f" WHERE {' AND '.join(present)}" if schema.missing == "drop" else ""
        return labels, text, where


@dataclass
class ReleaseRows:
    """Rows to be published: a query on what was opened, whose source may be other machines."""

    opened: TableSource
    sql: str
    failed: list[SfumatoError] = field(default_factory=list)
    counted: bool = False  # each row once, with the number of its copies

    def without(self, groups: pa.Table) -> ReleaseRows:
        """Return the same rows but for those of some groups, given by the labels of their columns."""
        self.opened.connection.register(SMALL, groups)
        using = ", ".join(quote_name(name) for name in groups.column_names)
        return ReleaseRows(
            self.opened,
            f"SELECT * FROM ({self.sql}) ANTI JOIN {SMALL} USING ({using})",  # noqa: S608 (quoted)
            self.failed,
            self.counted,
        )

    def with_blanked_cells(
        self, columns: Sequence[str], names: Sequence[str], blanks: pa.Table
    ) -> ReleaseRows:
        """Return the same rows with cells of some groups blanked.

        Parameters
        ----------
        columns : sequence of str
            The columns of the rows.
        names : sequence of str
            The quasi-identifiers.
        blanks : pa.Table
            By label of each quasi-identifier (`l0`, `l1`, …), what is published instead (`b0`, `b1`, …).

        """
        self.opened.connection.register(BLANKS, blanks)
        place = {name: i for i, name in enumerate(names)}
        shown = [
            f"coalesce(b{place[c]}, {quote_name(c)}) AS {quote_name(c)}"
            if c in place
            else quote_name(c)
            for c in columns
        ]
        same = " AND ".join(f"l{i} = {quote_name(name)}" for i, name in enumerate(names))
        number = quote_name(NUMBER)
        rows = f"SELECT *, row_number() OVER () AS {number} FROM ({self.sql})"  # noqa: S608 (quoted)
        sql = f"SELECT {', '.join(shown)} FROM ({rows}) LEFT JOIN {BLANKS} ON {same} ORDER BY {number}"  # noqa: S608 (quoted)
        return ReleaseRows(self.opened, sql, self.failed)

    def materialise(self, name: str, more: str) -> ReleaseRows:
        """Return the same rows in a table of the database, with one more column."""
        with self._named_errors():
            self.opened.execute(
                f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT *, {more} FROM ({self.sql})"  # noqa: S608 (quoted)
            )
        return ReleaseRows(self.opened, f"SELECT * FROM {name}", self.failed)  # noqa: S608 (ours)

    def shuffle(self, columns: Sequence[str], seed: int) -> ReleaseRows:
        """Return the same rows ordered by a keyed hash of their published cells.

        Equal rows are interchangeable, so nothing of the original order is left. The order is the
        same on one machine and on many. The database sorts out of core.
        """
        cells = ", ".join(quote_name(column) for column in columns)
        # SHA-256 and not the database's own hash, whose values are too regular to hide anything; the
        # cells break ties, so that the order is the same whatever the number of threads.
        order = f"left(sha256('{seed} ' || CAST(row({cells}) AS VARCHAR)), 12), {cells}"
        if self.counted:
            # A row is sorted once and then written as often as it occurs, some thousand at a time.
            n, x = COPIES, quote_name("sfumato copied")
            kinds = f"SELECT {cells}, CAST(sum({n}) AS BIGINT) AS {n} FROM ({self.sql}) GROUP BY {cells}"  # noqa: S608 (quoted)
            some = f"[least({_COPIED}, {n} - {x}) FOR {x} IN range(0, {n}, {_COPIED})]"
            parts = f"SELECT {cells}, unnest({some}) AS {n} FROM (FROM ({kinds}) ORDER BY {order})"  # noqa: S608 (quoted)
            copies = f"SELECT {cells}, unnest(range({n})) AS {n} FROM ({parts})"  # noqa: S608 (quoted)
            return ReleaseRows(self.opened, f"SELECT {cells} FROM ({copies})", self.failed)  # noqa: S608 (quoted)
        return ReleaseRows(self.opened, f"SELECT * FROM ({self.sql}) ORDER BY {order}", self.failed)  # noqa: S608 (quoted)

    def to_arrow(self) -> pa.Table:
        """Return the rows as one Arrow table."""
        with self._named_errors():
            return self.opened.query(self.sql)

    def write(self, path: Path, kind: str, delimiter: str, named: NamedCodes | None = None) -> None:
        """Write the rows as CSV, TSV or Parquet, or as a file of SPSS or Stata with its labels.

        Parameters
        ----------
        path : Path
            The file.
        kind, delimiter : str
            Its format, and what separates its cells.
        named : mapping, optional
            The columns whose codes are published by name (see `write_with_labels`).

        """
        with self._named_errors():
            if kind in LABELLED:
                write_with_labels(self.to_arrow(), path, kind, self.opened.labels, named or {})
                return
            if kind == "parquet":
                self._write_parquet(path)
                return
            self.opened.write_csv(self.sql, path, delimiter=delimiter)

    def _write_parquet(self, path: Path) -> None:
        """Write row groups of a fixed size: the same rows produce the same bytes on every engine."""
        import pyarrow.parquet as pq

        writer = None
        try:
            for batch in self.opened.batches(self.sql, _GROUP_ROWS):
                writer = writer or pq.ParquetWriter(path, batch.schema)
                writer.write_batch(batch, row_group_size=_GROUP_ROWS)
        finally:
            if writer is not None:
                writer.close()

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Raise a worker's own error instead of the database's."""
        try:
            yield
        except SfumatoError:
            if self.failed:
                raise self.failed[0] from None
            raise
