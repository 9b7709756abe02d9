"""The protocol of a method of suppression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ....core.engine import Progress, no_progress
from ..cells.cores import Effort
from ..disclosure.inference import without_telling_items
from ..disclosure.knowledge import AttackerKnowledge
from ..matrix.binary import BinaryMatrix
from ..selectors.base import ContainmentSelector

__all__ = ["Classes", "Method", "MethodRequest", "Proposal", "make"]


Classes = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class MethodRequest:
    """What a method is asked for.

    Parameters
    ----------
    k : int
        The minimum number of rows that must be left.
    knowledge : AttackerKnowledge
        What the attacker knows.
    positive : array of bool, optional
        Two classes, where there are labels.
    selector : ContainmentSelector, optional
        Chooses the columns, for methods that choose columns.
    for_class : bool
        Whether ones that separate the classes count for more.
    max_rows_out : float
        The maximum share of rows that may be suppressed in addition to columns.
    sensitive : array of int, optional
        Items that must not be inferable from other items.
    max_confidence : float
        The maximum confidence with which one or two items may predict a sensitive one.
    seed : int
        Seed of the search.

    """

    k: int
    knowledge: AttackerKnowledge = field(default_factory=AttackerKnowledge)
    positive: Classes | None = None
    selector: ContainmentSelector | None = None
    for_class: bool = False
    max_rows_out: float = 0.05
    sensitive: npt.NDArray[np.intp] | None = None
    max_confidence: float = 1.0
    seed: int = 0
    effort: Effort | None = None
    progress: Progress = field(default=no_progress, repr=False)


@dataclass(frozen=True)
class Proposal:
    """What a method would publish: rows in the shape of the original, and which of them at all."""

    matrix: BinaryMatrix
    rows: npt.NDArray[np.bool_]
    columns: npt.NDArray[np.intp] | None = None

    @property
    def features(self) -> npt.NDArray[np.intp]:
        """The columns of the written file: those chosen, or those that hold a one."""
        return np.flatnonzero(self.matrix.supports) if self.columns is None else self.columns


@dataclass(frozen=True)
class Method:
    """A method of suppression.

    Parameters
    ----------
    help : str
        One line that says what is published.
    make : callable
        Returns what is published of a matrix.
    selects : bool
        Whether the method is tried with every selector.

    """

    help: str
    make: Callable[[BinaryMatrix, MethodRequest], Proposal]
    selects: bool = False


def make(method: Method, matrix: BinaryMatrix, spec: MethodRequest) -> Proposal:
    """Return what a method publishes, without the items that predict a sensitive one too surely."""
    made = method.make(matrix, spec)
    if spec.sensitive is None or spec.max_confidence >= 1:
        return made
    # a suppressed row reveals nothing: only what is published counts
    safe = without_telling_items(made.matrix, spec.sensitive, spec.max_confidence)
    return Proposal(safe, made.rows, np.flatnonzero(safe.supports))
