"""Spark: the same verbs on a cluster, with mapInArrow; the shared model is broadcast once.

A batch travels as one row, its number and its bytes, and is one task; so a batch is exactly what it is
on one machine, and so is its result. Functions are sent by PySpark itself. An error inside a worker
comes back as its type (and its message when it is one of ours): Spark never sees the exception, so no
cluster log can quote the data.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from ..core.errors import FormatError, InputError, ParameterError, WorkError
from ..data.database import quote_name
from ..data.table_source import TableSource as OpenedTable
from ._packing import Failure, pack, unpack
from ._spark_frames import (
    TORN,
    csv_union,
    parquet_types,
    plain_type,
    quote,
    read_csv,
    spark_schema,
    spark_types,
    without_patterns,
)
from .protocol import COUNT, Source, canonical_counts, check_columns, source_files

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import Broadcast
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Spark"]

Batch = TypeVar("Batch")
Result = TypeVar("Result")

_WINDOW_BATCHES = 4  # batches that one job computes for each core
_WINDOW_BYTES = 32 << 20  # a job's rows are copied several times inside the Java machine


@dataclass
class Spark:
    """The engine of a cluster.

    `master` is a Spark master such as "local[2]", and `threads` a short form of it for this machine;
    without them the configuration of spark-submit holds, or else all cores of this machine. A session
    that runs already is used as it is; one that we start has no web page, keeps its scratch files
    encrypted and logs nothing once it runs. On this machine it listens on the loopback interface only
    and wants to be authenticated; a cluster is as its own configuration has it.
    """

    master: str | None = None
    threads: int | None = None
    settings: dict[str, str] = field(default_factory=dict)
    name: ClassVar[str] = "spark"

    def __post_init__(self) -> None:
        if self.threads is not None and self.master is not None:
            raise ParameterError("Give the Spark engine either a master or threads.")
        if self.threads is not None:
            if self.threads < 1:
                raise ParameterError.constraint(
                    "threads", "Spark", "an int in [1, inf)", self.threads
                )
            self.master = f"local[{self.threads}]"

    def session(self) -> SparkSession:
        """Return the Spark session, started when there is none."""
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        try:
            from pyspark.errors import PySparkException
            from pyspark.sql import SparkSession
        except ImportError as error:
            raise InputError(
                "The engine 'spark' needs PySpark, which is not installed.",
                hint="pip install 'sfumato[spark]'; Java 17 or newer is needed too.",
            ) from error
        running = SparkSession.getActiveSession()
        if running is not None:
            return running
        builder = SparkSession.builder.appName("sfumato")
        if self.master is not None:
            builder = builder.master(self.master)
        quiet = {
            "spark.ui.enabled": "false",
            "spark.io.encryption.enabled": "true",  # nothing of the data in the clear on scratch disks
            "spark.sql.session.timeZone": "UTC",
            "spark.ui.showConsoleProgress": "false",
        }
        master = self.master or self.settings.get("spark.master") or _master_from_settings()
        if master is None:
            master = "local[*]"
            builder = builder.master(master)
        if master.startswith("local"):
            quiet["spark.driver.bindAddress"] = quiet["spark.driver.host"] = "127.0.0.1"
            # Clients must know the session's own secret; a cluster has its own settings.
            quiet["spark.authenticate"] = quiet["spark.network.crypto.enabled"] = "true"
            quiet["spark.local.dir"] = tempfile.gettempdir()
            quiet["spark.driver.memory"] = "2g"  # driver and workers share it on one machine
        for key, value in (quiet | self.settings).items():
            builder = builder.config(key, value)
        try:
            session = builder.getOrCreate()
        except (PySparkException, OSError) as error:
            raise InputError(
                "Spark could not be started.",
                hint="is Java 17 or newer installed, and JAVA_HOME set to it?",
            ) from error
        session.sparkContext.setLogLevel("OFF")
        return session

    def close(self) -> None:
        """Stop the session."""
        from pyspark.sql import SparkSession

        running = SparkSession.getActiveSession()
        if running is not None:
            running.stop()

    # --- map_batches -----------------------------------------------------------------------------

    def map_batches(
        self,
        function: Callable[..., Result],
        batches: Iterable[Batch],
        *,
        shared: object = None,
    ) -> Iterator[Result]:
        """Apply a function to each batch on the cluster; two jobs are in flight at most."""
        session = self.session()
        cores = session.sparkContext.defaultParallelism
        broadcast, sha256 = None, ""
        if shared is not None:
            # As bytes: an encrypted broadcast of PySpark fails on large arrays.
            try:
                model = _serializer().dumps(shared)
            except Exception as error:
                raise ParameterError(
                    "What the workers would share cannot be sent to a cluster.",
                    hint="a secret key never travels: publish surrogates with --compute local.",
                ) from error
            sha256 = hashlib.sha256(model).hexdigest()
            broadcast = session.sparkContext.broadcast(model)
        task = _Task(function, broadcast, sha256)

        def job(window: list[bytes]) -> list[bytes]:
            rows = session.createDataFrame(_table(window))
            done = rows.mapInArrow(task, "number long, payload binary").toArrow()
            results: list[bytes | None] = [None] * len(window)
            numbers, payloads = done.column("number"), done.column("payload")
            for number, payload in zip(numbers.to_pylist(), payloads.to_pylist(), strict=True):
                results[number] = payload
            if any(result is None for result in results):
                raise WorkError("Spark gave back fewer results than it was given batches.")
            return results  # type: ignore[return-value]

        waiting: deque[Future[list[bytes]]] = deque()
        pool = ThreadPoolExecutor(2, thread_name_prefix="sfumato-spark")
        try:
            for window in _windows(map(pack, batches), _WINDOW_BATCHES * cores):
                waiting.append(pool.submit(job, window))
                if len(waiting) > 1:
                    yield from map(_result, waiting.popleft().result())
            while waiting:
                yield from map(_result, waiting.popleft().result())
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            if broadcast is not None:
                broadcast.destroy()

    # --- count_groups ----------------------------------------------------------------------------

    def count_groups(self, source: Source | DataFrame, columns: Sequence[str]) -> pa.Table:
        """Count the rows of each combination of values; a Spark DataFrame is a source as well."""
        import pyarrow as pa
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException
        from pyspark.sql import DataFrame, functions

        columns = list(columns)
        session = self.session()
        as_text, types = False, {}
        if isinstance(source, OpenedTable) and source.format in {"frame", "parquet"}:
            listed = ", ".join(map(quote_name, columns))
            check_columns(columns, source.columns)
            source = source.paths or source.query(f"SELECT {listed} FROM {source.raw}")  # noqa: S608 - quoted
        try:
            if isinstance(source, pa.Table):
                check_columns(columns, source.column_names)
                types = {field.name: field.type for field in source.schema}
                frame = session.createDataFrame(spark_types(source.select(columns)))
            elif isinstance(source, OpenedTable):
                check_columns(columns, source.columns)
                as_text = True
                frame = csv_union(
                    session,
                    [(layout.columns, layout.paths) for layout in source.layouts],
                    columns,
                    source.delimiter,
                )
            elif isinstance(source, DataFrame):
                check_columns(columns, source.columns)
                frame = source
            else:
                files = source_files(source)
                as_text = files[0].suffix == ".csv"
                if as_text:
                    frame = read_csv(session, files, columns)
                else:
                    paths = [without_patterns(os.path.abspath(file)) for file in files]
                    types = parquet_types(files)
                    check_columns(columns, list(types))
                    frame = session.read.schema(spark_schema(types, columns)).parquet(*paths)
            groups = [functions.col(quote(c)) for c in columns]
            if as_text:
                groups = [
                    functions.coalesce(g, functions.lit("")).alias(c)
                    for g, c in zip(groups, columns, strict=True)
                ]
            counts = functions.count(functions.lit(1)).alias(COUNT)
            if as_text:
                torn = functions.max(functions.col(TORN).isNotNull()).alias(TORN)
                counted = frame.groupBy(*groups).agg(counts, torn).toArrow()
                if any(counted.column(TORN).to_pylist()):
                    raise FormatError("The source has lines with another number of cells.")
            else:
                counted = frame.groupBy(*groups).agg(counts).toArrow()
        except (PySparkException, Py4JError, pa.ArrowException) as error:
            # The message of the cluster may quote a cell: its kind is all that is reported.
            raise FormatError(
                f"The source could not be counted ({type(error).__name__})."
            ) from error
        for index, name in enumerate(columns):
            if name in types:
                counted = counted.set_column(
                    index, name, counted.column(name).cast(plain_type(types[name]))
                )
        return canonical_counts(counted, columns)


def _master_from_settings() -> str | None:
    """Return the master that spark-submit or a file of settings names, if any."""
    if "PYSPARK_GATEWAY_PORT" in os.environ:  # started by spark-submit, which knows
        from pyspark import SparkConf, SparkContext

        SparkContext._ensure_initialized()  # noqa: SLF001 (SparkConf reads through it)
        master: str | None = SparkConf().get("spark.master")
        return master
    arguments = os.environ.get("PYSPARK_SUBMIT_ARGS", "")
    found = re.search(r"(?:--master[\s=]+|spark\.master=)(\S+)", arguments)
    folder = os.environ.get("SPARK_CONF_DIR") or os.path.join(
        os.environ.get("SPARK_HOME", ""), "conf"
    )
    defaults = Path(folder, "spark-defaults.conf")
    if found is None and defaults.is_file():
        settings = defaults.read_text("utf-8", errors="replace")
        found = re.search(r"^\s*spark\.master[\s=:]+(\S+)", settings, re.MULTILINE)
    return None if found is None else found[1].strip("'\"")


class _Task:
    """What each worker runs: unpack a batch, call the function, pack its result or its failure."""

    def __init__(
        self, function: Callable[..., object], shared: Broadcast[bytes] | None, sha256: str
    ) -> None:
        self.function = function
        self.shared = shared
        self.sha256 = sha256

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            for number, payload in zip(batch.column(0), batch.column(1), strict=True):
                try:
                    content = unpack(payload.as_buffer().to_pybytes())
                    given: tuple[object, ...] = (content,)
                    if self.shared is not None:
                        given = (_unpack_once(self.shared, self.sha256), content)
                    result = pack(self.function(*given))
                except Exception as error:
                    result = pack(Failure.of(error))
                yield pa.record_batch(
                    [pa.array([number.as_py()], pa.int64()), pa.array([result], pa.binary())],
                    names=["number", "payload"],
                )


_unpacked: dict[str, object] = {}


def _unpack_once(broadcast: Broadcast[bytes], sha256: str) -> object:
    """Unpack what was broadcast once for each worker process; the one before it is let go."""
    if sha256 not in _unpacked:
        _unpacked.clear()
        _unpacked[sha256] = _serializer().loads(broadcast.value)
    return _unpacked[sha256]


class _Serializer(Protocol):
    """Turns an object into bytes and back."""

    def dumps(self, obj: object, /) -> bytes: ...

    def loads(self, obj: bytes, /) -> object: ...


def _serializer() -> _Serializer:
    """Return the serializer by which PySpark sends functions and broadcasts: transport, never storage."""
    from pyspark.serializers import CPickleSerializer

    return CPickleSerializer()


def _result(payload: bytes) -> Any:
    result = unpack(payload)
    if isinstance(result, Failure):
        raise result.error()
    return result


def _windows(payloads: Iterable[bytes], most: int) -> Iterator[list[bytes]]:
    """Gather what one job works on, bounded in number and in bytes."""
    window: list[bytes] = []
    size = 0
    for payload in payloads:
        window.append(payload)
        size += len(payload)
        if len(window) >= most or size >= _WINDOW_BYTES:
            yield window
            window, size = [], 0
    if window:
        yield window


def _table(window: list[bytes]) -> pa.Table:
    """Return a table whose every row is its own chunk, which Spark makes its own task."""
    import pyarrow as pa

    schema = pa.schema([("number", pa.int64()), ("payload", pa.binary())])
    return pa.Table.from_batches(
        pa.record_batch([pa.array([number]), pa.array([payload], pa.binary())], schema=schema)
        for number, payload in enumerate(window)
    )
