"""`sfumato text`: explore what could be published, and publish it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

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
from ._values import Seed, names, numbers
from .text_attack import register

__all__ = ["app"]

app = typer.Typer(
    help="Documents: redact what is sensitive until what is left cannot be found.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Findings = Annotated[
    Path | None,
    typer.Option(help="Another tool's findings (JSONL), redacted before anything else."),
]


@app.command()
def explore(
    corpus: Annotated[Path, typer.Argument(help="Labelled documents: JSONL, brat, CoNLL, CSV, ….")],
    label: Annotated[
        str, typer.Option("--label", help="Labels that are sensitive, separated by commas.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder for frontier.json and the model.")],
    *,
    background: Annotated[
        list[Path] | None, typer.Option(help="Other labelled corpora of any origin; repeatable.")
    ] = None,
    unlabelled: Annotated[
        list[Path] | None, typer.Option(help="Your own texts without labels; repeatable.")
    ] = None,
    findings: Findings = None,
    ratios: Annotated[
        str, typer.Option(help="Loss ratios L/C: how many words withheld one leak is worth.")
    ] = "1,2,5,10,20,50",
    folds: Annotated[int, typer.Option(help="Folds by document.", min=2)] = 4,
    learner: Annotated[
        str, typer.Option(help="crf, svm, adaboost, ensemble or selection.")
    ] = "crf",
    mode: Annotated[str, typer.Option(help="honest (judged on unseen documents) or paper.")] = (
        "honest"
    ),
    budget: Annotated[
        str, typer.Option(help="How many words an attacker inspects, separated by commas.")
    ] = "10,100,1000",
    attackers: Annotated[
        str, typer.Option(help="Who attacks each candidate: crf, all (slower) or none.")
    ] = "crf",
    seed: Seed = 0,
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Learn what is sensitive, and place a candidate for each ratio on the frontier."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..core.files import check_output, whole_directory
        from ..engines.text import explore as run

        check_output(out, force=force)
        with console.progress("explore") as step:
            found = run(
                corpus,
                labels=names(label),
                background=background or (),
                unlabelled=unlabelled or (),
                findings=findings,
                ratios=numbers(ratios, "--ratios"),
                folds=folds,
                learner=learner,
                mode=mode,
                attackers=_attackers(attackers),
                budgets=numbers(budget, "--budget", int),
                seed=seed,
                progress=lambda note: step(1, note=note),
            )
        with whole_directory(out, force=force) as folder:
            found.save(folder)
        console.result(found.to_json())
        _show(console, found.to_json(), out)


def _attackers(name: str) -> Any:
    from ..core.errors import ParameterError
    from ..engines.text.learners.registry import learner_named

    if name not in {"all", "crf", "none"}:
        raise ParameterError.constraint("--attackers", "explore", "all, crf or none", name)
    return None if name == "all" else () if name == "none" else (learner_named("crf"),)


def _show(console: Console, content: dict[str, Any], out: Path) -> None:
    console.say(f"{'id':>10}  {'left':>8}  {'published':>9}  {'rounds':>6}  {'T':>10}")
    for c in sorted(content["candidates"], key=lambda c: c["ratio"]):
        mark = "  (dominated)" if c.get("dominated") else ""
        console.say(
            f"{c['id']:>10}  {c['risk']:8.2%}  {c['utility']:9.2%}  {c['rounds']:>6}  "
            f"{c['total_loss']:>10,.0f}{mark}"
        )
    console.say("left: the share of sensitive words that stays, in documents not learned from")
    console.say(f"written: {out}/frontier.json")


def _lines(source: Path) -> int | None:
    """Count the records of plain JSON lines, so that the time left can be told."""
    if source.suffix != ".jsonl" or not source.is_file():
        return None
    with source.open("rb") as stream:
        return sum(block.count(b"\n") for block in iter(lambda: stream.read(1 << 20), b""))


@app.command()
def publish(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Folder that explore wrote.")],
    source: Annotated[Path, typer.Argument(metavar="INPUT", help="Documents to publish.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the release.")],
    *,
    ratio: Annotated[
        float | None, typer.Option(help="Publish the candidate of this loss ratio.")
    ] = None,
    choose: Choose = None,
    max_risk: MaxRisk = None,
    min_utility: MinUtility = None,
    knee: Knee = False,
    dominates: Dominates = None,
    replace: Annotated[
        str, typer.Option(help="What stands for it: placeholder, mask or surrogate.")
    ] = "placeholder",
    key: Annotated[
        Path | None,
        typer.Option(help="File (mode 600) with the secret of surrogates; else SFUMATO_KEY."),
    ] = None,
    scope: Annotated[
        str, typer.Option(help="Where surrogates are consistent: document or corpus.")
    ] = "document",
    findings: Findings = None,
    drop: Annotated[str, typer.Option(help="Other fields to leave out, by commas.")] = "",
    engine: ComputeEngine = "local",
    threads: Threads = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first document that fails.")
    ] = False,
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Publish documents with a candidate: the data in its own format, and release.json."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..core.errors import WithheldError
        from ..engines.text.exploration import TextExploration

        chosen_by: dict[str, Any] = {
            "ratio": ratio, "choose": choose, "max_risk": max_risk, "min_utility": min_utility,
            "knee": knee, "dominates": dominates,
        }  # fmt: skip
        if not any(chosen_by.values()):
            chosen_by["ratio"] = 10.0
        candidate = choice(**chosen_by).of(TextExploration.load(directory))
        with console.progress("publish", total=_lines(source)) as step:
            outcome = candidate.publish(
                source,
                out=out,
                replacement=replace,
                key=key,
                scope=scope,
                findings=findings,
                drop=names(drop),
                engine=engine,
                threads=threads,
                strict=strict,
                force=force,
                progress=lambda steps, note: step(steps, note=note),
            )
        counts = outcome.record["counts"]
        redacted = sum(counts["redacted"].values())
        console.say(
            f"{counts['documents']:,} documents, {counts['words']:,} words, {redacted:,} redacted"
        )
        kept = outcome.fields_as_they_are
        if kept:
            console.say(f"published as they are: {', '.join(kept)} (--drop leaves fields out)")
        console.say(f"written: {out}")
        console.result({"out": str(out), **outcome.record})
        if outcome.withheld:
            raise WithheldError(
                f"{outcome.withheld:,} of the records could not be sanitised and were withheld.",
                hint=f"{outcome.quarantine} lists them by id, with the reason.",
            )


register(app)
