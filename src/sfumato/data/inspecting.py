"""The contents of files before anything is done to them: by kind, in counts, without a word of their content.

Files that cannot be handled are named, each with the reason.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..core.errors import InputError
from .corpus_parts import data_of, files_of_folder
from .foreign import check_path
from .formats.inspection import FileSummary
from .formats.mixed import kind_in_mixture
from .formats.protocol import CorpusFile, FieldNames
from .formats.registry import FORMATS, format_of_file
from .inputs import PathInput
from .limits import Limits, current_limits

__all__ = ["inspect_files", "summary_lines"]

UNKNOWN = "unknown"
_NAMED = 10
"""Files of a kind that are named in a table; all of them are in the JSON."""


def inspect_files(
    source: PathInput | Iterable[PathInput], *, limits: Limits | None = None
) -> list[FileSummary]:
    """Return what files hold, one summary for each kind, in the order of their names.

    Parameters
    ----------
    source : path or list of paths
        Files, or folders whose files are looked at.
    limits : Limits, optional
        How large files may be.

    Examples
    --------
    >>> import tempfile
    >>> from sfumato.data.documents import Document, write_documents
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = write_documents([Document("a", "Dear Ann")], like="docx", out=f"{folder}/letters")
    ...     (found,) = inspect_files(f"{folder}/letters")
    >>> found.kind, found.documents, found.words
    ('docx', 1, 2)

    """
    allowed = limits or current_limits()
    paths = [source] if isinstance(source, str | os.PathLike) else list(source)
    if not paths:
        raise InputError("No file was given to inspect.")
    found: dict[str, FileSummary] = {}
    for part in _parts([Path(path) for path in paths], allowed):
        own = _inspect(part, allowed)
        own.name_file(os.fspath(part.file).encode(errors="backslashreplace").decode())
        if own.kind in found:
            found[own.kind].include(own)
        else:
            found[own.kind] = own
    return [found[kind] for kind in sorted(found)]


def _parts(paths: Iterable[Path], limits: Limits) -> Iterator[CorpusFile]:
    for path in paths:
        check_path(path)
        inside = data_of(path)
        if not inside.is_dir():
            yield CorpusFile(inside.name, inside)
            continue
        for file in sorted(files_of_folder(inside, limits)):
            yield CorpusFile(file.relative_to(inside).as_posix(), file, many=True)


def _inspect(part: CorpusFile, limits: Limits) -> FileSummary:
    known = format_of_file(part.file)
    kind = kind_in_mixture(part.file.name, known)
    if kind is None:
        found = FileSummary(UNKNOWN)
        found.withhold(
            "is labels of another tool" if known else "is of no format that is read here"
        )
        return found
    return FORMATS[kind](FieldNames(limits=limits)).inspect(part)


def summary_lines(found: Iterable[FileSummary]) -> list[str]:
    """Return summaries as the lines of a table."""
    lines = [f"{'kind':<12}{'files':>8}{'read':>8}{'withheld':>10}{'words':>12}"]
    details: list[str] = []
    for own in found:
        withheld = sum(own.withheld.values())
        lines.append(
            f"{own.kind:<12}{own.files:>8,}{own.documents:>8,}{withheld:>10,}{own.words:>12,}"
        )
        for title, counts in (
            ("text in", own.places), ("hidden", own.hidden), ("will be dropped", own.dropped),
            ("cannot be handled", own.withheld),
        ):  # fmt: skip
            if counts:
                listed = ", ".join(f"{what} {count:,}" for what, count in sorted(counts.items()))
                details.append(f"{own.kind}, {title}: {listed}")
        details += _lines_of_files(own)
    return [*lines, *details]


def _lines_of_files(found: FileSummary) -> list[str]:
    """Return a line for each file that cannot be handled, up to a readable number."""
    named = found.reasons_of_files()
    lines = [
        f"  {name}: {reason}" + (f" ({count:,} times)" if count > 1 else "")
        for name, reason, count in named[:_NAMED]
    ]
    more = len(named) - _NAMED
    if more > 0:
        lines.append(f"  and {more:,} more; --json lists all")
    return [line.replace("\n", "\\n") for line in lines]
