"""The embedded samples: the same bytes each time, and as hard as they claim."""

from __future__ import annotations

import re
import tomllib
from collections import Counter

import numpy as np
import pytest

from sfumato.core.errors import ParameterError
from sfumato.core.files import sha256_of
from sfumato.data.documents import read_documents
from sfumato.data.samples import (
    clinic_notes,
    patient_register,
    purchase_log,
    register_population,
    register_schema,
    write_samples,
)

KINDS = {"NAME", "DATE", "PHONE", "ID", "ADDRESS", "EMAIL"}


def test_the_same_seed_gives_the_same_files(sample_files, tmp_path):
    again = write_samples(tmp_path / "again")
    assert sha256_of(again) == sha256_of(sample_files)
    other = write_samples(tmp_path / "other", seed=1)
    for file in again.iterdir():
        assert sha256_of(file) != sha256_of(other / file.name), file.name


def test_the_files_are_read_by_our_readers(sample_files, notes):
    assert list(read_documents(sample_files / "notes.jsonl.gz")) == notes
    more = list(read_documents(sample_files / "more_notes.jsonl.gz"))
    assert len(more) == 800
    assert not any(d.spans for d in more)
    assert not {d.text for d in more if len(d.text) > 200} & {d.text for d in notes}
    from scipy import sparse

    log = purchase_log()
    assert (sparse.load_npz(sample_files / "purchases.npz") != log.matrix).nnz == 0
    labels = (sample_files / "purchases.labels.txt").read_text().split()
    assert labels == [str(y) for y in log.labels]
    assert (sample_files / "purchases.features.txt").read_text().split() == log.names


def test_notes_are_varied(notes):
    kinds = Counter(span.label for note in notes for span in note.spans)
    assert set(kinds) == KINDS
    assert min(kinds.values()) > 80
    assert len({note.text for note in notes}) == len(notes)
    assert any(note.text.islower() for note in notes)
    assert any(not note.spans for note in notes)
    first = [note.text[s.start : s.end] for note in notes for s in note.spans if s.label == "NAME"]
    assert len(set(first)) > 700


def test_words_are_names_here_and_not_there(notes):
    """The same capitalised word is a name in one place and an ordinary word in another."""
    named, plain = Counter(), Counter()
    for note in notes:
        for match in re.finditer(r"[A-Z][a-z]+", note.text):
            inside = any(s.label == "NAME" and s.start <= match.start() < s.end for s in note.spans)
            (named if inside else plain)[match[0]] += 1
    both = {word for word in named if plain[word] > 1}
    assert {"May", "Will", "Hope", "Rose", "Grant", "Brown", "Young", "Long", "He"} <= both
    assert len(both) > 40


def test_one_plain_pass_leaves_leaks(notes):
    """A plain classifier on half of the notes misses some names of the other half, not many."""
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.linear_model import SGDClassifier

    def words(note):
        found = list(re.finditer(r"\w+|[^\w\s]", note.text))
        lower = ["", *(m[0].lower() for m in found), ""]
        for i, m in enumerate(found):
            inside = any(s.label == "NAME" and s.start <= m.start() < s.end for s in note.spans)
            shape = re.sub(r"\d", "0", re.sub(r"[a-zà-ÿ]+", "x", re.sub(r"[A-ZÀ-Ý]", "X", m[0])))
            before, after = lower[i], lower[i + 2]
            yield [f"w{m[0]}", f"l{lower[i + 1]}", f"s{shape}", f"b{before}", f"a{after}",
                   f"{before}|{shape}", f"{shape}|{after}", f"u{lower[i + 1][-3:]}"], inside  # fmt: skip

    halves = [[pair for note in half for pair in words(note)] for half in (notes[::2], notes[1::2])]
    hasher = FeatureHasher(2**16, input_type="string", alternate_sign=False)
    (x, y), (x_test, y_test) = (
        (hasher.transform(w for w, _ in half), np.array([n for _, n in half])) for half in halves
    )
    found = SGDClassifier(max_iter=20, random_state=0).fit(x, y).predict(x_test)
    recall = found[y_test].mean()
    assert 0.8 < recall < 0.98
    assert y_test[found].mean() > 0.8


def test_every_patient_is_in_the_population():
    population = {
        tuple(row.values())[:4]: row["count"] for row in register_population().to_pylist()
    }
    register = patient_register().to_pylist()
    cells = Counter((r["area"], r["age"], r["sex"], r["group"]) for r in register)
    assert all(cells[cell] <= population.get(cell, 0) for cell in cells)
    assert min(population.values()) == 1
    assert len({r["patient"] for r in register}) == 5000
    assert all(re.fullmatch(r"\d{5}", r["area"]) for r in register)
    assert len({r["diagnosis"] for r in register}) == 7


def test_the_schema_covers_every_column_and_value(sample_files):
    schema = tomllib.loads((sample_files / "schema.toml").read_text())
    attributes = {a["name"]: a for a in schema["attribute"]}
    register = patient_register()
    assert list(attributes) == ["patient", "age", "sex", "group", "area", "diagnosis", "stay"]
    assert set(attributes) == set(register.column_names)
    for name in ("sex", "group", "area"):
        for table in (register, register_population()):
            assert set(table[name].to_pylist()) <= set(attributes[name]["domain"]["values"])
    assert max(register["age"].to_pylist()) <= attributes["age"]["domain"]["range"][1]
    with_notes = patient_register(20, notes=True)
    assert with_notes.column_names[-1] == "notes"
    assert tomllib.loads(register_schema(notes=True))["attribute"][-1]["name"] == "notes"
    assert with_notes.drop_columns(["visit", "notes"]).equals(patient_register(20))
    with pytest.raises(ParameterError, match="rows"):
        patient_register(10**9)


def test_purchases_follow_a_power_law_and_the_label_can_be_learned():
    from sklearn.model_selection import cross_val_score
    from sklearn.svm import LinearSVC

    log = purchase_log()
    assert log.matrix.shape == (3000, 2500)
    assert set(log.matrix.data) == {1}
    counts = np.sort(np.asarray(log.matrix.sum(0)).ravel())[::-1]
    assert counts[-1] >= 1
    assert counts[:250].sum() > 0.5 * counts.sum()
    slope = np.polyfit(np.log(np.arange(20, 1500)), np.log(counts[20:1500]), 1)[0]
    assert -1.3 < slope < -0.7
    auc = cross_val_score(LinearSVC(C=0.01), log.matrix, log.labels, scoring="roc_auc", cv=3).mean()
    assert 0.85 < auc < 0.95
    with pytest.raises(ParameterError):
        purchase_log(1)


def test_notes_do_not_depend_on_how_many_are_asked_for(notes):
    assert clinic_notes(10) == notes[:10]
    assert clinic_notes(10, seed=1) != notes[:10]


def test_the_notes_of_the_register_speak_of_their_rows():
    table = patient_register(300, notes=True)
    written = own = 0
    for age, area, note in zip(
        *(table[c].to_pylist() for c in ("age", "area", "notes")), strict=True
    ):
        found = re.findall(r"(\d+)(?:[- ]year[- ]old| y/o)|[Aa]ged (\d+)", note)
        written += len(found)
        own += sum(int(a or b) == age for a, b in found)
        assert not re.search(r"from (3\d{4})", note) or area in note
    assert written > 50
    assert own == written
