"""What the tables engine's part says."""

from __future__ import annotations

from ...presentation.numbers import about, count, decimal, listed, percent, plural
from ..facts.model import AttributePolicy, Policy, ReferencePoint, TablesPart
from .shared import (
    chosen_sentence,
    command,
    measured_check,
    reference_grid,
    search_sentence,
    status_of,
    times,
    title_for,
    withheld_check,
)
from .story import Check, Grid, Stat, Story

__all__ = ["LOSS_WORDS", "RISK_WORDS", "attribute_words", "tables_story"]

RISK_WORDS = {
    "population": "re-identification risk (unchanged table = 1)",
    "prosecutor": "highest chance to name one record",
    "small-groups": "share of records in small groups",
}
LOSS_WORDS = {
    "kl": "information kept",
    "class-size": "fineness of the groups kept",
    "mutual-information": "information about the target kept",
}


def attribute_words(attribute: AttributePolicy) -> str:
    """Say what a policy does with one attribute."""
    if attribute.treatment == "removed":
        return "removed (one single group)"
    if attribute.treatment == "unchanged":
        return f"published unchanged ({count(attribute.intervals)} values)"
    wide = ""
    if attribute.widest is not None:
        label = attribute.widest if len(attribute.widest) <= 40 else attribute.widest[:39] + "…"
        wide = f", the widest {label}"
    return f"published in {count(attribute.intervals)} groups{wide}"


def _harbor(part: TablesPart) -> ReferencePoint | None:
    return next((r for r in part.references if r.name == "Safe Harbor"), None)


def _people(part: TablesPart) -> str:
    return "in the population" if part.population else "in the table"


def _verdict(part: TablesPart) -> list[str]:
    if part.chosen is None:
        return ["No candidate has been chosen."]
    risk, utility = part.chosen.risk, part.chosen.utility
    known = listed(list(part.quasi)) if part.quasi else "all quasi-identifiers"
    sentences = []
    if part.risk_measure != "population":
        sentences.append(f"The {RISK_WORDS[part.risk_measure]} is [[tables.risk|{decimal(risk)}]] for an attacker who knows {known}; {LOSS_WORDS[part.loss_measure]}: [[tables.utility|{percent(utility)}]].")  # fmt: skip
    elif part.max_risk is not None:
        right, unchanged = part.max_risk * risk, part.max_risk
        of = f" of {count(part.rows)} records" if part.rows else " records"
        sentences.append(
            f"An attacker who knows {known} of everybody matches about "
            f"[[tables.expected|{about(right)}]]{of} to the right person; unchanged it would be {about(unchanged)}."
        )
        sentences.append(f"That is a risk of [[tables.risk|{decimal(risk)}]] on a scale where the unchanged table is 1; [[tables.utility|{percent(utility)}]] of the information is kept.")  # fmt: skip
    else:
        sentences.append(
            f"To an attacker who knows {known}, this table gives "
            f"[[tables.risk|{times(1, risk) if risk > 0 else 'infinitely many times'}]] less than the unchanged one (risk {decimal(risk)} of 1); "
            f"[[tables.utility|{percent(utility)}]] of the information is kept."
        )
    harbor = _harbor(part)
    if harbor is not None:
        sentences.append(_against(risk, utility, harbor))
    return sentences


def _against(risk: float, utility: float, harbor: ReferencePoint) -> str:
    less = f"{times(harbor.risk, risk)} less risk" if 0 < risk < harbor.risk else (
        "the same risk" if risk == harbor.risk else f"{times(risk, harbor.risk)} the risk" if harbor.risk > 0 else "more risk")  # fmt: skip
    more = f"keeps {percent(utility)} of the information instead of {percent(harbor.utility)}"
    return f"Beside [[tables.safe_harbor|Safe Harbor]] on the same data it has {less} and {more}."


def _stats(part: TablesPart) -> list[Stat]:
    found = []
    if part.chosen is not None:
        found.append(Stat(decimal(part.chosen.risk), RISK_WORDS[part.risk_measure], "tables.risk"))
        if part.max_risk is not None and part.risk_measure == "population":
            found.append(Stat(about(part.chosen.risk * part.max_risk), "expected re-identifications", "tables.expected"))  # fmt: skip
        note = "" if part.loss_nats is None else f"{decimal(part.loss_nats)} nats lost"
        found.append(Stat(percent(part.chosen.utility), LOSS_WORDS[part.loss_measure], "tables.utility", note))  # fmt: skip
    if part.k is not None:
        found.append(Stat(count(part.k), f"{plural(part.k, 'record')} in the smallest published group", "tables.k"))  # fmt: skip
    elif part.smallest_group is not None:
        found.append(Stat(count(part.smallest_group), f"{plural(part.smallest_group, 'person', 'people')} in the smallest group", "tables.groups"))  # fmt: skip
    return found


