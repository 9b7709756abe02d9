"""What stands in the place of a redacted text: a placeholder, a mask or a surrogate."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

__all__ = ["MASK", "Mask", "Placeholder", "Replacer"]

# The same for every word: a mask of the word's own length would tell names apart.
MASK = "█████"


@runtime_checkable
class Replacer(Protocol):
    """Gives what is published in the place of a redacted text.

    The answer must never hold the text itself, and must depend on nothing but the three arguments (and
    a secret key), so that batches can be published in any order.
    """

    def replace(self, document_id: str, text: str, label: str) -> str:
        """Replace the text of one redacted run; neighbouring words of one label form one run."""


class Placeholder:
    """Name the kind of what is gone.

    >>> Placeholder().replace("d1", "Ann Lee", "NAME")
    '[NAME]'
    """

    def replace(self, document_id: str, text: str, label: str) -> str:  # noqa: ARG002
        return f"[{label}]"


class Mask:
    """Say only that something is gone, not what kind, nor how long it was.

    >>> Mask().replace("d1", "Ann Lee", "NAME") == Mask().replace("d1", "Bo", "DATE")
    True
    """

    def replace(self, document_id: str, text: str, label: str) -> str:  # noqa: ARG002
        return MASK
