"""The attack command: candidates of an exploration, built again from the original and attacked."""

from __future__ import annotations

from pathlib import Path

from ....core.engine import Call
from ..exploration import BasketsExploration
from ..matrix.binary import as_binary
from ..records import BasketsAttack, BasketsCandidate, CandidateAttack
from ..remake import remake
from ..request import BasketsAttackRequest
from .linkage import Attackers, link, sample_people

__all__ = ["attack"]


def attack(request: BasketsAttackRequest, call: Call) -> BasketsAttack:
    """Attack the chosen candidates of an exploration."""
    exploration = BasketsExploration.load(Path(request.directory))
    baskets = request.baskets()
    original = as_binary(baskets.matrix)
    people = sample_people(original, request.people, request.seed)
    attackers = Attackers(
        original, people, items=[m or None for m in request.items], absences=request.absences,
        seed=request.seed,
    )  # fmt: skip
    chosen = [exploration.candidate(name) for name in request.candidates] or list(exploration)
    seed = exploration.record.seed
    other = None
    if request.link is not None:
        other = remake(exploration.candidate(request.link), baskets, seed).matrix
    found = []
    for candidate in chosen:
        made = remake(candidate, baskets, seed)
        findings = attackers.on(made.matrix, made.rows)
        if other is not None:
            findings += (link(other, made.matrix, made.rows, people=people),)
        found.append(
            CandidateAttack(
                candidate=candidate.id, k=candidate.k, findings=findings, linked_from=request.link
            )
        )
        for line in _lines(candidate, found[-1]):
            call.say(line)
        call.progress(total=len(chosen))
    only = chosen[0].id if len(chosen) == 1 else None
    return BasketsAttack(
        engine="baskets",
        candidate=only,
        frontier=exploration.record.current_mark(),
        request=request.to_record(),
        attacks=tuple(found),
    )


def _lines(candidate: BasketsCandidate, found: CandidateAttack) -> list[str]:
    rows = [
        f"{candidate.id} (promised: at most {1 / candidate.k:.3f} to one who {candidate.risk.attacker})"
    ]
    for f in found.findings:
        known = "all items" if f.items is None else f"{f.items} {f.attacker} items"
        known += f", {f.absences} absences" if f.absences else ""
        rows.append(
            f"  {known:28} right {f.before:6.1%} before, {f.after:6.1%} after "
            f"({f.after_interval[0]:.1%}–{f.after_interval[1]:.1%}), at most {f.highest:.3f}; "
            f"rows left {f.rows_before:,.0f} before, {f.rows_after:,.0f} after"
        )
    return rows
