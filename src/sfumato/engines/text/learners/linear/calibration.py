"""Margins made log-odds: fitted on documents that the model behind them had not seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ...reading.features import TokenData
from .model import LinearModel

__all__ = ["calibrate", "platt"]


def calibrate(
    model: LinearModel,
    data: TokenData,
    labels: npt.NDArray[np.uint8],
    margins: npt.NDArray[np.float64],
) -> LinearModel:
    """Calibrate a model by margins of documents that those who gave them had not seen (Platt).

    Parameters
    ----------
    model : LinearModel
        The model.
    data : TokenData
        The tokens.
    labels : array of uint8
        1 for a sensitive token.
    margins : array of float
        Margins of documents that those who gave them had not seen; −inf elsewhere.

    """
    use = np.isfinite(margins) & data.counted
    if not use.any():
        return model
    slope, offset = platt(margins[use], labels[use])
    return replace(model, slope=slope, offset=offset)


def platt(margins: npt.NDArray[np.float64], labels: npt.NDArray[np.uint8]) -> tuple[float, float]:
    """Fit log-odds = slope · margin + offset by Newton steps, with Platt's softened targets.

    Parameters
    ----------
    margins : array of float
        What is calibrated.
    labels : array of uint8
        1 for a sensitive token.

    >>> slope, offset = platt(np.array([-2., -1., 1., 2.] * 50), np.array([0, 0, 1, 1] * 50))
    >>> slope > 1 and abs(offset) < 1e-6
    True

    """
    positive = labels != 0
    many, few = int((~positive).sum()), int(positive.sum())
    target = np.where(positive, (few + 1) / (few + 2), 1 / (many + 2))
    scale = float(np.std(margins)) or 1.0
    x = margins / scale
    slope, offset = 1.0, float(np.log((few + 1) / (many + 1)))

    def cost(a: float, b: float) -> float:
        z = a * x + b
        return float(np.sum(np.logaddexp(0, z) - target * z)) + 1e-3 * a * a

    value = cost(slope, offset)
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(slope * x + offset, -40, 40)))
        gap, heat = p - target, np.maximum(p * (1 - p), 1e-12)
        gradient = np.array([np.sum(gap * x) + 2e-3 * slope, np.sum(gap)])
        cross = np.sum(heat * x)
        hessian = np.array([[np.sum(heat * x * x) + 2e-3, cross], [cross, np.sum(heat) + 1e-9]])
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while size > 1e-6:
            tried = slope - size * step[0], offset - size * step[1]
            new = cost(*tried)
            if new < value:
                break
            size /= 2
        else:
            break
        done = value - new < 1e-9 * (1 + abs(value))
        slope, offset, value = tried[0], tried[1], new
        if done:
            break
    # A ranking is never turned around: a model that ranks badly is a model without confidence.
    return max(float(slope) / scale, 1e-3), float(offset)
