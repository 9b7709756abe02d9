"""From key press to the next question in a real browser: 100,000 words, 500 answers, refits included.

Needs Chromium. The page's own clock is read: from the key event to the moment the next question is drawn.
Where an encoder is installed it is measured a second time while the encoder reads the documents and learns.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from sfumato.data.samples import clinic_notes
from sfumato.engines.text.labelling.project import start_project
from sfumato.engines.text.labelling.session import Session
from sfumato.engines.text.learners.encoder.folder import default_folder, missing_packages

WORDS = 100_000
ANSWERS = 500
MEASURED = 60

MEASURE = """new Promise(resolve => {
  const about = document.getElementById('about'), before = about.textContent, start = performance.now();
  const seen = new MutationObserver(() => {
    if (about.textContent !== before) { seen.disconnect(); requestAnimationFrame(() => resolve(performance.now() - start)); }
  });
  seen.observe(about, {childList: true, characterData: true, subtree: true});
  const key = document.getElementById('text').dataset.kind === 'window' ? 'd' : 'n';
  document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
})"""
WHO = "fetch('/api/status').then((answer) => answer.json()).then((found) => found.status.readers)"


def answered(folder: Path, notes: list[Any]) -> None:
    """Give the first answers without the page."""
    session = Session(folder, background=False)
    for number in range(ANSWERS):
        question = session.question()
        if question is None:
            break
        if question.kind == "class":
            key = session.classes.numbered(question.class_number).key
            session.settle_class(key, None, mixed=True)
            continue
        place = session.place(question.first, question.last)
        document, first, last = place
        gold = [s for s in notes[document].spans if s.start < last and first < s.end and s.label == "NAME"]  # fmt: skip
        if question.kind == "window":
            spans = [(max(s.start, first), min(s.end, last), s.label) for s in gold]
            session.window(place, spans, random=question.random)
        else:
            session.mark([place], "NAME" if gold else None)
        if number % 50 == 0:
            session.refit()
    session.close()


def run() -> dict[str, Any]:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    from tests.chromium import CHROMIUM, Browser

    if CHROMIUM is None:
        print("   there is no Chromium here")
        return {}
    notes: list[Any] = []
    words = 0
    for note in clinic_notes(2000, seed=3):
        notes.append(note)
        words += len(note.text.split())
        if words >= WORDS:
            break
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        lines = "\n".join(json.dumps({"id": d.id, "text": d.text}) for d in notes)
        (folder / "notes.jsonl").write_text(lines, encoding="utf-8")
        start_project(folder / "notes.jsonl", folder / "project", labels=["NAME"])
        answered(folder / "project", notes)
        result: dict[str, Any] = {"words": words, "answers_before": ANSWERS}
        result |= measured(Browser, folder, "none")
        if not missing_packages() and default_folder() is not None:
            result["with_encoder"] = measured(Browser, folder, "default")
    return result


def measured(browser_of: Any, folder: Path, encoder: str) -> dict[str, Any]:
    """Answer in a browser; with an encoder, while it reads and then while it learns."""
    served = subprocess.Popen(
        [sys.executable, "-m", "sfumato", "serve", str(folder / "project"), "--port", "0"],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "SFUMATO_ENCODER": encoder},
    )  # fmt: skip
    assert served.stdout is not None
    address = served.stdout.readline().strip()
    browser = browser_of(folder / f"profile-{encoder}")
    try:
        browser.open(address)
        while not browser.run("document.getElementById('text')?.dataset.kind"):
            time.sleep(0.05)
        started = time.perf_counter()
        found = timed(browser)
        if encoder != "none":
            while "CRF and encoder" not in browser.run(WHO):
                time.sleep(0.5)
            found["seconds_to_the_first_lesson"] = round(time.perf_counter() - started)
            found["while_it_learns"] = timed(browser)
            found["who"] = browser.run(WHO)
        found["memory_mb"] = memory_of(served.pid)
    finally:
        browser.close()
        served.terminate()
        served.wait()
    print(f"   {encoder}: {found}", flush=True)
    return found


def timed(browser: Any) -> dict[str, Any]:
    times = sorted(browser.run(MEASURE) for _ in range(MEASURED))
    return {
        "measured": len(times),
        "median_ms": round(statistics.median(times), 1),
        "p95_ms": round(times[int(0.95 * len(times))], 1),
        "load_average": round(os.getloadavg()[0], 1),
    }


def memory_of(process: int) -> int:
    """Return the most memory that a process had, in megabytes."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))
