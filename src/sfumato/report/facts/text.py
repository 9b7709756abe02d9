"""Facts of the text engine: what each ratio gives, what attackers find, and the bounds beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from ..kinds import (
    LABELS,
    LEARNERS,
    REFERENCES,
    column_names,
    flag,
    identifier,
    items,
    known,
    label,
    mapping,
    number,
    whole,
)
from .model import Assumed, Attack, Before, Bound, Found, Headline, RatioRow, TextPart
from .shared import common, parameter
from .sources import Source

__all__ = ["text_part"]

_ATTACKERS: tuple[Literal["A", "B", "outside"], ...] = ("A", "B", "outside")
_THEOREMS = frozenset({
    "theorem 2", "theorem 3", "theorem 4", "theorem 5", "theorem 6", "lemma 2", "lemma 3",
    "lemma 4", "ranked prefix",
})  # fmt: skip
_ASSUMPTIONS = frozenset({
    "optimal attacker", "local optimum", "large budget", "better than chance", "something to find",
    "a true positive", "observed", "known learner", "finite dimension", "positive bracket",
})  # fmt: skip
_BEFORE = frozenset({"Literal Algorithm 1", "No sanitising", "One pass"})
_HEADLINE_BUDGET = 1000


def _found(by_budget: Any) -> tuple[Found, ...]:
    found = []
    for budget, entry in mapping(by_budget).items():
        value = number(mapping(entry).get("found")) if isinstance(entry, Mapping) else number(entry)
        if value is not None and value >= 0 and budget.isdigit() and int(budget) > 0:
            low, high = mapping(entry).get("low"), mapping(entry).get("high")
            found.append(Found(budget=int(budget), found=value, low=number(low), high=number(high)))
    return tuple(sorted(found, key=lambda f: f.budget))


def _attacks(by_attacker: Any) -> tuple[Attack, ...]:
    found = []
    for attacker in _ATTACKERS:
        entry = mapping(by_attacker).get(attacker)
        if isinstance(entry, Mapping):
            found.append(
                Attack(
                    attacker=attacker,
                    learner=known(entry.get("learner"), LEARNERS, "other"),
                    tp=number(entry.get("tp")),
                    fp=number(entry.get("fp")),
                    fn=number(entry.get("fn")),
                    tn=number(entry.get("tn")),
                    ranked=_found(entry.get("ranked")),
                    unordered=_found(entry.get("unordered")),
                    random=_found(entry.get("random")),
                )
            )
    return tuple(found)


def _row(candidate: Mapping[str, Any]) -> RatioRow | None:
    name, ratio = identifier(candidate.get("id")), number(candidate.get("ratio"))
    if name is None or ratio is None or ratio <= 0:
        return None
    fields = ("rounds", "published", "leaked", "false_positives", "total_loss", "risk")
    return RatioRow(id=name, ratio=ratio, **{f: number(candidate.get(f)) for f in fields})


def _bounds(entry: Any) -> tuple[Bound, ...]:
    found = []
    for name, bound in mapping(entry).items():
        allowed = known(name, _THEOREMS)
        if allowed is None or not isinstance(bound, Mapping) or "assumptions" not in bound:
            continue
        assumed = [
            Assumed(name=n, holds=flag(mapping(a).get("holds")))
            for a in items(bound["assumptions"])
            if (n := known(mapping(a).get("name"), _ASSUMPTIONS)) is not None
        ]
        found.append(
            Bound(
                name=allowed,
                value=number(bound.get("value")),
                applies=bool(flag(bound.get("applies"))),
                vacuous=bool(flag(bound.get("vacuous"))),
                assumptions=tuple(assumed),
            )
        )
    return tuple(sorted(found, key=lambda b: b.name))


def _befores(source: Source, ratio: float | None) -> tuple[Before, ...]:
    """Read the comparisons: references that carry an attack, and a `before` object of a candidate."""
    found: dict[str, Before] = {}
    content = source.frontier or {}
    named = [(mapping(r).get("name"), mapping(r)) for r in items(content.get("references"))]
    named += [(k, mapping(v)) for k, v in mapping(content.get("before")).items()]
    for name, entry in named:
        spoken = REFERENCES.get(known(name, REFERENCES) or "")
        if spoken not in _BEFORE:
            continue
        ratios = mapping(entry.get("ratios"))
        if ratios and ratio is not None and f"{ratio:g}" not in ratios:
            continue
        at_ratio = mapping(ratios.get(f"{ratio:g}")) if ratio is not None else {}
        attacks = _attacks(entry.get("attack"))
        if spoken not in found and (attacks or number(entry.get("leaked")) is not None):
            found[spoken] = Before(
                name=spoken,
                leaked=number(entry.get("leaked")),
                published=number(entry.get("published")),
                total_loss=number(at_ratio.get("total_loss", entry.get("total_loss"))),
                attacks=attacks,
            )
    return tuple(found[k] for k in sorted(found))


def _strongest(attacks: tuple[Attack, ...], budget: int) -> tuple[Attack, Found] | None:
    at = [(a, f) for a in attacks for f in a.ranked or a.unordered if f.budget == budget]
    return max(at, key=lambda pair: pair[1].found, default=None)


def _headline(
    attacks: tuple[Attack, ...], before: tuple[Before, ...], bound: float | None
) -> Headline | None:
    budgets = sorted({f.budget for a in attacks for f in a.ranked or a.unordered})
    if not budgets:
        return None
    budget = max((b for b in budgets if b <= _HEADLINE_BUDGET), default=budgets[0])
    strongest = _strongest(attacks, budget)
    if strongest is None:
        return None
    attack, found = strongest
    at_random = next((f.found for f in attack.random if f.budget == budget), None)
    # The same kind of attacker, on what would have been published otherwise.
    alike = [(b.name, tuple(a for a in b.attacks if a.attacker == attack.attacker)) for b in before]
    worst = [(name, s[1].found) for name, own in alike if (s := _strongest(own, budget))]
    name, value = max(worst, key=lambda pair: pair[1], default=(None, None))
    return Headline(
        attacker=attack.attacker,
        learner=attack.learner,
        budget=budget,
        found=found.found,
        low=found.low,
        high=found.high,
        random=at_random,
        bound=None if bound is None else bound * budget,
        before=value,
        before_name=name,
    )


def _labels(source: Source) -> tuple[str, ...]:
    """Give every label that the steward declared, in the order of the plan."""
    names = (label(entry) or "OTHER" for entry in items(parameter(source, "labels")))
    return tuple(dict.fromkeys(names))


def _redactions(counted: Any, declared: tuple[str, ...]) -> dict[str, int]:
    """Count the redactions of every label; those of a name that nobody declared stand as OTHER."""
    found: dict[str, int] = {}
    for key, amount in mapping(counted).items():
        if (value := whole(amount)) is not None:
            common = key.upper() if key.upper() in LABELS else "OTHER"
            name = key if key in declared else common
            found[name] = found.get(name, 0) + value
    if found:
        found = dict.fromkeys(declared, 0) | found
    return dict(sorted(found.items()))


def _learned_from_release(fields: dict[str, Any]) -> bool | None:
    """Say whether the published documents are among those that the classifiers learned from."""
    published = {f.sha256 for f in fields["published_from"] if f.sha256}
    explored = {f.sha256 for f in fields["inputs"] if f.sha256}
    return bool(published & explored) if published and explored else None


def text_part(source: Source, part_id: str, choose: str | None = None) -> TextPart:
    """Gather the facts of a text release."""
    fields = common(source, part_id, choose)
    candidates = [mapping(c) for c in items((source.frontier or {}).get("candidates"))]
    rows = [row for c in candidates if (row := _row(c)) is not None]
    chosen_id = fields["chosen"].id if fields["chosen"] else None
    chosen = next((c for c in candidates if c.get("id") == chosen_id), {})
    choice = next((row for row in rows if row.id == chosen_id), None)
    ratio = choice.ratio if choice else number(parameter(source, "ratio"))
    bound = None if ratio is None or ratio <= 0 else 1 / (1 + ratio)
    attack = source.attack or {}
    attacks = _attacks(attack.get("attack"))
    before = _befores(source, ratio)
    on_release = bool(attacks)
    attacks = attacks or _attacks(chosen.get("attack"))
    counts = mapping((source.release or {}).get("counts"))
    left = mapping(mapping((attack if on_release else chosen).get("attack")).get("left"))
    labels = _labels(source)
    corpora = parameter(source, "background")
    sensitive = whole(chosen.get("sensitive")) or whole(
        parameter(source, "sensitive_words", "sensitive")
    )
    if sensitive is None and choice and choice.leaked and choice.risk:
        sensitive = round(choice.leaked / choice.risk)
    mode = known(parameter(source, "mode"), {"honest", "paper"})
    replace = known(
        parameter(source, "replacement", "replace"), {"placeholder", "mask", "surrogate"}
    )
    return TextPart(
        **fields,
        labels=labels,
        mode=cast("Any", mode),
        learner=known(parameter(source, "learner"), LEARNERS, "other"),
        folds=whole(parameter(source, "folds")),
        folds_dealt=whole(parameter(source, "folds_dealt", "folds")),
        background=len(corpora) if isinstance(corpora, list) else whole(corpora) or 0,
        words=whole(parameter(source, "words")),
        sensitive=sensitive,
        ratios=tuple(sorted(rows, key=lambda r: (r.ratio, r.id))),
        choice=choice,
        bound=bound,
        bounds=_bounds(attack.get("bounds") or chosen.get("bounds")),
        attacks=attacks,
        words_left=whole(left.get("words")),
        sensitive_left=whole(left.get("sensitive")),
        sensitive_before=whole(attack.get("sensitive_before")),
        learned_from_release=_learned_from_release(fields),
        attack_on="the release" if on_release else "held-out folds",
        before=before,
        headline=_headline(attacks, before, bound),
        fields_as_they_are=column_names(
            mapping((source.release or {}).get("how")).get("fields_as_they_are")
        ),
        redactions=_redactions(counts.get("redacted") or counts.get("redactions"), labels),
        replace=cast("Any", replace),
    )
