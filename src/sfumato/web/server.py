"""Serving the page until it is interrupted, at an address that nobody can guess."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence

from ..core.errors import InputError
from .app import PageState, make_app

__all__ = ["serve"]


def serve(
    folders: Sequence[str | os.PathLike[str]],
    *,
    port: int = 8765,
    idle: float = 900.0,
    say: Callable[[str], None] = print,
    note: Callable[[str], None] = lambda _: None,
) -> None:
    """Show the page until it is interrupted.

    Parameters
    ----------
    folders : sequence of paths
        What `start`, `explore` or `run` wrote.
    port : int
        The port on 127.0.0.1; 0 takes a free one.
    idle : float
        Seconds without anybody acting after which the page locks itself.
    say : callable
        Called with the address to open.
    note : callable, optional
        Called with further notes, such as which models learn from the answers.

    """
    import uvicorn

    page = PageState(folders)
    app = make_app(folders, idle=idle, page=page)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            raise InputError(
                f"Port {port} is taken.", hint="give another with --port, or 0 for any."
            ) from None
        listener.listen(128)  # a connection right after the start must not be refused
        say(f"http://127.0.0.1:{listener.getsockname()[1]}{app.entrance}")
        for line in () if page.desk is None else page.desk.notes():
            note(line)
        # No access log: it would hold the address.
        config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False)
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        listener.close()
        if page.desk is not None:
            page.desk.close()
