"""Releases on disk: a data file with its record next to it, and warnings about releases that add up."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import FormatError, PrivacyWarning, ReleaseRefusedError, SfumatoError
from .files import check_output, read_json, whole_directory
from .records import RELEASE_FILE
from .storage.private_key import private_key
from .storage.staging import check_files, whole_files

if TYPE_CHECKING:
    from .statistics.shift import ShiftCheck

__all__ = [
    "OutputFiles",
    "Target",
    "open_output",
    "refuse_different",
    "warn_if_composed",
    "warn_of_kept_order",
]


class OutputFiles(NamedTuple):
    """Where a release is written before it is seen: its data file, and its record in the same folder."""

    data: Path
    record: Path


@dataclass(frozen=True)
class Target:
    """What a caller names as the output: a data file, whose record is NAME.release.json, or a folder.

    Parameters
    ----------
    path : Path
        The data file, or the folder for data and release.json.
    name : str
        The name of the data file in a folder.
    kind : str
        The format that is written.
    kind_of : callable
        Returns the format that a name implies, or None where it is not that of a data file.
    force : bool, default=False
        Whether an existing release may be replaced; a data file only when its record lists it.
    inputs : sequence of paths, default=()
        The files that are read, which no output may replace.

    """

    path: Path
    name: str
    kind: str
    kind_of: Callable[[Path], str | None]
    force: bool = False
    inputs: Sequence[str | os.PathLike[str]] = ()

    @property
    def is_file(self) -> bool:
        """Whether the output is a data file; a file of another format than is written is refused."""
        named = None if self.path.is_dir() else self.kind_of(self.path)
        if named is not None and named != self.kind:
            raise FormatError(
                f"The output {self.path.name!r} would be {named}, but the input is {self.kind}.",
                hint="a release is written in the format it was read from.",
            )
        return named is not None

    @property
    def record(self) -> Path:
        """Where the record of a data file is written."""
        stem = Path(self.path.name.removesuffix(".gz")).stem
        return self.path.with_name(f"{stem}.release.json")

    def check(self) -> None:
        """Refuse an output that already exists, is an input, or would be of another format."""
        if self.is_file:
            check_files(self.path, self.record, force=self.force, inputs=self.inputs)
        else:
            check_output(self.path, force=self.force, inputs=self.inputs)


@contextmanager
def open_output(target: Target) -> Iterator[OutputFiles]:
    """Yield where to write data and record, in a hidden folder; publish all if the block succeeds.

    The record appears first and the data last.
    """
    path, force, inputs = target.path, target.force, target.inputs
    if target.is_file:
        record = target.record.name
        with whole_files(path, record=record, force=force, inputs=inputs, private=False) as folder:
            yield OutputFiles(folder / path.name, folder / record)
    else:
        with whole_directory(path, force=force, inputs=inputs, private=False) as folder:
            yield OutputFiles(folder / target.name, folder / RELEASE_FILE)


def refuse_different(check: ShiftCheck, sentence: str | None, *, accepted: bool) -> None:
    """Refuse to publish what differs from the training documents, unless a person accepted it."""
    if check.different and not accepted:
        raise ReleaseRefusedError(
            f"Nothing was published. {sentence}",
            hint="--accept-shift (accept_shift=True) publishes anyway and records it.",
        )


def warn_of_kept_order(what: str) -> None:
    """Warn that the order of the input is published with its records."""
    warnings.warn(
        f"The {what} keep the order of the input: where it follows a name, a date or a number, anyone who "
        "knows that order knows whose record is whose. Hint: leave --keep-order out.",
        PrivacyWarning,
        stacklevel=3,
    )


def warn_if_composed(out: str | os.PathLike[str], record: Mapping[str, object]) -> int:
    """Warn when releases next to this one come from the same input; return how many there are.

    Releases compose: what one withholds another may show, and someone who holds both learns more than
    from either. A release with the same output adds nothing; only others count.
    """
    out = Path(out)

    def hashes(of: Mapping[str, Any], key: str) -> set[str]:
        if key == "outputs":
            return {str(entry["sha256"]) for entry in of[key]}
        # Records of 0.1 hold plain hashes, which are given their marks here.
        known = (
            entry.get("hmac") or private_key().mark("input", entry["sha256"]) for entry in of[key]
        )
        return {str(mark) for mark in known}

    others = 0
    beside = out.absolute().parent
    for path in sorted([*beside.glob(f"*/{RELEASE_FILE}"), *beside.glob(f"*.{RELEASE_FILE}")]):
        if path.parent == out.absolute() or path.name.startswith("."):
            continue
        try:
            other = read_json(path)
            shared = hashes(other, "inputs") & hashes(record, "inputs")
            others += bool(shared) and hashes(other, "outputs") != hashes(record, "outputs")
        except (SfumatoError, KeyError, TypeError, AttributeError):
            continue  # not a record of ours
    if others:
        warnings.warn(
            f"{others:,} other release{'s' if others > 1 else ''} next to {out.name!r} "
            f"{'come' if others > 1 else 'comes'} from the same input: someone who holds them together "
            "learns more than from any one. Hint: publish only one of them.",
            PrivacyWarning,
            stacklevel=2,
        )
    return others
