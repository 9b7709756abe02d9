"""A DuckDB database that can read the files it was given and nothing else.

Every file is read through a link of ours in a private folder, so that no name is taken for a pattern or a
partition. Extensions, other files and later changes of the configuration are switched off. What is written
leaves through a pipe: Python opens the output, and an error of the disk is an error of the disk. A folder is
locked by the kernel while its process lives, so that the next run removes what killed ones left.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import InputError
from .sources import create_bytes

if TYPE_CHECKING:
    import duckdb

__all__ = ["Database", "disk_error", "quote_name", "quote_text"]

_MEMORY = "1GB"  # memory of DuckDB; it spills to disk beyond that
_FOLDER, _NEW = "sfumato-rows-", "sfumato-new-"
_PIPE_BYTES = 1 << 20
_F_SETPIPE_SZ = 1031
_DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.EMFILE)


def quote_name(text: str) -> str:
    """Quote a column's name for SQL."""
    return '"' + text.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Quote a string for SQL."""
    return "'" + text.replace("'", "''") + "'"


class Database:
    """A connection, and the private folder with its links and spilled data.

    Parameters
    ----------
    paths : sequence of Path, default=()
        The files that may be read.
    threads : int, optional
        The number of threads; all cores by default.

    """

    def __init__(self, paths: Sequence[Path] = (), *, threads: int | None = None) -> None:
        import duckdb

        self.folder, lock = _private_folder()
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": _MEMORY,
            "temp_directory": str(self.folder),
            "autoload_known_extensions": False,
            "autoinstall_known_extensions": False,
            "allow_community_extensions": False,
        }
        if threads is not None:
            config["threads"] = threads
        self.connection: duckdb.DuckDBPyConnection = duckdb.connect(config=config)
        weakref.finalize(self.connection, _remove, self.folder, lock)
        self.links = [self._link(number, path) for number, path in enumerate(paths)]
        # DuckDB checks the name it is given or where that leads, depending on its version: allow both.
        allowed = [p for link, path in zip(self.links, paths, strict=True)
                   for p in (str(link), os.path.realpath(path))]  # fmt: skip
        for statement in (
            "SET enable_progress_bar = false",
            f"SET allowed_directories = [{quote_text(str(self.folder))}]",
            f"SET allowed_paths = [{', '.join(map(quote_text, allowed))}]",
            "SET python_enable_replacements = false",
            "SET enable_external_access = false",
            "SET lock_configuration = true",
        ):
            self.connection.execute(statement)

    def _link(self, number: int, path: Path) -> Path:
        link = self.folder / f"input-{number}"
        link.symlink_to(os.path.realpath(path))
        return link

    def links_sql(self, first: int, last: int) -> str:
        """Return the links of some of the files as an SQL list."""
        return "[" + ", ".join(quote_text(str(p)) for p in self.links[first:last]) + "]"

    def write_csv(self, sql: str, path: Path, *, delimiter: str) -> None:
        """Write the rows of a query as CSV, compressed when the name ends in .gz."""
        pipe = self.folder / "output"
        os.mkfifo(pipe, 0o600)
        try:
            # Opened for both, it waits for nobody and ends when we say so.
            reader = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
            done, finish = os.pipe()
            with ThreadPoolExecutor(1, thread_name_prefix="sfumato-csv") as pool:
                drained = pool.submit(_drain, reader, path, done)
                try:
                    try:
                        self.connection.execute(
                            f"COPY ({sql}) TO {quote_text(str(pipe))} (FORMAT csv, "
                            f"HEADER true, DELIMITER {quote_text(delimiter)}, USE_TMP_FILE false)"
                        )
                    finally:
                        os.close(finish)
                except Exception:
                    if (failed := drained.exception()) is not None:
                        raise failed from None  # the disk, not the table
                    raise
            drained.result()
        finally:
            pipe.unlink()


def _private_folder() -> tuple[Path, int]:
    """Make a folder for a database in the temporary one; return it and the descriptor that holds its lock."""
    place = Path(os.path.realpath(tempfile.gettempdir()))
    if any(c in str(place) for c in "*?["):  # the only name that is not ours
        raise InputError(
            "The name of the temporary folder holds a character of a pattern (*, ? or [).",
            hint="set TMPDIR to another folder.",
        )
    _remove_stale(place)
    # It gets the name that others look for when it is locked: nobody takes it for one that was left.
    made = Path(tempfile.mkdtemp(prefix=_NEW, dir=place))
    lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    with suppress(OSError):  # a file system without locks
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    folder = made.with_name(_FOLDER + made.name.removeprefix(_NEW))
    made.rename(folder)
    return folder, lock


def _remove_stale(place: Path) -> None:
    """Remove our folders whose process has ended: those without a lock."""
    for folder in place.glob(f"{_FOLDER}*"):
        with suppress(OSError):  # somebody else's, or already removed
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                if os.fstat(lock).st_uid == os.geteuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def _remove(folder: Path, lock: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        os.close(lock)


def _drain(reader: int, path: Path, done: int) -> None:
    """Copy what comes through a pipe to a file until `done` can be read and nothing more has come."""
    with suppress(OSError):  # a smaller pipe is slower and as good
        fcntl.fcntl(reader, _F_SETPIPE_SZ, _PIPE_BYTES)
    try:
        with create_bytes(path, compress=path.name.endswith(".gz")) as out:
            while True:
                ready = select.select([reader, done], [], [])[0]
                if reader in ready:
                    out.write(os.read(reader, _PIPE_BYTES))
                else:
                    return
    finally:
        os.close(reader)
        os.close(done)


def disk_error(error: Exception) -> OSError | None:
    """Return the error of the disk that an error of DuckDB represents, if it does."""
    message = str(error).lower()
    for number in _DISK_ERRORS:
        if os.strerror(number).lower() in message:
            return OSError(number, os.strerror(number))
    return None
