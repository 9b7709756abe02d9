"""The text engine: labelled documents in, a frontier of candidate releases out."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import ClassVar

from pydantic import JsonValue

from ...core.desk import Desk
from ...core.engine import Call, Engine, Part, Progress, Verb, no_progress
from ...core.errors import InputError
from ...core.story import Story
from ...data.document import DocumentSource
from .attack_records import TextAttack
from .exploration import TextExploration
from .records import TextCandidate, TextRelease
from .request import (
    AuditRequest,
    ConvertRequest,
    ReadOptions,
    StartRequest,
    StudyRequest,
    TextAttackRequest,
    TextChoice,
    TextPublishRequest,
    TextRequest,
)

__all__ = ["ENGINE", "TextEngine", "explore", "load"]


class TextEngine(Engine):
    """GreedySanitize: publish text from which what is left cannot be found."""

    name: ClassVar[str] = "text"
    title: ClassVar[str] = "Text"
    summary: ClassVar[str] = (
        "Documents: redact what is sensitive until what is left cannot be found."
    )
    order: ClassVar[int] = 20
    Request = TextRequest
    PublishRequest = TextPublishRequest
    AttackRequest = TextAttackRequest
    Choice = TextChoice
    Exploration = TextExploration
    Release = TextRelease
    Attack = TextAttack

    def explore(self, request: TextRequest, *, progress: Progress = no_progress) -> TextExploration:
        """Choose classifiers for each ratio L/C and judge them on documents they have not seen."""
        from .frontier.progress import ExploreSteps
        from .frontier.steps import explore as run

        steps = ExploreSteps.of(request, progress)
        found = run(request, steps)
        steps.finish()
        return found

    def publish(
        self,
        exploration: TextExploration,
        candidate: TextCandidate,
        request: TextPublishRequest,
        *,
        out: Path | None,
        force: bool = False,
        progress: Progress = no_progress,
    ) -> object:
        """Publish documents with a candidate; return the release, or a list of documents without `out`."""
        from .release.steps import publish as run

        return run(exploration, candidate, request, out=out, force=force, progress=progress)

    def attack(self, request: TextAttackRequest, call: Call) -> TextAttack:
        """Attack a release with every attacker that the request names."""
        from .attack.registry import attackers_named, encoder_named
        from .attack.released import attack_release

        learners = attackers_named(request.attackers)
        total = 2 * len(learners) + (3 if request.background else 1)
        found = attack_release(
            request.directory,
            request.published,
            labels=request.labels,
            background=request.background,
            training=request.training,
            budgets=request.budgets,
            learners=learners,
            folds=request.folds,
            seed=request.seed,
            request=request.to_record(),
            progress=lambda _: call.progress(1, total=total, note="attacking the release"),
            encoder=encoder_named(request.attackers, request.encoder),
        )
        for line in found.lines():
            call.say(line)
        return found

    def story(self, part: Part) -> Story:
        """Return the text part of a report."""
        from .story.part import story

        return story(part)

    def desk(self, folder: Path) -> Desk | None:
        """Return a labelling project, or None where the folder holds none."""
        if not (folder / "project.json").is_file():
            return None
        from .labelling.desk import TextDesk

        return TextDesk(folder)

    def verbs(self) -> Sequence[Verb]:
        """Return the start of a labelling project, the audit of a release and the papers' figures."""
        return (
            Verb(
                "start",
                "Start a labelling project from documents without labels: rules propose, you answer.",
                StartRequest,
                _start,
            ),
            Verb(
                "convert",
                "Write labels in another tool's format: of a corpus, or the answers of a project.",
                ConvertRequest,
                _convert,
            ),
            Verb(
                "audit",
                "Count what is left in a release: a person reads a random part of it.",
                AuditRequest,
                _audit,
                writes="no",
            ),
            Verb(
                "study",
                "Reproduce the papers' figures on labelled corpora; if interrupted, a study resumes.",
                StudyRequest,
                _study,
            ),
        )

    def chained(
        self, exploring: dict[str, object], publishing: dict[str, object]
    ) -> tuple[dict[str, object], dict[str, object]]:
        """Take `text_column` for a column of the published table, whose rows have no ids."""
        from ...data.formats.registry import FORMATS, format_of_name

        corpus = exploring.get("corpus")
        kind = format_of_name(Path(corpus)) if isinstance(corpus, str) else None
        if isinstance(corpus, str) and (kind is None or not FORMATS[kind].is_table):
            exploring = {k: v for k, v in exploring.items() if k != "text_column"}
        return exploring, {**publishing, "id_column": ""}

    def draft(self, file: Path, others: Mapping[str, Path], folder: Path) -> list[str] | None:  # noqa: ARG002
        """Return the plan's section for labelled documents."""
        from ...data.documents import read_documents
        from ...data.formats.registry import FORMATS, format_of_name

        kind = format_of_name(file)
        if file.is_file() and (kind is None or FORMATS[kind].is_table):
            return None
        labels = sorted({s.label for document in read_documents(file) for s in document.spans})
        if not labels:
            raise InputError(
                f"No document of {file.name!r} carries a label.",
                hint="the text engine learns from labelled documents.",
            )
        corpus = Path(os.path.relpath(os.path.abspath(file), folder)).as_posix()
        return [
            "[text]",
            f"corpus = {json.dumps(corpus)}",
            f"labels = {json.dumps(labels)}",
            "choose = { ratio = 10 }",
            'replacement = "placeholder"',
            "",
        ]


