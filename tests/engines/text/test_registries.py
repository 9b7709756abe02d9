"""Each registry of the text engine: every entry explores, saves, reloads equal, publishes and is named."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.core.engine import Part
from sfumato.core.errors import ParameterError
from sfumato.core.registry import Registry
from sfumato.core.request import parameters
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.attack.registry import ATTACKERS, find_attackers
from sfumato.engines.text.engine import ENGINE
from sfumato.engines.text.learners.protocol import Learner, Model
from sfumato.engines.text.learners.registry import LEARNERS, MODELS, find_learner
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.redaction.registry import REPLACEMENTS
from sfumato.engines.text.redaction.replacer import Replacer
from sfumato.engines.text.sanitize.modes import MODES
from sfumato.text import explore, load

NOTES = clinic_notes(24)
FRESH = clinic_notes(6, seed=1)


def told(exploration, release=None):
    """Return everything that the engine's part of a report says."""
    chosen = exploration.candidates[0]
    part = Part("text", "text", exploration.record, release, chosen=chosen, chosen_by="steward")
    return str(ENGINE.story(part))


@pytest.fixture(scope="module")
def tokens():
    vocabulary = Vocabulary()
    cut = tokenize([d.text for d in NOTES], vocabulary)
    labels = (labels_from_spans(NOTES, cut, ["NAME"]) > 0).astype(np.uint8)
    return TokenData.of(cut, vocabulary), labels


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner(name, tmp_path):
    found = explore(NOTES, labels="NAME", ratios=[10], folds=2, learner=name, attackers=())
    assert found.record.request["learner"] == found.record.learner == name
    found.save(tmp_path)
    again = load(tmp_path)
    assert again.record == found.record
    published = again.publish("r10", FRESH)
    assert [d.text for d in published] == [d.text for d in found.publish("r10", FRESH)]
    assert any("[NAME]" in d.text for d in published)
    assert found.candidates[0].id in told(again)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_declares_what_the_engine_asks(name, tokens):
    learner = find_learner(name)
    assert isinstance(learner, Learner)
    assert learner.name == name
    for variant in (learner.literal(), learner.quick(), learner.careful()):
        assert isinstance(variant, Learner)
    data, labels = tokens
    model = learner.quick().fit(data, labels)
    assert isinstance(model, Model)
    assert model.dimension >= 1
    warm = learner.warm_start(model)
    assert warm is None or isinstance(warm, Learner)
    header, arrays = model.to_arrays()
    assert header["kind"] == model.kind
    back = MODELS[model.kind].from_arrays(header, arrays)
    assert np.allclose(back.scores(data), model.scores(data), atol=1e-4)


@pytest.mark.parametrize("name", [*ATTACKERS, "all", "none"])
def test_every_attacker(name):
    found = explore(NOTES[:12], labels="NAME", ratios=[10], folds=2, attackers=[name], budgets=[20])
    attack = found.candidates[0].attack
    if name == "none":
        assert attack is None
        assert "No attack was run" in told(found)
        return
    learners = find_attackers([name])
    assert {one.name for one in learners} == (set(ATTACKERS) if name == "all" else {name})
    inside = {one.name for one in learners if not one.outsider}
    for reading in (attack.A, attack.B):
        assert set(() if reading is None else reading.learners) == inside
    assert {one.name for one in learners if one.outsider} <= set(attack.outside.learners)
    assert (attack.B or attack.outside).learner in told(found)


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_every_replacement(name, tmp_path):
    key = tmp_path / "key"
    key.write_text("a secret of the tests")
    key.chmod(0o600)
    found = explore(NOTES, labels="NAME", ratios=[10], folds=2, attackers=())
    release = found.publish("r10", FRESH, out=tmp_path / "out", replacement=name, key=key)
    assert release.how.replacement == release.request["replacement"] == name
    assert type(release).read_full(tmp_path / "out") == release
    assert type(release).read(tmp_path / "out") == release.public()
    replacer = REPLACEMENTS[name].for_release(key=key)
    assert isinstance(replacer, Replacer)
    assert replacer.replace("d", "Ann Lee", "NAME") == replacer.replace("d", "Ann Lee", "NAME")
    assert "Ann" not in replacer.replace("d", "Ann Lee", "NAME")
    assert "Published" in told(found, release)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode(mode, tmp_path):
    found = explore(NOTES, labels="NAME", ratios=[10], folds=2, mode=mode, attackers=())
    found.save(tmp_path)
    assert load(tmp_path).record == found.record
    assert found.record.mode == mode


def test_choices_are_the_registries():
    """Options, plan and Python take what the registries hold, and nothing else."""
    known = {
        (ENGINE.Request, "learner"): LEARNERS,
        (ENGINE.Request, "mode"): MODES,
        (ENGINE.PublishRequest, "replacement"): REPLACEMENTS,
    }
    for (model, name), registry in known.items():
        assert list(parameters(model)[name].choices()) == list(registry)
    for model in (ENGINE.Request, ENGINE.AttackRequest):
        names = [*ATTACKERS, "encoder", "all", "none"]
        assert list(parameters(model)["attackers"].choices()) == names
    with pytest.raises(ParameterError, match="oracle"):
        explore(NOTES, labels="NAME", learner="oracle")
    with pytest.raises(ParameterError, match="oracle"):
        explore(NOTES, labels="NAME", attackers=["oracle"])


def test_a_learner_of_another_package_takes_one_line(monkeypatch):
    """The recipe: a class with `fit`, and one line in the registry."""
    from sfumato.engines.text.learners.svm import SVM

    class Mine(SVM):
        @property
        def name(self):
            return "mine"

    assert isinstance(LEARNERS, Registry)
    monkeypatch.setitem(LEARNERS._entries, "mine", Mine)
    found = explore(NOTES, labels="NAME", ratios=[10], folds=2, learner="mine", attackers=())
    assert found.record.learner == "mine"
