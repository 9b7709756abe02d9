"""Tell the labels apart with the starter's help: whoever is surer of a label speaks for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core.errors import ModelError
from ..learners.crf import CRFModel
from ..learners.protocol import Model
from ..reading.arrays import Array, Arrays, Header, Mask, Scores
from ..reading.features import TokenData
from .adapted import AdaptedStarter

__all__ = ["KindModel"]


@dataclass(frozen=True, eq=False)
class KindModel(Model):
    """How likely a word is of one label.

    Parameters
    ----------
    starter : AdaptedStarter
        The starter for the kinds that the label means.
    answers : CRFModel
        What was learned from answers.

    """

    starter: AdaptedStarter
    answers: CRFModel
    kind = "starter kind"

    def scores(self, data: TokenData, *, documents: Mask | None = None) -> Scores:
        """Return each token's log-odds."""
        by_answers = self.answers.scores(data, documents=documents)
        return np.logaddexp(self.starter.scores(data, documents=documents), by_answers)

    def to_arrays(self) -> tuple[Header, Arrays]:
        header: Header = {"kind": self.kind}
        arrays: dict[str, Array] = {}
        for name, model in (("starter", self.starter), ("answers", self.answers)):
            header[name], parts = model.to_arrays()
            arrays |= {f"{name}/{key}": array for key, array in parts.items()}
        return header, arrays

    @classmethod
    def from_arrays(cls, header: Header, arrays: Arrays) -> KindModel:
        """Rebuild a stored model; what does not fit together is refused."""

        def part(name: str) -> dict[str, Array]:
            return {k[len(name) + 1 :]: v for k, v in arrays.items() if k.startswith(f"{name}/")}

        try:
            return cls(
                AdaptedStarter.from_arrays(header["starter"], part("starter")),
                CRFModel.from_arrays(header["answers"], part("answers")),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ModelError("The model of a label lacks a part.") from error
