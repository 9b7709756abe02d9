"""Writes the pages that are made from requests, regimes and result files: `make reference`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

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

What `sfumato report --for REGIME` answers, and which limits `--choose for:REGIME` respects. This page is generated from the regimes file (`make reference`); a test compares the two. The file was last compared with its sources on {day}.
A source is *read* (in the authority's own words), *reported* (by somebody else; the original was not opened) or *recalled*. Only a number that was read gets a verdict; a reported number is compared and marked as reported. This is decision support, not a determination. If you have read an original that was not opened here, please tell us what it says.
"""
RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
OTHERS_PAGE = Path(__file__).parent / "explanation" / "beside-others.md"
OTHERS_HEAD = """# Comparison with other tools

As of 16 November 2026. Figures on this page come from `benchmarks/results/anonymity.json` and `others.json` and are written by `make reference`; a test compares the two. A tool without a figure was not measured: it could not be installed where we measure, and the statements about it are from its documentation.

## Tables: what k-anonymity costs

Utility kept (1 is the unchanged table, by KL divergence) at the same k, on five open tables with hierarchies. "Best of full domain" is the best of *all* ways to choose one level for each hierarchy: ARX searches this space, so it can find no better one under this loss. anjana chooses levels greedily. SHS and RCS are the searches of the paper that the tables engine implements, with the same number of evaluations. In the last two columns at most {share:g} % of the records may be left out.
"""
DIVERSITY_HEAD = """
Under diversity and closeness, with and without leaving out records, on six tables: the utility of sfumato over that of the best of full domain, SHS and RCS, each with {evaluations:,} evaluations (full domain measures all choices of levels; groups that are small, or lack diversity or closeness, are left out in the same way). It is nowhere below {least:g}. Larger tables were sampled evenly down to the number of rows shown.
"""
PATTERNS_HEAD = """
From the paper, the lattice, the measures and the idea of a frontier held. Its searches did not: on larger tables they stop far from the frontier ([tables](tables.md)).

## Text: what patterns find without learning

Presidio {version} finds names and places with a language model that comes from no package registry, so it could not be installed where we measure. Its patterns, check digits and context words could. They are compared with sfumato's built-in rules, which have learned nothing either; names and places are left out on both sides. The figures are shares of the labelled words of each kind that are covered by any finding. presidio_synth_v2 is Presidio's own generated test set; asq_phi holds clinical questions and enron_emailcoref real e-mail threads.
"""
PATTERNS_TAIL = """
Here Presidio covers fewer harmless words and finds every IBAN. The rules are better at dates in words (which Presidio leaves to its model, so its figure for dates is not that of a full installation) and at hospital numbers. Neither knew which kinds count: an age or the date of a mail that a corpus does not mark is a harmless word here. Without a threshold Presidio keeps findings with very low scores; its users set one. None of these figures says what is *left* of a release, which depends on names: for that, sfumato learns from your documents, or starts from [Presidio's findings](../how-to/findings-of-another-tool.md).
"""
OTHERS_TAIL = """

## Which tool for what

| tool | what it does better than sfumato | what sfumato adds | measured here |
|---|---|---|---|
| [ARX](https://arx.deidentifier.org) | a mature desktop program; more privacy models (δ-presence, differential privacy, population models) | bands of unequal width beyond one level per hierarchy; the whole frontier; notes and baskets; a signed report | its search space, above |
| [sdcMicro](https://github.com/sdcTools/sdcMicro) | more kinds of perturbation (shuffling, rank swapping, correlated noise), use in statistical offices | a proof of how good any policy can be; releases measured from the written file | no |
| [Amnesia](https://amnesia.openaire.eu) | a simple page for k- and kᵐ-anonymity, run as a service | absences, attacks, what classification loses | no |
| [anjana](https://github.com/IFCA-Advanced-Computing/anjana) | a small library, many models in a few lines | the search | above |
| [pycanon](https://github.com/IFCA-Advanced-Computing/pycanon) | checks many more properties of an existing table | makes the table | as an oracle of our tests: k, l and t are the same |
| [Presidio](https://microsoft.github.io/presidio/) | recognisers for dozens of identifiers in many languages without any labels; images and DICOM; a service to call | learns from your documents, says what is *left* with a range, attacks its own release; [starts from Presidio's findings](../how-to/findings-of-another-tool.md) | its patterns, above; not its models |
| [OpenMed](https://openmed.life) | pretrained clinical models that run on a device, many entity types | as for Presidio | no: the package is in the registry, its models are not |
| Privacy Filter (open weights) | a large pretrained redactor, no training | as for Presidio; an encoder of your own joins as a learner ([encoder](../how-to/encoder.md)) | no |

If you need a redactor today and have nobody to label, use Presidio or a pretrained model, and audit the result ([audit](../how-to/audit.md)). If you need noise rather than bands, use sdcMicro. Use sfumato if you want to see the trade-off before you decide, and to show a review board a number with its range.
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


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def others_page() -> str:
    """Return the page that puts other tools beside sfumato: what was measured, and what they do better."""
    results = json.loads((RESULTS / "anonymity.json").read_text(encoding="utf-8"))
    tables = {name: table for name, table in results["tables"].items() if "utility" in table}
    lines = [OTHERS_HEAD.format(share=100 * results["share_suppressed"])]
    columns = ("exchange", "full domain", "anjana", "shs", "rcs")
    lines += [
        "| table | rows | k | sfumato | best of full domain (ARX's space) | anjana | SHS | RCS | sfumato, a few records left out | full domain, the same |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, table in tables.items():
        for k, found in sorted(
            table["utility"].items(), key=lambda entry: int(entry[0].split()[1])
        ):
            cells = [_share(found.get(column)) for column in columns]
            cells += [_share(found.get(f"{c}, records left out")) for c in columns[:2]]
            lines.append(f"| {name} | {table['rows']:,} | {k.split()[1]} | {' | '.join(cells)} |")
    lines += [
        "",
        "The paper's own searches have the same number of evaluations here; what they leave open is the area under the frontier (smaller is better):",
        "",
        "| table | evaluations | sfumato | SHS | RCS |",
        "|---|--:|--:|--:|--:|",
    ]
    for name, table in tables.items():
        for evaluations, areas in sorted(table["areas"].items(), key=lambda entry: int(entry[0])):
            means = [f"{areas[c]['mean']:.3f}" for c in ("exchange", "shs", "rcs")]
            lines.append(f"| {name} | {int(evaluations):,} | {' | '.join(means)} |")
    return "\n".join([*lines, *_diversity(results), *_patterns(), OTHERS_TAIL])


def _diversity(results: dict[str, Any]) -> list[str]:
    """Return the utilities under diversity over those of the best of the others, a column a table."""
    ratios = dict(results["diversity_ratios"])
    least = ratios.pop("least")["of all"]
    tables = {n: t["diversity"]["rows"] for n, t in sorted(results["tables"].items())}
    lines = [
        DIVERSITY_HEAD.format(evaluations=results["evaluations"], least=least),
        f"| asked for | {' | '.join(f'{name} ({rows:,} rows)' for name, rows in tables.items())} |",
        f"|---|{'--:|' * len(tables)}",
    ]
    order = sorted(ratios, key=lambda asked: (int(asked.split(",")[0].split()[1]), asked))
    for asked in order:
        cells = (f"{ratios[asked][name]:.3f}" for name in tables)
        lines.append(f"| {asked} | {' | '.join(cells)} |")
    return lines


def _patterns() -> list[str]:
    """Return what Presidio's patterns and the built-in rules cover of each label."""
    results = json.loads((RESULTS / "others.json").read_text(encoding="utf-8"))
    corpora = results["corpora"]
    sides = list(next(iter(corpora.values()))["harmless_covered"])
    lines = [
        PATTERNS_HEAD.format(version=results["presidio"]["presidio-analyzer"]),
        f"| corpus | label | words | {' | '.join(sides)} |",
        f"|---|---|--:|{'--:|' * len(sides)}",
    ]
    for name, found in corpora.items():
        for label, own in found["found"].items():
            cells = " | ".join(f"{own[side]:.3f}" for side in sides)
            lines.append(f"| {name} | {label} | {own['words']:,} | {cells} |")
        harmless = " | ".join(f"{found['harmless_covered'][side]:.4f}" for side in sides)
        lines.append(f"| {name} | *harmless words covered* | {found['words']:,} | {harmless} |")
    return [*lines, PATTERNS_TAIL]


def page() -> str:
    """Return the whole page."""
    engines = sorted(
        (e for e in ENGINES.values() if type(e).__module__.startswith("sfumato.")),
        key=lambda e: (e.order, e.name),
    )
    return "\n".join([HEAD, *(line for engine in engines for line in section(engine))])


if __name__ == "__main__":
    import figures  # beside this script

    import papers

    PAGE.write_text(page(), encoding="utf-8")
    REGIMES_PAGE.write_text(regimes_page(), encoding="utf-8")
    OTHERS_PAGE.write_text(others_page(), encoding="utf-8")
    papers.PAGE.write_text(papers.page(), encoding="utf-8")
    figures.PICTURE.write_text(
        figures.draw(papers.read_results("tables_figures")), encoding="utf-8"
    )
    written = (PAGE, REGIMES_PAGE, OTHERS_PAGE, papers.PAGE)
    sys.stdout.write(f"written: {', '.join(page.name for page in written)}\n")
