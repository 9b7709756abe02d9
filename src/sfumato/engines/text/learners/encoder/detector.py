"""A user's own token classifier as a detector: an encoder with its head, used without tuning.

It reads the words that we read, in overlapping windows, and judges each by its first piece. Neighbouring words of one kind
are one finding, whose score is the mean probability of its kind.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .....core.errors import ModelError
from .....data.detectors import Detector
from .....data.document import Span
from ...reading.arrays import Mask
from ...reading.features import TokenData
from ...reading.tokens import Tokens, Vocabulary, tokenize
from .architectures import Config
from .device import device_kind, one_at_a_time
from .folder import EncoderFolder, open_encoder, read_extra_tensors
from .pieces import Ints, Pieces, piece_table
from .windowed import WindowedCorpus

if TYPE_CHECKING:
    import jax

__all__ = ["TokenClassifier", "head_shapes", "probabilities_of", "read_labels", "spans_of"]

_OUTSIDE = "O"
_MOST_LABELS = 1024
Probabilities = npt.NDArray[np.float64]


def read_labels(config: object) -> tuple[str, ...]:
    """Return the labels of a token classifier by number, from the content of config.json.

    Parameters
    ----------
    config : object
        The parsed JSON.

    >>> read_labels({"id2label": {"1": "B-PER", "0": "O"}})
    ('O', 'B-PER')

    """
    said = config.get("id2label") if isinstance(config, dict) else None
    if not isinstance(said, dict) or not 2 <= len(said) <= _MOST_LABELS:
        raise ModelError(
            "config.json of the detector has no 'id2label'.",
            hint="a detector names its labels there, such as 0: O, 1: B-PER; a model without a head "
            "is an encoder.",
        )
    try:
        labels = {int(number): name for number, name in said.items()}
        ordered = tuple(labels[i] for i in range(len(labels)))
    except (ValueError, TypeError, KeyError):
        raise ModelError("'id2label' of the detector does not count from 0.") from None
    if not all(isinstance(name, str) for name in ordered) or _OUTSIDE not in ordered:
        raise ModelError(
            f"'id2label' of the detector has no label {_OUTSIDE!r}.",
            hint="it is the label of words that are not found.",
        )
    return ordered


def spans_of(
    tokens: Tokens, probabilities: Probabilities, labels: Sequence[str]
) -> list[list[Span]]:
    """Return the findings of each document.

    Parameters
    ----------
    tokens : Tokens
        The words of the documents.
    probabilities : array of float
        [word, label].
    labels : sequence of str
        The labels by number; those of one kind differ by B-, I-, E- or S- in front.

    """
    kinds = [name if name == _OUTSIDE else _kind(name) for name in labels]
    names = sorted(set(kinds) - {_OUTSIDE})
    by_kind = np.stack(
        [probabilities[:, [k == name for k in kinds]].sum(axis=1) for name in (_OUTSIDE, *names)]
    )
    best = by_kind.argmax(axis=0)
    begins = np.array([name.startswith(("B-", "S-")) for name in labels])[
        probabilities.argmax(axis=1)
    ]
    start, end = tokens.char_offsets()
    found: list[list[Span]] = []
    for first, last in zip(tokens.doc[:-1].tolist(), tokens.doc[1:].tolist(), strict=True):
        spans: list[Span] = []
        at = first
        while at < last:
            until = at + 1
            kind = int(best[at])
            while until < last and best[until] == kind and not begins[until]:
                until += 1
            if kind:
                score = float(by_kind[kind, at:until].mean())
                spans.append(
                    Span(int(start[at]), int(end[until - 1]), names[kind - 1], min(score, 1.0))
                )
            at = until
        found.append(spans)
    return found


def head_shapes(config: Config, labels: int) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the arrays of a head."""
    shapes: dict[str, tuple[int, ...]] = {
        "classifier.weight": (labels, config.hidden),
        "classifier.bias": (labels,),
    }
    if config.is_modern:
        shapes |= {
            "head.dense.weight": (config.hidden, config.hidden),
            "head.norm.weight": (config.hidden,),
        }
    return shapes


def probabilities_of(answers: npt.NDArray[np.float64]) -> Probabilities:
    """Return the probabilities of labels from a classifier's answers, both as [word, label]."""
    odds = np.exp(answers - answers.max(axis=1, keepdims=True))
    found: Probabilities = odds / odds.sum(axis=1, keepdims=True)
    return found


