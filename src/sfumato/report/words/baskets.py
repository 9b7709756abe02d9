"""What the baskets engine's part says: k never stands alone."""

from __future__ import annotations

from ...presentation.numbers import count, percent, plural
from ..facts.model import BasketRow, BasketsPart
from .shared import (
    chosen_sentence,
    command,
    reference_grid,
    search_sentence,
    status_of,
    title_for,
    withheld_check,
)
from .story import Check, Grid, Stat, Story

__all__ = ["baskets_story"]


def _verdict(part: BasketsPart) -> list[str]:
    choice = part.choice
    if choice is None:
        return ["No candidate has been chosen."]
    reached = choice.ac if choice.ac is not None else choice.k
    sentences = [
        f"Whoever knows features that a person has is left with at least [[baskets.ac|{count(reached)} rows]] that fit."
    ]
    if choice.unique_share is not None:
        sentences.append(
            f"But [[baskets.unique|{percent(choice.unique_share)}]] of the rows are exactly unique: whoever also knows "
            "what a person does not have can single them out."
        )
    known = next((a for a in part.absences if a.absences == 1), None)
    if known is not None and known.ac < reached:
        least = f"{count(known.ac)} {plural(known.ac, 'row')}"
        sentences.append(f"When a single absence is known too, {'as few as' if known.exact else 'perhaps only'} [[baskets.absences|{least}]] may fit.")  # fmt: skip
    if choice.auc is not None:
        every = f", against {part.all_features_auc:.3f} with all of them" if part.all_features_auc is not None else ""  # fmt: skip
        kept = "" if choice.count is None else f"[[baskets.count|{count(choice.count)} {plural(choice.count, 'feature')}]] {'are' if part.published else 'would be'} published; "  # fmt: skip
        sentences.append(f"{kept}a classifier reaches an AUC of [[baskets.auc|{choice.auc:.3f}]]{every}.")  # fmt: skip
    return sentences


def _stats(part: BasketsPart) -> list[Stat]:
    choice = part.choice
    if choice is None:
        return []
    found = [Stat(count(choice.ac if choice.ac is not None else choice.k), f"rows fit at least (k = {count(choice.k)} asked for)", "baskets.ac")]  # fmt: skip
    if choice.unique_share is not None:
        found.append(Stat(percent(choice.unique_share), "of the rows unique, absences known", "baskets.unique"))  # fmt: skip
    if choice.auc is not None:
        ends = choice.auc_interval
        found.append(Stat(f"{choice.auc:.3f}", "AUC", "baskets.auc", f"{ends[0]:.3f}–{ends[1]:.3f}" if ends else ""))  # fmt: skip
    if choice.count is not None:
        of = f" of {count(part.features_in)}" if part.features_in else ""
        found.append(Stat(count(choice.count), f"features kept{of}", "baskets.count"))
    return found


def _checks(part: BasketsPart) -> list[Check]:
    choice = part.choice
    checks = []
    if choice is not None:
        if choice.ac is not None:
            state = "holds" if choice.ac >= choice.k else "look"
            checks.append(Check(state, f"The rows that fit any known presences number {count(choice.ac)} or more; {count(choice.k)} were asked for."))  # type: ignore[arg-type]  # fmt: skip
        if choice.unique_share is not None and choice.unique_share > 0:
            checks.append(Check("look", f"{percent(choice.unique_share)} of the rows are exactly unique. k by containment does not protect them from someone who knows absences."))  # fmt: skip
        elif choice.unique_share == 0:
            checks.append(Check("holds", "No row is exactly unique."))
    if choice is not None and part.measured_ac is not None:
        state = "holds" if part.measured_ac >= choice.k else "look"
        unique = (
            ""
            if part.measured_unique is None
            else f" and {percent(part.measured_unique)} unique rows"
        )
        checks.append(Check(state, f"The published file was read back and measured again: AC {count(part.measured_ac)}{unique}."))  # type: ignore[arg-type]  # fmt: skip
    checks += [c for c in [withheld_check(part)] if c]
    return checks


