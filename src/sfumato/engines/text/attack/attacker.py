"""Attack a release before it leaves: learn what is left of the sensitive words, rank, inspect, count.

Reading A learns from the publisher's residual training data, reading B from a labelled part of the
release itself, and outsiders bring other corpora or a learner that the publisher does not have. Each
answers with what B inspected words would give: positives first (as the theorems count), ranked by score
(as a real adversary would read), and at random. The strongest of them all is the release's risk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ....core.errors import DataError
from ....core.randomness import Streams
from ..attack_records import READINGS, AttackDetails, Reading
from ..learners.crf import CRF
from ..learners.folds import deal, out_of_fold
from ..learners.ngrams import CharacterNGrams
from ..learners.protocol import Learner, Model
from ..reading.arrays import Mask, Scores
from ..reading.features import TokenData
from ..sanitize.stacking.stack import stack_places
from .encoder import encoder_attacks, learning
from .inspection import (
    DEFAULT_BUDGETS,
    Confusion,
    Inspection,
    InspectionResult,
    confusion_of,
    found_best_first,
    inspect,
)
from .registry import find_attackers

if TYPE_CHECKING:
    from ..learners.pretrained import PretrainedEncoder

__all__ = ["Attack", "AttackReport", "AttackedRelease", "Residual", "attack"]


@dataclass(frozen=True, eq=False)
class AttackedRelease:
    """A release as the attacker has it: redactions applied, and the truth about what is left.

    `documents` are those of the release; the other documents of the data are background corpora that
    an outsider brings, with their own labels.
    """

    data: TokenData
    sensitive: npt.NDArray[np.uint8]
    documents: Mask

    @property
    def instances(self) -> Mask:
        """The published words."""
        return self.data.counted & self.documents[self.data.document_of]

    @property
    def background(self) -> Mask:
        return ~self.documents

    def alone(self) -> AttackedRelease:
        """Return the release without the background, where it comes first in the data.

        Attackers who do not use the background need not carry it along.
        """
        documents = int(self.documents.sum())
        if documents == len(self.documents) or not self.documents[:documents].all():
            return self
        data = self.data.first_documents(documents)
        return AttackedRelease(data, self.sensitive[: len(data)], self.documents[:documents])


@dataclass(frozen=True, eq=False)
class Residual:
    """What is left of a publisher's training data, and the documents of the release that it attacks.

    With one publisher for the whole release there is one residual; with folds, one for each.
    """

    data: TokenData
    sensitive: npt.NDArray[np.uint8]
    documents: Mask
    attacked: Mask


@dataclass(frozen=True, eq=False)
class Attack:
    """One attacker's scores of the published words."""

    reading: Reading
    learner: str
    scores: Scores
    counts: Confusion
    found: Mapping[int, float]

    @property
    def name(self) -> str:
        """Who attacks, in words."""
        says = {
            "A": "learns from the publisher's residual training data",
            "B": "learns from a labelled part of the release",
        }
        return f"{self.learner} that {says[self.reading]}" if self.reading in says else self.learner


@dataclass(frozen=True, eq=False)
class AttackReport:
    """All attackers that were run, the best of each reading inspected with ranges."""

    attacks: Sequence[Attack]
    inspections: Mapping[Reading, tuple[Attack, Inspection]]
    words: int
    left: int
    budget: int
    headline: InspectionResult | None = None
    with_encoder: bool = False

    @property
    def strongest(self) -> Attack | None:
        """The attacker who finds most in the reference budget; `headline` is what it finds."""
        if not self.attacks:
            return None
        return max(self.attacks, key=lambda a: a.found[self.budget])

    def to_record(self) -> AttackDetails:
        """Return `attack` of a candidate, a reference or attack.json."""
        return AttackDetails.from_json(self._content())

    def to_json(self) -> dict[str, object]:
        """Return the plain form of `to_record`."""
        return self.to_record().to_json()

    def _content(self) -> dict[str, object]:
        content: dict[str, object] = {}
        for reading, (chosen, inspection) in self.inspections.items():
            content[reading] = {
                "learner": chosen.learner,
                **inspection.to_json(),
                "learners": {
                    a.learner: {
                        **a.counts.to_json(),
                        "ranked": {str(b): round(f, 4) for b, f in a.found.items()},
                    }
                    for a in self.attacks
                    if a.reading == reading
                },
            }
        strongest = self.strongest
        content["strongest"] = (
            None
            if strongest is None or self.headline is None
            else {
                "attacker": strongest.name,
                "reading": strongest.reading,
                "learner": strongest.learner,
                "budget": self.budget,
                **self.headline.to_json(),
            }
        )
        content["left"] = {"words": self.words, "sensitive": self.left}
        content["with_encoder"] = self.with_encoder
        return content


