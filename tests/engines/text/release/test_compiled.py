"""A compiled candidate decides as the candidate itself, whatever its rounds and stages."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import DataError
from sfumato.core.randomness import Streams
from sfumato.data.document import Document
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.learners.labels import LabelModel
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.features import _kernels as features_kernels
from sfumato.engines.text.reading.tokens import Vocabulary, tokenize
from sfumato.engines.text.reading.word_lists import WordList, list_knowledge
from sfumato.engines.text.redaction.compiled import CompiledCandidate, compile_candidate
from sfumato.engines.text.redaction.compiled._kernels import bin_of, nearby
from sfumato.engines.text.redaction.sanitiser import Sanitiser
from sfumato.engines.text.sanitize.classifiers import (
    Classifier,
    ClassifierSet,
    Stage,
    stage_features,
)

WORDS = "Dr. Ann Lee came to Ward 4 , said O'Brien . The report by Zoë\nis fine ( 12/03 ) , mr roy".split(
    " "
)


def texts(count, seed):
    random = Streams(seed).generator("texts")
    return [" ".join(random.choice(WORDS, size=int(random.integers(0, 40)))) for _ in range(count)]


def labelled(seed=1, count=30):
    vocabulary = Vocabulary()
    tokens = tokenize(texts(count, seed), vocabulary)
    data = TokenData.of(tokens, vocabulary)
    names = {"Ann", "Lee", "O'Brien", "Zoë", "roy"}
    kinds = np.array([w in names for w in vocabulary.words], np.uint8)
    # Some noise, so that scores are spread out.
    noise = Streams(seed).generator("noise").random(len(tokens)) < 0.15
    return data, (kinds[tokens.type] ^ noise).astype(np.uint8)


def candidates():
    data, labels = labelled()
    learner = CRF(epochs=2)
    first = learner.fit(data, labels)
    scores = first.scores(data)
    stack = learner.fit(stage_features(data, ((0, False),), [scores]), labels)
    both = ((0, True), (1, False))
    third = learner.fit(stage_features(data, both, [scores, scores]), labels)
    one = Classifier((Stage(first), Stage(stack, ((0, False),))), (0, 1), 1.0, "stack")
    left = data.redact(one.scores(data) >= 1.0)
    plain = learner.fit(left, labels)
    informed = learner.fit(stage_features(left, ((-1, True),), (), [scores]), labels)
    two = Classifier((Stage(plain), Stage(informed, ((-1, True),))), (1,), 0.2, "informed")
    three = Classifier((Stage(first), Stage(stack, ((0, False),)), Stage(third, both)), (2,), -0.5)
    moves = np.array([[1.0, -2.0], [-2.0, 0.5]])
    typing = LabelModel((first, learner.fit(data, 1 - labels)), moves)
    lists = {"deny": WordList.of(["ward 4", "report"]), "allow": WordList.of(["Lee"])}
    return [
        ClassifierSet(("NAME",), ()),
        ClassifierSet(("NAME",), (Classifier((Stage(first),), (0,), 0.0),)),
        ClassifierSet(("NAME",), (one,)),
        ClassifierSet(("NAME",), (one, two)),
        ClassifierSet(("NAME",), (three, two, two), **lists),
        ClassifierSet(("NAME", "OTHER"), (one, two), typing, **lists),
    ]


@pytest.fixture(scope="module", params=range(6))
def candidate(request):
    return candidates()[request.param]


def test_it_decides_the_same(candidate):
    quick = compile_candidate(candidate)
    assert isinstance(quick, CompiledCandidate)
    total = 0
    for seed in range(2, 8):
        data, _ = labelled(seed, 20)
        expected = candidate.decide(data)
        assert np.array_equal(quick.decide(data), expected)
        total += np.count_nonzero(expected)
        some = Streams(seed).generator("some").random(len(data)) < 0.1
        before = data.redact(some)
        assert np.array_equal(quick.decide(before), candidate.decide(before))
    assert total > 0 or not candidate.classifiers


def test_what_is_known_of_words_takes_part():
    known = (list_knowledge("given", ["ann", "zoë"]), list_knowledge("family", ["lee"]))
    vocabulary = Vocabulary()
    tokens = tokenize(texts(30, 1), vocabulary)
    data = TokenData.of(tokens, vocabulary, known)
    labels = np.array([w in {"Ann", "Lee"} for w in vocabulary.words], np.uint8)[tokens.type]
    model = CRF(epochs=2).fit(data, labels)
    candidate = ClassifierSet(("NAME",), (Classifier((Stage(model),), (0,), 0.0),), None, known)
    documents = [Document(str(i), text) for i, text in enumerate(texts(40, 5))]
    vocabulary = Vocabulary()
    whole = TokenData.of(tokenize([d.text for d in documents], vocabulary), vocabulary, known)
    kinds = candidate.decide(whole)
    assert np.array_equal(compile_candidate(candidate).decide(whole), kinds)
    sanitiser = Sanitiser(candidate)
    sanitiser.word_limit = 10
    done = [sanitiser([document]) for document in documents]  # the table grows, and starts anew
    words = whole.counted & (kinds > 0)
    assert sum(d.counts.redacted["NAME"] for d in done) == np.count_nonzero(words) > 0


def test_odd_batches(candidate):
    for documents in ([], [""], ["", "x", ""], ["Ann"], ["."] * 3):
        vocabulary = Vocabulary()
        data = TokenData.of(tokenize(documents, vocabulary), vocabulary)
        assert np.array_equal(compile_candidate(candidate).decide(data), candidate.decide(data))


def test_scores_are_those_of_the_stages():
    candidate = candidates()[3]
    data, _ = labelled(9)
    seen = []

    class Watching(CompiledCandidate):
        def _stages(self, batch, classifier, model, known):
            stages = CompiledCandidate._stages(batch, classifier, model, known)
            seen.append(stages)
            return stages

    Watching(candidate).decide(data)
    rounds, current = [], data
    for number, classifier in enumerate(candidate.classifiers):
        known = []
        for stage in classifier.stages:
            known.append(stage.model.scores(stage_features(current, stage.sees, known, rounds)))
        for expected, got in zip(known, seen[number], strict=True):
            assert np.array_equal(np.isinf(got), np.isinf(expected))
            live = np.isfinite(expected)
            assert np.allclose(got[live], expected[live], rtol=1e-12, atol=1e-12)
        rounds.append(classifier.scores(current, rounds))
        current = current.redact(rounds[-1] >= classifier.threshold)


def test_what_is_not_a_crf_stays_as_it_is():
    class Other:
        labels = ("NAME",)

    other = Other()
    assert compile_candidate(other) is other


def test_a_candidate_that_does_not_fit_together_is_not_compiled():
    stack = candidates()[2].classifiers[0].stages[1].model
    for sees in ((), ((0, True),), ((0, False), (0, False))):
        stages = (Stage(candidates()[1].classifiers[0].stages[0].model), Stage(stack, sees))
        odd = ClassifierSet(("NAME",), (Classifier(stages, (1,), 0.0),))
        assert compile_candidate(odd) is odd
        with pytest.raises(DataError):
            odd.decide(labelled(3)[0])
    odd = ClassifierSet(("A", "B"), (), LabelModel.of((stack, stack)))
    assert compile_candidate(odd) is odd


def test_a_sanitiser_compiles_its_candidate():
    candidate = candidates()[3]
    assert isinstance(Sanitiser(candidate).decider, CompiledCandidate)


@given(st.floats(allow_nan=False))
def test_bins_are_those_of_the_learners(score):
    assert bin_of(score) == features_kernels.bin_of.py_func(score)


@settings(max_examples=100)
@given(st.lists(st.lists(st.booleans(), max_size=8), max_size=4))
def test_nearby_marks_two_places_within_the_document(documents):
    found = np.array([f for document in documents for f in document], np.uint8)
    doc = np.cumsum([0, *map(len, documents)])
    todo = np.zeros(len(found), np.uint8)
    nearby(found, doc, todo)
    expected = [
        any(document[max(0, i - 2) : i + 3]) for document in documents for i in range(len(document))
    ]
    assert todo.astype(bool).tolist() == expected
