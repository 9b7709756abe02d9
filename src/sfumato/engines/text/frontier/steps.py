"""Exploring, step by step: read the documents, label their tokens, fit the classifiers, judge them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ....core.randomness import Streams
from ....core.threads import on_threads, side_by_side
from ..attack.registry import find_attackers, find_encoder
from ..exploration import TextExploration
from ..learners.folds import deal, out_of_fold
from ..learners.protocol import Learner, Model, cost_threshold
from ..learners.registry import find_learner
from ..learners.sklearn_adapter import scikit_learner
from ..payload import HeldOut, Learned
from ..reading.arrays import Scores
from ..reading.features import TokenData
from ..reading.given_words import words_of
from ..reading.labelled import Labelled, total_loss
from ..reading.tokens import Vocabulary, labels_from_spans, tokenize
from ..reading.word_lists import WordList
from ..records import TextCandidate, TextReference
from ..request import TextRequest
from ..rules import FIRM, NEVER_FIRM, ChosenRules
from ..sanitize.classifiers import ClassifierSet
from ..sanitize.greedy import GreedySanitize
from ..sanitize.publication import RatioPublication
from ..shift import ShiftReference
from .building import build_exploration, remember, streams_of, unmeasured_candidate
from .detectors import detector_of
from .encoders import append_unlabelled_texts, encoder_of, encoder_record
from .judge import Judge, candidate_id
from .labels import label_tokens
from .sources import ReadSources, read_sources
from .starter import starter_of

if TYPE_CHECKING:
    from ..learners.pretrained import PretrainedEncoder

__all__ = ["explore"]

AXES = {
    "risk": "share of the sensitive words that is left (an attacker who reads everything)",
    "utility": "share of the words that is published",
}


def explore(request: TextRequest, progress: Callable[[str], None]) -> TextExploration:
    """Choose classifiers for each ratio L/C and judge them on documents they have not seen.

    Parameters
    ----------
    request : TextRequest
        What is explored, and how.
    progress : callable
        Called with a short note before each step.

    """
    sources = read_sources(request)
    request = request.model_copy(update={"labels": list(sources.labels)})
    rules = _rules(request, sources)
    labelled = label_tokens(request, sources, rules)
    if not labelled.labels.any() and request.rules is not None:
        assert rules is not None
        return _rules_alone(request, sources, labelled, rules)
    unlabelled = append_unlabelled_texts(sources.documents, sources.texts, labelled, rules)
    with on_threads(request.threads):
        fitted = _fit(request, labelled, progress, unlabelled)
        return _judge(request, sources, labelled, fitted, progress, rules)


def _rules(request: TextRequest, sources: ReadSources) -> ChosenRules | None:
    """Return the rules of a run; with a starter they are a feature also where none were asked for."""
    with_starter = request.starter and request.mode == "honest"
    if request.rules is None and not with_starter:
        return None
    firm = FIRM if request.rules is not None else NEVER_FIRM
    texts = (document.text for document in sources.documents)
    return ChosenRules.read(request.rules, labels=request.labels, texts=texts, firm=firm)


# --- fit -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _FittedRatios:
    """The classifiers of every ratio, and what the literal algorithm says of itself."""

    publisher: GreedySanitize
    published: Mapping[float, RatioPublication]
    in_sample: Mapping[float, float]
    literal: Mapping[float, np.ndarray]


def _fit(
    request: TextRequest,
    labelled: Labelled,
    progress: Callable[[str], None],
    unlabelled: TokenData | None,
) -> _FittedRatios:
    """Run GreedySanitize; in honest mode the literal algorithm is run, too, as a reference."""
    ratios = [float(ratio) for ratio in request.ratios]
    encoder = encoder_of(request)
    starter = None
    if request.starter and request.mode == "honest":
        starter = starter_of(request, labelled, unlabelled, progress)
    publisher = _publisher(
        request, labelled, request.mode, progress, encoder=encoder,
        unlabelled=unlabelled if encoder else None, starter=starter,
        detector=detector_of(request, labelled, progress),
    )  # fmt: skip
    published = publisher.fit(labelled, ratios)
    if request.mode == "honest":
        literal = _publisher(request, labelled, "paper", progress).held_out(labelled, ratios)
        return _FittedRatios(publisher, published, {}, literal)
    if np.count_nonzero(labelled.own) < 2:
        return _FittedRatios(publisher, published, {}, {})
    in_sample = {ratio: p.total_loss for ratio, p in published.items()}
    return _FittedRatios(publisher, _held_out(publisher, labelled, published), in_sample, {})


def _publisher(
    request: TextRequest,
    labelled: Labelled,
    mode: str,
    progress: Callable[[str], None],
    *,
    encoder: PretrainedEncoder | None = None,
    unlabelled: TokenData | None = None,
    starter: tuple[Model, Scores] | None = None,
    detector: tuple[Model, Scores] | None = None,
) -> GreedySanitize:
    documents = int(np.count_nonzero(labelled.own))
    return GreedySanitize(
        _learner(request.learner, mode),
        mode=mode,
        folds=min(request.folds, max(2, documents)),
        weights=request.weights,
        deny=WordList.of(words_of(request.deny), strict=False),
        allow=WordList.of(words_of(request.allow)),
        seed=request.seed,
        progress=progress,
        encoder=encoder,
        unlabelled=unlabelled,
        starter=starter,
        detector=detector,
    )


def _learner(learner: object, mode: str) -> Learner:
    """Return a learner by name, in the papers' form for their mode.

    A learner that is an object is used as it is; a scikit-learn classifier is taken as one.
    """
    if isinstance(learner, Learner):
        return learner
    if not isinstance(learner, str):
        return scikit_learner(learner)
    named = find_learner(learner)
    return named.literal() if mode == "paper" else named


def _held_out(
    publisher: GreedySanitize, labelled: Labelled, published: Mapping[float, RatioPublication]
) -> dict[float, RatioPublication]:
    """Put held-out decisions and totals in place of the literal algorithm's own, in-sample ones."""
    redacted = publisher.held_out(labelled, list(published))
    weights = publisher.settings.weights
    return {
        ratio: replace(
            publication,
            redacted=redacted[ratio],
            total_loss=total_loss(
                labelled.losses(ratio, weights), labelled.instances, redacted[ratio]
            ),
            held_out=True,
        )
        for ratio, publication in published.items()
    }


