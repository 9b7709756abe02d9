"""The text engine's front door: labelled documents in, a frontier of candidate releases out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...core.errors import DataError, ParameterError
from ...core.exploration import InputFile
from ...core.randomness import Streams
from ...data.documents import Corpus, read_documents
from ...data.findings import with_findings
from .exploration import TextExploration
from .judging import Judge
from .learners.protocol import Learner
from .learners.registry import learner_named
from .reading.background import matching_labels, relabelled
from .reading.features import TokenData
from .reading.labelled import Labelled, total_loss
from .reading.tokens import Vocabulary, labels_from_spans, tokenize
from .reading.word_lists import WordList, list_knowledge
from .sanitize.greedy import GreedySanitize
from .sanitize.publication import Publication

__all__ = ["RATIOS", "explore"]

RATIOS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0)


def explore(
    corpus: Any,
    *,
    labels: Sequence[str] | str,
    background: Sequence[Any] = (),
    unlabelled: Sequence[Any] = (),
    findings: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    ratios: Sequence[float] = RATIOS,
    folds: int = 4,
    learner: str | Learner = "crf",
    mode: str = "honest",
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
    deny: Iterable[str] = (),
    allow: Iterable[str] = (),
    word_lists: Mapping[str, Iterable[str]] | None = None,
    attackers: Sequence[Learner] | None = (),
    budgets: Sequence[int] = (10, 100, 1000),
    progress: Callable[[str], None] | None = None,
) -> TextExploration:
    """Choose classifiers for each ratio L/C and judge them on documents they have not seen.

    `corpus` and the corpora of `background` are labelled documents (a path, a frame, a list of
    `Document`); `unlabelled` are texts of the same kind as the corpus. `findings` of another tool are
    redacted before anything is learned. `weights` multiplies L for some labels. `deny` words are
    always redacted, `allow` words never, and each of `word_lists` is a feature. `attackers` attack
    each candidate (None: all that there are; (): none). In honest mode the literal algorithm is judged
    beside it, as a reference.
    """
    started = time.perf_counter()
    wanted = (labels,) if isinstance(labels, str) else tuple(labels)
    if not wanted or len(set(wanted)) != len(wanted):
        raise ParameterError.constraint("labels", "explore", "one or more different names", labels)
    for name in weights or {}:
        if name not in wanted:
            raise ParameterError(f"There is a weight for {name!r}, which is none of the labels.")
    own = read_documents(corpus)
    documents = [document.checked() for document in own]
    known = {span.label for document in documents for span in document.spans}
    missing = [name for name in wanted if name not in known]
    if missing:
        raise DataError(
            f"No document of the corpus carries the label {', '.join(map(repr, missing))}.",
            hint=f"its labels are: {', '.join(sorted(known)) or 'none at all'}.",
        )
    others, described = [], []
    for source in background:
        read = read_documents(source)
        found = list(read)
        match = matching_labels({s.label for d in found for s in d.spans}, wanted)
        described.append({"documents": len(found), "labels_matched": len(match)})
        if match:
            others += relabelled(found, match)
    texts = [d.text for source in unlabelled for d in read_documents(source)]
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in (*documents, *others)], vocabulary)
    knowledge = [list_knowledge(name, words) for name, words in sorted((word_lists or {}).items())]
    if texts:
        from .reading.clusters import learn_clusters

        every = [*texts, *(d.text for d in documents), *(d.text for d in others)]
        knowledge.append(learn_clusters(every, seed=seed))
    data = TokenData.of(tokens, vocabulary, knowledge)
    if findings is not None:
        given = [*with_findings(documents, findings), *(replace(d, spans=()) for d in others)]
        kinds = sorted({span.label for document in given for span in document.spans})
        data = data.redact(labels_from_spans(given, tokens, kinds) > 0)
    labelled = Labelled(
        data,
        labels_from_spans([*documents, *others], tokens, wanted),
        wanted,
        np.arange(len(documents) + len(others)) < len(documents),
    )

    def publisher_in(mode: str) -> GreedySanitize:
        return GreedySanitize(
            _learner(learner),
            mode=mode,
            folds=min(folds, max(2, len(documents))),
            weights=weights,
            deny=WordList.of(deny),
            allow=WordList.of(allow),
            seed=seed,
            progress=progress,
        )

    publisher = publisher_in(mode)
    wishes = [float(ratio) for ratio in ratios]
    published = publisher.fit(labelled, wishes)
    in_sample: dict[float, float] = {}
    if mode == "paper" and len(documents) > 1:
        in_sample = {ratio: p.total_loss for ratio, p in published.items()}
        published = _judged_out_of_fold(publisher, labelled, published)
    inputs = _inputs(own, len(documents))
    for source in (*background, *unlabelled):
        read = read_documents(source)
        inputs += _inputs(read, sum(1 for _ in read))
    exploration = TextExploration(seed=seed, inputs=inputs)
    judge = Judge(
        labelled, weights=publisher.settings.weights, attackers=attackers, budgets=budgets,
        streams=Streams(seed), progress=progress,
    )  # fmt: skip
    for ratio, publication in published.items():
        exploration.add_with(
            judge.candidate(ratio, publication, in_sample=in_sample.get(ratio)),
            publication.classifiers,
        )
    if publisher.first_pass is not None:
        exploration.references.append(judge.reference("One plain pass", publisher.first_pass >= 0))
    if mode == "honest":
        literal = publisher_in("paper").held_out(labelled, wishes)
        exploration.references += judge.literal(published, literal)
    exploration.evaluations = sum(len(p.rounds) for p in published.values())
    exploration.extra = {
        "mode": mode,
        "learner": publisher.learner.name,
        "labels": list(wanted),
        "folds": publisher.settings.folds,
        "folds_dealt": publisher.folds_used or publisher.settings.folds,
        "background": described,
        "unlabelled_documents": len(texts),
        "documents": len(documents),
        "words": int(np.count_nonzero(labelled.instances)),
        "sensitive_words": int(np.count_nonzero(labelled.instances & (labelled.labels > 0))),
    }
    exploration.seconds = time.perf_counter() - started
    return exploration


def _judged_out_of_fold(
    publisher: GreedySanitize, labelled: Labelled, published: Mapping[float, Publication]
) -> dict[float, Publication]:
    """Put held-out decisions and totals in place of the literal algorithm's own, in-sample ones."""
    redacted = publisher.held_out(labelled, list(published))
    return {
        ratio: replace(
            publication,
            redacted=redacted[ratio],
            total_loss=total_loss(
                labelled.losses(ratio, publisher.settings.weights),
                labelled.instances,
                redacted[ratio],
            ),
            held_out=True,
        )
        for ratio, publication in published.items()
    }


def _learner(learner: str | Learner) -> Learner | None:
    """Give a learner by name; the CRF has a form for each mode, which the publisher knows."""
    if learner == "crf":
        return None
    return learner_named(learner) if isinstance(learner, str) else learner


def _inputs(corpus: Corpus, rows: int) -> list[InputFile]:
    return [InputFile.of(path, rows) for path in corpus.paths if path.is_file()]
