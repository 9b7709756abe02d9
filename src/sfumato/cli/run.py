"""`sfumato run`, `sfumato demo`, `sfumato samples`: complete jobs from one plan."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._running import Console, DebugFlag, ForceFlag, JsonFlag, QuietFlag, running

__all__ = ["demo", "run", "samples"]


def run(
    files: Annotated[
        list[Path], typer.Argument(metavar="PLAN.toml", help="The plan; with --init, data files.")
    ],
    *,
    init: Annotated[
        bool, typer.Option("--init", help="Draft a plan from data files instead of running one.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where the output (or the draft) goes.")
    ] = None,
    schema: Annotated[Path | None, typer.Option(help="With --init: a table's schema.")] = None,
    population: Annotated[Path | None, typer.Option(help="With --init: its population.")] = None,
    labels: Annotated[Path | None, typer.Option(help="With --init: a matrix's labels.")] = None,
    engine: Annotated[
        str | None, typer.Option(help="With --init: the engine, if several recognise a file.")
    ] = None,
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Run `sfumato run`."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..core.errors import ParameterError

        if init:
            from ..drafting import draft_plan

            given = {"schema": schema, "population": population, "labels": labels}
            others = {name: path for name, path in given.items() if path is not None}
            target = out or Path("plan.toml")
            written = draft_plan(files, out=target, others=others, engine=engine, force=force)
            for path in written:
                console.say(f"written: {path}")
            console.result({"written": [str(path) for path in written]})
            return
        if len(files) != 1:
            raise ParameterError("One plan is run at a time.", hint="--init takes data files.")
        from .. import workbench

        result = workbench.run(files[0], out=out, force=force, say=console.say)
        _tell(console, result)
        workbench.refuse_withheld(result)


def demo(
    *,
    out: Annotated[Path, typer.Option("--out", help="Folder for the demo.")] = Path("demo-release"),
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Run `sfumato demo`."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..demo import demo as run_demo

        _tell(console, run_demo(out, force=force, say=console.say))


def samples(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write them into.")],
    *,
    seed: Annotated[int, typer.Option(help="Seed of the generator.", min=0)] = 0,
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Run `sfumato samples`."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..data.samples import write_samples

        write_samples(folder, seed=seed, force=force)
        names = sorted(p.name for p in folder.iterdir())
        console.say(f"written: {', '.join(names)}")
        console.result({"written": names})


def _tell(console: Console, result: object) -> None:
    from ..workbench import RunResult

    assert isinstance(result, RunResult)
    console.say()
    for verdict in result.verdicts:
        console.say(verdict)
    console.say()
    console.say(f"report:  {result.report}")
    console.say(f"release: {result.out / 'release'}")
    console.say(f"open it: sfumato serve {result.out}")
    console.result(
        {
            "out": str(result.out),
            "report": str(result.report),
            "verdicts": list(result.verdicts),
            "withheld": result.withheld,
        }
    )
