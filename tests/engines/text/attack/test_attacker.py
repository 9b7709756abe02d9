"""Attackers on small releases: who finds what, with which data, and what the report says."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import numpy as np
import pytest

from sfumato.core.errors import DataError
from sfumato.core.randomness import Streams
from sfumato.engines.text.attack.attacker import AttackedRelease, Residual, attack
from sfumato.engines.text.attack.registry import find_attackers
from sfumato.engines.text.attack_records import TheoremBounds
from sfumato.engines.text.learners.crf import CRF, CRFModel
from sfumato.engines.text.learners.svm import SVM
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, tokenize

PLAIN = ["went", "home", "late", "may", "the", "a", "house", "Monday", "we", "saw", "rain"]


def corpus(seed=0, documents=30, background=0):
    """Names follow "Dr"; the background's names follow "Dr" too."""
    rng = np.random.default_rng(seed)
    names = [
        f"{a}{b}" for a in ("Al", "Be", "Ca", "Do", "Em", "Fa") for b in ("na", "rt", "lo", "xi")
    ]
    texts, labels = [], []
    for _ in range(documents + background):
        words = []
        for _ in range(20):
            if rng.random() < 0.4:
                words.append(("Dr", 0))
                words.append((str(rng.choice(names)), 1))
            words += [(str(w), 0) for w in rng.choice(PLAIN, 4)]
        texts.append(" ".join(w for w, _ in words))
        labels += [y for _, y in words]
    vocabulary = Vocabulary()
    data = TokenData.of(tokenize(texts, vocabulary), vocabulary)
    own = np.arange(documents + background) < documents
    return data, np.array(labels, np.uint8), own


def release(share, seed=0, background=0):
    """A release in which a share of the names was redacted at random."""
    data, sensitive, own = corpus(seed, background=background)
    rng = np.random.default_rng(seed + 1)
    hide = (sensitive != 0) & (rng.random(len(data)) < share) & own[data.document_of]
    return AttackedRelease(data.redact(hide), sensitive, own)


def run(target, **options):
    options.setdefault("learners", (CRF(), SVM(calibrate=False)))
    return attack(target, streams=Streams(0), budgets=(10, 100), replicates=50, **options)


def test_a_release_full_of_names_is_found_out():
    target = release(0.3)
    report = run(target)
    content = report.to_json()
    left = int((target.sensitive[target.instances] != 0).sum())
    assert content["left"]["sensitive"] == left
    b = content["B"]
    assert b["tp"] + b["fn"] == left
    assert b["tp"] + b["fp"] + b["fn"] + b["tn"] == content["left"]["words"]
    assert b["ranked"]["100"]["found"] > 80
    assert b["ranked"]["100"]["found"] > 5 * b["random"]["100"]["found"]
    assert b["random"]["100"]["found"] == pytest.approx(
        100 * left / content["left"]["words"], abs=1e-3
    )
    assert content["strongest"]["found"] >= b["ranked"]["100"]["found"]
    assert set(content) == {"B", "outside", "strongest", "left", "with_encoder"}


def test_a_clean_release_gives_nothing():
    report = run(release(1.0))
    for reading in ("B", "outside"):
        for way in ("ranked", "unordered", "random"):
            assert report.to_json()[reading][way]["100"]["found"] == 0
    assert report.left == 0


def test_no_attacker_scores_what_is_not_published():
    target = release(0.5, background=5)
    for found in run(target).attacks:
        assert np.isneginf(found.scores[target.data.redacted]).all()
        outside = ~target.documents[target.data.document_of]
        assert np.isneginf(found.scores[outside]).all()
        assert np.isfinite(found.scores[target.instances]).all()


def test_reading_a_learns_from_the_residual_only():
    """With the names of the residual gone, attacker A has nothing to learn from."""
    target = release(0.3)
    data, sensitive, own = corpus(9)
    empty = Residual(data.redact(sensitive != 0), sensitive, own, np.ones_like(own))
    full = Residual(data, sensitive, own, np.ones_like(own))
    assert run(target, residuals=[empty]).to_json()["A"]["tp"] == 0
    assert run(target, residuals=[full]).to_json()["A"]["tp"] > 50


def test_residuals_attack_their_own_documents():
    target = release(0.3)
    data, sensitive, own = corpus(9)
    half = np.arange(target.data.documents) < 15
    both = [Residual(data, sensitive, own, half), Residual(data, sensitive, own, ~half)]
    one = [Residual(data, sensitive, own, half | ~half)]
    a, b = (run(target, residuals=r).to_json()["A"] for r in (both, one))
    assert a == b


