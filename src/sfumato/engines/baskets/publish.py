"""Publish a chosen feature set: project, write in the input's own format, read back, audit, then show.

Everything is written beside its place first. The audit reads the written file with no knowledge of the
selection; if its AC is below the promised k, nothing appears and the release is refused.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...compute import engine as compute_engine
from ...core.engine import Progress
from ...core.errors import FormatError, InputError, ReleaseRefusedError
from ...core.files import sha256_of, whole_directory, write_json
from ...core.ownership import paths_in
from ...core.private_key import private_key
from ...core.records import RELEASE_FILE, InputFile
from ...core.release import released_files, warn_if_composed, warn_of_kept_order
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
from .records import BasketsCandidate, BasketsRelease, How, Measured
from .request import BasketsPublishRequest

__all__ = ["projected", "published"]

_DEFAULT_NAME = {
    "npz": "baskets.npz", "libsvm": "baskets.svm", "transactions": "baskets.txt", "csv": "baskets.csv",
}  # fmt: skip


def projected(candidate: BasketsCandidate, request: BasketsPublishRequest) -> Baskets:
    """Return the data on the candidate's features, after the same audit as on disk."""
    features = _features(candidate)
    found = as_baskets(request.matrix, labels=request.labels).project(features)
    if found.labels is not None:
        check_labels(found.labels, _classes(candidate))
    shuffle = _shuffle(candidate, request)
    if shuffle is not None:
        found = found.shuffled(shuffle)
    _refuse_below(candidate, _promised_ac(candidate, found.matrix, found.feature_names))
    return found


def _shuffle(candidate: BasketsCandidate, request: BasketsPublishRequest) -> int | None:
    """Return the private seed of the order of rows; None, with a warning, where the order is kept."""
    if request.keep_order:
        warn_of_kept_order("rows")
        return None
    return private_key().seed("order", "baskets", candidate.id)


def _features(candidate: BasketsCandidate) -> list[str]:
    if not candidate.features:
        raise InputError(
            f"The candidate {candidate.id!r} holds no feature: there is nothing to publish.",
            hint="choose another candidate.",
        )
    return list(candidate.features)


def _classes(candidate: BasketsCandidate) -> frozenset[str]:
    """Return the classes that were explored: no other label was looked at, so no other is published."""
    return frozenset(candidate.classes)


def _promised_ac(candidate: BasketsCandidate, matrix: Any, names: Sequence[str]) -> int:
    """Measure what the candidate promises: the AC, with rows agreeing where absence is risky."""
    risky = set(candidate.absence_risky or ())
    return absence_containment(matrix, np.array([name in risky for name in names], dtype=bool))


def _refuse_below(candidate: BasketsCandidate, ac: int) -> None:
    if ac < candidate.k:
        raise ReleaseRefusedError(
            f"The release of {candidate.id!r} has an AC of {ac}, below the promised k = "
            f"{candidate.k}; nothing was published.",
            hint="these rows are not the ones that were explored: explore them, then publish.",
        )


def published(
    candidate: BasketsCandidate,
    request: BasketsPublishRequest,
    target: Path,
    *,
    seed: int,
    force: bool,
    progress: Progress,
) -> BasketsRelease:
    """Publish data on the candidate's features.

    Parameters
    ----------
    candidate : BasketsCandidate
        What is published.
    request : BasketsPublishRequest
        The data and the options.
    target : Path
        A data file (the record lies beside it as NAME.release.json) or a folder (data and release.json
        inside).
    seed : int
        The seed of the exploration, kept in the record.
    force : bool
        Whether an existing release may be replaced.
    progress : Progress
        Told the rows that were written.

    """
    kind, name = _kind_and_name(request.matrix)
    as_file = _data_suffix(target)
    stage_in = partial(_stage, candidate, request, seed=seed, progress=progress)
    read = _read_from(request.matrix, request.labels)
    if as_file is None:
        with whole_directory(target, force=force, inputs=read, private=False) as stage:
            release = stage_in(stage / name, stage / RELEASE_FILE)
    elif as_file != kind:
        raise FormatError(
            f"The output {target.name!r} would be {as_file}, but the input is {kind}.",
            hint="a release is written in the format it was read from.",
        )
    else:
        record = beside(target, "release").with_suffix(".json")
        with released_files(target, record, force=force, inputs=read) as stage:
            release = stage_in(stage / target.name, stage / record.name)
    warn_if_composed(target, release.to_json())
    return release


def _read_from(data: Any, labels: Any) -> list[str | os.PathLike[str]]:
    """List the files that are read: the matrix, its labels, and what lies beside it."""
    files = paths_in(data, labels)
    if isinstance(data, str | os.PathLike):
        files += [beside(Path(data), what) for what in ("labels", "features")]
    return files + (list(data.files) if isinstance(data, Baskets) else [])


def _kind_and_name(data: Any) -> tuple[str, str]:
    if isinstance(data, str | os.PathLike):
        path = Path(data)
        if not path.is_file():
            raise InputError(f"There is no file {path.name!r}.", hint="check the path.")
        return format_of(path), path.name
    kind = data.format if isinstance(data, Baskets) else "npz"
    return kind, _DEFAULT_NAME[kind]


def _data_suffix(target: Path) -> str | None:
    """Tell the format when the output names a data file; None for a folder."""
    if target.is_dir() or "." not in target.name:
        return None
    try:
        return format_of(target)
    except FormatError:
        return None


def _stage(
    candidate: BasketsCandidate,
    request: BasketsPublishRequest,
    target: Path,
    record: Path,
    *,
    seed: int,
    progress: Progress,
) -> BasketsRelease:
    """Write data and record into a folder that nobody sees yet; audit what was written."""
    features, shuffle = _features(candidate), _shuffle(candidate, request)
    data, labels = request.matrix, request.labels
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
        chosen = baskets.project(features)
        if shuffle is not None:
            chosen = chosen.shuffled(shuffle)
        outputs, column = write_baskets(chosen, target), baskets.label_column
        del baskets, chosen
    matrix, names = read_matrix(target, label_column=column)
    held = {names[i] for i in np.unique(matrix.indices)}  # libsvm counts the numbers between, too
    if not held <= set(features):
        raise ReleaseRefusedError("The written file holds a feature that was not chosen.")
    measured = audit(matrix, compute=compute_engine(request.engine, threads=request.threads))
    _refuse_below(candidate, min(measured.ac, _promised_ac(candidate, matrix, names)))
    rows = as_binary(matrix)
    release = BasketsRelease(
        engine="baskets",
        candidate=candidate.id,
        inputs=tuple(inputs),
        outputs=tuple(
            InputFile(path=path.name, sha256=sha256_of(path), rows=rows.n) for path in outputs
        ),
        seed=seed,
        request=request.to_record(),
        counts={
            "rows": rows.n,
            "features": len(features),
            "ones": len(rows.indices),
            "empty_rows": int(np.count_nonzero(np.diff(rows.indptr) == 0)),
        },
        risk=candidate.risk,
        utility=candidate.utility,
        how=How(
            selector=candidate.selector,
            stop=candidate.stop,
            k=candidate.k,
            order="kept" if shuffle is None else "shuffled",
            features=tuple(features),
            absence_risky=candidate.absence_risky or (),
        ),
        measured=Measured(**measured.to_json()),
    )
    write_json(record, release.to_json())
    return release
