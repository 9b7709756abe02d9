"""The starter: what the file holds, what it reads without labels, and when it is silent."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

import sfumato as sf
from sfumato.core.errors import InputError, ModelError, ParameterError
from sfumato.data.document import Document
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.engine import TextEngine
from sfumato.engines.text.labelling.first_proposals import FirstProposals
from sfumato.engines.text.labelling.project import Project, start_project
from sfumato.engines.text.labelling.publication import explore_answers
from sfumato.engines.text.labelling.session import Session
from sfumato.engines.text.reading.features import RESERVED, TokenData, WordTable, lower_keys
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.request import TextRequest
from sfumato.engines.text.rules.names import given_names, surnames
from sfumato.engines.text.sanitize.storage import load_model, save_model
from sfumato.engines.text.starter.adapted import AdaptedStarter, adapt
from sfumato.engines.text.starter.collection import CollectionWords
from sfumato.engines.text.starter.weights import PACKAGED, Starter, packaged_starter
from sfumato.reports.parts import find_parts

GERMAN = (
    "Die Patientin wurde gestern in unserer Klinik aufgenommen und klagt über starke Schmerzen im "
    "rechten Knie, die seit mehreren Wochen zunehmen. Sie wurde von uns untersucht und behandelt."
)


def tokens_of(texts):
    vocabulary = Vocabulary()
    return TokenData.of(tokenize(texts, vocabulary), vocabulary)


@pytest.fixture(scope="module")
def notes():
    return clinic_notes(30, seed=3)


def test_the_file_is_small_and_is_data():
    assert {file.name for file in PACKAGED.iterdir()} == {"model.json", "arrays.bin"}
    assert sum(file.stat().st_size for file in PACKAGED.iterdir()) <= 3_000_000
    starter = packaged_starter()
    assert list(starter.models) == ["NAME", "LOCATION", "ORGANIZATION", "DATE"]
    assert "enron_emailcoref" not in starter.corpora


def test_no_given_name_or_surname_is_told_unless_it_is_a_word():
    """Whoever holds a list of names finds no more of them than there are ordinary words among them."""
    starter = packaged_starter()
    keys = np.unique(np.concatenate([model.row_keys for model in starter.models.values()]))
    names = sorted(given_names("en") | surnames("en") | surnames("es") | given_names("de"))
    table = WordTable(Vocabulary(names))
    told = np.isin(table.lower, starter.known)
    for column in range(2):  # the word as it stands, and in small letters
        told |= np.isin(table.own[table.own_bounds[:-1] + column], keys)
    assert told[RESERVED:].mean() < 0.06
    certain = (
        "Jennifer",
        "Michael",
        "Susan",
        "Garcia",
        "Johnson",
        "Friedrich",
        "Ingrid",
        "Rodriguez",
    )
    assert not np.isin(lower_keys(certain), starter.known).any()


@pytest.mark.parametrize("change", ["version", "kinds", "keys", "weights", "known", "corpora"])
def test_a_file_that_does_not_fit_together_is_refused(change, tmp_path):
    header, arrays = load_model(PACKAGED)
    if change == "version":
        header = {**header, "version": 2}
    elif change == "kinds":
        header = {**header, "kinds": ["NAME"]}
    elif change == "corpora":
        header = {k: v for k, v in header.items() if k != "corpora"}
    elif change == "keys":
        arrays = {**arrays, "row_keys": arrays["row_keys"][::-1].copy()}
    elif change == "weights":
        arrays = {**arrays, "joint_weights": arrays["joint_weights"].astype(np.int16)}
    else:
        arrays = {**arrays, "known": arrays["known"].astype(np.uint32)}
    save_model(tmp_path / "changed", header, arrays)
    with pytest.raises(ModelError):
        Starter.load(tmp_path / "changed")


def test_a_changed_byte_is_refused(tmp_path):
    shutil.copytree(PACKAGED, tmp_path / "copy")
    raw = bytearray((tmp_path / "copy" / "arrays.bin").read_bytes())
    raw[1000] ^= 1
    (tmp_path / "copy" / "arrays.bin").write_bytes(bytes(raw))
    with pytest.raises(ModelError, match="damaged"):
        Starter.load(tmp_path / "copy")


def test_what_is_written_is_read_back(tmp_path):
    starter = packaged_starter()
    starter.save(tmp_path / "again")
    for file in ("model.json", "arrays.bin"):
        assert (tmp_path / "again" / file).read_bytes() == (PACKAGED / file).read_bytes()


def test_words_of_a_collection_are_counted_as_by_hand():
    texts = ["Ann met the Smith. The end.", "the smith saw Ann", "Smith and Bo"]
    data = tokens_of(texts)
    found = CollectionWords.of(data)
    bins = dict(zip(found.keys.tolist(), zip(found.spread, found.case, strict=True), strict=True))

    def of(word):
        return tuple(int(b) for b in bins[int(lower_keys([word])[0])])

    assert of("ann") == (2, 2)  # in two documents; once inside a sentence, never small
    assert of("smith")[0] == 7  # in all three
    assert of("smith")[1] == 5  # small in one of two: a half
    assert of("the") == (2, 6)
    assert of("bo") == (1, 2)
    case, spread = found.places(data)
    assert case.values.max() < case.size
    assert spread.values.max() < spread.size
    other = CollectionWords.of(tokens_of(["Nothing of this"])).places(data)
    assert (other[1].values[data.counted] % 7 == 1).all()  # unknown words count as rare


def test_names_are_found_without_a_label(notes):
    data = tokens_of([d.text for d in notes])
    found = adapt(packaged_starter(), data, ["NAME"])
    gold = labels_from_spans(notes, data.tokens, ["NAME"]) > 0
    hidden = found.best() >= -np.log(10)
    words = data.counted
    assert found.speaks
    assert found.coverage > 0.85
    assert (gold & ~hidden & words).sum() < 0.15 * (gold & words).sum()
    assert (~gold & hidden & words).sum() < 0.1 * words.sum()
    again = adapt(packaged_starter(), data, ["NAME"])
    np.testing.assert_array_equal(found.best(), again.best())
    # Read as any other text, by the model of all documents, much the same words are found.
    assert ((found.model.scores(data) >= -np.log(10)) == hidden)[words].mean() > 0.97


def test_the_adapted_model_is_stored_and_read_back(notes):
    data = tokens_of([d.text for d in notes])
    model = adapt(packaged_starter(), data, ["NAME", "DATE"]).model
    header, arrays = model.to_arrays()
    again = AdaptedStarter.from_arrays(json.loads(json.dumps(header)), arrays)
    np.testing.assert_array_equal(model.scores(data), again.scores(data))
    for lost in ("keys", "0/first/row_keys"):
        with pytest.raises(ModelError):
            AdaptedStarter.from_arrays(header, {k: v for k, v in arrays.items() if k != lost})


def test_it_speaks_for_the_labels_that_mean_its_kinds(notes):
    model = adapt(packaged_starter(), tokens_of([d.text for d in notes]), ["NAME", "DATE"]).model
    scorers = model.label_scorers(["Datum", "MRN", "PERSON", "Geburtsdatum"])
    assert sorted((v.readers[0].kind, meant) for v, meant in scorers) == [("DATE", (0, 3)), ("NAME", (2,))]  # fmt: skip
    assert replace(model, knows_language=False).label_scorers(["NAME"]) == ()


def test_it_is_silent_in_a_language_that_it_does_not_know():
    data = tokens_of([GERMAN] * 5)
    assert not adapt(packaged_starter(), data, ["NAME"]).speaks
    german = [
        Document(str(n), GERMAN + f" Frau Ingrid Schäfer kam am 0{n}.03.2020.") for n in (1, 2)
    ]
    published = sf.text.publish("starter", german)
    assert all("[NAME]" in d.text and "[DATE]" in d.text for d in published)
    assert all("Die Patientin wurde gestern in unserer Klinik" in d.text for d in published)


def test_a_release_without_a_label_says_that_its_risk_is_not_measured(notes, tmp_path):
    plain = [Document(d.id, d.text) for d in notes]
    release = sf.text.publish("starter", plain, out=tmp_path / "release")
    assert any("The risk is not measured" in line for line in release.lines())
    assert not any("expected to be left" in line for line in release.lines())
    stored = json.loads((tmp_path / "release" / "release.json").read_text())
    assert stored["starter"]["speaks"] is True
    assert stored["risk"]["interval"] == [0.0, 1.0]
    file = tmp_path / "release" / stored["outputs"][0]["path"]
    text = file.read_text()
    assert "[NAME]" in text
    assert "[DATE]" in text


def test_a_report_claims_nothing_of_labels_where_there_are_none(notes, tmp_path):
    plain = [Document(d.id, d.text) for d in notes]
    sf.text.publish("starter", plain, out=tmp_path / "release")
    (part,) = find_parts([tmp_path / "release"])
    story = TextEngine().story(part)
    said = " ".join([*story.assumptions, *(step.step for step in story.method)])
    assert "No document was labelled" in said
    for word in ("folds", "labelled ones", "The labels are right", "bound", "GreedySanitize"):
        assert word not in said


def test_a_record_that_cannot_be_read_is_withheld_without_a_label_too(notes, tmp_path):
    source = tmp_path / "notes.jsonl"
    lines = [json.dumps({"id": d.id, "text": d.text}) for d in notes[:12]]
    source.write_text("\n".join([*lines, json.dumps({"id": "broken", "text": 7})]))
    release = sf.text.publish("starter", source, out=tmp_path / "release")
    assert len(release.withheld) == 1
    text = next((tmp_path / "release").glob("*.jsonl")).read_text()
    assert len(text.splitlines()) == 12
    source.write_text(json.dumps({"id": "broken", "text": 7}))
    with pytest.raises(InputError, match="id 'broken'"):
        sf.text.publish("starter", source, out=tmp_path / "none")


def test_a_project_is_taken_for_its_frontier(notes, tmp_path):
    source = tmp_path / "notes.jsonl"
    source.write_text("\n".join(json.dumps({"id": d.id, "text": d.text}) for d in notes[:12]))
    start_project(source, tmp_path / "project", labels=["NAME", "DATE", "PHONE"])
    with pytest.raises(InputError, match="has no frontier yet"):
        sf.text.publish(tmp_path / "project", source, ratio=10)
    session = Session(tmp_path / "project", background=False)
    try:
        labels = {span.label for n in range(12) for span in session.spans(n)}
        assert labels == {"NAME", "DATE", "PHONE"}  # each proposal carries its own
        request = TextRequest(
            corpus=tmp_path / "project", labels=["NAME", "DATE", "PHONE"], ratios=[10]
        )
        explore_answers(session, request).save(tmp_path / "project" / "frontier")
    finally:
        session.close()
    published = sf.text.publish(tmp_path / "project", tmp_path / "project", ratio=10)
    assert all("[NAME]" in d.text for d in published)


def test_start_uses_the_starter_unless_told_not_to(notes, tmp_path):
    source = tmp_path / "notes.jsonl"
    source.write_text("\n".join(json.dumps({"id": d.id, "text": d.text}) for d in notes[:12]))
    start_project(source, tmp_path / "with", labels=["NAME"])
    start_project(
        source, tmp_path / "without", labels=["NAME"], first=FirstProposals(starter=False)
    )
    assert Project(tmp_path / "with").starter_model() is not None
    assert Project(tmp_path / "without").starter_model() is None
    assert not (tmp_path / "without" / "starter").exists()


def test_the_starter_competes_and_is_published_with(notes):
    found = sf.text.explore(
        notes, labels=["NAME"], ratios=[10], folds=2, attackers="crf", background=["starter"]
    )
    # Whoever publishes with the starter is attacked by an outsider who holds it, too.
    assert "starter" in found.candidates[0].attack.outside.learners
    forms = found.candidates[0].record[0].total_loss_by_form
    assert {"starter", "CRF that sees the starter"} < set(forms)
    weighed = "CRF + CRF that sees the starter + starter"
    assert forms[weighed] < min(forms["pass"], forms["starter"])
    other = clinic_notes(3, seed=8)
    assert all("[NAME]" in d.text for d in sf.text.publish(found, other, ratio=10))
    with pytest.raises(InputError, match="knows none of the labels"):
        sf.text.explore(notes, labels=["PHONE"], ratios=[10], folds=2, background=["starter"])


def test_a_model_that_is_not_shipped_is_refused(notes):
    with pytest.raises(InputError):
        sf.text.publish("starters", notes[:1], ratio=10)
    with pytest.raises(ParameterError):
        sf.text.publish("starter", notes[:1], ratio=10, choose="knee")
