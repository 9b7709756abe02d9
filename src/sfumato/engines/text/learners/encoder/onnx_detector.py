"""A token classifier in ONNX as a detector, of any architecture: onnxruntime computes it.

The graph is data: it is read into memory, operators of other libraries are not loaded, and weights in further files are
refused. What it reads and how findings are made is the same as for safetensors.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from .....core.errors import InputError, ModelError
from .....data.detectors import Detector
from .....data.document import Span
from ...reading.features import TokenData
from ...reading.tokens import Vocabulary, tokenize
from .detector import probabilities_of, read_labels, spans_of
from .pieces import Ints, Pieces, piece_table
from .windowed import WindowedCorpus

__all__ = ["OnnxClassifier"]

_NEEDED = ("onnxruntime", "tokenizers")
_MODELS = ("model.onnx", "onnx/model.onnx")
_CONFIG_LIMIT, _TOKENIZER_LIMIT, _MODEL_LIMIT = 1 << 20, 1 << 26, 1 << 31
_SILENT = 4  # severity from which onnxruntime logs: its messages may quote the input
_Found = TypeVar("_Found")
Answers = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class OnnxClassifier(Detector):
    """A graph that gives each piece a number per label.

    Parameters
    ----------
    run : callable
        Returns the answers for pieces and for the length of each window, as [window, place, label].
    labels : tuple of str
        The labels by number.
    tokenizer : bytes
        The content of tokenizer.json.
    vocabulary : int
        How many pieces the graph knows.

    """

    run: Callable[[Ints, Ints], Answers]
    labels: tuple[str, ...]
    tokenizer: bytes
    vocabulary: int

    @classmethod
    def knows(cls, folder: Path) -> bool:
        """Return whether a folder holds a graph and a configuration."""
        return (folder / "config.json").is_file() and _model_in(folder) is not None

    @classmethod
    def open(cls, folder: Path) -> OnnxClassifier:
        """Read a detector; what does not fit together is refused."""
        missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
        if missing:
            raise InputError(
                f"A detector in ONNX needs packages that are not installed: {', '.join(missing)}.",
                hint="pip install 'sfumato[onnx]'",
            )
        model = _model_in(folder)
        assert model is not None
        try:
            config = json.loads(_read_within(folder / "config.json", _CONFIG_LIMIT))
        except (ValueError, RecursionError):
            raise ModelError("config.json of the detector is not JSON.") from None
        labels = read_labels(config)
        vocabulary = config.get("vocab_size")
        if type(vocabulary) is not int or vocabulary < 1:
            raise ModelError("config.json of the detector has no 'vocab_size'.")
        tokenizer = _read_within(folder / "tokenizer.json", _TOKENIZER_LIMIT)
        run = _session(_read_within(model, _MODEL_LIMIT), len(labels))
        return cls(run, labels, tokenizer, vocabulary)

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
        data = TokenData.of(tokens, vocabulary)
        table = piece_table(self.tokenizer, self.vocabulary)
        answers = WindowedCorpus(Pieces.of(data, table), table).states(len(data), self.run)
        return spans_of(tokens, probabilities_of(answers.astype(np.float64)), self.labels)


def _model_in(folder: Path) -> Path | None:
    return next((folder / name for name in _MODELS if (folder / name).is_file()), None)


def _read_within(path: Path, limit: int) -> bytes:
    try:
        size = path.stat().st_size
    except OSError:
        raise ModelError(f"The folder of the detector holds no {path.name}.") from None
    if size > limit:
        raise ModelError(f"{path.name} of the detector is larger than {limit:,} bytes.")
    return path.read_bytes()


def _session(model: bytes, labels: int) -> Callable[[Ints, Ints], Answers]:
    """Return a function that runs a graph, once what it takes and gives was checked."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = _SILENT
    session = _guard(
        lambda: onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    )
    takes = [entry.name for entry in session.get_inputs()]
    made: dict[str, Callable[[Ints, Ints], npt.NDArray[np.int64]]] = {
        "input_ids": lambda ids, _: ids.astype(np.int64),
        "attention_mask": lambda ids, length: (
            np.arange(ids.shape[1])[None, :] < length[:, None]
        ).astype(np.int64),
        "token_type_ids": lambda ids, _: np.zeros(ids.shape, np.int64),
    }
    if "input_ids" not in takes or not set(takes) <= set(made):
        raise ModelError(
            f"model.onnx of the detector does not take {', '.join(made)}, or some of them."
        )
    gives = [entry.name for entry in session.get_outputs()]
    wanted = "logits" if "logits" in gives else gives[0]

    def run(ids: Ints, length: Ints) -> Answers:
        given = {name: made[name](ids, length) for name in takes}
        found: Answers = np.asarray(_guard(lambda: session.run([wanted], given)[0]))
        if found.shape != (*ids.shape, labels) or not np.isfinite(found).all():
            raise ModelError(
                f"model.onnx of the detector does not give {labels} finite numbers per piece, one for each "
                "of its labels."
            )
        return found.astype(np.float32)

    return run


def _guard(call: Callable[[], _Found]) -> _Found:
    """Call onnxruntime, whose errors have no common class and may quote their input."""
    try:
        return call()
    except Exception:
        raise ModelError(
            "model.onnx of the detector cannot be run.",
            hint="export it as one file, with the opset of a released onnxruntime.",
        ) from None
