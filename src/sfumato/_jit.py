"""numba's decorator for the kernels, with two changes to numba: how it starts, and how it fails.

Before its first kernel numba asks whether scipy has a BLAS, by importing a tenth of a second of scipy. scipy is
always installed here, and no kernel multiplies matrices: the answer is known. A kernel that does, in another
package, finds its BLAS as before, since numba asks again when it compiles such a call.

A compiled kernel that cannot be read back ends in an error: an older version wrote it with a class that no longer exists,
or the machine went down while it was written. Here it counts as missing, and is compiled again.
"""

from __future__ import annotations

from importlib import import_module

from numba import njit, types
from numba.core import caching
from numba.np import linalg

__all__ = ["njit", "types"]


class _ForgivingFile(caching.IndexDataCacheFile):  # type: ignore[misc]
    """The files of one kernel; whatever is wrong with them, the kernel is not there."""

    def _load_index(self) -> dict[object, str]:
        try:
            found: dict[object, str] = super()._load_index()
        except Exception:
            return {}
        return found

    def _load_data(self, name: str) -> object:
        try:
            return super()._load_data(name)
        except Exception as error:
            raise OSError("This compiled kernel cannot be read.") from error


caching.IndexDataCacheFile = _ForgivingFile

_ensure = linalg.ensure_blas
linalg.ensure_blas = lambda: None
try:
    import_module("numba.np.arraymath")
finally:
    linalg.ensure_blas = _ensure
