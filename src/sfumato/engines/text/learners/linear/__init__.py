"""Linear classifiers on factored features: one form for all of them."""

from .calibration import calibrated, platt
from .columns import Columns, columns_of, training_tokens
from .model import LinearModel, model_of

__all__ = [
    "Columns",
    "LinearModel",
    "calibrated",
    "columns_of",
    "model_of",
    "platt",
    "training_tokens",
]
