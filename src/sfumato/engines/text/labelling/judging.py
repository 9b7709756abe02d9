"""Judge the answers so far: at the project's loss ratio label by label, and at two higher ratios."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..learners.protocol import cost_threshold
from .estimate import RiskEstimate, estimate_risk
from .questions import QuestionPolicy
from .scorers import ScoredPool

__all__ = ["judge_ratios"]

_HIGHER = (2.0, 5.0)  # multiples of the project's ratio


def judge_ratios(
    scored: ScoredPool,
    policy: QuestionPolicy,
    drawn: Sequence[int],
    codes: npt.NDArray[np.int16],
    labels: Sequence[str],
) -> tuple[RiskEstimate, list[tuple[float, RiskEstimate]]]:
    """Return the estimate at the project's ratio, and those at higher ones.

    Parameters
    ----------
    scored : ScoredPool
        Reads the windows by models that have not seen their documents.
    policy : QuestionPolicy
        Knows the windows and the ratio.
    drawn : sequence of int
        The windows that were drawn at random and answered.
    codes : array of int
        The answers, by number of label.
    labels : sequence of str
        The labels.

    """
    numbers = np.array(drawn, np.int64)
    pool, windows = policy.pool, policy.windows
    scores = scored.held_out(pool.data.document_of[windows[numbers]])

    def judge(ratio: float, of: Sequence[str]) -> RiskEstimate:
        threshold = cost_threshold(ratio)
        return estimate_risk(pool, scores, codes, windows, numbers, threshold, labels=of)

    higher = [policy.ratio * times for times in _HIGHER]
    return judge(policy.ratio, labels), [(ratio, judge(ratio, ())) for ratio in higher]
