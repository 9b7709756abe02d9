"""A labelling project on disk: where the documents are, what rules propose, and every answer given.

    project.json      documents by path and hash, labels, settings
    rules.json        the rules, with the languages that were recognised
    proposals.jsonl   what rules and other tools propose: offsets, labels and scores
    start/            the model that learning starts from, where there is one
    starter/          the shipped model, adapted to the documents, where it knows their language
    answers.jsonl     the journal
    unread.jsonl      the documents that could not be read, where there are some

Nothing here is an estimate of risk: proposals are proposals until somebody has looked.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from pydantic import Field, JsonValue

from ....core.errors import DataError, FormatError, InputError, ParameterError
from ....core.files import canonical_json, read_json, sha256_of
from ....core.records import Count, HouseRecord, InputFile, Label
from ....core.storage.quarantine import write_unread
from ....core.storage.staging import whole_directory
from ....data.document import Document, Span, texts_sha256
from ....data.documents import Corpus
from ..frontier.sources import ReadSources
from ..learners.crf import CRFModel
from ..learners.encoder_choices import DEFAULT_ENCODER, NO_ENCODER
from ..learners.protocol import cost_threshold
from ..learners.registry import encoders
from ..reading.features import TokenData
from ..reading.tokens import Vocabulary, tokenize
from ..records import StarterRecord
from ..request import ReadOptions
from ..rules import NEVER_FIRM, ChosenRules
from ..sanitize.storage import load_model, save_model
from ..starter.adapted import AdaptedStarter
from .first_proposals import FirstProposals, adapted_starter, find_elsewhere, start_model

__all__ = [
    "PROJECT_FILE",
    "FirstProposals",
    "LabellingAims",
    "Project",
    "ProjectRecord",
    "start_project",
]

PROJECT_FILE = "project.json"
JOURNAL_FILE = "answers.jsonl"
_RULES, _PROPOSALS, _START, _STARTER = "rules.json", "proposals.jsonl", "start", "starter"
LABELS = ("NAME", "DATE", "PHONE", "EMAIL", "ID", "LOCATION", "AGE", "URL")
"""The labels of a project whose owner names none."""


class ProjectSource(HouseRecord):
    """A file or folder that documents are read from, and what was read: answers are tied to that text."""

    path: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    documents: Count
    reader: str | None = None
    text_sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")


class ProjectRecord(HouseRecord):
    """project.json."""

    version: int = Field(default=1, ge=1, le=1)
    engine: str = "text"
    sources: tuple[ProjectSource, ...]
    labels: tuple[Label, ...] = Field(min_length=1, max_length=9)
    ratio: float = Field(default=10.0, gt=0)
    wanted: float = Field(default=0.01, gt=0, lt=1)
    wanted_by_label: dict[Label, float] = Field(default_factory=dict)
    """What is wanted of single labels; the page may set it, too, and the journal has the last word."""
    seed: int = Field(default=0, ge=0)
    start: str = "none"
    starter: StarterRecord | None = None
    """The shipped model, which proposes spans like the rules; it proposes none where it does not know the language."""
    proposals: dict[str, int] = Field(default_factory=dict)
    proposals_by_label: dict[Label, Count] = Field(default_factory=dict)
    words: Count = 0
    encoder: str | None = None
    """The encoder that learns from the answers: "none", "default", a folder; the installed one for None."""
    reading: dict[str, JsonValue] = Field(default_factory=dict)
    """How the documents are read, where that is not the default."""


class Project:
    """A project that was read from its folder, documents included.

    Parameters
    ----------
    folder : path
        What `start_project` wrote.

    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        if not (self.folder / PROJECT_FILE).is_file():
            raise InputError(
                f"The folder {self.folder.name!r} holds no project.",
                hint="make one with `sfumato text start`.",
            )
        self.record = ProjectRecord.from_json(read_json(self.folder / PROJECT_FILE), file=PROJECT_FILE)  # fmt: skip
        self.rules = ChosenRules.from_json(read_json(self.folder / _RULES))
        self.unread: list[Mapping[str, str]] = []
        """The documents that cannot be read, by id, with the reason."""
        self.documents = self._documents()
        self.proposals = self._proposals("rules")
        """What rules propose, by document; also a feature of the model."""
        self.found = self._proposals("found")
        """What another tool found, by document; asked about first."""

    @property
    def reading(self) -> ReadOptions:
        """How the documents are read."""
        return ReadOptions.model_validate(self.record.reading)

    def source_paths(self) -> list[Path]:
        """Return the paths of the documents; relative paths start from the project's folder."""
        return [Path(os.path.normpath(self.folder / s.path)) for s in self.record.sources]

    @property
    def encoder(self) -> str | Path | None:
        """The encoder that was asked for; a relative folder starts from the project's."""
        wanted = self.record.encoder
        if wanted in (None, NO_ENCODER, DEFAULT_ENCODER):
            return wanted
        return Path(os.path.normpath(self.folder / str(wanted)))

    def sources(self) -> ReadSources:
        """Return what was read, as exploring knows it."""
        files = zip(self.source_paths(), self.record.sources, strict=True)
        return ReadSources(
            labels=self.record.labels,
            left={},
            documents=self.documents,
            others=(),
            background=(),
            texts=(),
            inputs=tuple(InputFile.of(p, s.documents) for p, s in files if p.is_file()),
            reader=self.record.sources[0].reader or "",
            unread=self.unread,
        )

    def check_sources(self) -> None:
        """Refuse documents that are not those the project was started with."""
        for path, source in zip(self.source_paths(), self.record.sources, strict=True):
            if not path.exists():
                raise InputError(
                    f"The documents {path.name!r} of the project are not where they were.",
                    hint="put them back, or start a new project.",
                )
            if sha256_of(path) != source.sha256:
                raise DataError(
                    f"The documents {path.name!r} have changed since the project was started.",
                    hint="answers are tied to places in the text: start a new project.",
                )

    def _documents(self) -> list[Document]:
        self.check_sources()
        found: list[Document] = []
        for path, source in zip(self.source_paths(), self.record.sources, strict=True):
            corpus = self.reading.open(path)
            readable, left = corpus.readable()
            self.unread += [record.to_json() for record in left]
            read = [replace(d, spans=(), segments=()) for d in readable]
            if source.text_sha256 not in (None, texts_sha256(read)):
                raise DataError(
                    f"The documents {path.name!r} are no longer read as they were when the project was "
                    f"started (then {source.reader!r}, now {corpus.format.reader!r}).",
                    hint="answers are tied to places in the text: use the version of then, or start a "
                    "new project.",
                )
            found += read
        return found

    def _proposals(self, kind: str) -> list[list[Span]]:
        by_id: dict[str, list[Span]] = {}
        try:
            *lines, after = (self.folder / _PROPOSALS).read_bytes().split(b"\n")
            if after:  # it is written in one piece, so something is missing
                raise ValueError
            for line in lines:
                entry = json.loads(line)
                by_id[entry["id"]] = [
                    Span(int(a), int(b), str(label), float(score))
                    for a, b, label, score in entry[kind]
                ]
            return [
                list(Document(d.id, d.text, by_id.get(d.id, ())).checked().spans)
                for d in self.documents
            ]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FormatError("The proposals of the project are damaged.") from error

    def with_spans(self, spans: Sequence[Sequence[Span]]) -> list[Document]:
        """Return the documents with these spans, one sequence for each."""
        return [Document(d.id, d.text, own) for d, own in zip(self.documents, spans, strict=True)]

    def start_model(self) -> CRFModel | None:
        """Return the model that learning starts from."""
        if self.record.start == "none":
            return None
        header, arrays = load_model(self.folder / _START)
        return CRFModel.from_arrays(dict(header), arrays)

    def starter_model(self) -> AdaptedStarter | None:
        """Return the shipped model, adapted to the documents; None where it is silent."""
        if self.record.starter is None or not self.record.starter.speaks:
            return None
        header, arrays = load_model(self.folder / _STARTER)
        return AdaptedStarter.from_arrays(header, arrays)

    @property
    def journal_path(self) -> Path:
        return self.folder / JOURNAL_FILE


