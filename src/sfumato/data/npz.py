"""NumPy archives whose bytes depend on the arrays alone: no dates, no system, no version of Python."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

__all__ = ["read_npz", "write_csr", "write_npz"]


def write_npz(to: Path | BinaryIO, arrays: Mapping[str, npt.ArrayLike], *, level: int = 6) -> None:
    """Write arrays as `numpy.savez_compressed` does, the same bytes wherever it runs.

    Parameters
    ----------
    to : Path or stream
        Where to write.
    arrays : mapping
        The arrays by name.
    level : int
        How hard to compress: 1 is three times as fast as 6.

    """
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.asanyarray(array), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system, entry.external_attr = 3, 0o600 << 16
            archive.writestr(entry, content.getbuffer(), compresslevel=level)


def read_npz(path: Path, names: Sequence[str]) -> list[npt.NDArray[Any]] | None:
    """Return the named arrays of an archive; None where it is missing, damaged or lacks one of them."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            return [arrays[name] for name in names]
    except Exception:  # a damaged archive fails in many ways, none of which tells more
        return None


def write_csr(path: Path, matrix: sp.csr_matrix) -> None:
    """Write a CSR matrix as `scipy.sparse.save_npz` does."""
    write_npz(
        path,
        {
            "indices": matrix.indices,
            "indptr": matrix.indptr,
            "format": np.array(b"csr"),
            "shape": np.array(matrix.shape),
            "data": matrix.data,
        },
    )
