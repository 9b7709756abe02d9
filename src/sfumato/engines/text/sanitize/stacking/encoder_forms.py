"""The forms that an encoder adds to the first round of the search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...learners.pretrained import PretrainedEncoder
from ...learners.protocol import Model, cost_threshold
from ...reading.arrays import Scores
from ..classifiers import mean_of
from ..competition import Form
from ..contest import Sees, StagePlan
from ..publication import SECOND_LOOK, STUDENT
from .encoded import EncodedFolds, Student, count_seeds, encode_folds, learn_from_background
from .second_look import SecondPass, fit_second_pass

if TYPE_CHECKING:
    from ..cross_fit import CrossFitSearch

__all__ = ["encoder_forms"]


class _TriedEncoder(NamedTuple):
    """An encoder in the search: its stages, and how it is learned again from all documents."""

    whole: int  # it reads everything
    sees: int  # a CRF that sees its answers
    deep: int  # and one that sees both
    scored: Sequence[EncodedFolds]  # under each seed
    refit: Callable[[], Model]


def encoder_forms(
    search: CrossFitSearch,
    stages: list[StagePlan],
    linear: tuple[int, ...],
    add: Callable[[Sees, str], int],
    ratios: Sequence[float],
) -> list[Form]:
    """Add the encoder's stages (alone, seen by a CRF, as a second look, and its student); return their forms.

    An encoder that tunes much competes with one that tunes less, which looks again and teaches for both.
    `linear` are the stages of the best linear form; `add` appends a stage of the search's own learner.
    """
    settings, data, sensitive = search.settings, search.labelled.data, search.sensitive
    encoder = settings.encoder
    assert encoder is not None
    informed = search.background is not None
    first = mean_of([stages[voice].scores for voice in linear])
    centre = float(np.mean([cost_threshold(min(ratios)), cost_threshold(max(ratios))]))
    look = fit_second_pass(data, first, linear, centre=centre)
    student = None
    if settings.unlabelled is not None:
        student = Student(settings.unlabelled, data.documents, sensitive, settings.learner)
    k = len(linear)

    def form(name: str, *voices: int, way: str = "", encoder: bool = True, effort: int = 0) -> Form:
        return Form(
            name, voices, uses_background=informed, uses_encoder=encoder, way=way, effort=effort
        )

    simpler = encoder.simpler()
    readers: list[_TriedEncoder] = []
    forms: list[Form] = []
    for effort, one in enumerate([encoder] if simpler is None else [simpler, encoder]):
        teaches = student if not effort else None
        reader = _add_reader(search, stages, one, add, first=first, look=look, student=teaches)
        readers.append(reader)
        more = f", {one.tuned} layers" if effort else ""
        whole, sees, deep = reader.whole, reader.sees, reader.deep
        # All layers tuned on background corpora know what a CRF can add, so a CRF takes part only if it sees them.
        alone = informed and effort > 0
        # Voices are repeated so that each reader counts the same, however many stages it has.
        forms += [
            form(f"encoder{more}", whole, effort=effort),
            form(f"CRF + encoder{more}", *linear, *[whole] * k, effort=effort),
            form(f"CRF that sees the encoder{more}", sees, deep, effort=effort),
            replace(form(f"encoder + CRF that sees it{more}", whole, whole, sees, deep, effort=effort),
                    preferred=alone),
            replace(form(f"CRF + encoder + CRF that sees it{more}", *linear * 2,
                         *[whole, sees, deep] * k, *[whole] * k, effort=effort), preferred=not alone),
        ]  # fmt: skip
    reader = readers[0]
    looked, *again = (scored.looked for scored in reader.scored)
    stages.append(StagePlan((), looked, refit=reader.refit, look=look, again=tuple(again)))
    forms.append(form("second look", *linear, *[len(stages) - 1] * k, way=SECOND_LOOK))
    if student is not None and (taught := reader.scored[0].student) is not None:
        own, seed = student, search.seed("encoder")

        def learn_student() -> Model:
            every = np.ones(data.documents, np.bool_)
            careful = settings.learner.careful()
            return own.learned(reader.refit(), every, seed=seed, learner=careful)

        stages.append(StagePlan((), taught, refit=learn_student))
        pupil = len(stages) - 1
        stacked = add(((pupil, False),), "student, stack")
        forms += [
            form("student", pupil, way=STUDENT, encoder=False),
            form("student + stack", pupil, stacked, way=STUDENT, encoder=False),
            form("student + CRF", pupil, stacked, *linear, way=STUDENT, encoder=False),
        ]
    return forms


def _add_reader(
    search: CrossFitSearch,
    stages: list[StagePlan],
    encoder: PretrainedEncoder,
    add: Callable[[Sees, str], int],
    *,
    first: Scores,
    look: SecondPass,
    student: Student | None,
) -> _TriedEncoder:
    """Score by an encoder out of fold, under each seed, and add its stages."""
    settings, data, sensitive = search.settings, search.labelled.data, search.sensitive
    if search.background is not None:
        settings.progress("encoder, background")
        start = learn_from_background(encoder, search.whole, settings.streams)
        encoder = encoder.warm_start(start) or encoder
    scored = []
    for repeat in range(count_seeds(encoder)):
        settings.progress("encoder" if not repeat else f"encoder, seed {repeat + 1}")
        step = "encoder" if not repeat else f"encoder {repeat}"
        fold = search.fold
        if repeat:  # other documents are held out together
            fold = settings.streams.generator(step).permutation(search.folds)[fold]
        scored.append(
            encode_folds(
                encoder, data, sensitive, fold, first=first, look=look,
                student=None if repeat else student, seed=search.seed(step),
            )
        )  # fmt: skip
    tuned: list[Model] = []

    def refit() -> Model:
        if not tuned:  # the same model reads everywhere, looks again and teaches
            settings.progress("encoder, all documents")
            tuned.append(encoder.fit(data, sensitive, seed=search.seed("encoder")))
        return tuned[0]

    read, *again = (found.whole for found in scored)
    stages.append(StagePlan((), read, refit=refit, by_encoder=True, again=tuple(again)))
    whole = len(stages) - 1
    sees = add(((whole, True),), "sees the encoder")
    deep = add(((whole, True), (sees, False)), "sees the encoder, stack")
    return _TriedEncoder(whole, sees, deep, scored, refit)
