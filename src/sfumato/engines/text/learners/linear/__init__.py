"""Linear classifiers on factored features: one form for all of them."""

from .columns import Columns, columns_of, training_tokens
from .model import LinearModel, calibrate, every_document, model_of, platt

__all__ = [
    "Columns",
    "LinearModel",
    "calibrate",
    "columns_of",
    "every_document",
    "model_of",
    "platt",
    "training_tokens",
]
