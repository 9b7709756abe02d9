"""Which candidate of a frontier is published: by id, by limits, by a reference, or at the knee.

`--choose` says it in one value: `p17` (an id), `knee`, `better-than:NAME`, and what an engine adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

from pydantic import model_validator

from .arguments import Compound, number, table_of
from .errors import NoCandidateError
from .request import Request, parameter

if TYPE_CHECKING:
    from .exploration import Exploration
    from .records import Candidate, FrontierRecord

__all__ = ["Choice", "Choosing"]

C = TypeVar("C", bound="Candidate")
R = TypeVar("R", bound="FrontierRecord")


class Choosing(Compound):
    """The value of `--choose`: a candidate's id, or a way of choosing and its argument.

    Parameters
    ----------
    **ways : str
        By field: the form of a way, as "knee", "better-than:NAME" or "policy=FILE".

    """

    takes = (str,)

    def __init__(self, **ways: str) -> None:
        self.ways = {"knee": "knee", "dominates": "better-than:NAME", **ways}
        self.metavar = "|".join(["ID", *self.ways.values()])

    def read(self, value: object) -> dict[str, object]:
        """Return the field of the way that is chosen."""
        table = table_of(value)
        if table is not None:
            return dict(table)
        for field, form in self.ways.items():
            for mark in ":=":
                word, takes, _ = form.partition(mark)
                if takes and isinstance(value, str) and value.startswith(word + mark):
                    return {field: value[len(word) + 1 :]}
            if value == form:
                return {field: True}
        return {"id": value}

    def write(self, values: Mapping[str, object]) -> tuple[str, set[str]]:
        """Return the first way that is given."""
        for field, form in {"id": "ID", **self.ways}.items():
            if values.get(field):
                mark = next((mark for mark in ":=" if mark in form), "")
                text = form.partition(mark)[0] + mark + number(values[field]) if mark else form
                return (number(values[field]) if field == "id" else text), {field}
        return "", set()

    def example(self, field: str) -> str:
        """Return the form of a way."""
        return self.ways[field]


class Choice(Request):
    """Exactly one way of choosing a candidate; engines may add their own ways (`_own_ways`).

    A way of an engine is a field within `id`, and a form of the `Choosing` in `compounds`.
    """

    compounds: ClassVar[Mapping[str, Compound]] = {"id": Choosing()}
    id: str | None = parameter(
        None,
        help="Which candidate: its id, or how it is chosen.",
        flag="--choose",
        aliases=["choose"],
    )
    max_risk: float | None = parameter(
        None, help="Choose the most useful candidate with at most this risk.", ge=0, le=1
    )
    min_utility: float | None = parameter(
        None, help="Choose the safest candidate with at least this utility.", ge=0, le=1
    )
    dominates: str | None = parameter(
        None, help="Choose the safest candidate that dominates this reference, by its name.",
        within="id",
    )  # fmt: skip
    knee: bool = parameter(
        False, help="Choose the candidate at the knee of the frontier.", within="id"
    )

    def _own_ways(self) -> tuple[str, ...]:
        """Return the names of the ways that an engine added."""
        return ()

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        limits = self.max_risk is not None or self.min_utility is not None
        own = [getattr(self, name) is not None for name in self._own_ways()]
        ways = [self.id is not None, limits, self.dominates is not None, self.knee, *own]
        if sum(ways) != 1:
            raise ValueError(
                "a candidate is chosen in exactly one way; id, or max_risk and/or min_utility"
            )
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
