"""`sfumato baskets`: explore, publish and study feature sets that are k-anonymous by containment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
from ._values import Seed, numbers

__all__ = ["app"]

app = typer.Typer(
    help="Sparse 0/1 rows: choose features that hide every person among k.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Matrix = Annotated[Path, typer.Argument(help="Matrix: .npz, .svm (libsvm), .txt, .csv.")]
Labels = Annotated[
    str | None,
    typer.Option("--labels", help="File with one label a line, or for CSV the name of a column."),
]
Ks = Annotated[str, typer.Option("--k", help="Sizes to hide in, separated by commas.")]


def _flags(text: str | None) -> object:
    """Read --absence-risky: "all", or a file of feature names."""
    if text is None or text == "all":
        return text
    from ..data._basket_files import read_lines

    return read_lines(Path(text), what="risky features")


@app.command()
def explore(
    matrix: Matrix,
    out: Annotated[Path, typer.Option("--out", help="Folder for frontier.json.")],
    labels: Labels = None,
    k: Ks = "5,8,11",
    selector: Annotated[
        str,
        typer.Option(
            help="hamdist, distcnt, information, conditional, maximal, maximal-frequent, exact, best; "
            "several separated by commas; or all."
        ),
    ] = "all",
    stop: Annotated[str, typer.Option(help="never (skip what is infeasible) or first.")] = "never",
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 5,
    absence_risky: Annotated[
        str | None,
        typer.Option(help="Features whose absence is risky: a file of names, or all."),
    ] = None,
    seed: Seed = 0,
    engine: ComputeEngine = "local",
    threads: Threads = None,
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Find feature sets for each k and place them on a frontier of risk (1/k) and AUC."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..core.files import check_output, whole_directory
        from ..data.baskets import read_baskets
        from ..engines.baskets import explore as run

        check_output(out, force=force)
        ks = numbers(k, "--k", int, example="5,8,11")
        names = [part.strip() for part in selector.split(",") if part.strip()]
        baskets = read_baskets(matrix, labels=labels)
        with console.progress("folds") as step:
            found = run(
                baskets, k=ks, selector=names[0] if len(names) == 1 else names, stop=stop,
                seed=seed, folds=folds, absence_risky=_flags(absence_risky), engine=engine,
                threads=threads, progress=step,
            )  # fmt: skip
        with whole_directory(out, force=force) as folder:
            found.save(folder)
        console.result(found.to_json())
        _show(console, found.to_json(), out)


def _show(console: Console, content: dict, out: Path) -> None:  # type: ignore[type-arg]
    console.say(f"{content['rows']:,} rows, {content['features_offered']:,} features")
    console.say(
        f"{'id':24} {'k':>4} {'AC':>5} {'features':>8} {'AUC':>6}  {'unique':>7}  AC with 1 absence known"
    )
    for c in content["candidates"]:
        mark = " (dominated)" if c["dominated"] else ""
        absent = c["ac_under_absences"].get("1", "")
        console.say(
            f"{c['id']:24} {c['k']:>4} {c['ac']:>5} {c['count']:>8} {c['auc']:6.3f}  "
            f"{c['unique_share']:7.1%}  {absent}{mark}"
        )
    for r in content["references"]:
        console.say(
            f"{r['name']:24} {'':>4} {r['ac']:>5} {r['count']:>8} {r['utility']:6.3f}  "
            f"{r['unique_share']:7.1%}"
        )
    console.say(content["warning"])
    console.say(f"written: {out}/frontier.json")


@app.command()
def publish(
    directory: Annotated[Path, typer.Argument(help="Folder that explore wrote.")],
    matrix: Matrix,
    *,
    out: Annotated[Path, typer.Option("--out", help="Data file, or a folder.")],
    choose: Choose = None,
    max_risk: MaxRisk = None,
    min_utility: MinUtility = None,
    knee: Knee = False,
    dominates: Dominates = None,
    labels: Labels = None,
    engine: ComputeEngine = "local",
    threads: Threads = None,
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Write the matrix on the chosen features, in its own format, and audit what was written."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..engines.baskets import load_exploration

        wish = choice(
            choose=choose,
            max_risk=max_risk,
            min_utility=min_utility,
            knee=knee,
            dominates=dominates,
        )
        candidate = wish.of(load_exploration(directory))
        with console.progress("rows") as step:
            release = candidate.publish(
                matrix, out=out, labels=labels, engine=engine, threads=threads, force=force,
                progress=step,
            )  # fmt: skip
        console.result(release.to_json())
        measured = release.measured
        console.say(
            f"{release.counts['rows']:,} rows, {release.counts['features']:,} features; audited AC "
            f"{measured['ac']} (promised {candidate.details['k']}), unique rows "
            f"{measured['unique_share']:.1%}, AC with absences known {measured['ac_under_absences']}"
        )
        console.say(f"written: {out}")


@app.command()
def study(
    matrix: Matrix,
    out: Annotated[Path, typer.Option("--out", help="Folder for tables and charts.")],
    labels: Labels = None,
    k: Ks = "5,8,11",
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 5,
    repeats: Annotated[int, typer.Option(help="Runs of the randomised methods.")] = 10,
    seed: Seed = 0,
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Reproduce the paper's tables (AUC by method and k) and figure (differential privacy by ε)."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..core.files import check_output, whole_directory
        from ..data.baskets import read_baskets
        from ..laboratory.baskets.study import run_study, write_study

        check_output(out, force=force)
        ks = numbers(k, "--k", int, example="5,8,11")
        baskets = read_baskets(matrix, labels=labels)
        with console.progress("methods") as step:
            found = run_study(baskets, k=ks, folds=folds, repeats=repeats, seed=seed, progress=step)
        with whole_directory(out, force=force) as folder:
            write_study(found, folder)
        console.result(found)
        for row in found["table"]:
            cells = "  ".join(f"k={c['k']}: {c['auc']:.3f} ({c['note']})" for c in row["cells"])
            console.say(f"{row['method']:24} {cells}")
        console.say(f"written: {out}")
