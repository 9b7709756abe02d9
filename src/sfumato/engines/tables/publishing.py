"""Publishing: a policy applied to a table row by row, the output measured again from the file itself.

The data streams through; identifiers are left out, quasi-identifiers become the policy's intervals, every
other column is kept. Nothing is left behind when the output is worse than promised.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...core.errors import (
    DataError,
    FormatError,
    InputError,
    ModelError,
    NoCandidateError,
    ReleaseRefusedError,
)
from ...core.exploration import Exploration, InputFile
from ...core.files import check_output, read_json
from ...core.measures import Risk, Utility
from ...core.release import RELEASE_FILE, Release
from ...data.table import Table, read_table
from ...data.table_schema import MISSING, TableSchema
from ...data.table_source import Source, cell_text, quoted_name, quoted_text
from .cells import Cells
from .engine import load_exploration
from .policy import Lattice, Policy

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["measure_output", "publish", "publish_policy"]

_SUFFIXES = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_BATCH = 1 << 16
_ROUNDING = 1e-9


def publish(
    directory: str | os.PathLike[str],
    table: Any,
    choose: str | None = None,
    out: str | os.PathLike[str] = "",
    *,
    max_risk: float | None = None,
    min_utility: float | None = None,
    tolerance: float = 0.1,
    force: bool = False,
) -> Release:
    """Publish a table as one candidate of a frontier says.

    `choose` is the id of a candidate (or "knee"); `max_risk` and `min_utility` choose one instead. On
    other data than was explored, the risk may exceed the promise by the share `tolerance`.
    """
    found = load_exploration(directory)
    candidate = _chosen(found, choose, max_risk, min_utility)
    schema = TableSchema.of(found.extra["schema"])
    lattice = Lattice(
        tuple(a.name for a in schema.quasi),
        tuple(schema.declared_domain(a) or () for a in schema.quasi),
    )
    if lattice.fingerprint != found.extra.get("fingerprint"):
        raise ModelError("The file 'frontier.json' is damaged: its schema is not the one explored.")
    policy = lattice.policy(candidate.details["policy"])
    if policy.hex != candidate.details.get("bits"):
        raise ModelError(
            f"The candidate {candidate.id!r} is damaged: its bits and its intervals disagree."
        )
    return publish_policy(
        table, policy, schema, out, promised_risk=candidate.risk.value, seed=found.seed,
        explored=found.inputs, population=_saved_population(directory, found),
        least=(found.extra.get("least_sample", 0), found.extra.get("least_population", 0)),
        tolerance=tolerance, force=force,
    )  # fmt: skip


def _chosen(
    found: Exploration, choose: str | None, max_risk: float | None, min_utility: float | None
) -> Any:
    if choose is not None and (max_risk is not None or min_utility is not None):
        raise InputError("Choose a candidate by its id or by a limit, not by both.")
    if choose == "knee":
        return found.knee()
    if choose is not None:
        return found.candidate(choose)
    if max_risk is None and min_utility is None:
        raise InputError(
            "No candidate was chosen.", hint="give --choose ID, --max-risk or --min-utility."
        )
    return found.choose(max_risk=max_risk, min_utility=min_utility)


def _saved_population(directory: str | os.PathLike[str], found: Exploration) -> Any:
    if not found.extra.get("population_cells"):
        return None
    path = Path(directory) / "population.npz"
    try:
        with np.load(path, allow_pickle=False) as saved:
            return saved["codes"], saved["count"]
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(
            "The file 'population.npz' beside the frontier is missing or damaged.",
            hint="explore again; without it the output cannot be measured.",
        ) from error


def publish_policy(
    data: Any,
    policy: Policy,
    schema: TableSchema,
    out: str | os.PathLike[str],
    *,
    promised_risk: float | None = None,
    population: Any = None,
    explored: Sequence[InputFile] = (),
    least: tuple[float, float] = (0, 0),
    seed: int = 0,
    tolerance: float = 0.1,
    force: bool = False,
) -> Release:
    """Apply a policy to a table, measure the output from its file, and keep it only if it is as promised.

    `population` is a `Table` that holds one, (codes, counts), or None where the sample is the population.
    """
    target, record = _targets(out, data)
    for path in (target, record):
        check_output(path, force=force)
    table = _read(data, policy, schema)
    before = _cells(table, population)
    promise = before.measure(policy.bits)
    same = {i.sha256 for i in explored} >= {i.sha256 for i in table.inputs} and bool(table.inputs)
    limit = np.inf if promised_risk is None else promised_risk * (1 if same else 1 + tolerance)
    with _aside(target) as folder:
        beside = folder / target.name
        rows, kept, dropped_columns = _write(table, policy, beside)
        measured = measure_output(beside, table, policy, before)
        problems = _problems(measured, promise.risk, promise.loss, limit, least)
        if problems:
            raise ReleaseRefusedError(
                f"The release was refused: {problems[0]}.",
                hint="nothing was written; choose a candidate with less risk, or explore this table.",
            )
        release = Release(
            engine="tables",
            candidate=policy.id,
            inputs=table.inputs,
            outputs=[InputFile(target.name, InputFile.of(beside, rows).sha256, rows)],
            seed=seed,
            how={
                "bits": policy.hex,
                "fingerprint": policy.lattice.fingerprint,
                "treatment": policy.summary(),
                "identifiers_removed": dropped_columns,
                "columns_kept": kept,
                "columns_not_in_schema": [
                    c for c in kept if c not in {a.name for a in schema.attributes}
                ],
                "missing": schema.missing,
                "same_data_as_explored": same,
                "promised_risk": promised_risk,
            },
            counts={"rows_read": table.rows, "rows": rows, "withheld": table.dropped},
            risk=Risk(measured["risk"], attacker=_attacker(before)),
            utility=Utility(1.0 - measured["loss"], kept="distribution of the quasi-identifiers"),
            measured=measured,
        )
        release.save(folder, name=record.name)
        os.replace(beside, target)
        os.replace(folder / record.name, record)
    return release


def _attacker(cells: Cells) -> str:
    if cells.has_population:
        return "knows the quasi-identifiers and the population"
    return "knows the quasi-identifiers and who is in the sample"


def _targets(out: str | os.PathLike[str], data: Any) -> tuple[Path, Path]:
    if not os.fspath(out):
        raise InputError("No output was named.", hint="give --out FILE.")
    out = Path(out)
    if _format_of(out) is not None:
        stem = Path(out.name.removesuffix(".gz")).stem
        return out, out.with_name(f"{stem}.{RELEASE_FILE}")
    if out.suffix and not out.is_dir():
        raise InputError(
            f"The output {out.name!r} is not named as a table.",
            hint="use .csv, .tsv or .parquet (.gz too), or name a folder.",
        )
    name = "table.csv"
    if isinstance(data, str | os.PathLike):
        given = Path(data)
        name = given.name if _format_of(given) else f"{given.name}.parquet"
    if not out.is_dir():
        check_output(out)
        out.mkdir()
    return out / name, out / RELEASE_FILE


def _format_of(path: Path) -> str | None:
    return _SUFFIXES.get(Path(path.name.removesuffix(".gz")).suffix.lower())


@contextmanager
def _aside(target: Path) -> Iterator[Path]:
    """Give a folder beside the target that goes away whatever happens."""
    folder = target.with_name(f".{target.name}.partial-{os.getpid()}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _read(data: Any, policy: Policy, schema: TableSchema) -> Table:
    """Read the data by the domains of the policy, so that a value outside them is an error."""
    lattice = policy.lattice
    attributes: list[dict[str, Any]] = []
    for attribute in schema.attributes:
        entry: dict[str, Any] = {"name": attribute.name, "role": attribute.role}
        if attribute.role == "quasi":
            domain = lattice.domains[lattice.names.index(attribute.name)]
            declared = schema.declared_domain(attribute)
            is_range = attribute.is_range and declared is not None
            if is_range and declared is not None and set(domain) - {MISSING} == set(declared):
                entry["domain"] = {"range": [int(declared[0]), int(declared[-1])]}
            else:
                entry["domain"] = {"values": list(domain)}
        attributes.append(entry)
    fixed = TableSchema.of({"missing": schema.missing, "attribute": attributes})
    table = read_table(data, fixed)
    for name, domain, wanted in zip(table.names, table.domains, lattice.domains, strict=True):
        if domain != wanted:
            if set(domain) - set(wanted) == {MISSING}:
                raise DataError(
                    f"The column {name!r} has missing cells, which the explored table had not.",
                    hint="explore this table, or fill the cells.",
                )
            if set(wanted) - set(domain) == {MISSING}:
                continue  # no cell is missing here; the policy can do without
            raise FormatError(f"The domain of {name!r} is not the one the policy was made for.")
    return table


def _cells(table: Table, population: Any) -> Cells:
    codes, count = table.population_codes, table.population_count
    if isinstance(population, Table):
        codes, count = population.population_codes, population.population_count
    elif population is not None:
        codes, count = population
    return Cells([len(d) for d in table.domains], table.codes, table.count, codes, count)


def _problems(
    measured: dict[str, Any], risk: float, loss: float, limit: float, least: tuple[float, float]
) -> list[str]:
    """Say in which ways an output is worse than it should be; figures only."""
    found = []
    if measured["risk"] > risk + _ROUNDING or measured["loss"] > loss + _ROUNDING:
        found.append("the output measures worse than its policy does on the table")
    if measured["risk"] > limit + _ROUNDING:
        found.append(f"its risk is {measured['risk']:.6g}, and {limit:.6g} was promised")
    if measured["smallest_sample_group"] < least[0]:
        found.append(
            f"its smallest group has {measured['smallest_sample_group']} records, fewer than {least[0]:g}"
        )
    if measured["smallest_population_group"] < least[1]:
        found.append(
            f"its smallest group has {measured['smallest_population_group']:g} people, fewer than {least[1]:g}"
        )
    return found


def _write(table: Table, policy: Policy, path: Path) -> tuple[int, list[str], list[str]]:
    """Write the generalised table batch by batch; give rows, columns kept and columns left out."""
    import pyarrow as pa

    source = table.source
    assert source is not None
    lattice = policy.lattice
    dropped = [c for c in source.columns if c in set(table.schema.names("identifier"))]
    columns = [c for c in source.columns if c not in dropped]
    where = {name: a for a, name in enumerate(lattice.names)}
    is_range = {a.name: a.is_range for a in table.schema.quasi}
    parts = [
        f"coalesce({cell_text_of(c, is_range=is_range[c])}, {quoted_text(MISSING)}) AS {quoted_name(c)}"
        if c in where
        else quoted_name(c)
        for c in columns
    ]
    sql = f"SELECT {', '.join(parts)} FROM {_typed(source)}"
    values = {
        c: pa.array(lattice.domains[where[c]], type=pa.string()) for c in columns if c in where
    }
    labels = {c: pa.array(_labels(policy, where[c]), type=pa.string()) for c in values}
    published = _Published(values, labels, columns, drop=table.schema.missing == "drop")
    _store(path, published.batches(_batches(source, sql)), source.delimiter)
    if published.rows == 0:
        raise DataError("The table holds no rows.")
    if published.rows != table.rows - table.dropped:
        raise ReleaseRefusedError("The release was refused: it lost rows on the way.")
    return published.rows, columns, dropped


class _Published:
    """Batches with the quasi-identifiers generalised; counts the rows that pass."""

    def __init__(
        self, values: dict[str, Any], labels: dict[str, Any], columns: Sequence[str], *, drop: bool
    ) -> None:
        self.values, self.labels, self.columns, self.drop = values, labels, columns, drop
        self.rows = 0

    def batches(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        for batch in batches:
            keep = None
            arrays = []
            for c, column in zip(self.columns, batch.columns, strict=True):
                if c not in self.values:
                    arrays.append(column)
                    continue
                code = pc.index_in(column, value_set=self.values[c])
                label = pc.take(self.labels[c], code)
                arrays.append(label)
                keep = label.is_valid() if keep is None else pc.and_(keep, label.is_valid())
            out = pa.record_batch(arrays, names=list(self.columns))
            if self.drop:
                out = out.filter(keep)
            elif pc.any(pc.invert(keep)).as_py():
                raise DataError("A row holds a value outside its domain.")
            self.rows += out.num_rows
            yield out


def _store(path: Path, batches: Iterator[pa.RecordBatch], delimiter: str) -> None:
    """Write batches in the format that the name says, in their order."""
    import pyarrow as pa

    first = next(batches, None)
    if first is None:
        return
    kind = _format_of(path)

    def all_batches() -> Iterator[pa.RecordBatch]:
        yield first
        yield from batches

    if kind == "parquet":
        import pyarrow.parquet as pq

        with pq.ParquetWriter(path, first.schema) as writer:
            for batch in all_batches():
                writer.write_batch(batch)
        return
    import duckdb

    failed: list[Exception] = []

    def guarded() -> Iterator[pa.RecordBatch]:
        try:
            yield from all_batches()
        except Exception as error:  # DuckDB would wrap it, with the data in its message
            failed.append(error)

    with duckdb.connect(config={"memory_limit": "1GB"}) as connection:
        connection.register("published", pa.RecordBatchReader.from_batches(first.schema, guarded()))
        mark = quoted_text("\t" if kind == "tsv" else delimiter)
        squeezed = "gzip" if path.name.endswith(".gz") else "none"
        connection.execute(
            f"COPY (SELECT * FROM published) TO {quoted_text(str(path))} "  # noqa: S608
            f"(FORMAT csv, HEADER true, DELIMITER {mark}, COMPRESSION {squeezed})"
        )
    if failed:
        raise failed[0]


def cell_text_of(column: str, *, is_range: bool) -> str:
    """Normalise a cell of any type as the reader does."""
    text = cell_text(column, is_range=is_range)
    return text.replace(quoted_name(column), f"CAST({quoted_name(column)} AS VARCHAR)")


def _labels(policy: Policy, a: int) -> list[str]:
    published = []
    for low, high in policy.spans(a):
        published += [policy.lattice.label(a, low, high)] * (high - low + 1)
    return published


def _typed(source: Source) -> str:
    """Give the relation with the columns' own types, so that what is kept is kept as it is."""
    if source.format == "parquet":
        listed = ", ".join(quoted_text(str(p)) for p in source.paths)
        return f"read_parquet([{listed}])"
    return "frame" if source.format == "frame" else source.sql


