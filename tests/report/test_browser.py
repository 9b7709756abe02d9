"""The page in a real browser: no console error, no request leaves it, it works by keyboard, light and dark.

Chromium is spoken to over its debugging pipe, so nothing but the browser itself is needed. Set
SFUMATO_SCREENSHOTS to a folder to keep pictures of what the tests saw.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import time
from functools import cache
from pathlib import Path

import pytest

from sfumato.report import write_report

CHROMIUM = next((p for name in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(name))), None)  # fmt: skip
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: `apt-get install chromium` adds these checks"),
]  # fmt: skip
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--remote-debugging-pipe"]  # fmt: skip
PATIENCE = 60


class Browser:
    """A Chromium and one page in it, over file descriptors 3 and 4."""

    def __init__(self, profile: Path) -> None:
        its_end, self._send = os.pipe()
        self._receive, its_other_end = os.pipe()
        # Keep clear of 3 and 4, where Chromium expects its ends.
        ends = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (its_end, its_other_end)]

        def wire() -> None:
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self._process = subprocess.Popen(
            [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=wire, start_new_session=True,  # noqa: PLW1509 (no threads here)
        )  # fmt: skip
        for fd in (its_end, its_other_end, *ends):
            os.close(fd)
        os.set_blocking(self._receive, False)
        self._buffer, self._last, self.events = b"", 0, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    _session: str | None = None

    def _messages(self):
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(self._receive, 1 << 20):
                self._buffer += chunk
        *whole, self._buffer = self._buffer.split(b"\0")
        return [json.loads(message) for message in whole]

    def call(self, method: str, **parameters):
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        return self._until(lambda m: m.get("id") == self._last, method)["result"]

    def _until(self, wanted, what: str):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = None
            for message in self._messages():
                if "method" in message:
                    self.events.append(message)
                if wanted(message):
                    found = message
            if found is not None:
                assert "error" not in found, found
                return found
            time.sleep(0.01)
        pytest.fail(f"Chromium did not answer {what} in {PATIENCE} s")

    def open(self, path: Path, *, dark: bool = False, width: int = 1280, height: int = 900) -> None:
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)  # fmt: skip
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        self._wait_event("Page.loadEventFired")

    def _wait_event(self, method: str) -> None:
        if not any(e["method"] == method for e in self.events):
            self._until(lambda m: m.get("method") == method, method)

    def run(self, script: str):
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)  # fmt: skip
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str, code: int, text: str = "") -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, text=text if kind == "keyDown" else "")  # fmt: skip

    def keep(self, name: str) -> None:
        folder = os.environ.get("SFUMATO_SCREENSHOTS")
        if folder:
            picture = self.call("Page.captureScreenshot", captureBeyondViewport=True)
            Path(folder, f"{name}.png").write_bytes(base64.b64decode(picture["data"]))

    def complaints(self) -> list[str]:
        """List console errors and warnings, exceptions, and entries of the browser's own log."""
        found = []
        for event in self.events:
            about = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                found.append(str(about["exceptionDetails"].get("text")))
            if event["method"] == "Runtime.consoleAPICalled" and about["type"] in {"error", "warning", "assert"}:  # fmt: skip
                found.append(str(about["args"]))
            if event["method"] == "Log.entryAdded" and about["entry"]["level"] in {"error", "warning"}:  # fmt: skip
                found.append(about["entry"]["text"])
        return found

    def requests(self) -> list[str]:
        """List the addresses asked for, the page's own file aside."""
        asked = [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]  # fmt: skip
        return [url for url in asked if not url.startswith(("file://", "data:", "blob:", "about:"))]

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(timeout=PATIENCE)
        os.close(self._send)
        os.close(self._receive)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def page_of(copied, tmp_path_factory):
    """Return the function that makes a report's page, each kind of report once."""

    @cache
    def made(*engines: str) -> Path:
        return write_report([copied(tmp_path_factory.mktemp("page"), *engines)])["report.html"]

    return made


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("engines", [("text",), ("tables",), ("baskets",), ("text", "tables", "baskets")], ids="+".join)  # fmt: skip
def test_it_opens_without_complaint_and_without_a_request(browser, page_of, engines, dark):
    browser.open(page_of(*engines), dark=dark)
    assert browser.run("document.querySelectorAll('h1').length") == 1
    # Every figure really is drawn, and nothing is wider than the window.
    assert browser.run("[...document.querySelectorAll('.view:not([hidden]) svg')].every(s => s.getBoundingClientRect().width > 200)")  # fmt: skip
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    browser.keep(f"{'-'.join(engines)}-{'dark' if dark else 'light'}")
    assert browser.complaints() == []
    assert browser.requests() == []


