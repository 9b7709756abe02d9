"""The steward's own detector in an exploration: one more model, and a reference."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ....core.errors import InputError
from ....data.detectors import open_detector
from ..learners.protocol import Model
from ..reading.arrays import Scores
from ..reading.label_kinds import matching_labels
from ..reading.labelled import Labelled
from ..request import TextRequest

__all__ = ["detector_of"]


def detector_of(
    request: TextRequest, labelled: Labelled, progress: Callable[[str], None]
) -> tuple[Model, Scores] | None:
    """Return the detector that a request names, and its log-odds of the steward's tokens.

    Parameters
    ----------
    request : TextRequest
        The request; the literal algorithm has no place for a detector.
    labelled : Labelled
        The steward's tokens.
    progress : callable
        Called with a short note before each step.

    """
    if request.detector is None or request.mode != "honest":
        return None
    progress("detector")
    detector = open_detector(Path(request.detector))
    known = detector.kinds()
    kinds = matching_labels(set(known), request.labels)
    if not kinds:
        raise InputError(
            f"The detector finds none of the labels {', '.join(map(repr, request.labels))}.",
            hint=f"it finds {', '.join(known)}; by --findings FOLDER:FOUND=LABEL it can be given another name.",
        )
    model = detector.as_voice(set(kinds))
    assert isinstance(model, Model)
    own = labelled if labelled.own.all() else labelled.alone()
    return model, model.scores(own.data)