# --- judge ---------------------------------------------------------------------------------------


def _judge(
    request: TextRequest,
    sources: ReadSources,
    labelled: Labelled,
    fitted: _FittedRatios,
    progress: Callable[[str], None],
    rules: ChosenRules | None,
) -> TextExploration:
    """Count what each candidate leaves and removes, attack it, and add the references."""
    publisher = fitted.publisher
    encoder = publisher.settings.encoder
    judge = Judge(
        labelled,
        weights=publisher.settings.weights,
        attackers=find_attackers(request.attackers, starter=request.starter),
        budgets=request.budgets,
        streams=Streams(request.seed),
        progress=progress,
        encoder=find_encoder(request.attackers, request.encoder, tuning=request.encoder_tuning),
    )
    every = {candidate_id(p): p for p in (*fitted.published.values(), *publisher.alternatives)}

    def remember() -> Learned:
        progress("what the documents look like")
        held_out = {name: judge.held_out(p) for name, p in every.items()}
        return _remember(request, sources, labelled, held_out)

    work: list[Callable[[], TextCandidate | TextReference | Learned]] = [
        remember,  # first, because it takes longest
        *(
            partial(judge.candidate, p.ratio, p, in_sample=fitted.in_sample.get(p.ratio))
            for p in every.values()
        ),
        *judge.literal(fitted.published, fitted.literal),
    ]
    done = side_by_side(work)
    references: list[TextReference] = []
    if publisher.first_pass is not None:
        references.append(judge.reference("One plain pass", publisher.first_pass >= 0))
    if publisher.settings.detector is not None:
        scores = publisher.settings.detector[1]
        found = np.zeros(len(labelled.data), np.bool_)
        found[: len(scores)] = scores >= 0
        references.append(judge.reference("The detector alone", found))
    if request.findings is not None:
        elsewhere = labelled.data.redacted
        references.append(judge.reference("Findings of the other tool", elsewhere))
        alone = _pass_without_findings(publisher, labelled)
        references.append(judge.reference("One plain pass without the findings", alone >= 0))
        references += [
            judge.reference(
                f"One pass without the findings at ratio {ratio:g}", alone >= cost_threshold(ratio)
            )
            for ratio in request.ratios
        ]
    references += [d for d in done if isinstance(d, TextReference)]
    (learned,) = (d for d in done if isinstance(d, Learned))
    return build_exploration(
        request,
        sources,
        [d for d in done if isinstance(d, TextCandidate)],
        {name: replace(p.classifiers, rules=rules) for name, p in every.items()},
        learned,
        axes=AXES,
        about={
            **_counts(request, labelled),
            "rules": request.rules is not None,
            "evaluations": sum(len(p.rounds) for p in every.values()),
            "references": tuple(references),
            "encoder": None if encoder is None else encoder_record(encoder),
            "learner": publisher.learner.name,
            "folds": publisher.settings.folds,
            "folds_dealt": publisher.folds_used or publisher.settings.folds,
        },
    )


