"""Two releases of documents together: places and groups as counted one by one, and what publishing and the attack say."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.core.errors import InputError, PrivacyWarning
from sfumato.data.document import Document, Edit, Span
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.attack.released import AttackSettings, attack_release
from sfumato.engines.text.attack.together import KnownDocuments, measure_composition, places_shown
from sfumato.engines.text.attack_records import TextAttack
from sfumato.engines.text.composition_records import LeftTogether
from sfumato.engines.text.story.together import sentences_together

edits = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 4)), max_size=4).map(
    lambda pairs: [
        Edit(start, start + n, "[NAME]", "NAME")
        for start, n in dict(pairs).items()
        if not any(s < start + n and start < s + m for s, m in dict(pairs).items() if s != start)
    ]
)


def covered(own):
    """Return the characters that are redacted; one between two redacted ones counts as redacted."""
    found = {i for e in own for i in range(e.start, e.end)}
    return found | {i for i in range(20) if i - 1 in found and i + 1 in found}


@given(edits, edits)
def test_places_are_those_of_looking_at_every_character(first, second):
    one, other = covered(first), covered(second)
    either = covered([Edit(i, i + 1, "", "NAME") for i in one | other])
    runs, at = [], 0
    while at < 20:
        if at in either:
            end = next(i for i in range(at, 21) if i not in either)
            runs.append(set(range(at, end)))
            at = end
        at += 1
    shown = sum(not run <= one & other for run in runs)
    assert places_shown(first, second) == (len(runs), shown)


@given(edits, edits, st.lists(st.tuples(st.integers(0, 12), st.integers(1, 4)), max_size=3))
def test_what_is_left_is_left_by_one_of_the_two(first, second, spans):
    document = Document("d", "Anna Schmidt met Bo", [Span(a, a + n, "NAME") for a, n in spans])
    found = LeftTogether(first=1, second=1, together=1).plus(document, first, second, ["NAME"])
    assert found.together >= max(found.first, found.second)
    hidden = [{i for e in own for i in range(e.start, e.end)} for own in (first, second)]
    left = [
        any(i not in hidden[0] or i not in hidden[1] for i in range(a, a + n) if document.text[i] != " ")
        for a, n in spans
    ]  # fmt: skip
    assert found.together == 1 + sum(left)


documents = st.lists(
    st.tuples(st.integers(0, 9), *(st.sampled_from(["", "[NAME]", "Ann Lee", "Bo Ray"]),) * 2, st.booleans()),
    min_size=1, max_size=8, unique_by=lambda d: d[0],
)  # fmt: skip


@given(documents)
def test_groups_are_those_of_brute_force(tmp_path_factory, drawn):
    folder = tmp_path_factory.mktemp("groups", numbered=True)
    known = []
    for r, name in enumerate(("one", "two")):
        (folder / f"{name}.private").mkdir()
        with (folder / f"{name}.private" / "edits.jsonl").open("w") as stream:
            for d in drawn:
                made = [[0, 4, d[1 + r], "NAME"]] if d[1 + r] else []
                id = d[0] if d[3] else f"{name}{d[0]}"
                entry = {"id": str(d[0]), "published_id": str(id), "text_sha256": f"{d[0]:064x}"}
                stream.write(json.dumps({**entry, "format": "f", "version": "1", "edits": made}))
                stream.write("\n")
        known.append(KnownDocuments.of(folder / name))
    found = measure_composition(*known)
    kinds = [(bool(one), bool(other)) for _, one, other, _ in drawn]
    marks = [
        d[0] if d[3] else d[1] if d[1] == d[2] and d[1] not in ("", "[NAME]") else None
        for d in drawn
    ]
    joint = list(zip(kinds, marks, strict=True))
    sizes = [joint.count(own) for own in joint]
    assert found.people == len(drawn)
    assert found.linked.k == min(sizes)
    assert found.linked.average == pytest.approx(np.mean([1 / n for n in sizes]))
    assert found.first.k == min([k[0] for k in kinds].count(k[0]) for k in kinds)
    assert found.linked.k <= found.unlinked.k <= min(found.first.k, found.second.k)
    assert found.shown == sum(bool(one) != bool(other) for _, one, other, _ in drawn)
    assert found.same_ids == pytest.approx(np.mean([d[3] for d in drawn]))
    names = {d[1] for d in drawn} & {"Ann Lee", "Bo Ray"}
    assert found.repeated_names == pytest.approx(np.mean([d[2] in names for d in drawn]))


# --- the engine ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Explore, and publish 60 other documents with placeholders."""
    folder = tmp_path_factory.mktemp("together")
    notes = clinic_notes(170, seed=3)
    found = sf.text.explore(notes[:100], labels=["NAME", "PHONE"], ratios=[10, 0.5], attackers=())
    (folder / "frontier").mkdir()
    found.save(folder / "frontier")
    write(folder / "notes.jsonl", notes[100:160])
    (folder / "key").write_text("0123456789abcdef" * 4)
    (folder / "key").chmod(0o600)
    found.publish(found.candidate("r10"), folder / "notes.jsonl", out=folder / "first")
    return folder, found, notes


