"""The text engine: labelled documents in, a frontier of candidate releases out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ...core.engine import AnyVerb, Call, Engine, Part, Progress, Verb, no_progress
from ...core.errors import InputError

if TYPE_CHECKING:
    from ...core.publication import Publication
    from ...core.request import Request as AnyRequest
    from ...core.story import Story
    from .attack_records import AuditRecord, TextAttack
    from .exploration import TextExploration
    from .records import TextCandidate, TextRelease
    from .request import TextAttackRequest, TextChoice, TextPublishRequest, TextRequest

__all__ = ["ENGINE", "TextEngine"]

STARTER = "starter"
"""The model that is shipped: it publishes without any label."""


class TextEngine(
    Engine["TextRequest", "TextPublishRequest", "TextExploration", "TextCandidate", "TextRelease"]
):
    """GreedySanitize: publish text in which the remaining sensitive words cannot be found."""

    name: ClassVar[str] = "text"
    title: ClassVar[str] = "Text"
    summary: ClassVar[str] = (
        "Documents: redact what is sensitive until what is left cannot be found."
    )
    order: ClassVar[int] = 20
    shipped: ClassVar[Mapping[str, Mapping[str, object]]] = {STARTER: {"ratio": 10.0}}
    figures: ClassVar[Mapping[str, tuple[str, str]]] = {
        "words left": ("risk", "measures.risk"),
        "documents with a leak": ("documents_with_leak", "documents_with_leak"),
    }
    examples: ClassVar[Mapping[str, str]] = {
        "explore": """
            >>> import sfumato as sf
            >>> from sfumato.data.samples import clinic_notes
            >>> found = sf.text.explore(clinic_notes(40), labels="NAME", ratios=10, attackers="none")
            >>> [candidate.id for candidate in found]
            ['r10']
        """,
        "publish": """
            >>> import sfumato as sf
            >>> from sfumato.data.samples import clinic_notes
            >>> found = sf.text.explore(clinic_notes(40), labels="NAME", ratios=10, attackers="none")
            >>> published = sf.text.publish(found, clinic_notes(3, seed=1), choose="ratio:10")
            >>> len(published), "[NAME]" in published[0].text
            (3, True)
        """,
    }

    @property
    def Request(self) -> type[TextRequest]:
        """The parameters of explore."""
        from .request import TextRequest

        return TextRequest

    @property
    def PublishRequest(self) -> type[TextPublishRequest]:
        """The parameters of publish."""
        from .request import TextPublishRequest

        return TextPublishRequest

    @property
    def AttackRequest(self) -> type[TextAttackRequest]:
        """The parameters of attack."""
        from .request import TextAttackRequest

        return TextAttackRequest

    @property
    def Choice(self) -> type[TextChoice]:
        """The ways of choosing a candidate."""
        from .request import TextChoice

        return TextChoice

    @property
    def Exploration(self) -> type[TextExploration]:
        """What explore returns."""
        from .exploration import TextExploration

        return TextExploration

    @property
    def Release(self) -> type[TextRelease]:
        """The record of a publication."""
        from .records import TextRelease

        return TextRelease

    @property
    def Audit(self) -> type[AuditRecord]:
        """The record of an audit."""
        from .attack_records import AuditRecord

        return AuditRecord

    @property
    def Attack(self) -> type[TextAttack]:
        """The record of an attack."""
        from .attack_records import TextAttack

        return TextAttack

    def load_for(
        self, source: str | os.PathLike[str], request: TextPublishRequest
    ) -> TextExploration:
        """Return the exploration of a folder, of a labelling project, or of the starter for these documents."""
        folder = Path(source)
        if str(source) == STARTER and not folder.exists():
            from .frontier.starter import explore_without_labels

            return explore_without_labels(request.open(request.documents).readable()[0])
        return self.load(folder)

    def load(self, folder: Path) -> TextExploration:
        """Return the exploration that a folder holds; a labelling project holds one in its folder frontier/."""
        if (folder / "project.json").is_file():
            if not (folder / "frontier").is_dir():
                raise InputError(
                    f"The project {folder.name!r} has no frontier yet.",
                    hint=f"make it on the page that `sfumato serve {folder.name}` opens.",
                )
            folder /= "frontier"
        return super().load(folder)

    def explore(self, request: TextRequest, *, progress: Progress = no_progress) -> TextExploration:
        """Choose classifiers for each ratio L/C and judge them on documents they have not seen."""
        from .frontier.progress import ExploreSteps
        from .frontier.steps import explore as run
        from .labelling import is_project

        if is_project(request.corpus):
            from .labelling.requests import explore_project

            return explore_project(request, progress)
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
    ) -> Publication[TextRelease]:
        """Publish documents with a candidate; without `out`, a list of documents in memory."""
        from ...core.publication import Publication
        from .labelling import is_project
        from .records import TextRelease
        from .release.steps import publish

        run: Callable[..., object] = publish
        if is_project(request.documents):
            from .labelling.requests import publish_project as run
        made = run(exploration, candidate, request, out=out, force=force, progress=progress)
        if isinstance(made, TextRelease):
            return Publication(made, out)
        return Publication(data=made)

    def attack(self, request: AnyRequest, call: Call) -> TextAttack:
        """Attack a release with every attacker that the request names."""
        from .request import TextAttackRequest

        assert isinstance(request, TextAttackRequest)
        from .attack.registry import find_attackers, find_encoder
        from .attack.released import AttackSettings, attack_release

        learners = find_attackers(request.attackers)
        total = 2 * len(learners) + (3 if request.background else 1)
        found = attack_release(
            request.directory,
            request.published,
            labels=request.labels,
            background=request.background,
            training=request.training,
            settings=AttackSettings(
                budgets=request.budgets,
                learners=learners,
                folds=request.folds,
                seed=request.seed,
                earlier=request.earlier,
                encoder=find_encoder(request.attackers, request.encoder),
            ),
            request=request.to_record(),
            progress=lambda _: call.progress(1, total=total, note="attacking the release"),
        )
        for line in found.lines():
            call.say(line)
        return found

    def story(self, part: Part) -> Story:
        """Return the text part of a report."""
        from .story.part import story

        return story(part)

    def verbs(self) -> Sequence[AnyVerb]:
        """Return the start of a labelling project, the audit of a release and the papers' figures."""
        from . import verbs
        from .verb_requests import (
            AuditRequest,
            ConvertRequest,
            FormatsRequest,
            StartRequest,
            TextStudyRequest,
        )

        return (
            Verb(
                "start",
                "Start a labelling project from documents without labels: rules propose, you answer.",
                StartRequest,
                verbs.start,
            ),
            Verb(
                "convert",
                "Write the labels of a corpus, or the answers of a project, in another tool's format.",
                ConvertRequest,
                verbs.convert,
            ),
            Verb(
                "formats",
                "List the formats of documents: their names, suffixes and reading options.",
                FormatsRequest,
                verbs.list_formats,
                writes="no",
            ),
            Verb(
                "audit",
                "Count what is left in a release: a person reads a random part of it.",
                AuditRequest,
                verbs.audit,
                writes="inside",
            ),
            Verb(
                "study",
                "Reproduce the papers' figures on labelled corpora; if interrupted, a study resumes.",
                TextStudyRequest,
                verbs.study,
            ),
        )

    def for_chained_input(
        self, exploring: dict[str, object], publishing: dict[str, object]
    ) -> tuple[dict[str, object], dict[str, object]]:
        """Take `text_column` for a column of the published table, whose rows have no ids.

        Its other columns were treated by the engine that published them: all of them stay.
        """
        from ...data.formats.registry import FORMATS, format_of_name

        corpus = exploring.get("corpus")
        kind = format_of_name(Path(corpus)) if isinstance(corpus, str) else None
        if isinstance(corpus, str) and (kind is None or not FORMATS[kind].is_table):
            exploring = {k: v for k, v in exploring.items() if k != "text_column"}
        return exploring, {**publishing, "id_column": "", "keep": ["*"], "keep_ids": True}

    def claim(self, file: Path) -> float:
        """Claim files of documents by their suffix, and folders."""
        from ...data.formats.registry import FORMATS, format_of_name

        kind = format_of_name(file)
        is_text = kind is not None and not FORMATS[kind].is_table
        return 0.5 if file.is_dir() or is_text else 0.0

    def draft(self, file: Path, others: Mapping[str, Path], folder: Path) -> list[str]:  # noqa: ARG002
        """Return the plan's section for labelled documents, or for a labelling project."""
        from ...data.documents import read_documents
        from .labelling import is_project
        from .request import EVERY_LABEL

        if is_project(file):
            labels = [EVERY_LABEL]
        else:
            documents, _ = read_documents(file).readable(with_labels=True)
            labels = sorted({s.label for document in documents for s in document.spans})
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


ENGINE = TextEngine()
