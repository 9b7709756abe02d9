"""Risk and utility: a value, an interval, and the attacker or what is kept.

A bare float never reaches a report. `Interval` says how it was made, because an estimate without
its method cannot be checked; a figure that rests on a model (not on data) says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from .errors import ParameterError

if TYPE_CHECKING:
    from pydantic import JsonValue

__all__ = ["Estimate", "Interval", "Risk", "Utility"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A range for an estimate, with its level and the way it was made.

    Parameters
    ----------
    low : float
        The lower end.
    high : float
        The upper end.
    level : float, default=0.95
        How often a range made this way holds the true figure.
    method : str, default=''
        How it was made.

    Examples
    --------
    >>> Interval(0.1, 0.3, level=0.95, method="bootstrap over documents").width
    0.2

    """

    low: float
    high: float
    level: float = 0.95
    method: str = ""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise ParameterError(
                f"An interval needs finite ends in order. Got {self.low!r} to {self.high!r}."
            )

    @property
    def width(self) -> float:
        return round(self.high - self.low, 15)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with an interval and the conditions under which it was obtained.

    Parameters
    ----------
    value : float
        The number.
    interval : Interval, optional
        A range around it.
    modelled : bool, default=False
        Whether it rests on a model, not on data.

    """

    value: float
    interval: Interval | None = None
    modelled: bool = False

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise ParameterError(
                f"A {type(self).__name__} needs a finite value. Got {self.value!r}."
            )

    def with_interval(self, low: float, high: float, *, level: float = 0.95, method: str) -> Self:
        """Return the same measure with an interval around it.

        Parameters
        ----------
        low : float
            The lower end.
        high : float
            The upper end.
        level : float, default=0.95
            How often a range made this way holds the true figure.
        method : str
            How it was made.

        """
        return replace(self, interval=Interval(low, high, level, method))

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """Read back what `to_json` wrote.

        Parameters
        ----------
        content : mapping
            The plain form.

        """
        fields = dict(content)
        ends, level, method = (fields.pop(key, None) for key in ("interval", "level", "method"))
        interval = None
        if ends is not None:
            low, high = ends
            interval = Interval(float(low), float(high), float(level), str(method))
        return cls(**{**fields, "value": float(fields["value"]), "interval": interval})

    def to_json(self) -> dict[str, JsonValue]:
        """Return the plain form used in files and reports."""
        return {
            "value": self.value,
            "interval": None if self.interval is None else [self.interval.low, self.interval.high],
            "level": None if self.interval is None else self.interval.level,
            "method": None if self.interval is None else self.interval.method,
            "modelled": self.modelled,
        }


@dataclass(frozen=True, slots=True)
class Risk(Estimate):
    """What an adversary could still find, and who that adversary is.

    Parameters
    ----------
    value : float
        The number.
    interval : Interval, optional
        A range around it.
    modelled : bool, default=False
        Whether it rests on a model, not on data.
    attacker : str, default=''
        Who the adversary is.

    Examples
    --------
    >>> Risk(0.02, attacker="reads every published word").value
    0.02

    """

    attacker: str = ""

    def to_json(self) -> dict[str, JsonValue]:
        """Return the plain form used in files and reports."""
        return {**Estimate.to_json(self), "attacker": self.attacker}


@dataclass(frozen=True, slots=True)
class Utility(Estimate):
    """What of the data's use is kept.

    Parameters
    ----------
    value : float
        The number.
    interval : Interval, optional
        A range around it.
    modelled : bool, default=False
        Whether it rests on a model, not on data.
    kept : str, default=''
        What is kept.

    """

    kept: str = ""

    def to_json(self) -> dict[str, JsonValue]:
        """Return the plain form used in files and reports."""
        return {**Estimate.to_json(self), "kept": self.kept}
