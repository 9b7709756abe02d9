"""Keyed ids, references and shifts of dates: the same everywhere for one steward; nobody else can compute them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache

from pydantic_core import to_json

from ....core.date_shift import choose_days
from ....core.storage.private_key import private_key
from ...document import Edited
from .iso_dates import shift_iso

__all__ = ["Pseudonyms", "has_pseudonym", "is_mark", "tail_of"]

_MOST_KNOWN = 200_000
_DIGITS = 32
_MARK = r"[0-9a-f]{32}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_KEYED = re.compile(_MARK)
_KEYED_REFERENCE = re.compile(rf"(?:[A-Z][A-Za-z]{{1,63}}(?:/|\?identifier=)|#|urn:uuid:)?(?:{_MARK})|[A-Z][A-Za-z]{{1,63}}")  # fmt: skip
# The standard allows letters, digits, '-' and '.' in an id; many servers write others, too.
_RESOURCE = re.compile(r"(?:.*/)?([A-Z][A-Za-z]{1,63})/([\w.\-:@~+%]{1,128})(?:/_history/[^/]*)?")
_BY_IDENTIFIER = re.compile(r"([A-Z][A-Za-z]{1,63})\?identifier=(?:([^|&]*)\|)?([^|&]+)")
_TYPE = re.compile(r"[A-Z][A-Za-z]{1,63}")


@lru_cache(maxsize=1 << 14)
def tail_of(reference: str) -> str:
    """Return the id inside a reference.

    >>> tail_of("https://host/fhir/Patient/12/_history/3"), tail_of("urn:uuid:ab"), tail_of("#p1")
    ('12', 'ab', 'p1')
    """
    found = _RESOURCE.fullmatch(reference)
    if found is not None:
        return found[2]
    found = _BY_IDENTIFIER.fullmatch(reference)
    return found[3] if found is not None else reference.rpartition(":")[2].lstrip("#")


def is_mark(text: str) -> bool:
    """Return whether an id has the form of one that was made here."""
    return bool(_KEYED.fullmatch(text))


def has_pseudonym(text: str) -> bool:
    """Return whether a reference has the form of one that was made here; the name of a kind is one too."""
    return bool(_KEYED_REFERENCE.fullmatch(text))


class Pseudonyms:
    """The pseudonyms of one steward.

    Parameters
    ----------
    days : callable, optional
        The shift of a person, where surrogates of the text have one already.

    """

    def __init__(self, days: Callable[[str], int] | None = None) -> None:
        key = private_key()
        self._mark, self._mark_person = key.marker("health record"), key.marker("days of a person")
        self._given = days
        self._ids: dict[str, str] = {}
        self._references: dict[str, str] = {}
        self._spelled: dict[bytes, bytes] = {}
        self._days: dict[str, int] = {}
        self._moved: dict[tuple[bytes, int], bytes] = {}

    def id(self, value: str) -> str:
        """Return the pseudonym of an id or number."""
        found = self._ids.get(value)
        if found is None:
            if len(self._ids) > _MOST_KNOWN:
                self._ids = {}
            found = self._ids[value] = self._mark(value)[:_DIGITS]
        return found

    def place_of(self, one: Edited) -> int | None:
        """Return where a document goes in the order of new ids; None where it keeps its own."""
        if one.id == one.document.id:
            return None
        try:
            return int(one.id[-_DIGITS : -_DIGITS + 16], 16)
        except ValueError:  # a resource without an id
            return int(self.id(one.document.id)[:16], 16)

    def reference(self, value: str) -> str:
        """Return a reference to the same thing under its pseudonym."""
        found = self._references.get(value)
        if found is None:
            if len(self._references) > _MOST_KNOWN:
                self._references = {}
            found = self._references[value] = self._refer(value)
        return found

    def reference_bytes(self, piece: bytes) -> bytes:
        """Return a reference to the same thing, given and returned as the content between quotes in JSON."""
        found = self._spelled.get(piece)
        if found is None:
            if len(self._spelled) > _MOST_KNOWN:
                self._spelled = {}
            text = str(json.loads(b'"%b"' % piece))
            found = self._spelled[piece] = to_json(self._refer(text))[1:-1]
        return found

    def _refer(self, value: str) -> str:
        if value.startswith("#"):
            return f"#{self.id(value[1:])}"
        if _TYPE.fullmatch(value):
            return value
        if found := _RESOURCE.fullmatch(value):
            return f"{found[1]}/{self.id(found[2])}"
        if found := _BY_IDENTIFIER.fullmatch(value):
            return f"{found[1]}?identifier={self.id(found[3])}"
        mark = self.id(tail_of(value))
        return f"urn:uuid:{mark[:8]}-{mark[8:12]}-{mark[12:16]}-{mark[16:20]}-{mark[20:]}"

    def move_day(self, day: bytes, days: int) -> bytes:
        """Return a day (2020-01-31) that moved."""
        found = self._moved.get((day, days))
        if found is None:
            if len(self._moved) > _MOST_KNOWN:
                self._moved = {}
            found = self._moved[day, days] = (shift_iso(day.decode(), days) or "").encode()
        return found

    def days(self, person: str) -> int:
        """Return by how many days the dates of a person move."""
        found = self._days.get(person)
        if found is None:
            if len(self._days) > _MOST_KNOWN:
                self._days = {}
            if self._given is not None:
                found = self._given(person)
            else:
                drawn = int(self._mark_person(person), 16)
                found = choose_days(lambda below: drawn % below)
            self._days[person] = found
        return found
