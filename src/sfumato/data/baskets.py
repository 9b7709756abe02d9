"""Baskets: sparse 0/1 rows with a class, read from and written back to four formats.

scipy `.npz` (with `.labels.txt` and `.features.txt` next to it), libsvm, transactions (one row of items a
line) and 0/1 CSV with a header. The text formats are read and written batch by batch.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ..core.errors import DataError, FormatError, InputError, did_you_mean
from ..core.files import check_is_file, check_output, whole_file
from ._basket_files import FORMATS, RowBatch, format_of, is_index, read_lines, sibling, write_lines
from ._basket_matrix import Baskets, check_labels, check_names, check_rows, token
from ._basket_readers import open_batches
from ._basket_writers import open_writer
from .inputs import LabelsInput, MatrixInput
from .npz import write_csr
from .tally import Tally

__all__ = [
    "Baskets",
    "Copied",
    "as_baskets",
    "beside_of",
    "check_labels",
    "check_names",
    "format_of",
    "project_file",
    "read_baskets",
    "read_matrix",
    "write_baskets",
]


def as_baskets(data: MatrixInput, *, labels: LabelsInput | None = None) -> Baskets:
    """Take baskets, a path, a frame, an array or a scipy matrix."""
    if isinstance(data, Baskets):
        if labels is None:
            return data
        return replace(Baskets.of(data.matrix, labels=_labels_of(labels)), format=data.format,
                       feature_names=data.feature_names, files=data.files)  # fmt: skip
    if isinstance(data, str | os.PathLike):
        return read_baskets(data, labels=labels)
    return Baskets.of(data, labels=None if labels is None else _labels_of(labels))


def _labels_of(labels: object) -> Iterable[object]:
    if isinstance(labels, str | os.PathLike):
        return read_lines(Path(labels), what="labels")
    if not isinstance(labels, Iterable):
        raise DataError("The labels are not a list.", hint="give a file, or one label per row.")
    return labels


def read_baskets(
    path: str | os.PathLike[str],
    *,
    labels: LabelsInput | None = None,
    features: str | os.PathLike[str] | None = None,
    format: str | None = None,  # noqa: A002
) -> Baskets:
    """Read a matrix with its labels and feature names.

    Parameters
    ----------
    path : path
        A scipy .npz matrix, libsvm, transactions (one row of items per line) or a 0/1 CSV.
    labels : path, sequence or str, optional
        A file with one label per line, the labels, or for CSV the name of a column. Without it, libsvm
        brings its own labels, `X.npz` looks for `X.labels.txt` next to it, and a CSV's last column is
        taken when it is named y, label or class.
    features : path, optional
        A file with one feature name per line; by default `X.features.txt` next to the matrix.
    format : {'npz', 'libsvm', 'transactions', 'csv'}, optional
        The format; inferred from the name if not given.

    Returns
    -------
    Baskets
        The 0/1 rows, the names of the features and, where known, the labels.

    """
    path = Path(path)
    check_is_file(path)
    kind = format or format_of(path)
    if kind not in FORMATS:
        raise InputError(f"Unknown format {kind!r}.", hint=did_you_mean(kind, FORMATS))
    files = [path]
    column = labels if kind == "csv" and isinstance(labels, str) else None
    if column is not None and Path(column).is_file():
        column = None
    names_file = Path(features) if features is not None else sibling(path, "features")
    names = None
    if names_file is not None:
        names = read_lines(names_file, what="feature names")
        files.append(names_file)
    source = open_batches(path, kind, names=names, label_column=column, own_labels=labels is None)
    parts = list(source.batches())
    matrix = _stack(parts, len(source.names))
    own = [label for part in parts if part.labels is not None for label in part.labels]
    del parts
    tokens: Sequence[str] | None = own or None
    if labels is not None and column is None:
        tokens = [token(v) for v in _labels_of(labels)]
        if isinstance(labels, str | os.PathLike):
            files.append(Path(labels))
    elif tokens is None and (beside := sibling(path, "labels")) is not None:
        tokens = read_lines(beside, what="labels")
        files.append(beside)
    check_names(source.names)
    if tokens is not None and len(tokens) != matrix.shape[0]:
        raise DataError(
            f"There are {len(tokens)} labels for {matrix.shape[0]} rows.",
            hint="give one label a row, in the order of the rows.",
        )
    return Baskets(
        check_rows(matrix),
        tuple(source.names),
        None if tokens is None else tuple(tokens),
        kind,
        source.label_column,
        tuple(files),
    )


def _stack(parts: Sequence[RowBatch], d: int) -> sp.csr_matrix:
    n = sum(part.rows for part in parts)
    if n == 0:
        raise DataError("The file holds no rows.", hint="give at least one row.")
    indices = np.concatenate([part.indices for part in parts])
    lengths = np.concatenate([np.diff(part.indptr) for part in parts])
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    values = np.concatenate([part.values for part in parts])
    return sp.csr_matrix((values, indices, indptr), shape=(n, d))


def write_baskets(
    baskets: Baskets, path: str | os.PathLike[str], *, force: bool = False
) -> list[Path]:
    """Write baskets in their own format; give the files written (labels and names where apart)."""
    target = Path(path)
    written = [target]
    labels_inside = baskets.format == "libsvm" or baskets.label_column is not None
    apart = {}
    if baskets.labels is not None and not labels_inside:
        apart["labels"] = list(baskets.labels)
    if baskets.format == "npz" or (
        baskets.format == "libsvm" and not all(map(is_index, baskets.feature_names))
    ):
        apart["features"] = list(baskets.feature_names)
    for what in apart:
        check_output(beside_of(target, what), force=force)
    if baskets.format == "npz":
        with whole_file(target, force=force) as beside:
            write_csr(beside, baskets.matrix)
    else:
        with whole_file(target, force=force) as beside:
            writer = open_writer(
                beside, baskets.format, baskets.feature_names, label_column=baskets.label_column,
                packed=target.suffix == ".gz",
            )  # fmt: skip
            with writer:
                for first in range(0, len(baskets), 65536):
                    part = baskets.matrix[first : first + 65536]
                    labels = (
                        None
                        if baskets.labels is None
                        else list(baskets.labels[first : first + part.shape[0]])
                    )
                    writer.append(
                        RowBatch(part.indptr.astype(np.int64), part.indices, part.data, labels)
                    )
    for what, lines in apart.items():
        write_lines(beside_of(target, what), lines, force=force)
        written.append(beside_of(target, what))
    return written


def beside_of(path: Path, what: str) -> Path:
    """Name the file of labels or feature names next to a matrix."""
    stem = path.name.removesuffix(".gz")
    for suffix in (".npz", ".svm", ".libsvm", ".svmlight", ".txt", ".dat", ".basket", ".csv"):
        if stem.endswith(suffix):
            stem = stem.removesuffix(suffix)
            break
    return path.with_name(f"{stem}.{what}.txt")


def read_matrix(
    path: str | os.PathLike[str], *, label_column: str | None = None
) -> tuple[sp.csr_matrix, list[str]]:
    """Read the matrix and its feature names alone, as an auditor would; labels are not looked at."""
    path = Path(path)
    names_file = sibling(path, "features")
    names = None if names_file is None else read_lines(names_file, what="feature names")
    source = open_batches(
        path, format_of(path), names=names, label_column=label_column, own_labels=False
    )
    return check_rows(_stack(list(source.batches()), len(source.names))), source.names


@dataclass(frozen=True)
class Copied:
    """What a projection copied: rows, the files read and written, and the column of the labels."""

    rows: int
    sources: list[Path]
    written: list[Path]
    label_column: str | None
    seen: Tally
    """What was counted of the whole file while it was read."""
    matrix: sp.csr_matrix
    """What was written, in the order of the input."""
    features: list[str]


def _kept_names(known: list[str], features: Sequence[str], *, must_be_there: bool) -> list[str]:
    """Return the chosen features in the order of the file."""
    missing = set(features) - set(known)
    if must_be_there and missing:
        raise DataError(
            f"{len(missing)} of the {len(set(features))} chosen features are not in the data.",
            hint="publish data of the same schema as was explored.",
        )
    wanted = set(features)
    return [name for name in known if name in wanted] if known else list(features)


def project_file(
    source: str | os.PathLike[str],
    features: Sequence[str],
    target: str | os.PathLike[str],
    *,
    labels: str | os.PathLike[str] | None = None,
    batch_rows: int = 65536,
    classes: Collection[str] | None = None,
    shuffle: int | None = None,
    progress: Callable[..., None] | None = None,
) -> Copied:
    """Copy a text file with the named features only, batch by batch.

    The memory used is that of the copied ones. `labels` is a file next to it or, for CSV, a
    column; feature names and labels in separate files are copied too. Where `classes` are given, a label
    that is not among them is refused. With a private seed in `shuffle` the rows, and labels in
    separate files, are shuffled.
    """
    path, target = Path(source), Path(target)
    kind = format_of(path)
    if kind == "npz":
        raise FormatError("A .npz matrix is read whole.", hint="use read_baskets and project.")
    names_file = sibling(path, "features")
    names = None if names_file is None else read_lines(names_file, what="feature names")
    column = os.fspath(labels) if labels is not None and not Path(labels).is_file() else None
    apart = Path(labels) if labels is not None and column is None else sibling(path, "labels")
    reader = open_batches(
        path, kind, names=names, label_column=column, own_labels=labels is None,
        batch_rows=batch_rows,
    )  # fmt: skip
    kept = _kept_names(reader.names, features, must_be_there=kind == "csv" or names is not None)
    position = {name: i for i, name in enumerate(kept)}
    rows, seen, copied = 0, Tally(), list[RowBatch]()
    lines: list[str] | None = None
    if apart is not None and kind != "libsvm" and reader.label_column is None:
        lines = read_lines(apart, what="labels")
    with whole_file(target) as beside:
        writer = open_writer(
            beside, kind, kept, label_column=reader.label_column, packed=target.suffix == ".gz"
        )
        if shuffle is not None:
            writer.shuffle(shuffle)
        with writer:
            for batch in reader.batches():
                to = np.array([position.get(name, -1) for name in reader.names], dtype=np.int32)
                own = None if lines is None else lines[rows : rows + batch.rows]
                if own is not None and len(own) < batch.rows:
                    raise DataError(f"There are {len(lines or ())} labels for more rows.")
                if classes is not None:
                    check_labels(own or batch.labels or (), classes, first=rows + 1)
                copied.append(batch.projected(to))
                writer.append(copied[-1], own)
                seen.add(batch.indptr, batch.indices, batch.values, reader.names)
                rows += batch.rows
                if progress is not None:
                    progress(batch.rows)
    if rows == 0:
        raise DataError("The file holds no rows.", hint="give at least one row.")
    sources, written = [path], [target]
    if names_file is not None:
        sources.append(names_file)
        if kind != "libsvm" or not all(map(is_index, kept)):
            write_lines(beside_of(target, "features"), kept)
            written.append(beside_of(target, "features"))
    if lines is not None:
        assert apart is not None
        if len(lines) != rows:
            raise DataError(f"There are {len(lines)} labels for {rows} rows.")
        sources.append(apart)
        ordered = lines if shuffle is None else writer.labels_apart
        write_lines(beside_of(target, "labels"), ordered)
        written.append(beside_of(target, "labels"))
    matrix = _stack(copied, len(kept))
    return Copied(rows, sources, written, reader.label_column, seen, matrix, kept)
