"""The names of months in the languages that dates are read and written in."""

from __future__ import annotations

from typing import NamedTuple

from .case import like

__all__ = ["MonthName", "find_month", "write_month"]

_FULL = {
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
# Some write Sept; it is read as September and written back in the shifted month's own form.
_ALSO = {"sept": ("en", 9), "setiembre": ("es", 9), "mrz": ("de", 3)}


class MonthName(NamedTuple):
    """A month's name: its language, whether it is abbreviated, and the month's number."""

    language: str
    short: bool
    number: int


def _names() -> dict[str, list[MonthName]]:
    """Map names to months; full names come first, and earlier languages."""
    found: dict[str, list[MonthName]] = {}
    for short, table in ((False, _FULL), (True, _ABBREVIATED)):
        for language, names in table.items():
            for i, name in enumerate(names.split()):
                found.setdefault(name.casefold(), []).append(MonthName(language, short, i + 1))
    for name, (language, month) in _ALSO.items():
        found[name] = [MonthName(language, True, month)]
    return found


_NAMES = _names()


def find_month(name: str, language: str | None = None) -> MonthName | None:
    """Return the month that a name represents, read in the document's language where it is a month there.

    >>> find_month("April", "de").language, find_month("April").language, find_month("Tuesday")
    ('de', 'en', None)
    """
    known = _NAMES.get(name.casefold())
    if known is None:
        return None
    return next((entry for entry in known if entry.language == language), known[0])


def write_month(entry: MonthName, month: int, model: str) -> str:
    """Write another month in the language, length and case of a model."""
    name = (_ABBREVIATED if entry.short else _FULL)[entry.language].split()[month - 1]
    if model[0].isupper() and not model.isupper():
        return name[0].upper() + name[1:]
    return like(name, model)
