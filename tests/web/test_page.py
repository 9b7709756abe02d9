"""The local page: chooses, refuses what is not there, answers to its own names alone."""

from __future__ import annotations

import asyncio
import re

import pytest

from sfumato.core.errors import InputError
from sfumato.web import make_app
from sfumato.web.__main__ import main


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
def app(copied, tmp_path_factory):
    return make_app([copied(tmp_path_factory.mktemp("page"), "baskets", published=False)])


def test_it_offers_the_candidates_and_shows_the_chosen_one(app):
    status, headers, body = ask(app)
    assert status == 200
    assert headers[b"cache-control"] == b"no-store"
    offered = re.findall(r'<option value="([^"]+)"', body)
    assert len(offered) >= 2
    for candidate in offered:
        status, _, body = ask(app, f"baskets={candidate}")
        assert status == 200
        assert f'value="{candidate}" selected' in body
        assert f"candidate {candidate}, which the steward chose" in body


@pytest.mark.parametrize("query", ["baskets=nobody", "bread=k5"])
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
