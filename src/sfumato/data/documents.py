"""Documents in and out: a corpus is read record by record and written back in the form it had.

>>> import tempfile
>>> from pathlib import Path
>>> folder = tempfile.TemporaryDirectory()
>>> notes = Path(folder.name) / "notes.jsonl"
>>> _ = notes.write_text('{"id": "d1", "text": "Ann called.", "ward": 4}')
>>> corpus = read_documents(notes)
>>> [(document.id, document.extra["ward"]) for document in corpus]
[('d1', 4)]
>>> write_documents(corpus, like=corpus, out=Path(folder.name) / "copy.jsonl")
1
>>> folder.cleanup()
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.display import html_table
from ..core.errors import DataError, FormatError, InputError, ParameterError
from ..core.files import check_plain_file, whole_directory, whole_file
from ..core.records import FRONTIER_FILE, RELEASE_FILE
from ..core.storage.quarantine import QUARANTINE
from .document import Document, Span
from .foreign import check_foreign, check_path
from .formats._layout import Format, Layout, Part, Write
from .formats.registry import FORMATS
from .inputs import DocumentsInput
from .limits import Limits, current_limits
from .sources import SeenIds, Withheld

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    Paths = list[str | os.PathLike[str]] | tuple[str | os.PathLike[str], ...]

__all__ = [
    "Corpus",
    "Document",
    "Limits",
    "Span",
    "Withheld",
    "documents_frame",
    "read_documents",
    "write_documents",
]

_SUFFIXES = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".txt": "brat", ".ann": "brat",
    ".conll": "conll", ".iob": "conll", ".bio": "conll", ".csv": "csv", ".tsv": "tsv",
    ".parquet": "parquet", ".pq": "parquet", ".xml": "i2b2",
}  # fmt: skip
# What sfumato itself writes beside data: never taken for documents.
_OURS = (RELEASE_FILE, FRONTIER_FILE, QUARANTINE)


def _is_ours(name: str) -> bool:
    return name[0] in "._" or name.endswith(_OURS)


@dataclass(frozen=True)
class Corpus:
    """Documents that are read anew, one at a time, each time the corpus is iterated.

    Iterating is strict: the first record that breaks a rule raises. `tolerant()` gives it as
    `Withheld` and goes on. Memory does not grow with the texts; it grows by about 25 bytes a
    document, for the check that ids are unique.
    """

    format: Format
    parts: Sequence[Part]
    name: str
    is_folder: bool = False

    def __repr__(self) -> str:
        return f"<Corpus {self.name}: {', '.join(' '.join(fact) for fact in self._facts())}>"

    def _repr_html_(self) -> str:
        return html_table(f"Corpus {self.name}", self._facts(), first="td")

    def _facts(self) -> list[tuple[str, ...]]:
        """Return what is known without reading a document: the format and which fields are used."""
        if not self.paths:
            return [("in memory",)]
        layout = getattr(self.format, "layout", None)
        found: list[tuple[str, ...]] = [(self.format.name,)]
        if len(self.parts) > 1:
            found.append((f"{len(self.parts):,}", "files"))
        if isinstance(layout, Layout):
            found.append(("text", repr(layout.text)))
            found.append(("id", repr(layout.id)) if layout.id is not None else ("numbered",))
        return found

    def __iter__(self) -> Iterator[Document]:
        for record in self.tolerant():
            if isinstance(record, Withheld):
                raise record.error()
            yield record

    def tolerant(self) -> Iterator[Document | Withheld]:
        """Yield every record in order: a document, or what was withheld and why.

        A file that cannot be read on (damaged, not of its format) still raises.
        """
        seen = SeenIds()
        count = 0
        for part in self.parts:
            for number, record in enumerate(self.format.read(part), 1):
                count += 1
                if isinstance(record, Document) and not seen.add(record.id):
                    yield Withheld.of_repeated_id(record.id, number, part.name)
                else:
                    yield record
        if count == 0:
            raise self.empty()

    def empty(self) -> DataError:
        """Return the error for a corpus without a record."""
        return DataError(f"The corpus {self.name!r} holds no documents.")

    @property
    def paths(self) -> list[Path]:
        """The files (or the folder) that the corpus is read from."""
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

    Files are JSONL, CSV, TSV, Parquet, CoNLL columns (plain or gzip, Parquet apart) or a folder of
    .txt with brat .ann; a frame is pandas, polars or Arrow.

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
    layout = Layout(text, id, spans, overlaps, limits or current_limits())
    if isinstance(source, Corpus):
        return source
    if not isinstance(source, str | os.PathLike) and not _is_path_list(source):
        from .formats.columns import frame_format
        from .formats.jsonl import InMemory

        if isinstance(source, list | tuple) and all(isinstance(d, Document) for d in source):
            return Corpus(InMemory(layout, source), (Part("documents", None),), "documents")
        return Corpus(frame_format(source, layout, **options), (Part("frame", None),), "frame")
    paths = [Path(source)] if isinstance(source, str | os.PathLike) else [Path(p) for p in source]
    if not paths:
        raise InputError("No file was given to read documents from.")
    for path in paths:
        check_path(path)
    single = _inside(paths[0]) if len(paths) == 1 else None
    if single is not None and single.is_dir():
        name, kind, parts = single.name, *_folder(single, format, layout.limits)
    else:
        name = single.name if single is not None else f"{len(paths)} files"
        kind, parts = _files(paths if single is None else [single], format)
    made = _format(kind, layout, options)
    return Corpus(made, parts, name, is_folder=single is None or single.is_dir())


def write_documents(
    documents: Iterable[Document],
    *,
    like: Corpus | str,
    out: str | os.PathLike[str],
    force: bool = False,
    spreadsheet: bool = False,
) -> int:
    """Write documents in the form of a corpus, whole or not at all; give how many were written.

    A corpus of one file is written as a file (gzip when `out` ends in .gz), a folder or several
    files as a folder with the same names; documents keep their place by their `extra`. `like` may
    also be the name of a format. `spreadsheet` puts an apostrophe before cells of a CSV that a
    spreadsheet would run as a formula.
    """
    out = Path(out)
    part: Part | None = None
    if isinstance(like, str):
        form, many = _format(like, Layout(), {}), False
    else:
        form, many = like.format, like.is_folder and not like.format.is_folder
        part = like.parts[0]
    if spreadsheet:
        if not hasattr(form, "spreadsheet"):
            raise ParameterError("Only CSV and TSV have a form for spreadsheets.")
        form = copy(form)
        form.spreadsheet = True
    count, writers = 0, None
    write: Write
    with ExitStack() as stack:
        if many:
            assert isinstance(like, Corpus)
            beside = stack.enter_context(whole_directory(out, force=force, private=False))
            writers = stack.enter_context(_PartWriters(form, like.parts, beside))
            write = writers.write
        else:
            whole = whole_directory if form.is_folder else whole_file
            beside = stack.enter_context(whole(out, force=force, private=False))
            compress = out.name.endswith(".gz")
            write = stack.enter_context(form.writer(beside, part, compress=compress))
        for document in documents:
            write(document)
            count += 1
        if writers is not None:
            writers.finish()
    return count


def documents_frame(documents: Iterable[Document], *, like: Corpus) -> object:
    """Return documents as a frame of the kind and with the columns that the corpus was read from.

    >>> import pyarrow as pa
    >>> corpus = read_documents(pa.table({"id": [7], "text": ["Ann"], "ward": [4]}))
    >>> documents_frame(corpus, like=corpus).to_pylist()
    [{'id': 7, 'text': 'Ann', 'ward': 4}]
    """
    native = getattr(like.format, "native", None)
    if native is None:
        raise ParameterError("The corpus was not read from a frame.", hint="use write_documents.")
    return native(documents)


class _PartWriters(ExitStack):
    """Writes each document to the part it came from; one part is open at a time, in order."""

    def __init__(self, form: Format, parts: Sequence[Part], folder: Path) -> None:
        super().__init__()
        self._form, self._folder = form, folder
        self._left = {part.name: part for part in parts}
        self._part = ""
        self._write: Write | None = None

    def write(self, document: Document) -> None:
        """Write a document, after closing the part before when a new one begins."""
        name = getattr(document.extra, "part", "")
        if name != self._part or self._write is None:
            if name not in self._left:
                raise DataError(
                    f"The document {document.id!r} does not say which part of the corpus it is from.",
                    hint="keep each document's `extra` and the order of the documents.",
                )
            self.close()
            self._open(self._left.pop(name))
        assert self._write is not None
        self._write(document)

    def _open(self, part: Part) -> None:
        path = self._folder / part.name
        path.parent.mkdir(parents=True, exist_ok=True)
        compress = path.name.endswith(".gz")
        self._part = part.name
        self._write = self.enter_context(self._form.writer(path, part, compress=compress))

    def finish(self) -> None:
        """Write the parts from which no document came, empty."""
        self.close()
        for part in self._left.values():
            self._open(part)
            self.close()


def _is_path_list(source: object) -> TypeIs[Paths]:
    return isinstance(source, list | tuple) and all(
        isinstance(item, str | os.PathLike) for item in source
    )


def _inside(path: Path) -> Path:
    """Return the data of a release: the one thing beside its release.json."""
    if path.is_dir() and (path / RELEASE_FILE).is_file():
        data = [p for p in path.iterdir() if not _is_ours(p.name)]
        if len(data) == 1:
            return data[0]
    return path


def format_of_name(path: Path) -> str | None:
    """Return the format that a file's name tells, or None."""
    return _SUFFIXES.get(Path(path.name.removesuffix(".gz")).suffix.lower())