def _batches(source: Source, sql: str) -> Iterator[pa.RecordBatch]:
    import duckdb

    try:
        relation = source.connection.sql(sql)
        read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
        yield from read(_BATCH)
    except duckdb.Error as error:
        raise source.told(error) from None


def measure_output(
    path: str | os.PathLike[str], table: Table, policy: Policy, before: Cells
) -> dict[str, Any]:
    """Measure a published file by what stands in it: labels are read, grouped and matched to people.

    Only the number of records in each original cell (for the loss) and the population come from before.
    """
    lattice = policy.lattice
    opened = Source.open(path)
    names = ", ".join(quoted_name(n) for n in lattice.names)
    found = opened.query(
        f"SELECT {names}, count(*) AS n FROM {opened.sql} GROUP BY ALL ORDER BY ALL"
    )
    count = found.column("n").to_numpy().astype(np.int64)
    keys, people_keys, spread = [], [], 0.0
    people = before.weight if before.has_population else before.weight[: before.occupied]
    for a, name in enumerate(lattice.names):
        spans = policy.spans(a)
        place = {lattice.label(a, low, high): i for i, (low, high) in enumerate(spans)}
        index = [place.get(str(v), -1) for v in found.column(name).to_pylist()]
        key = np.array(index, dtype=np.int64)
        if (key < 0).any():
            raise ReleaseRefusedError(
                f"The release was refused: the output's column {name!r} holds something else than the "
                "policy's intervals."
            )
        keys.append(key)
        width = np.array([high - low + 1 for low, high in spans])
        spread += float((count * np.log(width[key])).sum())
        people_keys.append(np.repeat(np.arange(len(spans)), width)[before.codes[a]])
    sizes = _people_in(np.stack(keys), np.stack(people_keys)[:, : people.size], people)
    sizes = np.maximum(sizes if before.has_population else count, count)
    risk = float((count / sizes).sum() / before.scale[2])
    nats = float((before.scale[0] - (count * np.log(count)).sum() + spread) / count.sum())
    return {
        "risk": risk,
        "loss": nats / before.loss_top_nats,
        "loss_nats": nats,
        "groups": int(count.size),
        "smallest_sample_group": int(count.min()),
        "smallest_population_group": float(sizes.min()),
        "rows": int(count.sum()),
    }


def _people_in(
    groups: npt.NDArray[np.int64], cells: npt.NDArray[np.int64], people: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Add up the people whose generalised values are those of each group."""
    both = np.concatenate((groups, cells), axis=1)
    _, which = np.unique(both, axis=1, return_inverse=True)
    which = which.ravel()
    sums = np.bincount(which[groups.shape[1] :], weights=people, minlength=int(which.max()) + 1)
    return np.asarray(sums[which[: groups.shape[1]]])


def read_policy_of(directory: str | os.PathLike[str], candidate: str) -> Policy:
    """Give the policy of a candidate in a folder written by explore."""
    content = read_json(Path(directory) / "frontier.json")
    schema = TableSchema.of(content["schema"])
    lattice = Lattice(
        tuple(a.name for a in schema.quasi),
        tuple(schema.declared_domain(a) or () for a in schema.quasi),
    )
    for entry in content["candidates"]:
        if entry["id"] == candidate:
            return lattice.policy(entry["policy"])
    raise NoCandidateError(f"There is no candidate {candidate!r} on this frontier.")
