"""Publish a candidate: make it, write it in the input's own format, read it back, audit, then show.

Everything is written to a hidden folder first. The audit reads the written file with no knowledge of the
candidate's making; if it leaves fewer rows than the promised k, nothing appears and it is refused.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ....compute import engine as compute_engine
from ....core.composition.releases import earlier_releases, judge_together
from ....core.engine import Progress
from ....core.errors import ReleaseRefusedError
from ....core.files import ReadFiles, sha256_of
from ....core.records import OutputFile, ShiftRecord
from ....core.release import open_output, refuse_different, warn_if_composed
from ....data.baskets import Baskets
from ..attack.people import ITEMS_FILE, PublishedPeople
from ..attack.together import measure_composition
from ..disclosure.knowledge import measure_disclosure
from ..matrix.binary import as_binary
from ..measures.shift import ExploredColumns, sentence_of
from ..records import BasketsCandidate, BasketsRelease, How, ReleaseMeasured
from ..request import BasketsPublishRequest
from .outputs import target_of
from .promises import refuse_below, refuse_inferable, rows_left
from .writing import WrittenFiles, read_back, release_of, seed_of_order, tally_of, write_release

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
        shift = columns.check(tally_of(baskets))
        refuse_different(shift, sentence_of(shift), accepted=request.accept_shift)
    found = release_of(candidate, baskets, seed)
    shuffle = seed_of_order(candidate, request)
    if shuffle is not None:
        found = found.shuffled(shuffle)
    refuse_below(candidate, rows_left(candidate, found.matrix, found.feature_names))
    refuse_inferable(candidate, as_binary(found.matrix), found.feature_names)
    return found


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
        Called with the rows that were written.

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
    written = write_release(candidate, request, target, record, seed=seed, progress=progress)
    shift = columns.check(written.seen)
    sentence = sentence_of(shift)
    refuse_different(shift, sentence, accepted=request.accept_shift)
    matrix, names = read_back(target, request.log_columns, written.label_column)
    held = {names[i] for i in np.unique(matrix.indices)}  # libsvm counts the numbers between, too
    if not held <= set(written.features):
        raise ReleaseRefusedError("The written file holds a feature that was not chosen.")
    promised = rows_left(candidate, matrix, names)
    refuse_below(candidate, promised)
    rows = as_binary(matrix)
    confidence = refuse_inferable(candidate, rows, names)
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


def _how(candidate: BasketsCandidate, written: WrittenFiles, *, accept_shift: bool) -> How:
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
