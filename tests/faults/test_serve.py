"""The local page under faults: killed, stopped, two at once, a full or read-only disk, documents that change."""

import errno
import http.client
import json
import os
import signal
import subprocess
import time

import pytest
from tests.serving import Served
from tests.web.test_guard import TOKEN, Visitor
from typer.testing import CliRunner

from sfumato.cli import build
from sfumato.core.errors import DataError, LockedError
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.labelling.project import start_project
from sfumato.web import make_app
from sfumato.web.app import PageState
from sfumato.web.shelf import Shelf

NOTES = clinic_notes(12)


@pytest.fixture
def project(tmp_path):
    lines = [json.dumps({"id": d.id, "text": d.text}) + "\n" for d in NOTES]
    (tmp_path / "notes.jsonl").write_text("".join(lines))
    start_project(tmp_path / "notes.jsonl", tmp_path / "project", labels=["NAME"])
    return tmp_path / "project"


@pytest.fixture
def page(project):
    made = PageState([project])
    yield made
    made.desk.close()


@pytest.fixture
def visitor(page):
    found = Visitor(make_app([], token=TOKEN, page=page))
    found.enter()
    return found


def window(number):
    """Answer a whole document as a person does who finds every name in it."""
    note = NOTES[number]
    spans = [[s.start, s.end, "NAME"] for s in note.spans if s.label == "NAME"]
    return {"do": "window", "random": True, "doc": number, "first": 0, "last": len(note.text), "spans": spans}  # fmt: skip


class Visited(Served):
    """A server, and a browser without a window."""

    def ask(self, path, body=None):
        host = self.origin.removeprefix("http://")
        connection = http.client.HTTPConnection(host, timeout=60)
        headers = {"Host": host, "Cookie": getattr(self, "cookie", "")}
        if body is not None:
            headers |= {"Content-Type": "application/json", "Origin": f"http://{host}"}
        connection.request(
            "GET" if body is None else "POST",
            self.base.removeprefix(self.origin) + path,
            None if body is None else json.dumps(body),
            headers,
        )
        answer = connection.getresponse()
        self.cookie = (answer.getheader("set-cookie") or headers["Cookie"]).partition(";")[0]
        found = answer.status, answer.read().decode()
        connection.close()
        return found


def test_a_server_that_is_stopped_continued_and_killed_keeps_every_answer(project):
    """A second server is refused meanwhile; after the kill the project opens where it was left."""
    served = Visited(project, stderr=subprocess.PIPE)
    try:
        assert served.ask("/label")[0] == 403  # the address is the key
        assert served.ask("/enter/" + served.address.rpartition("/")[2])[0] == 303
        kept = 0
        for number in range(4):
            assert served.ask("/api/answer", window(number))[0] == 200
            kept += 1
        served.process.send_signal(signal.SIGSTOP)
        with pytest.raises(LockedError, match="Another program has this project open"):
            PageState([project])
        served.process.send_signal(signal.SIGCONT)
        for number in range(4, 7):
            assert served.ask("/api/answer", window(number))[0] == 200
            kept += 1
    finally:
        served.process.send_signal(signal.SIGKILL)
        said = served.process.communicate(timeout=30)[1]
    assert said.startswith("Open this address")
    assert said.splitlines()[1].startswith("A CRF learns from the answers; no pretrained encoder")
    assert said.count("\n") == 2  # nothing is logged
    journal = (project / "answers.jsonl").read_text().splitlines()
    assert [json.loads(line)["doc"] for line in journal] == list(range(kept))
    page = PageState([project])  # a dead process never blocks
    assert len(page.desk.session.journal) == kept
    assert page.desk.question("cost")["number"] == kept + 1
    page.desk.close()
    assert not [p.name for p in project.iterdir() if p.name.startswith(".")]


