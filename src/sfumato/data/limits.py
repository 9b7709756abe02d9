"""How large an input may be before it is refused: against gzip bombs, endless lines and absurd tables.

Every reader asks here. `current_limits` holds for readers that were given no limits; the
command line raises it once, by `--limit NAME=NUMBER`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from ..core.errors import LimitError, ParameterError, did_you_mean

__all__ = ["Limits", "current_limits", "set_limits"]

_FEATURE_BYTES = 512  # memory for the name, the counts and the measures of a feature


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes beyond which a reader stops; each can be raised by the user.

    `expansion` is how many times larger than the compressed file its content may be, asked once
    `expansion_from` bytes came out, so that small repetitive files pass. `cells` are those of a table
    whose files say how many they hold; `columns` are those of a table, `features` those of baskets.
    `cells_per_byte` is how many cells each byte of a spreadsheet file may represent, asked from
    `cells_from` cells on: the fullest sheets of one repeated number have about one in two bytes.
    `rule_matches` are those of one rule in one document, `labels` the different ones of a corpus.

    >>> Limits().with_overrides(["columns=20_000"]).columns
    20000
    """

    document_characters: int = 64 * 2**20
    record_bytes: int = 256 * 2**20
    expansion: int = 200
    expansion_from: int = 64 * 2**20
    columns: int = 10_000
    cells: int = 20_000_000_000
    cells_per_byte: int = 2
    cells_from: int = 1_000_000
    features: int = 4_000_000
    files: int = 1_000_000
    id_characters: int = 1_024
    rule_matches: int = 1_000_000
    labels: int = 200

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ParameterError.constraint(each.name, "Limits", "an int in [1, inf)", value)

    def with_overrides(self, options: Iterable[str]) -> Limits:
        """Change limits by `name=number` texts, as they come from a command line."""
        known = [each.name for each in fields(self)]
        changed = {}
        for option in options:
            name, _, number = option.partition("=")
            if name not in known:
                raise ParameterError(
                    f"There is no limit named {name!r}.", hint=did_you_mean(name, known)
                )
            try:
                changed[name] = int(number)
            except ValueError:
                raise ParameterError(
                    f"The limit {name!r} needs a whole number.", hint=f"write {name}=1000000."
                ) from None
        return replace(self, **changed)

    def check_expansion(self, name: str, packed: int, unpacked: int) -> None:
        """Refuse a file that grows beyond the ratio allowed.

        Parameters
        ----------
        name : str
            The file's name.
        packed, unpacked : int
            Its bytes on disk, and the bytes that came (or will come) out of them.

        """
        if unpacked > self.expansion_from and unpacked > self.expansion * max(1, packed):
            ratio = unpacked // max(1, packed)
            raise self.error(
                f"The file {name!r} grows {ratio:,} times when read, which", "expansion"
            )

    def check_cells(self, name: str, packed: int, cells: int) -> None:
        """Refuse a spreadsheet that represents more cells than a file of its size can hold.

        Parameters
        ----------
        name : str
            The file's name.
        packed : int
            Its bytes on disk.
        cells : int
            How many cells it holds, or those met so far, empty ones among them.

        """
        if cells > self.cells_from and cells > self.cells_per_byte * packed:
            raise self.error(f"The number of cells per byte of {name!r}", "cells_per_byte")

    def check_features(self, name: str, packed: int, features: int) -> None:
        """Refuse a small file that claims very many features: those that no row holds take no place in it.

        Parameters
        ----------
        name : str
            The file's name.
        packed : int
            Its bytes on disk.
        features : int
            How many features it claims without naming them.

        """
        self.check_expansion(name, packed, _FEATURE_BYTES * features)

    def error(self, what: str, name: str) -> LimitError:
        """Build the error for a limit that was passed, with the way to raise it."""
        return LimitError(f"{what} is beyond the limit of {getattr(self, name):,} ({name}).",
                          hint=self.hint(name))  # fmt: skip

    def hint(self, name: str) -> str:
        """Return how a limit is raised."""
        return (
            f"if the input is as it should be, raise it: --limit {name}=…, or limits=Limits({name}=…) "
            "in Python."
        )


_current = Limits()


def current_limits() -> Limits:
    """Return the limits of readers that were given none."""
    return _current


def set_limits(limits: Limits) -> None:
    """Change the limits of readers that were given none."""
    global _current  # noqa: PLW0603 (one setting of the process, made once by its command line)
    _current = limits
