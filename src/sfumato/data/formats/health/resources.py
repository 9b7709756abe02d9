"""A resource of FHIR: its texts in order, and the resource with its edits, its pseudonyms and shifted dates.

One walk serves both: what it takes for text is collected when a resource is read and replaced when it is
written. An element without a rule is a date or an address by its form, and free text otherwise.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence

from .iso_dates import has_date_form, is_date
from .own_values import REMOVED, own_values, pattern_of
from .pages import rewrite_page
from .profile import Element, Profile
from .pseudonyms import tail_of
from .rewriting import Json, Rewriting, rewrite_file
from .scanning import PEOPLE

__all__ = ["ResourceWalk", "person_of"]

_SOLID = r"[!#-\[\]-~]"  # printable, but for quotes and backslashes
_TOKEN = re.compile(rf"{_SOLID}{{1,64}}(?:; ?{_SOLID}{{1,32}})?")
_WORD = re.compile(rf"{_SOLID}+")
_NUMBER = re.compile(r"[0-9]{5}")
_MARK = re.compile(r"\[[A-Z]")  # as [NAME], which replaces text
_ADDRESS = re.compile(rf"[a-z][a-z0-9+.\-]{{1,20}}:{_SOLID}+")
_NAMED = re.compile(r"[A-Z][A-Za-z]{2,40}/[A-Za-z0-9.\-]*[0-9][A-Za-z0-9.\-]*")
_LONGEST_WORDS = 256
_MOST_KNOWN = 50_000
_TEXT_TYPES = {"text/plain": "text", "text/html": "xhtml", "application/xhtml+xml": "xhtml", "text/xhtml": "xhtml"}  # fmt: skip


def person_of(resource: Json, persons: Sequence[str], url: object = None) -> str:
    """Return whom a resource is about: the id of a patient, else of the resource itself.

    >>> person_of({"resourceType": "Observation", "subject": {"reference": "Patient/7"}}, ["subject"])
    '7'
    """
    if resource.get("resourceType") != "Patient":
        for name in persons:
            value = resource.get(name)
            if isinstance(value, list) and value:
                value = value[0]
            if isinstance(value, dict):
                found = value.get("reference")
                if isinstance(found, str) and found:
                    return tail_of(found)
    if isinstance(url, str) and url:
        return tail_of(url)
    own = resource.get("id")
    return own if isinstance(own, str) else ""


def _says_again(value: object) -> bool:
    """Return whether a value is a narrative that only repeats other elements."""
    return isinstance(value, dict) and "div" in value and value.get("status") in ("generated", "extensions")  # fmt: skip


class ResourceWalk:
    """Walks through resources as a profile says.

    Parameters
    ----------
    profile : Profile
        The rules.

    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self._known = tuple(profile.terminologies)
        self._plain: dict[str, bool] = {}
        self._systems: dict[str, bool] = {}
        self._own: re.Pattern[str] | None = None

    def resource(self, resource: Json, to: Rewriting, url: object = None) -> Json:
        """Return a resource with everything in it rewritten."""
        to.enter(resource, url)
        self._own = pattern_of(own_values(resource))
        return self._resource(resource, to)

    def _resource(self, resource: Json, to: Rewriting) -> Json:
        kind = resource.get("resourceType")
        return self._object(resource, self.profile.start(kind if isinstance(kind, str) else ""), to)

    def entry(self, entry: Json, to: Rewriting) -> Json:
        """Return an entry of a bundle with everything in it rewritten."""
        inner = entry.get("resource")
        if isinstance(inner, dict):
            to.enter(inner, entry.get("fullUrl"))
        self._own = pattern_of(own_values(entry))
        return self._object(entry, self.profile.below(self.profile.start("Bundle"), "entry"), to)

    def _object(self, value: Json, element: Element, to: Rewriting) -> Json:
        made: Json = {}
        below, plain = element.below, self._plain
        for name, one in value.items():
            if name == "text" and _says_again(one):
                to.drop("a generated narrative")
                continue
            under = below.get(name) or self.profile.below(element, name)
            action = under.action
            if action == "drop":
                to.drop("an extension" if "xtension" in name or name[:1] == "_" else "an element")
            elif type(one) is str:  # most are, and most of them stay
                if action == "keep" and plain.get(one):
                    made[name] = one
                elif (new := self._string(one, name, action, value, to)) is not None:
                    made[name] = new
            elif (below_it := self._value(one, name, under, value, to)) is not None:
                made[name] = below_it
        return made

    def _value(self, value: object, name: str, element: Element, parent: Json, to: Rewriting) -> object:  # fmt: skip
        if isinstance(value, str):
            return self._string(value, name, element.action, parent, to)
        if isinstance(value, dict):
            if "resourceType" in value:
                if name == "resource":
                    to.enter(value, parent.get("fullUrl"))
                return self._resource(value, to)
            return self._object(value, element, to)
        if isinstance(value, list):
            made = [self._value(one, name, element, parent, to) for one in value]
            return made if any(one is not None for one in made) or not made else None
        if element.action in {"identifier", "reference", "base64"} and not isinstance(value, bool) and value is not None:  # fmt: skip
            to.drop("an element")
            return None
        return value

    def _string(self, value: str, name: str, action: str | None, parent: Json, to: Rewriting) -> object:  # fmt: skip
        if action == "keep" and not self._is_plain(value):
            action = None
        elif action == "code":
            action = self._code(value, name, parent)
        elif action == "text" and name == "text" and self._is_display(value, parent):
            action = "keep"
        if action is None:
            action = self._by_form(value)
        if action == "keep":
            return value
        if action == "text":
            return self._say(value, to)
        if action == "date":
            return to.date(value) if has_date_form(value) else self._say(value, to)
        if action == "reference":
            return to.reference(value)
        if action == "identifier":
            return to.identifier(value)
        if action == "xhtml":
            return rewrite_page(value, lambda words, is_new: self._say(words, to, is_new))
        if action == "base64":
            return self._attachment(value, parent, to)
        to.drop("an element")
        return None

    def _say(self, text: str, to: Rewriting, is_new: bool = True) -> str:
        """Return the replacement of a text, without what the resource says in separate elements."""
        if self._own is not None:
            text, count = self._own.subn(REMOVED, text)
            if count:
                to.drop("a value of another element in a text")
        return to.text(text, is_new)

    def _by_form(self, value: str) -> str:
        """Return what is done to a string that no rule fits."""
        if is_date(value):
            return "date"
        if _ADDRESS.fullmatch(value):
            return "keep" if value.startswith(self._known) else "reference"
        return "reference" if _NAMED.fullmatch(value) else "text"

    def _is_public(self, system: str) -> bool:
        found = self._systems.get(system)
        if found is None:
            if len(self._systems) > _MOST_KNOWN:
                self._systems.clear()
            found = self._systems[system] = system.startswith(self._known)
        return found

    def _is_plain(self, value: str) -> bool:
        """Return whether a value that is to be kept has the form of a code, a unit or the name of a system."""
        found = self._plain.get(value)
        if found is None:
            if len(self._plain) > _MOST_KNOWN:
                self._plain.clear()
            is_code = (
                bool(_TOKEN.fullmatch(value)) and not _NUMBER.search(value) and "@" not in value
            )
            found = is_code or (value.startswith(self._known) and bool(_WORD.fullmatch(value)))
            found = found and not _MARK.match(value)
            self._plain[value] = found
        return found

    def _code(self, value: str, name: str, parent: Json) -> str | None:
        """Return what is done to a code or its words: those of public terminologies stay."""
        system = parent.get("system")
        if isinstance(system, str) and self._is_public(system):
            return "keep" if len(value) <= _LONGEST_WORDS else "text"
        target = parent.get("reference")
        if isinstance(target, str):
            kind = target.partition("/")[0].partition("?")[0]
            return "drop" if kind in PEOPLE or not kind.isalpha() else "text"
        return "keep" if name == "code" and self._is_plain(value) else "text"

    def _is_display(self, value: str, parent: Json) -> bool:
        """Return whether a text repeats the words of a public code next to it."""
        codes = parent.get("coding")
        return isinstance(codes, list) and any(
            isinstance(code, dict) and code.get("display") == value and self._code(value, "display", code) == "keep"
            for code in codes
        )  # fmt: skip

    def _attachment(self, value: str, parent: Json, to: Rewriting) -> object:
        """Return an attachment with other words; one of a kind that cannot be read is dropped."""
        kind = str(parent.get("contentType", "")).partition(";")[0].strip().lower()
        form = _TEXT_TYPES.get(kind)
        try:
            content = base64.b64decode("".join(value.split()), validate=True)
            text = content.decode() if form else ""
        except ValueError:  # neither base64 nor UTF-8
            to.drop("an attachment")
            return None
        if form is None:
            written = rewrite_file(kind, content, to)
            return None if written is None else base64.b64encode(written).decode()
        if form == "xhtml":
            new = rewrite_page(text, lambda words, is_new: self._say(words, to, is_new))
        else:
            new = self._say(text, to)
        return base64.b64encode(new.encode()).decode()
