"""Scanned PDF files through `text publish`, and the published pages as pictures for other engines."""

from __future__ import annotations

import json
import resource
import shutil
import sys
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium

import sfumato as sf
from sfumato.data.document import Document, apply
from sfumato.data.formats.pdf.format import Pdf
from sfumato.data.formats.protocol import CorpusFile
from sfumato.data.formats.scans import registry
from sfumato.data.formats.scans.orientation import ReadPicture
from sfumato.data.formats.scans.protocol import Picture, Recogniser
from sfumato.data.formats.scans.registry import PictureReader
from sfumato.data.formats.scans.tesseract import Tesseract
from sfumato.engines.text.private_edits import read_edits

__all__ = ["publish_scans"]

_DPI = 200


class _Recorder(PictureReader):
    """Reads pages and keeps what was read last, with the CPU seconds that it took."""

    def __init__(self, recogniser: Recogniser) -> None:
        super().__init__(recogniser)
        self.last: ReadPicture | None = None
        self.seconds: dict[int, float] = {}

    def read(self, picture: Picture, dpi: int) -> ReadPicture:
        began = _seconds()
        self.last = super().read(picture, dpi)
        self.seconds.setdefault(id(self.last), _seconds() - began)
        return self.last

    def to_json(self, name: str) -> dict[str, Any]:
        """Return what was read last as a page of that name."""
        assert self.last is not None
        words = [[w.text, w.left, w.top, w.right, w.bottom, round(w.confidence, 3), w.line] for w in self.last.words]  # fmt: skip
        return {"page": name, "turns": self.last.quarter_turns, "seconds": round(self.seconds[id(self.last)], 3), "words": words}  # fmt: skip


def _seconds() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))  # fmt: skip


def publish_scans(folder: Path, names: list[str]) -> dict[str, Any]:
    """Publish the scans that were not published yet; return for each what was read and what was published of it."""
    done = folder / "outcomes.json"
    if not done.exists():
        done.write_text(json.dumps(_publish(folder, names, "all")), encoding="utf-8")
    found: dict[str, Any] = json.loads(done.read_text(encoding="utf-8"))
    return found


def _publish(folder: Path, names: list[str], part: str) -> dict[str, Any]:
    scans, out, shown = folder / f"scans-{part}", folder / f"release-{part}", folder / "published"
    for place in (scans, out, out.with_name(f"{out.name}.private")):
        shutil.rmtree(place, ignore_errors=True)
    scans.mkdir()
    shown.mkdir(exist_ok=True)
    for name in names:
        shutil.copy(folder / "scans" / f"{name}.pdf", scans)
    recorder = registry._readers["tesseract"] = _Recorder(Tesseract())  # noqa: SLF001
    exploration = sf.load(folder / "frontier")
    sf.text.publish(
        exploration, scans, choose="ratio:10", accept_shift=True, accept_scans=True, keep_ids=True, out=out, force=True
    )  # fmt: skip
    edits = {entry.id: entry.edits for entry in read_edits(out)}
    found: dict[str, Any] = {}
    form, read = Pdf(), (folder / f"read-{part}.jsonl").open("w", encoding="utf-8")
    for name in names:
        # Its words are remembered from publishing: it is not recognised again.
        (document,) = form.read(CorpusFile(f"{name}.pdf", scans / f"{name}.pdf"))
        written = out / f"{name}.pdf"
        print(json.dumps(recorder.to_json(name)), file=read, flush=True)
        if not isinstance(document, Document):
            found[name] = {"withheld": document.reason}
        elif not written.exists():
            found[name] = {"withheld": "is not in the written file as it was decided"}
        else:
            text = apply(document.text, edits[document.id])
            found[name] = {"withheld": "", "read": document.text, "published": text}
            page = pdfium.PdfDocument(written)[0]
            picture = page.render(scale=_DPI / 72, grayscale=True).to_pil()
            picture.save(shown / f"{name}.jpg", "JPEG", quality=95)
    return found


if __name__ == "__main__":  # a part of the pages, beside others: FOLDER PART FIRST LAST
    where, which = Path(sys.argv[1]), sys.argv[2]
    pages = json.loads((where / "pages.json").read_text(encoding="utf-8"))
    own = [page["name"] for page in pages[int(sys.argv[3]) : int(sys.argv[4])]]
    (where / f"outcomes-{which}.json").write_text(json.dumps(_publish(where, own, which)))
