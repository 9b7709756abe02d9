"""The encoder behind the page: out of fold, in the background, recorded in the journal, and used in one place."""

import json
import math
import threading
import time

import numpy as np
import pytest
from tests.conftest import sfumato
from tests.web.test_guard import TOKEN, Visitor

from sfumato import text
from sfumato.core.errors import InputError
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.labelling import desk as desks
from sfumato.engines.text.labelling import encoder_trainer as trainers
from sfumato.engines.text.labelling.answers import runs
from sfumato.engines.text.labelling.desk import TextDesk
from sfumato.engines.text.labelling.encoder_trainer import EncoderTrainer, Trainer, find_trainer
from sfumato.engines.text.labelling.estimate import estimate_risk
from sfumato.engines.text.labelling.project import start_project
from sfumato.engines.text.labelling.publication import explore_answers
from sfumato.engines.text.labelling.scorers import EncoderUpdate, Scorers
from sfumato.engines.text.labelling.session import Session
from sfumato.engines.text.labelling.status import models_of, status_of
from sfumato.engines.text.learners.encoder_choices import ENCODER_VARIABLE
from sfumato.engines.text.learners.partial import UNKNOWN, PartialCRF
from sfumato.engines.text.learners.repeats import lift_repeats
from sfumato.engines.text.reading.tokens import labels_from_spans
from sfumato.web import make_app
from sfumato.web.app import PageState

from .answering import LABELS, answer, request_of

NOTES = clinic_notes(40, seed=7)


class Simple(Trainer):
    """Finds capital letters likely, the more so the more answers there are; can wait, and can fail."""

    name = "simple"

    def __init__(self):
        self.go_on, self.updates, self.error = threading.Event(), 0, None
        self.go_on.set()

    def prepare(self, pool, watch):
        self._wait(watch)

    def _wait(self, watch):
        while not self.go_on.wait(0.005):
            watch()
        if self.error is not None:
            raise self.error

    def scores(self, pool, known, watch):
        self._wait(watch)
        self.updates += 1
        first = pool.data.tokens.text[pool.data.tokens.start]
        return np.where((first > 64) & (first < 91), 1.0, -3.0) + 0.01 * (known >= 0).sum()

    def model(self, pool, known):
        raise NotImplementedError

    def encoder_record(self):
        return None


def written(folder):
    file = folder / "notes.jsonl"
    file.write_text("\n".join(json.dumps({"id": d.id, "text": d.text}) for d in NOTES))
    return file


@pytest.fixture
def project(tmp_path):
    start_project(written(tmp_path), tmp_path / "project", labels=LABELS)
    return tmp_path / "project"


def until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.fixture
def trainer(tiny_encoder):
    from sfumato.engines.text.learners.encoder.learner import Encoder

    return EncoderTrainer(Encoder(tiny_encoder), seed=3)


@pytest.fixture
def session(project):
    made = Session(project, background=False, trainer=Simple())
    yield made
    made.close()


# --- what it learns ------------------------------------------------------------------------------


def test_an_update_about_a_document_has_not_seen_its_answers(trainer, project):
    session = Session(project, background=False)
    pool, quiet = session.pool, lambda: None
    session.close()
    gold = (labels_from_spans(NOTES, pool.data.tokens, LABELS) > 0).astype(np.int8)
    random = np.random.default_rng(4)
    known = np.where(random.random(len(gold)) < 0.3, gold, UNKNOWN).astype(np.int8)
    trainer.prepare(pool, quiet)
    scores = trainer.scores(pool, known, quiet)
    assert np.isfinite(scores).all()
    inside = pool.data.document_of == 5
    other = np.where(inside & (known >= 0), 1 - known, known).astype(np.int8)
    changed = trainer.scores(pool, other, quiet)
    assert np.array_equal(changed[inside], scores[inside])
    assert not np.array_equal(changed, scores)
    learned = pool.data.counted & (known == UNKNOWN)
    assert scores[learned & (gold > 0)].mean() > scores[learned & (gold == 0)].mean() + 0.5


def test_no_update_from_too_few_answers(trainer, project):
    session = Session(project, background=False)
    pool, quiet = session.pool, lambda: None
    session.close()
    known = np.full(len(pool.data), UNKNOWN, np.int8)
    assert trainer.scores(pool, known, quiet) is None
    known[:200] = 0  # harmless words of one document only
    assert trainer.scores(pool, known, quiet) is None


# --- one place for the scores --------------------------------------------------------------------


