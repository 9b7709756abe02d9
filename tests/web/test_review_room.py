"""In a real browser: the review room shows what the released file holds, word by word, for every candidate."""

from __future__ import annotations

import csv
import json
import socket
import threading
from dataclasses import replace
from pathlib import Path

import pytest
import uvicorn
from tests.chromium import CHROMIUM, Browser, until
from tests.web.test_guard import TOKEN, Visitor

from sfumato.core.storage.private_folder import private_folder_of
from sfumato.data.document import Document
from sfumato.data.documents import write_documents
from sfumato.data.samples import clinic_notes, discharge_letters, patient_register
from sfumato.engines.text.labelling.project import start_project
from sfumato.engines.text.private_edits import read_edits
from sfumato.engines.text.read_options import ReadOptions
from sfumato.engines.text.records import TextRelease
from sfumato.web import make_app
from sfumato.web.app import PageState

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: `apt-get install chromium` adds these checks"),
    pytest.mark.filterwarnings("ignore::sfumato.core.errors.PrivacyWarning"),  # several releases of the same documents
]  # fmt: skip
DOCUMENTS = 8
RATIO = 10.0  # of every project; all candidates but r10 are others
CANDIDATES = ["r1", "r2", "r5", "r10", "r20", "r50"]


def _notes(folder: Path):
    """English notes as JSONL, with characters that JavaScript counts twice, two notes of each patient."""
    notes = [
        replace(
            note,
            text=f"🙂 {note.text}",
            spans=tuple(replace(s, start=s.start + 2, end=s.end + 2) for s in note.spans),
        )
        for note in clinic_notes(DOCUMENTS, seed=6)
    ]
    lines = ({"id": d.id, "text": d.text, "patient": f"p{i // 2}"} for i, d in enumerate(notes))
    path = folder / "notes.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path, None, ["NAME", "PHONE"], notes


def _letters(folder: Path):
    """German letters as a folder of .txt with brat's .ann."""
    letters = discharge_letters(DOCUMENTS)
    write_documents([Document(d.id, d.text) for d in letters], like="brat", out=folder / "letters")
    return folder / "letters", None, ["NAME"], letters


def _register(folder: Path):
    """A table whose column of notes is the text, without ids."""
    table = patient_register(DOCUMENTS, 0, notes=True)
    path = folder / "register.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(table.column_names)
        writer.writerows(row.values() for row in table.to_pylist())
    reading = ReadOptions(text_column="notes", id_column="", overlaps="merge")
    return path, reading, ["NAME", "DATE"], None


CORPORA = {"notes": _notes, "letters": _letters, "register": _register}


class Page:
    """The page of one project, served from this process."""

    def __init__(self, folder: Path):
        self.state = PageState([folder])
        app = make_app([folder], page=self.state)
        self._listener = socket.socket()
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen()
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}{app.entrance}"
        self.base = self.address.partition("/enter/")[0]
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._listener]})  # fmt: skip
        self._thread.start()

    def stop(self):
        self._server.should_exit = True
        self._thread.join(30)
        self._listener.close()
        self.state.desk.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture(scope="module", params=CORPORA)
def project(request, tmp_path_factory):
    """A project with a few windows answered, and its frontier."""
    folder = tmp_path_factory.mktemp(request.param)
    source, reading, labels, gold = CORPORA[request.param](folder)
    start_project(source, folder / "project", labels=labels, reading=reading)
    page = PageState([folder / "project"])
    session = page.desk.session
    for _ in range(4):
        asked = session.policy.random_window(session.answers.done)
        document, first, last = place = session.place(asked.first, asked.last)
        spans = session.spans(document) if gold is None else gold[document].spans
        inside = [
            (max(s.start, first), min(s.end, last), s.label)
            for s in spans
            if s.label in labels and s.start < last and first < s.end
        ]
        session.window(place, inside, random=True)
    page.desk.explore()
    page.desk.close()
    return folder / "project"


_TOLD = "document.getElementById('published').textContent"
_AGAIN = "Press the button again"


def press_publish(browser, choose):
    """Press the button, and again where more may be left than was wanted; return what the page tells."""
    browser.run(f"{choose};document.querySelector('#publish button').click()")
    told = until(browser, _TOLD)
    if _AGAIN in told:
        browser.run("document.querySelector('#publish button').click()")
        told = until(browser, f"{_TOLD}.includes('{_AGAIN}') ? '' : {_TOLD}")
    return told


