"""The entry points of installed packages, for all groups of sfumato, found by one quick scan.

`importlib.metadata.entry_points` parses the metadata of every package that is installed, which takes
longer than all else that `sfumato --help` does. Here the folders on `sys.path` are listed and only those
entry_points.txt are parsed that name a group of ours.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from typing import NamedTuple

__all__ = ["EntryPoint", "entry_points", "load"]

PREFIX = "sfumato."
_FILE = "entry_points.txt"
_METADATA = (".dist-info", ".egg-info")


class EntryPoint(NamedTuple):
    """A name that a package registers in a group, and the object that it represents."""

    name: str
    group: str
    value: str
    package: str

    def load(self) -> object:
        """Import the object."""
        return load(self.value)


def load(where: str) -> object:
    """Return the object that "module:attribute" names.

    >>> load("math:pi")
    3.141592653589793
    """
    module, _, attributes = where.partition(":")
    found: object = import_module(module)
    for attribute in filter(None, attributes.split(".")):
        found = getattr(found, attribute)
    return found


def entry_points(group: str) -> dict[str, tuple[EntryPoint, ...]]:
    """Return the entry points of a group by name, sorted; several where packages claim the same name.

    Parameters
    ----------
    group : str
        A group of ours, for example "sfumato.engines".

    """
    found: dict[str, list[EntryPoint]] = {}
    for point in _scan(tuple(sys.path)):
        if point.group == group:
            found.setdefault(point.name, []).append(point)
    return {name: tuple(found[name]) for name in sorted(found)}


@lru_cache(maxsize=1)
def _scan(path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Return all entry points of ours on a path; of a package that is there twice, the first counts."""
    found: list[EntryPoint] = []
    seen: set[str] = set()
    for place in dict.fromkeys(path):
        for package, version, text in _offers(place or "."):
            name = package.lower().replace("-", "_").replace(".", "_")
            if name not in seen:
                seen.add(name)
                found += _parse(text, f"{package} {version}".strip())
    return tuple(found)


def _offers(place: str) -> Iterator[tuple[str, str, str]]:
    """Yield (package, version, entry_points.txt) of the packages in one place that name a group of ours."""
    if os.path.isfile(place):  # an archive
        yield from _offers_of_archive(place)
        return
    try:
        folders = sorted(
            entry.name for entry in os.scandir(place) if entry.name.endswith(_METADATA)
        )
    except OSError:
        return
    for folder in folders:
        try:
            with open(os.path.join(place, folder, _FILE), encoding="utf-8") as stream:
                text = stream.read()
        except (OSError, UnicodeDecodeError):
            continue
        if f"[{PREFIX}" in text:
            package, dash, version = folder.rpartition(".")[0].rpartition("-")
            yield (package, version, text) if dash else (version, "", text)


def _offers_of_archive(place: str) -> Iterator[tuple[str, str, str]]:
    from importlib import metadata

    for distribution in metadata.distributions(path=[place]):
        text = distribution.read_text(_FILE) or ""
        if f"[{PREFIX}" in text:
            yield distribution.metadata["Name"], distribution.version, text


def _parse(text: str, package: str) -> Iterator[EntryPoint]:
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            group = line.strip("[]").strip()
        elif group.startswith(PREFIX) and "=" in line and line[0] not in "#;":
            name, _, value = line.partition("=")
            value = value.partition("[")[0].strip()  # without the extras that it may ask for
            yield EntryPoint(name.strip(), group, value, package)
