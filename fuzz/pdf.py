"""PDF files: small ones without compression, so that a changed byte is a changed operator, key or number."""

from __future__ import annotations

import io
import random
from functools import cache
from pathlib import Path

from fuzz.onward import PLANTED, LeakError
from sfumato.core.errors import FormatError


@cache
def seeds() -> tuple[bytes, ...]:
    """Return good files of several kinds with the planted word in them."""
    import pikepdf
    from benchmarks import _pdf_places as places

    made = []
    for name in ("letters", "columns", "forms", "type3", "annotations", "unseen", "marked"):
        draw = random.Random(name)
        draw.choice = _planting(draw.choice)  # type: ignore[method-assign]
        data, _ = places.PLACES[name](draw)
        out = io.BytesIO()
        with pikepdf.open(io.BytesIO(data)) as pdf:
            pdf.save(
                out,
                deterministic_id=True,
                compress_streams=False,
                stream_decode_level=pikepdf.StreamDecodeLevel.generalized,
                object_stream_mode=pikepdf.ObjectStreamMode.disable,
            )
        made.append(out.getvalue())
    return tuple(made)


def _planting(choose):  # type: ignore[no-untyped-def]
    from benchmarks._pdf_places import LAST

    return lambda given: PLANTED if given is LAST else choose(given)


def read_and_cut(path: Path) -> None:
    """Read a file, cut the planted word wherever it is read, and look for it in what was written."""
    from benchmarks._pdf_checks import mark

    from sfumato.data.document import Document, by_place
    from sfumato.data.formats.files import RefusedFileError
    from sfumato.data.formats.pdf.format import Pdf

    form = Pdf()
    try:
        opened = form.open(path.read_bytes())
        edits = mark(opened.text, opened.orders, [PLANTED])
        content = opened.save(by_place(Document("d", opened.text, segments=opened.segments), edits))
    except RefusedFileError as error:
        raise FormatError(error.reason) from None
    if PLANTED in form.open(content).text:
        raise LeakError("file")
    if form.search(content, [PLANTED]):
        # A letter that was moved in the stream, and not on the page, is read in its place by the second reader
        # alone: publishing withholds the file. That nothing is withheld of whole files is tested with the format.
        raise FormatError("what was removed stands in the file in another order")
