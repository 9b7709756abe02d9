"""The contract between the local page and an engine whose folders people work in: questions and answers.

The page knows nothing of any one engine; what a desk tells it is in `records`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import InputError

if TYPE_CHECKING:
    from ..core.approval import Approval
    from ..core.engine import Progress
    from ..core.publication import Publication
    from ..core.records import Release
    from .records import (
        DocumentView,
        Passage,
        Question,
        ReleaseAudit,
        ReleasedView,
        ReviewedDocument,
        Status,
    )

__all__ = ["Desk"]


class Desk(ABC):
    """A folder in which answers are given."""

    folder: Path

    @property
    @abstractmethod
    def labels(self) -> Sequence[str]:
        """The labels that an answer may give, by the keys 1 to 9."""

    def notes(self) -> Sequence[str]:
        """Return what users of the page should know about how it works."""
        return ()

    @abstractmethod
    def question(self, asking: str) -> Question:
        """Return the next question, with its context; `{"kind": "none"}` where there is none."""

    @abstractmethod
    def answer(self, given: Mapping[str, object]) -> None:
        """Keep an answer; it is on the disk when this returns."""

    @abstractmethod
    def like(self, given: Mapping[str, object]) -> list[Passage]:
        """Return the places that the same answer would settle, each with a little context."""

    @abstractmethod
    def document(self, number: int, ratio: float | None = None) -> DocumentView:
        """Return a document with what would be redacted in it."""

    @abstractmethod
    def status(self) -> Status:
        """Return the progress of the work and the estimated risk."""

    @abstractmethod
    def explore(self) -> Path:
        """Write the frontier that the answers allow; return its folder."""

    @abstractmethod
    def publish(
        self, candidate: str, progress: Progress, choices: Mapping[str, object] | None = None
    ) -> Publication[Release]:
        """Publish the documents by a candidate; `choices` are parameters of the engine's publish."""

    @property
    @abstractmethod
    def released_candidate(self) -> str | None:
        """The candidate of the last release; None where nothing was published yet."""

    @property
    def aimed_candidate(self) -> str | None:
        """The candidate that the answers aim at; None where they aim at none."""
        return None

    def has_release(self, candidate: str) -> bool:
        """Return whether a candidate was published."""
        return candidate == self.released_candidate

    def audit(self) -> ReleaseAudit | None:
        """Return what the windows read since the last release say about its file; None if they say nothing."""
        return None

    @abstractmethod
    def review(self) -> list[ReviewedDocument]:
        """Return the documents, the riskiest first, and whether each was seen since the release."""

    @abstractmethod
    def released(self, number: int, candidate: str | None = None) -> ReleasedView:
        """Return a document as a release has it: the original, its edits and the published text.

        Of the last release, or of that of a candidate.
        """

    def picture(self, number: int, page: int) -> bytes:  # noqa: ARG002 (desks of files with pages use it)
        """Return a page of a document of the last release, from 0, as a PNG."""
        raise InputError("There is no such page.")

    @abstractmethod
    def see(self, number: int, *, seconds: float = 0.0, to_the_end: bool = False) -> None:
        """Keep that a document of the release was looked at, for how long, and whether to its end."""

    @abstractmethod
    def to_see(self) -> int:
        """Return how many documents are still to be seen before the release can be approved."""

    def approval(self) -> Approval | None:
        """Return who approved the last release; None where nobody did."""
        return None

    @abstractmethod
    def approve(self, initials: str) -> None:
        """Approve the release; refused before every document or the drawn sample was seen."""

    @abstractmethod
    def close(self) -> None:
        """End background work."""
