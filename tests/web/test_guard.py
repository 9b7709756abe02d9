"""Who may speak to the page, and what it says to everybody else."""

import asyncio
import json
import re
from html import unescape
from urllib.parse import parse_qs

import pytest
from tests.engines.text.labelling.answering import tell_conventions

from sfumato.core.errors import InputError
from sfumato.engines.text.labelling.project import start_project
from sfumato.web import make_app
from sfumato.web.app import PageState

TOKEN = "a-token-that-nobody-guesses"
HOST = "127.0.0.1:8765"


class Visitor:
    """Speaks ASGI to the application, below its secret path, and keeps its cookie."""

    def __init__(self, app):
        self.app, self.cookie = app, None

    def ask(
        self, path, *, body=None, raw=None, host=HOST, origin=None, headers=(), method=None,
        query="", prefix=None,
    ):  # fmt: skip
        sent = []
        path = (self.app.prefix if prefix is None else prefix) + path
        if raw is None:
            raw = b"" if body is None else json.dumps(body).encode()
        method = method or ("POST" if raw else "GET")
        given = [(b"host", host.encode()), *headers]
        if self.cookie:
            given.append((b"cookie", self.cookie.encode()))
        if raw:
            given.append((b"content-type", b"application/json"))
            given.append((b"content-length", str(len(raw)).encode()))
            given.append((b"origin", (origin or f"http://{host}").encode()))
        scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
                 "path": path, "raw_path": path.encode(), "root_path": "", "scheme": "http",
                 "query_string": query.encode(), "headers": given, "client": ("127.0.0.1", 1),
                 "server": ("127.0.0.1", 8765)}  # fmt: skip

        async def receive():
            return {"type": "http.request", "body": raw, "more_body": False}

        async def send(message):
            sent.append(message)

        asyncio.run(self.app(scope, receive, send))
        found = dict(sent[0]["headers"])
        if b"set-cookie" in found:
            self.cookie = found[b"set-cookie"].decode().partition(";")[0]
        return sent[0]["status"], found, b"".join(m.get("body", b"") for m in sent).decode()

    def enter(self, token=TOKEN):
        return self.ask(f"/enter/{token}")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    lines = [{"id": f"d{i}", "text": f"Mrs. Alder came on 0{i}/02/2021. She slept well."} for i in range(1, 9)]  # fmt: skip
    (folder / "in.jsonl").write_text("\n".join(map(json.dumps, lines)))
    start_project(folder / "in.jsonl", folder / "project", labels=["NAME", "DATE"])
    made = PageState([folder / "project"])
    yield made
    made.desk.close()


@pytest.fixture
def visitor(page):
    return Visitor(make_app([], token=TOKEN, page=page))


ROOMS = ["/label", "/frontier", "/review", "/audit", "/report"]


@pytest.mark.parametrize("path", ["/", *ROOMS, "/api/question", "/static/page.js"])
def test_l9_nothing_is_shown_without_the_address(visitor, path):
    status, headers, body = visitor.ask(path)
    assert status == 403
    assert "Alder" not in body
    assert headers[b"cache-control"] == b"no-store"


def test_l9_the_address_gives_a_cookie_that_no_script_reads_and_no_site_sends(visitor):
    assert visitor.enter("wrong")[0] == 403
    assert visitor.cookie is None
    status, headers, _ = visitor.enter()
    assert (status, headers[b"location"]) == (303, f"{visitor.app.prefix}/".encode())
    assert b"HttpOnly" in headers[b"set-cookie"]
    assert b"SameSite=Strict" in headers[b"set-cookie"]
    assert visitor.ask("/label")[0] == 200


@pytest.mark.parametrize("path", [*ROOMS, "/static/page.js", "/api/question", "/nowhere"])
def test_every_answer_forbids_storing_framing_and_what_is_not_ours(visitor, path):
    visitor.enter()
    _, headers, body = visitor.ask(path)
    assert headers[b"cache-control"] == b"no-store"
    assert headers[b"x-frame-options"] == b"DENY"
    policy = headers[b"content-security-policy"].decode()
    assert "default-src 'none'" in policy
    script = policy.partition("script-src ")[2].partition(";")[0]
    assert "unsafe" not in script
    if path != "/report":
        assert "unsafe" not in policy
        assert "<script>" not in body
        assert " style=" not in body
        assert " onclick=" not in body


def test_another_name_is_not_answered(visitor):
    visitor.enter()
    for host in ("evil.example", "127.0.0.1.evil.example:8765", ""):
        assert visitor.ask("/label", host=host)[0] == 400


def test_a_write_must_come_from_the_page(visitor):
    visitor.enter()
    answer = {"do": "skip", "doc": 0, "first": 0, "last": 3}
    for origin in (
        "http://evil.example",
        "null",
        "http://127.0.0.1:9999",
        "https://127.0.0.1:8765",
    ):
        assert visitor.ask("/api/answer", body=answer, origin=origin)[0] == 403
    assert visitor.ask("/api/answer", method="POST")[0] == 403
    assert visitor.ask("/api/answer", body=answer)[0] == 200


