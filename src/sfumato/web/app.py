"""The local page: rooms to label, to walk along frontiers, to review, to audit, and to read the report."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import secrets
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.desk import Desk
from ..core.engine import ENGINES
from ..core.errors import InputError, SfumatoError
from .frontiers import Frontiers
from .guard import Guard, policy
from .shelf import Shelf

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["Page", "make_app", "open_desk"]

_ROOMS = (
    ("label", "Label"),
    ("frontier", "Frontier"),
    ("review", "Review"),
    ("audit", "Audit"),
    ("report", "Report"),
)
_STATIC = {"page.js": "text/javascript; charset=utf-8", "page.css": "text/css; charset=utf-8"}


def open_desk(folders: Sequence[str | os.PathLike[str]]) -> Desk | None:
    """Return the first folder that an engine knows as a place to answer questions in."""
    for folder in map(Path, folders):
        for name in ENGINES:
            found = ENGINES[name].desk(folder) if folder.is_dir() else None
            if found is not None:
                return found
    return None


@cache
def _templates() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("sfumato.web"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip


class Page:
    """What the rooms share: the folders, the desk where there is one, and the work under way.

    Parameters
    ----------
    folders : sequence of paths
        What `start`, `explore` or `run` wrote.

    """

    def __init__(self, folders: Sequence[str | os.PathLike[str]]) -> None:
        self.folders = [Path(folder) for folder in folders]
        self.desk = open_desk(self.folders)
        self.frontiers = Frontiers(self.folders, self.desk)
        if self.desk is None and not self.frontiers.found():
            raise InputError(
                "None of the folders holds a project or a frontier.",
                hint="give a folder that start, explore or run wrote.",
            )
        self.shelf = Shelf(self.folders[0] / "shelf.jsonl")
        self.job: dict[str, Any] = {"state": "idle"}
        self._working = threading.Lock()

    def rooms(self) -> list[tuple[str, str]]:
        """Return the rooms that have something in them."""
        return [r for r in _ROOMS if self.desk is not None or r[0] in ("frontier", "report")]

    def render(self, room: str, **values: Any) -> Response:
        """Return a room as HTML."""
        from starlette.responses import HTMLResponse

        template = _templates().get_template(f"{room}.html.j2")
        labels = list(self.desk.labels) if self.desk is not None else []
        title = dict(_ROOMS)[room]
        page = template.render(room=room, rooms=self.rooms(), title=title, labels=labels,
                               name=self.folders[0].name, **values)  # fmt: skip
        return HTMLResponse(page)

    def start(self, work: Any) -> bool:
        """Run something long in a thread; return False where something is under way already."""
        if not self._working.acquire(blocking=False):
            return False
        self.job = {"state": "running", "done": 0, "total": None, "note": ""}

        def progress(steps: int = 1, *, total: int | None = None, note: str = "") -> None:
            self.job = {
                **self.job, "done": self.job["done"] + steps,
                "total": total if total is not None else self.job["total"], "note": note,
            }  # fmt: skip

        def run() -> None:
            try:
                self.job = {"state": "done", "result": work(progress)}
            except SfumatoError as error:
                self.job = {"state": "failed", "message": str(error)}
            except Exception as error:
                # Only our own errors are known to hold no word of the data.
                self.job = {
                    "state": "failed",
                    "message": f"internal error ({type(error).__name__})",
                }
            finally:
                self._working.release()

        threading.Thread(target=run, name="publish", daemon=True).start()
        return True


def _number(value: str | None, default: float | None = None) -> float | None:
    try:
        return float(value) if value else default
    except ValueError:
        raise InputError("That is not a number.") from None


def make_app(
    folders: Sequence[str | os.PathLike[str]],
    *,
    token: str | None = None,
    idle: float = 900.0,
    page: Page | None = None,
) -> Guard:
    """Return the guarded application; `token` is what the address carries.

    Parameters
    ----------
    folders : sequence of paths
        What `start`, `explore` or `run` wrote.
    token : str
        The secret of the address; a new random one by default.
    idle : float
        Seconds after which the page locks itself.
    page : Page
        The state of the page, where it was made before.

    """
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import Request as StarletteRequest
    from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse
    from starlette.responses import Response as PlainResponse
    from starlette.routing import Route

    state = page or Page(folders)
    desk = state.desk

    def the_desk() -> Desk:
        if desk is None:
            raise InputError("There is no labelling project in this folder.")
        return desk

    async def body_of(request: StarletteRequest) -> dict[str, Any]:
        if int(request.headers.get("content-length") or 0) > 1 << 20:
            raise InputError("That is too long.")
        try:
            content = await request.json()
        except ValueError:
            raise InputError("That is not JSON.") from None
        if not isinstance(content, dict):
            raise InputError("That is not a JSON object.")
        return content

    def home(_request: Request) -> Response:
        return RedirectResponse(f"/{state.rooms()[0][0]}", 303)

    def label(_request: Request) -> Response:
        the_desk()
        return state.render("label")

    def audit(request: Request) -> Response:
        reader = 2 if request.query_params.get("reader") == "2" else 1
        return state.render("audit", status=the_desk().status(), reader=reader)

    def review(_request: Request) -> Response:
        rows = the_desk().review()
        return state.render("review", rows=rows, seen=sum(r["seen"] for r in rows))

    def frontier(request: Request) -> Response:
        query = request.query_params
        shown = state.frontiers.shown(query.get("part"), query.get("candidate"))
        return state.render(
            "frontier", shown=shown, shelf=state.shelf.rows(), desk=desk is not None
        )

    def report(_request: Request) -> Response:
        page = state.frontiers.report()
        if page is None:
            return state.render("report")
        # The report is one file that also opens without a server: its scripts are named by their hashes.
        scripts = re.findall(
            r"<script(?![^>]*application/json)[^>]*>(.*?)</script>", page, re.DOTALL
        )
        hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
        allowed = " ".join(f"'sha256-{h}'" for h in hashes) or "'none'"
        headers = {"content-security-policy": policy(allowed, "'unsafe-inline'")}
        return PlainResponse(page, media_type="text/html", headers=headers)

    def static(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in _STATIC:
            return PlainTextResponse("not found", 404)
        content = files("sfumato.web").joinpath("static", name).read_bytes()
        return PlainResponse(content, media_type=_STATIC[name])

    def question(request: Request) -> Response:
        asking = request.query_params.get("asking", "cost")
        return JSONResponse({"question": the_desk().question(asking)})

    def status(_request: Request) -> Response:
        found = the_desk().status() if desk is not None else {}
        return JSONResponse({"status": found, "job": state.job})

    def document(request: Request) -> Response:
        number = _number(request.query_params.get("doc"), 0)
        ratio = _number(request.query_params.get("ratio"))
        return JSONResponse(the_desk().document(int(number or 0), ratio))

    def candidate(request: Request) -> Response:
        query = request.query_params
        shown = state.frontiers.shown(query.get("part"), query.get("candidate"))
        return JSONResponse(shown["details"])

    async def answer(request: StarletteRequest) -> Response:
        given = await body_of(request)

        def kept() -> Mapping[str, Any]:
            the_desk().answer(given)
            return {"question": the_desk().question(str(given.get("asking", "cost")))}

        return JSONResponse(await run_in_threadpool(kept))

    async def like(request: StarletteRequest) -> Response:
        given = await body_of(request)
        return JSONResponse({"places": await run_in_threadpool(the_desk().like, given)})

    async def see(request: StarletteRequest) -> Response:
        given = await body_of(request)
        await run_in_threadpool(the_desk().see, int(given.get("doc", -1)))
        return JSONResponse({"to_see": the_desk().to_see()})

    async def approve(request: StarletteRequest) -> Response:
        given = await body_of(request)
        await run_in_threadpool(the_desk().approve, str(given.get("initials", "")))
        return JSONResponse({"approved": True})

    async def explore(_request: StarletteRequest) -> Response:
        def work(_progress: Any) -> str:
            return the_desk().explore().name

        return JSONResponse({"started": state.start(work)})

    async def publish(request: StarletteRequest) -> Response:
        given = await body_of(request)
        return JSONResponse({"started": state.start(state.frontiers.publisher(given))})

    async def shelve(request: StarletteRequest) -> Response:
        given = await body_of(request)
        state.shelf.add(given)
        return JSONResponse({"shelf": state.shelf.rows()})

    def refused(_request: Request, error: Exception) -> Response:
        status_code = 400 if isinstance(error, InputError) else 500
        return JSONResponse({"error": str(error)}, status_code)

    routes = [
        Route("/", home), Route("/label", label), Route("/frontier", frontier),
        Route("/review", review), Route("/audit", audit), Route("/report", report),
        Route("/static/{name}", static),
        Route("/api/question", question), Route("/api/status", status),
        Route("/api/document", document), Route("/api/candidate", candidate),
        Route("/api/answer", answer, methods=["POST"]), Route("/api/like", like, methods=["POST"]),
        Route("/api/see", see, methods=["POST"]), Route("/api/approve", approve, methods=["POST"]),
        Route("/api/explore", explore, methods=["POST"]),
        Route("/api/publish", publish, methods=["POST"]),
        Route("/api/shelf", shelve, methods=["POST"]),
    ]  # fmt: skip
    app = Starlette(routes=routes, exception_handlers={SfumatoError: refused})
    return Guard(app, token=token or secrets.token_urlsafe(24), idle=idle)
