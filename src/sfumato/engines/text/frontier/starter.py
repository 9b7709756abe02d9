"""The starter in an exploration: one more model where documents are labelled, or alone where there are no labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ....core.dominance import mark_dominated
from ....core.errors import InputError
from ....data.document import Document
from ..exploration import TextExploration
from ..learners.crf import CRFModel
from ..learners.labels import LabelModel
from ..learners.protocol import Model, cost_threshold
from ..payload import Learned
from ..reading.arrays import Scores
from ..reading.features import TokenData
from ..reading.labelled import Labelled
from ..reading.tokens import Vocabulary, tokenize
from ..records import TextFrontier
from ..redaction.surrogates import DateReading
from ..request import RATIOS, TextRequest
from ..rules import FIRM, ChosenRules
from ..rules.features import RULE_PLACES, rule_place
from ..sanitize.classifiers import Classifier, ClassifierSet, Stage
from ..starter.adapted import Adaptation, adapt, kinds_of
from ..starter.agreement import heed_rules
from ..starter.weights import packaged_starter
from .building import unmeasured_candidate

__all__ = ["LABELS", "explore_without_labels", "starter_of"]

LABELS = ("NAME", "LOCATION", "ORGANIZATION", "DATE", "PHONE", "EMAIL", "ID", "AGE", "URL")
"""What a release without any label redacts: what the starter knows, and what rules know."""
_BETTER_KNOWN = ("NAME", "LOCATION", "ORGANIZATION")
_AXES = {
    "risk": "not measured: no document is labelled",
    "utility": "share of the words that is published",
}


def starter_of(
    request: TextRequest,
    labelled: Labelled,
    unlabelled: TokenData | None,
    progress: Callable[[str], None],
) -> tuple[Model, Scores] | None:
    """Return the starter, adapted to all texts without their labels, and its log-odds of the steward's tokens.

    Parameters
    ----------
    request : TextRequest
        The request; its labels name what is sensitive.
    labelled : Labelled
        The steward's tokens; what is redacted in them stays so.
    unlabelled : TokenData, optional
        The same tokens followed by those of unlabelled documents.
    progress : callable
        Called with a short note before each step.

    """
    starter = packaged_starter()
    kinds = sorted({k for found in kinds_of(starter, request.labels).values() for k in found})
    if not kinds:
        raise InputError(
            f"The starter knows none of the labels {', '.join(map(repr, request.labels))}.",
            hint=f"it knows {', '.join(starter.models)}; leave it out.",
        )
    progress("starter")
    own = labelled if labelled.own.all() else labelled.alone()
    adapted = adapt(
        starter, own.data if unlabelled is None else unlabelled, kinds, seed=request.seed
    )
    return adapted.model, adapted.best()[: len(own.data)]


def explore_without_labels(
    documents: Sequence[Document], *, ratios: Sequence[float] = tuple(RATIOS), seed: int = 0
) -> TextExploration:
    """Return candidates that nobody has labelled a word for: the starter and the rules redact.

    Their risk is not measured. Where the starter does not know the language, rules redact alone.

    Parameters
    ----------
    documents : sequence of Document
        What is to be published; the starter adapts to it.
    ratios : sequence of float
        The loss ratios L/C.
    seed : int, default 0
        The seed of all randomness.

    """
    starter = packaged_starter()
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    data = TokenData.of(tokens, vocabulary)
    known = kinds_of(starter, LABELS)
    adapted = adapt(starter, data, [k for kinds in known.values() for k in kinds], seed=seed)
    rules = ChosenRules.read(None, labels=LABELS, texts=(d.text for d in documents))
    adapted = heed_rules(adapted, data.with_places(rule_place(rules.documents(documents), tokens)))
    candidates, classifiers = [], {}
    words = int(np.count_nonzero(data.counted))
    for ratio in ratios:
        found = _classifiers(adapted, known, rules, ratio)
        kept = 1.0 - int(np.count_nonzero((found.decide(data) > 0) & data.counted)) / max(words, 1)
        candidates.append(unmeasured_candidate(f"r{ratio:g}", ratio, kept))
        classifiers[candidates[-1].id] = found
    marked, area = mark_dominated(candidates)
    record = TextFrontier(
        engine="text",
        seed=seed,
        axes=_AXES,
        area=area,
        evaluations=len(candidates),
        candidates=marked,
        mode="starter",
        learner="starter" if adapted.speaks else "rules",
        labels=LABELS,
        folds=0,
        folds_dealt=0,
        documents=len(documents),
        words=words,
        sensitive_words=0,
        rules=True,
        starter=adapted.record(),
    )
    reading = DateReading.learned([d.text for d in documents], default=False)
    learned = Learned(LABELS, {}, None, reading, np.zeros(0, np.uint64), 0)
    return TextExploration(record, classifiers, learned)


def _classifiers(
    adapted: Adaptation, known: Mapping[str, Sequence[str]], rules: ChosenRules, ratio: float
) -> ClassifierSet:
    """Return what redacts at a ratio: a rule from the chance on that the ratio asks for, and the starter.

    For kinds that the starter knows better only firm rules redact; what weaker ones match tells it more.
    """
    least = 1.0 / (1.0 + ratio)
    if not adapted.speaks:
        return ClassifierSet(LABELS, (), rules=replace(rules, firm=least, is_feature=False))
    chosen = replace(rules, firm=least, firm_by_label=dict.fromkeys(_BETTER_KNOWN, FIRM))
    typing = tuple(
        adapted.model.only(known[label]) if label in known else _never() for label in LABELS
    )
    stage = Stage(adapted.model)
    classifier = Classifier((stage,), (0,), cost_threshold(ratio), "starter")
    return ClassifierSet(LABELS, (classifier,), LabelModel.of(typing), rules=chosen)


def _never() -> CRFModel:
    """Return a model that finds nothing."""
    none = np.zeros(0, np.uint64), np.zeros(0, np.float32)
    places = np.repeat(np.array([-20.0, 0.0], np.float32), [4, RULE_PLACES])
    return CRFModel(*none, *none, places, (4, RULE_PLACES), np.zeros((2, 2)))
