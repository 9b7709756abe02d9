"""`sfumato tables study`: repeat the paper's experiments on a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._running import DebugFlag, ForceFlag, JsonFlag, QuietFlag, running
from ._values import Seed

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command to those of the tables engine."""
    app.command()(study)


def study(
    table: Annotated[str, typer.Argument(help="CSV, TSV or Parquet; a folder or glob of parts.")],
    schema: Annotated[Path, typer.Option("--schema", help="The table's schema (TOML).")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the data and charts.")],
    population: Annotated[
        str | None, typer.Option("--population", help="Counts of the population.")
    ] = None,
    *,
    evaluations: Annotated[
        int | None, typer.Option("--evaluations", help="Policies measured a run.")
    ] = None,
    runs: Annotated[int, typer.Option("--runs", help="Runs of each strategy.")] = 3,
    sublattices: Annotated[
        int, typer.Option("--sublattices", help="Sublattices drawn for figure 6.")
    ] = 500,
    seed: Seed = 0,
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Repeat the paper's experiments on a table: figures 5 to 8 as data and charts."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..core.files import check_output
        from ..laboratory.tables.study import study as run

        check_output(out, force=force)
        facts = run(
            table, schema, population, out, evaluations=evaluations, runs=runs,
            sublattices=sublattices, seed=seed, force=force, say=console.say,
        )  # fmt: skip
        console.say(f"Figures written to {out}.")
        console.result(facts)
