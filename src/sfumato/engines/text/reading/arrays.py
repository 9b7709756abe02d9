"""The array types that the rooms of the engine share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Arrays", "Header", "Mask", "Scores"]

Array = npt.NDArray[Any]
Header = dict[str, Any]  # the JSON part of a stored model
Arrays = Mapping[str, Array]  # what a model is stored as
Mask = npt.NDArray[np.bool_]  # over tokens or over documents
Scores = npt.NDArray[np.float64]  # log-odds, one per token
