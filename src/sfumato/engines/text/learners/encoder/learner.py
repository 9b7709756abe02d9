"""`Encoder` learns, `EncoderModel` scores: an encoder stands beside the CRF on both sides of the game."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .....core.errors import ModelError, ParameterError
from .....core.randomness import Streams
from ...reading.arrays import Arrays, Header, Mask, Scores
from ...reading.features import TokenData
from ..linear.calibration import platt
from ..protocol import Learner, Model, labelled_documents
from .choices import TUNINGS
from .device import device_kind, one_at_a_time
from .folder import Config, EncoderFolder, open_encoder
from .pieces import CASES, Ints, Pieces, PieceTable, piece_table
from .training import Corpus, Schedule, tune

if TYPE_CHECKING:
    import jax

    from .network import Lower, Shape, Tuned

__all__ = ["Encoder", "EncoderModel"]

_FEW_DOCUMENTS, _ASIDE = 64, 16
_FEW_POSITIVES = 20
_EPOCHS_FROM_START, _STEPS_FROM_START = 4, 120


@dataclass(frozen=True, eq=False)
class Encoder(Learner):
    """Fine-tune a pretrained encoder.

    Parameters
    ----------
    folder : EncoderFolder
        The pretrained weights.
    tuning : str, default "two"
        How much is tuned: "head", the upper "two" layers, or "all".
    schedule : Schedule, optional
        How long and how fast to learn; by default what suits the tuning.
    start : EncoderModel, optional
        Go on from what was learned elsewhere, for example from background corpora.

    """

    folder: EncoderFolder
    tuning: str = "two"
    schedule: Schedule | None = None
    start: EncoderModel | None = None

    def __post_init__(self) -> None:
        if self.tuning not in TUNINGS:
            rule = f"one of {', '.join(map(repr, TUNINGS))}"
            raise ParameterError.constraint("tuning", "Encoder", rule, self.tuning)

    @classmethod
    def named(cls, wanted: str, *, tuning: str = "two") -> Encoder:
        """Return an encoder by the word of the command line: `default`, or a folder."""
        return cls(open_encoder(wanted), tuning=tuning)

    @property
    def name(self) -> str:
        return "encoder"

    @property
    def frozen(self) -> int:
        """How many layers stay as they are."""
        tuned = TUNINGS[self.tuning].layers
        layers = self.folder.config.layers
        return 0 if tuned is None else max(0, layers - tuned)

    @property
    def planned(self) -> Schedule:
        """How long and how fast to learn; less from a start, which knows something already."""
        if self.schedule is not None:
            return self.schedule
        _, rate, epochs, decay = TUNINGS[self.tuning]
        if self.start is None:
            return Schedule(epochs, rate, decay=decay)
        return Schedule(
            min(epochs, _EPOCHS_FROM_START), rate / 2, steps=_STEPS_FROM_START, decay=decay
        )

    def quick(self) -> Encoder:
        """Return the learner that tunes the head alone, on one reading of the corpus."""
        return replace(self, tuning="head", start=None)

    def warm_start(self, model: Model) -> Encoder | None:
        """Return the learner that goes on from another encoder of the same shape."""
        if isinstance(model, EncoderModel) and model.alike(self._untuned):
            return replace(self, start=model)
        return None

    def prepare(
        self,
        data: TokenData,
        passages: Mask | None = None,
        *,
        watch: Callable[[], None] | None = None,
    ) -> None:
        """Compute what the lower layers make of all documents, once for every fold that follows.

        Parameters
        ----------
        data : TokenData
            The tokens.
        passages : mask over the tokens, optional
            Tokens that are learned from a second time, each run of them by itself, so that the model
            can read short passages too.
        watch : callable, optional
            Called before each batch, once the one before is finished; may raise to end it.

        """
        base = self._untuned

        def below(ids: Ints, length: Ints) -> jax.Array:
            if watch is None:
                return base.below(ids, length)
            watch()
            return base.below(ids, length).block_until_ready()

        kept = _prepared.setdefault(data, {})
        key = (self.folder.sha256, self.frozen)
        if key not in kept:
            wholes = [None] if passages is None else [None, passages]
            corpora = [base.laid(data, None, where) for where in wholes]
            with one_at_a_time():
                for corpus in corpora:
                    corpus.keep_states(below)
            kept[key] = corpora

    def fit(
        self,
        data: TokenData,
        labels: npt.NDArray[np.uint8],
        *,
        documents: Mask | None = None,
        cost_ratio: float = 1.0,
        seed: int = 0,
        known: Mask | None = None,
    ) -> EncoderModel:
        """Tune on labelled documents; of many, some are set aside to stop early and to calibrate.

        Parameters
        ----------
        data : TokenData
            The tokens; a run of redacted ones reads as one mask.
        labels : array of uint8
            1 for a sensitive token.
        documents : mask over the documents, optional
            The documents to learn from; all of them by default.
        cost_ratio : float, default 1.0
            Plays no part: the cost-sensitive form is the threshold alone.
        seed : int, default 0
            The seed of the head, of the order and of what is set aside.
        known : mask over the tokens, optional
            The tokens whose labels are known, where not all are: only these are judged. Nothing is set
            aside then, because answers are few.

        """
        _ = cost_ratio
        from .network import initial

        chosen = labelled_documents(data, labels, documents)
        config = self.folder.config
        streams = Streams(seed).child("encoder")
        base = self._untuned
        corpora = _prepared.get(data, {}).get((base.sha256, base.frozen))
        aside = None if known is not None else _set_aside(chosen, streams.generator("aside"))
        learned = chosen if aside is None else chosen & ~aside
        with one_at_a_time():
            if corpora is None:
                corpora = [base.laid(data, chosen)]
                corpora[0].keep_states(base.below)
            if known is not None:
                apart = self.frozen == config.layers
                corpora = [corpus.judging(known, apart=apart) for corpus in corpora]
            if self.start is None:
                head = streams.generator("head")
                tuned = initial(config, self.folder.tensors, self.frozen, head)
            else:
                tuned = self.start.fresh()
            tuned = tune(
                tuned, corpora, labels, learned, schedule=self.planned, shape=base.shape,
                random=streams.generator("order"), aside=aside,
            )  # fmt: skip
            model = replace(base, tuned=_flat(tuned))
        if aside is not None:
            scores = model.scores(data, documents=aside)
            use = np.isfinite(scores) & data.counted
            if _FEW_POSITIVES <= np.count_nonzero(labels[use]) < np.count_nonzero(use):
                slope, offset = platt(scores[use], labels[use])
                model = replace(model, slope=slope, offset=offset)
        return model

    @cached_property
    def _untuned(self) -> EncoderModel:
        folder = self.folder
        return EncoderModel(
            folder.config, folder.tensors, folder.tokenizer, folder.sha256, self.frozen, {}
        )


# What the lower layers make of documents, and of passages of them, as long as the tokens are there.
_prepared: weakref.WeakKeyDictionary[TokenData, dict[tuple[str, int], list[Corpus]]] = (
    weakref.WeakKeyDictionary()
)


def _set_aside(chosen: Mask, random: np.random.Generator) -> Mask | None:
    """Set an eighth of the documents aside; none where they are few."""
    mixed = random.permutation(np.flatnonzero(chosen))
    if len(mixed) < _FEW_DOCUMENTS:
        return None
    aside = np.zeros(len(chosen), np.bool_)
    aside[mixed[: len(mixed) // _ASIDE]] = True
    return aside


def _flat(tree: Tuned) -> dict[str, npt.NDArray[np.float16]]:
    """Return a tree as named arrays in float16, exactly as they are stored."""
    import jax

    found = {}
    for path, leaf in jax.tree_util.tree_leaves_with_path(tree):
        name = "/".join(str(getattr(k, "key", getattr(k, "idx", k))) for k in path)
        found[name] = np.asarray(leaf, np.float32).astype(np.float16)
    return found


def tuned_shapes(config: Config, frozen: int) -> dict[str, tuple[int, ...]]:
    """Return the name and shape of every array of the tuned part."""
    hidden, inner = config.hidden, config.intermediate
    found: dict[str, tuple[int, ...]] = {
        "case": (CASES, hidden),
        "head/first/0": (hidden, hidden),
        "head/first/1": (hidden,),
        "head/last/0": (hidden,),
        "head/last/1": (),
    }
    wide = {"wide": (hidden, inner), "narrow": (inner, hidden)}
    for i in range(config.layers - frozen):
        for part in ("query", "key", "value", "joined", "wide", "narrow"):
            shape = wide.get(part, (hidden, hidden))
            found[f"layers/{i}/{part}/0"] = shape
            found[f"layers/{i}/{part}/1"] = shape[1:]
        for part in ("first", "second"):
            found[f"layers/{i}/{part}/0"] = found[f"layers/{i}/{part}/1"] = (hidden,)
    return found


@dataclass(frozen=True, eq=False)
class EncoderModel(Model):
    """A fine-tuned encoder, whole: it needs no other file to score, and holds arrays only.

    `tensors` are the pretrained weights (the layers that were tuned may be left out), `tuned` the upper
    part, both float16; `slope` and `offset` make its answers log-odds.
    """

    config: Config
    tensors: Mapping[str, npt.NDArray[np.float16]]
    tokenizer: bytes
    sha256: str
    frozen: int
    tuned: Mapping[str, npt.NDArray[np.float16]]
    slope: float = 1.0
    offset: float = 0.0

    kind = "encoder"
    reads_passages = True

    def alike(self, other: EncoderModel) -> bool:
        """Return whether learning can go on from one to the other."""
        return (self.config, self.sha256, self.frozen) == (other.config, other.sha256, other.frozen)

    def __getstate__(self) -> dict[str, object]:
        # What stands on a device stays there; a worker puts it onto its own.
        return {k: v for k, v in self.__dict__.items() if k not in {"_below", "_above", "table"}}

    @property
    def shape(self) -> Shape:
        """What the network must know when it is compiled for the device that is there."""
        from .network import Shape

        return Shape(self.config.heads, self.config.epsilon, half=device_kind() != "cpu")

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
        import jax.numpy as jnp

        def at(name: str) -> jax.Array:
            return jnp.asarray(self.tuned[name], jnp.float32)

        def pair(name: str) -> tuple[jax.Array, jax.Array]:
            return at(f"{name}/0"), at(f"{name}/1")

        parts = ("query", "key", "value", "joined", "wide", "narrow", "first", "second")
        return {
            "layers": [
                {part: pair(f"layers/{i}/{part}") for part in parts}
                for i in range(self.config.layers - self.frozen)
            ],
            "case": at("case"),
            "head": {name: pair(f"head/{name}") for name in ("first", "last")},
        }

    def below(self, ids: Ints, length: Ints) -> jax.Array:
        """Return what the lower layers make of some windows."""
        from .network import frozen_states

        found: jax.Array = frozen_states(self._below, ids, length, self.shape)
        return found

    def laid(self, data: TokenData, documents: Mask | None, where: Mask | None = None) -> Corpus:
        """Return documents, or passages of them, cut into windows."""
        return Corpus(Pieces.of(data, self.table, documents=documents, where=where), self.table)

    def scores(self, data: TokenData, *, documents: Mask | None = None) -> Scores:
        """Return each token's log-odds of being sensitive.

        Parameters
        ----------
        data : TokenData
            The tokens; redacted ones get −inf.
        documents : mask over the documents, optional
            Which documents to read; the tokens of others get −inf.

        """
        kept = _prepared.get(data, {}).get((self.sha256, self.frozen))
        corpus = self.laid(data, documents) if kept is None else kept[0]
        return self._judged(corpus, len(data), documents)

    def scores_in(self, data: TokenData, where: Mask) -> Scores:
        """Return the log-odds of some tokens, each run of them read by itself; others get −inf."""
        return self._judged(self.laid(data, None, where), len(data), None)

    def _judged(self, corpus: Corpus, tokens: int, documents: Mask | None) -> Scores:
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
            tuned = {n: arrays[f"tuned/{n}"] for n in tuned_shapes(config, frozen)}
            wanted = {**cls._needed(config, frozen), **tuned_shapes(config, frozen)}
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
                offset,
            )  # fmt: skip
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError("The encoder of the model does not fit together.") from error
