"""numba's decorator for the kernels, without the import of `scipy.linalg` that numba starts with.

Before its first kernel numba asks whether scipy has a BLAS, by importing a tenth of a second of scipy. scipy is
always installed here, and no kernel multiplies matrices: the answer is known. A kernel that does, in another
package, finds its BLAS as before, since numba asks again when it compiles such a call.
"""

from __future__ import annotations

from importlib import import_module

from numba import njit, types
from numba.np import linalg

__all__ = ["njit", "types"]

_ensure = linalg.ensure_blas
linalg.ensure_blas = lambda: None
try:
    import_module("numba.np.arraymath")
finally:
    linalg.ensure_blas = _ensure
