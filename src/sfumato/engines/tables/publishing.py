"""Apply a policy to a table, read the result back, measure it anew, and only then let it be seen.

The rows stream through in an order of their own (see `rows`). Labels such as "-5" or "=x" that a spreadsheet could
take for a formula are written as they stand: they come from the schema's own domains.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ...compute import engine as compute_engine
from ...compute.protocol import Compute
from ...core.errors import FormatError, ParameterError, ReleaseRefusedError
from ...core.files import check_output, sha256_of, whole_directory, write_json
from ...core.measures import Risk, Utility
from ...core.ownership import paths_in
from ...core.private_key import private_key
from ...core.quarantine import write_quarantine
from ...core.records import RELEASE_FILE, InputFile, ShiftRecord
from ...core.release import (
    check_files,
    refuse_different,
    released_files,
    warn_if_composed,
    warn_of_kept_order,
)
from ...core.shift import ShiftCheck
from ...data.table import Table, misplaced, read_table
from ...data.table_files import WRITTEN
from ...data.table_schema import MISSING, TableSchema
from ...data.table_source import Source, format_of_name
from .codebook import write_codebook
from .exploration import ATTACKER, ATTACKER_OF_SAMPLE, KEPT, unpromised
from .left_out import linked_rows, rows_of_groups, rows_without_value, small_groups_of
from .policy import Lattice, Policy
from .problem import counted, resolved_schema
from .records import ColumnLoss, TablesCandidate, TablesHow, TablesRelease
from .remeasure import Remeasured, remeasure
from .request import TablesPublishRequest
from .rows import Generaliser, published_rows
from .shift import check_table, sentence_of
from .terms import Terms
from .treatments import check_cells, treated

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

__all__ = ["Frame", "publish_by_policy", "published"]

Frame: TypeAlias = "pa.Table | pd.DataFrame | pl.DataFrame"
_TOLERANCE = 1e-9
_SUFFIX = {"csv": ".csv", "tsv": ".tsv", "parquet": ".parquet"}


def publish_by_policy(
    policy: Policy,
    data: object,
    *,
    schema: TableSchema | str | os.PathLike[str] | dict[str, object] | None = None,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    **options: object,
) -> TablesRelease | Frame:
    """Publish data by a policy together with the schema of the data; nothing was promised."""
    request = TablesPublishRequest.made({**options, "table": data}, owner="tables.publish")
    if schema is None:
        raise ParameterError("A policy needs the schema of the data.", hint="give schema=….")
    schema = TableSchema.of(schema)
    schema.check_decided()
    table = read_table(data, schema, request.population)
    if not _fits(policy.lattice, table):
        raise FormatError(
            "The policy was made for another schema.",
            hint="attributes and domains must be the same, in the same order.",
        )
    fixed = resolved_schema(replace(table, domains=policy.lattice.domains))
    terms = Terms(fixed, policy.lattice, table.population_codes, table.population_count)
    target = None if out is None else Path(out)
    return published(
        policy, unpromised(policy), request, terms=terms, seed=0, out=target, force=force
    )


def _fits(lattice: Lattice, table: Table) -> bool:
    """Return whether a table's domains are the lattice's; only a value for missing cells may be lacking."""
    return lattice.names == table.names and all(
        wanted[: len(found)] == found and wanted[len(found) :] in ((), (MISSING,))
        for wanted, found in zip(lattice.domains, table.domains, strict=True)
    )


def published(
    policy: Policy,
    promise: TablesCandidate,
    request: TablesPublishRequest,
    *,
    terms: Terms,
    seed: int,
    out: Path | None,
    force: bool = False,
) -> TablesRelease | Frame:
    """Publish a table, or new data of the same schema, and return its record (or the frame).

    `out` names a data file (the record lies beside it as NAME.release.json) or a folder (data and
    release.json inside); without `out` a frame comes back as a frame of its own kind. What was written is
    measured as it was explored; what is worse than promised is refused unless the request accepts it.
    """
    terms = _held_to(terms, request)
    compute = compute_engine(request.engine, threads=request.threads)
    opened = Source.open(request.table)
    if out is None and opened.format != "frame":
        raise ParameterError("Publishing a file needs 'out'.", hint="give a file or a folder.")
    kind, name = _kind_and_name(opened, out)
    read = [*opened.paths, *paths_in(request.table, request.population)]
    if out is not None:
        _check_outputs(out, kind, force=force, inputs=read)
    opened.require([a.name for a in terms.schema.attributes])
    undeclared = opened.undeclared(
        {a.name for a in terms.schema.attributes},
        keep=request.keep_undeclared,
        drop=terms.schema.undeclared == "drop",
    )
    kept = tuple(undeclared) if request.keep_undeclared else ()
    table = _read(opened, terms, request.population, compute)
    shift = None
    if promise.promised and terms.margins is not None:
        shift = check_table(terms.margins, table)
        refuse_different(shift, sentence_of(shift), accepted=request.accept_shift)
    check_cells(opened, terms.schema)
    generaliser = Generaliser.of(policy, terms.schema, kept, private_key().mark("dates"))
    left_out, blanks = small_groups_of(policy, terms, table)
    counted = blanks is None and not request.keep_order
    rows = published_rows(generaliser, opened, compute, counted=counted)
    columns = generaliser.columns(opened)
    if left_out is not None:
        rows = rows.without(left_out.groups)
    if blanks is not None:
        rows = rows.blanked(columns, table.names, blanks.groups)
    changed = treated(
        rows, columns, terms.schema, private_key().seed("numbers", "tables", policy.id)
    )
    rows = changed.rows
    if request.keep_order:
        warn_of_kept_order("rows")
    else:
        rows = rows.shuffled(columns, private_key().seed("order", "tables", policy.id))
    suppressed = 0 if left_out is None else left_out.records
    work = _Work(
        policy, promise, request, terms, table, opened, seed, suppressed, shift,
        linked_rows(generaliser, opened, left_out), changed.losses,
        0 if blanks is None else blanks.records,
    )  # fmt: skip
    if out is None:
        frame = rows.to_arrow()
        work.measured(frame)
        return _like(frame, request.table)
    with _staged(out, name, force=force, inputs=read) as (folder, file, record):
        rows.write(folder / file, kind, _delimiter(opened, kind))
        measured = work.measured(folder / file)
        books = write_codebook(policy, folder, record, measured[0].labels)
        release = work.release(folder / file, books, *measured)
        write_json(folder / record, release.to_json())
        quarantined = rows_without_value(opened, table)
        if left_out is not None:
            quarantined += rows_of_groups(opened, generaliser, left_out)
        write_quarantine(out, quarantined, force=force)
    warn_if_composed(out, release.to_json())
    return release


def _held_to(terms: Terms, request: TablesPublishRequest) -> Terms:
    """Return the terms of the exploration together with what this call asks for."""
    if (request.min_l > 0 or request.max_t is not None) and not terms.schema.names("sensitive"):
        raise ParameterError(
            "Diversity and closeness are about sensitive columns, and the schema names none.",
            hint='give a column role = "sensitive".',
        )
    individual = 0.0 if request.max_individual_risk is None else 1.0 / request.max_individual_risk
    return replace(
        terms,
        min_sample=max(terms.min_sample, request.min_k),
        min_population=max(terms.min_population, individual),
        conditions=terms.conditions.tightened(
            min_l=request.min_l,
            max_t=request.max_t,
            max_average_risk=request.max_average_risk,
            max_suppressed=request.suppress,
        ),
    )


@dataclass(frozen=True)
class _Work:
    """One publication: what is published under which terms, and what was promised."""

    policy: Policy
    promise: TablesCandidate
    request: TablesPublishRequest
    terms: Terms
    table: Table
    opened: Source
    seed: int
    suppressed: int = 0
    shift: ShiftCheck | None = None
    linked: Source | None = None
    losses: dict[str, ColumnLoss] = field(default_factory=dict)
    blanked: int = 0

    def measured(self, written: object) -> tuple[Remeasured, list[str]]:
        """Measure what was written, with no knowledge of how it was made; refuse what is worse."""
        found = remeasure(Source.open(written), self.policy, self.table, self.terms, self.linked)
        kept = self.table.rows - self.table.dropped - self.suppressed
        if self.linked is None and found.rows != kept:
            raise ReleaseRefusedError(
                f"The output holds {found.rows:,} rows instead of {kept:,}; nothing was published."
            )
        worse = [*self._below_promise(found), *self._broken_conditions(found)]
        if worse and not self.request.accept_worse:
            raise ReleaseRefusedError(
                f"{worse[0]}; nothing was published.",
                hint="explore this data, choose a more general policy, or accept it with --accept-worse, "
                "which is recorded.",
            )
        return found, worse

    def _below_promise(self, found: Remeasured) -> list[str]:
        """List what is worse than the candidate promised."""
        promise = self.promise
        if not promise.promised:
            return []
        risk, utility = promise.risk.value, promise.utility.value
        worse = []
        if found.risk > risk + _TOLERANCE:
            worse.append(f"The output has a risk of {found.risk:.6g}, but {risk:.6g} was promised")
        # What this call leaves out costs utility, which is asked for.
        if self.request.suppress is None and 1.0 - found.loss < utility - _TOLERANCE:
            worse.append(
                f"The output has a utility of {1.0 - found.loss:.6g}, but {utility:.6g} was promised"
            )
        if found.smallest_group < promise.k:
            worse.append(
                f"The smallest group of the output has {found.smallest_group:,} records, but "
                f"{promise.k:,} were promised"
            )
        for name, distinct in found.l_diversity.items():
            if distinct < promise.l_diversity.get(name, 0):
                worse.append(
                    f"A group of the output has {distinct:,} different values of {name!r}, but "
                    f"{promise.l_diversity[name]:,} were promised"
                )
        for name, distance in found.t_closeness.items():
            if distance > promise.t_closeness.get(name, 1.0) + 1e-6:
                worse.append(
                    f"A group of the output is {distance:.4g} away from the table in {name!r}, but "
                    f"{promise.t_closeness[name]:.4g} was promised"
                )
        return worse

    def _broken_conditions(self, found: Remeasured) -> list[str]:
        """List the conditions of the exploration and of this call that do not hold."""
        terms, limit = self.terms, self.request.refuse_above
        worse = []
        if found.smallest_group < terms.min_sample:
            worse.append(
                f"The smallest group of the output has {found.smallest_group:,} records, below the "
                f"{terms.min_sample:,} asked for"
            )
        if found.smallest_population_group < terms.min_population - _TOLERANCE:
            worse.append(
                f"The smallest group of the output stands for {found.smallest_population_group:,.0f} "
                f"people, below the {terms.min_population:,.0f} asked for"
            )
        asked = terms.conditions
        touched = self.suppressed + self.blanked
        if touched / max(int(self.table.count.sum()), 1) > asked.max_suppressed + _TOLERANCE:
            worse.append(
                f"{touched:,} records would be left out or have blanked cells, more than the "
                f"{asked.max_suppressed:.3g} of all that was allowed"
            )
        average = found.expected / found.records
        if asked.max_average_risk is not None and average > asked.max_average_risk + _TOLERANCE:
            worse.append(
                f"The average chance of naming a record is {average:.6g}, above the "
                f"{asked.max_average_risk:g} allowed"
            )
        diverse: dict[str, dict[str, float]] = {
            "distinct": {n: float(v) for n, v in found.l_diversity.items()},
            "entropy": found.l_diversity_entropy,
            "recursive": {n: float(v) for n, v in found.recursive.items()},
        }
        for name, value in diverse[asked.diversity].items():
            if value < asked.min_l - 1e-6:
                worse.append(
                    f"A group of the output has a diversity of {value:.4g} in {name!r}, below the "
                    f"{asked.min_l:g} asked for"
                )
        for name, distance in found.t_closeness.items():
            if asked.max_t is not None and distance > asked.max_t + 1e-6:
                worse.append(
                    f"A group of the output is {distance:.4g} away from the table in {name!r}, above "
                    f"the {asked.max_t:g} allowed"
                )
        if limit is not None and found.risk > limit + _TOLERANCE:
            worse.append(f"The output has a risk of {found.risk:.6g}, above the {limit:g} allowed")
        return worse

    def release(
        self, path: Path, books: Sequence[Path], found: Remeasured, worse: Sequence[str]
    ) -> TablesRelease:
        """Describe the measured file and the codebook beside it."""
        table, schema, terms = self.table, self.terms.schema, self.terms
        has_population = table.population_codes is not None
        attacker = ATTACKER if has_population else ATTACKER_OF_SAMPLE
        private = [*schema.names("identifier"), *schema.names("person")]
        dropped = [n for n in private if n in self.opened.columns]
        declared = {a.name for a in schema.attributes}
        unknown = sum(c not in declared for c in self.opened.columns)
        explored = terms.same_table(table)
        open_kept = unknown if self.request.keep_undeclared else 0
        changed = _treatments(schema)
        kept = [
            c
            for c in self.opened.columns
            if c in declared and c not in dropped and c not in table.names and c not in changed
        ]
        return TablesRelease(
            engine="tables",
            candidate=self.promise.id,
            inputs=tuple(self.opened.described(table.rows)),
            outputs=(
                InputFile(path=path.name, sha256=sha256_of(path), rows=found.rows),
                *(InputFile(path=book.name, sha256=sha256_of(book)) for book in books),
            ),
            seed=self.seed,
            request=self.request.to_record(),
            counts={
                "rows": found.rows,
                "dropped": table.dropped,
                "suppressed": self.suppressed,
                "blanked": self.blanked,
                "columns": len(self.opened.columns) - len(dropped) - unknown + open_kept,
            },
            risk=Risk(found.risk, attacker=attacker),
            utility=Utility(1.0 - found.loss, kept=KEPT),
            how=TablesHow(
                policy=self.policy.shown(found.labels),
                ends=self.policy.ends(),
                bits=self.policy.hex,
                domains=dict(zip(terms.lattice.names, terms.lattice.sizes, strict=True)),
                quasi=table.names,
                identifiers_dropped=tuple(dropped),
                columns_kept=tuple(kept),
                columns_treated=changed,
                undeclared_columns_dropped=unknown - open_kept,
                undeclared_columns_kept=open_kept,
                missing=schema.missing,
                order="kept" if self.request.keep_order else "shuffled",
                population=has_population,
                explored_table=explored,
                risk_measure=terms.risk,
                loss_measure=terms.loss,
                refuse_above=self.request.refuse_above,
                accept_shift=self.request.accept_shift,
            ),
            measured=found.to_record().model_copy(
                update={
                    "shift": self.shift and ShiftRecord.of(self.shift),
                    "columns": self.losses,
                }
            ),
            worse=tuple(worse),
            sentences=() if self.shift is None or explored else (sentence_of(self.shift),),
        )


def _treatments(schema: TableSchema) -> dict[str, str]:
    """Return in words how columns that are no quasi-identifiers are changed."""
    ways = {a.name: a.publish or a.date for a in schema.attributes if a.role == "other"}
    return {name: way.in_words() for name, way in ways.items() if way is not None}


# --- reading -------------------------------------------------------------------------------------


def _read(opened: Source, terms: Terms, population: object, compute: Compute) -> Table:
    """Read the table by the domains of the lattice; the population is the one given, or the explored one."""
    counts = counted(opened, terms.schema, compute)
    table = read_table(opened, terms.schema, population, counts=counts)
    for a, (domain, size) in enumerate(zip(table.domains, terms.lattice.sizes, strict=True)):
        if len(domain) > size:  # missing cells, where the explored table had none
            raise misplaced(opened, terms.schema, table.domains, missing=True, only=a)
    if population is not None:
        table.inputs = opened.described(table.rows)
        return table
    return replace(
        table,
        population_codes=terms.population_codes,
        population_count=terms.population_count,
    )


# --- writing -------------------------------------------------------------------------------------


def _kind_and_name(opened: Source, target: Path | None) -> tuple[str, str]:
    """Return the format to write, and the name of the file in a folder."""
    if opened.format not in WRITTEN:  # a frame, or a file of another program
        as_file = None if target is None else _data_format(target)
        if as_file is not None and as_file not in WRITTEN:
            raise FormatError(
                f"The output {Path(target or '').name!r} has a format that is read and not written.",
                hint="use .csv, .tsv or .parquet.",
            )
        kind = as_file or "csv"
        return kind, f"{opened.paths[0].stem if opened.paths else 'table'}{_SUFFIX[kind]}"
    name = opened.paths[0].name if len(opened.paths) == 1 else f"table{_SUFFIX[opened.format]}"
    return opened.format, name


def _data_format(target: Path) -> str | None:
    """Return the format when the output names a data file; None for a folder."""
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
        check_files(target, _record_of(target), force=force, inputs=inputs)


@contextmanager
def _staged(
    target: Path, name: str, *, force: bool, inputs: Sequence[str | os.PathLike[str]]
) -> Iterator[tuple[Path, str, str]]:
    """Yield a folder that nobody sees and the names to write there; show it all when the block ends well."""
    if _data_format(target) is None:
        with whole_directory(target, force=force, inputs=inputs, private=False) as folder:
            yield folder, name, RELEASE_FILE
    else:
        record = _record_of(target)
        with released_files(target, record, force=force, inputs=inputs) as folder:
            yield folder, target.name, record.name


def _delimiter(opened: Source, kind: str) -> str:
    return opened.delimiter if opened.format == kind else "\t" if kind == "tsv" else ","


def _like(frame: pa.Table, data: object) -> Frame:
    """Return an Arrow table as the kind of frame that came in."""
    module = type(data).__module__.partition(".")[0]
    if module == "pandas":
        return frame.to_pandas()
    if module == "polars":
        import polars as pl

        return pl.from_arrow(frame)
    return frame
