"""Writing a report: facts.json, report.html and, if wanted, report.pdf and the charts, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.files import check_output, whole_directory, whole_file, write_json

if TYPE_CHECKING:
    from .facts import Facts

__all__ = ["write_report"]


def write_report(
    folders: Sequence[str | os.PathLike[str]],
    *,
    out: str | os.PathLike[str] | None = None,
    pdf: bool = False,
    charts: bool = False,
    interactive: bool = True,
    choose: Mapping[str, str] | None = None,
    plan: str | os.PathLike[str] | None = None,
    force: bool = True,
) -> dict[str, Path]:
    """Report on explorations and releases; return the paths of what was written, by name.

    Parameters
    ----------
    folders : sequence of paths
        Folders that explore, publish, attack or run wrote; several make one report.
    out : path, optional
        Folder for the report; the first folder by default.
    pdf, charts : bool
        Whether the certificate and the single charts are written too.
    interactive : bool, default=True
        Whether charts can be zoomed.
    choose : mapping of str to str, optional
        The candidate to report on where nothing was published yet, by the part's id.
    plan : path, optional
        The plan that made the folders; a plan.toml in one of them is found without it.
    force : bool, default=True
        Whether an older report is replaced; it can be made again at any time.

    """
    from .facts import Facts, facts_json
    from .parts import find_parts

    parts = find_parts(folders, chosen=choose)
    plans = [path for folder in folders if (path := Path(folder) / "plan.toml").is_file()]
    if plan is None and len(plans) == 1:
        plan = plans[0]
    facts = Facts(tuple(parts), None if plan is None else Path(plan).name)
    target = Path(folders[0] if out is None else out)
    if target.is_file():
        target = target.parent
    names = ["facts.json", "report.html", *(["report.pdf"] if pdf else [])]
    if not target.is_dir():
        check_output(target)
        target.mkdir()
    for name in [*names, *(["charts"] if charts else [])]:
        check_output(target / name, force=force)

    from .html import render_html

    made: dict[str, bytes] = {
        "facts.json": facts_json(facts).encode(),
        "report.html": render_html(facts, interactive=interactive).encode(),
    }
    if pdf:
        from .pdf import render_pdf

        made["report.pdf"] = render_pdf(facts)
    for name in names:
        with whole_file(target / name, force=force) as beside:
            beside.write_bytes(made[name])
    written = {name: target / name for name in names}
    if charts:
        with whole_directory(target / "charts", force=force) as beside:
            _write_charts(facts, beside)
        written["charts"] = target / "charts"
    return written


def _write_charts(facts: Facts, folder: Path) -> None:
    """Write each view of each chart as a Vega-Lite spec and as SVG and PNG."""
    from ..presentation.drawing import to_png, to_svg
    from .parts import stories

    for chart in (chart for story in stories(facts.parts) for chart in story.charts):
        for view in chart.views:
            words = [chart.id, *view.name.lower().split()[:1]]
            name = "-".join(words)
            write_json(folder / f"{name}.vl.json", view.spec)
            (folder / f"{name}.svg").write_text(to_svg(view.spec), encoding="utf-8")
            (folder / f"{name}.png").write_bytes(to_png(view.spec))
