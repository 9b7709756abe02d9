"""The places of bands in published notes: `OUT.private/mentions.jsonl`, for redacting the notes afterwards.

One line per note that was changed or is to be looked at: the column and the number of its row, the hash of the note
as it was published, the bands in it as [start, end, kind, the words before], spans that a guard held back, and how often it contradicts
its row. A note is known again by its text alone, since rows are shuffled.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import FormatError
from .private_folder import private_folders_near, write_private

__all__ = ["MENTIONS_FILE", "PlacedBands", "text_hash", "write_mentions"]

MENTIONS_FILE = "mentions.jsonl"
PEOPLE_FILE = "notes_people.jsonl"


def text_hash(text: str) -> str:
    """Return what a note is known by."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def write_mentions(
    out: str | os.PathLike[str],
    lines: Iterable[Mapping[str, object]],
    people: Iterable[Mapping[str, object]] = (),
) -> Path:
    """Write the list into the private folder of a release, whole; and, where it was measured, who fits each note."""
    counted = "".join(json.dumps(dict(line)) + "\n" for line in people)
    if counted:
        write_private(out, PEOPLE_FILE, counted.encode())
    content = "".join(json.dumps(dict(line), ensure_ascii=False) + "\n" for line in lines)
    return write_private(out, MENTIONS_FILE, content.encode())


@dataclass(frozen=True)
class PlacedBands:
    """The bands in notes as (start, end, the words before), by the hash of the note."""

    spans: Mapping[str, Sequence[tuple[int, int, str]]]

    @classmethod
    def beside(cls, paths: Iterable[Path]) -> PlacedBands | None:
        """Return the bands in published files, if the private folder of their release exists."""
        found: dict[str, Sequence[tuple[int, int, str]]] = {}
        for path in paths:
            for folder in (*private_folders_near(path), path.absolute().parent / "private"):
                if (folder / MENTIONS_FILE).is_file():
                    found |= _read(folder / MENTIONS_FILE)
                    break
        return cls(found) if found else None

    def mark(self) -> str:
        """Return what changes when the bands do."""
        return text_hash("".join(sorted(self.spans)))

    def of(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of a text that are bands."""
        return [(start, end) for start, end, _ in self.spans.get(text_hash(text), ())]

    def without(self, text: str) -> str:
        """Return a text as it was before bands were put into it.

        The training documents are notes as people write them, and are compared with notes in the same form.
        """
        pieces, at = [], 0
        for start, end, was in self.spans.get(text_hash(text), ()):
            pieces += [text[at:start], was]
            at = end
        return "".join([*pieces, text[at:]])


def _read(file: Path) -> dict[str, Sequence[tuple[int, int, str]]]:
    found: dict[str, Sequence[tuple[int, int, str]]] = {}
    try:
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                entry = json.loads(line)
                if entry["bands"]:
                    found[str(entry["text_sha256"])] = [
                        (int(a), int(b), str(was)) for a, b, _, was in entry["bands"]
                    ]
    except (ValueError, KeyError, TypeError):
        raise FormatError(
            f"The file {file.name!r} does not hold the bands of notes.",
            hint="publish the table again.",
        ) from None
    return found
