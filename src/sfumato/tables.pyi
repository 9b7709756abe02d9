"""Generalise a table: explore risk against usefulness, choose a policy, publish."""

# Generated from the requests by `make stubs`; a test compares.

import os
from collections.abc import Mapping, Sequence
from typing import Any, overload

from pydantic import JsonValue

from sfumato.core.engine import Progress
from sfumato.data.inputs import CutsInput, PopulationInput, RowsInput, SchemaInput, TableInput
from sfumato.engines.tables.attack_records import TablesAttack
from sfumato.engines.tables.exploration import TablesExploration
from sfumato.engines.tables.records import TablesCandidate, TablesRelease

__all__ = [
    "attack",
    "explore",
    "load",
    "mapping",
    "publish",
    "schema",
    "study",
    "tabulate",
    "update",
]

def explore(
    table: TableInput,
    *,
    schema: SchemaInput | None = None,
    population: PopulationInput | None = None,
    sampling_fraction: float | None = None,
    strategy: str | Mapping[str, object] = "exchange",
    budget: int | str | Mapping[str, object] | None = None,
    seed: int = 0,
    min_k: int = 0,
    min_population: float = 0,
    max_individual_risk: float | None = None,
    max_average_risk: float | None = None,
    min_l: float | str | Mapping[str, object] = 0,
    max_t: float | None = None,
    suppress: float | str | Mapping[str, object] = 0,
    cut_points: Mapping[str, CutsInput] = ...,
    reference: Sequence[str | os.PathLike[str]] | str | os.PathLike[str] | Mapping[str, object] = ...,
    risk: str | Mapping[str, object] = "population",
    loss: str | Mapping[str, object] = "kl",
    certify: float = 0,
    compute: str | Mapping[str, object] | None = None,
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
    strategy : {'exchange', 'shs:TH', 'rcs', 'bisecting', 'exhaustive'} or dict of str to object, default='exchange'
        How policies are searched.
    budget : int, str or dict of str to object, optional
        Maximum number of policies to evaluate, or of CPU seconds; seconds do not repeat
        exactly.
    seed : int, default=0
        Seed of all randomness.
    min_k : int, default=0
        Minimum group size (k-anonymity).
    min_population : float, default=0
        Minimum number of people of the population per group.
    max_individual_risk : float, optional
        Maximum individual re-identification risk, e.g. 0.09: 1 / people per group.
    max_average_risk : float, optional
        Maximum re-identification risk on average over the records.
    min_l : float, str or dict of str to object, default=0
        Minimum l-diversity of every sensitive column in every group.
    max_t : float, optional
        Maximum distance of a group's sensitive values from the table's (t-closeness).
    suppress : float, str or dict of str to object, default=0
        Maximum share of records suppressed, or with cells suppressed, in groups that are too
        small or lack diversity.
    cut_points : dict of str to list of values, default={}
        By attribute: the only values at which an interval may begin, as 20:40:60.
    reference : list of path or dict of str to object, default=[]
        A policy file to compare with; named after the file if no name is given.
    risk : {'population', 'prosecutor', 'small-groups:K'} or dict of str to object, default='population'
        The risk to minimise.
    loss : {'kl', 'granularity', 'class-size', 'mutual-information:COLUMN'} or dict of str to object, default='kl'
        The loss to minimise.
    certify : float, default=0
        Seconds to prove how good any policy can be; does not repeat exactly.
    compute : {'local', 'spark'} or dict of str to object, optional
        Engine that counts and writes rows.
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
    <candidate a7865484ef: risk 0.5, utility 0.08147>
    """

@overload
def publish(
    exploration: TablesExploration | str | os.PathLike[str],
    data: RowsInput,
    *,
    choose: str | TablesCandidate | None = None,
    population: PopulationInput | None = None,
    refuse_above: float | None = None,
    min_k: int = 0,
    min_l: float = 0,
    max_t: float | None = None,
    max_individual_risk: float | None = None,
    max_average_risk: float | None = None,
    suppress: float | None = None,
    max_joint_risk: float | None = None,
    accept_worse: bool = False,
    accept_shift: bool = False,
    keep_undeclared: bool = False,
    keep_order: bool = False,
    compute: str | Mapping[str, object] | None = None,
    out: str | os.PathLike[str],
    force: bool = False,
    progress: Progress | bool | None = None,
) -> TablesRelease:
    """Publish data by a candidate, and measure what was written.

    Parameters
    ----------
    exploration : TablesExploration or path
        What `explore` returned, or the folder it was saved in.
    data : path or frame
        CSV, TSV, Parquet, SPSS, Stata, SAS, Excel or DuckDB; a folder or glob of parts; a
        frame.
    choose : str or TablesCandidate, optional
        A candidate, its id, or how it is chosen, such as 'knee' or 'max-risk:0.01'.
    population : path or frame, optional
        Another population to measure against.
    refuse_above : float, optional
        Refuse a measured risk above this.
    min_k : int, default=0
        Minimum group size of the output.
    min_l : float, default=0
        Minimum l-diversity of every sensitive column in every group of the output.
    max_t : float, optional
        Maximum distance of a group's sensitive values from the table's (t-closeness).
    max_individual_risk : float, optional
        Maximum individual re-identification risk of the output.
    max_average_risk : float, optional
        Maximum average re-identification risk of the output.
    suppress : float, optional
        Maximum share of records suppressed in groups that are too small or lack diversity
        (default: as explored).
    max_joint_risk : float, optional
        Maximum individual risk together with neighbouring earlier releases of the same people.
    accept_worse : bool, default=False
        Publish although the output is worse than promised; recorded in release.json.
    accept_shift : bool, default=False
        Publish although the records differ from those explored; recorded in release.json.
    keep_undeclared : bool, default=False
        Publish columns that the schema does not name unchanged; recorded in release.json.
    keep_order : bool, default=False
        Keep the order of the rows; by default they are shuffled by a private seed.
    compute : {'local', 'spark'} or dict of str to object, optional
        Engine that counts and writes rows.
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
    population: PopulationInput | None = None,
    refuse_above: float | None = None,
    min_k: int = 0,
    min_l: float = 0,
    max_t: float | None = None,
    max_individual_risk: float | None = None,
    max_average_risk: float | None = None,
    suppress: float | None = None,
    max_joint_risk: float | None = None,
    accept_worse: bool = False,
    accept_shift: bool = False,
    keep_undeclared: bool = False,
    keep_order: bool = False,
    compute: str | Mapping[str, object] | None = None,
    out: None = None,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> Any:
    ...

def attack(
    release: str | os.PathLike[str],
    *,
    earlier: Sequence[str | os.PathLike[str]] | str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> TablesAttack:
    """Attack a release, and report what the adversary finds.

    Parameters
    ----------
    release : path
        Folder or file that publish wrote.
    earlier : list of path
        Earlier releases of some of the same people.
    out : path, optional
        Where attack.json goes.
    force : bool, default=False
        Whether an earlier output of sfumato may be replaced.
    progress : callable or bool, optional
        Called with the steps done since the last call, the total where it is known, and a note;
        True shows a progress bar.

    Returns
    -------
    TablesAttack
        What each attacker found.
    """

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

def update(
    schema: SchemaInput,
    table: RowsInput,
    *,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, JsonValue]:
    """Show what changed in new data since its schema was written.

    Parameters
    ----------
    schema : path, dict or TableSchema
        The schema (TOML) of earlier data.
    table : path or frame
        The new data, as `tables explore` reads it.
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
        Which candidate: its id, or how it is chosen.
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

def tabulate(
    table: RowsInput,
    *,
    by: Sequence[str] | str,
    rule: str,
    out: str | os.PathLike[str],
    force: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, JsonValue]:
    """Count a release or a table by columns, with small counts hidden, rounded or noisy.

    Parameters
    ----------
    table : path or frame
        Folder of a release, or a table: CSV, TSV, Parquet, SPSS, Stata, SAS, Excel or DuckDB.
    by : list of str
        Columns to count by.
    rule : str
        A regime with a rule for cells (cms, nhs), ons, suppress:N, round:BASE, noise:EPSILON;
        joined by +.
    out : path
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
