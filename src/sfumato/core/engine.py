"""The contract between the engines and everything above them, and the registry that finds engines.

An engine is one object: it has a name, requests that declare its parameters, and the verbs that every
surface offers. Command line, plan, workbench, report and local page loop over `ENGINES` and know nothing
of any one engine. An engine of another package is found by its entry point in the group
`sfumato.engines`; tests/plugins holds a whole one, and CONTRIBUTING.md walks through it.

Nothing here imports pydantic: `sfumato --help` asks engines for their names and summaries alone.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
)

from .errors import InputError, SfumatoError, did_you_mean
from .registry import Registry

if TYPE_CHECKING:
    from pydantic import JsonValue

    from . import choice as choices
    from . import exploration as explorations
    from . import records
    from . import request as requests
    from .approval import Approval
    from .dominance import ChosenBy
    from .publication import Publication
    from .regimes import Regime
    from .story import Story

__all__ = [
    "ENGINES",
    "AnyEngine",
    "AnyVerb",
    "Call",
    "Engine",
    "Part",
    "Progress",
    "Verb",
    "engine_named",
    "no_progress",
]

Req = TypeVar("Req", bound="requests.Request")
Pub = TypeVar("Pub", bound="requests.Request")
Expl = TypeVar("Expl", bound="explorations.AnyExploration")
Cand = TypeVar("Cand", bound="records.Candidate")
Rel = TypeVar("Rel", bound="records.Release")


class Progress(Protocol):
    """How a verb reports where it is: steps done since the last call, the total if known, a short note.

    Notes hold counts only, never a word of the data.
    """

    def __call__(self, steps: int = 1, *, total: int | None = None, note: str = "") -> None: ...


def no_progress(steps: int = 1, *, total: int | None = None, note: str = "") -> None:
    """Report nothing."""


@dataclass(frozen=True)
class Call:
    """What a verb gets in addition to its request: where to write, and where to report."""

    out: Path | None = None
    force: bool = False
    say: Callable[[str], None] = lambda _line: None
    progress: Progress = no_progress
    end_with: Callable[[SfumatoError], None] = lambda _error: None
    """Takes the error that a command ends with although its result stands; Python only warns."""


@dataclass(frozen=True)
class Verb(Generic[Req]):
    """A command that an engine offers beyond explore, publish and attack.

    `run` gets the request and the call and returns what `--json` prints. `writes` says whether the verb
    takes `--out` ("required", "optional"), adds to the folder that it is given ("inside"), or writes nothing.
    """

    name: str
    help: str
    Request: type[Req]
    run: Callable[[Req, Call], Mapping[str, JsonValue]]
    writes: Literal["required", "optional", "inside", "no"] = "required"


@dataclass(frozen=True)
class Part:
    """One engine's part of a report: its records, and the candidate that the report is about."""

    id: str
    engine: str
    frontier: records.FrontierRecord | None = None
    release: records.Release | None = None
    attack: records.AttackRecord | None = None
    chosen: records.Candidate | None = None
    chosen_by: ChosenBy = "knee"
    sources: Mapping[str, str] = field(default_factory=dict)
    """By name of an input that another part of the same report published: the id of that part."""
    passed_on: bool = False
    """Whether another part of the same report published from what this one published."""
    regime: Regime | None = None
    """What the report is made for; its number is drawn on the frontier."""
    files: tuple[Path, ...] = ()
    """Where the record and the data of the release are on this machine."""
    folder: Path | None = None
    """Where the frontier is on this machine."""
    approval: Approval | None = None
    """Who approved this very release, and what they saw."""
    audits: tuple[records.Record, ...] = ()
    """What people found when they read a part of this very release."""
    others: tuple[str, ...] = ()
    """Candidates of the same frontier whose releases are in the folder too, and are not reported on."""
    public: bool = False
    """Whether the report is public: frontier and attack are with the steward, not missing."""


