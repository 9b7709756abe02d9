"""The report as a local page with a form to choose a candidate; nothing is written, nothing leaves the machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["make_app", "serve"]

_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def make_app(folders: Sequence[str | os.PathLike[str]]) -> Starlette:
    """Make the application; the folders are read once, at the start."""
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.responses import HTMLResponse, PlainTextResponse
    from starlette.routing import Route

    from ..core.errors import InputError
    from ..report.facts import Facts
    from ..report.html import render_html
    from ..report.parts import choose, find_parts

    parts = find_parts(folders)

    @lru_cache(maxsize=32)
    def rendered(choice: tuple[tuple[str, str], ...]) -> str:
        return render_html(Facts(tuple(choose(parts, dict(choice)))), choosing=True)

    def page(request: Request) -> Response:
        choice = tuple(sorted((k, v) for k, v in request.query_params.items() if v))
        try:
            return HTMLResponse(rendered(choice), headers=_HEADERS)
        except InputError:
            return PlainTextResponse("There is no such candidate.", 404, headers=_HEADERS)

    # Another site's script may reach 127.0.0.1 under a name of its own: only our names are answered.
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])
    return Starlette(routes=[Route("/", page, methods=["GET"])], middleware=[hosts])


def serve(folders: Sequence[str | os.PathLike[str]], *, port: int = 8765) -> None:
    """Show the page until it is interrupted."""
    import uvicorn

    uvicorn.run(
        make_app(folders), host="127.0.0.1", port=port, log_level="warning", server_header=False
    )
