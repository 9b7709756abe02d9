"""From rows to a published table of counts: count, protect, check, write."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ....core.errors import FormatError, ReleaseRefusedError
from ....core.files import read_json
from ....core.storage.private_key import private_key
from ....data.table_source import TableSource
from .audit import derived_ranges, narrowest_range
from .cube import Cube, Marks, count_cube
from .protection import Protection, protect
from .rules import CountRule, read_rule

__all__ = ["CountTable", "tabulate"]

_RELEASE = "release.json"
_AUDITED_CELLS = 2_000  # cells up to which a rounded table is audited
_AUDITED_SMALL = 200


@dataclass(frozen=True)
class CountTable:
    """A table of counts as it is published: `shown` holds −1 where a cell is hidden."""

    cube: Cube
    rule: CountRule
    shown: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    protection: Protection | None = None
    narrowest: float | None = None

    @property
    def hidden(self) -> int:
        """How many cells are not shown."""
        return int((self.shown < 0).sum())

    def lines(self) -> list[str]:
        """Return what the command line prints."""
        found = [f"{self.shown.size:,} cells by {', '.join(self.cube.names)}, sums included"]
        if self.protection is not None:
            found.append(
                f"{self.hidden:,} cells are hidden, so that no count of {self.rule.low} to {self.rule.high} can be derived"
            )
        if self.protection is not None and self.protection.proof != "nothing small":
            found.append(
                f"proven by {self.protection.proof}: someone who knows everything that is published finds a range of at "
                f"least {self.protection.width:,} for each of them"
            )
        if self.rule.base is not None:
            found.append(f"counts are rounded to multiples of {self.rule.base}")
        if self.narrowest is not None:
            found.append(
                f"the narrowest range that can be derived of a small count is {self.narrowest:.3g} wide"
            )
        if self.rule.epsilon is not None:
            found.append(
                f"two-sided geometric noise, epsilon {self.rule.epsilon:g} for each count; sums are those of "
                "the noisy counts"
            )
        return found


def tabulate(table: object, by: Sequence[str], rule: str) -> CountTable:
    """Count a table, or the data of a release, by some columns, and protect the counts by a rule."""
    wanted = read_rule(rule)
    cube = count_cube(_open(table), by)
    if wanted.epsilon is not None:
        return CountTable(cube, wanted, _with_noise(cube, wanted.epsilon).counts)
    protection = None
    hidden = np.zeros(cube.counts.shape, dtype=np.bool_)
    if wanted.low is not None and wanted.high is not None:
        protection = protect(cube, wanted.low, wanted.high)
        hidden = protection.hidden
    shown = cube.counts
    narrowest = None
    if wanted.base is not None:
        shown = np.floor(cube.counts / wanted.base + 0.5).astype(np.int64) * wanted.base
        narrowest = _audit_rounding(cube, hidden, wanted.base)
    return CountTable(cube, wanted, np.where(hidden, -1, shown), protection, narrowest)


def _open(table: object) -> TableSource:
    """Open a table, or the data of the release in a folder."""
    if isinstance(table, str | os.PathLike) and (Path(table) / _RELEASE).is_file():
        from ..records import TablesRelease

        release = TablesRelease.from_json(read_json(Path(table) / _RELEASE), file=_RELEASE)
        if not release.outputs:
            raise FormatError("The release names no data file.")
        return TableSource.open(Path(table) / release.outputs[0].path)
    return TableSource.open(table)


def _audit_rounding(cube: Cube, hidden: Marks, base: int) -> float | None:
    """Return the narrowest range of a small count under rounding; refuse one that is given away."""
    small = np.flatnonzero((cube.counts > 0) & (cube.counts < base))
    if cube.counts.size > _AUDITED_CELLS or not 0 < small.size <= _AUDITED_SMALL:
        return None
    narrowest = narrowest_range(derived_ranges(cube, hidden, small.tolist(), base=base))
    if narrowest < 1 - 1e-6:
        raise ReleaseRefusedError(
            "Rounding gives a small count of this table away: it follows from the rounded sums; nothing was "
            "published.",
            hint="hide small counts too: --rule suppress:5+round:5, or round to a larger base.",
        )
    return narrowest


def _with_noise(cube: Cube, epsilon: float) -> Cube:
    """Add two-sided geometric noise to the counts that are no sums; none becomes negative.

    The draws depend on the steward's private key and on the counts, so that the same table has the same noise.
    """
    inner = cube.inner
    digest = "\x1f".join((*cube.names, str(epsilon), np.ascontiguousarray(inner).tobytes().hex()))
    dice = np.random.Generator(np.random.PCG64(private_key().seed("tabulate", digest)))
    stop = 1.0 - np.exp(-epsilon)
    drawn = dice.geometric(stop, inner.shape) - dice.geometric(stop, inner.shape)
    values = [v[:-1] for v in cube.values]
    return Cube.of_inner(cube.names, values, np.maximum(inner + drawn, 0))
