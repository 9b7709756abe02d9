"""The selectors, the ways to publish and the measures of what is kept, by name.

An entry is imported when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...core.registry import Registry

if TYPE_CHECKING:
    from .measures.retention import MeasureOf
    from .methods.protocol import WayOf
    from .selectors.factories import Offer

__all__ = ["ALL", "AUTO", "MEASURES", "SELECTORS", "WAYS", "measure_names", "selector_names"]

ALL = "all"
AUTO = "auto"

_HERE = "sfumato.engines.baskets"

SELECTORS: Registry[Offer] = Registry(
    "selector",
    {
        "support": f"{_HERE}.selectors.factories:SUPPORT",
        "hamdist": f"{_HERE}.selectors.factories:HAMDIST",
        "distcnt": f"{_HERE}.selectors.factories:DISTCNT",
        "information": f"{_HERE}.selectors.factories:INFORMATION",
        "conditional": f"{_HERE}.selectors.factories:CONDITIONAL",
        "maximal": f"{_HERE}.selectors.factories:MAXIMAL",
        "maximal-frequent": f"{_HERE}.selectors.factories:MAXIMAL_FREQUENT",
        "exact": f"{_HERE}.selectors.factories:EXACT",
        "best": f"{_HERE}.selectors.factories:BEST",
    },
    group="sfumato.baskets.selectors",
    of=f"{_HERE}.selectors.factories:Offer",
    adapt=f"{_HERE}.selectors.factories:Offer.of",
)

WAYS: Registry[WayOf] = Registry(
    "way to publish",
    {
        "columns": f"{_HERE}.methods.builtin:COLUMNS",
        "cells": f"{_HERE}.methods.builtin:CELLS",
        "rows": f"{_HERE}.methods.builtin:ROWS",
        "columns+cells": f"{_HERE}.methods.builtin:COLUMNS_AND_CELLS",
        "columns+rows": f"{_HERE}.methods.builtin:COLUMNS_AND_ROWS",
    },
    group="sfumato.baskets.methods",
    of=f"{_HERE}.methods.protocol:WayOf",
)

MEASURES: Registry[MeasureOf] = Registry(
    "utility",
    {
        "ones": f"{_HERE}.measures.retention:ONES",
        "columns": f"{_HERE}.measures.retention:COLUMNS",
        "rows": f"{_HERE}.measures.retention:ROWS",
        "supports": f"{_HERE}.measures.retention:SUPPORTS",
        "itemsets": f"{_HERE}.measures.retention:ITEMSETS",
        "lift": f"{_HERE}.measures.retention:LIFT",
        "neighbours": f"{_HERE}.measures.retention:NEIGHBOURS",
        "categories": f"{_HERE}.measures.retention:CATEGORIES",
    },
    group="sfumato.baskets.measures",
    of=f"{_HERE}.measures.retention:MeasureOf",
)

SCORE = "auc"
"""The measure that needs labels: how well a classifier learns from the release."""


def selector_names() -> Iterator[str]:
    """Yield the names that a request may give: every selector, and "all"."""
    yield from SELECTORS
    yield ALL


def measure_names() -> Iterator[str]:
    """Yield the names of the utilities that can stand on the axis."""
    yield AUTO
    yield SCORE
    yield from MEASURES
