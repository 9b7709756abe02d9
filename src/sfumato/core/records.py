"""frontier.json, release.json and attack.json as types, shared by those who write and those who read them.

Each engine extends these models with its own fields; a file is always written from a model and read back into the same
model. The field types enforce that no word of the data is published: a text field is a declared name.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import (
    Field,
    JsonValue,
    SerializeAsAny,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from .._version import __version__
from . import display
from .file_records import InputFile, OutputFile
from .files import canonical_json, read_json, write_json
from .frontier_file import FRONTIER_FILE, find_frontier
from .record import (
    CandidateId,
    Coarse,
    ColumnName,
    Content,
    Count,
    FileName,
    Hidden,
    HouseRecord,
    Label,
    Mark,
    Name,
    Private,
    Public,
    Record,
    RiskField,
    RoundedDown,
    RoundedUp,
    Sentence,
    Share,
    UtilityField,
)
from .storage.private_folder import private_folder_of, write_private
from .storage.private_key import private_key

if TYPE_CHECKING:
    from .statistics.shift import ShiftCheck

__all__ = [
    "ATTACK_FILE",
    "FIGURES_FILE",
    "FRONTIER_FILE",
    "RELEASE_FILE",
    "AttackRecord",
    "AuditOfRelease",
    "Candidate",
    "CandidateId",
    "Coarse",
    "ColumnName",
    "ComparedRecord",
    "Count",
    "FileName",
    "FrontierRecord",
    "Hidden",
    "HouseRecord",
    "InputFile",
    "Label",
    "Mark",
    "Name",
    "OutputFile",
    "Private",
    "Public",
    "Record",
    "Reference",
    "Release",
    "RiskField",
    "RoundedDown",
    "RoundedUp",
    "Sentence",
    "Share",
    "ShiftRecord",
    "UtilityField",
    "versions",
]

RELEASE_FILE = "release.json"
ATTACK_FILE = "attack.json"
FIGURES_FILE = "figures.json"
"""The private copy of a release.json, with every figure in full."""


class _OnAxes(HouseRecord):
    """Something with a risk and a utility.

    In a file `risk` and `utility` are plain numbers with their intervals beside them, as scripts read
    them, and `measures` holds the same two in full: attacker, method, level.
    """

    risk: RiskField
    utility: UtilityField

    @model_validator(mode="before")
    @classmethod
    def _from_file(cls, values: object) -> object:
        if not isinstance(values, Mapping) or "measures" not in values:
            return values
        if not isinstance(values["measures"], Mapping):
            raise ValueError("measures must be an object")  # noqa: TRY004 (pydantic lists it as a mistake)
        flat = {"risk_interval", "utility_interval", "measures"}
        found = {k: v for k, v in values.items() if k not in flat}
        return {**found, **values["measures"]}

    @model_serializer(mode="wrap")
    def _to_file(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        found: dict[str, Any] = handler(self)
        measures = {axis: found[axis] for axis in ("risk", "utility")}
        for axis, measure in measures.items():
            found[axis], found[f"{axis}_interval"] = measure["value"], measure["interval"]
        return {**found, "measures": measures}


class Candidate(_OnAxes):
    """A release that could be published; engines add what describes it."""

    id: CandidateId
    dominated: bool = False

    def __repr__(self) -> str:
        return display.show_candidate(self)

    __str__ = __repr__

    def in_words(self) -> str:
        """Return one line about what will be published."""
        return f"candidate {self.id}: risk {self.risk.value:.4g}, utility {self.utility.value:.4g}"

    def _repr_html_(self) -> str:
        rows = [("risk", display.estimate(self.risk)), ("utility", display.estimate(self.utility))]
        if self.dominated:
            rows.append(("dominated", "another candidate is better on both sides"))
        return display.html_table(f"candidate {self.id}", rows)


class Reference(_OnAxes):
    """A policy people know, placed on the same axes: Safe Harbor, the full feature set, one pass."""

    name: Name


def versions() -> dict[str, str]:
    """Return the versions that a result depends on."""
    return dict(_versions())


@cache
def _versions() -> dict[str, str]:
    found = {"sfumato": __version__, "python": platform.python_version()}
    for name in ("numpy", "scipy", "scikit-learn", "numba", "duckdb", "pyarrow"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:  # a trimmed installation
            continue
    return found


R = TypeVar("R", bound="FrontierRecord")


class FrontierRecord(HouseRecord):
    """frontier.json: the candidates that an engine found, and the request that made them.

    The file stays on the private side. `seconds` is always null, so that the same request gives the same bytes; what was
    timed is in the engine's own log. `mark` is what releases and attacks name this frontier by: a mark of all of it but
    the list of files under the steward's key, so that no release.json holds what others could check guesses against.
    """

    engine: Name
    seed: int
    version: str = __version__
    request: dict[str, JsonValue] = Field(default_factory=dict)
    inputs: tuple[InputFile, ...] = ()
    axes: dict[str, Sentence]
    area: float
    evaluations: Count = 0
    seconds: float | None = None
    candidates: tuple[SerializeAsAny[Candidate], ...]
    references: tuple[SerializeAsAny[Reference], ...] = ()
    files: Hidden[dict[FileName, Mark]] = Field(default_factory=dict)
    """The files next to frontier.json that publishing needs, by the hash that each must still have."""
    mark: Hidden[Mark | None] = None

    @field_validator("inputs")
    @classmethod
    def _with_marks(cls, inputs: tuple[InputFile, ...]) -> tuple[InputFile, ...]:
        return tuple(file.with_mark(keep_hash=True) for file in inputs)

    def current_mark(self) -> str:
        """Return the mark of this frontier, whether it was saved before or not."""
        if self.mark is not None:
            return self.mark
        content = {k: v for k, v in self.to_json().items() if k not in {"files", "mark"}}
        text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return private_key().mark("frontier", text)

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write frontier.json into a folder that exists."""
        path = Path(folder) / FRONTIER_FILE
        write_json(path, {**self.to_json(), "mark": self.current_mark()}, force=True)
        return path

    @classmethod
    def read(cls, folder: str | os.PathLike[str]) -> Self:
        """Read frontier.json from a folder."""
        return cls.from_json(read_json(find_frontier(folder)), file=FRONTIER_FILE)


