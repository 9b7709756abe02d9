"""Colour profiles, which contain texts by their makers: descriptions, notices, names of devices."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from pikepdf import PdfError, Stream

__all__ = ["clean_profile", "without_texts"]

_KEYS = {"/N", "/Alternate", "/Range", "/Length", "/Filter", "/DecodeParms"}
_HEADER, _ENTRY = 132, 12
_TEXTS = {b"text", b"desc", b"mluc", b"dict", b"ZXML", b"utf8", b"utf7", b"data", b"pseq", b"psid"}
_NAMED = {b"cprt", b"desc", b"dmnd", b"dmdd", b"vued", b"targ", b"meta", b"scrd"}
_FIRST = 8  # bytes of a tag that say its kind


def clean_profile(stream: Stream) -> None:
    """Overwrite the texts of a stream that is a colour profile; what is none holds nothing afterwards."""
    try:
        profile = bytes(stream.read_bytes())
    except PdfError:
        profile = b""
    stream.write(without_texts(profile) or b"")
    for key in [k for k in stream.keys() if k not in _KEYS]:  # noqa: SIM118 (its iterator gives objects)
        del stream[key]


def without_texts(profile: bytes) -> bytes | None:
    """Return a colour profile in which no text is left; None for what is no profile.

    Its colours stay as they are: texts are overwritten, nothing moves.
    """
    if len(profile) < _HEADER or profile[36:40] != b"acsp":
        return None
    kept = bytearray(profile)
    for first, last in ((4, 8), (48, 56), (80, 100)):  # makers, models and the sum of all bytes
        kept[first:last] = bytes(last - first)
    inside = list(_tags(profile))
    for name, start, end in inside:
        kind = profile[start : start + 4]
        if kind in _TEXTS or name in _NAMED:
            kept[start:end] = _blank(kind, end - start)
    listed = max((end for _, _, end in inside), default=_HEADER)
    return bytes(kept[:listed])


def _tags(profile: bytes) -> Iterator[tuple[bytes, int, int]]:
    (count,) = struct.unpack_from(">I", profile, _HEADER - 4)
    for number in range(min(count, 200)):
        at = _HEADER + number * _ENTRY
        if at + _ENTRY > len(profile):
            return
        name, start, size = struct.unpack_from(">4sII", profile, at)
        if start >= _HEADER and size >= _FIRST and start + size <= len(profile):
            yield name, start, start + size


def _blank(kind: bytes, size: int) -> bytes:
    """Return a tag of the same kind and size that says nothing."""
    if kind == b"desc" and size >= 13:
        return (b"desc\0\0\0\0" + struct.pack(">I", 1)).ljust(size, b"\0")
    if kind == b"mluc" and size >= 16:
        return (b"mluc\0\0\0\0" + struct.pack(">II", 0, 12)).ljust(size, b"\0")
    return (kind + b"\0\0\0\0").ljust(size, b"\0")