def _checks(part: TablesPart) -> list[Check]:
    checks = []
    harbor = _harbor(part)
    if harbor is not None and part.chosen is not None:
        better = part.chosen.risk <= harbor.risk and part.chosen.utility >= harbor.utility
        if better:
            checks.append(Check("holds", "The policy is no worse than Safe Harbor on risk and on information."))  # fmt: skip
        elif part.chosen.risk > harbor.risk:
            checks.append(Check("look", "The policy carries more risk than Safe Harbor would on this table."))  # fmt: skip
        else:
            checks.append(Check("open", "The policy has less risk than Safe Harbor and keeps less information: a trade, not a gain on both."))  # fmt: skip
    if part.population is False or part.population is None:
        checks.append(Check("look", "No population table was given, so the records of the table itself stand for the population. A larger population makes the true risk smaller; the relative risk of policies may differ."))  # fmt: skip
    if part.smallest_group is not None and part.smallest_group < 5:
        checks.append(Check("look", f"The smallest group has {count(part.smallest_group)} {plural(part.smallest_group, 'person', 'people')}: the risk is an average, and some records carry much more of it."))  # fmt: skip
    if part.columns_not_in_schema:
        checks.append(Check("look", f"Columns that the schema does not declare are published as they are: {listed(list(part.columns_not_in_schema))}."))  # fmt: skip
    bare = [c.name for c in part.sensitive if c.l_diversity == 1]
    if bare:
        checks.append(Check("look", f"In some group all records share one value of {listed(bare)}: who belongs to such a group is known to have it."))  # fmt: skip
    checks += [c for c in (measured_check(part), withheld_check(part)) if c]
    return checks


def _sensitive_grid(part: TablesPart) -> Grid | None:
    if not part.sensitive:
        return None
    heads = (("Sensitive column", None), ("Fewest different values", "tables.l"), ("Largest distance", "tables.t"))  # fmt: skip
    rows = tuple(
        (
            column.name,
            "–" if column.l_diversity is None else count(column.l_diversity),
            "–" if column.t_closeness is None else f"{column.t_closeness:.2f}",
        )
        for column in part.sensitive
    )
    return Grid("What belonging to a group reveals", heads, rows)


def _policy_grid(part: TablesPart) -> Grid | None:
    if part.policy is None:
        return None
    harbor = {a.name: a for a in part.safe_harbor.attributes} if part.safe_harbor else {}
    heads: list[tuple[str, str | None]] = [("Attribute", None), ("This policy", "tables.policy")]
    if harbor:
        heads.append(("Safe Harbor", "tables.safe_harbor"))
    rows = []
    for attribute in part.policy.attributes:
        row = [attribute.name, attribute_words(attribute)]
        if harbor:
            row.append(attribute_words(harbor[attribute.name]) if attribute.name in harbor else "–")
        rows.append(tuple(row))
    return Grid("The policy in words", tuple(heads), tuple(rows))


def _example_grid(policy: Policy | None, harbor: Policy | None) -> Grid | None:
    """Show made-up people as this policy and as Safe Harbor would publish them."""
    if policy is None or not policy.example:
        return None
    heads = (
        ("Person", None),
        ("Published under", None),
        *((a.name, None) for a in policy.attributes),
    )
    same = harbor is not None and [a.name for a in harbor.attributes] == [
        a.name for a in policy.attributes
    ]
    rows = []
    for person, row in enumerate(policy.example):
        rows.append((str(person + 1), "this policy", *row))
        if harbor is not None and same:
            rows.append((str(person + 1), "Safe Harbor", *harbor.example[person]))
    return Grid("Made-up people, side by side", heads, tuple(rows))


def _attack_words(part: TablesPart) -> list[str]:
    sentences = [
        (
            "The attacker knows the quasi-identifiers of everybody and links each record to the people "
            f"{_people(part)} who fit its published values. The fewer fit, the better the guess: one in g."
        )
    ]
    if part.groups:
        total = sum(g.records for g in part.groups) or 1
        small = sum(g.records for g in part.groups if g.high is not None and g.high < 5)
        sentences.append(f"[[tables.groups|{percent(small / total)}]] of the records are in groups of fewer than five people.")  # fmt: skip
    return sentences