def _kind(label: str) -> str:
    return label[2:] if label[:2] in {"B-", "I-", "E-", "S-", "L-", "U-"} else label


@dataclass(frozen=True, eq=False)
class TokenClassifier(Detector):
    """An encoder with a head for token classification, from safetensors.

    Parameters
    ----------
    folder : EncoderFolder
        The encoder.
    labels : tuple of str
        The labels by number.
    head : mapping from str to array
        The classifier's weights and offsets, and those of ModernBERT's layer before it.

    """

    folder: EncoderFolder
    labels: tuple[str, ...]
    head: Mapping[str, npt.NDArray[np.float16]]

    @classmethod
    def knows(cls, folder: Path) -> bool:
        """Return whether a folder holds tensors and a configuration."""
        weights = ("model.safetensors", "model.safetensors.index.json")
        return (folder / "config.json").is_file() and any((folder / n).is_file() for n in weights)

    @classmethod
    def open(cls, folder: Path) -> TokenClassifier:
        """Read a detector; what does not fit together is refused."""
        encoder = open_encoder(str(folder))
        labels = read_labels(json.loads((folder / "config.json").read_bytes()))
        shapes = head_shapes(encoder.config, len(labels))
        return cls(encoder, labels, read_extra_tensors(folder, shapes))

    def __getstate__(self) -> dict[str, object]:
        # What is on a device stays there; a worker puts it onto its own.
        return {k: v for k, v in self.__dict__.items() if k != "_below"}

    @cached_property
    def _below(self) -> object:
        from .network import lower

        config = self.folder.config
        return lower(config, self.folder.tensors, config.layers)

    def _states(self, ids: Ints, length: Ints) -> jax.Array:
        from .layer import Shape
        from .network import Lower, frozen_states

        below: Lower = self._below  # type: ignore[assignment]
        shape = Shape.of(self.folder.config, half=device_kind() != "cpu")
        found: jax.Array = frozen_states(below, ids, length, shape)
        return found

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return what is found in each text, in characters, with scores.

        Parameters
        ----------
        texts : sequence of str
            The texts.

        """
        vocabulary = Vocabulary()
        tokens = tokenize(texts, vocabulary)
        if len(tokens) == 0:
            return [[] for _ in texts]
        return spans_of(tokens, self.judge(TokenData.of(tokens, vocabulary)), self.labels)

    def kinds(self) -> tuple[str, ...]:
        """Return the kinds that it finds."""
        return tuple(sorted({_kind(label) for label in self.labels} - {_OUTSIDE}))

    def as_model(self, kinds: Collection[str]) -> object:
        """Return the detector as a model, for which words of some kinds are sensitive."""
        from .detector_model import DetectorModel

        return DetectorModel(self, tuple(_kind(label) in kinds for label in self.labels))

    def judge(self, data: TokenData, documents: Mask | None = None) -> Probabilities:
        """Return the probability of each label, as [word, label].

        Parameters
        ----------
        data : TokenData
            The words.
        documents : mask over the documents, optional
            Which documents to read; the rows of others mean nothing, nor do those of redacted words.

        """
        table = piece_table(self.folder.tokenizer, self.folder.config.vocabulary)
        pieces = Pieces.of(data, table, documents=documents)
        with one_at_a_time():
            states = WindowedCorpus(pieces, table).states(len(data), self._states)
        if states.shape[1] != self.folder.config.hidden:  # nothing was read
            states = np.zeros((len(data), self.folder.config.hidden), np.float32)
        return self._probabilities(states)

    def _probabilities(self, states: npt.NDArray[np.float32]) -> Probabilities:
        """Return the probability of each label, as [word, label]."""
        head = {name: array.astype(np.float64) for name, array in self.head.items()}
        x = states.astype(np.float64)
        if self.folder.config.is_modern:
            from scipy.special import erf

            x = x @ head["head.dense.weight"].T
            x = x * 0.5 * (1 + erf(x / np.sqrt(2)))
            centred = x - x.mean(axis=1, keepdims=True)
            scale = np.sqrt((centred**2).mean(axis=1, keepdims=True) + self.folder.config.epsilon)
            x = centred / scale * head["head.norm.weight"]
        return probabilities_of(x @ head["classifier.weight"].T + head["classifier.bias"])
