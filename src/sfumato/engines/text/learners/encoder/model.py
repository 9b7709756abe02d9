"""`EncoderModel`, a fine-tuned encoder: one member, or several whose scores are averaged."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from .....core.errors import ModelError
from ...reading.arrays import Arrays, Header, Mask, Scores
from ...reading.features import TokenData
from ..protocol import Model
from .architectures import Config
from .device import device_kind, one_at_a_time
from .pieces import CASES, Ints, Pieces, PieceTable, piece_table
from .windowed import WindowedCorpus

if TYPE_CHECKING:
    import jax

    from .layer import Shape
    from .network import Lower, Tuned

__all__ = ["EncoderModel", "flat", "prepared"]

_MOST_MEMBERS = 16

# What the lower layers make of documents, and of passages of them, as long as the tokens are there.
prepared: weakref.WeakKeyDictionary[TokenData, dict[tuple[str, int], list[WindowedCorpus]]] = (
    weakref.WeakKeyDictionary()
)


def flat(tree: Tuned) -> dict[str, npt.NDArray[np.float16]]:
    """Return a tree as named arrays in float16, exactly as they are stored."""
    import jax

    found = {}
    for path, leaf in jax.tree_util.tree_leaves_with_path(tree):
        name = "/".join(str(getattr(k, "key", getattr(k, "idx", k))) for k in path)
        found[name] = np.asarray(leaf, np.float32).astype(np.float16)
    return found


_NORMS = ("first", "second", "distance_norm", "final")


def _layer_parts(config: Config, frozen: int) -> list[tuple[str, ...]]:
    """Return the names of the parts of each layer that is tuned."""
    parts: tuple[str, ...] = (
        "query",
        "key",
        "value",
        "joined",
        "wide",
        "narrow",
        "first",
        "second",
    )
    if config.span:
        parts += ("distance", "distance_norm")
    found = [parts] * (config.layers - frozen)
    if config.is_modern and found:
        found[-1] = (*parts, "final")
    return found


def _tuned_shapes(config: Config, frozen: int, members: int) -> dict[str, tuple[int, ...]]:
    """Return the name and shape of every array of the tuned part; the first axis is the member."""
    hidden, inner = config.hidden, config.intermediate
    found: dict[str, tuple[int, ...]] = {
        "case": (CASES, hidden),
        "head/first/0": (hidden, hidden),
        "head/first/1": (hidden,),
        "head/last/0": (hidden,),
        "head/last/1": (),
    }
    wide = {
        "wide": (hidden, 2 * inner if config.is_modern else inner),
        "narrow": (inner, hidden),
    }
    for i, parts in enumerate(_layer_parts(config, frozen)):
        for part in parts:
            if part in _NORMS:
                found[f"layers/{i}/{part}/0"] = found[f"layers/{i}/{part}/1"] = (hidden,)
                continue
            shape = wide.get(part, (hidden, hidden))
            if part == "distance":
                shape = (2 * config.span, hidden)
            found[f"layers/{i}/{part}/0"] = shape
            found[f"layers/{i}/{part}/1"] = shape[1:]
    return {name: (members, *shape) for name, shape in found.items()}


@dataclass(frozen=True, eq=False)
class EncoderModel(Model):
    """A fine-tuned encoder, whole: it needs no other file to score, and holds arrays only.

    `tensors` are the pretrained weights (the layers that were tuned may be left out), `tuned` the upper
    part of all members, both float16; `slope` and `offset` make the mean of their answers log-odds.
    """

    config: Config
    tensors: Mapping[str, npt.NDArray[np.float16]]
    tokenizer: bytes
    sha256: str
    frozen: int
    tuned: Mapping[str, npt.NDArray[np.float16]]
    slope: float = 1.0
    offset: float = 0.0
    members: int = 1

    kind = "encoder"
    reads_passages = True

    def alike(self, other: EncoderModel) -> bool:
        """Return whether learning can go on from one to the other."""
        mine, others = ((m.config, m.sha256, m.frozen, m.members) for m in (self, other))
        return mine == others

    def __getstate__(self) -> dict[str, object]:
        # What is on a device stays there; a worker puts it onto its own.
        return {k: v for k, v in self.__dict__.items() if k not in {"_below", "_above", "table"}}

    @property
    def shape(self) -> Shape:
        """What the network must know when it is compiled for the device that is there."""
        from .layer import Shape

        return Shape.of(self.config, frozen=self.frozen, half=device_kind() != "cpu")

    @cached_property
    def table(self) -> PieceTable:
        """Cuts words into the encoder's pieces."""
        return piece_table(self.tokenizer, self.config.vocabulary)

    @cached_property
    def _below(self) -> Lower:
        from .network import lower

        return lower(self.config, self.tensors, self.frozen)

    @cached_property
    def _above(self) -> Tuned:
        return self.fresh()

    def fresh(self) -> Tuned:
        """Return the tuned part as a tree on the device, for its own use."""
        from .network import on_device

        def pair(name: str) -> tuple[npt.NDArray[np.float16], npt.NDArray[np.float16]]:
            return self.tuned[f"{name}/0"], self.tuned[f"{name}/1"]

        tree = {
            "layers": [
                {part: pair(f"layers/{i}/{part}") for part in parts}
                for i, parts in enumerate(_layer_parts(self.config, self.frozen))
            ],
            "case": self.tuned["case"],
            "head": {name: pair(f"head/{name}") for name in ("first", "last")},
        }
        return cast("Tuned", on_device(tree))

    def member(self, number: int) -> EncoderModel:
        """Return one of the members as a model."""
        if self.members == 1:
            return self
        alone = {name: array[number : number + 1] for name, array in self.tuned.items()}
        return self.with_upper(tuned=alone, members=1)

    def calibrate(self, by_member: Sequence[tuple[float, float]]) -> EncoderModel:
        """Return the model whose members' answers are stretched and moved, each by a slope and an offset.

        Those of several become part of their heads, so that their mean stays one mean.
        """
        if self.members == 1:
            ((slope, offset),) = by_member
            return self.with_upper(slope=slope, offset=offset)
        slopes, offsets = np.array(by_member).T
        weights, biases = (self.tuned[f"head/last/{i}"].astype(np.float64) for i in (0, 1))
        stretched = {
            "head/last/0": weights * slopes[:, None],
            "head/last/1": biases * slopes + offsets,
        }
        tuned = {**self.tuned, **{k: v.astype(np.float16) for k, v in stretched.items()}}
        return self.with_upper(tuned=tuned)

    def with_upper(self, **changes: object) -> EncoderModel:
        """Return the model with another tuned part; both share the lower layers that are on a device.

        Parameters
        ----------
        **changes
            Fields of the tuned part: `tuned`, `members`, `slope`, `offset`.

        """
        found = replace(self, **changes)  # type: ignore[arg-type]
        if "_below" in self.__dict__:  # without it each fold would hold a copy of its own
            found.__dict__["_below"] = self._below
        return found

    def below(self, ids: Ints, length: Ints) -> jax.Array:
        """Return what the lower layers make of some windows."""
        from .network import frozen_states

        found: jax.Array = frozen_states(self._below, ids, length, self.shape)
        return found

    def laid(
        self, data: TokenData, documents: Mask | None, where: Mask | None = None
    ) -> WindowedCorpus:
        """Return documents, or passages of them, cut into windows."""
        return WindowedCorpus(
            Pieces.of(data, self.table, documents=documents, where=where), self.table
        )

    def scores(self, data: TokenData, *, documents: Mask | None = None) -> Scores:
        """Return each token's log-odds of being sensitive.

        Parameters
        ----------
        data : TokenData
            The tokens; redacted ones get −inf.
        documents : mask over the documents, optional
            Which documents to read; the tokens of others get −inf.

        """
        kept = prepared.get(data, {}).get((self.sha256, self.frozen))
        corpus = self.laid(data, documents) if kept is None else kept[0]
        return self._judged(corpus, len(data), documents)

    def scores_in(self, data: TokenData, where: Mask) -> Scores:
        """Return the log-odds of some tokens, each run of them read separately; others get −inf."""
        return self._judged(self.laid(data, None, where), len(data), None)

    def _judged(self, corpus: WindowedCorpus, tokens: int, documents: Mask | None) -> Scores:
        from .network import logits

        with one_at_a_time():
            above = partial(logits, self._above, shape=self.shape)
            scores = corpus.scores(tokens, self.below, above, documents)
        return self.slope * scores + self.offset

    def to_arrays(self) -> tuple[Header, Arrays]:
        """Return a JSON header and named arrays."""
        header = {
            "kind": self.kind,
            "config": self.config.to_json(),
            "frozen": self.frozen,
            "slope": self.slope,
            "offset": self.offset,
            "members": self.members,
            "sha256": self.sha256,
        }
        needed = {name: self.tensors[name] for name in self._needed(self.config, self.frozen)}
        return header, {
            **{f"base/{name}": array for name, array in needed.items()},
            **{f"tuned/{name}": array for name, array in self.tuned.items()},
            "tokenizer": np.frombuffer(self.tokenizer, np.uint8),
        }

    @staticmethod
    def _needed(config: Config, frozen: int) -> dict[str, tuple[int, ...]]:
        return {
            name: shape
            for name, shape in config.shapes().items()
            if not name.startswith("encoder.layer.") or int(name.split(".")[2]) < frozen
        }

    @classmethod
    def from_arrays(cls, header: Header, arrays: Arrays) -> EncoderModel:
        """Rebuild a stored model; what does not fit together is refused."""
        try:
            config = Config.of(header["config"])
            frozen = header["frozen"]
            if type(frozen) is not int or not 0 <= frozen <= config.layers:
                raise ValueError
            base = {n: arrays[f"base/{n}"] for n in cls._needed(config, frozen)}
            members = header["members"]
            if type(members) is not int or not 1 <= members <= _MOST_MEMBERS:
                raise ValueError
            shapes = _tuned_shapes(config, frozen, members)
            tuned = {n: arrays[f"tuned/{n}"] for n in shapes}
            wanted = {**cls._needed(config, frozen), **shapes}
            for name, array in {**base, **tuned}.items():
                if (
                    array.dtype != np.float16
                    or array.shape != wanted[name]
                    or not np.isfinite(array).all()
                ):
                    raise ValueError
            slope, offset = float(header["slope"]), float(header["offset"])
            tokenizer = arrays["tokenizer"]
            if (
                not (np.isfinite(slope) and np.isfinite(offset) and slope > 0)
                or tokenizer.dtype != np.uint8
                or tokenizer.ndim != 1
            ):
                raise ValueError
            return cls(
                config, base, tokenizer.tobytes(), str(header["sha256"]), frozen, tuned, slope,
                offset, members,
            )  # fmt: skip
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError("The encoder of the model does not fit together.") from error
