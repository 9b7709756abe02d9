"""Publish a candidate: make it, write it in the input's own format, read it back, audit, then show.

Everything is written to a hidden folder first. The audit reads the written file with no knowledge of the
candidate's making; if it leaves fewer rows than the promised k, nothing appears and it is refused.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ....compute import engine as compute_engine
from ....core.composition.releases import earlier_releases, judge_together
from ....core.engine import Progress
from ....core.errors import DataError, InputError, ReleaseRefusedError
from ....core.files import ReadFiles, sha256_of
from ....core.records import InputFile, OutputFile, ShiftRecord
from ....core.release import (
    open_output,
    refuse_different,
    warn_if_composed,
    warn_of_kept_order,
)
from ....core.storage.private_key import private_key
from ....data.baskets import (
    Baskets,
    check_labels,
    format_of,
    project_file,
    read_matrix,
    write_baskets,
)
from ....data.logs import LogColumns, read_log, write_log
from ....data.tally import Tally
from ..attack.people import ITEMS_FILE, PublishedPeople, mark_units, number_rows
from ..attack.together import measure_composition
from ..containment.posets import absence_containment
from ..disclosure.inference import highest_confidence, places_among
from ..disclosure.knowledge import AttackerKnowledge, measure_disclosure
from ..matrix.binary import BinaryMatrix, as_binary
from ..measures.shift import ExploredColumns, sentence_of
from ..records import BasketsCandidate, BasketsRelease, How, ReleaseMeasured
from ..request import BasketsPublishRequest
from .codebook import write_categories
from .outputs import target_of

__all__ = ["publish", "publish_in_memory"]


def publish_in_memory(
    candidate: BasketsCandidate,
    request: BasketsPublishRequest,
    *,
    seed: int = 0,
    columns: ExploredColumns | None = None,
) -> Baskets:
    """Return the data as the candidate says, after the same audit as on disk."""
    baskets = request.baskets()
    if columns is not None:
        shift = columns.check(_tally(baskets))
        refuse_different(shift, sentence_of(shift), accepted=request.accept_shift)
    found = _release_of(candidate, baskets, seed)
    shuffle = _shuffle(candidate, request)
    if shuffle is not None:
        found = found.shuffled(shuffle)
    _refuse_below(candidate, _rows_left(candidate, found.matrix, found.feature_names))
    _refuse_telling(candidate, as_binary(found.matrix), found.feature_names)
    return found


def _shuffle(candidate: BasketsCandidate, request: BasketsPublishRequest) -> int | None:
    """Return the private seed of the order of rows; None, with a warning, where the order is kept."""
    if request.keep_order:
        warn_of_kept_order("rows")
        return None
    return private_key().seed("order", "baskets", candidate.id)


def _release_of(candidate: BasketsCandidate, baskets: Baskets, seed: int) -> Baskets:
    """Return the baskets as they are published, in their own order."""
    _check_labels(candidate, baskets.labels)
    if candidate.publish_as == "columns":
        return baskets.project(_features(candidate))
    from ..remake import remake  # loads the selectors: whole columns do without

    made = remake(candidate, baskets, seed)
    kept = np.flatnonzero(made.rows)
    matrix = made.matrix.take_rows(kept).project(made.features).to_csr()
    labels = None if baskets.labels is None else tuple(baskets.labels[i] for i in kept)
    names = tuple(baskets.feature_names[i] for i in made.features)
    units = None if baskets.units is None else baskets.units[kept]
    return replace(baskets, matrix=matrix, feature_names=names, labels=labels, above=None, units=units)  # fmt: skip


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


def _check_labels(candidate: BasketsCandidate, labels: Sequence[str] | None) -> None:
    if labels is None:
        return
    if not candidate.numbers:
        check_labels(labels, _classes(candidate))
        return
    try:
        np.asarray(labels).astype(np.float64)
    except ValueError:
        raise DataError(
            "The labels were explored as numbers, and some are not.", hint="check the labels."
        ) from None


def _rows_left(candidate: BasketsCandidate, matrix: object, names: Sequence[str]) -> int:
    """Count the rows left to the knowledge that the promise is about, with certainty."""
    known = AttackerKnowledge(candidate.known_items, candidate.known_absences)
    left = known.least_rows(as_binary(matrix))
    if not candidate.absence_risky:
        return left
    risky = set(candidate.absence_risky)
    flags = np.array([name in risky for name in names], dtype=bool)
    return min(left, absence_containment(matrix, flags))


def _refuse_telling(
    candidate: BasketsCandidate, matrix: BinaryMatrix, names: Sequence[str]
) -> float | None:
    """Return the highest confidence with which sensitive items can be inferred from others; refuse what is above the promise."""
    places = places_among(names, candidate.sensitive)
    if places is None:
        return None
    found = highest_confidence(matrix, places)
    if found > candidate.max_confidence:
        raise ReleaseRefusedError(
            f"The release of {candidate.id!r} tells a sensitive item with a confidence of {found:.3f}, "
            f"above the promised {candidate.max_confidence:g}; nothing was published.",
            hint="these rows are not the ones that were explored: explore them, then publish.",
        )
    return found


def _refuse_below(candidate: BasketsCandidate, left: int) -> None:
    if left < candidate.k:
        raise ReleaseRefusedError(
            f"The release of {candidate.id!r} leaves {left} rows to someone who knows "
            f"{AttackerKnowledge(candidate.known_items, candidate.known_absences).words}, below the promised "
            f"k = {candidate.k}; nothing was published.",
            hint="these rows are not the ones that were explored: explore them, then publish.",
        )


def publish(
    candidate: BasketsCandidate,
    request: BasketsPublishRequest,
    target: Path,
    *,
    seed: int,
    columns: ExploredColumns,
    frontier: str | None = None,
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
        A data file (its record is NAME.release.json in the same folder) or a folder (data and release.json
        inside).
    seed : int
        The seed of the exploration, kept in the record.
    columns : ExploredColumns
        What is known of the explored rows; others are refused unless the request accepts them.
    frontier : str, optional
        The mark of the frontier, kept in the record.
    force : bool
        Whether an existing release may be replaced.
    progress : Progress
        Told the rows that were written.

    """
    output = target_of(request, target, force=force)
    files = ReadFiles(path for path in output.inputs if Path(path).is_file())
    files.hashes()  # of what is read next
    with open_output(output) as (data, record):
        release, people = _stage(
            candidate,
            request,
            columns,
            data,
            record,
            seed=seed,
            frontier=frontier,
            progress=progress,
        )
        files.check()
        measured = (
            measure_composition(PublishedPeople.of(path), people)
            for path in earlier_releases(target, ITEMS_FILE)
        )
        composed = judge_together(measured, request.max_joint_risk, engine="baskets")
    release.save_private(target)
    people.write(target)
    if not composed:  # else it was measured, and said
        warn_if_composed(target, release.to_json())
    return release


