"""Rules in whole runs: beside labels, alone, stored with the model, and when publishing."""

import json
from dataclasses import replace

import pytest

from sfumato import text
from sfumato.core.errors import InputError
from sfumato.data.document import Document
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.redaction.sanitiser import Sanitiser
from sfumato.engines.text.rules import BUILT_IN, ChosenRules
from sfumato.engines.text.sanitize.classifiers import ClassifierSet

LABELS = ["NAME", "PHONE", "EMAIL", "DATE"]


@pytest.fixture(scope="module")
def notes():
    return clinic_notes(24, seed=3)


def bare(documents):
    return [Document(d.id, d.text) for d in documents]


def test_rules_alone_publish_and_say_that_nothing_was_measured(notes, tmp_path):
    found = text.explore(bare(notes), labels=LABELS, rules=BUILT_IN)
    assert [c.id for c in found.candidates] == ["rules"]
    risk = found.candidates[0].risk
    assert risk.value == 1.0
    assert "not measured" in risk.attacker
    found.save(tmp_path)
    again = text.load(tmp_path)
    assert again.record == found.record
    published = again.publish("rules", bare(notes))
    assert published == found.publish("rules", bare(notes))
    whole = "\n".join(d.text for d in published)
    for note in notes:
        for span in note.spans:
            if span.label == "EMAIL":
                assert note.text[span.start : span.end] not in whole


def test_a_match_is_one_span_with_its_punctuation(notes):
    found = text.explore(bare(notes), labels=LABELS, rules=BUILT_IN)
    sample = "Born September 17, 1932, see a.oneill@clinic.example or ring (707) 799-8725."
    (published,) = found.publish("rules", [Document("d", sample)])
    assert published.text == "Born [DATE], see [EMAIL] or ring [PHONE]."
    shown = [(sample[s.start : s.end], s.label, s.reason) for s in found.spans(sample, ratio=1)]
    assert shown == [
        ("September 17, 1932", "DATE", "rule"),
        ("a.oneill@clinic.example", "EMAIL", "rule"),
        ("(707) 799-8725", "PHONE", "rule"),
    ]


def test_without_rules_and_labels_there_is_nothing_to_learn_from(notes):
    with pytest.raises(InputError, match="carries the label"):
        text.explore(bare(notes), labels=["NAME"])


def test_rules_beside_labels_are_redacted_first_and_stored(notes, tmp_path):
    found = text.explore(
        notes, labels=["NAME", "EMAIL"], rules=BUILT_IN, ratios=[10], attackers=[], folds=2
    )
    assert found.record.rules
    found.save(tmp_path)
    out = tmp_path / "release"
    (tmp_path / "in.jsonl").write_text(
        "\n".join(json.dumps({"id": d.id, "text": d.text}) for d in notes)
    )
    again = text.load(tmp_path)
    release = again.publish("r10", tmp_path / "in.jsonl", out=out, keep_ids=True)
    assert release.how.rules
    listed = found.publish("r10", bare(notes))
    lines = (out / "in.jsonl").read_text().splitlines()
    assert [json.loads(line)["text"] for line in lines] == [d.text for d in listed]
    with pytest.raises(InputError, match="its own rules"):
        again.publish("r10", bare(notes), rules=BUILT_IN)


def test_rules_can_be_added_when_publishing(notes):
    found = text.explore(notes, labels=["NAME"], ratios=[10], attackers=[], folds=2)
    extra = Document("d", "Reach Mrs. Vandermeer-Ostrowski today.")
    assert "Ostrowski" not in found.publish("r10", [extra], rules=BUILT_IN)[0].text


def test_a_batch_is_a_function_of_its_documents(notes):
    rules = ChosenRules.read(None, labels=LABELS, texts=[d.text for d in notes])
    candidate = ClassifierSet(tuple(LABELS), ())
    sanitiser = Sanitiser(replace(candidate, rules=replace(rules, is_feature=False)))
    together = sanitiser(bare(notes)).texts
    assert together == [sanitiser([d]).texts[0] for d in bare(notes)]


def test_stored_rules_come_back_whole(tmp_path):
    file = tmp_path / "rules.toml"
    file.write_text(
        "languages = ['en']\n[[rule]]\nlabel = 'ID'\npattern = 'w-(?P<span>\\d{4})'\n"
        "ignore_case = true\ncheck = 'luhn'\ncontext = ['ward']\n[[deny]]\nlabel = 'NAME'\n"
        "words = ['Quill']\n[allow]\nwords = ['Rowan']\n"
    )
    rules = ChosenRules.read(file, labels=["NAME", "ID"])
    again = ChosenRules.from_json(json.loads(json.dumps(rules.to_json())))
    sample = "ward W-4242 with Quill and Mr Rowan, MRN: 123456, x@y.org"
    assert again.find(sample) == rules.find(sample)
    assert {s.label for s in again.find(sample)} == {"NAME", "ID"}
    with pytest.raises(InputError):
        ChosenRules.from_json({"languages": ["xx"]})


def test_a_report_does_not_call_an_unmeasured_risk_a_risk(notes):
    from sfumato.core.engine import Part
    from sfumato.engines.text.engine import ENGINE

    found = text.explore(bare(notes), labels=LABELS, rules=BUILT_IN)
    told = ENGINE.story(Part("text", "text", frontier=found.record, chosen=found.candidates[0]))
    words = " ".join([*told.verdict, *(s.label for s in told.stats)])
    assert "not measured" in words
    assert "100%" not in words
