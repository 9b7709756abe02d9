"""The forms that an encoder adds to the first round of the search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...learners.protocol import Model, cost_threshold
from ..classifiers import mean_of
from ..competition import Form
from ..contest import Sees, StagePlan
from ..publication import SECOND_LOOK, STUDENT
from .encoded import Student, encode_folds, learn_from_background
from .second_look import fit_second_pass

if TYPE_CHECKING:
    from ..cross_fit import CrossFitSearch

__all__ = ["encoder_forms"]


def encoder_forms(
    search: CrossFitSearch,
    stages: list[StagePlan],
    linear: tuple[int, ...],
    add: Callable[[Sees, str], int],
    ratios: Sequence[float],
) -> list[Form]:
    """Add the encoder's stages (alone, seen by a CRF, as a second look, and its student); return their forms.

    `linear` are the stages of the best linear form; `add` appends a stage of the search's own learner.
    """
    settings, data, sensitive = search.settings, search.labelled.data, search.sensitive
    encoder = settings.encoder
    assert encoder is not None
    informed = search.background is not None
    if informed:
        settings.progress("encoder, background")
        start = learn_from_background(encoder, search.whole, settings.streams)
        encoder = encoder.warm_start(start) or encoder
    first = mean_of([stages[voice].scores for voice in linear])
    centre = float(np.mean([cost_threshold(min(ratios)), cost_threshold(max(ratios))]))
    look = fit_second_pass(data, first, linear, centre=centre)
    student = None
    if settings.unlabelled is not None:
        student = Student(settings.unlabelled, data.documents, sensitive, settings.learner)
    settings.progress("encoder")
    seed = search.seed("encoder")
    scored = encode_folds(
        encoder, data, sensitive, search.fold,
        first=first, look=look, student=student, seed=seed,
    )  # fmt: skip
    tuned: list[Model] = []

    def refit() -> Model:
        if not tuned:  # the same model reads everywhere, looks again and teaches
            settings.progress("encoder, all documents")
            tuned.append(encoder.fit(data, sensitive, seed=seed))
        return tuned[0]

    def place(plan: StagePlan) -> int:
        stages.append(plan)
        return len(stages) - 1

    whole = place(StagePlan((), scored.whole, refit=refit, by_encoder=True))
    sees = add(((whole, True),), "sees the encoder")
    deep = add(((whole, True), (sees, False)), "sees the encoder, stack")
    again = place(StagePlan((), scored.looked, refit=refit, look=look))
    k = len(linear)

    def form(name: str, *voices: int, way: str = "", encoder: bool = True) -> Form:
        return Form(name, voices, uses_background=informed, uses_encoder=encoder, way=way)

    # Voices are repeated so that each reader counts the same, however many stages it has.
    forms = [
        form("encoder", whole),
        form("CRF + encoder", *linear, *[whole] * k),
        form("CRF that sees the encoder", sees, deep),
        form("encoder + CRF that sees it", whole, whole, sees, deep),
        replace(form("CRF + encoder + CRF that sees it", *linear * 2, *[whole, sees, deep] * k,
                     *[whole] * k), preferred=True),
        form("second look", *linear, *[again] * k, way=SECOND_LOOK),
    ]  # fmt: skip
    if student is not None and scored.student is not None:
        own = student

        def learn_student() -> Model:
            every = np.ones(data.documents, np.bool_)
            careful = settings.learner.careful()
            return own.learned(refit(), every, seed=seed, learner=careful)

        pupil = place(StagePlan((), scored.student, refit=learn_student))
        stacked = add(((pupil, False),), "student, stack")
        forms += [
            form("student", pupil, way=STUDENT, encoder=False),
            form("student + stack", pupil, stacked, way=STUDENT, encoder=False),
            form("student + CRF", pupil, stacked, *linear, way=STUDENT, encoder=False),
        ]
    return forms