def _read_back(
    target: Path, log: LogColumns | None, column: str | None
) -> tuple[sp.csr_matrix, list[str]]:
    """Read the written file with no knowledge of how it was made."""
    if log is None:
        return read_matrix(target, label_column=column)
    written = read_log(target, LogColumns(log.item, log.unit))
    return written.matrix, list(written.feature_names)


@dataclass(frozen=True)
class _WrittenFiles:
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


def _stage(
    candidate: BasketsCandidate,
    request: BasketsPublishRequest,
    columns: ExploredColumns,
    target: Path,
    record: Path,
    *,
    seed: int,
    frontier: str | None,
    progress: Progress,
) -> tuple[BasketsRelease, PublishedPeople]:
    """Write data and record into a folder that nobody sees yet; audit what was written."""
    written = _write(candidate, request, target, record, seed=seed, progress=progress)
    shift = columns.check(written.seen)
    sentence = sentence_of(shift)
    refuse_different(shift, sentence, accepted=request.accept_shift)
    matrix, names = _read_back(target, request.log_columns, written.label_column)
    held = {names[i] for i in np.unique(matrix.indices)}  # libsvm counts the numbers between, too
    if not held <= set(written.features):
        raise ReleaseRefusedError("The written file holds a feature that was not chosen.")
    promised = _rows_left(candidate, matrix, names)
    _refuse_below(candidate, promised)
    rows = as_binary(matrix)
    confidence = _refuse_telling(candidate, rows, names)
    compute = compute_engine(request.engine, threads=request.threads)
    release = BasketsRelease(
        engine="baskets",
        candidate=candidate.id,
        frontier=frontier,
        inputs=tuple(written.inputs),
        outputs=tuple(
            OutputFile(path=path.name, sha256=sha256_of(path), rows=rows.n)
            for path in written.outputs
        ),
        seed=seed,
        request=request.to_record(),
        counts={
            "rows": rows.n,
            "features": len(written.features),
            "ones": len(rows.indices),
            "empty_rows": int(np.count_nonzero(np.diff(rows.indptr) == 0)),
        },
        left_out={"rows_without_items": written.rows - rows.n},
        risk=candidate.risk,
        utility=candidate.utility,
        promised=promised,
        confidence=confidence,
        how=_how(candidate, written, accept_shift=request.accept_shift),
        measured=ReleaseMeasured(
            **measure_disclosure(rows, (1, 2), compute).model_dump(), shift=ShiftRecord.of(shift)
        ),
        sentences=() if sentence is None else (sentence,),
    )
    release.save(record.parent, name=record.name)
    return release, written.people


