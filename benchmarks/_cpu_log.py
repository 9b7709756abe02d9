"""A pytest plugin: append the CPU seconds of each item, its children included, to the file that SFUMATO_CPU_LOG names.

A fixture counts for the item that asks for it first. A child counts once it has ended and was waited for. Compiling a
kernel whose code is kept on the disk is told apart, in this process: it happens once per checkout, not once per run.
"""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Iterator

import pytest
from numba.core import event
from numba.core.caching import NullCache

COLLECTION = "collection"
"""What importing and collecting the tests is called in the log."""


class _Compiling(event.Listener):  # type: ignore[misc]
    """The CPU seconds of compiling kernels that are cached; kernels that call each other count once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0
        self._begun = 0.0

    def on_start(self, event: event.Event) -> None:
        if self._depth or not isinstance(event.data["dispatcher"]._cache, NullCache):  # noqa: SLF001
            self._depth += 1
            if self._depth == 1:
                self._begun = time.thread_time()

    def on_end(self, event: event.Event) -> None:  # noqa: ARG002
        if self._depth:
            self._depth -= 1
            if not self._depth:
                self.seconds += time.thread_time() - self._begun


_compiling = _Compiling()
event.register("numba:compile", _compiling)


def used() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    own, children = (
        resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _log(item: str, seconds: float, compiling: float) -> None:
    line = {
        "item": item,
        "seconds": round(seconds - compiling, 4),
        "compiling": round(compiling, 4),
    }
    with open(os.environ["SFUMATO_CPU_LOG"], "a", encoding="utf-8") as log:
        log.write(json.dumps(line) + "\n")


def pytest_collection_finish() -> None:
    _log(COLLECTION, used(), _compiling.seconds)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    before, compiled = used(), _compiling.seconds
    try:
        return (yield)
    finally:
        _log(item.nodeid, used() - before, _compiling.seconds - compiled)
