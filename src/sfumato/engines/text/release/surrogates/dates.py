"""Dates shifted by a constant number of days: intervals inside a scope survive, the dates do not.

Many written forms are read and written back in the same form; a date that cannot be read gives None,
and the caller puts a placeholder there. Numbers such as 03/04/2020 are read month first unless the
caller says otherwise or the first number cannot be a month; one reading is used for all of them.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

from .names import like

__all__ = ["shifted"]

_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
}  # fmt: skip
_ABBREVIATED = {
    "en": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "es": "ene feb mar abr may jun jul ago sep oct nov dic",
    "de": "Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez",
}
# Some write Sept; it is read as September and written back as the shifted month's own form.
_ALSO = {"sept": ("en", 9), "setiembre": ("es", 9), "mrz": ("de", 3)}


def _names() -> dict[str, tuple[str, bool, int]]:
    """Map each month's name to (language, abbreviated, number); full names win, earlier languages win."""
    found: dict[str, tuple[str, bool, int]] = {}
    for short, table in ((False, _MONTHS), (True, _ABBREVIATED)):
        for language, names in table.items():
            for i, name in enumerate(names.split()):
                found.setdefault(name.casefold(), (language, short, i + 1))
    for name, (language, month) in _ALSO.items():
        found[name] = (language, True, month)
    return found


_MONTH_NAMES = _names()
_M = "(?P<m>[^\\W\\d_]{3,12})(?P<dot>\\.?)"
_D = r"(?P<d>\d{1,2})"
_Y = r"(?P<y>\d{4})"
_OF = r"(?P<of>\s+de\s+|\s+del\s+|\s*[-/,.]?\s*)"
_ORDINAL = r"(?P<th>st|nd|rd|th|\.|º|er)?"
_FORMS = [
    re.compile(rf"{_Y}(?P<s1>[-/.]){'(?P<mm>[0-9]{1,2})'}(?P<s2>[-/.]){_D}"),
    re.compile(
        r"(?P<a>\d{1,2})(?P<s1>\s*[-/.]\s*)(?P<b>\d{1,2})(?P<s2>\s*[-/.]\s*)(?P<y>\d{4}|\d{2})"
    ),
    re.compile(rf"{_D}{_ORDINAL}{_OF}{_M}(?P<s2>\s+de\s+|\s+del\s+|\s*[-/,]?\s*)(?P<y>\d{{4}}|\d{{2}})"),
    re.compile(rf"{_M}\s*{_D}{_ORDINAL}(?P<s2>\s*,?\s*){_Y}"),
    re.compile(rf"{_D}{_ORDINAL}{_OF}{_M}"),
    re.compile(rf"{_M}\s*{_D}{_ORDINAL}"),
    re.compile(rf"{_M}(?P<s2>\s+de\s+|\s+del\s+|\s*,?\s*){_Y}"),
    re.compile(r"(?P<a>\d{1,2})(?P<s1>[-/.])(?P<b>\d{1,2})"),
]  # fmt: skip
_FIRST, _LAST = 1000, 2999


def shifted(text: str, days: int, *, day_first: bool = False) -> str | None:
    """Shift a date by whole days and write it as it was written; None where it is no date known here.

    >>> shifted("March 3, 2020", 7), shifted("3 de marzo de 2020", -7), shifted("2020-12-30", 14)
    ('March 10, 2020', '25 de febrero de 2020', '2021-01-13')
    >>> shifted("next Tuesday", 7) is None
    True
    """
    stripped = text.strip()
    lead = text[: len(text) - len(text.lstrip())]
    trail = text[len(text.rstrip()) :]
    for form in _FORMS:
        match = form.fullmatch(stripped)
        if match is None:
            continue
        parts = match.groupdict()
        write = _reader(parts, match, day_first)
        if write is None:
            continue
        try:
            result = write(days)
        except (ValueError, OverflowError):
            continue
        # A month without its day may not move: then it would say what it said before.
        return None if result is None or result == stripped else f"{lead}{result}{trail}"
    return None


def _reader(
    parts: dict[str, str | None], match: re.Match[str], day_first: bool
) -> Callable[[int], str | None] | None:
    """Read the pieces of a form; give the function that writes them back for a shift."""
    entry = None
    if parts.get("m") is not None:
        entry = _MONTH_NAMES.get(str(parts["m"]).casefold())
        if entry is None:
            return None

    def write(days: int) -> str | None:
        year_text = parts.get("y")
        year = 2001 if year_text is None else int(year_text)
        short_year = year_text is not None and len(year_text) == 2
        if short_year:
            year += 1900 if year > 40 else 2000
        a, b = parts.get("a"), parts.get("b")
        swapped = False
        if a is not None and b is not None:
            swapped = day_first or int(a) > 12
            if int(b) > 12:
                swapped = False
            month, day = (int(b), int(a)) if swapped else (int(a), int(b))
        else:
            month = entry[2] if entry is not None else int(str(parts["mm"]))
            day = int(str(parts["d"])) if parts.get("d") else 15
        moved = dt.date(year, month, day) + dt.timedelta(days=days)
        if not _FIRST <= moved.year <= _LAST:
            return None
        values: dict[str, str] = {}
        if year_text is not None:
            values["y"] = f"{moved.year % 100:02d}" if short_year else f"{moved.year:04d}"
        if entry is not None:
            values["m"] = _month(entry, moved.month, str(parts["m"]))
        if a is not None and b is not None:
            first, second = (moved.day, moved.month) if swapped else (moved.month, moved.day)
            values["a"], values["b"] = _padded(first, a), _padded(second, b)
        if parts.get("mm"):
            values["mm"] = _padded(moved.month, str(parts["mm"]))
        if parts.get("d"):
            values["d"] = _padded(moved.day, str(parts["d"]))
        if parts.get("th") in {"st", "nd", "rd", "th"}:
            values["th"] = _ordinal(moved.day)
        return _rewritten(match, values)

    return write


def _padded(value: int, model: str) -> str:
    """Write two digits where the model has two (its own zero or a number past nine says so)."""
    return f"{value:02d}" if len(model) == 2 and model[0] == "0" else _like_width(value, model)


def _like_width(value: int, model: str) -> str:
    # "12" does not say whether small numbers are padded; two digits keep the width.
    return f"{value:02d}" if len(model) == 2 else str(value)


def _ordinal(day: int) -> str:
    return "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _month(entry: tuple[str, bool, int], month: int, model: str) -> str:
    language, short, _ = entry
    name = (_ABBREVIATED if short else _MONTHS)[language].split()[month - 1]
    if model[0].isupper() and not model.isupper():
        return name[0].upper() + name[1:]
    return like(name, model)


def _rewritten(match: re.Match[str], values: dict[str, str]) -> str:
    text, pieces, at = match.string, [], 0
    for group in sorted(values, key=match.start):
        start, end = match.span(group)
        pieces += [text[at:start], values[group]]
        at = end
    return "".join([*pieces, text[at:]])
