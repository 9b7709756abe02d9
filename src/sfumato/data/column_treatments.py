"""How columns other than quasi-identifiers are published: treated numbers, or notes with bands."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

__all__ = ["ColumnTreatment", "MentionsTreatment", "Treatment"]


class Treatment(BaseModel):
    """How the numbers of a column with role "other" or "weight" are published.

    Parameters
    ----------
    top, bottom : float, optional
        Numbers beyond are published as these.
    round : float, optional
        Publish the nearest multiple.
    microaggregate : int, optional
        Publish the mean of groups of neighbouring numbers that belong to at least this many people.
    together : str, optional
        Any name: columns with the same one are averaged together, in groups that are near each other in all of them (MDAV).
    noise : float, optional
        Add normal noise whose standard deviation is this share of the column's.
    pram : float, optional
        Draw a cell again, with this chance, from the column's own values (invariant post-randomisation); for names
        and codes as well.

    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    top: float | None = None
    bottom: float | None = None
    round: float | None = Field(default=None, gt=0)
    microaggregate: int | None = Field(default=None, ge=2)
    together: str | None = Field(default=None, min_length=1, max_length=80)
    noise: float | None = Field(default=None, gt=0, le=10)
    pram: float | None = Field(default=None, gt=0, lt=1)

    @model_validator(mode="after")
    def _one_way(self) -> Treatment:
        ways = [self.round, self.microaggregate, self.noise, self.pram]
        given = sum(way is not None for way in ways)
        if given > 1:
            raise ValueError("give at most one of round, microaggregate, noise, pram")
        if not given and self.top is None and self.bottom is None:
            raise ValueError("give one of top, bottom, round, microaggregate, noise, pram")
        if self.together is not None and self.microaggregate is None:
            raise ValueError("together needs microaggregate")
        if self.pram is not None and (self.top is not None or self.bottom is not None):
            raise ValueError("pram is for values as they are, without top and bottom")
        if self.top is not None and self.bottom is not None and self.bottom >= self.top:
            raise ValueError("bottom must be below top")
        return self

    @property
    def looks_at_people(self) -> bool:
        """Whether it matters which rows belong to one person."""
        return any(way is not None for way in (self.microaggregate, self.noise, self.pram))

    def in_words(self) -> str:
        """Return what is done, for people."""
        words = []
        if self.bottom is not None:
            words.append(f"not below {self.bottom:g}")
        if self.top is not None:
            words.append(f"not above {self.top:g}")
        if self.round is not None:
            words.append(f"rounded to multiples of {self.round:g}")
        if self.microaggregate is not None:
            means = f"means of {self.microaggregate:,} neighbours or more"
            if self.together is not None:
                means = f"means of {self.microaggregate:,} neighbours or more in all columns of {self.together!r}"
            words.append(means)
        if self.noise is not None:
            words.append(f"noise of {self.noise:g} standard deviations")
        if self.pram is not None:
            words.append(f"drawn again with a chance of {self.pram:g} from the column's own values")
        return ", ".join(words)


class MentionsTreatment(BaseModel):
    """How a column of notes is published: what it says about its row's own values is rewritten as the row's bands.

    Parameters
    ----------
    mentions : list of str
        The columns whose values are looked for in the notes.
    at : date, optional
        The day at which ages were counted, where no column shows a visit.
    languages : list of str, optional
        The languages of the notes; all seven by default, detected note by note.

    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    mentions: list[str] = Field(min_length=1)
    at: date | None = None
    languages: list[Literal["en", "de", "fr", "es", "it", "nl", "pt"]] | None = Field(
        default=None, min_length=1
    )

    @property
    def looks_at_people(self) -> bool:
        """Whether it matters which rows belong to one person."""
        return False

    def in_words(self) -> str:
        """Return what is done, for people."""
        return f"mentions of {', '.join(self.mentions)} in the bands of the row"


def _kind_of(value: object) -> str:
    """Return the branch of the union; in brackets, as pydantic names branches, which paths of mistakes leave out."""
    is_notes = isinstance(value, MentionsTreatment) or (
        isinstance(value, dict) and "mentions" in value
    )
    return "branch[notes]" if is_notes else "branch[numbers]"


ColumnTreatment = Annotated[
    Annotated[Treatment, Tag("branch[numbers]")]
    | Annotated[MentionsTreatment, Tag("branch[notes]")],
    Discriminator(_kind_of),
]
