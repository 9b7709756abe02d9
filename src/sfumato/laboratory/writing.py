"""What the studies write alike: tidy rows as CSV, and charts in the report's style."""

from __future__ import annotations

import csv
import io
import json
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..core.files import read_json, whole_file, write_json
from ..presentation.drawing import BLUE, GREEN, INK, ORANGE, PAPER, theme

__all__ = ["SCHEMA", "draw_charts", "with_style", "write_charts", "write_csv"]

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_CHARACTER = 7.5  # pixels of an average character of a title
_MIN_TITLE = 24
_SERIES = (
    BLUE,
    ORANGE,
    GREEN,
    INK,
    "#8c6bb1",
    "#c2a33c",
    "#5f9ea0",
    "#a0522d",
    "#7f8c8d",
    "#d45087",
)


def write_csv(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows as CSV, whole; the columns are those of all rows, in their first order.

    Parameters
    ----------
    path : Path
        The file; one that exists is replaced.
    rows : sequence of mapping
        The rows.

    """
    columns = list(dict.fromkeys(key for row in rows for key in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    with whole_file(path, force=True) as partial:
        partial.write_text(text.getvalue(), encoding="utf-8")


def with_style(spec: Mapping[str, object], *, width: float) -> dict[str, object]:
    """Return a Vega-Lite specification with the report's theme, its title broken to fit.

    Parameters
    ----------
    spec : mapping
        The specification; its "title" is one string.
    width : float
        How wide the chart is drawn, in pixels.

    >>> with_style({"title": "one two three four five six"}, width=100)["title"]["text"]
    ['one two three four five', 'six']

    """
    limit = max(_MIN_TITLE, int(width / _CHARACTER))
    title = textwrap.wrap(str(spec.get("title", "")), limit)
    rest = {key: value for key, value in spec.items() if key != "title"}
    return {
        "$schema": SCHEMA,
        **({"title": {"text": title, "anchor": "start"}} if title else {}),
        "config": {**theme(), "background": PAPER, "range": {"category": list(_SERIES)}},
        **rest,
    }


def write_charts(folder: Path, specs: Mapping[str, Mapping[str, object]]) -> None:
    """Write specifications as NAME.vl.json into a folder.

    Parameters
    ----------
    folder : Path
        The folder; it is made where it does not exist.
    specs : mapping from str to mapping
        The specifications by name.

    """
    folder.mkdir(exist_ok=True)
    for name, spec in specs.items():
        write_json(folder / f"{name}.vl.json", spec, force=True)


def draw_charts(folder: Path) -> None:
    """Draw every specification of a folder as SVG next to it.

    Parameters
    ----------
    folder : Path
        Where `write_charts` wrote.

    """
    import vl_convert

    for path in sorted(folder.glob("*.vl.json")):
        picture = vl_convert.vegalite_to_svg(json.dumps(read_json(path)))
        with whole_file(
            path.with_name(path.name.replace(".vl.json", ".svg")), force=True
        ) as partial:
            partial.write_text(picture, encoding="utf-8")