def test_questions_and_the_estimate_come_from_the_same_mixture(session):
    answer(session, NOTES, 12)
    assert session.train_now()
    update, known = session.scored.update, session.answers.sensitive
    assert update.upto < len(session.journal)
    crf = Scorers(session.pool, session.scorers.learner, session.record.seed).score(known)
    assert np.allclose(session.scores, (2 * crf.scores + update.scores) / 3)
    drawn = np.array(session.answers.drawn)
    where = session.pool.data.document_of[session.policy.windows[drawn]]
    held_out = session.scored.held_out(where)
    taken = np.isin(session.pool.data.document_of, where)
    assert np.allclose(held_out[taken], ((2 * crf.held_out(where) + update.scores) / 3)[taken])
    assert np.isneginf(held_out[~taken]).all()
    windows, threshold = session.policy.windows, -math.log(session.record.ratio)
    codes, labels = session.answers.known, session.record.labels
    plain = estimate_risk(session.pool, held_out, codes, windows, drawn, threshold, labels=labels)
    assert session.estimate == plain
    assert status_of(session)["low"] == plain.low
    for document in range(3):
        low, high = session.tokens.doc[document : document + 2].tolist()
        shown = np.zeros(high - low, bool)
        for span in session.spans(document):
            inside = session.sheet.tokens_of((document, span.start, span.end))
            shown[inside.start - low : inside.stop - low] = True
        code = session.answers.known[low:high]
        wanted = (code > 0) | ((code == UNKNOWN) & (session.scores[low:high] >= threshold))
        wanted &= ~session.answers.cleared[low:high]
        counted = session.pool.data.counted[low:high]
        assert np.array_equal(shown & counted, wanted & counted)


def test_what_is_held_out_is_what_models_without_the_document_say(session):
    """The plain way: for each document, fit on all others of its fold."""
    answer(session, NOTES, 12)
    known, pool = session.answers.sensitive, session.pool
    reading = Scorers(pool, PartialCRF(), 5).score(known, EncoderUpdate(1, np.ones(len(pool.data))))
    for document in (3, 7):
        everything_else = np.arange(pool.data.documents) != document
        plain = PartialCRF().fit(pool, known, documents=everything_else, seed=5).scores()
        plain = lift_repeats(plain, pool.data, 2.0)
        inside = pool.data.document_of == document
        found = reading.held_out(np.array([document]))
        assert np.allclose(found[inside], (2 * plain[inside] + 1) / 3)


def test_runs_are_what_a_loop_finds():
    random = np.random.default_rng(1)
    for _ in range(30):
        values = random.integers(-1, 3, random.integers(0, 12)).astype(np.int16)
        plain, i = [], 0
        while i < len(values):
            j = i + 1
            while j < len(values) and values[j] == values[i]:
                j += 1
            if values[i] >= 0:
                plain.append((i, j))
            i = j
        assert runs(values) == plain


# --- in the background ---------------------------------------------------------------------------


def test_the_page_answers_while_the_trainer_is_busy(project, monkeypatch):
    slow = Simple()
    slow.go_on.clear()
    monkeypatch.setattr(desks, "trainer_of", lambda *_, **__: (slow, "two readers"))
    page = PageState([project])
    try:
        assert page.desk.notes() == ("two readers",)
        visitor = Visitor(make_app([], token=TOKEN, page=page))
        visitor.enter()
        until(lambda: page.desk.session.background_trainer.state == "reading")
        for number in range(12):
            asked = json.loads(visitor.ask("/api/question")[2])["question"]
            given = {
                k: asked[k] for k in ("doc", "first", "last", "random", "class_key") if k in asked
            }
            given["do"] = {"window": "window", "class": "class"}.get(asked["kind"], "mark")
            given |= {"spans": []} if asked["kind"] == "window" else {}
            status, _, body = visitor.ask("/api/answer", body=given)
            assert status == 200
            assert json.loads(body)["question"]["number"] == number + 2
        page.desk.session.settle()
        status = json.loads(visitor.ask("/api/status")[2])["status"]
        assert status["teaching"]
        assert status["readers"] == "CRF (an encoder is reading the documents)"
        assert page.desk.session.scored.update is None
        assert slow.updates == 0
        slow.go_on.set()  # answers that were given while it worked are in the first update
        until(lambda: page.desk.session.scored.update is not None)
        assert page.desk.session.scored.update.upto == 12
        until(lambda: not page.desk.status()["teaching"])
        assert (
            page.desk.status()["readers"]
            == "CRF and encoder (it knows 12 answers and waits for answers)"
        )
    finally:
        page.desk.close()


def test_closing_does_not_wait_for_a_trainer_that_reads(project):
    slow = Simple()
    slow.go_on.clear()
    session = Session(project, trainer=slow)
    until(lambda: session.background_trainer.busy)
    session.close()
    assert session.background_trainer.state == "closed"


def test_a_trainer_that_fails_is_shown_and_the_page_goes_on(project):
    broken = Simple()
    broken.error = MemoryError("words of a document")
    session = Session(project, trainer=broken)
    until(lambda: session.background_trainer.failed)
    answer(session, NOTES, 6)
    assert models_of(session) == "CRF (an encoder failed (MemoryError))"
    assert explore_answers(session, request_of(session, [10.0])).record.encoder is None
    session.close()


def test_an_update_that_cannot_be_written_down_is_not_applied(session, monkeypatch):
    answer(session, NOTES, 6)
    before = session.scores.copy()

    def full(_event):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(session.journal, "append", full)
    assert session.train_now()
    assert session.scored.update is None
    assert np.array_equal(session.scores, before)


