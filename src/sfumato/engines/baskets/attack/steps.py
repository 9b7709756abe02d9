"""The attack command: candidates of an exploration, built again from the original and attacked, or releases together."""

from __future__ import annotations

from pathlib import Path

from ....core.composition.releases import measure_each, record_of
from ....core.engine import Call
from ....core.errors import ParameterError
from ....core.files import read_json, sha256_of
from ..exploration import BasketsExploration
from ..matrix.binary import as_binary
from ..records import BasketsAttack, BasketsCandidate, BasketsRelease, CandidateAttack
from ..remake import remake
from ..request import BasketsAttackRequest
from .linkage import Attackers, link, sample_people
from .people import PublishedPeople
from .together import measure_composition

__all__ = ["attack"]


def attack(request: BasketsAttackRequest, call: Call) -> BasketsAttack:
    """Attack the chosen candidates of an exploration; or measure a release together with earlier ones."""
    if record_of(request.directory).is_file():
        return _attack_together(request, call)
    if request.matrix is None or len(request.earlier) > 1:
        raise ParameterError(
            "Candidates are attacked with the data, and by way of one other candidate at most.",
            hint="name the matrix, or a release and --with earlier ones.",
        )
    linked_from = str(request.earlier[0]) if request.earlier else None
    exploration = BasketsExploration.load(Path(request.directory))
    baskets = request.as_explored(exploration.record.request).baskets()
    original = as_binary(baskets.matrix)
    people = sample_people(original, request.people, request.seed)
    attackers = Attackers(
        original, people, items=[m or None for m in request.items], absences=request.absences,
        seed=request.seed,
    )  # fmt: skip
    chosen = [exploration.candidate(name) for name in request.candidates] or list(exploration)
    seed = exploration.record.seed
    other = None
    if linked_from is not None:
        other = remake(exploration.candidate(linked_from), baskets, seed).matrix
    found = []
    for candidate in chosen:
        made = remake(candidate, baskets, seed)
        findings = attackers.on(made.matrix, made.rows)
        if other is not None:
            findings += (link(other, made.matrix, made.rows, people=people),)
        found.append(
            CandidateAttack(
                candidate=candidate.id, k=candidate.k, findings=findings, linked_from=linked_from
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


def _attack_together(request: BasketsAttackRequest, call: Call) -> BasketsAttack:
    """Measure what a release and earlier ones give away together."""
    if not request.earlier:
        raise ParameterError(
            "A release is attacked together with earlier ones.", hint="name them by --with."
        )
    record = record_of(request.directory)
    published = BasketsRelease.from_json(read_json(record), file=record.name)
    later = PublishedPeople.of(request.directory)
    found = measure_each(
        request.earlier,
        PublishedPeople.of,
        lambda before: measure_composition(before, later),
        call,
        hint="people are known by the column of a log, the rows of a matrix in the same file only, under one "
        "private key.",
    )
    return BasketsAttack(
        engine="baskets",
        candidate=published.candidate,
        frontier=published.frontier,
        release=sha256_of(record),
        request=request.to_record(),
        compositions=found,
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
