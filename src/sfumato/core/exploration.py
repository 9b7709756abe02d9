"""What an engine answers with: a frontier of candidate releases, and how it was found.

`Exploration` is a `Frontier` that knows its engine, inputs, seed and references, and has one file
form, `frontier.json`, that people and outside scripts read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .._version import __version__
from .errors import FormatError, InputError, NoCandidateError, did_you_mean
from .files import read_json, sha256_of, write_json
from .frontier import Frontier
from .measures import Interval, Risk, Utility

__all__ = ["FRONTIER_FILE", "Candidate", "Exploration", "InputFile", "Reference"]

FRONTIER_FILE = "frontier.json"


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that went in: its name, its hash and how many records it holds."""

    path: str
    sha256: str
    rows: int

    @classmethod
    def of(cls, path: str | os.PathLike[str], rows: int) -> InputFile:
        """Describe a file on disk."""
        return cls(os.fspath(path), sha256_of(path), rows)

    def to_json(self) -> dict[str, Any]:
        return {"path": self.path, "sha256": self.sha256, "rows": self.rows}


@dataclass(frozen=True, slots=True)
class Reference:
    """A policy people know, placed on the same axes: Safe Harbor, the full feature set, one pass."""

    name: str
    risk: float
    utility: float
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {**self.details, "name": self.name, "risk": self.risk, "utility": self.utility}


@dataclass(frozen=True)
class Candidate:
    """A release that could be published.

    `details` holds what the engine adds to frontier.json (numbers, names of columns or features,
    never a value from the data that the schema does not declare). `publisher`, given by the
    engine, does the publishing when it is called with the data.
    """

    id: str
    risk: Risk
    utility: Utility
    details: Mapping[str, Any] = field(default_factory=dict)
    publisher: Callable[..., Any] | None = field(default=None, repr=False, compare=False)

    def publish(self, data: Any, **options: Any) -> Any:
        """Publish data as this candidate says."""
        if self.publisher is None:
            raise InputError(
                f"The candidate {self.id!r} was read from a file without its engine.",
                hint="use `sfumato … publish`, or explore again.",
            )
        return self.publisher(data, **options)

    def to_json(self) -> dict[str, Any]:
        def ends(interval: Interval | None) -> list[float] | None:
            return None if interval is None else [interval.low, interval.high]

        return {
            **self.details,
            "id": self.id,
            "risk": self.risk.value,
            "risk_interval": ends(self.risk.interval),
            "utility": self.utility.value,
            "utility_interval": ends(self.utility.interval),
        }


_CANDIDATE_KEYS = frozenset({"id", "risk", "risk_interval", "utility", "utility_interval"})