class Release(Record):
    """release.json: what was published, how, and what was measured on the output itself.

    `request` holds the options of publishing, `counts` what was counted on what was published, `left_out` the records
    that were not, by reason, in multiples of `multiples_of` where it is published; `risk` and `utility` are what was
    promised; engines add `measured`, typed. `frontier` is the mark of the frontier that the candidate is on. `withheld`
    lists the records that could not be processed, by id, with the reason. There is no time stamp: same plan, same bytes.
    """

    engine: Public[Name]
    candidate: Public[CandidateId]
    frontier: Public[Mark | None] = None
    inputs: Public[tuple[InputFile, ...]] = ()
    outputs: Public[tuple[OutputFile, ...]] = ()
    seed: Public[int]
    request: Public[dict[str, JsonValue]] = Field(default_factory=dict)
    counts: Public[dict[str, int | dict[str, int]]] = Field(default_factory=dict)
    left_out: Coarse[dict[str, Count]] = Field(default_factory=dict)
    multiples_of: Public[Count] = 1
    risk: RoundedUp[RiskField | None] = None
    utility: RoundedDown[UtilityField | None] = None
    withheld: Private[tuple[dict[str, str], ...]] = ()
    versions: Public[dict[str, str]] = Field(default_factory=versions)

    @field_validator("inputs")
    @classmethod
    def _without_plain_hashes(cls, inputs: tuple[InputFile, ...]) -> tuple[InputFile, ...]:
        return tuple(file.with_mark() for file in inputs)

    def to_public_json(self) -> Content:
        """Return what may be published, and what its counts of left out records are multiples of."""
        return {**super().to_public_json(), "multiples_of": self.granularity}

    def tell_left_out(self, name: str) -> str:
        """Return how many records were left out for a reason, as exactly as this edition knows it.

        Parameters
        ----------
        name : str
            The reason: a key of `left_out`.

        """
        words = "" if self.multiples_of == 1 else "at most "
        return f"{words}{self.left_out.get(name, 0):,}"

    def lines(self) -> list[str]:
        """Return what the command line prints about the release."""
        return [
            f"{name}: {count:,}" for name, count in self.counts.items() if isinstance(count, int)
        ]

    def __repr__(self) -> str:
        return display.show_release(self)

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return display.show_release_html(self)

    def save(self, folder: str | os.PathLike[str], *, name: str = RELEASE_FILE) -> Path:
        """Write release.json into a folder: what may be published, and nothing else.

        Parameters
        ----------
        folder : path
            A folder that exists.
        name : str, default='release.json'
            Another name of the file.

        """
        path = Path(folder) / name
        write_json(path, self.to_public_json(), force=True)
        return path

    @classmethod
    def read_full(cls, out: str | os.PathLike[str], record: Path | None = None) -> Self:
        """Read a release with its private figures, if the private folder exists.

        Parameters
        ----------
        out : path
            The file or folder of the release.
        record : Path, optional
            Its record; by default release.json in the folder.

        """
        record = Path(out) / RELEASE_FILE if record is None else record
        public = cls.from_json(read_json(record), file=record.name)
        return public.with_figures([private_folder_of(out) / FIGURES_FILE])

    def with_figures(self, files: Iterable[Path]) -> Self:
        """Return the release with its private figures, where one of the files holds them.

        A file that says something else in public is of another release.

        Parameters
        ----------
        files : iterable of Path
            Where the figures may be; a file that does not exist is skipped.

        """
        own = self.to_public_json()
        for file in files:
            content = read_json(file) if file.is_file() else None
            if isinstance(content, dict) and content.get("engine") == self.engine:
                full = type(self).from_json(content, file=file.name)
                if full.to_public_json() == own:
                    return full
        return self

    def public(self) -> Self:
        """Return the release as anybody reads it from its release.json."""
        return type(self).from_json(self.to_public_json())

    def save_private(self, out: str | os.PathLike[str]) -> Path:
        """Keep all figures of the release in its private folder, for the steward.

        Parameters
        ----------
        out : path
            The file or folder of the release.

        """
        return write_private(out, FIGURES_FILE, canonical_json(self.to_json()).encode())


