"""A step of AdamW, for all members of an encoder side by side."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple, cast

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from .layer import Dropout, Shape
from .network import Tuned, WindowBatch, by_member, loss, on_device, sum_over_parts

__all__ = ["Moments", "moments", "train_step"]


class Moments(NamedTuple):
    """The running means of AdamW."""

    first: Tuned
    second: Tuned


def moments(tuned: Tuned) -> Moments:
    """Return the moments before the first step."""

    def zeros() -> Tuned:
        # Each has its own: both are given up to the step.
        return cast("Tuned", on_device(jax.tree.map(lambda a: np.zeros(a.shape), tuned)))

    return Moments(zeros(), zeros())


def train_step(
    tuned: Tuned,
    state: Moments,
    batch: WindowBatch,
    step: np.float32,
    rate: np.float32,
    usual: np.float32,
    shape: Shape,
    seeds: npt.NDArray[np.uint32],
    share: int = 26,
    decay: float = 0.01,
    head_rate: float = 5.0,
    layer_decay: float = 1.0,
) -> tuple[Tuned, Moments]:
    """Take one step of AdamW with each member; gradients are clipped to norm 1, the head learns faster.

    The gradient is compiled for each shape of a batch, the step along it once: it sees no batch.

    Parameters
    ----------
    tuned : Tuned
        The weights of all members, given up to the step.
    state : Moments
        Their moments, given up too.
    batch : WindowBatch
        What to learn from.
    step : int
        The number of the step, from 1.
    rate : float
        The learning rate of the layers.
    usual : float
        How many places a usual batch judges.
    shape : Shape
        Heads and epsilon of the network.
    seeds : array of int
        The seed of each member's dropout, the same in all steps.
    share : int, default 26
        How many of 256 values are silenced at each place of dropout.
    decay : float, default 0.01
        Decay of the weight matrices.
    head_rate : float, default 5
        How much faster the head and the case embedding learn.
    layer_decay : float, default 1
        The rate of each layer over that of the layer above it.

    """
    gradient = _gradient(tuned, batch, step, usual, shape, seeds, share)
    moved: tuple[Tuned, Moments] = _step_along(
        tuned, state, gradient, step, rate, decay, head_rate, layer_decay
    )
    return moved


@partial(jax.jit, static_argnames=("shape", "share"))
def _gradient(
    tuned: Tuned,
    batch: WindowBatch,
    step: np.float32,
    usual: np.float32,
    shape: Shape,
    seeds: npt.NDArray[np.uint32],
    share: int,
) -> Tuned:
    """Return the gradient of each member's loss."""

    def of_member(one: Tuned, seed: jax.Array, weights: jax.Array) -> Tuned:
        key = jax.random.fold_in(jax.random.key(seed), step.astype(jnp.uint32))
        most = jnp.maximum(usual, weights.sum())

        def of_part(part: WindowBatch, number: jax.Array | int) -> Tuned:
            own = Dropout(jax.random.fold_in(key, number), share) if share else None
            found: Tuned = jax.grad(loss)(one, part, shape, most, own)
            return found

        return sum_over_parts(of_part, batch._replace(weights=weights))

    return by_member(of_member, tuned, seeds, batch.weights)


@partial(jax.jit, static_argnames=("decay", "head_rate", "layer_decay"), donate_argnums=(0, 1))
def _step_along(
    tuned: Tuned,
    state: Moments,
    gradient: Tuned,
    step: np.float32,
    rate: np.float32,
    decay: float,
    head_rate: float,
    layer_decay: float,
) -> tuple[Tuned, Moments]:
    """Move the weights of each member along its gradient."""

    def of_member(one: Tuned, own: Moments, along: Tuned) -> tuple[Tuned, Moments]:
        return _move(one, own, along, step, rate, decay, head_rate, layer_decay)

    return by_member(of_member, tuned, state, gradient)


def _move(
    tuned: Tuned,
    state: Moments,
    gradient: Tuned,
    step: np.float32,
    rate: np.float32,
    decay: float,
    head_rate: float,
    layer_decay: float,
) -> tuple[Tuned, Moments]:
    """Move the weights of one member along a gradient, as AdamW does."""
    norm = jnp.sqrt(sum((g**2).sum() for g in jax.tree.leaves(gradient)))
    clip = jnp.minimum(1.0, 1.0 / (norm + 1e-6))
    gradient = jax.tree.map(lambda g: g * clip, gradient)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state.first, gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, state.second, gradient)

    def moved(speed: float, w: jax.Array, m: jax.Array, v: jax.Array) -> jax.Array:
        unbiased = (m / (1 - 0.9**step)) / (jnp.sqrt(v / (1 - 0.999**step)) + 1e-8)
        shrunk = decay * w if w.ndim > 1 else 0.0
        return w - rate * speed * (unbiased + shrunk)

    fast = partial(moved, head_rate)
    tuned = {
        "case": jax.tree.map(fast, tuned["case"], first["case"], second["case"]),
        "head": jax.tree.map(fast, tuned["head"], first["head"], second["head"]),
        "layers": [
            jax.tree.map(partial(moved, layer_decay**below), *parts)
            for below, parts in zip(
                reversed(range(len(tuned["layers"]))),
                zip(tuned["layers"], first["layers"], second["layers"], strict=True),
                strict=True,
            )
        ],
    }
    return tuned, Moments(first, second)