def test_it_fits_a_narrow_window(browser, page_of):
    browser.open(page_of(), width=390, height=844)
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    browser.keep("narrow")


def test_a_number_is_explained_by_keyboard(browser, page_of):
    browser.open(page_of("text"))
    browser.run("document.querySelector('.lead a.n').focus()")
    words = browser.run("document.activeElement.textContent")
    browser.press("Enter", 13, "\r")
    assert browser.run("!document.getElementById('pop').hidden")
    assert "How to read it" in browser.run("document.getElementById('pop').textContent")
    assert browser.run("document.activeElement.closest('#pop') !== null")
    browser.keep("explained")
    browser.press("Escape", 27)
    assert browser.run("document.getElementById('pop').hidden")
    assert browser.run("document.activeElement.textContent") == words


def test_the_scale_can_be_switched(browser, page_of):
    browser.open(page_of("tables"))
    shown = "[...document.querySelectorAll('#chart-tables-frontier .view')].map(v => v.hidden)"
    assert browser.run(shown) == [False, True]
    browser.run("document.querySelector('#chart-tables-frontier button[data-view=\"1\"]').click()")
    assert browser.run(shown) == [True, False]
    assert browser.complaints() == []


def test_charts_become_interactive_without_a_request(browser, page_of):
    browser.open(page_of("text", "tables"))
    for chart in ("text-frontier", "text-attack", "tables-frontier"):
        browser.run(f"document.querySelector('#chart-{chart} button[data-live]').click()")
        live = f"document.querySelectorAll('#chart-{chart} .view.live svg[role=img][aria-label]').length"  # fmt: skip
        end = time.monotonic() + PATIENCE
        while browser.run(live) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        assert browser.run(live) == 2
    browser.keep("interactive")
    assert browser.complaints() == []
    assert browser.requests() == []


CONTRAST = """
(() => {
  const parse = (c) => (c.match(/[\\d.]+/g) || []).map(Number);
  const lum = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0.99) return c; } return [255, 255, 255]; };
  const bad = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || e.closest("script, .mast, .skip, [hidden], details:not([open]) > :not(summary)")) continue;
    const style = getComputedStyle(e), svg = e.closest("svg");
    if (svg && style.stroke === style.fill) continue; // the halo behind a label
    const ink = parse(svg ? style.fill : style.color);
    const [a, b] = [lum(ink), lum(ground(svg ? svg.parentElement : e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) bad.push(`${e.tagName}.${e.className.baseVal ?? e.className}: ${walker.currentNode.textContent.slice(0, 30)}`);
  }
  return bad;
})()
"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_on_the_page_has_enough_contrast(browser, page_of, dark):
    browser.open(page_of(), dark=dark)
    assert browser.run("document.body.innerText.length") > 5000
    bad = browser.run(CONTRAST)
    assert bad == []


def test_it_prints(browser, page_of):
    browser.open(page_of())
    printed = base64.b64decode(browser.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    assert printed.startswith(b"%PDF")
    if os.environ.get("SFUMATO_SCREENSHOTS"):
        Path(os.environ["SFUMATO_SCREENSHOTS"], "printed.pdf").write_bytes(printed)
