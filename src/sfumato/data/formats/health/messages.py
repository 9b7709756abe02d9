"""A message of HL7 version 2: its texts in order, and the message with its edits, its pseudonyms and shifted dates.

Separators are those that the message names; escape sequences are decoded before a text is read and encoded when
it is written.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from .profile import Profile
from .rewriting import Rewriting, rewrite_file

__all__ = ["MessageWalk", "Separators", "segments_of"]

_DATE = re.compile(
    r"([0-9]{4})(?:([0-9]{2})(?:([0-9]{2})([0-9]*(?:\.[0-9]{1,4})?(?:[+-][0-9]{4})?))?)?"
)
_TOKEN = re.compile(  # of a table: no long word, which may be a name a field off, no mark and no number of anybody
    r"(?![\[<(])(?!.*(?:[A-Za-z]{5}|[A-Z][a-z]{2}|[0-9]{6}|@))[!-~]{1,12}"
)
_NULL = '""'
_EMPTY = ("", _NULL)
_MOST_KNOWN, _LONGEST_KNOWN = 50_000, 100
_OBSERVED = {"NM", "SN", "CE", "CWE", "CNE", "CF", "DT", "TS", "DTM", "TM", "ID", "IS", "SI", "CQ", "MO", "CP", "DR", "NA", "ED", "RP",
             "XPN", "PN", "XCN", "CN", "XAD", "AD", "XTN", "TN", "CX", "EI", "XON", "HD", "PL"}  # fmt: skip
_LETTERS = "FSRET"
_FILES = {
    "pdf": "application/pdf", "rtf": "application/rtf", "html": "text/html", "htm": "text/html", "plain": "text/plain",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}  # fmt: skip
"""Types of encapsulated files, by the words that senders use for them."""


class Separators(NamedTuple):
    """What parts fields, components, repetitions, escapes and subcomponents in one message."""

    field: str
    component: str
    repetition: str
    escape: str
    subcomponent: str

    @classmethod
    def of(cls, head: str) -> Separators | None:
        """Return the separators that the first segment names; None where it is no such segment.

        >>> Separators.of("MSH|^~\\\\&|LAB").component
        '^'
        """
        if head[:3] != "MSH" or len(head) < 8 or head[3].isalnum():
            return None
        named = head[4:].split(head[3], maxsplit=1)[0]
        found = head[3] + named[:4] + "^~\\&"[len(named) :]
        return (
            cls(*found[:5])
            if len(set(found[:5])) == 5 and not any(map(str.isalnum, found[:5]))
            else None
        )

    def decode(self, text: str) -> str:
        """Return a text without its escape sequences."""
        if self.escape not in text:
            return text
        pieces = text.split(self.escape)
        made, i = [pieces[0]], 1
        while i < len(pieces):
            sequence = pieces[i]
            meant = self._meaning(sequence) if i + 1 < len(pieces) else None
            if meant is None:  # not a sequence: the character itself
                made += [self.escape, sequence]
                i += 1
            else:
                made += [meant, pieces[i + 1]]
                i += 2
        return "".join(made)

    def _meaning(self, sequence: str) -> str | None:
        if sequence in ("F", "S", "R", "E", "T"):
            return (self.field, self.component, self.repetition, self.escape, self.subcomponent)[_LETTERS.index(sequence)]  # fmt: skip
        if re.fullmatch(r"X(?:[0-9A-Fa-f]{2})+", sequence):
            return bytes.fromhex(sequence[1:]).decode("utf-8", "replace")
        if sequence.startswith(".") and len(sequence) < 8:
            return "\n" if sequence[1:3] in {"br", "sp", "ce"} else " "
        return "" if sequence in ("H", "N") or re.fullmatch(r"[CMZ][0-9A-Za-z]{0,16}", sequence) else None  # fmt: skip

    def encode(self, text: str) -> str:
        """Return a text as it is written inside a component."""
        special, into = _escapes(self)
        return special.sub(lambda found: into[found[0]], text)


@lru_cache(maxsize=64)
def _escapes(apart: Separators) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return what finds characters that have to be escaped, and how they are written."""
    own = (apart.field, apart.component, apart.repetition, apart.escape, apart.subcomponent)
    mark = apart.escape
    into = {c: f"{mark}{letter}{mark}" for c, letter in zip(own, _LETTERS, strict=True)}
    into |= {"\n": f"{mark}.br{mark}", "\r": " "}
    return re.compile(f"[{re.escape(''.join(into))}]"), into


def segments_of(message: str) -> list[str]:
    """Return the segments of a message."""
    return [one for one in re.split(r"[\r\n]+", message.strip("\x0b\x1c\r\n")) if one]


