"""The encoder from end to end: explored, saved, loaded, published, attacked; a tiny one, from files."""

import json

import numpy as np
import pytest

from sfumato.core.errors import InputError, ParameterError
from sfumato.data.document import Document, Span
from sfumato.engines.text.attack.attacker import AttackedRelease, attack
from sfumato.engines.text.attack.encoder import mask_background
from sfumato.engines.text.attack.registry import find_encoder
from sfumato.engines.text.engine import ENGINE
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.request import (
    TextAttackRequest,
    TextChoice,
    TextPublishRequest,
    TextRequest,
)
from sfumato.text import explore, load


def corpus(count, seed=0):
    random = np.random.default_rng(seed)
    found = []
    for i in range(count):
        text, spans = "", []
        for _ in range(6):
            name = str(random.choice(["Ann", "Bob", "Lee", "Zed"]))
            text += str(random.choice(["we met Mr ", "said the ", "in "]))
            spans.append(Span(len(text), len(text) + len(name), "NAME"))
            text += name + str(random.choice([" in Paris . ", " and a cat . "]))
        found.append(Document(f"d{i}", text, spans))
    return found


def target_of(documents, release):
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    labels = (labels_from_spans(documents, tokens, ["NAME"]) > 0).astype(np.uint8)
    own = np.arange(len(documents)) < release
    return AttackedRelease(TokenData.of(tokens, vocabulary), labels, own)


@pytest.fixture(scope="module")
def explored(tiny_folder):
    return explore(
        corpus(16), labels=["NAME"], ratios=[10], folds=2, encoder=str(tiny_folder),
        attackers=["none"],
    )  # fmt: skip


def test_an_exploration_with_an_encoder_says_so_and_comes_back(explored, tiny_folder, tmp_path):
    record = explored.record
    assert record.encoder is not None
    assert record.encoder.tuning == "two"
    assert record.encoder.device == "cpu"
    assert record.encoder.repeatable
    forms = record.candidates[0].record[0].total_loss_by_form
    assert {"encoder", "CRF + encoder", "CRF that sees the encoder"} <= forms.keys()
    assert record.candidates[0].record[0].total_loss_by_seed == ()  # on a CPU, one seed a fold
    assert record.request["encoder"] == tiny_folder.name  # the name, not the place
    (tmp_path / "saved").mkdir()
    explored.save(tmp_path / "saved")
    assert str(tiny_folder.parent) not in (tmp_path / "saved" / "frontier.json").read_text()
    back = load(tmp_path / "saved")
    assert back.record == explored.record


def with_encoder(explored, tiny_encoder):
    """Make an encoder publish: the form that won is replaced by the encoder alone."""
    from dataclasses import replace

    from sfumato.engines.text.learners.encoder.learner import Encoder
    from sfumato.engines.text.learners.pretrained import Schedule
    from sfumato.engines.text.sanitize.classifiers import Classifier, Stage

    learner = Encoder(tiny_encoder, schedule=Schedule(2, 1e-2, steps=30, most=30))
    target = target_of(corpus(16), 16)
    model = learner.fit(target.data, target.sensitive)
    candidate, classifiers = next(iter(explored.classifiers.items()))
    cut = float(np.quantile(model.scores(target.data), 0.7))  # it need not be good here
    own = replace(classifiers, classifiers=(Classifier((Stage(model),), (0,), cut, "encoder"),))
    return {candidate: own}


def test_an_encoder_publishes_the_same_after_saving_whatever_the_batches(
    explored, tiny_encoder, tmp_path
):
    from sfumato.engines.text.redaction.sanitiser import Sanitiser
    from sfumato.engines.text.sanitize.models import load_candidates, save_candidates

    candidates = with_encoder(explored, tiny_encoder)
    save_candidates(tmp_path, candidates)
    (name, kept), back = next(iter(candidates.items())), load_candidates(tmp_path)
    new = corpus(9, seed=5)
    texts = Sanitiser(kept)(new).texts
    assert any("[NAME]" in text for text in texts)
    assert Sanitiser(back[name])(new).texts == texts
    assert [t for d in new for t in Sanitiser(kept)([d]).texts] == texts


def test_a_model_travels_to_a_worker_without_what_stands_on_a_device(explored, tiny_encoder):
    cloudpickle = pytest.importorskip("cloudpickle")
    from sfumato.engines.text.redaction.sanitiser import Sanitiser

    (kept,) = with_encoder(explored, tiny_encoder).values()
    new = corpus(3, seed=6)
    texts = Sanitiser(kept)(new).texts  # it stands on the device now
    model = kept.classifiers[0].stages[0].model
    assert "_above" in model.__dict__
    assert "_above" not in model.__getstate__()
    sent = cloudpickle.loads(cloudpickle.dumps(Sanitiser(kept)))
    assert sent(new).texts == texts


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_workers_of_a_cluster_publish_the_same_and_get_the_weights_once(
    spark, explored, tiny_encoder, tmp_path, monkeypatch
):
    from sfumato.compute.spark import Spark
    from sfumato.data.documents import write_documents

    sent = []
    real = Spark.map_batches

    def watched(self, function, batches, *, shared=None):
        sent.append(shared)
        return real(self, function, batches, shared=shared)

    monkeypatch.setattr(Spark, "map_batches", watched)
    monkeypatch.setattr(explored, "classifiers", with_encoder(explored, tiny_encoder))
    write_documents(corpus(9, seed=7), like="jsonl", out=tmp_path / "new.jsonl")
    for name in ("local", "spark"):
        explored.publish("r10", tmp_path / "new.jsonl", out=tmp_path / name, engine=name)
    for file in (tmp_path / "local").iterdir():
        assert file.read_bytes() == (tmp_path / "spark" / file.name).read_bytes()
    # What is shared is broadcast, and unpacked once per worker; a batch holds documents alone.
    assert len(sent) == 1
    assert sent[0] is not None


