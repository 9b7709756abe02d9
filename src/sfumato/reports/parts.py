"""Finding what a report is about: frontier.json, release.json and attack.json, read into their records."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.approval import Approval
from ..core.engine import ENGINES, AnyEngine, Part, engine_named
from ..core.errors import FormatError, InputError
from ..core.exploration import Exploration
from ..core.files import read_json, sha256_of
from ..core.records import (
    ATTACK_FILE,
    FIGURES_FILE,
    FRONTIER_FILE,
    RELEASE_FILE,
    AttackRecord,
    AuditOfRelease,
    Candidate,
    FrontierRecord,
    Release,
)
from ..core.storage.private_folder import private_folder_of
from ..core.story import Check, Story
from ..presentation.language import say
from .dossiers import add_dossier, approval_of, audits_of, outputs_of

__all__ = ["choose", "find_parts", "public_parts", "stories"]

_DEPTH = 3
_NO_FRONTIER = (
    "The frontier that this release was chosen from is not among the folders of this report, so the "
    "other candidates are not shown."
)


@dataclass
class _Found:
    """The records of one part, while they are joined."""

    engine: AnyEngine
    frontier: FrontierRecord | None = None
    release: Release | None = None
    attack: AttackRecord | None = None
    release_hash: str | None = None
    record: Path | None = None
    """Where the release.json is."""
    folder: Path | None = None
    """Where the frontier.json is."""
    approval: Approval | None = None
    others: tuple[str, ...] = ()

    @property
    def mark(self) -> str | None:
        return None if self.frontier is None else self.frontier.current_mark()


def _files_below(folder: Path, depth: int = 0) -> list[Path]:
    found = []
    for entry in sorted(folder.iterdir()):
        named = entry.name in {FRONTIER_FILE, RELEASE_FILE, ATTACK_FILE, FIGURES_FILE}
        if entry.is_file() and (named or entry.name.endswith(f".{RELEASE_FILE}")):
            found.append(entry)
        elif entry.is_dir() and not entry.name.startswith(".") and depth < _DEPTH:
            found += _files_below(entry, depth + 1)
    return found


def _records_of(file: Path) -> list[Path]:
    """Return the record next to a published file, or the file itself when it is a record."""
    if file.name in {FRONTIER_FILE, ATTACK_FILE} or file.name.endswith(RELEASE_FILE):
        return [file]
    names = [f"{stem}.{RELEASE_FILE}" for stem in (file.name, file.name.split(".")[0], file.stem)]
    return [path for name in dict.fromkeys(names) if (path := file.with_name(name)).is_file()][:1]


def _paths(folders: Sequence[str | os.PathLike[str]]) -> list[Path]:
    paths: list[Path] = []
    for folder in map(Path, folders):
        if not folder.exists():
            raise InputError(f"There is no folder {folder.name!r}.", hint="check the path.")
        found = _files_below(folder) if folder.is_dir() else _records_of(folder)
        if not found:
            raise InputError(
                f"{folder.name!r} comes with no {FRONTIER_FILE} and no {RELEASE_FILE}.",
                hint="give the folder that `sfumato … explore` or `sfumato … publish` wrote.",
            )
        paths += [p for p in found if p.resolve() not in {q.resolve() for q in paths}]
    return paths


def _content(path: Path) -> tuple[AnyEngine, object]:
    content = read_json(path)
    name = content.get("engine") if isinstance(content, dict) else None
    if not isinstance(name, str):
        raise FormatError(
            f"The file {path.name!r} does not say which engine wrote it.",
            hint="was it written by `sfumato … explore` or `sfumato … publish`?",
        )
    if name not in ENGINES:
        raise FormatError(
            f"The file {path.name!r} was written by an engine that is not installed.",
            hint=f"installed are: {', '.join(sorted(ENGINES))}.",
        )
    return engine_named(name), content


def _join_attack(found: list[_Found], path: Path, dropped: set[str]) -> None:
    """Read an attack and join it to what it names by its marks; that of a dropped release is left out."""
    engine, content = _content(path)
    if engine.Attack is None:
        raise FormatError(f"The {engine.name} engine has no attack, but wrote {path.name!r}.")
    attack = engine.Attack.from_json(content, file=path.name)
    if attack.release in dropped:
        return
    part = _attacked_part(found, engine, attack)
    if part is None:
        raise InputError(
            f"The attack in {path.parent.name!r} is of another release or frontier.",
            hint="give the folder of what was attacked too, or leave the attack out.",
        )
    part.attack = attack


def _join_release(found: list[_Found], path: Path, figures: Sequence[Path]) -> None:
    """Read a release and join it to the frontier that it names by its mark."""
    engine, content = _content(path)
    release = engine.Release.from_json(content, file=path.name)
    release = release.with_figures([*figures, *_figures_beside(path, release)])
    part = _frontier_of(found, engine, release)
    if part is None:
        part = _Found(engine)
        found.append(part)
    elif part.release is not None:  # a second release of the same frontier is a separate part
        part = _Found(engine, frontier=part.frontier, folder=part.folder)
        found.append(part)
    part.release, part.release_hash, part.record = release, sha256_of(path), path
    part.approval = approval_of(path, release, part.release_hash)


def _figures_beside(path: Path, release: Release) -> list[Path]:
    """Return where the steward's machine keeps all figures of a release."""
    return [private_folder_of(out) / FIGURES_FILE for out in outputs_of(path, release)]


