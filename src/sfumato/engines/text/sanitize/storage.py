"""The model directory: a JSON header and raw arrays, verified whole before anything is used.

    model.json    format, version, the header, dtype, shape and SHA-256 of each part, SHA-256 of itself
    arrays.bin    the parts one after the other, little-endian, nothing between them

Arrays with the same content are stored once. There is no pickle and no code in it; a changed byte
anywhere is a `ModelError`. The hashes guard against damage, not against someone who can write the
files and compute new ones: the loader then still checks every size before it allocates.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ....core.errors import DataError, ModelError
from ....core.files import canonical_json, whole_directory
from ..reading.arrays import Array, Header

__all__ = ["FORMAT_VERSION", "load_model", "save_model"]

FORMAT = "sfumato model"
FORMAT_VERSION = 1
HEADER_FILE, ARRAYS_FILE = "model.json", "arrays.bin"
_HEADER_LIMIT = 1 << 26
_DTYPES = frozenset(
    {"|b1", "|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", "<f2", "<f4", "<f8"}
)
_KEYS = frozenset({"format", "version", "header", "parts", "arrays", "sha256"})
_HINT = "explore again, or copy the directory again from where it was made."


def _own_hash(content: Mapping[str, object]) -> str:
    rest = {key: value for key, value in content.items() if key != "sha256"}
    return hashlib.sha256(canonical_json(rest).encode()).hexdigest()


def save_model(
    directory: str | os.PathLike[str],
    header: Mapping[str, object],
    arrays: Mapping[str, Array],
    *,
    force: bool = False,
) -> None:
    """Write a model directory, whole or not at all.

    Parameters
    ----------
    directory : path
        The folder of the model.
    header : mapping
        What is written as JSON.
    arrays : mapping from str to array
        What is written as raw bytes; equal arrays are stored once.
    force : bool, default False
        Whether an existing model may be replaced.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(folder + "/model", {"kind": "crf"}, {"weights": np.arange(3.0)})
    ...     load_model(folder + "/model")
    ({'kind': 'crf'}, {'weights': array([0., 1., 2.])})

    """
    parts: list[Header] = []
    places: dict[tuple[str, str, tuple[int, ...]], int] = {}
    names: dict[str, int] = {}
    with whole_directory(directory, force=force) as folder:
        with (folder / ARRAYS_FILE).open("wb") as stream:
            for name in sorted(arrays):
                given = np.asarray(arrays[name])
                array = np.ascontiguousarray(given, given.dtype.newbyteorder("<"))
                array = array.reshape(given.shape)
                if array.dtype.str not in _DTYPES:
                    raise DataError(f"The array {name!r} of a model has an unknown kind of number.")
                raw = array.tobytes()
                digest = hashlib.sha256(raw).hexdigest()
                key = (digest, array.dtype.str, array.shape)
                if key not in places:
                    places[key] = len(parts)
                    shape: list[int] = list(array.shape)
                    parts.append({"dtype": array.dtype.str, "shape": shape, "sha256": digest})
                    stream.write(raw)
                names[name] = places[key]
            stream.flush()
            os.fsync(stream.fileno())
        content: Header = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "header": dict(header),
            "parts": parts,
            "arrays": names,
        }
        content["sha256"] = _own_hash(content)
        text = canonical_json(content)
        if json.loads(text) != content:
            raise DataError("The header of a model must hold JSON values with text keys only.")
        (folder / HEADER_FILE).write_text(text, encoding="utf-8")


def load_model(directory: str | os.PathLike[str]) -> tuple[Header, dict[str, Array]]:
    """Read a model directory back, or say in one sentence why it cannot be trusted.

    Parameters
    ----------
    directory : path
        The folder of the model.

    """
    folder = Path(directory)
    content = _read_header(folder)
    try:
        sizes = [_size_of(part) for part in content["parts"]]
        names = content["arrays"]
        sound = all(
            type(place) is int and 0 <= place < len(sizes) for place in names.values()
        ) and isinstance(content["header"], dict)
    except (KeyError, TypeError, AttributeError, ValueError):
        sound = False
    if not sound:
        raise ModelError("The header of the model does not describe its arrays.", hint=_HINT)
    loaded: list[Array] = []
    try:
        with (folder / ARRAYS_FILE).open("rb") as stream:
            if os.fstat(stream.fileno()).st_size != sum(sizes):
                raise ModelError(
                    "The arrays of the model are longer or shorter than its header says.",
                    hint=_HINT,
                )
            loaded.extend(_read_part(stream, part) for part in content["parts"])
    except OSError:
        raise ModelError("The arrays of the model cannot be read.", hint=_HINT) from None
    return content["header"], {name: loaded[place] for name, place in names.items()}


def _read_header(folder: Path) -> Header:
    path = folder / HEADER_FILE
    try:
        if path.stat().st_size > _HEADER_LIMIT:
            raise ModelError("The header of the model is too long.", hint=_HINT)
        raw = path.read_bytes()
    except OSError:
        raise ModelError(
            f"The folder {folder.name!r} holds no readable model.",
            hint="give the folder that `sfumato text explore` wrote.",
        ) from None
    try:
        content = json.loads(raw.decode())
        # One content has one form: a byte that changes nothing for JSON is noticed as well.
        exact = isinstance(content, dict) and canonical_json(content).encode() == raw
    except (ValueError, RecursionError, DataError):
        content, exact = None, False
    if (
        not isinstance(content, dict)
        or content.get("format") != FORMAT
        or type(content.get("version")) is not int
    ):
        raise ModelError("The header of the model is damaged.", hint=_HINT)
    if content["version"] != FORMAT_VERSION:
        raise ModelError(
            f"The model is of format {content['version']}; this version reads {FORMAT_VERSION}.",
            hint="explore again with this version.",
        )
    if not exact or content.keys() != _KEYS or content["sha256"] != _own_hash(content):
        raise ModelError("The header of the model is damaged.", hint=_HINT)
    return content


def _size_of(part: Header) -> int:
    """Return the number of bytes of a part; raise ValueError where the description is wrong."""
    shape: list[int] = part["shape"]
    size = 1
    for length in shape:
        if type(length) is not int or not 0 <= length < 1 << 48:
            raise ValueError
        size *= length
    if part["dtype"] not in _DTYPES or type(shape) is not list or len(shape) > 8:
        raise ValueError
    return size * int(np.dtype(part["dtype"]).itemsize)


def _read_part(stream: io.BufferedReader, part: Header) -> Array:
    array = np.empty(tuple(part["shape"]), np.dtype(part["dtype"]))
    view = array.reshape(-1).view(np.uint8)
    if stream.readinto(memoryview(view)) != view.size:  # type: ignore[arg-type]
        raise ModelError("The arrays of the model end too early.", hint=_HINT)
    if hashlib.sha256(view.data).hexdigest() != part["sha256"] or (
        array.dtype == np.bool_ and bool((view > 1).any())
    ):
        raise ModelError("The arrays of the model are damaged.", hint=_HINT)
    return array.astype(array.dtype.newbyteorder("="), copy=False)
