"""Formulas of spreadsheets: their literals are text, and what refers to sheets and names follows their new names.

>>> formula = Formula("='Old'!A1&\\"Dr Ann\\"")
>>> formula.literals()
[(4, 'Dr Ann')]
>>> formula.rename({"old": "New one"}, {})
>>> formula.text()
'=\\'New one\\'!A1&"Dr Ann"'
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["Formula", "quote_sheet"]

_TOKEN = re.compile(
    r"""(?P<literal>"(?:[^"]|"")*")
    |(?P<quoted>'(?:[^']|'')*'!)
    |(?P<sheets>[A-Za-z_\u0080-\uffff][\w.\u0080-\uffff]*(?::[A-Za-z_\u0080-\uffff][\w.\u0080-\uffff]*)?!)
    |(?P<function>[A-Za-z_][\w.]*\()
    |(?P<error>\#(?:REF|N/A|VALUE|DIV/0|NAME|NUM|NULL)[!?]?)
    |(?P<cell>\$?[A-Za-z]{1,3}\$?\d{1,7}(?![\w.(])|\$[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}|[A-Z]{1,3}:[A-Z]{1,3}(?![\w.(]))
    |(?P<number>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)
    |(?P<name>[A-Za-z_\\\u0080-\uffff][\w.\\\u0080-\uffff]*)
    |(?P<mark>[-+*/^&=<>(),;:%{}@!|\s$])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_FUNCTION = re.compile(r"(?:_xlfn\.|_xlws\.|_xlpm\.)*[A-Z][A-Z0-9.]*\(")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")


def quote_sheet(name: str) -> str:
    """Return the name of a sheet as formulas write it.

    >>> quote_sheet("Data"), quote_sheet("Ann's")
    ('Data', "'Ann''s'")
    """
    looks_like_cell = re.fullmatch(r"[A-Za-z]{1,3}\d{1,7}|[Rr]\d*[Cc]\d*", name)
    if _PLAIN.fullmatch(name) and not looks_like_cell:
        return name
    return "'" + name.replace("'", "''") + "'"


class Formula:
    """A formula as tokens.

    Parameters
    ----------
    text : str
        The formula.

    """

    def __init__(self, text: str) -> None:
        self._tokens = [(str(m.lastgroup), m[0]) for m in _TOKEN.finditer(text)]

    def literals(self) -> list[tuple[int, str]]:
        """Return the texts inside the formula, each with its number among the tokens."""
        return [
            (i, token[1:-1].replace('""', '"'))
            for i, (kind, token) in enumerate(self._tokens)
            if kind == "literal"
        ]

    def put(self, number: int, text: str) -> None:
        """Replace a literal."""
        self._tokens[number] = ("literal", '"' + text.replace('"', '""') + '"')

    def is_known(self, sheets: Mapping[str, str], names: Mapping[str, str]) -> bool:
        """Return whether the formula refers to nothing but functions, cells, and known sheets and names.

        Parameters
        ----------
        sheets, names : mapping of str to str
            The sheets and the names of the workbook, in lower case.

        """
        return all(_is_token_known(kind, token, sheets, names) for kind, token in self._tokens)

    def rename(self, sheets: Mapping[str, str], names: Mapping[str, str]) -> None:
        """Let the formula follow new names of sheets and of ranges, given by the old ones in lower case."""
        found = []
        for kind, token in self._tokens:
            if kind in ("quoted", "sheets"):
                old = _names_in(token) if kind == "quoted" else token[:-1].split(":")
                new = [sheets.get(name.lower(), name) for name in old]
                quoted = quote_sheet(new[0])
                if len(new) > 1:
                    quoted = "'" + ":".join(name.replace("'", "''") for name in new) + "'"
                kind, token = ("quoted" if quoted[0] == "'" else "sheets"), f"{quoted}!"
            elif kind == "name":
                token = names.get(token.lower(), token)
            found.append((kind, token))
        self._tokens = found

    def text(self) -> str:
        """Return the formula."""
        return "".join(token for _, token in self._tokens)


def _is_token_known(
    kind: str, token: str, sheets: Mapping[str, str], names: Mapping[str, str]
) -> bool:
    if kind == "function":
        return _FUNCTION.fullmatch(token) is not None
    if kind in ("quoted", "sheets"):
        used = _names_in(token) if kind == "quoted" else token[:-1].split(":")
        return all(name.lower() in sheets for name in used)
    if kind == "name":
        return token.upper() in ("TRUE", "FALSE") or token.lower() in names
    return kind != "other"


def _names_in(token: str) -> list[str]:
    return token[1:-2].replace("''", "'").split(":")