def full(number):
    """Return an `os.write` that has room for half of what it is given, and then none."""
    real, room = os.write, [1]

    def write(file, data):
        if len(data) < 10:  # the wake-up calls of an event loop
            return real(file, data)
        if room and len(data) > 1:
            room.pop()
            return real(file, data[: len(data) // 2])
        raise OSError(number, os.strerror(number))

    return write


@pytest.mark.parametrize(("number", "status", "said"), [
    (errno.ENOSPC, 507, "disk is full"), (errno.EROFS, 500, "Read-only"), (errno.EIO, 500, "nothing of this was kept"),
])  # fmt: skip
def test_an_answer_that_cannot_be_written_is_not_acknowledged(
    visitor, page, monkeypatch, number, status, said
):
    assert visitor.ask("/api/answer", body=window(0))[0] == 200
    journal = page.desk.session.project.journal_path
    before = journal.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full(number))
        found = visitor.ask("/api/answer", body=window(1))
    assert found[0] == status
    assert said in found[2]
    assert not any(s in found[2] for s in (NOTES[1].text[:20], "Traceback", str(journal)))
    assert journal.read_bytes() == before
    assert visitor.ask("/api/answer", body=window(1))[0] == 200  # there is room again
    assert [json.loads(line)["n"] for line in journal.read_text().splitlines()] == [1, 2]


def test_a_project_that_cannot_be_written_is_one_sentence(project, monkeypatch):
    real = os.open

    def read_only(path, flags, *rest, **named):
        if str(path).endswith("answers.jsonl"):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return real(path, flags, *rest, **named)

    monkeypatch.setattr(os, "open", read_only)
    done = CliRunner().invoke(build(["serve"]), ["serve", str(project), "--port", "0"])
    assert done.exit_code == 1
    assert "Read-only file system" in done.output
    assert "Traceback" not in done.output


def test_a_shelf_that_a_kill_or_a_full_disk_left_half_written(tmp_path, monkeypatch):
    shelf = Shelf(tmp_path / "shelf.jsonl")
    shelf.add({"part": "text", "candidate": "r1", "note": "first"})
    whole = shelf.path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full(errno.ENOSPC))
        with pytest.raises(OSError, match="No space left"):
            shelf.add({"part": "text", "candidate": "r2"})
    assert shelf.path.read_bytes() == whole
    shelf.path.write_bytes(whole + b'{"part": "te')
    shelf.add({"part": "text", "candidate": "r3"})
    assert [row["candidate"] for row in shelf.rows()] == ["r1", "r3"]
    for note in (
        "two\u2028lines",
        "next\x85line",
        "half \ud800 a sign",
    ):  # none of them ends a line
        shelf.add({"part": "text", "candidate": "r5", "note": note})
        assert shelf.rows()[-1] == {"part": "text", "candidate": "r5", "note": note}
    (tmp_path / "victim").write_text("somebody else's")
    (tmp_path / "linked.jsonl").symlink_to(tmp_path / "victim")
    with pytest.raises(OSError, match="symbolic links"):
        Shelf(tmp_path / "linked.jsonl").add({"part": "text", "candidate": "r4"})
    assert (tmp_path / "victim").read_text() == "somebody else's"


def test_documents_that_change_are_not_published(visitor, page, project, tmp_path):
    """Marks are places in the text: in another text they would cover something else."""
    for number in range(8):
        assert visitor.ask("/api/answer", body=window(number))[0] == 200
    assert done(visitor, "/api/explore", {})["state"] == "done"
    notes = (tmp_path / "notes.jsonl").read_text()
    (tmp_path / "notes.jsonl").write_text(notes.replace('"text": "', '"text": "Moved. '))
    job = done(visitor, "/api/publish", {"part": "text", "candidate": "r10"})
    assert job["state"] == "failed"
    assert "have changed since the project was started" in job["message"]
    assert not list(project.glob("releases/*"))
    (tmp_path / "notes.jsonl").write_text(notes)
    job = done(visitor, "/api/publish", {"part": "text", "candidate": "r10"})
    assert job["state"] == "done"
    name, *lines = job["result"].split("\n")
    assert name == "r10"
    # The page says what the command line says of a release; nothing but the text goes out as it is.
    record = json.loads((project / "releases/r10/release.json").read_text())
    assert record["how"]["fields_as_they_are"] == []
    assert any(line.startswith(f"{record['counts']['documents']:,} documents") for line in lines)
    page.desk.close()
    (tmp_path / "notes.jsonl").write_text(notes + "\n")
    with pytest.raises(DataError, match="have changed since the project was started"):
        PageState([project])


def done(visitor, path, body):
    """Start some work and wait for its end."""
    assert json.loads(visitor.ask(path, body=body)[2])["started"]
    end = time.monotonic() + 60
    while (job := json.loads(visitor.ask("/api/status")[2])["job"])["state"] == "running":
        assert time.monotonic() < end
        time.sleep(0.02)
    return job
