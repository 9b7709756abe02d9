"""Writing a report: facts.json, report.html and, if asked for, report.pdf and the charts, whole or not at all.

Where something was published there are two editions. What is in the folder of the report may be published: it
is about the releases alone, and nothing in it was measured on the raw data. The other one, with the
frontier, the attacks and every figure in full, is for the steward and is in the private folder next to it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import ParameterError
from ..core.files import write_json
from ..core.storage.private_folder import private_folder_of
from ..core.storage.staging import whole_directory, whole_files
from ..core.storage.work_folder import WorkFolder
from ..presentation.language import check_language
from .signing import SIGNATURE_FILE, SUMS_FILE, load_signing_key, sign_files

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from ..core.regimes import Regime
    from .facts import ReportFacts

__all__ = ["ReportForm", "write_report"]


@dataclass(frozen=True)
class ReportForm:
    """Which files a report consists of, what it is made for, and how it is written.

    Parameters
    ----------
    pdf, charts : bool, default=False
        Whether the certificate and the single charts are written too.
    interactive : bool, default=True
        Whether charts can be zoomed.
    regime : str or path, optional
        What the report is made for: an id such as "ema", an id and a level, or a file of one regime.
    language : str, default="en"
        The language of the report.
    sign : path, optional
        The key that signs what may be published.

    """

    pdf: bool = False
    charts: bool = False
    interactive: bool = True
    regime: str | os.PathLike[str] | None = None
    language: str = "en"
    sign: str | os.PathLike[str] | None = None

    @property
    def names(self) -> list[str]:
        """The names of the files and folders that are written."""
        names = ["facts.json", "report.html", *(["report.pdf"] if self.pdf else [])]
        names += [SUMS_FILE, SIGNATURE_FILE] if self.sign is not None else []
        return [*names, "charts"] if self.charts else names

    def find_regime(self) -> Regime | None:
        """Return the regime; what cannot be written is refused before anything is read."""
        from ..core.regimes import find_regime

        check_language(self.language)
        found = None if self.regime is None else find_regime(self.regime)
        if self.charts and found is not None and found.cell is not None:
            raise ParameterError(
                f"A report for {found.name} has no charts.", hint="leave the charts out."
            )
        return found


def write_report(
    folders: Sequence[str | os.PathLike[str]],
    form: ReportForm | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    choose: Mapping[str, str] | None = None,
    plan: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> dict[str, Path]:
    """Report on explorations and releases; return the paths of what was written, by name.

    Parameters
    ----------
    folders : sequence of paths
        Folders that explore, publish, attack or run wrote; several make one report.
    form : ReportForm, optional
        Which files are written, for which regime and in which language.
    out : path, optional
        Folder for the report; the first folder by default.
    choose : mapping of str to str, optional
        The candidate to report on where nothing was published yet, by the part's id.
    plan : path, optional
        The plan that made the folders; a plan.toml in one of them is found without it.
    force : bool, default=False
        Whether files of other makers at the report's names are replaced. An older report is, always:
        it can be made again at any time.

    """
    from .facts import ReportFacts
    from .parts import find_parts, public_parts

    form = form or ReportForm()
    regime = form.find_regime()
    parts = find_parts(folders, chosen=choose)
    plans = [path for folder in folders if (path := Path(folder) / "plan.toml").is_file()]
    if plan is None and len(plans) == 1:
        plan = plans[0]
    name = None if plan is None else Path(plan).name
    full = ReportFacts(tuple(parts), name, regime=regime, language=form.language)
    target = Path(folders[0] if out is None else out)
    if target.is_file():
        target = target.parent
    released = public_parts(parts)
    key = None if form.sign is None else load_signing_key(form.sign)
    if key is not None and not released:
        raise ParameterError("There is no release to sign.", hint="publish something first.")
    if not released:  # nothing was published: the report is the steward's
        return _write(full, target, form, force=force, private=True)
    public = replace(full, parts=tuple(released), public=True)
    files = [file for part in released for file in part.files]
    written = _write(public, target, form, force=force, signing=(files, key))
    form = replace(form, sign=None)  # the steward's edition is not signed
    kept = _write(full, private_folder_of(target), form, force=force, private=True)
    return written | {f"private {name}": path for name, path in kept.items()}


def _write(
    facts: ReportFacts,
    target: Path,
    form: ReportForm,
    *,
    force: bool,
    private: bool = False,
    signing: tuple[Sequence[Path], Ed25519PrivateKey | None] = ((), None),
) -> dict[str, Path]:
    """Write one edition into a folder that is new, or that holds an older report of ours."""
    from .facts import facts_json
    from .html import render_html

    # A run that was killed right after its folder had appeared left the folder that it worked in.
    WorkFolder(target).recover_if_left()
    if target.is_dir():
        ours = _ours(target, [*form.names, "report.pdf", "charts", SUMS_FILE, SIGNATURE_FILE])
        staged = whole_files(
            target / "report.html", force=force, ours=ours, private=private, last="facts.json"
        )
    else:  # a new folder appears whole
        staged = whole_directory(target, private=private)
    with staged as stage:
        (stage / "facts.json").write_text(facts_json(facts), encoding="utf-8")
        page = render_html(facts, interactive=form.interactive)
        (stage / "report.html").write_text(page, encoding="utf-8")
        if form.pdf:
            from .pdf import render_pdf

            (stage / "report.pdf").write_bytes(render_pdf(facts))
        if form.charts:
            (stage / "charts").mkdir()
            _write_charts(facts, stage / "charts")
        if form.sign is not None:
            sign_files(stage, target, *signing)
    return {name: target / name for name in form.names}


def _ours(folder: Path, names: Sequence[str]) -> list[str]:
    """Return the names of the files of an older report: it can be made again at any time.

    A report is ours when its page names the hash of the facts.json next to it.
    """
    facts, page = folder / "facts.json", folder / "report.html"
    if facts.is_symlink() or page.is_symlink() or not (facts.is_file() and page.is_file()):
        return []
    digest = hashlib.sha256(facts.read_bytes()).hexdigest()
    return list(names) if digest.encode() in page.read_bytes() else []


def _write_charts(facts: ReportFacts, folder: Path) -> None:
    """Write each view of each chart as a Vega-Lite spec and as SVG and PNG."""
    from ..presentation.drawing import to_png, to_svg
    from ..presentation.language import speaking
    from .editions import tell

    with speaking(facts.language):
        stories = tell(facts)
    for chart in (chart for story in stories for chart in story.charts):
        for view in chart.views:
            words = [chart.id, *view.name.lower().split()[:1]]
            name = "-".join(words)
            write_json(folder / f"{name}.vl.json", view.spec)
            (folder / f"{name}.svg").write_text(to_svg(view.spec), encoding="utf-8")
            (folder / f"{name}.png").write_bytes(to_png(view.spec))
