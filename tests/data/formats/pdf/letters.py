"""Letters as PDF files, with their labels beside them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from pathlib import Path

import pytest

pytest.importorskip("pikepdf", reason="the extra pdf is not installed")

from benchmarks._pdf_places import drawn

from sfumato.data.document import Document, Span
from sfumato.data.documents import read_documents
from sfumato.data.formats.brat import write_annotations


def latin(text: str) -> str:
    """Return a text in the letters that the standard fonts have."""
    return text.encode("cp1252", "replace").decode("cp1252")


def draw_letter(text: str) -> bytes:
    def paint(canvas):
        canvas.setFont("Helvetica", 10)
        top = 800
        for paragraph in text.split("\n"):
            for line in textwrap.wrap(paragraph, 90) or [""]:
                canvas.drawString(50, top, line)
                top -= 13

    return drawn(paint)


def write_letters(notes: Iterable[Document], folder: Path) -> Path:
    """Write notes as PDF files, each with its labels where they are in the text that is read from it."""
    from dataclasses import replace

    from sfumato.data.document import Edited

    folder.mkdir()
    named = {}
    for note in notes:
        (folder / f"{note.id}.pdf").write_bytes(draw_letter(latin(note.text)))
        named[f"{note.id}.pdf"] = [(latin(note.text[s.start : s.end]), s.label) for s in note.spans]
    for document in read_documents(folder):
        spans, at = [], 0
        for text, label in named[document.id]:
            found = re.compile(r"\s+".join(map(re.escape, text.split()))).search(document.text, at)
            if found:
                spans.append(Span(found.start(), found.end(), label))
                at = found.end()
        marked = Edited.unchanged(replace(document, spans=tuple(spans)))
        write_annotations(folder / f"{document.id}.ann", marked, came=True)
    return folder
