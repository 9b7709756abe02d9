"""Detectors: the user's own models, which return what is sensitive as findings with scores.

A detector is a folder. What reads it is found by the files that it holds; another package adds its own reader under
the entry-point group `sfumato.detectors`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Self

from ..core.errors import InputError
from ..core.registry import Registry
from .document import Span

__all__ = ["DETECTORS", "Detector", "open_detector"]


class Detector(ABC):
    """Finds spans in texts."""

    @classmethod
    @abstractmethod
    def knows(cls, folder: Path) -> bool:
        """Return whether a folder holds a detector of this kind, by the names of its files."""

    @classmethod
    @abstractmethod
    def open(cls, folder: Path) -> Self:
        """Read a detector; what does not fit together is refused."""

    @abstractmethod
    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return what is found in each text, in characters, with scores."""

    def kinds(self) -> tuple[str, ...]:
        """Return the kinds that it finds."""
        raise self._cannot_compete()

    def as_model(self, kinds: Collection[str]) -> object:  # noqa: ARG002
        """Return the detector as a model of the text engine, for which words of some kinds are sensitive."""
        raise self._cannot_compete()

    @staticmethod
    def _cannot_compete() -> InputError:
        return InputError(
            "The detector can be run, but not stored with a frontier.",
            hint="give it by --findings FOLDER: what it finds is then redacted before anything else.",
        )


_ENCODER = "sfumato.engines.text.learners.encoder"
DETECTORS: Registry[type[Detector]] = Registry(
    "detector",
    {
        "safetensors": f"{_ENCODER}.detector:TokenClassifier",
        "onnx": f"{_ENCODER}.onnx_detector:OnnxClassifier",
    },
    group="sfumato.detectors",
    of=Detector,
    classes=True,
)
"""Readers of detectors by name."""


def open_detector(folder: Path) -> Detector:
    """Open a folder by the first reader that knows it.

    Parameters
    ----------
    folder : Path
        Holds the detector.

    """
    for kind in DETECTORS.values():
        if kind.knows(folder):
            return kind.open(folder)
    is_there = folder.is_dir()
    raise InputError(
        f"The folder {folder.name!r} holds no detector that is known."
        if is_there
        else f"There is no folder {folder.name!r}.",
        hint="a detector is a folder with config.json (id2label), tokenizer.json, and model.safetensors or "
        "model.onnx.",
    )
