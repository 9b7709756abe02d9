"""A project as a request: `text explore PROJECT` and `text publish FRONTIER PROJECT`, on the page and off it.

The answers are the labels. A release of a project holds every one of them: what people marked is redacted for
certain, and what a review took back is not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ....core.engine import Progress, no_progress
from ....core.errors import ParameterError
from ....core.files import whole_file
from ....core.request import Request, fields_of
from ..exploration import TextExploration
from ..records import TextCandidate
from ..redaction.sanitiser import Ranges
from ..release.options import AnsweredRequest
from ..release.steps import publish
from ..request import EVERY_LABEL, ReadOptions, TextPublishRequest, TextRequest
from .answers import runs
from .encoder_trainer import trainer_of
from .project import Project
from .publication import explore_answers
from .session import Session

__all__ = [
    "explore_project",
    "explore_session",
    "publish_project",
    "publish_session",
    "write_marks",
]

_MARKS = "marks.jsonl"
_EXPLORING = frozenset({"corpus", "labels", "ratios", "threads", "seed"})
_OF_THE_PROJECT = frozenset(ReadOptions.model_fields) | {
    "findings", "min_score", "findings_labels", "ignore_marks", "rules",
}  # fmt: skip


def explore_project(request: TextRequest, progress: Progress = no_progress) -> TextExploration:
    """Return the frontier that the answers of a project allow.

    Parameters
    ----------
    request : TextRequest
        Names the project as its corpus.
    progress : callable
        Called with the steps that are done.

    """
    with _open_session(request.corpus, with_trainer=True) as session:
        progress(0, total=1, note="learning from the answers")
        found = explore_session(session, request)
        progress(1, total=1)
        return found


def explore_session(session: Session, request: TextRequest) -> TextExploration:
    """Return the same of a project that is open."""
    record = session.record
    _refuse(request, "The frontier of a project is made from its answers", frozenset(fields_of(TextRequest)) - _EXPLORING)  # fmt: skip
    if list(request.labels) != [EVERY_LABEL] and set(request.labels) != set(record.labels):
        raise ParameterError(
            f"The labels of the project are {', '.join(record.labels)}, all of which are explored.",
            hint=f"give the label {EVERY_LABEL}.",
        )
    if request.seed not in (fields_of(TextRequest)["seed"].default, record.seed):
        raise ParameterError(f"The seed of the project is {record.seed}, and stays it.")
    asked = request.model_copy(update={"labels": list(record.labels), "seed": record.seed})
    return explore_answers(session, asked)


def publish_project(
    exploration: TextExploration,
    candidate: TextCandidate,
    request: TextPublishRequest,
    *,
    out: Path | None,
    force: bool = False,
    progress: Progress = no_progress,
) -> object:
    """Publish the documents of a project with every answer, as `release.steps.publish` does with others."""
    with _open_session(request.documents) as session:
        return publish_session(
            session, exploration, candidate, request, out=out, force=force, progress=progress
        )


def publish_session(
    session: Session,
    exploration: TextExploration,
    candidate: TextCandidate,
    request: TextPublishRequest,
    *,
    out: Path | None,
    force: bool = False,
    progress: Progress = no_progress,
    is_reviewed: bool = False,
) -> object:
    """Publish the documents of a project that is open; `is_reviewed` where a review room shows the release next."""
    _refuse(request, "A project knows how its documents are read and what is marked in them", _OF_THE_PROJECT)  # fmt: skip
    project = session.project
    project.check_sources()  # marks are tied to places in the text
    marks = project.folder / _MARKS
    with session.lock:
        write_marks(session, marks)
        cleared = _cleared_ranges(session)
    reading = {name: getattr(project.reading, name) for name in ReadOptions.model_fields}
    inner = request.model_copy(
        update={"documents": project.source_paths()[0], "findings": marks, **reading}
    )
    return publish(
        exploration,
        candidate,
        inner,
        out=out,
        force=force,
        progress=progress,
        answered=AnsweredRequest(request.to_record(), cleared, is_reviewed),
    )


def write_marks(session: Session, path: Path) -> int:
    """Write what people marked as findings (offsets only), so that publishing redacts it for certain.

    Returns
    -------
    The number of marks.

    """
    count = 0
    with whole_file(path, force=True) as made, made.open("w", encoding="utf-8") as out:
        for document in session.known_spans():
            found = [{"start": s.start, "end": s.end, "label": s.label} for s in document.spans]
            count += len(found)
            line = {"id": document.id, "text_sha256": document.text_sha256, "findings": found}
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
    return count


def _cleared_ranges(session: Session) -> dict[str, Ranges]:
    """Return what reviews took back, by the id of the document, in characters."""
    found: dict[str, list[tuple[int, int]]] = {}
    for first, last in runs(session.answers.cleared.astype("int16") - 1):
        for token in range(first, last):
            document, start, end = session.place(token, token + 1)
            found.setdefault(session.documents[document].id, []).append((start, end))
    return dict(found)


def _refuse(request: Request, why: str, names: frozenset[str]) -> None:
    """Refuse a parameter that a project has the answer to."""
    fields = fields_of(type(request))
    given: Mapping[str, object] = request.public()
    for name in sorted(names):
        about = fields[name]
        if given[name] != about.default:
            flag = fields[about.within].flag if about.within in fields else about.flag
            raise ParameterError(f"{why}; it takes no {flag} ({name}).", hint="leave it out.")


@contextmanager
def _open_session(folder: object, *, with_trainer: bool = False) -> Iterator[Session]:
    """Open a project that no page has open, with its encoder if asked for."""
    assert isinstance(folder, str | os.PathLike)
    project = Project(folder)
    trainer = trainer_of(project)[0] if with_trainer else None
    session = Session(project, background=False, trainer=trainer, read=False)
    try:
        session.check()
        yield session
    finally:
        session.close()
