"""A release as files, attacked with the labels of its originals.

The published texts are aligned with their originals word by word, so that any way of replacing what was
redacted can be attacked: placeholders and masks are no words, surrogates are words that an attacker
inspects in vain.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from .....core.errors import DataError, FormatError, InputError
from .....core.files import sha256_of
from .....core.randomness import Streams
from .....core.records import RELEASE_FILE
from .....data.document import Document, apply
from .....data.documents import read_documents
from .....data.inputs import DocumentsInput
from ...attack_records import InferenceRecord, TextAttack, TheoremBounds
from ...learners.protocol import Learner
from ...payload import Learned
from ...private_edits import match_release, read_edits
from ...reading.arrays import Mask
from ...reading.background import read_background
from ...reading.features import TokenData, WordKnowledge
from ...reading.tokens import Tokens, Vocabulary, labels_from_spans, tokenize
from ...records import TextFrontier, TextRelease
from ...redaction.replacer import MASK
from ...sanitize.classifiers import ClassifierSet
from ...sanitize.models import load_candidates
from ..attacker import AttackedRelease, AttackReport, Residual, attack
from ..bounds import certificate
from ..contextual import infer_identifiers
from ..inspection import DEFAULT_BUDGETS
from ..together import measure_with_earlier
from .alignment import align

if TYPE_CHECKING:
    from ...learners.pretrained import PretrainedEncoder

__all__ = [
    "AttackSettings",
    "attack_release",
    "classifiers_of",
    "placeholders",
    "release_of",
    "target_of",
]

_MIN_COMMON = 0.5  # share of the released words that an original must contain


@dataclass(frozen=True)
class AttackSettings:
    """Who attacks a release, and how.

    Parameters
    ----------
    budgets : sequence of int
        How many words are inspected.
    learners : sequence of Learner, default None
        The attackers; None for all of them.
    folds : int, default 4
        Folds by document inside the release.
    seed : int, default 0
        The seed of every random choice.
    encoder : PretrainedEncoder, default None
        What attackers with an encoder tune.
    earlier : sequence of paths
        Releases of some of the same documents or people that the attacker holds as well.

    """

    budgets: Sequence[int] = DEFAULT_BUDGETS
    learners: Sequence[Learner] | None = None
    folds: int = 4
    seed: int = 0
    encoder: PretrainedEncoder | None = None
    earlier: Sequence[str | os.PathLike[str]] = ()


def attack_release(
    directory: str | os.PathLike[str],
    published: str | os.PathLike[str],
    *,
    labels: DocumentsInput,
    background: Sequence[DocumentsInput] = (),
    training: DocumentsInput | None = None,
    settings: AttackSettings | None = None,
    request: Mapping[str, JsonValue] | None = None,
    progress: Callable[[str], None] | None = None,
) -> TextAttack:
    """Attack what `publish` wrote, with the labelled originals in `labels`.

    Parameters
    ----------
    directory : path
        The folder that `explore` wrote.
    published : path
        The folder that `publish` wrote, or its data alone.
    labels : path, Corpus or list of Document
        The originals, with their labels.
    background : sequence of corpora
        What an outsider brings.
    training : corpus, default None
        What `explore` learned from; adds reading A.
    settings : AttackSettings, default None
        The attackers and their settings; all attackers by default.
    request : mapping, default None
        The recorded request.
    progress : callable, default None
        Called with a short note before each attacker.

    """
    settings = settings or AttackSettings()
    frontier = TextFrontier.read(directory)
    names = frontier.labels
    source, record = release_of(Path(published))
    classifiers = load_candidates(directory)
    chosen = classifiers.get(record.candidate) if record is not None else None
    corpus = read_documents(source)
    texts = [d.checked() for d in corpus]
    originals = [d.checked() for d in read_documents(labels)]
    if record is not None and record.how.ids == "new":
        texts = _under_old_ids(texts, Path(published), originals, corpus.format.comparable)
    _check_labels(originals, names)
    texts, learned_from = _unseen(texts, originals, Learned.load(Path(directory)))
    others, _ = read_background(background, names)
    target, before = target_of(
        texts, originals, names, others, knowledge=() if chosen is None else chosen.knowledge
    )
    report = attack(
        target, streams=Streams(settings.seed).child("attack release"), learners=settings.learners,
        residuals=_residuals(training, chosen, names, target), folds=settings.folds,
        budgets=settings.budgets, progress=progress, encoder=settings.encoder,
    )  # fmt: skip
    return TextAttack(
        engine="text",
        candidate=None if record is None else record.candidate,
        frontier=frontier.current_mark(),
        release=None if record is None else sha256_of(Path(published) / RELEASE_FILE),
        request=dict(request or {}),
        seed=settings.seed,
        documents=len(texts),
        learned_from=learned_from,
        marked=0 if record is None else record.how.marked,
        words_before=before[0],
        sensitive_before=before[1],
        background_documents=len(others),
        attack=report.to_record(),
        bounds=_bounds(report, record, before),
        inference=_inference(training, texts, originals, names, Streams(settings.seed)),
        compositions=measure_with_earlier(published, settings.earlier, originals, names),
    )


def _under_old_ids(
    texts: list[Document], release: Path, originals: list[Document], same: Callable[[str], str]
) -> list[Document]:
    """Return published documents under the ids of their originals, in the order of these."""
    entries, known = list(read_edits(release)), {one.id: one.text for one in originals}
    decided = {e.id: apply(known[e.id], e.edits) for e in entries if e.id in known}
    found = match_release(texts, entries, decided, same)
    if len(found) < len(texts):
        raise InputError(
            f"{len(texts) - len(found):,} documents of the release are not among its edits.",
            hint="the folder whose name ends in .private must be that of this release.",
        )
    return [replace(found[entry.id], id=entry.id) for entry in entries if entry.id in found]


def classifiers_of(
    directory: str | os.PathLike[str], published: str | os.PathLike[str]
) -> ClassifierSet:
    """Return the classifiers that a release was made with."""
    _, record = release_of(Path(published))
    chosen = None if record is None else load_candidates(directory).get(record.candidate)
    if chosen is None:
        raise InputError(
            "The release was not made from this frontier.",
            hint="name the folder that explore wrote, and the release as publish wrote it.",
        )
    return chosen


def _check_labels(originals: Sequence[Document], names: Sequence[str]) -> None:
    """Refuse originals without the labels that are sensitive: nothing would be measured."""
    known = {span.label for document in originals for span in document.spans}
    missing = sorted(set(names) - known)
    foreign = sorted(known - set(names))
    if not known:
        raise DataError(
            "The originals carry no label at all: nothing can be measured.",
            hint="give the labelled originals of the release.",
        )
    if missing and (foreign or len(missing) == len(set(names))):
        raise DataError(
            f"The originals do not carry the label {', '.join(map(repr, missing))}.",
            hint=f"their labels are: {', '.join(sorted(known))}; they must have the names that were "
            "explored.",
        )


def _unseen(
    texts: list[Document], originals: Sequence[Document], learned: Learned
) -> tuple[list[Document], int]:
    """Leave out the documents that the classifiers learned from; return how many there are.

    Less stays in them than in any other document, so they say nothing about a release.
    """
    known = {d.id for d in originals if learned.knows(d.text)}
    unseen = [d for d in texts if d.id not in known]
    if texts and not unseen:
        raise DataError(
            "All documents of the release are training documents: an attack on them would measure nothing.",
            hint="publish and attack labelled documents that were held out.",
        )
    return unseen, len(texts) - len(unseen)


def _bounds(
    report: AttackReport, record: TextRelease | None, before: tuple[int, int]
) -> TheoremBounds | None:
    """Return the bounds on what reading B finds; None where it was not run or L/C is unknown."""
    if record is None or "B" not in report.inspections:
        return None
    inspection = report.inspections["B"][1]
    return certificate(
        attack=inspection.counts, ratio=record.how.ratio, budget=report.budget,
        words=before[0], sensitive=before[1], ranked=inspection.ranked,
    )  # fmt: skip


def _inference(
    training: DocumentsInput | None,
    published: Sequence[Document],
    originals: Sequence[Document],
    names: Sequence[str],
    streams: Streams,
) -> InferenceRecord | None:
    """Guess removed names from the words around them, knowing the training documents by name."""
    if training is None:
        return None
    known = [d.checked() for d in read_documents(training)]
    by_id = {d.id: d for d in originals}
    mine = [by_id[d.id] for d in published]
    vocabulary = Vocabulary()
    data, sensitive = _tokens([*known, *mine], names, vocabulary)
    shown = tokenize([d.text for d in published], vocabulary)
    marks = placeholders(published, shown, names, len(published))
    removed = np.zeros(len(data), np.bool_)
    for d in range(len(published)):
        first, last = data.tokens.doc[len(known) + d : len(known) + d + 2]
        a, b = shown.doc[d], shown.doc[d + 1]
        kept = shown.type[a:b][~marks[a:b]]
        match = align(data.tokens.type[first:last], kept)
        removed[first:last] = True
        removed[first + match[match >= 0]] = False
    of_release = np.arange(data.documents) >= len(known)
    guessed = infer_identifiers(
        data, sensitive, removed, known=~of_release, attacked=of_release,
        generator=streams.generator("inference"),
    )  # fmt: skip
    return InferenceRecord.from_json(guessed.to_json())


def _residuals(
    training: DocumentsInput | None,
    chosen: ClassifierSet | None,
    names: Sequence[str],
    target: AttackedRelease,
) -> list[Residual]:
    """Return what is left of the training data, for reading A; nothing without training data."""
    if training is None:
        return []
    if chosen is None:
        raise InputError(
            "Reading A needs the classifiers of the release, and it does not name its candidate.",
            hint=f"give the folder with {RELEASE_FILE} as it was published.",
        )
    data, sensitive = _tokens([d.checked() for d in read_documents(training)], names)
    left = data.redact(chosen.redactions(data) > 0)
    return [Residual(left, sensitive, np.ones(data.documents, np.bool_), target.documents)]


def target_of(
    published: Sequence[Document],
    originals: Sequence[Document],
    names: Sequence[str],
    background: Sequence[Document] = (),
    *,
    knowledge: Sequence[WordKnowledge] = (),
) -> tuple[AttackedRelease, tuple[int, int]]:
    """Return what an attacker has of a release, and how many words (and sensitive ones) there were.

    Parameters
    ----------
    published, originals : sequence of Document
        The release and the labelled originals, with the same ids.
    names : sequence of str
        The sensitive labels.
    background : sequence of Document
        Labelled documents that an outsider brings.
    knowledge : sequence of WordKnowledge
        Word lists and clusters that the classifiers use.

    >>> from .....data.document import Span
    >>> target, before = target_of(
    ...     [Document("d", "[NAME] met Bo.")], [Document("d", "Ann met Bo.",
    ...     [Span(0, 3, "NAME"), Span(8, 10, "NAME")])], ["NAME"])
    >>> before, int(target.sensitive[target.instances].sum())
    ((3, 2), 1)

    """
    by_id = {d.id: d for d in originals}
    unknown = sum(d.id not in by_id for d in published)
    if unknown:
        raise DataError(
            f"{unknown:,} of the {len(published):,} published documents have no labelled original.",
            hint="the documents of both must have the same ids.",
        )
    if not published:
        raise DataError("The release holds no document.")
    vocabulary = Vocabulary()
    mine = [by_id[d.id] for d in published]
    whole = tokenize([d.text for d in mine], vocabulary)
    truth = labels_from_spans(mine, whole, names) > 0
    everything = [*published, *background]
    tokens = tokenize([d.text for d in everything], vocabulary)
    marks = placeholders(everything, tokens, names, len(published))
    sensitive = (labels_from_spans(everything, tokens, names) > 0).astype(np.uint8)
    sensitive[: tokens.doc[len(published)]] = 0
    common = 0
    for d in range(len(published)):
        a, b = whole.doc[d], whole.doc[d + 1]
        first, last = tokens.doc[d], tokens.doc[d + 1]
        kept = np.flatnonzero(~marks[first:last]) + first
        match = align(whole.type[a:b], tokens.type[kept])
        found = match >= 0
        common += int(found.sum())
        sensitive[kept[found]] = truth[a + match[found]]
    shown = int((~marks[: tokens.doc[len(published)]]).sum())
    if common < _MIN_COMMON * shown:
        raise DataError(
            f"Only {common:,} of the {shown:,} published words occur in the labelled originals.",
            hint="was this release made from these documents?",
        )
    data = TokenData.of(tokens, vocabulary, tuple(knowledge)).redact(marks)
    own = np.arange(len(everything)) < len(published)
    words = vocabulary.is_word[whole.type] != 0
    return AttackedRelease(data, sensitive, own), (int(words.sum()), int((words & truth).sum()))


def placeholders(
    documents: Sequence[Document], tokens: Tokens, names: Sequence[str], published: int
) -> Mask:
    """Return which tokens of the published documents are placeholders or masks."""
    pattern = re.compile("|".join([*(re.escape(f"[{name}]") for name in names), re.escape(MASK)]))
    start, end = tokens.char_offsets()
    marks = np.zeros(len(tokens), np.bool_)
    for d, document in enumerate(documents[:published]):
        first, last = tokens.doc[d], tokens.doc[d + 1]
        for match in pattern.finditer(document.text):
            a = first + np.searchsorted(end[first:last], match.start(), "right")
            b = first + np.searchsorted(start[first:last], match.end(), "left")
            marks[a:b] = True
    return marks


def _tokens(
    documents: Sequence[Document], names: Sequence[str], vocabulary: Vocabulary | None = None
) -> tuple[TokenData, npt.NDArray[np.uint8]]:
    vocabulary = Vocabulary() if vocabulary is None else vocabulary
    tokens = tokenize([d.text for d in documents], vocabulary)
    sensitive = (labels_from_spans(documents, tokens, names) > 0).astype(np.uint8)
    return TokenData.of(tokens, vocabulary), sensitive


def release_of(published: Path) -> tuple[Path, TextRelease | None]:
    """Find the data of a release: the folder that publish wrote, or its data alone."""
    if not published.exists():
        raise InputError(f"There is no release {published.name!r}.", hint="check the path.")
    if not (published / RELEASE_FILE).is_file():
        return published, None
    record = TextRelease.read(published)
    if record.engine != "text" or not record.outputs:
        raise FormatError("The release is not one of documents.")
    name = record.outputs[0].path
    if name == "..":
        raise FormatError("The release names an output outside its folder.")
    return (published if name == "." else published / name), record
