"""Word pieces of our tokens, exactly aligned; runs of redacted tokens are one `[MASK]`.

Each distinct word is cut into pieces separately, so that every piece belongs to exactly one token in any
script. Long sequences are read in overlapping windows, and each token is judged in one of them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from .....core.errors import ModelError
from ...reading.features import TokenData

__all__ = ["CASES", "LENGTHS", "PieceTable", "Pieces", "Windows", "piece_table", "windows_of"]

CASES = 8
_OTHER, _LOWER, _TITLE, _UPPER, _INITIAL, _MIXED, _DIGITS, _MARK = range(CASES)
WINDOW, OVERLAP = 160, 40
# Windows are padded to one of these: few shapes, few compilations, and not too much padding.
LENGTHS = (24, 40, 64, 96, WINDOW)
# What begins and ends a window, stands for what was redacted, and for what is unknown, by its names.
_MARKS = (("[CLS]", "<s>"), ("[SEP]", "</s>"), ("[MASK]", "<mask>"), ("[UNK]", "<unk>"))
_MOST_PIECES = 16  # pieces of one token; a longer one is cut
_MOST_WORDS = 1 << 20  # words whose pieces are remembered

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def case_of(word: str) -> int:
    """Return the class of a word's case, which an uncased encoder does not see.

    >>> [case_of(word) for word in ("ann", "Ann", "ANN", "A", "McAnn", "12", ",", "安")]
    [1, 2, 3, 4, 5, 6, 7, 0]
    """
    if not any(c.isalnum() for c in word):
        return _MARK
    letters = [c for c in word if c.isalpha()]
    if not letters:
        return _DIGITS
    cased = [c for c in letters if c.lower() != c.upper()]
    if not cased:
        return _OTHER
    upper = [c.isupper() or c.istitle() for c in cased]
    if not any(upper):
        return _LOWER
    if all(upper):
        return _INITIAL if len(cased) == 1 else _UPPER
    return _TITLE if upper[0] and not any(upper[1:]) else _MIXED


def _reads_spaces(content: object) -> bool:
    """Return whether a tokenizer cuts bytes, spaces among them, and adds no space of its own accord."""
    if isinstance(content, dict):
        if content.get("type") == "ByteLevel" and content.get("add_prefix_space") is False:
            return True
        return any(
            _reads_spaces(content[k]) for k in ("pre_tokenizer", "pretokenizers") if k in content
        )
    return isinstance(content, list) and any(map(_reads_spaces, content))


class PieceTable:
    """Cuts words into pieces by tokenizer.json; what was cut is remembered.

    Parameters
    ----------
    tokenizer : bytes
        The content of tokenizer.json.
    vocabulary : int
        How many pieces the encoder knows; others are refused.

    """

    def __init__(self, tokenizer: bytes, vocabulary: int) -> None:
        from tokenizers import Tokenizer

        try:
            content = json.loads(tokenizer)
            cut = Tokenizer.from_buffer(tokenizer)
        except Exception:
            raise ModelError("tokenizer.json of the encoder cannot be read.") from None
        cut.no_padding()
        cut.no_truncation()
        self._cut = cut
        ids = {
            names[0]: next((i for name in names if (i := cut.token_to_id(name)) is not None), None)
            for names in _MARKS
        }
        lacking = sorted(name for name, id_ in ids.items() if id_ is None)
        if lacking:
            raise ModelError(f"tokenizer.json of the encoder lacks {', '.join(lacking)}.")
        self._spaced = _reads_spaces(content)
        if cut.get_vocab_size(with_added_tokens=True) > vocabulary:
            raise ModelError("tokenizer.json knows more word pieces than the encoder.")
        special = [int(id_) for id_ in ids.values() if id_ is not None]
        self.first, self.last, self.mask, self.unknown = special
        self.vocabulary = vocabulary
        self._known: dict[str, tuple[tuple[int, ...], int]] = {}

    def look_up(self, words: list[str]) -> list[tuple[tuple[int, ...], int]]:
        """Return the pieces and the case class of each word; every word has at least one piece."""
        if len(self._known) > _MOST_WORDS:
            self._known = {}  # a new one: another thread may still look words up in the old one
        known = self._known
        new = [word for word in dict.fromkeys(words) if word not in known]
        cases = [case_of(word) for word in new]
        # A tokenizer that reads spaces knows most words by the space before them; marks follow words.
        written = [
            f" {word}" if self._spaced and case != _MARK else word
            for word, case in zip(new, cases, strict=True)
        ]
        every = self._cut.encode_batch(written, add_special_tokens=False)
        for word, case, cut in zip(new, cases, every, strict=True):
            ids = tuple(cut.ids[:_MOST_PIECES]) or (self.unknown,)
            # A text may hold "[MASK]" itself; that is no redaction.
            ids = tuple(self.unknown if id_ == self.mask else id_ for id_ in ids)
            known[word] = ids, case
        return [known[word] for word in words]


@lru_cache(maxsize=4)
def piece_table(tokenizer: bytes, vocabulary: int) -> PieceTable:
    """Return the table of a tokenizer; the same one each time."""
    return PieceTable(tokenizer, vocabulary)


@dataclass(frozen=True, eq=False)
class Pieces:
    """The pieces of some tokens, in order.

    `token[i]` is the token of which piece i is the first, −1 for other pieces and for masks; sequence
    s holds the pieces `bounds[s]` to `bounds[s + 1]` and belongs to document `document[s]`.
    """

    ids: Ints
    case: npt.NDArray[np.uint8]
    token: Longs
    bounds: Longs
    document: Longs

    @classmethod
    def of(
        cls,
        data: TokenData,
        table: PieceTable,
        *,
        documents: Mask | None = None,
        where: Mask | None = None,
    ) -> Pieces:
        """Cut the tokens of some documents into pieces.

        Parameters
        ----------
        data : TokenData
            The tokens; a run of redacted ones becomes one mask.
        table : PieceTable
            Cuts words into pieces.
        documents : array of bool, optional
            Which documents to read; all by default.
        where : array of bool, optional
            Which tokens to read; each run of them is its own sequence.

        """
        tokens = data.tokens
        read = np.ones(len(tokens), np.bool_) if where is None else where.copy()
        if documents is not None:
            read &= documents[data.document_of]
        at = np.flatnonzero(read)
        types = tokens.type[at]
        _, first, number = np.unique(types, return_index=True, return_inverse=True)
        text = tokens.text.tobytes()
        words = [
            text[a:b].decode()
            for a, b in zip(
                tokens.start[at[first]].tolist(), tokens.end[at[first]].tolist(), strict=True
            )
        ]
        known = table.look_up(words)
        sizes = np.array([len(ids) for ids, _ in known], np.int64)
        flat = np.array([id_ for ids, _ in known for id_ in ids], np.int32)
        cases = np.array([case for _, case in known], np.uint8)
        begins = np.cumsum(sizes) - sizes
        counts = sizes[number] if len(at) else np.zeros(0, np.int64)
        owner = data.document_of[at]
        new_sequence = np.ones(len(at), np.bool_)
        new_sequence[1:] = (np.diff(at) != 1) | (np.diff(owner) != 0)
        gone = data.redacted[at]
        follows = gone.copy()
        follows[1:] &= gone[:-1] & ~new_sequence[1:]
        follows[:1] = False
        counts = np.where(gone, np.where(follows, 0, 1), counts)
        ends = np.cumsum(counts)
        token = np.repeat(np.arange(len(at)), counts)
        inside = np.arange(len(token)) - (ends - counts)[token]
        masked = gone[token]
        ids = flat[np.where(masked, 0, begins[number[token]] + inside)] if len(flat) else flat
        ids = np.where(masked, np.int32(table.mask), ids).astype(np.int32)
        case = np.where(masked, np.uint8(_OTHER), cases[number[token]]) if len(token) else cases[:0]
        starts = np.flatnonzero(new_sequence)
        bounds = np.append((ends - counts)[starts], len(token))
        return cls(
            ids,
            case.astype(np.uint8),
            np.where((inside == 0) & ~masked, at[token], -1),
            bounds.astype(np.int64),
            owner[starts].astype(np.int64),
        )


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows over pieces: [start, stop) is read, [judged, until) is judged."""

    start: Longs
    stop: Longs
    judged: Longs
    until: Longs
    document: Longs

    def __len__(self) -> int:
        return len(self.start)

    def taken(self, which: Longs) -> Windows:
        """Return some of the windows."""
        return Windows(
            self.start[which],
            self.stop[which],
            self.judged[which],
            self.until[which],
            self.document[which],
        )


def windows_of(pieces: Pieces, *, size: int = WINDOW) -> Windows:
    """Cover every sequence by windows that overlap; each piece is judged in exactly one.

    Parameters
    ----------
    pieces : Pieces
        What to cover.
    size : int, default 160
        The pieces of a window, the two at its ends included.

    """
    body = size - 2
    overlap = min(OVERLAP, body // 2)
    margin, stride = overlap // 2, body - overlap
    first, end = pieces.bounds[:-1], pieces.bounds[1:]
    length = end - first
    counts = np.where(length <= body, (length > 0).astype(np.int64), 1 - (body - length) // stride)
    owner = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(owner)) - (np.cumsum(counts) - counts)[owner]
    # The last window ends where the sequence ends, so that no window is short of context.
    start = first[owner] + np.minimum(number * stride, np.maximum(length[owner] - body, 0))
    stop = np.minimum(start + body, end[owner])
    final = number == counts[owner] - 1
    judged = np.where(number == 0, start, first[owner] + number * stride + margin)
    until = np.where(final, end[owner], first[owner] + (number + 1) * stride + margin)
    return Windows(start, stop, judged, until, pieces.document[owner])
