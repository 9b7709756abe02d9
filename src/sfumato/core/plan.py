"""A plan: one TOML file that says what is read, how it is explored, chosen, published and attacked.

All mistakes of a plan are told at once, each with the path of its key. Paths in a plan are relative
to the plan's own folder.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .errors import NoCandidateError, PlanError
from .exploration import Candidate, Exploration
from .toml_files import read_toml, validated

__all__ = ["BasketsPlan", "Choice", "Plan", "TablesPlan", "TextPlan"]

Share = Annotated[float, Field(ge=0, le=1)]
Ratio = Annotated[float, Field(gt=0)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Choice(_Section):
    """Which candidate of a frontier is published: by id, by limits, by a reference, or the knee."""

    id: str | None = None
    ratio: Ratio | None = None
    max_risk: Share | None = None
    min_utility: Share | None = None
    dominates: str | None = None
    knee: bool = False

    @model_validator(mode="after")
    def _one_way(self) -> Choice:
        limits = self.max_risk is not None or self.min_utility is not None
        ways = [self.id is not None, self.ratio is not None, limits,
                self.dominates is not None, self.knee]  # fmt: skip
        if sum(ways) != 1:
            raise ValueError(
                "give exactly one of id, ratio, max_risk and/or min_utility, dominates, or knee = true"
            )
        return self

    def of(self, exploration: Exploration) -> Candidate:
        """Choose the candidate from a frontier."""
        if self.id is not None:
            return exploration.candidate(self.id)
        if self.ratio is not None:
            for candidate in exploration.candidates:
                if candidate.details.get("ratio") == self.ratio:
                    return candidate
            raise NoCandidateError(
                f"No candidate has the loss ratio {self.ratio:g}.",
                hint="choose one of the ratios that were explored.",
            )
        if self.dominates is not None:
            for reference in exploration.references:
                if reference.name == self.dominates:
                    found = exploration.dominating((reference.risk, reference.utility))
                    if found is None:
                        raise NoCandidateError(f"No candidate dominates {self.dominates!r}.")
                    return found
            raise NoCandidateError(f"The frontier has no reference {self.dominates!r}.")
        if self.knee:
            return exploration.knee()
        return exploration.choose(max_risk=self.max_risk, min_utility=self.min_utility)


class TextPlan(_Section):
    """The text engine's part of a plan."""

    corpus: str
    publish: str | None = None  # default: the corpus itself; "tables" publishes the published table
    text_column: str = "text"
    id_column: str = "id"
    labels: list[str] = Field(min_length=1)
    background: list[str] = []
    unlabelled: list[str] = []
    ratios: list[Ratio] = Field(default=[1, 2, 5, 10, 20, 50], min_length=1)
    folds: int = Field(default=4, ge=2)
    learner: Literal["crf", "svm", "adaboost", "ensemble", "selection"] = "crf"
    mode: Literal["paper", "honest"] = "honest"
    choose: Choice = Choice(ratio=10)
    replace: Literal["placeholder", "mask", "surrogate"] = "placeholder"
    budgets: list[Annotated[int, Field(ge=1)]] = Field(default=[10, 100, 1000], min_length=1)


class TablesPlan(_Section):
    """The tables engine's part of a plan."""

    table: str
    table_schema: str = Field(alias="schema")
    population: str | None = None
    strategy: Literal["exchange", "shs", "rcs", "bisecting", "exhaustive"] = "exchange"
    evaluations: int | None = Field(default=None, ge=2)
    choose: Choice = Choice(knee=True)


class BasketsPlan(_Section):
    """The baskets engine's part of a plan."""

    matrix: str
    labels: str
    k: list[Annotated[int, Field(ge=2)]] = Field(default=[5, 8, 11], min_length=1)
    selector: str = "best"
    stop: Literal["never", "first"] = "never"
    choose: Choice = Choice(knee=True)


class Plan(_Section):
    """Everything that one run does; the same plan gives the same bytes."""

    title: str = "Release"
    seed: int = Field(default=0, ge=0)
    out: str = "release"
    pdf: bool = False
    text: TextPlan | None = None
    tables: TablesPlan | None = None
    baskets: BasketsPlan | None = None

    @model_validator(mode="after")
    def _something_to_do(self) -> Plan:
        if not (self.text or self.tables or self.baskets):
            raise ValueError("a plan needs at least one of [text], [tables], [baskets]")
        if self.text and self.text.publish == "tables" and not self.tables:
            raise ValueError('text.publish = "tables" needs a [tables] part')
        return self

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Plan:
        """Read and check a plan; every file that it names must exist."""
        path = Path(path)
        plan = validated(cls, read_toml(path), source=path.name)
        missing = [
            f"{key}: there is no file {name!r} beside the plan"
            for key, name in plan.input_files()
            if not (path.parent / name).exists()
        ]
        if missing:
            raise PlanError(f"The file {path.name!r} names missing files:", mistakes=missing)
        return plan

    def input_files(self) -> list[tuple[str, str]]:
        """List (key, path) of all files that the plan reads."""
        files: list[tuple[str, str | None]] = []
        if self.text:
            files.append(("text.corpus", self.text.corpus))
            if self.text.publish != "tables":
                files.append(("text.publish", self.text.publish))
            files += [(f"text.background[{i}]", f) for i, f in enumerate(self.text.background)]
            files += [(f"text.unlabelled[{i}]", f) for i, f in enumerate(self.text.unlabelled)]
        if self.tables:
            files.append(("tables.table", self.tables.table))
            files.append(("tables.schema", self.tables.table_schema))
            files.append(("tables.population", self.tables.population))
        if self.baskets:
            files.append(("baskets.matrix", self.baskets.matrix))
            files.append(("baskets.labels", self.baskets.labels))
        return [(key, name) for key, name in files if name is not None]
