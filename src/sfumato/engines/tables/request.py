"""Every parameter of the tables engine's commands, once."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

from ...compute import compute_option, engine_parameter, threads_parameter
from ...core.arguments import Argument, Compound, Named, number, table_of
from ...core.choice import Choice, Choosing
from ...core.errors import NoCandidateError, SfumatoError
from ...core.input_types import InputType
from ...core.request import Request, parameter
from ...data.inputs import CutsInput, PathInput, PopulationInput, RowsInput, SchemaInput, TableInput
from .registry import ARGUMENTS, LOSSES, RISKS, STRATEGIES

if TYPE_CHECKING:
    from .space.policy import Policy

__all__ = [
    "MappingRequest",
    "PolicyInput",
    "SchemaRequest",
    "TablesAttackRequest",
    "TablesChoice",
    "TablesPublishRequest",
    "TablesRequest",
    "TablesStudyRequest",
]

_TABLE = "CSV, TSV, Parquet, SPSS, Stata, SAS, Excel or DuckDB; a folder or glob of parts; a frame."
_ENGINE = "Engine that counts and writes rows."
_THREADS = "Threads of this machine (default: all cores)."
_SUPPRESSED = ("records", "cells")
_DIVERSITIES = ("distinct", "entropy", "recursive")
_COMPUTE = compute_option(_ENGINE)


class _Budget(Compound):
    """How long a search may take: a number of policies, a number of seconds, or both."""

    help = (
        "Maximum number of policies to evaluate, or of CPU seconds; seconds do not repeat exactly."
    )
    metavar = "4000|60s"
    takes = (int, str, Mapping[str, object])

    def read(self, value: object) -> dict[str, object]:
        table = table_of(value)
        if table is not None:
            return dict(table)
        found: dict[str, object] = {}
        for part in value.split(",") if isinstance(value, str) else [value]:
            is_seconds = isinstance(part, str) and part.strip().endswith("s")
            name = "seconds" if is_seconds else "evaluations"
            if name in found:
                raise ValueError(f"budget: {name} are given twice")
            found[name] = part.strip().removesuffix("s") if isinstance(part, str) else part
        return found

    def write(self, values: Mapping[str, object]) -> tuple[str, set[str]]:
        units = {"evaluations": "", "seconds": "s"}
        given = [name for name in units if values.get(name) is not None]
        return ",".join(number(values[name]) + units[name] for name in given), set(given)


class _Reference(Compound):
    """Policy files to compare with, each by a given name or by that of the file."""

    metavar = "[NAME=]FILE"
    takes = (Mapping[str, object],)

    def read(self, value: object) -> dict[str, object]:
        table = table_of(value)
        if table is not None:
            return {"references": dict(table)}
        files: list[object] = []
        named: dict[str, object] = {}
        for one in value if isinstance(value, list | tuple) else [value]:
            name, equals, file = one.partition("=") if isinstance(one, str) else ("", "", "")
            if equals and name and file and not set(name) & {"/", os.sep}:
                named[name] = file
            else:
                files.append(one)
        return {"reference": files, **({"references": named} if named else {})}

    def write(self, values: Mapping[str, object]) -> tuple[str, set[str]]:  # noqa: ARG002
        return "", set()  # a repeated option: each file is written for itself

    def example(self, field: str) -> str:  # noqa: ARG002
        return "NAME=FILE"


if TYPE_CHECKING:
    PolicyInput: TypeAlias = PathInput | Policy | Mapping[str, Sequence[object]]
else:
    PolicyInput = Annotated[object, InputType("PolicyInput", "path, Policy or dict", __name__)]


class TablesRequest(Request):
    """The parameters of `tables explore`."""

    compounds: ClassVar[Mapping[str, Compound]] = {
        "strategy": Named("strategy", ARGUMENTS["strategy"]),
        "budget": _Budget(),
        "min_l": Named(
            "min_l",
            {
                "": [
                    Argument("diversity"),
                    Argument("recursive_c", key="recursive", also={"diversity": "recursive"}),
                ]
            },
            metavar="L[:distinct|entropy|recursive=C]",
        ),
        "suppress": Named(
            "suppress", {"": [Argument("suppress_as")]}, metavar="SHARE[:records|cells]"
        ),
        "reference": _Reference(),
        "risk": Named("risk", ARGUMENTS["risk"]),
        "loss": Named("loss", ARGUMENTS["loss"]),
        "compute": _COMPUTE,
    }
    table: TableInput = parameter(help=_TABLE, role="data")
    schema_: SchemaInput | None = parameter(
        None, help="The table's schema (TOML).", role="file", alias="schema"
    )
    population: PopulationInput | None = parameter(
        None, help="Counts of people by quasi-identifiers, with a column 'count'.", role="file"
    )
    sampling_fraction: float | None = parameter(
        None,
        help="Share of the population that the table is a random sample of; for estimates.",
        gt=0,
        le=1,
    )
    strategy: str = parameter(
        "exchange", help="How policies are searched.", choices=lambda: STRATEGIES
    )
    evaluations: int | None = parameter(
        None, help="Maximum number of policies to evaluate.", ge=2, within="budget", warns=False
    )
    seconds: float | None = parameter(
        None, help="Maximum CPU seconds of the search; the result does not repeat exactly.", gt=0,
        within="budget", warns=False,
    )  # fmt: skip
    seed: int = parameter(0, help="Seed of all randomness.", ge=0)
    min_k: int = parameter(
        0,
        help="Minimum group size (k-anonymity).",
        ge=0,
        aliases=["min_sample", "least_sample"],
    )
    min_population: float = parameter(
        0,
        help="Minimum number of people of the population per group.",
        ge=0,
        aliases=["least_population"],
    )
    max_individual_risk: float | None = parameter(
        None,
        help="Maximum individual re-identification risk, e.g. 0.09: 1 / people per group.",
        gt=0,
        le=1,
    )
    max_average_risk: float | None = parameter(
        None, help="Maximum re-identification risk on average over the records.", gt=0, le=1
    )
    min_l: float = parameter(
        0, help="Minimum l-diversity of every sensitive column in every group.", ge=0
    )
    diversity: str = parameter(
        "distinct", help="How diversity is counted.", choices=lambda: _DIVERSITIES, within="min_l"
    )
    recursive_c: float = parameter(
        3.0, help="c of recursive (c, l)-diversity.", gt=0, within="min_l"
    )
    max_t: float | None = parameter(
        None, help="Maximum distance of a group's sensitive values from the table's (t-closeness).",
        ge=0, le=1,
    )  # fmt: skip
    suppress: float = parameter(
        0,
        help="Maximum share of records suppressed, or with cells suppressed, in groups that are too small or lack diversity.",
        ge=0,
        le=0.5,
    )
    suppress_as: str = parameter(
        "records",
        help="What is suppressed in such groups: whole records, or single cells.",
        choices=lambda: _SUPPRESSED,
        within="suppress",
    )
    cut_points: dict[str, CutsInput] = parameter(
        {}, help="By attribute: the only values at which an interval may begin, as 20:40:60."
    )
    references: dict[str, PolicyInput] = parameter(
        {}, help="Policies to compare with, by name.", role="file", within="reference"
    )
    reference: list[str | Path] = parameter(
        [],
        help="A policy file to compare with; named after the file if no name is given.",
        role="file",
    )
    risk: str = parameter("population", help="The risk to minimise.", choices=lambda: RISKS)
    loss: str = parameter("kl", help="The loss to minimise.", choices=lambda: LOSSES)
    target: str | None = parameter(None, help="Column for mutual-information.", within="loss")
    k: int = parameter(5, help="Group size for the risk small-groups.", ge=1, within="risk")
    threshold: float | None = parameter(
        None, help="TH of the strategy shs.", ge=0, le=1, within="strategy"
    )
    certify: float = parameter(
        0, help="Seconds to prove how good any policy can be; does not repeat exactly.", ge=0
    )
    engine: str = engine_parameter(_ENGINE)
    threads: int | None = threads_parameter(_THREADS)

    def input_files(self) -> list[tuple[str, Path]]:
        """Return the files of the request and those that its schema names."""
        found = _of_databases(super().input_files())
        if isinstance(self.schema_, str | os.PathLike):
            path = Path(self.schema_)
            found += [("schema", path.parent / name) for name in _named_in(path)]
        return found


def _of_databases(files: list[tuple[str, Path]]) -> list[tuple[str, Path]]:
    """Return the files with a database in place of a table in it."""
    from ...data.statistics_files import split_database

    return [(name, split_database(path)[0]) for name, path in files]


def _named_in(schema: Path) -> list[str]:
    """List the domain and hierarchy files that a schema names; a wrong schema is refused when it is read."""
    from ...core.toml_files import read_toml

    try:
        content = read_toml(schema)
    except SfumatoError:
        return []
    found = []
    listed = content.get("attribute")
    for entry in listed if isinstance(listed, list) else []:
        if isinstance(entry, dict):
            domain, hierarchy = entry.get("domain"), entry.get("hierarchy")
            if isinstance(hierarchy, str):
                found.append(hierarchy)
            if isinstance(domain, dict) and isinstance(domain.get("file"), str):
                found.append(domain["file"])
    return found


class TablesPublishRequest(Request):
    """The parameters of `tables publish`."""

    compounds: ClassVar[Mapping[str, Compound]] = {"compute": _COMPUTE}
    table: RowsInput = parameter(help=_TABLE, role="data")
    population: PopulationInput | None = parameter(
        None, help="Another population to measure against.", role="file"
    )
    refuse_above: float | None = parameter(
        None, help="Refuse a measured risk above this.", ge=0, le=1, aliases=["max_risk"]
    )
    min_k: int = parameter(
        0, help="Minimum group size of the output.", ge=0, aliases=["min_sample"]
    )
    min_l: float = parameter(
        0, help="Minimum l-diversity of every sensitive column in every group of the output.", ge=0
    )
    max_t: float | None = parameter(
        None, help="Maximum distance of a group's sensitive values from the table's (t-closeness).",
        ge=0, le=1,
    )  # fmt: skip
    max_individual_risk: float | None = parameter(
        None, help="Maximum individual re-identification risk of the output.", gt=0, le=1
    )
    max_average_risk: float | None = parameter(
        None, help="Maximum average re-identification risk of the output.", gt=0, le=1
    )
    suppress: float | None = parameter(
        None,
        help="Maximum share of records suppressed in groups that are too small or lack diversity (default: as explored).",
        ge=0,
        le=0.5,
        in_plan=False,  # a plan says it once, for exploring
    )
    max_joint_risk: float | None = parameter(
        None,
        help="Maximum individual risk together with neighbouring earlier releases of the same people.",
        gt=0,
        le=1,
    )
    accept_worse: bool = parameter(
        False, help="Publish although the output is worse than promised; recorded in release.json."
    )
    accept_shift: bool = parameter(
        False,
        help="Publish although the records differ from those explored; recorded in release.json.",
    )
    keep_undeclared: bool = parameter(
        False,
        help="Publish columns that the schema does not name unchanged; recorded in release.json.",
    )
    keep_order: bool = parameter(
        False, help="Keep the order of the rows; by default they are shuffled by a private seed."
    )
    engine: str = engine_parameter(_ENGINE)
    threads: int | None = threads_parameter(_THREADS)

    def input_files(self) -> list[tuple[str, Path]]:
        """Return the files of the request."""
        return _of_databases(super().input_files())


class TablesChoice(Choice):
    """The ways of choosing a policy: those of every engine, and a saved policy file."""

    compounds: ClassVar[Mapping[str, Compound]] = {"id": Choosing(policy="policy=FILE")}
    max_risk: float | None = parameter(
        None,
        help="Choose the most useful candidate with at most this risk: 0.01 is a hundredth of that of the raw table.",
        ge=0,
        le=1,
        within="id",
        warns=False,
    )
    policy: str | Path | None = parameter(
        None, help="A policy that `tables mapping` saved as JSON.", role="file", within="id"
    )

    def _own_ways(self) -> tuple[str, ...]:
        return ("policy",)

    def of(self, exploration: Any) -> Any:
        """Return the chosen candidate of an exploration."""
        if self.policy is None:
            return super().of(exploration)
        found = exploration.candidate_of(self.policy)
        if found is None:
            raise NoCandidateError("The policy file holds no policy of this schema.")
        return found


class SchemaRequest(Request):
    """The parameters of `tables schema`."""

    table: RowsInput = parameter(help=_TABLE, role="data")


class MappingRequest(TablesChoice):
    """The parameters of `tables mapping`."""

    frontier: str | Path = parameter(help="Folder that explore wrote.", role="data", metavar="DIR")


class TablesAttackRequest(Request):
    """The parameters of `tables attack`."""

    release: str | Path = parameter(
        help="Folder or file that publish wrote.", role="data", metavar="RELEASE"
    )
    earlier: list[str | Path] = parameter(
        help="Earlier releases of some of the same people.",
        role="file",
        flag="--with",
        metavar="RELEASE",
        min_length=1,
    )


class TablesStudyRequest(Request):
    """The parameters of `tables study`."""

    table: TableInput = parameter(help=_TABLE, role="data")
    schema_: SchemaInput = parameter(help="The table's schema (TOML).", role="file", alias="schema")
    population: PopulationInput | None = parameter(
        None, help="Counts of the population.", role="file"
    )
    evaluations: int | None = parameter(None, help="Policies measured per run.", ge=2)
    runs: int = parameter(3, help="Runs of each strategy.", ge=1)
    sublattices: int = parameter(500, help="Sublattices drawn for figure 6.", ge=10)
    seed: int = parameter(0, help="Seed of all randomness.", ge=0)
