"""The tokens of everything that is read, with their labels, features and what is redacted beforehand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....core.errors import DataError
from ....data.findings import with_findings
from ..reading.features import TokenData
from ..reading.features.words import WordKnowledge
from ..reading.given_words import words_of
from ..reading.labelled import Labelled
from ..reading.tokens import Tokens, Vocabulary, labels_from_spans, tokenize
from ..reading.word_lists import list_knowledge
from ..request import TextRequest
from ..rules import ChosenRules
from .sources import ReadSources

__all__ = ["CONTEXT", "label_tokens"]

CONTEXT = "CONTEXT"
"""The label of words that reveal a removed name."""


def label_tokens(request: TextRequest, sources: ReadSources, rules: ChosenRules | None) -> Labelled:
    """Cut the texts into tokens, look up what is known about words, and mark the sensitive ones."""
    every = [*sources.documents, *sources.others]
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in every], vocabulary)
    data = TokenData.of(tokens, vocabulary, _knowledge(request, sources))
    if request.findings is not None:
        data = data.redact(_found_elsewhere(request, sources, tokens))
    if rules is not None:
        place, firm, _ = rules.applied(rules.documents(every), tokens)
        firm[tokens.doc[len(sources.documents)] :] = False  # other corpora are learned from whole
        data = data.with_places(place).redact(firm)
    labelled = Labelled(
        data,
        labels_from_spans(every, tokens, request.labels),
        tuple(request.labels),
        np.arange(len(every)) < len(sources.documents),
    )
    return labelled if request.context_fdr is None else _with_context(labelled, request.context_fdr)


def _with_context(labelled: Labelled, level: float) -> Labelled:
    """Label the words that give a name of their document away as a separate label."""
    from ..attack.contextual import contextual_labels, find_associated_words

    if CONTEXT in labelled.names:
        raise DataError(f"The label {CONTEXT!r} is taken by what --context-fdr finds.")
    found = find_associated_words(
        labelled.data, labelled.sensitive, documents=labelled.own, level=level
    )
    kind = len(labelled.names) + 1
    labels = contextual_labels(labelled.data, labelled.labels, found, kind=kind)
    if not (labels == kind).any():
        return labelled
    return replace(labelled, labels=labels, names=(*labelled.names, CONTEXT))


def _knowledge(request: TextRequest, sources: ReadSources) -> list[WordKnowledge]:
    found = [
        list_knowledge(name, words_of(given)) for name, given in sorted(request.word_lists.items())
    ]
    if sources.texts:
        from ..reading.clusters import learn_clusters

        own = [d.text for d in (*sources.documents, *sources.others)]
        found.append(learn_clusters([*sources.texts, *own], seed=request.seed))
    return found


def _found_elsewhere(request: TextRequest, sources: ReadSources, tokens: Tokens) -> np.ndarray:
    """Return which tokens another tool found; they are redacted before anything is learned."""
    assert request.findings is not None
    given = [
        *with_findings(
            sources.documents,
            request.findings,
            min_score=request.min_score,
            labels=request.findings_labels,
        ),
        *(replace(d, spans=()) for d in sources.others),
    ]
    kinds = sorted({span.label for document in given for span in document.spans})
    return labels_from_spans(given, tokens, kinds) > 0
