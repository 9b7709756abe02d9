"""A local page to walk along a frontier before anything is published; it listens on 127.0.0.1 alone."""

from .page import make_app, serve

__all__ = ["make_app", "serve"]
