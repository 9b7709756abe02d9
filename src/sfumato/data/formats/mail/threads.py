"""Keyed ids of messages and of the messages that they answer: threads are preserved, and no server or time is published."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from email.message import Message

from ....core.storage.private_key import private_key

__all__ = ["THREADS", "key_threads", "read_threads"]

THREADS = ("Message-ID", "In-Reply-To", "References")
"""The headers that hold ids."""
_ID = re.compile(r"<[^<>\s]{1,500}>")
_KEYED = re.compile(r"<[0-9a-f]{32}@thread\.invalid>")
_MOST = 200


def read_threads(message: Message, dropped: Counter[str]) -> dict[str, list[str]]:
    """Return the ids of a message by header; ids that are not keyed yet are counted as dropped."""
    found = {}
    for name in THREADS:
        ids = _ID.findall(str(message.get(name, "")))[:_MOST]
        if ids:
            found[name] = ids
            old = sum(not _KEYED.fullmatch(id) for id in ids)
            if old:
                dropped["id of a message"] += old
    return found


def key_threads(threads: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the headers with keyed ids; one that is keyed already stays."""
    if not threads:
        return {}
    mark = private_key().marker("id of a message")
    return {
        name: " ".join(
            id if _KEYED.fullmatch(id) else f"<{mark(id)[:32]}@thread.invalid>" for id in ids
        )
        for name, ids in threads.items()
    }