def _one_per_frontier(
    found: list[_Found], folders: Sequence[str | os.PathLike[str]]
) -> list[_Found]:
    """Return the parts with one release for each frontier, unless several were named themselves."""
    named = {Path(folder).resolve() for folder in folders}
    groups: dict[tuple[str, str], list[_Found]] = {}
    for part in found:
        if part.release is not None and part.release.frontier is not None:
            groups.setdefault((part.engine.name, part.release.frontier), []).append(part)
    dropped: set[int] = set()
    for same in groups.values():
        asked = [p for p in same if _was_asked_for(p, named)]
        kept = asked or [max(same, key=_order_of_release)]
        left = [p for p in same if all(p is not other for other in kept)]
        dropped |= {id(part) for part in left}
        names = sorted(p.release.candidate for p in left if p.release is not None)
        for part in kept:
            part.others = tuple(names)
            part.frontier = next((p.frontier for p in same if p.frontier is not None), None)
            part.folder = next((p.folder for p in same if p.folder is not None), None)
    return [part for part in found if id(part) not in dropped]


def _was_asked_for(part: _Found, named: set[Path]) -> bool:
    """Return whether a release was given itself, not only a folder above it."""
    if part.record is None or part.release is None:
        return False
    places = [part.record, *outputs_of(part.record, part.release)]
    return any(place.resolve() in named for place in places)


def _order_of_release(part: _Found) -> tuple[bool, float, str]:
    """Return what the release of a report is chosen by: approved, then written last."""
    assert part.record is not None
    return part.approval is not None, part.record.stat().st_mtime, str(part.record)


def public_parts(parts: Sequence[Part]) -> list[Part]:
    """Return what a public report says: the releases, by their public fields.

    Frontiers and attacks were measured on the raw data and stay with the steward: the figures of every
    candidate move with every record.
    """
    found = [part for part in parts if part.release is not None]
    return [
        replace(
            part,
            frontier=None,
            attack=None,
            chosen=None,
            approval=None,
            audits=(),
            others=(),
            release=part.release.public(),
            public=True,
        )
        for part in found
        if part.release is not None
    ]


def _frontier_of(found: Sequence[_Found], engine: AnyEngine, release: Release) -> _Found | None:
    """Return the part with the frontier that a release came from.

    A release without a mark was written by an earlier version: it belongs to a frontier only where no
    other could be meant, and the inputs carry the same marks.
    """
    own = [f for f in found if f.engine is engine and f.frontier is not None]
    if release.frontier is not None:
        return next((f for f in own if f.mark == release.frontier), None)
    known = [
        f
        for f in own
        if f.frontier is not None and release.candidate in {c.id for c in f.frontier.candidates}
    ]
    return known[0] if len(known) == 1 and _same_inputs(known[0].frontier, release) else None


def _same_inputs(frontier: FrontierRecord | None, release: Release) -> bool:
    explored = {f.hmac for f in frontier.inputs} if frontier is not None else set()
    return bool({f.hmac for f in release.inputs} & explored - {None})


def _attacked_part(
    found: Sequence[_Found], engine: AnyEngine, attack: AttackRecord
) -> _Found | None:
    """Return the part whose release was attacked, or else whose frontier."""
    own = [f for f in found if f.engine is engine and f.attack is None]
    if attack.release is not None:
        return next((f for f in own if f.release_hash == attack.release), None)
    if attack.frontier is None:  # written by an earlier version
        return own[0] if len(own) == 1 else None
    same = [f for f in own if f.mark == attack.frontier]
    about = [f for f in same if f.release is not None and f.release.candidate == attack.candidate]
    return next(iter(about or same), None)


def find_parts(
    folders: Sequence[str | os.PathLike[str]], *, chosen: Mapping[str, str] | None = None
) -> list[Part]:
    """Read what the folders hold and return the parts of the report about it.

    Parameters
    ----------
    folders : sequence of paths
        Folders that explore, publish, attack or run wrote.
    chosen : mapping of str to str, optional
        The candidate of a part where nothing was published yet, by the part's id.

    """
    if not folders:
        raise InputError("A report needs at least one folder.")
    paths = _paths(folders)
    found: list[_Found] = []
    figures = [path for path in paths if path.name == FIGURES_FILE]
    for path in paths:
        if path.name == FRONTIER_FILE:
            engine, content = _content(path)
            record = engine.Exploration.Record.from_json(content, file=path.name)
            if all(f.mark != record.current_mark() for f in found):  # a copy says nothing new
                found.append(_Found(engine, frontier=record, folder=path.parent))
    for path in paths:
        if path.name.endswith(RELEASE_FILE):
            _join_release(found, path, figures)
    known = {part.release_hash for part in found}
    found = _one_per_frontier(found, folders)
    dropped = {mark for mark in known - {part.release_hash for part in found} if mark is not None}
    for path in paths:
        if path.name == ATTACK_FILE:
            _join_attack(found, path, dropped)
    return choose(_with_sources(_with_ids(found)), chosen or {})


