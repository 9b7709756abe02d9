"""Every parameter of the baskets engine, once: exploring, publishing, studying."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self, TypeAlias

from pydantic import Field, field_validator

from ...compute import compute_option, engine_parameter, threads_parameter
from ...core.arguments import Argument, Compound, Keyed, Named
from ...core.input_types import InputType
from ...core.request import Request, parameter
from ...data.inputs import Estimator, LabelsInput, MatrixInput, NamesInput
from .registry import METHODS, measure_names, selector_names

if TYPE_CHECKING:
    from pydantic import JsonValue

    from ...data.baskets import Baskets
    from ...data.logs import LogColumns

__all__ = [
    "BasketsAttackRequest",
    "BasketsAuditRequest",
    "BasketsPublishRequest",
    "BasketsRequest",
    "BasketsStudyRequest",
    "BasketsTopicsRequest",
    "SelectorInput",
]

if TYPE_CHECKING:
    SelectorInput: TypeAlias = Estimator
else:
    SelectorInput = Annotated[object, InputType("SelectorInput", "selector", __name__)]

K = Annotated[int, Field(ge=1)]

_MATRIX = "Matrix: .npz, .svm (libsvm), .txt (transactions) or .csv; or a log (see --log)."
_LABELS = "File with one label per line, or for CSV the name of a column."
_ENGINE = "Engine that counts equal rows."
_THREADS = "Threads to use; all cores if not given."
_COMPUTE = compute_option(_ENGINE)
_LOG_COLUMNS = ("item", "person", "basket", "quantity", "min_quantity")
_LOG = Keyed(
    "log",
    {
        "item": Argument("item"),
        "person": Argument("person"),
        "basket": Argument("basket"),
        "quantity": Named("quantity", {"": [Argument("min_quantity")]}),
    },
    help="Columns of a log with one line per event: the item, the person (or the basket), and the quantity "
    "with the total from which an item counts as held.",
    metavar="item=COLUMN,person=COLUMN[,quantity=COLUMN[:MIN]]",
)


class _MatrixRequest(Request):
    """What every request about a matrix or a log shares."""

    compounds: ClassVar[Mapping[str, Compound]] = {"log": _LOG}
    matrix: MatrixInput = parameter(help=_MATRIX, role="data")
    labels: LabelsInput | None = parameter(None, help=_LABELS, role="file")
    item: str | None = parameter(
        None,
        help="Column of the items, where the data is a log with one line per event.",
        within="log",
    )
    person: str | None = parameter(
        None,
        help="Column of the person, where the data is a log: all events of a person are one row.",
        within="log",
    )
    basket: str | None = parameter(
        None, help="Column of the basket, where the data is a log and people are not known.",
        within="log",
    )  # fmt: skip
    quantity: str | None = parameter(
        None, help="Column of the quantity, where the data is a log.", within="log"
    )
    min_quantity: float = parameter(
        1.0, help="The total quantity from which an item of a log counts as held.", within="log"
    )

    hierarchy: str | Path | None = parameter(
        None, help="Categories of the items, as additional items: one line per item, up to the top.",
        role="file",
    )  # fmt: skip

    @property
    def log_columns(self) -> LogColumns | None:
        """The columns of the log, or None where the data is a matrix."""
        from ...data.logs import log_columns

        return log_columns(
            item=self.item, person=self.person, basket=self.basket, quantity=self.quantity,
            min_quantity=self.min_quantity,
        )  # fmt: skip

    def as_explored(self, explored: Mapping[str, JsonValue]) -> Self:
        """Return the request with the columns of the log and the hierarchy that were explored, where it names none.

        Parameters
        ----------
        explored : mapping
            The request of the exploration, as its frontier keeps it: files by their names alone.

        """
        from ...core.errors import InputError

        if not isinstance(self.matrix, str | os.PathLike):
            return self
        found: dict[str, object] = {}
        if self.log_columns is None:
            found = {n: explored[n] for n in _LOG_COLUMNS if explored.get(n) is not None}
        named = explored.get("hierarchy")
        if self.hierarchy is None and isinstance(named, str):
            places = [Path(self.matrix).parent / named, Path(named)]
            found["hierarchy"] = next((path for path in places if path.is_file()), None)
            if found["hierarchy"] is None:
                raise InputError(
                    "The data was explored with a hierarchy, which is not in its folder.",
                    hint="give --hierarchy FILE.",
                )
        return self.model_copy(update=found)

    def baskets(self) -> Baskets:
        """Read the data, with the categories of its items where a hierarchy is given."""
        from ...data.categories import with_categories

        found = self._plain_baskets()
        return found if self.hierarchy is None else with_categories(found, self.hierarchy)

    def _plain_baskets(self) -> Baskets:
        from ...core.errors import InputError
        from ...data.baskets import as_baskets
        from ...data.logs import read_log

        columns = self.log_columns
        if columns is None:
            return as_baskets(self.matrix, labels=self.labels)
        if not isinstance(self.matrix, str | os.PathLike) or self.labels is not None:
            raise InputError(
                "A log is a file, and its people have no labels here.",
                hint="give the path of the log, and no labels.",
            )
        return read_log(Path(self.matrix), columns)

    @field_validator(
        "matrix", "labels", "absence_risky", "sensitive", mode="after", check_fields=False
    )
    @classmethod
    def _as_arrays(cls, value: object) -> object:
        """Hold rows and labels as arrays: a list would be recorded value by value."""
        if isinstance(value, list | tuple):
            import numpy as np

            return np.asarray(value)
        return value

    def _is_column(self, folder: Path) -> bool:
        """Return whether `labels` names a column of a CSV rather than a file."""
        if not isinstance(self.labels, str) or not isinstance(self.matrix, str | os.PathLike):
            return False
        name = Path(self.matrix).name.removesuffix(".gz")
        return name.endswith(".csv") and not (folder / self.labels).is_file()

    def input_files(self) -> list[tuple[str, Path]]:
        found = super().input_files()
        if self._is_column(Path()):
            found = [(name, path) for name, path in found if name != "labels"]
        found = [(name, path) for name, path in found if path.name != "all"]
        if isinstance(
            self.matrix, str | os.PathLike
        ):  # the files next to the matrix are read as well
            from ...data._basket_files import sibling

            siblings = [(what, sibling(Path(self.matrix), what)) for what in ("labels", "features")]
            known = {path for _, path in found}
            found += [(what, p) for what, p in siblings if p is not None and p not in known]
        return found

    def with_absolute_paths(self, folder: Path) -> Self:
        found = super().with_absolute_paths(folder)
        kept = {"labels": self.labels} if self._is_column(folder) else {}
        if getattr(self, "absence_risky", None) == "all":
            kept["absence_risky"] = "all"
        return found.model_copy(update=kept) if kept else found


class BasketsRequest(_MatrixRequest):
    """The parameters of `baskets explore`."""

    compounds: ClassVar[Mapping[str, Compound]] = {"compute": _COMPUTE}
    k: list[K] = parameter([5, 8, 11], help="k: minimum number of matching rows.", min_length=1)
    selector: list[str | SelectorInput] = parameter(
        ["all"], help="Selectors to try; all: every one that can run here.",
        choices=selector_names, min_length=1,
    )  # fmt: skip
    method: list[str] = parameter(
        ["columns", "cells"], help="Suppression methods to try.", choices=lambda: METHODS, min_length=1,
        aliases=["publish_as"], record_as="publish_as",
    )  # fmt: skip
    known_items: int | None = parameter(
        None,
        help="Maximum number of a person's items that are known; any number if not given.",
        ge=1,
    )
    known_absences: int | Literal["all"] = parameter(
        0, help="Maximum number of absences that are known, or all."
    )
    sensitive: NamesInput | None = parameter(
        None, help="Items that must not be inferable from other items: a file with one name per line.",
        role="file",
    )  # fmt: skip
    max_confidence: float = parameter(
        1.0, help="Maximum confidence (rho) of a rule of one or two items that predicts a sensitive item.",
        ge=0, le=1, aliases=["rho"],
    )  # fmt: skip
    utility: str = parameter(
        "auto", help="Measure on the utility axis; auto: auc with labels, ones without.",
        choices=measure_names,
    )  # fmt: skip
    max_suppressed_rows: float = parameter(
        0.05, help="Maximum share of rows suppressed in addition to columns.", ge=0, le=1,
        former=["max_rows_out"], record_as="max_rows_out",
    )  # fmt: skip
    stop: Literal["never", "first"] = parameter(
        "never", help="At an infeasible feature: skip it and continue, or stop as in the paper."
    )
    folds: int = parameter(5, help="Folds of the cross-validation.", ge=2)
    absences: list[Annotated[int, Field(ge=0)]] = parameter(
        [1, 2], help="Numbers of known absences under which anonymity is measured."
    )
    absence_risky: NamesInput | None = parameter(
        None, help="Features whose absence is risky: a file of names, or all.", role="file"
    )
    seed: int = parameter(0, help="Seed of all randomness.", ge=0)
    engine: str = engine_parameter(_ENGINE)
    threads: int | None = threads_parameter(_THREADS)

    @field_validator("known_absences")
    @classmethod
    def _not_negative(cls, value: int | str) -> int | str:
        if isinstance(value, int) and value < 0:
            raise ValueError("must be 0 or more, or all")
        return value

    @field_validator("k", "selector", "absences", "method", mode="before")
    @classmethod
    def _as_list(cls, value: object) -> object:
        """Take one value for a list of one, and any iterable for a list."""
        if isinstance(value, str | int) or not hasattr(value, "__iter__"):
            return [value]
        return [v.item() if hasattr(v, "item") else v for v in value]


class BasketsPublishRequest(_MatrixRequest):
    """The parameters of `baskets publish`, in addition to the choice of a candidate.

    Columns of a log, and a hierarchy in the folder of the data, need not be given again.
    """

    compounds: ClassVar[Mapping[str, Compound]] = {"compute": _COMPUTE}
    accept_shift: bool = parameter(
        False,
        help="Publish although the rows differ from those explored; recorded in release.json.",
    )
    keep_order: bool = parameter(
        False, help="Keep the order of the rows; by default they are shuffled by a private seed."
    )
    max_joint_risk: float | None = parameter(
        None,
        help="Maximum individual risk together with neighbouring earlier releases of the same people.",
        gt=0,
        le=1,
    )
    engine: str = engine_parameter(_ENGINE)
    threads: int | None = threads_parameter(_THREADS)


class _FolderRequest(Request):
    """What is attacked; its positional argument comes first."""

    directory: str | Path = parameter(
        help="Folder that explore wrote, or a release to measure together with earlier ones.",
        role="data",
        metavar="DIR|RELEASE",
    )


class BasketsAttackRequest(_MatrixRequest, _FolderRequest):
    """The parameters of `baskets attack`."""

    matrix: MatrixInput | None = parameter(  # type: ignore[assignment]  # releases need no data
        None, help=f"{_MATRIX} Not needed for releases.", role="data"
    )
    candidates: list[str] = parameter(
        [], help="Candidates to attack; those on the frontier if not given.", flag="--choose"
    )
    items: list[Annotated[int, Field(ge=0)]] = parameter(
        [1, 2, 3, 5, 10, 0], help="Numbers of known items; 0 for all of them.", min_length=1
    )
    absences: list[Annotated[int, Field(ge=0)]] = parameter(
        [0], help="Numbers of known absences.", min_length=1
    )
    people: int = parameter(1000, help="Number of people to look for.", ge=1)
    earlier: list[str | Path] = parameter(
        [],
        help="Earlier releases of some of the same people; or, for a folder that explore wrote, the candidate by "
        "whose release people are looked for as well.",
        flag="--with",
        metavar="RELEASE|ID",
        former=["link"],
    )
    seed: int = parameter(0, help="Seed of the people drawn and of what is known about them.", ge=0)


class BasketsAuditRequest(_MatrixRequest):
    """The parameters of `baskets audit`."""

    absences: list[Annotated[int, Field(ge=0)]] = parameter(
        [1, 2], help="Numbers of known absences under which anonymity is measured."
    )
    ordered: list[str] = parameter(
        [], help="Ordered columns of a CSV, of which someone knows a lower bound."
    )
    equal: list[str] = parameter(
        [], help="Columns of a CSV of which someone knows the exact value."
    )


class BasketsTopicsRequest(_MatrixRequest):
    """The parameters of `baskets topics`."""

    topics: int = parameter(10, help="Number of topics.", ge=2)
    seed: int = parameter(0, help="Seed of all randomness.", ge=0)


class BasketsHierarchyRequest(_MatrixRequest):
    """The parameters of `baskets hierarchy`."""

    size: int = parameter(
        8, help="Maximum number of items in a group; a section holds up to its square.", ge=2
    )
    min_rows: int = parameter(
        2,
        help="Items held by fewer rows are not grouped, because too little is known about them.",
        ge=1,
    )
    seed: int = parameter(0, help="Seed of all randomness.", ge=0)


class BasketsStudyRequest(_MatrixRequest):
    """The parameters of `baskets study`."""

    k: list[K] = parameter([5, 8, 11], help="k: minimum number of matching rows.", min_length=1)
    folds: int = parameter(5, help="Folds of the cross-validation.", ge=2)
    repeats: int = parameter(10, help="Runs of the randomised methods.", ge=1)
    seed: int = parameter(0, help="Seed of all randomness.", ge=0)
