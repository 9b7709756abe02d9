"""What the scripts of the local page ask for and send, as JSON."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ..core.engine import Progress
from ..core.errors import InputError

if TYPE_CHECKING:
    from .app import PageState

__all__ = ["Api"]

_MOST_BYTES = 1 << 20


class Api:
    """Answers what the scripts of the page ask.

    Parameters
    ----------
    page : Page
        The state of the page.

    """

    def __init__(self, page: PageState) -> None:
        self.page = page

    def routes(self) -> list[Route]:
        """Return where each answer is; writes are POST."""
        reads = {
            "question": self.question, "status": self.status, "document": self.document,
            "release": self.release, "picture": self.picture,
            "candidate": self.candidate,
        }  # fmt: skip
        writes = {
            "answer": self.answer, "like": self.like, "see": self.see, "approve": self.approve,
            "explore": self.explore, "publish": self.publish, "shelf": self.shelve,
        }  # fmt: skip
        return [
            *(Route(f"/api/{name}", answer) for name, answer in reads.items()),
            *(Route(f"/api/{name}", answer, methods=["POST"]) for name, answer in writes.items()),
        ]

    def question(self, request: Request) -> Response:
        """Return the next question."""
        asking = request.query_params.get("asking", "cost")
        return JSONResponse({"question": self.page.the_desk().question(asking)})

    def status(self, _request: Request) -> Response:
        """Return how far the labelling and the work under way are."""
        desk = self.page.desk
        status = None if desk is None else desk.status()
        return JSONResponse({"status": status or {}, "job": self.page.job})

    def document(self, request: Request) -> Response:
        """Return a document with what would be redacted in it."""
        number = _number(request.query_params.get("doc") or "0")
        ratio = _ratio(request.query_params.get("ratio"))
        return JSONResponse(self.page.the_desk().document(number, ratio))

    def release(self, request: Request) -> Response:
        """Return a document as it was published, in the last release or in that of a candidate."""
        query = request.query_params
        number = _number(query.get("doc") or "0")
        return JSONResponse(self.page.the_desk().released(number, query.get("candidate")))

    def picture(self, request: Request) -> Response:
        """Return a page of a document of the last release as a picture."""
        query = request.query_params
        number, page = _number(query.get("doc") or "0"), _number(query.get("page") or "0")
        picture = self.page.the_desk().picture(number, page)
        return Response(picture, media_type="image/png", headers={"Cache-Control": "no-store"})

    def candidate(self, request: Request) -> Response:
        """Return a candidate in words."""
        query = request.query_params
        found = self.page.frontiers.candidate(query.get("part"), query.get("candidate"))
        return JSONResponse(found)

    async def answer(self, request: Request) -> Response:
        """Keep an answer and return the next question."""
        given = await _body_of(request)

        def kept() -> dict[str, object]:
            self.page.the_desk().answer(given)
            asking = str(given.get("asking", "cost"))
            return {"question": self.page.the_desk().question(asking)}

        return JSONResponse(await run_in_threadpool(kept))

    async def like(self, request: Request) -> Response:
        """Return the places that the same answer would settle."""
        given = await _body_of(request)
        return JSONResponse({"places": await run_in_threadpool(self.page.the_desk().like, given)})

    async def see(self, request: Request) -> Response:
        """Keep that a document was looked at."""
        given = await _body_of(request)
        see = partial(
            self.page.the_desk().see,
            _number(given.get("doc")),
            seconds=_seconds(given.get("seconds", 0)),
            to_the_end=given.get("to_the_end") is True,
        )
        await run_in_threadpool(see)
        return JSONResponse({"to_see": self.page.the_desk().to_see()})

    async def approve(self, request: Request) -> Response:
        """Approve the release."""
        given = await _body_of(request)
        await run_in_threadpool(self.page.the_desk().approve, str(given.get("initials", "")))
        return JSONResponse({"approved": True})

    async def explore(self, _request: Request) -> Response:
        """Start to write the frontier that the answers allow."""

        def work(_progress: Progress) -> str:
            return self.page.the_desk().explore().name

        return JSONResponse({"started": self.page.start(work)})

    async def publish(self, request: Request) -> Response:
        """Start to publish a candidate."""
        given = await _body_of(request)
        return JSONResponse({"started": self.page.start(self.page.frontiers.publisher(given))})

    async def shelve(self, request: Request) -> Response:
        """Put a candidate on the shelf."""
        given = await _body_of(request)
        self.page.shelf.add(given)
        return JSONResponse({"shelf": self.page.shelf.rows()})


async def _body_of(request: Request) -> dict[str, object]:
    """Return the JSON object that was sent: finite numbers and whole text, whose length is checked while it is read."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_BYTES:
            raise InputError("That is too long.")
    try:
        content = json.loads(body, parse_constant=_refuse_constant)
        # What cannot be written again cannot be kept: half a surrogate pair, a number beyond all numbers.
        json.dumps(content, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise InputError("That is not JSON.") from None
    if not isinstance(content, dict):
        raise InputError("That is not a JSON object.")
    return content


def _refuse_constant(_name: str) -> None:
    raise ValueError


def _number(value: object) -> int:
    """Return the number of a document, as the page sends it or as a query holds it."""
    try:
        if isinstance(value, str):
            return int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    except ValueError:
        pass
    raise InputError("That is not a whole number.")


def _seconds(value: object) -> float:
    """Return a span of time as the page sends it."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise InputError("That is not a number of seconds.")


def _ratio(value: str | None) -> float | None:
    """Return a loss ratio; None where there is none."""
    if not value:
        return None
    try:
        ratio = float(value)
    except ValueError:
        ratio = 0.0
    if not 0.0 < ratio < math.inf:  # nor is it, if it is not a number
        raise InputError("A ratio is a number above 0.")
    return ratio
