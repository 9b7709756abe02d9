"""Named choices of one extension point: learners, attackers, measures, strategies, selectors, replacements, engines.

A registry is the only list of its names: options, plans, help texts and tests all enumerate it. An entry
may be given as "module:attribute" and is then imported when it is first asked for, so that listing names
costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar, cast

from .errors import ParameterError, did_you_mean

__all__ = ["Registry"]

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """A mapping from names to the entries of one extension point, in the order of registration.

    Parameters
    ----------
    kind : str
        What an entry is, in the singular; used in error messages.
    entries : mapping of str to T or str, default={}
        The first entries, each an object or "module:attribute".

    >>> shapes = Registry("shape", {"square": 4})
    >>> shapes.register("triangle", 3)
    >>> list(shapes), shapes["triangle"]
    (['square', 'triangle'], 3)

    """

    def __init__(self, kind: str, entries: Mapping[str, T | str] | None = None) -> None:
        self.kind = kind
        self._entries: dict[str, T | str] = dict(entries or {})

    def register(self, name: str, entry: T | str) -> None:
        """Add an entry; a name that is already taken is refused."""
        if name in self._entries:
            raise ParameterError(f"There is already a {self.kind} {name!r}.")
        self._entries[name] = entry

    def __getitem__(self, name: str) -> T:
        if name not in self._entries:
            raise KeyError(name)
        entry = self._entries[name]
        if isinstance(entry, str):
            module, _, attribute = entry.partition(":")
            entry = cast("T", getattr(import_module(module), attribute))
            self._entries[name] = entry
        return entry

    def named(self, name: str) -> T:
        """Return an entry; an unknown name is a `ParameterError` that lists the known ones."""
        try:
            return self[name]
        except KeyError:
            raise ParameterError(
                f"There is no {self.kind} {name!r}.", hint=did_you_mean(name, self._entries)
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __repr__(self) -> str:
        return f"Registry({self.kind!r}, {', '.join(self._entries)})"
