"""Documents in and out: a corpus is read record by record and written back in the form it had.

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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.display import html_table
from ..core.errors import DataError, FormatError, InputError, ParameterError
from ..core.files import check_plain_file, whole_directory, whole_file
from ..core.records import FRONTIER_FILE, RELEASE_FILE
from ..core.storage.quarantine import QUARANTINE
from .document import Document, Edited, Span
from .foreign import check_foreign, check_path
from .formats.protocol import EVERY_FIELD, CorpusFile, FieldNames, Format
from .formats.registry import FORMATS, format_of_name
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

    format: Format[Any]
    parts: Sequence[CorpusFile]
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

    def place_of(self, part: CorpusFile, out: Path) -> Path:
        """Return where a part of a corpus like this is written."""
        return out / part.name if self.is_folder and self.format.unit != "folder" else out

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
    single = _inside(paths[0]) if len(paths) == 1 else None
    if single is not None and single.is_dir():
        name, kind, parts = single.name, *_folder(single, format, names.limits)
    else:
        name = single.name if single is not None else f"{len(paths)} files"
        kind, parts = _files(paths if single is None else [single], format)
    made = FORMATS.get_or_raise(kind).from_options(names, options)
    return Corpus(made, parts, name, is_folder=single is None or single.is_dir())


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

    is_folder = like.format.unit == "folder" or (like.is_folder and bool(like.parts))
    whole = whole_directory if is_folder else whole_file
    with whole(out, force=force, private=False) as beside:
        write_corpus(edited(), like=like, out=beside)
    return count


def write_corpus(edited: Iterable[Edited], *, like: Corpus, out: Path) -> None:
    """Write documents with their edits in the form of a corpus, each to the part that it came from.

    The documents of a part must stand together; a part from which none came is written empty.
    """
    many = like.is_folder and like.format.unit != "folder"
    if not many:
        like.format.write(like.parts[0] if like.parts else None, edited, out)
        return
    left = {part.name: part for part in like.parts}
    for name, own in groupby(edited, key=lambda e: e.document.part):
        if name not in left:
            raise DataError(
                "A document does not say which part of the corpus it is from, or stands apart from others of it.",
                hint="keep each document's `part` and the order of the documents.",
            )
        _write_part(like, left.pop(name), own, out)
    for part in left.values():
        _write_part(like, part, (), out)


def _write_part(like: Corpus, part: CorpusFile, edited: Iterable[Edited], out: Path) -> None:
    path = like.place_of(part, out)
    path.parent.mkdir(parents=True, exist_ok=True)
    like.format.write(part, edited, path)


def documents_frame(documents: Iterable[Document], *, like: Corpus) -> object:
    """Return documents as a frame of the kind and with the columns that the corpus was read from.

    >>> import pyarrow as pa
    >>> corpus = read_documents(pa.table({"id": [7], "text": ["Ann"], "ward": [4]}))
    >>> documents_frame(corpus, like=corpus).to_pylist()
    [{'id': 7, 'text': 'Ann', 'ward': 4}]
    """
    from .formats.columns import Frame

    if not isinstance(like.format, Frame):
        raise ParameterError("The corpus was not read from a frame.", hint="use write_documents.")
    return like.format.frame_of(map(Edited.unchanged, documents))


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


def _files(paths: Sequence[Path], given: str | None) -> tuple[str, tuple[CorpusFile, ...]]:
    kinds = {given or format_of_name(path, _head(path)) for path in paths}
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
    return kind, tuple(CorpusFile(path.name, path, len(paths) > 1) for path in paths)


def _folder(folder: Path, given: str | None, limits: Limits) -> tuple[str, tuple[CorpusFile, ...]]:
    files = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(n for n in folders if n[0] != "." and not n.endswith(".private"))
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
    if FORMATS.get_or_raise(kind).unit == "folder":
        return kind, (CorpusFile(folder.name, folder),)
    parts = [
        CorpusFile(file.relative_to(folder).as_posix(), file, len(files) > 1)
        for file in files
        if format_of_name(file) in (kind, None if given is None else kind)
    ]
    return kind, tuple(sorted(parts, key=lambda part: part.name))


def _head(path: Path) -> bytes:
    """Return the first bytes of a file, for formats that look at them; nothing of what cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(4096)
    except OSError:
        return b""
