"""`sfumato text attack` and `sfumato text study`: the adversary's side of the text engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ._running import Console, DebugFlag, ForceFlag, JsonFlag, QuietFlag, running
from ._values import Seed, names, numbers

__all__ = ["register"]


def attack(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Folder that explore wrote.")],
    published: Annotated[Path, typer.Argument(metavar="PUBLISHED", help="What publish wrote.")],
    *,
    labels: Annotated[Path, typer.Option("--labels", help="The originals, with their labels.")],
    background: Annotated[
        list[Path] | None, typer.Option(help="Labelled corpora an outsider brings; repeatable.")
    ] = None,
    training: Annotated[
        Path | None, typer.Option(help="The corpus that explore learned from: adds attacker A.")
    ] = None,
    budget: Annotated[
        str, typer.Option("--budget", help="How many words are inspected, separated by commas.")
    ] = "10,100,1000",
    out: Annotated[Path | None, typer.Option("--out", help="Write the result as JSON too.")] = None,
    seed: Seed = 0,
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Attack a release with every attacker there is, and say what B inspected words give."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..core.files import check_output, write_json
        from ..engines.text.attack.released import attack_release

        budgets = numbers(budget, "--budget", int, least=1)
        if out is not None:
            check_output(out, force=force)
        with console.progress("attack") as step:
            found = attack_release(
                directory, published, labels=labels, background=background or (),
                training=training, budgets=budgets, seed=seed,
                progress=lambda note: step(1, note=note),
            )  # fmt: skip
        content = found.to_json()
        if out is not None:
            write_json(out, content, force=force)
        console.result(content)
        _show(console, content, budgets)


def _show(console: Console, content: dict[str, Any], budgets: list[int]) -> None:
    left = content["attack"]["left"]
    console.say(
        f"{content['documents']:,} documents, {left['words']:,} words published, "
        f"{left['sensitive']:,} of {content['sensitive_before']:,} sensitive ones left"
    )
    heads = "".join(f"{'found of ' + format(b, ','):>26}" for b in budgets)
    console.say(f"{'attacker':<48}{heads}")
    for reading in ("A", "B", "outside"):
        if reading in content["attack"]:
            entry = content["attack"][reading]
            cells = "".join(
                f"{r['found']:>12.1f} ({r['low']:.1f} – {r['high']:.1f})".rjust(26)
                for r in (entry["ranked"][str(b)] for b in budgets)
            )
            console.say(f"{reading + ': ' + entry['learner']:<48}{cells}")
    strongest = content["attack"]["strongest"]
    if strongest is not None:
        console.say(
            f"strongest: {strongest['attacker']}, {strongest['found']:.0f} "
            f"({strongest['low']:.0f} – {strongest['high']:.0f}) of {strongest['budget']:,} inspected words"
        )
    for answer in content.get("bounds", {}).get("ranked prefix", {}).values():
        console.say(answer["sentence"])


def study(
    corpora: Annotated[list[Path], typer.Argument(metavar="CORPUS…", help="Labelled corpora.")],
    *,
    out: Annotated[Path, typer.Option("--out", help="Folder for the data and the charts.")],
    label: Annotated[
        str, typer.Option("--label", help="Labels that are sensitive, separated by commas.")
    ] = "NAME",
    ratios: Annotated[str, typer.Option(help="Loss ratios L/C.")] = "1,2,5,10,20,50",
    folds: Annotated[int, typer.Option(help="Folds by document.", min=2)] = 4,
    publishers: Annotated[
        str, typer.Option(help="Some of the publishers, separated by commas (default: all).")
    ] = "",
    budget: Annotated[
        str, typer.Option("--budget", help="How many words are inspected, separated by commas.")
    ] = "10,20,50,100,200,500,1000,2000",
    threads: Annotated[
        int | None, typer.Option(help="Threads (default: all cores).", min=1)
    ] = None,
    seed: Seed = 0,
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Reproduce the papers' figures on labelled corpora; a study that was stopped goes on."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..laboratory.text.publishers import PUBLISHERS
        from ..laboratory.text.study import StudyPlan
        from ..laboratory.text.study import study as run

        plan = StudyPlan(
            labels=tuple(names(label)),
            ratios=tuple(numbers(ratios, "--ratios")),
            folds=folds,
            publishers=tuple(names(publishers)) or tuple(PUBLISHERS),
            budgets=tuple(numbers(budget, "--budget", int, least=1)),
            seed=seed,
        )
        with console.progress("study") as step:
            content = run(
                corpora, out, plan=plan, threads=threads, force=force,
                progress=lambda steps, note: step(steps, note=note),
            )  # fmt: skip
        _draw(out / "charts")
        console.say(
            f"{len(content['publish']):,} rows of publishers, {len(content['attack']):,} of attacks"
        )
        console.say(f"written: {out}/study.json, publish.csv, attack.csv, charts/")
        console.result({"out": str(out), "corpora": content["corpora"]})


def _draw(charts: Path) -> None:
    """Draw the charts beside their specifications."""
    import vl_convert

    from ..core.files import read_json, whole_file

    for spec in sorted(charts.glob("*.vl.json")):
        picture = vl_convert.vegalite_to_svg(read_json(spec))
        with whole_file(
            spec.with_name(spec.name.replace(".vl.json", ".svg")), force=True
        ) as beside:
            beside.write_text(picture, encoding="utf-8")


def register(app: typer.Typer) -> None:
    """Put the commands on the engine's app."""
    app.command()(attack)
    app.command()(study)
