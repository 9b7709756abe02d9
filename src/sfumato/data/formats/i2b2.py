"""The XML of the i2b2 2014 challenge: a folder with one file per document, text and tags apart.

    <deIdi2b2><TEXT>…</TEXT><TAGS><NAME id="P0" start="16" end="26" text="…" TYPE="PATIENT"/></TAGS></deIdi2b2>

A tag's element is its label. Files with a document type are refused: nothing in them is needed, and
entities can be made to fill the memory.
"""

# ruff: noqa: ARG002 (all formats share one protocol)
from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

from ...core.errors import DataError, FormatError, InputError, LimitError
from ..document import Document
from ..sources import Extra, Withheld
from ._layout import Layout, Part, Write, document_from
from .brat import safe_path

__all__ = ["I2b2"]

_ROOT = "deIdi2b2"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class I2b2:
    """Reads a folder (or one .xml file) and writes a folder."""

    name = "i2b2"
    is_folder = True

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def read(self, part: Part) -> Iterator[Document | Withheld]:
        path = part.file
        if path.is_file():
            folder, stems = path.parent, [path.name.removesuffix(".xml")]
        else:
            folder = path
            stems = sorted(
                (Path(place, name).relative_to(path)).as_posix().removesuffix(".xml")
                for place, _, names in os.walk(path)
                for name in names
                if name.endswith(".xml") and name[0] not in "._"
            )
        for record, stem in enumerate(stems, 1):
            yield self._document(part, record, stem, folder)

    def _document(self, part: Part, record: int, stem: str, folder: Path) -> Document | Withheld:
        def withheld(reason: str, kind: type[InputError] = FormatError) -> Withheld:
            return Withheld(stem, reason, record, part.name, None, kind)

        file = folder / f"{stem}.xml"
        try:
            safe_path(folder, stem)
            if not file.resolve().is_relative_to(folder.resolve()):
                return withheld("is a link that leads out of the folder")
            if file.stat().st_size > self.layout.limits.record_bytes:
                return withheld("is a file beyond the limit of bytes", LimitError)
            content = file.read_bytes()
            if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
                return withheld("has a document type, which is not read")
            root = ET.fromstring(content)  # noqa: S314 (no document type, no entities)
        except DataError:
            return withheld("has a file name that cannot be written in the output")
        except OSError:
            return withheld("cannot be opened for reading")
        except (ET.ParseError, ValueError, LookupError):
            return withheld("is not well-formed XML")
        text, tags = root.find("TEXT"), root.find("TAGS")
        if root.tag != _ROOT or text is None:
            return withheld(f"is not a {_ROOT} document with a TEXT")
        spans = []
        for number, tag in enumerate(tags if tags is not None else (), 1):
            try:
                start, end = int(tag.attrib["start"]), int(tag.attrib["end"])
            except (KeyError, ValueError):
                return withheld(f"has a tag {number} without whole numbers as start and end")
            spans.append({"start": start, "end": end, "label": tag.tag})
        return document_from(self.layout, part, record, raw_id=stem, text=text.text or "",
                             raw_spans=spans, fields=Extra({}, part.name))  # fmt: skip

    @contextmanager
    def writer(
        self, path: Path, part: Part | None = None, *, compress: bool = False
    ) -> Iterator[Write]:
        path.mkdir(exist_ok=True)

        def write(document: Document) -> None:
            place = safe_path(path, document.id).with_suffix("")
            place = place.with_name(safe_path(path, document.id).name.removesuffix(".txt") + ".xml")
            if _NOT_XML.search(document.text):
                raise DataError(
                    f"The document {document.id!r} holds a control character, which XML cannot hold."
                )
            tags = []
            for number, span in enumerate(document.spans):
                if not _NAME.fullmatch(span.label):
                    raise DataError(
                        f"A label of the document {document.id!r} is no name of an XML element.",
                        hint="use letters, digits, '_', '-' and '.'.",
                    )
                quoted = quoteattr(document.text[span.start : span.end], {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})  # fmt: skip
                tags.append(
                    f'<{span.label} id="P{number}" start="{span.start}" end="{span.end}" '
                    f'text={quoted} TYPE="{span.label}"/>\n'
                )
            # Escaped rather than CDATA, in which a carriage return would not survive.
            text = escape(document.text, {"\r": "&#13;"})
            content = (
                f'<?xml version="1.0" encoding="UTF-8" ?>\n<{_ROOT}>\n<TEXT>{text}</TEXT>\n'
                f"<TAGS>\n{''.join(tags)}</TAGS>\n</{_ROOT}>\n"
            )
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                with place.open("xb") as stream:
                    stream.write(content.encode())
            except FileExistsError:
                raise DataError(f"Two documents would be written to the file of {document.id!r}.") from None  # fmt: skip

        yield write