class Exploration(Frontier[Candidate]):
    """The frontier that an engine found, with everything needed to repeat and to report it.

    `extra` holds what an engine adds at the top of frontier.json (the trace of the area, the visited
    points, assumptions). `dominated` candidates may be kept for the record (`keep_dominated`): the
    text engine lists every ratio that the steward asked for, whether or not another one beats it.
    """

    def __init__(
        self,
        engine: str,
        *,
        seed: int,
        axes: Mapping[str, str],
        inputs: Sequence[InputFile] = (),
        keep_dominated: bool = False,
    ) -> None:
        super().__init__()
        self.engine = engine
        self.seed = seed
        self.version = __version__
        self.axes = dict(axes)
        self.inputs = list(inputs)
        self.references: list[Reference] = []
        self.evaluations = 0
        self.seconds: float | None = 0.0  # None: not kept, so that a plan repeats to the byte
        self.extra: dict[str, Any] = {}
        self.keep_dominated = keep_dominated
        self._dominated: dict[str, Candidate] = {}

    def add(self, candidate: Candidate) -> bool:
        """Put a candidate on the frontier unless it is dominated."""
        before = {c.id: c for c in self} if self.keep_dominated else {}
        added = self.insert(candidate.risk.value, candidate.utility.value, candidate)
        if self.keep_dominated:
            now = {c.id for c in self}
            self._dominated.update({i: c for i, c in before.items() if i not in now})
            if not added:
                self._dominated[candidate.id] = candidate
        return added

    @property
    def candidates(self) -> list[Candidate]:
        """All candidates by rising risk; with `keep_dominated`, the dominated ones too."""
        return sorted(
            [*self, *self._dominated.values()],
            key=lambda c: (c.risk.value, c.utility.value, c.id),
        )

    def candidate(self, candidate_id: str) -> Candidate:
        """Find a candidate by its id."""
        for candidate in self.candidates:
            if candidate.id == candidate_id:
                return candidate
        raise NoCandidateError(
            f"There is no candidate {candidate_id!r} on this frontier.",
            hint=did_you_mean(candidate_id, [c.id for c in self.candidates]),
        )

    def to_json(self) -> dict[str, Any]:
        """Give the content of frontier.json."""
        on_frontier = {c.id for c in self}
        return {
            **self.extra,
            "engine": self.engine,
            "seed": self.seed,
            "version": self.version,
            "inputs": [i.to_json() for i in self.inputs],
            "axes": self.axes,
            "area": self.area(),
            "evaluations": self.evaluations,
            "seconds": None if self.seconds is None else round(self.seconds, 3),
            "candidates": [
                {
                    **c.to_json(),
                    **({"dominated": c.id not in on_frontier} if self.keep_dominated else {}),
                }
                for c in self.candidates
            ],
            "references": [r.to_json() for r in self.references],
        }

    def save(self, directory: str | os.PathLike[str]) -> Path:
        """Write frontier.json into a folder that exists."""
        path = Path(directory) / FRONTIER_FILE
        write_json(path, self.to_json(), force=True)
        return path

    @classmethod
    def load(cls, directory: str | os.PathLike[str]) -> Exploration:
        """Read frontier.json back; engines attach their own publishers afterwards."""
        path = Path(directory) / FRONTIER_FILE
        content = read_json(path)
        try:
            return cls._from_json(content)
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise FormatError(
                "The file 'frontier.json' does not have the fields of a frontier.",
                hint="was it written by `sfumato … explore`?",
            ) from error

    @classmethod
    def _from_json(cls, content: Mapping[str, Any]) -> Exploration:
        known = {"engine", "seed", "version", "inputs", "axes", "area", "evaluations", "seconds",
                 "candidates", "references"}  # fmt: skip
        exploration = cls(
            str(content["engine"]),
            seed=int(content["seed"]),
            axes={str(k): str(v) for k, v in content["axes"].items()},
            inputs=[
                InputFile(str(i["path"]), str(i["sha256"]), int(i["rows"]))
                for i in content["inputs"]
            ],
            keep_dominated=any("dominated" in c for c in content["candidates"]),
        )
        exploration.version = str(content["version"])
        exploration.evaluations = int(content["evaluations"])
        seconds = content["seconds"]
        exploration.seconds = None if seconds is None else float(seconds)
        exploration.extra = {k: v for k, v in content.items() if k not in known}
        exploration.references = [
            Reference(
                str(r["name"]),
                float(r["risk"]),
                float(r["utility"]),
                {k: v for k, v in r.items() if k not in {"name", "risk", "utility"}},
            )
            for r in content["references"]
        ]

        def interval(ends: Sequence[float] | None) -> Interval | None:
            return None if ends is None else Interval(float(ends[0]), float(ends[1]))

        attacker, kept = exploration.axes.get("risk", ""), exploration.axes.get("utility", "")
        for c in content["candidates"]:
            exploration.add(
                Candidate(
                    str(c["id"]),
                    Risk(float(c["risk"]), interval(c["risk_interval"]), attacker=attacker),
                    Utility(float(c["utility"]), interval(c["utility_interval"]), kept=kept),
                    {k: v for k, v in c.items() if k not in _CANDIDATE_KEYS and k != "dominated"},
                )
            )
        return exploration
