"""A pytest plugin: append the CPU seconds of each item, its children included, to the file that SFUMATO_CPU_LOG names.

A fixture counts for the item that asks for it first. A child counts once it has ended and was waited for. Compiling a
kernel whose code is kept on the disk is told apart, in this process: it happens once per checkout, not once per run.
Items that stand in the file already are left out, and with SFUMATO_CPU_UNTIL, a time of the clock, the run stops there.
The file imports nothing of ours: it also runs in an older tree.
"""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path

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


def _log(item: str, seconds: float, compiling: float, outcome: str = "passed") -> None:
    line = {
        "item": item,
        "seconds": round(seconds - compiling, 4),
        "compiling": round(compiling, 4),
        "outcome": outcome,
    }
    with open(os.environ["SFUMATO_CPU_LOG"], "a", encoding="utf-8") as log:
        log.write(json.dumps(line) + "\n")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    log = Path(os.environ["SFUMATO_CPU_LOG"])
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    known = {json.loads(line)["item"] for line in lines}
    items[:] = [item for item in items if item.nodeid not in known]


def pytest_collection_finish() -> None:
    _log(COLLECTION, used(), _compiling.seconds)


_outcomes: dict[str, str] = {}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.outcome != "passed":
        _outcomes[report.nodeid] = report.outcome


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    before, compiled = used(), _compiling.seconds
    try:
        return (yield)
    finally:
        outcome = _outcomes.get(item.nodeid, "passed")
        _log(item.nodeid, used() - before, _compiling.seconds - compiled, outcome)
        if time.time() > float(os.environ.get("SFUMATO_CPU_UNTIL", "inf")):
            item.session.shouldstop = "the time is over"
