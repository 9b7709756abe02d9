"""Stages that several ratios share, learned again once although the ratios run side by side."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from ...learners.protocol import Model

__all__ = ["Refitted"]


class Refitted:
    """Stages learned again from all documents, each once, by whichever ratio comes first."""

    def __init__(self) -> None:
        self.models: dict[int, Model] = {}
        self._locks: dict[int, threading.Lock] = {}
        self._guard = threading.Lock()

    def learn(self, places: Sequence[int], learned: Callable[[int], Model]) -> None:
        """Learn the stages that nobody has; those that another thread is learning are waited for last."""
        waiting = [place for place in places if not self._one(place, learned, wait=False)]
        for place in waiting:
            self._one(place, learned, wait=True)

    def _one(self, place: int, learned: Callable[[int], Model], *, wait: bool) -> bool:
        with self._guard:
            lock = self._locks.setdefault(place, threading.Lock())
        if not lock.acquire(blocking=wait):
            return False
        try:
            if place not in self.models:
                self.models[place] = learned(place)
        finally:
            lock.release()
        return True
