"""Surrogates on a cluster: workers decide what is redacted and where; the driver, which holds the key, replaces it.

A secret key is sent nowhere. A worker writes the arguments of `Replacer.replace` in place of a replacement; when a
part comes back, they are replaced by the answers of the replacer that holds the key, which are those of one machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ....data.byte_columns import Buffer
from ..private_edits import DocumentEdits
from ..redaction.replacer import Place, Replacer
from .parts import PartContent, Shared

if TYPE_CHECKING:
    from ....compute.protocol import Compute

__all__ = ["KeyOnDriver"]

Batch = TypeVar("Batch")
Part = tuple[list[Buffer], Mapping[str, object]]


class _Asked(Replacer):
    """Returns what a replacer is asked, for one that is elsewhere."""

    def replace(self, document_id: str, text: str, label: str, place: Place | None = None) -> str:
        own = Place() if place is None else place
        return json.dumps([document_id, text, label, own.language, own.before, own.certainty])

    def counted_as(self, new: str, label: str, place: Place) -> str:  # noqa: ARG002
        return new


@dataclass(frozen=True)
class KeyOnDriver:
    """A compute whose workers do what needs no key; the driver puts in the surrogates.

    Parameters
    ----------
    compute : Compute
        Where batches are worked on.

    """

    compute: Compute

    def map_batches(
        self, function: Callable[..., Any], batches: Iterable[Batch], *, shared: object = None
    ) -> Iterator[Any]:
        """Apply a function that makes parts to each batch, and put the replacements into them."""
        assert isinstance(shared, Shared)
        replacer = shared.sanitiser.replacer
        away = replace(shared, sanitiser=shared.sanitiser.with_replacer(_Asked()))
        for content, facts in self.compute.map_batches(function, batches, shared=away):
            yield _fill_in(replacer, content, facts)


def _fill_in(replacer: Replacer, content: Iterable[Buffer], facts: Mapping[str, object]) -> Part:
    """Return a part with the replacements that its edits ask for, and the surrogates counted."""
    lines = []
    for line in PartContent.of_bytes(b"".join(content)).edit_lines():
        entry = DocumentEdits.of_line(line)
        edits = [replace(e, replacement=_answer(replacer, e.replacement)[0]) for e in entry.edits]
        lines.append(replace(entry, edits=edits).to_line())
    made: dict[str, int] = {}
    counts = dict(facts["counts"])  # type: ignore[call-overload]
    for asked, number in counts["surrogates"].items():
        kind = _answer(replacer, asked)[1]
        if kind is not None:
            made[kind] = made.get(kind, 0) + number
    return PartContent(b"".join(lines)).pieces(), {
        **facts,
        "counts": {**counts, "surrogates": made},
    }


def _answer(replacer: Replacer, asked: str) -> tuple[str, str | None]:
    """Return a replacement and what it is counted as; nothing replaces the rest of a span in several pieces."""
    if not asked:
        return "", None
    document_id, text, label, *where = json.loads(asked)
    place = Place(*where)
    new = replacer.replace(document_id, text, label, place)
    return new, replacer.counted_as(new, label, place)
