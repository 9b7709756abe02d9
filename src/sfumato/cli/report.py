"""`sfumato report`: one page with what was published, what an adversary found and what it cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._running import DebugFlag, ForceFlag, JsonFlag, QuietFlag, running

__all__ = ["report"]


def report(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR...", help="Folders that explore, publish, attack or run wrote."
        ),
    ],
    pdf: Annotated[
        bool, typer.Option("--pdf", help="Write report.pdf, the certificate, too.")
    ] = False,
    charts: Annotated[
        bool, typer.Option("--charts", help="Write each chart as SVG, PNG and Vega-Lite JSON too.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the report; the first DIR by default.")
    ] = None,
    choose: Annotated[
        list[str] | None,
        typer.Option(help="PART=ID: report on this candidate where nothing was published."),
    ] = None,
    interactive: Annotated[
        bool,
        typer.Option("--interactive/--static", help="Interactive charts, or static drawings only."),
    ] = True,
    regime: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="REGIME",
            help="Answer the questions of a regime: ema, health-canada, hipaa, ontario:LEVEL, cms, wp216, ico, "
            "iso27559, quebec, eurostat and more, or a .toml file of your own.",
        ),
    ] = None,
    sign: Annotated[
        Path | None,
        typer.Option(
            metavar="KEY", help="Sign release and report with this OpenSSH key (Ed25519)."
        ),
    ] = None,
    language: Annotated[
        str, typer.Option(help="The language of the report: en, de, fr or es.")
    ] = "en",
    force: ForceFlag = False,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Run `sfumato report`."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..reports import ReportForm, write_report

        written = write_report(
            folders,
            ReportForm(pdf, charts, interactive, regime, language, sign),
            out=out,
            choose=_choices(choose or []),
            force=force,
        )
        console.result({name: str(path) for name, path in written.items()})
        for path in written.values():
            console.say(f"written: {path}")


def _choices(given: list[str]) -> dict[str, str]:
    from ..core.errors import ParameterError

    found = {}
    for choice in given:
        engine, equals, candidate = choice.partition("=")
        if not (equals and engine and candidate):
            raise ParameterError(
                "--choose takes the id of a part and that of a candidate.",
                hint="for example --choose tables=p17.",
            )
        found[engine] = candidate
    return found
