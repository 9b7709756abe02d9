"""Neighbouring releases: those with a private record, and what publishing says about those that add up."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from ..errors import InputError, PrivacyWarning, ReleaseRefusedError
from ..records import RELEASE_FILE
from ..storage.private_folder import private_folder_of, private_folders_near
from .records import CompositionRecord

if TYPE_CHECKING:
    from ..engine import Call

__all__ = ["earlier_releases", "judge_together", "measure_each", "private_record", "record_of"]

Measured = TypeVar("Measured", bound=CompositionRecord)


class KnownRelease(Protocol):
    """What the private side of a release knows of its people."""

    @property
    def name(self) -> str:
        """The name of the release."""


Known = TypeVar("Known", bound=KnownRelease)


def record_of(release: str | os.PathLike[str]) -> Path:
    """Return where the record of a release is: in its folder, or next to its file."""
    release = Path(release)
    if release.is_dir():
        return release / RELEASE_FILE
    return release.with_name(f"{release.name.partition('.')[0]}.{RELEASE_FILE}")


def private_record(release: str | os.PathLike[str], name: str, *, about: str, hint: str) -> Path:
    """Return a file of the private side of a release; refuse a release that has none.

    Parameters
    ----------
    release : path
        The folder or file that was published.
    name : str
        The name of the private file.
    about : str
        Whom or what the file records, for the error.
    hint : str
        How a release with such a file is named.

    """
    release = Path(release)
    for folder in (*private_folders_near(release), release / "private"):
        if (folder / name).is_file():
            return folder / name
    raise InputError(f"Nothing is known of the {about} in {release.name!r}.", hint=hint)


def earlier_releases(out: str | os.PathLike[str], name: str) -> list[Path]:
    """Return the releases next to an output whose private folder holds a file of this name."""
    out = Path(out).absolute()
    found = [p.parent for p in sorted(out.parent.glob(f"*/{RELEASE_FILE}"))]
    found += [
        p.with_name(p.name.removesuffix(f".{RELEASE_FILE}"))
        for p in sorted(out.parent.glob(f"*.{RELEASE_FILE}"))
    ]
    stem = out.name.partition(".")[0]
    own = {out, out.with_name(stem) if stem else out}
    listed = []
    for path in (p for p in found if p not in own and not p.name.startswith(".")):
        candidates = [path, *sorted(path.parent.glob(f"{path.name}.*"))]
        listed += [c for c in candidates if (private_folder_of(c) / name).is_file()][:1]
    return listed


def judge_together(
    measured: Iterable[Measured | None], max_joint_risk: float | None = None, *, engine: str
) -> list[Measured]:
    """Return what adds up of a release and earlier ones; warn of it, or refuse it.

    Parameters
    ----------
    measured : iterable of CompositionRecord or None
        The release with each of the others; None where they have nobody in common.
    max_joint_risk : float, optional
        The maximum individual risk of the releases together.
    engine : str
        Whose command measures it.

    """
    found = []
    for record in measured:
        if record is None or not record.adds_risk:
            continue
        found.append(record)
        # Sizes are compared, not decimals: 1/11 is more than 0.09, and 0.09 means groups of 11.
        if max_joint_risk is not None and record.linked.k < int(1 / max_joint_risk + 1e-9):
            raise ReleaseRefusedError(
                f"{record.in_short()}; nothing was published.", hint=f"{record.remedies}."
            )
        warnings.warn(
            f"{record.in_short()}. Hint: {record.remedies}; `sfumato {engine} attack` with --with measures it.",
            PrivacyWarning,
            stacklevel=4,
        )
    return found


def measure_each(
    earlier: Sequence[str | os.PathLike[str]],
    read: Callable[[str | os.PathLike[str]], Known],
    measure: Callable[[Known], Measured | None],
    call: Call,
    *,
    hint: str,
) -> tuple[Measured, ...]:
    """Measure a release with each of some earlier ones, and say what is found.

    Parameters
    ----------
    earlier : sequence of paths
        The earlier releases.
    read : callable
        Returns what is known of the people of a release.
    measure : callable
        Measures the release with an earlier one; None where nobody is in both.
    call : Call
        The call that asks: progress goes there.
    hint : str
        How people are identified, for releases that have nobody in common.

    """
    found = []
    for path in earlier:
        before = read(path)
        measured = measure(before)
        if measured is None:
            call.say(f"{before.name}: nobody is in both releases.")
            continue
        found.append(measured)
        for line in measured.lines():
            call.say(line)
        call.progress(total=len(earlier))
    if not found:
        raise InputError("Nobody is known to be in both releases.", hint=hint)
    return tuple(found)
