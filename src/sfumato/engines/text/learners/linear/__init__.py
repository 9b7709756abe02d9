"""Linear classifiers on factored features: one form for all of them."""

from .calibration import calibrate, platt
from .columns import Columns, columns_of, training_tokens
from .model import LinearModel, model_of

__all__ = [
    "Columns",
    "LinearModel",
    "calibrate",
    "columns_of",
    "model_of",
    "platt",
    "training_tokens",
]
