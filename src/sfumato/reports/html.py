"""The page: one self-contained HTML file made from the facts, readable offline, on paper and by a screen reader."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypedDict

from .._version import __version__
from ..core.command_lines import command_line
from ..core.engine import Part, engine_named
from ..core.records import InputFile, OutputFile
from ..core.regimes import REGIMES
from ..core.story import Chart, Paper, Story, Term
from ..presentation.drawing import to_svg
from ..presentation.knowledge import shared_terms
from ..presentation.language import LANGUAGES, current_language, say, speaking
from ..presentation.numbers import count, segments
from .board import Board, board_of
from .editions import cell_of, tell
from .facts import ReportFacts, facts_json

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = [
    "LARGEST",
    "board_for",
    "commands_of",
    "file_rows",
    "papers_of",
    "render_html",
    "script_sources",
    "setting_rows",
    "title_of",
]

LARGEST = 3_000_000
"""Bytes that a page may have; the interactive library is omitted if the page would be larger."""

_SECTIONS = (("published", "What is published"), ("tradeoff", "The trade-off"), ("attack", "The attack"),
             ("cost", "The cost"), ("assumptions", "The assumptions"), ("appendix", "Appendix"))  # fmt: skip


def _icon(inner: str) -> str:
    return f'<svg width="26" height="14" viewBox="0 0 26 14" aria-hidden="true" focusable="false">{inner}</svg>'


_LINE = '<line x1="1" y1="7" x2="25" y2="7" stroke="{}" stroke-width="2"{}/>'
_SYMBOLS = {
    "line": _icon('<path d="M1 11 H9 V6 H17 V3 H25" fill="none" stroke="var(--blue)" stroke-width="2"/>'),
    "band": _icon('<path d="M1 12 H9 V8 H17 V5 H25 V1 H17 V3 H9 V6 H1 Z" fill="var(--blue)" opacity="0.25"/>'),
    "ring": _icon('<circle cx="13" cy="7" r="6" fill="none" stroke="var(--ink)" stroke-width="1.6"/><circle cx="13" cy="7" r="2.6" fill="var(--ink)"/>'),
    "diamond": _icon('<path d="M13 1 L18 7 L13 13 L8 7Z" fill="var(--orange)"/>'),
    "dot": _icon('<g fill="var(--rule)"><circle cx="6" cy="9" r="1.6"/><circle cx="13" cy="5" r="1.6"/><circle cx="20" cy="8" r="1.6"/></g>'),
    "A": _icon(_LINE.format("var(--green)", "") + '<rect x="9" y="3" width="8" height="8" fill="var(--green)"/>'),
    "B": _icon(_LINE.format("var(--blue)", "") + '<circle cx="13" cy="7" r="4.5" fill="var(--blue)"/>'),
    "outside": _icon(_LINE.format("var(--orange)", "") + '<path d="M13 2 L18 11 H8Z" fill="var(--orange)"/>'),
    "before": _icon(_LINE.format("var(--muted)", ' stroke-dasharray="5 4"') + '<circle cx="13" cy="7" r="4.2" fill="var(--card)" stroke="var(--muted)" stroke-width="1.6"/>'),
    "limit": _icon(_LINE.format("var(--green)", ' stroke-dasharray="6 4"')),
    "bound": _icon(_LINE.format("var(--ink)", ' stroke-dasharray="2 3"')),
    "random": _icon(_LINE.format("var(--grey)", ' stroke-dasharray="7 4"')),
    "ink": _icon('<rect x="7" y="1" width="12" height="12" rx="2" fill="var(--ink)"/>'),
    "blue": _icon('<rect x="7" y="1" width="12" height="12" rx="2" fill="var(--blue)"/>'),
}  # fmt: skip


def _anchor(term: str) -> str:
    return "about-" + term.replace(".", "-")


def title_of(stories: Iterable[Story]) -> str:
    """Name a report after its parts."""
    return " · ".join(story.title for story in stories)


def _inline_svg(drawing: Mapping[str, object], chart: Chart, view: int) -> str:
    """Draw a chart for the page: one image to assistive technology, ids that no other chart has."""
    from markupsafe import escape

    svg = to_svg(drawing)
    prefix = f"{chart.id}-{view}-"
    svg = re.sub(r'\bid="([^"]+)"', lambda m: f'id="{prefix}{m[1]}"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", lambda m: f"url(#{prefix}{m[1]})", svg)
    svg = svg.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "").replace(
        ' xmlns="http://www.w3.org/2000/svg"', ""
    )
    return svg.replace("<svg ", f'<svg role="img" aria-label="{escape(chart.alt)}" ', 1)


def _json_for_script(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True).replace("<", "\\u003c")


def _zoomable(drawing: Mapping[str, Any]) -> dict[str, object]:
    """Let people zoom and move the interactive form of a layered chart."""
    layers = [dict(layer) for layer in drawing["layer"]]
    named = next((i for i, layer in enumerate(layers) if layer.get("name") == "candidates"), -1)
    zoom = {"name": "zoom", "select": "interval", "bind": "scales"}
    layers[named] = {**layers[named], "params": [zoom]}
    return {**drawing, "layer": layers}


@cache
def _bundle() -> str:
    """Return the chart library as one script, which says when it is ready."""
    import vl_convert

    bundle: Any = vl_convert.javascript_bundle  # its stub asks for a snippet that is optional
    library = str(bundle()).replace("</script", "<\\/script")
    return f'{library}\nwindow.dispatchEvent(new Event("vega-ready"));'


@cache
def script_sources() -> str:
    """Return the scripts that a report may run, by their hashes: its own and the chart library, nothing else.

    They are those that were written here, not those that are in a page: one that came in with the data
    is not among them.
    """
    digests = [hashlib.sha256(s.encode()).digest() for s in (_template("page.js"), _bundle())]
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


def _template(name: str) -> str:
    return (files("sfumato.reports") / "templates" / name).read_text(encoding="utf-8")


def file_rows(facts: ReportFacts) -> list[dict[str, str]]:
    """List every input and output file; only published files are shown with their hash."""
    found = []
    hidden = cell_of(facts) is not None
    if facts.plan is not None:
        found.append({"name": facts.plan, "role": say("plan"), "rows": "–", "sha256": "–"})
    for part in facts.parts:
        explored = part.frontier.inputs if part.frontier is not None else ()
        fresh: tuple[InputFile, ...] = ()
        written: tuple[OutputFile, ...] = ()
        if part.release is not None:
            known = {f.path for f in explored}
            fresh = tuple(f for f in part.release.inputs if f.path not in known)
            written = part.release.outputs
        roles = (
            (say("explored"), explored),
            (say("published from"), fresh),
            (say("published"), written),
        )
        found += [
            {
                "name": f.path,
                "role": f"{part.id}, {role}",
                "rows": "–" if f.rows is None or hidden else count(f.rows),
                "sha256": (f.sha256 or "–") if listed is written else say("stays private"),
            }
            for role, listed in roles
            for f in listed
        ]
    return found


def setting_rows(facts: ReportFacts) -> list[tuple[str, str]]:
    """List seeds and versions."""
    rows: list[tuple[str, str]] = []
    versions: dict[str, str] = {}
    for part in facts.parts:
        record = part.frontier or part.release
        if record is not None and cell_of(facts) is None:
            rows.append((say("Seed ({part})", part=part.id), str(record.seed)))
        if part.release is not None:
            versions.update(part.release.versions)
    return [*rows, *sorted(versions.items()), (say("sfumato (this report)"), __version__)]


def commands_of(facts: ReportFacts) -> list[str]:
    """List what to type to repeat everything: the plan if there was one, else each recorded request."""
    if facts.public or cell_of(facts) is not None:
        return []
    if facts.plan is not None:
        return [shlex.join(["sfumato", "run", facts.plan])]
    found, folders = [], []
    for part in facts.parts:
        engine, words = engine_named(part.engine), ("sfumato", part.engine)
        explored, released = f"{part.id}-explored", f"{part.id}-release"
        if part.frontier is not None:
            found.append(
                command_line(
                    (*words, "explore"), engine.Request, part.frontier.request, out=explored
                )
            )
            folders.append(explored)
        if part.release is not None:
            choice = ["--choose", part.release.candidate] if part.frontier is not None else []
            repeat = command_line(
                (*words, "publish", explored), engine.PublishRequest, part.release.request
            )
            found.append(shlex.join([*shlex.split(repeat), *choice, "--out", released]))
            folders.append(released)
        if part.attack is not None and engine.AttackRequest is not None:
            attacked = f"{part.id}-attack"
            found.append(
                f"mkdir -p {shlex.quote(attacked)} && "
                + command_line(
                    (*words, "attack"),
                    engine.AttackRequest,
                    part.attack.request,
                    out=f"{attacked}/attack.json",
                )
            )
            folders.append(attacked)
    return [*found, shlex.join(["sfumato", "report", *folders, "--out", "report"])]


def papers_of(stories: Iterable[Story], terms: Mapping[str, Term]) -> dict[str, Paper]:
    """Return the papers that the parts cite."""
    found: dict[str, Paper] = {}
    for story in stories:
        cited = {step.paper for step in story.method}
        cited |= {term.paper for term in terms.values() if term.paper is not None}
        found |= {key: paper for key, paper in story.papers.items() if key in cited}
    return found


def _terms(stories: Sequence[Story]) -> dict[str, Term]:
    found: dict[str, Term] = {}
    for story in stories:
        found |= story.glossary
    shared = shared_terms()
    if not any("[[knee|" in sentence for story in stories for sentence in story.published):
        shared.pop("knee", None)  # "nothing has been published yet" is wrong of a release
    return {**found, **shared} if found else {}


def board_for(facts: ReportFacts) -> Board | None:
    """Return the part of a report for the regime that it is made for."""
    if facts.regime is None:
        return None
    return board_of(facts.regime, facts.parts, facts.to_json())


def _regime_choices(facts: ReportFacts) -> dict[str, list[tuple[str, str, bool]]]:
    """Return what a report on the local page can be made for and written in: value, words, chosen."""
    own = "" if facts.regime is None else facts.regime.id
    regimes = [("", say("no regime"), not own)]
    regimes += [(key, regime.name, key == own) for key, regime in REGIMES.items()]
    languages = [(key, locale.name, key == facts.language) for key, locale in LANGUAGES.items()]
    return {"for": regimes, "language": languages}


def _chart_view(chart: Chart, specs: dict[str, Markup]) -> dict[str, object]:
    """Return a chart with its views drawn; the specs of live ones are kept for the page's script."""
    from markupsafe import Markup

    views = []
    for i, view in enumerate(chart.views):
        views.append({"name": view.name, "svg": Markup(_inline_svg(view.spec, chart, i))})  # noqa: S704 (drawn by us)
        if chart.live:
            specs[f"{chart.id}-{i}"] = Markup(_json_for_script(_zoomable(view.spec)))  # noqa: S704
    return {
        "id": chart.id,
        "section": chart.section,
        "title": chart.title,
        "alt": chart.alt,
        "views": views,
        "heads": chart.heads,
        "rows": chart.rows,
        "key": chart.key,
        "live": chart.live,
    }


