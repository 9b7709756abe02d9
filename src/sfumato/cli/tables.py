"""`sfumato tables`: draft a schema, explore policies, publish one, export its mapping, repeat the paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import tables_study
from ._choosing import (
    Choose,
    ComputeEngine,
    Dominates,
    Knee,
    MaxRisk,
    MinUtility,
    Threads,
    choice,
)
from ._running import Console, DebugFlag, ForceFlag, JsonFlag, QuietFlag, running
from ._values import Seed

if TYPE_CHECKING:
    from ..core.release import Release
    from ..engines.tables.exploration import TablesExploration

__all__ = ["app"]

app = typer.Typer(
    help="Generalise a table: explore risk against usefulness, choose a policy, publish.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

TableArgument = Annotated[
    str, typer.Argument(help="CSV, TSV or Parquet; a folder or glob of parts.")
]
Folder = Annotated[Path, typer.Argument(help="Folder that explore wrote.", metavar="DIR")]


@app.command()
def schema(
    table: TableArgument,
    *,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write here instead of printing.")
    ] = None,
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Draft a schema from a table, for you to check and edit."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..core.files import check_output, whole_file
        from ..data.table_schema import draft_schema

        if out is None:
            text = draft_schema(table)
            console.say(text.rstrip("\n"))
            console.result({"schema": text})
            return
        check_output(out, force=force)
        text = draft_schema(table)
        with whole_file(out, force=force) as beside:
            beside.write_text(text, encoding="utf-8")
        console.say(f"Draft written to {out}. Check every role and domain before you use it.")
        console.result({"out": str(out)})


@app.command()
def explore(
    table: TableArgument,
    *,
    schema: Annotated[Path, typer.Option("--schema", help="The table's schema (TOML).")],
    out: Annotated[Path, typer.Option("--out", help="Folder for frontier.json.")],
    population: Annotated[
        str | None, typer.Option("--population", help="Counts of people by quasi-identifiers.")
    ] = None,
    strategy: Annotated[
        str, typer.Option(help="exchange, shs, rcs, bisecting or exhaustive.")
    ] = "exchange",
    evaluations: Annotated[int | None, typer.Option(help="Most policies to measure.")] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Most CPU seconds to search; does not repeat exactly.")
    ] = None,
    seed: Seed = 0,
    least_sample: Annotated[
        int, typer.Option(help="Fewest records a group may have (k-anonymity).")
    ] = 0,
    least_population: Annotated[float, typer.Option(help="Fewest people a group may have.")] = 0,
    reference: Annotated[
        list[Path] | None, typer.Option(help="A policy file to compare with; may stand often.")
    ] = None,
    risk: Annotated[str, typer.Option(help="population, prosecutor or small-groups.")] = (
        "population"
    ),
    loss: Annotated[str, typer.Option(help="kl, class-size or mutual-information.")] = "kl",
    target: Annotated[str | None, typer.Option(help="Column for mutual-information.")] = None,
    k: Annotated[int, typer.Option(help="Group size for small-groups.")] = 5,
    threshold: Annotated[float | None, typer.Option(help="TH of shs.")] = None,
    engine: ComputeEngine = "local",
    threads: Threads = None,
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Search the policies of a table for the frontier of risk against utility."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..core.files import check_output, whole_directory
        from ..engines.tables import explore as run

        check_output(out, force=force)
        done = 0
        with console.progress("policies measured", evaluations) as step:

            def progress(measured: int, area: float) -> None:
                nonlocal done
                step(measured - done, note=f"area {area:.4f}")
                done = measured

            found = run(
                table,
                schema,
                population,
                strategy=strategy,
                evaluations=evaluations,
                seconds=seconds,
                seed=seed,
                least_sample=least_sample,
                least_population=least_population,
                references={p.stem: p for p in reference or []},
                risk=risk,
                loss=loss,
                target=target,
                k=k,
                threshold=threshold,
                engine=engine,
                threads=threads,
                progress=progress,
            )
        with whole_directory(out, force=force) as folder:
            found.save(folder)
        console.result(found.to_json())
        _show(console, found, out)


def _show(console: Console, found: TablesExploration, out: Path) -> None:
    extra = found.extra
    console.say(
        f"{extra['records']:,} records, {extra['cells']:,} distinct; {extra['lattice_bits']:,} cuts over "
        f"{', '.join(extra['quasi'])}"
    )
    console.say(
        f"{extra['frontier_size']:,} policies on the frontier, area {found.area():.4f}, "
        f"{found.evaluations:,} measured"
    )
    console.say(f"{'id':12} {'risk':>9} {'utility':>8} {'groups':>8} {'k':>5}")
    rows = list(found)
    step = max(1, -(-len(rows) // 12))
    for c in rows[::step]:
        console.say(
            f"{c.id:12} {c.risk.value:9.3g} {c.utility.value:8.3f} {c.details['groups']:8,} "
            f"{c.details['k']:5,}"
        )
    for r in found.references:
        console.say(
            f"{r.name:12} {r.risk:9.3g} {r.utility:8.3f} {r.details['groups']:8,} {r.details['k']:5,}"
        )
        console.say(r.details["in_words"])
    for sentence in extra["assumptions"]:
        console.say(f"Note: {sentence}")
    console.say(f"knee: {found.knee().id}")
    console.say(f"written: {out}/frontier.json")


@app.command()
def publish(
    directory: Folder,
    table: TableArgument,
    *,
    out: Annotated[Path, typer.Option("--out", help="Data file, or a folder.")],
    choose: Choose = None,
    max_risk: MaxRisk = None,
    min_utility: MinUtility = None,
    knee: Knee = False,
    dominates: Dominates = None,
    policy: Annotated[
        Path | None, typer.Option("--policy", help="Publish by a saved policy instead.")
    ] = None,
    population: Annotated[
        str | None, typer.Option("--population", help="Another population to measure against.")
    ] = None,
    refuse_above: Annotated[
        float | None, typer.Option("--refuse-above", help="Refuse a measured risk above this.")
    ] = None,
    engine: ComputeEngine = "local",
    threads: Threads = None,
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Write a table as a candidate says, in its own format, and measure what was written."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..core.errors import ParameterError
        from ..engines.tables import load_exploration, load_policy
        from ..engines.tables.publishing import publish_policy

        wish = None
        if policy is None:
            wish = choice(
                choose=choose,
                max_risk=max_risk,
                min_utility=min_utility,
                knee=knee,
                dominates=dominates,
            )
        elif choose or max_risk is not None or min_utility is not None or knee or dominates:
            raise ParameterError("Give --policy or a choice of a candidate, not both.")
        found = load_exploration(directory)
        # A limit given as the choice holds for other data too: it is measured on what was written.
        limit = refuse_above if refuse_above is not None else max_risk
        options: dict[str, Any] = {
            "out": out, "population": population, "max_risk": limit, "engine": engine,
            "threads": threads, "force": force,
        }  # fmt: skip
        if wish is not None:
            release = wish.of(found).publish(table, **options)
        else:
            assert policy is not None
            assert found.terms is not None
            chosen = load_policy(policy, found.terms.lattice)
            release = publish_policy(chosen, table, terms=found.terms, seed=found.seed, **options)
        console.result(release.to_json())
        _told(console, release, out)


def _told(console: Console, release: Release, out: Path) -> None:
    from ..core.quarantine import quarantine_of

    measured, how, counts = release.measured, release.how, release.counts
    console.say(f"{counts['rows']:,} rows published by {release.candidate}")
    for name, treatment in how["summary"].items():
        console.say(f"  {name}: {treatment}")
    if how["identifiers_dropped"]:
        console.say(f"identifiers dropped: {', '.join(how['identifiers_dropped'])}")
    if how["undeclared_columns_dropped"]:
        console.say(
            f"dropped, because the schema does not name them: {how['undeclared_columns_dropped']:,} "
            "columns (give a column the role other to publish it as it is)"
        )
    if counts["dropped"]:
        listed = quarantine_of(out)
        typer.echo(
            f"sfumato: {counts['dropped']:,} rows with a missing quasi-identifier were left out; "
            f"{listed} lists them by number.",
            err=True,
        )
    console.say(
        f"measured on the output: risk {measured['risk']:.4g}, utility {measured['utility']:.3f}, "
        f"smallest group {measured['k']:,}"
    )
    if not how["explored_table"]:
        console.say("Note: this is not the table that was explored; the figures are of this data.")
    console.say(f"written: {out}")


@app.command()
def mapping(
    directory: Folder,
    *,
    out: Annotated[
        Path, typer.Option("--out", help="Mapping as .csv or .sql (CASE), or the policy as .json.")
    ],
    choose: Choose = None,
    max_risk: MaxRisk = None,
    min_utility: MinUtility = None,
    knee: Knee = False,
    dominates: Dominates = None,
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Export a candidate's policy: its mapping as CSV or SQL CASE, or the policy itself as JSON."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..core.errors import ParameterError
        from ..core.files import check_output
        from ..engines.tables import load_exploration, save_mapping, save_policy

        if out.suffix.lower() not in {".csv", ".sql", ".json"}:
            raise ParameterError(
                f"The output {out.name!r} is not named as a mapping.",
                hint="use .csv, .sql or .json.",
            )
        check_output(out, force=force)
        wish = choice(
            choose=choose,
            max_risk=max_risk,
            min_utility=min_utility,
            knee=knee,
            dominates=dominates,
        )
        found = load_exploration(directory)
        candidate = wish.of(found)
        chosen = found.policy(candidate)
        save = save_policy if out.suffix.lower() == ".json" else save_mapping
        save(chosen, out, force=force)
        console.result({"out": str(out), "candidate": candidate.id, "summary": chosen.summary()})
        for name, treatment in chosen.summary().items():
            console.say(f"{name}: {treatment}")
        console.say(f"written: {out}")


tables_study.register(app)
