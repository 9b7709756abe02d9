"""Rules as a run uses them: chosen once, mapped to the run's labels, and kept with what was learned."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ....core.errors import ModelError
from ....data.document import Document, Span
from ..reading.arrays import Mask
from ..reading.features import PlaceFeature
from ..reading.label_kinds import closest_label, matching_labels, same_kind
from ..reading.tokens import Tokens, labels_from_spans
from .builtin import built_in
from .checks import CHECKS
from .features import rule_place
from .file import read_rules
from .rule import PatternRule, Rule, RuleSet, WordRule

__all__ = ["BUILT_IN", "FIRM", "NEVER_FIRM", "ChosenRules"]

BUILT_IN = "built-in"
"""Given instead of a rules file to use the built-in rules alone."""

FIRM = 0.8
"""The score from which a match is redacted regardless of the model."""

_NEAR = 40  # characters before a match in which its label may be named

NEVER_FIRM = 2.0
"""Instead of `FIRM`: no match is redacted regardless of the model."""


class _Stored(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _StoredRule(_Stored):
    name: str
    label: str
    score: float = Field(gt=0, le=1)
    pattern: str | None = None
    flags: int = 0
    check: str | None = None
    context: list[str] = Field(default_factory=list)
    words: list[str] = Field(default_factory=list)


class _StoredRules(_Stored):
    languages: list[str]
    built_in: bool
    own: list[_StoredRule]
    allow: list[str]
    labels: list[str]
    firm: float = Field(gt=0)
    is_feature: bool
    firm_by_label: dict[str, float] = Field(default_factory=dict)


@dataclass(frozen=True)
class ChosenRules:
    """The rules of a run.

    Parameters
    ----------
    rules : RuleSet
        The rules, built-in ones included.
    labels : tuple of str
        The labels of the run; matches of other kinds are skipped. Empty keeps all.
    firm : float
        The score from which a match is redacted; weaker matches are a feature only.
    is_feature : bool
        Whether the run's models have learned with the rules as a feature.
    firm_by_label : mapping from str to float
        The same as `firm` for single labels.

    """

    rules: RuleSet
    labels: tuple[str, ...] = ()
    firm: float = FIRM
    is_feature: bool = True
    firm_by_label: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str] | None,
        *,
        labels: Sequence[str] = (),
        texts: Iterable[str] = (),
        firm: float = FIRM,
        is_feature: bool = True,
    ) -> ChosenRules:
        """Read a rules file ("built-in" or None: the built-in rules alone); see `read_rules`."""
        file = None if path is None or str(path) == BUILT_IN else path
        return cls(read_rules(file, texts=texts), tuple(labels), firm, is_feature)

    @property
    def is_firm(self) -> bool:
        """Whether a match can be sure enough to be redacted regardless of the model."""
        return self.firm <= 1.0

    @cached_property
    def _names(self) -> dict[str, str]:
        kinds = {rule.label for rule in self.rules.rules}
        if not self.labels:
            return {kind: kind for kind in kinds}
        return {kind: label for kind in kinds for label in matching_labels({kind}, self.labels).values()}  # fmt: skip

    @cached_property
    def _alike(self) -> dict[str, list[str]]:
        """By kind of the rules: the run's label of it first, then others that mean the same."""
        return {
            kind: [
                label,
                *(other for other in self.labels if other != label and same_kind(other, kind)),
            ]
            for kind, label in self._names.items()
        }

    def find(self, text: str) -> list[Span]:
        """Return what the rules find in a text, under the run's labels."""
        names = self._names
        found = self.rules.find(text, labels=names) if names else []
        return [replace(span, label=self._label_of(span, text)) for span in found]

    def _label_of(self, span: Span, text: str) -> str:
        """Return the run's label of a match: of several of its kind, the one that is named before it."""
        among = self._alike[span.label]
        return closest_label(among, text[max(0, span.start - _NEAR) : span.start]) if len(among) > 1 else among[0]  # fmt: skip

    def documents(self, documents: Iterable[Document]) -> list[Document]:
        """Return the documents with what the rules find as their only spans."""
        return [Document(d.id, d.text, self.find(d.text)) for d in documents]

    def applied(
        self, found: Sequence[Document], tokens: Tokens
    ) -> tuple[PlaceFeature, Mask, npt.NDArray[np.int16]]:
        """Return the feature of each token, the mask of firm matches, and each token's label by number.

        Parameters
        ----------
        found : sequence of Document
            What `documents` returned.
        tokens : Tokens
            The tokens of the same documents.

        """
        firm = [
            replace(d, spans=[s for s in d.spans if (s.score or 0.0) >= self.firm_by_label.get(s.label, self.firm)])
            for d in found
        ]  # fmt: skip
        names = self.labels or tuple(sorted(set(self._names.values())))
        kinds = labels_from_spans(firm, tokens, names)
        return rule_place(found, tokens), np.asarray(kinds > 0), kinds

    def to_json(self) -> dict[str, object]:
        """Return what is stored with a model: languages by name, own rules in full."""
        own = []
        for rule in self.rules.own:
            entry = _StoredRule(name=rule.name, label=rule.label, score=rule.score)
            if isinstance(rule, WordRule):
                entry = entry.model_copy(update={"words": sorted(rule.words)})
            else:
                check = next((name for name, c in CHECKS.items() if c is rule.check), None)
                more = {"pattern": rule.pattern.pattern, "check": check, "context": list(rule.context),
                        "flags": int(rule.pattern.flags & re.IGNORECASE)}  # fmt: skip
                entry = entry.model_copy(update=more)
            own.append(entry)
        languages = self.rules.languages
        stored = _StoredRules(
            languages=list(languages or ()), built_in=languages is not None, own=own,
            allow=sorted(self.rules.allow.words), labels=list(self.labels), firm=self.firm,
            is_feature=self.is_feature, firm_by_label=dict(self.firm_by_label),
        )  # fmt: skip
        content = stored.model_dump()
        if not self.firm_by_label:
            del content["firm_by_label"]
        return content

    @classmethod
    def from_json(cls, content: object) -> ChosenRules:
        """Rebuild stored rules; what does not fit is refused."""
        try:
            stored = _StoredRules.model_validate(content)
            rules: list[Rule] = []
            for entry in stored.own:
                if entry.pattern is None:
                    rules.append(WordRule(entry.name, entry.label, entry.score, words=frozenset(entry.words)))  # fmt: skip
                    continue
                compiled = re.compile(entry.pattern, entry.flags)
                rules.append(PatternRule(
                    entry.name, entry.label, entry.score, pattern=compiled,
                    check=CHECKS[entry.check] if entry.check else None, context=tuple(entry.context),
                    group="span" if "span" in compiled.groupindex else 0,
                ))  # fmt: skip
            languages = tuple(stored.languages) if stored.built_in else None
            if languages is not None:
                rules += built_in(languages).rules
        except (ValidationError, ValueError, KeyError, re.error) as error:
            raise ModelError("The stored rules are damaged.", hint="explore again.") from error
        allow = WordRule("allow", "", 1.0, words=frozenset(stored.allow), strict=True)
        chosen = RuleSet(tuple(rules), allow, languages)
        return cls(
            chosen, tuple(stored.labels), stored.firm, stored.is_feature, stored.firm_by_label
        )