class _Told(TypedDict):
    """One part as the template takes it."""

    story: Story
    sections: list[dict[str, object]]
    title: str


def _part_view(part: Part, story: Story, specs: dict[str, Markup]) -> _Told:
    """Return one part as the template takes it, section by section."""
    shown = [_chart_view(chart, specs) for chart in story.charts]
    sections = []
    for name, title in _SECTIONS:
        section = {
            "id": name,
            "title": say(title),
            "sentences": [] if name == "assumptions" else getattr(story, name),
            "grids": [g for g in story.grids if g.section == name],
            "chips": [c for c in story.chips if c.section == name],
            "charts": [c for c in shown if c["section"] == name],
        }
        if any(section[key] for key in ("sentences", "grids", "chips", "charts")) or (
            name == "assumptions" and story.assumptions
        ):
            sections.append(section)
    return {"story": story, "sections": sections, "title": say(engine_named(part.engine).title)}


def render_html(facts: ReportFacts, *, interactive: bool = True, asking: bool = False) -> str:
    """Return the page.

    Parameters
    ----------
    facts : Facts
        What the report is about.
    interactive : bool, default=True
        Whether the chart library is added, where the page stays under `LARGEST` bytes.
    asking : bool, default=False
        Whether the form is added with which the local page offers regimes and languages.

    """
    with speaking(facts.language):
        return _render(facts, interactive=interactive, asking=asking)


