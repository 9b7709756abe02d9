"""The whole story in a real browser: no labels, thirty answers by keyboard, frontier, publish, review, report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from tests.chromium import CHROMIUM, Browser, until
from tests.serving import Served
from tests.web.test_language import assert_no_english

from sfumato.data.samples import clinic_notes

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: `apt-get install chromium` adds these checks"),
]  # fmt: skip
LABELS = ["NAME", "PHONE"]
CODES = {"ArrowRight": 39, "ArrowLeft": 37, " ": 32}


@pytest.fixture(scope="module")
def notes():
    return clinic_notes(50, seed=11)


@pytest.fixture(scope="module")
def project(notes, tmp_path_factory):
    folder = tmp_path_factory.mktemp("story")
    bare = "\n".join(json.dumps({"id": d.id, "text": d.text}) for d in notes)
    (folder / "notes.jsonl").write_text(bare)
    done = subprocess.run(
        [sys.executable, "-m", "sfumato", "text", "start", str(folder / "notes.jsonl"), "--out",
         str(folder / "project"), "--label", ",".join(LABELS)],
        capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert "no estimate of risk until somebody has looked" in done.stdout
    return folder / "project"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


def press(browser, key):
    browser.press(key, CODES.get(key, ord(key.upper()[0])), key if len(key) == 1 else "")


def asked(browser):
    shown = browser.run("JSON.stringify({...document.getElementById('text').dataset})")
    found = json.loads(shown)
    number = browser.run("document.getElementById('about').textContent.match(/Question (\\d+)/)?.[1]")  # fmt: skip
    return {"kind": found["kind"], "number": int(number),
            **{k: int(found[k]) for k in ("doc", "first", "last")}}  # fmt: skip


def gold_of(notes, place):
    spans = notes[place["doc"]].spans
    return [s for s in spans if s.label in LABELS and s.start < place["last"] and place["first"] < s.end]  # fmt: skip


def mark_window(browser, gold):
    """Walk through the window with the arrow keys until its marks are right."""
    words = json.loads(browser.run(
        "JSON.stringify([...document.querySelectorAll('#text .word')].map(w => "
        "[+w.dataset.first, +w.dataset.last, !!w.closest('mark')]))"
    ))  # fmt: skip
    press(browser, "1")
    at = -1
    for number, (first, last, marked) in enumerate(words):
        wanted = any(s.start < last and first < s.end for s in gold)
        if wanted != marked:
            while at < number:
                press(browser, "ArrowRight")
                at += 1
            press(browser, " ")


def answer(browser, notes, times):
    for _ in range(times):
        place = asked(browser)
        gold = gold_of(notes, place)
        if place["kind"] == "window":
            mark_window(browser, gold)
            press(browser, "d")
        elif gold:
            press(browser, str(1 + LABELS.index(gold[0].label)))
        else:
            press(browser, "n")
        until(browser, f"document.getElementById('about').textContent.includes('Question {place['number'] + 1} ')")  # fmt: skip


def look_at_all_rooms(browser, served, language):
    """Open each room on a phone in a language: nothing is wider than the screen, and no English is left."""
    for room in ("label", "frontier", "review", "audit", "report"):
        chosen = f"?language={language}" if room == "label" else ""  # the choice is remembered
        browser.open(f"{served.base}/{room}{chosen}", dark=True, width=390, height=844)
        if room in {"label", "audit"}:
            until(browser, "document.getElementById('text')?.dataset.kind")
        if room == "label":
            until(browser, "document.getElementById('verdict').textContent")
        assert browser.run("document.documentElement.lang") == language
        assert browser.run("document.documentElement.scrollWidth <= innerWidth"), room
        if (
            room != "report"
        ):  # tests/report/test_languages.py reads it, and knows the titles that it cites
            assert_no_english(browser, room)
        browser.keep(f"phone-{room}-{language}")


def test_from_a_folder_of_texts_to_an_approved_release(browser, project, notes):
    served = Served(project)
    browser.open(served.address)
    until(browser, "document.getElementById('text')?.dataset.kind")
    assert browser.run("location.href") == f"{served.base}/label"
    assert asked(browser)["kind"] == "class"
    assert "title part of a NAME" in browser.run(
        "document.getElementById('asked-title').textContent"
    )
    answer(browser, notes, 10)
    press(browser, "u")
    until(browser, "document.getElementById('about').textContent.includes('Question 10 ')")
    answer(browser, notes, 1)
    journal = (project / "answers.jsonl").read_bytes()
    served.stop(signal.SIGKILL)
    assert (project / "answers.jsonl").read_bytes() == journal

    served = Served(project)
    try:
        browser.open(f"{served.base}/label")
        assert "Locked" in browser.run("document.body.innerText")
        browser.open(f"{served.base}/enter/wrong")
        assert "not the address" in browser.run("document.body.innerText")
        browser.open(served.address)
        until(browser, "document.getElementById('text')?.dataset.kind")
        assert asked(browser)["number"] == 11
        answer(browser, notes, 20)
        until(browser, "document.getElementById('stats').innerText.includes('30')")
        browser.keep("label")
        assert browser.run("document.documentElement.scrollWidth <= innerWidth")
        browser.call("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=True)  # fmt: skip
        assert browser.run("document.documentElement.scrollWidth <= 390")
        browser.call("Emulation.clearDeviceMetricsOverride")
        press(browser, "?")
        until(browser, "document.getElementById('help').open")
        browser.run("document.querySelector('[data-close-help]').click()")
        assert "Next:" in browser.run("document.getElementById('verdict').textContent")
        assert "NAME" in browser.run("document.getElementById('by-label').innerText")
        assert browser.complaints() == []
        assert all(url.startswith((served.origin, "data:")) for url in browser.requests())

        browser.open(f"{served.base}/review")
        assert "Nothing was published yet" in browser.run("document.body.innerText")
        browser.open(f"{served.base}/frontier")
        browser.run("document.getElementById('explore').click()")
        until(browser, "document.querySelectorAll('.drawing a').length > 1")
        chosen = browser.run("document.querySelector('.drawing a[href$=\"candidate=r20\"]').getAttribute('href')")  # fmt: skip
        browser.open(f"{served.base}/frontier{chosen}")
        until(browser, "document.querySelector('#right')?.textContent.length > 20")
        browser.keep("frontier")
        browser.run("document.querySelector('#publish button').click()")
        until(
            browser,
            "document.getElementById('published').textContent.includes('Press the button again')",
        )
        assert "NAME up to" in browser.run("document.getElementById('published').textContent")
        browser.run("document.querySelector('#publish button').click()")
        until(
            browser, "document.getElementById('published').textContent.includes('Published: r20')"
        )
        release = project / "releases" / "r20"
        texts = [json.loads(line)["text"] for line in (release / "notes.jsonl").read_text().splitlines()]  # fmt: skip
        assert len(texts) == len(notes)
        named = [a != b.text for a, b in zip(texts, notes, strict=True) if any(s.label in LABELS for s in b.spans)]  # fmt: skip
        assert sum(named) > 0.8 * len(named)

        browser.open(f"{served.base}/review")
        browser.run("document.getElementById('initials').value = 'AB'; document.querySelector('#approve button').click()")  # fmt: skip
        until(
            browser, "document.getElementById('approved').textContent.includes('still to be seen')"
        )
        press_seen = "document.getElementById('news').textContent.includes('The sample is seen')"
        browser.run("document.activeElement.blur()")
        end = time.monotonic() + 60
        while not browser.run(press_seen) and time.monotonic() < end:
            press(browser, "j")
            time.sleep(0.05)
        until(browser, press_seen)
        browser.keep("review")
        browser.run("document.querySelector('#approve button').click()")
        until(browser, "document.getElementById('approved').textContent === 'Approved.'")
        browser.open(f"{served.base}/review")
        assert "was approved by AB on" in browser.run("document.getElementById('is-approved').textContent")  # fmt: skip
        assert (
            json.loads(
                (release.with_name(f"{release.name}.private") / "approval.json").read_text()
            )["by"]
            == "AB"
        )

        browser.open(f"{served.base}/audit")
        until(browser, "document.getElementById('text')?.dataset.kind")
        assert asked(browser)["kind"] == "window"
        browser.keep("audit")
        browser.open(f"{served.base}/report")
        assert "%" in browser.run("document.querySelector('main').innerText")
        assert browser.complaints() == []
        browser.run("document.querySelector('.choose select[name=for]').value = 'ema'")
        browser.run("document.querySelector('.choose button').click()")
        until(
            browser,
            "location.search.includes('for=ema') && document.body?.innerText.includes('EMA')",
        )
        assert browser.complaints() == []
        look_at_all_rooms(browser, served, "de")
    finally:
        served.stop()
