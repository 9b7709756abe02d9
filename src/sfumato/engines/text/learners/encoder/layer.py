"""One layer of an encoder, of any of the architectures, over a tree of its parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from .architectures import Config
from .attention import attend, attend_by_angle, attend_by_distance, distance_index
from .pieces import Ints

__all__ = [
    "Dropout",
    "Layer",
    "Part",
    "Shape",
    "apply_layer",
    "gelu",
    "normalize",
    "project",
    "take",
]

Part = tuple[jax.Array, jax.Array]  # weights and offsets
Layer = Mapping[str, Part]
_BYTE = 256


class Shape(NamedTuple):
    """What must be known when a function is compiled."""

    heads: int
    epsilon: float
    half: bool = False  # compute in bfloat16, as accelerators do best
    frozen: int = 0  # the number of the first layer that is tuned
    distances: tuple[int, int] | None = None  # DeBERTa: buckets and the largest distance
    modern: tuple[int, int, float, float] | None = None  # ModernBERT: every, local and both bases

    @classmethod
    def of(cls, config: Config, *, frozen: int = 0, half: bool = False) -> Shape:
        """Return what an encoder's functions are compiled for.

        Parameters
        ----------
        config : Config
            The encoder.
        frozen : int, default 0
            How many layers stay as they are.
        half : bool, default False
            Whether to compute in bfloat16.

        """
        distances = (config.buckets, config.reach) if config.span else None
        modern = (config.every, config.local, *config.turns) if config.is_modern else None
        return cls(config.heads, config.epsilon, half, frozen, distances, modern)

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """The type of number to compute with; weights, norms and sums stay float32."""
        found: np.dtype[np.generic] = jnp.dtype(jnp.bfloat16 if self.half else jnp.float32)
        return found


def project(part: Part, x: jax.Array) -> jax.Array:
    """Return x times weights plus offsets."""
    return x @ part[0].astype(x.dtype) + part[1].astype(x.dtype)


def normalize(part: Part, x: jax.Array, epsilon: float) -> jax.Array:
    """Return x with mean 0 and variance 1, then scaled and moved."""
    wide = x.astype(jnp.float32)
    centred = wide - wide.mean(-1, keepdims=True)
    scale = jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    return (centred * scale * part[0] + part[1]).astype(x.dtype)


class Dropout(NamedTuple):
    """Silences a share of the values at random while the network learns."""

    key: jax.Array
    share: int  # of 256: a byte per value is drawn

    def at(self, place: int) -> Dropout:
        """Return the dropout of one place in the network."""
        return Dropout(jax.random.fold_in(self.key, place), self.share)

    def of(self, x: jax.Array) -> jax.Array:
        """Silence some values, and raise the others so that the mean stays."""
        drawn = jax.random.bits(self.key, x.shape, jnp.uint8)
        return jnp.where(drawn >= self.share, x * (_BYTE / (_BYTE - self.share)), 0)


def _attend(
    part: Layer,
    query: jax.Array,
    key: jax.Array,
    value: jax.Array,
    padding_bias: jax.Array,
    shape: Shape,
    number: int,
) -> jax.Array:
    if shape.modern is not None:
        every, local, whole, near = shape.modern
        is_whole = number % every == 0
        return attend_by_angle(
            query, key, value, padding_bias, shape.heads,
            whole if is_whole else near, 0 if is_whole else local,
        )  # fmt: skip
    if shape.distances is not None:
        table = normalize(part["distance_norm"], part["distance"][0], shape.epsilon).astype(
            key.dtype
        )
        far = project(part["query"], table), project(part["key"], table)
        index = distance_index(padding_bias.shape[1], *shape.distances)
        return attend_by_distance(query, key, value, padding_bias, shape.heads, far, index)
    return attend(query, key, value, padding_bias, shape.heads)


def apply_layer(
    part: Layer,
    x: jax.Array,
    padding_bias: jax.Array,
    shape: Shape,
    number: int,
    dropout: Dropout | None = None,
    only: Ints | None = None,
) -> jax.Array:
    """Return what a layer makes of places that are in one row.

    `padding_bias` is 0 for places that are read, −1e9 for padding; `number` counts layers from the bottom. With `only`, the
    layer is computed for some places alone, which still read all others.
    """
    modern = shape.modern is not None
    seen = normalize(part["first"], x, shape.epsilon) if modern and number else x
    key, value = project(part["key"], seen), project(part["value"], seen)
    if only is None:
        query = project(part["query"], seen)
    else:
        query = (
            jnp.zeros_like(x)
            .at[only]
            .set(
                project(part["query"], take(seen, only)),
                unique_indices=True,
                indices_are_sorted=True,
            )
        )
    joined = _attend(part, query, key, value, padding_bias, shape, number)
    if only is not None:
        x, joined = take(x, only), take(joined, only)
    joined = project(part["joined"], joined)
    if dropout is not None:
        joined = dropout.at(0).of(joined)
    if not modern:
        x = normalize(part["first"], x + joined, shape.epsilon)
        narrow = project(part["narrow"], gelu(project(part["wide"], x)))
    else:
        x = x + joined
        wide, gate = jnp.split(
            project(part["wide"], normalize(part["second"], x, shape.epsilon)), 2, -1
        )
        narrow = project(part["narrow"], gelu(wide) * gate)
    if dropout is not None:
        narrow = dropout.at(1).of(narrow)
    if not modern:
        return normalize(part["second"], x + narrow, shape.epsilon)
    x = x + narrow
    return normalize(part["final"], x, shape.epsilon) if "final" in part else x


def gelu(x: jax.Array) -> jax.Array:
    """Return x times the normal distribution function of x."""
    return jax.nn.gelu(x, approximate=False)


def take(x: jax.Array, only: Ints) -> jax.Array:
    """Return some rows; their numbers ascend."""
    return x.at[only].get(unique_indices=True, indices_are_sorted=True)
