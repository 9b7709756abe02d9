"""CoNLL columns: one token per line, its tag in a column, blank lines between sentences, -DOCSTART- between
documents. The text is the tokens joined by single spaces, sentences by line ends.

Where a file has no -DOCSTART-, each block between blank lines is a document. Comment lines of files
with tabs ("# …") are left out: they may quote the text. A file that numbers its tokens in the first column
(CoNLL-U and most parsers) has them in the second.
"""

# ruff: noqa: A002 (id and format are the words of the field)
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path, PurePosixPath

from ...core.errors import DataError, FormatError, InputError, LimitError
from ..document import Document, Edited, Segment, Span
from ..sources import Withheld, create_bytes, lines_of, open_bytes
from ._tag_schemes import spans_of_tags, tags_of_labels
from .protocol import CorpusFile, Format, FormatOptions, document_from

__all__ = ["Conll", "ConllOptions"]

_START = "-DOCSTART-"
_BARE_START = r"-DOCSTART-[ \tXO_-]*"
_LOOKED_AT = 200  # lines, to find out whether tokens are numbered


@dataclass(slots=True)
class _Rows:
    """What a document looked like in its file: its rows, their line numbers, and how they were written."""

    sentences: list[list[list[str]]]
    lines: list[int] = field(default_factory=list)
    delimiter: str = "\t"
    start: str | None = _START
    scheme: str = "BIO"
    token: int = 0
    is_numbered: bool = False

    def by_line(self) -> dict[str, list[str]]:
        """Return the rows by the places of their tokens."""
        rows = (row for sentence in self.sentences for row in sentence)
        return {str(line): row for line, row in zip(self.lines, rows, strict=True)}


_Found = tuple[Document | Withheld, _Rows | None]


class ConllOptions(FormatOptions):
    """What can be said about CoNLL columns.

    Parameters
    ----------
    token_column : int, optional
        The column of the tokens; by default the first, or the second where the first numbers them.
    tag_column : int or None, default=-1
        The column of the tags; None where there are none.
    kept_columns : sequence of int, default=()
        Other columns to write as they were read, for tokens that are still the same. All others
        become `_`: a lemma, or another column with the words, would give away what was redacted.

    """

    token_column: int | None = None
    tag_column: int | None = -1
    kept_columns: tuple[int, ...] = ()