def _grid(part: BasketsPart) -> Grid | None:
    if not part.candidates:
        return None
    heads = (("k", "baskets.k"), ("AC", "baskets.ac"), ("Unique rows", "baskets.unique"), ("Features", "baskets.count"), ("AUC", "baskets.auc"), ("Selector", None))  # fmt: skip

    def row(r: BasketRow) -> tuple[str, ...]:
        return (
            count(r.k),
            "–" if r.ac is None else count(r.ac),
            "–" if r.unique_share is None else percent(r.unique_share),
            "–" if r.count is None else count(r.count),
            "–" if r.auc is None else f"{r.auc:.3f}",
            r.selector or "–",
        )

    marked = next((i for i, r in enumerate(part.candidates) if part.choice and r.id == part.choice.id), None)  # fmt: skip
    return Grid("Every candidate", heads, tuple(row(r) for r in part.candidates), marked)


def _attack_words(part: BasketsPart) -> list[str]:
    sentences = [
        (
            "k by containment protects against someone who knows what a person HAS. It does not protect "
            "against someone who also knows what a person has NOT; the charts show both, side by side."
        )
    ]
    if part.absences:
        last = part.absences[-1]
        sentences.append(f"With [[baskets.absences|{count(last.absences)}]] known {plural(last.absences, 'absence')}, {'as few as' if last.exact else 'perhaps only'} {count(last.ac)} {plural(last.ac, 'row')} may fit.")  # fmt: skip
    return sentences


def _assumptions() -> list[str]:
    return [
        "Only presences are known to the attacker; uniqueness and known absences are reported because this is often not so.",
        "Each row is one person. People with several rows are less protected than k says.",
        "The class labels are published with the features and are not counted as knowledge of the attacker.",
        "The AUC is estimated by cross-validation on these rows; it is not a promise for other data.",
        "No approximation ratio is claimed for the selection: the constraint is not one for which the greedy theorem holds.",
        "Releases compose: publishing another feature set of the same people may break k.",
    ]


def _commands(part: BasketsPart) -> list[str]:
    matrix = part.inputs[0].name if part.inputs else "MATRIX"
    labels = part.inputs[1].name if len(part.inputs) > 1 else "LABELS"
    explore: list[object] = ["sfumato", "baskets", "explore", matrix, "--labels", labels]
    ks = sorted({r.k for r in part.candidates})
    if ks:
        explore += ["--k", ",".join(str(k) for k in ks)]
    selectors = [
        s for s in dict.fromkeys(r.selector for r in part.candidates) if s and s != "other"
    ]
    if selectors:
        explore += ["--selector", ",".join(selectors)]
    if part.folds:
        explore += ["--folds", part.folds]
    if part.stop:
        explore += ["--stop", part.stop]
    commands = [command(*explore, "--seed", part.seed, "--out", "exploration")]
    if part.published and part.chosen is not None:
        out = part.outputs[0].name if part.outputs else "FILE"
        commands.append(command("sfumato", "baskets", "publish", "exploration", matrix, "--choose", part.chosen.id, "--out", out))  # fmt: skip
    return commands


def baskets_story(part: BasketsPart) -> Story:
    """Tell the baskets part."""
    story = Story(part.id, "baskets", title_for("Baskets", part), status_of(part))
    story.verdict, story.stats, story.checks = _verdict(part), _stats(part), _checks(part)
    story.published = [chosen_sentence(part)]
    if part.rows:
        of = f" and {count(part.features_in)} features" if part.features_in else ""
        story.published.append(f"{count(part.rows)} rows{of} went in.")
    story.tradeoff = [search_sentence(part, "baskets"), "Each point is a feature set: further left, more rows share what a person has; further up, better classification."]  # fmt: skip
    story.attack = _attack_words(part)
    choice = part.choice
    if choice is not None and choice.auc is not None and part.all_features_auc is not None:
        story.cost = [f"The selection gives up [[baskets.auc|{part.all_features_auc - choice.auc:.3f}]] of AUC against all features ({choice.auc:.3f} instead of {part.all_features_auc:.3f})."]  # fmt: skip
    story.assumptions, story.commands = _assumptions(), _commands(part)
    if choice is not None:
        story.here["baskets.risk"] = f"1 ÷ {count(choice.k)} = {percent(1 / choice.k)}"
    grids = {"candidates": _grid(part), "references": reference_grid(part, "baskets", "Risk 1/k", "AUC")}  # fmt: skip
    story.grids = {k: g for k, g in grids.items() if g is not None}
    return story
