"""A folder of .txt files, each with a brat .ann of the same name that holds its spans.

The id of a document is its path in the folder without `.txt`. Text-bound annotations (T lines) are
read; a discontinuous one becomes one span for each of its pieces, so that all its characters stay
covered. Relations, events, attributes and notes are not carried over: they may quote the text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ...core.errors import DataError, FormatError, InputError, LimitError
from ..document import Document, Edited, Span
from ..limits import Limits
from ..sources import Withheld
from .protocol import CorpusFile, Format, FormatOptions, document_from

__all__ = ["Brat", "read_annotations", "safe_path", "write_annotations"]

_BOUND = re.compile(r"T\S*\t(\S+) (\d{1,18} \d{1,18}(?:;\d{1,18} \d{1,18})*)(?:\t(.*))?", re.DOTALL)
_SPACE = re.compile(r"\s+")


class Brat(Format[FormatOptions]):
    """Reads a folder (or one .txt file) and writes a folder."""

    name = "brat"
    suffixes = (".txt", ".ann")
    unit = "folder"

    def read(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        folder, stems = _stems(part.file)
        for record, stem in enumerate(stems, 1):
            yield self._document(part, record, stem, folder)

    def _document(
        self, part: CorpusFile, record: int, stem: str, folder: Path
    ) -> Document | Withheld:
        text_file, spans_file = folder / f"{stem}.txt", folder / f"{stem}.ann"

        def withheld(
            reason: str, hint: str | None = None, kind: type[InputError] = FormatError
        ) -> Withheld:
            return Withheld(stem, reason, record, part.name, hint, kind)

        try:
            stem.encode()
        except UnicodeEncodeError:
            stem = f"record {record}"
            return withheld("has a file name that is not UTF-8")
        try:
            safe_path(folder, stem)
        except DataError as error:  # one file is withheld; the others can be published
            return withheld("has a file name that cannot be written in the output", error.hint)
        if not text_file.exists():
            return withheld("has annotations but no .txt file")
        has_spans = spans_file.exists()
        contents = []
        for file in (text_file, spans_file) if has_spans else (text_file,):
            if not file.resolve().is_relative_to(folder.resolve()):
                return withheld("is a link that leads out of the folder", "copy the file itself.")
            try:
                if file.stat().st_size > self.names.limits.record_bytes:
                    hint = self.names.limits.hint("record_bytes")
                    return withheld("is a file beyond the limit of bytes", hint, LimitError)
                contents.append(file.read_bytes().decode())
            except UnicodeDecodeError:
                return withheld(
                    "is not UTF-8 text",
                    "convert the file: iconv -f CP1252 -t UTF-8 (or LATIN1).",
                )
            except OSError:
                return withheld("cannot be opened for reading")
        text = contents[0]
        try:
            spans = _spans_of(contents[1], text) if has_spans else []
        except InputError as error:
            return replace(withheld(error.message, error.hint, type(error)), in_labels=True)
        return document_from(self.names, part, record, raw_id=stem, text=text, raw_spans=spans)

    def read_back(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        """Yield the documents; a line of an .ann that is passed over in reading is withheld."""
        folder, _ = _stems(part.file)
        yield from foreign_files(self, part)
        for record in self.read(part):
            notes = folder / f"{record.id}.ann"
            lines = notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []
            if any(line[:1] != "T" for line in lines):
                yield Withheld(record.id, "has other annotations", record.record, part.name)
            else:
                yield record

    def write(self, part: CorpusFile | None, edited: Iterable[Edited], out: Path) -> None:
        out.mkdir(exist_ok=True)
        read = None if part is None or part.path is None else _stems(part.path)[0]
        for document in edited:
            place = safe_path(out, document.id)
            write_new(place, document.text.encode(), document.id)
            # A document that came without annotations goes without.
            came = read is None or (read / f"{document.document.id}.ann").exists()
            write_annotations(
                place.with_name(place.name.removesuffix(".txt") + ".ann"), document, came=came
            )


def read_annotations(file: Path, text: str, limits: Limits) -> list[Span]:
    """Return the spans of an .ann file; the error continues a sentence that names its document."""
    try:
        if file.stat().st_size > limits.record_bytes:
            raise LimitError(
                "is a file beyond the limit of bytes", hint=limits.hint("record_bytes")
            )
        return _spans_of(file.read_bytes().decode(), text)
    except UnicodeDecodeError:
        raise FormatError("has annotations that are not UTF-8 text") from None
    except OSError:
        raise FormatError("has annotations that cannot be opened for reading") from None


def _spans_of(lines: str, text: str) -> list[Span]:
    spans: list[Span] = []
    for number, line in enumerate(lines.split("\n"), 1):
        line = line.removesuffix("\r")
        if not line.strip() or line[0] in "REAMN#*":
            continue
        bound = _BOUND.fullmatch(line)
        if bound is None:
            raise FormatError(f"has an annotation on line {number} that is not in brat's form")
        label, places, quoted = bound[1], bound[2], bound[3]
        ends = [tuple(map(int, place.split(" "))) for place in places.split(";")]
        pieces = [text[start:end] for start, end in ends]
        if quoted is not None and _SPACE.sub("", quoted) != _SPACE.sub("", "".join(pieces)):
            raise DataError(
                f"has an annotation on line {number} that quotes other words than its offsets",
                hint="offsets count characters (not bytes) of the file as it is.",
            )
        spans += [Span(start, end, label) for start, end in ends]
    return spans


def write_annotations(notes: Path, document: Edited, *, came: bool) -> None:
    """Write the spans of a document as an .ann file; none without spans, unless some came with it."""
    if not (came or document.spans):
        return
    lines = []
    for number, span in enumerate(document.spans, 1):
        if _SPACE.search(span.label):
            raise DataError(
                f"A label of document {document.id!r} holds a space, which brat cannot hold."
            )
        quoted = _SPACE.sub(" ", document.text[span.start : span.end])
        lines.append(f"T{number}\t{span.label} {span.start} {span.end}\t{quoted}\n")
    notes.write_bytes("".join(lines).encode())


def write_new(place: Path, content: bytes, id: str) -> None:
    """Write the file of a document, which must not be that of another one."""
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        with place.open("xb") as stream:
            stream.write(content)
    except FileExistsError:
        raise DataError(f"Two documents would be written to the file of {id!r}.") from None


def foreign_files(form: Format[FormatOptions], part: CorpusFile) -> Iterator[Withheld]:
    """Yield what a written folder holds that is none of a format's files."""
    for file in part.file.rglob("*"):
        if file.is_file() and not form.sniff(file.name, b""):
            yield Withheld("a file", "is none that was written", 0, part.name)


