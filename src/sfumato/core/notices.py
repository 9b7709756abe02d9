"""Notices for people who wait for a command; without a listener they go nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["notices_to", "notify"]

_listeners: list[Callable[[str], object]] = []


@contextmanager
def notices_to(listener: Callable[[str], object]) -> Iterator[None]:
    """Send notices to a listener while a block runs.

    Parameters
    ----------
    listener : callable
        Takes one sentence.

    >>> notices = []
    >>> with notices_to(notices.append):
    ...     notify("it takes a while")
    >>> notify("nobody listens")
    >>> notices
    ['it takes a while']

    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def notify(text: str) -> None:
    """Send a notice to all listeners.

    Parameters
    ----------
    text : str
        One sentence, without a value of the data.

    """
    for listener in tuple(_listeners):
        listener(text)
