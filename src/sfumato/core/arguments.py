"""Values with arguments: `NAME[:ARGUMENT][,KEY=VALUE…]`, one grammar for the command line, plans and Python.

`--risk small-groups:5` is a risk and its group size, `--format conll:token=1,tag=none` a format and how it
is read. A request declares such an option as a `Compound`, which names the fields that a value fills; the
fields themselves are declared, checked and recorded like any other. In a plan and in Python the value is
the same text, or a table: `risk = { name = "small-groups", k = 5 }`.

>>> risk = Named("risk", {"small-groups": [Argument("k", metavar="K")]})
>>> risk.read("small-groups:5")
{'risk': 'small-groups', 'k': '5'}
>>> text, fields = risk.write({"risk": "small-groups", "k": 5})
>>> text, sorted(fields)
('small-groups:5', ['k', 'risk'])
>>> risk.form("small-groups")
'small-groups:K'
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from dataclasses import field as dataclass_field
from typing import Any, cast

__all__ = ["Argument", "Compound", "Flagged", "Keyed", "Named", "number", "table_of"]

ANY = ""
"""In the place of a name: whatever the value is."""


def number(value: object) -> str:
    """Return a value as it is typed: whole numbers without a point.

    >>> number(2.0), number(0.5), number("income")
    ('2', '0.5', 'income')
    """
    return f"{value:g}" if isinstance(value, float) and value == int(value) else str(value)


def table_of(value: object) -> Mapping[str, object] | None:
    """Return a table, or the fields of a dataclass as one; None for anything else."""
    if isinstance(value, Mapping):
        return {str(key): one for key, one in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in fields(value)}
    return None


@dataclass(frozen=True)
class Argument:
    """One argument of a value.

    Parameters
    ----------
    field : str
        The field of the request that it fills.
    key : str
        Its key; empty for the argument that takes none.
    metavar : str
        Its placeholder in help texts.
    also : mapping of str to object
        Further fields that it sets.
    read, write : callable
        Turn its text into a value, and back.

    """

    field: str
    key: str = ""
    metavar: str = ""
    also: Mapping[str, object] = dataclass_field(default_factory=dict)
    read: Callable[[str], object] = str
    write: Callable[[object], str] = number

    @property
    def form(self) -> str:
        """The argument as a help text shows it."""
        word = self.metavar or self.field.upper()
        return f"{self.key}={word}" if self.key else word

    def fill(self, value: object) -> dict[str, object]:
        """Return the fields that a value fills."""
        return {self.field: self.read(value) if isinstance(value, str) else value, **self.also}


class Compound(ABC):
    """One option that fills several fields of a request.

    `help` and `metavar` are for an option that is no field itself (`--log`); one that is a field,
    too (`--risk`), has those of the field.
    """

    help: str = ""
    metavar: str = ""
    takes: tuple[object, ...] = (str, Mapping[str, object])
    """The types of a value, in addition to those of the field."""

    @abstractmethod
    def read(self, value: object) -> dict[str, object]:
        """Return the fields that a value fills; a value that does not fit raises ValueError."""

    @abstractmethod
    def write(self, values: Mapping[str, object]) -> tuple[str, set[str]]:
        """Return the text that gives fields these values, and which of them it gives."""

    def form(self, name: str) -> str:
        """Return a name with its arguments, as a help text lists it."""
        return name

    def example(self, field: str) -> str:  # noqa: ARG002
        """Return the form of a value that fills a field."""
        return self.metavar


class Named(Compound):
    """A name, or another value, that may be followed by a colon and its arguments.

    Parameters
    ----------
    own : str
        The field that the name itself fills.
    arguments : mapping of str to sequence of Argument
        The arguments of each name that takes any; under "" those of every value.
    help, metavar : str
        See `Compound`.
    default : str
        The name that a text begins with where the field `own` is not given.
    unset : str
        The name that means no name, for giving arguments alone.

    """

    def __init__(
        self,
        own: str,
        arguments: Mapping[str, Sequence[Argument]],
        *,
        help: str = "",  # noqa: A002 (the word of every command line)
        metavar: str = "",
        default: str = "",
        unset: str = "",
    ) -> None:
        self.own, self.arguments, self.default, self.unset = own, arguments, default, unset
        self.help, self.metavar = help, metavar

    def _arguments(self, name: object) -> Sequence[Argument]:
        return self.arguments.get(str(name), self.arguments.get(ANY, ()))

    def _head(self, name: object) -> dict[str, object]:
        return {} if self.unset and name == self.unset else {self.own: name}

    def read(self, value: object) -> dict[str, object]:
        """Return the fields that a text or a table fills; any other value fills its own field."""
        table = table_of(value)
        if table is not None:
            return self._read_table(table)
        if not isinstance(value, str):
            return {self.own: value}
        name, colon, rest = value.partition(":")
        known = self._arguments(name)
        if not colon or not known:
            return self._head(value)
        found = self._head(name)
        for part in (part.strip() for part in rest.split(",")):
            key, equals, given = part.partition("=")
            argument = next((a for a in known if a.key == (key if equals else "")), None)
            if argument is None or not (given if equals else part):
                raise ValueError(f"{name!r} takes other arguments; write {self.form(name)}")
            found |= _once(argument.fill(given if equals else part), found)
        return found

    def _read_table(self, table: Mapping[str, object]) -> dict[str, object]:
        name = next((table[key] for key in ("name", "value", self.own) if key in table), self.unset)
        if not name:
            raise ValueError(f"a table for {self.own!r} needs a 'name'")
        known = {key: a for a in self._arguments(name) for key in (a.field, a.key) if key}
        found = self._head(name)
        for key, value in table.items():
            if key in ("name", "value", self.own):
                continue
            if key not in known:
                raise ValueError(f"{name!r} takes other arguments; write {self.form(str(name))}")
            found |= _once(known[key].fill(value), found)
        return found

    def write(self, values: Mapping[str, object]) -> tuple[str, set[str]]:
        name = values.get(self.own)
        given = [a for every in self.arguments.values() for a in every if a.field in values]
        if name is None:
            name = self.default or (self.unset if given else "")
        if not isinstance(name, str | int | float):
            return "", set()
        shown = [a for a in self._arguments(name) if a in given and _agrees(a, values)]
        hidden = {key for a in shown for key in a.also}
        shown = [a for a in shown if a.field not in hidden]
        texts = [
            f"{a.key}={a.write(values[a.field])}" if a.key else a.write(values[a.field])
            for a in shown
        ]
        covered = {a.field for a in shown} | {key for key in hidden if key in values}
        if self.own in values:
            covered.add(self.own)
        return number(name) + (":" + ",".join(texts) if texts else ""), covered

    def form(self, name: str) -> str:
        known = self._arguments(name)
        return f"{name}:{','.join(a.form for a in known)}" if known else name

    def example(self, field: str) -> str:
        """Return the form of a value that fills a field."""
        for name, known in self.arguments.items():
            for argument in known:
                if argument.field == field:
                    return f"{name or self.own.upper()}:{argument.form}"
        return self.metavar or self.own.upper()


def _agrees(argument: Argument, values: Mapping[str, object]) -> bool:
    return all(values.get(key) == value for key, value in argument.also.items())


def _once(new: Mapping[str, object], found: Mapping[str, object]) -> Mapping[str, object]:
    for key in new:
        if key in found:
            raise ValueError(f"{key!r} is given twice")
    return new


class Keyed(Compound):
    """Pairs of a key and a value, without a name before them: `item=a,person=c,quantity=q:2`.

    Parameters
    ----------
    own : str
        The name of the option.
    keys : mapping of str to Argument or Named
        What each key gives: a field, or a field with its own arguments.
    help, metavar : str
        See `Compound`.

    """

    def __init__(
        self,
        own: str,
        keys: Mapping[str, Argument | Named],
        *,
        help: str,  # noqa: A002 (the word of every command line)
        metavar: str,
    ) -> None:
        self.own, self.keys, self.help, self.metavar = own, keys, help, metavar

    def read(self, value: object) -> dict[str, object]:
        table = table_of(value)
        pairs = table.items() if table is not None else self._pairs(value)
        found: dict[str, object] = {}
        for key, given in pairs:
            kind = self.keys.get(key)
            if kind is None:
                parts = [
                    a for k in self.keys.values() if isinstance(k, Named) for a in k.arguments[ANY]
                ]
                kind = next((a for a in parts if a.field == key and table is not None), None)
            if kind is None:
                raise ValueError(f"{self.own} has no {key!r}; write {self.metavar}")
            new = kind.fill(given) if isinstance(kind, Argument) else kind.read(given)
            found |= _once(new, found)
        return found

    def _pairs(self, value: object) -> list[tuple[str, str]]:
        parts = [part.partition("=") for part in value.split(",")] if isinstance(value, str) else []
        if not parts or not all(key.strip() and equals and v.strip() for key, equals, v in parts):
            raise ValueError(f"{self.own} takes KEY=VALUE pairs separated by commas; write {self.metavar}")  # fmt: skip
        return [(key.strip(), v.strip()) for key, _, v in parts]

    def write(self, values: Mapping[str, object]) -> tuple[str, set[str]]:
        texts: list[str] = []
        covered: set[str] = set()
        for key, kind in self.keys.items():
            if isinstance(kind, Argument):
                text, mine = kind.write(values.get(kind.field)), {kind.field} & values.keys()
            else:
                text, mine = kind.write(values)
                mine = mine if kind.own in mine else set()
            if mine and values[next(iter(mine))] is not None:
                texts.append(f"{key}={text}")
                covered |= mine
        return ",".join(texts), covered


class Flagged(Compound):
    """A list in which one word is not a member but sets a field: `--background generated`.

    Parameters
    ----------
    own : str
        The field of the list.
    word : str
        The word.
    field : str
        The field that the word sets to True.

    """

    takes = ()

    def __init__(self, own: str, word: str, field: str) -> None:
        self.own, self.word, self.field = own, word, field

    def read(self, value: object) -> dict[str, object]:
        """Return the list without the word, and the field where the word was in it."""
        if isinstance(value, str | os.PathLike):
            value = [value]
        if not isinstance(value, list | tuple):
            return {self.own: value}
        several = cast("Sequence[Any]", value)
        rest = [one for one in several if not (isinstance(one, str) and one == self.word)]
        if len(rest) == len(several):
            return {self.own: value}
        return {self.own: rest, self.field: True}

    def write(self, values: Mapping[str, object]) -> tuple[str, set[str]]:
        """Return the word; the members of the list are written as they are."""
        return (self.word, {self.field}) if values.get(self.field) else ("", set())

    def example(self, field: str) -> str:  # noqa: ARG002
        """Return the word."""
        return self.word