def write(path, documents):
    path.write_text("".join(json.dumps({"id": d.id, "text": d.text}) + "\n" for d in documents))


def test_what_one_release_shows_is_shown(place):
    folder, found, notes = place
    with pytest.warns(PrivacyWarning, match="60 documents are also in the release 'first'"):
        found.publish(found.candidate("r0.5"), folder / "notes.jsonl", out=folder / "second")
    attack = attack_release(
        folder / "frontier", folder / "second", labels=notes[100:160],
        settings=AttackSettings(learners=[], earlier=[folder / "first"]),
    )  # fmt: skip
    assert TextAttack.from_json(attack.to_json()) == attack
    (joint,) = attack.compositions
    assert joint.people == 60
    assert 0 < joint.shown < joint.places
    assert joint.left.together >= max(joint.left.first, joint.left.second)
    assert joint.left.together == joint.left.second > joint.left.first  # the later redacts less
    assert attack.lines()[-1].startswith("  Remedies")
    assert "Only what both redact is redacted" in sentences_together(attack)[0]


def test_the_same_documents_again_add_nothing(place):
    folder, found, _ = place
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found.publish(found.candidate("r10"), folder / "notes.jsonl", out=folder / "again")
    assert not [w for w in said if "also in the release 'first'" in str(w.message)]


def test_surrogates_of_one_key_bring_documents_of_a_person_together(place, tmp_path):
    folder, found, notes = place
    people = [
        [Document(f"{quarter}-{i}", d.text, (), {"who": i % 20}) for i, d in enumerate(notes[100:160])]
        for quarter in range(2)
    ]  # fmt: skip
    for quarter, documents in enumerate(people):
        (tmp_path / f"{quarter}.jsonl").write_text(
            "".join(json.dumps({"id": d.id, "text": d.text, "who": d.fields["who"]}) + "\n" for d in documents)
        )  # fmt: skip
    options = {"replace": "surrogate", "key": folder / "key", "person": "who"}
    candidate = found.candidate("r10")
    found.publish(candidate, tmp_path / "0.jsonl", out=tmp_path / "first", **options)
    with pytest.warns(PrivacyWarning, match="bring documents of the same person together"):
        found.publish(candidate, tmp_path / "1.jsonl", out=tmp_path / "second", **options)
    joint = measure_composition(
        KnownDocuments.of(tmp_path / "first"), KnownDocuments.of(tmp_path / "second")
    )
    assert joint.people == 0
    assert joint.repeated_names > 0.5


def test_a_release_without_its_private_folder_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match="Nothing is known of the documents"):
        KnownDocuments.of(tmp_path / "none")