def publish(browser, page, candidate, choose=""):
    """Publish a candidate by the button of the frontier room."""
    browser.open(f"{page.base}/frontier?part=text&candidate={candidate}")
    told = press_publish(browser, choose)
    assert told.startswith(f"Published: {candidate}"), told


_SHOWN = """(async () => {
  const found = [];
  for (const button of document.querySelectorAll("[data-open]")) {
    document.getElementById("open-title").textContent = "";
    button.click();
    while (document.getElementById("open-title").textContent !== button.textContent) await new Promise((go) => setTimeout(go, 1));
    const pieces = [...document.getElementById("text").childNodes].map((node) => node.nodeName === "MARK"
      ? ["mark", [...node.childNodes].slice(0, -1).map((n) => n.textContent).join(""), node.lastChild.textContent]
      : ["text", node.textContent, ""]);
    found.push([button.textContent, pieces, document.getElementById("as-published").textContent]);
  }
  return JSON.stringify(found);
})()"""


def read_release(project, candidate):
    """Return the edits of a release and the texts of its file, by the ids of the project."""
    release = project / "releases" / candidate
    edits = {entry.id: entry for entry in read_edits(release)}
    texts = {document.id: document.text for document in _released(release)}
    if project.parent.name.startswith(
        "register"
    ):  # its rows have no ids: they stand in the order of the edits
        texts = dict(zip((e.published_id for e in edits.values()), texts.values(), strict=True))
    return edits, {name: texts[entry.published_id] for name, entry in edits.items()}


_LEFT = """(() => {
  const left = document.getElementById("left").cloneNode(true);
  left.querySelectorAll("mark small").forEach((label) => label.remove());
  return left.textContent;
})()"""


def compare_sides(browser, page, project, candidate):
    """Side by side shows the named release, whichever was published last."""
    browser.open(f"{page.base}/frontier?part=text&candidate={candidate}")
    _, texts = read_release(project, candidate)
    for document in page.state.desk.session.documents[:2]:
        until(browser, f"{_LEFT} === {json.dumps(document.text)}")
        assert browser.run("document.getElementById('right').textContent") == texts[document.id]
        browser.run("document.getElementById('later').click()")


def compare(browser, page, project, candidate):
    """Open every document of the review room; each must be what the released file holds, word by word."""
    browser.open(f"{page.base}/review")
    assert browser.run("document.querySelector('main strong').textContent") == candidate
    shown = json.loads(browser.run(_SHOWN))
    edits, texts = read_release(project, candidate)
    originals = {d.id: d.text for d in page.state.desk.session.documents}
    assert len(shown) == len(texts) == len(originals)
    redacted = 0
    for name, pieces, published in shown:
        assert "".join(text for _, text, _ in pieces) == originals[name]
        written = texts[name]
        assert published.split() == written.split()
        assert published == written
        marks = iter(edits[name].edits)
        rebuilt = [text if kind == "text" else next(marks).replacement for kind, text, _ in pieces]
        assert "".join(rebuilt).split() == written.split()
        assert [label for kind, _, label in pieces if kind == "mark"] == [e.label for e in edits[name].edits]  # fmt: skip
        redacted += sum(kind == "mark" for kind, *_ in pieces)
    assert browser.complaints() == []
    return redacted


def _released(release: Path):
    """Read the published file as anybody would who was given it."""
    names = [p for p in release.iterdir() if p.name != "release.json"]
    source = release if len(names) > 1 else names[0]
    reading = ReadOptions(text_column="notes", id_column="") if source.suffix == ".csv" else ReadOptions()  # fmt: skip
    return list(reading.open(source))


