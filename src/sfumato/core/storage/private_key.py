"""The steward's private key: a release identifies its inputs by a keyed mark, never by a plain hash.

A plain hash of an input, next to a release with holes in it, lets anyone check guesses of what was in
the holes. A mark (HMAC-SHA256) tells the steward's own tools that two releases come from the same
input, and tells nobody else anything.
"""

from __future__ import annotations

import errno
import hashlib
import hmac
import os
import secrets
import stat
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from ..errors import InputError, PrivacyWarning

__all__ = ["PRIVATE_KEY_VARIABLE", "PrivateKey", "key_file", "private_key"]

PRIVATE_KEY_VARIABLE = "SFUMATO_PRIVATE_KEY"
_SIZE = 32


class PrivateKey:
    """A random key that is used and never shown or serialised.

    Parameters
    ----------
    key : bytes
        At least 32 bytes.

    Examples
    --------
    >>> key = PrivateKey(bytes(32))
    >>> key, key.mark("input", "9f…") == key.mark("input", "9f…")
    (PrivateKey(hidden), True)
    >>> key.mark("input", "9f…") == PrivateKey(bytes(31) + b"!").mark("input", "9f…")
    False

    """

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        if len(key) < _SIZE:
            raise InputError(
                f"The private key has {len(key)} bytes; at least {_SIZE} are needed.",
                hint="remove the file; a new key is made automatically.",
            )
        self._key = key

    def __repr__(self) -> str:
        return "PrivateKey(hidden)"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("A private key is not written anywhere.")

    def mark(self, *parts: str) -> str:
        """Return the HMAC-SHA256 of some texts, in hexadecimal."""
        digest = hmac.new(self._key, digestmod=hashlib.sha256)
        for part in parts:
            digest.update(_with_length(part))
        return digest.hexdigest()

    def marker(self, *parts: str) -> Callable[[str], str]:
        """Return a function that gives `mark(*parts, text)` for many texts, in less time."""
        keyed = hmac.new(self._key, digestmod=hashlib.sha256)
        for part in parts:
            keyed.update(_with_length(part))

        def mark(text: str) -> str:
            digest = keyed.copy()
            digest.update(_with_length(text))
            return digest.hexdigest()

        return mark

    def seed(self, *parts: str) -> int:
        """Return a 63-bit seed that depends on the key and the parts, and tells nothing of either."""
        return int(self.mark("seed", *parts)[:16], 16) >> 1


def _with_length(part: str) -> bytes:
    encoded = part.encode("utf-8", "surrogatepass")
    return len(encoded).to_bytes(8, "little") + encoded


def key_file() -> Path | None:
    """Return where the key is: the file that SFUMATO_PRIVATE_KEY names, or one in the user's data folder."""
    named = os.environ.get(PRIVATE_KEY_VARIABLE)
    if named:
        return Path(named)
    data = os.environ.get("XDG_DATA_HOME")
    if data and os.path.isabs(data):
        return Path(data) / "sfumato" / "private.key"
    try:
        return Path.home() / ".local" / "share" / "sfumato" / "private.key"
    except RuntimeError:  # there is no home
        return None


def private_key() -> PrivateKey:
    """Return the steward's key; it is drawn at random the first time.

    Where there is no place to keep it, a key for this process alone is drawn, with a warning.
    """
    path = key_file()
    if path is not None:
        try:
            with suppress(FileNotFoundError):
                return _read(path)
            _draw(path)
            return _read(path)
        except OSError as error:
            is_no_place = error.errno in {errno.ENOTDIR, errno.EACCES, errno.EROFS, errno.ENOENT}
            if os.environ.get(PRIVATE_KEY_VARIABLE) or not is_no_place:
                raise
    return _passing_key()


@lru_cache(maxsize=1)
def _passing_key() -> PrivateKey:
    warnings.warn(
        "The private key cannot be kept: releases of the same input are not recognised later, and the "
        f"same command gives other bytes. Hint: name a file by {PRIVATE_KEY_VARIABLE}.",
        PrivacyWarning,
        stacklevel=3,
    )
    return PrivateKey(secrets.token_bytes(_SIZE))


def _read(path: Path) -> PrivateKey:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(descriptor, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise InputError(
                "The private key can be read by others than its owner.",
                hint=f"run `chmod 600` on {path.name!r}.",
            )
        content = stream.read(1 << 12).strip()
    try:
        return PrivateKey(bytes.fromhex(content.decode("ascii")))
    except ValueError:
        raise InputError(
            f"The file {path.name!r} does not hold a private key.",
            hint="remove it; a new key is made automatically.",
        ) from None


def _draw(path: Path) -> None:
    """Write a new key, whole; of two processes that do so at once, one wins and both read its key."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with open(descriptor, "w", encoding="ascii") as stream:
            stream.write(secrets.token_hex(_SIZE) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        with suppress(FileExistsError):
            os.link(beside, path, follow_symlinks=False)
    finally:
        os.unlink(beside)
