"""Two releases of baskets together: everybody who holds all items that both show of a person.

With a known link a person is hidden among those whose rows contain the person's row in both releases: containment on
the columns of both. Without one, someone who knows items of a person finds the rows that contain them in each release; at
most U = Σ_s min(n_A(s), n_B(s)) people can be in both sets, with s what a row shows in the columns that both
releases show alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from ....core.composition.joint import Codes, JointSizes, combine_codes
from ....core.composition.measure import joint_figures
from ..containment.patterns import Patterns
from ..matrix.binary import BinaryMatrix, as_binary
from ..records import BasketsComposition
from ._kernels import meet_supersets
from .people import PublishedPeople

__all__ = ["CommonRows", "measure_composition"]


def measure_composition(
    earlier: PublishedPeople, later: PublishedPeople
) -> BasketsComposition | None:
    """Measure two releases together; None where nobody is in both.

    Parameters
    ----------
    earlier, later : PublishedPeople
        The people of the releases and their rows.

    """
    common = CommonRows.of(earlier, later)
    if not len(common.at_first):
        return None
    unique = [float(np.mean(sizes == 1)) for sizes in common.equal_rows()]
    return BasketsComposition(
        **joint_figures(common.sizes(), common.changed).model_dump(),
        earlier=earlier.name,
        only_earlier=len(earlier) - len(common.at_first),
        only_later=len(later) - len(common.at_first),
        shared_columns=int(common.alike.sum()),
        unique_rows=(unique[0], unique[1], unique[2]),
    )


@dataclass(frozen=True)
class CommonRows:
    """The people whom two releases are both about.

    Parameters
    ----------
    first, second : BinaryMatrix
        All rows of the two.
    at_first, at_second : array of int
        The places of the same people in each.
    columns : array of int, 2 × columns
        The places of the columns that both have.
    alike : array of bool
        Which of them show the same of everybody.
    changed : array of bool
        Of whom one of them shows something else.

    """

    first: BinaryMatrix
    second: BinaryMatrix
    at_first: Codes
    at_second: Codes
    columns: Codes
    alike: npt.NDArray[np.bool_]
    changed: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, first: PublishedPeople, second: PublishedPeople) -> CommonRows:
        """Join two releases by the marks of their people."""
        _, at_a, at_b = np.intersect1d(first.marks, second.marks, return_indices=True)
        place = {name: i for i, name in enumerate(second.features)}
        names = [(i, place[name]) for i, name in enumerate(first.features) if name in place]
        columns = np.array(names, np.int64).reshape(-1, 2).T
        one = first.matrix.to_csr()[at_a][:, columns[0]].astype(np.int8)
        other = second.matrix.to_csr()[at_b][:, columns[1]].astype(np.int8)
        differ = abs(one - other)
        return cls(
            first.matrix, second.matrix, at_a, at_b, columns,
            np.asarray(differ.sum(axis=0)).ravel() == 0,
            np.asarray(differ.sum(axis=1)).ravel() > 0,
        )  # fmt: skip

    def sizes(self) -> JointSizes:
        """Return for each person how many rows fit all items that are shown: alone, linked, and not linked."""
        first, second = Patterns.of(self.first), Patterns.of(self.second)
        return JointSizes(
            _fitting(first)[self.at_first],
            _fitting(second)[self.at_second],
            _fitting(Patterns.of(self._linked())),
            self._bound(first, second),
        )

    def equal_rows(self) -> list[Codes]:
        """Return for each person the number of equal rows: in each release, and linked."""
        first, second = Patterns.of(self.first), Patterns.of(self.second)
        linked = Patterns.of(self._linked())
        return [
            first.multiplicity[first.of_row][self.at_first].astype(np.int64),
            second.multiplicity[second.of_row][self.at_second].astype(np.int64),
            linked.multiplicity[linked.of_row].astype(np.int64),
        ]

    def _linked(self) -> BinaryMatrix:
        """Return the rows of the people in both, with the columns of both."""
        rows = [self.first.to_csr()[self.at_first], self.second.to_csr()[self.at_second]]
        return as_binary(sp.hstack(rows, format="csr"))

    def _bound(self, first: Patterns, second: Patterns) -> Codes:
        """Return for each person how many people can be in both sets of rows where rows cannot be linked."""
        shown = [
            matrix.to_csr()[patterns.representative][:, places[self.alike]]
            for matrix, patterns, places in (
                (self.first, first, self.columns[0]),
                (self.second, second, self.columns[1]),
            )
        ]
        value = Patterns.of(sp.vstack(shown, format="csr")).of_row.astype(np.int64)
        own = [first.of_row[self.at_first], second.of_row[self.at_second]]
        pair = combine_codes([codes.astype(np.int64) for codes in own])
        _, which = np.unique(pair, return_index=True)
        met = meet_supersets(
            own[0][which].astype(np.int64), own[1][which].astype(np.int64),
            first.covers(), second.covers(),
            value[: len(first.representative)], value[len(first.representative) :],
        )  # fmt: skip
        return np.asarray(met[pair])


def _fitting(patterns: Patterns) -> Codes:
    """Return for each row the number of rows that contain it."""
    return patterns.containment(patterns.rows + 1)[patterns.of_row]
