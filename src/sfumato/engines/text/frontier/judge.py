"""What a decision leaves and removes, with its range over documents, and what attackers find in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import numpy.typing as npt

from ....core.measures import Interval, Risk, Utility
from ....core.randomness import Streams
from ....core.statistics.resampling import NextBatch
from ..attack.attacked import attack_publication
from ..attack_records import AttackDetails, RangedShare, TheoremBounds
from ..learners.protocol import Learner, Model
from ..payload import HeldOut
from ..reading.arrays import Mask
from ..reading.labelled import Labelled, total_loss
from ..records import BEST_FORM, LabelCounts, RatioLoss, RoundRecord, TextCandidate, TextReference
from ..sanitize.publication import RatioPublication

if TYPE_CHECKING:
    from ..learners.pretrained import PretrainedEncoder

__all__ = ["Judge", "candidate_id"]


def candidate_id(publication: RatioPublication) -> str:
    """Return the id of a publication: its ratio, and its way where that is not the form that won."""
    way = publication.way.replace(" ", "-")
    return f"r{publication.ratio:g}" + (f"-{way}" if way else "")


def _cover(one: Interval, other: Interval) -> Interval:
    return replace(one, low=min(one.low, other.low), high=max(one.high, other.high))


class _CandidateCounts(TypedDict):
    published: float
    leaked: int
    false_positives: int


class Judge:
    """Counts what a decision leaves and removes, by document, and resamples documents.

    Parameters
    ----------
    labelled : Labelled
        The labelled tokens.
    weights : mapping from str to float
        Factors of L per label.
    attackers : sequence of Learner
        The attackers of every candidate.
    budgets : sequence of int
        Numbers of words that an attacker inspects.
    streams : Streams
        The source of chance.
    progress : callable
        Called with a short note before each attack.
    encoder : PretrainedEncoder, default None
        What attackers with an encoder tune.
    batch : int, optional
        How many documents the ranges are about; as many as were measured by default.

    """

    def __init__(
        self,
        labelled: Labelled,
        *,
        weights: Mapping[str, float],
        attackers: Sequence[Learner],
        budgets: Sequence[int],
        streams: Streams,
        progress: Callable[[str], None],
        encoder: PretrainedEncoder | None = None,
        batch: int | None = None,
    ) -> None:
        self.encoder = encoder
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

    def measures(self, redacted: Mask, by_seed: Sequence[Mask] = ()) -> tuple[Risk, Utility]:
        """Return the share of sensitive words that stays and the share of words that is published.

        The ranges cover those of every seed of an encoder: what is published has another one.
        """
        risk, around = self.share(self.sensitive & ~redacted, self.sensitive, rare=True)
        kept, between = self.share(self.words & ~redacted, self.words, rare=False)
        for other in by_seed:
            left = self.share(self.sensitive & ~other, self.sensitive, rare=True)[1]
            shown = self.share(self.words & ~other, self.words, rare=False)[1]
            around, between = _cover(around, left), _cover(between, shown)
        return (
            Risk(risk, around, attacker="reads every published word"),
            Utility(kept, between, kept="words published"),
        )

    def reference(self, name: str, redacted: Mask) -> TextReference:
        """Place a decision that people know on the same axes."""
        risk, utility = self.measures(redacted)
        counts = self._counts(redacted, utility)
        return TextReference(name=name, risk=risk, utility=utility, **counts)

    def literal(
        self, published: Mapping[float, RatioPublication], redacted: Mapping[float, Mask]
    ) -> list[Callable[[], TextReference]]:
        """Return the work that compares what the literal algorithm redacts with the candidates.

        It is judged out of fold and attacked as they are. It often stops at the same round for many
        ratios; such releases are one reference.
        """
        found: dict[bytes, tuple[float, dict[str, RatioLoss]]] = {}
        for ratio, mask in redacted.items():
            losses = self.labelled.losses(ratio, self.weights)
            totals = found.setdefault(mask.tobytes(), (ratio, {}))[1]
            loss = total_loss(losses, self.labelled.instances, mask)
            totals[f"{ratio:g}"] = RatioLoss(total_loss=loss)

        def judged(ratio: float, totals: dict[str, RatioLoss]) -> TextReference:
            mask = redacted[ratio]
            risk, utility = self.measures(mask)
            first = replace(published[ratio], redacted=mask, rounds=())
            attack, _ = self._attacked(first, "literal")
            return TextReference(
                name="Literal Algorithm 1", risk=risk, utility=utility, ratios=totals,
                attack=attack, **self._counts(mask, utility),
            )  # fmt: skip

        return [partial(judged, ratio, totals) for ratio, totals in found.values()]

    def candidate(
        self, ratio: float, publication: RatioPublication, *, in_sample: float | None
    ) -> TextCandidate:
        """Return what frontier.json says about a candidate.

        Parameters
        ----------
        ratio : float
            Its loss ratio.
        publication : Publication
            Its classifiers and rounds.
        in_sample : float or None
            In paper mode, the total loss that the literal algorithm measures on its training data.

        """
        risk, utility = self.measures(publication.redacted, publication.redacted_by_seed)
        attack, bounds = self._attacked(publication, "attack")
        return TextCandidate(
            id=candidate_id(publication),
            risk=risk,
            utility=utility,
            ratio=ratio,
            rounds=len(publication.classifiers.classifiers),
            **self._counts(publication.redacted, utility),
            total_loss=publication.total_loss,
            held_out=publication.held_out,
            record=tuple(RoundRecord.from_json(r.to_json()) for r in publication.rounds),
            total_loss_in_sample=in_sample,
            way=publication.way or BEST_FORM,  # type: ignore[arg-type]
            encoder_reads=publication.encoder_reads,
            by_label=self._by_label(publication.redacted),
            documents_with_leak=self._documents_with_leak(publication.redacted),
            harmless_lost=self._harmless_lost(publication.redacted),
            attack=attack,
            bounds=bounds,
        )

    def held_out(self, publication: RatioPublication) -> HeldOut:
        """Return what a candidate did to each document that it was judged on."""
        redacted, labelled = publication.redacted, self.labelled
        kinds = np.zeros(len(redacted), np.int16)
        if redacted.any():
            typing = publication.classifiers.typing
            kinds[redacted] = 1
            if typing is not None:
                kinds = typing.labels(labelled.data, redacted)
            truly = redacted & (labelled.labels > 0)
            kinds[truly] = labelled.labels[truly]
        columns = [self.words, self.words & ~redacted, self.sensitive, self.sensitive & ~redacted]
        labels = range(1, len(labelled.names) + 1)
        return HeldOut(
            np.stack([self.by_document(c) for c in columns], axis=1),
            np.stack([self.by_document(self.words & (kinds == k)) for k in labels], axis=1),
        )

    def _by_label(self, redacted: Mask) -> dict[str, LabelCounts]:
        found = {}
        for k, label in enumerate(self.labelled.names, 1):
            own = self.words & (self.labelled.labels == k)
            left = int(np.count_nonzero(own & ~redacted))
            found[label] = LabelCounts(sensitive=int(np.count_nonzero(own)), leaked=left)
        return found

    def _documents_with_leak(self, redacted: Mask) -> RangedShare:
        leaking = (self.by_document(self.sensitive & ~redacted) > 0).astype(np.int64)
        value = float(leaking.mean())
        around = self.batch.share(leaking, np.ones_like(leaking), rare=True)
        return RangedShare(value=value, low=min(around.low, value), high=max(around.high, value))

    def _harmless_lost(self, redacted: Mask) -> float:
        harmless = self.words & ~self.sensitive
        lost, all_harmless = int((harmless & redacted).sum()), int(harmless.sum())
        return lost / max(all_harmless, 1)

    def _counts(self, redacted: Mask, utility: Utility) -> _CandidateCounts:
        return {
            "published": utility.value,
            "leaked": int(np.count_nonzero(self.sensitive & ~redacted)),
            "false_positives": int(np.count_nonzero(self.words & ~self.sensitive & redacted)),
        }

    def _attacked(
        self, publication: RatioPublication, step: str
    ) -> tuple[AttackDetails | None, TheoremBounds | None]:
        if not self.attackers and self.encoder is None:
            return None, None
        report, bounds = attack_publication(
            self.labelled,
            publication,
            learners=self.attackers,
            budgets=self.budgets,
            streams=self.streams.child(f"{step} {publication.ratio:g}{publication.way}"),
            known=self.known,
            progress=self.progress,
            encoder=self.encoder,
        )
        return report.to_record(), bounds
