"""Writes reference/parameters.md and reference/regimes.md from what declares them: `make reference`."""

from __future__ import annotations

import sys
from pathlib import Path

from sfumato.core.engine import ENGINES, AnyEngine
from sfumato.core.regimes import REGIMES, Regime, review_date
from sfumato.core.request import Parameter, Request, parameters

PAGE = Path(__file__).parent / "reference" / "parameters.md"
HEAD = """# Parameters

Every parameter of every engine, with its spelling on the command line, in a plan and in Python. This page is generated from the engines' requests (`make reference`); a test compares it with them.
Options that take a list may be repeated and take commas: `--label NAME --label DATE` is `--label NAME,DATE`. Mappings are written `--weights NAME=2,DATE=1`.
A value may carry arguments: `NAME[:ARGUMENT][,KEY=VALUE…]`, as `--risk small-groups:5`. In a plan and in Python it is the same text (`risk = "small-groups:5"`) or a table (`risk = { name = "small-groups", k = 5 }`). Spellings of an earlier version are accepted for one more, with a warning that shows the new one.
"""
REGIMES_PAGE = PAGE.with_name("regimes.md")
REGIMES_HEAD = """# Regimes

What `sfumato report --for REGIME` answers, and what `--choose for:REGIME` keeps to. This page is generated from the regimes file (`make reference`); a test compares the two. The file was last compared with its sources on {day}.
A source is *read* (in the authority's own words), *reported* (by somebody else; the original was not opened) or *recalled*. Only a number that was read carries a verdict; one that was reported is compared, and said to be reported. Decision support, not a determination: tell us what you read in an original that was not opened here.
"""
PLACES = {
    "sign": "to be written and signed",
    "board": "the figures of its own part",
    "repeat": "method, and how to repeat it",
}
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


def number_of(regime: Regime) -> str:
    """Return what a regime says in numbers."""
    if regime.limits:
        sizes = [f"{level.name or ''} {level.size} ({level.value:g})" for level in regime.limits]
        return f"groups of {', '.join(size.strip() for size in sizes)}; {regime.sure_of(regime.number)}"
    if regime.cell is not None:
        return f"no count of {regime.cell.low} to {regime.cell.high} in an output"
    return {"none": "none", "list": "a list of rules", "office": "set by each office"}[
        regime.number
    ]


def regimes_page() -> str:
    """Return the page of regimes."""
    lines = [REGIMES_HEAD.format(day=review_date())]
    for regime in REGIMES.values():
        lines += [
            f"## `{regime.id}`: {regime.name}\n",
            f"{regime.instrument}; {regime.authority}. Kind: {regime.binding}. Number: {number_of(regime)}.\n",
        ]
        lines += [f"> {regime.words}\n"] if regime.words else []
        lines += [f"- {line}" for line in (*regime.rules, *regime.questions)]
        lines += [""] if regime.rules or regime.questions else []
        lines += ["| asked for | where the report has it |", "|---|---|"]
        lines += [f"| {ask.what} | {PLACES.get(ask.at, ask.at)} |" for ask in regime.ask]
        lines += ["", "| source | date | how sure | of what |", "|---|---|---|---|"]
        lines += [
            f"| {source.title} | {source.date or '–'} | {source.sure} | {', '.join(source.of)} |"
            for source in regime.sources
        ]
        lines += ["", *([f"{regime.note}\n"] if regime.note else [])]
    return "\n".join(lines)


def page() -> str:
    """Return the whole page."""
    engines = sorted(
        (e for e in ENGINES.values() if type(e).__module__.startswith("sfumato.")),
        key=lambda e: (e.order, e.name),
    )
    return "\n".join([HEAD, *(line for engine in engines for line in section(engine))])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    REGIMES_PAGE.write_text(regimes_page(), encoding="utf-8")
    sys.stdout.write(f"written: {PAGE.name}, {REGIMES_PAGE.name}\n")