class MessageWalk:
    """Walks through messages as a profile says.

    Parameters
    ----------
    profile : Profile
        The rules, and the data types of each segment.

    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self._types = {name: own.split() for name, own in profile.segments.items()}
        self._public = tuple(profile.terminologies)
        self._actions: dict[tuple[str, int, str], dict[int, str | None]] = {}
        self._kept: dict[tuple[str, int, str, str, Separators], str] = {}

    def person(self, segments: Sequence[str], apart: Separators) -> str:
        """Return whom a message, or the rest of one, is about; its own number where it names nobody."""
        for segment in segments:
            if segment[:3] == "PID":
                fields = segment.split(apart.field)
                for path in self.profile.persons:
                    number = int(path.partition(".")[2])
                    own = fields[number].split(apart.repetition)[0].split(apart.component)[0] if number < len(fields) else ""  # fmt: skip
                    if own and own != _NULL:
                        return apart.decode(own)
        return self.control_id(segments[0], apart)

    @staticmethod
    def control_id(head: str, apart: Separators) -> str:
        """Return the number of a message."""
        fields = head.split(apart.field)
        return fields[9] if len(fields) > 9 else ""

    def message(self, segments: Sequence[str], apart: Separators, to: Rewriting) -> str:
        """Return a message with everything in it rewritten."""
        to.enter({"id": self.person(segments, apart)}, None)
        made = []
        for at, segment in enumerate(segments):
            name = segment[:3]
            types = self._types.get(name)
            if types is None or segment[3:4] not in ("", apart.field):
                to.drop("a segment that the profile does not list")
                continue
            if name == "PID":
                to.enter({"id": self.person(segments[at:], apart)}, None)
            fields = segment.split(apart.field)
            first = 2 if name == "MSH" else 1  # there the separator itself is a field
            new = [
                value if value in _EMPTY else self._field(name, i, value, types, fields, apart, to)
                for i, value in enumerate(fields[first:], 3 if first == 2 else 1)
            ]
            made.append(apart.field.join([*fields[:first], *new]).rstrip(apart.field))
        return "\r".join(made) + "\r"

    def _field(
        self, segment: str, number: int, value: str, types: Sequence[str], fields: Sequence[str],
        apart: Separators, to: Rewriting,
    ) -> str:  # fmt: skip
        if number > len(types):
            to.drop("a field that the profile does not list")
            return ""
        kind = types[number - 1]
        if kind == "varies":
            said = fields[2] if len(fields) > 2 else ""
            kind = said if said in _OBSERVED else "TX"
        parts = value.split(apart.repetition)
        return apart.repetition.join(self._repetition(segment, number, kind, one, apart, to) for one in parts)  # fmt: skip

    def _repetition(
        self, segment: str, number: int, kind: str, value: str, apart: Separators, to: Rewriting
    ) -> str:
        own = (segment, number, kind, value, apart)
        known = self._kept.get(own)
        if known is not None:
            return known
        actions = self._actions.setdefault(own[:3], {})
        components, is_kept = value.split(apart.component), len(value) <= _LONGEST_KNOWN
        made = []
        for at, component in enumerate(components, 1):
            if component in _EMPTY:
                made.append(component)
                continue
            if at not in actions:
                actions[at] = self._action(segment, number, kind, at)
            action = actions[at]
            if action == "base64":
                return self._attachment(components, apart, to)
            if action == "drop":
                to.drop("a field")
                made.append("")
                is_kept = False
                continue
            if action == "code":
                action = self._code(components, at)
            parts = component.split(apart.subcomponent)
            stays = [not one or self._stays(one, action, apart) for one in parts]
            is_kept = is_kept and all(stays)
            made.append(apart.subcomponent.join(
                one if stay else self._string(one, action, apart, to) for one, stay in zip(parts, stays, strict=True)
            ))  # fmt: skip
        written = apart.component.join(made).rstrip(apart.component)
        if is_kept:
            if len(self._kept) > _MOST_KNOWN:
                self._kept.clear()
            self._kept[own] = written
        return written

    @staticmethod
    def _attachment(components: Sequence[str], apart: Separators, to: Rewriting) -> str:
        """Return an encapsulated file (ED: source, type, subtype, encoding, data) with other words, without its source."""
        kind, subtype, encoding, data = (*components[1:5], "", "", "", "")[:4]
        form = _FILES.get(subtype.lower()) or _FILES.get(kind.lower())
        content = None
        if form and encoding.lower() == "base64":
            try:
                content = base64.b64decode("".join(data.split()), validate=True)
            except ValueError:  # not base64
                content = None
        if content is None:
            to.drop("an attachment")
            return ""
        written = rewrite_file(str(form), content, to)
        if written is None:
            return ""
        known = (one if one.isalnum() and len(one) < 12 else "" for one in (kind, subtype))
        packed = base64.b64encode(written).decode()
        return apart.component.join(["", *known, "Base64", packed])

    def _action(self, segment: str, number: int, kind: str, component: int) -> str | None:
        paths = ((segment, str(number), str(component)), (segment, str(number)), (kind, str(component)), (kind,))  # fmt: skip
        rules = self.profile.rules
        return next((rules[path] for path in paths if path in rules), None)

    def _code(self, components: Sequence[str], at: int) -> str:
        """Return what is done to a component of a coded field: words of public systems stay."""
        if at > 6:
            return "keep" if at in (7, 8) else "text"
        system = (at - 1) // 3 * 3 + 2
        is_public = system < len(components) and components[system].startswith(self._public)
        if at - 1 == system:
            return "keep"
        return "public" if is_public else "text" if at % 3 == 2 else "keep"

    def _stays(self, value: str, action: str | None, apart: Separators) -> bool:
        """Return whether a string stays as it is."""
        if apart.escape in value:
            return False
        if action == "keep":
            return bool(_TOKEN.fullmatch(value)) or value in self._public
        return action == "public" and len(value) <= 256

    def _string(self, value: str, action: str | None, apart: Separators, to: Rewriting) -> str:
        if action == "identifier":
            return to.identifier(value)
        if action == "date" and (found := _DATE.fullmatch(value)):
            return self._moved(found, to)
        text = apart.decode(value)
        return apart.encode(to.text(text)) if text.strip() else value

    @staticmethod
    def _moved(found: re.Match[str], to: Rewriting) -> str:
        """Return a date moved, in the form that HL7 writes it in."""
        moved = to.date("-".join(part for part in found.groups()[:3] if part))
        return "" if moved is None else moved.replace("-", "") + (found[4] or "")
