"""Reasons why a file or a page cannot be handled, without its content."""

from __future__ import annotations

import importlib
import logging

from ....core.errors import InputError

__all__ = ["FileRefusedError", "PageRefusedError", "need_packages"]

_PACKAGES = ("pikepdf", "pypdfium2", "fontTools", "pdfminer")


class FileRefusedError(Exception):
    """The whole file is withheld; the message continues the sentence "The document …"."""


class PageRefusedError(Exception):
    """A page cannot be cut; it becomes a picture with the text that stays."""


def need_packages() -> None:
    """Import the packages of the extra, or ask for the extra by name."""
    for name in _PACKAGES:
        try:
            importlib.import_module(name)
        except ImportError:
            raise InputError(
                f"A PDF needs the package {name!r}.", hint="install sfumato[pdf]."
            ) from None
        # They log what they meet in a file, which may be a word of it.
        log = logging.getLogger(name)
        log.propagate = False
        if not log.handlers:
            log.addHandler(logging.NullHandler())
