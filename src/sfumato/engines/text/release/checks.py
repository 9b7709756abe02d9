"""What is refused before anything is published: options and documents that would break the promise."""

from __future__ import annotations

from ....core.errors import InputError, ParameterError
from ....data.document import Document
from ....data.documents import Corpus
from ..exploration import TextExploration
from ..payload import Learned
from ..redaction.registry import REPLACEMENTS
from ..request import TextPublishRequest

__all__ = ["check_options", "refuse_without_project"]


def check_options(
    exploration: TextExploration, corpus: Corpus, request: TextPublishRequest
) -> None:
    """Refuse a call that would publish something else than what was promised."""
    if exploration.record.findings and request.findings is None:
        raise ParameterError(
            "The frontier was explored with another tool's findings, and none are given now.",
            hint="give the findings of these documents by --findings (findings=).",
        )
    _check_reader(exploration.record.reader, corpus.format.reader)
    names = corpus.format.names
    for name in (*request.keep, *request.drop):
        if name in (names.text, names.id, names.spans):
            what = {names.text: "text", names.id: "id", names.spans: "spans"}[name]
            raise ParameterError(
                f"The field {name!r} is the {what} of the documents; it is not one of the other fields.",
                hint="--keep-ids (keep_ids=True) keeps the ids; else they are replaced."
                if name == names.id
                else None,
            )
        if name in request.keep and name in request.drop:
            raise ParameterError(f"The field {name!r} is to be kept and to be dropped.")
    if request.person is not None:
        if REPLACEMENTS.get_or_raise(request.replacement).by_label_alone:
            raise ParameterError(
                "Only surrogates distinguish persons.",
                hint="give --replace surrogate as well.",
            )
        if request.scope == "corpus":
            raise ParameterError(
                "Surrogates are shared by person or by the whole corpus, not by both."
            )
    if request.new_ids and request.keep_ids:
        raise ParameterError("New ids are asked for, and to keep the old ones.")


def refuse_without_project(learned: Learned, corpus: Corpus) -> None:
    """Refuse the documents of a project without the project: its answers would be missing."""
    known = sum(
        isinstance(record, Document) and learned.knows(record.text) for record in corpus.tolerant()
    )
    if known:
        raise InputError(
            f"{known:,} of the documents are those of the project that this frontier was made from; "
            "what was answered about them would be missing.",
            hint="publish the folder of the project instead of its documents.",
        )


def _check_reader(learned: str | None, now: str) -> None:
    """Refuse documents that another version of the same reader reads: what was learned may not fit them."""
    if (
        learned is not None
        and learned.split(" ")[0] == now.split(" ", maxsplit=1)[0]
        and learned != now
    ):
        raise InputError(
            f"The frontier was explored on documents that were read by {learned!r}; they are read by "
            f"{now!r} now.",
            hint="explore them again, or publish with the version of then.",
        )
