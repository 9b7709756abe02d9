"""What a decision leaves and removes, with its range over documents, and what attackers find in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...core.exploration import Candidate, Reference
from ...core.measures import Risk, Utility
from ...core.randomness import Streams
from .learners.protocol import Learner, Model
from .reading.arrays import Mask
from .reading.labelled import Labelled, total_loss
from .sanitize.publication import Publication

__all__ = ["Judge"]

_REPLICATES = 1000


class Judge:
    """Counts what a decision leaves and removes, by document, and resamples documents.

    `attackers` attack every candidate (None: all that there are; (): none).
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
        self.samples = streams.generator("bootstrap").multinomial(
            self.documents, np.full(self.documents, 1 / self.documents), _REPLICATES
        )

    def share(self, part: Mask, whole: Mask) -> tuple[float, float, float]:
        """Give the share of a part in a whole, with the 2.5 and 97.5 % points over documents."""
        above = np.bincount(self.where[part], minlength=self.documents)[: self.documents]
        below = np.bincount(self.where[whole], minlength=self.documents)[: self.documents]
        value = above.sum() / max(below.sum(), 1)
        drawn = (self.samples @ above) / np.maximum(self.samples @ below, 1)
        low, high = np.quantile(drawn, [0.025, 0.975])
        return float(value), float(low), float(high)

    def measures(self, redacted: Mask) -> tuple[Risk, Utility]:
        how = "bootstrap over documents"
        risk, low, high = self.share(self.sensitive & ~redacted, self.sensitive)
        kept, least, most = self.share(self.words & ~redacted, self.words)
        return (
            Risk(risk, attacker="reads every published word").with_interval(low, high, method=how),
            Utility(kept, kept="words published").with_interval(least, most, method=how),
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
