"""Learners and stored models by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ....core.errors import ModelError, ParameterError, did_you_mean
from ..reading.arrays import Arrays
from .protocol import Learner, Model

__all__ = ["LEARNERS", "learner_named", "model_from_arrays"]

# name → (module, class); loaded when asked for, so that one learner does not pay for the others.
LEARNERS = {
    "crf": ("crf", "CRF"),
    "svm": ("svm", "SVM"),
    "adaboost": ("adaboost", "AdaBoost"),
    "ensemble": ("ensemble", "Ensemble"),
    "selection": ("selection", "Selection"),
}
_MODELS = {
    "crf": ("crf", "CRFModel"),
    "svm": ("linear", "LinearModel"),
    "adaboost": ("linear", "LinearModel"),
    "ensemble": ("ensemble", "EnsembleModel"),
    "scikit-linear": ("sklearn_adapter", "ScikitModel"),
}


def learner_named(name: str) -> Learner:
    """Give a learner with its defaults.

    >>> learner_named("crf").name
    'crf'
    """
    if name not in LEARNERS:
        raise ParameterError(
            f"There is no learner {name!r}.", hint=did_you_mean(name, sorted(LEARNERS))
        )
    module, cls = LEARNERS[name]
    learner: Learner = getattr(import_module(f".{module}", __package__), cls)()
    return learner


def model_from_arrays(header: dict[str, Any], arrays: Arrays) -> Model:
    """Rebuild a stored model of any kind."""
    kind = header.get("kind")
    if kind not in _MODELS:
        raise ModelError("The model directory holds a model of an unknown kind.")
    module, cls = _MODELS[kind]
    model: Model = getattr(import_module(f".{module}", __package__), cls).from_arrays(
        header, arrays
    )
    return model
