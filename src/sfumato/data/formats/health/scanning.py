"""Lines of resources scanned by compiled loops, many at a time: what is to be done where, by the rules of a profile."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import _kernels as kernels
from .profile import ACTIONS, Element, Profile
from .pseudonyms import has_pseudonym, is_mark

__all__ = ["PEOPLE", "ScannedResource", "Scanner", "unescape"]

PEOPLE = ("Patient", "Practitioner", "PractitionerRole", "RelatedPerson", "Person")
"""Kinds of resources that are people: the words of a reference to one are dropped."""
_Bytes = npt.NDArray[np.uint8]
_Rows = npt.NDArray[np.int64]
_LONGEST = 1 << 18  # bytes of a line that is scanned; longer ones are walked through in Python
_MOST_NAMES = 20_000
_GENERATED = re.compile(rb',?"text":\{"status":"(?:generated|extensions)","div":"$')
_FLAGS = {"text": kernels.NAME_TEXT, "code": kernels.NAME_CODE, "resource": kernels.NAME_RESOURCE}
_TAKEN, _BEGIN, _END, _FIRST, _LAST = kernels.TAKEN, kernels.BEGIN, kernels.END, kernels.FIRST, kernels.LAST  # fmt: skip


class ScannedResource(NamedTuple):
    """A resource in bytes: who it is, and what is to be done where.

    Parameters
    ----------
    content : bytes
        The lines that it was scanned with, without space between their marks.
    start, end : int
        Its first and last byte in them.
    events : sequence of int
        Three for each thing that is done: what (a constant of the kernels), from one place to another, in order.
    kind, id, person, url : str
        Its kind and id, the reference to whom it is about, and its address in a bundle; "" where there is none.
    texts, dropped, extensions, generated : int
        How many events are about words, and how many elements, extensions and generated narratives are dropped.

    """

    content: bytes
    start: int
    end: int
    events: Sequence[int]
    kind: str
    id: str
    person: str
    url: str
    texts: int
    dropped: int
    extensions: int
    generated: int = 0

    def places(self) -> Iterator[tuple[int, int, int]]:
        """Return what is done, from where, to where, in order."""
        rest = iter(self.events)
        return zip(rest, rest, rest, strict=True)

    def count_unkeyed(self) -> int:
        """Return how many ids and references do not have the form of those that are made here."""
        content, count = self.content, 0
        for code, first, last in self.places():
            if code == kernels.IDENTIFIER:
                count += not is_mark(content[first:last].decode())
            elif code == kernels.REFERENCE:
                count += not has_pseudonym(content[first:last].decode())
        return count


class Scanner:
    """Scans lines by the rules of a profile.

    Parameters
    ----------
    profile : Profile
        The rules.
    of_entries : bool, default=False
        Whether a line is an entry of a bundle, not the resource itself.

    """

    def __init__(self, profile: Profile, *, of_entries: bool = False) -> None:
        self._profile, self._of_entries = profile, of_entries
        self._sizes = (0, 0)
        self._forget()

    def _forget(self) -> None:
        """Begin anew: the elements that were met are filled in as they come."""
        self._elements: list[Element | None] = [None]
        self._names = bytearray()
        self._table = np.full((4 * _MOST_NAMES, 4), -1, np.int64)
        self._actions, self._flags = (np.zeros(_MOST_NAMES + 2, np.int64) for _ in range(2))
        self._entry = -1
        if self._of_entries:
            self._elements.append(self._profile.below(self._profile.start("Bundle"), "entry"))
            self._entry = 1
        self._rules = self._compile()

    def _compile(self) -> kernels.Rules:
        profile = self._profile
        packed = [_pack(own) for own in (profile.terminologies, PEOPLE, profile.persons)]
        names = np.zeros(1, np.uint8)
        return kernels.Rules(self._table, names, self._actions, self._flags, *packed[0], *packed[1], *packed[2])  # fmt: skip

    def scan(self, lines: Sequence[bytes]) -> list[ScannedResource | None]:
        """Return what is in each line; None for one that the walk in Python has to look at."""
        lines = [line if len(line) <= _LONGEST else b"" for line in lines]
        joined = b"".join(lines)
        try:
            joined.decode()
        except UnicodeDecodeError:
            return [None] * len(lines) if len(lines) < 2 else [self.scan([line])[0] for line in lines]  # fmt: skip
        raw = np.frombuffer(joined or b"\0", np.uint8)
        bounds = np.zeros(len(lines) + 1, np.int64)
        np.cumsum([len(line) for line in lines], out=bounds[1:])
        longest = max(map(len, lines), default=0) + 2
        out, kind, tape, events = self._room(raw.size, longest)
        rows = np.zeros((len(lines), kernels.WIDTH), np.int64)
        at = 0
        while at < len(lines):
            at = kernels.scan_resources(raw, bounds, at, self._entry, self._rules, out, kind, tape, events, rows)  # fmt: skip
            if at < len(lines):
                self._learn(out, rows[at])
        if not lines:
            return []
        content = out[: rows[-1, _END]].tobytes()
        found = (
            events[: rows[-1, _LAST]].ravel().tolist()
        )  # one list: thousands of short ones are slow
        return [_resource(content, found, row) for row in rows.tolist()]

    def _room(self, size: int, longest: int) -> tuple[_Bytes, _Bytes, _Rows, _Rows]:
        """Return arrays for `size` bytes in lines of up to `longest`; those of before, if they are large enough."""
        if size > self._sizes[0] or longest > self._sizes[1]:
            self._sizes = (max(size, self._sizes[0]), max(longest, self._sizes[1]))
            size, longest = self._sizes
            self._held = (
                np.empty(size + 8, np.uint8), np.empty(longest, np.uint8), np.empty((longest, 3), np.int64),
                np.empty((size // 3 + 16, 3), np.int64),
            )  # fmt: skip
        return self._held

    def _learn(self, out: npt.NDArray[np.uint8], row: npt.NDArray[np.int64]) -> None:
        """Add an element that was not met before."""
        state, first, last = (int(row[at]) for at in (kernels.KIND, kernels.ID, kernels.ID + 1))
        name = unescape(out[first:last].tobytes())
        if (
            len(self._elements) > _MOST_NAMES
        ):  # names that nobody uses twice must not fill the memory
            self._forget()
            return
        above = self._elements[state]
        element = self._profile.start(name) if above is None else self._profile.below(above, name)
        number = len(self._elements)
        self._elements.append(element)
        if element.action is not None:
            self._actions[number] = ACTIONS.index(element.action) + 1
        is_extension = "xtension" in name or name[:1] == "_"
        self._flags[number] = _FLAGS.get(name, 0) | (kernels.NAME_EXTENSION if is_extension else 0)
        start = len(self._names)
        self._names += out[first:last].tobytes()
        place = kernels.hash_name(out, first, last, state) % len(self._table)
        while self._table[place, 0] >= 0:
            place = (place + 1) % len(self._table)
        self._table[place] = (state, start, len(self._names), number)
        self._rules = self._rules._replace(names=np.array(self._names, np.uint8))


def unescape(piece: bytes) -> str:
    """Return the text of the content between the quotes of a string of JSON.

    >>> unescape(rb"a\\n") == "a" + chr(10)
    True
    """
    return piece.decode() if b"\\" not in piece else str(json.loads(b'"%b"' % piece))


def _pack(texts: Sequence[str]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Return texts one after another, with their bounds."""
    encoded = [text.encode() for text in texts]
    bounds = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(one) for one in encoded], out=bounds[1:])
    return np.frombuffer(b"".join(encoded) or b"\0", np.uint8), bounds


