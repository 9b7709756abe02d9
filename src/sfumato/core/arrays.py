"""Names for the array types of most loops."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Counts", "Floats"]

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