def _start(request: StartRequest, call: Call) -> Mapping[str, JsonValue]:
    from .labelling.project import start_project

    assert call.out is not None
    record = start_project(
        request.documents,
        call.out,
        labels=request.labels,
        rules=request.rules,
        findings=request.findings,
        model=request.model,
        background=request.background,
        generated=request.generated,
        ratio=request.ratio,
        wanted=request.wanted,
        seed=request.seed,
        encoder=request.encoder,
        reading=ReadOptions(**{name: getattr(request, name) for name in ReadOptions.model_fields}),
    )
    documents = sum(source.documents for source in record.sources)
    call.say(f"{documents:,} documents, {record.words:,} words")
    for source, count in record.proposals.items():
        call.say(f"{count:,} proposals by {source}")
    call.say("These are proposals: there is no estimate of risk until somebody has looked.")
    call.say(f"Open the page that asks: sfumato serve {call.out}")
    return record.to_json()


def _convert(request: ConvertRequest, call: Call) -> Mapping[str, JsonValue]:
    from ...data.documents import write_documents

    assert call.out is not None
    source = Path(request.source)
    if (source / "project.json").is_file():
        from .labelling.session import Session

        session = Session(source, background=False)
        try:
            documents = session.known_spans()
        finally:
            session.close()
    else:
        documents = list(request.open(source))
    count = write_documents(documents, like=request.to, out=call.out, force=call.force)
    spans = sum(len(document.spans) for document in documents)
    call.say(f"{count:,} documents, {spans:,} spans")
    return {"documents": count, "spans": spans}


def _audit(request: AuditRequest, call: Call) -> Mapping[str, JsonValue]:
    from .attack.audit import audit_documents, audit_words, checked_numbers
    from .attack.released import classifiers_of

    number = checked_numbers(request.documents, request.words)
    if "documents" in number:
        result, lines = audit_documents(
            request.release, number["documents"], seed=request.seed, force=call.force
        )
    else:
        if request.frontier is None:
            raise InputError(
                "The words that an attacker reads first are ranked by the classifiers.",
                hint="name the folder that explore wrote by --frontier.",
            )
        classifiers = classifiers_of(request.frontier, request.release)
        result, lines = audit_words(
            request.release, number["words"], classifiers, seed=request.seed, force=call.force
        )
    for line in lines:
        call.say(line)
    return {} if result is None else result.to_json()


def _study(request: StudyRequest, call: Call) -> Mapping[str, JsonValue]:
    # The laboratory stands above the engines; it is asked for by name only when it is used.
    run = import_module("sfumato.laboratory.text.study").run_study
    found: Mapping[str, JsonValue] = run(request, call)
    return found


ENGINE = TextEngine()


def explore(
    corpus: DocumentSource, *, progress: Progress | None = None, **request: object
) -> TextExploration:
    """Return the frontier of candidate releases of labelled documents.

    Parameters
    ----------
    corpus : path, frame, Corpus or list of Document
        Labelled documents.
    progress : callable, optional
        Called as `progress(steps, note=...)`.
    **request
        The other fields of `TextRequest` by name, for example `labels=["NAME"]`.

    """
    made = TextRequest.made({**request, "corpus": corpus}, owner="text.explore")
    return ENGINE.explore(made, progress=progress or no_progress)


def load(folder: str | os.PathLike[str]) -> TextExploration:
    """Return the exploration that a folder holds.

    Parameters
    ----------
    folder : path
        What `explore(...).save` or `sfumato text explore` wrote.

    """
    return ENGINE.Exploration.load(Path(folder))