def _files(paths: Sequence[Path], given: str | None) -> tuple[str, tuple[Part, ...]]:
    kinds = {given or format_of_name(path) for path in paths}
    if len(kinds) > 1:
        raise FormatError("The files are not all of one format.", hint="read them one by one.")
    kind = kinds.pop()
    if given is None:
        for path in paths:
            check_foreign(path)
    if kind is None:
        raise FormatError(
            f"The format of {paths[0].name!r} cannot be inferred from its name.",
            hint=f"give the format by --format (format=), one of {', '.join(FORMATS)}.",
        )
    if any(path.is_dir() for path in paths):
        raise InputError("Several inputs must all be files.", hint="give one folder, or files.")
    names = [path.name for path in paths]
    if len(set(names)) < len(names):
        raise InputError("Two of the files have the same name.", hint="rename one of them.")
    return kind, tuple(Part(path.name, path, len(paths) > 1) for path in paths)


def _folder(folder: Path, given: str | None, limits: Limits) -> tuple[str, tuple[Part, ...]]:
    files = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != ".")
        files += [Path(place, name) for name in names if not _is_ours(name)]
        if len(files) > limits.files:
            raise limits.error(f"The number of files in {folder.name!r}", "files")
    for file in files:
        check_plain_file(file)
    kinds = {kind for file in files if (kind := format_of_name(file))}
    if given is None and not kinds and files:
        check_foreign(files[0])
    if given is None and len(kinds) != 1:
        what = (
            "no documents"
            if not kinds
            else f"files of several formats ({', '.join(sorted(kinds))})"
        )
        raise FormatError(
            f"The folder {folder.name!r} holds {what}.",
            hint=f"give the format by --format (format=), one of {', '.join(FORMATS)}.",
        )
    kind = given or kinds.pop()
    if kind in ("brat", "i2b2"):
        return kind, (Part(folder.name, folder),)
    parts = [
        Part(file.relative_to(folder).as_posix(), file, len(files) > 1)
        for file in files
        if format_of_name(file) in (kind, None if given is None else kind)
    ]
    return kind, tuple(sorted(parts, key=lambda part: part.name))


def _format(kind: str, layout: Layout, options: dict[str, object]) -> Format:
    form = FORMATS.get_or_raise(kind)
    if kind == "tsv":
        options = {"delimiter": "\t", **options}
    try:
        made: Format = form(layout, **options)
    except TypeError:
        raise ParameterError(
            f"The format {kind!r} does not take the options {', '.join(sorted(options))}."
        ) from None
    return made
