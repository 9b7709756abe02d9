"""A headless Chromium, spoken to over its debugging pipe, so that nothing but the browser is needed."""

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
import warnings
from pathlib import Path

import pytest

CHROMIUM = next((p for name in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(name))), None)  # fmt: skip
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

        with warnings.catch_warnings():
            # JAX warns of every fork once it was loaded; nothing of it is used between fork and exec.
            warnings.filterwarnings("ignore", "os.fork", RuntimeWarning)
            self._process = subprocess.Popen(
                [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                close_fds=False, preexec_fn=wire, start_new_session=True,  # noqa: PLW1509 (no threads here)
            )  # fmt: skip
        for fd in (its_end, its_other_end, *ends):
            os.close(fd)
        os.set_blocking(self._receive, False)
        self._buffer, self._last, self.events = b"", 0, []
        self._left: set[str] = set()
        self._opened = 0.0  # milliseconds, as the log of the browser counts them
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    _session: str | None = None
    _address = "about:blank"

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

    def open(
        self, path: Path | str, *, dark: bool = False, width: int = 1280, height: int = 900
    ) -> None:
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)  # fmt: skip
        self.events.clear()
        self._left.add(self._address)
        self._address = path if isinstance(path, str) else path.as_uri()
        self._opened = time.time() * 1e3
        self.call("Page.navigate", url=self._address)
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
            if event["method"] == "Log.entryAdded":
                entry = about["entry"]
                # The log may be about a page that was left before: it comes when the machine has time. The browser
                # asks for a default icon only where a page was refused; our pages name their own.
                url = entry.get("url", "")
                is_late = (
                    url in self._left - {self._address}
                    or url.endswith("/favicon.ico")
                    or entry["timestamp"] < self._opened
                )
                if entry["level"] in {"error", "warning"} and not is_late:
                    found.append(entry["text"])
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


def until(browser, script, seconds=30):
    """Return what a script of the page returns, once it is something; fail where it never is."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := browser.run(script):
            return found
        time.sleep(0.02)
    return pytest.fail(f"this did not come true: {script}")