class ComparedRecord(HouseRecord):
    """One measure of a shift check in both samples."""

    released: float
    learned: float
    difference: float


class ShiftRecord(HouseRecord):
    """Whether a release is like the training documents, with the numbers behind the verdict."""

    verdict: Sentence
    p_value: Share | None
    alarm_at: Share
    cause: Sentence | None
    released: Count
    learned: Count
    learned_from: Count = 0
    """Records of the release that were learned from; they are not compared."""
    measures: dict[Sentence, ComparedRecord]

    @classmethod
    def of(cls, check: ShiftCheck) -> Self:
        """Return the verdict of a check as release.json holds it."""
        return cls.from_json(check.to_json())


class AuditOfRelease(HouseRecord):
    """What a person found in a release (`OUT.audit-KIND.json`); `release` is the hash of its release.json."""

    engine: Name
    release: Mark | None = None


class AttackRecord(HouseRecord):
    """attack.json: what attackers found in one release.

    `frontier` is the mark of the frontier whose candidates were attacked, `release` the hash of the
    release.json of what was attacked; each is None where the attack does not know it.
    """

    engine: Name
    candidate: CandidateId | None = None
    frontier: Mark | None = None
    release: Mark | None = None
    request: dict[str, JsonValue] = Field(default_factory=dict)
