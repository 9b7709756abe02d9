"""What the steward is told at the desk: each row was once a promise that did not hold."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

import sfumato as sf
from sfumato.core.engine import Part
from sfumato.core.errors import DataError, ParameterError, ReleaseRefusedError
from sfumato.core.statistics.shift import DIFFERENT, LIKE
from sfumato.data.document import Document, Span
from sfumato.data.samples.notes import clinic_notes
from sfumato.engines.text.attack.audit import answers_of, audit_documents, audit_words
from sfumato.engines.text.attack.released import AttackSettings, attack_release, classifiers_of
from sfumato.engines.text.story.checks import _bound_check

NOBODY = AttackSettings(learners=())
"""Nobody attacks inside the release."""


@pytest.fixture(scope="module")
def notes():
    return clinic_notes(180, seed=3)


@pytest.fixture(scope="module")
def explored(notes):
    return sf.text.explore(notes[:100], labels=["NAME", "PHONE"], ratios=[10], attackers=())


@pytest.fixture(scope="module")
def saved(explored, tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk") / "frontier"
    folder.mkdir()
    explored.save(folder)
    return folder


def bare(documents):
    return [Document(d.id, d.text, (), d.fields) for d in documents]


def write(path, documents):
    lines = [
        {"id": d.id, "text": d.text,
         "spans": [{"start": s.start, "end": s.end, "label": s.label} for s in d.spans], **d.fields}
        for d in documents
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


# --- a release is measured ------------------------------------------------------------------------


def test_a_release_like_what_was_learned_is_measured(explored, notes, tmp_path):
    source = write(tmp_path / "more.jsonl", bare(notes[100:]))
    release = explored.publish("r10", source, out=tmp_path / "out")
    assert release.measured.shift.verdict == LIKE
    assert release.measured.published.inside
    assert set(release.measured.redacted_per_1000_words) == {"NAME", "PHONE"}
    assert release.risk.interval.high > 0
    assert "batch of 80" in release.risk.interval.method
    assert release.documents_with_leak.high > 0
    assert any("look like the 100 learned from" in line for line in release.lines())
    again = json.loads((tmp_path / "out.private" / "figures.json").read_text(encoding="utf-8"))
    assert again["measured"]["shift"]["p_value"] > 0.01
    given = json.loads((tmp_path / "out" / "release.json").read_text(encoding="utf-8"))
    assert "measured" not in given


def test_another_kind_is_refused_unless_it_is_accepted(explored, notes, tmp_path):
    source = write(tmp_path / "upper.jsonl", [
        Document(d.id, d.text.upper()) for d in notes[100:160]
    ])  # fmt: skip
    with pytest.raises(ReleaseRefusedError, match="differ from those learned from") as caught:
        explored.publish("r10", source, out=tmp_path / "out")
    assert caught.value.exit_status == 3
    assert not (tmp_path / "out").exists()
    with pytest.raises(ReleaseRefusedError):
        explored.publish("r10", [Document(d.id, d.text.upper()) for d in notes[100:160]])
    release = explored.publish("r10", source, out=tmp_path / "out", accept_shift=True)
    assert release.how.accept_shift
    assert release.measured.shift.verdict == DIFFERENT
    assert "differ" in release.lines()[0]


def test_ranges_are_wider_for_a_smaller_release(explored, notes, tmp_path):
    one = write(tmp_path / "one.jsonl", bare(notes[100:105]))
    many = write(tmp_path / "many.jsonl", bare(notes[100:]))
    small = explored.publish("r10", one, out=tmp_path / "a")
    large = explored.publish("r10", many, out=tmp_path / "b")
    assert small.risk.interval.width > large.risk.interval.width


# --- marks, labels, options -----------------------------------------------------------------------


def test_marks_are_law_and_other_labels_are_named(explored, notes, tmp_path):
    marked = [
        Document(d.id, d.text, [Span(0, 4, "NAME"), *(s for s in d.spans if s.start > 4)], d.fields)
        for d in notes[100:140]
    ]
    release = explored.publish("r10", write(tmp_path / "m.jsonl", marked), out=tmp_path / "out")
    lines = (tmp_path / "out" / "m.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    assert all(text.startswith("[NAME]") for text in texts)
    assert release.how.marked >= 40
    assert release.how.left_as_they_are["DATE"] > 0
    assert "NAME" not in release.how.left_as_they_are
    assert any(line.startswith("left as they are: ") for line in release.lines())
    (tmp_path / "elsewhere").mkdir()
    ignored = explored.publish(
        "r10", tmp_path / "m.jsonl", out=tmp_path / "elsewhere" / "again", ignore_marks=True
    )
    assert ignored.how.marked == 0


def test_labels_that_were_not_chosen_are_named_by_explore(explored):
    assert explored.record.left_as_they_are["EMAIL"] > 0
    assert any("left as they are: DATE" in line for line in explored.lines())


def test_every_label_can_be_chosen(notes):
    found = sf.text.explore(notes[:40], labels="all", ratios=[10], attackers=())
    assert set(found.record.labels) == {"ADDRESS", "DATE", "EMAIL", "ID", "NAME", "PHONE"}
    assert found.record.left_as_they_are == {}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"keep": ["wardd"]}, "No document has the field 'wardd'"),
        ({"keep": ["text"]}, "is the text"),
        ({"keep": ["id"]}, "is the id"),
        ({"drop": ["id"]}, "is the id"),
        ({"keep": ["ward", "nonsense"]}, "'nonsense'"),
        ({"keep": ["ward"], "drop": ["ward"]}, "to be kept and to be dropped"),
        ({"keep_ids": True, "new_ids": True}, "New ids are asked for"),
        ({"person": "ward"}, "Only surrogates distinguish"),
    ],
)
def test_a_slip_in_what_is_kept_is_refused(explored, notes, tmp_path, given, message):
    documents = [Document(d.id, d.text, (), {"ward": 4}) for d in notes[100:140]]
    source = write(tmp_path / "m.jsonl", documents)
    with pytest.raises(ParameterError, match=message):
        explored.publish("r10", source, out=tmp_path / "out", **given)
    assert not (tmp_path / "out").exists()


def test_findings_of_explore_are_needed_at_publish(notes):
    findings = {d.id: [{"start": 0, "end": 3, "label": "X"}] for d in notes}
    found = sf.text.explore(
        notes[:40], labels=["NAME"], ratios=[10], attackers=(), findings=findings
    )
    with pytest.raises(ParameterError, match="findings"):
        found.publish("r10", bare(notes[100:120]))


# --- attack ---------------------------------------------------------------------------------------


def test_an_attack_leaves_out_what_was_learned_from(explored, saved, notes, tmp_path):
    held_out = write(tmp_path / "h.jsonl", notes[90:150])
    explored.publish("r10", held_out, out=tmp_path / "out", ignore_marks=True)
    found = attack_release(saved, tmp_path / "out", labels=held_out, settings=NOBODY)
    assert found.learned_from == 10
    assert found.documents == 50
    assert found.marked == 0
    learned = write(tmp_path / "l.jsonl", notes[:60])
    explored.publish("r10", learned, out=tmp_path / "learned", ignore_marks=True)
    with pytest.raises(DataError, match="are training documents"):
        attack_release(saved, tmp_path / "learned", labels=learned, settings=NOBODY)


def test_an_attack_without_matching_labels_is_refused(explored, saved, notes, tmp_path):
    held_out = write(tmp_path / "h.jsonl", notes[100:140])
    explored.publish("r10", held_out, out=tmp_path / "out")
    with pytest.raises(DataError, match="no label at all"):
        attack_release(saved, tmp_path / "out", labels=bare(notes[100:140]), settings=NOBODY)
    renamed = [
        Document(d.id, d.text, [
            Span(s.start, s.end, "PERSON" if s.label == "NAME" else s.label) for s in d.spans
        ])
        for d in notes[100:140]
    ]  # fmt: skip
    with pytest.raises(DataError, match="do not carry the label 'NAME'"):
        attack_release(saved, tmp_path / "out", labels=renamed, settings=NOBODY)


def test_an_attack_tells_that_marks_were_redacted(explored, saved, notes, tmp_path):
    held_out = write(tmp_path / "h.jsonl", notes[100:140])
    explored.publish("r10", held_out, out=tmp_path / "out")
    found = attack_release(saved, tmp_path / "out", labels=held_out, settings=NOBODY)
    assert found.marked > 0
    assert any("marked by a person" in line for line in found.lines())


# --- audit ----------------------------------------------------------------------------------------


def test_an_audit_counts_what_a_person_marked(explored, notes, tmp_path):
    source = write(tmp_path / "m.jsonl", bare(notes[100:]))
    explored.publish("r10", source, out=tmp_path / "out")
    result, lines = audit_documents(tmp_path / "out", 60)
    assert result is None
    assert lines[0] == "none found in 60 documents: at most 4.9 % of documents leak (95 %)"
    sheet = answers_of(tmp_path / "out", "documents")
    untouched, _ = audit_documents(tmp_path / "out", 60)
    assert (untouched.leaking, untouched.drawn) == (0, 60)
    assert untouched.measured.high == pytest.approx(0.0596, abs=1e-3)
    text = sheet.read_text(encoding="utf-8")
    head, _, rest = text.partition("==== 1 of 60\n")
    word = rest.split()[0]
    sheet.write_text(
        f"{head}==== 1 of 60\n{rest.replace(word, f'[[{word}]]', 1)}", encoding="utf-8"
    )
    result, lines = audit_documents(tmp_path / "out", 60)
    assert (result.leaking, result.marked) == (1, 1)
    assert result.promised is not None
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["m.jsonl", "release.json"]
    sheet.write_text(text.replace(word, "changed", 1), encoding="utf-8")
    with pytest.raises(DataError, match="not the one that was drawn"):
        audit_documents(tmp_path / "out", 60)


def test_an_audit_of_words_plays_the_game(explored, saved, notes, tmp_path):
    source = write(tmp_path / "m.jsonl", bare(notes[100:]))
    explored.publish("r10", source, out=tmp_path / "out")
    classifiers = classifiers_of(saved, tmp_path / "out")
    result, lines = audit_words(tmp_path / "out", 100, classifiers)
    assert result is None
    assert "100 words" in lines[0]
    sheet = answers_of(tmp_path / "out", "words")
    text = sheet.read_text(encoding="utf-8")
    assert len(text.splitlines()) == 100
    sheet.write_text(text.replace("[ ] 3:", "[x] 3:").replace("[ ] 7:", "[X] 7:"), encoding="utf-8")
    result, lines = audit_words(tmp_path / "out", 100, classifiers)
    assert result.leaking == 2
    assert result.bound == pytest.approx(1 / 11)
    assert "bound" in lines[1]


# --- Python ---------------------------------------------------------------------------------------


def test_spans_have_scores_and_reasons(explored, notes):
    document = notes[120]
    found = explored.spans(Document(document.id, document.text), ratio=10)
    published = explored.publish("r10", bare(notes[120:121]))[0].text
    pieces, at = [], 0
    for span in found:
        pieces += [document.text[at : span.start], f"[{span.label}]"]
        at = span.end
        assert span.probability >= span.threshold
        assert span.reason == "round 1"
    assert "".join([*pieces, document.text[at:]]) == published
    marked = explored.spans(Document("d", "Quiet day.", [Span(0, 5, "NAME")]), ratio=10)
    assert marked[0].reason == "marked"


def test_a_frame_gives_a_frame(explored, notes):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"id": [d.id for d in notes[100:140]], "text": [d.text for d in notes[100:140]], "ward": 4}
    )
    out = explored.publish("r10", frame)
    assert isinstance(out, pd.DataFrame)
    assert list(out.columns) == ["id", "text"]
    kept = explored.publish("r10", frame, keep="ward")
    assert kept["ward"].eq(4).all()
    assert out["text"].str.contains(r"\[NAME\]").any()
    assert frame["ward"].eq(4).all()


def test_scikit_learn_estimators_are_learners(notes):
    linear = pytest.importorskip("sklearn.linear_model")
    found = sf.text.explore(
        notes[:30], labels=["NAME"], ratios=[10], attackers=(),
        learner=linear.SGDClassifier(loss="log_loss", max_iter=5, tol=None),
    )  # fmt: skip
    assert found.record.learner == "sgdclassifier"
    assert found.publish("r10", bare(notes[100:130]))
    ensemble = pytest.importorskip("sklearn.ensemble")
    with pytest.raises(ParameterError, match="not linear"):
        sf.text.explore(notes[:10], labels=["NAME"], learner=ensemble.RandomForestClassifier())
    with pytest.raises(ParameterError, match="neither a name"):
        sf.text.explore(notes[:10], labels=["NAME"], learner=object())


def test_a_board_reads_leaks_by_label_and_by_document(explored):
    candidate = explored.candidates[0]
    assert sum(c.leaked for c in candidate.by_label.values()) == candidate.leaked
    assert sum(c.sensitive for c in candidate.by_label.values()) == explored.record.sensitive_words
    leaks = candidate.documents_with_leak
    assert leaks.low <= leaks.value <= leaks.high
    harmless = explored.record.words - explored.record.sensitive_words
    assert candidate.harmless_lost == pytest.approx(candidate.false_positives / harmless)


def test_the_report_tells_the_board(explored, notes, tmp_path, monkeypatch):
    monkeypatch.setenv("SFUMATO_KEY", "a key of the tests, long enough")
    source = write(tmp_path / "m.jsonl", [
        Document(d.id, d.text, [s for s in d.spans if s.label == "DATE"]) for d in notes[100:]
    ])  # fmt: skip
    release = explored.publish("r10", source, out=tmp_path / "out", replacement="surrogate")
    part = Part("text", "text", frontier=explored.record, release=release,
                chosen=explored.candidates[0], chosen_by="release")  # fmt: skip
    told = explored.engine.story(part)
    verdict = " ".join(told.verdict)
    assert "of the documents hold at least one" in verdict
    assert "of the harmless words are lost" in verdict
    assert "measured on 100 labelled documents with" in verdict
    left = next(g for g in told.grids if g.caption.startswith("What is left of each label"))
    assert [row[0] for row in left.rows] == ["NAME", "PHONE"]
    known = next(g for g in told.grids if g.caption == "The choice beside what people know")
    assert {"No redaction", "One plain pass"} <= {row[0] for row in known.rows}
    assert any("left as they are: DATE" in c.text for c in told.checks)
    published = " ".join(told.published)
    assert "Surrogates replace" in published
    assert "likely false positives" in published
    assert set(told.papers) <= {"text", "text-long"}


@pytest.mark.parametrize(
    ("low", "high", "state"), [(0.0, 0.9, "holds"), (0.0, 4.0, "open"), (2.0, 4.0, "look")]
)
def test_a_bound_holds_only_where_the_upper_end_is_within_it(low, high, state):
    found = SimpleNamespace(found=(low + high) / 2, low=low, high=high)
    record = SimpleNamespace(ranked={"10": found})
    check = _bound_check(SimpleNamespace(readings={"A": record}), 1 / 11)
    assert check.state == state


def test_the_report_of_another_kind_begins_with_it(explored, notes, tmp_path):
    upper = [Document(d.id, d.text.upper()) for d in notes[100:160]]
    source = write(tmp_path / "upper.jsonl", upper)
    release = explored.publish("r10", source, out=tmp_path / "out", accept_shift=True)
    told = explored.engine.story(Part("text", "text", frontier=explored.record, release=release))
    assert told.verdict[0].startswith("These documents differ from those learned from")
    assert told.verdict[0].endswith("The steward accepted this.")


def test_what_was_learned_from_is_read_back(explored, saved, notes):
    again = sf.text.load(saved)
    assert again.learned.knows(notes[5].text)
    assert not again.learned.knows(notes[150].text)
    for name, held_out in explored.learned.held_out.items():
        assert np.array_equal(held_out.table, again.learned.held_out[name].table)
    one = explored.publish("r10", bare(notes[100:120]))
    assert [d.text for d in again.publish("r10", bare(notes[100:120]))] == [d.text for d in one]


def test_findings_have_a_least_score_and_other_names(notes, tmp_path):
    documents = notes[100:130]
    findings = tmp_path / "findings.jsonl"
    findings.write_text(
        "".join(
            json.dumps({"id": d.id, "findings": [
                {"start": 0, "end": 4, "entity_type": "PERSON", "score": 0.9},
                {"start": 6, "end": 9, "entity_type": "LICENSE", "score": 0.01},
            ]}) + "\n"
            for d in notes
        ),
        encoding="utf-8",
    )  # fmt: skip
    options = {"findings": findings, "min_score": 0.5, "findings_labels": {"PERSON": "NAME"}}
    found = sf.text.explore(notes[:40], labels=["NAME"], ratios=[10], attackers=(), **options)
    assert any(r.name == "Findings of the other tool" for r in found.references)
    published = found.publish("r10", bare(documents), accept_shift=True, **options)
    assert all(d.text.startswith("[NAME]") for d in published)
    assert not any("[LICENSE]" in d.text or "[PERSON]" in d.text for d in published)
