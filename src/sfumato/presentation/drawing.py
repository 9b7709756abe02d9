"""What all charts share: colours, the spec files filled with data, scales, and the drawing itself."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, TypeAlias

from .language import current_locale, say

__all__ = [
    "BLUE", "GREEN", "INK", "ORANGE", "PAPER", "Spec", "bounds_of", "decades", "fill_spec",
    "headroom", "spec", "theme", "to_png", "to_svg",
]  # fmt: skip

BLUE, ORANGE, GREEN, INK, PAPER = "#0072b2", "#b84a00", "#007a5a", "#1f2a33", "#fffdf8"
Spec: TypeAlias = dict[str, Any]
"""A Vega-Lite specification: nested JSON whose places are known by their names."""


@cache
def _file(name: str) -> str:
    return (files("sfumato.presentation") / "chart_specs" / f"{name}.json").read_text(
        encoding="utf-8"
    )


def theme() -> Spec:
    """Return the configuration that all charts share."""
    found: Spec = json.loads(_file("theme"))
    return found


def spec(name: str) -> Spec:
    """Return a fresh copy of a spec with the theme in it.

    >>> spec("area")["width"]
    660
    """
    found: Spec = _translate(json.loads(_file(name)))
    found["config"] = theme()
    locale = current_locale()
    if locale.decimal != ".":
        number = {
            "decimal": locale.decimal,
            "thousands": locale.thousands,
            "percent": locale.percent,
        }
        found["config"]["locale"] = {"number": {**number, "grouping": [3], "currency": ["", ""]}}
        # The library describes axes and titles in English; the chart has a text of its own.
        for part in ("axis", "legend", "title"):
            found["config"][part] = {**found["config"].get(part, {}), "aria": False}
    return found


def _translate(part: Spec) -> Spec:
    """Return a part of a spec with its titles, and the names of its colours, in the report's language."""
    found: Spec = {}
    for key, value in part.items():
        if key == "title" and isinstance(value, str):
            found[key] = say(value)
        elif key == "domain" and isinstance(value, list):
            found[key] = [say(v) if isinstance(v, str) else v for v in value]
        elif isinstance(value, dict):
            found[key] = _translate(value)
        elif isinstance(value, list):
            found[key] = [_translate(v) if isinstance(v, dict) else v for v in value]
        else:
            found[key] = value
    return found


def fill_spec(name: str, **datasets: Sequence[Mapping[str, object]]) -> Spec:
    """Return a spec with its data in it."""
    found = spec(name)
    found["datasets"] = {key: list(rows) for key, rows in datasets.items()}
    return found


def bounds_of(values: Sequence[float], pad: float = 0.06) -> list[float]:
    """Return a domain around values, with some room on both sides; around zero alone, no tick below it.

    >>> bounds_of([0.0, 0.5]), bounds_of([0.0, 0.0])
    ([-0.03, 0.53], [-0.0006, 0.01])
    """
    low, high = min(values), max(values)
    margin = (high - low) * pad or max(abs(high) * pad, 0.01)
    return [low - margin if low or high else -margin * pad, high + margin]


def headroom(drawing: Spec, panel: int, values: Sequence[float | None]) -> None:
    """Let bars start at zero and leave room above them for their numbers."""
    top = max((v for v in values if v is not None), default=1) or 1
    drawing["hconcat"][panel]["encoding"]["y"]["scale"]["domain"] = [0, top * 1.14]


def decades(low: float, high: float) -> list[float]:
    """Return round values for a logarithmic axis: powers of ten, with 2 and 5 where these are few.

    >>> decades(0.0004, 1.2), decades(0.006, 0.12)
    ([0.001, 0.01, 0.1, 1.0], [0.01, 0.02, 0.05, 0.1])
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    tens = [float(f"1e{e}") for e in range(first, last + 1) if low <= 10.0**e <= high]
    if len(tens) >= 4:
        return tens
    fine = [float(f"{m}e{e}") for e in range(first, last + 1) for m in (1, 2, 5)]
    return [v for v in fine if low <= v <= high]


def to_svg(drawing: Mapping[str, object], *, font: str | None = None) -> str:
    """Draw a spec as SVG; nothing is fetched."""
    if font is not None:
        drawing = _with_settings(drawing, font=font)
    return _svg_of(json.dumps(drawing, sort_keys=True))


def _with_settings(drawing: Mapping[str, object], **settings: str) -> dict[str, object]:
    """Return a drawing with some settings of its configuration replaced."""
    config = drawing["config"]
    assert isinstance(config, Mapping)
    return {**drawing, "config": {**config, **settings}}


@lru_cache(maxsize=64)  # the local page draws the same charts again for every choice
def _svg_of(drawing: str) -> str:
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(drawing, allowed_base_urls=[])
    # The library says in English that a title is one.
    svg = re.sub(r"aria-label=\"Title text '([^\"]*)'\"", r'aria-label="\1"', svg)
    # It numbers its clip paths through the life of the process; number them again.
    numbers: dict[str, str] = {}
    return re.sub(
        r"\b(clip|gradient_|pattern)(\d+)\b",
        lambda m: m[1] + numbers.setdefault(m[1] + m[2], str(len(numbers))),
        svg,
    )


def to_png(drawing: Mapping[str, object], *, scale: float = 2.0) -> bytes:
    """Draw a spec as PNG on white; nothing is fetched."""
    import vl_convert

    white = _with_settings(drawing, background="white")
    png: bytes = vl_convert.vegalite_to_png(white, scale=scale, allowed_base_urls=[])
    return png
