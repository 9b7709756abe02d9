"""The XML of the i2b2 2014 challenge: a folder with one file per document, text and tags apart.

    <deIdi2b2><TEXT>…</TEXT><TAGS><NAME id="P0" start="16" end="26" text="…" TYPE="PATIENT"/></TAGS></deIdi2b2>

A tag's element is its label. Files with a document type are refused: nothing in them is needed, and
entities can be made to fill the memory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

from ...core.errors import DataError, FormatError, InputError, LimitError
from ..document import Document, Edited
from ..sources import Withheld
from .brat import foreign_files, safe_path, write_new
from .protocol import CorpusFile, Format, FormatOptions, document_from

__all__ = ["I2b2"]

_ROOT = "deIdi2b2"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class I2b2(Format[FormatOptions]):
    """Reads a folder (or one .xml file) and writes a folder."""

    name = "i2b2"
    suffixes = (".xml",)
    unit = "folder"

    @classmethod
    def sniff(cls, name: str, head: bytes) -> bool:
        """Return whether a file is of the challenge, by its name and its root element."""
        return name.lower().endswith(cls.suffixes) and (not head or f"<{_ROOT}".encode() in head)

    def read(self, part: CorpusFile) -> Iterator[Document | Withheld]:
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

    def _document(
        self, part: CorpusFile, record: int, stem: str, folder: Path
    ) -> Document | Withheld:
        def withheld(reason: str, kind: type[InputError] = FormatError) -> Withheld:
            return Withheld(stem, reason, record, part.name, None, kind)

        file = folder / f"{stem}.xml"
        try:
            safe_path(folder, stem)
            if not file.resolve().is_relative_to(folder.resolve()):
                return withheld("is a link that leads out of the folder")
            if file.stat().st_size > self.names.limits.record_bytes:
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
                reason = f"has a tag {number} without whole numbers as start and end"
                return replace(withheld(reason), in_labels=True)
            spans.append({"start": start, "end": end, "label": tag.tag})
        return document_from(self.names, part, record, raw_id=stem, text=text.text or "",
                             raw_spans=spans)  # fmt: skip

    def read_back(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        """Yield the documents; a file that holds more than a text and tags is withheld."""
        yield from foreign_files(self, part)
        for record in self.read(part):
            content = (part.file / f"{record.id}.xml").read_bytes()
            inside = [element.tag for element in ET.fromstring(content)]  # noqa: S314 (our own)
            if inside != ["TEXT", "TAGS"] or b"<!--" in content or content.count(b"<?") != 1:
                yield Withheld(record.id, "holds more than its text", record.record, part.name)
            else:
                yield record

    def write(self, part: CorpusFile | None, edited: Iterable[Edited], out: Path) -> None:  # noqa: ARG002
        out.mkdir(exist_ok=True)
        for document in edited:
            place = safe_path(out, document.id)
            place = place.with_name(place.name.removesuffix(".txt") + ".xml")
            write_new(place, _content(document).encode(), document.id)


def _content(document: Edited) -> str:
    """Return the file of a document."""
    from xml.sax.saxutils import escape, quoteattr  # brings an HTTP client along

    if _NOT_XML.search(document.text):
        raise DataError(
            f"The document {document.id!r} holds a control character, which XML cannot hold."
        )
    tags = []
    for number, span in enumerate(document.spans):
        if not _NAME.fullmatch(span.label):
            raise DataError(
                f"A label of the document {document.id!r} is not the name of an XML element.",
                hint="use letters, digits, '_', '-' and '.'.",
            )
        quoted = quoteattr(document.text[span.start : span.end], {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})  # fmt: skip
        tags.append(
            f'<{span.label} id="P{number}" start="{span.start}" end="{span.end}" '
            f'text={quoted} TYPE="{span.label}"/>\n'
        )
    # Escaped rather than CDATA, in which a carriage return would not survive.
    text = escape(document.text, {"\r": "&#13;"})
    return (
        f'<?xml version="1.0" encoding="UTF-8" ?>\n<{_ROOT}>\n<TEXT>{text}</TEXT>\n'
        f"<TAGS>\n{''.join(tags)}</TAGS>\n</{_ROOT}>\n"
    )
