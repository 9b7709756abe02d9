"""Reads a written message by the newer interface of the standard library, which shares nothing with the writer's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from email import message_from_bytes, policy
from email.message import Message

__all__ = ["search_message"]

_FORM = re.compile(  # what every written message has, keyed ids, and full lines of base64, which are looked at unpacked
    r"<[0-9a-f]{32}@thread\.invalid>|^[A-Za-z0-9+/]{76}\n|"
    r"^(?:(?:From|To|Cc|Date|Subject|Message-ID|In-Reply-To|References): |MIME-Version: 1\.0\n|Content-Type: text/plain; charset=\"?utf-8\"?\n|"
    r"Content-Transfer-Encoding: (?:7bit|base64)\n|Content-Type: multipart/mixed; boundary=\"?=_sfumato\"?\n|"
    r"Content-Disposition: attachment; filename=\"?attachment-\d+\.[a-z]+\"?\n)",
    re.MULTILINE,
)


def search_message(content: bytes, removed: Iterable[str]) -> int:
    """Count the removed strings in the bytes of a message, in all its headers and in the texts of its parts.

    Headers that the standard library cannot read count as one string left: nobody knows what they say.
    """
    removed = list(removed)
    message = message_from_bytes(content, policy=policy.default)
    said = [_FORM.sub("", content.decode(code, "replace")) for code in ("latin-1", "utf-8")]
    for part in message.walk():
        try:
            said += [_FORM.sub("", f"{name}: {value}\n") for name, value in part.items()]
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
