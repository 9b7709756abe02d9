"""Opening the documents that a request names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from ...data.documents import Corpus

__all__ = ["Source", "opened"]

Source: TypeAlias = Any
"""Documents as a path, a frame, a `Corpus` or a list of `Document`; `read_documents` checks which."""

_TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")


def opened(source: Source, *, text: str = "text", id: str = "id") -> Corpus:
    """Open documents; `text` and `id` name the columns of a table, an empty `id` numbers its rows.

    Parameters
    ----------
    source : path, Corpus, frame or list of Document
        The documents.
    text, id : str
        Columns of a table (CSV, TSV, Parquet); other formats have their own fields.

    """
    from ...data.documents import read_documents

    if isinstance(source, str | os.PathLike) and os.fspath(source).endswith(_TABLES):
        return read_documents(source, text=text, id=id or None)
    return read_documents(source)
