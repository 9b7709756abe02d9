"""Drafts a plan from data, for the steward to edit; each engine recognises its own files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from .core.engine import ENGINES
from .core.errors import InputError
from .core.files import check_output, whole_file

__all__ = ["draft_plan"]


def draft_plan(
    files: Sequence[str | os.PathLike[str]],
    *,
    out: str | os.PathLike[str],
    others: Mapping[str, str | os.PathLike[str]] | None = None,
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
    force : bool, default=False
        Whether existing files may be replaced.

    """
    if not files:
        raise InputError("A plan is drafted from data.", hint="name one or more data files.")
    target = check_output(out, force=force)
    folder = target.absolute().parent
    given = {name: Path(path) for name, path in (others or {}).items()}
    before = set(folder.iterdir())
    engines = sorted(ENGINES.values(), key=lambda e: (e.order, e.name))
    lines = ['title = "Release"', "seed = 0", 'out = "release"', ""]
    for file in map(Path, files):
        if not file.exists():
            raise InputError(f"There is no file {file.name!r}.", hint="check the path.")
        section = next((s for e in engines if (s := e.draft(file, given, folder))), None)
        if section is None:
            raise InputError(
                f"No engine recognises {file.name!r}.",
                hint=f"the engines are: {', '.join(e.name for e in engines)}.",
            )
        lines += section
    with whole_file(target, force=force) as partial:
        partial.write_text("\n".join(lines), encoding="utf-8")
    return [target, *sorted(set(folder.iterdir()) - before - {target})]
