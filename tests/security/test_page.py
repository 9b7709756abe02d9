"""The local page against the second round of attacks: another port, long and odd bodies, old cookies, scripts."""

import asyncio
import base64
import hashlib
import http.client
import http.server
import json
import re
import threading
import time
from contextlib import closing, contextmanager

import pytest
from tests.chromium import CHROMIUM, Browser
from tests.serving import Served
from tests.web.test_guard import TOKEN, Visitor

from sfumato.engines.text.labelling.project import start_project
from sfumato.web import make_app
from sfumato.web.app import PageState

SECRET = "Alder"


def start(folder):
    """Make a labelling project of eight documents."""
    text = (
        "Mrs. {} came on 0{}/02/2021. She slept well. The cough is better now and the pain is gone."
    )
    lines = [{"id": f"d{i}", "text": text.format(SECRET, i)} for i in range(1, 9)]
    (folder / "in.jsonl").write_text("\n".join(map(json.dumps, lines)))
    start_project(folder / "in.jsonl", folder / "project", labels=["NAME", "DATE"])
    return folder / "project"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    made = PageState([start(tmp_path_factory.mktemp("page"))])
    yield made
    made.desk.close()


@pytest.fixture
def visitor(page):
    found = Visitor(make_app([], token=TOKEN, page=page))
    found.enter()
    return found


# --- another port ---------------------------------------------------------------------------------


@contextmanager
def another_port():
    """Listen on another port of this machine, as another account may; yield what comes in."""
    received = []

    class Thief(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            received.append(f"{self.path}\n{self.headers}")
            self.send_response(200)
            self.send_header("content-type", "text/html")
            # A page that leads to itself is sent what a strict cookie withholds from the first step.
            self.send_header("set-cookie", "sfumato=planted; Path=/")
            self.end_headers()
            again = '<script>setTimeout(() => location = "/again", 50)</script>'
            self.wfile.write(again.encode() if self.path == "/start" else b"ok")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Thief)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", received
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: `apt-get install chromium` adds these checks")  # fmt: skip
def test_h5_another_port_receives_nothing_that_opens_the_page(tmp_path):
    served = Served(start(tmp_path))
    browser = Browser(tmp_path / "profile")
    try:
        browser.open(served.address)
        room = browser.run("location.href")
        assert SECRET in browser.run("fetch('api/document?doc=3').then((a) => a.text())")
        with another_port() as (address, received):
            browser.open(f"{address}/start")
            end = time.monotonic() + 30
            while not any(r.startswith("/again") for r in received) and time.monotonic() < end:
                time.sleep(0.05)
            came = "\n".join(received)
        assert "/again" in came  # the browser came by, and once more from the other port itself
        cookies = {
            line.partition(": ")[2] for line in came.splitlines() if line.startswith("Cookie")
        }
        for cookie in (*cookies, ""):
            for path in ("/label", "/api/document?doc=3", room.removeprefix(served.origin)):
                host = served.origin.removeprefix("http://")
                with closing(http.client.HTTPConnection(host, timeout=30)) as asked:
                    asked.request("GET", path, headers={"Cookie": cookie})
                    answer = asked.getresponse()
                    assert (answer.status, SECRET in answer.read().decode()) == (403, False)
        secrets = served.address.removeprefix(served.origin).strip("/").split("/enter/")
        assert len(secrets) == 2
        assert not any(secret in came for secret in secrets)
        browser.open(room)  # what the other port planted does not lock the steward out
        assert SECRET in browser.run("fetch('api/document?doc=3').then((a) => a.text())")
    finally:
        browser.close()
        served.stop()


def test_h5_cookie_and_rooms_lie_under_a_path_that_nobody_guesses(page):
    apps = [make_app([], token=TOKEN, page=page) for _ in range(2)]
    assert apps[0].prefix != apps[1].prefix
    assert len(apps[0].prefix) > 30
    visitor = Visitor(apps[0])
    _, headers, _ = visitor.enter()
    assert f"Path={apps[0].prefix}/;".encode() in headers[b"set-cookie"]
    assert visitor.ask("/label")[0] == 200
    for prefix in ("", apps[1].prefix, apps[0].prefix[:-1], apps[0].prefix + "x"):
        assert visitor.ask("/label", prefix=prefix)[0] == 403
        assert visitor.ask(f"/enter/{TOKEN}", prefix=prefix)[0] == 403
    assert visitor.ask("/label", headers=[(b"cookie", b"sfumato=planted")])[0] == 200


