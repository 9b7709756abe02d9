"""What is done to each element of a record: a profile of rules by path, checked when it is loaded.

A profile is a TOML file with a list of paths for each action. A path is the end of the way to an element
(`birthDate`, `name.family`, `Patient.contact`); of several that fit, the longest decides.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ....core.errors import FormatError, InputError

__all__ = ["ACTIONS", "Element", "Profile", "load_profile"]

ACTIONS = ("text", "xhtml", "base64", "identifier", "reference", "date", "code", "keep", "drop")
_ELEMENT = re.compile(r"[a-z][A-Za-z0-9]{0,63}")
_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*")
_MOST_ELEMENTS = 50_000
_MOST_BYTES = 1 << 20


class _ProfileFile(BaseModel):
    """The fields of a profile file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    standard: str = ""
    extends: bool = Field(
        True, description="Whether the rules are added to those that are shipped."
    )
    persons: tuple[str, ...] = ()
    terminologies: tuple[str, ...] = ()
    segments: dict[str, str] = Field(default_factory=dict)
    text: tuple[str, ...] = ()
    xhtml: tuple[str, ...] = ()
    base64: tuple[str, ...] = ()
    identifier: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()


@dataclass(slots=True)
class Element:
    """The state of a walk through a record: what is done here, and the elements below that were seen before."""

    path: tuple[str, ...]
    action: str | None = None
    below: dict[str, Element] = field(default_factory=dict)


@dataclass
class Profile:
    """The rules of a profile.

    Parameters
    ----------
    rules : mapping of tuple of str to str
        The action of each path.
    persons : sequence of str
        The elements that refer to the person whom a record is about, the first that is there decides.
    terminologies : sequence of str
        How the names of code systems begin whose codes and words are public.
    segments : mapping of str to str
        The data types of the fields of each HL7 segment, parted by spaces.

    """

    rules: Mapping[tuple[str, ...], str]
    persons: Sequence[str] = ()
    terminologies: Sequence[str] = ()
    segments: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._longest = max(map(len, self.rules), default=0)
        self._starts: dict[str, Element] = {}
        self._count = 0

    def start(self, kind: str) -> Element:
        """Return the top of a record of a kind."""
        found = self._starts.get(kind)
        if found is None:
            if (
                self._count > _MOST_ELEMENTS
            ):  # names that nobody uses twice must not fill the memory
                self._starts, self._count = {}, 0
            found = self._starts[kind] = Element((kind,))
            self._count += 1
        return found

    def below(self, element: Element, name: str) -> Element:
        """Return an element inside another one, by its name."""
        found = element.below.get(name)
        if found is None:
            path = (*element.path, name)[-16:]
            # An underscore begins what is said beside a simple element: extensions. What is no name of an element
            # may be that of a person.
            found = Element(path, self.action(path) if _ELEMENT.fullmatch(name) else "drop")
            self._count += 1
            if self._count <= _MOST_ELEMENTS:
                element.below[name] = found
        return found

    def action(self, path: tuple[str, ...]) -> str | None:
        """Return what is done to the element of a path; None where no rule fits.

        >>> Profile({("name", "family"): "drop", ("family",): "text"}).action(("Patient", "name", "family"))
        'drop'
        """
        for length in range(min(self._longest, len(path)), 0, -1):
            found = self.rules.get(path[-length:])
            if found is not None:
                return found
        return None


def load_profile(kind: str, path: Path | None = None) -> Profile:
    """Read the profile that is shipped, with the rules of another file over it.

    Parameters
    ----------
    kind : {"fhir", "hl7"}
        The standard.
    path : Path, optional
        The user's own profile; `extends = false` in it ignores the built-in one.

    """
    shipped = _read_default(kind)
    if path is None:
        return _profile([shipped])
    try:
        content = path.read_bytes() if path.stat().st_size <= _MOST_BYTES else b""
    except OSError:
        raise InputError(
            f"The profile {path.name!r} cannot be read.", hint="check its path."
        ) from None
    own = _parse(content, path.name)
    return _profile([shipped, own] if own.extends else [own])


@lru_cache(maxsize=4)
def _read_default(kind: str) -> _ProfileFile:
    return _parse(files(__package__).joinpath(f"{kind}.toml").read_bytes(), f"{kind}.toml")


def _parse(content: bytes, name: str) -> _ProfileFile:
    try:
        return _ProfileFile.model_validate(tomllib.loads(content.decode()))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"The profile {name!r} is not TOML: {error}.") from None
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise FormatError(
            f"The profile {name!r} says {where!r}, which it may not, or not so.",
            hint=f"it holds a list of paths for each of {', '.join(ACTIONS)}.",
        ) from None


def _profile(parsed: Sequence[_ProfileFile]) -> Profile:
    rules: dict[tuple[str, ...], str] = {}
    segments: dict[str, str] = {}
    for one in parsed:
        segments |= one.segments
        own: dict[tuple[str, ...], str] = {}
        for action in ACTIONS:
            for path in getattr(one, action):
                if not _PATH.fullmatch(path):
                    raise FormatError(
                        f"The profile holds {path!r}, which is not the path of an element."
                    )
                key = tuple(path.split("."))
                if key in own:
                    raise FormatError(
                        f"The profile says two things about {path!r}: {own[key]} and {action}."
                    )
                own[key] = action
        rules |= own
    last = parsed[-1]
    return Profile(
        rules, last.persons or parsed[0].persons, last.terminologies or parsed[0].terminologies, segments
    )  # fmt: skip
