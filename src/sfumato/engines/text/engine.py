"""The text engine's front door: labelled documents in, a frontier of candidate releases out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core.errors import DataError, ParameterError
from ...core.exploration import Candidate, InputFile, Reference
from ...core.measures import Risk, Utility
from ...core.randomness import Streams
from ...data.documents import Corpus, read_documents
from ...data.findings import with_findings
from .background import matching_labels, relabelled
from .exploration import TextExploration
from .features import TokenData
from .labelled import Labelled, Publication, total_loss
from .learners.protocol import Learner, Model
from .learners.registry import learner_named
from .publisher import GreedySanitize
from .tokens import Vocabulary, labels_from_spans, tokenize
from .word_lists import WordList, list_knowledge

__all__ = ["RATIOS", "explore"]

RATIOS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
_REPLICATES = 1000


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
    each candidate (None: all that there are; (): none).
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
        from .clusters import learn_clusters

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
    publisher = GreedySanitize(
        _learner(learner),
        mode=mode,
        folds=min(folds, max(2, len(documents))),
        weights=weights,
        deny=WordList.of(deny),
        allow=WordList.of(allow),
        seed=seed,
        progress=progress,
    )
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
    judge = _Judge(labelled, Streams(seed).generator("bootstrap"))
    for ratio, publication in published.items():
        exploration.add_with(
            judge.candidate(
                ratio,
                publication,
                in_sample=in_sample.get(ratio),
                attackers=attackers,
                budgets=budgets,
                streams=Streams(seed),
                progress=progress,
            ),
            publication.classifiers,
        )
    if publisher.first_pass is not None:
        exploration.references.append(judge.reference("One plain pass", publisher.first_pass >= 0))
    exploration.evaluations = sum(len(p.rounds) for p in published.values())
    exploration.extra = {
        "mode": mode,
        "learner": publisher.learner.name,
        "labels": list(wanted),
        "folds": publisher.folds_used or publisher.folds,
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
                labelled.losses(ratio, publisher.weights), labelled.instances, redacted[ratio]
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


class _Judge:
    """Counts what a decision leaves and removes, by document, and resamples documents."""

    def __init__(self, labelled: Labelled, random: np.random.Generator) -> None:
        self.labelled = labelled
        self.known: dict[str, Model] = {}  # attackers' models that do not depend on the release
        self.words = labelled.instances
        self.sensitive = self.words & (labelled.labels > 0)
        documents = np.flatnonzero(labelled.own)
        self.where = labelled.data.document_of
        self.documents = len(documents)
        self.samples = random.multinomial(
            self.documents, np.full(self.documents, 1 / self.documents), _REPLICATES
        )

    def share(
        self, part: npt.NDArray[np.bool_], whole: npt.NDArray[np.bool_]
    ) -> tuple[float, float, float]:
        """Give the share of a part in a whole, with the 2.5 and 97.5 % points over documents."""
        above = np.bincount(self.where[part], minlength=self.documents)[: self.documents]
        below = np.bincount(self.where[whole], minlength=self.documents)[: self.documents]
        value = above.sum() / max(below.sum(), 1)
        drawn = (self.samples @ above) / np.maximum(self.samples @ below, 1)
        low, high = np.quantile(drawn, [0.025, 0.975])
        return float(value), float(low), float(high)

    def measures(self, redacted: npt.NDArray[np.bool_]) -> tuple[Risk, Utility]:
        how = "bootstrap over documents"
        risk, low, high = self.share(self.sensitive & ~redacted, self.sensitive)
        kept, least, most = self.share(self.words & ~redacted, self.words)
        return (
            Risk(risk, attacker="reads every published word").with_interval(low, high, method=how),
            Utility(kept, kept="words published").with_interval(least, most, method=how),
        )

    def reference(self, name: str, redacted: npt.NDArray[np.bool_]) -> Reference:
        risk, utility = self.measures(redacted)
        return Reference(name, risk.value, utility.value)

    def candidate(
        self,
        ratio: float,
        publication: Publication,
        *,
        in_sample: float | None,
        attackers: Sequence[Learner] | None,
        budgets: Sequence[int],
        streams: Streams,
        progress: Callable[[str], None] | None,
    ) -> Candidate:
        redacted = publication.redacted
        risk, utility = self.measures(redacted)
        leaked = int(np.count_nonzero(self.sensitive & ~redacted))
        wrong = int(np.count_nonzero(self.words & ~self.sensitive & redacted))
        details: dict[str, Any] = {
            "ratio": ratio,
            "rounds": len(publication.classifiers.classifiers),
            "published": utility.value,
            "leaked": leaked,
            "false_positives": wrong,
            "total_loss": publication.total_loss,
            "held_out": publication.held_out,
            "record": [r.to_json() for r in publication.rounds],
        }
        if in_sample is not None:  # what the literal algorithm believes of itself
            details["total_loss_in_sample"] = in_sample
        if attackers is None or len(attackers):
            from .attacked import attacked

            details |= attacked(
                self.labelled,
                publication,
                learners=attackers,
                budgets=budgets,
                streams=streams.child(f"attack {ratio:g}"),
                known=self.known,
                progress=progress,
            )
        return Candidate(f"r{ratio:g}", risk, utility, details)
