"""Opening the documents that a request names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypedDict

if TYPE_CHECKING:
    from ...data.documents import Corpus
    from ...data.formats._layout import Layout

__all__ = ["Reading", "Source", "is_table", "layout_of", "opened"]

Source: TypeAlias = object
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


class _Delimited(TypedDict, total=False):
    delimiter: str


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

    options: _Delimited = {} if how.delimiter is None else {"delimiter": how.delimiter}
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
        **options,
    )


def layout_of(corpus: Corpus) -> Layout:
    """Return which fields of a corpus hold the text, the id and the spans."""
    from ...data.formats._layout import Layout

    layout = getattr(corpus.format, "layout", None)
    return layout if isinstance(layout, Layout) else Layout()
