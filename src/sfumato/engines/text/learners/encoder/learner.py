"""`Encoder`, the learner: like the CRF, it can publish and attack."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from .....core.errors import ParameterError
from .....core.randomness import Streams
from ...reading.arrays import Mask
from ...reading.features import TokenData
from ..encoder_choices import TUNINGS
from ..linear.calibration import platt
from ..pretrained import PretrainedEncoder, Schedule
from ..protocol import Model, labelled_documents
from . import folder as folders
from .compile_cache import tell_of_compiling
from .device import device_kind, one_at_a_time
from .folder import INSTALL, EncoderFolder, open_encoder
from .model import EncoderModel, flat, prepared
from .pieces import Ints
from .training import tune

if TYPE_CHECKING:
    import jax

__all__ = ["Encoder"]

_FEW_DOCUMENTS, _ASIDE = 64, 16
_FEW_FOR_MEMBERS, _ASIDE_BY_MEMBER = 8, 8  # members learn from more than one of them leaves out
_FEW_POSITIVES = 20
_EPOCHS_FROM_START, _STEPS_FROM_START = 4, 120


@dataclass(frozen=True, eq=False)
class Encoder(PretrainedEncoder):
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

    INSTALL: ClassVar[str] = INSTALL

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

    @classmethod
    def is_installed(cls) -> bool:
        """Return whether the default weights, and the packages that run them, are installed."""
        return not folders.missing_packages() and folders.default_folder() is not None

    @classmethod
    def device(cls) -> str:
        """Return what it computes on: "cpu", or the kind of accelerator that JAX found."""
        return device_kind()

    @property
    def name(self) -> str:
        return "encoder"

    @property
    def sha256(self) -> str:
        """The hash of the pretrained weights."""
        return self.folder.sha256

    @property
    def tuned(self) -> str:
        """How much is tuned."""
        return self.tuning

    @property
    def has_schedule(self) -> bool:
        """Whether the schedule was given, rather than what suits the tuning."""
        return self.schedule is not None

    def scheduled(self, schedule: Schedule) -> Encoder:
        """Return the same encoder with another schedule."""
        return replace(self, schedule=schedule)

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
        tuning = TUNINGS[self.tuning]
        rate, epochs, decay = tuning.rate, tuning.epochs, tuning.decay
        if self.start is None:
            return Schedule(epochs, rate, decay=decay)
        return Schedule(
            min(epochs, _EPOCHS_FROM_START), rate / 2, steps=_STEPS_FROM_START, decay=decay
        )

    def simpler(self) -> Encoder | None:
        """Return the learner that tunes two layers, where this one tunes more."""
        layers = TUNINGS[self.tuning].layers
        if layers is not None or self.folder.config.layers <= 2:
            return None
        return replace(self, tuning="two", schedule=None, start=None)

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
            Tokens that are learned from a second time, each run of them separately, so that the model
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

        kept = prepared.setdefault(data, {})
        key = (self.folder.sha256, self.frozen)
        if key not in kept:
            wholes = [None] if passages is None else [None, passages]
            corpora = [base.laid(data, None, where) for where in wholes]
            with tell_of_compiling(learns=False), one_at_a_time():
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

        Each of several members sets other documents aside, so that together they learn from all.

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
        from .network import initial, members_of

        chosen = labelled_documents(data, labels, documents)
        config = self.folder.config
        streams = Streams(seed).child("encoder")
        base = self._untuned
        corpora = prepared.get(data, {}).get((base.sha256, base.frozen))
        aside = None
        if known is None:
            aside = _set_aside(chosen, streams.generator("aside"), base.members)
        with tell_of_compiling(learns=True), one_at_a_time():
            if corpora is None:
                corpora = [base.laid(data, chosen)]
                corpora[0].keep_states(base.below)
            if known is not None:
                apart = self.frozen == config.layers
                corpora = [corpus.judging(known, apart=apart) for corpus in corpora]
            if self.start is None:
                head = streams.generator("head")
                tuned = members_of(
                    [
                        initial(config, self.folder.tensors, self.frozen, head)
                        for _ in range(base.members)
                    ]
                )
            else:
                tuned = self.start.fresh()
            tuned = tune(
                tuned, corpora, labels, chosen, schedule=self.planned, shape=base.shape,
                random=streams.generator("order"), aside=aside,
            )  # fmt: skip
            model = base.with_upper(tuned=flat(tuned))
        return model if aside is None else _calibrate(model, data, labels, aside)

    @cached_property
    def _untuned(self) -> EncoderModel:
        folder = self.folder
        return EncoderModel(
            folder.config, folder.tensors, folder.tokenizer, folder.sha256, self.frozen, {},
            members=TUNINGS[self.tuning].members,
        )  # fmt: skip


def _set_aside(chosen: Mask, random: np.random.Generator, members: int) -> Mask | None:
    """Set documents aside for each member, as [member, document]; none where they are few.

    One member alone sets a sixteenth of many documents aside, each of several an eighth that others learn from.
    """
    mixed = random.permutation(np.flatnonzero(chosen))
    few, share = (_FEW_DOCUMENTS, _ASIDE) if members == 1 else (_FEW_FOR_MEMBERS, _ASIDE_BY_MEMBER)
    if len(mixed) < max(few, members + 1):
        return None
    size = min(len(mixed) // share, len(mixed) // members)
    aside = np.zeros((members, len(chosen)), np.bool_)
    for member in range(members):
        aside[member, mixed[member * size : (member + 1) * size]] = True
    return aside


def _calibrate(
    model: EncoderModel, data: TokenData, labels: npt.NDArray[np.uint8], aside: Mask
) -> EncoderModel:
    """Make each member's answers log-odds, by the documents that it set aside."""
    found = []
    for member, documents in enumerate(aside):
        scores = model.member(member).scores(data, documents=documents)
        use = np.isfinite(scores) & data.counted
        enough = _FEW_POSITIVES <= np.count_nonzero(labels[use]) < np.count_nonzero(use)
        found.append(platt(scores[use], labels[use]) if enough else (1.0, 0.0))
    return model.calibrate(found)
