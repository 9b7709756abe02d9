"""One person, one pseudonym and one shift of dates, over all documents and however they are cut."""

import json
import pickle
import re
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from sfumato.core.errors import ParameterError
from sfumato.core.measures import Risk, Utility
from sfumato.data.document import Document, Span
from sfumato.data.documents import write_documents
from sfumato.data.formats.protocol import FieldNames
from sfumato.engines.text.records import UNSURE, TextCandidate
from sfumato.engines.text.redaction.person import PersonRule
from sfumato.engines.text.redaction.sanitiser import Sanitiser, batches
from sfumato.engines.text.redaction.surrogates import DateReading, SecretKey, Surrogates
from sfumato.engines.text.release.key_on_driver import KeyOnDriver
from sfumato.engines.text.release.parts import Shared, batch_part
from sfumato.engines.text.release.writing import publish

CANDIDATE = TextCandidate(
    id="ratio-10", risk=Risk(0.1), utility=Utility(0.9), ratio=10.0, rounds=1, published=0.9,
    leaked=1, false_positives=0, total_loss=10.0, held_out=True, record=(),
)  # fmt: skip
KEY = SecretKey(b"0123456789abcdef0123456789abcdef")
NAMES = ("Ingrid", "Schaefer")


class Marked:
    """Redacts nothing by itself, so that only what is marked goes."""

    labels = ("NAME", "DATE")
    knowledge = ()

    def decide(self, data):
        return np.zeros(len(data), np.int16)


def letters():
    """Three letters of each of two patients of the same name; all is marked."""
    found = []
    for number in range(6):
        text = f"Seen: Ingrid Schaefer on 0{number + 1}.03.2021."
        spans = [Span(6, 21, "NAME"), Span(25, 35, "DATE")]
        found.append(Document(f"d{number}", text, spans, {"patient": f"p{number % 2}"}))
    return found


def published(documents, rule, characters=1 << 20):
    replacer = Surrogates(KEY, scope="person", reading=DateReading((), default=True))
    sanitiser = Sanitiser(Marked(), replacer=replacer, person=rule)
    found = {}
    for batch in batches(documents, characters):
        done = sanitiser(batch)
        assert not done.withheld
        found |= dict(zip(done.ids, done.texts, strict=True))
    return found


def parts(text):
    name, day = re.fullmatch(r"Seen: (.*) on ([0-9.]+)\.", text).groups()
    d, m, y = map(int, day.split("."))
    return name, date(y, m, d)


@pytest.mark.parametrize("characters", [1, 100, 1 << 20])
def test_a_person_has_one_pseudonym_and_one_shift(characters):
    found = published(letters(), PersonRule("patient"), characters)
    seen = {}
    for number in range(6):
        name, day = parts(found[f"d{number}"])
        assert not set(NAMES) & set(name.split())
        seen.setdefault(number % 2, set()).add((name, (day - date(2021, 3, number + 1)).days))
    assert [len(both) for both in seen.values()] == [1, 1]
    assert seen[0] != seen[1]
    assert found == published(letters(), PersonRule("patient"))


class Named(Marked):
    """Redacts the names wherever they are, the first of them without certainty."""

    def decide(self, data):
        return (self.certainty(data) != 0).astype(np.int16)

    def certainty(self, data):
        words = data.words.vocabulary.words
        kinds = {name: -1.0 if name == NAMES[0] else 1.0 for name in NAMES}
        return np.array([kinds.get(words[t], 0.0) for t in data.tokens.type])


class Away:
    """Computes elsewhere: what a batch needs travels there, as to a cluster."""

    def map_batches(self, function, batches, *, shared):
        there = pickle.loads(pickle.dumps(shared))
        for batch in batches:
            content, facts = function(there, batch)
            yield [bytes(piece) for piece in content], facts


def test_surrogates_of_a_cluster_are_those_of_one_machine_and_the_key_stays_here():
    turned = Document("z", "Ingrid called Schaefer.", orders=(tuple(range(14, 23)),))
    documents = [*letters(), turned, Document("p", "Ingrid in room 4711.", fields={"patient": 1})]
    replacer = Surrogates(KEY, scope="person", reading=DateReading((), default=True))
    for rule in (None, PersonRule("patient")):
        sanitiser = Sanitiser(Named(), replacer=replacer, person=rule)
        shared = Shared(sanitiser, FieldNames(), ("jsonl", "1"))
        with pytest.raises(TypeError, match="not written anywhere"):
            pickle.dumps(shared)
        cut = [("", documents[:3]), ("", documents[3:])]
        here = [batch_part(shared, batch) for batch in cut]
        there = list(KeyOnDriver(Away()).map_batches(batch_part, cut, shared=shared))
        assert [b"".join(content) for content, _ in there] == [b"".join(c) for c, _ in here]
        assert [facts for _, facts in there] == [facts for _, facts in here]
        counted = [facts["counts"]["surrogates"] for _, facts in there]
        assert [own["NAME"] for own in counted] == [3, 3 if rule else 4]
        assert counted[1][UNSURE] == (1 if rule else 2)
        assert [len(facts["withheld"]) for _, facts in there] == [0, 1 if rule else 0]


def test_a_folder_and_a_pattern_of_file_names_name_the_person():
    by_folder = [
        Document(f"ward/p{i % 2}/letter{i}", d.text, d.spans) for i, d in enumerate(letters())
    ]
    by_name = [
        Document(f"ward/p{i % 2}_letter{i}", d.text, d.spans) for i, d in enumerate(letters())
    ]
    for documents, rule in (
        (by_folder, "folder"),
        (by_name, "{person}_*.txt"),
        (by_name, "ward/{person}_*"),
    ):
        found = published(documents, PersonRule(rule, by_file=True))
        names = [parts(found[d.id])[0] for d in documents]
        assert len(set(names[::2])) == len(set(names[1::2])) == 1
        assert names[0] != names[1]
    part = Document("d", "", part="p7/notes.jsonl")
    assert PersonRule("folder").of(part) == "p7"
    assert PersonRule("{person}/*.jsonl").of(part) == "p7"
    with pytest.raises(ParameterError, match="more than once"):
        PersonRule("{person}{person}")


def test_a_document_without_a_person_is_withheld_and_a_slip_refused(tmp_path):
    documents = [replace(d, fields={"patient": None if d.id == "d3" else "p1"}) for d in letters()]
    write_documents(documents, like="jsonl", out=tmp_path / "notes.jsonl")

    def run(out, field):
        replacer = Surrogates(KEY, scope="person")
        sanitiser = Sanitiser(Marked(), replacer=replacer, person=PersonRule(field))
        return publish(tmp_path / "notes.jsonl", tmp_path / out, sanitiser=sanitiser, candidate=CANDIDATE,
                       made_from={}, keep_ids=True, characters=100)  # fmt: skip

    release = run("out", "patient")
    assert [w["id"] for w in release.withheld] == ["d3"]
    assert "the person of the document" in release.withheld[0]["reason"]
    content = (tmp_path / "out/notes.jsonl").read_text()
    texts = [json.loads(line)["text"] for line in content.splitlines()]
    assert len({parts(text)[0] for text in texts}) == 1
    assert "patient" not in content
    with pytest.raises(ParameterError, match="No document has the field 'patent'"):
        run("slip", "patent")
    assert not (tmp_path / "slip").exists()
