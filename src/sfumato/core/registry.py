"""Named choices of one extension point: learners, attackers, measures, strategies, selectors, replacements, engines.

A registry is the only list of its names: options, plans, help texts and tests all enumerate it. An entry
may be given as "module:attribute" and is then imported when it is first asked for, so that listing names
costs nothing. A registry with a group also finds what other packages register under it as entry points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar, cast

from .entry_points import EntryPoint, entry_points, load
from .errors import ParameterError, did_you_mean

__all__ = ["Registry"]

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """A mapping from names to the entries of one extension point.

    Own entries come first, in the order of registration; then those of other packages, by name. The
    entry points are looked at when names are listed or one is not found, and a name that is taken here
    is never replaced by another package's.

    Parameters
    ----------
    kind : str
        What an entry is, in the singular; used in error messages.
    entries : mapping of str to T or str, default={}
        The first entries, each an object or "module:attribute".
    group : str, optional
        The group of entry points in which other packages register entries.
    of : type or str, optional
        The type that every entry must have, or "module:attribute" of it; a protocol asks for its members.
    classes : bool, default=False
        Whether an entry is a subclass of that type instead of an instance.
    adapt : callable or str, optional
        Applied to what was registered, or "module:attribute" of it; returns the entry.

    >>> shapes = Registry("shape", {"square": 4}, of=int)
    >>> shapes.register("triangle", 3)
    >>> list(shapes), shapes["triangle"]
    (['square', 'triangle'], 3)
    >>> shapes.register("circle", "math:pi")
    >>> shapes["circle"]
    Traceback (most recent call last):
    ...
    sfumato.core.errors.ParameterError: The shape 'circle' is not an int.

    """

    def __init__(
        self,
        kind: str,
        entries: Mapping[str, T | str] | None = None,
        *,
        group: str | None = None,
        of: type | str | None = None,
        classes: bool = False,
        adapt: Callable[[object], object] | str | None = None,
    ) -> None:
        self.kind, self.group = kind, group
        self._entries: dict[str, T | str] = dict(entries or {})
        self._loaded: dict[str, T] = {}
        self._of, self._classes, self._adapt = of, classes, adapt

    def register(self, name: str, entry: T | str) -> None:
        """Add an entry; a name that is already taken is refused."""
        if name in self._entries:
            raise ParameterError(f"There is already a {self.kind} {name!r}.")
        self._entries[name] = entry
        self._loaded.pop(name, None)

    def unregister(self, name: str) -> None:
        """Remove an entry that was registered here."""
        del self._entries[name]
        self._loaded.pop(name, None)

    def __getitem__(self, name: str) -> T:
        if name in self._loaded:
            return self._loaded[name]
        if name in self._entries:
            entry = self._entries[name]
            found = self._checked(
                load(entry) if isinstance(entry, str) else entry, f"The {self.kind} {name!r}"
            )
        else:
            found = self._foreign(name)
        self._loaded[name] = found
        return found

    def get_or_raise(self, name: str) -> T:
        """Return an entry; an unknown name is a `ParameterError` that lists the known ones."""
        if name not in self:
            raise ParameterError(
                f"There is no {self.kind} {name!r}.", hint=did_you_mean(name, self)
            )
        return self[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._entries
        yield from (name for name in self._points() if name not in self._entries)

    def __len__(self) -> int:
        return len({*self._entries, *self._points()})

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._points()

    def __repr__(self) -> str:
        return f"Registry({self.kind!r}, {', '.join(self)})"

    # --- entries of other packages --------------------------------------------------------------

    def _points(self) -> Mapping[str, tuple[EntryPoint, ...]]:
        return entry_points(self.group) if self.group is not None else {}

    def _foreign(self, name: str) -> T:
        points = self._points().get(name)
        if not points:
            raise KeyError(name)
        if len(points) > 1:
            packages = " and ".join(point.package for point in points)
            raise ParameterError(
                f"The {self.kind} {name!r} is registered by {packages}.",
                hint="uninstall one of them.",
            )
        (point,) = points
        words = f"The entry point {name!r} of {point.group} (package {point.package})"
        try:
            found = point.load()
        except Exception as error:
            raise ParameterError(
                f"{words} cannot be imported ({type(error).__name__}).",
                hint="update or uninstall the package.",
            ) from error
        return self._checked(found, words)

    def _checked(self, entry: object, words: str) -> T:
        """Return an entry that is what the registry holds, or refuse it by the given words."""
        if self._adapt is not None:
            adapt = load(self._adapt) if isinstance(self._adapt, str) else self._adapt
            entry = cast("Callable[[object], object]", adapt)(entry)
        if self._of is not None:
            of = cast("type", load(self._of) if isinstance(self._of, str) else self._of)
            mistake = _mistake(entry, of, classes=self._classes)
            if mistake:
                raise ParameterError(f"{words} {mistake}.")
        return cast("T", entry)


def _mistake(entry: object, of: type, *, classes: bool) -> str:
    """Return why an entry is not of a type, or an empty string."""
    if getattr(of, "_is_protocol", False):
        asked = [*vars(of).get("__annotations__", {}), *(n for n in vars(of) if n[0] != "_")]
        lacking = [name for name in asked if not hasattr(entry, name)]
        return f"has no {', '.join(lacking)}" if lacking else ""
    if classes:
        fits = isinstance(entry, type) and issubclass(entry, of)
        return "" if fits else f"is not a subclass of {of.__name__}"
    article = "an" if of.__name__[0] in "AEIOUaeiou" else "a"
    return "" if isinstance(entry, of) else f"is not {article} {of.__name__}"
