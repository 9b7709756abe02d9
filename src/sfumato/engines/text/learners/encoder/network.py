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

from .architectures import Config
from .compile_cache import keep_programs
from .layer import Dropout, Layer, Part, Shape, apply_layer, gelu, normalize, project, take
from .pieces import CASES, LENGTHS, Ints

__all__ = [
    "Tuned",
    "WindowBatch",
    "by_member",
    "frozen_states",
    "initial",
    "logits",
    "loss",
    "loss_sum",
    "lower",
    "members_of",
    "on_device",
    "sum_over_parts",
]

keep_programs()  # before the first program is compiled

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
_NORMS = {"first": "attention.output.LayerNorm", "second": "output.LayerNorm"}


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
    for those that are, and for a few others that fill up their number. A batch may be cut into parts, with
    one axis more in front (in the weights behind the member): see `sum_over_parts`.
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
    config: Config, tensors: Tensors, number: int
) -> dict[str, tuple[npt.NDArray[np.float16], npt.NDArray[np.float16]]]:
    prefix = f"encoder.layer.{number}."
    parts = {}
    for name, usual in _DENSE.items():
        # One transposition here saves one in every step.
        parts[name] = tensors[f"{prefix}{usual}.weight"].T, tensors[f"{prefix}{usual}.bias"]
    for name, usual in _NORMS.items():
        parts[name] = tensors[f"{prefix}{usual}.weight"], tensors[f"{prefix}{usual}.bias"]
    if config.span:  # each layer has its own copy to tune
        table = tensors["encoder.rel_embeddings.weight"]
        parts["distance"] = table, np.zeros(config.hidden, np.float16)
        parts["distance_norm"] = (
            tensors["encoder.LayerNorm.weight"],
            tensors["encoder.LayerNorm.bias"],
        )
    if config.is_modern and number == config.layers - 1:
        parts["final"] = tensors["final.LayerNorm.weight"], tensors["final.LayerNorm.bias"]
    return parts


def lower(config: Config, tensors: Tensors, layers: int) -> Lower:
    """Return the embeddings and the first `layers` layers as a tree of float32 arrays."""
    nothing = np.zeros((LENGTHS[-1], config.hidden), np.float16)
    places = tensors.get("embeddings.position_embeddings.weight", nothing)
    tree = {
        "words": tensors["embeddings.word_embeddings.weight"],
        "places": places[config.first_place :],
        "type": tensors.get("embeddings.token_type_embeddings.weight", nothing)[0],
        "norm": (tensors["embeddings.LayerNorm.weight"], tensors["embeddings.LayerNorm.bias"]),
        "layers": [_layer_of(config, tensors, i) for i in range(layers)],
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
        "layers": [_layer_of(config, tensors, i) for i in range(frozen, config.layers)],
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


def sum_over_parts(
    function: Callable[[WindowBatch, jax.Array | int], _Found], batch: WindowBatch
) -> _Found:
    """Return the sum of what a function makes of each part of a batch, given with its number.

    One part after the other is computed in the same memory. On a CPU it is new memory for every batch,
    and to get much of it costs a third of the time of learning.
    """
    if batch.case.ndim == 2:
        return function(batch, 0)

    def add(total: _Found, part: tuple[jax.Array, WindowBatch]) -> tuple[_Found, None]:
        number, one = part
        return jax.tree.map(jnp.add, total, function(one, number)), None

    first = jax.tree.map(lambda a: a[0], batch)
    nothing = jax.tree.map(
        lambda a: jnp.zeros(a.shape, a.dtype), jax.eval_shape(function, first, 0)
    )
    found: _Found
    found, _ = jax.lax.scan(add, nothing, (jnp.arange(len(batch.case)), batch))
    return found


def _padding(length: Ints, places: int) -> jax.Array:
    return jnp.where(jnp.arange(places)[None, :] < length[:, None], 0.0, -1e9)


@partial(jax.jit, static_argnames="shape")
def frozen_states(below: Lower, ids: Ints, length: Ints, shape: Shape) -> jax.Array:
    """Return what the lower layers make of the pieces of some windows, as float16."""
    places = ids.shape[1]
    x = below["words"][ids] + below["places"][:places] + below["type"]
    x = normalize(below["norm"], x, shape.epsilon).astype(shape.dtype).reshape(ids.size, -1)
    away = _padding(length, places)
    for number, part in enumerate(below["layers"]):
        x = apply_layer(part, x, away, shape, number)
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
    x = joined.astype(shape.dtype).reshape(case.size, -1)
    if dropout is not None:
        x = dropout.at(0).of(x)
    last = len(tuned["layers"]) - 1
    for number, part in enumerate(tuned["layers"]):
        own = None if dropout is None else dropout.at(number + 2)
        chosen = only if number == last else None
        x = apply_layer(part, x, away, shape, shape.frozen + number, own, chosen)
    if last < 0 and only is not None:
        x = take(x, only)
    head = tuned["head"]
    x = gelu(project(head["first"], x))
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
        whole = batch._replace(weights=weights)
        return sum_over_parts(lambda part, _: _loss(member, part, shape), whole)

    return by_member(one, tuned, batch.weights)


def loss(
    tuned: Tuned,
    batch: WindowBatch,
    shape: Shape,
    usual: np.float32,
    dropout: Dropout | None = None,
) -> jax.Array:
    """Return one member's log loss per judged place of a usual batch; a short batch counts less.

    The batch is not in parts.
    """
    return _loss(tuned, batch, shape, dropout) / jnp.maximum(usual, batch.weights.sum())
