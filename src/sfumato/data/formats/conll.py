"""CoNLL columns: a token a line, its tag in a column, blank lines between sentences, -DOCSTART- between
documents. The text is the tokens joined by single spaces, sentences by line ends.

Where a file has no -DOCSTART-, each block between blank lines is a document. Comment lines of files
with tabs ("# …") are left out: they may quote the text. A file that numbers its tokens in the first column
(CoNLL-U and most parsers) has them in the second.
"""

# ruff: noqa: A001, A002, ARG002 (id and format are the words of the field; all formats share one protocol)
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain, islice
from pathlib import Path, PurePosixPath

from ...core.errors import DataError, FormatError, InputError, LimitError
from ..document import Document, Span
from ..sources import Extra, Withheld, create_bytes, lines_of, open_bytes
from ._layout import Layout, Part, Write, document_from

__all__ = ["Conll"]

_START = "-DOCSTART-"
_LOOKED_AT = 200  # lines, to find out whether tokens are numbered
_ALIGNED = 4000  # tokens up to which changed sentences are aligned with what was read


@dataclass(slots=True)
class _Form:
    """What a document looked like in its file: its rows, and how they were written."""

    sentences: list[list[list[str]]]
    delimiter: str = "\t"
    start: str | None = _START
    scheme: str = "BIO"
    token: int = 0
    is_numbered: bool = False


class Conll:
    """Reads and writes CoNLL columns; tags may be BIO, IOB, BIOES or BILOU.

    Parameters
    ----------
    token_column : int, optional
        The column of the tokens; by default the first, or the second where the first numbers them.
    tag_column : int or None, default=-1
        The column of the tags; None where there are none.
    kept_columns : sequence of int, default=()
        Other columns to write as they were read, beside tokens that are still the same. All others
        become `_`: a lemma, or another column with the words, would give away what was redacted.

    """

    name = "conll"
    is_folder = False

    def __init__(
        self,
        layout: Layout,
        *,
        token_column: int | None = None,
        tag_column: int | None = -1,
        kept_columns: Sequence[int] = (),
    ) -> None:
        self.layout, self.token, self.tag = layout, token_column, tag_column
        self.kept = tuple(kept_columns)

    def read(self, part: Part) -> Iterator[Document | Withheld]:
        stem = PurePosixPath(part.name.removesuffix(".gz")).with_suffix("").as_posix()
        with open_bytes(part.file, self.layout.limits) as stream:
            lines = lines_of(stream, self.layout.limits)
            early = list(islice(lines, _LOOKED_AT))
            is_numbered = self.token is None and _is_numbered(early)
            token = int(is_numbered) if self.token is None else self.token
            reading = _Reading(self, part, stem, token, is_numbered=is_numbered)
            for line in chain(early, lines):
                yield from reading.take(line)
        yield from reading.end()

    def rows_of(self, form: _Form, document: Document) -> Iterator[str]:
        """Return the lines of a document as it is now."""
        sentences = list(_tokens(document))
        width = max((len(row) for rows in form.sentences for row in rows), default=2)
        least = 1 + max(form.token, -1 - form.token, *((self.tag, -1 - self.tag) if self.tag is not None else ()))  # fmt: skip
        width = max(width, least, 1 if self.tag is None else 2)
        before = _aligned(form, [[t[0] for t in tokens] for tokens in sentences], form.token)
        for tokens, old in zip(sentences, before, strict=True):
            tags = _tags([t[1] for t in tokens], form.scheme)
            for number, ((token, _), tag, row) in enumerate(zip(tokens, tags, old, strict=True), 1):
                if token == _START:
                    raise DataError(f"The document {document.id!r} holds a token that CoNLL keeps for itself.")  # fmt: skip
                cells = ["_"] * (width if row is None else len(row))
                for column in self.kept:
                    if row is not None and -len(row) <= column < len(row):
                        cells[column] = row[column]
                if form.is_numbered:
                    cells[0] = str(number)
                cells[form.token] = token
                if self.tag is not None:
                    cells[self.tag] = tag
                yield form.delimiter.join(cells)
            yield ""

    @contextmanager
    def writer(self, path: Path, part: Part | None = None, *, compress: bool = False) -> Iterator[Write]:  # fmt: skip
        with create_bytes(path, compress=compress) as stream:

            def write(document: Document) -> None:
                form = getattr(document.fields, "form", None)
                form = form if isinstance(form, _Form) else _Form([])
                lines = [] if form.start is None else [form.start, ""]
                lines += self.rows_of(form, document)
                stream.write("".join(line + "\n" for line in lines).encode())

            yield write


