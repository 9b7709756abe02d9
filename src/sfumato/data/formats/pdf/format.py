"""The format `pdf`: a file that is one document, cut inside its pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ....core.errors import InputError
from ...document import Document, Edit, Edited
from ...sources import Withheld
from ..files import FileFormat, OpenedFile, RefusedFileError
from ..inspection import Inspection
from ..protocol import CorpusFile, FormatOptions, document_from
from ..verification import Digests, Verified, compare
from .refusal import FileRefusedError, need_packages

__all__ = ["Pdf", "PdfOptions"]


class PdfOptions(FormatOptions):
    """What can be said about the reading of PDF files.

    Pictures are blanked unless they are kept by name: nobody has read what they show.
    """

    pictures: Literal["blank", "keep"] = "blank"
