"""`sfumato text attack` and `sfumato text study`: the adversary's side of the text engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ._running import Console, DebugFlag, JsonFlag, QuietFlag, running

__all__ = ["register"]


def _budgets(text: str) -> list[int]:
    from ..core.errors import ParameterError

    try:
        found = [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        found = []
    if not found or min(found) < 1:
        raise ParameterError(
            "--budget takes whole numbers from 1, separated by commas.", hint="for example 10,100."
        )
    return found


def attack(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Folder that explore wrote.")],
    published: Annotated[Path, typer.Argument(metavar="PUBLISHED", help="What publish wrote.")],
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
    seed: Annotated[int, typer.Option("--seed", help="Seed of all randomness.", min=0)] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace an output that exists.")] = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Attack a release with every attacker there is, and say what B inspected words give."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..core.files import check_output, write_json
        from ..engines.text.released import attack_release

        budgets = _budgets(budget)
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
            f"strongest: {strongest['attacker']}, {strongest['found']:.0f} of "
            f"{strongest['budget']:,} inspected words"
        )
    for answer in content.get("bounds", {}).get("ranked prefix", {}).values():
        console.say(answer["sentence"])


def register(app: typer.Typer) -> None:
    """Put the commands on the engine's app."""
    app.command()(attack)