def _render(facts: ReportFacts, *, interactive: bool, asking: bool) -> str:
    import jinja2
    from markupsafe import Markup

    stories = tell(facts)
    specs: dict[str, Markup] = {}
    parts = [_part_view(p, s, specs) for p, s in zip(facts.parts, stories, strict=True)]
    terms = _terms(stories)
    several = len(stories) > 1
    heres = {
        key: [
            f"{s.here[key]}{f' ({s.title})' if several else ''}" for s in stories if key in s.here
        ]
        for key in terms
    }
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals.update(segments=segments, anchor=_anchor, _=say)

    def page(with_library: bool) -> str:
        return environment.get_template("report.html.j2").render(
            title=title_of(stories),
            language=current_language(),
            board=board_for(facts),
            parts=parts,
            methods={p["title"]: p["story"].method for p in parts if p["story"].method},
            papers=papers_of(stories, terms),
            files=file_rows(facts),
            settings=setting_rows(facts),
            facts_hash=hashlib.sha256(facts_json(facts).encode()).hexdigest(),
            glossary=terms,
            heres=heres,
            public=facts.public,
            commands=commands_of(facts),
            version=__version__,
            style=Markup(_template("style.css")),  # noqa: S704 (our own file)
            script=Markup(_template("page.js")),  # noqa: S704
            script_sources=Markup(script_sources()),  # noqa: S704
            symbols={k: Markup(v) for k, v in _SYMBOLS.items()},  # noqa: S704
            interactive=with_library,
            choices=_regime_choices(facts) if asking else {},
            specs=specs if with_library else {},
            bundle=Markup(_bundle()) if with_library else "",  # noqa: S704
        )

    rendered = page(interactive and bool(specs))
    if len(rendered.encode()) > LARGEST:
        rendered = page(False)
    return rendered
