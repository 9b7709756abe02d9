"""The paper's four learners as attackers use them, without the calibration that a ranking does not need; the starter."""

from __future__ import annotations

from ..learners.adaboost import AdaBoost
from ..learners.crf import CRF
from ..learners.ensemble import Ensemble
from ..learners.protocol import Learner
from ..learners.svm import SVM
from .starter import StarterAttacker

__all__ = ["adaboost", "crf", "ensemble", "starter", "svm"]


def crf() -> Learner:
    """Return the attacking CRF."""
    return CRF()


def svm() -> Learner:
    """Return the attacking SVM."""
    return SVM(calibrate=False)


def adaboost() -> Learner:
    """Return the attacking AdaBoost."""
    return AdaBoost(calibrate=False)


def ensemble() -> Learner:
    """Return the attacking ensemble; its CRF only proposes, and half of the passes do for that."""
    return Ensemble(crf=CRF(epochs=6, average=2))


def starter() -> Learner:
    """Return the outsider who holds the starter."""
    return StarterAttacker()