@dataclass(eq=False)
class _AttackRun:
    target: AttackedRelease
    budgets: tuple[int, ...]
    streams: Streams
    fold: npt.NDArray[np.int64]
    parts: int
    seed: int
    attacks: list[Attack] = field(default_factory=list)

    def add(self, reading: Reading, learner: str, scores: Scores) -> None:
        if len(scores) < len(self.target.data):
            scores = np.concatenate([scores, np.full(len(self.target.data) - len(scores), -np.inf)])
        instances = self.target.instances
        seen, truth = scores[instances], self.target.sensitive[instances] != 0
        self.attacks.append(
            Attack(
                reading,
                learner,
                scores,
                confusion_of(seen >= 0, truth),
                dict(zip(self.budgets, found_best_first(seen, truth, self.budgets), strict=True)),
            )
        )


def attack(
    target: AttackedRelease,
    *,
    streams: Streams,
    learners: Sequence[Learner] | None = None,
    residuals: Sequence[Residual] = (),
    folds: int = 4,
    budgets: Sequence[int] = DEFAULT_BUDGETS,
    outsiders: Sequence[Learner] | None = None,
    known: dict[str, Model] | None = None,
    replicates: int = 400,
    progress: Callable[[str], None] | None = None,
    encoder: PretrainedEncoder | None = None,
) -> AttackReport:
    """Run the attackers on a release.

    Reading B deals the release's documents into `folds`, learns from all but one and scores that one.
    Reading A runs when `residuals` are given, outsiders with background when the data holds some. In
    readings A and B the learner is the most accurate one, as in the threat model (of equals, the one
    that finds more); among outsiders it is the one that finds most. `known` keeps models learned from
    background alone, to be shared by the attacks on many releases. With an `encoder` there are
    attackers that fine-tune it.

    Parameters
    ----------
    target : AttackedRelease
        The release, with the truth about what is left.
    streams : Streams
        The source of chance.
    learners : sequence of Learner, default None
        Who attacks in readings A and B, outsiders among them from outside; None for all attackers.
    residuals : sequence of Residual
        What is left of the publisher's training data; without it there is no reading A.
    folds : int, default 4
        Folds by document inside the release.
    budgets : sequence of int
        How many words are inspected.
    outsiders : sequence of Learner, default None
        Learners that the publisher does not have; None for character n-grams.
    known : dict, default None
        Models of background alone, kept between the attacks on many releases.
    replicates : int, default 400
        Resamples of documents for each range.
    progress : callable, default None
        Called with a short note before each attacker.
    encoder : PretrainedEncoder, default None
        What attackers with an encoder tune.

    """
    tell = progress or (lambda _: None)
    learners = find_attackers(["all"]) if learners is None else learners
    outsiders = (CharacterNGrams(),) if outsiders is None else outsiders
    outsiders = (*outsiders, *(one for one in learners if one.outsider))
    learners = [one for one in learners if not one.outsider]
    documents = np.flatnonzero(target.documents)
    if len(target.sensitive) != len(target.data):
        raise DataError(f"{len(target.sensitive)} labels were given for {len(target.data)} tokens.")
    parts = min(folds, len(documents))
    random = streams.generator("attack folds")
    fold = deal(documents, parts, random, of=target.data.documents)
    run = _AttackRun(
        target, tuple(sorted(set(budgets))), streams, fold, parts, streams.seed_of("attack")
    )
    alone = target.alone()
    if parts > 1:
        for learner in learners:
            tell(f"attacker B, {learner.name}")
            run.add("B", learner.name, _inside(run, learner, alone))
    for learner in learners if residuals else ():
        tell(f"attacker A, {learner.name}")
        run.add("A", learner.name, _from_residuals(alone, learner, residuals, run.seed))
    known = {} if known is None else known
    _outside(run, outsiders, known, tell)
    if encoder is not None:
        for reading, name, scores in encoder_attacks(
            encoder, target, fold, residuals,
            streams=streams, seed=run.seed, known=known, tell=tell,
        ):  # fmt: skip
            run.add(reading, name, scores)
    return replace(_report(run, replicates), with_encoder=encoder is not None)


