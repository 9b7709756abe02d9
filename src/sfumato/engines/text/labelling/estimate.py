"""The risk estimated from answers: from random windows alone, scored by models that have not seen their documents.

The range is the wider of a bootstrap in two stages (documents, then windows within them) and the exact
interval of Clopper and Pearson: windows are few, and each alone is too narrow where they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....core.randomness import Streams
from ....core.statistics.beta import beta_quantile
from ..learners.partial import UNKNOWN, Pool
from ..reading.arrays import Mask, Scores

__all__ = [
    "LabelEstimate",
    "RiskEstimate",
    "answers_to_go",
    "audit_size",
    "estimate_risk",
    "share_range",
]

_DRAWS = 400
_LEVEL = 0.95  # confidence of the range of an estimate
_FARTHEST = 5  # multiple of the answers given beyond which a trend says nothing


@dataclass(frozen=True, slots=True)
class LabelEstimate:
    """What random windows say of one label; the range is that of the share left."""

    label: str
    sensitive: int
    left: int
    low: float
    high: float

    @property
    def share(self) -> float | None:
        return self.left / self.sensitive if self.sensitive else None


@dataclass(frozen=True, slots=True)
class RiskEstimate:
    """What random windows say: of `sensitive` words, `left` stay; an attacker finds `found` in 100.

    `low` and `high` hold the share left with the given level; the shares are None before the first
    sensitive word was met.
    """

    windows: int
    words: int
    sensitive: int
    left: int
    low: float
    high: float
    false_positives: int
    found_in_100: float
    level: float = 0.95
    by_label: tuple[LabelEstimate, ...] = ()
    documents_with_leak: tuple[float, float, float] | None = None
    """The share of documents with at least one word left, and its range, from the share of windows with one."""

    @property
    def share(self) -> float | None:
        return self.left / self.sensitive if self.sensitive else None


def share_range(
    left: npt.NDArray[np.int64],
    of: npt.NDArray[np.int64],
    unit: npt.NDArray[np.int64],
    *,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, float]:
    """Return a range for Σ left / Σ of, counted in windows that belong to documents.

    Parameters
    ----------
    left, of : arrays of int
        Per window: what is left, and of how many.
    unit : array of int
        The document of each window.
    level : float
        How often the range should hold the true share.
    seed : int
        The seed of the bootstrap.

    """
    total, count = int(of.sum()), int(left.sum())
    if total == 0:
        return 0.0, 1.0
    tail = (1.0 - level) / 2
    low = beta_quantile(tail, count, total - count + 1) if count else 0.0
    high = beta_quantile(1 - tail, count + 1, total - count) if count < total else 1.0
    shares = _resampled_shares(left, of, unit, Streams(seed).generator("windows bootstrap"))
    bottom, top = np.quantile(shares, [tail, 1 - tail])
    return min(low, float(bottom), count / total), min(1.0, max(high, float(top)))


def _resampled_shares(
    left: npt.NDArray[np.int64],
    of: npt.NDArray[np.int64],
    unit: npt.NDArray[np.int64],
    random: np.random.Generator,
) -> npt.NDArray[np.float64]:
    """Return the share in each draw: documents are drawn, then as many windows of each as it has."""
    sizes = np.unique(unit, return_counts=True)[1]
    by_document = np.argsort(unit, kind="stable")
    first = np.cumsum(sizes) - sizes
    documents = random.integers(len(sizes), size=(_DRAWS, len(sizes))).ravel()
    each = np.repeat(documents, sizes[documents])
    draw = np.repeat(np.repeat(np.arange(_DRAWS), len(sizes)), sizes[documents])
    windows = by_document[first[each] + (random.random(len(each)) * sizes[each]).astype(np.int64)]
    # Half a leak more in each draw: no leak seen does not mean that there is none.
    lost = np.bincount(draw, left[windows], _DRAWS) + random.gamma(0.5, size=_DRAWS)
    shares: npt.NDArray[np.float64] = lost / np.maximum(np.bincount(draw, of[windows], _DRAWS), 1)
    return shares


def estimate_risk(
    pool: Pool,
    scores: Scores,
    known: npt.NDArray[np.integer],
    windows: npt.NDArray[np.int64],
    drawn: npt.NDArray[np.int64],
    threshold: float,
    *,
    labels: Sequence[str] = (),
    seed: int = 0,
) -> RiskEstimate:
    """Judge decisions at a threshold on the windows that were drawn at random and fully answered.

    Parameters
    ----------
    pool : Pool
        The tokens.
    scores : array
        Out-of-fold log-odds (see `ScoredPool.held_out`).
    known : array of int
        The answers: −1 where nobody has said, 0 for a harmless token, and the number of a label, or 1.
    windows : array of int
        Bounds of all windows.
    drawn : array of int
        The numbers of the windows that were drawn and answered.
    threshold : float
        Words from this score on are redacted.
    labels : sequence of str
        The labels that the numbers mean; each gets its own estimate.
    seed : int
        The seed of the bootstrap.

    """
    data = pool.data
    take = np.zeros(len(data), np.bool_)
    for number in drawn.tolist():
        take[windows[number] : windows[number + 1]] = True
    take &= data.counted & (known != UNKNOWN)
    hidden = scores >= threshold
    sensitive = take & (known > 0)
    window_of = np.searchsorted(windows, np.arange(len(data)), "right") - 1
    size = len(windows)
    unit = data.document_of[windows[drawn]] if len(drawn) else np.zeros(0, np.int64)

    def counted(words: Mask) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return, by window, how many of the words are left, and how many there are."""
        every = np.bincount(window_of[words], minlength=size)[drawn]
        return np.bincount(window_of[words & ~hidden], minlength=size)[drawn], every

    left, of = counted(sensitive)
    low, high = share_range(left, of, unit, level=_LEVEL, seed=seed)
    by_label = []
    for number, label in enumerate(labels, 1):
        ours, all_ours = counted(take & (known == number))
        ends = share_range(ours, all_ours, unit, level=_LEVEL, seed=seed)
        by_label.append(LabelEstimate(label, int(all_ours.sum()), int(ours.sum()), *ends))
    read = np.flatnonzero(take & ~hidden)
    first = read[np.argsort(-scores[read], kind="stable")[:100]]
    found = int(np.count_nonzero(known[first] > 0))
    return RiskEstimate(
        windows=len(drawn),
        words=int(np.count_nonzero(take)),
        sensitive=int(of.sum()),
        left=int(left.sum()),
        low=low,
        high=high,
        false_positives=int(np.count_nonzero(take & hidden & (known == 0))),
        found_in_100=100 * found / len(first) if len(first) else 0.0,
        level=_LEVEL,
        by_label=tuple(by_label),
        documents_with_leak=_documents_with_leak(pool, windows, left),
    )


