"""A pytest plugin: append the CPU seconds of each item, its children included, to the file that SFUMATO_CPU_LOG names.

A fixture counts for the item that asks for it first. A child counts once it has ended and was waited for.
"""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Iterator

import pytest


def used() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    own, children = (
        resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    before = used()
    try:
        return (yield)
    finally:
        line = json.dumps({"item": item.nodeid, "seconds": round(used() - before, 4)})
        with open(os.environ["SFUMATO_CPU_LOG"], "a", encoding="utf-8") as log:
            log.write(line + "\n")
