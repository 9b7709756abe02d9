"""Independent pieces of work side by side on the cores of this machine, with the same result as in sequence.

The compiled loops release the interpreter's lock, so threads are enough. Work that is started from within
such a piece runs in its own thread, one after the other: only the outermost level is spread. Matrix products
do not start their own threads meanwhile: they would contend for the same cores.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from threadpoolctl import threadpool_limits

__all__ = ["on_threads", "side_by_side"]

T = TypeVar("T")


class _Here(threading.local):
    """How many threads this thread may use; 1 inside of a piece of work."""

    threads: int = 1


_here = _Here()


@contextmanager
def on_threads(threads: int | None) -> Iterator[None]:
    """Let `side_by_side` use this many threads in the block; all cores for None.

    Parameters
    ----------
    threads : int or None
        The number of threads.

    """
    before = _here.threads
    _here.threads = max(1, threads or len(os.sched_getaffinity(0)))
    try:
        with threadpool_limits(limits=1, user_api="blas"):
            yield
    finally:
        _here.threads = before


def side_by_side(work: Iterable[Callable[[], T]]) -> list[T]:
    """Return the results of independent functions, in their order.

    The first error is raised after the pieces that had started are done.

    >>> with on_threads(2):
    ...     side_by_side([lambda: 1, lambda: 2])
    [1, 2]

    """
    pieces = list(work)
    if _here.threads == 1 or len(pieces) < 2:
        return [piece() for piece in pieces]
    with ThreadPoolExecutor(
        min(_here.threads, len(pieces)), thread_name_prefix="sfumato-side"
    ) as pool:
        return list(pool.map(lambda piece: piece(), pieces))