def _inside(
    run: _AttackRun, learner: Learner, target: AttackedRelease, *, more: Mask | None = None
) -> Scores:
    """Score each part of the release by a model learned from the other parts (and `more`)."""
    fold = run.fold[: target.data.documents]
    return out_of_fold(learner, target.data, target.sensitive, fold, always=more, seed=run.seed)


def _from_residuals(
    target: AttackedRelease, learner: Learner, residuals: Sequence[Residual], seed: int
) -> Scores:
    scores = np.full(len(target.data), -np.inf)
    for residual in residuals:
        model = learner.fit(
            residual.data, residual.sensitive, documents=residual.documents, seed=seed
        )
        attacked = residual.attacked[: target.data.documents] & target.documents
        np.maximum(scores, model.scores(target.data, documents=attacked), out=scores)
    return scores


def _outside(
    run: _AttackRun,
    outsiders: Sequence[Learner],
    known: dict[str, Model],
    tell: Callable[[str], None],
) -> None:
    target, release = run.target, run.target.alone()
    for learner in outsiders if run.parts > 1 else ():
        tell(f"outsider, {learner.name}")
        run.add("outside", learner.name, _inside(run, learner, release))
    if not target.background.any():
        return
    crf = CRF()
    tell("outsider, background")
    with learning:  # releases that are attacked side by side share it, whichever comes first
        if crf.name not in known:
            seed = Streams(run.streams.seed).seed_of("background of attackers")
            known[crf.name] = crf.fit(
                target.data, target.sensitive, documents=target.background, seed=seed
            )
    alone = known[crf.name].scores(release.data, documents=release.documents)
    run.add("outside", "crf with background", alone)
    if run.parts < 2:
        return
    tell("outsider, background and release")
    both = _inside(run, crf, target, more=target.background)[: len(alone)]
    run.add("outside", "crf with background and release", both)
    # The background's opinion as a feature, learned to be trusted or not on the labelled part.
    places = stack_places(release.data, alone, with_own=True)
    informed = replace(release, data=release.data.with_places(*places))
    second = _inside(run, crf, informed)
    run.add("outside", "crf on release, informed by background", second)
    with np.errstate(invalid="ignore"):
        run.add("outside", "crf, mean of both", (both + second) / 2)


def _report(run: _AttackRun, replicates: int) -> AttackReport:
    target, budgets = run.target, run.budgets
    instances = target.instances
    truth = target.sensitive[instances] != 0
    budget = 100 if 100 in budgets else budgets[len(budgets) // 2]
    numbers = np.cumsum(target.documents) - 1
    owner = numbers[target.data.document_of[instances]]

    def inspected(chosen: Attack, budgets: Sequence[int], name: str) -> Inspection:
        seen = chosen.scores[instances]
        return inspect(
            seen, seen >= 0, truth, owner, budgets=budgets,
            generator=run.streams.generator(f"ranges {name}"), replicates=replicates,
        )  # fmt: skip

    inspections: dict[Reading, tuple[Attack, Inspection]] = {}
    for reading in READINGS:
        of_reading = [a for a in run.attacks if a.reading == reading]
        if not of_reading:
            continue
        if reading == "outside":
            chosen = max(of_reading, key=lambda a: a.found[budget])
        else:
            chosen = min(of_reading, key=lambda a: (a.counts.errors, -a.found[budget]))
        inspections[reading] = (chosen, inspected(chosen, budgets, reading))
    report = AttackReport(run.attacks, inspections, int(instances.sum()), int(truth.sum()), budget)
    if report.strongest is None:
        return report
    return replace(
        report, headline=inspected(report.strongest, (budget,), "strongest").ranked[budget]
    )
