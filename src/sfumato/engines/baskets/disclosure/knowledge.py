"""What a matrix discloses, whatever was promised, to all kinds of background knowledge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ....compute.protocol import Compute
from ..cells.itemsets import itemset_anonymity
from ..containment.audit import audit
from ..containment.patterns import Patterns
from ..matrix.binary import BinaryMatrix
from ..records import DisclosureRecord

__all__ = ["EVERYTHING", "AttackerKnowledge", "measure_disclosure", "rows_left"]


def measure_disclosure(
    matrix: BinaryMatrix, absences: Iterable[int], compute: Compute
) -> DisclosureRecord:
    """Measure how many rows are left to someone who knows items, absences, or everything.

    Parameters
    ----------
    matrix : BinaryMatrix
        The rows as they would be published.
    absences : iterable of int
        Numbers of known absences.
    compute : Compute
        Engine that counts equal rows.

    """
    found = audit(matrix, absences=absences, compute=compute)
    left, exact = rows_left(matrix, ac=found.ac)
    return DisclosureRecord(
        **found.to_json(),
        left_by_items={str(m): v for m, v in left.items()},
        items_exact={str(m): v for m, v in exact.items()},
    )


EVERYTHING = -1
"""As a number of known absences: all of them."""

_EXACT = 3  # number of items up to which all sets of items are searched
_WORK = 200_000_000


@dataclass(frozen=True)
class AttackerKnowledge:
    """What is known of a person.

    Parameters
    ----------
    items : int, optional
        The largest number of known items; None for any number.
    absences : int
        The largest number of known absences; `EVERYTHING` for all.

    >>> AttackerKnowledge().words, AttackerKnowledge(2).words, AttackerKnowledge(None, EVERYTHING).words
    ('any items that a person has', 'at most 2 items that a person has', 'everything about a person, absences included')

    """

    items: int | None = None
    absences: int = 0

    @property
    def words(self) -> str:
        """The knowledge as a phrase."""
        if self.absences == EVERYTHING:
            return "everything about a person, absences included"
        many = (
            "any items"
            if self.items is None
            else f"at most {self.items} item{'s' * (self.items != 1)}"
        )
        known = f"{many} that a person has"
        if self.absences:
            known += f" and at most {self.absences} that the person lacks"
        return known

    @property
    def tag(self) -> str:
        """A short mark for ids; empty for k-anonymity by containment."""
        if self.absences == EVERYTHING:
            return "-all"
        items = "" if self.items is None else f"-m{self.items}"
        return items + (f"-a{self.absences}" if self.absences else "")

    @property
    def protects_rows(self) -> bool:
        """Whether absences are known, so that rows must have identical copies."""
        return self.absences != 0

    def least_rows(self, matrix: BinaryMatrix) -> int:
        """Return a number of rows that is always left, proven on the unchanged matrix.

        Where the exact number is out of reach a smaller one that is certain is returned: the rows left
        to someone who knows more.
        """
        if matrix.n == 0:
            return 0
        patterns = Patterns.of(matrix)
        smallest = int(patterns.multiplicity.min())
        if self.absences == EVERYTHING:
            return smallest
        ac = patterns.smallest_maximal()
        if self.absences:
            value, complete = patterns.in_order().under_absences(
                self.absences, start=ac, work=_WORK
            )
            return value if complete else smallest
        if self.items is None or self.items > _EXACT:
            return ac
        value, complete = itemset_anonymity(matrix, self.items, floor=ac)
        return value if complete else ac


def rows_left(
    matrix: BinaryMatrix, items: Iterable[int] = (1, 2, 3), *, ac: int
) -> tuple[dict[int, int], dict[int, bool]]:
    """Return the fewest rows left to someone who knows at most that many items, and which are exact.

    Parameters
    ----------
    matrix : BinaryMatrix
        The published rows.
    items : iterable of int
        Numbers of known items.
    ac : int
        The anonymity by containment of the matrix, the limit for many items.

    """
    if matrix.n == 0:
        return {}, {}
    values, exact = {}, {}
    for m in items:
        values[m], exact[m] = itemset_anonymity(matrix, m, floor=max(ac, 1), work=_WORK)
    for m in sorted(values):  # more knowledge never leaves more rows
        values[m] = min(v for n, v in values.items() if n <= m)
    return values, exact
