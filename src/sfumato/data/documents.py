"""Reading and writing documents: a corpus is read record by record and written back in the same form.

>>> import tempfile
>>> from pathlib import Path
>>> folder = tempfile.TemporaryDirectory()
>>> notes = Path(folder.name) / "notes.jsonl"
>>> _ = notes.write_text('{"id": "d1", "text": "Ann called.", "ward": 4}')
>>> corpus = read_documents(notes)
>>> [(document.id, document.fields["ward"]) for document in corpus]
[('d1', 4)]
>>> write_documents(corpus, like=corpus, out=Path(folder.name) / "copy.jsonl")
1
>>> folder.cleanup()
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.display import html_table
from ..core.errors import DataError, InputError, ParameterError, UnreadFilesWarning
from ..core.files import whole_directory, whole_file
from .corpus_parts import data_of, parts_of_files, parts_of_folder
from .document import Document, Edited, Span
from .foreign import check_path
from .formats.protocol import EVERY_FIELD, CorpusFile, FieldNames, Format
from .formats.registry import FORMATS
from .inputs import DocumentsInput
from .limits import Limits, current_limits
from .sources import SeenIds, Withheld

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from .formats.lines import LineBlock

    Paths = list[str | os.PathLike[str]] | tuple[str | os.PathLike[str], ...]

__all__ = [
    "Corpus",
    "Document",
    "Limits",
    "Span",
    "Withheld",
    "documents_frame",
    "read_documents",
    "write_corpus",
    "write_documents",
]


@dataclass(frozen=True)
class Corpus:
    """Documents that are read again, one at a time, in each iteration over the corpus.

    Iterating is strict: the first record that breaks a rule raises. `tolerant()` gives it as
    `Withheld` and goes on. Memory does not grow with the texts; it grows by about 25 bytes a
    document, for the check that ids are unique.
    """

    format: Format[Any]
    parts: Sequence[CorpusFile]
    name: str
    is_folder: bool = False
    folder: Path | None = None
    """The folder whose files are one document each."""

    def __repr__(self) -> str:
        return f"<Corpus {self.name}: {', '.join(' '.join(fact) for fact in self._facts())}>"

    def _repr_html_(self) -> str:
        return html_table(f"Corpus {self.name}", self._facts(), first="td")

    def _facts(self) -> list[tuple[str, ...]]:
        """Return what is known without reading a document: the format and which fields are used."""
        if not self.paths:
            return [("in memory",)]
        names = self.format.names
        found: list[tuple[str, ...]] = [(self.format.name,)]
        if len(self.parts) > 1:
            found.append((f"{len(self.parts):,}", "files"))
        found.append(("text", repr(names.text)))
        found.append(("id", repr(names.id)) if names.id is not None else ("numbered",))
        return found

    def __iter__(self) -> Iterator[Document]:
        for record in self.tolerant():
            if isinstance(record, Withheld):
                raise record.error()
            yield record

    def tolerant(self) -> Iterator[Document | Withheld]:
        """Yield every record in order: a document, or a withheld record with its reason.

        A file that cannot be read on (damaged, not of its format) still raises, unless it is one of several that
        are read one by one: then it is a withheld record.
        """
        seen = SeenIds()
        count = 0
        for part in self.parts:
            for number, record in enumerate(self.records(part), 1):
                count += 1
                if isinstance(record, Document) and not seen.add(record.id):
                    yield Withheld.of_repeated_id(record.id, number, part.name)
                else:
                    yield record
        if count == 0:
            raise self.empty()

    def records(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        """Yield the records of a part."""
        if len(self.parts) == 1 or self.format.unit != "document":
            yield from self.format.read(part)
            return
        is_empty = True
        try:
            for record in self.format.read(part):
                is_empty = False
                yield record
        except InputError as error:
            yield Withheld.of_file(part.name, error)
            return
        if is_empty and part.file.stat().st_size:
            yield Withheld(part.name, "holds no documents", 0, part.name)

    def readable(
        self, *, warns: bool = False, with_labels: bool = False
    ) -> tuple[list[Document], list[Withheld]]:
        """Return the documents that can be read, and the records that cannot; where none can, raise for the first.

        Parameters
        ----------
        warns : bool, default=False
            Whether to warn of those that cannot, in counts by reason.
        with_labels : bool, default=False
            Whether the labels are used, too: the first record with a mistake in them raises.

        """
        found: list[Document] = []
        left: list[Withheld] = []
        for record in self.tolerant():
            if isinstance(record, Document):
                found.append(record.checked() if with_labels else record)
            elif with_labels and record.in_labels:
                raise record.error()
            else:
                left.append(record)
        if not found:
            raise left[0].error()
        if left and warns:
            _warn_of_unreadable(self.name, len(found) + len(left), left)
        return found, left

    def empty(self) -> DataError:
        """Return the error for a corpus without a record."""
        return DataError(f"The corpus {self.name!r} holds no documents.")

    def blocks(
        self, *, size: int, keep: Sequence[str] | None = None
    ) -> Iterator[tuple[CorpusFile, LineBlock]] | None:
        """Return the documents as blocks of columns, the quick way; None where it is none.

        The kernels are compiled on their first use, which takes longer than to read a small file
        without them.
        """
        from .formats.lines import WORTH, SeenMarks

        if sum(path.stat().st_size for path in self.paths if path.is_file()) < WORTH:
            return None
        seen = SeenMarks()
        keep = None if keep is not None and EVERY_FIELD in keep else keep
        found = [self.format.blocks(part, seen, size=size, keep=keep) for part in self.parts]
        if any(blocks is None for blocks in found):
            return None
        return (
            (part, block)
            for part, blocks in zip(self.parts, found, strict=True)
            for block in blocks or ()
        )

    @property
    def is_published_as_folder(self) -> bool:
        """Whether a release of it is a folder of files; files that are one document each get new names."""
        return self.is_folder or self.format.unit == "document"

    def place_of(self, part: CorpusFile, out: Path) -> Path:
        """Return where a part of a corpus like this is written."""
        inside = self.is_published_as_folder and self.format.unit != "folder"
        return out / part.name if inside else out

    @property
    def paths(self) -> list[Path]:
        """The files (or the folder) that the corpus is read from."""
        if self.folder is not None:
            return [self.folder]
        return [part.path for part in self.parts if part.path is not None]


def read_documents(
    source: DocumentsInput,
    *,
    text: str = "text",
    id: str | None = "id",
    spans: str = "spans",
    format: str | None = None,  # noqa: A002
    overlaps: str = "error",
    limits: Limits | None = None,
    **options: object,
) -> Corpus:
    """Open documents for reading: a file, a folder, several files, or a frame.

    Files are JSONL, CSV, TSV, Parquet, CoNLL columns (plain or gzip, Parquet apart), a folder of
    .txt with brat .ann, or files that are one document each, such as .docx, of which a folder may mix
    kinds; a frame is pandas, polars or Arrow.

    Parameters
    ----------
    source : path, list of paths, frame, Corpus or list of Document
        The documents.
    text : str, default='text'
        Field or column that holds the text.
    id : str, optional, default='id'
        Field or column that holds the id; None numbers the records.
    spans : str, default='spans'
        Field or column that holds the spans.
    format : str, optional
        The format; inferred from the name if not given.
    overlaps : {'error', 'merge', 'best'}, default='error'
        Whether overlapping spans are refused or resolved (see `sfumato.data.findings.resolve`).
    limits : Limits, optional
        How large files and records may be.
    **options
        Options of one format: `token_column`, `tag_column` and `kept_columns` for CoNLL, `delimiter`
        for CSV.

    Returns
    -------
    Corpus
        The documents, read anew each time it is iterated.

    Examples
    --------
    >>> from sfumato.data.samples import clinic_notes
    >>> notes = read_documents(clinic_notes(3))
    >>> notes, len(list(notes))
    (<Corpus documents: in memory>, 3)

    """
    names = FieldNames(text, id, spans, overlaps, limits or current_limits())
    if isinstance(source, Corpus):
        return source
    if not isinstance(source, str | os.PathLike) and not _is_path_list(source):
        from .formats.columns import frame_format
        from .formats.jsonl import InMemory

        if isinstance(source, list | tuple) and all(isinstance(d, Document) for d in source):
            return Corpus(InMemory(names, source), (CorpusFile("documents", None),), "documents")
        if options:
            raise ParameterError(f"A frame does not take the options {', '.join(sorted(options))}.")
        return Corpus(frame_format(source, names), (CorpusFile("frame", None),), "frame")
    paths = [Path(source)] if isinstance(source, str | os.PathLike) else [Path(p) for p in source]
    if not paths:
        raise InputError("No file was given to read documents from.")
    for path in paths:
        check_path(path)
    single = data_of(paths[0]) if len(paths) == 1 else None
    folder = single if single is not None and single.is_dir() else None
    if folder is not None:
        name, kind, parts = folder.name, *parts_of_folder(folder, format, names.limits)
    else:
        name = single.name if single is not None else f"{len(paths)} files"
        kind, parts = parts_of_files(paths if single is None else [single], format)
    if format is None and names.text != FieldNames().text:
        kind = FORMATS.get_or_raise(kind).as_table or kind
    made = FORMATS.get_or_raise(kind).from_options(names, options)
    is_folder = single is None or folder is not None
    return Corpus(made, parts, name, is_folder, folder if made.unit == "document" else None)


def write_documents(
    documents: Iterable[Document],
    *,
    like: Corpus | str,
    out: str | os.PathLike[str],
    force: bool = False,
    **options: object,
) -> int:
    """Write documents in the form of a corpus, whole or not at all; give how many were written.

    A corpus of one file is written as a file (gzip when `out` ends in .gz), a folder or several
    files as a folder with the same names, each document in its `part`. `like` may also be the name of a
    format, with its `options`.
    """
    out, count = Path(out), 0
    if isinstance(like, str):
        form = FORMATS.get_or_raise(like).from_options(FieldNames(), options)
        like = Corpus(form, (), out.name)
    elif options:
        form = like.format.from_options(like.format.names, {**dict(like.format.options), **options})
        like = replace(like, format=form)

    def edited() -> Iterator[Edited]:
        nonlocal count
        for document in documents:
            count += 1
            yield Edited.unchanged(document)

    is_new = like.format.unit == "document" and not like.parts
    is_folder = like.format.unit == "folder" or is_new or (like.is_folder and bool(like.parts))
    whole = whole_directory if is_folder else whole_file
    with whole(out, force=force, private=False) as beside:
        write_corpus(edited(), like=like, out=beside)
    return count


def write_corpus(edited: Iterable[Edited], *, like: Corpus, out: Path) -> None:
    """Write documents with their edits in the form of a corpus, each to the part that it came from.

    The documents of a part must be consecutive; a part without documents is written empty.
    """
    many = like.is_folder and like.format.unit != "folder"
    if not many:
        like.format.write(like.parts[0] if like.parts else None, edited, out)
        return
    left = {part.name: part for part in like.parts}
    for name, own in groupby(edited, key=lambda e: e.document.part):
        if name not in left:
            raise DataError(
                "A document does not say which part of the corpus it is from, or is separated from others of that part.",
                hint="keep each document's `part` and the order of the documents.",
            )
        _write_part(like, left.pop(name), own, out)
    for part in left.values():
        _write_part(like, part, (), out)


def _write_part(like: Corpus, part: CorpusFile, edited: Iterable[Edited], out: Path) -> None:
    path = like.place_of(part, out)
    path.parent.mkdir(parents=True, exist_ok=True)
    like.format.write(part, edited, path)


def _warn_of_unreadable(name: str, many: int, left: Sequence[Withheld]) -> None:
    """Warn of documents that cannot be read."""
    reasons = ", ".join(f"{reason} ({n})" for reason, n in Counter(r.reason for r in left).items())
    warnings.warn(
        f"Of {many:,} documents of {name!r} {len(left):,} cannot be read and are left out: {reasons}. "
        "Hint: publishing withholds them, and lists them by id.",
        UnreadFilesWarning,
        stacklevel=4,
    )


def documents_frame(documents: Iterable[Document], *, like: Corpus) -> object:
    """Return documents as a frame of the kind and with the columns that the corpus was read from.

    >>> import pyarrow as pa
    >>> corpus = read_documents(pa.table({"id": [7], "text": ["Ann"], "ward": [4]}))
    >>> documents_frame(corpus, like=corpus).to_pylist()
    [{'id': 7, 'text': 'Ann', 'ward': 4}]
    """
    from .formats.columns import FrameFormat

    if not isinstance(like.format, FrameFormat):
        raise ParameterError("The corpus was not read from a frame.", hint="use write_documents.")
    return like.format.frame_of(map(Edited.unchanged, documents))


def _is_path_list(source: object) -> TypeIs[Paths]:
    return isinstance(source, list | tuple) and all(
        isinstance(item, str | os.PathLike) for item in source
    )
