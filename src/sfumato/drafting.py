"""Drafts a plan from data, for the steward to edit; each engine recognises its own files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from .core.engine import ENGINES, AnyEngine, engine_named
from .core.errors import InputError
from .core.files import check_output, whole_file

__all__ = ["draft_plan"]


def draft_plan(
    files: Sequence[str | os.PathLike[str]],
    *,
    out: str | os.PathLike[str],
    others: Mapping[str, str | os.PathLike[str]] | None = None,
    engine: str | None = None,
    force: bool = False,
) -> list[Path]:
    """Write a plan for the given data files; return what was written.

    Parameters
    ----------
    files : sequence of paths
        Data files; each becomes a section of the engine that recognises it.
    out : path
        Where the plan goes.
    others : mapping of str to path
        Further files by role: "schema", "population", "labels".
    engine : str, optional
        The engine that takes every file that it recognises; by default the surest one does.
    force : bool, default=False
        Whether existing files may be replaced.

    """
    if not files:
        raise InputError("A plan is drafted from data.", hint="name one or more data files.")
    target = check_output(out, force=force)
    folder = target.absolute().parent
    given = {name: Path(path) for name, path in (others or {}).items()}
    before = set(folder.iterdir())
    preferred = None if engine is None else engine_named(engine)
    lines = ['title = "Release"', "seed = 0", 'out = "release"', ""]
    for own, file in _engines_of([Path(file) for file in files], preferred).items():
        lines += own.draft(file, given, folder)
    with whole_file(target, force=force) as partial:
        partial.write_text("\n".join(lines), encoding="utf-8")
    return [target, *sorted(set(folder.iterdir()) - before - {target})]


def _engines_of(files: Sequence[Path], preferred: AnyEngine | None) -> dict[AnyEngine, Path]:
    """Return the file of each engine; two of one engine are refused, before anything is written."""
    found: dict[AnyEngine, Path] = {}
    for file in files:
        if not file.exists():
            raise InputError(f"There is no file {file.name!r}.", hint="check the path.")
        own = _engine_of(file, preferred)
        if own in found:
            raise InputError(
                f"{found[own].name!r} and {file.name!r} are both for the {own.name} engine, and a plan has one section "
                "of each engine.",
                hint="draft a plan for each of them; or leave one out, and write its section for another engine, "
                "such as [baskets] for a log.",
            )
        found[own] = file
    return found


def _engine_of(file: Path, preferred: AnyEngine | None) -> AnyEngine:
    """Return the engine that claims a file most surely; a tie is for the steward to settle."""
    if preferred is not None and preferred.claim(file) > 0:
        return preferred
    engines = sorted(ENGINES.values(), key=lambda e: (e.order, e.name))
    claims = {e.name: e.claim(file) for e in engines}
    best = max(claims.values())
    if best <= 0:
        raise InputError(
            f"No engine recognises {file.name!r}.", hint=f"the engines are: {', '.join(claims)}."
        )
    surest = [name for name, claim in claims.items() if claim == best]
    if len(surest) > 1:
        raise InputError(
            f"{len(surest)} engines recognise {file.name!r}: {', '.join(surest)}.",
            hint="choose one by --engine (engine=).",
        )
    return ENGINES[surest[0]]
