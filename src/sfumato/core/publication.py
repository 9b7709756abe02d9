"""The result of `Engine.publish`, which command line, page, plan and Python print in the same way.

With it, what they say where records could not be read or were withheld.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from .errors import WithheldError
from .records import Release
from .storage.quarantine import UNREAD, quarantine_of

__all__ = ["Publication", "unread_error", "unread_sentence", "withheld_sentence"]

Rel_co = TypeVar("Rel_co", bound=Release, covariant=True)


def withheld_sentence(records: int) -> str:
    """Return what every surface says where records were withheld.

    >>> withheld_sentence(1)
    '1 record could not be processed and was withheld.'
    >>> withheld_sentence(1200)
    '1,200 records could not be processed and were withheld.'

    """
    if records == 1:
        return "1 record could not be processed and was withheld."
    return f"{records:,} records could not be processed and were withheld."


def unread_sentence(records: int) -> str:
    """Return what every surface says where records could not be read.

    >>> unread_sentence(1)
    '1 record could not be read and was left out.'

    """
    if records == 1:
        return "1 record could not be read and was left out."
    return f"{records:,} records could not be read and were left out."


def unread_error(records: int, folder: Path) -> WithheldError:
    """Return the error with which a command ends where the folder that it wrote lists what could not be read."""
    return WithheldError(
        unread_sentence(records),
        hint=f"{folder / UNREAD} lists them by id, with the reason; publishing withholds them.",
    )


@dataclass(frozen=True)
class Publication(Generic[Rel_co]):
    """A release that was written, or data that was published in memory.

    Parameters
    ----------
    release : Release, optional
        The record of what was written; None where nothing was.
    out : Path, optional
        The file or folder of the release.
    data : object, optional
        The published data, where it was not written.

    """

    release: Rel_co | None = None
    out: Path | None = None
    data: object = None

    @property
    def withheld(self) -> tuple[Mapping[str, str], ...]:
        """The records that could not be processed and were not published, by published id, with the reason."""
        return () if self.release is None else self.release.withheld

    def result(self) -> object:
        """Return the record of what was written, or the data if nothing was written."""
        return self.data if self.release is None else self.release

    def lines(self) -> list[str]:
        """Return what every surface says about the publication."""
        found = [] if self.release is None else self.release.lines()
        if self.out is not None:
            found.append(f"written: {self.out}")
        if self.withheld:
            found.append(withheld_sentence(len(self.withheld)))
        return found

    def refuse_withheld(self) -> None:
        """End with an error where records were withheld, so that nobody overlooks it."""
        if self.withheld:
            raise WithheldError(withheld_sentence(len(self.withheld)), hint=self._withheld_list())

    def _withheld_list(self) -> str | None:
        if self.out is None:
            return None
        return f"{quarantine_of(self.out)} lists them by id, with the reason."

    def __repr__(self) -> str:
        if self.release is None:
            return f"<publication in memory: {type(self.data).__name__}>"
        name = "" if self.out is None else f" → {self.out.name}"
        withheld = f", {len(self.withheld):,} withheld" if self.withheld else ""
        counted = next(
            (f"{n:,} {k}" for k, n in self.release.counts.items() if isinstance(n, int)), ""
        )
        return f"<publication {self.release.candidate}{name}: {counted}{withheld}>"
