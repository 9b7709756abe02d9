"""Every parameter of the tables engine's commands, once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ...compute import COMPUTE
from ...core.choice import Choice
from ...core.errors import NoCandidateError, SfumatoError
from ...core.request import Request, parameter
from .registry import LOSSES, RISKS, STRATEGIES

__all__ = [
    "MappingRequest",
    "SchemaRequest",
    "TablesChoice",
    "TablesPublishRequest",
    "TablesRequest",
    "TablesStudyRequest",
]

_TABLE = "CSV, TSV, Parquet, SPSS, Stata, SAS, Excel or DuckDB; a folder or glob of parts; a frame."
_ENGINE = "Where rows are counted and written."
_THREADS = "Threads of this machine (default: all cores)."
_SUPPRESSED = ("records", "cells")
_DIVERSITIES = ("distinct", "entropy", "recursive")


class TablesRequest(Request):
    """The parameters of `tables explore`."""

    table: object = parameter(help=_TABLE, role="data")
    schema_: Any = parameter(None, help="The table's schema (TOML).", role="file", alias="schema")
    population: object = parameter(
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
    evaluations: int | None = parameter(None, help="Most policies to measure.", ge=2)
    seconds: float | None = parameter(
        None, help="Most CPU seconds to search; the result does not repeat exactly.", gt=0
    )
    seed: int = parameter(0, help="Seed of all randomness.", ge=0)
    min_k: int = parameter(
        0,
        help="Fewest records per group (k-anonymity).",
        ge=0,
        aliases=["min_sample", "least_sample"],
    )
    min_population: float = parameter(
        0, help="Fewest people of the population per group.", ge=0, aliases=["least_population"]
    )
    max_individual_risk: float | None = parameter(
        None,
        help="Largest chance of naming any one record, as 0.09: 1 / people per group.",
        gt=0,
        le=1,
    )
    max_average_risk: float | None = parameter(
        None, help="Largest chance of naming a record on average over the records.", gt=0, le=1
    )
    min_l: float = parameter(
        0, help="Least diversity of every sensitive column in every group.", ge=0
    )
    diversity: str = parameter(
        "distinct", help="How diversity is counted.", choices=lambda: _DIVERSITIES
    )
    recursive_c: float = parameter(3.0, help="c of recursive (c, l)-diversity.", gt=0)
    max_t: float | None = parameter(
        None, help="Largest distance of a group's sensitive values from the table's.", ge=0, le=1
    )
    suppress: float = parameter(
        0,
        help="Largest share of records left out, or with cells blanked, in groups that are too small.",
        ge=0,
        le=0.5,
    )
    suppress_as: str = parameter(
        "records",
        help="What is left out of groups that are too small: whole records, or single cells.",
        choices=lambda: _SUPPRESSED,
    )
    cut_points: dict[str, Any] = parameter(
        {}, help="By attribute: the only values at which an interval may begin, as 20:40:60."
    )
    references: dict[str, Any] = parameter(
        {}, help="Policies to compare with: NAME=FILE.", role="file"
    )
    reference: list[str | Path] = parameter(
        [], help="A policy file to compare with, named after the file.", role="file"
    )
    risk: str = parameter("population", help="The risk to lower.", choices=lambda: RISKS)
    loss: str = parameter("kl", help="The loss to keep low.", choices=lambda: LOSSES)
    target: str | None = parameter(None, help="Column for mutual-information.")
    k: int = parameter(5, help="Group size for the risk small-groups.", ge=1)
    threshold: float | None = parameter(None, help="TH of the strategy shs.", ge=0, le=1)
    certify: float = parameter(
        0, help="Seconds to prove how good any policy can be; does not repeat exactly.", ge=0
    )
    engine: str = parameter("local", help=_ENGINE, choices=lambda: COMPUTE, recorded=False)
    threads: int | None = parameter(None, help=_THREADS, ge=1, recorded=False)

    def input_files(self) -> list[tuple[str, Path]]:
        """Return the files of the request and those that its schema names."""
        found = _of_databases(super().input_files())
        if isinstance(self.schema_, str | os.PathLike):
            path = Path(self.schema_)
            found += [("schema", path.parent / name) for name in _named_in(path)]
        return found


def _of_databases(files: list[tuple[str, Path]]) -> list[tuple[str, Path]]:
    """Return the files with a database in the place of a table in it."""
    from ...data.statistics_files import split_database

    return [(name, split_database(path)[0]) for name, path in files]


def _named_in(schema: Path) -> list[str]:
    """List the domain and hierarchy files that a schema names; a wrong schema is told when it is read."""
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

    table: object = parameter(help=_TABLE, role="data")
    population: object = parameter(None, help="Another population to measure against.", role="file")
    refuse_above: float | None = parameter(
        None, help="Refuse a measured risk above this.", ge=0, le=1, aliases=["max_risk"]
    )
    min_k: int = parameter(
        0, help="Fewest records per group that the output must have.", ge=0, aliases=["min_sample"]
    )
    min_l: float = parameter(
        0, help="Least diversity of every sensitive column in every group of the output.", ge=0
    )
    max_t: float | None = parameter(
        None, help="Largest distance of a group's sensitive values from the table's.", ge=0, le=1
    )
    max_individual_risk: float | None = parameter(
        None, help="Largest chance of naming any one record of the output.", gt=0, le=1
    )
    max_average_risk: float | None = parameter(
        None, help="Largest chance of naming a record of the output on average.", gt=0, le=1
    )
    suppress: float | None = parameter(
        None,
        help="Largest share of records left out in groups that are too small (default: as explored).",
        ge=0,
        le=0.5,
        in_plan=False,  # a plan says it once, for exploring
    )
    accept_worse: bool = parameter(
        False, help="Publish although the output is worse than promised; recorded in release.json."
    )
    accept_shift: bool = parameter(
        False, help="Publish although the records are not like those explored; recorded."
    )
    keep_undeclared: bool = parameter(
        False, help="Publish columns that the schema does not name as they are; recorded."
    )
    keep_order: bool = parameter(
        False, help="Keep the order of the rows; by default they are shuffled by a private seed."
    )
    engine: str = parameter("local", help=_ENGINE, choices=lambda: COMPUTE, recorded=False)
    threads: int | None = parameter(None, help=_THREADS, ge=1, recorded=False)

    def input_files(self) -> list[tuple[str, Path]]:
        """Return the files of the request."""
        return _of_databases(super().input_files())


class TablesChoice(Choice):
    """The ways of choosing a policy: those of every engine, and a saved policy file."""

    max_risk: float | None = parameter(
        None,
        help="The most useful candidate within this risk: 0.01 is a hundredth of the risk of the raw table.",
        ge=0,
        le=1,
    )
    policy: str | Path | None = parameter(
        None, help="A policy that `tables mapping` saved as JSON.", role="file"
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

    table: object = parameter(help=_TABLE, role="data")


class MappingRequest(TablesChoice):
    """The parameters of `tables mapping`."""

    frontier: str | Path = parameter(help="Folder that explore wrote.", role="data", metavar="DIR")


class TablesStudyRequest(Request):
    """The parameters of `tables study`."""

    table: object = parameter(help=_TABLE, role="data")
    schema_: Any = parameter(help="The table's schema (TOML).", role="file", alias="schema")
    population: object = parameter(None, help="Counts of the population.", role="file")
    evaluations: int | None = parameter(None, help="Policies measured per run.", ge=2)
    runs: int = parameter(3, help="Runs of each strategy.", ge=1)
    sublattices: int = parameter(500, help="Sublattices drawn for figure 6.", ge=10)
    seed: int = parameter(0, help="Seed of all randomness.", ge=0)
