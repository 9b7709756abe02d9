"""Reads a written message by the newer interface of the standard library, which shares nothing with the writer's."""

from __future__ import annotations

from collections.abc import Iterable
from email import message_from_bytes, policy

__all__ = ["search_message"]


def search_message(content: bytes, removed: Iterable[str]) -> int:
    """Count the removed strings in the bytes of a message, in all its headers and in the texts of its parts."""
    message = message_from_bytes(content, policy=policy.default)
    said = [content.decode("latin-1"), content.decode("utf-8", "replace")]
    for part in message.walk():
        said += [str(value) for value in part.values()]
        raw = part.get_payload(decode=True)
        if isinstance(raw, bytes):
            said += [raw.decode("utf-8", "replace"), raw.decode("latin-1")]
    written = ["".join(text.split()) for text in said]
    return sum(1 for text in removed if any(text in one for one in written))
