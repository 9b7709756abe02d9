"""Generalise a table: explore risk against usefulness, choose a policy, publish."""

# Generated from the requests by `make stubs`; a test compares.

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

from pydantic import JsonValue

from sfumato.core.engine import Progress
from sfumato.data.inputs import CutsInput, PopulationInput, RowsInput, SchemaInput, TableInput
from sfumato.engines.tables.exploration import TablesExploration
from sfumato.engines.tables.records import TablesCandidate, TablesRelease
from sfumato.engines.tables.request import PolicyInput

__all__ = [
    "explore",
    "load",
    "mapping",
    "publish",
    "schema",
    "study",
]

def explore(
    table: TableInput,
    *,
    schema: SchemaInput | None = None,
    population: PopulationInput | None = None,
    sampling_fraction: float | None = None,
    strategy: Literal["exchange", "shs", "rcs", "bisecting", "exhaustive"] = "exchange",
    evaluations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    min_k: int = 0,
    min_population: float = 0,
    max_individual_risk: float | None = None,
    max_average_risk: float | None = None,
    min_l: float = 0,
    diversity: Literal["distinct", "entropy", "recursive"] = "distinct",
    recursive_c: float = 3.0,
    max_t: float | None = None,
    suppress: float = 0,
    suppress_as: Literal["records", "cells"] = "records",
    cut_points: Mapping[str, CutsInput] = ...,
    references: Mapping[str, PolicyInput] = ...,
    reference: Sequence[str | os.PathLike[str]] | str | os.PathLike[str] = ...,
    risk: Literal["population", "prosecutor", "small-groups"] = "population",
    loss: Literal["kl", "class-size", "mutual-information"] = "kl",
    target: str | None = None,
    k: int = 5,
    threshold: float | None = None,
    certify: float = 0,
    engine: Literal["local", "spark"] = "local",
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> TablesExploration:
    """Find the frontier of candidate releases, risk against utility.

    Parameters
    ----------
    table : path, frame or Table
        CSV, TSV, Parquet, SPSS, Stata, SAS, Excel or DuckDB; a folder or glob of parts; a
        frame.
    schema : path, dict or TableSchema, optional
        The table's schema (TOML).
    population : path or frame, optional
        Counts of people by quasi-identifiers, with a column 'count'.
    sampling_fraction : float, optional
        Share of the population that the table is a random sample of; for estimates.
    strategy : {'exchange', 'shs', 'rcs', 'bisecting', 'exhaustive'}, default='exchange'
        How policies are searched.
    evaluations : int, optional
        Most policies to measure.
    seconds : float, optional
        Most CPU seconds to search; the result does not repeat exactly.
    seed : int, default=0
        Seed of all randomness.
    min_k : int, default=0
        Fewest records per group (k-anonymity).
    min_population : float, default=0
        Fewest people of the population per group.
    max_individual_risk : float, optional
        Largest chance of naming any one record, as 0.09: 1 / people per group.
    max_average_risk : float, optional
        Largest chance of naming a record on average over the records.
    min_l : float, default=0
        Least diversity of every sensitive column in every group.
    diversity : {'distinct', 'entropy', 'recursive'}, default='distinct'
        How diversity is counted.
    recursive_c : float, default=3.0
        c of recursive (c, l)-diversity.
    max_t : float, optional
        Largest distance of a group's sensitive values from the table's.
    suppress : float, default=0
        Largest share of records left out, or with cells blanked, in groups that are too small.
    suppress_as : {'records', 'cells'}, default='records'
        What is left out of groups that are too small: whole records, or single cells.
    cut_points : dict of str to list of values, default={}
        By attribute: the only values at which an interval may begin, as 20:40:60.
    references : dict of str to path, Policy or dict, default={}
        Policies to compare with: NAME=FILE.
    reference : list of path, default=[]
        A policy file to compare with, named after the file.
    risk : {'population', 'prosecutor', 'small-groups'}, default='population'
        The risk to lower.
    loss : {'kl', 'class-size', 'mutual-information'}, default='kl'
        The loss to keep low.
    target : str, optional
        Column for mutual-information.
    k : int, default=5
        Group size for the risk small-groups.
    threshold : float, optional
        TH of the strategy shs.
    certify : float, default=0
        Seconds to prove how good any policy can be; does not repeat exactly.
    engine : {'local', 'spark'}, default='local'
        Where rows are counted and written.
    threads : int, optional
        Threads of this machine (default: all cores).
    progress : callable or bool, optional
        Called with the steps done since the last call, the total where it is known, and a note;
        True shows a progress bar.

    Returns
    -------
    TablesExploration
        The frontier: choose a candidate, publish it, or save all for later.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = {"age": [23, 27, 34, 36, 41, 48], "sex": ["f", "m", "f", "m", "f", "m"]}
    >>> schema = {"attribute": [
    ...     {"name": "age", "role": "quasi", "domain": {"range": [20, 49]}},
    ...     {"name": "sex", "role": "quasi", "domain": "observed"},
    ... ]}
    >>> found = sf.tables.explore(people, schema=schema)
    >>> found.choose(max_risk=0.5)
    <candidate 5cf6202e3e: risk 0.5, utility 0.05746>
    """

@overload
def publish(
    exploration: TablesExploration | str | os.PathLike[str],
    data: RowsInput,
    *,
    choose: str | TablesCandidate | None = None,
    max_risk: float | None = None,
    min_utility: float | None = None,
    dominates: str | None = None,
    knee: bool = False,
    policy: str | os.PathLike[str] | None = None,
    population: PopulationInput | None = None,
    refuse_above: float | None = None,
    min_k: int = 0,
    min_l: float = 0,
    max_t: float | None = None,
    max_individual_risk: float | None = None,
    max_average_risk: float | None = None,
    suppress: float | None = None,
    accept_worse: bool = False,
    accept_shift: bool = False,
    keep_undeclared: bool = False,
    keep_order: bool = False,
    engine: Literal["local", "spark"] = "local",
    threads: int | None = None,
    out: str | os.PathLike[str],
    force: bool = False,
    progress: Progress | bool | None = None,
) -> TablesRelease:
    """Publish data as a candidate says, and measure what was written.

    Parameters
    ----------
    exploration : TablesExploration or path
        What `explore` returned, or the folder it was saved in.
    data : path or frame
        CSV, TSV, Parquet, SPSS, Stata, SAS, Excel or DuckDB; a folder or glob of parts; a
        frame.
    choose : str or TablesCandidate, optional
        A candidate, or its id.
    max_risk : float, optional
        The most useful candidate within this risk: 0.01 is a hundredth of the risk of the raw
        table.
    min_utility : float, optional
        The safest candidate with at least this utility.
    dominates : str, optional
        The safest candidate better than this reference, by its name.
    knee : bool, default=False
        The candidate at the knee of the frontier.
    policy : path, optional
        A policy that `tables mapping` saved as JSON.
    population : path or frame, optional
        Another population to measure against.
    refuse_above : float, optional
        Refuse a measured risk above this.
    min_k : int, default=0
        Fewest records per group that the output must have.
    min_l : float, default=0
        Least diversity of every sensitive column in every group of the output.
    max_t : float, optional
        Largest distance of a group's sensitive values from the table's.
    max_individual_risk : float, optional
        Largest chance of naming any one record of the output.
    max_average_risk : float, optional
        Largest chance of naming a record of the output on average.
    suppress : float, optional
        Largest share of records left out in groups that are too small (default: as explored).
    accept_worse : bool, default=False
        Publish although the output is worse than promised; recorded in release.json.
    accept_shift : bool, default=False
        Publish although the records are not like those explored; recorded.
    keep_undeclared : bool, default=False
        Publish columns that the schema does not name as they are; recorded.
    keep_order : bool, default=False
        Keep the order of the rows; by default they are shuffled by a private seed.
    engine : {'local', 'spark'}, default='local'
        Where rows are counted and written.
    threads : int, optional
        Threads of this machine (default: all cores).
    out : path, optional
        Where the release goes; without it the published data is returned.
    force : bool, default=False
        Whether an earlier output of sfumato may be replaced.
    progress : callable or bool, optional
        Called with the steps done since the last call, the total where it is known, and a note;
        True shows a progress bar.

    Returns
    -------
    TablesRelease
        The record of the release; without `out` the published data.
    """
@overload
def publish(
    exploration: TablesExploration | str | os.PathLike[str],
    data: RowsInput,
    *,
    choose: str | TablesCandidate | None = None,
    max_risk: float | None = None,
    min_utility: float | None = None,
    dominates: str | None = None,
    knee: bool = False,
    policy: str | os.PathLike[str] | None = None,
    population: PopulationInput | None = None,
    refuse_above: float | None = None,
    min_k: int = 0,
    min_l: float = 0,
    max_t: float | None = None,
    max_individual_risk: float | None = None,
    max_average_risk: float | None = None,
    suppress: float | None = None,
    accept_worse: bool = False,
    accept_shift: bool = False,
    keep_undeclared: bool = False,
    keep_order: bool = False,
    engine: Literal["local", "spark"] = "local",
    threads: int | None = None,
    out: None = None,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> Any:
    ...

def load(
    folder: str | os.PathLike[str],
) -> TablesExploration:
    """Return what `explore` returned, from the folder that it was saved in.

    Parameters
    ----------
    folder : path
        What `save` or `sfumato tables explore` wrote.

    Returns
    -------
    TablesExploration
        The exploration, ready to choose from and to publish.
    """

def schema(
    table: RowsInput,
    *,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, JsonValue]:
    """Draft a schema from a table, for you to check and edit.

    Parameters
    ----------
    table : path or frame
        CSV, TSV, Parquet, SPSS, Stata, SAS, Excel or DuckDB; a folder or glob of parts; a
        frame.
    out : path, optional
        Where the result goes.
    force : bool, default=False
        Whether an earlier output of sfumato may be replaced.
    progress : callable or bool, optional
        Called with the steps done since the last call, the total where it is known, and a note;
        True shows a progress bar.

    Returns
    -------
    dict
        What the command prints with --json.
    """

def mapping(
    frontier: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str],
    choose: str | None = None,
    max_risk: float | None = None,
    min_utility: float | None = None,
    dominates: str | None = None,
    knee: bool = False,
    policy: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, JsonValue]:
    """Export a candidate's policy: its mapping as CSV or SQL CASE, or the policy as JSON.

    Parameters
    ----------
    frontier : path
        Folder that explore wrote.
    out : path
        Where the result goes.
    choose : str, optional
        Id of a candidate.
    max_risk : float, optional
        The most useful candidate within this risk: 0.01 is a hundredth of the risk of the raw
        table.
    min_utility : float, optional
        The safest candidate with at least this utility.
    dominates : str, optional
        The safest candidate better than this reference, by its name.
    knee : bool, default=False
        The candidate at the knee of the frontier.
    policy : path, optional
        A policy that `tables mapping` saved as JSON.
    force : bool, default=False
        Whether an earlier output of sfumato may be replaced.
    progress : callable or bool, optional
        Called with the steps done since the last call, the total where it is known, and a note;
        True shows a progress bar.

    Returns
    -------
    dict
        What the command prints with --json.
    """

def study(
    table: TableInput,
    *,
    schema: SchemaInput,
    out: str | os.PathLike[str],
    population: PopulationInput | None = None,
    evaluations: int | None = None,
    runs: int = 3,
    sublattices: int = 500,
    seed: int = 0,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, JsonValue]:
    """Repeat the paper's experiments on a table: figures 5 to 8 as data and charts.

    Parameters
    ----------
    table : path, frame or Table
        CSV, TSV, Parquet, SPSS, Stata, SAS, Excel or DuckDB; a folder or glob of parts; a
        frame.
    schema : path, dict or TableSchema
        The table's schema (TOML).
    out : path
        Where the result goes.
    population : path or frame, optional
        Counts of the population.
    evaluations : int, optional
        Policies measured per run.
    runs : int, default=3
        Runs of each strategy.
    sublattices : int, default=500
        Sublattices drawn for figure 6.
    seed : int, default=0
        Seed of all randomness.
    force : bool, default=False
        Whether an earlier output of sfumato may be replaced.
    progress : callable or bool, optional
        Called with the steps done since the last call, the total where it is known, and a note;
        True shows a progress bar.

    Returns
    -------
    dict
        What the command prints with --json.
    """
