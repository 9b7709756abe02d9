"""A detector as a model in the competition: the log-odds that a word is of a sensitive kind.

It is not tuned. CRFs learn how much it is worth on the steward's documents, and it is stored with them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .....core.errors import ModelError
from ...reading.arrays import Arrays, Header, Mask, Scores
from ...reading.features import TokenData
from ..protocol import Model
from .architectures import Config
from .detector import TokenClassifier, head_shapes
from .folder import EncoderFolder

__all__ = ["DetectorModel"]

_SURE = 1e-6  # no detector is surer than that


@dataclass(frozen=True, eq=False)
class DetectorModel(Model):
    """A token classifier that scores words.

    Parameters
    ----------
    detector : TokenClassifier
        Gives each word a probability per label.
    sensitive : tuple of bool
        By number, whether words of a label are sensitive.

    """

    detector: TokenClassifier
    sensitive: tuple[bool, ...]

    kind = "detector"

    def scores(self, data: TokenData, *, documents: Mask | None = None) -> Scores:
        """Return each token's log-odds of being sensitive.

        Parameters
        ----------
        data : TokenData
            The tokens; redacted ones get −inf.
        documents : mask over the documents, optional
            Which documents to read; the tokens of others get −inf.

        """
        read = ~data.redacted
        if documents is not None:
            read &= documents[data.document_of]
        chance = self.detector.judge(data, documents)[:, np.array(self.sensitive)].sum(axis=1)
        chance = np.clip(chance, _SURE, 1 - _SURE)
        found: Scores = np.where(read, np.log(chance / (1 - chance)), -np.inf)
        return found

    def to_arrays(self) -> tuple[Header, Arrays]:
        """Return a JSON header and named arrays."""
        folder = self.detector.folder
        header = {
            "kind": self.kind,
            "config": folder.config.to_json(),
            "labels": list(self.detector.labels),
            "sensitive": list(self.sensitive),
            "sha256": folder.sha256,
        }
        return header, {
            **{f"base/{name}": array for name, array in folder.tensors.items()},
            **{f"head/{name}": array for name, array in self.detector.head.items()},
            "tokenizer": np.frombuffer(folder.tokenizer, np.uint8),
        }

    @classmethod
    def from_arrays(cls, header: Header, arrays: Arrays) -> DetectorModel:
        """Rebuild a stored model; what does not fit together is refused."""
        try:
            config = Config.of(header["config"])
            labels, sensitive = tuple(header["labels"]), tuple(header["sensitive"])
            tokenizer = arrays["tokenizer"]
            if (
                len(labels) != len(sensitive)
                or not all(isinstance(label, str) for label in labels)
                or not all(isinstance(each, bool) for each in sensitive)
                or tokenizer.dtype != np.uint8
                or tokenizer.ndim != 1
            ):
                raise ValueError
            parts = {"base": config.shapes(), "head": head_shapes(config, len(labels))}
            found = {
                part: {name: arrays[f"{part}/{name}"] for name in shapes}
                for part, shapes in parts.items()
            }
            for part, shapes in parts.items():
                for name, array in found[part].items():
                    if (
                        array.dtype != np.float16
                        or array.shape != shapes[name]
                        or not np.isfinite(array).all()
                    ):
                        raise ValueError
            folder = EncoderFolder(
                config, found["base"], tokenizer.tobytes(), str(header["sha256"])
            )
            return cls(TokenClassifier(folder, labels, found["head"]), sensitive)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError("The detector of the model does not fit together.") from error
