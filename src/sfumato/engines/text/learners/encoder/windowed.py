"""A corpus cut into windows: batches of few shapes, and what the lower layers make of them.

That is computed once and kept; every fold tunes the upper layers on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...reading.arrays import Mask
from .device import device_kind
from .pieces import LENGTHS, Ints, Longs, Pieces, PieceTable, Windows, windows_of

if TYPE_CHECKING:
    import jax

    from .network import WindowBatch

__all__ = ["Labels", "WindowGroup", "WindowedCorpus"]

_PARTS = 8  # parts of a batch
_PLACES = 2 * LENGTHS[-1]  # word pieces of a part, whatever the length of its windows
_AHEAD = 8  # batches that may wait for a device
_APART = 256  # places of a batch of tokens that are judged apart from their neighbours
# Of the places of a batch, the shares that may be judged: few, since each is compiled for.
_SHARES = {"cpu": (5 / 8, 3 / 4, 1.0)}
Cases = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.uint8]
States = npt.NDArray[np.float16]
Below = Callable[[Ints, Ints], "jax.Array"]
Answers = Callable[[Ints, Ints], "jax.Array | npt.NDArray[np.float32]"]


@dataclass(eq=False)
class WindowGroup:
    """Windows of one padded length, laid out for the network."""

    windows: Longs  # their numbers
    ids: Ints
    case: Cases
    length: Ints
    token: Longs  # the token judged at each place, −1: none
    states: States | None = None  # what the lower layers make of them, where it was kept

    @property
    def size(self) -> int:
        """How many windows a batch holds."""
        return self.part_of(1)

    def part_of(self, finer: int) -> int:
        """Return how many windows a finer batch holds, of which several make a usual one."""
        length = int(self.ids.shape[1])
        return max(1, _PARTS // finer) * (_PLACES // length) if length > 1 else _APART

    def dealt(self, rows: Longs) -> Longs:
        """Return the windows of a batch as [part, window], about as much judged in each part.

        An accelerator takes all at once.
        """
        length = int(self.ids.shape[1])
        in_parts = length > 1 and device_kind() == "cpu"
        parts = max(1, len(rows) // (_PLACES // length)) if in_parts else 1
        judged = (self.judged(rows) >= 0).sum(1)
        dealt = rows[np.argsort(-judged, kind="stable")].reshape(-1, parts)
        dealt[1::2] = dealt[1::2, ::-1]
        return np.ascontiguousarray(dealt.T)

    def taken(self, rows: Longs, token: Longs) -> WindowGroup:
        """Return some of the windows, with other tokens judged in them."""
        return WindowGroup(
            self.windows[rows], self.ids[rows], self.case[rows], self.length[rows], token[rows],
            self._states_at(rows),
        )  # fmt: skip

    def places(self, row: Longs, place: Longs, token: Longs) -> WindowGroup:
        """Return single places as windows of length one."""
        return WindowGroup(
            self.windows[row],
            self.ids[row, place][:, None],
            self.case[row, place][:, None],
            np.ones(len(row), np.int32),
            token[row, place][:, None],
            self._states_at((row, place))[:, None],
        )

    def _states_at(self, at: Longs | tuple[Longs, Longs]) -> States:
        assert self.states is not None
        return self.states[at]

    def lengths(self, rows: Longs) -> Ints:
        return np.where(rows >= 0, self.length[rows], 2).astype(np.int32)

    def judged(self, rows: Longs) -> Longs:
        """Return the token that is judged at each place of some windows; −1 is none."""
        return np.where((rows >= 0)[..., None], self.token[rows], -1)


class WindowedCorpus:
    """Tokens cut into pieces and windows, laid out in batches of fixed shapes.

    A window's result depends on its own content and padded length alone: batches of one length have
    always the same shape, so the other windows of a batch do not change it.

    Parameters
    ----------
    pieces : Pieces
        The pieces, in sequences.
    table : PieceTable
        Knows the marks that begin and end a window.

    """

    def __init__(self, pieces: Pieces, table: PieceTable) -> None:
        self.pieces = pieces
        self.windows = windows_of(pieces)
        self.groups: list[WindowGroup] = []
        size = self.windows.stop - self.windows.start + 2
        for low, length in zip((0, *LENGTHS), LENGTHS, strict=False):
            which = np.flatnonzero((size > low) & (size <= length))
            if len(which):
                self.groups.append(self._laid(self.windows.taken(which), which, length, table))

    def _laid(self, windows: Windows, which: Longs, length: int, table: PieceTable) -> WindowGroup:
        n = windows.stop - windows.start
        place = np.arange(length)[None, :] - 1
        inside = (place >= 0) & (place < n[:, None])
        at = np.where(inside, windows.start[:, None] + place, 0)
        ids = np.where(inside, self.pieces.ids[at], 0)
        ids[:, 0] = table.first
        ids[np.arange(len(n)), n + 1] = table.last
        judged = inside & (at >= windows.judged[:, None]) & (at < windows.until[:, None])
        return WindowGroup(
            which,
            ids.astype(np.int32),
            np.where(inside, self.pieces.case[at], 0).astype(np.uint8),
            (n + 2).astype(np.int32),
            np.where(judged, self.pieces.token[at], -1),
        )

    @property
    def read(self) -> int:
        """How many places the windows hold, those read twice included."""
        return int((self.windows.stop - self.windows.start).sum())

    def keep_states(self, below: Below) -> None:
        """Compute what the lower layers make of every window, and keep it in the machine's memory.

        numpy takes batches from it: on a device each number of windows would be compiled for.
        """
        for group in self.groups:
            if group.states is None:
                group.states = _gather(group, below)

    def judging(self, known: Mask, *, apart: bool = False) -> WindowedCorpus:
        """Return the corpus with only some tokens judged; windows without one are skipped.

        The states of the lower layers must have been kept.

        Parameters
        ----------
        known : mask over the tokens
            The tokens whose labels are known.
        apart : bool, default False
            Whether each place is judged separately, because nothing that is tuned attends to others: then
            only the states of the known tokens are kept, which makes learning from few of them quick.

        """
        found = copy(self)
        found.groups = []
        for group in self.groups:
            token = np.where(known[np.maximum(group.token, 0)], group.token, -1)
            if apart:
                row, place = np.nonzero(token >= 0)
                part = group.places(row, place, token)
            else:
                part = group.taken(np.flatnonzero((token >= 0).any(axis=1)), token)
            if len(part.windows):
                found.groups.append(part)
        if apart and len(found.groups) > 1:
            found.groups = [_join_groups(found.groups)]
        return found

    def scores(
        self,
        tokens: int,
        below: Below,
        above: Callable[[jax.Array | States, Cases, Ints], jax.Array],
        documents: Mask | None = None,
    ) -> npt.NDArray[np.float64]:
        """Judge tokens; −inf where no window of the documents judges one."""
        out = np.full(tokens, -np.inf)
        waiting: list[tuple[WindowGroup, Longs, jax.Array]] = []

        def write(group: WindowGroup, rows: Longs, answers: jax.Array) -> None:
            token = group.judged(rows)
            out[token[token >= 0]] = np.asarray(answers, np.float64)[token >= 0]

        for group in self.groups:
            for rows in _cut(self._wanted(group, documents), group.size):
                length = group.lengths(rows)
                seen = self._seen(group, rows, below)
                waiting.append((group, rows, above(seen, group.case[rows], length)))
                if len(waiting) > _AHEAD:
                    write(*waiting.pop(0))
        for entry in waiting:
            write(*entry)
        return out

    def states(self, tokens: int, below: Answers) -> npt.NDArray[np.float32]:
        """Return what the layers make of each token's first piece, as [token, hidden]; 0 where it has none.

        Parameters
        ----------
        tokens : int
            How many tokens there are.
        below : callable
            The layers.

        """
        out: npt.NDArray[np.float32] | None = None
        for group in self.groups:
            for rows in _cut(np.arange(len(group.windows)), group.size):
                answers = np.asarray(below(group.ids[rows], group.lengths(rows)), np.float32)
                if out is None:
                    out = np.zeros((tokens, answers.shape[-1]), np.float32)
                token = group.judged(rows)
                out[token[token >= 0]] = answers[token >= 0]
        return np.zeros((tokens, 1), np.float32) if out is None else out

    def _wanted(self, group: WindowGroup, documents: Mask | None) -> Longs:
        if documents is None:
            return np.arange(len(group.windows))
        return np.flatnonzero(documents[self.windows.document[group.windows]])

    @staticmethod
    def _seen(group: WindowGroup, rows: Longs, below: Below) -> jax.Array | States:
        if group.states is not None:
            return group.states[np.maximum(rows, 0)]
        return below(group.ids[rows], group.lengths(rows))

    def plan(
        self, documents: Mask, random: np.random.Generator | None = None, finer: int = 1
    ) -> list[tuple[WindowGroup, Longs]]:
        """Cut the windows of some documents into batches, in random order where it is given.

        Parameters
        ----------
        documents : mask over the documents
            Which documents to read.
        random : numpy.random.Generator, optional
            Orders the windows and the batches.
        finer : int, default 1
            How many batches take the place of a usual one.

        """
        plan: list[tuple[WindowGroup, Longs]] = []
        for group in self.groups:
            wanted = self._wanted(group, documents)
            if random is not None:
                wanted = random.permutation(wanted)
            plan += [(group, rows) for rows in _cut(wanted, group.part_of(finer))]
        if random is None:
            return plan
        return [plan[i] for i in random.permutation(len(plan))]

    def batch(
        self, group: WindowGroup, rows: Longs, labels: Labels, judges: Mask | None = None
    ) -> WindowBatch:
        """Return a batch to learn from, in parts; the states of the lower layers must have been kept.

        Parameters
        ----------
        group : WindowGroup
            The windows that the rows number.
        rows : array of int
            The windows of the batch; −1 is none.
        labels : array of uint8
            1 for a sensitive token.
        judges : mask over members and documents, optional
            Which documents each member judges; one member judges all by default.

        """
        from .network import WindowBatch

        assert group.states is not None
        rows = group.dealt(rows)
        token = group.judged(rows).reshape(len(rows), -1)
        judged = _pad_places(token >= 0)
        token = np.take_along_axis(token, judged, 1)
        counts = token >= 0
        truth = (labels[np.maximum(token, 0)] != 0) & counts
        if judges is None:
            weights = counts[None, :]
        else:
            document = self.windows.document[group.windows[np.maximum(rows, 0)]]
            document = np.repeat(document, group.ids.shape[1], axis=1)
            weights = judges[:, np.take_along_axis(document, judged, 1)] & counts
        return WindowBatch(
            group.states[np.maximum(rows, 0)],
            group.case[rows],
            group.lengths(rows),
            judged.astype(np.int32),
            truth.astype(np.float32),
            weights.astype(np.float32),
        )


def _gather(group: WindowGroup, below: Below) -> States:
    """Return what the lower layers make of a group's windows, written as it comes: to join it would hold it twice."""
    found: States | None = None
    for rows in _cut(np.arange(len(group.windows)), group.size):
        part = np.asarray(below(group.ids[rows], group.lengths(rows)))
        if found is None:
            found = np.empty((len(group.windows), *part.shape[1:]), np.float16)
        inside = rows[rows >= 0]
        found[inside] = part[: len(inside)]
    assert found is not None  # a group holds a window at least
    return found


def _pad_places(judged: Mask) -> Longs:
    """Return the judged places of each part, filled up by others to one of few numbers, in ascending order."""
    count, size = int(judged.sum(-1).max()), judged.shape[-1]
    shares = _SHARES.get(device_kind(), (1.0,))  # an accelerator gains little by leaving places out
    room = next(n for n in (math.ceil(share * size) for share in shares) if n >= count)
    return np.sort(np.argsort(~judged, kind="stable")[..., :room])


def _join_groups(groups: Sequence[WindowGroup]) -> WindowGroup:
    """Return groups of one length as one."""
    windows, ids, case, length, token, states = (
        np.concatenate([getattr(group, name) for group in groups])
        for name in ("windows", "ids", "case", "length", "token", "states")
    )
    return WindowGroup(windows, ids, case, length, token, states)


def _cut(rows: Longs, size: int) -> Iterator[Longs]:
    """Cut rows into batches of one size; −1 fills the last one up."""
    for first in range(0, len(rows), size):
        part = rows[first : first + size]
        yield np.concatenate([part, np.full(size - len(part), -1, rows.dtype)])
