"""The commands of an engine: explore, publish, attack where there is one, and its further verbs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import typer
from pydantic import JsonValue
from typer.core import TyperCommand

from ..core.engine import AnyEngine, AnyVerb, Call, Verb
from ..core.errors import ParameterError, SfumatoError
from ..core.request import Request, parameter, parameters
from ._options import Given, make_command
from ._running import Console, list_only

__all__ = ["engine_app"]


class _Command(TyperCommand):
    """A command that says what a word too many may have been meant as."""

    allow_extra_args = True

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]  # click's context, of which typer has a copy
        """Parse arguments; refuse those that are left, with the option that names the result."""
        left = super().parse_args(ctx, args)
        if left and not ctx.resilient_parsing:
            out = any(parameter.name == "out" for parameter in self.params)
            hint = " Where the result goes is given by --out." if out else ""
            ctx.fail(f"Got unexpected extra argument(s) ({' '.join(left)}).{hint}")
        return left


class _Explored(Request):
    directory: str | os.PathLike[str] = parameter(
        help="Folder that explore wrote.", role="data", metavar="DIR"
    )


class _ExploredOrShipped(Request):
    directory: str | os.PathLike[str] | None = parameter(
        None, help="Folder that explore wrote, or starter, the built-in model.", role="data", metavar="DIR",
    )  # fmt: skip
    model: str | None = parameter(
        None, help="The built-in model, instead of DIR.", within="directory"
    )


def engine_app(engine: AnyEngine, words: Sequence[str] = ()) -> typer.Typer:
    """Return the command group of an engine.

    Parameters
    ----------
    engine : Engine
        The engine.
    words : sequence of str
        The words after the engine's name: only the command that they name is built with its options;
        all are without any.

    """
    app = typer.Typer(
        help=engine.summary,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )

    def add(name: str, about: str, make: Callable[[str, str], Callable[..., None]]) -> None:
        if not words or name == words[0]:
            app.command(name, cls=_Command)(make(f"sfumato {engine.name} {name}", about))
        else:
            app.command(name, help=about)(list_only)

    def explore(command: str, about: str) -> Callable[..., None]:
        wanted = "Folder for frontier.json and what publishing needs."
        body = partial(_explore, engine)
        return make_command(command, about, [engine.Request], body, out_help=wanted)

    def publish(command: str, about: str) -> Callable[..., None]:
        wanted = "Folder for the release, or a data file where the engine writes one."
        explored = _ExploredOrShipped if engine.shipped else _Explored
        models: list[type[Request]] = [explored, engine.PublishRequest, engine.Choice]
        return make_command(command, about, models, partial(_publish, engine), out_help=wanted)

    add("explore", "Find the frontier of candidate releases, risk against utility.", explore)
    add(
        "publish",
        "Publish data by a candidate, in the input's format, and measure what was written.",
        publish,
    )
    for verb in (*_attack(engine), *engine.verbs()):
        add(
            verb.name,
            verb.help,
            partial(
                make_command,
                models=[verb.Request],
                body=partial(_verb, verb),
                writes=verb.writes,
                out_help="Where the result goes.",
            ),
        )
    return app


def _explore(engine: AnyEngine, given: Given, call: Call, console: Console) -> None:
    from ..core.files import check_output, whole_directory
    from ..core.publication import unread_error

    request = given.build(engine.Request)
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
    if found.unread:
        raise unread_error(len(found.unread), call.out)


def _publish(engine: AnyEngine, given: Given, call: Call, console: Console) -> None:
    from pathlib import Path

    from ..core.records import FRONTIER_FILE
    from ..core.storage.ownership import refuse_inputs

    source = _source(engine, given)
    request = given.build(engine.PublishRequest)
    candidate = None
    if call.out is not None:
        read = [path for _, path in request.input_files()]
        refuse_inputs(call.out, [*read, Path(source) / FRONTIER_FILE])
    exploration = engine.load_for(source, request)
    if engine.needs_choice(request):
        candidate = given.build(engine.Choice).of(exploration)
        console.say(candidate.in_words())
    made = engine.publish(
        exploration, candidate, request, out=call.out, force=call.force, progress=call.progress
    )
    assert made.release is not None  # publishing in memory is for Python alone
    for line in made.lines():
        console.say(line)
    console.result({"out": str(call.out), **made.release.to_json()})
    made.refuse_withheld()


def _source(engine: AnyEngine, given: Given) -> str | os.PathLike[str]:
    """Return the folder, or the shipped model, that is published from.

    With --model there is no DIR, so that the first argument is the input.
    """
    if not engine.shipped:
        return given.build(_Explored).directory
    values, publishing = given.values[_ExploredOrShipped], given.values[engine.PublishRequest]
    (data,) = [p.name for p in parameters(engine.PublishRequest).values() if p.role == "data"]
    model = values.get("model")
    if model is None:
        named = values.get("directory")
        if named in engine.shipped and not os.path.exists(str(named)):
            given.values[engine.Choice].update(_usual_choice(engine, given, str(named)))
        if named is None:
            raise ParameterError(
                f"{given.command} needs DIR and {data.upper()}.",
                hint="give the folder that explore wrote, or --model starter.",
            )
        return str(named)
    if model not in engine.shipped:
        raise ParameterError(
            f"There is no shipped model {str(model)!r}.",
            hint=f"there is: {', '.join(engine.shipped)}.",
        )
    if data in publishing:
        raise ParameterError(f"{given.command} takes DIR or --model, not both.")
    if "directory" in values:
        publishing[data] = values["directory"]
    given.values[engine.Choice].update(_usual_choice(engine, given, str(model)))
    return str(model)


def _usual_choice(engine: AnyEngine, given: Given, model: str) -> Mapping[str, object]:
    """Return how a candidate of a shipped model is chosen where nothing is said."""
    return {} if given.values[engine.Choice] else engine.shipped[model]


def _attack(engine: AnyEngine) -> list[AnyVerb]:
    if engine.AttackRequest is None:
        return []

    def run(request: Request, call: Call) -> dict[str, JsonValue]:
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
            run,
            writes="optional",
        )
    ]


def _verb(verb: AnyVerb, given: Given, call: Call, console: Console) -> None:
    from ..core.storage.ownership import refuse_inputs

    request = given.build(verb.Request)
    if call.out is not None:
        refuse_inputs(call.out, [path for _, path in request.input_files() if path.is_file()])
    errors: list[SfumatoError] = []
    console.result(dict(verb.run(request, replace(call, end_with=errors.append))))
    if errors:
        raise errors[0]
