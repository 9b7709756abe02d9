"""Programs that XLA has compiled, kept between runs in a folder that nobody else can write to.

What is kept there runs as it is, so the folder must be private, as that of the kernels. Deleting it is safe: what
is missing is compiled again.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ....._kernel_cache import user_folder
from .....core.notices import notify

__all__ = ["keep_programs", "tell_of_compiling", "trim"]

FIRST_USE = "first use of the encoder: compiling for this machine (once, usually about a minute)"
_COMPILED = "/jax/core/compile/backend_compile_duration"

LIMIT = 1 << 29
"""Bytes that the folder may hold when a run begins."""


def keep_programs() -> None:
    """Let JAX keep what it compiles in the user's private cache.

    A folder that was set for JAX by the user stays as it is. Versions of JAX and the device are part of the names that JAX
    gives to its files, so programs of another version or device are never loaded.
    """
    import jax

    if getattr(jax.config, "jax_compilation_cache_dir", None) is not None:
        return
    folder = user_folder("programs")
    if folder is None:
        return
    trim(Path(folder), LIMIT)
    if next(Path(folder).iterdir(), None) is None:
        _first.begin()
    for name, value in {
        "jax_compilation_cache_dir": folder,
        # Also what compiles quickly: a run needs dozens of such programs.
        "jax_persistent_cache_min_compile_time_secs": 0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }.items():
        jax.config.update(name, value)  # type: ignore[no-untyped-call]


class _FirstUse:
    """The first use of an encoder on a machine: what it compiled, until that was reported."""

    def __init__(self) -> None:
        self.waits = self.told = False
        self.programs, self.seconds = 0, 0.0

    def begin(self) -> None:
        import jax

        self.waits = True
        jax.monitoring.register_event_duration_secs_listener(self._count)

    def _count(self, event: str, duration_secs: float, **_: str | int) -> None:
        if event == _COMPILED:
            self.programs += 1
            self.seconds += duration_secs


_first = _FirstUse()


@contextmanager
def tell_of_compiling(*, learns: bool) -> Iterator[None]:
    """Print at the first use of an encoder that it is compiled, and for how long it was.

    Parameters
    ----------
    learns : bool
        Whether the block learns: nearly everything has been compiled after it.

    """
    keep_programs()
    if _first.waits and not _first.told:
        notify(FIRST_USE)
        _first.told = True
    yield
    if _first.waits and learns:
        _first.waits = False
        notify(
            f"compiled {_first.programs} programs of the encoder in {_first.seconds:.0f} s; "
            "they are kept for the next run"
        )


def trim(folder: Path, limit: int) -> None:
    """Delete the files that were not used for the longest time until half of the limit is left.

    Parameters
    ----------
    folder : Path
        The folder of the programs.
    limit : int
        Nothing is deleted where the files hold at most this many bytes.

    """
    found: list[tuple[float, int, Path]] = []
    for path in folder.iterdir():
        try:
            known = os.stat(path)
        except OSError:  # another process deletes, too
            continue
        found.append((max(known.st_atime, known.st_mtime), known.st_size, path))
    total = sum(size for _, size, _ in found)
    if total <= limit:
        return
    for _, size, path in sorted(found, key=lambda entry: (entry[0], entry[2].name)):
        try:
            path.unlink()
        except OSError:
            logging.getLogger(__name__).debug("A compiled program could not be deleted.")
            continue
        total -= size
        if total <= limit // 2:
            return
