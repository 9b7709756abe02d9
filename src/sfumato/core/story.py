"""An engine's part of a report: sentences, figures, tables and charts, ready to render.

Engines build these from their records; the page and the certificate render them and know nothing else.
Sentences may hold [[term|words]] marks: the words are shown and the glossary entry of the term explains them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Literal

__all__ = [
    "Chart",
    "Check",
    "Chips",
    "Grid",
    "Paper",
    "Section",
    "Stat",
    "Step",
    "Story",
    "Term",
    "View",
]

Section = Literal["published", "tradeoff", "attack", "cost", "assumptions", "appendix"]


@dataclass(frozen=True)
class Stat:
    """A single number, its name and the glossary term that explains it."""

    value: str
    label: str
    term: str
    note: str = ""


@dataclass(frozen=True)
class Check:
    """Something the signer should know: it holds, it needs a look, or it cannot be decided."""

    state: Literal["holds", "look", "open"]
    text: str


@dataclass(frozen=True)
class Grid:
    """A small table: heads with the glossary term behind each, rows, the row to mark.

    `words` says that cells hold words rather than numbers; `note` is printed below.
    """

    section: Section
    caption: str
    heads: tuple[tuple[str, str | None], ...]
    rows: tuple[tuple[str, ...], ...]
    marked: int | None = None
    words: bool = False
    note: str = ""


@dataclass(frozen=True)
class Chips:
    """A list of short names: the groups of an attribute, the published features; folded away if long."""

    section: Section
    title: str
    items: tuple[str, ...]
    more: int = 0
    folded: bool = True


@dataclass(frozen=True)
class View:
    """One drawing of a chart: its name on the switch and its Vega-Lite spec."""

    name: str
    spec: Mapping[str, object]


@dataclass(frozen=True)
class Chart:
    """A chart with its views, its caption, a text for those who do not see it, and its numbers.

    `key` lists (symbol name, meaning), drawn by the page; `live` charts can be zoomed.
    """

    id: str
    section: Section
    title: str
    alt: str
    views: tuple[View, ...]
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    key: tuple[tuple[str, str], ...] = ()
    live: bool = False

    @property
    def spec(self) -> Mapping[str, object]:
        """The Vega-Lite spec of the first view."""
        return self.views[0].spec

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the first view to a file.

        Parameters
        ----------
        path : path
            A name that ends in .svg, .png or .json (the Vega-Lite spec).
        force : bool, default=False
            Whether an existing file may be replaced.

        """
        from .errors import ParameterError
        from .files import whole_file

        target, drawing = Path(path), import_module("sfumato.presentation.drawing")
        match target.suffix.lower():
            case ".svg":
                content = drawing.to_svg(self.spec).encode()
            case ".png":
                content = drawing.to_png(self.spec)
            case ".json":
                content = f"{json.dumps(self.spec, indent=2)}\n".encode()
            case _:
                raise ParameterError(
                    f"A chart cannot be saved as {target.name!r}.", hint="use .svg, .png or .json."
                )
        with whole_file(target, force=force, private=False) as staged:
            staged.write_bytes(content)
        return target

    def __repr__(self) -> str:
        return f"<Chart {self.title}: {self.alt}>"

    def _repr_html_(self) -> str:
        """Return the first view as an inline drawing; nothing is fetched."""
        svg: str = import_module("sfumato.presentation.drawing").to_svg(self.spec)
        return (
            f"<figure role='img' aria-label='{escape(self.alt)}'>{svg}"
            f"<figcaption>{escape(self.title)}</figcaption></figure>"
        )


@dataclass(frozen=True)
class Term:
    """A glossary entry: what a number means, its formula, its inputs, how to read it."""

    term: str
    means: str
    formula: str
    inputs: str
    reading: str
    paper: str | None = None
    section: str | None = None


@dataclass(frozen=True)
class Step:
    """One step of an engine's method, with the section of the paper it comes from."""

    step: str
    paper: str
    section: str


@dataclass(frozen=True)
class Paper:
    """A paper that a report cites, with the sections it refers to."""

    authors: str
    title: str
    sections: Mapping[str, str]


@dataclass
class Story:
    """One engine's part of a report, in sentences, grids and charts."""

    id: str
    engine: str
    title: str
    status: str
    verdict: list[str] = field(default_factory=list)
    stats: list[Stat] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    published: list[str] = field(default_factory=list)
    tradeoff: list[str] = field(default_factory=list)
    attack: list[str] = field(default_factory=list)
    cost: list[str] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    appendix: list[str] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)
    chips: list[Chips] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    here: dict[str, str] = field(default_factory=dict)
    """By glossary term: the formula with this report's numbers in it."""
    glossary: Mapping[str, Term] = field(default_factory=dict)
    method: tuple[Step, ...] = ()
    papers: Mapping[str, Paper] = field(default_factory=dict)