class Engine(ABC, Generic[Req, Pub, Expl, Cand, Rel]):
    """Base of all engines: `Engine[Request, PublishRequest, Exploration, Candidate, Release]`.

    Class attributes
    ----------------
    name : str
        The command group, the plan section and the entry point.
    title : str
        What the engine is called in a heading.
    summary : str
        One line of help.
    order : int
        The position of the engine's part in a report and in a run; smaller is earlier.
    examples : mapping of str to str
        By verb: a short doctest for the help of the function of that name.
    shipped : mapping of str to mapping
        Models that come with the package and publish without an exploration, by name; with each the choice
        of a candidate where none is made.
    figures : mapping of str to (str, str)
        By measure that a regime asks for (`core.regimes.MEASURES`): where release.json and where a
        candidate of frontier.json hold it, as names joined by dots.

    The types below are assigned as class attributes (`Request = ToyRequest`), or written as properties
    that import them, so that listing the engines loads no model.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    order: ClassVar[int] = 100
    examples: ClassVar[Mapping[str, str]] = {}
    shipped: ClassVar[Mapping[str, Mapping[str, object]]] = {}
    figures: ClassVar[Mapping[str, tuple[str, str]]] = {}

    @property
    @abstractmethod
    def Request(self) -> type[Req]:
        """The parameters of explore; exactly one field has the role "data"."""

    @property
    @abstractmethod
    def PublishRequest(self) -> type[Pub]:
        """The parameters of publish; exactly one field has the role "data"."""

    @property
    @abstractmethod
    def Exploration(self) -> type[Expl]:
        """What explore returns; knows how to save and load itself."""

    @property
    def Release(self) -> type[Rel]:
        """The record of a publication."""
        from .records import Release

        return cast("type[Rel]", Release)

    @property
    def Choice(self) -> type[choices.Choice]:
        """The ways of choosing a candidate."""
        from .choice import Choice

        return Choice

    @property
    def AttackRequest(self) -> type[requests.Request] | None:
        """The parameters of attack, where the engine can attack a release."""
        return None

    @property
    def Audit(self) -> type[records.AuditOfRelease] | None:
        """The record of what a person found in a release, where the engine has audits."""
        return None

    @property
    def Attack(self) -> type[records.AttackRecord] | None:
        """The record of an attack, where the engine can attack a release."""
        return None

    @abstractmethod
    def explore(self, request: Req, *, progress: Progress = no_progress) -> Expl:
        """Return the frontier of candidates that the request asks for."""

    @abstractmethod
    def publish(
        self,
        exploration: Expl,
        candidate: Cand,
        request: Pub,
        *,
        out: Path | None,
        force: bool = False,
        progress: Progress = no_progress,
    ) -> Publication[Rel]:
        """Publish the request's data by a candidate; without `out`, in memory if the engine can."""

    @abstractmethod
    def story(self, part: Part) -> Story:
        """Return this engine's part of a report, from its records alone."""

    def load(self, folder: Path) -> Expl:
        """Return the exploration that a folder holds; one of another engine is refused."""
        from .files import read_json
        from .records import FRONTIER_FILE

        if (folder / FRONTIER_FILE).is_file():
            content = read_json(folder / FRONTIER_FILE)
            found = content.get("engine") if isinstance(content, dict) else None
            if isinstance(found, str) and found != self.name and found in ENGINES:
                raise InputError(
                    f"The frontier in {folder.name!r} was explored by the engine {found}, not by {self.name}.",
                    hint=f"`sfumato {found}` publishes and attacks it.",
                )
        return self.Exploration.load(folder)

    def load_for(self, source: str | os.PathLike[str], request: Pub) -> Expl:  # noqa: ARG002
        """Return the exploration that a request is published from: of a folder, or of a shipped model's name."""
        return self.load(Path(source))

    def needs_choice(self, request: Pub) -> bool:  # noqa: ARG002
        """Return whether publishing this request takes a candidate of the frontier."""
        return True

    def for_chained_input(
        self, exploring: dict[str, object], publishing: dict[str, object]
    ) -> tuple[dict[str, object], dict[str, object]]:
        """Return the options of exploring and publishing where a plan publishes another part's output.

        Options that describe the data then describe what is published, which may not be in the form of
        the data that was explored.
        """
        return exploring, publishing

    def attack(self, request: requests.Request, call: Call) -> records.AttackRecord:  # noqa: ARG002
        """Attack a release; only engines with an `AttackRequest` can, and get one of it."""
        raise InputError(f"The {self.name} engine has no attack.")

    def verbs(self) -> Sequence[AnyVerb]:
        """Return further commands of the engine."""
        return ()

    def claim(self, file: Path) -> float:  # noqa: ARG002
        """Return how sure the engine is that a data file is its own, from 0 (not at all) to 1.

        A plan is drafted by the engine with the highest claim; a suffix that other engines read too
        is worth one half.
        """
        return 0.0

    def draft(self, file: Path, others: Mapping[str, Path], folder: Path) -> list[str]:  # noqa: ARG002
        """Return the lines of a plan's section for a data file that the engine claims.

        Parameters
        ----------
        file : Path
            A data file that the steward named.
        others : mapping of str to Path
            Further files that were named by option (schema, population, labels).
        folder : Path
            Where the plan will be; files written next to it are created whole.

        """
        raise InputError(f"The {self.name} engine drafts no plan.")


AnyVerb: TypeAlias = Verb[Any]
AnyEngine: TypeAlias = Engine[Any, Any, Any, Any, Any]

ENGINES: Registry[AnyEngine] = Registry(
    "engine",
    {name: f"sfumato.engines.{name}.engine:ENGINE" for name in ("baskets", "tables", "text")},
    group="sfumato.engines",
    of=Engine,
)
"""The engines that are installed, by name."""


def engine_named(name: str) -> AnyEngine:
    """Return an installed engine; an unknown name is an error that lists the known ones."""
    if name not in ENGINES:
        raise InputError(
            f"There is no engine {name!r} in this installation.", hint=did_you_mean(name, ENGINES)
        )
    return ENGINES[name]
