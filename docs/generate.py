"""Writes reference/parameters.md from the engines' requests: `make reference`."""

from __future__ import annotations

import sys
from pathlib import Path

from sfumato.core.engine import ENGINES, AnyEngine
from sfumato.core.request import Parameter, Request, parameters

PAGE = Path(__file__).parent / "reference" / "parameters.md"
HEAD = """# Parameters

Every parameter of every engine, with its spelling on the command line, in a plan and in Python. This page is generated from the engines' requests (`make reference`); a test compares it with them.
Options that take a list may be repeated and take commas: `--label NAME --label DATE` is `--label NAME,DATE`. Mappings are written `--weights NAME=2,DATE=1`.
A value may carry arguments: `NAME[:ARGUMENT][,KEY=VALUE…]`, as `--risk small-groups:5`. In a plan and in Python it is the same text (`risk = "small-groups:5"`) or a table (`risk = { name = "small-groups", k = 5 }`). Spellings of an earlier version are accepted for one more, with a warning that shows the new one.
"""
VERBS = {
    "Request": "explore",
    "PublishRequest": "publish",
    "AttackRequest": "attack",
    "Choice": "publish: which candidate",
}


def default_of(about: Parameter) -> str:
    """Return a default as a plan would write it."""
    if about.required:
        return "required"
    value = about.default
    if value is None:
        return "–"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, list | tuple):
        return f"`[{', '.join(f'{v:g}' if isinstance(v, float) else str(v) for v in value)}]`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def row(about: Parameter, kind: str) -> str:
    """Return one line of a table."""
    argument = f"`{about.metavar or about.name.upper()}` (argument)"
    form = f" {about.metavar}" if about.compound is not None and about.metavar else ""
    option = argument if about.role == "data" else f"`{about.flag}{form}`".replace("|", "\\|")
    in_plan = about.in_plan and not (kind == "PublishRequest" and about.role == "data")
    if kind == "AttackRequest":
        in_plan = False
    key = (
        "`publish`"
        if kind == "PublishRequest" and about.role == "data"
        else f"`{about.name}`"
        if in_plan
        else "–"
    )
    if kind == "Choice":
        key = f"`choose.{about.name}`"
    words = about.help
    if about.choices is not None:
        words = f"{words.rstrip('.')}: {', '.join(f'`{c}`' for c in about.names)}."
    return f"| {option} | {key} | `{about.name}` | {default_of(about)} | {words.replace('|', chr(92) + '|')} |"


def section(engine: AnyEngine) -> list[str]:
    """Return the tables of one engine."""
    lines = [f"## {engine.title} (`{engine.name}`)", ""]
    for kind, verb in VERBS.items():
        model: type[Request] | None = getattr(engine, kind)
        if model is None:
            continue
        lines += [
            f"### {engine.name} {verb}",
            "",
            "| option | plan key | Python | default | what it does |",
            "|---|---|---|---|---|",
        ]
        lines += [row(about, kind) for about in parameters(model).values()]
        lines.append("")
    for verb in engine.verbs():
        lines += [f"### {engine.name} {verb.name}", "", verb.help, ""]
        rows = [row(about, "AttackRequest") for about in parameters(verb.Request).values()]
        if rows:
            lines += [
                "| option | plan key | Python | default | what it does |",
                "|---|---|---|---|---|",
            ]
            lines += [*rows, ""]
    return lines


def page() -> str:
    """Return the whole page."""
    engines = sorted(
        (e for e in ENGINES.values() if type(e).__module__.startswith("sfumato.")),
        key=lambda e: (e.order, e.name),
    )
    return "\n".join([HEAD, *(line for engine in engines for line in section(engine))])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"written: {PAGE.name}\n")