def _cost_words(part: TablesPart) -> list[str]:
    if part.chosen is None:
        return []
    nats = "" if part.loss_nats is None else f" ([[tables.loss|{decimal(part.loss_nats)} nats]])"
    sentences = [f"The policy gives up [[tables.utility|{percent(1 - part.chosen.utility)}]] of the information in the quasi-identifiers{nats}. Other columns are published as they are."]  # fmt: skip
    harbor = _harbor(part)
    if (
        harbor is not None
        and harbor.same_utility is not None
        and harbor.same_utility.risk < harbor.risk
    ):
        best = harbor.same_utility
        much = times(harbor.risk, best.risk) if best.risk > 0 else "infinitely many times"
        sentences.append(f"With at least the information of Safe Harbor, the frontier goes down to a risk of {decimal(best.risk)} (candidate {best.id}), {much} less than Safe Harbor's {decimal(harbor.risk)}.")  # fmt: skip
    if (
        harbor is not None
        and harbor.same_risk is not None
        and harbor.same_risk.utility > harbor.utility
    ):
        best = harbor.same_risk
        sentences.append(f"At no more than its risk, up to {percent(best.utility)} of the information can be kept (candidate {best.id}) instead of {percent(harbor.utility)}.")  # fmt: skip
    return sentences


def _assumptions(part: TablesPart) -> list[str]:
    population = (
        "The population table covers everybody whom the attacker may confuse with a person of the table."
        if part.population
        else "No population table was given: the table itself stands for the population, which overstates the risk when it is a sample of something larger."
    )
    return [
        "The attacker knows all quasi-identifiers of everybody, exactly and without mistakes, and nothing else about them.",
        population,
        "Where the population shows fewer people than the table does, the table's own count is used.",
        "The risk is an average over records relative to the unchanged table; it bounds no single person's risk.",
        "Sensitive columns are published unchanged: if all people of a group share a sensitive value, belonging to the group reveals it.",
        "Releases compose: publishing the same people again under another policy gives an attacker the intersection of both.",
    ]


def _commands(part: TablesPart) -> list[str]:
    names = [f.name for f in part.inputs]
    schema = next((n for n in names if n.endswith(".toml")), "SCHEMA.toml")
    data = [n for n in names if not n.endswith(".toml")]
    explore: list[object] = ["sfumato", "tables", "explore", data[0] if data else "TABLE", "--schema", schema]  # fmt: skip
    if part.population:
        explore += ["--population", data[1] if len(data) > 1 else "POPULATION.csv"]
    if part.search.strategy:
        explore += ["--strategy", part.search.strategy]
    if part.search.budget:
        explore += ["--evaluations", part.search.budget]
    commands = [command(*explore, "--seed", part.seed, "--out", "exploration")]
    if part.published and part.chosen is not None:
        out = part.outputs[0].name if part.outputs else "FILE"
        commands.append(command("sfumato", "tables", "publish", "exploration", data[0] if data else "TABLE", "--choose", part.chosen.id, "--out", out))  # fmt: skip
    return commands


def tables_story(part: TablesPart) -> Story:
    """Tell the tables part."""
    story = Story(part.id, "tables", title_for("Table", part), status_of(part))
    story.verdict, story.stats, story.checks = _verdict(part), _stats(part), _checks(part)
    story.published = [chosen_sentence(part)]
    if part.rows:
        story.published.append(f"{count(part.rows)} records; quasi-identifiers: {listed(list(part.quasi))}.")  # fmt: skip
    if part.identifiers_removed:
        story.published.append(f"Identifiers left out: {listed(list(part.identifiers_removed))}.")
    if part.columns_kept:
        story.published.append(f"Published as they are: {listed(list(part.columns_kept))}.")
    story.tradeoff = [search_sentence(part, "tables"), "Each point is a policy: further left, less risk; further up, more information. Risk spans several decades, so look at the logarithmic view too."]  # fmt: skip
    story.attack, story.cost = _attack_words(part), _cost_words(part)
    story.assumptions, story.commands = _assumptions(part), _commands(part)
    if part.chosen is not None and part.max_risk is not None and part.risk_measure == "population":
        story.here["tables.risk"] = f"{decimal(part.chosen.risk * part.max_risk, 4)} ÷ {decimal(part.max_risk, 4)} = {decimal(part.chosen.risk)}"  # fmt: skip
        story.here["tables.expected"] = f"{decimal(part.chosen.risk)} × {decimal(part.max_risk, 4)} = {decimal(part.chosen.risk * part.max_risk)}"  # fmt: skip
    grids = {"policy": _policy_grid(part), "sensitive": _sensitive_grid(part),
             "example": _example_grid(part.policy, part.safe_harbor),
        "references": reference_grid(part, "tables", "Risk", "Information kept")}  # fmt: skip
    story.grids = {k: g for k, g in grids.items() if g is not None}
    return story
