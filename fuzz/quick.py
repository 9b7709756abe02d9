"""What makes one hostile input cheap, so that there can be very many; every N-th one goes the long way.

Most of the time of an input went into opening databases, into classifiers of scikit-learn and into
waiting for the disk, none of which is what is fuzzed. Readers, kernels, staging and publishing stay as they are.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

__all__ = ["LONG_WAY", "in_memory", "shortcuts"]

LONG_WAY = 100  # each so-many-th input has a database and classifiers of its own


def in_memory() -> Path | None:
    """Return a folder in memory, if the machine has one."""
    memory = Path("/dev/shm")
    return memory if os.access(memory, os.W_OK) else None


class _OneDatabase:
    """Connections to one DuckDB that is locked as ours are, and may read the fuzzed folders alone."""

    def __init__(self) -> None:
        self._shared: Any = None

    def opened(self, connect: Any, config: dict[str, Any]) -> Any:
        if self._shared is None:
            shared = connect(
                config={**config, "threads": 1, "temp_directory": tempfile.gettempdir()}
            )
            shared.execute(f"SET allowed_directories = ['{tempfile.gettempdir()}']")
            for statement in (
                "SET enable_progress_bar = false",
                "SET python_enable_replacements = false",
                "SET enable_external_access = false",
                "SET lock_configuration = true",
            ):
                shared.execute(statement)
            self._shared = shared
        return _Connection(self._shared.cursor())

    def check(self) -> None:
        """Forget the database when a damaged file has put it out of use."""
        import duckdb

        if self._shared is not None:
            try:
                self._shared.execute("SELECT 1").fetchall()
            except duckdb.Error:
                self._shared = None


class _Connection:
    """A connection that is configured already."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def execute(self, sql: str, *values: Any) -> Any:
        return self._cursor if sql.startswith("SET ") else self._cursor.execute(sql, *values)

    def sql(self, sql: str) -> Any:
        return _Relation(self._cursor, sql)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)


class _Relation:
    """A query that is planned once, not once as a relation and again as a result."""

    def __init__(self, cursor: Any, sql: str) -> None:
        self._cursor, self._sql = cursor, sql

    def to_arrow_table(self) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a copy of a few rows
            return self._cursor.execute(self._sql).to_arrow_table()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor.sql(self._sql), name)


_DATABASE = _OneDatabase()


@contextmanager
def shortcuts(*, long_way: bool = False) -> Iterator[None]:
    """Take the short way inside: one database, a constant score, few people looked for, no waiting."""
    import duckdb

    from sfumato.engines.baskets.frontier import steps as exploring
    from sfumato.engines.baskets.measures import prediction as evaluation

    connect = duckdb.connect
    one_thread = lambda config: connect(config={**config, "threads": 1})  # noqa: E731
    if long_way:
        with patch.object(duckdb, "connect", one_thread):
            yield
        return
    with (
        patch.object(duckdb, "connect", lambda config: _DATABASE.opened(connect, config)),
        patch.object(evaluation, "linear_svm_auc", lambda *_, **__: 0.5),
        patch.object(exploring, "_PEOPLE", 3),
        patch.object(os, "fsync", lambda _: None),
    ):
        try:
            yield
        finally:
            _DATABASE.check()
