"""Who may talk to the page: this machine, by its own name, with the address that the program printed.

Everything is under a random path, because cookies know no ports: a cookie for `/` would go to anyone who
listens on another port of the same machine. The address adds a random token; opening it sets a cookie
for that path alone, which no script can read and no other site can send. Writes must come from the page
itself. After some idle minutes the cookie is worth nothing until the address is opened again. Nothing that
is shown may be stored, framed or run from elsewhere.
"""

from __future__ import annotations

import hmac
import secrets
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..presentation.language import say, speaking
from .language import LANGUAGE_COOKIE, asked_language, language_for

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard", "policy"]

COOKIE = "sfumato"
NAMES = ("127.0.0.1", "localhost")
_BACKGROUND = (
    "/api/status",
)  # what the page asks for on its own does not count as somebody being there


def policy(script: str = "'self'", style: str = "'self'") -> str:
    """Return a content security policy: nothing external, nothing inline except what is named."""
    return (
        f"default-src 'none'; script-src {script}; style-src {style}; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": policy(),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class Guard:
    """ASGI middleware that answers only to the steward.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    token : str
        The secret of the address.
    prefix : str
        The path under which everything is, for example `/x7Qz`; a new random one by default.
    idle : float, default 900.0
        Seconds without anybody acting after which the page locks itself.
    clock : callable
        Returns seconds; tests put their own here.

    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str,
        prefix: str | None = None,
        idle: float = 900.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.app, self.token, self.idle, self.clock = app, token, idle, clock
        self.prefix = prefix or f"/{secrets.token_urlsafe(24)}"
        self._secret = secrets.token_urlsafe(32)
        self._last = clock()

    @property
    def entrance(self) -> str:
        """The path that opens the page."""
        return f"{self.prefix}/enter/{self.token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        wished = headers.get("cookie", ""), headers.get("accept-language", "")
        with speaking(language_for(scope["query_string"], *wished)):
            await self._let_in(scope, headers, receive, send)

    async def _let_in(
        self, scope: Scope, headers: dict[str, str], receive: Receive, send: Send
    ) -> None:
        host = headers.get("host", "")
        if host.rsplit(":", 1)[0] not in NAMES:
            await _plain(send, 400, say("This page answers to 127.0.0.1 only."))
            return
        if self.clock() - self._last > self.idle:
            self._secret = secrets.token_urlsafe(32)  # before anybody gets the old one again
        path = self._inside(scope["path"])
        if path is not None and path.startswith("/enter/"):
            await self._enter(path.removeprefix("/enter/"), send)
            return
        if path is None or not self._is_known(headers.get("cookie", "")):
            locked = say("Locked. Open the address that `sfumato serve` printed to go on.")
            await _plain(send, 403, locked)
            return
        if scope["method"] not in ("GET", "HEAD"):
            origin = headers.get("origin", "")
            json_body = headers.get("content-type", "").partition(";")[0] == "application/json"
            if origin != f"http://{host}" or not json_body:
                await _plain(send, 403, say("A write must come from the page itself."))
                return
        if path not in _BACKGROUND:
            self._last = self.clock()

        started, language = False, asked_language(scope["query_string"])

        async def guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                given = {k.lower() for k, _ in message["headers"]}
                if language is not None:
                    kept = f"{LANGUAGE_COOKIE}={language}; Path={self.prefix}/; HttpOnly; SameSite=Strict"
                    message["headers"] = [*message["headers"], (b"set-cookie", kept.encode())]
                message["headers"] = [
                    *message["headers"],
                    *((k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in given),
                ]  # fmt: skip
            await send(message)

        try:
            await self.app({**scope, "root_path": self.prefix}, receive, guarded)
        except Exception as error:
            # A traceback in the log could hold a word of the documents.
            sys.stderr.write(f"sfumato: internal error ({type(error).__name__})\n")
            if not started:
                await _plain(send, 500, say("An internal error; the program goes on."))

    def _inside(self, path: str) -> str | None:
        """Return what follows the secret part of a path, or None where it is not the right one."""
        cut = path.find("/", 1)
        first, rest = (path, "") if cut < 0 else (path[:cut], path[cut:])
        return rest if hmac.compare_digest(first.encode(), self.prefix.encode()) else None

    async def _enter(self, given: str, send: Send) -> None:
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            wrong = say("That is not the address that `sfumato serve` printed.")
            await _plain(send, 403, wrong)
            return
        self._last = self.clock()
        cookie = f"{COOKIE}={self._secret}; Path={self.prefix}/; HttpOnly; SameSite=Strict"
        await _answer(send, 303, b"", {"location": f"{self.prefix}/", "set-cookie": cookie})

    def _is_known(self, cookies: str) -> bool:
        # Another port can set a cookie of the same name, which then comes along: any one of them may be ours.
        given = (cookie.strip().partition("=") for cookie in cookies.split(";"))
        return any(
            name == COOKIE and hmac.compare_digest(value.encode(), self._secret.encode())
            for name, _, value in given
        )


async def _plain(send: Send, status: int, text: str) -> None:
    await _answer(send, status, text.encode(), {"content-type": "text/plain; charset=utf-8"})


async def _answer(send: Send, status: int, body: bytes, headers: dict[str, str]) -> None:
    every = {**HEADERS, **headers}
    await send({
        "type": "http.response.start", "status": status,
        "headers": [(k.encode(), v.encode()) for k, v in every.items()],
    })  # fmt: skip
    await send({"type": "http.response.body", "body": body})
