"""The forward pass of an encoder, as plain functions over a tree of arrays.

A network has two parts: lower layers that stay as they are, and upper layers with a head that are
tuned. A case embedding joins where the tuned part begins, since the encoder reads lower case. Several
members may be tuned side by side: every array of the upper part then has one axis more, in front.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypedDict, TypeVar, cast

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from .compile_cache import keep_programs
from .folder import Config
from .pieces import CASES, Ints

__all__ = [
    "Dropout",
    "Shape",
    "Tuned",
    "WindowBatch",
    "attention",
    "by_member",
    "frozen_states",
    "initial",
    "logits",
    "loss",
    "loss_sum",
    "lower",
    "members_of",
    "on_device",
]

keep_programs()  # before the first program is compiled

Part = tuple[jax.Array, jax.Array]  # weights and offsets
Layer = Mapping[str, Part]
Tensors = Mapping[str, npt.NDArray[np.float16]]
_Found = TypeVar("_Found")
_DENSE = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "joined": "attention.output.dense",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
}
_BYTE = 256
_NORMS = {"first": "attention.output.LayerNorm", "second": "output.LayerNorm"}


class Shape(NamedTuple):
    """What must be known when a function is compiled."""

    heads: int
    epsilon: float
    half: bool = False  # compute in bfloat16, as accelerators do best

    @property
    def kind(self) -> np.dtype[np.generic]:
        """The type of number to compute with; weights, norms and sums stay float32."""
        found: np.dtype[np.generic] = jnp.dtype(jnp.bfloat16 if self.half else jnp.float32)
        return found


class Lower(TypedDict):
    """The part that stays as it is."""

    words: jax.Array
    places: jax.Array
    type: jax.Array
    norm: Part
    layers: list[Layer]


class Tuned(TypedDict):
    """The part that is tuned."""

    layers: list[Layer]
    case: jax.Array
    head: Mapping[str, Part]


class WindowBatch(NamedTuple):
    """Windows of one length and what is judged in them.

    What the last layer makes of a place that is not judged is read by nobody, so it is computed only
    for those that are, and for a few others that fill up their number.
    """

    seen: (
        jax.Array | npt.NDArray[np.float16]
    )  # [window, place, hidden]: what the lower layers make of the pieces
    case: npt.NDArray[np.uint8]  # [window, place]
    length: npt.NDArray[np.int32]  # [window]
    judged: npt.NDArray[np.int32]  # [some]: places counted through the windows, ascending
    labels: npt.NDArray[np.float32]  # [some]
    weights: jax.Array | npt.NDArray[np.float32]  # [member, some]: 0 where a member judges nothing


def _layer_of(
    tensors: Tensors, number: int
) -> dict[str, tuple[npt.NDArray[np.float16], npt.NDArray[np.float16]]]:
    prefix = f"encoder.layer.{number}."
    parts = {}
    for name, usual in _DENSE.items():
        # One transposition here saves one in every step.
        parts[name] = tensors[f"{prefix}{usual}.weight"].T, tensors[f"{prefix}{usual}.bias"]
    for name, usual in _NORMS.items():
        parts[name] = tensors[f"{prefix}{usual}.weight"], tensors[f"{prefix}{usual}.bias"]
    return parts


def lower(config: Config, tensors: Tensors, layers: int) -> Lower:
    """Return the embeddings and the first `layers` layers as a tree of float32 arrays."""
    _ = config
    tree = {
        "words": tensors["embeddings.word_embeddings.weight"],
        "places": tensors["embeddings.position_embeddings.weight"],
        "type": tensors["embeddings.token_type_embeddings.weight"][0],
        "norm": (tensors["embeddings.LayerNorm.weight"], tensors["embeddings.LayerNorm.bias"]),
        "layers": [_layer_of(tensors, i) for i in range(layers)],
    }
    return cast("Lower", on_device(tree))


def initial(
    config: Config,
    tensors: Tensors,
    frozen: int,
    generator: np.random.Generator,
) -> Tuned:
    """Return the part that one member tunes: the layers from `frozen` on, a case embedding, a new head."""
    size = config.hidden
    scale = 1 / np.sqrt(size)
    tree = {
        "layers": [_layer_of(tensors, i) for i in range(frozen, config.layers)],
        "case": np.zeros((CASES, size)),
        "head": {
            "first": (generator.normal(0, scale, (size, size)), np.zeros(size)),
            "last": (generator.normal(0, scale, size), np.zeros(())),
        },
    }
    found: Tuned = jax.tree.map(lambda a: np.asarray(a, np.float32), tree)
    return found


def members_of(each: Sequence[Tuned]) -> Tuned:
    """Return what several members tune as one tree on the device."""
    return cast("Tuned", on_device(jax.tree.map(lambda *arrays: np.stack(arrays), *each)))


def on_device(tree: object) -> object:
    """Return a tree of arrays as float32 on the device.

    numpy converts and stacks them: each such step on the device would be a program to compile.
    """
    return jax.device_put(jax.tree.map(lambda a: np.asarray(a, np.float32), tree))


def by_member(function: Callable[..., _Found], tuned: Tuned, *rest: object) -> _Found:
    """Call a function for each member; one alone needs no products of stacked matrices, which cost more."""
    found: _Found
    if len(tuned["case"]) > 1:
        found = jax.vmap(function)(tuned, *rest)
    else:
        alone = function(*jax.tree.map(lambda a: a[0], (tuned, *rest)))
        found = jax.tree.map(lambda a: a[None], alone)
    return found


def _dense(part: Part, x: jax.Array) -> jax.Array:
    return x @ part[0].astype(x.dtype) + part[1].astype(x.dtype)


def _norm(part: Part, x: jax.Array, epsilon: float) -> jax.Array:
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


@jax.custom_vjp
def attention(
    query: jax.Array, key: jax.Array, value: jax.Array, hidden_from: jax.Array
) -> jax.Array:
    """Return softmax(query · key + hidden_from) · value, each [window, head, place, size].

    The gradient is written out: it needs the attention once, not the steps of a softmax, which on a CPU
    takes less than half the time.

    Parameters
    ----------
    query, key, value : array
        The query is scaled already.
    hidden_from : array
        Added to the products; broadcast to [window, head, place, place].

    """
    return _attention(query, key, value, hidden_from)[0]


_Kept = tuple[jax.Array, ...]


def _attention(
    query: jax.Array, key: jax.Array, value: jax.Array, hidden_from: jax.Array
) -> tuple[jax.Array, _Kept]:
    product = jnp.einsum("whqd,whkd->whqk", query, key).astype(jnp.float32) + hidden_from
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


def _attend(
    query: jax.Array, key: jax.Array, value: jax.Array, hidden_from: jax.Array, shape: Shape
) -> jax.Array:
    """Return what each place takes from the places of its window, all given as [place, hidden]."""
    windows, places = hidden_from.shape
    split = (windows, places, shape.heads, query.shape[1] // shape.heads)
    query = query * float(1 / np.sqrt(split[-1]))
    # Heads before places: products of matrices that are in one piece are faster.
    parts = (a.reshape(split).transpose(0, 2, 1, 3) for a in (query, key, value))
    taken = attention(*parts, hidden_from[:, None, None, :])
    return taken.transpose(0, 2, 1, 3).reshape(windows * places, -1)


def _layer(
    part: Layer,
    x: jax.Array,
    hidden_from: jax.Array,
    shape: Shape,
    dropout: Dropout | None = None,
    only: Ints | None = None,
) -> jax.Array:
    """One layer of attention over places that are in one row.

    `hidden_from` is 0 for places that are read, −1e9 for padding; with `only`, the layer is computed for
    some places alone, which still read all others.
    """
    key, value = _dense(part["key"], x), _dense(part["value"], x)
    if only is None:
        joined = _attend(_dense(part["query"], x), key, value, hidden_from, shape)
    else:
        rest = jnp.zeros_like(x)
        x = _take(x, only)
        query = rest.at[only].set(
            _dense(part["query"], x), unique_indices=True, indices_are_sorted=True
        )
        joined = _take(_attend(query, key, value, hidden_from, shape), only)
    joined = _dense(part["joined"], joined)
    if dropout is not None:
        joined = dropout.at(0).of(joined)
    x = _norm(part["first"], x + joined, shape.epsilon)
    wide = jax.nn.gelu(_dense(part["wide"], x), approximate=False)
    narrow = _dense(part["narrow"], wide)
    if dropout is not None:
        narrow = dropout.at(1).of(narrow)
    return _norm(part["second"], x + narrow, shape.epsilon)


def _take(x: jax.Array, only: Ints) -> jax.Array:
    return x.at[only].get(unique_indices=True, indices_are_sorted=True)


def _padding(length: Ints, places: int) -> jax.Array:
    return jnp.where(jnp.arange(places)[None, :] < length[:, None], 0.0, -1e9)


@partial(jax.jit, static_argnames="shape")
def frozen_states(below: Lower, ids: Ints, length: Ints, shape: Shape) -> jax.Array:
    """Return what the lower layers make of the pieces of some windows, as float16."""
    places = ids.shape[1]
    x = below["words"][ids] + below["places"][:places] + below["type"]
    x = _norm(below["norm"], x, shape.epsilon).astype(shape.kind).reshape(ids.size, -1)
    away = _padding(length, places)
    for part in below["layers"]:
        x = _layer(part, x, away, shape)
    return x.astype(jnp.float16).reshape(*ids.shape, -1)


def _upper(
    tuned: Tuned,
    seen: jax.Array | npt.NDArray[np.float16],
    case: npt.NDArray[np.uint8],
    length: Ints,
    shape: Shape,
    dropout: Dropout | None = None,
    only: Ints | None = None,
) -> jax.Array:
    """Return one log-odds per place, or with `only` those of some places, counted through the windows."""
    away = _padding(length, case.shape[1])
    joined = jnp.asarray(seen, jnp.float32) + tuned["case"][case]
    x = joined.astype(shape.kind).reshape(case.size, -1)
    if dropout is not None:
        x = dropout.at(0).of(x)
    last = len(tuned["layers"]) - 1
    for number, part in enumerate(tuned["layers"]):
        own = None if dropout is None else dropout.at(number + 2)
        x = _layer(part, x, away, shape, own, only if number == last else None)
    if last < 0 and only is not None:
        x = _take(x, only)
    head = tuned["head"]
    x = jax.nn.gelu(_dense(head["first"], x), approximate=False)
    if dropout is not None:
        x = dropout.at(1).of(x)
    return x.astype(jnp.float32) @ head["last"][0] + head["last"][1]


@partial(jax.jit, static_argnames="shape")
def logits(
    tuned: Tuned,
    seen: jax.Array | npt.NDArray[np.float16],
    case: npt.NDArray[np.uint8],
    length: Ints,
    shape: Shape,
) -> jax.Array:
    """Return one log-odds per place from the states below, the mean of the members'."""
    answers = by_member(lambda one: _upper(one, seen, case, length, shape), tuned)
    return answers.mean(0).reshape(case.shape)


def _loss(
    tuned: Tuned, batch: WindowBatch, shape: Shape, dropout: Dropout | None = None
) -> jax.Array:
    """Return the log loss of one member, whose weights the batch holds."""
    z = _upper(tuned, batch.seen, batch.case, batch.length, shape, dropout, batch.judged)
    return ((jnp.logaddexp(0.0, z) - batch.labels * z) * batch.weights).sum()


@partial(jax.jit, static_argnames="shape")
def loss_sum(tuned: Tuned, batch: WindowBatch, shape: Shape) -> jax.Array:
    """Return each member's log loss, summed over the places that it judges."""

    def one(member: Tuned, weights: jax.Array) -> jax.Array:
        return _loss(member, batch._replace(weights=weights), shape)

    return by_member(one, tuned, batch.weights)


def loss(
    tuned: Tuned,
    batch: WindowBatch,
    shape: Shape,
    usual: np.float32,
    dropout: Dropout | None = None,
) -> jax.Array:
    """Return one member's log loss per judged place of a usual batch; a short batch counts less."""
    return _loss(tuned, batch, shape, dropout) / jnp.maximum(usual, batch.weights.sum())
