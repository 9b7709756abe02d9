"""The rooms of the local page as HTML, and the files that they load."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from ..reports.dossiers import approval_sentence
from ..reports.html import script_sources
from .guard import policy

if TYPE_CHECKING:
    from .app import PageState

__all__ = ["Rooms"]

_STATIC = {"page.js": "text/javascript; charset=utf-8", "page.css": "text/css; charset=utf-8"}


class Rooms:
    """Answers what the browser opens.

    Parameters
    ----------
    page : Page
        The state of the page.

    """

    def __init__(self, page: PageState) -> None:
        self.page = page

    def routes(self) -> list[Route]:
        """Return where each room is."""
        return [
            Route("/", self.home), Route("/label", self.label), Route("/frontier", self.frontier),
            Route("/review", self.review), Route("/audit", self.audit),
            Route("/report", self.report), Route("/static/{name}", self.static),
        ]  # fmt: skip

    def home(self, _request: Request) -> Response:
        """Go to the first room that has something in it."""
        return RedirectResponse(self.page.rooms()[0][0], 303)

    def label(self, _request: Request) -> Response:
        """Show the room of questions."""
        self.page.the_desk()
        return self.page.render("label")

    def audit(self, request: Request) -> Response:
        """Show the room of the recall audit, to its first or second reader."""
        reader = 2 if request.query_params.get("reader") == "2" else 1
        desk = self.page.the_desk()
        return self.page.render("audit", status=desk.status(), audit=desk.audit(), reader=reader)

    def review(self, _request: Request) -> Response:
        """Show the documents of a release to review, and what should be checked in notes."""
        notes = self.page.notes_to_review()
        desk = self.page.desk if notes else self.page.the_desk()
        rows = [] if desk is None else desk.review()
        seen = sum(bool(row["seen"]) for row in rows)
        candidate = None if desk is None else desk.released_candidate
        approval = None if desk is None else desk.approval()
        return self.page.render(
            "review",
            approved=None if approval is None else approval_sentence(approval),
            rows=rows,
            seen=seen,
            candidate=candidate,
            is_project=desk is not None,
            notes=notes,
        )

    def frontier(self, request: Request) -> Response:
        """Show one part's frontier and one of its candidates."""
        query = request.query_params
        shown = self.page.frontiers.view(query.get("part"), query.get("candidate"))
        return self.page.render(
            "frontier",
            shown=shown,
            shelf=self.page.shelf.rows(),
            desk=self.page.desk is not None,
        )

    def report(self, request: Request) -> Response:
        """Show the report of everything in the folders, for a regime and in a language."""
        query = request.query_params
        page = self.page.frontiers.report(query.get("for"), query.get("language"))
        if page is None:
            return self.page.render("report")
        # The report is one file that also opens without a server: its own scripts are named by their hashes.
        headers = {"content-security-policy": policy(script_sources(), "'unsafe-inline'")}
        return Response(page, media_type="text/html", headers=headers)

    def static(self, request: Request) -> Response:
        """Return a script or a style sheet."""
        name = request.path_params["name"]
        if name not in _STATIC:
            return PlainTextResponse("not found", 404)
        content = files("sfumato.web").joinpath("static", name).read_bytes()
        return Response(content, media_type=_STATIC[name])
