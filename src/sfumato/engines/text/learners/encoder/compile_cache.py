"""Programs that XLA has compiled, kept between runs in a folder that nobody else can write to.

What is kept there runs as it is, so the folder must be private, as that of the kernels. Deleting it is safe: what
is missing is compiled again.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

from ....._kernel_cache import user_folder

__all__ = ["keep_programs", "trim"]

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
    for name, value in {
        "jax_compilation_cache_dir": folder,
        # Also what compiles quickly: a run needs dozens of such programs.
        "jax_persistent_cache_min_compile_time_secs": 0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }.items():
        jax.config.update(name, value)  # type: ignore[no-untyped-call]


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
