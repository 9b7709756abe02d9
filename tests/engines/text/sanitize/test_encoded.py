"""The encoder in the honest search: it competes, looks again, teaches, and is only heard out of fold."""

import numpy as np
import pytest

from sfumato.core.errors import ModelError
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.learners.pretrained import Schedule
from sfumato.engines.text.learners.protocol import Model
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.labelled import Labelled
from sfumato.engines.text.reading.tokens import Vocabulary, tokenize
from sfumato.engines.text.sanitize.classifiers import Classifier, ClassifierSet, Stage
from sfumato.engines.text.sanitize.cross_fit import CrossFitSearch
from sfumato.engines.text.sanitize.greedy import GreedySanitize
from sfumato.engines.text.sanitize.stacking.second_look import (
    SHARE,
    SecondPass,
    fit_second_pass,
    look_again,
    passages,
)

RATIO = 10.0


def texts(count, seed):
    """Whether Lee is a name depends on the first word of the document: too far away for a CRF.

    Lee stands in one part of a document, so that the passages around it are few of the words.
    """
    random = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        words = list(random.choice(["the", "we", "saw", "old", "blue", "and"], 200))
        at = int(random.integers(40, 150))
        for place in (at, at + 5, at + 10):
            words[place] = "Lee"
        words[0] = "people" if random.random() < 0.5 else "rivers"
        found.append(" ".join(words))
    return found


def tokens_of(written):
    vocabulary = Vocabulary()
    return TokenData.of(tokenize(written, vocabulary), vocabulary)


def words_of(data):
    text = data.tokens.text.tobytes()
    return np.array(
        [text[a:b].decode() for a, b in zip(data.tokens.start, data.tokens.end, strict=True)]
    )


def truth_of(data):
    words = words_of(data)
    about_people = (words == "people")[data.tokens.doc[:-1]]
    return (words == "Lee") & about_people[data.document_of]


class FarReader(Model):
    """Reads the first word of a document; stands for an encoder, and knows whom it learned from."""

    kind = "far reader"
    reads_passages = True

    def __init__(self, learned):
        self.learned = learned
        self.read = 0

    def scores(self, data, *, documents=None):
        scores = np.where(truth_of(data), 5.0, -7.0)
        if documents is not None:
            scores[~documents[data.document_of]] = -np.inf
        return scores

    def scores_in(self, data, where):
        self.read += int(where.sum())
        return np.where(where, self.scores(data), -np.inf)

    def to_arrays(self):
        raise NotImplementedError


class FarLearner:
    name = "encoder"

    def __init__(self):
        self.fitted = []

    def simpler(self):
        return None

    def device(self):
        return "gpu"  # so that it is judged under several seeds

    @property
    def planned(self):
        return Schedule()

    def scheduled(self, schedule):
        return self

    def warm_start(self, model):
        return self

    def prepare(self, data, passages=None):
        assert passages is None or passages.shape == (len(data),)

    def fit(self, data, labels, *, documents=None, cost_ratio=1.0, seed=0):
        chosen = np.ones(data.documents, bool) if documents is None else documents
        self.fitted.append(chosen)
        return FarReader(chosen)


class DeepLearner(FarLearner):
    """Stands for an encoder that tunes all layers, beside which one that tunes less must compete."""

    tuned = "all"

    def simpler(self):
        return FarLearner()


@pytest.fixture(scope="module")
def played():
    written = texts(40, 0)
    data = tokens_of(written)
    labels = truth_of(data).astype(np.int16)
    labelled = Labelled(data, labels, ("NAME",), np.ones(40, bool))
    encoder = FarLearner()
    publisher = GreedySanitize(encoder=encoder, unlabelled=tokens_of([*written, *texts(20, 1)]))
    return publisher, publisher.fit(labelled, (RATIO,))[RATIO], encoder


def test_an_encoder_that_reads_farther_wins(played):
    _, best, _ = played
    assert "encoder" in best.rounds[0].form
    assert best.total_loss == 0
    assert best.encoder_reads == 1.0
    new = tokens_of(texts(10, 7))
    assert np.array_equal(best.classifiers.redactions(new) > 0, truth_of(new))
    assert GreedySanitize().settings.encoder is None


def test_every_document_is_scored_by_an_encoder_that_has_not_seen_it(played):
    _, _, encoder = played
    folds, whole = encoder.fitted[:-1], encoder.fitted[-1]
    assert len(folds) == 8  # four under each of two seeds
    held = np.stack([~learned for learned in folds])
    assert (held[:4].sum(axis=0) == 1).all()
    assert (held[4:].sum(axis=0) == 1).all()
    assert not any(np.array_equal(a, b) for a in held[:4] for b in held[4:])
    assert whole.all()


def test_the_loss_under_each_seed_is_recorded_and_the_worse_of_two_is_promised(played):
    _, best, _ = played
    by_seed = best.rounds[0].by_seed
    assert len(by_seed) == len(best.redacted_by_seed) == 2
    assert best.rounds[0].total_loss == max(by_seed)
    assert best.rounds[0].to_json()["total_loss_by_seed"] == list(by_seed)


