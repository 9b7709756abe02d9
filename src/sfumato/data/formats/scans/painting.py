"""The picture of a scanned page as it is published: white paper, and on it the words that stay.

No pixel comes from the scan but those inside the boxes of words that stay, in sixteen shades of grey. What was
removed, and what nobody could read, is a grey box; everything else is white, whatever was there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from .protocol import Picture, ReadWord

__all__ = ["GREY", "covered_box", "paint_page"]

GREY = 221
"""The shade of what was removed; one of the sixteen."""
_SHADE = 17
_WHITE = 255
_DARKER = 40  # than the paper around it: ink
_BLACK = 150
_MARGIN, _LEAST = 0.15, 2  # of the height of a word, and pixels, around what is removed
_MILLIMETRES = 25.4


def covered_box(word: ReadWord) -> tuple[int, int, int, int]:
    """Return the box that is painted over a word that goes: a little more than its own."""
    margin = _LEAST + round(_MARGIN * (word.bottom - word.top))
    return max(0, word.left - margin), max(0, word.top - margin), word.right + margin, word.bottom + margin  # fmt: skip


def paint_page(
    scan: Picture, dpi: int, stay: Sequence[ReadWord], gone: Iterable[ReadWord]
) -> Picture:
    """Return the picture of a page with the words that stay and boxes over those that go.

    Parameters
    ----------
    scan : Picture
        The page as it was scanned, upright.
    dpi : int
        Pixels per inch.
    stay, gone : sequence of ReadWord
        The trusted words; all others are among neither and go too.

    """
    page = np.full(scan.shape, _WHITE, np.uint8)
    kept = np.zeros(scan.shape, np.bool_)
    for word in stay:
        kept[word.top : word.bottom, word.left : word.right] = True
    page[_inked(scan, kept, max(4, round(dpi / _MILLIMETRES)))] = GREY
    shades = (scan.astype(np.uint16) + _SHADE // 2) // _SHADE * _SHADE
    page[kept] = shades.astype(np.uint8)[kept]
    for word in gone:
        left, top, right, bottom = covered_box(word)
        page[top:bottom, left:right] = GREY
    return page


def _inked(scan: Picture, kept: npt.NDArray[np.bool_], cell: int) -> npt.NDArray[np.bool_]:
    """Return where something that was not read stands, in squares of about a millimetre."""
    rows, columns = (-(-size // cell) * cell for size in scan.shape)
    padded = np.full((rows, columns), _WHITE, np.uint8)
    padded[: scan.shape[0], : scan.shape[1]] = scan
    padded[: scan.shape[0], : scan.shape[1]][kept] = _WHITE
    squares = padded.reshape(rows // cell, cell, columns // cell, cell).swapaxes(1, 2)
    squares = squares.reshape(rows // cell, columns // cell, cell * cell)
    paper = int(np.median(squares[:, :, cell * cell // 2]))
    ink = np.minimum(max(paper - _DARKER, _BLACK), _WHITE)
    dark = np.count_nonzero(squares < ink, axis=2) > 0.06 * cell * cell
    whole = np.repeat(np.repeat(dark, cell, axis=0), cell, axis=1)
    return np.asarray(whole[: scan.shape[0], : scan.shape[1]])
