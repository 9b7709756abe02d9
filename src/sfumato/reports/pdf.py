"""The certificate to file: the same facts as the page on a few sheets, typeset with typst.

Only the fonts that typst carries are used, and the date is that of the version of sfumato (archives ask for one), so
that the same facts give the same bytes. It is tagged PDF/A-2a and PDF/UA-1.
"""

from __future__ import annotations

import hashlib
import json
from importlib.resources import as_file, files

from .._version import __date__, __version__
from ..core.errors import WorkError
from ..core.story import Chart, Grid
from ..presentation.drawing import to_svg
from ..presentation.language import say, speaking
from ..presentation.numbers import count, segments
from .editions import tell
from .facts import ReportFacts, facts_json
from .html import board_for, commands_of, file_rows, papers_of, setting_rows, title_of

__all__ = ["render_pdf"]

_FONT = "Libertinus Serif"
_SYMBOLS = {
    "line": "steps", "band": "shade", "ring": "ring", "diamond": "diamonds", "dot": "dots", "A": "squares", "B": "circles",
    "limit": "green dashes", "outside": "triangles", "before": "hollow and dashed", "bound": "dotted line", "random": "grey dashes",
    "ink": "dark", "blue": "blue",
}  # fmt: skip
_CHARTS, _GRIDS, _ROWS = 2, 2, 8


def _key(chart: Chart) -> str:
    return "; ".join(
        say("{name}: {value}", name=say(_SYMBOLS[symbol]), value=words)
        for symbol, words in chart.key
    )


def _chart(chart: Chart, width: int) -> dict[str, object]:
    svg = to_svg(chart.views[0].spec, font=_FONT)
    return {"title": chart.title, "alt": chart.alt, "svg": svg, "key": _key(chart), "width": width}


def _grid(grid: Grid, most: int) -> dict[str, object]:
    """Return a table for the certificate: at most this many rows, those around the marked one."""
    first = (
        0 if grid.marked is None else max(0, min(grid.marked - most // 2, len(grid.rows) - most))
    )
    rows = grid.rows[first : first + most]
    more = len(grid.rows) - len(rows)
    return {
        "caption": say(
            "{caption} ({more} more rows are on the page)", caption=grid.caption, more=count(more)
        )
        if more
        else grid.caption,
        "heads": [head for head, _ in grid.heads],
        "rows": [list(row) for row in rows],
        "marked": None if grid.marked is None else grid.marked - first,
    }


def _said(sentences: list[str]) -> list[list[tuple[str, str | None]]]:
    return [segments(sentence) for sentence in sentences]


_WORDS = (
    "Release report", "Verdict", "Holds", "Look here", "Open", "Assumptions", "How to repeat it",
    (
        "The same inputs, version and seed give the same bytes. Words in capitals stand for files that the "
        "records do not name."
    ),
    "File", "Part", "Records", "SHA-256", "Facts", "Methods", "sections",
    "I have read the verdict, the points marked “Look here” and the assumptions.",
    "Name and role", "Signature", "Date", "Its rules", "Its questions", "Asked for", "Where",
    "What it asks for, and where it stands", "Where this was found", "Source", "How sure", "Of what",
)  # fmt: skip
"""What the template says itself, to be handed over in the language of the report."""


def _board(facts: ReportFacts) -> dict[str, object] | None:
    """Return the part for a regime as the template takes it."""
    board = board_for(facts)
    if board is None:
        return None
    return {
        "title": board.title,
        "sentences": board.sentences,
        "checks": [{"state": c.state, "text": c.text} for c in board.checks],
        "rules": board.rules,
        "questions": board.questions,
        "grid": None if board.grid is None else _grid(board.grid, len(board.grid.rows)),
        "answers": [
            {"what": a.what, "where": a.where, "blank": a.anchor is None} for a in board.answers
        ],
        "sources": [list(source) for source in board.sources],
    }


def _content(facts: ReportFacts) -> dict[str, object]:
    stories = tell(facts)
    few = len(stories) < 3
    width, rows = (82, _ROWS) if few else (56, _ROWS // 2)  # a certificate has six sheets at most
    terms = {key: term for story in stories for key, term in story.glossary.items()}
    parts = [
        {
            "title": story.title,
            "status": story.status,
            "verdict": _said(story.verdict),
            "stats": [{"value": s.value, "label": s.label, "note": s.note} for s in story.stats],
            "checks": [{"state": c.state, "text": c.text} for c in story.checks],
            "published": _said(story.published),
            "tradeoff": _said(story.tradeoff),
            "cost": _said(story.cost),
            "assumptions": _said(story.assumptions),
            "charts": [_chart(c, width) for c in _first(story.charts)],
            "grids_first": [_grid(g, rows) for g in story.grids if g.section == "published"][
                :_GRIDS
            ],
            "grids_last": [_grid(g, rows) for g in story.grids if g.section == "attack"][:1]
            or [_grid(g, rows) for g in story.grids if g.section == "tradeoff"][:1],
        }
        for story in stories
    ]
    return {
        "title": title_of(stories),
        "language": facts.language,
        "words": {word: say(word) for word in _WORDS},
        "board": _board(facts),
        "version": __version__,
        "date": list(__date__),
        "facts_hash": hashlib.sha256(facts_json(facts).encode()).hexdigest(),
        "parts": parts,
        "commands": commands_of(facts),
        "files": file_rows(facts),
        "settings": setting_rows(facts),
        "papers": [
            {
                "title": paper.title,
                "authors": paper.authors,
                "sections": list(dict.fromkeys(s.split(" ")[0] for s in paper.sections.values())),
            }
            for paper in papers_of(stories, terms).values()
        ],
    }


def _first(charts: list[Chart]) -> list[Chart]:
    """Return the charts of the certificate: the first one of the trade-off and of each other section."""
    by_section: dict[str, Chart] = {}
    for chart in charts:
        by_section.setdefault(chart.section, chart)
    return list(by_section.values())[:_CHARTS]


def render_pdf(facts: ReportFacts) -> bytes:
    """Typeset the certificate."""
    import typst

    with speaking(facts.language):
        content = json.dumps(_content(facts), ensure_ascii=False, sort_keys=True)
    with as_file(files("sfumato.reports") / "templates" / "report.typ") as template:
        try:
            made: bytes = typst.compile(
                str(template),
                format="pdf",
                sys_inputs={"data": content},
                ignore_system_fonts=True,
                timestamp=0,
                pdf_standards=["a-2a", "ua-1"],
            )
        except typst.TypstError as error:
            raise WorkError("The certificate could not be typeset.") from error
    return made