class Conll(Format[ConllOptions]):
    """Reads and writes CoNLL columns; tags may be BIO, IOB, BIOES or BILOU.

    Each token is a segment of the text whose place is its line. A token that no edit touches keeps its row.
    """

    name = "conll"
    suffixes = (".conll", ".iob", ".bio")
    Options = ConllOptions

    @property
    def holds_ids(self) -> bool:
        """Nowhere in the file: documents are numbered."""
        return False

    def read(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        return (record for record, _ in self._read(part))

    def _read(self, part: CorpusFile) -> Iterator[_Found]:
        stem = PurePosixPath(part.name.removesuffix(".gz")).with_suffix("").as_posix()
        column = self.options.token_column
        with open_bytes(part.file, self.names.limits) as stream:
            lines = lines_of(stream, self.names.limits)
            early = list(islice(lines, _LOOKED_AT))
            is_numbered = column is None and _is_numbered(early)
            token = int(is_numbered) if column is None else column
            parser = _Parser(self, part, stem, token, is_numbered=is_numbered)
            for line in chain(early, lines):
                yield from parser.take(line)
        yield from parser.end()

    def comparable(self, text: str) -> str:
        """Return the tokens of a text; what is between them is made in reading."""
        return " ".join(re.findall(r"[^ \t\r\n]+", text))

    def read_back(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        """Yield the documents; one with words in a column that is not kept is withheld."""
        tag, kept = self.options.tag_column, self.options.kept_columns
        for record, rows in self._read(part):
            if rows is None:
                yield record
                continue
            own = {rows.token, *(() if tag is None else (tag,)), *kept}
            own |= {0} if rows.is_numbered else set()
            found = (row for sentence in rows.sentences for row in sentence)
            if all(
                cell == "_" or i in own or i - len(row) in own
                for row in found
                for i, cell in enumerate(row)
            ) and re.fullmatch(_BARE_START, rows.start or _START):
                yield record
            else:
                yield Withheld(record.id, "has words in other columns", record.record, part.name)

    def write(self, part: CorpusFile | None, edited: Iterable[Edited], out: Path) -> None:
        known = iter(()) if part is None or part.path is None else self._read(part)
        passed: dict[int, _Rows] = {}  # rows of documents that are written later

        def rows_of(record: int) -> _Rows:
            while record not in passed:
                found = next(known, None)
                if found is None:
                    return _Rows([])
                if found[1] is not None:
                    passed[found[0].record] = found[1]
            return passed.pop(record)

        with create_bytes(out, compress=out.name.endswith(".gz")) as stream:
            for document in edited:
                rows = rows_of(document.document.record)
                lines = [] if rows.start is None else [rows.start, ""]
                lines += self._lines(rows, document)
                stream.write("".join(line + "\n" for line in lines).encode())

    def _lines(self, rows: _Rows, document: Edited) -> Iterator[str]:
        """Yield the lines of a document as it is published."""
        tag, token_column = self.options.tag_column, rows.token
        width = max((len(row) for sentence in rows.sentences for row in sentence), default=2)
        least = 1 + max(token_column, -1 - token_column, *((tag, -1 - tag) if tag is not None else ()))  # fmt: skip
        width = max(width, least, 1 if tag is None else 2)
        by_line = rows.by_line()
        unchanged = {
            start: by_line.get(place) for start, place in _tokens_without_edits(document).items()
        }
        for tokens in _tokens(document.text, document.spans):
            tags = tags_of_labels([t[2] for t in tokens], rows.scheme)
            for number, ((start, token, _), own_tag) in enumerate(
                zip(tokens, tags, strict=True), 1
            ):
                if token == _START:
                    raise DataError(f"The document {document.id!r} holds a token that CoNLL keeps for itself.")  # fmt: skip
                row = unchanged.get(start)
                if row is not None and row[token_column] != token:  # a span ends inside it
                    row = None
                cells = ["_"] * (width if row is None else len(row))
                for column in self.options.kept_columns:
                    if row is not None and -len(row) <= column < len(row):
                        cells[column] = row[column]
                if rows.is_numbered:
                    cells[0] = str(number)
                cells[token_column] = token
                if tag is not None:
                    cells[tag] = own_tag
                yield rows.delimiter.join(cells)
            yield ""


def _tokens_without_edits(document: Edited) -> dict[int, str]:
    """Return the places of tokens that no edit touches in the published text."""
    found: dict[int, str] = {}
    edits, passed, moved = document.edits, 0, 0
    for segment in document.document.segments:
        while passed < len(edits) and edits[passed].end <= segment.start:
            edit = edits[passed]
            moved += len(edit.replacement) - (edit.end - edit.start)
            passed += 1
        if passed == len(edits) or edits[passed].start >= segment.end:
            found[segment.start + moved] = segment.place
    return found


class _Parser:
    """Gathers the lines of one document after the other."""

    def __init__(
        self, format: Conll, part: CorpusFile, stem: str, token: int, *, is_numbered: bool
    ) -> None:
        self.format, self.part, self.stem = format, part, stem
        self.token, self.is_numbered = token, is_numbered
        self.record, self.number = 0, 0
        self.delimiter: str | None = None
        # Lines that begin with # before it is known whether the columns are tabbed: with tabs
        # they are comments, without they are tokens.
        self.unsure: list[str] = []
        self.start: str | None = None
        self.open(None)

    def open(self, start: str | None) -> None:
        self.sentences: list[list[list[str]]] = []
        self.rows: list[list[str]] = []
        self.lines: list[int] = []
        self.size, self.start = 0, start
        self.fault: tuple[str, str | None, type[InputError]] | None = None
        self.in_labels = False

    def take(self, line: bytes | None) -> Iterator[_Found]:
        limits = self.format.names.limits
        self.number += 1
        if line is None:
            self.fault = ("has a line beyond the limit", limits.hint("record_bytes"), LimitError)
            return
        try:
            text = line.decode().rstrip("\n").removesuffix("\r")
        except UnicodeDecodeError:
            hint = "convert the file: iconv -f CP1252 -t UTF-8 (or LATIN1)."
            self.fault = self.fault or (
                f"is not UTF-8 text on line {self.number}",
                hint,
                FormatError,
            )
            return
        if text.strip(" \t") == "":
            self._settle()
            if self.rows:
                self.sentences.append(self.rows)
                self.rows = []
            if self.start is None:
                yield from self.end()
        elif text.startswith(_START) and text[len(_START) :][:1] in ("", " ", "\t"):
            yield from self.end()
            # Some corpora put a title after the mark: only columns without words go out again.
            self.open(text if re.fullmatch(_BARE_START, text) else _START)
        elif self.delimiter != " " and text.startswith("#") and "\t" not in text:
            if self.delimiter is None:
                self.unsure.append(text)
        else:
            if self.delimiter is None:
                self.delimiter = "\t" if "\t" in text else " "
                for early in self.unsure if self.delimiter == " " else ():
                    self._row(early)
            self._row(text)
            if self.size > limits.document_characters and self.fault is None:
                hint = limits.hint("document_characters")
                self.fault = ("has a text beyond the limit of characters", hint, LimitError)
            if self.fault is not None:
                self.sentences, self.rows, self.lines = [], [["", ""]], []  # need not be kept

    def _row(self, text: str) -> None:
        cells = (
            text.split("\t") if self.delimiter == "\t" else re.split("[ \t]+", text.strip(" \t"))
        )
        tag, place = self.format.options.tag_column, f"on line {self.number}"
        try:
            token = cells[self.token]
            same = tag is not None and tag % len(cells) == self.token % len(cells)
            if same or (tag is not None and not cells[tag]):
                raise IndexError
        except IndexError:
            hint = "say which columns they are: token_column=0, tag_column=-1 (None: no tags)."
            self.in_labels = tag is not None
            self.fault = self.fault or (f"has too few columns {place}", hint, FormatError)
            return
        if not token or " " in token:
            self.fault = self.fault or (f"has an empty token or one with a space {place}", None, DataError)  # fmt: skip
            return
        self.size += len(token) + 1
        self.rows.append(cells)
        self.lines.append(self.number)

    def _settle(self) -> None:
        """At the end of a block of # lines alone: tokens when all of them end in a tag."""
        if self.delimiter is None and self.unsure:
            if all(re.search(r" (?:O|[BIESLU]-\S+)$", line) for line in self.unsure):
                self.delimiter = " "
                for early in self.unsure:
                    self._row(early)
            self.unsure.clear()

    def end(self) -> Iterator[_Found]:
        self._settle()
        if self.rows:
            self.sentences.append(self.rows)
        if not self.sentences and self.fault is None and self.start is None:
            return
        self.record += 1
        id = f"{self.stem}-{self.record}"
        if self.fault is None:
            rows = _Rows(self.sentences, self.lines, self.delimiter or "\t", self.start,
                         token=self.token, is_numbered=self.is_numbered)  # fmt: skip
            found = self._document(id, rows)
            yield found, None if isinstance(found, Withheld) else rows
        else:
            reason, hint, kind = self.fault
            found = Withheld(id, reason, self.record, self.part.name, hint, kind, self.in_labels)
            yield found, None
        self.open(None)

    def _document(self, id: str, rows: _Rows) -> Document | Withheld:
        options = self.format.options
        lines, spans, at, seen = [], [], 0, set()
        segments: list[Segment] = []
        places = iter(rows.lines)
        if options.token_column is None and _is_all_numbers(rows):
            return Withheld(id, "has nothing but numbers where its tokens should be",
                            self.record, self.part.name,
                            "say which column holds the tokens: token_column=1.", FormatError)  # fmt: skip
        for sentence in rows.sentences:
            tokens = [row[rows.token] for row in sentence]
            starts = [at]
            for token in tokens:
                segments.append(Segment(starts[-1], starts[-1] + len(token), str(next(places))))
                starts.append(starts[-1] + len(token) + 1)
            if options.tag_column is not None:
                found, scheme = spans_of_tags([row[options.tag_column] for row in sentence])
                if found is None:
                    return Withheld(id, "has a tag that is not of the form B-KIND, I-KIND or O",
                                    self.record, self.part.name,
                                    "say which column holds the tags: tag_column=-1.", FormatError,
                                    in_labels=True)  # fmt: skip
                seen.add(scheme)
                spans += [Span(starts[a], starts[b] - 1, kind) for a, b, kind in found]
            lines.append(" ".join(tokens))
            at = starts[-1]
        rows.scheme = next((s for s in ("BIOES", "BILOU", "IOB") if s in seen), "BIO")
        return document_from(self.format.names, self.part, self.record, raw_id=id,
                             text="\n".join(lines), raw_spans=spans, segments=segments)  # fmt: skip


def _is_numbered(lines: Sequence[bytes | None]) -> bool:
    """Return whether the first sentence numbers its tokens in the first of three columns or more."""
    due = 1
    for line in lines:
        text = b"" if line is None else line.strip()
        if not text and due > 1:
            break
        if not text or text.startswith((b"#", _START.encode())):
            continue
        cells = text.split(b"\t") if b"\t" in text else text.split()
        first = cells[0]
        if len(cells) < 3 or not re.fullmatch(rb"%d|%d-\d+|%d\.\d+" % (due, due, due - 1), first):
            return False
        due += first.isdigit()  # 2-3 stands before 2 and 3 for both, 2.1 between 2 and 3
    return due > 1


def _is_all_numbers(form: _Rows) -> bool:
    """Return whether three tokens or more are all numbers, with more columns than token and tag."""
    rows = [row for sentence in form.sentences for row in sentence]
    return len(rows) >= 3 and all(
        len(row) > 2 and row[form.token].replace(".", "").isdigit() for row in rows
    )


_Token = tuple[int, str, tuple[int, str] | None]


def _tokens(text: str, spans: Sequence[Span]) -> Iterator[list[_Token]]:
    """Return the sentences of a text as tokens with their starts and labels, cut where spans end."""
    number, line = 0, 0
    tokens: list[_Token] = []
    for match in re.finditer(r"[^ \t\r\n]+", text):
        if "\n" in text[line : match.start()]:
            if tokens:
                yield tokens
            tokens = []
        at = line = match.start()
        while at < match.end():
            while number < len(spans) and spans[number].end <= at:
                number += 1
            label, end = None, match.end()
            if number < len(spans) and spans[number].start < match.end():
                if spans[number].start <= at:
                    label, end = (number, spans[number].label), min(end, spans[number].end)
                else:
                    end = spans[number].start
            tokens.append((at, text[at:end], label))
            at = end
        line = match.end()
    if tokens:
        yield tokens
