"""The files of a corpus and their formats."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path

from ..core.errors import FormatError, InputError, UnreadFilesWarning
from ..core.files import check_plain_file
from ..core.records import FRONTIER_FILE, RELEASE_FILE
from ..core.storage.ownership import report_beside
from ..core.storage.quarantine import QUARANTINE
from .foreign import check_foreign
from .formats.mixed import MIXED, kind_in_mixture
from .formats.protocol import CorpusFile
from .formats.registry import FORMATS, format_of_file
from .limits import Limits

__all__ = ["data_of", "files_of_folder", "parts_of_files", "parts_of_folder"]

# What sfumato itself writes beside data: never taken for documents.
_OURS = (RELEASE_FILE, FRONTIER_FILE, QUARANTINE)
_MARKS = ".ann"
_SETTINGS = (".conf", _MARKS)  # files that annotation tools keep with the documents


def _is_ours(name: str) -> bool:
    return name[0] in "._" or name.endswith(_OURS)


def data_of(path: Path) -> Path:
    """Return the data of a release: what is in its folder next to release.json; another path is returned unchanged."""
    if path.is_dir() and (path / RELEASE_FILE).is_file():
        told = report_beside(path)
        data = [p for p in path.iterdir() if not _is_ours(p.name) and p.name not in told]
        if len(data) == 1:
            return data[0]
    return path


def parts_of_files(paths: Sequence[Path], given: str | None) -> tuple[str, tuple[CorpusFile, ...]]:
    """Return the format of files that were named, and the parts of their corpus.

    Parameters
    ----------
    paths : sequence of Path
        The files.
    given : str or None
        The format, where it was said.

    """
    kinds = {given or format_of_file(path) for path in paths}
    if None not in kinds and is_mixture({str(kind) for kind in kinds}):
        kinds = {MIXED}
    if len(kinds) > 1:
        raise FormatError("The files are not all of one format.", hint="read them one by one.")
    kind = kinds.pop()
    if given is None:
        for path in paths:
            check_foreign(path)
    if kind is None:
        raise FormatError(
            f"The format of {paths[0].name!r} cannot be inferred from its name.",
            hint=f"give the format by --format (format=), one of {', '.join(FORMATS)}.",
        )
    if any(path.is_dir() for path in paths):
        raise InputError("Several inputs must all be files.", hint="give one folder, or files.")
    names = [path.name for path in paths]
    if len(set(names)) < len(names):
        raise InputError("Two of the files have the same name.", hint="rename one of them.")
    return kind, tuple(CorpusFile(path.name, path, len(paths) > 1) for path in paths)


def files_of_folder(folder: Path, limits: Limits) -> list[Path]:
    """Return the files of a folder that may be documents, without those that hold the labels of others."""
    files = []
    for place, folders, names in os.walk(folder):
        told = report_beside(Path(place)) if RELEASE_FILE in names else frozenset()
        folders[:] = sorted(
            n for n in folders if n[0] != "." and not n.endswith(".private") and n not in told
        )
        files += [Path(place, n) for n in names if not _is_ours(n) and n not in told]
        if len(files) > limits.files:
            raise limits.error(f"The number of files in {folder.name!r}", "files")
    for file in files:
        check_plain_file(file)
    known = set(files)
    return [f for f in files if f.suffix != _MARKS or f.with_suffix("") not in known]


def is_mixture(kinds: set[str]) -> bool:
    """Return whether files of these formats make one corpus of documents that are a file each."""
    return len(kinds) > 1 and any(FORMATS[kind].unit == "document" for kind in kinds)


def parts_of_folder(
    folder: Path, given: str | None, limits: Limits
) -> tuple[str, tuple[CorpusFile, ...]]:
    """Return the format of a folder, and the parts of its corpus.

    Parameters
    ----------
    folder : Path
        The folder.
    given : str or None
        The format, where it was said.
    limits : Limits
        How many files it may have.

    """
    asked, files = given, files_of_folder(folder, limits)
    kind_of = {file: format_of_file(file) for file in files}
    kinds = {kind for kind in kind_of.values() if kind}
    if given is None and not kinds and files:
        check_foreign(files[0])
    if kinds == {"i2b2", "xml"}:  # some of which are damaged: they are withheld one by one
        told = any(kind_of[file] == "i2b2" and file.stat().st_size for file in files)
        given = given or ("i2b2" if told else "xml")  # an empty file could be either
    if given is None and is_mixture(kinds):
        given = MIXED
    if given is None and len(kinds) != 1:
        what = (
            "no documents"
            if not kinds
            else f"files of several formats ({', '.join(sorted(kinds))})"
        )
        raise FormatError(
            f"The folder {folder.name!r} holds {what}.",
            hint=f"give the format by --format (format=), one of {', '.join(FORMATS)}.",
        )
    kind = given or kinds.pop()
    if asked is None:
        unread = [f for f in files if kind_of[f] is None and f.suffix.lower() not in _SETTINGS]
        _warn_of_unknown(folder, len(unread))
    if FORMATS.get_or_raise(kind).unit == "folder":
        return kind, (CorpusFile(folder.name, folder),)
    among = {file: kind_in_mixture(file.name, kind_of[file]) for file in files}
    chosen = [f for f in files if (among[f] if kind == MIXED else kind in (kind_of[f], among[f]))]
    many = len(files) > 1
    parts = [CorpusFile(file.relative_to(folder).as_posix(), file, many) for file in chosen]
    return kind, tuple(sorted(parts, key=lambda part: part.name))


def _warn_of_unknown(folder: Path, many: int) -> None:
    """Warn of the files of a folder that are no documents that can be read."""
    if many:
        which = "1 file is" if many == 1 else f"{many:,} files are"
        warnings.warn(
            f"In the folder {folder.name!r} {which} of no format that is read here, and left out. Hint: `sfumato "
            "inspect` counts what a folder holds; Word files of the old kind (.doc) have to be saved as .docx.",
            UnreadFilesWarning,
            stacklevel=4,
        )