def test_attackers_with_an_encoder_are_run_and_named(tiny_encoder):
    from sfumato.core.randomness import Streams
    from sfumato.engines.text.learners.crf import CRF
    from sfumato.engines.text.learners.encoder.learner import Encoder
    from sfumato.engines.text.learners.pretrained import Schedule

    encoder = Encoder(tiny_encoder, schedule=Schedule(1, 1e-2, steps=20, most=20))
    target = target_of([*corpus(12), *corpus(10, seed=3)], 12)
    known = {}
    report = attack(
        target, streams=Streams(0), learners=(CRF(),), folds=2, budgets=(10,), known=known,
        outsiders=(), replicates=50, encoder=encoder,
    )  # fmt: skip
    names = {(a.reading, a.learner) for a in report.attacks}
    assert ("B", "encoder") in names
    assert ("outside", "encoder with background") in names
    assert ("outside", "encoder with background and release") in names
    assert "encoder" in known
    record = report.to_record()
    assert record.with_encoder
    assert "encoder" in record.B.learners
    without = attack(
        target, streams=Streams(0), learners=(CRF(),), folds=2, budgets=(10,), outsiders=(),
        replicates=50,
    )  # fmt: skip
    assert not without.to_record().with_encoder


def test_most_names_of_the_background_are_masked_whole():
    target = target_of([*corpus(4), *corpus(60, seed=2)], 4)
    data = mask_background(target, np.random.default_rng(0))
    inside = target.background[data.document_of] & (target.sensitive != 0)
    share = data.redacted[inside].mean()
    assert 0.6 < share < 1.0
    assert not data.redacted[~inside].any()  # neither the release nor another word


def test_whom_the_options_ask_for(tiny_folder):
    assert find_encoder(["crf"], str(tiny_folder)) is None
    assert find_encoder(["all"], "none") is None
    assert find_encoder(["all"], None) is None  # nothing is installed here
    assert find_encoder(["all"], str(tiny_folder)) is not None
    with pytest.raises(InputError, match="not installed"):
        find_encoder(["encoder"], None)


def test_requests_hold_a_folder_by_name(tiny_folder, tmp_path):
    made = TextRequest.build(
        {"corpus": "c.jsonl", "labels": ["NAME"], "encoder": "enc"}, owner="text.explore"
    )
    assert made.to_record()["encoder"] == "enc"
    assert str(made.with_absolute_paths(tmp_path).encoder) == str(tmp_path / "enc")
    plain = TextRequest.build({"corpus": "c.jsonl", "labels": ["NAME"]}, owner="text.explore")
    assert plain.encoder == "none"
    assert plain.with_absolute_paths(tmp_path).encoder == "none"
    with pytest.raises(ParameterError):
        TextRequest.build(
            {"corpus": "c", "labels": ["NAME"], "encoder_tuning": "most"}, owner="text.explore"
        )


@pytest.mark.parametrize("attackers", [["encoder"], ["crf", "encoder"]])
def test_an_attacker_asked_for_by_name_needs_its_encoder(attackers):
    asked = {"corpus": "c", "labels": ["NAME"], "attackers": attackers}
    with pytest.raises(ParameterError, match="'encoder' needs an encoder"):
        TextRequest.build(asked, owner="text.explore")
    assert (
        TextRequest.build({**asked, "encoder": "enc"}, owner="text.explore").attackers == attackers
    )
    attack = {"directory": "d", "published": "p", "labels": "c", "attackers": attackers}
    with pytest.raises(ParameterError, match="'encoder' needs an encoder"):
        TextAttackRequest.build({**attack, "encoder": "none"}, owner="text.attack")
    TextAttackRequest.build(attack, owner="text.attack")


def test_asking_for_weights_that_are_not_there_is_one_sentence():
    with pytest.raises(InputError, match="not installed"):
        explore(corpus(6), labels=["NAME"], ratios=[10], encoder="default")


def test_a_ratio_chooses_the_best_form(explored, tmp_path):
    candidate = TextChoice(ratio=10).of(explored)
    assert candidate.id == "r10"
    published = ENGINE.publish(
        explored, candidate, TextPublishRequest(documents=corpus(3, seed=4)), out=None
    )
    assert len(published.data) == 3
    assert json.loads(candidate.model_dump_json())["way"] == "best form"