def test_faster_ways_stand_beside_the_best_form(played):
    publisher, best, _ = played
    ways = {p.way: p for p in publisher.alternatives}
    assert set(ways) == {"linear", "second look", "student"}
    assert ways["linear"].total_loss > best.total_loss
    assert ways["linear"].encoder_reads == ways["student"].encoder_reads == 0.0
    assert 0 < ways["second look"].encoder_reads <= 0.25
    assert ways["second look"].total_loss < ways["linear"].total_loss
    for way in ("linear", "student"):
        for classifier in ways[way].classifiers.classifiers:
            assert all(stage.model.kind == "crf" for stage in classifier.stages)


@pytest.mark.parametrize("background", [False, True])
def test_who_speaks_for_the_forms_of_an_encoder(background):
    data = tokens_of(texts(24, 0))
    own = np.arange(24) < (16 if background else 24)
    labelled = Labelled(data, truth_of(data).astype(np.int16), ("NAME",), own)
    settings = GreedySanitize(encoder=DeepLearner()).settings
    search = CrossFitSearch(settings, labelled, np.zeros(len(data), np.bool_))
    search.run((RATIO,))
    preferred = {form.effort: form for form in search.first.forms if form.preferred}
    assert preferred[0].name == "CRF + encoder + CRF that sees it"
    if background:
        assert preferred[1].name == "encoder + CRF that sees it, all layers"
        stages = search.first.stages
        assert all(stages[v].by_encoder or stages[v].sees for v in preferred[1].members)
    else:
        assert preferred[1].name == "CRF + encoder + CRF that sees it, all layers"


def test_a_second_look_reads_only_its_passages(played):
    publisher, _, _ = played
    look = next(p for p in publisher.alternatives if p.way == "second look")
    new = tokens_of(texts(10, 8))
    assert look.rounds[0].form == "second look"
    first = look.classifiers.classifiers[0]
    stage = next(s for s in first.stages if s.look is not None)
    before = stage.model.read
    first.scores(new)
    assert 0 < stage.model.read - before < len(new)


def plain_passages(data, scores, look):
    where = np.zeros(len(data), bool)
    for i in range(len(data)):
        if data.counted[i] and look.low <= scores[i] <= look.high:
            for j in range(len(data)):
                same = data.document_of[i] == data.document_of[j]
                where[j] |= same and abs(i - j) <= look.reach
    return where


@pytest.mark.parametrize("reach", [0, 1, 4])
def test_passages_against_a_plain_count(reach):
    random = np.random.default_rng(reach)
    data = tokens_of(["a b , c d e", "", "f g h . i j k l m", "n"])
    for _ in range(20):
        scores = random.normal(-2, 2, len(data))
        look = SecondPass((0,), -2.5, -1.5, reach)
        assert np.array_equal(passages(data, scores, look), plain_passages(data, scores, look))


def test_the_band_is_the_widest_that_reads_at_most_a_share():
    data = tokens_of(texts(12, 3))
    scores = np.random.default_rng(0).normal(-6, 2, len(data))

    def share(look):
        return (passages(data, scores, look) & data.counted).sum() / data.counted.sum()

    look = fit_second_pass(data, scores, (0,), centre=-2.0)
    assert share(look) <= SHARE < 0.25
    wider = SecondPass((0,), look.low - 0.1, look.high + 0.1)
    assert share(wider) > SHARE
    every = fit_second_pass(data, np.full(len(data), -50.0), (0,), centre=-2.0)
    assert every.high - every.low == 12.0


def test_elsewhere_the_first_answer_stands():
    data = tokens_of(texts(2, 4))
    first = np.full(len(data), -9.0)
    first[7] = -2.0
    look = SecondPass((0,), -3.0, -1.0, 2)
    answers = look_again(FarReader(None), data, first, look)
    assert np.array_equal(answers[5:10], FarReader(None).scores(data)[5:10])
    assert (answers[:5] == -9).all()
    assert (answers[10:] == -9).all()
    with pytest.raises(ModelError, match="passages"):
        look_again(CRF().fit(data, truth_of(data).astype(np.uint8)), data, first, look)


def test_a_stored_look_is_checked():
    data = tokens_of(texts(6, 5))
    crf = CRF().fit(data, truth_of(data).astype(np.uint8))
    plain = ClassifierSet(("NAME",), (Classifier((Stage(crf), Stage(crf)), (0, 1), 0.0),))
    header, arrays = plain.to_arrays()
    stage = header["classifiers"][0]["stages"][1]
    # A CRF cannot read passages, whatever a file says.
    stage["look"] = {"sources": [0], "low": -3.0, "high": 1.0, "reach": 12}
    with pytest.raises(ModelError):
        ClassifierSet.from_arrays(header, arrays)
    for wrong in ({"sources": [1]}, {"sources": []}, {"low": 2.0}, {"reach": -1}, {"high": None}):
        stage["look"] = {"sources": [0], "low": -3.0, "high": 1.0, "reach": 12, **wrong}
        with pytest.raises(ModelError):
            ClassifierSet.from_arrays(header, arrays)