# --- an old cookie --------------------------------------------------------------------------------


def test_l5_an_old_cookie_is_worth_nothing_when_the_address_is_opened_after_idle_minutes(page):
    now = [0.0]
    app = make_app([], token=TOKEN, page=page, idle=60)
    app.clock = lambda: now[0]
    app._last = 0.0
    old, new = Visitor(app), Visitor(app)
    old.enter()
    now[0] = 61  # nothing was asked in between
    new.enter()
    assert new.ask("/label")[0] == 200
    assert old.ask("/label")[0] == 403


# --- long and odd bodies --------------------------------------------------------------------------


def in_pieces(visitor, path, pieces):
    """Send a body in pieces, as `Transfer-Encoding: chunked` does; return the status and what was taken."""
    given = [(b"host", b"127.0.0.1:8765"), (b"cookie", visitor.cookie.encode()),
             (b"content-type", b"application/json"), (b"transfer-encoding", b"chunked"),
             (b"origin", b"http://127.0.0.1:8765")]  # fmt: skip
    full = visitor.app.prefix + path
    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST",
             "path": full, "raw_path": full.encode(), "root_path": "", "scheme": "http", "query_string": b"",
             "headers": given, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8765)}  # fmt: skip
    sent, taken = [], 0

    async def receive():
        nonlocal taken
        piece = next(pieces, None)
        taken += len(piece or b"")
        return {"type": "http.request", "body": piece or b"", "more_body": piece is not None}

    async def send(message):
        sent.append(message)

    asyncio.run(visitor.app(scope, receive, send))
    return sent[0]["status"], taken


def test_l2_a_body_in_pieces_is_counted_as_it_comes(visitor, page):
    kept = len(page.desk.session.journal)
    start = iter([b'{"note": "', *[b"x" * 65_536] * 300, b'"}'])
    status, taken = in_pieces(visitor, "/api/shelf", start)
    assert status == 400
    assert taken < 2**21
    assert len(page.desk.session.journal) == kept
    short = iter([b'{"do": "skip", "doc": 0,', b'"first": 0, "last": 3}'])
    assert in_pieces(visitor, "/api/answer", short)[0] == 200


