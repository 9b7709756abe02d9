"""What a report says about a table, from its records alone."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass

from ...core.engine import Part
from ...core.story import Chart, Check, Chips, Grid, Stat, Story
from ...presentation.frontier_chart import Axes, area_chart, frontier_chart
from ...presentation.knowledge import knowledge_of
from ...presentation.numbers import about, count, decimal, listed, percent, plural
from ...presentation.sentences import (
    chosen_sentence,
    measured_check,
    reference_grid,
    search_sentence,
    shift_check,
    status_of,
    times,
    title_for,
    withheld_check,
)
from .charts import groups_chart
from .records import (
    Ends,
    GroupSize,
    Labels,
    TablesCandidate,
    TablesFrontier,
    TablesReference,
    TablesRelease,
)

__all__ = ["story"]

SAFE_HARBOR = "Safe Harbor"
_SHOWN = 24
_EXAMPLES = 5
_RISKS = {
    "population": "re-identification risk (unchanged table = 1)",
    "prosecutor": "highest chance to name one record",
    "small-groups": "share of records in small groups",
}
_LOSSES = {
    "kl": "information kept",
    "class-size": "fineness of the groups kept",
    "mutual-information": "information about the target kept",
}


@dataclass(frozen=True)
class _Facts:
    """What the sentences need, taken from the release where there is one and else from the candidate."""

    part: Part
    frontier: TablesFrontier | None
    release: TablesRelease | None
    chosen: TablesCandidate | None

    @classmethod
    def of(cls, part: Part) -> _Facts:
        frontier = part.frontier if isinstance(part.frontier, TablesFrontier) else None
        release = part.release if isinstance(part.release, TablesRelease) else None
        chosen = part.chosen if isinstance(part.chosen, TablesCandidate) else None
        return cls(part, frontier, release, chosen)

    @property
    def told(self) -> bool:
        return self.release is not None or self.chosen is not None

    @property
    def risk(self) -> float:
        if self.release is not None:
            return self.release.measured.risk
        return 1.0 if self.chosen is None else self.chosen.risk.value

    @property
    def utility(self) -> float:
        if self.release is not None:
            return self.release.measured.utility
        return 0.0 if self.chosen is None else self.chosen.utility.value

    @property
    def loss_nats(self) -> float | None:
        if self.release is not None:
            return self.release.measured.loss_nats
        return None if self.chosen is None else self.chosen.loss_nats

    @property
    def k(self) -> int | None:
        if self.release is not None:
            return self.release.measured.k
        return None if self.chosen is None else self.chosen.k

    @property
    def smallest_group(self) -> int | None:
        if self.release is not None:
            return math.floor(self.release.measured.smallest_population_group)
        return None if self.chosen is None else math.floor(self.chosen.smallest_population_group)

    @property
    def records(self) -> int | None:
        if self.release is not None:
            rows = self.release.counts["rows"]
            return rows if isinstance(rows, int) else None
        return None if self.frontier is None else self.frontier.records

    @property
    def expected(self) -> tuple[float, float] | None:
        """The expected re-identifications, as published and as they would be unchanged."""
        if self.release is not None:
            measured = self.release.measured
            return measured.expected_reidentified, measured.expected_unchanged
        if self.frontier is None or self.chosen is None or self.risk_measure != "population":
            return None
        unchanged = self.frontier.expected_reidentified
        return self.chosen.risk.value * unchanged, unchanged

    @property
    def risk_measure(self) -> str:
        if self.release is not None:
            return self.release.how.risk_measure
        return "population" if self.frontier is None else self.frontier.risk_measure

    @property
    def loss_measure(self) -> str:
        if self.release is not None:
            return self.release.how.loss_measure
        return "kl" if self.frontier is None else self.frontier.loss_measure

    @property
    def population(self) -> bool:
        if self.release is not None:
            return self.release.how.population
        return self.frontier is not None and self.frontier.population

    @property
    def quasi(self) -> tuple[str, ...]:
        if self.release is not None:
            return self.release.how.quasi
        return () if self.frontier is None else self.frontier.quasi

    @property
    def domains(self) -> dict[str, int]:
        if self.release is not None:
            return self.release.how.domains
        return {} if self.frontier is None else self.frontier.domains

    @property
    def policy(self) -> tuple[Labels, Ends]:
        if self.release is not None:
            return self.release.how.policy, self.release.how.ends
        return ({}, {}) if self.chosen is None else (self.chosen.policy, self.chosen.ends)

    @property
    def harbor(self) -> TablesReference | None:
        references = () if self.frontier is None else self.frontier.references
        return next((r for r in references if r.name == SAFE_HARBOR), None)

    @property
    def groups(self) -> tuple[GroupSize, ...]:
        return () if self.release is None else self.release.measured.groups

    @property
    def sensitive(self) -> dict[str, tuple[int, float]]:
        """By sensitive column: l-diversity and t-closeness."""
        found = self.release.measured if self.release is not None else self.chosen
        if found is None:
            return {}
        return {n: (l, found.t_closeness.get(n, 0.0)) for n, l in found.l_diversity.items()}


def story(part: Part) -> Story:
    """Return the part of a report about a table."""
    facts = _Facts.of(part)
    told = Story(part.id, "tables", title_for("Table", part), status_of(part))
    told.verdict, told.stats, told.checks = _verdict(facts), _stats(facts), _checks(facts)
    told.published = _published(facts)
    size = None if facts.frontier is None else facts.frontier.frontier_size
    told.tradeoff = [
        search_sentence(part, size=size, measured=True),
        (
            "Each point is a policy: further left, less risk; further up, more information. Risk spans "
            "several decades, so look at the logarithmic view too."
        ),
    ]
    told.tradeoff += _certificate(facts)
    told.attack, told.cost = _attack(facts), _cost(facts)
    told.assumptions = _assumptions(facts)
    expected = facts.expected
    if expected is not None and facts.risk_measure == "population" and facts.told:
        told.here["tables.risk"] = (
            f"{decimal(expected[0], 4)} ÷ {decimal(expected[1], 4)} = {decimal(facts.risk)}"
        )
        told.here["tables.expected"] = (
            f"{decimal(facts.risk)} × {decimal(expected[1], 4)} = {decimal(expected[0])}"
        )
    grids = (
        _policy_grid(facts),
        _example_grid(facts),
        _sensitive_grid(facts),
        _reference_grid(facts),
    )
    told.grids = [g for g in grids if g is not None]
    told.chips = _chips(facts)
    told.charts = _charts(facts)
    known = knowledge_of("sfumato.engines.tables")
    told.glossary, told.method, told.papers = known.glossary, known.method, known.papers
    return told


# --- sentences -----------------------------------------------------------------------------------


def _verdict(facts: _Facts) -> list[str]:
    if not facts.told:
        return ["No candidate has been chosen."]
    risk, utility = facts.risk, facts.utility
    known = listed(list(facts.quasi)) if facts.quasi else "all quasi-identifiers"
    kept = f"[[tables.utility|{percent(utility)}]]"
    expected = facts.expected
    different = _shift_check(facts)
    sentences = [different.text] if different is not None and different.state == "look" else []
    if facts.risk_measure != "population":
        sentences.append(
            f"The {_RISKS.get(facts.risk_measure, 'risk')} is [[tables.risk|{decimal(risk)}]] for an "
            f"attacker who knows {known}; {_LOSSES.get(facts.loss_measure, 'utility')}: {kept}."
        )
    elif expected is not None:
        right, unchanged = expected
        of = f" of {count(facts.records)} records" if facts.records else " records"
        sentences.append(
            f"An attacker who knows {known} of everybody matches about "
            f"[[tables.expected|{about(right)}]]{of} to the right person; unchanged it would be "
            f"{about(unchanged)}."
        )
        sentences.append(
            f"That is a risk of [[tables.risk|{decimal(risk)}]] on a scale where the unchanged table is "
            f"1; {kept} of the information is kept."
        )
    else:
        less = times(1, risk) if risk > 0 else "infinitely many times"
        sentences.append(
            f"To an attacker who knows {known}, this table gives [[tables.risk|{less}]] less than the "
            f"unchanged one (risk {decimal(risk)} of 1); {kept} of the information is kept."
        )
    if facts.harbor is not None:
        sentences.append(_against(risk, utility, facts.harbor))
    return sentences


def _against(risk: float, utility: float, harbor: TablesReference) -> str:
    other = harbor.risk.value
    if math.isclose(risk, other, rel_tol=0.01):
        less = "about the same risk"
    elif 0 < risk < other:
        less = f"{times(other, risk)} less risk"
    elif risk > other > 0:
        less = f"{times(risk, other)} the risk"
    else:
        less = "less risk" if risk < other else "more risk"
    return (
        f"Beside [[tables.safe_harbor|Safe Harbor]] on the explored table it has {less} and keeps "
        f"{percent(utility)} of the information instead of {percent(harbor.utility.value)}."
    )


def _stats(facts: _Facts) -> list[Stat]:
    if not facts.told:
        return []
    found = [
        Stat(decimal(facts.risk), _RISKS.get(facts.risk_measure, facts.risk_measure), "tables.risk")
    ]
    if facts.expected is not None and facts.risk_measure == "population":
        found.append(
            Stat(about(facts.expected[0]), "expected re-identifications", "tables.expected")
        )
    note = "" if facts.loss_nats is None else f"{decimal(facts.loss_nats)} nats lost"
    kept = _LOSSES.get(facts.loss_measure, facts.loss_measure)
    found.append(Stat(percent(facts.utility), kept, "tables.utility", note))
    if facts.k is not None:
        words = f"{plural(facts.k, 'record')} in the smallest published group"
        found.append(Stat(count(facts.k), words, "tables.k"))
    return found


def _checks(facts: _Facts) -> list[Check]:
    checks = []
    harbor = facts.harbor
    if harbor is not None and facts.told:
        if facts.risk <= harbor.risk.value and facts.utility >= harbor.utility.value:
            words = "The policy is no worse than Safe Harbor on risk and on information."
            checks.append(Check("holds", words))
        elif facts.risk > harbor.risk.value:
            words = "The policy carries more risk than Safe Harbor would on the explored table."
            checks.append(Check("look", words))
        else:
            words = (
                "The policy has less risk than Safe Harbor and keeps less information: a trade, not a "
                "gain on both."
            )
            checks.append(Check("open", words))
    if facts.told and not facts.population:
        words = (
            "No population table was given, so the records of the table itself stand for the population. "
            "A larger population makes the true risk smaller; the relative risk of policies may differ."
        )
        checks.append(Check("look", words))
    smallest = facts.smallest_group
    if smallest is not None and smallest < 5:
        words = (
            f"The smallest group has {count(smallest)} {plural(smallest, 'person', 'people')}: the risk "
            "is an average, and some records carry much more of it."
        )
        checks.append(Check("look", words))
    if facts.release is not None and facts.release.how.undeclared_columns_dropped:
        many = facts.release.how.undeclared_columns_dropped
        words = f"{count(many)} {plural(many, 'column')} that the schema does not declare {'was' if many == 1 else 'were'} left out."
        checks.append(Check("holds", words))
    bare = [name for name, (distinct, _) in facts.sensitive.items() if distinct == 1]
    if bare:
        words = (
            f"In some group all records share one value of {listed(bare)}: who belongs to such a group "
            "is known to have it."
        )
        checks.append(Check("look", words))
    return [*checks, *_release_checks(facts)]


def _shift_check(facts: _Facts) -> Check | None:
    release = facts.release
    if release is None:
        return None
    shift = release.measured.shift
    return shift_check(shift, release.sentences, accepted=release.how.accept_shift)


def _release_checks(facts: _Facts) -> list[Check]:
    release = facts.release
    if release is None:
        return []
    checks = [Check("look", f"{words}; the steward accepted this.") for words in release.worse]
    if not release.worse and facts.chosen is not None and facts.chosen.promised:
        kept = measured_check(facts.chosen.risk.value, release.measured.risk)
        if kept is not None:
            checks.append(kept)
    more = (_shift_check(facts), withheld_check(facts.part))
    return [*checks, *(check for check in more if check is not None)]


def _published(facts: _Facts) -> list[str]:
    found = [chosen_sentence(facts.part)]
    if facts.records:
        words = f"{count(facts.records)} records; quasi-identifiers: {listed(list(facts.quasi))}."
        found.append(words)
    if facts.release is not None:
        how = facts.release.how
        if how.identifiers_dropped:
            found.append(f"Identifiers left out: {listed(list(how.identifiers_dropped))}.")
        if how.columns_kept:
            found.append(f"Published as they are: {listed(list(how.columns_kept))}.")
        found += [f"{name}: {words}." for name, words in how.columns_treated.items()]
    return found


def _attack(facts: _Facts) -> list[str]:
    people = "in the population" if facts.population else "in the table"
    sentences = [
        (
            "The attacker knows the quasi-identifiers of everybody and links each record to the people "
            f"{people} who fit its published values. The fewer fit, the better the guess: one in g."
        )
    ]
    if facts.groups:
        total = sum(g.records for g in facts.groups) or 1
        small = sum(g.records for g in facts.groups if g.high is not None and g.high < 5)
        sentences.append(
            f"[[tables.groups|{percent(small / total)}]] of the records are in groups of fewer than five "
            "people."
        )
    return sentences


def _certificate(facts: _Facts) -> list[str]:
    """Return what was proven about policies that nobody has looked at."""
    frontier = facts.frontier
    if frontier is None or frontier.certificate is None:
        return []
    proof = frontier.certificate
    found = []
    if proof.exact:
        found.append(
            "It was proven that no policy of this kind is better than the frontier on both sides."
        )
    elif frontier.area > 0:
        gap = percent(1 - proof.area / frontier.area)
        found.append(
            "It was proven that the area under the frontier of all policies of this kind is at least "
            f"[[tables.certificate|{decimal(proof.area)}]], {gap} below the one found."
        )
    if facts.chosen is not None:
        best = percent(proof.utility_at(facts.chosen.risk.value))
        found.append(
            f"No policy of this kind keeps more than [[tables.certificate|{best}]] of the information at "
            "this candidate's risk."
        )
    return found


def _cost(facts: _Facts) -> list[str]:
    if not facts.told:
        return []
    nats = "" if facts.loss_nats is None else f" ([[tables.loss|{decimal(facts.loss_nats)} nats]])"
    lost = percent(1 - facts.utility)
    sentences = [
        (
            f"The policy gives up [[tables.utility|{lost}]] of the information in the quasi-identifiers"
            f"{nats}. {_other_columns(facts)}"
        )
    ]
    harbor = facts.harbor
    if harbor is None:
        return sentences
    risk, loss = harbor.risk_at_same_loss, harbor.loss_at_same_risk
    if risk is not None and risk < 0.99 * harbor.risk.value:
        much = times(harbor.risk.value, risk) if risk > 0 else "infinitely many times"
        sentences.append(
            "With at least the information of Safe Harbor, the frontier goes down to a risk of "
            f"{decimal(risk)}, {much} less than Safe Harbor's {decimal(harbor.risk.value)}."
        )
    if (
        loss is not None
        and percent(1 - loss) != percent(harbor.utility.value)
        and loss < harbor.loss
    ):
        sentences.append(
            f"At no more than its risk, up to {percent(1 - loss)} of the information can be kept instead "
            f"of {percent(harbor.utility.value)}."
        )
    return sentences


def _other_columns(facts: _Facts) -> str:
    treated = {} if facts.release is None else facts.release.measured.columns
    if not treated:
        return "Other columns are published as they are, unless the schema says otherwise."
    lost = [f"{name} by {decimal(loss.distance)}" for name, loss in treated.items()]
    return (
        f"Numbers of other columns changed on average, in √2 standard deviations: {listed(lost)}."
    )


def _assumptions(facts: _Facts) -> list[str]:
    population = (
        "The population table covers everybody whom the attacker may confuse with a person of the table."
        if facts.population
        else "No population table was given: the table itself stands for the population, which overstates "
        "the risk when it is a sample of something larger."
    )
    found = [
        (
            "The attacker knows all quasi-identifiers of everybody, exactly and without mistakes, and nothing "
            "else about them."
        ),
        population,
        "Where the population shows fewer people than the table does, the table's own count is used.",
        (
            "The risk is an average over records relative to the unchanged table; it bounds no single person's "
            "risk."
        ),
        (
            "Sensitive columns are published unchanged: if all people of a group share a sensitive value, "
            "belonging to the group reveals it."
        ),
        (
            "Releases compose: publishing the same people again under another policy gives an attacker the "
            "intersection of both."
        ),
    ]
    if facts.frontier is not None:
        found += [s for s in facts.frontier.assumptions if not s.startswith("No population")]
    return found


# --- tables and charts ---------------------------------------------------------------------------


def _attribute_words(labels: tuple[str, ...], ends: tuple[int, ...], size: int) -> str:
    if len(ends) == size:
        return f"published unchanged ({count(size)} values)"
    if len(ends) == 1:
        return "removed (one single group)"
    widths = [high - low for low, high in zip((-1, *ends[:-1]), ends, strict=True)]
    label = labels[widths.index(max(widths))]
    label = label if len(label) <= 40 else label[:39] + "…"
    return f"published in {count(len(ends))} groups, the widest {label}"


def _policy_grid(facts: _Facts) -> Grid | None:
    labels, ends = facts.policy
    if not ends:
        return None
    harbor = facts.harbor
    heads: list[tuple[str, str | None]] = [("Attribute", None), ("This policy", "tables.policy")]
    if harbor is not None:
        heads.append(("Safe Harbor", "tables.safe_harbor"))
    rows = []
    for name in facts.quasi:
        size = facts.domains[name]
        row = [name, _attribute_words(labels[name], ends[name], size)]
        if harbor is not None:
            row.append(
                _attribute_words(harbor.policy[name], harbor.ends[name], size)
                if name in harbor.ends
                else "–"
            )
        rows.append(tuple(row))
    return Grid("published", "The policy in words", tuple(heads), tuple(rows), words=True)


def _stride(size: int) -> int:
    """Return a step through so many intervals that visits them far apart."""
    step = max(round(size * 0.382), 1)
    while math.gcd(step, size) > 1:
        step += 1
    return step


def _example_grid(facts: _Facts) -> Grid | None:
    """Show made-up people as this policy and as Safe Harbor would publish them.

    A made-up person is a place in each domain; the interval that holds it gives the label.
    """
    labels, ends = facts.policy
    if not ends:
        return None
    harbor = facts.harbor
    rows = []
    for person in range(_EXAMPLES):
        places = []
        for j, name in enumerate(facts.quasi):
            at = (person * _stride(len(ends[name])) + j) % len(ends[name])
            places.append(ends[name][at])
        shown = [
            labels[n][bisect_left(ends[n], p)] for n, p in zip(facts.quasi, places, strict=True)
        ]
        rows.append((str(person + 1), "this policy", *shown))
        if harbor is not None and set(facts.quasi) == set(harbor.ends):
            other = [
                harbor.policy[n][bisect_left(harbor.ends[n], p)]
                for n, p in zip(facts.quasi, places, strict=True)
            ]
            rows.append((str(person + 1), "Safe Harbor", *other))
    heads = (("Person", None), ("Published under", None), *((n, None) for n in facts.quasi))
    return Grid("cost", "Made-up people, side by side", heads, tuple(rows), words=True)


def _sensitive_grid(facts: _Facts) -> Grid | None:
    if not facts.sensitive:
        return None
    heads = (
        ("Sensitive column", None),
        ("Fewest different values", "tables.l"),
        ("Largest distance", "tables.t"),
    )
    rows = tuple((n, count(l), f"{t:.2f}") for n, (l, t) in facts.sensitive.items())
    return Grid("attack", "What belonging to a group reveals", heads, rows)


def _reference_grid(facts: _Facts) -> Grid | None:
    return reference_grid(
        facts.part,
        risk=("Risk", "tables.risk"),
        utility=("Information kept", "tables.utility"),
        risk_words=decimal,
    )


def _chips(facts: _Facts) -> list[Chips]:
    labels, ends = facts.policy
    return [
        Chips(
            "published",
            f"Groups of {name}",
            labels[name][:_SHOWN],
            more=max(0, len(labels[name]) - _SHOWN),
        )
        for name in facts.quasi
        if name in ends and 1 < len(ends[name]) < facts.domains[name]
    ]


def _charts(facts: _Facts) -> list[Chart]:
    frontier = facts.frontier
    found: list[Chart | None] = []
    if frontier is not None:
        axes = Axes(
            risk=_RISKS.get(frontier.risk_measure, frontier.risk_measure),
            utility=_LOSSES.get(frontier.loss_measure, frontier.loss_measure),
            utility_name=_LOSSES.get(frontier.loss_measure, "utility"),
            utility_format="%",
            logarithmic_first=frontier.risk_measure == "population",
        )
        found.append(
            frontier_chart(
                facts.part, axes, visited=frontier.visited, visited_total=frontier.visited_total
            )
        )
        found.append(area_chart(facts.part, frontier.trace))
    before = () if frontier is None else frontier.groups_before
    found.append(groups_chart(facts.part.id, facts.groups, before))
    return [chart for chart in found if chart is not None]
