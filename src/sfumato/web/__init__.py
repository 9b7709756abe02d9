"""The local page, on 127.0.0.1 alone: label, walk along a frontier, review, audit, read the report."""

from .app import make_app
from .server import serve

__all__ = ["make_app", "serve"]
