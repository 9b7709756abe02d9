"""The contract between the engines and everything above them, and the registry that finds engines.

An engine is one object: it has a name, requests that declare its parameters, and the verbs that every
surface offers. Command line, plan, workbench, report and local page loop over `ENGINES` and know nothing
of any one engine. An engine of another package is found by its entry point in the group
`sfumato.engines`; tests/plugins holds a whole one, and CONTRIBUTING.md walks through it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

from pydantic import JsonValue

from . import choice as choices
from . import exploration as explorations
from . import records
from . import request as requests
from .desk import Desk
from .errors import InputError, ParameterError, did_you_mean
from .story import Story

__all__ = ["ENGINES", "Call", "Engine", "Part", "Progress", "Verb", "engine_named", "no_progress"]

GROUP = "sfumato.engines"


class Progress(Protocol):
    """How a verb reports where it is: steps done since the last call, the total if known, a short note.

    Notes hold counts only, never a word of the data.
    """

    def __call__(self, steps: int = 1, *, total: int | None = None, note: str = "") -> None: ...


def no_progress(steps: int = 1, *, total: int | None = None, note: str = "") -> None:
    """Report nothing."""


@dataclass(frozen=True)
class Call:
    """What a verb gets beside its request: where to write, and how to speak."""

    out: Path | None = None
    force: bool = False
    say: Callable[[str], None] = lambda _line: None
    progress: Progress = no_progress


@dataclass(frozen=True)
class Verb:
    """A command that an engine offers beyond explore, publish and attack.

    `run` gets the request and the call and returns what `--json` prints. `writes` says whether the verb
    takes `--out` ("required", "optional" or not at all).
    """

    name: str
    help: str
    Request: type[requests.Request]
    run: Callable[[Any, Call], Mapping[str, JsonValue]]
    writes: Literal["required", "optional", "no"] = "required"


@dataclass(frozen=True)
class Part:
    """One engine's part of a report: its records, and the candidate that the report is about."""

    id: str
    engine: str
    frontier: records.FrontierRecord | None = None
    release: records.Release | None = None
    attack: records.AttackRecord | None = None
    chosen: records.Candidate | None = None
    chosen_by: Literal["release", "steward", "knee"] = "knee"
    sources: Mapping[str, str] = field(default_factory=dict)
    """By name of an input that another part of the same report published: the id of that part."""


class Engine(ABC):
    """Base of all engines.

    Class attributes
    ----------------
    name : str
        The command group, the plan section and the entry point.
    title : str
        What the engine is called in a heading.
    summary : str
        One line of help.
    order : int
        Where the engine's part stands in a report and in a run; smaller is earlier.
    Request, PublishRequest : type of Request
        The parameters of explore and publish. Each has exactly one field of role "data".
    Choice : type of Choice
        The ways of choosing a candidate.
    Exploration : type of Exploration
        What explore returns; knows how to save and load itself.
    Release : type of Release
        The record of a publication.
    Attack : type of AttackRecord, optional
        The record of an attack, where the engine can attack a release.
    AttackRequest : type of Request, optional
        The parameters of attack.
    examples : mapping of str to str
        By verb: a short doctest for the help of the function of that name.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    order: ClassVar[int] = 100
    Request: ClassVar[type[requests.Request]]
    PublishRequest: ClassVar[type[requests.Request]]
    Choice: ClassVar[type[choices.Choice]] = choices.Choice
    Exploration: ClassVar[type[explorations.Exploration[Any, Any]]]
    Release: ClassVar[type[records.Release]] = records.Release
    AttackRequest: ClassVar[type[requests.Request] | None] = None
    Attack: ClassVar[type[records.AttackRecord] | None] = None
    examples: ClassVar[Mapping[str, str]] = {}

    @abstractmethod
    def explore(
        self, request: Any, *, progress: Progress = no_progress
    ) -> explorations.Exploration[Any, Any]:
        """Return the frontier of candidates that the request asks for."""

    @abstractmethod
    def publish(
        self,
        exploration: Any,
        candidate: Any,
        request: Any,
        *,
        out: Path | None,
        force: bool = False,
        progress: Progress = no_progress,
    ) -> Any:
        """Publish the request's data as a candidate says; return the Release, or data without `out`."""

    @abstractmethod
    def story(self, part: Part) -> Story:
        """Return this engine's part of a report, from its records alone."""

    def load(self, folder: Path) -> explorations.Exploration[Any, Any]:
        """Return the exploration that a folder holds."""
        return self.Exploration.load(folder)

    def needs_choice(self, request: Any) -> bool:  # noqa: ARG002
        """Return whether publishing this request takes a candidate of the frontier."""
        return True

    def chained(
        self, exploring: dict[str, object], publishing: dict[str, object]
    ) -> tuple[dict[str, object], dict[str, object]]:
        """Return the options of exploring and publishing where a plan publishes another part's output.

        Options that describe the data then describe what is published, which may not be in the form of
        the data that was explored.
        """
        return exploring, publishing

    def attack(self, request: Any, call: Call) -> records.AttackRecord:  # noqa: ARG002
        """Attack a release; only engines with an `AttackRequest` can."""
        raise InputError(f"The {self.name} engine has no attack.")

    def desk(self, folder: Path) -> Desk | None:  # noqa: ARG002
        """Return the folder as a place where people answer questions, or None if it is none of ours."""
        return None

    def verbs(self) -> Sequence[Verb]:
        """Return further commands of the engine."""
        return ()

    def draft(self, file: Path, others: Mapping[str, Path], folder: Path) -> list[str] | None:  # noqa: ARG002
        """Return the lines of a plan's section for a data file, or None if it is not this engine's.

        Parameters
        ----------
        file : Path
            A data file that the steward named.
        others : mapping of str to Path
            Further files that were named by option (schema, population, labels).
        folder : Path
            Where the plan will lie; files written beside it are created whole.

        """
        return None


@cache
def _entry_points() -> dict[str, metadata.EntryPoint]:
    found = {point.name: point for point in metadata.entry_points(group=GROUP)}
    return {name: found[name] for name in sorted(found)}


@cache
def _loaded(name: str) -> Engine:
    engine = _entry_points()[name].load()
    if not isinstance(engine, Engine):
        raise ParameterError(f"The entry point {name!r} of {GROUP} is not an engine.")
    return engine


class _Engines(Mapping[str, Engine]):
    """The engines that are installed, found by their entry points and loaded when first used."""

    def __getitem__(self, name: str) -> Engine:
        if name not in _entry_points():
            raise KeyError(name)
        return _loaded(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_entry_points())

    def __len__(self) -> int:
        return len(_entry_points())

    def __contains__(self, name: object) -> bool:
        return name in _entry_points()


ENGINES = _Engines()


def engine_named(name: str) -> Engine:
    """Return an installed engine; an unknown name is an error that lists the known ones."""
    if name not in ENGINES:
        raise InputError(
            f"There is no engine {name!r} in this installation.", hint=did_you_mean(name, ENGINES)
        )
    return ENGINES[name]
