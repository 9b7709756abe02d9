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
_DARKER = 40  # grey levels by which ink is darker than the paper around it
_BLACK = 150
_INKED = 0.06  # share of the pixels of a square that are ink
_MARGIN, _LEAST = 0.15, 2  # of the height of a word, and pixels, around what is removed
_MILLIMETRES = 25.4  # millimetres of an inch
_COARSE = 6  # millimetres of a grey square: larger than letters, so that it does not draw them
_SPECKS = 3  # squares of a millimetre with ink in a coarse one; fewer are dirt, which becomes white


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
    page[_unread(scan, kept, max(2, round(dpi / _MILLIMETRES)))] = GREY
    shades = (scan.astype(np.uint16) + _SHADE // 2) // _SHADE * _SHADE
    page[kept] = shades.astype(np.uint8)[kept]
    for word in gone:
        left, top, right, bottom = covered_box(word)
        page[top:bottom, left:right] = GREY
    return page


def _unread(scan: Picture, kept: npt.NDArray[np.bool_], cell: int) -> npt.NDArray[np.bool_]:
    """Return where something that was not read is, in squares too coarse to recognise letters."""
    block = cell * _COARSE
    rows, columns = (-(-size // block) * block for size in scan.shape)
    padded = np.full((rows, columns), _WHITE, np.uint8)
    padded[: scan.shape[0], : scan.shape[1]] = np.where(kept, _WHITE, scan)
    paper = int(np.median(scan))
    dark = padded < max(paper - _DARKER, _BLACK)
    inked = _squares(dark, cell) > _INKED * cell * cell
    unread = _squares(inked, _COARSE) >= _SPECKS
    whole = np.repeat(np.repeat(unread, block, axis=0), block, axis=1)
    return np.asarray(whole[: scan.shape[0], : scan.shape[1]])


def _squares(found: npt.NDArray[np.bool_], size: int) -> npt.NDArray[np.int64]:
    """Return how many are found in each square.

    >>> _squares(np.eye(4, dtype=bool), 2).tolist()
    [[2, 0], [0, 2]]
    """
    rows, columns = (each // size for each in found.shape)
    return np.asarray(found.reshape(rows, size, columns, size).sum(axis=(1, 3), dtype=np.int64))
