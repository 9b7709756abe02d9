"""The words by which an encoder is asked for; listing them loads nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["DEFAULT_ENCODER", "ENCODER_VARIABLE", "NO_ENCODER", "TUNINGS", "Tuning"]

NO_ENCODER, DEFAULT_ENCODER = "none", "default"
ENCODER_VARIABLE = "SFUMATO_ENCODER"
"""In the environment: `none` hides installed weights; any of the words, or a folder, for the page."""


class Tuning(NamedTuple):
    """How many of the upper layers are tuned (None: all), and the schedule that suits.

    `decay` is the learning rate of a layer over that of the layer above: what the lower layers learned
    from much text is changed less than what is near the head. `members` are tuned from different heads
    and with different dropout, and their log-odds averaged: they err differently, and are less sure
    together than each alone.
    """

    layers: int | None
    rate: float
    epochs: int
    decay: float = 1.0
    members: int = 1


TUNINGS: Mapping[str, Tuning] = {
    "head": Tuning(0, 6e-4, 3),
    "two": Tuning(2, 3e-4, 3),
    "all": Tuning(None, 3e-4, 6, 0.7, members=2),
}
