"""What replaces a redacted text: a placeholder, a mask or a surrogate."""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

from ..records import UNSURE

__all__ = ["MASK", "Mask", "Place", "Placeholder", "Replacer"]

# The same for every word: a mask of the word's own length would tell names apart.
MASK = "█████"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a redacted text is: its document's language, what is written before it, and how
    certain the classifiers are of it (the smallest log-odds of its words; infinite for what a person or
    another tool marked).
    """

    language: str = "en"
    before: str = ""
    certainty: float = math.inf


class Replacer(ABC):
    """Returns what is published in place of a redacted text.

    The answer must never hold the text itself, and must depend on nothing but the arguments of `replace`
    (and a secret key), so that batches can be published in any order.
    """

    by_label_alone: ClassVar[bool] = False
    """Whether the answer depends on the label only; such answers are written without reading the text."""

    @classmethod
    def for_release(
        cls,
        *,
        key: str | os.PathLike[str] | None = None,  # noqa: ARG003
        scope: str = "document",  # noqa: ARG003
        reading: object = None,  # noqa: ARG003
    ) -> Self:
        """Return the replacer of one release.

        Parameters
        ----------
        key : path, default None
            The file of the secret key, where one is needed; else the variable SFUMATO_KEY.
        scope : {"document", "person", "corpus"}, default "document"
            Where the same text has the same replacement.
        reading : DateReading, optional
            How numeric dates are read.

        """
        return cls()

    @property
    def mark(self) -> int | None:
        """A number that tells runs with different keys apart, and nothing about the key."""
        return None

    @abstractmethod
    def replace(self, document_id: str, text: str, label: str, place: Place | None = None) -> str:
        """Return the replacement of one redacted run; neighbouring words of one label form one run.

        Parameters
        ----------
        document_id : str
            The id of the document.
        text : str
            What is redacted; "" where the replacer looks at the label alone.
        label : str
            What kind it is.
        place : Place, optional
            Where it is.

        """

    def counted_as(self, new: str, label: str, place: Place) -> str | None:
        """Return under what a replacement is counted among the surrogates; None where it is none of them."""
        if new != f"[{label}]":
            return label
        return UNSURE if place.certainty < 0 else None


class Placeholder(Replacer):
    """Name the label of what was removed.

    >>> Placeholder().replace("d1", "Ann Lee", "NAME")
    '[NAME]'
    """

    by_label_alone = True

    def replace(
        self,
        document_id: str,  # noqa: ARG002
        text: str,  # noqa: ARG002
        label: str,
        place: Place | None = None,  # noqa: ARG002
    ) -> str:
        return f"[{label}]"


class Mask(Replacer):
    """Show only that something was removed, neither its label nor its length.

    >>> Mask().replace("d1", "Ann Lee", "NAME") == Mask().replace("d1", "Bo", "DATE")
    True
    """

    by_label_alone = True

    def replace(
        self,
        document_id: str,  # noqa: ARG002
        text: str,  # noqa: ARG002
        label: str,  # noqa: ARG002
        place: Place | None = None,  # noqa: ARG002
    ) -> str:
        return MASK
