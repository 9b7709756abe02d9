"""`sf.report`: a report from Python."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from ..core.errors import ParameterError
from .writing import ReportForm, write_report

__all__ = ["Report", "report"]


@dataclass(frozen=True)
class Report:
    """Where a report was written: the page, its facts and, where they were asked for, the PDF and the charts."""

    html: Path
    facts: Path
    pdf: Path | None = None
    charts: Path | None = None
    private: Path | None = None
    """The steward's own edition, with the frontier and the attacks, where something was published."""

    def __repr__(self) -> str:
        names = [path.name for path in (self.facts, self.pdf, self.charts) if path is not None]
        return f"<Report {self.html}; {', '.join(names)}>"

    def _repr_html_(self) -> str:
        return f"<p>Report: <a href='{escape(self.html.absolute().as_uri())}'>{escape(str(self.html))}</a></p>"


def report(
    *folders: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    pdf: bool = False,
    charts: bool = False,
    interactive: bool = True,
    choose: Mapping[str, str] | None = None,
    plan: str | os.PathLike[str] | None = None,
    regime: str | os.PathLike[str] | None = None,
    language: str = "en",
    sign: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> Report:
    """Report on explorations, releases and attacks: one page that opens offline.

    Parameters
    ----------
    *folders : path
        Folders that explore, publish, attack or run wrote; several make one report.
    out : path, optional
        Folder for the report; the first folder by default.
    pdf : bool, default=False
        Whether the certificate, report.pdf, is written too.
    charts : bool, default=False
        Whether each chart is written as SVG, PNG and Vega-Lite JSON too.
    interactive : bool, default=True
        Whether charts can be zoomed.
    choose : dict of str to str, optional
        The candidate to report on where nothing was published yet, by the part's id.
    plan : path, optional
        The plan that made the folders; a plan.toml in one of them is found without it.
    regime : str or path, optional
        What the report is made for: "ema", "ontario:high", or a file with a regime of your own.
    language : {'en', 'de', 'fr', 'es'}, default='en'
        The language of the report.
    sign : path, optional
        The OpenSSH key (Ed25519) that release and report are signed with.
    force : bool, default=False
        Whether files of other makers are replaced. An older report is, always: it can be made again.

    Returns
    -------
    Report
        Where report.html and facts.json are, and the PDF and the charts if they were asked for.

    """
    if not folders:
        raise ParameterError(
            "report needs a folder.", hint="give what explore, publish, attack or run wrote."
        )
    written = write_report(
        folders,
        ReportForm(pdf, charts, interactive, regime, language, sign),
        out=out,
        choose=choose,
        plan=plan,
        force=force,
    )
    return Report(
        written["report.html"],
        written["facts.json"],
        written.get("report.pdf"),
        written.get("charts"),
        written.get("private report.html"),
    )
