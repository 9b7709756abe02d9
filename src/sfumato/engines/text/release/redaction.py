"""What stands in the place of a redacted text: a placeholder, a mask or a surrogate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

__all__ = ["MASK", "Mask", "Place", "Placeholder", "Replacer"]

# The same for every word: a mask of the word's own length would tell names apart.
MASK = "█████"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a redacted text stands: its document's language, what is written before it, and how
    certain the classifiers are of it (the smallest log-odds of its words; infinite for what a person or
    another tool marked).
    """

    language: str = "en"
    before: str = ""
    certainty: float = math.inf


@runtime_checkable
class Replacer(Protocol):
    """Returns what is published in the place of a redacted text.

    The answer must never hold the text itself, and must depend on nothing but the arguments (and a
    secret key), so that batches can be published in any order.
    """

    def replace(self, document_id: str, text: str, label: str, place: Place | None = None) -> str:
        """Replace the text of one redacted run; neighbouring words of one label form one run."""


class Placeholder:
    """Name the kind of what is gone.

    >>> Placeholder().replace("d1", "Ann Lee", "NAME")
    '[NAME]'
    """

    def replace(
        self,
        document_id: str,  # noqa: ARG002
        text: str,  # noqa: ARG002
        label: str,
        place: Place | None = None,  # noqa: ARG002
    ) -> str:
        return f"[{label}]"


class Mask:
    """Say only that something is gone, not what kind, nor how long it was.

    >>> Mask().replace("d1", "Ann Lee", "NAME") == Mask().replace("d1", "Bo", "DATE")
    True
    """

    def replace(
        self,
        document_id: str,  # noqa: ARG002
        text: str,  # noqa: ARG002
        label: str,  # noqa: ARG002
        place: Place | None = None,  # noqa: ARG002
    ) -> str:
        return MASK
