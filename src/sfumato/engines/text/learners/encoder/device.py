"""What an encoder computes on, and how threads share it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["device_kind", "one_at_a_time"]

# Threads that share an accelerator would disturb each other's recorded graphs.
_device = threading.RLock()


def device_kind() -> str:
    """Return what an encoder computes on: "cpu", or the kind of accelerator that JAX found."""
    import jax

    return str(jax.default_backend())


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Let one thread after the other use an accelerator; a CPU serves all of them."""
    if device_kind() == "cpu":
        yield
    else:
        with _device:
            yield
