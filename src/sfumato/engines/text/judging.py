"""What a decision leaves and removes, with its range over documents, and what attackers find in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core.exploration import Candidate, Reference
from ...core.measures import Interval, Risk, Utility
from ...core.randomness import Streams
from ...core.resampling import NextBatch
from .learners.protocol import Learner, Model
from .reading.arrays import Mask
from .reading.labelled import Labelled, total_loss
from .sanitize.publication import Publication

__all__ = ["Judge"]


class Judge:
    """Counts what a decision leaves and removes, by document, and resamples documents.

    `attackers` attack every candidate (None: all that there are; (): none). Ranges are about a new batch
    of `batch` documents, as many as were measured by default.
    """

    def __init__(
        self,
        labelled: Labelled,
        *,
        weights: Mapping[str, float],
        attackers: Sequence[Learner] | None,
        budgets: Sequence[int],
        streams: Streams,
        progress: Callable[[str], None] | None,
        batch: int | None = None,
    ) -> None:
        self.labelled, self.weights = labelled, weights
        self.attackers, self.budgets = attackers, budgets
        self.streams, self.progress = streams, progress
        self.known: dict[str, Model] = {}  # attackers' models that do not depend on the release
        self.words = labelled.instances
        self.sensitive = self.words & (labelled.labels > 0)
        documents = np.flatnonzero(labelled.own)
        self.where = labelled.data.document_of
        self.documents = len(documents)
        self.batch = NextBatch(
            self.documents, batch or self.documents, streams.seed_of("next batch")
        )

    def by_document(self, words: Mask) -> npt.NDArray[np.int64]:
        """Count words by document, the background's left out."""
        return np.bincount(self.where[words], minlength=self.documents)[: self.documents]

    def share(self, part: Mask, whole: Mask, *, rare: bool) -> tuple[float, Interval]:
        """Return the share of a part in a whole, and its range for the next batch of documents."""
        above, below = self.by_document(part), self.by_document(whole)
        value = float(above.sum() / max(below.sum(), 1))
        around = self.batch.share(above, below, rare=rare)
        return value, replace(around, low=min(around.low, value), high=max(around.high, value))

    def measures(self, redacted: Mask) -> tuple[Risk, Utility]:
        risk, around = self.share(self.sensitive & ~redacted, self.sensitive, rare=True)
        kept, between = self.share(self.words & ~redacted, self.words, rare=False)
        return (
            Risk(risk, around, attacker="reads every published word"),
            Utility(kept, between, kept="words published"),
        )

    def reference(self, name: str, redacted: Mask) -> Reference:
        risk, utility = self.measures(redacted)
        return Reference(name, risk.value, utility.value)

    def literal(
        self, published: Mapping[float, Publication], redacted: Mapping[float, Mask]
    ) -> list[Reference]:
        """Set what the literal algorithm redacts beside the candidates, out of fold and attacked alike.

        It often stops at the same round for many ratios; such releases are one reference.
        """
        found: dict[bytes, tuple[float, dict[str, Any]]] = {}
        for ratio, mask in redacted.items():
            losses = self.labelled.losses(ratio, self.weights)
            totals = found.setdefault(mask.tobytes(), (ratio, {}))[1]
            totals[f"{ratio:g}"] = {"total_loss": total_loss(losses, self.labelled.instances, mask)}
        references = []
        for ratio, totals in found.values():
            mask = redacted[ratio]
            risk, utility = self.measures(mask)
            details = {"ratios": totals, "held_out": True, **self._counts(mask, utility)}
            first = replace(published[ratio], redacted=mask, rounds=())
            if (attack := self._attacked(first, "literal").get("attack")) is not None:
                details["attack"] = attack
            references.append(Reference("Literal Algorithm 1", risk.value, utility.value, details))
        return references

    def candidate(
        self, ratio: float, publication: Publication, *, in_sample: float | None
    ) -> Candidate:
        """Give what frontier.json says of a candidate."""
        risk, utility = self.measures(publication.redacted)
        details: dict[str, Any] = {
            "ratio": ratio,
            "rounds": len(publication.classifiers.classifiers),
            **self._counts(publication.redacted, utility),
            "total_loss": publication.total_loss,
            "held_out": publication.held_out,
            "record": [r.to_json() for r in publication.rounds],
        }
        if in_sample is not None:  # what the literal algorithm believes of itself
            details["total_loss_in_sample"] = in_sample
        details |= self._attacked(publication, "attack")
        return Candidate(f"r{ratio:g}", risk, utility, details)

    def _counts(self, redacted: Mask, utility: Utility) -> dict[str, Any]:
        return {
            "published": utility.value,
            "leaked": int(np.count_nonzero(self.sensitive & ~redacted)),
            "false_positives": int(np.count_nonzero(self.words & ~self.sensitive & redacted)),
        }

    def _attacked(self, publication: Publication, step: str) -> dict[str, Any]:
        if self.attackers is not None and not len(self.attackers):
            return {}
        from .attack.attacked import attacked

        return attacked(
            self.labelled,
            publication,
            learners=self.attackers,
            budgets=self.budgets,
            streams=self.streams.child(f"{step} {publication.ratio:g}"),
            known=self.known,
            progress=self.progress,
        )
