"""How many options there are to choose from: a new one is an argument of one that exists, or takes the place of one."""

from __future__ import annotations

from collections.abc import Iterator

import typer

from sfumato.cli import app

MOST = 260
"""Options of the engines' commands that help texts show; 353 before values took arguments.

A new command brings four that every command has (`--out`, `--force`, `--quiet`, `--json`).
"""
MOST_OWN = 39
"""Options of all other commands, and of `sfumato` itself."""


def commands(command: typer.core.TyperCommand, words: tuple[str, ...] = ()) -> Iterator[tuple]:
    yield words, command
    for name, sub in getattr(command, "commands", {}).items():
        yield from commands(sub, (*words, name))


def options() -> dict[tuple[str, ...], list[str]]:
    return {
        words: [p.opts[0] for p in command.params if p.param_type_name == "option" and not p.hidden]
        for words, command in commands(typer.main.get_command(app))
    }


def test_there_are_not_too_many_options():
    found = options()
    assert sum(len(names) for words, names in found.items() if len(words) == 2) <= MOST
    assert sum(len(names) for words, names in found.items() if len(words) < 2) <= MOST_OWN


def test_no_option_is_shown_twice():
    for words, names in options().items():
        assert len(names) == len(set(names)), words


def test_the_counts_are_counts_of_something():
    found = options()
    assert "--risk" in found["tables", "explore"]
    assert "--k" not in found["tables", "explore"]
    assert "--debug" in found[()]
    assert all("--quiet" in names for words, names in found.items() if len(words) == 2)
