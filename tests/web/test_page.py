"""The local page: chooses, refuses what is not there, answers to its own names alone."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path

import pytest

from sfumato.core.errors import InputError
from sfumato.web import make_app
from sfumato.web.__main__ import main

found = importlib.util.spec_from_file_location(
    "report_made_up", Path(__file__).parents[1] / "report" / "conftest.py"
)
made_up = importlib.util.module_from_spec(found)
found.loader.exec_module(made_up)


def ask(app, query: str = "", *, host: str = "127.0.0.1:8765", method: str = "GET"):
    """Speak ASGI to the application: the status, the headers and the body."""
    sent = []
    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "path": "/",
             "raw_path": b"/", "root_path": "", "scheme": "http", "query_string": query.encode(),
             "headers": [(b"host", host.encode())], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8765)}  # fmt: skip

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    body = b"".join(m.get("body", b"") for m in sent)
    return sent[0]["status"], dict(sent[0]["headers"]), body.decode()


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    return make_app([made_up.make(tmp_path_factory.mktemp("page"), "baskets")])


def test_it_offers_the_candidates_and_shows_the_chosen_one(app):
    status, headers, body = ask(app)
    assert status == 200
    assert headers[b"cache-control"] == b"no-store"
    assert body.count("<option") == 6
    assert 'value="information-8" selected' in body
    status, _, body = ask(app, "baskets=information-20")
    assert status == 200
    assert 'value="information-20" selected' in body
    assert "candidate information-20, which the steward chose" in body


@pytest.mark.parametrize("query", ["baskets=nobody", "bread=information-20"])
def test_what_is_not_there_is_not_found_and_not_repeated(app, query):
    status, _, body = ask(app, query)
    assert status == 404
    assert "nobody" not in body


def test_another_name_is_not_answered(app):
    assert ask(app, host="evil.example")[0] == 400
    assert ask(app, method="POST")[0] == 405


def test_an_empty_folder_is_refused_before_anything_listens(tmp_path):
    with pytest.raises(InputError):
        make_app([tmp_path])


def test_the_command_refuses_an_empty_folder_in_one_sentence(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("sfumato: ")
