"""What belongs to one release besides its record: who approved it, what audits found, which others there are.

Where a folder holds several releases of one frontier, a report is about one of them: the one that was approved, else the
one that was written last. The others are listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..core.approval import APPROVAL_FILE, Approval
from ..core.engine import AnyEngine, Part
from ..core.errors import SfumatoError
from ..core.files import read_json
from ..core.records import RELEASE_FILE, AuditOfRelease, Release
from ..core.storage.private_folder import private_folder_of
from ..core.story import Check, Story
from ..presentation.language import say, say_many, write_date
from ..presentation.numbers import count, join_words

__all__ = ["add_dossier", "approval_of", "approval_sentence", "audits_of", "outputs_of"]

_KINDS = ("documents", "words")


def outputs_of(record: Path, release: Release) -> list[Path]:
    """Return the names that a release may have been given as its output, by where its record is."""
    names = [record.parent] if record.name == RELEASE_FILE else []
    return names + [record.parent / file.path for file in release.outputs]


def approval_of(record: Path, release: Release, mark: str) -> Approval | None:
    """Return who approved this very release; None where nobody did, or it has changed since.

    Parameters
    ----------
    record : Path
        Where its release.json is.
    release : Release
        Its content.
    mark : str
        The hash of the file.

    """
    for out in outputs_of(record, release):
        path = private_folder_of(out) / APPROVAL_FILE
        if path.is_file():
            found = Approval.from_json(read_json(path), file=path.name)
            return found if found.release == mark else None
    return None


def audits_of(
    engine: AnyEngine, record: Path, release: Release, mark: str
) -> tuple[AuditOfRelease, ...]:
    """Return what people found when they read a part of this very release.

    Parameters
    ----------
    engine : Engine
        The engine that made it.
    record, release, mark
        As for `approval_of`.

    """
    if engine.Audit is None:
        return ()
    found = []
    for path in _audit_files(record, release):
        try:
            audit = engine.Audit.from_json(read_json(path), file=path.name)
        except SfumatoError:
            continue  # of another version, or not of ours
        if audit.release == mark:
            found.append(audit)
    return tuple(found)


def _audit_files(record: Path, release: Release) -> Iterator[Path]:
    for out in outputs_of(record, release):
        for kind in _KINDS:
            path = out.with_name(f"{out.name}.audit-{kind}.json")
            if path.is_file():
                yield path


def add_dossier(story: Story, part: Part) -> None:
    """Add who approved a release and which other ones there are."""
    if part.approval is not None:
        story.checks.insert(0, Check("holds", approval_sentence(part.approval)))
    elif part.others:
        words = say(
            "Nobody has approved this release, and others of the same data are in the folder; this report is "
            "about the one that was written last."
        )
        story.checks.insert(0, Check("open", words))
    if part.others:
        story.published.append(
            say(
                "Other releases in the folder, which this report is not about: {names}.",
                names=join_words(list(part.others)),
            )
        )


def approval_sentence(approval: Approval) -> str:
    """Return who approved a release, when, and what they had seen of it."""
    from datetime import datetime

    at = datetime.fromisoformat(approval.at)
    ended = sum(look.to_the_end for look in approval.looks)
    first = say_many(
        approval.documents_seen,
        "Candidate {candidate} was approved by {by} on {day} at {time} UTC, who had seen {n} document of it, "
        "{ended} to the end.",
        "Candidate {candidate} was approved by {by} on {day} at {time} UTC, who had seen {n} documents of it, "
        "{ended} to the end.",
        candidate=approval.candidate,
        by=approval.by,
        day=write_date(at.date()),
        time=f"{at:%H:%M}",
        n=count(approval.documents_seen),
        ended=count(ended),
    )
    if read := sum(look.seconds for look in approval.looks):
        took = say_many(
            read, "They read for {n} second.", "They read for {n} seconds.", n=count(read)
        )
        first = f"{first} {took}"
    if not approval.corrections:
        return first
    second = say_many(
        approval.corrections,
        "Earlier reviews made {n} correction.",
        "Earlier reviews made {n} corrections.",
        n=count(approval.corrections),
    )
    return f"{first} {second}"
