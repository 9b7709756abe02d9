"""Writing a release in the input's own format, batch by batch where that is possible, and reading it back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ....core.engine import Progress
from ....core.errors import InputError
from ....core.records import InputFile
from ....core.release import warn_of_kept_order
from ....core.storage.private_key import private_key
from ....data.baskets import Baskets, format_of, project_file, read_matrix, write_baskets
from ....data.logs import LogColumns, read_log, write_log
from ....data.tally import Tally
from ..attack.people import PublishedPeople, hash_rows, mark_units, number_rows, people_of_rows
from ..records import BasketsCandidate
from ..request import BasketsPublishRequest
from .codebook import write_categories
from .promises import check_candidate_labels, classes_of

__all__ = ["WrittenFiles", "read_back", "release_of", "seed_of_order", "tally_of", "write_release"]


@dataclass(frozen=True)
class WrittenFiles:
    """What was written for a release: from which files, which files, with which features."""

    inputs: list[InputFile]
    outputs: Sequence[Path]
    features: list[str]
    label_column: str | None
    shuffled: bool
    seen: Tally
    rows: int
    """The rows that were to be written: a log has no line for one of which nothing is left."""
    people: PublishedPeople


def seed_of_order(candidate: BasketsCandidate, request: BasketsPublishRequest) -> int | None:
    """Return the private seed of the order of rows; None, with a warning, where the order is kept."""
    if request.keep_order:
        warn_of_kept_order("rows")
        return None
    return private_key().seed("order", "baskets", candidate.id)


def release_of(candidate: BasketsCandidate, baskets: Baskets, seed: int) -> Baskets:
    """Return the baskets as they are published, in their own order."""
    check_candidate_labels(candidate, baskets.labels)
    if candidate.publish_as == "columns":
        return baskets.project(features_of(candidate))
    from ..remake import remake  # loads the selectors: whole columns do without

    made = remake(candidate, baskets, seed)
    kept = np.flatnonzero(made.rows)
    matrix = made.matrix.take_rows(kept).project(made.features).to_csr()
    labels = None if baskets.labels is None else tuple(baskets.labels[i] for i in kept)
    names = tuple(baskets.feature_names[i] for i in made.features)
    units = None if baskets.units is None else baskets.units[kept]
    return replace(baskets, matrix=matrix, feature_names=names, labels=labels, above=None, units=units)  # fmt: skip


def features_of(candidate: BasketsCandidate) -> list[str]:
    if not candidate.features:
        raise InputError(
            f"The candidate {candidate.id!r} holds no feature: there is nothing to publish.",
            hint="choose another candidate.",
        )
    return list(candidate.features)


def write_release(
    candidate: BasketsCandidate,
    request: BasketsPublishRequest,
    target: Path,
    record: Path,
    *,
    seed: int,
    progress: Progress,
) -> WrittenFiles:
    """Write the release of a candidate, batch by batch where that is possible."""
    data, labels, log = request.matrix, request.labels, request.log_columns
    features, shuffle = features_of(candidate), seed_of_order(candidate, request)
    whole = candidate.publish_as == "columns" and not candidate.numbers
    if (
        whole and log is None and request.hierarchy is None
        and isinstance(data, str | os.PathLike) and format_of(Path(data)) != "npz"
        and (labels is None or isinstance(labels, str | os.PathLike))
    ):  # fmt: skip
        copied = project_file(
            data,
            features,
            target,
            labels=labels,
            classes=classes_of(candidate),
            shuffle=shuffle,
            progress=progress,
        )
        inputs = [InputFile.of(path, copied.rows) for path in copied.sources]
        column, shuffled = copied.label_column, shuffle is not None
        marks = mark_units(np.arange(copied.rows), str(inputs[0].sha256))
        people = PublishedPeople.of_rows(target.name, marks, copied.matrix, copied.features)
        return WrittenFiles(
            inputs, copied.written, features, column, shuffled, copied.seen, copied.rows, people
        )
    baskets = request.baskets()
    inputs = [InputFile.of(path, len(baskets)) for path in baskets.files]
    released = release_of(candidate, replace(baskets, units=number_rows(baskets)), seed)
    people = people_of_rows(released, hash_rows(baskets, inputs), target.name)
    if shuffle is not None:
        released = released.shuffled(shuffle)
    if log is None:
        outputs = write_baskets(released, target)
    else:
        outputs = write_log(released, log, target, like=next(iter(baskets.files), None))
    names = list(released.feature_names)
    if request.hierarchy is not None:
        book = write_categories(request.hierarchy, names, record.parent, record.name)
        outputs = [*outputs, book]
    column, shuffled = baskets.label_column, shuffle is not None
    return WrittenFiles(
        inputs, outputs, names, column, shuffled, tally_of(baskets), len(released), people
    )


def tally_of(baskets: Baskets) -> Tally:
    """Return the column sums that releases are compared by."""
    matrix = baskets.matrix
    return Tally.of(matrix.indptr, matrix.indices, baskets.feature_names, matrix.data)


def read_back(
    target: Path, log: LogColumns | None, column: str | None
) -> tuple[sp.csr_matrix, list[str]]:
    """Read the written file with no knowledge of how it was made."""
    if log is None:
        return read_matrix(target, label_column=column)
    written = read_log(target, LogColumns(log.item, log.unit))
    return written.matrix, list(written.feature_names)
