"""The Python front door: `sfumato.<engine>.explore`, `publish`, `attack`, `load` and the engine's other verbs.

Every function is made from the requests of its engine, in the same shape for all engines, those of other
packages included: data by position, everything else by name, a signature and a docstring that list every
parameter.
"""

from __future__ import annotations

import keyword
import os
import sys
import types
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Generic, TypeVar

from ._operation import Arguments, Operation, show_progress
from ._signatures import FunctionArgument
from .core.choice import Choice
from .core.command_lines import warn_of_former
from .core.engine import AnyEngine, AnyVerb, Call, engine_named
from .core.errors import ParameterError
from .core.exploration import AnyExploration
from .core.records import FRONTIER_FILE, Candidate
from .core.request import Parameter, Request, fields_of, parameters

__all__ = ["front_door", "open_door", "operations"]

_PATH = "str | os.PathLike[str]"
_PROGRESS = FunctionArgument(
    "progress",
    "callable or bool, optional",
    "Called with the steps done since the last call, the total where it is known, and a note; True shows a progress bar.",
    None,
    hint="Progress | bool | None",
)
_FORCE = FunctionArgument(
    "force",
    "bool, default=False",
    "Whether an earlier output of sfumato may be replaced.",
    default=False,
    hint="bool",
)


R = TypeVar("R", bound=Request)


@dataclass(frozen=True)
class _RequestArguments(Generic[R]):
    """The parameters of one request under their names in Python."""

    model: type[R]

    @property
    def named(self) -> dict[str, Parameter]:
        return {self._python(name): about for name, about in parameters(self.model).items()}

    def _python(self, name: str) -> str:
        if name == "id" and issubclass(self.model, Choice):
            return "choose"
        return f"{name}_" if keyword.iskeyword(name) else name

    @property
    def arguments(self) -> list[FunctionArgument]:
        return [FunctionArgument.of(name, about) for name, about in self.named.items()]

    @property
    def own(self) -> frozenset[str]:
        """The names of the parameters, and those of the fields."""
        return frozenset([*self.named, *self.model.model_fields])

    @property
    def accepted(self) -> frozenset[str]:
        """The names that a caller may use: also former ones."""
        known = fields_of(self.model).values()
        return self.own.union(name for about in known for name in (*about.aliases, *about.former))

    def build(self, values: Mapping[str, object], owner: str) -> R:
        """Build the request; a candidate is replaced by its id."""
        found = dict(values)
        if isinstance(chosen := found.get("choose"), Candidate):
            found["choose"] = chosen.id
        warn_of_former(
            self.model,
            found,
            spell=lambda n: repr(self._python(n)),
            assign=lambda about, text: f"{self._python(about.name)}={text!r}",
            stacklevel=5,
        )
        return self.model.build(found, owner=owner, spelled=lambda n: repr(self._python(n)))


def _path(value: str | os.PathLike[str] | None) -> Path | None:
    return None if value is None else Path(value)


def _out(what: str, *, required: bool = False) -> FunctionArgument:
    if required:
        return FunctionArgument("out", "path", what, hint=_PATH)
    return FunctionArgument("out", "path, optional", what, None, hint=f"{_PATH} | None")


def _refuse_inputs(out: Path | None, request: Request, *others: Path) -> None:
    """Refuse an output that is one of the inputs."""
    if out is not None:
        from .core.storage.ownership import refuse_inputs

        refuse_inputs(
            out, [*(path for _, path in request.input_files() if path.is_file()), *others]
        )


def _explore(engine: AnyEngine) -> Operation:
    owner, request = f"{engine.name}.explore", _RequestArguments(engine.Request)

    def run(values: Arguments) -> object:
        with show_progress(values.pop("progress", None), owner) as progress:
            return engine.explore(request.build(values, owner), progress=progress)

    return Operation(
        owner,
        "Find the frontier of candidate releases, risk against utility.",
        (*request.arguments, _PROGRESS),
        engine.Exploration,
        "The frontier: choose a candidate, publish it, or save all for later.",
        run,
        request.accepted,
        engine.examples.get("explore", ""),
    )