def correct(browser, page):
    """Click a word that was published, and one that was redacted; return the document and both places."""
    browser.open(f"{page.base}/review")
    browser.run("document.querySelector('[data-open]').click()")
    until(browser, "document.querySelector('#text .word') !== null")
    wide = "document.querySelector('{}').getBoundingClientRect().width"
    both = browser.run(f"{wide.format('.reading aside .sides')} / {wide.format('.reading')}")
    assert both > 0.5  # the document, not the list of documents, has the room
    edge = "document.querySelector('{}').getBoundingClientRect().right"
    assert browser.run(
        f"{edge.format('.reading section table')} <= {edge.format('.reading section')}"
    )
    places = json.loads(browser.run("""JSON.stringify((() => {
      const place = (w) => w && [Number(w.dataset.first), Number(w.dataset.last)];
      const words = [...document.querySelectorAll("#text .word")];
      return [place(words.find((w) => !w.closest("mark"))), place(words.find((w) => w.closest("mark")))];
    })())"""))  # fmt: skip
    for first, _ in filter(None, places):
        browser.run("document.getElementById('news').textContent = ''")
        browser.run(f"document.querySelector('#text .word[data-first=\"{first}\"]').dispatchEvent(new MouseEvent('mouseup', {{bubbles: true}}))")  # fmt: skip
        until(browser, "document.getElementById('news').textContent.startsWith('Kept')")
    return browser.run("document.getElementById('open-title').textContent"), *places


def test_the_review_room_shows_the_release_word_by_word(browser, project):
    page = Page(project)
    try:
        browser.open(page.address)
        redacted = {}
        for candidate in CANDIDATES:
            publish(browser, page, candidate)
            redacted[candidate] = compare(browser, page, project, candidate)
        assert page.state.desk.session.record.ratio == RATIO
        assert redacted["r50"] > 0
        for candidate in ("r1", "r20"):
            compare_sides(browser, page, project, candidate)
        browser.open(f"{page.base}/audit")
        assert browser.run("document.querySelector('#audited strong').textContent") == "r50"

        name, missed, wrong = correct(browser, page)
        publish(browser, page, "r2")  # a second release of that candidate, with the corrections
        compare(browser, page, project, "r2")
        entry = next(e for e in read_edits(project / "releases" / "r2") if e.id == name)
        covers = lambda place: any(e.start < place[1] and place[0] < e.end for e in entry.edits)  # noqa: E731
        assert covers(missed)
        assert wrong is None or not covers(wrong)
    finally:
        page.stop()
    page = Page(project)  # another server, another secret path
    try:
        browser.open(page.address)
        compare(browser, page, project, "r2")
        publish(browser, page, "r20")
        compare(browser, page, project, "r20")
    finally:
        page.stop()


@pytest.mark.parametrize("project", ["notes"], indirect=True)
def test_surrogates_persons_and_ids_are_choices_where_a_release_is_published(browser, project):
    key = project.parent / "secret.key"
    key.write_text("a key of the tests, long enough")
    key.chmod(0o600)
    page = Page(project)
    try:
        browser.open(page.address)
        browser.open(f"{page.base}/frontier?part=text&candidate=r5")
        offered = json.loads(browser.run("JSON.stringify([...document.querySelectorAll('[data-choice]')].map((c) => c.dataset.choice))"))  # fmt: skip
        assert offered == ["replacement", "key", "person", "keep_ids"]
        assert browser.run("document.getElementById('choice-replacement').value") == "placeholder"
        told = press_publish(browser, "document.getElementById('choice-person').value = 'patient'")
        assert told.startswith("Only surrogates distinguish persons.")
        chosen = {"replacement": "surrogate", "key": str(key), "person": "patient"}
        choose = ";".join(f"document.getElementById('choice-{k}').value = {json.dumps(v)}" for k, v in chosen.items())  # fmt: skip
        publish(browser, page, "r5", f"{choose};document.querySelector('[data-choice=keep_ids]').checked = true")  # fmt: skip
        compare(browser, page, project, "r5")
        release = TextRelease.read(project / "releases" / "r5")
        assert (release.how.replacement, release.how.ids) == ("surrogate", "kept")
        assert release.request["person"] == "patient"
        written = _released(project / "releases" / "r5")
        assert [d.id for d in written] == [d.id for d in page.state.desk.session.documents]
        assert not (private_folder_of(project / "releases" / "r5") / "ids.jsonl").exists()
        assert any("[NAME]" not in d.text for d in written)

        visitor = Visitor(make_app([], token=TOKEN, page=page.state))
        visitor.enter()
        for choices in ([], {"nobody": "x"}, {"keep_ids": "yes"}, {"replacement": 7}, {"threads": "2"}, {"replacement": "crayon"}):  # fmt: skip
            status, _, told = visitor.ask("/api/publish", body={"part": "text", "candidate": "r5", "choices": choices})  # fmt: skip
            assert status == 400, choices
            assert json.loads(told)["error"]
    finally:
        page.stop()
