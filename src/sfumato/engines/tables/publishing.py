"""Apply a policy to a table, read the result back, measure it anew, and only then let it be seen.

The rows stream through in an order of their own (see `rows`). Labels such as "-5" or "=x" that a spreadsheet could
take for a formula are written as they stand: they come from the schema's own domains.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...compute import engine as compute_engine
from ...compute.protocol import Compute
from ...core.errors import FormatError, ParameterError, ReleaseRefusedError
from ...core.exploration import Candidate, InputFile
from ...core.files import check_output, sha256_of, whole_directory, write_json
from ...core.measures import Risk, Utility
from ...core.ownership import paths_in
from ...core.private_key import private_key
from ...core.quarantine import write_quarantine
from ...core.release import (
    RELEASE_FILE,
    Release,
    check_files,
    released_files,
    warn_if_composed,
    warn_of_kept_order,
)
from ...data.table import Table, misplaced, read_table
from ...data.table_schema import MISSING, TableSchema
from ...data.table_source import Source, cell_text, format_of_name
from .exploration import ATTACKER, ATTACKER_OF_SAMPLE, KEPT, Terms
from .policy import Lattice, Policy
from .problem import counted, resolved_schema
from .remeasure import Remeasured, remeasure
from .rows import Generaliser, published_rows

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["publish", "publish_policy"]

_TOLERANCE = 1e-9
_SUFFIX = {"csv": ".csv", "tsv": ".tsv", "parquet": ".parquet", "frame": ".csv"}


def publish(
    what: Candidate | Policy,
    data: Any,
    *,
    out: str | os.PathLike[str] | None = None,
    schema: TableSchema | str | os.PathLike[str] | dict[str, Any] | None = None,
    population: Any = None,
    max_risk: float | None = None,
    engine: str = "local",
    threads: int | None = None,
    keep_order: bool = False,
    force: bool = False,
) -> Any:
    """Publish data by a candidate of a frontier, or by a policy together with the schema of the data."""
    options: dict[str, Any] = {
        "out": out, "max_risk": max_risk, "engine": engine, "threads": threads,
        "keep_order": keep_order, "force": force,
    }  # fmt: skip
    if isinstance(what, Candidate):
        return what.publish(data, population=population, **options)
    if schema is None:
        raise ParameterError("A policy needs the schema of the data.", hint="give schema=….")
    table = read_table(data, schema, population)
    if not _fits(what.lattice, table):
        raise FormatError(
            "The policy was made for another schema.",
            hint="attributes and domains must be the same, in the same order.",
        )
    fixed = resolved_schema(replace(table, domains=what.lattice.domains))
    terms = Terms(fixed, what.lattice, table.population_codes, table.population_count)
    return publish_policy(what, data, terms=terms, **options)


def _fits(lattice: Lattice, table: Table) -> bool:
    """Say whether a table's domains are the lattice's; only a value for missing cells may be lacking."""
    return lattice.names == table.names and all(
        wanted[: len(found)] == found and wanted[len(found) :] in ((), (MISSING,))
        for wanted, found in zip(lattice.domains, table.domains, strict=True)
    )


def publish_policy(
    policy: Policy,
    data: Any,
    *,
    terms: Terms,
    promise: Candidate | None = None,
    out: str | os.PathLike[str] | None = None,
    population: Any = None,
    max_risk: float | None = None,
    seed: int = 0,
    engine: str = "local",
    threads: int | None = None,
    keep_order: bool = False,
    force: bool = False,
) -> Any:
    """Publish a table, or new data of the same schema.

    `out` names a data file (the record lies beside it as NAME.release.json) or a folder (data and
    release.json inside); without `out` a frame comes back as a frame of its own kind. The table that was
    explored must come out no worse than promised; for other data the risk is measured, recorded, and
    refused above `max_risk`. With `engine="spark"` rows are counted and generalised on a cluster, to the
    same bytes. Rows are shuffled by a private seed unless `keep_order`, which warns and is recorded.
    """
    if max_risk is not None and not 0 <= max_risk <= 1:
        raise ParameterError.constraint("max_risk", "publish", "a number in [0, 1]", max_risk)
    compute = compute_engine(engine, threads=threads)
    opened = Source.open(data)
    if out is None and opened.format != "frame":
        raise ParameterError("Publishing a file needs 'out'.", hint="give a file or a folder.")
    target = None if out is None else Path(out)
    kind, name = _kind_and_name(opened, target)
    read = [*opened.paths, *paths_in(data, population)]
    if target is not None:
        _check_outputs(target, kind, force=force, inputs=read)
    table = _read(opened, terms, population, compute)
    rows = published_rows(Generaliser.of(policy, terms.schema), opened, compute)
    if keep_order:
        warn_of_kept_order("rows")
    else:
        hidden = set(terms.schema.names("identifier"))
        published = [column for column in opened.columns if column not in hidden]
        rows = rows.shuffled(published, private_key().seed("order", "tables", policy.id))
    work = _Work(
        policy, terms, table, opened=opened, promise=promise, max_risk=max_risk, seed=seed,
        order="kept" if keep_order else "shuffled",
    )  # fmt: skip
    if target is None:
        published = rows.to_arrow()
        work.measured(published)
        return _like(published, data)
    with _staged(target, name, force=force, inputs=read) as (folder, file, record):
        rows.write(folder / file, kind, _delimiter(opened, kind))
        release = work.release(folder / file)
        write_json(folder / record, release.to_json())
        write_quarantine(target, _left_out(opened, table), force=force)
    warn_if_composed(target, release.to_json())
    return release


class _Work:
    """One publication: what is published under which terms, and what was promised."""

    def __init__(
        self,
        policy: Policy,
        terms: Terms,
        table: Table,
        *,
        opened: Source,
        promise: Candidate | None,
        max_risk: float | None,
        seed: int,
        order: str,
    ) -> None:
        self.order = order
        self.policy, self.terms, self.table, self.opened = policy, terms, table, opened
        self.promise, self.max_risk, self.seed = promise, max_risk, seed
        self.same = terms.same_table(table)

    def measured(self, published: Any) -> Remeasured:
        """Measure what was written, with no knowledge of how it was made; refuse what is worse."""
        found = remeasure(Source.open(published), self.policy, self.table)
        kept = self.table.rows - self.table.dropped
        if found.records != kept:
            raise ReleaseRefusedError(
                f"The output holds {found.records:,} rows instead of {kept:,}; nothing was published."
            )
        if self.promise is not None and self.same and self.terms.on_axes:
            worse = found.risk > self.promise.risk.value + _TOLERANCE
            if worse or 1.0 - found.loss < self.promise.utility.value - _TOLERANCE:
                raise ReleaseRefusedError(
                    f"The output has a risk of {found.risk:.6g} and a utility of {1.0 - found.loss:.6g}, "
                    f"but {self.promise.risk.value:.6g} and {self.promise.utility.value:.6g} were "
                    "promised; nothing was published.",
                    hint="explore the table again.",
                )
            if (
                found.smallest_group < self.terms.least_sample
                or found.smallest_population_group < self.terms.least_population - _TOLERANCE
            ):
                raise ReleaseRefusedError(
                    "The output has a group below the least size; nothing was published.",
                    hint="explore the table again.",
                )
        if self.max_risk is not None and found.risk > self.max_risk + _TOLERANCE:
            raise ReleaseRefusedError(
                f"The output has a risk of {found.risk:.6g}, above the {self.max_risk:g} allowed; "
                "nothing was published.",
                hint="choose a more general policy, or explore this data.",
            )
        return found

    def release(self, path: Path) -> Release:
        """Measure the file and describe it."""
        found = self.measured(path)
        table, schema, promise = self.table, self.terms.schema, self.promise
        has_population = table.population_codes is not None
        attacker = ATTACKER if has_population else ATTACKER_OF_SAMPLE
        dropped = [n for n in schema.names("identifier") if n in self.opened.columns]
        promised = promise is not None and self.same
        declared = {a.name for a in schema.attributes}
        return Release(
            engine="tables",
            candidate=self.policy.id if promise is None else promise.id,
            inputs=self.opened.described(table.rows),
            outputs=[InputFile(path.name, sha256_of(path), found.records)],
            seed=self.seed,
            how={
                "policy": self.policy.intervals(),
                "summary": self.policy.summary(),
                "bits": self.policy.hex,
                "quasi": list(table.names),
                "identifiers_dropped": dropped,
                "columns_not_in_schema": [c for c in self.opened.columns if c not in declared],
                "missing": schema.missing,
                "order": self.order,
                "population": has_population,
                "explored_table": self.same,
                **({} if self.max_risk is None else {"max_risk": self.max_risk}),
            },
            counts={
                "rows": found.records,
                "dropped": table.dropped,
                "columns": len(self.opened.columns) - len(dropped),
            },
            risk=promise.risk if promise and promised else Risk(found.risk, attacker=attacker),
            utility=promise.utility if promise and promised else Utility(1 - found.loss, kept=KEPT),
            measured=found.to_json(),
        )


# --- reading -------------------------------------------------------------------------------------


def _read(opened: Source, terms: Terms, population: Any, compute: Compute) -> Table:
    """Read the table by the domains of the lattice; the population is the one given, or the explored one."""
    counts = counted(opened, terms.schema, compute)
    table = read_table(opened, terms.schema, population, counts=counts)
    for a, (domain, size) in enumerate(zip(table.domains, terms.lattice.sizes, strict=True)):
        if len(domain) > size:  # missing cells, where the explored table had none
            one = slice(a, a + 1)
            raise misplaced(opened, terms.schema.quasi[one], table.domains[one], missing=True)
    if population is not None:
        table.inputs = opened.described(table.rows)
        return table
    return replace(
        table,
        population_codes=terms.population_codes,
        population_count=terms.population_count,
    )


def _left_out(opened: Source, table: Table) -> list[dict[str, str]]:
    """List the rows with a missing quasi-identifier, where the schema drops them, by their number."""
    if not table.dropped:
        return []
    cells = [cell_text(a.name, is_range=a.is_range) for a in table.schema.quasi]
    missing = " OR ".join(f"{cell} IS NULL" for cell in cells)
    numbered = f"SELECT row_number() OVER () AS place, {missing} AS is_missing FROM {opened.sql}"  # noqa: S608 (quoted)
    found = opened.query(f"SELECT place FROM ({numbered}) WHERE is_missing ORDER BY place")  # noqa: S608 (quoted)
    reason = "has no value for a quasi-identifier"
    return [{"id": f"row {n}", "reason": reason} for n in found.column("place").to_pylist()]


# --- writing -------------------------------------------------------------------------------------


def _kind_and_name(opened: Source, target: Path | None) -> tuple[str, str]:
    """Tell the format to write, and the name of the file in a folder."""
    if opened.format == "frame":
        as_file = None if target is None else _data_format(target)
        kind = as_file or "csv"
        return kind, f"table{_SUFFIX[kind]}"
    name = opened.paths[0].name if len(opened.paths) == 1 else f"table{_SUFFIX[opened.format]}"
    return opened.format, name


def _data_format(target: Path) -> str | None:
    """Tell the format when the output names a data file; None for a folder."""
    return None if target.is_dir() else format_of_name(target)


def _record_of(target: Path) -> Path:
    stem = target.name.removesuffix(".gz")
    return target.with_name(f"{Path(stem).stem}.release.json")


def _check_outputs(
    target: Path, kind: str, *, force: bool, inputs: Sequence[str | os.PathLike[str]]
) -> None:
    as_file = _data_format(target)
    if as_file is not None and as_file != kind:
        raise FormatError(
            f"The output {target.name!r} would be {as_file}, but the input is {kind}.",
            hint="a release is written in the format it was read from.",
        )
    if as_file is None:
        check_output(target, force=force, inputs=inputs)
    else:
        check_files(target, _record_of(target).name, force=force, inputs=inputs)


@contextmanager
def _staged(
    target: Path, name: str, *, force: bool, inputs: Sequence[str | os.PathLike[str]]
) -> Iterator[tuple[Path, str, str]]:
    """Give a folder that nobody sees and the names to write there; show it all when the block ends well."""
    if _data_format(target) is None:
        with whole_directory(target, force=force, inputs=inputs, private=False) as folder:
            yield folder, name, RELEASE_FILE
    else:
        record = _record_of(target)
        with released_files(target, record, force=force, inputs=inputs) as folder:
            yield folder, target.name, record.name


def _delimiter(opened: Source, kind: str) -> str:
    return opened.delimiter if opened.format == kind else "\t" if kind == "tsv" else ","


def _like(published: pa.Table, data: Any) -> Any:
    """Give an Arrow table back as the kind of frame that came in."""
    module = type(data).__module__.partition(".")[0]
    if module == "pandas":
        return published.to_pandas()
    if module == "polars":
        import polars as pl

        return pl.from_arrow(published)
    return published