def _pass_without_findings(publisher: GreedySanitize, labelled: Labelled) -> Scores:
    """Score by one pass out of fold that knows nothing of the findings: what we would do alone."""
    settings, own = publisher.settings, labelled.alone()
    data = replace(own.data, redacted=np.zeros(len(own.data), np.bool_), shared={})
    random = settings.streams.generator("without findings")
    fold = deal(np.arange(data.documents), settings.folds, random, of=data.documents)
    scores = np.full(len(labelled.data), -np.inf)
    scores[: len(data)] = out_of_fold(settings.learner, data, own.sensitive, fold)
    return scores


def _counts(request: TextRequest, labelled: Labelled) -> dict[str, int]:
    """Return how many words the record counts, by the names of its fields."""
    words, labels = labelled.instances, labelled.labels
    return {
        "words": int(np.count_nonzero(words)),
        "sensitive_words": int(np.count_nonzero(words & (labels > 0))),
        "contextual_words": int(np.count_nonzero(words & (labels > len(request.labels)))),
    }


def _remember(
    request: TextRequest,
    sources: ReadSources,
    labelled: Labelled,
    held_out: Mapping[str, HeldOut],
) -> Learned:
    """Keep of the documents what a later release is held against."""
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in sources.documents], vocabulary)
    data = TokenData.of(tokens, vocabulary, labelled.data.words.knowledge)
    sensitive = labels_from_spans(sources.documents, tokens, request.labels) > 0
    shift = ShiftReference.learn(
        data, sensitive.astype(np.uint8), vocabulary.words, streams=streams_of(request.seed)
    )
    return remember(sources.documents, request.labels, request.seed, held_out=held_out, shift=shift)


def _rules_alone(
    request: TextRequest, sources: ReadSources, labelled: Labelled, rules: ChosenRules
) -> TextExploration:
    """Return the one candidate that rules can publish: nobody has looked, so its risk is not known."""
    firm = labelled.data.redacted & labelled.instances
    words = int(np.count_nonzero(labelled.instances))
    kept = 1.0 - int(np.count_nonzero(firm)) / max(words, 1)
    candidate = unmeasured_candidate("rules", 1.0, kept)
    alone = ClassifierSet(tuple(request.labels), (), rules=replace(rules, is_feature=False))
    return build_exploration(
        request,
        sources,
        [candidate],
        {"rules": alone},
        remember(sources.documents, request.labels, request.seed),
        axes=AXES,
        about={**_counts(request, labelled), "rules": True},
    )
