"""Publish a chosen feature set: project, write in the input's own format, read back, audit, then show.

Everything is written beside its place first. The audit reads the written file with no knowledge of the
selection; if its AC is below the promised k, nothing appears and the release is refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...compute import engine as compute_engine
from ...compute.protocol import Compute
from ...core.errors import FormatError, InputError, ReleaseRefusedError
from ...core.exploration import Candidate, InputFile
from ...core.files import sha256_of, whole_directory, write_json
from ...core.ownership import paths_in
from ...core.private_key import private_key
from ...core.release import (
    RELEASE_FILE,
    Release,
    released_files,
    warn_if_composed,
    warn_of_kept_order,
)
from ...data.baskets import (
    Baskets,
    as_baskets,
    check_labels,
    format_of,
    project_file,
    read_matrix,
    write_baskets,
)
from ...data.baskets import beside_of as beside
from .binary import as_binary
from .containment import audit
from .posets import absence_containment

__all__ = ["publish"]

_DEFAULT_NAME = {
    "npz": "baskets.npz", "libsvm": "baskets.svm", "transactions": "baskets.txt", "csv": "baskets.csv",
}  # fmt: skip


def publish(
    candidate: Candidate,
    data: Any,
    *,
    out: str | os.PathLike[str] | None = None,
    labels: Any = None,
    seed: int = 0,
    engine: str = "local",
    threads: int | None = None,
    keep_order: bool = False,
    force: bool = False,
    progress: Callable[..., None] | None = None,
) -> Release | Baskets:
    """Publish data on the candidate's features.

    `out` names a data file (the record lies beside it as NAME.release.json) or a folder (data and
    release.json inside). Without `out` the projected baskets are given back after the same audit.
    With `engine="spark"` the equal rows of the audit are counted on a cluster. Rows are shuffled by a
    private seed unless `keep_order`, which warns and is recorded.
    """
    compute = compute_engine(engine, threads=threads)
    features = [str(f) for f in candidate.details["features"]]
    k = int(candidate.details["k"])
    if not features:
        raise InputError(
            f"The candidate {candidate.id!r} holds no feature: there is nothing to publish.",
            hint="choose another candidate.",
        )
    shuffle: int | None = None
    if keep_order:
        warn_of_kept_order("rows")
    else:
        shuffle = private_key().seed("order", "baskets", candidate.id)
    if out is None:
        projected = as_baskets(data, labels=labels).project(features)
        if projected.labels is not None:
            check_labels(projected.labels, _classes(candidate))
        if shuffle is not None:
            projected = projected.shuffled(shuffle)
        _refuse_below(
            k, _promised_ac(candidate, projected.matrix, projected.feature_names), candidate
        )
        return projected
    return _written(
        candidate, data, Path(out), labels=labels, seed=seed, compute=compute, shuffle=shuffle,
        force=force, progress=progress,
    )  # fmt: skip


def _classes(candidate: Candidate) -> frozenset[str]:
    """Return the classes that were explored: no other label was looked at, so no other goes out."""
    return frozenset(str(label) for label in candidate.details.get("classes", ()))


def _promised_ac(candidate: Candidate, matrix: Any, names: Sequence[str]) -> int:
    """Measure what the candidate promises: the AC, with rows agreeing where absence is risky."""
    risky = set(candidate.details.get("absence_risky", ()))
    return absence_containment(matrix, np.array([name in risky for name in names], dtype=bool))


def _refuse_below(k: int, ac: int, candidate: Candidate) -> None:
    if ac < k:
        raise ReleaseRefusedError(
            f"The release of {candidate.id!r} has an AC of {ac}, below the promised k = {k}; nothing "
            "was published.",
            hint="these rows are not the ones that were explored: explore them, then publish.",
        )


def _written(
    candidate: Candidate,
    data: Any,
    target: Path,
    *,
    labels: Any,
    seed: int,
    compute: Compute,
    shuffle: int | None,
    force: bool,
    progress: Callable[..., None] | None,
) -> Release:
    kind, name = _kind_and_name(data)
    read = _read_from(data, labels)
    as_file = _data_suffix(target)
    if as_file is not None:
        if as_file != kind:
            raise FormatError(
                f"The output {target.name!r} would be {as_file}, but the input is {kind}.",
                hint="a release is written in the format it was read from.",
            )
        record = beside(target, "release").with_suffix(".json")
        with released_files(target, record, force=force, inputs=read) as stage:
            release = _stage(
                candidate, data, stage / target.name, stage / record.name, labels=labels, seed=seed,
                compute=compute, shuffle=shuffle, progress=progress,
            )  # fmt: skip
    else:
        with whole_directory(target, force=force, inputs=read, private=False) as stage:
            release = _stage(
                candidate, data, stage / name, stage / RELEASE_FILE, labels=labels, seed=seed,
                compute=compute, shuffle=shuffle, progress=progress,
            )  # fmt: skip
    warn_if_composed(target, release.to_json())
    return release


def _kind_and_name(data: Any) -> tuple[str, str]:
    if isinstance(data, str | os.PathLike):
        path = Path(data)
        if not path.is_file():
            raise InputError(f"There is no file {path.name!r}.", hint="check the path.")
        return format_of(path), path.name
    kind = data.format if isinstance(data, Baskets) else "npz"
    return kind, _DEFAULT_NAME[kind]


def _read_from(data: Any, labels: Any) -> list[str | os.PathLike[str]]:
    """List the files that are read: the matrix, its labels, and what lies beside it."""
    files = paths_in(data, labels)
    if isinstance(data, str | os.PathLike):
        files += [beside(Path(data), what) for what in ("labels", "features")]
    return files + (list(data.files) if isinstance(data, Baskets) else [])


def _data_suffix(target: Path) -> str | None:
    """Tell the format when the output names a data file; None for a folder."""
    if target.is_dir() or "." not in target.name:
        return None
    try:
        return format_of(target)
    except FormatError:
        return None


def _stage(
    candidate: Candidate,
    data: Any,
    target: Path,
    record: Path,
    *,
    labels: Any,
    seed: int,
    compute: Compute,
    shuffle: int | None,
    progress: Callable[..., None] | None,
) -> Release:
    """Write data and record into a folder that nobody sees yet; audit what was written."""
    features = [str(f) for f in candidate.details["features"]]
    k = int(candidate.details["k"])
    from_text = isinstance(data, str | os.PathLike) and format_of(Path(data)) != "npz"
    if from_text and (labels is None or isinstance(labels, str | os.PathLike)):
        copied = project_file(
            data,
            features,
            target,
            labels=labels,
            classes=_classes(candidate),
            shuffle=shuffle,
            progress=progress,
        )
        inputs = [InputFile.of(path, copied.rows) for path in copied.sources]
        outputs, column = copied.written, copied.label_column
    else:
        baskets = as_baskets(data, labels=labels)
        if baskets.labels is not None:
            check_labels(baskets.labels, _classes(candidate))
        inputs = [InputFile.of(path, len(baskets)) for path in baskets.files]
        projected = baskets.project(features)
        if shuffle is not None:
            projected = projected.shuffled(shuffle)
        outputs, column = write_baskets(projected, target), baskets.label_column
        del baskets, projected
    matrix, names = read_matrix(target, label_column=column)
    held = {names[i] for i in np.unique(matrix.indices)}  # libsvm counts the numbers between, too
    if not held <= set(features):
        raise ReleaseRefusedError("The written file holds a feature that was not chosen.")
    measured = audit(matrix, compute=compute)
    _refuse_below(k, min(measured.ac, _promised_ac(candidate, matrix, names)), candidate)
    rows = as_binary(matrix)
    release = Release(
        engine="baskets",
        candidate=candidate.id,
        inputs=inputs,
        outputs=[InputFile(path.name, sha256_of(path), rows.n) for path in outputs],
        seed=seed,
        how={
            "selector": candidate.details.get("selector"),
            "stop": candidate.details.get("stop"),
            "k": k,
            "order": "kept" if shuffle is None else "shuffled",
            "features": list(features),
            "absence_risky": list(candidate.details.get("absence_risky", ())),
        },
        counts={
            "rows": rows.n,
            "features": len(features),
            "ones": len(rows.indices),
            "empty_rows": int(np.count_nonzero(np.diff(rows.indptr) == 0)),
        },
        risk=candidate.risk,
        utility=candidate.utility,
        measured=measured.to_json(),
    )
    write_json(record, release.to_json())
    return release
