"""Names of a package whose modules are loaded when they are first used: `sfumato --help` needs few of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

__all__ = ["lazy_names"]


def lazy_names(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the `__getattr__` and the `__dir__` of a package.

    Parameters
    ----------
    package : str
        The `__name__` of the package.
    homes : mapping of str to str
        By public name, the module of the package that holds it.

    Examples
    --------
    >>> find, shown = lazy_names("sfumato.core", {"Frontier": "frontier"})
    >>> find("Frontier"), shown()
    (<class 'sfumato.core.frontier.Frontier'>, ['Frontier'])
    >>> find("Backier")
    Traceback (most recent call last):
    AttributeError: module 'sfumato.core' has no attribute 'Backier'

    """

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return find, lambda: sorted(homes)
