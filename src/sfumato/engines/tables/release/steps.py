"""Apply a policy to a table, read the result back, measure it, and then publish it.

The rows stream through in their own order (see `rows`). Labels such as "-5" or "=x" that a spreadsheet could
take for a formula are written unchanged: they come from the schema's own domains.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ....compute import engine as compute_engine
from ....core.errors import FormatError, ParameterError, ReleaseRefusedError
from ....core.files import sha256_of
from ....core.measures import Risk, Utility
from ....core.records import OutputFile, ShiftRecord
from ....core.release import open_output, refuse_different, warn_if_composed, warn_of_kept_order
from ....core.statistics.shift import ShiftCheck
from ....core.storage.ownership import paths_in
from ....core.storage.placed_bands import write_mentions
from ....core.storage.private_key import private_key
from ....core.storage.quarantine import write_quarantine
from ....data.inputs import RowsInput, SchemaInput
from ....data.table import Table, read_table
from ....data.table_schema import MISSING, TableSchema
from ....data.table_source import TableSource
from ..composition.people import write_people
from ..contingency.tables import resolved_schema
from ..exploration import KEPT, attacker_of, candidate_without_promise
from ..measures.shift import check_table, sentence_of
from ..payload import TablesPayload
from ..readback.measure import ReadBack, read_back
from ..records import ColumnLoss, HouseholdRisk, TablesCandidate, TablesHow, TablesRelease
from ..request import TablesPublishRequest
from ..space.policy import Lattice, Policy
from .analyses import analysis_fields
from .codebook import write_codebook
from .composing import people_of_rows, refuse_joint_risk
from .distinct_rows import DistinctRows
from .households import household_risk
from .notes import RewrittenNotes, rewrite_notes
from .notes_people import add_people
from .outputs import Frame, delimiter_of, frame_like, named_codes, target_of
from .post_randomisation import transitions
from .promises import below_promise, broken_conditions, conditions_of
from .publishing import published_rows
from .reading import read_for_release
from .rows import WHO, Generaliser, ReleaseRows
from .suppression import (
    SuppressedGroups,
    SuppressedPeople,
    linked_rows,
    rows_of_groups,
    rows_without_value,
    small_groups_of,
    suppress_people,
)
from .treatment_words import treatments_in_words
from .treatments import check_cells, treat
from .weights import warn_of_weights

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Frame", "publish", "publish_by_policy"]


def publish_by_policy(
    policy: Policy,
    data: RowsInput,
    *,
    schema: SchemaInput | None = None,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    **options: object,
) -> TablesRelease | Frame:
    """Publish data by a policy together with the schema of the data; nothing was promised."""
    request = TablesPublishRequest.build({**options, "table": data}, owner="tables.publish")
    if schema is None:
        raise ParameterError("A policy needs the schema of the data.", hint="give schema=….")
    schema = TableSchema.of(schema)
    schema.check_decided()
    table = read_table(data, schema, request.population)
    if not _fits(policy.lattice, table):
        raise FormatError(
            "The policy was made for another schema.",
            hint="attributes and domains must be the same, in the same order.",
        )
    fixed = resolved_schema(replace(table, domains=policy.lattice.domains))
    payload = TablesPayload(
        fixed, policy.lattice, table.population_codes, table.population_count, covered=table.covered
    )
    target = None if out is None else Path(out)
    return publish(
        policy,
        candidate_without_promise(policy),
        request,
        payload=payload,
        seed=0,
        out=target,
        force=force,
    )


def _fits(lattice: Lattice, table: Table) -> bool:
    """Return whether a table's domains are the lattice's; only a value for missing cells may be lacking."""
    return lattice.names == table.names and all(
        wanted[: len(found)] == found and wanted[len(found) :] in ((), (MISSING,))
        for wanted, found in zip(lattice.domains, table.domains, strict=True)
    )


def publish(
    policy: Policy,
    promise: TablesCandidate,
    request: TablesPublishRequest,
    *,
    payload: TablesPayload,
    seed: int,
    frontier: str | None = None,
    out: Path | None,
    force: bool = False,
) -> TablesRelease | Frame:
    """Publish a table, or new data of the same schema, and return its record (or the frame).

    `out` names a data file (its record is NAME.release.json in the same folder) or a folder (data and
    release.json inside); without `out` a frame comes back as the same kind of frame. What was written is
    measured as it was explored; what is worse than promised is refused unless the request accepts it.
    """
    payload = conditions_of(payload, request)
    opened = TableSource.open(request.table)
    target = None
    if out is not None:
        read = [*opened.paths, *paths_in(request.table, request.population)]
        target = target_of(opened, out, force=force, inputs=read)
        target.check()
    elif opened.format != "frame":
        raise ParameterError("Publishing a file needs 'out'.", hint="give a file or a folder.")
    work, rows = _prepare(policy, promise, request, payload, opened)
    work = replace(work, seed=seed, frontier=frontier)
    if target is None:
        frame = rows.to_arrow()
        work.read_back(frame)
        return frame_like(frame, request.table)
    with open_output(target) as (data, record):
        named = named_codes(policy, payload.schema)
        rows.write(data, target.kind, delimiter_of(opened, target.kind), named)
        found, worse = work.read_back(data)
        composed = refuse_joint_risk(target.path, work.people, request.max_joint_risk)
        books = write_codebook(policy, data.parent, record.name, found.labels)
        release = work.release(data, books, found, worse)
        release.save(record.parent, name=record.name)
        withheld = work.withheld()
        opened.read.check()
        write_quarantine(target.path, withheld, force=force)
    release.save_private(target.path)
    if work.notes.found:
        write_mentions(target.path, work.notes.lines, work.notes.people)
    if work.people is not None:
        write_people(target.path, work.people)
    if not composed:  # else it was measured, and said
        warn_if_composed(target.path, release.to_json())
    return release


def _prepare(
    policy: Policy,
    promise: TablesCandidate,
    request: TablesPublishRequest,
    payload: TablesPayload,
    opened: TableSource,
) -> tuple[_TablePublication, ReleaseRows]:
    """Read the table; return what is published under which conditions, and its rows as they are published."""
    compute = compute_engine(request.engine, threads=request.threads)
    declared = {a.name for a in payload.schema.attributes}
    opened.require([a.name for a in payload.schema.attributes])
    undeclared = opened.undeclared(
        declared, keep=request.keep_undeclared, drop=payload.schema.undeclared == "drop"
    )
    kept = tuple(undeclared) if request.keep_undeclared else ()
    distinct = None
    if compute.name == "local":
        used = [c for c in opened.columns if c in declared or c in kept]
        distinct = DistinctRows.of(opened, used)
    table = read_for_release(opened, payload, request.population, compute, distinct)
    shift = None
    if promise.promised and payload.margins is not None:
        shift = check_table(payload.margins, table)
        refuse_different(shift, sentence_of(shift), accepted=request.accept_shift)
    check_cells(opened, payload.schema)
    generaliser = Generaliser.of(policy, payload.schema, kept, private_key().mark("dates"))
    left_out, blanks = small_groups_of(policy, payload, table)
    people_out = suppress_people(policy, payload, table, opened)
    if (
        sum(part.records for part in (left_out, people_out) if part is not None)
        == table.rows - table.dropped
    ):
        raise ReleaseRefusedError(
            "Every record is in a group that is too small or lacks diversity; nothing was published.",
            hint="ask for smaller groups or less diversity.",
        )
    kept_rows = opened if people_out is None else opened.without_rows(people_out.rows)
    notes = rewrite_notes(kept_rows, generaliser, blanks and blanks.groups)
    add_people(notes, policy, table, kept_rows, payload.sampling_fraction)
    counted = blanks is None and not request.keep_order
    if notes.opened is not opened:
        distinct = None  # other rows are published than were read
    rows = published_rows(generaliser, notes.opened, compute, counted=counted, distinct=distinct)
    columns = generaliser.columns(opened)
    if left_out is not None:
        rows = rows.without(left_out.groups)
    if blanks is not None:
        carried = [*columns, WHO] if generaliser.who else columns
        rows = rows.with_blanked_cells(carried, table.names, blanks.groups)
    changed = treat(rows, columns, payload.schema, private_key().mark("numbers"))
    rows = changed.rows
    for name, counted_people in changed.alone.items():
        warn_of_weights(name, *counted_people)
    if request.keep_order:
        warn_of_kept_order("rows")
    else:
        rows = rows.shuffle(columns, private_key().seed("order", "tables", policy.id))
    work = _TablePublication(
        policy=policy,
        promise=promise,
        request=request,
        payload=payload,
        table=table,
        opened=opened,
        generaliser=generaliser,
        left_out=left_out,
        people_out=people_out,
        blanked=0 if blanks is None else blanks.records,
        shift=shift,
        linked=linked_rows(generaliser, kept_rows, left_out, blanks),
        losses=changed.losses,
        notes=notes,
        people=people_of_rows(
            generaliser, kept_rows, private_key().mark("people"), left_out, blanks, distinct
        ),
        households=household_risk(generaliser, kept_rows, left_out, blanks),
    )
    return work, rows


@dataclass(frozen=True)
class _TablePublication:
    """One publication: what is published, what it is checked against, and what was suppressed."""

    policy: Policy
    promise: TablesCandidate
    request: TablesPublishRequest
    payload: TablesPayload
    table: Table
    opened: TableSource
    generaliser: Generaliser
    left_out: SuppressedGroups | None
    people_out: SuppressedPeople | None
    blanked: int
    shift: ShiftCheck | None
    linked: TableSource | None
    losses: dict[str, ColumnLoss]
    notes: RewrittenNotes
    people: pa.Table | None
    households: HouseholdRisk | None = None
    seed: int = 0
    frontier: str | None = None

    @property
    def suppressed(self) -> int:
        """The records that are suppressed, by groups or with all rows of a person."""
        parts = (self.left_out, self.people_out)
        return sum(part.records for part in parts if part is not None)

    def withheld(self) -> list[dict[str, str]]:
        """Return the rows that are not published, for the steward."""
        found = rows_without_value(self.opened, self.table)
        if self.left_out is not None:
            found += rows_of_groups(self.opened, self.generaliser, self.left_out)
        if self.people_out is not None:
            found += self.people_out.withheld()
        return found

    def read_back(self, written: object) -> tuple[ReadBack, list[str]]:
        """Measure what was written, with no knowledge of how it was made; refuse what is worse."""
        published = TableSource.open(written).with_names(self.policy.lattice.names)
        found = read_back(published, self.policy, self.table, self.payload, self.linked)
        kept = self.table.rows - self.table.dropped - self.suppressed
        if self.linked is None and found.rows != kept:
            raise ReleaseRefusedError(
                f"The output holds {found.rows:,} rows instead of {kept:,}; nothing was published."
            )
        left_out = self.suppressed + self.blanked
        worse = [
            *below_promise(found, self.promise, costs_allowed=self.request.suppress is not None),
            *broken_conditions(
                found,
                self.payload,
                self.request.refuse_above,
                left_out,
                int(self.table.count.sum()),
            ),
        ]
        if worse and not self.request.accept_worse:
            raise ReleaseRefusedError(
                f"{worse[0]}; nothing was published.",
                hint="explore this data, choose a more general policy, or accept it with --accept-worse, "
                "which is recorded.",
            )
        return found, worse

    def release(
        self, path: Path, books: Sequence[Path], found: ReadBack, worse: Sequence[str]
    ) -> TablesRelease:
        """Describe the measured file and its codebook."""
        table, schema, payload = self.table, self.payload.schema, self.payload
        attacker = attacker_of(table)
        shown = self.generaliser.columns(self.opened)
        declared = {a.name for a in schema.attributes}
        dropped = [c for c in self.opened.columns if c in declared and c not in shown]
        unknown = sum(c not in declared for c in self.opened.columns)
        explored = payload.matches(table)
        open_kept = unknown if self.request.keep_undeclared else 0
        changed = treatments_in_words(schema)
        others = declared - {*dropped, *table.names, *changed}
        kept = [c for c in self.opened.columns if c in others]
        measured = found.measured
        assert measured.risk is not None
        assert measured.utility is not None
        ends, sizes = self.policy.published_ends()
        return TablesRelease(
            engine="tables",
            candidate=self.promise.id,
            frontier=self.frontier,
            inputs=tuple(self.opened.input_files(table.rows)),
            outputs=(
                OutputFile(path=path.name, sha256=sha256_of(path), rows=found.rows),
                *(OutputFile(path=book.name, sha256=sha256_of(book)) for book in books),
            ),
            seed=self.seed,
            request=self.request.to_record(),
            counts={
                "rows": found.rows,
                "blanked": self.blanked,
                "columns": len(self.opened.columns) - len(dropped) - unknown + open_kept,
            },
            left_out={
                "dropped": table.dropped,
                "suppressed": self.suppressed,
                **({} if self.people_out is None else self.people_out.counts()),
            },
            risk=Risk(measured.risk, attacker=attacker, modelled=table.covered is not None),
            utility=Utility(measured.utility, kept=KEPT),
            how=TablesHow(
                policy=self.policy.published_labels(found.labels),
                ends=ends,
                domains=sizes,
                quasi=table.names,
                min_k=payload.min_sample,
                identifiers_dropped=tuple(dropped),
                columns_kept=tuple(kept),
                columns_treated=changed,
                transitions=transitions(schema, TableSource.open(path)),
                undeclared_columns_dropped=unknown - open_kept,
                undeclared_columns_kept=open_kept,
                missing=schema.missing,
                order="kept" if self.request.keep_order else "shuffled",
                population=table.population_codes is not None,
                population_covers=table.covered,
                joined=schema.joined,
                explored_table=explored,
                risk_measure=payload.risk,
                loss_measure=payload.loss,
                refuse_above=self.request.refuse_above,
                accept_shift=self.request.accept_shift,
            ),
            measured=found.measured.model_copy(
                update={
                    "shift": self.shift and ShiftRecord.of(self.shift),
                    "columns": self.losses,
                    "notes": self.notes.found,
                    "households": self.households,
                    **analysis_fields(payload, self.policy, table, self.opened, found.rows),
                }
            ),
            worse=tuple(worse),
            sentences=() if self.shift is None or explored else (sentence_of(self.shift),),
        )
