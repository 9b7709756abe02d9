"""Which candidate of a frontier is published: by id, by limits, by a reference, or at the knee."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, TypeVar

from pydantic import model_validator

from .errors import NoCandidateError
from .request import Request, parameter

if TYPE_CHECKING:
    from .exploration import Exploration
    from .records import Candidate, FrontierRecord

__all__ = ["Choice"]

C = TypeVar("C", bound="Candidate")
R = TypeVar("R", bound="FrontierRecord")


class Choice(Request):
    """Exactly one way of choosing a candidate; engines may add ways of their own (`_own_ways`)."""

    id: str | None = parameter(None, help="Id of a candidate.", flag="--choose", aliases=["choose"])
    max_risk: float | None = parameter(
        None, help="The most useful candidate within this risk.", ge=0, le=1
    )
    min_utility: float | None = parameter(
        None, help="The safest candidate with at least this utility.", ge=0, le=1
    )
    dominates: str | None = parameter(
        None, help="The safest candidate better than this reference, by its name."
    )
    knee: bool = parameter(False, help="The candidate at the knee of the frontier.")

    def _own_ways(self) -> tuple[str, ...]:
        """Return the names of the ways that an engine added."""
        return ()

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        limits = self.max_risk is not None or self.min_utility is not None
        own = [getattr(self, name) is not None for name in self._own_ways()]
        ways = [self.id is not None, limits, self.dominates is not None, self.knee, *own]
        if sum(ways) != 1:
            names = ["id", *self._own_ways(), "max_risk and/or min_utility", "dominates", "knee"]
            raise ValueError(f"a candidate is chosen in exactly one way; {', '.join(names)}")
        return self

    def of(self, exploration: Exploration[R, C]) -> C:
        """Return the chosen candidate of an exploration."""
        if self.id is not None:
            return exploration.candidate(self.id)
        if self.dominates is not None:
            for reference in exploration.record.references:
                if reference.name == self.dominates:
                    found = exploration.dominating(reference)
                    if found is None:
                        raise NoCandidateError(f"No candidate dominates {self.dominates!r}.")
                    return found
            raise NoCandidateError(f"The frontier has no reference {self.dominates!r}.")
        if self.knee:
            return exploration.knee()
        return exploration.choose(max_risk=self.max_risk, min_utility=self.min_utility)
