"""The forms that a starter, or a detector, adds to the first round of the search, and the weights of its voices.

Neither saw a label of the corpus. A CRF that sees its scores unlearns much of them on the documents that
it learns from; weighed against the CRFs on log-odds out of fold it keeps what it is worth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...reading.arrays import Mask, Scores
from ..classifiers import LOUDEST, mean_of, weigh
from ..competition import Form
from ..contest import Sees, StagePlan

if TYPE_CHECKING:
    from ..cross_fit import CrossFitSearch

__all__ = ["learn_weights", "starter_forms"]

_RIDGE, _BIAS_RIDGE = 10.0, 1.0  # how firmly the weights begin at the plain mean, and the bias at 0
_STEPS = 30


def starter_forms(
    search: CrossFitSearch,
    stages: list[StagePlan],
    own: tuple[int, int],
    add: Callable[[Sees, str], int],
    weighed: dict[Form, Scores],
    name: str = "starter",
) -> list[Form]:
    """Add the stages of a starter or a detector (alone, and seen by a CRF) and return their forms.

    `own` are the stages of the CRF without it; `weighed` gets the scores of the weighed form. With the starter that
    form is kept until another gains more than chance: few labels cannot show what a model is worth that needs none.
    """
    model, scores = search.settings.outsiders[name]
    stages.append(StagePlan((), scores, model))
    outside = len(stages) - 1
    informed = add(((outside, True),), f"{name} pass")
    both = add(((outside, True), (informed, False)), f"{name} stack")
    voices = (*own, informed, both, outside)
    groups = [mean_of([stages[v].scores for v in pair]) for pair in (own, (informed, both))]
    groups.append(stages[outside].scores)
    live = search.instances & np.isfinite(groups[0])

    def learn(part: Mask) -> tuple[float, ...]:
        return learn_weights(groups, search.sensitive, part)

    nested = np.full(len(live), -np.inf)
    for fold in range(search.folds):
        *weights, bias = learn(live & (search.fold_of != fold))
        held = search.fold_of == fold
        nested[held] = weigh([g[held] for g in groups], weights, bias)
    crf, seeing, alone, bias = learn(live)
    form = Form(
        f"CRF + CRF that sees the {name} + {name}", voices, uses_background=True,
        incumbent=name == "starter",
        weights=(crf / 2, crf / 2, seeing / 2, seeing / 2, alone), bias=bias,
    )  # fmt: skip
    weighed[form] = nested
    return [
        Form(name, (outside,), uses_background=True),
        Form(f"CRF that sees the {name}", (informed, both), uses_background=True),
        form,
    ]


def learn_weights(
    voices: Sequence[Scores], labels: npt.NDArray[np.uint8], part: Mask
) -> tuple[float, ...]:
    """Return a weight for each voice, and the bias, by logistic regression with a ridge towards the mean.

    Parameters
    ----------
    voices : sequence of array
        Log-odds out of fold.
    labels : array of uint8
        1 for a sensitive token.
    part : mask over the tokens
        The tokens to learn from.

    """
    columns = [np.clip(scores[part], -LOUDEST, LOUDEST) for scores in voices]
    inputs = np.column_stack([*columns, np.ones(len(columns[0]))])
    truth = (labels[part] > 0).astype(np.float64)
    mean = np.append(np.full(len(voices), 1.0 / len(voices)), 0.0)
    ridge = np.append(np.full(len(voices), _RIDGE), _BIAS_RIDGE)
    weights = mean.copy()
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-inputs @ weights))
        curvature = (inputs * (chance * (1.0 - chance))[:, None]).T @ inputs + np.diag(ridge)
        slope = inputs.T @ (chance - truth) + ridge * (weights - mean)
        step = np.linalg.solve(curvature, slope)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return tuple(weights.tolist())
