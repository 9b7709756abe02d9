"""The classifiers that a publisher chose: stages that see each other's scores, applied in sequence.

A `Classifier` (h) is a small graph of stages whose log-odds are averaged and cut at a threshold; a
`ClassifierSet` (H) applies its classifiers one after the other, each to what the earlier ones left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ....core.errors import ModelError
from ....data.document import Document
from ..learners.labels import LabelModel
from ..learners.protocol import Model
from ..learners.registry import model_from_arrays
from ..reading.arrays import Array, Arrays, Header, Scores
from ..reading.features import TokenData, WordKnowledge
from ..reading.word_lists import WordList
from ..rules.features import RULES
from .lone_marks import without_lone_marks
from .stacking.second_look import SecondPass, look_again
from .stacking.stack import stack_places

if TYPE_CHECKING:
    from ..rules.chosen import ChosenRules

__all__ = ["LOUDEST", "Classifier", "ClassifierSet", "Stage", "weigh"]

LOUDEST = 9.0
"""The largest log-odds that a weighted member counts with."""


@dataclass(frozen=True, eq=False)
class Stage:
    """A model and whose scores it sees: an earlier stage (0, 1, …) or an earlier round (−1, −2, …).

    With each it is said whether the token's own score is seen too, or only those of other places. With
    a `look` the model reads only the passages in which other stages are unsure.
    """

    model: Model
    sees: tuple[tuple[int, bool], ...] = ()
    look: SecondPass | None = None

    def scores(
        self, data: TokenData, known: Sequence[Scores], rounds: Sequence[Scores] = ()
    ) -> Scores:
        """Return each token's log-odds, given the scores of earlier stages and rounds."""
        seen = stage_features(data, self.sees, known, rounds)
        if self.look is None:
            return self.model.scores(seen)
        first = mean_of([known[source] for source in self.look.sources])
        return look_again(self.model, seen, first, self.look)


def mean_of(scores: Sequence[Scores]) -> Scores:
    """Return the mean log-odds; a member that is listed twice counts twice."""
    with np.errstate(invalid="ignore"):
        return np.mean(scores, axis=0)  # type: ignore[no-any-return]


def stage_features(data: TokenData, sees: Sequence[tuple[int, bool]], known: Sequence[Scores],
           rounds: Sequence[Scores] = ()) -> TokenData:  # fmt: skip
    """Return the tokens with the features that a stage sees."""
    for source, with_own in sees:
        scores = known[source] if source >= 0 else rounds[-source - 1]
        data = data.with_places(*stack_places(data, scores, with_own=with_own))
    return data


def weigh(members: Sequence[Scores], weights: Sequence[float], bias: float) -> Scores:
    """Return weighed log-odds, none of which counts for more than `LOUDEST`; −inf where nobody reads."""
    total = np.full(len(members[0]), bias)
    for scores, weight in zip(members, weights, strict=True):
        total += weight * np.clip(scores, -LOUDEST, LOUDEST)
    total[np.isneginf(members[0])] = -np.inf
    return total


@dataclass(frozen=True, eq=False)
class Classifier:
    """h: redact where the mean log-odds of the `members` (numbers of stages) reaches the threshold.

    With `weights`, one per member, their weighted sum and the bias replace the mean.
    """

    stages: tuple[Stage, ...]
    members: tuple[int, ...]
    threshold: float
    form: str = ""
    weights: tuple[float, ...] = ()
    bias: float = 0.0

    def scores(self, data: TokenData, rounds: Sequence[Scores] = ()) -> Scores:
        """Return each token's log-odds; `rounds` are the scores of the classifiers before this one."""
        known: list[Scores] = []
        for stage in self.stages:
            known.append(stage.scores(data, known, rounds))
        members = [known[m] for m in self.members]
        return weigh(members, self.weights, self.bias) if self.weights else mean_of(members)


def _documents(data: TokenData) -> list[Document]:
    """Return the texts of tokens as documents."""
    text, bounds = data.tokens.text.tobytes(), data.tokens.text_bounds.tolist()
    return [Document("", text[a:b].decode()) for a, b in pairwise(bounds)]


