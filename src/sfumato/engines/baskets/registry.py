"""The selectors, the ways to publish and the measures of what is kept, by name.

An entry is imported when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...core.registry import Registry

if TYPE_CHECKING:
    from .measures import MeasureOf
    from .selectors.offers import Offer
    from .ways import WayOf

__all__ = ["ALL", "AUTO", "MEASURES", "SELECTORS", "WAYS", "measure_names", "selector_names"]

ALL = "all"
AUTO = "auto"

_HERE = "sfumato.engines.baskets"

SELECTORS: Registry[Offer] = Registry(
    "selector",
    {
        "support": f"{_HERE}.selectors.offers:SUPPORT",
        "hamdist": f"{_HERE}.selectors.offers:HAMDIST",
        "distcnt": f"{_HERE}.selectors.offers:DISTCNT",
        "information": f"{_HERE}.selectors.offers:INFORMATION",
        "conditional": f"{_HERE}.selectors.offers:CONDITIONAL",
        "maximal": f"{_HERE}.selectors.offers:MAXIMAL",
        "maximal-frequent": f"{_HERE}.selectors.offers:MAXIMAL_FREQUENT",
        "exact": f"{_HERE}.selectors.offers:EXACT",
        "best": f"{_HERE}.selectors.offers:BEST",
    },
    group="sfumato.baskets.selectors",
    of=f"{_HERE}.selectors.offers:Offer",
    adapt=f"{_HERE}.selectors.offers:Offer.of",
)

WAYS: Registry[WayOf] = Registry(
    "way to publish",
    {
        "columns": f"{_HERE}.ways:COLUMNS",
        "cells": f"{_HERE}.ways:CELLS",
        "rows": f"{_HERE}.ways:ROWS",
        "columns+cells": f"{_HERE}.ways:COLUMNS_AND_CELLS",
        "columns+rows": f"{_HERE}.ways:COLUMNS_AND_ROWS",
    },
    group="sfumato.baskets.methods",
    of=f"{_HERE}.ways:WayOf",
)

MEASURES: Registry[MeasureOf] = Registry(
    "utility",
    {
        "ones": f"{_HERE}.measures:ONES",
        "columns": f"{_HERE}.measures:COLUMNS",
        "rows": f"{_HERE}.measures:ROWS",
        "supports": f"{_HERE}.measures:SUPPORTS",
        "itemsets": f"{_HERE}.measures:ITEMSETS",
        "lift": f"{_HERE}.measures:LIFT",
        "neighbours": f"{_HERE}.measures:NEIGHBOURS",
        "categories": f"{_HERE}.measures:CATEGORIES",
    },
    group="sfumato.baskets.measures",
    of=f"{_HERE}.measures:MeasureOf",
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
