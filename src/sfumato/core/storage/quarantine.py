"""Lists of records that could not be used, for the steward: ids and reasons, never content.

`OUT.quarantine.jsonl` next to a release lists what was withheld from it and does not belong to it; `unread.jsonl` in the
folder of an exploration or a project lists what could not be read. Each is there only when something was.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ..errors import FormatError, OutputExistsError
from .staging import whole_file
from .work_folder import WorkFolder

__all__ = [
    "QUARANTINE",
    "UNREAD",
    "check_quarantine",
    "quarantine_lines",
    "quarantine_of",
    "read_unread",
    "write_quarantine",
    "write_unread",
]

QUARANTINE = "quarantine.jsonl"
UNREAD = "unread.jsonl"


def quarantine_of(out: str | os.PathLike[str]) -> Path:
    """Name the list that belongs to an output.

    >>> quarantine_of("releases/notes").name
    'notes.quarantine.jsonl'
    """
    out = Path(out)
    return out.with_name(f"{out.name}.{QUARANTINE}")


def check_quarantine(out: str | os.PathLike[str], *, force: bool = False) -> None:
    """Refuse to replace the list of an earlier output."""
    path = quarantine_of(out)
    if path.exists() and not force:
        raise OutputExistsError(
            f"The list {path.name!r} of an earlier output already exists.",
            hint="give --force to replace it.",
        )


def write_quarantine(
    out: str | os.PathLike[str], withheld: Iterable[Mapping[str, str]], *, force: bool = False
) -> Path | None:
    """Write the list whole, or remove that of an earlier output when nothing was withheld.

    A list with the same content stays: a run that was killed just after writing it does so again.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_quarantine(folder + "/out", [{"id": "d7", "reason": "has no text"}])
    ...     path.read_text()
    '{"id": "d7", "reason": "has no text"}\\n'
    """
    path = quarantine_of(out)
    lines = quarantine_lines(withheld)
    WorkFolder(path).recover_if_left()
    if path.is_file() and path.read_bytes() == lines:
        return path
    check_quarantine(out, force=force)
    if not lines:
        path.unlink(missing_ok=True)
        return None
    with whole_file(path, force=force) as beside:
        beside.write_bytes(lines)
    return path


def write_unread(folder: Path, unread: Sequence[Mapping[str, str]]) -> None:
    """Write the list of what could not be read into a folder; nothing where everything could."""
    if unread:
        (folder / UNREAD).write_bytes(quarantine_lines(unread))


def read_unread(folder: Path) -> tuple[dict[str, str], ...]:
    """Return what the list in a folder names; nothing where there is none."""
    path = folder / UNREAD
    if not path.is_file():
        return ()
    try:
        entries = [json.loads(line) for line in path.read_bytes().splitlines()]
        return tuple({"id": str(e["id"]), "reason": str(e["reason"])} for e in entries)
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"The list {UNREAD!r} is damaged.", hint="explore again.") from error


def quarantine_lines(withheld: Iterable[Mapping[str, str]]) -> bytes:
    """Return the content of the list: per record a line with its id and the reason."""
    return "".join(
        json.dumps({"id": entry["id"], "reason": entry["reason"]}, ensure_ascii=False) + "\n"
        for entry in withheld
    ).encode("utf-8", "backslashreplace")
