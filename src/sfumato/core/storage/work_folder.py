"""The hidden folder next to an output, locked while the output is made, and what may be replaced by it."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import secrets
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from ..errors import InputError, LockedError, OutputExistsError, WorkError
from .disk import (
    EXCHANGE,
    NOREPLACE,
    put_in_place,
    remove,
    rename_by,
    sync,
    sync_tree,
)
from .ownership import is_ours

__all__ = ["PathLike", "WorkFolder", "refuse_existing"]

PathLike = str | os.PathLike[str]
_COMMIT = "commit.json"
_REPLACED = "replaced"
_STAGE = "stage-"
_LONGEST_NAME = 255  # bytes, on every file system that we know of
_LISTS = (".quarantine.jsonl", ".ids.jsonl")  # next to an output and named after it


def _check_length(target: Path) -> None:
    """Refuse a name that leaves no room for those of the work folder and of the lists next to the output."""
    lists = 0 if target.name.endswith(_LISTS) else max(map(len, _LISTS))
    most = _LONGEST_NAME - len("..work") - lists
    if len(os.fsencode(target.name)) > most:
        raise InputError(
            "The name of the output is too long.", hint=f"use a name of at most {most:,} bytes."
        )


def refuse_existing(
    target: Path, *, force: bool, recovered: bool = False, folder: bool | None = None
) -> None:
    """Refuse an existing output, unless `force` may replace it."""
    if not force:
        done = " (an interrupted run had completed it)" if recovered else ""
        raise OutputExistsError(
            f"The output {target.name!r} already exists{done}.", hint="give --force to replace it."
        )
    if target.is_symlink():
        raise InputError(
            f"The output {target.name!r} is a link.", hint="give the place it points to."
        )
    if folder is not None and folder != target.is_dir():
        found, wanted = ("file", "folder") if folder else ("folder", "file")
        raise OutputExistsError(
            f"The output {target.name!r} is a {found}, and a {wanted} would replace it.",
            hint="--force replaces earlier outputs only; give another name.",
        )
    if target.is_dir():
        if Path.cwd().is_relative_to(os.path.realpath(target)):
            raise InputError(
                "The output folder is, or contains, the current folder.", hint="name a new folder."
            )
        if not is_ours(target):
            raise OutputExistsError(
                f"The folder {target.name!r} holds files that sfumato did not write.",
                hint="--force replaces earlier outputs only; give another folder.",
            )
    elif not target.is_file():
        raise InputError(f"The output {target.name!r} is not a plain file.", hint="name a file.")


class WorkFolder:
    """The hidden folder next to an output, locked by the kernel while it is open.

    Parameters
    ----------
    output : path
        The output; its folder must exist.

    """

    def __init__(self, output: PathLike) -> None:
        self.output = Path(os.path.abspath(output))
        _check_length(self.output)
        self.path = self.output.with_name(f".{self.output.name}.work")
        self._lock: int | None = None

    # --- the lock --------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        self.lock()
        try:
            self.recover()
        except BaseException:
            self.unlock()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        try:
            self.recover()
            self.clear()
        finally:
            self.unlock()

    def lock(self) -> None:
        """Make the folder and hold its lock until `unlock`, or until the process ends."""
        while self._lock is None:
            with suppress(FileExistsError):
                os.mkdir(self.path, 0o700)
            try:
                folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            except FileNotFoundError:  # another run finished just now
                continue
            except OSError as error:
                if error.errno not in {errno.ELOOP, errno.ENOTDIR}:
                    raise
                raise WorkError(
                    f"{self.path.name!r} exists and is not a folder.",
                    hint="remove it, or give another output.",
                ) from None
            try:
                self._lock = self._checked(folder)
            finally:
                if self._lock is None:
                    os.close(folder)

    def _checked(self, folder: int) -> int | None:
        """Lock an open folder; None when it is no longer the one at our path."""
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LockedError(
                f"Another run is writing to {self.output.name!r}.",
                hint="wait for it to end, or give another output.",
            ) from None
        status = os.fstat(folder)
        if status.st_uid != os.geteuid():
            raise WorkError(
                f"The work folder of {self.output.name!r} belongs to another user.",
                hint="remove it, or give another output.",
            )
        with suppress(FileNotFoundError):
            if os.path.samestat(status, os.lstat(self.path)):
                if stat.S_IMODE(status.st_mode) != 0o700:
                    os.fchmod(folder, 0o700)
                return folder
        return None

    def unlock(self) -> None:
        """Let other runs write to the output."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    # --- what killed runs left -------------------------------------------------------------------

    def recover_if_left(self) -> bool:
        """Complete or undo what a killed run left unfinished; return whether it completed the output."""
        if not os.path.lexists(self.path):
            return False
        self.lock()
        try:
            completed = self.recover()
            with suppress(
                OSError
            ):  # finished parts of a journal stay for the run that resumes them
                os.rmdir(self.path)
        finally:
            self.unlock()
        return completed

    def recover(self) -> bool:
        """Complete renames that were started, or restore what was moved aside; drop old stages."""
        completed = False
        note = self.path / _COMMIT
        if note.is_file():
            content = json.loads(note.read_bytes())
            stage = self.path / Path(str(content["stage"])).name
            for name in content["names"]:
                staged = stage / Path(str(name)).name
                if os.path.lexists(staged):
                    put_in_place(staged, self.output.with_name(staged.name))
            completed = True
            note.unlink()
        replaced = self.path / _REPLACED
        if os.path.lexists(replaced):
            if os.path.lexists(self.output):
                remove(replaced)
            else:
                os.rename(replaced, self.output)
        for entry in self.path.iterdir():
            if entry.name.startswith(_STAGE):
                remove(entry)
        return completed

    def clear(self) -> None:
        """Remove the folder and all that is in it; the journal last, so that an interruption can be recognised."""
        if self.path.is_dir():
            for entry in sorted(self.path.iterdir(), key=lambda p: p.name == "journal.jsonl"):
                remove(entry)
            os.rmdir(self.path)

    # --- making and showing ----------------------------------------------------------------------

    def stage(self) -> Path:
        """Make a folder with a name that cannot be guessed, for what will be shown."""
        stage = self.path / f"{_STAGE}{secrets.token_hex(8)}"
        os.mkdir(stage, 0o700)
        return stage

    def show(self, made: Path, *, force: bool = False) -> None:
        """Rename a finished file or folder into the place of the output, in one step."""
        sync_tree(made)
        self._swap(made, force=force)
        sync(self.output.parent)

    def _swap(self, made: Path, *, force: bool) -> None:
        if not os.path.lexists(self.output):
            if rename_by(made, self.output, NOREPLACE):
                return
            if not os.path.lexists(self.output):  # this file system knows plain renames only
                os.rename(made, self.output)
                return
        refuse_existing(self.output, force=force, folder=made.is_dir())
        if not (made.is_dir() or self.output.is_dir()):
            os.replace(made, self.output)
        elif not rename_by(made, self.output, EXCHANGE):
            replaced = self.path / _REPLACED
            remove(replaced)
            os.rename(self.output, replaced)  # a kill from here on: `recover` brings it back
            os.rename(made, self.output)

    def show_all(self, stage: Path, names: Sequence[str]) -> None:
        """Rename several finished files into the folder of the output, in the given order."""
        sync_tree(stage)
        note, draft = self.path / _COMMIT, stage / f".{_COMMIT}"
        draft.write_text(json.dumps({"stage": stage.name, "names": list(names)}))
        sync(draft)
        os.rename(draft, note)
        sync(self.path)
        for name in names:
            put_in_place(stage / name, self.output.with_name(name))
        sync(self.output.parent)
        note.unlink()
