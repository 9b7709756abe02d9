"""Finding what a report is about: frontier.json, release.json and attack.json in the given folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...core.errors import FormatError, InputError
from ...core.exploration import FRONTIER_FILE
from ...core.files import read_json
from ...core.release import RELEASE_FILE

__all__ = ["ATTACK_FILE", "ENGINES", "Source", "find_sources"]

ATTACK_FILE = "attack.json"
ENGINES = ("text", "tables", "baskets")
_DEPTH = 3


@dataclass
class Source:
    """The files of one engine's part of a report."""

    engine: str
    frontier: dict[str, Any] | None = None
    release: dict[str, Any] | None = None
    attack: dict[str, Any] | None = None
    place: tuple[str, ...] = field(default=(), compare=False)

    @property
    def content(self) -> dict[str, Any]:
        """The frontier, or the release where there is no frontier."""
        return self.frontier or self.release or {}


def _files_below(folder: Path, depth: int = 0) -> list[Path]:
    found = []
    for entry in sorted(folder.iterdir()):
        named = entry.name in {FRONTIER_FILE, RELEASE_FILE, ATTACK_FILE} or entry.name.endswith(
            f".{RELEASE_FILE}"
        )
        if entry.is_file() and named:
            found.append(entry)
        elif entry.is_dir() and not entry.name.startswith(".") and depth < _DEPTH:
            found += _files_below(entry, depth + 1)
    return found


def _records_of(file: Path) -> list[Path]:
    """Give the record beside a published file, or the file itself when it is a record."""
    if file.name in {FRONTIER_FILE, ATTACK_FILE} or file.name.endswith(RELEASE_FILE):
        return [file]
    names = [f"{stem}.{RELEASE_FILE}" for stem in (file.name, file.name.split(".")[0], file.stem)]
    return [path for name in dict.fromkeys(names) if (path := file.with_name(name)).is_file()][:1]


def _read(path: Path) -> dict[str, Any]:
    content = read_json(path)
    if not isinstance(content, dict):
        raise FormatError(f"The file {path.name!r} is not a JSON object.")
    return content


def _engine_of(content: dict[str, Any], name: str) -> str:
    engine = content.get("engine")
    if engine not in ENGINES:
        raise FormatError(
            f"The file {name!r} does not say which engine wrote it.",
            hint="was it written by `sfumato … explore` or `sfumato … publish`?",
        )
    return str(engine)


def _common(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    return next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


def find_sources(folders: Sequence[str | os.PathLike[str]]) -> list[Source]:
    """Read what the folders hold, and join each release and attack to the frontier it came from."""
    paths: list[Path] = []
    for given in folders:
        folder = Path(given)
        if not folder.exists():
            raise InputError(f"There is no folder {folder.name!r}.", hint="check the path.")
        found = _files_below(folder) if folder.is_dir() else _records_of(folder)
        if not found:
            raise InputError(
                f"{folder.name!r} comes with no {FRONTIER_FILE} and no {RELEASE_FILE}.",
                hint="give the folder that `sfumato … explore` or `sfumato … publish` wrote.",
            )
        paths += [p for p in found if p.resolve() not in {q.resolve() for q in paths}]

    sources: list[Source] = []
    for path in paths:
        if path.name == FRONTIER_FILE:
            content = _read(path)
            engine = _engine_of(content, path.name)
            sources.append(Source(engine, frontier=content, place=path.parent.resolve().parts))
    for path in paths:
        if path.name.endswith(RELEASE_FILE):
            _join_release(sources, path)
    for path in paths:
        if path.name == ATTACK_FILE:
            _join_attack(sources, path)
    if not sources:
        raise InputError(
            "The folders hold an attack, but no frontier and no release.",
            hint="give the folder of the frontier or of the release too.",
        )
    return sorted(sources, key=_order)


def _join_release(sources: list[Source], path: Path) -> None:
    content, place = _read(path), path.parent.resolve().parts
    engine = _engine_of(content, path.name)
    fitting = [
        s
        for s in sources
        if s.engine == engine
        and s.release is None
        and s.frontier is not None
        and _holds(s.frontier, content.get("candidate"))
    ]
    if fitting:
        best = max(fitting, key=lambda s: _common(s.place, place))
        best.release = content
    else:
        sources.append(Source(engine, release=content, place=place))


def _join_attack(sources: list[Source], path: Path) -> None:
    place = path.parent.resolve().parts
    fitting = [s for s in sources if s.engine == "text" and s.attack is None]
    if fitting:
        max(fitting, key=lambda s: _common(s.place, place)).attack = _read(path)


def _holds(frontier: dict[str, Any], candidate: Any) -> bool:
    candidates = frontier.get("candidates")
    return isinstance(candidates, list) and any(
        isinstance(c, dict) and c.get("id") == candidate for c in candidates
    )


def _order(source: Source) -> tuple[int, str, str]:
    """Order by content, not by folder, so that the same plan gives the same facts anywhere."""
    content = source.content
    inputs = content.get("inputs")
    hashes = [str(i.get("sha256")) for i in inputs or [] if isinstance(i, dict)]
    return ENGINES.index(source.engine), ",".join(hashes), str(content.get("seed"))
