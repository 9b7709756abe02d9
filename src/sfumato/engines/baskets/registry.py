"""The selectors by name; an entry is imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.registry import Registry

__all__ = ["ALL", "SELECTORS", "selector_names"]

ALL = "all"

_OFFERS = "sfumato.engines.baskets.selectors.offers"
SELECTORS: Registry[object] = Registry(
    "selector",
    {
        "hamdist": f"{_OFFERS}:HAMDIST",
        "distcnt": f"{_OFFERS}:DISTCNT",
        "information": f"{_OFFERS}:INFORMATION",
        "conditional": f"{_OFFERS}:CONDITIONAL",
        "maximal": f"{_OFFERS}:MAXIMAL",
        "maximal-frequent": f"{_OFFERS}:MAXIMAL_FREQUENT",
        "exact": f"{_OFFERS}:EXACT",
        "best": f"{_OFFERS}:BEST",
    },
)


def selector_names() -> Iterator[str]:
    """Yield the names that a request may give: every selector, and "all"."""
    yield from SELECTORS
    yield ALL
