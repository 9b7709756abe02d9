"""Background corpora: other labelled data of any origin, whose labels may have other names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ....data.document import Document
from ....data.documents import read_documents
from ....data.inputs import DocumentsInput
from ..records import Background
from .label_kinds import matching_labels

__all__ = ["read_background", "relabel"]


def read_background(
    sources: Iterable[DocumentsInput], wanted: Sequence[str]
) -> tuple[list[Document], list[Background]]:
    """Read background corpora; one without a matching label is skipped, not learned as harmless.

    Parameters
    ----------
    sources : iterable of corpora
        Paths, frames or lists of documents.
    wanted : sequence of str
        The sensitive labels.

    """
    others: list[Document] = []
    described = []
    for source in sources:
        found = list(read_documents(source))
        match = matching_labels({s.label for d in found for s in d.spans}, wanted)
        described.append(Background(documents=len(found), labels_matched=len(match)))
        if match:
            others += relabel(found, match)
    return others, described


def relabel(documents: Iterable[Document], match: Mapping[str, str]) -> list[Document]:
    """Return documents with their labels renamed; spans of other labels are skipped.

    Parameters
    ----------
    documents : iterable of Document
        The documents.
    match : mapping from str to str
        What `matching_labels` returned.

    """
    return [
        replace(
            d.checked(),
            spans=tuple(replace(s, label=match[s.label]) for s in d.spans if s.label in match),
        )
        for d in documents
    ]
