"""The registry of learners: what the options, the help and the stored models know by name."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ....core.errors import ModelError, ParameterError, did_you_mean
from ..reading.arrays import Arrays
from .protocol import Learner, Model

__all__ = ["LEARNERS", "Entry", "learner_named", "model_from_arrays"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a learner and its model are defined; loaded when asked for, so that none pays for another.

    Parameters
    ----------
    module : str
        The module, beside this one.
    learner : str
        The class of the learner; its arguments all have defaults.
    model : str or None
        The class of its models; None where they are another learner's.
    help : str
        One line for `--help` and the reference.

    """

    module: str
    learner: str
    model: str | None
    help: str

    def load(self, name: str) -> Any:
        return getattr(import_module(f".{self.module}", __package__), name)


LEARNERS: dict[str, Entry] = {
    "crf": Entry("crf", "CRF", "CRFModel", "linear-chain conditional random field"),
    "svm": Entry("svm", "SVM", "LinearModel", "linear support vector machine"),
    "adaboost": Entry("adaboost", "AdaBoost", "LinearModel", "boosted one-sided stumps"),
    "ensemble": Entry(
        "ensemble", "Ensemble", "EnsembleModel", "a CRF whose positives an SVM filters"
    ),
    "selection": Entry("selection", "Selection", None, "the most accurate of these, out of fold"),
}

# Models of learners that need an argument, and so have no place among the choices of an option.
_MORE_MODELS = {
    "encoder": Entry("encoder.learner", "Encoder", "EncoderModel", "a fine-tuned encoder"),
    "scikit-linear": Entry(
        "sklearn_adapter", "ScikitLearner", "ScikitModel", "any scikit-learn classifier"
    ),
}


def learner_named(name: str) -> Learner:
    """Return a learner with its defaults.

    Parameters
    ----------
    name : str
        One of `LEARNERS`.

    >>> learner_named("crf").name
    'crf'

    """
    if name not in LEARNERS:
        raise ParameterError(
            f"There is no learner {name!r}.", hint=did_you_mean(name, sorted(LEARNERS))
        )
    entry = LEARNERS[name]
    learner: Learner = entry.load(entry.learner)()
    return learner


def model_from_arrays(header: dict[str, Any], arrays: Arrays) -> Model:
    """Rebuild a stored model of any kind.

    Parameters
    ----------
    header : dict
        What `Model.to_arrays` returned first; its "kind" names the model.
    arrays : mapping from str to array
        What `Model.to_arrays` returned second.

    """
    entry = (LEARNERS | _MORE_MODELS).get(str(header.get("kind")))
    if entry is None or entry.model is None:
        raise ModelError("The model directory holds a model of an unknown kind.")
    model: Model = entry.load(entry.model).from_arrays(header, arrays)
    return model
