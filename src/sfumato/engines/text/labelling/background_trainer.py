"""An encoder that learns in the background: it reads the documents once, then computes updates from the answers.

The page never waits for it. A finished update is offered; the session applies it between two fits and records
that in the journal.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ..learners.partial import Known, Pool
from ..learners.protocol import Model
from .encoder_trainer import Trainer
from .scorers import EncoderUpdate

__all__ = ["BackgroundTrainer"]

_NICE = 10  # the page and the CRF come first

Snapshot = tuple[int, Known]
"""How many events the journal holds, and the answers that they give."""


class _Closed(Exception):  # noqa: N818 (nothing went wrong)
    """The session was closed while the trainer was working."""


class BackgroundTrainer:
    """Run a trainer in a thread.

    Parameters
    ----------
    trainer : Trainer
        Learns from the answers.
    pool : Pool
        The tokens.
    wake : threading.Condition
        Held while the session changes, notified after each answer.
    due : callable
        Returns the events and answers to learn from, or None if an update would hold nothing new;
        called while `wake` is held.
    offer : callable
        Takes a finished update; called while `wake` is held.

    """

    def __init__(
        self,
        trainer: Trainer,
        pool: Pool,
        wake: threading.Condition,
        due: Callable[[], Snapshot | None],
        offer: Callable[[EncoderUpdate], None],
    ) -> None:
        self.trainer, self.pool = trainer, pool
        self._wake, self._due, self._offer = wake, due, offer
        self._at_work = threading.Lock()
        self._prepared = False
        self._closed = False
        self._thread: threading.Thread | None = None
        self.state = "waiting"
        """"waiting", "reading", "learning", or "failed" with the kind of error."""

    def start(self) -> None:
        """Start a thread for the work."""
        self._thread = threading.Thread(target=self._work, name="encoder", daemon=True)
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether something is under way."""
        return self.state in ("reading", "learning")

    @property
    def failed(self) -> bool:
        return self.state.startswith("failed")

    def _watch(self) -> None:
        if self._closed:
            raise _Closed

    @contextmanager
    def _doing(self, what: str) -> Iterator[None]:
        """Hold the trainer for one thread at a time, and show what it does."""
        with self._at_work:
            self.state = what
            try:
                yield
            finally:
                self.state = "waiting"

    def prepare(self) -> None:
        """Read the documents, once."""
        if not self._prepared:
            with self._doing("reading"):
                self.trainer.prepare(
                    self.pool, self._watch
                )  # returns at once if another thread did
                self._prepared = True

    def learn(self, events: int, known: Known) -> EncoderUpdate | None:
        """Return the update from some answers; None if they are too few.

        Parameters
        ----------
        events : int
            Number of journal events that they come from.
        known : array of int8
            The answers.

        """
        self.prepare()
        with self._doing("learning"):
            scores = self.trainer.scores(self.pool, known, self._watch)
        return None if scores is None else EncoderUpdate(events, scores)

    def model(self, known: Known) -> Model:
        """Return the trainer's model of all answers."""
        self.prepare()
        with self._doing("learning"):
            return self.trainer.model(self.pool, known)

    def _work(self) -> None:
        _yield_to_others()
        try:
            self.prepare()
            while True:
                with self._wake:
                    while not self._closed and (given := self._due()) is None:
                        self._wake.wait()
                    self._watch()
                    assert given is not None
                found = self.learn(*given)
                if found is not None:
                    with self._wake:
                        self._offer(found)
                        self._wake.notify_all()
        except _Closed:
            self.state = "closed"
        except Exception as error:
            self.state = f"failed ({type(error).__name__})"

    def close(self) -> None:
        """End the work; the caller must have notified `wake`."""
        self._closed = True
        with self._wake:
            self._wake.notify_all()
        if self._thread is not None:
            self._thread.join()


def _yield_to_others() -> None:
    """Lower the priority of this thread, and with it that of the threads it starts to compute in."""
    with suppress(AttributeError, OSError):  # only some systems can
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
