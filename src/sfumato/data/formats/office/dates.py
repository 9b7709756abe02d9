"""Dates in spreadsheets: numbers that a format shows as a day."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from .package import OfficePart

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["date_styles", "show_date"]

_BUILT_IN = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_LITERAL = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_DATE = re.compile(r"[dmyhs]", re.IGNORECASE)


def date_styles(styles: OfficePart | None) -> frozenset[str]:
    """Return the numbers of the cell styles that show dates."""
    if styles is None or styles.tree is None:
        return frozenset()
    custom = {
        str(own.get("numFmtId")): bool(_DATE.search(_LITERAL.sub("", own.get("formatCode") or "")))
        for own in styles.tree.iter("{*}numFmt")
    }
    cells: list[_Element] = [own for own in styles.tree.iter("{*}xf") if _is_of_cells(own)]
    return frozenset(
        str(number)
        for number, own in enumerate(cells)
        if custom.get(str(own.get("numFmtId")), _is_built_in(own.get("numFmtId")))
    )


def _is_of_cells(style: _Element) -> bool:
    parent = style.getparent()
    return parent is not None and parent.tag.endswith("}cellXfs")


def _is_built_in(number: str | None) -> bool:
    return number is not None and number.isdigit() and int(number) in _BUILT_IN


def show_date(serial: str, *, since_1904: bool) -> str:
    """Return the day (and the time) that a number means; the number itself where it is none.

    >>> show_date("43831", since_1904=False), show_date("43831.5", since_1904=False)
    ('2020-01-01', '2020-01-01 12:00')
    """
    try:
        days = float(serial)
    except ValueError:
        return serial
    if not 1 <= days < 2_900_000:
        return serial
    start = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30 if days >= 60 else 31)  # noqa: DTZ001 (no zone)
    moment = start + timedelta(minutes=round(days * 1440))
    return moment.strftime("%Y-%m-%d" if days == int(days) else "%Y-%m-%d %H:%M")
