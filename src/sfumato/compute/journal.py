"""A publish as a journal of finished parts: killed at any point it resumes, and the output appears last.

Next to the output `release` is the hidden folder `.release.work` while the work goes on:

    .release.work/journal.jsonl     a line for each finished part: its name, size, SHA-256 and facts
    .release.work/parts/            the parts, each written whole and renamed into place
    .release.work/built             the whole output, just before it is renamed to `release`

The folder is locked by the kernel for as long as the process lives, so a second run is refused and a
dead one never blocks. The key says what the parts were made from (inputs, parameters, versions): the
same key resumes, another one starts over. Names of parts hold no data.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypedDict, TypeVar, cast

from ..core.errors import OutputExistsError, ParameterError, WorkError
from ..core.files import canonical_json, sha256_of
from ..core.lines import append_line, read_lines
from ..core.records import versions
from ..core.storage.disk import is_disk_full, remove, sync, sync_tree
from ..core.storage.ownership import refuse_inputs
from ..core.storage.staging import check_output
from ..core.storage.work_folder import WorkFolder, refuse_existing

if TYPE_CHECKING:
    from .protocol import BatchMapper

__all__ = ["Journal", "JournalEntry", "fingerprint", "is_disk_full"]

Batch = TypeVar("Batch")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,120}")
_FORMAT = 1


def fingerprint(**made_from: object) -> str:
    """Return the key of a publish: a hash of what its parts are made from, and of our versions.

    >>> fingerprint(inputs=["9f…"], ratio=10) == fingerprint(ratio=10, inputs=["9f…"])
    True
    >>> fingerprint(inputs=["9f…"], ratio=10) == fingerprint(inputs=["9f…"], ratio=20)
    False
    """
    text = canonical_json({"made_from": made_from, "versions": versions()})
    return hashlib.sha256(text.encode()).hexdigest()


Content: TypeAlias = bytes | Sequence[bytes | bytearray | memoryview]
"""The bytes of a part, whole or in pieces."""
Facts: TypeAlias = dict[str, Any]
"""What is remembered with a part, in plain JSON; its writer knows its fields."""


@dataclass
class JournalEntry:
    """A part while it is written: put a file or a folder at `path`, and what to remember in `facts`."""

    path: Path
    facts: Facts = field(default_factory=dict)
    sha256: str | None = None


class _Line(TypedDict):
    """What the journal holds of a finished part."""

    part: str
    sha256: str
    facts: Facts


class Journal:
    """The finished parts of one output; use it as a context.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     out = Path(folder) / "release"
    ...     with Journal(out, key=fingerprint(example=1)) as journal:
    ...         for number, content in enumerate([b"one", b"two"]):
    ...             if not journal.has(f"part-{number}"):
    ...                 journal.write(f"part-{number}", content, {"bytes": len(content)})
    ...         journal.finish(lambda built: built.write_bytes(
    ...             b"".join(journal.path(name).read_bytes() for name in journal.names)))
    ...     out.read_bytes(), sorted(p.name for p in Path(folder).iterdir())
    (b'onetwo', ['release'])

    `finished` is true when an earlier run with this key was killed after the output was complete:
    there is then nothing left to do; `resumed` when there is something to go on from. Without `force`,
    an output that exists is refused; one of the `inputs`, or what holds one, is refused always. With
    `folder` the output will be a folder, which does not replace a file. What
    was done stays for the next run when the run was interrupted or the disk was full; after any other
    error the work folder is removed.
    """

    def __init__(
        self,
        output: str | os.PathLike[str],
        key: str,
        *,
        force: bool = False,
        inputs: Iterable[str | os.PathLike[str]] = (),
        folder: bool | None = None,
    ) -> None:
        self.output = Path(os.path.abspath(output))
        self.key = key
        self.force = force
        self._inputs = tuple(inputs)
        self._is_folder = folder
        self.finished = False
        self.resumed = False
        self._folder = WorkFolder(self.output)
        self._work = self._folder.path
        self._lines: dict[str, _Line] = {}
        self._checked: set[str] = set()

    # --- a context -------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        if self._work.exists():
            refuse_inputs(self.output, self._inputs)
        else:
            check_output(self.output, force=self.force, inputs=self._inputs, folder=self._is_folder)
        self._folder.lock()
        try:
            self._folder.recover()
            self._open()
        except BaseException as error:
            self._folder.unlock()
            self._tell(error)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        try:
            lasting = isinstance(error, Exception) and not isinstance(error, OSError | MemoryError)
            if error is not None and lasting and not is_disk_full(error):
                self._clear()
        finally:
            self._folder.unlock()
        if error is not None:
            self._tell(error)

    def _tell(self, error: BaseException) -> None:
        """Raise one sentence that says so where the disk is full."""
        if is_disk_full(error) and not isinstance(error, WorkError):
            raise WorkError(
                f"The disk is full: {len(self._lines):,} finished parts of "
                f"{self.output.name!r} are kept, nothing was published.",
                hint="free some space and run the same command again; it goes on from there.",
            ) from error

    def _open(self) -> None:
        """Take over what an earlier run with the same key left, or start over."""
        lines = self._read()
        built = self._work / "built"
        made = lines[-1].get("built") if lines else None
        # What is at `built` may also be the earlier output: they were exchanged, and a kill came.
        if made is not None and made in (_identity(built), _identity(self.output)):
            if made == _identity(built):
                self._folder.show(built, force=self.force)
            self._clear()
            self.finished = True
            return
        try:
            self._refuse_existing()
        except OutputExistsError:
            if lines is None:  # what a killed run of another kind left, and nobody will resume
                self._clear()
            raise
        if lines is None:
            for entry in self._work.iterdir():
                remove(entry)
            (self._work / "parts").mkdir()
            self._append({"key": self.key, "format": _FORMAT})
            sync(self._work)
            return
        self.resumed = True
        self._lines = {line["part"]: line for line in lines if "part" in line}

    def _refuse_existing(self) -> None:
        if os.path.lexists(self.output):
            refuse_existing(self.output, force=self.force, folder=self._is_folder)

    def _read(self) -> list[_Line] | None:
        """Read the journal up to the first damaged line; None when it is not there or of another key."""
        journal = self._work / "journal.jsonl"
        try:
            written = read_lines(journal)
        except FileNotFoundError:
            return None
        lines: list[_Line] = []
        whole = 0
        for line in written:
            try:
                entry = json.loads(line)
            except ValueError:
                entry = None
            if not isinstance(entry, dict):
                os.truncate(journal, whole)
                break
            lines.append(cast("_Line", entry))
            whole += len(line) + 1
        if not lines or lines[0] != {"key": self.key, "format": _FORMAT}:
            return None
        return lines[1:]

    # --- parts -----------------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        """The names of the finished parts, sorted."""
        return sorted(self._lines)

    def has(self, name: str) -> bool:
        """Return whether a part is finished and still the bytes that were recorded."""
        line = self._lines.get(name)
        if line is None:
            return False
        if name not in self._checked:
            path = self._work / "parts" / name
            if not path.exists() or sha256_of(path) != line["sha256"]:
                del self._lines[name]
                return False
            self._checked.add(name)
        return True

    def path(self, name: str) -> Path:
        """Return where a finished part is."""
        return self._work / "parts" / self._known(name)

    def content(self, name: str) -> bytes:
        """Read a finished part that is a file; it must be the bytes that were recorded."""
        content = self.path(name).read_bytes()
        if hashlib.sha256(content).hexdigest() != self._lines[name]["sha256"]:
            raise WorkError(
                f"The part {name!r} is not what was written: the disk may be failing.",
                hint="run the same command again; the part is computed again.",
            )
        return content

    def facts(self, name: str) -> Facts:
        """Return what was recorded with a finished part."""
        return self._lines[self._known(name)]["facts"]

    @contextmanager
    def part(self, name: str, *, sync: bool = True) -> Iterator[JournalEntry]:
        """Write a part, a file or a folder; it is recorded when the block ends well.

        Without `sync` the system may write it later; `content` then finds out whether it did.
        """
        if not _NAME.fullmatch(name):
            raise ParameterError.constraint(
                "name", "Journal.part", "letters, digits, dots, dashes and underscores", name
            )
        partial = self._work / "parts" / f".{name}.partial"
        final = self._work / "parts" / name
        remove(partial)
        part = JournalEntry(partial)
        try:
            yield part
            if sync:
                sync_tree(partial)
            sha256 = part.sha256 or sha256_of(partial)
            remove(final)
            os.replace(partial, final)
        except BaseException:
            remove(partial)
            raise
        # Neither the rename nor the line below is forced to the disk: after a power cut a part
        # whose line is missing, or whose hash differs, is simply made again.
        line: _Line = {"part": name, "sha256": sha256, "facts": part.facts}
        self._append(line)
        self._lines[name] = line
        self._checked.add(name)

    def write(self, name: str, content: Content, facts: Mapping[str, object] | None = None) -> None:
        """Write a part from bytes, or from pieces that follow each other."""
        with self.part(name, sync=False) as part, part.path.open("wb") as stream:
            digest = hashlib.sha256()
            for piece in [content] if isinstance(content, bytes) else content:
                stream.write(piece)
                digest.update(piece)
            part.sha256 = digest.hexdigest()  # without reading it again
            part.facts.update(facts or {})

    def run(
        self,
        compute: BatchMapper,
        function: Callable[..., tuple[Content, Mapping[str, object]]],
        batches: Iterable[Batch],
        *,
        shared: object = None,
    ) -> Iterator[Facts]:
        """Make one part a batch, `part-000000` and on; give the facts of each part in order.

        The function gives the content of the part and its facts (counts, ids of what was withheld).
        Batches whose part is finished are read but not worked on again.
        """
        ready: set[int] = set()  # numbers of the batches that need no work, and were passed

        def needed() -> Iterator[tuple[int, Batch]]:
            for number, batch in enumerate(batches):
                if self.has(part_name(number)):
                    ready.add(number)
                else:
                    yield number, batch

        numbers: list[int] = []

        def unnumbered() -> Iterator[Batch]:
            for number, batch in needed():
                numbers.append(number)
                yield batch

        number = 0
        results = compute.map_batches(function, unnumbered(), shared=shared)
        for done, (content, facts) in enumerate(results):
            while number < numbers[done]:
                ready.discard(number)
                yield self.facts(part_name(number))
                number += 1
            self.write(part_name(number), content, facts)
            yield self.facts(part_name(number))
            number += 1
        while number in ready:
            yield self.facts(part_name(number))
            number += 1

    def _known(self, name: str) -> str:
        if name not in self._lines:
            raise WorkError(f"The part {name!r} is not finished.")
        return name

    def _append(self, line: Mapping[str, object]) -> None:
        append_line(self._work / "journal.jsonl", line, sync=False)

    # --- the end ---------------------------------------------------------------------------------

    def finish(self, build: Callable[[Path], object]) -> None:
        """Build the whole output from the parts at the path given, and rename it into its place."""
        built = self._work / "built"
        remove(built)
        build(built)
        sync_tree(built)  # all of it is on the disk before the journal says so
        self._append({"built": _identity(built)})
        self._folder.show(built, force=self.force)
        self._clear()
        self.finished = True

    def _clear(self) -> None:
        self._folder.clear()


def _identity(path: Path) -> list[int] | None:
    """Return what tells a file or folder from all others of its disk, whatever it is renamed to."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    return [status.st_dev, status.st_ino]


def part_name(number: int) -> str:
    """Name a part by its number, so that names sort as numbers do.

    >>> part_name(12)
    'part-000000012'
    """
    return f"part-{number:09d}"
