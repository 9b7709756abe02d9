"""The two trials at the desk replayed in a real browser: German letters with six labels, English notes; questions logged.

`python -m benchmarks desk_replay` starts a project of each, serves its page, and answers the questions in Chromium by
keys from the true labels: words by a label's key or `n`, their bounds moved before; classes by a label, `n` or `s`;
windows word by word with the arrow keys. It tells which share of the questions is answered no, and how many are asked twice.

A driver reads a window in a second, and a page that asks what is worth most in a second would ask it for windows alone.
So the clock of the page is set forward by the seconds that a person is modelled to take (see `_desk_player`).
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks._common import ROOT
from benchmarks._desk_letters import LABELS, german_letters
from benchmarks._desk_player import CHANGE, CLASS, DONE, MARK, READ, REMOVE, WORD
from benchmarks.desk import joined
from sfumato.data.document import Document
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.labelling.project import start_project

ANSWERS = {"letters_de": 145, "notes_en": 110}  # as many as in the trials
_FETCHED = "fetch('api/question?asking=cost').then((r) => r.json()).then((r) => JSON.stringify(r.question))"
_SHOWN = "document.getElementById('about').textContent.match(/Question (\\d+)/)?.[1] ?? null"
_PLACE = "JSON.stringify({...document.getElementById('text').dataset})"
_WORDS = (
    "JSON.stringify([...document.querySelectorAll('#text .word')].map(w => "
    "[+w.dataset.first, +w.dataset.last, w.closest('mark')?.className.match(/k(\\d)/)?.[1] ?? '']))"
)
_CLOCK = (
    "window.passed = 0; { const now = performance.now.bind(performance);"
    " performance.now = () => now() + window.passed; }"
)
_CODES = {"ArrowRight": 39, "[": 219, "]": 221, "{": 219, "}": 221}


def documents_of(name: str) -> tuple[list[Document], list[str]]:
    if name == "letters_de":
        return [joined(d) for d in german_letters(63, seed=11)], list(LABELS)
    notes = [joined(d) for d in clinic_notes(300, seed=11)]
    return notes, sorted({s.label for d in notes for s in d.spans})[:9]


def gold_of(document: Document, first: int, last: int, labels: list[str]) -> list[Any]:
    return [s for s in document.spans if s.label in labels and s.start < last and first < s.end]


def press(browser: Any, key: str, times: int = 1) -> None:
    for _ in range(times):
        browser.press(key, _CODES.get(key, ord(key.upper()[0])), key if len(key) == 1 else "")


def wait(browser: Any, seconds: float) -> float:
    """Let seconds pass on the page's clock, and return them."""
    browser.run(f"window.passed += {round(1000 * seconds)}")
    return seconds


def shown_question(browser: Any) -> dict[str, Any]:
    """Return the question as the page shows it; of a class what the program sends, which does not change."""
    shown = json.loads(browser.run(_PLACE))
    if shown["kind"] == "none":
        return {"kind": "none"}
    place = {key: int(shown[key]) for key in ("doc", "first", "last")}
    if shown["kind"] == "class":
        asked: dict[str, Any] = json.loads(browser.run(_FETCHED))
        while asked["kind"] != "class" or any(asked[key] != place[key] for key in place):
            time.sleep(0.2)  # the model has moved on: the page shows what it got before
            browser.run("location.reload()")
            time.sleep(1.0)
            shown = json.loads(browser.run(_PLACE))
            if shown["kind"] != "class":
                return shown_question(browser)
            place = {key: int(shown[key]) for key in ("doc", "first", "last")}
            asked = json.loads(browser.run(_FETCHED))
        return asked
    words = [[a, b] for a, b, _ in json.loads(browser.run(_WORDS))]
    return {"kind": shown["kind"], **place, "words": words}


def answer_class(
    browser: Any, asked: dict[str, Any], gold: list[Document], labels: list[str]
) -> tuple[str, float]:
    """Answer by the members that are shown: a convention by most of them, a class where all are alike."""
    said = []
    for example in asked["examples"]:
        document, first, last = example["place"]
        found = {s.label for s in gold_of(gold[document], first, last, labels)}
        said.append(next(iter(found)) if len(found) == 1 else "" if not found else "?")
    most = max(set(said), key=said.count)
    agreed = said.count(most) >= (0.75 if asked["asks"] else 1.0) * len(said) and most != "?"
    key = "s" if not agreed else str(1 + labels.index(most)) if most else "n"
    seconds = wait(browser, CLASS)
    press(browser, key)
    return key, seconds


def answer_window(
    browser: Any, asked: dict[str, Any], gold: list[Document], labels: list[str]
) -> tuple[str, float]:
    """Walk through the window with the arrow keys until its marks are right."""
    spans = gold_of(gold[asked["doc"]], asked["first"], asked["last"], labels)
    at, chosen = -1, ""
    words = json.loads(browser.run(_WORDS))
    seconds = wait(browser, window_seconds(words, spans, labels))
    for number, (first, last, marked) in enumerate(words):
        wanted = next((str(1 + labels.index(s.label)) for s in spans if s.start < last and first < s.end), "")  # fmt: skip
        if wanted == marked:
            continue
        if chosen != (wanted or marked):
            chosen = wanted or marked
            press(browser, chosen)
        press(browser, "ArrowRight", number - at)
        at = number
        press(browser, " ")
    press(browser, "d")
    return "d", seconds