@pytest.mark.parametrize("path", ["/static/../guard.py", "/static/..%2fguard.py", "/static//etc/passwd",
                                  "/../../etc/passwd", "/static/app.py", "/enter/"])  # fmt: skip
def test_tricks_with_paths_lead_nowhere(visitor, path):
    visitor.enter()
    status, _, body = visitor.ask(path)
    assert status in (403, 404)
    assert "import" not in body
    assert "root:" not in body


def test_it_locks_itself_and_opens_again_with_the_address(page):
    now = [0.0]
    app = make_app([], token=TOKEN, page=page, idle=60)
    app.clock = lambda: now[0]
    app._last = 0.0
    visitor = Visitor(app)
    visitor.enter()
    now[0] = 50
    assert visitor.ask("/label")[0] == 200
    now[0] = 105
    assert visitor.ask("/api/status")[0] == 200  # the page asks by itself: nobody is there
    now[0] = 115
    assert visitor.ask("/label")[0] == 403
    visitor.enter()
    assert visitor.ask("/label")[0] == 200


def test_two_windows_keep_each_others_answers(page):
    app = make_app([], token=TOKEN, page=page)
    one, two = Visitor(app), Visitor(app)
    one.enter()
    two.enter()
    tell_conventions(page.desk.session)
    before = len(page.desk.session.journal)
    question = json.loads(one.ask("/api/question")[2])["question"]
    same = {"do": "window", "random": True, "spans": []} if question["kind"] == "window" else {"do": "mark", "label": ""}  # fmt: skip
    place = {k: question[k] for k in ("doc", "first", "last")}
    assert one.ask("/api/answer", body={**place, **same})[0] == 200
    assert two.ask("/api/answer", body={**place, "do": "mark", "label": "NAME"})[0] == 200
    events = page.desk.session.journal.events[before:]
    assert len(events) == 2
    again = json.loads(one.ask("/api/question")[2])["question"]
    assert (again["first"], again["doc"]) != (question["first"], question["doc"])


@pytest.mark.parametrize("body", [
    {"do": "mark", "label": "NOPE", "doc": 0, "first": 0, "last": 3}, {"do": "mark"}, {"do": "dance", "doc": 0, "first": 0, "last": 1},
    {"do": "mark", "doc": 99, "first": 0, "last": 1}, {"do": "window", "doc": 0, "first": 0, "last": 5, "spans": [[1]]},
    {"do": "mark", "doc": "x", "first": 0, "last": 1},
])  # fmt: skip
def test_answers_that_make_no_sense_are_refused_without_a_word_of_the_text(visitor, page, body):
    visitor.enter()
    kept = len(page.desk.session.journal)
    status, _, told = visitor.ask("/api/answer", body=body)
    assert status == 400
    assert "Alder" not in told
    assert len(page.desk.session.journal) == kept


def test_an_internal_error_tells_nothing(visitor, page, monkeypatch, capsys):
    visitor.enter()
    monkeypatch.setattr(page.desk, "status", lambda: 1 / 0)
    status, _, body = visitor.ask("/api/status")
    assert status == 500
    assert "ZeroDivision" not in body
    assert "Traceback" not in capsys.readouterr().err


def test_a_folder_with_nothing_in_it_is_refused(tmp_path):
    with pytest.raises(InputError, match="project or a frontier"):
        make_app([tmp_path])


def test_frontiers_of_every_engine_are_shown_and_published(written, tmp_path):
    visitor = Visitor(make_app([written], token=TOKEN))
    visitor.enter()
    assert visitor.ask("/")[1][b"location"] == b"frontier"
    assert visitor.ask("/label")[0] == 400
    for part in ("tables", "text", "baskets"):
        status, _, body = visitor.ask("/frontier", query=f"part={part}")
        assert status == 200
        links = re.findall(r'<a href="([^"]+)"><path aria-label="([^"]+): risk', body)
        assert len(links) > 1
        for link, name in links:  # each mark of the report's drawing leads to its own candidate
            query = unescape(link).removeprefix("?")
            assert parse_qs(query) == {"part": [part], "candidate": [unescape(name)]}
            assert visitor.ask("/api/candidate", query=query)[0] == 200
    assert visitor.ask("/frontier", query="part=bread")[0] == 400
    assert visitor.ask("/api/candidate", query="part=baskets&candidate=nobody")[0] == 400
    assert visitor.ask("/report")[0] == 200
    refused = visitor.ask("/api/publish", body={"part": "baskets", "candidate": "nobody"})
    assert refused[0] == 400
    assert visitor.ask("/api/publish", body={"part": "bread", "candidate": "x"})[0] == 400
