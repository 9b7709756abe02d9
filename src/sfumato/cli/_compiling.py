"""Notice that kernels are being compiled, which happens once after installing and would look like standing still.

numba announces each compilation, and says nothing where a kernel comes from the cache. It is a large
library that many commands never need, so it is listened to only once something imports it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

__all__ = ["NOTICE", "watched"]

NOTICE = "first use: compiling for this machine (once, usually less than half a minute)"
_EVENTS = "numba.core.event"
_COMPILED = "numba:compile"
Tell = Callable[[int], None]


class _WhenImported(MetaPathFinder):
    """Call a function when a module has been imported."""

    def __init__(self, name: str, then: Callable[[ModuleType], None]) -> None:
        self.name, self.then = name, then

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                run(module)
                self.then(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


class _Listening:
    """Counts the kernels that were compiled; how many there will be nobody knows before they are called."""

    def __init__(self, tell: Tell) -> None:
        self.tell, self.done = tell, 0
        self.events: Any = None

    def start(self, events: ModuleType) -> None:
        listening = self

        class Listener(events.Listener):  # type: ignore[name-defined, misc]
            def on_start(self, event: object) -> None:  # noqa: ARG002 (the name is numba's)
                listening.tell(listening.done)

            def on_end(self, event: object) -> None:  # noqa: ARG002
                listening.done += 1
                listening.tell(listening.done)

        self.events, self.listener = events, Listener()
        events.register(_COMPILED, self.listener)

    def stop(self) -> None:
        if self.events is not None:
            self.events.unregister(_COMPILED, self.listener)


@contextmanager
def watched(tell: Tell) -> Iterator[None]:
    """Report compilations while the block runs.

    Parameters
    ----------
    tell : callable
        Called with the number of kernels compiled so far, when another one begins or is done.

    """
    listening = _Listening(tell)
    finder = None
    if _EVENTS in sys.modules:
        listening.start(sys.modules[_EVENTS])
    else:
        finder = _WhenImported(_EVENTS, listening.start)
        sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        if finder is not None:
            with suppress(ValueError):
                sys.meta_path.remove(finder)
        listening.stop()
