"""The assumptions of an exploration, in sentences, and the conditions of a request."""

from __future__ import annotations

import warnings

from ....core.errors import ParameterError, PrivacyWarning
from ....data.table import Table
from ....data.table_schema import TableSchema
from ..exploration import NO_POPULATION, partial_population
from ..groups.conditions import Conditions
from ..request import TablesRequest
from ..search.run import SearchRun
from ..space.safe_harbor import find_roles
from .problem import Problem

__all__ = [
    "REPEATED",
    "assumptions_of",
    "conditions_of",
    "repeated_identifiers",
    "target_of",
    "warn_of_missing_values",
]

REPEATED = (
    "{names}: an identifier is in several rows. If they are about one person, five rows of one person "
    'count as a group of five. Hint: give the column that names the person role = "person".'
)


def conditions_of(request: TablesRequest) -> Conditions:
    """Return the conditions of a request; what cannot go together is refused."""
    if request.suppress > 0:
        sizes = request.min_k or request.min_population or request.max_individual_risk
        if not (sizes or request.min_l or request.max_t is not None):
            raise ParameterError(
                "Suppressing records needs a minimum group size, or diversity.",
                hint="give min_k, min_population, max_individual_risk, min_l or max_t too.",
            )
        whole = request.loss == "granularity" and request.suppress_as == "records"
        plain = request.risk == "population" and (request.loss == "kl" or whole)
        if not plain or request.certify:
            raise ParameterError(
                "Suppressing records works with the default risk and loss only (or whole records with the loss "
                "'granularity'), and without a certificate.",
                hint="leave out --risk, --loss and --certify (risk=, loss=, certify=), or --suppress (suppress=).",
            )
    return Conditions(
        min_l=request.min_l,
        diversity=request.diversity,
        recursive_c=request.recursive_c,
        max_t=request.max_t,
        max_average_risk=request.max_average_risk,
        max_suppressed=request.suppress,
        suppress_as=request.suppress_as,
    )


def warn_of_missing_values(problem: Problem) -> None:
    """Warn where missing cells of a sensitive column help a group to be diverse."""
    source, schema = problem.table.source, problem.table.schema
    if source is None:  # then no sensitive column is counted
        return
    for name in problem.sensitive:
        found = source.query(
            f"SELECT count(*) AS n FROM {source.sql} WHERE {schema.cell(name)} IS NULL"  # noqa: S608 (quoted)
        )
        many = int(found.column("n")[0].as_py())
        if many:
            cells = "1 cell" if many == 1 else f"{many:,} cells"
            warnings.warn(
                f"{cells} of the sensitive column {name!r} have no value, and a missing value counts as one in "
                "l-diversity: a group of one known value and missing cells has two. Hint: ask for one more (--min-l), "
                "or leave those rows out of the table.",
                PrivacyWarning,
                stacklevel=3,
            )


def target_of(problem: Problem, request: TablesRequest) -> str | None:
    """Return the column whose information is to be kept: the one named, or the first sensitive one."""
    if request.target is not None or request.loss != "mutual-information":
        return request.target
    return next(iter(problem.sensitive), None)


def repeated_identifiers(table: Table) -> list[str]:
    """Return the identifiers that are in several rows, where the schema names no person."""
    names = table.schema.names("identifier")
    if table.schema.person is not None or table.source is None or not names:
        return []
    cells = [table.schema.cell(name) for name in names]
    asked = ", ".join(
        f"count({cell}) - count(DISTINCT {cell}) AS r{i}" for i, cell in enumerate(cells)
    )
    found = table.source.query(f"SELECT {asked} FROM {table.source.sql}")  # noqa: S608 (quoted)
    return [name for i, name in enumerate(names) if found.column(f"r{i}")[0].as_py()]


def _kept_identifiers(schema: TableSchema) -> list[str]:
    """Return what Safe Harbor would remove although the schema publishes it as it is."""
    kept = [
        a.name
        for a in schema.attributes
        if a.role in {"sensitive", "other"} and a.meaning not in {None, "other"}
    ]
    if not kept:
        return []
    said = (
        f"{', '.join(kept)[:400]}: published as declared, which Safe Harbor does not allow; the "
        "comparison is about the quasi-identifiers."
    )
    return [said]


def assumptions_of(problem: Problem, run: SearchRun, request: TablesRequest) -> list[str]:
    """Return what the figures of a frontier take for granted."""
    table, cells = problem.table, problem.cells
    said = []
    if request.loss == "kl":
        said.append("The KL loss takes values as spread evenly within an interval.")
    if request.loss != "granularity" and len(set(problem.weights)) > 1:
        said.append("The weights of attributes count for the loss 'granularity' alone.")
    if request.loss == "mutual-information":
        said.append(
            f"The information about {target_of(problem, request)!r} is the plug-in estimate, which is too "
            "high where groups are small."
        )
    if table.people is not None and table.schema.joined:
        said.append(
            f"Groups count different people: {table.people:,} in {table.rows:,} rows. The attacker knows all "
            "rows of a person, so people are alike where all their rows are; the rows of a person stay linked "
            "in the release by a mark."
        )
    elif table.people is not None:
        said.append(
            f"Groups count different people: {table.people:,} in {table.rows:,} rows. A record is a person "
            f"with one combination of quasi-identifiers; rows are published without a link between them."
        )
    declared = {a.name for a in table.schema.attributes}
    columns = [] if table.source is None else table.source.columns
    unknown = sum(column not in declared for column in columns)
    if unknown and table.schema.undeclared == "error":
        said.append(
            f"{unknown:,} columns of the table are not declared: publishing refuses them until the schema "
            "does, or drops them."
        )
    repeated = repeated_identifiers(table)
    if repeated:
        said.append(REPEATED.format(names=", ".join(repeated)[:300]))
    if weights := table.schema.names("weight"):
        said.append(
            f"{weights[0]}: a weight that few people share tells who they are, so weights are published rounded "
            "until several people share each, unless the schema says how."
        )
    if problem.fraction is not None:
        said.append(
            f"The table is taken as a simple random sample of {problem.fraction:.3g} of its population; what "
            "is said of the population is estimated, and its ranges need no other assumption."
        )
    elif request.sampling_fraction is not None:
        said.append("A population was given, so nothing is estimated from the sampling fraction.")
    if table.covered is not None:
        said.append(partial_population(table.names, table.covered))
    if not cells.has_population:
        said.append(NO_POPULATION)
    elif cells.without_population:
        said.append(
            f"{cells.without_population:,} records have values that the population counts no one with; "
            "a group is as large as the larger of population and table."
        )
    if table.population_outside:
        said.append(
            f"{table.population_outside:,.0f} people of the population are outside the domains and not counted."
        )
    if table.dropped:
        said.append(f"{table.dropped:,} rows with a missing quasi-identifier are left out.")
    constant = [n for n, size in zip(table.names, problem.lattice.sizes, strict=True) if size == 1]
    if constant:
        said.append(
            f"{', '.join(constant)}: a single value, so there is nothing to generalise there."
        )
    roles = find_roles(problem.lattice, meanings=problem.meanings)
    if roles.applicable:
        said.append(roles.in_words(problem.lattice.names)[:600])
        said += _kept_identifiers(table.schema)
    if request.certify > 0:
        said.append("The proof was limited by time: another run may prove more or less.")
    if run.budget.seconds is not None:
        said.append("The search was limited by time: another run may find another frontier.")
    return said
