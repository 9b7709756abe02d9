"""Fine-tuning: a schedule, and early stopping on documents that are set aside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...reading.arrays import Mask
from ..pretrained import Schedule
from .pieces import Longs
from .windowed import Labels, WindowedCorpus, WindowGroup

if TYPE_CHECKING:
    from .layer import Shape
    from .network import Tuned

__all__ = ["tune"]

_FEW_BATCHES, _FINER = 16, 4  # small corpora are learned from in smaller batches


def tune(
    tuned: Tuned,
    corpora: Sequence[WindowedCorpus],
    labels: Labels,
    documents: Mask,
    *,
    schedule: Schedule,
    shape: Shape,
    random: np.random.Generator,
    aside: Mask | None = None,
) -> Tuned:
    """Tune the upper layers and the head.

    Parameters
    ----------
    tuned : Tuned
        The weights to begin with, of all members; they are given up.
    corpora : sequence of WindowedCorpus
        What to learn from, with the states of the lower layers: the documents as a whole, and passages
        of them.
    labels : array
        1 for each sensitive token.
    documents : array of bool
        Which documents to learn from.
    schedule : Schedule
        How long and how fast.
    shape : Shape
        Heads and epsilon of the network.
    random : numpy.random.Generator
        Orders the windows and seeds the dropout.
    aside : array of bool over members and documents, optional
        Documents that a member never learns from: it reads them after each epoch, and its weights of the
        epoch after which it reads them best are kept.

    """
    from .network import loss_sum
    from .steps import moments, train_step

    members = len(tuned["case"])
    learns = np.tile(documents, (members, 1)) if aside is None else documents & ~aside
    documents = np.logical_or.reduce(learns)

    few = len(_plan_batches(corpora, documents)) < _FEW_BATCHES
    finer = _FINER if few else 1  # more steps for the same work, and less of it is padding
    plan = _plan_batches(corpora, documents, finer=finer)
    if not plan:
        return tuned
    epochs = schedule.passes(len(plan), small=finer > 1)
    steps = epochs * len(plan)
    judged = sum(int((group.judged(rows) >= 0).sum()) for _, group, rows in plan)
    usual = np.float32(judged / len(plan))
    state = moments(tuned)
    warm = max(1.0, 0.1 * steps)
    best = None if aside is None else _BestEpochs(members)
    seeds = random.integers(1 << 32, size=members).astype(np.uint32)
    step = 0
    for _ in range(epochs):
        for corpus, group, rows in _plan_batches(corpora, documents, random, finer=finer):
            step += 1
            slope = min(1.0, step / warm, (steps - step + 1) / max(1.0, steps - warm))
            tuned, state = train_step(
                tuned, state, corpus.batch(group, rows, labels, learns), np.float32(step),
                np.float32(schedule.rate * slope), usual, shape, seeds, layer_decay=schedule.decay,
            )  # fmt: skip
        if best is not None and aside is not None:
            sums = [
                loss_sum(tuned, corpora[0].batch(group, rows, labels, aside), shape)
                for group, rows in corpora[0].plan(np.logical_or.reduce(aside), finer=finer)
            ]
            best.offer(np.sum([np.asarray(part, np.float64) for part in sums], axis=0), tuned)
    return tuned if best is None or best.tuned is None else best.tuned


def _plan_batches(
    corpora: Sequence[WindowedCorpus],
    documents: Mask,
    random: np.random.Generator | None = None,
    *,
    finer: int = 1,
) -> list[tuple[WindowedCorpus, WindowGroup, Longs]]:
    """Return the batches of all corpora, in random order where it is given."""
    plan = [
        (corpus, group, rows)
        for corpus in corpora
        for group, rows in corpus.plan(documents, random, finer)
    ]
    return plan if random is None else [plan[i] for i in random.permutation(len(plan))]


class _BestEpochs:
    """The weights that each member had after the epoch in which it read its documents aside best."""

    def __init__(self, members: int) -> None:
        self.losses = np.full(members, np.inf)
        self.tuned: Tuned | None = None

    def offer(self, losses: npt.NDArray[np.float64], tuned: Tuned) -> None:
        """Keep the weights of the members whose loss is lower than before."""
        import jax

        better = losses < self.losses
        self.losses = np.where(better, losses, self.losses)
        if not better.any():
            return
        found: Tuned = jax.device_get(tuned)
        if self.tuned is not None and not better.all():
            found = jax.tree.map(
                lambda new, old: np.where(_over_members(better, new), new, old), found, self.tuned
            )
        self.tuned = found


def _over_members(chosen: Mask, array: npt.NDArray[np.float32]) -> Mask:
    """Return a choice of members in the shape of an array whose first axis is the member."""
    return chosen.reshape(-1, *[1] * (array.ndim - 1))
