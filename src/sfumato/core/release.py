"""What was published, from what, how: the record beside every release, without a sensitive word.

Only counts, names of files, columns and parameters go in; hashes of what was published, and keyed marks
of what it was made from. There is no time stamp, so that the same plan gives the same bytes.
"""

from __future__ import annotations

import os
import platform
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from .._version import __version__
from .errors import DataError, FormatError, PrivacyWarning, SfumatoError
from .exploration import InputFile
from .files import read_json, write_json
from .measures import Risk, Utility
from .private_key import private_key
from .staging import check_files, whole_files

__all__ = [
    "RELEASE_FILE",
    "Release",
    "check_files",
    "marked",
    "released_files",
    "versions",
    "warn_if_composed",
    "warn_of_kept_order",
]

RELEASE_FILE = "release.json"
_RECORDED = ("numpy", "scipy", "scikit-learn", "numba", "duckdb", "pyarrow")


def versions() -> dict[str, str]:
    """Give the versions that a result depends on."""
    found = {"sfumato": __version__, "python": platform.python_version()}
    for name in _RECORDED:
        try:
            found[name] = metadata.version(name)
        except (
            metadata.PackageNotFoundError
        ):  # a trimmed installation: the record says what was there
            continue
    return found


@dataclass(frozen=True)
class Release:
    """The record of one publication.

    `how` holds the parameters of the run, `counts` what was counted while publishing (documents,
    words, redactions by kind, rows, withheld records), `measured` what was measured again on the
    output itself, `withheld` the ids of the records that were not published, with the reason.
    """

    engine: str
    candidate: str
    inputs: Sequence[InputFile]
    outputs: Sequence[InputFile]
    seed: int
    how: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, int | float | Mapping[str, int]] = field(default_factory=dict)
    risk: Risk | None = None
    utility: Utility | None = None
    measured: Mapping[str, Any] = field(default_factory=dict)
    withheld: Sequence[Mapping[str, str]] = ()
    versions: Mapping[str, str] = field(default_factory=versions)

    def to_json(self) -> dict[str, Any]:
        """Give the content of release.json."""
        for key, count in self.counts.items():
            numbers = count.values() if isinstance(count, Mapping) else [count]
            if not all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers):
                raise DataError(f"The count {key!r} of a release must be a number.")
        return {
            "engine": self.engine,
            "candidate": self.candidate,
            "inputs": [marked(i.to_json()) for i in self.inputs],
            "outputs": [o.to_json() for o in self.outputs],
            "seed": self.seed,
            "how": dict(self.how),
            "counts": dict(self.counts),
            "risk": None if self.risk is None else self.risk.to_json(),
            "utility": None if self.utility is None else self.utility.to_json(),
            "measured": dict(self.measured),
            "withheld": [dict(w) for w in self.withheld],
            "versions": dict(self.versions),
        }

    def save(self, directory: str | os.PathLike[str], *, name: str = RELEASE_FILE) -> Path:
        """Write release.json into a folder."""
        path = Path(directory) / name
        write_json(path, self.to_json(), force=True)
        return path

    @staticmethod
    def load(directory: str | os.PathLike[str]) -> dict[str, Any]:
        """Read release.json as the plain dict that reports start from."""
        content = read_json(Path(directory) / RELEASE_FILE)
        if not isinstance(content, dict) or not {"engine", "candidate", "inputs"} <= content.keys():
            raise FormatError("The file 'release.json' does not have the fields of a release.")
        return content


def marked(file: Mapping[str, Any]) -> dict[str, Any]:
    """Describe a file that does not leave the house: its bare name, its rows and a keyed mark.

    The mark is an HMAC under the steward's private key. A plain hash would confirm any guess of
    what the file holds to whoever reads the release.
    """
    rest = {key: value for key, value in file.items() if key not in {"path", "sha256", "hmac"}}
    digest = file.get("hmac") or private_key().mark("input", str(file["sha256"]))
    return {**rest, "path": Path(str(file["path"])).name, "hmac": digest}


@contextmanager
def released_files(
    target: Path,
    record: Path,
    *,
    force: bool = False,
    inputs: Iterable[str | os.PathLike[str]] = (),
) -> Iterator[Path]:
    """Yield a folder to write a release into that is a file, its record and what lies beside them.

    They appear together when the block ends well, the record first and the data last. With `force`
    a data file is replaced only when its record lists it.
    """
    with whole_files(
        target, record=record.name, force=force, inputs=inputs, private=False
    ) as stage:
        yield stage


def warn_of_kept_order(what: str) -> None:
    """Warn that the order of the input is published with its records."""
    warnings.warn(
        f"The {what} keep the order of the input: where it follows a name, a date or a number, whoever "
        "knows that order knows whose record is whose. Hint: leave --keep-order out.",
        PrivacyWarning,
        stacklevel=3,
    )


def warn_if_composed(out: str | os.PathLike[str], record: Mapping[str, Any]) -> int:
    """Warn when releases beside this one come from the same input; give how many there are.

    Releases compose: what one withholds another may show, and whoever holds both learns more than
    from either. A release with the same output adds nothing; only others count.
    """
    out = Path(out)

    def hashes(of: Mapping[str, Any], key: str) -> set[str]:
        if key == "inputs":  # records of earlier versions hold plain hashes
            return {str(marked(entry)["hmac"]) for entry in of[key]}
        return {str(entry["sha256"]) for entry in of[key]}

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
            f"{others:,} other release{'s' if others > 1 else ''} beside {out.name!r} "
            f"{'come' if others > 1 else 'comes'} from the same input: whoever holds them together "
            "learns more than from any one. Hint: give out one of them only.",
            PrivacyWarning,
            stacklevel=2,
        )
    return others
