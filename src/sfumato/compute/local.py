"""One machine: batches on threads (the kernels release the interpreter's lock), counts through DuckDB."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, ClassVar, TypeVar

import numpy as np

from ..core.errors import ParameterError
from .protocol import Source, canonical_counts, check_columns, source_files

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Local", "available_cores"]

# The largest block that makes the C library of Linux return memory later than it would by default.
_LARGE = (1 << 25) - (1 << 16)

Batch = TypeVar("Batch")
Result = TypeVar("Result")


def available_cores() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True)
class Local:
    """The engine of one machine.

    >>> list(Local(threads=2).map_batches(len, ["a", "bb", "ccc"]))
    [1, 2, 3]
    >>> import pyarrow as pa
    >>> Local().count_groups(pa.table({"sex": ["f", "m", "f"]}), ["sex"]).to_pylist()
    [{'sex': 'f', 'count': 2}, {'sex': 'm', 'count': 1}]
    """

    threads: int = field(default_factory=available_cores)
    name: ClassVar[str] = "local"

    def __post_init__(self) -> None:
        if isinstance(self.threads, bool) or not isinstance(self.threads, int) or self.threads < 1:
            raise ParameterError.constraint("threads", "Local", "an int in [1, inf)", self.threads)

    def map_batches(
        self,
        function: Callable[..., Result],
        batches: Iterable[Batch],
        *,
        shared: object = None,
    ) -> Iterator[Result]:
        """Apply a function to each batch on threads; at most 2 × threads batches are in flight."""
        call = function if shared is None else partial(function, shared)
        np.empty(
            _LARGE, np.uint8
        )  # freed at once: the C library then keeps what a batch frees for the next
        if self.threads == 1:
            yield from map(call, batches)
            return
        waiting: deque[Future[Result]] = deque()
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="sfumato")
        try:
            for batch in batches:
                waiting.append(pool.submit(call, batch))
                del batch  # the queue alone decides how long a batch lives
                if len(waiting) >= 2 * self.threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # also when the caller stops early: nothing runs on behind its back
            pool.shutdown(wait=True, cancel_futures=True)

    def count_groups(self, source: Source, columns: Sequence[str]) -> pa.Table:
        """Count the rows of each combination of values in DuckDB, which spills to disk when it must."""
        import pyarrow as pa

        from ..data.table_source import TableSource as OpenedTable

        columns = list(columns)
        if not isinstance(source, OpenedTable):
            files = source if isinstance(source, pa.Table) else source_files(source)
            source = OpenedTable.open(files, threads=self.threads)
        check_columns(columns, source.columns)
        chosen = _chosen(columns, as_text=source.format in {"csv", "tsv"})
        sql = f"SELECT {chosen}, count(*) AS count FROM {source.raw} GROUP BY ALL"  # noqa: S608 - quoted
        return canonical_counts(source.query(sql), columns)


def _chosen(columns: Sequence[str], *, as_text: bool) -> str:
    from ..data.database import quote_name

    return ", ".join(
        f"coalesce({quote_name(c)}, '') AS {quote_name(c)}" if as_text else quote_name(c)
        for c in columns
    )
