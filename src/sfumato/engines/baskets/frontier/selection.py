"""Which selectors are tried, and which features are flagged as risky by absence."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ....core.errors import InputError, ParameterError
from ....data.inputs import NamesInput
from ..matrix.binary import BinaryMatrix
from ..registry import ALL, SELECTORS
from ..request import BasketsRequest
from ..selectors.base import ContainmentSelector
from ..selectors.factories import SelectorFactory

__all__ = ["build_selector", "flag_names", "flags", "names_in", "risky_among", "selector_builders"]

Flags = str | npt.NDArray[np.bool_ | np.intp]
"""Features flagged by a mask or by their indices, or `all`."""


def flag_names(absence_risky: object) -> object:
    """Read a file of feature names; everything else stays as it is."""
    if (
        absence_risky is None
        or not isinstance(absence_risky, str | os.PathLike)
        or absence_risky == "all"
    ):
        return absence_risky
    return np.asarray(names_in(absence_risky, "risky features"))


def names_in(given: NamesInput | None, what: str) -> list[str] | None:
    """Return the names that a file lists, one per line, or that were given as such."""
    if given is None:
        return None
    if not isinstance(given, str | os.PathLike):
        return [str(name) for name in given]
    from ....data._basket_files import read_lines

    return read_lines(Path(given), what=what)


def flags(absence_risky: object, names: Sequence[str]) -> Flags | None:
    """Turn names into indices; indices, masks and "all" stay as they are."""
    if absence_risky is None or isinstance(absence_risky, str):
        return absence_risky
    flags = np.asarray(absence_risky)
    if flags.dtype.kind not in "US":
        return flags
    position = {name: i for i, name in enumerate(names)}
    unknown = [f for f in flags.tolist() if f not in position]
    if unknown:
        raise InputError(
            f"{len(unknown)} of the features flagged as risky by absence are not in the data.",
            hint="use the names of the features file or the header.",
        )
    return np.array([position[f] for f in flags.tolist()], dtype=np.intp)


def selector_builders(
    request: BasketsRequest, rows: BinaryMatrix, risky: Flags | None, *, labels: bool
) -> dict[str, Callable[[int], ContainmentSelector]]:
    """Return the selectors asked for; one that cannot run here is refused before any work."""
    makers: dict[str, Callable[[int], ContainmentSelector]] = {}
    for asked in request.selector:
        if isinstance(asked, ContainmentSelector):
            makers[type(asked).__name__.lower()] = partial(_clone_with_k, asked)
            continue
        for name in SELECTORS if asked == ALL else (str(asked),):
            offer = SELECTORS.get_or_raise(name)
            refusal = offer.refusal(rows, flags=risky is not None, labels=labels)
            if refusal is None:
                makers.setdefault(name, partial(build_selector, offer, request, risky))
            elif asked != ALL:
                raise ParameterError(
                    f"The selector {name!r} {refusal}.",
                    hint="choose another one, or all: every selector that can run here.",
                )
    return makers


def _clone_with_k(selector: ContainmentSelector, k: int) -> ContainmentSelector:
    from sklearn.base import clone

    made: ContainmentSelector = clone(selector).set_params(k=k)
    return made


def build_selector(
    offer: SelectorFactory, request: BasketsRequest, risky: Flags | None, k: int
) -> ContainmentSelector:
    """Return an unfitted selector for one k."""
    made = offer.make(k, request.stop, request.seed)
    if risky is not None:
        made.set_params(absence_risky=risky)
    return made


def risky_among(
    flags: Flags | None, chosen: npt.NDArray[np.intp], d: int
) -> npt.NDArray[np.intp] | None:
    """Return the chosen features whose absence is taken as known."""
    if flags is None:
        return None
    mask = np.zeros(d, dtype=bool)
    mask[slice(None) if isinstance(flags, str) else flags] = True
    return chosen[mask[chosen]]
