"""NumPy archives whose bytes depend on the arrays alone: no dates, no system, no version of Python."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

__all__ = ["write_csr", "write_npz"]


def write_npz(path: Path, arrays: Mapping[str, npt.ArrayLike]) -> None:
    """Write arrays as `numpy.savez_compressed` does, the same bytes wherever it runs."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.asanyarray(array), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system, entry.external_attr = 3, 0o600 << 16
            archive.writestr(entry, content.getbuffer(), compresslevel=6)


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