def _with_ids(found: list[_Found]) -> list[Part]:
    """Order the parts by engine and content, not by folder, and give them ids."""

    def order(
        part: _Found,
    ) -> tuple[int, str, tuple[str, ...], int, str, tuple[str, ...], str]:
        record, release = part.frontier or part.release, part.release
        names = tuple(f.path for f in record.inputs) if record is not None else ()
        chosen = release.candidate if release is not None else ""
        published = tuple(f.path for f in release.inputs) if release is not None else ()
        seed = record.seed if record is not None else 0
        # The hash comes last: it holds marks under the private key, which differ from key to key.
        own = part.release_hash or ""
        return part.engine.order, part.engine.name, names, seed, chosen, published, own

    parts, seen = [], dict[str, int]()
    for part in sorted(found, key=order):
        name = part.engine.name
        seen[name] = seen.get(name, 0) + 1
        own = name if seen[name] == 1 else f"{name}-{seen[name]}"
        audits: tuple[AuditOfRelease, ...] = ()
        if part.record is not None and part.release is not None:
            audits = audits_of(part.engine, part.record, part.release, part.release_hash or "")
        parts.append(
            Part(
                own,
                name,
                part.frontier,
                part.release,
                part.attack,
                files=_files_of(part),
                folder=part.folder,
                approval=part.approval,
                audits=audits,
                others=part.others,
            )
        )
    return parts


def _files_of(part: _Found) -> tuple[Path, ...]:
    """Return the record of a release and the files that it lists, where they are at hand."""
    if part.record is None or part.release is None:
        return ()
    listed = [part.record.parent / file.path for file in part.release.outputs]
    folders = [p for p in listed if p.is_dir()]
    inside = [p for folder in folders for p in sorted(folder.rglob("*"))]
    return tuple(p for p in dict.fromkeys([part.record, *listed, *inside]) if p.is_file())


def _with_sources(parts: list[Part]) -> list[Part]:
    """Note where the data of one part is what another part published: by its mark, else by its name.

    The parts of one run often give their files one name, so that a name alone does not tell whose file it is.
    """
    outputs = [(p.id, f) for p in parts if p.release is not None for f in p.release.outputs]
    found, passed_on = [], set[str]()
    for part in parts:
        sources = {}
        for file in part.release.inputs if part.release is not None else ():
            others = [(own, f) for own, f in outputs if own != part.id]
            same = [own for own, f in others if f.hmac is not None and f.hmac == file.hmac]
            named = [own for own, f in others if f.path == file.path]
            passed_on.update(same)  # by the mark alone: a name may be that of the original
            if same or named:
                sources[file.path] = (same or named)[0]
        found.append(replace(part, sources=sources))
    return [replace(part, passed_on=part.id in passed_on) for part in found]


def choose(parts: Sequence[Part], chosen: Mapping[str, str]) -> list[Part]:
    """Return the parts with the candidate that each is about: published, chosen here, or suggested."""
    wrong = set(chosen) - {part.id for part in parts}
    if wrong:
        raise InputError(
            "A choice is for a part of the report, by its id.",
            hint=f"the parts are {', '.join(part.id for part in parts)}.",
        )
    return [_about(part, chosen.get(part.id)) for part in parts]


def _about(part: Part, wanted: str | None) -> Part:
    explored = (
        None if part.frontier is None else Exploration[FrontierRecord, Candidate](part.frontier)
    )
    release = part.release
    if release is not None:
        known = {} if explored is None else {c.id: c for c in explored.candidates}
        own = known.get(release.candidate)
        if own is None and release.risk is not None and release.utility is not None:
            own = Candidate(id=release.candidate, risk=release.risk, utility=release.utility)
        return replace(part, chosen=own, chosen_by="release")
    if explored is None:
        return part
    if wanted is not None:
        return replace(part, chosen=explored.candidate(wanted), chosen_by="steward")
    assert part.frontier is not None
    suggested = engine_named(part.engine).Exploration.suggest(part.frontier)
    if suggested is None:
        return part
    return replace(part, chosen=suggested[0], chosen_by=suggested[1])


def stories(parts: Sequence[Part], *, public: bool = False) -> list[Story]:
    """Return what each engine says of its part; a public report is about releases alone."""
    found = []
    for part in parts:
        story = engine_named(part.engine).story(part)
        if part.release is not None and part.frontier is None and not public:
            story.checks.append(Check("open", say(_NO_FRONTIER)))
        add_dossier(story, part)
        found.append(story)
    return found