def _publish(engine: AnyEngine) -> Operation:
    owner = f"{engine.name}.publish"
    choice, request = _RequestArguments(engine.Choice), _RequestArguments(engine.PublishRequest)
    (data,) = [a for a in request.arguments if a.positional]
    kind = engine.Exploration.__name__
    exploration = FunctionArgument(
        "exploration",
        f"{kind} or path",
        "What `explore` returned, or the folder it was saved in.",
        positional=True,
        hint=f"{kind} | {_PATH}",
        classes=(engine.Exploration,),
    )
    choose = [_chooses(a, engine) for a in choice.arguments]
    own = [a for a in request.arguments if not a.positional and a.name not in choice.named]

    def run(values: Arguments) -> object:
        out, force = _path(values.pop("out", None)), bool(values.pop("force", False))
        source = _check_exploration(engine, values.pop("exploration"), owner)
        if "data" in values:
            values[data.name] = values.pop("data")
        if data.name not in values:
            raise ParameterError(f"{owner} needs 'data'.", hint=data.help)
        with show_progress(values.pop("progress", None), owner) as progress:
            ways = choice.accepted - request.own | choice.own
            chosen = {name: values.pop(name) for name in [*values] if name in ways}
            made = request.build(values, owner)
            if isinstance(source, str | Path):
                _refuse_inputs(out, made, Path(source) / FRONTIER_FILE)
                explored = engine.load_for(source, made)
            else:
                _refuse_inputs(out, made)
                explored = source
            if not chosen:
                chosen = dict(engine.shipped.get(str(source), {}))
            candidate = (
                choice.build(chosen, owner).of(explored) if engine.needs_choice(made) else None
            )
            return engine.publish(
                explored, candidate, made, out=out, force=force, progress=progress
            ).result()

    return Operation(
        owner,
        "Publish data by a candidate, and measure what was written.",
        (
            exploration,
            FunctionArgument("data", data.words, data.help, positional=True, about=data.about),
            *choose,
            *own,
            _out("Where the release goes; without it the published data is returned."),
            _FORCE,
            _PROGRESS,
        ),
        engine.Release,
        "The record of the release; without `out` the published data.",
        run,
        request.accepted | choice.accepted,
        engine.examples.get("publish", ""),
    )


def _chooses(argument: FunctionArgument, engine: AnyEngine) -> FunctionArgument:
    """Return the argument that names a candidate as one that takes the candidate itself, too."""
    if argument.name != "choose":
        return argument
    kind = engine.Exploration.Record.model_fields["candidates"].annotation
    named = next((a for a in getattr(kind, "__args__", ()) if isinstance(a, type)), Candidate)
    return FunctionArgument(
        "choose",
        f"str or {named.__name__}, optional",
        "A candidate, its id, or how it is chosen, such as 'knee' or 'max-risk:0.01'.",
        None,
        hint=f"str | {named.__name__} | None",
        classes=(named,),
    )


def _check_exploration(engine: AnyEngine, given: object, owner: str) -> AnyExploration | str | Path:
    """Return an exploration of the engine, the folder that one was saved in, or a shipped model's name."""
    if isinstance(given, str | Path):
        return given
    if isinstance(given, os.PathLike):
        return Path(os.fspath(given))
    if isinstance(given, engine.Exploration):
        explored: AnyExploration = given
        return explored
    raise ParameterError(
        f"{owner} takes a {engine.Exploration.__name__}, or the folder it was saved in.",
        hint=f"give what sfumato.{engine.name}.explore returned.",
    )


