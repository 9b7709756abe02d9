"""How every output is written: in a locked, private folder, then renamed into place.

Next to an output `release` is `.release.work` while it is made (mode 700). The kernel locks that
folder for as long as the process lives, so a second run is refused and a dead one never blocks. Inside,
the output is made under a name that cannot be guessed; it is on the disk before it is renamed. What
was in its place is exchanged in one step. Where several files appear together, a note of their names
is written first, and the next run completes what a kill left half done.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import InputError, OutputExistsError, WorkError
from .disk import (
    is_disk_full,
    set_modes,
)
from .ownership import lists_file, refuse_inputs
from .work_folder import PathLike, WorkFolder, refuse_existing

__all__ = [
    "check_files",
    "check_output",
    "whole_directory",
    "whole_file",
    "whole_files",
]


def check_output(
    path: PathLike,
    *,
    force: bool = False,
    inputs: Iterable[PathLike] = (),
    folder: bool | None = None,
) -> Path:
    """Refuse an output that must not be written, before any work is done.

    Parameters
    ----------
    path : path
        The file or folder to be written.
    force : bool, default=False
        Allow replacing a file, or a folder that sfumato wrote itself. A folder that holds anything
        else, a link and the current folder are refused anyway.
    inputs : iterable of paths
        What the command reads. An output that is one of them, holds one, or is inside a folder
        that is read is refused, with or without `force`.
    folder : bool, optional
        Whether the output will be a folder: a folder does not replace a file, nor a file a folder.

    Returns
    -------
    Path
        The absolute path of the output.

    """
    target = Path(os.path.abspath(path))
    if not target.name:
        raise InputError("The root folder cannot be an output.", hint="name a new folder.")
    if not target.parent.is_dir():
        raise InputError(
            f"The folder for the output {target.name!r} does not exist.", hint="create it first."
        )
    refuse_inputs(target, inputs)
    recovered = WorkFolder(target).recover_if_left()
    if os.path.lexists(target):
        refuse_existing(target, force=force, recovered=recovered, folder=folder)
    return target


@contextmanager
def whole_file(
    path: PathLike, *, force: bool = False, inputs: Iterable[PathLike] = (), private: bool = True
) -> Iterator[Path]:
    """Yield a path to write to; the file appears in its place when the block ends well.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder) / "a.txt") as beside:
    ...         _ = beside.write_text("done")
    ...     (Path(folder) / "a.txt").read_text(), [p.name for p in Path(folder).iterdir()]
    ('done', ['a.txt'])
    """
    target = check_output(path, force=force, inputs=inputs, folder=False)
    with _explain_full_disk(target), WorkFolder(target) as work:
        _check_again(target, force=force, folder=False)
        made = work.stage() / target.name
        yield made
        set_modes(made, private=private)
        work.show(made, force=force)


@contextmanager
def whole_directory(
    path: PathLike, *, force: bool = False, inputs: Iterable[PathLike] = (), private: bool = True
) -> Iterator[Path]:
    """Yield a folder to write into; it appears in its place when the block ends well.

    Only the owner may read it (mode 700, files 600) unless `private` is false.
    """
    target = check_output(path, force=force, inputs=inputs, folder=True)
    with _explain_full_disk(target), WorkFolder(target) as work:
        _check_again(target, force=force, folder=True)
        made = work.stage() / target.name
        made.mkdir()
        yield made
        set_modes(made, private=private)
        work.show(made, force=force)


@contextmanager
def whole_files(
    path: PathLike,
    *,
    record: str | None = None,
    last: str | None = None,
    force: bool = False,
    ours: Iterable[str] = (),
    inputs: Iterable[PathLike] = (),
    private: bool = True,
) -> Iterator[Path]:
    """Yield a folder to write into; its files appear next to `path` when the block ends well.

    Parameters
    ----------
    path : path
        The main file; its work folder holds the lock.
    record : str, optional
        The name of a release record next to it: with `force`, a main file is replaced only when
        that record lists it.
    last : str, optional
        The name that appears after all others; the main file by default.
    force : bool, default=False
        Allow replacing.
    ours : iterable of str
        Names that may be replaced without `force`.
    inputs : iterable of paths
        What the command reads.
    private : bool, default=True
        Whether only the owner may read the files.

    """
    target = Path(os.path.abspath(path))
    free = frozenset(ours)
    check_files(target, record, force=force, ours=free, inputs=inputs)
    with _explain_full_disk(target), WorkFolder(target) as work:
        check_files(target, record, force=force, ours=free, inputs=inputs, locked=True)
        stage = work.stage()
        yield stage
        names = sorted(p.name for p in stage.iterdir())
        for name in names:
            place = target.with_name(name)
            if os.path.lexists(place) and name not in free:
                refuse_existing(place, force=force)
        set_modes(stage, private=private)
        end = last or target.name
        work.show_all(stage, sorted(names, key=lambda n: (n == end, n != record, n)))


def check_files(
    target: Path,
    record: PathLike | None,
    *,
    force: bool = False,
    ours: frozenset[str] = frozenset(),
    inputs: Iterable[PathLike] = (),
    locked: bool = False,
) -> None:
    """Refuse a file and its record that must not be replaced, before any work is done."""
    beside = target if record is None else target.with_name(Path(record).name)
    if not locked:
        may_replace = force or target.name in ours
        check_output(target, force=may_replace, inputs=inputs)
    for place in dict.fromkeys((target, beside)):
        if os.path.lexists(place):
            refuse_inputs(place, inputs)
            if place.name not in ours:
                refuse_existing(place, force=force)
    there = target.exists() or beside.exists()
    if record is not None and there and not lists_file(beside, target.name):
        raise OutputExistsError(
            f"The file {target.name!r} has no record {beside.name!r} that says sfumato wrote it.",
            hint="--force replaces earlier outputs only; give another name.",
        )


def _check_again(target: Path, *, force: bool, folder: bool) -> None:
    """Look again once the lock is held: another run may have finished in between."""
    if os.path.lexists(target):
        refuse_existing(target, force=force, folder=folder)


@contextmanager
def _explain_full_disk(target: Path) -> Iterator[None]:
    """Raise one sentence that says so where the disk is full."""
    try:
        yield
    except WorkError:
        raise
    except Exception as error:
        if not is_disk_full(error):
            raise
        raise WorkError(
            f"The disk is full: {target.name!r} could not be written, nothing was published.",
            hint="free some space and run the same command again.",
        ) from error
