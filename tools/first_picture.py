"""The first picture of the README, one record as it is and as it is released, from what `make demo` wrote: `make pictures`."""

from __future__ import annotations

import csv
import json
import re
import sys
from html import escape
from pathlib import Path

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
SHOWN = ("age", "sex", "group", "area", "diagnosis")
_LINES, _WIDTH = 6, 42


def figures_of(run: Path) -> dict[str, float]:
    """Return the numbers of the picture, from the steward's facts of a run of the demo."""
    parts = {
        part["id"]: part["release"]
        for part in json.loads((run / "private" / "facts.json").read_text(encoding="utf-8"))[
            "parts"
        ]
    }
    table, text = parts["tables"]["measured"], parts["text"]
    leak, documents = text["documents_with_leak"], text["counts"]["documents"]
    low, high = text["risk"]["interval"]
    return {
        "records": parts["tables"]["counts"]["rows"],
        "matched_before": round(table["expected_unchanged"]),
        "matched": round(table["expected_reidentified"]),
        "left_percent": round(100 * text["risk"]["value"], 2),
        "left_low": round(100 * low, 2),
        "left_high": round(100 * high, 2),
        "documents": documents,
        "leaking": round(leak["value"] * documents),
        "leaking_low": round(leak["low"] * documents),
        "leaking_high": round(leak["high"] * documents),
    }


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _holds(band: str, value: str) -> bool:
    """Return whether a published value may stand for a value."""
    ends = re.fullmatch(r"(\d+)-(\d+)", band)
    if ends is not None and value.isdigit():
        return int(ends[1]) <= int(value) <= int(ends[2])
    return band in {value, "*"} or value in band.split("|")


def example_of(demo: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Return a record of the sample that only one published row can be, and that row."""
    name = "register_with_notes.csv"
    published = _rows(next((demo / "run" / "release").glob(f"*/{name}")))
    for raw in _rows(demo / "samples" / name):
        fits = [
            row
            for row in published
            if all(_holds(row[c], raw[c]) for c in SHOWN) and row["stay"] == raw["stay"]
        ]
        if len(fits) == 1 and "PATIENT" in raw["notes"]:
            return raw, fits[0]
    raise LookupError("no record of the sample has one published row alone")


def _card(x: int, title: str, row: dict[str, str], colour: str) -> list[str]:
    lines = [
        f'<rect x="{x}" y="46" width="380" height="210" rx="10" fill="#fffdf8" stroke="#b9b3a6"/>',
        f'<text x="{x + 20}" y="34" font-size="15" font-weight="600" fill="{colour}">{title}</text>',
    ]
    values = " · ".join(row[c] for c in SHOWN)
    lines.append(f'<text x="{x + 20}" y="76" font-size="14">{escape(values)}</text>')
    note = [line.strip() for line in row["notes"].splitlines() if line.strip()][:_LINES]
    for i, line in enumerate(note):
        short = line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
        lines.append(
            f'<text x="{x + 20}" y="{108 + 24 * i}" font-size="13" font-family="monospace">'
            f"{escape(short)}</text>"
        )
    return lines


def draw(figures: dict[str, float], raw: dict[str, str], released: dict[str, str]) -> str:
    """Return the picture as SVG."""
    f = figures
    below = [
        "who knows age, sex, group and area of everybody",
        f"names about {f['matched_before']:,} of {f['records']:,} records",
        f"names about {f['matched']:,} of {f['records']:,} records;",
        f"{f['left_percent']:g}% ({f['left_low']:g}–{f['left_high']:g}) of the sensitive words are left,",
        f"in about {f['leaking']:,} ({f['leaking_low']:,}–{f['leaking_high']:,}) of {f['documents']:,} notes",
    ]
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 345" font-family="Helvetica, Arial, sans-serif" fill="#1f2a33" role="img" aria-label="'
        + escape(
            f"One record as it is and as it is released. As it is, {below[0]} {below[1]}. As released: {' '.join(below[2:])}."
        )
        + '">',
        '<rect width="860" height="345" fill="#f8f5ee"/>',
        *_card(20, "as it is", raw, "#8f3b00"),
        *_card(460, "as released", released, "#00634a"),
        '<path d="M408 150 H446 m-9 -8 l10 8 l-10 8" fill="none" stroke="#0f5f6e" stroke-width="2.5"/>',
        *(
            f'<text x="{x}" y="{y}" font-size="12.5" fill="{colour}">{escape(words)}</text>'
            for words, x, y, colour in zip(
                below,
                (20, 20, 460, 460, 460),
                (284, 304, 284, 304, 324),
                ("#8f3b00", "#8f3b00", "#00634a", "#00634a", "#00634a"),
                strict=True,
            )
        ),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    demo = Path(sys.argv[1])
    found = figures_of(demo / "run")
    PICTURES.joinpath("raw-to-released.json").write_text(
        json.dumps(found, indent=1) + "\n", encoding="utf-8"
    )
    PICTURES.joinpath("raw-to-released.svg").write_text(
        draw(found, *example_of(demo)), encoding="utf-8"
    )
