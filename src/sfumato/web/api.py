"""What the scripts of the local page ask for and send, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ..core.engine import Progress
from ..core.errors import InputError

if TYPE_CHECKING:
    from .app import Page

__all__ = ["Api"]

_MOST_BYTES = 1 << 20


class Api:
    """Answers what the scripts of the page ask.

    Parameters
    ----------
    page : Page
        The state of the page.

    """

    def __init__(self, page: Page) -> None:
        self.page = page

    def routes(self) -> list[Route]:
        """Return where each answer is; writes are POST."""
        reads = {
            "question": self.question, "status": self.status, "document": self.document,
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
        number = _number(request.query_params.get("doc"), 0)
        ratio = _number(request.query_params.get("ratio"))
        return JSONResponse(self.page.the_desk().document(int(number or 0), ratio))

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
        await run_in_threadpool(self.page.the_desk().see, int(given.get("doc", -1)))
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


async def _body_of(request: Request) -> dict[str, Any]:
    if int(request.headers.get("content-length") or 0) > _MOST_BYTES:
        raise InputError("That is too long.")
    try:
        content = await request.json()
    except ValueError:
        raise InputError("That is not JSON.") from None
    if not isinstance(content, dict):
        raise InputError("That is not a JSON object.")
    return content


def _number(value: str | None, default: float | None = None) -> float | None:
    try:
        return float(value) if value else default
    except ValueError:
        raise InputError("That is not a number.") from None
