"""Glossaries, methods and papers, read from the JSON files next to an engine or next to this module."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ..core.story import Paper, Step, Term

__all__ = ["EngineTexts", "knowledge_of", "shared_terms"]


@dataclass(frozen=True)
class EngineTexts:
    """The fixed texts of one engine: its terms, the steps of its method, its papers."""

    glossary: dict[str, Term]
    method: tuple[Step, ...]
    papers: dict[str, Paper]


@cache
def knowledge_of(package: str) -> EngineTexts:
    """Return the content of `knowledge.json` in a package.

    The file holds {"glossary": {key: Term}, "method": [Step], "papers": {key: Paper}}.
    """
    content = json.loads((files(package) / "knowledge.json").read_text(encoding="utf-8"))
    return EngineTexts(
        {key: Term(**entry) for key, entry in content["glossary"].items()},
        tuple(Step(**entry) for entry in content["method"]),
        {key: Paper(**entry) for key, entry in content["papers"].items()},
    )


def shared_terms() -> dict[str, Term]:
    """Return the terms that every report may use: frontier, area, evaluations, interval, knee."""
    return dict(knowledge_of("sfumato.presentation").glossary)