PLACES = [
    b'"doc":1e999,"first":0,"last":3', b'"doc":"x","first":0,"last":3', b'"doc":NaN,"first":0,"last":3',
    b'"doc":0.5,"first":0,"last":3', b'"doc":0,"first":0,"last":1e308', b'"doc":0,"first":-1,"last":3',
    b'"doc":0,"first":0,"last":' + b"9" * 4_000, b'"doc":true,"first":0,"last":3',
]  # fmt: skip
ODD = [
    *(("answer", b'{"do":"mark","label":"NAME",%s}' % place) for place in PLACES),
    *(("answer", b'{"do":"window","spans":[],%s}' % place) for place in PLACES),
    *(("like", b'{"label":"NAME",%s}' % place) for place in PLACES),
    *(("see", b'{"doc":%s}' % number) for number in (b"1e999", b'"x"', b"NaN", b"-1", b"9999", b"null")),
    ("answer", b'{"do":"mark","like":true,"doc":0,"first":0,"last":3,"struck":[[[0]]]}'),
    ("answer", b'{"do":"window","doc":0,"first":0,"last":3,"spans":[[0,9,"NAME"]]}'),
    ("answer", b'{"do":"window","doc":0,"first":0,"last":3,"spans":{"a":1}}'),
    ("shelf", b'{"part":"text","candidate":"r10","note":"\\ud800"}'),
    ("publish", b'{"part":"text","candidate":"r10","data":"\\ud800"}'),
    *((path, body) for path in ("answer", "like", "see", "shelf", "publish", "approve")
      for body in (b"[" * 200_000 + b"]" * 200_000, b"[]", b"7", b"\xff", b"{", b'{"a":Infinity}')),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body"), ODD)
def test_l4_odd_bodies_are_one_sentence(visitor, page, path, body):
    kept = len(page.desk.session.journal)
    status, _, told = visitor.ask(f"/api/{path}", raw=body)
    assert status == 400
    assert json.loads(told)["error"]
    assert SECRET not in told
    assert len(page.desk.session.journal) == kept
    assert page.shelf.rows() == []


@pytest.mark.parametrize("query", ["doc=nan", "doc=1e999", "doc=x", "doc=1.5", "doc=-1", "doc=9999", "doc=0&ratio=-1",
                                   "doc=0&ratio=0", "doc=0&ratio=nan", "doc=0&ratio=inf", "doc=0&ratio=x"])  # fmt: skip
def test_l4_odd_queries_are_one_sentence(visitor, query):
    status, _, told = visitor.ask("/api/document", query=query)
    assert status == 400
    assert SECRET not in told
    assert visitor.ask("/api/document", query="doc=0&ratio=10")[0] == 200


def test_l4_only_windows_that_were_drawn_tell_the_risk(visitor, page):
    """A page that calls every window random, or none, changes nothing: the program knows what it drew."""
    session = page.desk.session
    for claimed in (True, False):
        before = list(session.answers.drawn)
        drawn = session.policy.random_window(session.answers.done)
        place = session.place(drawn.first, drawn.last)
        other = next(d for d in range(8) if d != place[0])
        whole = {"doc": other, "first": 0, "last": len(session.documents[other].text)}
        asked = dict(zip(("doc", "first", "last"), place, strict=True))
        sides = [{**whole, "last": whole["last"] - 1}, {**asked, "last": asked["last"] - 1}, asked]
        for window in sides:
            answer = {"do": "window", "random": claimed, "spans": [], **window}
            assert visitor.ask("/api/answer", body=answer)[0] == 200
        assert session.answers.drawn == [*before, drawn.window]
        again = {"do": "window", "random": True, "spans": [], **asked}
        assert visitor.ask("/api/answer", body=again)[0] == 200
        assert session.answers.drawn == [*before, drawn.window]  # no window counts twice
    second = {"do": "window", "asking": "second", "spans": []}
    assert visitor.ask("/api/answer", body={**second, **asked})[0] == 200
    assert visitor.ask("/api/answer", body={**second, **asked, "first": asked["first"] + 1})[0] == 400  # fmt: skip


# --- scripts --------------------------------------------------------------------------------------


def test_l6_a_script_that_stands_in_a_report_is_not_allowed_by_standing_there(
    visitor, page, monkeypatch
):
    """The policy names the report's own scripts, as they were written, and none that came in with the data."""
    own = "<script>(() => 1)()</script>"
    monkeypatch.setattr(
        page.frontiers, "report", lambda *_: f"<html>{own}<script>evil()</script></html>"
    )
    _, headers, body = visitor.ask("/report")
    policy = headers[b"content-security-policy"].decode()
    assert "evil()" in body
    digest = base64.b64encode(hashlib.sha256(b"evil()").digest()).decode()
    assert digest not in policy
    script = policy.partition("script-src ")[2].partition(";")[0]
    assert script.count("sha256-") == 2
    assert "unsafe" not in script


def test_l6_a_report_names_its_scripts_in_a_policy_of_its_own(written):
    from sfumato.reports.facts import ReportFacts
    from sfumato.reports.html import render_html
    from sfumato.reports.parts import find_parts

    page = render_html(ReportFacts(tuple(find_parts([written]))))
    policy = page.partition('http-equiv="Content-Security-Policy" content="')[2].partition('"')[0]
    script = policy.partition("script-src ")[2].partition(";")[0]
    assert "unsafe" not in script
    standing = re.findall(r"<script(?![^>]*application/json)[^>]*>(.*?)</script>", page, re.DOTALL)
    assert len(standing) == 2  # the page's own and the chart library
    for text in standing:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in script
