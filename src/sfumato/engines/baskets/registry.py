"""The selectors, the methods of publishing and the measures of what is kept, by name.

An entry is imported when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...core.registry import Registry

if TYPE_CHECKING:
    from .measures.retention import MeasureOf
    from .methods.protocol import Method
    from .selectors.factories import SelectorFactory

__all__ = ["ALL", "AUTO", "MEASURES", "METHODS", "SELECTORS", "measure_names", "selector_names"]

ALL = "all"
AUTO = "auto"

SELECTORS: Registry[SelectorFactory] = Registry(
    "selector",
    {
        "support": "sfumato.engines.baskets.selectors.factories:SUPPORT",
        "hamdist": "sfumato.engines.baskets.selectors.factories:HAMDIST",
        "distcnt": "sfumato.engines.baskets.selectors.factories:DISTCNT",
        "information": "sfumato.engines.baskets.selectors.factories:INFORMATION",
        "conditional": "sfumato.engines.baskets.selectors.factories:CONDITIONAL",
        "maximal": "sfumato.engines.baskets.selectors.factories:MAXIMAL",
        "maximal-frequent": "sfumato.engines.baskets.selectors.factories:MAXIMAL_FREQUENT",
        "exact": "sfumato.engines.baskets.selectors.factories:EXACT",
        "best": "sfumato.engines.baskets.selectors.factories:BEST",
    },
    group="sfumato.baskets.selectors",
    of="sfumato.engines.baskets.selectors.factories:SelectorFactory",
    adapt="sfumato.engines.baskets.selectors.factories:SelectorFactory.of",
)

METHODS: Registry[Method] = Registry(
    "method",
    {
        "columns": "sfumato.engines.baskets.methods.builtin:COLUMNS",
        "cells": "sfumato.engines.baskets.methods.builtin:CELLS",
        "rows": "sfumato.engines.baskets.methods.builtin:ROWS",
        "columns+cells": "sfumato.engines.baskets.methods.builtin:COLUMNS_AND_CELLS",
        "columns+rows": "sfumato.engines.baskets.methods.builtin:COLUMNS_AND_ROWS",
    },
    group="sfumato.baskets.methods",
    of="sfumato.engines.baskets.methods.protocol:Method",
)

MEASURES: Registry[MeasureOf] = Registry(
    "utility",
    {
        "ones": "sfumato.engines.baskets.measures.retention:ONES",
        "columns": "sfumato.engines.baskets.measures.retention:COLUMNS",
        "rows": "sfumato.engines.baskets.measures.retention:ROWS",
        "supports": "sfumato.engines.baskets.measures.retention:SUPPORTS",
        "itemsets": "sfumato.engines.baskets.measures.retention:ITEMSETS",
        "lift": "sfumato.engines.baskets.measures.retention:LIFT",
        "neighbours": "sfumato.engines.baskets.measures.retention:NEIGHBOURS",
        "categories": "sfumato.engines.baskets.measures.retention:CATEGORIES",
    },
    group="sfumato.baskets.measures",
    of="sfumato.engines.baskets.measures.retention:MeasureOf",
)

SCORE = "auc"
"""The measure that needs labels: how well a classifier learns from the release."""


def selector_names() -> Iterator[str]:
    """Yield the names that a request may give: every selector, and "all"."""
    yield from SELECTORS
    yield ALL


def measure_names() -> Iterator[str]:
    """Yield the names of the utilities that can be on the axis."""
    yield AUTO
    yield SCORE
    yield from MEASURES
