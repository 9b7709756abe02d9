"""What a report's text part is about, looked up once from the records: no file, no display string."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ....core.engine import Part
from ....presentation.language import say
from ..attack_records import (
    AttackDetails,
    AuditRecord,
    InspectionRecord,
    Reading,
    ReadingRecord,
    TextAttack,
    TheoremBounds,
)
from ..records import UNMEASURED, WINDOWS, TextCandidate, TextFrontier, TextReference, TextRelease

__all__ = ["Headline", "TextFacts"]

_HEADLINE_BUDGET = 1000
_NOUNS = {"NAME": "name", "PERSON": "name", "PER": "name", "DATE": "date", "ID": "identifier",
          "LOCATION": "place name", "ADDRESS": "address"}  # fmt: skip


@dataclass(frozen=True)
class Headline:
    """The strongest attacker at the budget of the headline, with what it is compared with."""

    reading: Reading
    budget: int
    found: InspectionRecord
    random: float | None
    before: tuple[TextReference, float] | None


class TextFacts:
    """The records of a part as the text engine's own types.

    Parameters
    ----------
    part : Part
        The part of the report.

    """

    def __init__(self, part: Part) -> None:
        self.part = part
        self.frontier = part.frontier if isinstance(part.frontier, TextFrontier) else None
        self.release = part.release if isinstance(part.release, TextRelease) else None
        self.attack_record = part.attack if isinstance(part.attack, TextAttack) else None
        self.chosen = part.chosen if isinstance(part.chosen, TextCandidate) else None
        self.audits = [audit for audit in part.audits if isinstance(audit, AuditRecord)]

    @cached_property
    def noun(self) -> tuple[str, str]:
        """What is sensitive here, one and many: names, or sensitive words where there are several kinds."""
        labels = self.frontier.labels if self.frontier is not None else ()
        if len(labels) == 1 and (one := _NOUNS.get(labels[0].upper())):
            return say(one), say("addresses" if one == "address" else f"{one}s")
        return say("sensitive word"), say("sensitive words")

    @property
    def judged_in(self) -> Literal["folds", "windows", "nothing"]:
        """What the risk was estimated from: labelled documents, windows that people read, or nothing."""
        of = self.chosen if self.chosen is not None else self.release
        risk = None if of is None else of.risk
        method = None if risk is None or risk.interval is None else risk.interval.method
        if method == UNMEASURED:
            return "nothing"
        return "windows" if method == WINDOWS else "folds"

    @property
    def elsewhere(self) -> str | None:
        """The part of the report that published what this part published from."""
        files = self.release.inputs if self.release is not None else ()
        return next((p for f in files if (p := self.part.sources.get(f.path)) is not None), None)

    @property
    def left_as_they_are(self) -> dict[str, int]:
        """Spans whose label was not chosen, by label: those of the release, else of the corpus."""
        if self.release is not None:
            return dict(self.release.how.left_as_they_are)
        return {} if self.frontier is None else dict(self.frontier.left_as_they_are)

    @property
    def ratio(self) -> float | None:
        if self.chosen is not None:
            return self.chosen.ratio
        return self.release.how.ratio if self.release is not None else None

    @property
    def bound(self) -> float | None:
        """C/(L+C): what an attacker with the publisher's learners can find of what it reads."""
        return None if self.ratio is None else 1 / (1 + self.ratio)

    @property
    def on_release(self) -> bool:
        """Whether the release itself was attacked."""
        return self.attack_record is not None

    @property
    def attacked(self) -> AttackDetails | None:
        """The attack that the report is about: on the release, else on held-out documents."""
        if self.attack_record is not None:
            return self.attack_record.attack
        return self.chosen.attack if self.chosen is not None else None

    @property
    def where(self) -> str:
        return say("the release") if self.on_release else say("held-out folds")

    @property
    def readings(self) -> dict[Reading, ReadingRecord]:
        return {} if self.attacked is None else self.attacked.readings()

    @property
    def bounds(self) -> TheoremBounds | None:
        if self.attack_record is not None and self.attack_record.bounds is not None:
            return self.attack_record.bounds
        return self.chosen.bounds if self.chosen is not None else None

    @property
    def budgets(self) -> list[int]:
        return sorted({int(b) for record in self.readings.values() for b in record.ranked})

    @cached_property
    def before(self) -> list[TextReference]:
        """References that were judged at this ratio: at most one per name."""
        found: dict[str, TextReference] = {}
        for reference in self.frontier.references if self.frontier is not None else ():
            at = {float(r) for r in reference.ratios}
            if reference.ratios and (self.ratio is None or self.ratio in at):
                found.setdefault(reference.name, reference)
        return list(found.values())

    def loss_of(self, reference: TextReference) -> float | None:
        """Return a reference's total loss at this ratio."""
        for ratio, loss in reference.ratios.items():
            if float(ratio) == self.ratio:
                return loss.total_loss
        return None

    @cached_property
    def headline(self) -> Headline | None:
        """The strongest reading at the largest budget up to a thousand words."""
        if not self.budgets:
            return None
        budget = max((b for b in self.budgets if b <= _HEADLINE_BUDGET), default=self.budgets[0])
        key = str(budget)
        at = {r: record for r, record in self.readings.items() if key in record.ranked}
        if not at:
            return None
        reading = max(at, key=lambda r: at[r].ranked[key].found)
        random = at[reading].random.get(key)
        # The same kind of attacker, on what would have been published otherwise.
        alike = [
            (reference, record.ranked[key].found)
            for reference in self.before
            if reference.attack is not None
            and (record := reference.attack.readings().get(reading)) is not None
            and key in record.ranked
        ]
        return Headline(
            reading,
            budget,
            at[reading].ranked[key],
            None if random is None else random.found,
            max(alike, key=lambda pair: pair[1], default=None),
        )

    @property
    def learned_from_release(self) -> bool:
        """Whether published documents are among those that the classifiers learned from."""
        if self.frontier is None or self.release is None:
            return False

        def marks(record: TextFrontier | TextRelease) -> set[str]:
            given = (getattr(file, "hmac", None) or file.sha256 for file in record.inputs)
            return {mark for mark in given if mark is not None}

        return bool(marks(self.frontier) & marks(self.release))
