"""`explore`: the frontier it answers with, what it takes in, what it refuses."""

import numpy as np
import pytest

import sfumato as sf
from sfumato.core.errors import DataError, InputError, ParameterError
from sfumato.data.document import Document, Span
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.reading.background import relabel
from sfumato.engines.text.reading.clusters import learn_clusters
from sfumato.engines.text.reading.features import RESERVED, WordTable
from sfumato.engines.text.reading.label_kinds import matching_labels
from sfumato.engines.text.reading.tokens import Vocabulary


@pytest.fixture(scope="module")
def explored(notes):
    return sf.text.explore(notes[:50], labels=["NAME"], ratios=[1, 10], attackers=())


def test_one_candidate_for_each_ratio_with_the_fields_of_the_contract(explored):
    assert {c.id for c in explored.candidates} == {"r1", "r10"}
    words, sensitive = explored.record.words, explored.record.sensitive_words
    for candidate in explored.candidates:
        c = candidate
        assert c.total_loss == c.ratio * c.leaked + c.false_positives
        assert candidate.risk.value == pytest.approx(c.leaked / sensitive)
        redacted = sensitive - c.leaked + c.false_positives
        assert candidate.utility.value == pytest.approx(1 - redacted / words)
        assert candidate.risk.value in candidate.risk.interval
        assert candidate.utility.value in candidate.utility.interval
        assert c.rounds == sum(r.kept for r in c.record)
        assert c.held_out is True
    assert explored.references[0].name == "One plain pass"


def test_a_candidate_publishes_documents_in_order(explored, notes):
    published = explored.publish("r10", notes[50:60])
    assert [d.id for d in published] == [d.id for d in notes[50:60]]
    assert any("[NAME]" in d.text for d in published)


def test_the_same_seed_gives_the_same_frontier(explored, notes):
    again = sf.text.explore(notes[:50], labels="NAME", ratios=[1, 10], attackers=())
    assert explored.record == again.record


def test_everything_that_can_be_brought_along(notes):
    bring = {
        "background": [notes[40:70], [Document("x", "no such label", [Span(0, 2, "OTHER")])]],
        "unlabelled": [notes[70:110]],
        "word_lists": {"towns": ["Ashford", "New Haven"]},
        "deny": ["clinic"],
        "allow": ["Will"],
        "weights": {"DATE": 0.5},
    }
    explored = sf.text.explore(
        notes[:40], labels=("NAME", "DATE"), ratios=[5], attackers=(), **bring
    )
    assert [(b.documents, b.labels_matched) for b in explored.record.background] == [
        (30, 2),
        (1, 0),
    ]
    text = explored.publish("r5", [Document("d", "The clinic called.")])[0].text
    assert "clinic" not in text


def test_bad_input_is_named(notes):
    explore = sf.text.explore
    with pytest.raises(DataError, match="'NOPE'"):
        explore(notes[:5], labels="NOPE")
    with pytest.raises(DataError, match="'NOPE'"):
        explore(notes[:5], labels=("NAME", "NOPE"))
    with pytest.raises(DataError, match="only one"):
        explore(notes[:1], labels="NAME")
    with pytest.raises(DataError, match="Every word"):
        everything = [Document(str(i), "Ann Lee", [Span(0, 7, "NAME")]) for i in range(4)]
        explore(everything, labels="NAME")
    with pytest.raises(ParameterError, match="labels"):
        explore(notes[:5], labels=())
    with pytest.raises(ParameterError, match="weight"):
        explore(notes[:5], labels="NAME", weights={"DATE": 2.0})
    with pytest.raises(ParameterError, match="learner"):
        explore(notes[:5], labels="NAME", learner="oracle")


def test_an_empty_document_and_a_span_that_splits_a_word_are_taken_in(notes):
    odd = [Document("empty", ""), Document("split", "Annabel called", [Span(0, 3, "NAME")])]
    explored = sf.text.explore([*notes[:20], *odd], labels="NAME", ratios=[10], attackers=())
    assert explored.record.documents == 22


def test_labels_of_other_corpora_find_their_own():
    assert matching_labels({"person", "GPE"}, ["NAME", "LOCATION"]) == {
        "GPE": "LOCATION",
        "person": "NAME",
    }
    # Where a corpus has the very name, a synonym is something else.
    assert matching_labels({"NAME", "PERSON"}, ["NAME"]) == {"NAME": "NAME"}
    assert matching_labels({"MISC"}, ["NAME"]) == {}
    renamed = relabel(
        [Document("d", "Ann, x", [Span(0, 3, "PER"), Span(5, 6, "M")])], {"PER": "NAME"}
    )
    assert [s.label for s in renamed[0].spans] == ["NAME"]


def test_words_in_the_same_company_share_a_cluster():
    random = np.random.default_rng(1)
    animals, verbs, places = ["cat", "dog", "cow"], ["sat", "ran", "ate"], ["home", "here", "there"]
    texts = [
        f"the {random.choice(animals)} {random.choice(verbs)} {random.choice(places)} ."
        for _ in range(400)
    ]
    known = learn_clusters(texts, sizes=(6,))
    words = Vocabulary([*animals, *verbs, *places])
    table = WordTable(words)
    own, near = known.rows(table.lower[RESERVED:])
    kinds = own[:, 0].tolist()
    assert len(set(kinds[:3])) == len(set(kinds[3:6])) == len(set(kinds[6:])) == 1
    assert len(set(kinds)) == 3
    assert (near != 0).all()
    again = learn_clusters(texts, sizes=(6,))
    assert np.array_equal(known.own, again.own)
    assert len(learn_clusters(["one two"]).keys) == 0


