"""What an output may replace: never an input, and with `--force` only what sfumato itself has written.

A folder is ours when a record in it accounts for everything that is next to it. One file that nobody
accounts for is enough to leave the whole folder alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ..errors import InputError
from .hashes import sha256_of_entries

__all__ = ["is_ours", "lists_file", "paths_in", "refuse_inputs", "report_beside"]

_REPORT = ("facts.json", "report.html", "report.pdf", "charts", "attack.json")
_SAMPLES = (
    "notes.jsonl.gz", "more_notes.jsonl.gz", "findings.jsonl", "register.csv", "register_later.csv", "population.csv",
    "schema.toml", "register_with_notes.csv", "schema_with_notes.toml", "purchases.npz",
    "purchases.labels.txt", "purchases.features.txt",
)  # fmt: skip
_DEMO = ("samples", "run", "letter", "letter-released", "letter-released.private", "quarters")
_LETTERS = ("letter.docx", "letter.pdf")
_PRIVATE = (
    "edits.jsonl", "ids.jsonl", "figures.json", "people.parquet", "items.npz", "mentions.jsonl",
    "notes_people.jsonl", "approval.json", *_REPORT,
)  # fmt: skip
"""The private side of a release, and of a report; in a run it is next to the frontier."""
_STUDY = ("study.json", "study.lock.json", "parts", "*.csv", "*.vl.json", "*.svg")


def refuse_inputs(output: Path, inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Refuse an output that is an input, holds one, or is inside a folder that is read.

    Links and other spellings of a path are seen through; a second name of the same file counts too.
    """
    place = Path(os.path.realpath(output))
    for given in inputs:
        read = Path(os.path.realpath(given))
        same = place == read or (output.exists() and read.exists() and output.samefile(read))
        if same:
            raise InputError(
                f"The output {output.name!r} is an input of this very command.",
                hint="inputs are never modified: give another output.",
            )
        if read.is_relative_to(place):
            raise InputError(
                f"The folder {output.name!r} holds an input of this very command.",
                hint="inputs are never modified: give another output.",
            )
        if read.is_dir() and place.is_relative_to(read):
            raise InputError(
                f"The output {output.name!r} is inside a folder that is read.",
                hint="inputs are never modified: give an output outside of it.",
            )


def paths_in(*given: object) -> list[str | os.PathLike[str]]:
    """Return those of some inputs that are paths: frames and other objects have no place on the disk."""
    found: list[str | os.PathLike[str]] = []
    for item in given:
        if isinstance(item, str | os.PathLike):
            found.append(item)
        elif isinstance(item, list | tuple):
            found += [part for part in item if isinstance(part, str | os.PathLike)]
    return found


def is_ours(folder: Path) -> bool:
    """Return whether a record of sfumato accounts for every entry of a folder (or it is empty)."""
    names = {entry.name for entry in folder.iterdir() if not _is_work(entry)}
    return not names or any(known(folder, names) for known in _KINDS)


def report_beside(folder: Path) -> frozenset[str]:
    """Return the names that a report has in the folder of a release, and its signature; none where there is no report."""
    is_release = bool(_outputs(_record(folder / "release.json")))
    if not is_release or "facts" not in _record(folder / "facts.json"):
        return frozenset()
    return frozenset({*_REPORT, "SHA256SUMS", "SHA256SUMS.sig"})


def lists_file(record: Path, name: str) -> bool:
    """Return whether a release record names a file among its outputs."""
    return name in _outputs(_record(record))


def _is_work(entry: Path) -> bool:
    return entry.name.startswith(".") and entry.name.endswith(".work") and not entry.is_symlink()


def _record(path: Path) -> dict[str, Any]:
    """Read a record; an empty dict where there is none that could be ours."""
    try:
        if path.is_symlink() or path.stat().st_size > 1 << 28:
            return {}
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _outputs(record: Mapping[str, object]) -> set[str]:
    listed = record.get("outputs")
    if not isinstance(listed, list) or "engine" not in record:
        return set()
    return {str(o.get("path")) for o in listed if isinstance(o, dict)}


def _all_match(names: Iterable[str], patterns: Iterable[str]) -> bool:
    patterns = tuple(patterns)
    return all(any(fnmatchcase(name, p) for p in patterns) for name in names)


def _release(folder: Path, names: set[str]) -> bool:
    record = _record(folder / "release.json")
    rest = names - {"release.json", "quarantine.jsonl", *_REPORT}
    outputs = _outputs(record)
    if outputs != {"."}:
        return bool(outputs) and rest <= outputs
    # A folder of documents: its files are ours when they are, all together, the ones recorded.
    return sha256_of_entries(folder, rest) == str(record["outputs"][0].get("sha256"))


def _exploration(folder: Path, names: set[str]) -> bool:
    record = _record(folder / "frontier.json")
    if not {"engine", "candidates"} <= record.keys():
        return False
    files = record.get("files")
    listed = set(files) if isinstance(files, dict) else set()
    known = {"frontier.json", "model", "policies.json", "population.npz", "private.key", *_PRIVATE}
    return names <= known | listed | {"quarantine.jsonl"}


def _run(folder: Path, names: set[str]) -> bool:
    if "facts" not in _record(folder / "facts.json"):
        return False
    if not names <= {"plan.toml", "private", "release", "private.key", *_REPORT}:
        return False
    parts = [p for side in ("private", "release") for p in _entries(folder / side)]
    whole = {"private.key", *_REPORT}
    return all(p.name in whole or (p.is_dir() and is_ours(p)) for p in parts)


def _report(folder: Path, names: set[str]) -> bool:
    return "facts" in _record(folder / "facts.json") and names <= set(_REPORT)


def _study(folder: Path, names: set[str]) -> bool:
    record = _record(folder / "study.json") or _record(folder / "study.lock.json")
    return bool(record) and _all_match(names, (*_STUDY, "charts"))


def _samples(folder: Path, names: set[str]) -> bool:
    del folder
    return "notes.jsonl.gz" in names and names <= set(_SAMPLES)


def _demo(folder: Path, names: set[str]) -> bool:
    """Samples, a plan and its run; a letter; two quarters. A release has its private side beside it."""
    if "samples" not in names or not names <= {"plan.toml", *_DEMO}:
        return False
    quarters = [p.name for p in _entries(folder / "quarters")]
    listed = {"letter": _LETTERS, "quarters/attack": ("attack.json",)}
    inside = [*(names - {"plan.toml", "quarters"}), *(f"quarters/{name}" for name in quarters)]
    for name in inside:
        known = _PRIVATE if name.endswith(".private") else listed.get(name)
        held = {p.name for p in _entries(folder / name)}
        if not (folder / name).is_dir() or (folder / name).is_symlink():
            return False
        if not (is_ours(folder / name) if known is None else held <= set(known)):
            return False
    return True


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


_KINDS: tuple[Callable[[Path, set[str]], bool], ...] = (
    _release, _exploration, _run, _report, _study, _samples, _demo,
)  # fmt: skip
