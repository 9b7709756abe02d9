"""Attacks on the local page: another port, long and odd bodies, notes that vanish, old cookies, scripts."""

from __future__ import annotations

import http.client
import http.cookiejar
import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field

from benchmarks._findings_shell import Shell, Told
from benchmarks.startup import SCRIPT

SECRET = "Alder"


@dataclass
class Visit:
    """A browser's side of the page: its address, its cookies, the path of its rooms."""

    address: str
    jar: http.cookiejar.CookieJar = field(default_factory=http.cookiejar.CookieJar)

    def __post_init__(self) -> None:
        self.host = self.address.split("/")[2]
        self.base = self.address.partition("/enter/")[0].partition(self.host)[2]
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))
        with opener.open(self.address, timeout=60) as answer:
            answer.read()

    def cookie_for(self, address: str) -> str:
        """Return what a browser sends to an address."""
        request = urllib.request.Request(address)
        self.jar.add_cookie_header(request)
        return request.get_header("Cookie", "") or ""

    def ask(
        self, path: str, body: bytes | Iterator[bytes] | None = None, cookie: str | None = None
    ) -> tuple[int, str]:
        """Return the status and the text of an answer."""
        full = self.base + path
        given = self.cookie_for(f"http://{self.host}{full}") if cookie is None else cookie
        headers = {
            "Cookie": given,
            "Origin": f"http://{self.host}",
            "Content-Type": "application/json",
        }
        with closing(http.client.HTTPConnection(self.host, timeout=120)) as line:
            with suppress(BrokenPipeError, ConnectionResetError):  # refused before its end
                line.request("GET" if body is None else "POST", full, body, headers)
            answer = line.getresponse()
            return answer.status, answer.read().decode("utf-8", "replace")


@contextmanager
def _page(shell: Shell) -> Iterator[Visit]:
    """Serve a project of eight notes, and enter by the address that is printed."""
    text = "Mrs. {} came on 0{}/02/2021. She slept well and the cough is better now."
    lines = [{"id": f"d{i}", "text": text.format(SECRET, i)} for i in range(1, 9)]
    (shell / "in.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    shell.must("text", "start", "in.jsonl", "--label", "NAME", "--out", "project", "--quiet")
    command = [sys.executable, "-c", SCRIPT, "serve", "project", "--port", "0"]
    process = subprocess.Popen(command, cwd=shell.folder, env=shell.environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip
    try:
        assert process.stdout is not None
        yield Visit(process.stdout.readline().strip())
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        if process.stdout is not None:
            process.stdout.close()


def another_port(shell: Shell) -> Told:
    """What a browser sends to another port of this machine opens the page."""
    with _page(shell) as visit:
        stolen = visit.cookie_for("http://127.0.0.1:9/steal")
        status, told = visit.ask("/api/document?doc=3", cookie=stolen)
        assert SECRET in visit.ask("/api/document?doc=3")[1]
    return Told(
        SECRET in told, f"{'a cookie' if stolen else 'no cookie'} is sent; with it status {status}"
    )


def long_body(shell: Shell) -> Told:
    """20 MB in pieces, without a length."""
    with _page(shell) as visit:
        pieces = iter(
            [b'{"part": "text", "candidate": "r10", "note": "', *[b"x" * 65_536] * 320, b'"}']
        )
        try:
            status = visit.ask("/api/shelf", pieces)[0]
        except (ConnectionError, http.client.HTTPException):
            status = 0  # cut off
    return Told(status == 200, f"status {status or 'none: cut off'}")


def vanishing_note(shell: Shell) -> Told:
    """A note with a line separator on the shelf."""
    note = json.dumps(
        {"part": "text", "candidate": "r10", "note": "two\u2028lines"}, ensure_ascii=False
    )
    with _page(shell) as visit:
        status, told = visit.ask("/api/shelf", note.encode())
    shown = status == 200 and any(
        row.get("note") == "two\u2028lines" for row in json.loads(told)["shelf"]
    )
    return Told(
        status == 200 and not shown, f"status {status}, {'shown' if shown else 'not shown'} again"
    )


def odd_bodies(shell: Shell) -> Told:
    """Numbers that are none, and brackets without end."""
    place = '"first":0,"last":3,"do":"mark","label":"NAME"'
    bodies = [f'{{"doc":{doc},{place}}}' for doc in ("1e999", '"x"', "NaN")] + ["[" * 200_000]
    with _page(shell) as visit:
        statuses = [visit.ask("/api/answer", body.encode())[0] for body in bodies]
        statuses += [
            visit.ask(f"/api/document?{query}")[0] for query in ("doc=nan", "doc=0&ratio=-1")
        ]
        far = b'{"do":"window","doc":0,"first":0,"last":1e308,"spans":[],"random":true}'
        taken = visit.ask("/api/answer", far)[0] == 200
    errors = sum(status == 500 for status in statuses)
    return Told(errors > 0 or taken, f"{errors} of {len(statuses)} internal errors; a window without end is {'' if taken else 'not '}taken")  # fmt: skip


# A page without a server, asked in its own process; an older page has no path of its own.
_ASK = """
import asyncio
def ask(app, path, cookie=b""):
    full, sent = getattr(app, "prefix", "") + path, []
    headers = [(b"host", b"127.0.0.1:1"), (b"cookie", cookie)]
    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "path": full,
             "raw_path": full.encode(), "root_path": "", "scheme": "http", "query_string": b"", "headers": headers,
             "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 1)}
    async def receive(): return {"type": "http.request", "body": b"", "more_body": False}
    async def send(message): sent.append(message)
    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], dict(sent[0]["headers"]), b"".join(m.get("body", b"") for m in sent)
def enter(app): return ask(app, "/enter/t")[1][b"set-cookie"].partition(b";")[0]
"""
_IDLE = """
from sfumato.web.guard import Guard
now = [0.0]
async def room(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})
guard = Guard(room, token="t", idle=60, clock=lambda: now[0])
old = enter(guard)
now[0] = 61
enter(guard)
print(ask(guard, "/", old)[0])
"""
_PLANTED = """
import base64, hashlib
from unittest.mock import patch
from sfumato.web import frontiers, make_app
app = make_app(["project"], token="t")
holder = next(v for v in vars(frontiers).values() if isinstance(v, type) and hasattr(v, "report"))
with patch.object(holder, "report", lambda *_, **__: "<html><script>evil()</script></html>"):
    _, headers, body = ask(app, "/report", enter(app))
assert b"evil()" in body
print(base64.b64encode(hashlib.sha256(b"evil()").digest()) in headers[b"content-security-policy"])
"""


def _print_of(shell: Shell, code: str) -> str:
    """Return what a few lines print in the tree's own Python."""
    done = subprocess.run([sys.executable, "-c", _ASK + code], cwd=shell.folder, env=shell.environment,
                          capture_output=True, text=True, check=False)  # fmt: skip
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout.strip()


def old_cookie(shell: Shell) -> Told:
    """A cookie of before the idle minutes, after the address was opened again."""
    status = _print_of(shell, _IDLE)
    return Told(status == "200", f"status {status}")


def planted_script(shell: Shell) -> Told:
    """A script that stands in a report."""
    with _page(shell):
        pass  # for its project
    allowed = _print_of(shell, _PLANTED) == "True"
    return Told(allowed, f"a planted script is {'' if allowed else 'not '}allowed by the policy")
