"""The fixed texts of a report: one glossary, the papers and the methods, read from JSON beside this file."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["glossary", "methods", "papers"]


@cache
def _read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (files(__package__ or "sfumato.report") / name).read_text(encoding="utf-8")
    )
    return found


def glossary() -> dict[str, dict[str, str | None]]:
    """Give every term of the reports: what it means, its formula, what goes in, how to read it."""
    return _read("glossary.json")


def papers() -> dict[str, dict[str, Any]]:
    """Give the papers and the sections that reports refer to."""
    return _read("papers.json")


def methods() -> dict[str, list[dict[str, str]]]:
    """Give the steps of each engine's method, each with the section it comes from."""
    return _read("methods.json")
