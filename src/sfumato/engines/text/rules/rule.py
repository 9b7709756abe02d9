"""A rule finds spans in one text: a pattern, a check of what it matched, words near it that raise its score.

What rules find are proposals. A rule never looks beyond the document it is given, so that publishing in
batches of any size gives the same result.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ....data.document import Document, Span
from ....data.findings import resolve
from ....data.limits import current_limits
from ....mentions.folding import fold

__all__ = ["PatternRule", "Rule", "RuleSet", "WordRule"]

_NEAR = 48  # characters around a match in which context words count
_LIFT = 0.35  # what a context word adds to a score
_BARE = str.maketrans("łøđı", "lodi")


@dataclass(frozen=True)
class Rule(ABC):
    """Base of all rules.

    Parameters
    ----------
    name : str
        What the rule is called in counts and reports.
    label : str
        The label of what it finds.
    score : float
        How sure a match is, in (0, 1].
    languages : frozenset of str
        The languages that the rule is for; empty for all.
    is_built_in : bool
        Whether the rule comes with the engine.

    """

    name: str
    label: str
    score: float
    languages: frozenset[str] = frozenset()
    is_built_in: bool = False

    @abstractmethod
    def spans(self, text: str) -> Iterator[Span]:
        """Yield what the rule finds in a text, in any order, overlaps allowed."""

    def check_matches(self, matches: int) -> None:
        """Refuse a document in which the rule matches more often than the limit allows."""
        limits = current_limits()
        if matches > limits.rule_matches:
            raise limits.error(
                f"The number of matches of the rule {self.name!r} in one document", "rule_matches"
            )


@dataclass(frozen=True)
class PatternRule(Rule):
    """A regular expression; the group "span", where it has one, is what is found."""

    pattern: re.Pattern[str] = field(default=re.compile(r"(?!)"))
    check: Callable[[str], bool] | None = None
    context: tuple[str, ...] = ()
    needs_context: bool = False
    group: int | str = 0

    @cached_property
    def _near(self) -> re.Pattern[str] | None:
        if not self.context:
            return None
        words = "|".join(re.escape(word) for word in self.context)
        return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)

    def spans(self, text: str) -> Iterator[Span]:
        """Yield every match that passes its check."""
        for match in self.pattern.finditer(text):
            start, end = match.span(self.group)
            if start >= end or (self.check is not None and not self.check(text[start:end])):
                continue
            score = self.score
            if self._near is not None:
                around = text[max(0, start - _NEAR) : start] + "\n" + text[end : end + _NEAR]
                if self._near.search(around):
                    score = min(1.0, score + _LIFT)
                elif self.needs_context:
                    continue
            yield Span(start, end, self.label, score)


@dataclass(frozen=True)
class WordRule(Rule):
    """A list of words and phrases, without regard to case, and to accents unless it is `strict`.

    >>> names = WordRule("names", "NAME", 1.0, words=frozenset({"Müller", "Łuk"}))
    >>> [(span.start, span.end) for span in names.spans("MULLER, Müller, Luk")]
    [(8, 14), (0, 6), (16, 19)]
    """

    words: frozenset[str] = frozenset()
    strict: bool = False

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        return _whole_words(self.words)

    @cached_property
    def _bare_pattern(self) -> re.Pattern[str] | None:
        return None if self.strict else _whole_words(map(_without_accents, self.words))

    def spans(self, text: str) -> Iterator[Span]:
        """Yield every entry that occurs as whole words."""
        found = set[tuple[int, int]]()
        if self._pattern is not None:
            for match in self._pattern.finditer(text):
                found.add(match.span())
                yield Span(*match.span(), self.label, self.score)
        if self._bare_pattern is not None:
            for match in self._bare_pattern.finditer(_without_accents(text)):
                if match.span() not in found:
                    yield Span(*match.span(), self.label, self.score)


def _whole_words(words: Iterable[str]) -> re.Pattern[str] | None:
    # Longest first, and any white space between the words of a phrase.
    entries = sorted({w.strip() for w in words if w.strip()}, key=lambda w: (-len(w), w))
    if not entries:
        return None
    forms = "|".join(r"\s+".join(map(re.escape, entry.split())) for entry in entries)
    return re.compile(rf"(?<!\w)(?:{forms})(?!\w)", re.IGNORECASE)


def _without_accents(text: str) -> str:
    """Return a text of the same length in lower case and without accents, as a recogniser may read it."""
    return fold(text).translate(_BARE)


@dataclass(frozen=True)
class RuleSet:
    """Rules that are applied together, and the words that none of them may find.

    `languages` names the languages of the built-in rules among them (None: there are none).

    >>> rules = RuleSet((WordRule("wards", "PLACE", 1.0, words=frozenset({"north wing"})),))
    >>> rules.find("In the North  Wing.")
    [Span(start=7, end=18, label='PLACE', score=1.0)]
    """

    rules: Sequence[Rule] = ()
    allow: WordRule = field(default_factory=lambda: WordRule("allow", "", 1.0, strict=True))
    languages: tuple[str, ...] | None = None

    @property
    def own(self) -> list[PatternRule | WordRule]:
        """The rules that are not built in."""
        kinds = (PatternRule, WordRule)
        return [rule for rule in self.rules if isinstance(rule, kinds) and not rule.is_built_in]

    def __len__(self) -> int:
        return len(self.rules)

    def by_rule(self, text: str) -> Iterator[tuple[Rule, Span]]:
        """Yield each match with its rule, overlaps included; allowed words are skipped."""
        allowed = [(span.start, span.end) for span in self.allow.spans(text)]  # in order, apart
        starts = [start for start, _ in allowed]
        for rule in self.rules:
            for number, span in enumerate(rule.spans(text), 1):
                rule.check_matches(number)
                before = bisect_right(starts, span.start) - 1
                if before < 0 or span.end > allowed[before][1]:
                    yield rule, span

    def find(self, text: str, *, labels: Iterable[str] = (), min_score: float = 0.0) -> list[Span]:
        """Return what the rules find, sorted and free of overlaps.

        Parameters
        ----------
        text : str
            The text of one document.
        labels : iterable of str
            The labels to keep; all of them by default.
        min_score : float
            Matches below this score are skipped.

        """
        wanted = frozenset(labels)
        found = [
            span
            for _, span in self.by_rule(text)
            if (span.score or 0.0) >= min_score and (not wanted or span.label in wanted)
        ]
        return resolve(found, "best")

    def applied(
        self, documents: Iterable[Document], *, labels: Iterable[str] = (), min_score: float = 0.0
    ) -> Iterator[Document]:
        """Yield the documents with what the rules find added to their spans; the given spans win."""
        wanted = tuple(labels)
        for document in documents:
            found = self.find(document.text, labels=wanted, min_score=min_score)
            sure = [replace(span, score=2.0) for span in document.spans]
            both = resolve([*sure, *found], "best")
            given = {(s.start, s.end): s for s in document.spans}
            spans = tuple(given.get((s.start, s.end), s) for s in both)
            yield replace(document, spans=spans)
