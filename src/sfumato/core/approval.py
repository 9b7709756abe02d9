"""approval.json, in the private folder of a release: who approved it, when, and what they had seen."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

from .records import CandidateId, Count, HouseRecord, Mark

__all__ = ["APPROVAL_FILE", "Approval", "Look"]

APPROVAL_FILE = "approval.json"


class Look(HouseRecord):
    """How a person looked at one document of a release."""

    document: Count
    """Its number in the project."""
    seconds: Count = 0
    to_the_end: bool = False
    """Whether its text was scrolled to the end, or fitted on the page."""


class Approval(HouseRecord):
    """approval.json: who approved a release, when, and what they saw; void when the release changes."""

    release: Mark
    """The hash of the release.json that was approved."""
    candidate: CandidateId
    by: Annotated[str, StringConstraints(pattern=r"^[^\W\d_]{1,4}$")]
    at: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]
    documents_seen: Count
    looks: tuple[Look, ...] = ()
    corrections: Count = 0
