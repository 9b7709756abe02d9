"""Files that are attached to a message: each is opened, edited and written by its own format."""

from __future__ import annotations

import mimetypes
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.message import Message

from ....core.errors import InputError
from ...document import Edit
from ..files import FileFormat, OpenedFile, RefusedFileError
from ..protocol import FieldNames

__all__ = ["KNOWN", "Attachment", "format_of_attachment", "format_of_type", "open_attachment"]

KNOWN = {
    ".docx": "docx", ".xlsx": "xlsx", ".pptx": "pptx", ".odt": "odt", ".pdf": "pdf", ".html": "html", ".htm": "html",
    ".rtf": "rtf", ".txt": "plain",
}  # fmt: skip
"""Formats of attached files, by the ending of their names."""
_TYPES = {
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".odt": "application/vnd.oasis.opendocument.text", ".pdf": "application/pdf", ".html": "text/html",
    ".htm": "text/html", ".rtf": "application/rtf", ".txt": "text/plain",
}  # fmt: skip


@dataclass
class Attachment:
    """A file that was opened, with the ending of its name, which is all that is kept of it."""

    suffix: str
    opened: OpenedFile

    @property
    def type(self) -> str:
        """The type that a message gives such a file."""
        return _TYPES[self.suffix]

    def save(self, edits: Mapping[str, Sequence[Edit]]) -> bytes:
        """Return the file with the edits of each of its places."""
        return self.opened.save(edits)


def _suffix(name: str, kind: str) -> str:
    """Return the known ending of a file, by its name or its type; "" for one of another kind."""
    found = next((suffix for suffix in KNOWN if name.lower().endswith(suffix)), "")
    if found or name:
        return found
    guessed = mimetypes.guess_extension(kind) or next(
        (s for s, t in _TYPES.items() if t == kind), ""
    )
    return guessed if guessed in KNOWN else ""


def format_of_attachment(suffix: str, names: FieldNames | None = None) -> FileFormat:
    """Return the format of a file with a known ending."""
    from ..registry import FORMATS

    form = FORMATS[KNOWN[suffix]](names)
    assert isinstance(form, FileFormat)
    form.reads_scans = False  # nobody sees the pages of an attached file before it is published
    return form


def format_of_type(kind: str, names: FieldNames | None = None) -> FileFormat | None:
    """Return the format of a file of a type such as application/pdf; None for one of another kind."""
    suffix = next((suffix for suffix, own in _TYPES.items() if own == kind), "")
    return format_of_attachment(suffix, names) if suffix else None


def open_attachment(part: Message, names: FieldNames, dropped: Counter[str]) -> Attachment | None:
    """Open a file that is attached; one that cannot be handled is counted as dropped.

    Parameters
    ----------
    part : Message
        The part of the message that holds it.
    names : FieldNames
        With the limits of what is read.
    dropped : Counter
        Where is counted what of it will not be in a release.

    """
    suffix = _suffix(part.get_filename() or "", part.get_content_type())
    content = part.get_payload(decode=True)
    if not suffix or not isinstance(content, bytes):
        dropped["attachment"] += 1
        return None
    form = format_of_attachment(suffix, names)
    try:
        opened = form.open(content)
    except (RefusedFileError, InputError):
        dropped["attachment that cannot be read"] += 1
        return None
    if not form.is_clean(content, opened):
        dropped.update(opened.found.dropped)
        dropped["part of an attachment"] += 1
    return Attachment(suffix, opened)
