"""The registries of learners and of stored models; listing their names loads nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....core.errors import ModelError
from ....core.registry import Registry

if TYPE_CHECKING:
    from ..reading.arrays import Arrays, Header
    from .pretrained import PretrainedEncoder
    from .protocol import Learner, Model

__all__ = ["ENCODERS", "LEARNERS", "MODELS", "encoders", "find_learner", "model_from_arrays"]

_HERE = __package__
_ENGINE = _HERE.rpartition(".")[0]

LEARNERS: Registry[type[Learner]] = Registry(
    "learner",
    {
        "crf": f"{_HERE}.crf:CRF",
        "svm": f"{_HERE}.svm:SVM",
        "adaboost": f"{_HERE}.adaboost:AdaBoost",
        "ensemble": f"{_HERE}.ensemble:Ensemble",
        "selection": f"{_HERE}.selection:Selection",
    },
    group="sfumato.learners",
    of=f"{_HERE}.protocol:Learner",
    classes=True,
)
"""Learners by name; every argument of a constructor has a default."""

ENCODERS: Registry[type[PretrainedEncoder]] = Registry(
    "encoder",
    {"bert": f"{_HERE}.encoder.learner:Encoder"},
    group="sfumato.encoders",
    of=f"{_HERE}.pretrained:PretrainedEncoder",
    classes=True,
)
"""Learners with pretrained weights; `--encoder` asks "bert"."""

MODELS: Registry[type[Model]] = Registry(
    "model",
    {
        "crf": f"{_HERE}.crf:CRFModel",
        "svm": f"{_HERE}.linear.model:LinearModel",
        "adaboost": f"{_HERE}.linear.model:LinearModel",
        "ensemble": f"{_HERE}.ensemble:EnsembleModel",
        "encoder": f"{_HERE}.encoder.model:EncoderModel",
        "detector": f"{_HERE}.encoder.detector_model:DetectorModel",
        "scikit-linear": f"{_HERE}.sklearn_adapter:ScikitModel",
        "repeats": f"{_HERE}.repeats:RepeatsModel",
        "starter": f"{_ENGINE}.starter.adapted:AdaptedStarter",
    },
    group="sfumato.models",
    of=f"{_HERE}.protocol:Model",
    classes=True,
)
"""Stored models by their `kind`."""


def encoders() -> type[PretrainedEncoder]:
    """Return the class of the encoders that a request names by a word or a folder."""
    return ENCODERS["bert"]


def find_learner(name: str) -> Learner:
    """Return a learner with its defaults.

    Parameters
    ----------
    name : str
        One of `LEARNERS`.

    >>> find_learner("crf").name
    'crf'

    """
    return LEARNERS.get_or_raise(name)()


def model_from_arrays(header: Header, arrays: Arrays) -> Model:
    """Rebuild a stored model of any kind.

    Parameters
    ----------
    header : dict
        What `Model.to_arrays` returned first; its "kind" names the model.
    arrays : mapping from str to array
        What `Model.to_arrays` returned second.

    """
    kind = header.get("kind")
    if not isinstance(kind, str) or kind not in MODELS:
        raise ModelError("The model directory holds a model of an unknown kind.")
    return MODELS[kind].from_arrays(header, arrays)
