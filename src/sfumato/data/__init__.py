"""Files and frames in, files out: documents, tables, baskets; streaming and columnar.

Names load when first used, so that importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import lazy_names

if TYPE_CHECKING:
    from .baskets import read_baskets
    from .document import Document, Span
    from .documents import Corpus, documents_frame, read_documents, write_documents
    from .findings import read_findings, resolve, with_findings
    from .limits import Limits
    from .sources import Withheld
    from .table import read_table

_HOME = {
    "Corpus": "documents",
    "Document": "document",
    "Limits": "limits",
    "Span": "document",
    "Withheld": "sources",
    "documents_frame": "documents",
    "read_baskets": "baskets",
    "read_documents": "documents",
    "read_findings": "findings",
    "read_table": "table",
    "resolve": "findings",
    "with_findings": "findings",
    "write_documents": "documents",
}

__all__ = [
    "Corpus",
    "Document",
    "Limits",
    "Span",
    "Withheld",
    "documents_frame",
    "read_baskets",
    "read_documents",
    "read_findings",
    "read_table",
    "resolve",
    "with_findings",
    "write_documents",
]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
