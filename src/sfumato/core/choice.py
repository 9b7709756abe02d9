"""Which candidate of a frontier is published: by id, by limits, by a reference, or at the knee.

`--choose` says it in one value: `p17` (an id), `knee`, limits such as `max-risk:0.01` and `min-utility:0.8` (several with
commas between them), `better-than:NAME`, `for:REGIME`, and what an engine adds.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

from pydantic import model_validator

from .arguments import Compound, number, table_of
from .errors import NoCandidateError, ParameterError, PrivacyWarning, did_you_mean
from .request import Request, parameter

if TYPE_CHECKING:
    from .exploration import Exploration
    from .records import Candidate, FrontierRecord

__all__ = ["Choice", "Choosing"]

_LIMITS = ("max_risk", "min_utility")

C = TypeVar("C", bound="Candidate")
R = TypeVar("R", bound="FrontierRecord")


class Choosing(Compound):
    """The value of `--choose`: a candidate's id, or a way of choosing and its argument.

    Parameters
    ----------
    limits : sequence of str, default ()
        Fields among the ways that are limits: they may be given together.
    **ways : str
        By field: the form of a way, as "knee", "better-than:NAME" or "policy=FILE".

    """

    takes = (str,)

    def __init__(self, *, limits: Sequence[str] = (), **ways: str) -> None:
        own = {
            "knee": "knee", "max_risk": "max-risk:RISK", "min_utility": "min-utility:UTILITY",
            "dominates": "better-than:NAME", "regime": "for:REGIME",
        }  # fmt: skip
        self.ways = {**own, **ways}
        self.limits = (*_LIMITS, *limits)
        self.metavar = "|".join(["ID", *self.ways.values()])

    def read(self, value: object) -> dict[str, object]:
        """Return the field of the chosen way; several fields for several limits."""
        table = table_of(value)
        if table is not None:
            return dict(table)
        limits = tuple(self.ways[name].partition(":")[0] + ":" for name in self.limits)
        if isinstance(value, str) and value.startswith(limits):
            parts = [part.strip() for part in value.split(",")]
            if any(part.isdigit() for part in parts[1:]):
                raise ParameterError(
                    f"{value!r} has a comma within a number.",
                    hint="write a decimal point, as in max-risk:0.01; commas are between limits.",
                )
            return {k: v for part in parts for k, v in self._one(part).items()}
        return self._one(value)

    def _one(self, value: object) -> dict[str, object]:
        for field, form in self.ways.items():
            for mark in ":=":
                word, takes, _ = form.partition(mark)
                if takes and isinstance(value, str) and value.startswith(word + mark):
                    return {field: value[len(word) + 1 :]}
            if value == form:
                return {field: True}
        return {"id": value}

    def write(self, values: Mapping[str, object]) -> tuple[str, set[str]]:
        """Return the first way that is given; all limits where there are several."""
        limits = [name for name in self.limits if values.get(name) is not None]
        if len(limits) > 1:
            return ",".join(self.write({n: values[n]})[0] for n in limits), set(limits)
        for field, form in {"id": "ID", **self.ways}.items():
            given = values.get(field)
            if given is not None and given is not False and given != "":
                mark = next((mark for mark in ":=" if mark in form), "")
                text = form.partition(mark)[0] + mark + number(values[field]) if mark else form
                return (number(values[field]) if field == "id" else text), {field}
        return "", set()

    def example(self, field: str) -> str:
        """Return the form of a way."""
        return self.ways[field]


class Choice(Request):
    """Exactly one way of choosing a candidate; engines may add their own ways (`_own_ways`).

    A way of an engine is a field within `id`, and a form of the `Choosing` in `compounds`, which also names
    the limits among them: these go to `Exploration.choose` together.
    """

    compounds: ClassVar[Mapping[str, Compound]] = {"id": Choosing()}
    id: str | None = parameter(
        None,
        help="Which candidate: its id, or how it is chosen.",
        flag="--choose",
        aliases=["choose"],
    )
    max_risk: float | None = parameter(
        None, help="Choose the most useful candidate with at most this risk.", ge=0, le=1,
        within="id", warns=False,
    )  # fmt: skip
    min_utility: float | None = parameter(
        None, help="Choose the safest candidate with at least this utility.", ge=0, le=1,
        within="id", warns=False,
    )  # fmt: skip
    dominates: str | None = parameter(
        None, help="Choose the safest candidate that dominates this reference, by its name.",
        within="id",
    )  # fmt: skip
    knee: bool = parameter(
        False, help="Choose the candidate at the knee of the frontier.", within="id"
    )

    regime: str | None = parameter(
        None,
        help="Choose the most useful candidate within what a regime asks for, such as ema.",
        within="id",
    )

    def _own_ways(self) -> tuple[str, ...]:
        """Return the names of the ways that an engine added, except its limits."""
        return ()

    def _limits(self) -> dict[str, float]:
        """Return the limits that are given, by name."""
        known = self.compounds["id"]
        assert isinstance(known, Choosing)
        given = {name: getattr(self, name) for name in known.limits}
        return {name: value for name, value in given.items() if value is not None}

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        own = [getattr(self, name) is not None for name in self._own_ways()]
        ways = [
            self.id is not None,
            bool(self._limits()),
            self.dominates is not None,
            self.knee,
            *own,
        ]
        ways.append(self.regime is not None)
        if sum(ways) != 1:
            raise ValueError(
                "a candidate is chosen in exactly one way; id, such as knee or max-risk:0.01"
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
            known = [reference.name for reference in exploration.record.references]
            hint = did_you_mean(self.dominates, known) if known else None
            raise NoCandidateError(f"The frontier has no reference {self.dominates!r}.", hint=hint)
        if self.knee:
            return exploration.knee()
        if self.regime is not None:
            return _within(self.regime, exploration)
        return exploration.choose(**self._limits())


def _within(name: str, exploration: Exploration[R, C]) -> C:
    """Return the most useful candidate whose smallest group is as large as a regime asks for."""
    from .regimes import find_regime, smallest_group

    regime = find_regime(name)
    if not regime.limits:
        raise ParameterError(
            f"{regime.name} names no number that a candidate could be compared with.",
            hint="choose by an id, by max-risk:RISK or by min-utility:UTILITY.",
        )
    if len(regime.limits) > 1:
        levels = ", ".join(f"for:{regime.id}:{level.name}" for level in regime.limits)
        raise ParameterError(f"{regime.name} has several levels.", hint=f"say which: {levels}.")
    sizes = {c.id: smallest_group(exploration.engine, c) for c in exploration.candidates}
    if all(size is None for size in sizes.values()):
        raise ParameterError(
            f"The {exploration.engine.name} engine measures no groups of people, which "
            f"{regime.name} asks for.",
            hint="choose by an id, by max-risk:RISK or by min-utility:UTILITY.",
        )
    within = [c for c in exploration.candidates if regime.meets(sizes[c.id])]
    if not within:
        size = regime.limits[0].size
        raise NoCandidateError(
            f"No candidate has groups of {size} people, as {regime.name} asks for.",
            hint=f"explore with a smallest group of {size}.",
        )
    if regime.sure_of(regime.number) != "read":
        warnings.warn(
            f"The number of {regime.name} is reported by others; its original was not read. "
            f"Hint: compare {regime.instrument} before the release is signed.",
            PrivacyWarning,
            stacklevel=3,
        )
    return max(within, key=lambda c: (c.utility.value, -c.risk.value))
