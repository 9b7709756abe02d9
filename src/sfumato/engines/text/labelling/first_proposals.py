"""Where a labelling project starts from: what other tools and models find, and a first model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ....data.document import Document, Span
from ....data.documents import read_documents
from ....data.findings import with_findings
from ....data.inputs import DocumentsInput
from ..learners.crf import CRF, CRFModel
from ..reading.background import read_background
from ..reading.features import TokenData
from ..reading.label_kinds import matching_labels
from ..reading.tokens import Vocabulary, labels_from_spans, tokenize
from ..rules import ChosenRules
from ..rules.features import rule_place
from ..starter.adapted import Adaptation, adapt, kinds_of
from ..starter.agreement import heed_rules
from ..starter.weights import packaged_starter

__all__ = ["FirstProposals", "adapted_starter", "find_elsewhere", "start_model"]


@dataclass(frozen=True)
class FirstProposals:
    """Where the first proposals of a project come from.

    Parameters
    ----------
    rules : path
        A rules file; the built-in rules by default.
    findings : path or mapping
        What another tool found.
    model : path
        A frontier folder, explored on other documents: what its classifiers find is proposed.
    background : sequence of corpora
        Labelled documents of any origin to learn a first model from.
    generated : bool, default False
        Whether generated English notes serve as background where none is given.
    starter : bool, default True
        Whether the model that is shipped proposes, too, where it knows the language.

    """

    rules: str | os.PathLike[str] | None = None
    findings: str | os.PathLike[str] | Mapping[str, object] | None = None
    model: str | os.PathLike[str] | None = None
    background: Sequence[DocumentsInput] = ()
    generated: bool = False
    starter: bool = True


def find_elsewhere(
    documents: Sequence[Document], first: FirstProposals, labels: Sequence[str], ratio: float
) -> tuple[dict[str, list[Span]], dict[str, int]]:
    """Return what another tool and a model found by document, and how much each of them."""
    found: dict[str, list[Span]] = {}
    counts: dict[str, int] = {}
    if first.findings is not None:
        found = _matched_findings(documents, first.findings, labels)
        counts["findings"] = sum(map(len, found.values()))
    if first.model is not None:
        theirs = _found_by_model(documents, first.model, labels, ratio)
        counts["model"] = sum(map(len, theirs.values()))
        found = {d.id: _join_spans(found.get(d.id, []), theirs[d.id]) for d in documents}
    return found, counts


def _matched_findings(
    documents: Sequence[Document],
    findings: str | os.PathLike[str] | Mapping[str, object],
    labels: Sequence[str],
) -> dict[str, list[Span]]:
    """Return another tool's findings by document, under the labels of the project."""
    theirs = list(with_findings(documents, findings))
    match = matching_labels({s.label for d in theirs for s in d.spans}, labels)
    return {
        document.id: [
            Span(s.start, s.end, match[s.label], s.score) for s in other.spans if s.label in match
        ]
        for document, other in zip(documents, theirs, strict=True)
    }


def _found_by_model(
    documents: Sequence[Document],
    folder: str | os.PathLike[str],
    labels: Sequence[str],
    ratio: float,
) -> dict[str, list[Span]]:
    """Return what the classifiers of an exploration find, under the labels of the project."""
    from ..exploration import TextExploration

    explored = TextExploration.load(Path(folder))
    match = matching_labels(set(explored.record.labels), labels)
    nearest = min(explored.candidates, key=lambda c: abs(np.log(c.ratio / ratio))).ratio
    return {
        document.id: [
            Span(s.start, s.end, match[s.label], 1.0 if s.probability is None else s.probability)
            for s in explored.spans(document, nearest)
            if s.label in match
        ]
        for document in documents
    }


def _join_spans(first: list[Span], second: list[Span]) -> list[Span]:
    """Return all spans of the first and those of the second that overlap none of them."""
    return sorted(
        [*first, *(s for s in second if all(s.end <= f.start or f.end <= s.start for f in first))],
        key=lambda s: s.start,
    )


def adapted_starter(
    documents: Sequence[Document], labels: Sequence[str], *, seed: int
) -> Adaptation | None:
    """Return the shipped model adapted to the documents; None where it knows none of the labels.

    Parameters
    ----------
    documents : sequence of Document
        The documents, with what rules found as their spans.
    labels : sequence of str
        The labels of the project.
    seed : int
        The seed of all randomness.

    """
    starter = packaged_starter()
    kinds = sorted({k for found in kinds_of(starter, labels).values() for k in found})
    if not kinds:
        return None
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    data = TokenData.of(tokens, vocabulary)
    adapted = adapt(starter, data, kinds, seed=seed)
    return heed_rules(adapted, data.with_places(rule_place(documents, tokens)))


def start_model(
    first: FirstProposals, labels: Sequence[str], rules: ChosenRules, *, seed: int
) -> tuple[CRFModel | None, str]:
    """Learn the model that learning starts from, with the rules as a feature."""
    if first.background:
        others, _ = read_background([read_documents(source) for source in first.background], labels)
        kind = "background"
    elif first.generated and "en" in (rules.rules.languages or ()):
        from ....data.samples import clinic_notes

        others, _ = read_background([read_documents(clinic_notes(300, seed=seed))], labels)
        kind = "generated"
    else:
        return None, "none"
    if not any(d.spans for d in others):
        return None, "none"
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in others], vocabulary)
    place, _, _ = rules.applied(rules.documents(others), tokens)
    data = TokenData.of(tokens, vocabulary).with_places(place)
    sensitive = (labels_from_spans(others, tokens, list(labels)) > 0).astype(np.uint8)
    return CRF(memory=False).fit(data, sensitive, seed=seed), kind
