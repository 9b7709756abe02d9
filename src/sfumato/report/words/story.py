"""What a part of a report says in words; the page and the certificate both render this."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Check", "Grid", "Stat", "Story"]


@dataclass(frozen=True)
class Stat:
    """A number that stands alone, with what it is and the glossary term that explains it."""

    value: str
    label: str
    term: str
    note: str = ""


@dataclass(frozen=True)
class Check:
    """Something the signer should know: it holds, it needs a look, or it cannot be told."""

    state: Literal["holds", "look", "open"]
    text: str


@dataclass(frozen=True)
class Grid:
    """A small table: heads with the glossary term behind each, rows, the row to mark."""

    caption: str
    heads: tuple[tuple[str, str | None], ...]
    rows: tuple[tuple[str, ...], ...]
    marked: int | None = None


@dataclass
class Story:
    """One engine's part, told. Sentences may hold [[term|number]] marks."""

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
    grids: dict[str, Grid] = field(default_factory=dict)
    here: dict[str, str] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)
