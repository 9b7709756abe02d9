"""Figures 6 and 7 of the tables paper on our table, drawn from benchmarks/results/tables_figures.json: `make reference`."""

from __future__ import annotations

from pathlib import Path

PICTURE = Path(__file__).parent / "pictures" / "tables-figures.svg"
_SIDE, _LEFT, _TOP, _SECOND = 300, 60, 40, 470
_INK, _BLUE, _WASH = "#1f2a33", "#0072b2", "#b84a00"


def _text(x: float, y: float, words: str, *, anchor: str = "middle", turn: bool = False) -> str:
    turned = f' transform="rotate(-90 {x:g} {y:g})"' if turn else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{turned}>{words}</text>'


def _frame(left: float, title: str, across: str, up: str) -> list[str]:
    """Return the axes of a panel, both from 0 to 1."""
    lines = [f'<rect x="{left}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}" class="frame"/>']
    for tick in (0, 0.25, 0.5, 0.75, 1):
        lines.append(_text(left + _SIDE * tick, _TOP + _SIDE + 16, f"{tick:g}"))
        lines.append(_text(left - 6, _TOP + _SIDE * (1 - tick) + 4, f"{tick:g}", anchor="end"))
    middle = left + _SIDE / 2
    lines += [_text(middle, _TOP + _SIDE + 36, across), _text(middle, 24, title)]
    return [*lines, _text(left - 40, _TOP + _SIDE / 2, up, turn=True)]


def draw(results: dict) -> str:
    """Return both figures as one SVG: points with their ranges, and what was visited with its frontier.

    Parameters
    ----------
    results : dict
        The content of tables_figures.json.

    """
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SECOND + _SIDE + 20} {_TOP + _SIDE + 50}" role="img" aria-label="Figures 6 and 7">',
        f"<style>text {{ font: 12px sans-serif; fill: {_INK}; }} .frame {{ fill: #fffdf8; stroke: {_INK}; stroke-width: .6; }}</style>",
        '<rect width="100%" height="100%" fill="#f8f5ee"/>',
    ]
    lines += _frame(_LEFT, "Figure 6: what H predicts", "H, in tenths", "policies that update the frontier, share")  # fmt: skip
    for group in results["heuristic"]["groups"]:
        x = _LEFT + _SIDE * (group["H_up_to"] - 0.05)
        low, middle, high = (
            _TOP + _SIDE * (1 - min(max(group[k], 0), 1)) for k in ("low", "mean", "high")
        )
        lines.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}" stroke="{_BLUE}" stroke-width="2"/>')  # fmt: skip
        lines.append(f'<circle cx="{x:.1f}" cy="{middle:.1f}" r="4" fill="{_BLUE}"/>')
    lines += _frame(_SECOND, "Figure 7: one run of SHS", "risk", "information loss")
    visited = results["visited"]
    size = _SIDE / visited["bins_on_a_side"]
    most = max(n for _, _, n in visited["bins"])
    for risk, loss, n in visited["bins"]:
        x, y = _SECOND + size * risk, _TOP + _SIDE - size * (loss + 1)
        lines.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{size:.1f}" height="{size:.1f}" fill="{_WASH}" opacity="{0.15 + 0.85 * (n / most) ** 0.5:.2f}"/>')  # fmt: skip
    points = " ".join(
        f"{_SECOND + _SIDE * risk:.1f},{_TOP + _SIDE * (1 - loss):.1f}"
        for risk, loss in visited["frontier"]
    )
    lines.append(f'<polyline points="{points}" fill="none" stroke="{_BLUE}" stroke-width="2"/>')
    return "\n".join([*lines, "</svg>"]) + "\n"
