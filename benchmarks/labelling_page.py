"""From key press to the next question in a real browser: 100,000 words, 500 answers, refits included.

Needs Chromium. The page's own clock is read: from the key event to the moment the next question is drawn.
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


def answered(folder: Path, notes: list[Any]) -> None:
    """Give the first answers without the page."""
    session = Session(folder, background=False)
    for number in range(ANSWERS):
        question = session.question()
        if question is None:
            break
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
        served = subprocess.Popen(
            [sys.executable, "-m", "sfumato", "serve", str(folder / "project"), "--port", "0"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert served.stdout is not None
        address = served.stdout.readline().strip()
        browser = Browser(folder / "profile")
        try:
            browser.open(address)
            while not browser.run("document.getElementById('text')?.dataset.kind"):
                time.sleep(0.05)
            times = [browser.run(MEASURE) for _ in range(MEASURED)]
        finally:
            browser.close()
            served.terminate()
            served.wait()
    times.sort()
    result = {
        "words": words,
        "answers_before": ANSWERS,
        "measured": len(times),
        "median_ms": round(statistics.median(times), 1),
        "p95_ms": round(times[int(0.95 * len(times))], 1),
        "load_average": round(os.getloadavg()[0], 1),
    }
    print(f"   {result}", flush=True)
    return result