def _write(
    candidate: BasketsCandidate,
    request: BasketsPublishRequest,
    target: Path,
    record: Path,
    *,
    seed: int,
    progress: Progress,
) -> _WrittenFiles:
    """Write the release of a candidate, batch by batch where that is possible."""
    data, labels, log = request.matrix, request.labels, request.log_columns
    features, shuffle = _features(candidate), _shuffle(candidate, request)
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
            classes=_classes(candidate),
            shuffle=shuffle,
            progress=progress,
        )
        inputs = [InputFile.of(path, copied.rows) for path in copied.sources]
        column, shuffled = copied.label_column, shuffle is not None
        marks = mark_units(np.arange(copied.rows), str(inputs[0].sha256))
        people = PublishedPeople.of_rows(target.name, marks, copied.matrix, copied.features)
        return _WrittenFiles(
            inputs, copied.written, features, column, shuffled, copied.seen, copied.rows, people
        )
    baskets = request.baskets()
    inputs = [InputFile.of(path, len(baskets)) for path in baskets.files]
    released = _release_of(candidate, replace(baskets, units=number_rows(baskets)), seed)
    people = _people_of(released, _hash_of(baskets, inputs), target.name)
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
    return _WrittenFiles(
        inputs, outputs, names, column, shuffled, _tally(baskets), len(released), people
    )


def _hash_of(baskets: Baskets, inputs: Sequence[InputFile]) -> str:
    """Return what the same rows are known by: their file, or what they hold where there is none."""
    if inputs:
        return str(inputs[0].sha256)
    rows = as_binary(baskets.matrix)
    return hashlib.sha256(rows.indptr.tobytes() + rows.indices.tobytes()).hexdigest()


def _people_of(released: Baskets, source: str, name: str) -> PublishedPeople:
    """Return the people of published rows; a log has no line for somebody of whom nothing is left."""
    assert released.units is not None
    marks = mark_units(released.units, source)
    rows = released.matrix
    if released.format == "log":
        there = np.diff(rows.indptr) > 0
        marks, rows = marks[there], rows[there]
    return PublishedPeople.of_rows(name, marks, rows, released.feature_names)


def _tally(baskets: Baskets) -> Tally:
    matrix = baskets.matrix
    return Tally.of(matrix.indptr, matrix.indices, baskets.feature_names, matrix.data)


def _how(candidate: BasketsCandidate, written: _WrittenFiles, *, accept_shift: bool) -> How:
    return How(
        publish_as=candidate.publish_as,
        known_items=candidate.known_items,
        known_absences=candidate.known_absences,
        for_class=candidate.for_class,
        selector=candidate.selector,
        stop=candidate.stop,
        k=candidate.k,
        order="shuffled" if written.shuffled else "kept",
        features=tuple(written.features),
        absence_risky=candidate.absence_risky or (),
        accept_shift=accept_shift,
    )
