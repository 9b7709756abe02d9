"""The local page: rooms to label, to walk along frontiers, to review, to audit, and to read the report."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from markupsafe import Markup

from ..core.engine import Progress
from ..core.errors import InputError, SfumatoError
from ..core.storage.disk import disk_error_text, is_disk_full
from ..core.storage.held_numbers import NotesToReview
from ..desk.protocol import Desk
from ..desk.registry import open_desk
from ..presentation.language import LANGUAGES, current_language, retell, say
from ..presentation.numbers import count, percent, to_places
from .frontiers import Frontiers
from .guard import Guard
from .language import say_markup, script_messages, tell_error
from .shelf import Shelf

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.responses import Response

__all__ = ["PageState", "make_app"]

_ROOMS = (
    ("label", "Labelling"),
    ("frontier", "Frontier"),
    ("review", "Review"),
    ("audit", "Audit"),
    ("report", "Report"),
)


class Job(TypedDict, total=False):
    """The work under way, or how the last one ended."""

    state: str
    done: int
    total: int | None
    note: str
    result: str
    message: str


@cache
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("sfumato.web"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.globals.update(_=say_markup, key=_key, link=_link, strong=_strong)
    environment.filters.update(count=count, percent=percent, to_places=to_places)
    return environment


def _key(name: str) -> Markup:
    """Return a key of the keyboard, for a sentence."""
    return Markup("<kbd>{}</kbd>").format(name)


def _strong(words: str) -> Markup:
    """Return words to be noticed first, for a sentence."""
    return Markup("<strong>{}</strong>").format(words)


def _link(room: str, words: str) -> Markup:
    """Return a way to another room, for a sentence."""
    return Markup('<a href="{}">{}</a>').format(room, words)


class PageState:
    """What the rooms share: the folders, the desk where there is one, and the work under way.

    Parameters
    ----------
    folders : sequence of paths
        What `start`, `explore` or `run` wrote.

    """

    def __init__(self, folders: Sequence[str | os.PathLike[str]]) -> None:
        self.folders = [Path(folder) for folder in folders]
        for folder in self.folders:
            if not folder.exists():
                raise InputError(f"There is no folder {folder.name!r}.", hint="check the path.")
        found = (open_desk(folder) for folder in self.folders)
        self.desk = next((desk for desk in found if desk is not None), None)
        self.frontiers = Frontiers(self.folders, self.desk)
        if self.desk is None and not self.frontiers.parts():
            raise InputError(
                "None of the folders holds a project or a frontier.",
                hint="give a folder that start, explore or run wrote.",
            )
        self.shelf = Shelf(self.folders[0] / "shelf.jsonl")
        self.job: Job = {"state": "idle"}
        self._working = threading.Lock()

    def the_desk(self) -> Desk:
        """Return the desk; a page without a labelling project has none."""
        if self.desk is None:
            raise InputError("There is no labelling project in this folder.")
        return self.desk

    def rooms(self) -> list[tuple[str, str]]:
        """Return the rooms that have something in them."""
        there = {"frontier", "report"} | ({"review"} if self.notes_to_review() else set())
        return [r for r in _ROOMS if self.desk is not None or r[0] in there]

    def notes_to_review(self) -> NotesToReview:
        """Return what should be checked in the notes of published tables."""
        return NotesToReview.near(self.folders)

    def render(self, room: str, **values: object) -> Response:
        """Return a room as HTML."""
        from starlette.responses import HTMLResponse

        template = _templates().get_template(f"{room}.html.j2")
        labels = list(self.desk.labels) if self.desk is not None else []
        rooms = [(id, say(word)) for id, word in self.rooms()]
        page = template.render(
            room=room, rooms=rooms, title=dict(rooms)[room], labels=labels,
            name=self.folders[0].name, language=current_language(), languages=LANGUAGES,
            messages=script_messages(), **values,
        )  # fmt: skip
        return HTMLResponse(page)

    def start(self, work: Callable[[Progress], str]) -> bool:
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
                self.job = {"state": "failed", "message": tell_error(error)}
            except OSError as error:
                self.job = {"state": "failed", "message": retell(disk_error_text(error))}
            except Exception as error:
                # Only our own errors are known to hold no word of the data.
                self.job = {
                    "state": "failed",
                    "message": say("internal error ({name})", name=type(error).__name__),
                }
            finally:
                self._working.release()

        # What is said of the work is said in the language of who started it.
        context = copy_context()
        threading.Thread(target=context.run, args=(run,), name="publish", daemon=True).start()
        return True


def make_app(
    folders: Sequence[str | os.PathLike[str]],
    *,
    token: str | None = None,
    idle: float = 900.0,
    page: PageState | None = None,
) -> Guard:
    """Return the guarded application; its `entrance` is the path that opens it.

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
    from starlette.requests import Request
    from starlette.responses import JSONResponse

    from .api import Api
    from .rooms import Rooms

    def refused(_request: Request, error: Exception) -> Response:
        status_code = 400 if isinstance(error, InputError) else 500
        assert isinstance(error, SfumatoError)
        return JSONResponse({"error": tell_error(error)}, status_code)

    def unwritten(_request: Request, error: Exception) -> Response:
        assert isinstance(error, OSError)
        message = retell(disk_error_text(error))
        return JSONResponse({"error": message}, 507 if is_disk_full(error) else 500)

    state = page or PageState(folders)
    routes = [*Rooms(state).routes(), *Api(state).routes()]
    app = Starlette(routes=routes, exception_handlers={SfumatoError: refused, OSError: unwritten})
    return Guard(app, token=token or secrets.token_urlsafe(24), idle=idle)