@dataclass(frozen=True)
class LabellingAims:
    """What the labelling aims at, and who learns from the answers.

    Parameters
    ----------
    ratio : float, default 10.0
        L/C: how many words withheld one leak is worth.
    wanted : float, default 0.01
        Stop when at most this share of sensitive words is left.
    wanted_by_label : mapping from str to float
        The same for single labels.
    seed : int, default 0
        The seed of everything random.
    encoder : str or path, optional
        The pretrained encoder that learns from the answers on the page: "none", "default" or a folder;
        the installed one, if there is one, by default.

    """

    ratio: float = 10.0
    wanted: float = 0.01
    wanted_by_label: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    encoder: str | os.PathLike[str] | None = None


def start_project(
    documents: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    labels: Sequence[str] = (),
    first: FirstProposals | None = None,
    aims: LabellingAims | None = None,
    reading: ReadOptions | None = None,
) -> ProjectRecord:
    """Make a project folder from documents without labels.

    Parameters
    ----------
    documents : path
        The documents, in any format that `read_documents` reads; they stay where they are.
    out : path
        The folder of the project; it must not exist.
    labels : sequence of str
        What is sensitive, at most nine; the common kinds by default.
    first : FirstProposals
        Where the first proposals come from; the built-in rules by default.
    aims : LabellingAims
        What the labelling aims at.
    reading : ReadOptions
        How the documents are read; by their names by default.

    """
    first, aims = first or FirstProposals(), aims or LabellingAims()
    if aims.encoder not in (None, NO_ENCODER):
        encoders().named(os.fspath(aims.encoder))  # refused now rather than when the page opens
    path = Path(documents)
    how = reading or ReadOptions(overlaps="merge")
    corpus = how.open(path)
    readable, unread = corpus.readable(warns=True)
    own = [Document(d.id, d.text) for d in readable]
    wanted_labels = tuple(labels) or LABELS
    # No match is firm here: rules propose, and fade as answers come.
    chosen = ChosenRules.read(
        first.rules, labels=wanted_labels, texts=(d.text for d in own), firm=NEVER_FIRM
    )
    found = chosen.documents(own)
    elsewhere, proposals = find_elsewhere(own, first, wanted_labels, aims.ratio)
    proposals["rules"] = sum(len(d.spans) for d in found)
    learned, start = start_model(first, wanted_labels, chosen, seed=aims.seed)
    adapted = adapted_starter(found, wanted_labels, seed=aims.seed) if first.starter else None
    by_label = Counter(span.label for d in found for span in d.spans)
    by_label.update(span.label for spans in elsewhere.values() for span in spans)
    if adapted is not None and adapted.speaks:
        theirs = adapted.places_by_label(wanted_labels, cost_threshold(aims.ratio))
        proposals["the starter"] = theirs.total()
        by_label.update(theirs)
    record = ProjectRecord(
        sources=(_source(path, Path(out), corpus, own),),
        labels=wanted_labels,
        ratio=aims.ratio,
        wanted=aims.wanted,
        wanted_by_label=_own_aims(aims, wanted_labels),
        seed=aims.seed,
        start=start,
        starter=None if adapted is None else adapted.record(),
        proposals=proposals,
        proposals_by_label={label: by_label[label] for label in wanted_labels},
        words=_count_words(own),
        encoder=_encoder_path(aims.encoder, Path(out)),
        reading=how.to_record(),
    )
    with whole_directory(out, inputs=[path]) as folder:
        (folder / PROJECT_FILE).write_text(canonical_json(record.to_json()), encoding="utf-8")
        (folder / _RULES).write_text(canonical_json(chosen.to_json()), encoding="utf-8")
        (folder / _PROPOSALS).write_text(_proposal_lines(found, elsewhere), encoding="utf-8")
        if learned is not None:
            save_model(folder / _START, *learned.to_arrays())
        if adapted is not None and adapted.speaks:
            save_model(folder / _STARTER, *adapted.model.to_arrays())
        write_unread(folder, [record.to_json() for record in unread])
        Path(folder / JOURNAL_FILE).touch(mode=0o600)
    return record


