"""`sfumato tables`: draft a schema, explore policies, publish one, repeat the paper's experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ._running import DebugFlag, JsonFlag, QuietFlag, running

__all__ = ["app"]

app = typer.Typer(
    name="tables",
    help="Generalise a table: explore risk against usefulness, choose a policy, publish.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

TableArgument = Annotated[
    str, typer.Argument(help="CSV, TSV or Parquet; a folder or glob of parts.")
]
SchemaOption = Annotated[Path, typer.Option("--schema", help="The table's schema (TOML).")]
PopulationOption = Annotated[
    str | None, typer.Option("--population", help="Counts of the population by quasi-identifiers.")
]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of every random choice.")]
ForceFlag = Annotated[bool, typer.Option("--force", help="Replace an existing output.")]


@app.command()
def schema(
    table: TableArgument,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write here instead of printing.")
    ] = None,
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Draft a schema from a table, for you to edit."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..core.files import whole_file
        from ..data.table_schema import draft_schema

        text = draft_schema(table)
        if out is None:
            console.say(text.rstrip("\n"))
            console.result({"schema": text})
            return
        with whole_file(out, force=force) as beside:
            beside.write_text(text, encoding="utf-8")
        console.say(f"Draft written to {out}. Check every role and domain before you use it.")
        console.result({"out": str(out)})


@app.command()
def explore(
    table: TableArgument,
    schema: SchemaOption,
    out: Annotated[Path, typer.Option("--out", help="Folder for frontier.json.")],
    population: PopulationOption = None,
    strategy: Annotated[
        str, typer.Option("--strategy", help="exchange, shs, rcs, bisecting or exhaustive.")
    ] = "exchange",
    evaluations: Annotated[
        int | None, typer.Option("--evaluations", help="Most policies to measure.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="Most CPU seconds to search.")
    ] = None,
    seed: SeedOption = 0,
    least_sample: Annotated[
        int, typer.Option("--least-sample", help="Fewest records a group may have (k-anonymity).")
    ] = 0,
    least_population: Annotated[
        float, typer.Option("--least-population", help="Fewest people a group may have.")
    ] = 0,
    reference: Annotated[
        list[Path] | None, typer.Option("--reference", help="A policy file to compare with.")
    ] = None,
    risk: Annotated[
        str, typer.Option("--risk", help="population, prosecutor or small-groups.")
    ] = "population",
    loss: Annotated[
        str, typer.Option("--loss", help="kl, class-size or mutual-information.")
    ] = "kl",
    target: Annotated[
        str | None, typer.Option("--target", help="Column for mutual-information.")
    ] = None,
    threshold: Annotated[float | None, typer.Option("--threshold", help="TH of SHS.")] = None,
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
                table, schema, population, strategy, evaluations=evaluations, seconds=seconds,
                seed=seed, least_sample=least_sample, least_population=least_population,
                references={p.stem: p for p in reference or []}, risk=risk, loss=loss,
                target=target, threshold=threshold, progress=progress,
            )  # fmt: skip
        with whole_directory(out, force=force) as folder:
            found.save(folder)
        frontier = found.extra["frontier"]
        console.say(
            f"{frontier['policies']:,} policies on the frontier, area {found.area():.4f}, "
            f"{found.evaluations:,} measured."
        )
        for note in found.extra["assumptions"]:
            console.say(f"Note: {note}.")
        for known in found.references:
            console.say(known.details["in_words"])
        knee = found.knee()
        console.say(
            f"The knee is {knee.id}: risk {knee.risk.value:.4g}, utility {knee.utility.value:.3f}. "
            f"See `sfumato report {out}`."
        )
        console.result(
            {
                "out": str(out),
                "area": found.area(),
                "evaluations": found.evaluations,
                "policies": frontier["policies"],
                "knee": knee.id,
                "references": [r.name for r in found.references],
            }  # fmt: skip
        )


@app.command()
def publish(
    directory: Annotated[Path, typer.Argument(help="Folder written by explore.", metavar="DIR")],
    table: TableArgument,
    out: Annotated[Path, typer.Option("--out", help="File (or folder) to publish to.")],
    choose: Annotated[
        str | None, typer.Option("--choose", help="Id of a candidate, or 'knee'.")
    ] = None,
    max_risk: Annotated[
        float | None, typer.Option("--max-risk", help="Choose the most useful within this risk.")
    ] = None,
    min_utility: Annotated[
        float | None, typer.Option("--min-utility", help="Choose the safest above this utility.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option("--tolerance", help="Excess risk allowed on data not explored.")
    ] = 0.1,
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Publish a table as a candidate says, measured again from the output itself."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..engines.tables import publish as run

        release = run(
            directory, table, choose, out, max_risk=max_risk, min_utility=min_utility,
            tolerance=tolerance, force=force,
        )  # fmt: skip
        how: dict[str, Any] = dict(release.how)
        console.say(f"{release.counts['rows']:,} rows published as {release.candidate}.")
        if how["identifiers_removed"]:
            console.say(f"Identifiers removed: {', '.join(how['identifiers_removed'])}.")
        if how["columns_not_in_schema"]:
            console.say(
                "Kept although the schema does not name them: "
                f"{', '.join(how['columns_not_in_schema'])}."
            )
        if release.counts["withheld"]:
            console.say(f"{release.counts['withheld']:,} rows with missing cells were left out.")
        console.say(
            f"Measured on the output: risk {release.measured['risk']:.4g}, loss "
            f"{release.measured['loss']:.3f}, smallest group {release.measured['smallest_sample_group']:,}."
        )
        console.result(release.to_json())


@app.command()
def policy(
    directory: Annotated[Path, typer.Argument(help="Folder written by explore.", metavar="DIR")],
    choose: Annotated[str, typer.Option("--choose", help="Id of a candidate.")],
    out: Annotated[
        Path, typer.Option("--out", help="policy.json, or the mapping as .csv or .sql.")
    ],
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Write the policy of a candidate: as JSON, or its mapping as CSV or as SQL CASE."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..engines.tables.policy_files import save_mapping, save_policy
        from ..engines.tables.publishing import read_policy_of

        found = read_policy_of(directory, choose)
        save = save_policy if out.suffix.lower() == ".json" else save_mapping
        save(found, out, force=force)
        for name, treatment in found.summary().items():
            console.say(f"{name}: {treatment}")
        console.result({"out": str(out), "summary": found.summary()})


@app.command()
def study(
    table: TableArgument,
    schema: SchemaOption,
    out: Annotated[Path, typer.Option("--out", help="Folder for the data and charts.")],
    population: PopulationOption = None,
    evaluations: Annotated[
        int | None, typer.Option("--evaluations", help="Policies measured a run.")
    ] = None,
    runs: Annotated[int, typer.Option("--runs", help="Runs of each strategy.")] = 3,
    sublattices: Annotated[
        int, typer.Option("--sublattices", help="Sublattices drawn for figure 6.")
    ] = 500,
    seed: SeedOption = 0,
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Repeat the paper's experiments on a table: figures 5 to 8 as data and charts."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..core.files import check_output
        from ..engines.tables.study import study as run

        check_output(out, force=force)
        facts = run(
            table, schema, population, out, evaluations=evaluations, runs=runs,
            sublattices=sublattices, seed=seed, force=force, say=console.say,
        )  # fmt: skip
        console.say(f"Figures written to {out}.")
        console.result(facts)
