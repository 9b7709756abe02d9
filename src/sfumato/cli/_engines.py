"""The commands of an engine: explore, publish, attack where there is one, and its further verbs."""

from __future__ import annotations

import os
from functools import partial

import typer

from ..core.engine import Call, Engine, Verb
from ..core.errors import WithheldError
from ..core.request import Request, parameter
from ._options import Given, make_command
from ._running import Console

__all__ = ["engine_app"]


class _Explored(Request):
    directory: str | os.PathLike[str] = parameter(
        help="Folder that explore wrote.", role="data", metavar="DIR"
    )


def engine_app(engine: Engine) -> typer.Typer:
    """Return the command group of an engine."""
    app = typer.Typer(
        help=engine.summary,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    words = f"sfumato {engine.name}"
    app.command("explore")(
        make_command(
            f"{words} explore",
            "Find the frontier of candidate releases, risk against utility.",
            [engine.Request],
            partial(_explore, engine),
            out_help="Folder for frontier.json and what publishing needs.",
        )
    )
    app.command("publish")(
        make_command(
            f"{words} publish",
            "Publish data as a candidate says, in its own format, and measure what was written.",
            [_Explored, engine.PublishRequest, engine.Choice],
            partial(_publish, engine),
            out_help="Folder for the release, or a data file where the engine writes one.",
        )
    )
    verbs = [*_attack(engine), *engine.verbs()]
    for verb in verbs:
        app.command(verb.name)(
            make_command(
                f"{words} {verb.name}",
                verb.help,
                [verb.Request],
                partial(_verb, verb),
                writes=verb.writes,
                out_help="Where the result goes.",
            )
        )
    return app


def _explore(engine: Engine, given: Given, call: Call, console: Console) -> None:
    from ..core.files import check_output, whole_directory

    request = given.made(engine.Request)
    assert call.out is not None
    read = [path for _, path in request.input_files()]
    check_output(call.out, force=call.force, inputs=read, folder=True)
    found = engine.explore(request, progress=call.progress)
    with whole_directory(call.out, force=call.force, inputs=read) as folder:
        found.save(folder)
    console.result(found.record.to_json())
    for line in found.lines():
        console.say(line)
    console.say(f"written: {call.out}/frontier.json")


def _publish(engine: Engine, given: Given, call: Call, console: Console) -> None:
    from pathlib import Path

    from ..core.records import FRONTIER_FILE
    from ..core.storage.ownership import refuse_inputs

    request = given.made(engine.PublishRequest)
    candidate = None
    directory = Path(given.made(_Explored).directory)
    if call.out is not None:
        read = [path for _, path in request.input_files()]
        refuse_inputs(call.out, [*read, directory / FRONTIER_FILE])
    exploration = engine.load(directory)
    if engine.needs_choice(request):
        candidate = given.made(engine.Choice).of(exploration)
        console.say(
            f"candidate {candidate.id}: risk {candidate.risk.value:.4g}, "
            f"utility {candidate.utility.value:.4g}"
        )
    release = engine.publish(
        exploration, candidate, request, out=call.out, force=call.force, progress=call.progress
    )
    for line in release.lines():
        console.say(line)
    console.say(f"written: {call.out}")
    console.result({"out": str(call.out), **release.to_json()})
    if release.withheld:
        from ..core.storage.quarantine import quarantine_of

        assert call.out is not None
        raise WithheldError(
            f"{len(release.withheld):,} of the records could not be processed and were withheld.",
            hint=f"{quarantine_of(call.out)} lists them by id, with the reason.",
        )


def _attack(engine: Engine) -> list[Verb]:
    if engine.AttackRequest is None:
        return []

    def run(request: Request, call: Call) -> dict[str, object]:
        from ..core.files import check_output, write_json

        if call.out is not None:
            read = [path for _, path in request.input_files() if path.is_file()]
            check_output(call.out, force=call.force, inputs=read)
        found = engine.attack(request, call).to_json()
        if call.out is not None:
            write_json(call.out, found, force=call.force)
        return found

    return [
        Verb(
            "attack",
            "Attack a release, and report what the adversary finds.",
            engine.AttackRequest,
            run,  # type: ignore[arg-type]
            writes="optional",
        )
    ]


def _verb(verb: Verb, given: Given, call: Call, console: Console) -> None:
    from ..core.storage.ownership import refuse_inputs

    request = given.made(verb.Request)
    if call.out is not None:
        refuse_inputs(call.out, [path for _, path in request.input_files() if path.is_file()])
    console.result(dict(verb.run(request, call)))
