"""The local page in the reader's language: every word of its templates, its script and its errors is in the catalogue."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse
from tests.report.test_languages import ENGLISH
from tests.web.test_guard import TOKEN, Visitor

import sfumato.web
from sfumato.core.errors import InputError, PlanError
from sfumato.presentation.language import LANGUAGES, current_language, say, speaking
from sfumato.web.guard import Guard
from sfumato.web.language import script_messages, tell_error

WEB = Path(sfumato.web.__file__).parent
TEMPLATES = sorted((WEB / "templates").glob("*.j2"))
SCRIPT = (WEB / "static" / "page.js").read_text(encoding="utf-8")
OTHERS = [name for name in LANGUAGES if name != "en"]
JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
HIDDEN = re.compile(r"<(script|style)\b.*?</\1>|<kbd>.*?</kbd>", re.DOTALL)
SPOKEN_ATTRIBUTE = re.compile(r'\b(?:aria-label|alt|title|placeholder)="([^"]*)"')
NAMES = {"sfumato", "L/C"}
"""What is called the same in every language."""


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda p: p.name)
def test_every_word_of_a_template_goes_through_the_catalogue(template):
    bare = HIDDEN.sub("", JINJA.sub("", template.read_text(encoding="utf-8")))
    spoken = SPOKEN_ATTRIBUTE.findall(bare)
    for text in [re.sub(r"<[^>]*>", "\n", bare), *spoken]:
        words = set(text.split()) - NAMES
        assert not [word for word in words if re.search(r"[A-Za-z]", word)], template.name


def literals(script):
    """Yield the texts of a script that are no argument of `say` and `sayMany`, without what is put into them."""
    bare = re.sub(r"^\s*//.*$| // .*$", "", script, flags=re.MULTILINE)
    bare = re.sub(r'\bsay\(\s*"(?:[^"\\]|\\.)*"', "say(", bare)
    bare = re.sub(r'\bsayMany\([^"]*?"[^"]*",\s*"[^"]*"', "sayMany(", bare)
    for found in re.finditer(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`', bare):
        yield re.sub(r"\$\{[^}]*\}", "", found[1] or found[2] or "")


SHOWN = re.compile(r"[A-Za-z]{2,}[.?!:,]? [A-Za-z]|^[A-Z][a-z]+")
CODE = re.compile(r"^(no answer|marks +|input, select.*|button, a|mark, \.word|Enter|Escape|Arrow\w+|POST|http.*|[#.\[].*)$")  # fmt: skip


def test_every_sentence_of_the_script_goes_through_the_catalogue():
    left = [text for text in literals(SCRIPT) if SHOWN.search(text) and not CODE.match(text)]
    assert left == []
    assert list(literals('news(`Is ${it} here?`); news(say("Yes"));')) == ["Is  here?"]
    assert len(script_messages()) > 50


@pytest.mark.parametrize("language", OTHERS)
def test_the_script_gets_its_messages_with_the_values_in_place(language):
    with speaking(language):
        told = script_messages()
    same = [english for english, other in told.items() if english == other]
    assert len(same) < 5
    for english, other in told.items():
        assert sorted(re.findall(r"\{\w+\}", english)) == sorted(re.findall(r"\{\w+\}", other))
        assert not ENGLISH.search(re.sub(r"\{\w+\}", "", other)), other


def heard(*, query="", **headers):
    """Ask a guarded page that answers in its language and return the answer and what is kept."""

    async def app(scope, receive, send):
        await PlainTextResponse(f"{current_language()} {say('Close')}")(scope, receive, send)

    visitor = Visitor(Guard(app, token=TOKEN))
    visitor.enter()
    if "cookie" in headers:
        visitor.cookie += f"; {headers.pop('cookie')}"
    given = [(name.encode(), value.encode()) for name, value in headers.items()]
    _, answered, body = visitor.ask("/label", query=query, headers=given)
    return body, answered.get(b"set-cookie", b"").decode()


def test_the_page_speaks_as_it_was_asked_else_as_before_else_as_the_browser_wishes():
    german = {"accept-language": "it, de-AT;q=0.9, en;q=0.5"}
    assert heard(**german) == ("de Schließen", "")
    assert heard(**{"accept-language": "en-GB, de;q=0.9"})[0] == "en Close"
    assert heard(**{"accept-language": "xx, *;q=nonsense"})[0] == "en Close"
    assert heard(cookie="sfumato-language=en", **german)[0] == "en Close"
    body, kept = heard(query="language=de", cookie="sfumato-language=en")
    assert body == "de Schließen"
    assert kept.startswith("sfumato-language=de; Path=/")
    assert heard(query="language=xx")[1] == ""


def test_a_locked_page_says_so_in_the_language_of_the_browser():
    visitor = Visitor(Guard(None, token=TOKEN))
    status, _, body = visitor.ask("/label", headers=[(b"accept-language", b"de")])
    assert (status, body.split()[0]) == (403, "Gesperrt.")
    assert current_language() == "en"


def test_errors_are_told_in_the_language_of_the_page():
    error = InputError("Nothing was published yet.", hint="publish a candidate first.")
    assert tell_error(error) == str(error)
    plan = PlanError("Look.", mistakes=["a: b", "c: d"], hint="mend it.")
    assert tell_error(plan) == str(plan)
    with speaking("de"):
        assert tell_error(error) == (
            "Noch wurde nichts veröffentlicht. Hinweis: Veröffentlichen Sie zuerst einen Kandidaten."
        )


VISIBLE = """JSON.stringify((() => {
  const found = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const kept = '.text, #places, .languages, script, style, pre, code, cite, kbd, #choice-replacement, #choose-for';
  while (walk.nextNode()) if (!walk.currentNode.parentElement.closest(kept)) found.push(walk.currentNode.data.trim());
  for (const e of document.querySelectorAll('[aria-label]')) found.push(e.ariaLabel);
  return found.filter(Boolean);
})())"""


def assert_no_english(browser, room):
    """Fail where a room that is open in a browser shows an English word beside the documents themselves."""
    shown = json.loads(browser.run(VISIBLE))
    assert len(shown) > 10
    for text in shown:
        assert not ENGLISH.search(text), (room, text)