# --- replay --------------------------------------------------------------------------------------


def test_the_same_journal_gives_the_same_scores(project, trainer):
    session = Session(project, background=False, trainer=trainer)
    answer(session, NOTES, 30)
    assert session.train_now()
    answer(session, NOTES, 6)
    session.undo()
    session.settle()
    scores, asked = session.scores.copy(), session.question()
    applied = [e for e in session.journal if e["do"] == "lesson"]
    assert [(e["upto"], e["by"]) for e in applied] == [(30, trainer.name)]
    session.close()
    again = Session(project, background=False, trainer=trainer)
    assert np.array_equal(again.scores, scores)
    assert again.question() == asked
    again.close()
    with pytest.raises(InputError, match="another encoder"):
        Session(project, background=False, trainer=Simple())


def test_what_a_page_applied_can_be_replayed_and_a_new_page_starts_without(project, tmp_path):
    session = Session(project, trainer=Simple())
    answer(session, NOTES, 11)
    until(lambda: session.scored.update is not None and not session.background_trainer.busy)
    answer(session, NOTES, 2)
    session.settle()
    scores = session.scores.copy()
    session.close()
    replayed = Session(project, background=False, trainer=Simple())
    assert np.array_equal(replayed.scores, scores)
    replayed.close()
    page = Session(project)
    assert page.journal.events[-1] == {"n": len(page.journal), "do": "lesson", "upto": 0, "by": ""}
    assert page.scored.update is None
    plain = page.scores.copy()
    page.close()
    without = Session(project, background=False, trainer=Simple())
    assert np.array_equal(without.scores, plain)
    without.close()


# --- releases ------------------------------------------------------------------------------------


def test_a_frontier_depends_on_the_answers_and_publishes_with_the_encoder(
    project, trainer, tmp_path
):
    session = Session(project, background=False, trainer=trainer)
    answer(session, NOTES, 30)
    first = explore_answers(session, request_of(session, [10.0]))
    assert session.train_now()  # what was applied in between changes nothing
    again = explore_answers(session, request_of(session, [10.0]))
    session.close()
    assert first.record == again.record
    assert first.record.encoder.tuning == "head"
    assert first.record.learner == "crf and encoder from answers"
    candidate = first.candidates[0]
    assert candidate.encoder_reads == 1.0
    for number, found in enumerate((first, again)):
        found.save(tmp_path / f"f{number}")
    files = sorted(p.relative_to(tmp_path / "f0") for p in (tmp_path / "f0").rglob("*") if p.is_file())  # fmt: skip
    assert files
    for file in files:
        assert (tmp_path / "f0" / file).read_bytes() == (tmp_path / "f1" / file).read_bytes()
    loaded = text.load(tmp_path / "f0")
    release = loaded.publish("r10", project, out=tmp_path / "release")
    assert release.counts["documents"] == len(NOTES)
    assert release.how.encoder_device == "cpu"
    for document in NOTES[:5]:
        alone = [(s.start, s.end) for s in loaded.spans(document.text, 10)]
        assert alone == [(s.start, s.end) for s in first.spans(document.text, 10)]


# --- who is asked --------------------------------------------------------------------------------


def test_which_trainer_is_at_work(monkeypatch, tiny_folder):
    assert find_trainer("none", words=10) == (
        None, "A CRF learns from the answers; no pretrained encoder was asked for.",
    )  # fmt: skip
    found, note = find_trainer(None, words=10)
    assert found is None
    assert "no pretrained encoder is installed" in note
    found, note = find_trainer(tiny_folder, words=10, seed=1)
    assert found.encoder.tuning == "head"
    assert "joins it" in note
    monkeypatch.setattr(trainers, "MOST_WORDS", 9)
    found, note = find_trainer(tiny_folder, words=10)
    assert found is None
    assert "too many words (10)" in note


def test_the_project_says_which_encoder_and_the_environment_another(
    tmp_path, tiny_folder, monkeypatch
):
    file = written(tmp_path)
    sfumato("text", "start", file, "--label", "NAME", "--encoder", tiny_folder, "--out", tmp_path / "p")  # fmt: skip
    kept = json.loads((tmp_path / "p" / "project.json").read_text())["encoder"]
    assert not kept.startswith("/")
    monkeypatch.delenv(ENCODER_VARIABLE)
    desk = TextDesk(tmp_path / "p")
    assert isinstance(desk.session.background_trainer.trainer, EncoderTrainer)
    desk.close()
    monkeypatch.setenv(ENCODER_VARIABLE, "none")
    desk = TextDesk(tmp_path / "p")
    assert desk.session.background_trainer is None
    assert desk.status()["readers"] == "CRF"
    desk.close()
    monkeypatch.setenv(ENCODER_VARIABLE, str(tmp_path / "nowhere"))
    refused = sfumato("serve", tmp_path / "p", status=2)
    assert "config.json" in refused
    nowhere = tmp_path / "nowhere"
    sfumato("text", "start", file, "--encoder", nowhere, "--out", tmp_path / "r", status=2)
    assert not (tmp_path / "r").exists()
