"""What attack.json says of two releases of documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ...core.composition.records import CompositionRecord
from ...core.records import Count, HouseRecord, Share
from ...data.document import Document, Edit

__all__ = ["LeftTogether", "TextComposition"]


class LeftTogether(HouseRecord):
    """Sensitive spans of which something is left: in each of two releases, and to somebody who holds both."""

    first: Count
    second: Count
    together: Count

    def plus(
        self,
        document: Document,
        first: Sequence[Edit],
        second: Sequence[Edit],
        labels: Sequence[str],
    ) -> LeftTogether:
        """Return the counts with those of one more document."""
        one, other = (
            {place for e in edits for place in range(e.start, e.end)} for edits in (first, second)
        )
        spans = [
            {place for place in range(s.start, s.end) if document.text[place].isalnum()}
            for s in document.spans
            if s.label in labels
        ]
        return LeftTogether(
            first=self.first + sum(not span <= one for span in spans),
            second=self.second + sum(not span <= other for span in spans),
            together=self.together + sum(not span <= one & other for span in spans),
        )


class TextComposition(CompositionRecord):
    """Two releases of some of the same documents.

    A group are the documents in which the same kinds of things are redacted; linked, also under the same id or with the
    same surrogates. `same_ids` and `same_surrogates` are shares of the documents in both, `repeated_names` of
    the later documents. Of `places` that one of the two redacts, `shown` are shown by the other, at least in part.
    """

    units: ClassVar[str] = "documents"
    rows: ClassVar[str] = "documents"
    crossed: ClassVar[tuple[str, str]] = (
        "of the documents show in one release what the other redacts",
        "only what both redact is redacted",
    )
    remedies: ClassVar[str] = (
        "publish the documents of both with the earlier release's candidate, give out only one of the two, or take another "
        "secret key (--key) and new ids, so that surrogates and marks differ"
    )

    same_ids: Share
    same_surrogates: Share
    repeated_names: Share
    places: Count
    shown: Count
    left: LeftTogether | None = None

    @property
    def adds_risk(self) -> bool:
        """Whether the two together give away more than each alone."""
        return self.shown > 0 or (
            self.repeated_names > 0 and (self.only_earlier > 0 or self.only_later > 0)
        )

    def in_short(self) -> str:
        """Return what publishing says where the two add up."""
        if not self.people:
            return (
                f"{self.repeated_names:.1%} of the documents carry a name that also replaces one in the release "
                f"{self.earlier!r}: anyone who holds both can bring documents of the same person together"
            )
        return (
            f"{self.people:,} documents are also in the release {self.earlier!r}: of {self.places:,} places that one of the "
            f"two redacts the other shows {self.shown:,}, and {self.same_ids:.0%} of the documents have the same id, "
            f"{self.same_surrogates:.0%} the same surrogates in both"
        )

    def lines(self) -> list[str]:
        """Return what the command line prints."""
        naming, finding = "naming a record", "finding a document's other version"
        found = [line.replace(naming, finding) for line in super().lines()]
        more = [
            (
                f"  {self.same_ids:.1%} of them have the same id in both, {self.same_surrogates:.1%} the same surrogates; "
                f"{self.repeated_names:.1%} of the later documents carry a full name that replaces one in the earlier "
                "release"
            ),
            (
                f"  {self.shown:,} of {self.places:,} places that one of the two redacts are shown by the other, at least "
                "in part"
            ),
        ]
        if self.left is not None:
            more.append(
                f"  sensitive spans of which something is left: {self.left.first:,} and {self.left.second:,} in each "
                f"alone, {self.left.together:,} to anyone who holds both"
            )
        return [*found[:5], *more, *found[5:]]
