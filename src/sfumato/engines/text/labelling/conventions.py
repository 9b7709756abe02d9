"""What a label covers is a convention: is *Mr* part of a name, a clinic a place, the weekday part of a date?

Each is one question, asked first where the documents have cases, and worth more than a hundred about words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....mentions.folding import fold
from ....mentions.languages.base import LANGUAGES, language
from ..reading.arrays import Mask
from ..reading.features import TokenData
from ..reading.label_kinds import kind_of
from ..redaction.surrogates.lists import TITLES

__all__ = ["Convention", "find_conventions"]

_FEWEST = 3  # cases below which nobody is asked
_SHORT = 2  # letters of a weekday that counts inside a date only
_NEAR = 3  # tokens between a weekday and a date
_BEFORE = ("hospital", "clinic", "infirmary", "hospice")  # the name comes before the word
_AFTER = (
    "klinik", "klinikum", "krankenhaus", "spital", "hospital", "hôpital", "clinique", "clínica", "ospedale",
    "clinica", "ziekenhuis",
)  # fmt: skip
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Convention:
    """A question about bounds or kinds, and where the documents have cases of it.

    Parameters
    ----------
    key : str
        Its name in the journal.
    asks : str
        The question.
    label : str
        The label that the cases get by a yes.
    places : array of int
        First and last token (exclusive) of each case.

    """

    key: str
    asks: str
    label: str
    places: Places


def find_conventions(
    data: TokenData,
    words: Sequence[str],
    labels: Sequence[str],
    proposed: Callable[[str], Mask],
) -> list[Convention]:
    """Return the conventions that the documents have cases of.

    Parameters
    ----------
    data : TokenData
        The tokens.
    words : sequence of str
        The words by type.
    labels : sequence of str
        The labels of the project.
    proposed : callable
        Returns the tokens that rules propose for a kind.

    """
    label_of = {kind_of(label): label for label in reversed(labels)}
    place = label_of.get("ORGANIZATION") or label_of.get("LOCATION")
    reader = _CaseFinder(data, words)
    found = []
    if (name := label_of.get("NAME")) is not None:
        asks = f"Is a title part of a {name} here?"
        found.append(Convention("titles", asks, name, reader.titles(proposed("NAME"))))
    if (date := label_of.get("DATE")) is not None:
        asks = f"Is the day of the week part of a {date} here?"
        found.append(Convention("weekdays", asks, date, reader.weekdays(proposed("DATE"))))
    if place is not None:
        asks = f"Are clinics and hospitals sensitive here ({place}, or another label)?"
        found.append(Convention("clinics", asks, place, reader.clinics(proposed("NAME"))))
    return [one for one in found if len(one.places) >= _FEWEST]


class _CaseFinder:
    """Finds the cases of conventions."""

    def __init__(self, data: TokenData, words: Sequence[str]) -> None:
        self.data, self.words = data, words
        self.capital = data.words.capital[data.rows] & data.counted
        document = data.document_of
        # Whether a token goes on after the one before: in the same document, and for a clinic in the same line.
        self.same, self.same_line = np.zeros((2, len(data) + 1), np.bool_)
        self.same[1:-1] = document[1:] == document[:-1]
        self.same_line[:-1] = self.same[:-1]
        self.same_line[:-1] &= data.tokens.after_break == 0

    def _where(self, is_one: Callable[[str], bool]) -> Mask:
        by_type = np.array([is_one(word) for word in self.words], np.bool_)
        return by_type[self.data.tokens.type] if len(self.words) else np.zeros(0, np.bool_)

    def titles(self, names: Mask) -> Places:
        """Return titles that come before a proposed name, or before another such title."""
        title = self._where(lambda word: word.casefold() in TITLES)
        full_stop = self._where(lambda word: word == ".")
        found: list[tuple[int, int]] = []
        taken = np.zeros(len(self.data), np.bool_)
        for i in reversed(np.flatnonzero(title).tolist()):
            after = i + 1
            if after < len(title) and full_stop[after]:
                after += 1
            if after < len(title) and self.same[i + 1 : after + 1].all() and (names[after] or taken[after]):  # fmt: skip
                taken[i] = True
                found.append((i, after))
        return _places(found)

    def weekdays(self, dates: Mask) -> Places:
        """Return days of the week inside or next to a proposed date."""
        days = {day for code in LANGUAGES for day in language(code).words.weekdays.split()}
        found = []
        for i in np.flatnonzero(self._where(lambda word: fold(word) in days)).tolist():
            near = dates[i : i + 1 + _NEAR]
            # Short ones (so, di, do) are other words, too.
            beside = near.any() and len(self.words[self.data.tokens.type[i]]) > _SHORT
            if dates[i] or (beside and self.same[i + 1 : i + 1 + int(near.argmax())].all()):
                found.append((i, i + 1))
        return _places(found)

    def clinics(self, names: Mask) -> Places:
        """Return clinics with their names: the capitalised words next to a word for a clinic, in its line.

        Those that bear the name of a person are left out: no convention publishes it.
        """
        before = self._where(lambda word: word.casefold() in _BEFORE) & self.capital
        after = self._where(lambda word: word.casefold().endswith(_AFTER)) & self.capital
        found = []
        for i in np.flatnonzero(before | after).tolist():
            first, last = i, i + 1
            while before[i] and first and self.same_line[first] and self.capital[first - 1]:
                first -= 1
            while first == i and after[i] and self.same_line[last] and self.capital[last]:
                last += 1
            if last - first > 1 and not names[first:last].any():
                found.append((first, last))
        return _places(found)


def _places(found: Sequence[tuple[int, int]]) -> Places:
    return np.array(sorted(found), np.int64).reshape(-1, 2)
