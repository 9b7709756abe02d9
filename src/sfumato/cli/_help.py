"""The commands of the root and its help, which is printed without typer: importing that takes longest of all.

The layout is that of typer, for the same width; a test compares the two.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

__all__ = [
    "COMMANDS",
    "LIMIT",
    "OPTIONS",
    "SUMMARY",
    "engine_summaries",
    "program_name",
    "root_help",
]

SUMMARY = "Publish data safely: explore risk against utility, choose, publish, attack, report."

COMMANDS = {
    "demo": ("run", "Run all three engines on embedded data and write one report."),
    "samples": (
        "run",
        "Write the embedded samples as files: notes, a register, a population, a purchase log.",
    ),
    "run": (
        "run",
        "Read, explore, choose, publish, attack and report by a plan; resumable and repeatable.",
    ),
    "inspect": (
        "inspect",
        "Show what files contain before anything is done: text, hidden parts, what is dropped or withheld.",
    ),
    "report": (
        "report",
        "Write report.html (self-contained, offline), facts.json and, with --pdf, report.pdf.",
    ),
    "verify": (
        "verify",
        "Check, offline, that a release and its report are those that were signed.",
    ),
    "serve": (
        "serve",
        "Show a local page to label, choose, publish, review and audit; nothing leaves this machine.",
    ),
}
"""By name of a command: the module that holds the function of that name, and its help."""

LIMIT = "NAME=NUMBER"
OPTIONS = {
    "--version": "Show the version.",
    "--limit": "Raise a limit of the readers, such as columns=20000; repeatable.",
    "--debug": "Show the traceback of an error, which may hold data.",
}
"""The options of the root and their help."""

_WIDEST, _NARROWEST = 80, 50
_COLUMN = 30  # a longer name has a line of its own


def engine_summaries() -> dict[str, str]:
    """Return what the help says of each installed engine, by name."""
    from ..core.engine import ENGINES
    from ..core.errors import ParameterError

    found = {}
    for name in ENGINES:
        try:
            found[name] = ENGINES[name].summary
        except (
            ParameterError
        ) as error:  # of another package, which must not take the others with it
            found[name] = f"(not usable) {error}"
    return found


def root_help(program: str, columns: int | None = None) -> str:
    """Return the help of the root for a terminal of some width, by default this one's."""
    if columns is None:
        from shutil import get_terminal_size

        columns = get_terminal_size().columns
    width = max(min(columns, _WIDEST) - 2, _NARROWEST)
    listed = {name: text for name, (_, text) in COMMANDS.items()} | engine_summaries()
    room = width - 6 - max(map(len, listed))
    options = {f"{name} {LIMIT}" if name == "--limit" else name: t for name, t in OPTIONS.items()}
    options["--help"] = "Show this message and exit."
    lines = [
        *_usage(program, width),
        "",
        *_wrap(SUMMARY, width, "  ", "  "),
        "",
        "Options:",
        *_rows(options.items(), width),
        "",
        "Commands:",
        *_rows(((name, _shorten(text, room)) for name, text in listed.items()), width),
    ]
    return "\n".join(lines)


def program_name() -> str:
    """Return how the program was called: the name of a script, or `python -m` and a module."""
    name = os.path.basename(sys.argv[0])
    package = getattr(sys.modules["__main__"], "__package__", None)
    if not package:
        return name
    module = os.path.splitext(name)[0]
    return f"python -m {package if module == '__main__' else f'{package}.{module}'}"


def _usage(program: str, width: int) -> list[str]:
    start, words = f"Usage: {program} ", "[OPTIONS] COMMAND [ARGS]..."
    if width >= len(start) + 20:
        return _wrap(words, width, start, " " * len(start))
    return [start, *_wrap(words, width, " " * 11, " " * 11)]


def _rows(rows: Iterable[tuple[str, str]], width: int) -> list[str]:
    """Return lines of two columns, the second one wrapped."""
    rows = list(rows)
    first = min(max(len(name) for name, _ in rows), _COLUMN) + 2
    lines = []
    for name, text in rows:
        wrapped = _wrap(text, max(width - first - 2, 10))
        if wrapped and len(name) <= first - 2:
            lines.append(f"  {name:{first}}{wrapped.pop(0)}")
        else:
            lines.append(f"  {name}")
        lines += [" " * (first + 2) + line for line in wrapped]
    return lines


def _shorten(text: str, room: int) -> str:
    """Return the first sentence of a text, or as many of its words as there is room for."""
    words = text.partition("\n\n")[0].split()
    end = next((i for i, word in enumerate(words, 1) if word.endswith(".")), len(words))
    words = words[:end]
    if len(" ".join(words)) <= room:
        return " ".join(words)
    while words and len(" ".join(words)) + 3 > room:
        words.pop()
    return " ".join(words) + "..."


def _wrap(text: str, width: int, first: str = "", other: str = "") -> list[str]:
    from textwrap import wrap

    return wrap(text, width, initial_indent=first, subsequent_indent=other)