def window_seconds(words: list[list[Any]], spans: list[Any], labels: list[str]) -> float:
    """Return how long a person takes to read a window and to put its marks right.

    Parameters
    ----------
    words : list of [first, last, mark]
        The words that are shown, and the number of the label that each carries, if any.
    spans : list of Span
        What is sensitive.
    labels : list of str
        The labels in the order of their numbers.

    """
    seconds = DONE + READ * len(words)
    for span in spans:
        shown = {mark for a, b, mark in words if span.start < b and a < span.end}
        if shown != {str(1 + labels.index(span.label))}:
            seconds += CHANGE if shown - {""} else MARK
    wrong = [bool(mark) and not any(s.start < b and a < s.end for s in spans) for a, b, mark in words]  # fmt: skip
    starts = sum(now and not before for before, now in itertools.pairwise([False, *wrong]))
    return seconds + REMOVE * starts


def answer_word(
    browser: Any, asked: dict[str, Any], gold: list[Document], labels: list[str]
) -> tuple[str, float]:
    """Say no, or move the bounds to those of the span and press the key of its label."""
    first, last = asked["first"], asked["last"]
    spans = gold_of(gold[asked["doc"]], first, last, labels)
    if not spans:
        seconds = wait(browser, WORD)
        press(browser, "n")
        return "n", seconds
    span, words = spans[0], asked["words"]
    seconds = wait(browser, WORD + CHANGE * ((span.start, span.end) != (first, last)))
    press(browser, "]", sum(last <= a < span.end for a, _ in words))
    press(browser, "[", sum(span.start < b <= first for _, b in words))
    inside = [(a, b) for a, b in words if first <= a and b <= last]
    press(browser, "}", sum(a >= span.end for a, _ in inside))
    press(browser, "{", sum(b <= span.start for _, b in inside))
    press(browser, str(1 + labels.index(span.label)))
    return "yes", seconds


def replayed(browser: Any, name: str, folder: Path) -> dict[str, Any]:
    gold, labels = documents_of(name)
    lines = (json.dumps({"id": d.id, "text": d.text}) for d in gold)
    (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    start_project(folder / f"{name}.jsonl", folder / name, labels=labels)
    served = subprocess.Popen(
        [sys.executable, "-m", "sfumato", "serve", str(folder / name), "--port", "0"],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "SFUMATO_ENCODER": "none"},
    )  # fmt: skip
    assert served.stdout is not None
    try:
        browser.open(served.stdout.readline().strip())
        log = _answer(browser, gold, labels, ANSWERS[name])
        status = browser.run("fetch('api/status').then((r) => r.json()).then((r) => JSON.stringify(r.status))")  # fmt: skip
    finally:
        served.terminate()
        served.wait()
    said = json.loads(status)
    words = [row for row in log if row["kind"] == "word"]
    return {
        "answers": len(log), "minutes": round(sum(row["seconds"] for row in log) / 60, 1), "kinds": dict(Counter(row["kind"] for row in log)),
        "no": round(sum(row["key"] == "n" for row in log) / len(log), 3),
        "no_among_words": round(sum(row["key"] == "n" for row in words) / max(len(words), 1), 3),
        "digits_among_words": round(sum(not any(c.isalpha() for c in row["words"]) for row in words) / max(len(words), 1), 3),
        "asked_twice": len(log) - len({(row["kind"], row["place"]) for row in log}),
        "left": said["left"], "low": said["low"], "high": said["high"],
        "questions": [[row["kind"], row["key"]] for row in log],
    }  # fmt: skip


def _answer(
    browser: Any, gold: list[Document], labels: list[str], times: int
) -> list[dict[str, Any]]:
    log: list[dict[str, Any]] = []
    by_kind = {"class": answer_class, "window": answer_window, "word": answer_word}
    for number in range(1, times + 1):
        waited = time.monotonic() + 60
        while browser.run(_SHOWN) != str(number) and time.monotonic() < waited:
            time.sleep(0.02)
        asked = shown_question(browser)
        if asked["kind"] == "none":
            break
        key, seconds = by_kind[asked["kind"]](browser, asked, gold, labels)
        place = asked.get("class_key") or f"{asked['doc']}:{asked['first']}-{asked['last']}"
        words = (
            ""
            if asked["kind"] == "class"
            else gold[asked["doc"]].text[asked["first"] : asked["last"]]
        )
        log.append({"kind": asked["kind"], "key": key if key in "nsd" else "yes", "place": place, "words": words, "seconds": seconds})  # fmt: skip
    return log


def run() -> dict[str, Any]:
    sys.path.insert(0, str(ROOT))
    from tests.chromium import CHROMIUM, Browser

    if CHROMIUM is None:
        print("   there is no Chromium here")
        return {}
    with tempfile.TemporaryDirectory() as place:
        browser = Browser(Path(place) / "profile")
        browser.call("Page.addScriptToEvaluateOnNewDocument", source=_CLOCK)
        try:
            found = {name: replayed(browser, name, Path(place)) for name in ANSWERS}
        finally:
            browser.close()
    for name, row in found.items():
        print(f"   {name}: { ({k: v for k, v in row.items() if k != 'questions'}) }", flush=True)
    return found