class _Reading:
    """Gathers the lines of one document after the other."""

    def __init__(
        self, format: Conll, part: Part, stem: str, token: int, *, is_numbered: bool
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
        self.size, self.start = 0, start
        self.fault: tuple[str, str | None, type[InputError]] | None = None

    def take(self, line: bytes | None) -> Iterator[Document | Withheld]:
        limits = self.format.layout.limits
        self.number += 1
        if line is None:
            self.fault = ("has a line beyond the limit", limits.hint("record_bytes"), LimitError)
            return
        try:
            text = line.decode().rstrip("\n").removesuffix("\r")
        except UnicodeDecodeError:
            hint = "convert the file: iconv -f LATIN1 -t UTF-8."
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
            self.open(text if re.fullmatch(r"-DOCSTART-[ \tXO_-]*", text) else _START)
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
                self.sentences, self.rows = [], [["", ""]]  # what is withheld need not be kept

    def _row(self, text: str) -> None:
        cells = (
            text.split("\t") if self.delimiter == "\t" else re.split("[ \t]+", text.strip(" \t"))
        )
        format, place = self.format, f"on line {self.number}"
        try:
            token = cells[self.token]
            same = format.tag is not None and format.tag % len(cells) == self.token % len(cells)
            if same or (format.tag is not None and not cells[format.tag]):
                raise IndexError
        except IndexError:
            hint = "say which columns they are: token_column=0, tag_column=-1 (None: no tags)."
            self.fault = self.fault or (f"has too few columns {place}", hint, FormatError)
            return
        if not token or " " in token:
            self.fault = self.fault or (f"has an empty token or one with a space {place}", None, DataError)  # fmt: skip
            return
        self.size += len(token) + 1
        self.rows.append(cells)

    def _settle(self) -> None:
        """At the end of a block of # lines alone: tokens when all of them end in a tag."""
        if self.delimiter is None and self.unsure:
            if all(re.search(r" (?:O|[BIESLU]-\S+)$", line) for line in self.unsure):
                self.delimiter = " "
                for early in self.unsure:
                    self._row(early)
            self.unsure.clear()

    def end(self) -> Iterator[Document | Withheld]:
        self._settle()
        if self.rows:
            self.sentences.append(self.rows)
        if not self.sentences and self.fault is None and self.start is None:
            return
        self.record += 1
        id = f"{self.stem}-{self.record}"
        if self.fault is None:
            form = _Form(self.sentences, self.delimiter or "\t", self.start, token=self.token,
                         is_numbered=self.is_numbered)  # fmt: skip
            yield self._document(id, form)
        else:
            reason, hint, kind = self.fault
            yield Withheld(id, reason, self.record, self.part.name, hint, kind)
        self.open(None)

    def _document(self, id: str, form: _Form) -> Document | Withheld:
        format = self.format
        lines, spans, at, seen = [], [], 0, set()
        if format.token is None and _is_all_numbers(form):
            return Withheld(id, "has nothing but numbers where its tokens should be",
                            self.record, self.part.name,
                            "say which column holds the tokens: token_column=1.", FormatError)  # fmt: skip
        for rows in form.sentences:
            tokens = [row[form.token] for row in rows]
            if format.tag is not None:
                tags = [row[format.tag] for row in rows]
                found, scheme = _spans(tags)
                if found is None:
                    return Withheld(id, "has a tag that is not of the form B-KIND, I-KIND or O",
                                    self.record, self.part.name,
                                    "say which column holds the tags: tag_column=-1.", FormatError)  # fmt: skip
                seen.add(scheme)
                starts = [at]
                for token in tokens:
                    starts.append(starts[-1] + len(token) + 1)
                spans += [Span(starts[a], starts[b] - 1, kind) for a, b, kind in found]
            lines.append(" ".join(tokens))
            at += len(lines[-1]) + 1
        form.scheme = next((s for s in ("BIOES", "BILOU", "IOB") if s in seen), "BIO")
        return document_from(format.layout, self.part, self.record, raw_id=id, text="\n".join(lines),
                             raw_spans=spans, fields=Extra({}, self.part.name, form=form))  # fmt: skip


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


def _is_all_numbers(form: _Form) -> bool:
    """Return whether three tokens or more are all numbers, with more columns than token and tag."""
    rows = [row for sentence in form.sentences for row in sentence]
    return len(rows) >= 3 and all(
        len(row) > 2 and row[form.token].replace(".", "").isdigit() for row in rows
    )


def _spans(tags: Sequence[str]) -> tuple[list[tuple[int, int, str]] | None, str]:
    """Turn the tags of a sentence into token ranges; None when one is not a tag."""
    found: list[tuple[int, int, str]] = []
    scheme, going = "BIO", False
    for i, tag in enumerate(tags):
        if tag in ("O", "_"):
            going = False
            continue
        prefix, dash, kind = tag.partition("-")
        if not dash or not kind or prefix not in ("B", "I", "E", "S", "L", "U"):
            return None, scheme
        if prefix in "ES":
            scheme = "BIOES"
        elif prefix in "LU":
            scheme = "BILOU"
        if going and prefix in "IEL" and found[-1][2] == kind:
            found[-1] = (found[-1][0], i + 1, kind)
        else:
            if prefix == "I" and scheme == "BIO":
                scheme = "IOB"
            found.append((i, i + 1, kind))
        going = prefix in "BI"
    return found, scheme


def _tags(labels: Sequence[tuple[int, str] | None], scheme: str) -> list[str]:
    """Write tags for the tokens of a sentence; each label comes with the number of its span."""
    tags = []
    for i, label in enumerate(labels):
        if label is None:
            tags.append("O")
            continue
        before = labels[i - 1] if i else None
        after = labels[i + 1] if i + 1 < len(labels) else None
        first, last = before != label, after != label
        if scheme == "IOB":
            touching = first and before is not None and before[1] == label[1]
            prefix = "B" if touching else "I"
        elif scheme == "BIO":
            prefix = "B" if first else "I"
        else:
            single, end = ("S", "E") if scheme == "BIOES" else ("U", "L")
            prefix = (single if last else "B") if first else (end if last else "I")
        tags.append(f"{prefix}-{label[1]}")
    return tags


def _tokens(document: Document) -> Iterator[list[tuple[str, tuple[int, str] | None]]]:
    """Return the sentences of a text as tokens with their labels; tokens are cut where spans end."""
    text, spans, number = document.text, document.spans, 0
    tokens: list[tuple[str, tuple[int, str] | None]] = []
    line = 0
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
            tokens.append((text[at:end], label))
            at = end
        line = match.end()
    if tokens:
        yield tokens


def _aligned(form: _Form, now: list[list[str]], token: int) -> list[list[list[str] | None]]:
    """Find for each token the row it had, where the token is still the same."""
    old = form.sentences
    if len(old) != len(now):
        flat = [[row for rows in old for row in rows]]
        found = _match(flat[0], [t for tokens in now for t in tokens], token)
        at, result = 0, []
        for tokens in now:
            result.append(found[at : at + len(tokens)])
            at += len(tokens)
        return result
    return [_match(rows, tokens, token) for rows, tokens in zip(old, now, strict=True)]


def _match(rows: list[list[str]], tokens: list[str], token: int) -> list[list[str] | None]:
    before = [row[token] for row in rows]
    if before == tokens:
        return list(rows)
    found: list[list[str] | None] = [None] * len(tokens)
    if len(rows) <= _ALIGNED and len(tokens) <= _ALIGNED:
        for block in SequenceMatcher(None, before, tokens, autojunk=False).get_matching_blocks():
            found[block.b : block.b + block.size] = rows[block.a : block.a + block.size]
    return found