@dataclass(frozen=True, eq=False)
class ClassifierSet:
    """H: what a candidate knows; decides for each token whether to redact it and as what.

    `typing` tells the labels apart when there are several; `deny` words are always redacted (before
    any classifier), `allow` words never. `rules` look first.
    """

    labels: tuple[str, ...]
    classifiers: tuple[Classifier, ...]
    typing: LabelModel | None = None
    knowledge: tuple[WordKnowledge, ...] = ()
    deny: WordList = field(default_factory=WordList)
    allow: WordList = field(default_factory=WordList)
    rules: ChosenRules | None = None

    def ruled(self, data: TokenData) -> tuple[TokenData, npt.NDArray[np.int16]]:
        """Return the tokens with the feature of the rules, and the label of each firm match by number.

        Firm matches are redacted. Tokens that carry the feature already were looked at before.
        """
        if self.rules is None or any(place.name == RULES for place in data.places):
            return data, np.zeros(len(data), np.int16)
        found = self.rules.documents(_documents(data))
        place, firm, kinds = self.rules.applied(found, data.tokens)
        if self.rules.is_feature:
            data = data.with_places(place)
        return data.redact(firm) if firm.any() else data, kinds

    def redactions(self, data: TokenData) -> npt.NDArray[np.int16]:
        """Return the round (from 1) in which each token is redacted; 0 where it is published.

        Tokens that were redacted before stay so; they, what rules find for certain, and denied words
        count as round 1.
        """
        data, _ = self.ruled(data)
        allowed = self.allow.matches(data)
        first = data.redacted | (self.deny.matches(data) & ~allowed)
        when = first.astype(np.int16)
        current = data.redact(first) if first.any() else data
        known: list[Scores] = []
        for number, classifier in enumerate(self.classifiers, 1):
            scores = classifier.scores(current, known)
            known.append(scores)
            found = (scores >= classifier.threshold) & ~allowed
            when[found] = number
            if number < len(self.classifiers):
                current = current.redact(found)
        return when

    def certainty(self, data: TokenData) -> Scores:
        """Return each token's largest log-odds over the rounds; infinite for what is denied."""
        data, _ = self.ruled(data)
        denied = data.redacted | (self.deny.matches(data) & ~self.allow.matches(data))
        current = data.redact(denied) if denied.any() else data
        best = np.where(denied, np.inf, -np.inf)
        known: list[Scores] = []
        for classifier in self.classifiers:
            scores = classifier.scores(current, known)
            known.append(scores)
            np.maximum(best, scores, out=best)
            current = current.redact(scores >= classifier.threshold)
        return best

    def decide(self, data: TokenData) -> npt.NDArray[np.int16]:
        """Return 0 for each token to publish and i + 1 for each to redact as `labels[i]`."""
        data, firm = self.ruled(data)
        redacted = self._alone.redactions(data) > 0
        kinds = redacted.astype(np.int16)
        if self.typing is not None:
            kinds = self.typing.labels(data, redacted & (firm == 0))
        decided = np.where(firm > 0, firm, kinds).astype(np.int16)
        if self.rules is None or self.rules.is_firm:
            return without_lone_marks(decided, data)
        from ..rules.whole_matches import unite_matches

        found = self.rules.documents(_documents(data))
        return without_lone_marks(unite_matches(decided, found, data, self.labels), data)

    @property
    def _alone(self) -> ClassifierSet:
        """The set without its rules, for tokens that were looked at by them."""
        return self if self.rules is None else replace(self, rules=None)

    def to_arrays(self) -> tuple[Header, Arrays]:
        """Return a JSON header and named arrays."""
        arrays: dict[str, Array] = {}

        def stored(name: str, model: Model) -> Header:
            header, parts = model.to_arrays()
            arrays.update({f"{name}/{part}": array for part, array in parts.items()})
            return header

        classifiers = [
            {
                "threshold": classifier.threshold,
                "form": classifier.form,
                "voices": list(classifier.members),
                **(
                    {"weights": list(classifier.weights), "bias": classifier.bias}
                    if classifier.weights
                    else {}
                ),
                "stages": [
                    {
                        "sees": [[source, own] for source, own in stage.sees],
                        **({} if stage.look is None else {"look": stage.look.to_json()}),
                        "model": stored(f"round{number}/stage{place}", stage.model),
                    }
                    for place, stage in enumerate(classifier.stages)
                ],
            }
            for number, classifier in enumerate(self.classifiers, 1)
        ]
        typing: Header | list[Header] = []  # one label: as before labels had a chain
        if self.typing is not None:
            typing, parts = self.typing.to_arrays()
            arrays |= {f"typing/{part}": array for part, array in parts.items()}
        for i, source in enumerate(self.knowledge):
            arrays.update(
                {f"knowledge{i}/{k}": getattr(source, k) for k in ("keys", "own", "near")}
            )
        for name in ("deny", "allow"):
            words: WordList = getattr(self, name)
            arrays.update({f"{name}/{k}": v for k, v in words.to_arrays().items()})
        header = {
            "labels": list(self.labels),
            "classifiers": classifiers,
            "typing": typing,
            "knowledge": len(self.knowledge),
        }
        if self.rules is not None:
            header["rules"] = self.rules.to_json()
        return header, arrays

    @classmethod
    def from_arrays(cls, header: Header, arrays: Arrays) -> ClassifierSet:
        """Rebuild a stored set; what does not fit together is refused."""

        def model(name: str, described: Header) -> Model:
            prefix = name + "/"
            parts = {k[len(prefix) :]: v for k, v in arrays.items() if k.startswith(prefix)}
            return model_from_arrays(dict(described), parts)

        try:
            classifiers = []
            for number, described in enumerate(header["classifiers"], 1):
                stages = tuple(
                    Stage(
                        model(f"round{number}/stage{place}", stage["model"]),
                        tuple((int(source), bool(own)) for source, own in stage["sees"]),
                        SecondPass.from_json(stage["look"], place) if "look" in stage else None,
                    )
                    for place, stage in enumerate(described["stages"])
                )
                members = tuple(int(m) for m in described["voices"])
                threshold = float(described["threshold"])
                weights = tuple(float(w) for w in described.get("weights", ()))
                bias = float(described.get("bias", 0.0))
                sound = (
                    bool(members)
                    and all(0 <= m < len(stages) for m in members)
                    and not np.isnan(threshold)
                    and len(weights) in (0, len(members))
                    and bool(np.isfinite([*weights, bias]).all())
                    and all(
                        -number < source < place
                        for place, stage in enumerate(stages)
                        for source, _ in stage.sees
                    )
                    and all(stage.look is None or stage.model.reads_passages for stage in stages)
                )
                if not sound:
                    raise ValueError
                form = str(described["form"])
                classifiers.append(Classifier(stages, members, threshold, form, weights, bias))
            typing = None
            if header["typing"]:
                own = {k[7:]: array for k, array in arrays.items() if k.startswith("typing/")}
                typing = LabelModel.from_arrays(header["typing"], own)
            labels = tuple(str(label) for label in header["labels"])
            if not labels or (typing is not None and len(typing.models) != len(labels)):
                raise ValueError
            knowledge = tuple(
                WordKnowledge.checked(
                    *(arrays[f"knowledge{i}/{k}"] for k in ("keys", "own", "near"))
                )
                for i in range(int(header["knowledge"]))
            )
            lists = {
                name: WordList.from_arrays(
                    {k: arrays[f"{name}/{k}"] for k in ("keys", "bounds")}, strict=name == "allow"
                )
                for name in ("deny", "allow")
            }
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise ModelError("The classifiers of the model do not fit together.") from error
        rules = None
        if header.get("rules") is not None:
            from ..rules.chosen import ChosenRules

            rules = ChosenRules.from_json(header["rules"])
        return cls(labels, tuple(classifiers), typing, knowledge, **lists, rules=rules)