def test_paper_mode_is_judged_on_documents_it_has_not_learned_from():
    notes = clinic_notes(60)
    found = sf.text.explore(notes, labels="NAME", ratios=[1, 10], mode="paper", attackers=())
    for candidate in found.candidates:
        c = candidate
        assert c.held_out is True
        assert c.total_loss == c.ratio * c.leaked + c.false_positives
        # The literal algorithm memorises: what it believes of itself is far too good.
        assert c.total_loss_in_sample < c.total_loss / 2
    alone = sf.text.explore(notes[:1], labels="NAME", ratios=[1], mode="paper", attackers=())
    assert alone.candidates[0].held_out is False


def test_the_literal_algorithm_stands_beside_the_candidates(explored, notes):
    literal = [r for r in explored.references if r.name == "Literal Algorithm 1"]
    ratios = [ratio for r in literal for ratio in r.ratios]
    assert sorted(ratios) == ["1", "10"]
    paper = sf.text.explore(notes[:50], labels="NAME", ratios=[1, 10], mode="paper", attackers=())
    for reference in literal:
        for ratio, at in reference.ratios.items():
            same = paper.candidate(f"r{ratio}")
            assert at.total_loss == same.total_loss
            assert reference.leaked == same.leaked
            assert (reference.risk, reference.utility) == (same.risk, same.utility)


def test_the_literal_reference_is_attacked_like_a_candidate(notes):
    explored = sf.text.explore(notes[:24], labels="NAME", ratios=[10], attackers=(CRF(),))
    literal = next(r for r in explored.references if r.name == "Literal Algorithm 1")
    assert literal.attack.readings().keys() == explored.candidate("r10").attack.readings().keys()
    assert literal.attack.left.sensitive == literal.leaked


def test_words_that_give_a_name_away_are_a_kind_of_their_own():
    """A trade that stands beside one person only is redacted with the name, where that is asked for."""
    random = np.random.default_rng(3)
    people = {"Alba": "falconer", "Borges": "glazier", "Cruz": "cooper", "Diaz": "chandler"}
    documents = []
    for i in range(48):
        name = list(people)[i % 4]
        trade = people[name] if random.random() < 0.95 else "clerk"
        rest = " ".join(random.choice(["rain", "late", "home", "well", "road"], 12))
        text = f"Seen by Dr {name} today . The {trade} said : {rest} ."
        documents.append(Document(f"d{i}", text, [Span(11, 11 + len(name), "NAME")]))
    options = {"labels": "NAME", "ratios": [20], "folds": 2, "attackers": ()}
    plain = sf.text.explore(documents, **options)
    found = sf.text.explore(documents, context_fdr=0.05, **options)
    assert plain.record.contextual_words == 0
    assert found.record.contextual_words >= 36
    assert found.record.labels == ("NAME",)
    fresh = [Document("x", "Seen by Dr Cruz today . The cooper said : rain .")]
    assert "cooper" in plain.publish("r20", fresh)[0].text
    assert "cooper" not in found.publish("r20", fresh)[0].text
    assert found.publish("r20", fresh)[0].text.count("[CONTEXT]") == 1


def test_words_may_come_from_files_and_are_in_no_record(notes, tmp_path):
    lists = {}
    for name, words in (
        ("deny", "clinic\n\nthe ward\n"),
        ("allow", "Will\n"),
        ("towns", "Ashford\n"),
    ):
        lists[name] = tmp_path / f"{name}.txt"
        lists[name].write_text(words, encoding="utf-8")
    options = {"labels": "NAME", "ratios": [5], "attackers": ()}
    given = {
        "deny": ["clinic", "the ward"],
        "allow": ["Will"],
        "word_lists": {"towns": ["Ashford"]},
    }
    one = sf.text.explore(notes[:40], **given, **options)
    two = sf.text.explore(
        notes[:40], deny=lists["deny"], allow=lists["allow"],
        word_lists={"towns": lists["towns"]}, **options,
    )  # fmt: skip
    text = [Document("d", "The clinic called the ward.")]
    assert one.publish("r5", text)[0].text == two.publish("r5", text)[0].text
    assert "clinic" not in one.publish("r5", text)[0].text
    for found in (one, two):
        assert "clinic" not in str(found.record)
        assert "Ashford" not in str(found.record)
    assert two.record.request["deny"] == "deny.txt"
    with pytest.raises(InputError, match=r"missing\.txt"):
        sf.text.explore(notes[:10], deny=tmp_path / "missing.txt", **options)


def test_a_ratio_may_have_many_digits(notes):
    explored = sf.text.explore(notes[:24], labels="NAME", ratios=[3.14159265], attackers=())
    assert explored.references[-1].name == "Literal Algorithm 1"