def _resource(content: bytes, events: list[int], row: list[int]) -> ScannedResource | None:
    (
        status, begin, end, first, last, kind, kind_end, id, id_end, person, person_end, url, url_end, texts, dropped,
        extensions,
    ) = row  # fmt: skip
    if status != _TAKEN:
        return None
    own, generated = events[3 * first : 3 * last], 0
    if texts and kernels.XHTML in own[::3]:
        dropped_pages = _drop_narratives(content, begin, end, own)
        if dropped_pages is None:
            return None
        own, generated = dropped_pages
    return ScannedResource(
        content, begin, end, own, content[kind:kind_end].decode(),
        unescape(content[id:id_end]) if id_end >= 0 else "",
        unescape(content[person:person_end]) if person_end >= 0 else "",
        unescape(content[url:url_end]) if url_end >= 0 else "", texts - generated, dropped, extensions, generated,
    )  # fmt: skip


def _drop_narratives(
    content: bytes, begin: int, end: int, events: list[int]
) -> tuple[list[int], int] | None:
    """Return the events with generated narratives dropped, and how many these are; None for the walk in Python."""
    made: list[int] = []
    count = 0
    for at in range(0, len(events), 3):
        code, first, last = events[at : at + 3]
        if code != kernels.XHTML:
            made += (code, first, last)
            continue
        head = _GENERATED.search(content, max(begin, first - 60), first)
        if head is None or content[last : last + 2] != b'"}':
            return None
        start, stop = head.start(), last + 2
        if content[start : start + 1] != b"," and content[stop : stop + 1] == b",":
            stop += 1
        before = made[-1] if made else begin
        after = events[at + 4] if at + 4 < len(events) else end
        if start < before or stop > after:  # a comma that another event takes
            return None
        made += (kernels.DROP, start, stop)
        count += 1
    return made, count
