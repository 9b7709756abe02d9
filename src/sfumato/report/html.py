"""The page: one self-contained HTML file made from the facts, readable offline, on paper and without eyes."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from ..presentation.numbers import count, segments
from .charts import Chart, charts_of, point_says, to_svg
from .facts import Facts, facts_json
from .prose import glossary, methods, papers
from .words import Story, stories
from .words.shared import command

__all__ = [
    "LARGEST",
    "commands_of",
    "file_rows",
    "method_terms",
    "render_html",
    "setting_rows",
    "title_of",
]

LARGEST = 3_000_000
"""Bytes that a page may have; the interactive library is left out where it would go beyond."""

_SECTIONS = (("published", "What is published"), ("tradeoff", "The trade-off"), ("attack", "The attack"),
             ("cost", "The cost"), ("assumptions", "The assumptions"))  # fmt: skip
_LIVE = ("-frontier", "-attack")


def _icon(inner: str) -> str:
    return f'<svg width="26" height="14" viewBox="0 0 26 14" aria-hidden="true" focusable="false">{inner}</svg>'


_LINE = '<line x1="1" y1="7" x2="25" y2="7" stroke="{}" stroke-width="2"{}/>'
_SYMBOLS = {
    "line": _icon('<path d="M1 11 H9 V6 H17 V3 H25" fill="none" stroke="var(--blue)" stroke-width="2"/>'),
    "ring": _icon('<circle cx="13" cy="7" r="6" fill="none" stroke="var(--ink)" stroke-width="1.6"/><circle cx="13" cy="7" r="2.6" fill="var(--ink)"/>'),
    "diamond": _icon('<path d="M13 1 L18 7 L13 13 L8 7Z" fill="var(--orange)"/>'),
    "dot": _icon('<g fill="var(--rule)"><circle cx="6" cy="9" r="1.6"/><circle cx="13" cy="5" r="1.6"/><circle cx="20" cy="8" r="1.6"/></g>'),
    "A": _icon(_LINE.format("var(--green)", "") + '<rect x="9" y="3" width="8" height="8" fill="var(--green)"/>'),
    "B": _icon(_LINE.format("var(--blue)", "") + '<circle cx="13" cy="7" r="4.5" fill="var(--blue)"/>'),
    "outside": _icon(_LINE.format("var(--orange)", "") + '<path d="M13 2 L18 11 H8Z" fill="var(--orange)"/>'),
    "before": _icon(_LINE.format("var(--muted)", ' stroke-dasharray="5 4"') + '<circle cx="13" cy="7" r="4.2" fill="var(--card)" stroke="var(--muted)" stroke-width="1.6"/>'),
    "bound": _icon(_LINE.format("var(--ink)", ' stroke-dasharray="2 3"')),
    "random": _icon(_LINE.format("var(--grey)", ' stroke-dasharray="7 4"')),
    "ink": _icon('<rect x="7" y="1" width="12" height="12" rx="2" fill="var(--ink)"/>'),
    "blue": _icon('<rect x="7" y="1" width="12" height="12" rx="2" fill="var(--blue)"/>'),
}  # fmt: skip


def _anchor(term: str) -> str:
    return "about-" + term.replace(".", "-")


def title_of(told: Iterable[Story]) -> str:
    """Name a report after its parts."""
    return " · ".join(story.title for story in told)


def _inline_svg(drawing: dict[str, Any], chart: Chart, view: int) -> str:
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


def _json_for_script(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True).replace("<", "\\u003c")


def _zoomable(drawing: dict[str, Any]) -> dict[str, Any]:
    """Let people zoom and move the interactive form of a layered chart."""
    layers = [dict(layer) for layer in drawing["layer"]]
    named = next((i for i, layer in enumerate(layers) if layer.get("name") == "candidates"), -1)
    zoom = {"name": "zoom", "select": "interval", "bind": "scales"}
    layers[named] = {**layers[named], "params": [zoom]}
    return {**drawing, "layer": layers}


@cache
def _bundle() -> str:
    import vl_convert

    bundle: Any = vl_convert.javascript_bundle  # its stub asks for a snippet that is optional
    return str(bundle()).replace("</script", "<\\/script")


def _template(name: str) -> str:
    return (files("sfumato.report") / "templates" / name).read_text(encoding="utf-8")


def file_rows(facts: Facts) -> list[dict[str, str]]:
    """List every file that went in or came out, with its hash."""
    found = []
    if facts.plan is not None:
        found.append({"name": facts.plan.name, "role": "plan", "rows": "–", "sha256": facts.plan.sha256 or "–"})  # fmt: skip
    for part in facts.parts:
        seen = {(f.name, f.sha256) for f in part.inputs}
        fresh = tuple(f for f in part.published_from if (f.name, f.sha256) not in seen)
        roles = (("explored", part.inputs), ("published from", fresh), ("published", part.outputs))
        for role, listed in roles:
            found += [
                {"name": f.name, "role": f"{part.engine}, {role}", "rows": "–" if f.rows is None else count(f.rows),
                 "sha256": f.sha256 or "–"}
                for f in listed
            ]  # fmt: skip
    return found


def setting_rows(facts: Facts) -> list[tuple[str, str]]:
    """List seeds and versions."""
    rows = [(f"Seed ({part.id})", str(part.seed)) for part in facts.parts]
    rows += [(f"sfumato ({part.id})", part.version) for part in facts.parts]
    versions: dict[str, str] = {}
    for part in facts.parts:
        versions.update(part.versions)
    rows += [(name, version) for name, version in sorted(versions.items()) if name != "sfumato"]
    return [*rows, ("sfumato (this report)", facts.version)]


def commands_of(facts: Facts, told: list[Story]) -> list[str]:
    """List what to type to repeat everything: the plan if there was one, else each step."""
    if facts.plan is not None:
        return [command("sfumato", "run", facts.plan.name)]
    folders = (
        "exploration release" if any(part.published for part in facts.parts) else "exploration"
    )
    steps = [step for story in told for step in story.commands]
    return [*steps, f"sfumato report {folders} --pdf"]


def method_terms(facts: Facts) -> dict[str, list[dict[str, str]]]:
    """Give the method of each engine in the report, in the order of the parts."""
    engines = {part.engine for part in facts.parts}
    return {e: steps for e, steps in methods().items() if e in engines}


def _used_terms(facts: Facts) -> dict[str, dict[str, str | None]]:
    engines = {part.engine for part in facts.parts}
    shared = {"frontier", "area", "evaluations", "interval", "knee"}
    return {k: v for k, v in glossary().items() if k in shared or k.split(".")[0] in engines}


def _choosers(facts: Facts) -> list[dict[str, Any]]:
    """Offer the candidates of each part where nothing was published yet."""
    return [
        {
            "id": part.id,
            "title": f"{story.title}: which candidate?",
            "chosen": part.chosen.id if part.chosen else "",
            "points": [{"id": p.id, "words": point_says(part.engine, p)} for p in part.points if p.on_frontier],
        }
        for part, story in zip(facts.parts, stories(facts), strict=True)
        if not part.published and part.points
    ]  # fmt: skip


def render_html(facts: Facts, *, interactive: bool = True, choosing: bool = False) -> str:
    """Render the page.

    `interactive` adds the chart library where the page stays under `LARGEST` bytes; `choosing` adds the
    form with which the local server lets people walk along the frontier.
    """
    import jinja2
    from markupsafe import Markup

    told = stories(facts)
    charts = charts_of(facts)
    parts = []
    specs: dict[str, Any] = {}
    for part, story in zip(facts.parts, told, strict=True):
        shown = []
        for chart in charts[part.id]:
            live = chart.id.endswith(_LIVE)
            views = []
            for i, view in enumerate(chart.views):
                views.append({"name": view.name, "svg": Markup(_inline_svg(view.spec, chart, i))})  # noqa: S704 (drawn by us)
                if live:
                    specs[f"{chart.id}-{i}"] = Markup(_json_for_script(_zoomable(view.spec)))  # noqa: S704
            shown.append({"id": chart.id, "section": chart.section, "title": chart.title, "alt": chart.alt,
                          "views": views, "heads": chart.heads, "rows": chart.rows, "key": chart.key, "live": live})  # fmt: skip
        present = {chart["section"] for chart in shown}
        sections = [
            {"id": name, "title": title, "sentences": getattr(story, name) if name != "assumptions" else []}
            for name, title in _SECTIONS
            if getattr(story, name) or name in present
        ]  # fmt: skip
        parts.append({"story": story, "facts": part, "charts": shown, "sections": sections})

    terms = _used_terms(facts)
    several = len(told) > 1
    heres = {
        key: [f"{s.here[key]}{f' ({s.title})' if several else ''}" for s in told if key in s.here]
        for key in terms
    }
    cited = {step["paper"] for steps in method_terms(facts).values() for step in steps}
    cited |= {str(entry["paper"]) for entry in terms.values() if entry["paper"]}
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals.update(segments=segments, anchor=_anchor)

    def page(with_library: bool) -> str:
        return environment.get_template("report.html.j2").render(
            title=title_of(told),
            parts=parts,
            methods=method_terms(facts),
            papers={k: v for k, v in papers().items() if k in cited},
            files=file_rows(facts),
            settings=setting_rows(facts),
            facts_hash=hashlib.sha256(facts_json(facts).encode()).hexdigest(),
            glossary=terms,
            heres=heres,
            commands=commands_of(facts, told),
            version=facts.version,
            style=Markup(_template("style.css")),  # noqa: S704 (our own file)
            script=Markup(_template("page.js")),  # noqa: S704
            symbols={k: Markup(v) for k, v in _SYMBOLS.items()},  # noqa: S704
            interactive=with_library,
            choosers=_choosers(facts) if choosing else [],
            specs=specs if with_library else {},
            bundle=Markup(_bundle()) if with_library else "",  # noqa: S704
        )

    rendered = page(interactive and bool(specs))
    if len(rendered.encode()) > LARGEST:
        rendered = page(False)
    return rendered
