"""Which of the words that were read may stay on a published page.

The rule is a list of what may stay, as everywhere: a word stays if it was read with confidence, in a box of the size of its
letters. Everything else on a page (what was read with low confidence, handwriting, signatures, stamps, photographs) goes,
because nobody knows what it says.
"""

from __future__ import annotations

from collections.abc import Sequence

from .protocol import ReadWord

__all__ = ["MIN_CONFIDENCE", "trusted_words"]

MIN_CONFIDENCE = (
    0.8  # on generated pages one right word in a hundred is below it, and one wrong word in six
)
_TALLEST = 2.5  # multiple of the usual height of the page's words
_WIDEST = 1.6  # multiple of the height of the word, for each of its letters


def trusted_words(words: Sequence[ReadWord]) -> list[ReadWord]:
    """Return the words that may stay, in their order.

    Parameters
    ----------
    words : sequence of ReadWord
        The words of one page.

    Examples
    --------
    >>> read = [ReadWord("Ann", 0, 0, 30, 12, 0.9, 0), ReadWord("i1l", 40, 0, 60, 12, 0.4, 0)]
    >>> [word.text for word in trusted_words(read + [ReadWord("a", 70, 0, 300, 12, 0.9, 0)])]
    ['Ann']

    """
    heights = sorted(word.bottom - word.top for word in words if any(map(str.isalnum, word.text)))
    usual = heights[len(heights) // 2] if heights else 0
    return [word for word in words if _may_stay(word, usual)]


def _may_stay(word: ReadWord, usual: int) -> bool:
    tall, wide = word.bottom - word.top, word.right - word.left
    return (
        word.confidence >= MIN_CONFIDENCE
        and 0 < tall <= _TALLEST * usual
        and 0 < wide <= _WIDEST * max(tall, usual / 2) * len(word.text)
    )