def _own_aims(aims: LabellingAims, labels: Sequence[str]) -> dict[str, float]:
    """Return what is wanted of single labels; labels that the project does not have are refused."""
    for label in aims.wanted_by_label:
        if label not in labels:
            raise ParameterError(
                f"{label!r} is not a label of the project, so it cannot have a target.",
                hint=f"its labels are {', '.join(labels)}.",
            )
    return dict(aims.wanted_by_label)


def _encoder_path(encoder: str | os.PathLike[str] | None, out: Path) -> str | None:
    """Return an encoder as the project refers to it."""
    if encoder is None or encoder in (NO_ENCODER, DEFAULT_ENCODER):
        return None if encoder is None else os.fspath(encoder)
    return os.path.relpath(Path(encoder).resolve(), out.resolve())


def _source(path: Path, out: Path, corpus: Corpus, documents: Sequence[Document]) -> ProjectSource:
    return ProjectSource(
        path=os.path.relpath(path.resolve(), out.resolve()),
        sha256=sha256_of(path),
        documents=len(documents),
        reader=corpus.format.reader,
        text_sha256=texts_sha256(documents),
    )


def _count_words(documents: Sequence[Document]) -> int:
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    return int(np.count_nonzero(TokenData.of(tokens, vocabulary).counted))


def _proposal_lines(documents: Iterable[Document], found: Mapping[str, Sequence[Span]]) -> str:
    def plain(spans: Iterable[Span]) -> list[list[object]]:
        return [[s.start, s.end, s.label, s.score if s.score is not None else 1.0] for s in spans]

    lines = (
        {"id": d.id, "rules": plain(d.spans), "found": plain(found.get(d.id, ()))}
        for d in documents
        if d.spans or found.get(d.id)
    )
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
