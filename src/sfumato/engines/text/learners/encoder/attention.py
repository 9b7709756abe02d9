"""Attention: plain, by distances (DeBERTa), and turned by places (ModernBERT).

Places are in one row, all windows after each other; `padding_bias` is 0 for places that are read and −1e9 for padding.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

__all__ = ["attend", "attend_by_angle", "attend_by_distance", "attention", "distance_index"]

_AWAY = -1e9


@jax.custom_vjp
def attention(
    query: jax.Array, key: jax.Array, value: jax.Array, padding_bias: jax.Array
) -> jax.Array:
    """Return softmax(query · key + padding_bias) · value, each [window, head, place, size].

    The gradient is written out: it needs the attention once, not the steps of a softmax, which on a CPU
    takes less than half the time.

    Parameters
    ----------
    query, key, value : array
        The query is scaled already.
    padding_bias : array
        Added to the products; broadcast to [window, head, place, place].

    """
    return _attention(query, key, value, padding_bias)[0]


_Kept = tuple[jax.Array, ...]


def _attention(
    query: jax.Array, key: jax.Array, value: jax.Array, padding_bias: jax.Array
) -> tuple[jax.Array, _Kept]:
    product = jnp.einsum("whqd,whkd->whqk", query, key).astype(jnp.float32) + padding_bias
    weight = jnp.exp(product - product.max(-1, keepdims=True))
    scale = 1 / weight.sum(-1, keepdims=True)
    weight = weight.astype(value.dtype)
    taken = (jnp.einsum("whqk,whkd->whqd", weight, value) * scale).astype(value.dtype)
    return taken, (query, key, value, weight, scale, taken)


def _attention_gradient(kept: _Kept, wanted: jax.Array) -> tuple[jax.Array | None, ...]:
    query, key, value, weight, scale, taken = kept
    wanted = (wanted * scale).astype(value.dtype)
    mean = (wanted * taken).sum(-1, keepdims=True)
    product = weight * (jnp.einsum("whqd,whkd->whqk", wanted, value) - mean)
    return (
        jnp.einsum("whqk,whkd->whqd", product, key),
        jnp.einsum("whqk,whqd->whkd", product, query),
        jnp.einsum("whqk,whqd->whkd", weight, wanted),
        None,
    )


attention.defvjp(_attention, _attention_gradient)


def _by_head(x: jax.Array, windows: int, heads: int) -> jax.Array:
    """Return [window, head, place, size]: products of matrices that are in one piece are faster."""
    return x.reshape(windows, -1, heads, x.shape[1] // heads).transpose(0, 2, 1, 3)


def _in_a_row(x: jax.Array) -> jax.Array:
    windows, heads, places, size = x.shape
    return x.transpose(0, 2, 1, 3).reshape(windows * places, heads * size)


def attend(
    query: jax.Array, key: jax.Array, value: jax.Array, padding_bias: jax.Array, heads: int
) -> jax.Array:
    """Return what each place takes from the places of its window, all given as [place, hidden].

    Parameters
    ----------
    query, key, value : array
        What each place asks, answers and gives.
    padding_bias : array
        [window, place].
    heads : int
        How many heads share the hidden size.

    """
    query = query * float(1 / np.sqrt(query.shape[1] // heads))
    parts = (_by_head(a, len(padding_bias), heads) for a in (query, key, value))
    return _in_a_row(attention(*parts, padding_bias[:, None, None, :]))


def attend_by_angle(
    query: jax.Array,
    key: jax.Array,
    value: jax.Array,
    padding_bias: jax.Array,
    heads: int,
    base: float,
    local: int,
) -> jax.Array:
    """Attend by queries and keys that are turned by angles of their places.

    Parameters
    ----------
    query, key, value, padding_bias, heads
        As in `attend`.
    base : float
        The base of the angles.
    local : int
        How many places each one reads, half of them to each side; 0: all of the window.

    """
    windows, places = padding_bias.shape
    query = query * float(1 / np.sqrt(query.shape[1] // heads))
    turned, other, given = (_by_head(a, windows, heads) for a in (query, key, value))
    away = padding_bias[:, None, None, :]
    if local:
        distance = np.abs(np.arange(places)[:, None] - np.arange(places))
        away = away + np.where(distance <= local // 2, 0.0, _AWAY).astype(np.float32)
    return _in_a_row(attention(_turn(turned, base), _turn(other, base), given, away))


def _turn(x: jax.Array, base: float) -> jax.Array:
    size = x.shape[-1]
    angle = np.arange(x.shape[-2])[:, None] * base ** (-np.arange(0, size, 2) / size)
    cos, sin = (jnp.asarray(f(angle), x.dtype) for f in (np.cos, np.sin))
    first, second = x[..., : size // 2], x[..., size // 2 :]
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], -1)


def distance_index(places: int, buckets: int, reach: int) -> npt.NDArray[np.int32]:
    """Return, as [place, place], which embedding of a distance is between two places.

    Distances below half of the buckets have their own; beyond, buckets widen up to the largest distance.

    Parameters
    ----------
    places : int
        The places of a window.
    buckets : int
        The buckets to each side; 0 or less: every distance has its own embedding.
    reach : int
        The largest distance.

    """
    away = np.arange(places)[:, None] - np.arange(places)
    span = buckets if buckets > 0 else reach
    if buckets > 0:
        middle = buckets // 2
        size = np.where(np.abs(away) < middle, middle - 1, np.abs(away))
        with np.errstate(divide="ignore"):
            far = np.log(size / middle) / np.log((reach - 1) / middle) * (middle - 1)
        far = np.where(size > middle, np.ceil(far) + middle, 0)
        away = np.where(size <= middle, away, far * np.sign(away))
    found: npt.NDArray[np.int32] = np.clip(away + span, 0, 2 * span - 1).astype(np.int32)
    return found


def attend_by_distance(
    query: jax.Array,
    key: jax.Array,
    value: jax.Array,
    padding_bias: jax.Array,
    heads: int,
    far: tuple[jax.Array, jax.Array],
    index: npt.NDArray[np.int32],
) -> jax.Array:
    """Attend by contents and by distances: of a query to a distance, and of a distance to a key.

    Parameters
    ----------
    query, key, value, padding_bias, heads
        As in `attend`.
    far : pair of arrays
        What each distance asks and answers, as [distance, hidden].
    index : array of int
        [place, place]: the distance between two places.

    """
    windows = len(padding_bias)
    scale = float(1 / np.sqrt(3 * (query.shape[1] // heads)))
    asks, answers, gives = (_by_head(a, windows, heads) for a in (query, key, value))
    far_asks, far_answers = (_by_head(a, 1, heads)[0] for a in far)
    product = jnp.einsum("whqd,whkd->whqk", asks, answers)
    by_query = jnp.einsum("whqd,hsd->whqs", asks, far_answers)
    by_key = jnp.einsum("whkd,hsd->whks", answers, far_asks)
    product += jnp.take_along_axis(by_query, index[None, None], -1)
    product += jnp.take_along_axis(by_key, index.T[None, None], -1).swapaxes(-1, -2)
    wide = product.astype(jnp.float32) * scale + padding_bias[:, None, None, :]
    weight = jax.nn.softmax(wide, -1).astype(gives.dtype)
    return _in_a_row(jnp.einsum("whqk,whkd->whqd", weight, gives))
