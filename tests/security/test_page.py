"""The local page against the second round of attacks: another port, long and odd bodies, old cookies, scripts."""

import http.client
import http.server
import json
import threading
import time
from contextlib import closing, contextmanager

import pytest
from tests.chromium import CHROMIUM, Browser
from tests.serving import Served
from tests.web.test_guard import TOKEN, Visitor

from sfumato.engines.text.labelling.project import start_project
from sfumato.web import make_app
from sfumato.web.app import Page

SECRET = "Alder"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    text = (
        "Mrs. {} came on 0{}/02/2021. She slept well. The cough is better now and the pain is gone."
    )
    lines = [{"id": f"d{i}", "text": text.format(SECRET, i)} for i in range(1, 9)]
    (folder / "in.jsonl").write_text("\n".join(map(json.dumps, lines)))
    start_project(folder / "in.jsonl", folder / "project", labels=["NAME", "DATE"])
    return folder / "project"


@pytest.fixture
def page(project):
    made = Page([project])
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
def test_h5_another_port_receives_nothing_that_opens_the_page(project, tmp_path):
    served = Served(project)
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
