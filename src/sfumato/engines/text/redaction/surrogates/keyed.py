"""One secret key, and choices that follow from it alone; nobody without the key can undo them."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from .....core.errors import InputError

__all__ = ["KEY_VARIABLE", "SecretKey", "read_key"]

KEY_VARIABLE = "SFUMATO_KEY"
_SHORTEST = 16
_Item = TypeVar("_Item")


class SecretKey:
    """A secret that is used and never shown.

    >>> SecretKey(b"0123456789abcdef")
    SecretKey(hidden)
    """

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        if len(key) < _SHORTEST:
            raise InputError(
                f"The secret key has {len(key)} bytes; at least {_SHORTEST} are needed.",
                hint="make one with `head -c 32 /dev/urandom | base64`.",
            )
        # BLAKE2 takes at most 64 bytes of key.
        self._key = key if len(key) <= 64 else hashlib.blake2b(key).digest()

    def __repr__(self) -> str:
        return "SecretKey(hidden)"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("A secret key is not written anywhere.")

    def number(self, *parts: str, below: int) -> int:
        """Return a number in [0, below) that depends on the key and the parts."""
        digest = hashlib.blake2b(digest_size=16, key=self._key)
        for part in parts:
            encoded = part.encode("utf-8", "surrogatepass")
            digest.update(len(encoded).to_bytes(8, "little") + encoded)
        return int.from_bytes(digest.digest(), "little") % below

    def choose(self, items: Sequence[_Item], *parts: str) -> _Item:
        """Choose one of the items."""
        return items[self.number(*parts, below=len(items))]


def read_key(path: str | os.PathLike[str] | None = None) -> SecretKey:
    """Read the key from a file that only its owner can read, or from SFUMATO_KEY.

    The key is never written, logged or shown; anyone who holds it and the release can undo the surrogates
    of names that are in the lists, so keep it apart from the release or throw it away.
    """
    if path is None:
        value = os.environ.get(KEY_VARIABLE)
        if value is None:
            raise InputError(
                "Surrogates need a secret key.",
                hint=f"name a key file (mode 600) or set the variable {KEY_VARIABLE}.",
            )
        return SecretKey(value.strip().encode())
    file = Path(path)
    try:
        mode = file.stat().st_mode
        content = file.read_bytes()
    except OSError as error:
        raise InputError(
            "The key file cannot be read.", hint="check its path and owner."
        ) from error
    if not stat.S_ISREG(mode) or mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InputError(
            "The key file can be read by others than its owner.", hint="run `chmod 600` on it."
        )
    return SecretKey(content.strip())