def _documents_with_leak(
    pool: Pool, windows: npt.NDArray[np.int64], left: npt.NDArray[np.int64]
) -> tuple[float, float, float] | None:
    """Return how many documents hold at least one leak if their windows leak independently of each other."""
    if not len(left):
        return None
    leaking, drawn = int(np.count_nonzero(left)), len(left)
    tail = (1.0 - _LEVEL) / 2
    low = beta_quantile(tail, leaking, drawn - leaking + 1) if leaking else 0.0
    high = beta_quantile(1 - tail, leaking + 1, drawn - leaking) if leaking < drawn else 1.0
    each = np.bincount(pool.data.document_of[windows[:-1]], minlength=pool.data.documents)
    each = each[each > 0]

    def share(rate: float) -> float:
        return float(np.mean(1.0 - (1.0 - rate) ** each))

    return share(leaking / drawn), share(low), share(high)


def audit_size(share: float, wanted: float, *, level: float = 0.95) -> int:
    """Return how many sensitive words must be looked at until the upper end falls under `wanted`.

    Parameters
    ----------
    share : float
        The share that is expected to be left.
    wanted : float
        The upper end that is wanted.
    level : float
        The level of the interval.

    """
    if not share < wanted:
        return 0
    size = 8
    while size < 10_000_000:
        left = int(np.ceil(share * size))
        if beta_quantile(1 - (1 - level) / 2, left + 1, size - left) <= wanted:
            return size
        size = int(size * 1.1) + 1
    return size


def answers_to_go(
    history: list[tuple[int, float]], wanted: float, *, patience: int = 50
) -> tuple[str, int | None]:
    """Return the stop rule's verdict from (answers, upper end) pairs, oldest first.

    The verdict is "go on" with an estimate of how many more answers bring the upper end under `wanted`
    (None where that cannot be told, or where `patience` answers changed nothing), or "enough".

    >>> answers_to_go([(20, 0.5), (40, 0.25)], 0.3)
    ('enough', 0)
    >>> answers_to_go([(20, 0.4), (40, 0.2)], 0.1)
    ('go on', 40)
    >>> answers_to_go([(20, 0.4), (40, 0.39)], 0.01)  # too far to be told from so little
    ('go on', None)
    """
    if not history:
        return "go on", None
    answers, high = history[-1]
    if high <= wanted:
        return "enough", 0
    before = [h for n, h in history if n <= answers - patience]
    if before and high > 0.98 * min(before):
        return "go on", None
    earlier = [(n, h) for n, h in history if n <= answers / 2] or history[:1]
    then, old = earlier[-1]
    if then >= answers or not 0 < high < old:
        return "go on", None
    # The upper end falls like a power of the number of answers.
    power = np.log(old / high) / np.log(answers / max(then, 1))
    more = answers * (high / wanted) ** (1.0 / power) - answers
    return ("go on", int(np.ceil(more))) if more <= _FARTHEST * answers else ("go on", None)