def test_background_finds_what_the_release_alone_does_not_teach():
    """Few names are left: the release teaches little, another corpus teaches a lot."""
    target = release(0.97, background=60)
    content = run(target).to_json()
    by_learner = content["outside"]["learners"]
    assert "crf with background" in by_learner
    assert "crf with background and release" in by_learner
    assert by_learner["crf with background"]["ranked"]["10"] >= 5
    assert content["outside"]["ranked"]["100"]["found"] == content["strongest"]["found"]
    assert content["strongest"]["reading"] in {"outside", "B"}


def test_models_of_the_background_are_shared():
    known = {}
    target = release(0.9, background=20)
    first = run(target, known=known)
    assert set(known) == {"crf"}
    again = run(target, known=known)
    assert first.to_json() == again.to_json()


def test_same_seed_same_bytes_and_no_word_in_the_report():
    target = release(0.5, background=5)
    one, two = (json.dumps(run(target).to_json(), sort_keys=True) for _ in range(2))
    assert one == two
    for name in ("Alna", "Bert", "Calo", "Monday"):
        assert name not in one


def test_all_paper_learners_take_part():
    content = run(release(0.5), learners=find_attackers(["all"])).to_json()
    assert set(content["B"]["learners"]) == {"crf", "svm", "adaboost", "ensemble"}
    chosen = content["B"]["learners"][content["B"]["learner"]]
    errors = [v["fp"] + v["fn"] for v in content["B"]["learners"].values()]
    assert chosen["fp"] + chosen["fn"] == min(errors)


def test_one_document_and_wrong_lengths():
    data, sensitive, own = corpus(documents=1)
    content = run(AttackedRelease(data, sensitive, own)).to_json()
    assert "B" not in content
    assert content["strongest"] is None
    with pytest.raises(DataError, match="labels"):
        run(AttackedRelease(data, sensitive[:-1], own))


def test_candidates_carry_attack_and_bounds():
    """What explore writes for each candidate: all three readings, and every bound."""
    from sfumato.engines.text.attack.attacked import attack_publication
    from sfumato.engines.text.reading.labelled import Labelled
    from sfumato.engines.text.sanitize.greedy import GreedySanitize

    data, sensitive, own = corpus(4, documents=24)
    labelled = Labelled(data, sensitive.astype(np.int16), ("NAME",), own)
    publication = GreedySanitize(mode="honest").fit(labelled, [5.0])[5.0]
    report, bounds = attack_publication(
        labelled, publication, learners=(CRF(),), budgets=(10, 100), streams=Streams(0)
    )
    content = report.to_json()
    assert {"A", "B", "outside", "strongest", "left"} <= content.keys()
    assert {"theorem 2", "theorem 3", "theorem 4", "theorem 6"} <= bounds.theorems.keys()
    assert set(bounds.to_json()["ranked prefix"]) == {"10", "100"}
    assert TheoremBounds.from_json(bounds.to_json()) == bounds
    json.dumps([content, bounds.to_json()], allow_nan=False)

    class Renamed(CRFModel):
        def to_arrays(self):
            header, arrays = super().to_arrays()
            return header, {f"part{i}": array for i, array in enumerate(arrays.values())}

    def renamed(stage):
        parts = {f.name: getattr(stage.model, f.name) for f in fields(stage.model)}
        return replace(stage, model=Renamed(**parts))

    classifiers = tuple(
        replace(h, stages=tuple(map(renamed, h.stages)))
        for h in publication.classifiers.classifiers
    )
    other = replace(
        publication, classifiers=replace(publication.classifiers, classifiers=classifiers)
    )
    _, again = attack_publication(
        labelled, other, learners=(CRF(),), budgets=(10, 100), streams=Streams(0)
    )
    assert again == bounds


def test_the_release_alone_is_the_release():
    """Attackers without background get the same scores with and without it in the data."""
    target = release(0.5, background=8)
    alone = target.alone()
    n = len(alone.data)
    assert alone.data.documents == int(target.documents.sum())
    assert np.array_equal(alone.data.rows, target.data.rows[:n])
    assert np.array_equal(alone.sensitive, target.sensitive[:n])
    learned = np.arange(alone.data.documents) < 20
    padded = np.concatenate([learned, np.zeros(8, np.bool_)])
    model = CRF.literal().fit(target.data, target.sensitive, documents=padded, seed=1)
    small = CRF.literal().fit(alone.data, alone.sensitive, documents=learned, seed=1)
    assert np.allclose(model.scores(target.data)[:n], small.scores(alone.data))
    mixed = AttackedRelease(target.data, target.sensitive, ~target.documents)
    assert mixed.alone() is mixed
