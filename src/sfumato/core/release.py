"""What was published, from what, how: the record beside every release, without a sensitive word.

Only counts, hashes, names of files, columns and parameters go in. There is no time stamp, so that the
same plan gives the same bytes.
"""

from __future__ import annotations

import os
import platform
import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from .._version import __version__
from .errors import DataError, FormatError, PrivacyWarning, SfumatoError
from .exploration import InputFile
from .files import check_output, read_json, sha256_of, write_json
from .measures import Risk, Utility

__all__ = [
    "RELEASE_FILE",
    "Release",
    "check_files",
    "released_files",
    "versions",
    "warn_if_composed",
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
            "inputs": [i.to_json() for i in self.inputs],
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


def check_files(target: Path, record: Path, *, force: bool = False) -> None:
    """Refuse a release that is a file and its record, where they exist; not what a killed run left."""
    check_output(target, force=force)
    check_output(record, force=force or record.name in _unfinished(target, record))


def _unfinished(target: Path, record: Path) -> set[str]:
    """Name what a run left that was killed while its files were put into place: all but the data."""
    if target.exists() or not record.is_file():
        return set()
    try:
        outputs = {entry["path"]: entry["sha256"] for entry in read_json(record)["outputs"]}
    except (SfumatoError, KeyError, TypeError):
        return set()  # not a record of ours
    if target.name not in outputs:
        return set()
    beside = {target.with_name(str(name)) for name in outputs}
    same = {p.name for p in beside if p.is_file() and sha256_of(p) == outputs[p.name]}
    return same | {record.name}


@contextmanager
def released_files(target: Path, record: Path, *, force: bool = False) -> Iterator[Path]:
    """Give a folder that nobody sees; its files appear beside each other when the block ends well.

    The record comes first and the data last: a run that is killed in between is known by a record
    without its data, and the same command does it again.
    """
    check_files(target, record, force=force)
    stage = target.with_name(f".{target.name}.partial-{os.getpid()}")
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir()
    try:
        yield stage
        between = {p.name for p in stage.iterdir()} - {record.name, target.name}
        ours = _unfinished(target, record)
        check_files(target, record, force=force)
        for name in between:
            check_output(target.with_name(name), force=force or name in ours)
        target.unlink(missing_ok=True)  # with force: an old file never stands beside a new record
        for name in [record.name, *sorted(between), target.name]:
            os.replace(stage / name, target.with_name(name))
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def warn_if_composed(out: str | os.PathLike[str], record: Mapping[str, Any]) -> int:
    """Warn when releases beside this one come from the same input; give how many there are.

    Releases compose: what one withholds another may show, and whoever holds both learns more than
    from either. A release with the same output adds nothing; only others count.
    """
    out = Path(out)

    def hashes(of: Mapping[str, Any], key: str) -> set[str]:
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
