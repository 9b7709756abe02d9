"""A release as files, attacked with the labels of its originals.

The published texts are aligned with their originals word by word, so that any way of replacing what was
redacted can be attacked: placeholders and masks are no words, surrogates are words that an attacker
inspects in vain.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .....core.errors import DataError, FormatError, InputError
from .....core.exploration import Exploration
from .....core.randomness import Streams
from .....core.release import RELEASE_FILE, Release
from .....data.document import Document
from .....data.documents import read_documents
from ...learners.protocol import Learner
from ...reading.background import matching_labels, relabelled
from ...reading.features import TokenData
from ...reading.tokens import Vocabulary, labels_from_spans, tokenize
from ...release.redaction import MASK
from ...sanitize.models import load_candidates
from ..attacker import AttackReport, Residual, Target, attack
from ..bounds import certificate
from ..inspection import DEFAULT_BUDGETS
from .alignment import aligned

__all__ = ["ReleaseAttack", "attack_release", "target_of"]

_LEAST_COMMON = 0.5  # of a release's words, to be taken for one of these documents


@dataclass(frozen=True, eq=False)
class ReleaseAttack:
    """What was found in a release, and what the bounds say of it."""

    report: AttackReport
    content: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        return self.content


def attack_release(
    directory: str | os.PathLike[str],
    published: str | os.PathLike[str],
    *,
    labels: Any,
    background: Sequence[Any] = (),
    training: Any = None,
    budgets: Sequence[int] = DEFAULT_BUDGETS,
    learners: Sequence[Learner] | None = None,
    folds: int = 4,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> ReleaseAttack:
    """Attack what `publish` wrote, with the labelled originals in `labels`.

    `directory` is what `explore` wrote; `training` is the corpus that it learned from, for reading A.
    """
    frontier = Exploration.load(directory)
    names = tuple(str(name) for name in frontier.extra.get("labels", ()))
    if not names:
        raise FormatError("The frontier does not say which labels are sensitive.")
    source, record = _release_of(Path(published))
    classifiers = load_candidates(directory)
    chosen = classifiers.get(str(record.get("candidate"))) if record else None
    texts = [d.checked() for d in read_documents(source)]
    originals = [d.checked() for d in read_documents(labels)]
    others = _background(background, names)
    target, before = target_of(
        texts, originals, names, others, knowledge=() if chosen is None else chosen.knowledge
    )
    residuals = []
    if training is not None:
        if chosen is None:
            raise InputError(
                "Reading A needs the classifiers of the release, and it does not name its candidate.",
                hint=f"give the folder with {RELEASE_FILE} as it was published.",
            )
        data, sensitive = _tokens([d.checked() for d in read_documents(training)], names)
        left = data.redact(chosen.redactions(data) > 0)
        own = np.ones(data.documents, np.bool_)
        residuals.append(Residual(left, sensitive, own, target.documents))
    report = attack(
        target, streams=Streams(seed).child("attack release"), learners=learners,
        residuals=residuals, folds=folds, budgets=budgets, progress=progress,
    )  # fmt: skip
    content: dict[str, Any] = {
        "candidate": None if not record else record.get("candidate"),
        "documents": len(texts),
        "words_before": before[0],
        "sensitive_before": before[1],
        "seed": seed,
        "background_documents": len(others),
        "attack": report.to_json(),
    }
    ratio = (record or {}).get("how", {}).get("ratio")
    if ratio is not None and "B" in report.inspections:
        inspection = report.inspections["B"][1]
        content["bounds"] = certificate(
            attack=inspection.counts, ratio=float(ratio), budget=report.budget,
            words=before[0], sensitive=before[1], ranked=inspection.ranked,
        )  # fmt: skip
    return ReleaseAttack(report, content)


def target_of(
    published: Sequence[Document],
    originals: Sequence[Document],
    names: Sequence[str],
    background: Sequence[Document] = (),
    *,
    knowledge: Sequence[Any] = (),
) -> tuple[Target, tuple[int, int]]:
    """Give what an attacker has of a release, and how many words (and sensitive ones) there were.

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
    marks = _placeholders(everything, tokens, names, len(published))
    sensitive = (labels_from_spans(everything, tokens, names) > 0).astype(np.uint8)
    sensitive[: tokens.doc[len(published)]] = 0
    common = 0
    for d in range(len(published)):
        a, b = whole.doc[d], whole.doc[d + 1]
        first, last = tokens.doc[d], tokens.doc[d + 1]
        kept = np.flatnonzero(~marks[first:last]) + first
        match = aligned(whole.type[a:b], tokens.type[kept])
        found = match >= 0
        common += int(found.sum())
        sensitive[kept[found]] = truth[a + match[found]]
    shown = int((~marks[: tokens.doc[len(published)]]).sum())
    if common < _LEAST_COMMON * shown:
        raise DataError(
            f"Only {common:,} of the {shown:,} published words stand in the labelled originals.",
            hint="was this release made from these documents?",
        )
    data = TokenData.of(tokens, vocabulary, tuple(knowledge)).redact(marks)
    own = np.arange(len(everything)) < len(published)
    words = vocabulary.is_word[whole.type] != 0
    return Target(data, sensitive, own), (int(words.sum()), int((words & truth).sum()))


def _placeholders(
    documents: Sequence[Document], tokens: Any, names: Sequence[str], published: int
) -> Any:
    """Say which tokens of the published documents are placeholders or masks."""
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


def _tokens(documents: Sequence[Document], names: Sequence[str]) -> tuple[TokenData, Any]:
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    sensitive = (labels_from_spans(documents, tokens, names) > 0).astype(np.uint8)
    return TokenData.of(tokens, vocabulary), sensitive


def _background(sources: Sequence[Any], names: Sequence[str]) -> list[Document]:
    found: list[Document] = []
    for source in sources:
        documents = list(read_documents(source))
        match = matching_labels({s.label for d in documents for s in d.spans}, names)
        if match:
            found += relabelled(documents, match)
    return found


def _release_of(published: Path) -> tuple[Path, Mapping[str, Any] | None]:
    """Find the data of a release: the folder that publish wrote, or its data alone."""
    if not published.exists():
        raise InputError(f"There is no release {published.name!r}.", hint="check the path.")
    if not (published / RELEASE_FILE).is_file():
        return published, None
    record = Release.load(published)
    if record.get("engine") != "text" or not record.get("outputs"):
        raise FormatError("The release is not one of documents.")
    name = str(record["outputs"][0].get("path", "."))
    if name != "." and (Path(name).is_absolute() or ".." in Path(name).parts):
        raise FormatError("The release names an output outside its folder.")
    return (published if name == "." else published / name), record
