"""What a rule for tables of counts asks: cells to hide, a base to round to, or noise."""

from __future__ import annotations

from dataclasses import dataclass

from ....core.errors import ParameterError
from ....core.regimes import REGIMES, find_regime

__all__ = ["CountRule", "read_rule"]

_FORMS = "use a regime with a rule for cells (cms, nhs), ons, suppress:N, round:BASE or noise:EPSILON, joined by +."
_NAMED = {
    # "The 10-5 rule": Office for National Statistics, Comparison of post-tabular statistical disclosure control methods.
    "ons": "suppress:10+round:5",
}


@dataclass(frozen=True)
class CountRule:
    """What is done to counts.

    Parameters
    ----------
    low, high : int, optional
        Counts from the one to the other are hidden, and what gives them back.
    base : int, optional
        Counts are rounded to the nearest multiple.
    epsilon : float, optional
        The parameter of two-sided geometric noise, which is added to every count that is no sum.

    """

    low: int | None = None
    high: int | None = None
    base: int | None = None
    epsilon: float | None = None


def read_rule(text: str) -> CountRule:
    """Read a rule: the name of a regime or of an office's rule, `suppress:N`, `round:BASE`, `noise:EPSILON`, or several joined by `+`.

    >>> read_rule("suppress:5+round:5")
    CountRule(low=1, high=4, base=5, epsilon=None)
    >>> read_rule("ons") == read_rule("suppress:10+round:5")
    True
    """
    low = high = base = epsilon = None
    for part in _NAMED.get(text.strip(), text).split("+"):
        name, _, argument = part.strip().partition(":")
        if name == "suppress":
            low, high = 1, _whole(argument, 2) - 1
        elif name == "round":
            base = _whole(argument, 2)
        elif name == "noise":
            epsilon = _positive(argument)
        else:
            if not name.endswith(".toml") and name.partition(":")[0] not in REGIMES:
                raise ParameterError("There is no such rule for counts.", hint=_FORMS)
            regime = find_regime(name)
            if regime.cell is None:
                raise ParameterError(f"The regime {name!r} has no rule for cells.", hint=_FORMS)
            low, high = regime.cell.low, regime.cell.high
    if epsilon is not None and (low is not None or base is not None):
        raise ParameterError("Noise is added to counts that are neither hidden nor rounded.")
    return CountRule(low, high, base, epsilon)


def _whole(text: str, least: int) -> int:
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= 1_000_000:
        raise ParameterError(
            f"A rule for counts holds a number that is not a whole number of at least {least}.",
            hint=_FORMS,
        )
    return int(text)


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 100:
        raise ParameterError("The noise of a rule needs a number above 0.", hint=_FORMS)
    return value
