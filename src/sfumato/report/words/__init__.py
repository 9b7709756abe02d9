"""Facts in words: the verdict, what to look at, the assumptions, the commands to repeat it."""

from __future__ import annotations

from ..facts.model import BasketsPart, Facts, TablesPart, TextPart
from .baskets import baskets_story
from .story import Check, Grid, Stat, Story
from .tables import tables_story
from .text import text_story

__all__ = ["Check", "Grid", "Stat", "Story", "stories", "story_of"]


def story_of(part: TextPart | TablesPart | BasketsPart) -> Story:
    """Tell one part."""
    if isinstance(part, TextPart):
        return text_story(part)
    if isinstance(part, TablesPart):
        return tables_story(part)
    return baskets_story(part)


def stories(facts: Facts) -> list[Story]:
    """Tell all parts."""
    return [story_of(part) for part in facts.parts]
