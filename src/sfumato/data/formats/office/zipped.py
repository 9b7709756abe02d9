"""Zip files: read in bounded memory whatever they claim, written with the same bytes each time."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable

from ....core.errors import LimitError
from ...limits import Limits
from ..files import RefusedFileError

__all__ = ["ZipParts", "write_zip"]

_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_MOST_ENTRIES = 20_000
_BROKEN = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError,
    OSError, ValueError, KeyError, IndexError, OverflowError,
)  # fmt: skip


class ZipParts:
    """The parts of a zip file by name; each is unpacked when it is asked for.

    Parameters
    ----------
    content : bytes
        The file.
    limits : Limits
        How far it may grow: all parts together stay below `record_bytes`.

    """

    def __init__(self, content: bytes, limits: Limits) -> None:
        if content.startswith(_OLD_OFFICE):
            raise RefusedFileError(
                "is encrypted, or of an older Office format",
                "save it without a password, in the format of its name.",
            )
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            entries = self._zip.infolist()
        except _BROKEN:
            raise RefusedFileError("is damaged or no Office file") from None
        if len(entries) > _MOST_ENTRIES:
            raise RefusedFileError("has too many parts")
        if len({entry.filename.lower() for entry in entries}) < len(entries):
            raise RefusedFileError("has two parts of one name")
        if any(entry.flag_bits & 1 for entry in entries):
            raise RefusedFileError("is encrypted", "save it without a password.")
        if any(entry.compress_type not in (0, 8) for entry in entries):
            raise RefusedFileError("is compressed in a way that Office does not use")
        unpacked = sum(entry.file_size for entry in entries)
        grows = max((e.file_size / max(e.compress_size, 1) for e in entries if e.file_size > 1 << 22), default=0)  # fmt: skip
        if unpacked > limits.record_bytes or grows > limits.expansion:
            name = "record_bytes" if unpacked > limits.record_bytes else "expansion"
            raise RefusedFileError("grows too far when it is unpacked", limits.hint(name), LimitError)  # fmt: skip
        self.names = [entry.filename for entry in entries if not entry.is_dir()]
        self._known = set(self.names)
        self.has_comment = bool(self._zip.comment) or any(e.comment for e in entries)

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def read(self, name: str) -> bytes:
        """Return the bytes of a part."""
        try:
            return self._zip.read(name)
        except _BROKEN:
            raise RefusedFileError("is damaged: a part of it does not unpack") from None


def write_zip(parts: Iterable[tuple[str, bytes]], *, stored: str | None = None) -> bytes:
    """Return a zip file with the given parts, in their order, without times, comments or extra fields.

    Parameters
    ----------
    parts : iterable of (str, bytes)
        The names and contents.
    stored : str, optional
        The part that is not compressed.

    """
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        for name, content in parts:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_STORED if name == stored else zipfile.ZIP_DEFLATED
            entry.create_system = 3
            packed.writestr(entry, content)
    return made.getvalue()
