"""Files that sfumato does not read as documents: what they are, and how to convert them."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path

from ..core.errors import FormatError, InputError
from ..core.files import check_plain_file
from .formats.registry import format_of_name

__all__ = ["check_foreign", "check_path"]

_HEAD = 1 << 16
_LONGEST_NAME = 255
# Formats of other programs that no package here reads.
_OFFICE = {
    ".doc": "a Word document",
    ".rtf": "a rich text",
    ".xls": "an Excel workbook",
    ".ods": "an OpenDocument spreadsheet",
}
_SHEETS = {".xls", ".ods"}


def check_path(path: Path) -> None:
    """Refuse a path that does not exist or is a pipe; a text that was given in its place is not repeated."""
    if _exists(path):
        check_plain_file(path)
        return
    name = path.name
    in_folder = path.parent != Path() and _exists(path.parent)
    spaced = any(c.isspace() for c in (name if in_folder else str(path)))
    # A name with a space in it must be that of a known format to be taken for a file.
    if len(name) > _LONGEST_NAME or (spaced and format_of_name(path) is None):
        raise InputError(
            "There is no such file or folder; perhaps a text was given instead of a path.",
            hint="give a path, a frame or a list of Document(id, text).",
        )
    raise InputError(f"There is no file or folder {name!r}.", hint="check the path.")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that is too long, or holds a null
        return False


def check_foreign(path: Path) -> None:
    """Refuse a file that another program wrote, and say what it is."""
    suffix = path.suffix.lower()
    if suffix in _OFFICE and format_of_name(path) is None:
        way = (
            "save it as CSV, one row per document."
            if suffix in _SHEETS
            else "convert it to plain text first, one .txt file per document in a folder."
        )
        raise FormatError(f"The file {path.name!r} is {_OFFICE[suffix]}.", hint=way)
    if path.name.removesuffix(".gz").lower().endswith((".json", ".jsonl", ".ndjson")):
        _check_json(path)


def _check_json(path: Path) -> None:
    head = _head(path).lstrip("\ufeff \t\r\n")
    if _is_array(head):
        exported = '"annotations"' in head and '"result"' in head
        what = "an export of Label Studio" if exported else "a JSON array"
        way = (
            "give --format labelstudio (format=)."
            if exported
            else "write one object per line, for example by `jq -c '.[]'`."
        )
        raise FormatError(f"The file {path.name!r} is {what}.", hint=way)
    try:
        first = json.loads(head.splitlines()[0]) if head else None
    except (ValueError, RecursionError):
        return
    if not isinstance(first, dict) or "text" not in first:
        return
    if "_input_hash" in first or "_task_hash" in first or "_is_binary" in first:
        raise FormatError(
            f"The file {path.name!r} is an export of Prodigy.",
            hint="give --format prodigy (format=).",
        )
    marks = first.get("label", first.get("labels", first.get("entities")))
    if "spans" not in first and _is_doccano(marks):
        raise FormatError(
            f"The file {path.name!r} is an export of doccano.",
            hint="give --format doccano (format=).",
        )


def _is_array(head: str) -> bool:
    """Return whether a text begins as an array of objects; a lone bracket before lines of objects is damage."""
    rest = head[1:].lstrip()
    if not head.startswith("[") or not rest.startswith("{"):
        return False
    try:
        _, end = json.JSONDecoder().raw_decode(rest)
    except (ValueError, RecursionError):  # the first object is longer than what was read
        return len(head) >= _HEAD // 2
    return rest[end:].lstrip()[:1] in {",", "]"}


def _is_doccano(marks: object) -> bool:
    if not isinstance(marks, list) or not marks:
        return False
    one = marks[0]
    if isinstance(one, list):
        return len(one) == 3 and isinstance(one[2], str)
    return isinstance(one, dict) and "start_offset" in one


def _head(path: Path) -> str:
    """Return the beginning of a file; nothing where it cannot be read, which is reported elsewhere."""
    opened = gzip.open if path.name.endswith(".gz") else open
    try:
        with opened(path, "rb") as stream:
            return stream.read(_HEAD).decode("utf-8", "ignore")
    except (OSError, EOFError, zlib.error):
        return ""
