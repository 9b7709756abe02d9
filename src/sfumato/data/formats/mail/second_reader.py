"""Reads a written message by the newer interface of the standard library, which shares nothing with the writer's."""

from __future__ import annotations

from collections.abc import Iterable
from email import message_from_bytes, policy
from email.message import Message

__all__ = ["search_message"]


def search_message(content: bytes, removed: Iterable[str]) -> int:
    """Count the removed strings in the bytes of a message, in all its headers and in the texts of its parts.

    Headers that the standard library cannot read count as one string left: nobody knows what they say.
    """
    removed = list(removed)
    message = message_from_bytes(content, policy=policy.default)
    said = [content.decode("latin-1"), content.decode("utf-8", "replace")]
    for part in message.walk():
        try:
            said += [str(value) for value in part.values()]
        except Exception:  # its parser of malformed headers raises whatever it meets
            return 1
        raw = part.get_payload(decode=True)
        if isinstance(raw, bytes):
            said += [raw.decode("utf-8", "replace"), raw.decode("latin-1")]
    files = sum(_search_file(part, removed) for part in message.walk())
    written = ["".join(text.split()) for text in said]
    return files + sum(1 for text in removed if any(text in one for one in written))


def _search_file(part: Message, removed: Iterable[str]) -> int:
    """Count the removed strings in an attached file, by the second reader of its own format."""
    from .attachments import KNOWN, format_of_attachment

    suffix = "." + (part.get_filename() or "").rpartition(".")[2]
    content = part.get_payload(decode=True)
    if suffix not in KNOWN or not isinstance(content, bytes):
        return 0
    try:
        return format_of_attachment(suffix).search(content, removed)
    except Exception:  # whatever it meets, the file is not as it should be
        return 1
