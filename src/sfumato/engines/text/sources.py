"""Opening the documents that a request names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypedDict

from ...data.inputs import DocumentsInput

if TYPE_CHECKING:
    from ...data.documents import Corpus
    from ...data.formats._layout import Layout

__all__ = ["Reading", "Source", "is_table", "layout_of", "opened"]

Source: TypeAlias = DocumentsInput
"""Documents as a path, a frame, a `Corpus` or a list of `Document`; `read_documents` checks which."""

_TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")


class Reading(Protocol):
    """What a request says about how documents are read; a value left at its default says nothing."""

    text_column: str
    id_column: str
    spans_column: str
    format: str | None
    overlaps: str
    delimiter: str | None
    token_column: int | None
    tag_column: int | Literal["none"]

    @property
    def kept_columns(self) -> Sequence[int]: ...


class _Options(TypedDict, total=False):
    delimiter: str
    token_column: int
    tag_column: int | None
    kept_columns: Sequence[int]


def is_table(source: str | os.PathLike[str]) -> bool:
    """Return whether a file's name is that of a table."""
    return os.fspath(source).endswith(_TABLES)


def opened(source: Source, how: Reading) -> Corpus:
    """Open documents as a request says.

    Parameters
    ----------
    source : path, Corpus, frame or list of Document
        The documents.
    how : Reading
        The names of the fields, the format and what is done about overlapping spans; an empty
        `id_column` numbers the records of a table.

    """
    from ...data.documents import read_documents

    tabular = isinstance(source, str | os.PathLike) and (
        is_table(source) or how.format in {"csv", "tsv", "parquet"}
    )
    numbered = not how.id_column
    return read_documents(
        source,
        text=how.text_column,
        id=None if numbered and (tabular or how.format) else how.id_column or "id",
        spans=how.spans_column,
        format=how.format,
        overlaps=how.overlaps,
        **_options(how),
    )


def _options(how: Reading) -> _Options:
    """Return what is said about one format alone; another format refuses it."""
    options: _Options = {}
    if how.delimiter is not None:
        options["delimiter"] = how.delimiter
    if how.token_column is not None:
        options["token_column"] = how.token_column
    if how.tag_column != -1:
        options["tag_column"] = None if how.tag_column == "none" else how.tag_column
    if how.kept_columns:
        options["kept_columns"] = tuple(how.kept_columns)
    return options


def layout_of(corpus: Corpus) -> Layout:
    """Return which fields of a corpus hold the text, the id and the spans."""
    from ...data.formats._layout import Layout

    layout = getattr(corpus.format, "layout", None)
    return layout if isinstance(layout, Layout) else Layout()
