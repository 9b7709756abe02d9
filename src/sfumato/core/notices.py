"""Notices for somebody who waits for a command; without a listener they are dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["hear_notices", "notify"]

_listeners: list[Callable[[str], object]] = []


@contextmanager
def hear_notices(tell: Callable[[str], object]) -> Iterator[None]:
    """Report notices while a block runs.

    Parameters
    ----------
    tell : callable
        Takes one sentence.

    >>> heard = []
    >>> with hear_notices(heard.append):
    ...     notify("it takes a while")
    >>> notify("nobody listens")
    >>> heard
    ['it takes a while']

    """
    _listeners.append(tell)
    try:
        yield
    finally:
        _listeners.remove(tell)


def notify(text: str) -> None:
    """Send a notice to those who listen.

    Parameters
    ----------
    text : str
        One sentence, without a value of the data.

    """
    for tell in tuple(_listeners):
        tell(text)
