"""Releases on disk: a data file with its record next to it, and warnings about what releases add up to."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import PrivacyWarning, ReleaseRefusedError, SfumatoError
from .files import read_json
from .records import RELEASE_FILE
from .storage.private_key import private_key
from .storage.staging import check_files, whole_files

if TYPE_CHECKING:
    from .statistics.shift import ShiftCheck

__all__ = [
    "check_files",
    "refuse_different",
    "released_files",
    "warn_if_composed",
    "warn_of_kept_order",
]


@contextmanager
def released_files(
    target: Path,
    record: Path,
    *,
    force: bool = False,
    inputs: Iterable[str | os.PathLike[str]] = (),
) -> Iterator[Path]:
    """Yield a folder to write a release into that is a file, its record and what is next to them.

    They appear together when the block ends well, the record first and the data last. With `force`
    a data file is replaced only when its record lists it.
    """
    with whole_files(
        target, record=record.name, force=force, inputs=inputs, private=False
    ) as stage:
        yield stage


def refuse_different(check: ShiftCheck, sentence: str | None, *, accepted: bool) -> None:
    """Refuse to publish what is not like what was learned from, unless a person accepted it."""
    if check.different and not accepted:
        raise ReleaseRefusedError(
            f"Nothing was published. {sentence}",
            hint="--accept-shift (accept_shift=True) publishes all the same, and records it.",
        )


def warn_of_kept_order(what: str) -> None:
    """Warn that the order of the input is published with its records."""
    warnings.warn(
        f"The {what} keep the order of the input: where it follows a name, a date or a number, whoever "
        "knows that order knows whose record is whose. Hint: leave --keep-order out.",
        PrivacyWarning,
        stacklevel=3,
    )


def warn_if_composed(out: str | os.PathLike[str], record: Mapping[str, Any]) -> int:
    """Warn when releases next to this one come from the same input; return how many there are.

    Releases compose: what one withholds another may show, and whoever holds both learns more than
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
            f"{'come' if others > 1 else 'comes'} from the same input: whoever holds them together "
            "learns more than from any one. Hint: give out one of them only.",
            PrivacyWarning,
            stacklevel=2,
        )
    return others
