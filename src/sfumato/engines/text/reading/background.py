"""Background corpora: other labelled data of any origin, whose labels may have other names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ....data.document import Document
from ....data.documents import read_documents
from ....data.inputs import DocumentsInput
from ..records import Background

__all__ = ["matching_labels", "read_background", "relabel", "same_kind"]

# Names that corpora give to the same kind; matching is without regard to case and punctuation.
_SAME = (
    frozenset({"NAME", "PERSON", "PER", "PERSONNAME", "PATIENT", "DOCTOR", "PERS", "INDIVIDUAL",
               "FIRSTNAME", "LASTNAME", "GIVENNAME", "SURNAME", "HUMAN"}),
    frozenset({"DATE", "DATETIME", "DAT", "TIME"}),
    frozenset({"LOCATION", "LOC", "GPE", "ADDRESS", "CITY", "PLACE", "STREET"}),
    frozenset({"ORGANIZATION", "ORGANISATION", "ORG", "HOSPITAL", "COMPANY"}),
    frozenset({"PHONE", "PHONENUMBER", "TELEPHONE", "FAX"}),
    frozenset({"EMAIL", "EMAILADDRESS", "MAIL"}),
    frozenset({"ID", "IDENTIFIER", "MEDICALRECORD", "MRN", "SSN", "IDNUM"}),
    frozenset({"AGE", "AGES"}),
    frozenset({"URL", "WEBSITE", "DOMAINNAME"}),
)  # fmt: skip


def _plain(label: str) -> str:
    return "".join(c for c in label.upper() if c.isalnum())


def same_kind(label: str, other: str) -> bool:
    """Return whether two corpora's labels represent the same kind.

    >>> same_kind("Person", "NAME"), same_kind("DATE", "NAME")
    (True, False)
    """
    pair = {_plain(label), _plain(other)}
    return len(pair) == 1 or any(pair <= kind for kind in _SAME)


def matching_labels(theirs: Iterable[str], wanted: Sequence[str]) -> dict[str, str]:
    """Return which of a corpus's labels represent which of the wanted ones.

    Parameters
    ----------
    theirs : iterable of str
        The labels of a corpus.
    wanted : sequence of str
        The sensitive labels.

    >>> matching_labels({"PER", "MISC"}, ["NAME"])
    {'PER': 'NAME'}

    """
    found = {}
    names = sorted(theirs)
    for label in names:
        for want in wanted:
            same = _plain(label) == _plain(want)
            if same or (
                # A synonym is used only where the corpus does not have the name itself.
                not any(_plain(want) == _plain(other) for other in names)
                and any({_plain(label), _plain(want)} <= kind for kind in _SAME)
            ):
                found[label] = want
                break
    return found


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