def safe_path(folder: Path, id: str) -> Path:
    """Return the .txt file of an id inside the folder; refuse ids that could lead anywhere else.

    >>> safe_path(Path("out"), "../../etc/passwd")
    Traceback (most recent call last):
    sfumato.core.errors.DataError: The id '../../etc/passwd' cannot be a file name in the output. \
Hint: use letters, digits, '-', '_' and '/' between folders.
    """
    steps = id.split("/")
    unsafe = any(
        step in ("", ".", "..")
        or step != step.strip()
        or len(step.encode()) > 200
        or not step.isprintable()
        or any(c in step for c in '\\:*?"<>|')
        for step in steps
    )
    if unsafe or len(steps) > 32:
        raise DataError(
            f"The id {id[:200]!r} cannot be a file name in the output.",
            hint="use letters, digits, '-', '_' and '/' between folders.",
        )
    return folder.joinpath(*steps[:-1], f"{steps[-1]}.txt")


def _stems(path: Path) -> tuple[Path, list[str]]:
    """List the documents of a folder by their paths without suffix, in one order everywhere."""
    if path.is_file():
        return path.parent, [path.name.removesuffix(".ann").removesuffix(".txt")]
    found = set()
    for place, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name[0] != "."]
        inside = Path(place).relative_to(path)
        for name in names:
            if name.endswith((".txt", ".ann")) and name[0] not in "._":
                found.add((inside / name[:-4]).as_posix())
    return path, sorted(found)