def _attack(engine: AnyEngine) -> Operation:
    assert engine.AttackRequest is not None
    owner, request = f"{engine.name}.attack", _RequestArguments(engine.AttackRequest)

    def run(values: Arguments) -> object:
        from .core.files import check_output, write_json

        out, force = _path(values.pop("out", None)), bool(values.pop("force", False))
        with show_progress(values.pop("progress", None), owner) as progress:
            made = request.build(values, owner)
            if out is not None:
                read = [path for _, path in made.input_files() if path.is_file()]
                check_output(out, force=force, inputs=read)
            found = engine.attack(made, Call(out, force, progress=progress))
            if out is not None:
                write_json(out, found.to_json(), force=force)
            return found

    return Operation(
        owner,
        "Attack a release, and report what the adversary finds.",
        (*request.arguments, _out("Where attack.json goes."), _FORCE, _PROGRESS),
        engine.Attack,
        "What each attacker found.",
        run,
        request.accepted,
        engine.examples.get("attack", ""),
    )


def _load(engine: AnyEngine) -> Operation:
    folder = FunctionArgument(
        "folder",
        "path",
        f"What `save` or `sfumato {engine.name} explore` wrote.",
        positional=True,
        hint=_PATH,
    )
    return Operation(
        f"{engine.name}.load",
        "Return what `explore` returned, from the folder that it was saved in.",
        (folder,),
        engine.Exploration,
        "The exploration, ready to choose from and to publish.",
        lambda values: engine.load(Path(values["folder"])),
        example=engine.examples.get("load", ""),
    )


def _verb(engine: AnyEngine, verb: AnyVerb) -> Operation:
    owner, request = f"{engine.name}.{verb.name.replace('-', '_')}", _RequestArguments(verb.Request)
    out = () if verb.writes == "no" else (
        _out("Where the result goes.", required=verb.writes == "required"),
    )  # fmt: skip

    def run(values: Arguments) -> object:
        target, force = _path(values.pop("out", None)), bool(values.pop("force", False))
        with show_progress(values.pop("progress", None), owner) as progress:
            made = request.build(values, owner)
            _refuse_inputs(target, made)
            return dict(verb.run(made, Call(target, force, progress=progress)))

    return Operation(
        owner,
        verb.help,
        (*request.arguments, *out, _FORCE, _PROGRESS),
        None,
        "What the command prints with --json.",
        run,
        request.accepted,
        engine.examples.get(verb.name, ""),
    )


def operations(engine: AnyEngine) -> list[Operation]:
    """Return every function of an engine: explore, publish, attack where there is one, load, its verbs."""
    found = [_explore(engine), _publish(engine)]
    if engine.AttackRequest is not None:
        found.append(_attack(engine))
    return [*found, _load(engine), *(_verb(engine, verb) for verb in engine.verbs())]


def _former(engine: str, known: Mapping[str, object], name: str) -> object:
    """Return what a front door used to offer under a name: classes of its engine, accepted for one version."""
    if name == "load_exploration":
        return known["load"]
    if not name.startswith("_"):
        package = import_module(f"sfumato.engines.{engine}")
        if name in getattr(package, "__all__", ()):
            found = getattr(package, name)
            warnings.warn(
                f"sfumato.{engine}.{name} is sfumato.engines.{engine}.{name}; the former name goes in "
                "the next version.",
                DeprecationWarning,
                stacklevel=3,
            )
            return found
    raise AttributeError(f"module 'sfumato.{engine}' has no attribute {name!r}")


def open_door(module: str) -> None:
    """Put the functions of an engine into the module of this package that is named after it."""
    space, name = vars(sys.modules[module]), module.rpartition(".")[2]
    space.update(_contents(name))
    space["__getattr__"] = partial(_former, name, space)


def front_door(name: str) -> types.ModuleType:
    """Return what `sfumato.<name>` is for an engine of another package."""
    door = types.ModuleType(f"sfumato.{name}", engine_named(name).summary)
    vars(door).update(_contents(name))
    return door


def _contents(name: str) -> dict[str, object]:
    functions = {one.name: one.function() for one in operations(engine_named(name))}
    names = sorted(functions)
    return {**functions, "__all__": names, "__dir__": names.copy}
