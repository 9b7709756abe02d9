"""The labelling page by keyboard: bounds to both sides, `a`, marks that survive a reload, a mode that is remembered."""

from __future__ import annotations

import json

import pytest
from tests.chromium import CHROMIUM, Browser, until
from tests.serving import Served

from sfumato.data.samples import clinic_notes
from sfumato.engines.text.labelling.project import start_project

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: `apt-get install chromium` adds these checks"),
]  # fmt: skip
CODES = {"ArrowRight": 39, " ": 32, "[": 219, "]": 221, "{": 219, "}": 221, "Escape": 27}
QUESTION = "Question {} "


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    notes = clinic_notes(30, seed=11)
    bare = "\n".join(json.dumps({"id": d.id, "text": d.text}) for d in notes)
    (folder / "notes.jsonl").write_text(bare)
    start_project(folder / "notes.jsonl", folder / "project", labels=["NAME", "PHONE"])
    made = Served(folder / "project")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def browser(tmp_path_factory, served):
    opened = Browser(tmp_path_factory.mktemp("profile"))
    opened.open(served.address)
    until(opened, "document.getElementById('text')?.dataset.kind")
    while shown(opened)["kind"] == "class":  # conventions come first
        answered(opened, "s")
    yield opened
    opened.close()


def press(browser, key):
    browser.press(key, CODES.get(key, ord(key.upper()[0])), key if len(key) == 1 else "")


def shown(browser):
    return json.loads(browser.run("JSON.stringify({...document.getElementById('text').dataset})"))


def answered(browser, key):
    """Press a key that answers and wait for the next question."""
    number = int(browser.run("document.getElementById('about').textContent.match(/Question (\\d+)/)[1]"))  # fmt: skip
    press(browser, key)
    until(browser, f"document.getElementById('about').textContent.includes('Question {number + 1} ')")  # fmt: skip


def marked(browser):
    return browser.run("JSON.stringify([...document.querySelectorAll('#text mark')].map(m => m.textContent))")  # fmt: skip


def asks(browser, kind):
    """Answer until a question of a kind is asked."""
    for _ in range(12):
        if (place := shown(browser))["kind"] == kind:
            return place
        answered(browser, "d" if place["kind"] == "window" else "n")
    return pytest.fail(f"no {kind} was asked about")


def test_marks_of_a_window_survive_a_reload(browser, served):
    asks(browser, "window")
    before = marked(browser)
    for key in ("1", "ArrowRight", "ArrowRight", " "):
        press(browser, key)
    changed = marked(browser)
    assert changed != before
    # Where the cursor stands is said to those who do not see it, and covers nothing.
    assert browser.run("document.getElementById('news').innerText.length") > 0
    assert browser.run("document.getElementById('news').classList.contains('visually-hidden')")
    browser.open(f"{served.base}/label")
    until(browser, "document.getElementById('text')?.dataset.kind")
    assert marked(browser) == changed
    answered(browser, "d")
    assert browser.run("document.getElementById('news').textContent") == ""


def test_the_way_of_asking_is_remembered(browser, served):
    browser.run("document.querySelector('#asking').value = 'windows'; document.querySelector('#asking').dispatchEvent(new Event('change'))")  # fmt: skip
    until(browser, "document.getElementById('text')?.dataset.kind === 'window'")
    browser.open(f"{served.base}/label")
    until(browser, "document.getElementById('text')?.dataset.kind === 'window'")
    assert browser.run("document.querySelector('#asking').value") == "windows"
    browser.run("document.querySelector('#asking').value = 'attacker'; document.querySelector('#asking').dispatchEvent(new Event('change'))")  # fmt: skip
    until(browser, "document.getElementById('text')?.dataset.kind === 'word'")


def test_bounds_move_to_both_sides(browser):
    def pressed(key):
        press(browser, key)
        return browser.run("document.querySelector('#text mark')?.innerText.length ?? 0")

    for _ in range(8):  # until a word is asked about that others stand beside
        asks(browser, "word")
        alone = pressed("Escape")
        right = pressed("]")
        both = pressed("[")
        if alone < right < both:
            break
        answered(browser, "n")
    assert alone < right < both
    assert pressed("}") < both
    assert pressed("{") <= alone


def test_all_like_this_asks_yes_or_no_and_shows_what_it_will_mark(browser):
    for _ in range(30):
        asks(browser, "word")
        press(browser, "a")
        offered = browser.run("document.getElementById('preview').innerText")
        if "Yes: " in offered and "No: " in offered:
            break
        press(browser, "Escape")
        answered(browser, "n")
    assert not browser.run("document.getElementById('preview').hidden")
    press(browser, "n")
    until(browser, "document.getElementById('preview-title').textContent.includes('not sensitive')")
    said = browser.run("document.getElementById('preview-title').textContent")
    listed = browser.run("document.querySelectorAll('#places li').length")
    assert listed > 0
    assert str(listed) in said or "are shown" in said
    press(browser, "Escape")
    assert browser.run("document.getElementById('preview').hidden")


def test_the_full_document_holds_the_marks_of_the_open_window(browser):
    browser.run("document.querySelector('#asking').value = 'windows'; document.querySelector('#asking').dispatchEvent(new Event('change'))")  # fmt: skip
    until(browser, "document.getElementById('text')?.dataset.kind === 'window'")
    before = json.loads(marked(browser))
    for key in ("1", *["ArrowRight"] * 4, " "):
        press(browser, key)
    inside = json.loads(marked(browser))
    assert inside != before
    press(browser, "f")
    until(browser, "document.getElementById('whole').open")
    whole = json.loads(browser.run("JSON.stringify([...document.querySelectorAll('#whole-text mark')].map(m => m.textContent))"))  # fmt: skip
    at = [k for k in range(len(whole)) if whole[k : k + len(inside)] == inside]
    assert at
    browser.run("document.querySelector('[data-close]').click()")
    answered(browser, "d")


def test_the_chart_has_numbers_and_the_keys_tell_what_a_dashed_line_is(browser):
    until(browser, "document.querySelectorAll('#curve text').length > 3")
    axis = json.loads(browser.run("JSON.stringify([...document.querySelectorAll('#curve text')].map(t => t.textContent))"))  # fmt: skip
    assert {"0", "50", "100"} <= set(axis)
    assert any(text.endswith(" answers") for text in axis)
    assert "dashed line" in browser.run("document.getElementById('help').textContent")
    # The table of the labels stays inside its card, long names or not.
    over = """(() => { const name = document.querySelector("#by-label th"), before = name.textContent;
      name.textContent = "HEALTH_PLAN_BENEFICIARY_NUMBER";
      const edge = (e) => e.getBoundingClientRect().right, found = edge(document.getElementById("by-label")) > edge(name.closest("aside"));
      name.textContent = before; return found; })()"""
    assert not browser.run(over)
