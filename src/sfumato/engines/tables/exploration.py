"""The frontier of a table: candidates are policies, and a folder holds what publishing needs later."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from ...core.errors import ModelError
from ...core.exploration import Exploration
from ...core.measures import Risk, Utility
from ...core.records import FrontierRecord
from .records import TablesCandidate, TablesFrontier, constant_columns

if TYPE_CHECKING:
    from ...core.frontier import Frontier
    from ...data.table import Table
    from .analysis import AnalystLoss
    from .payload import TablesPayload
    from .space.policy import Policy

__all__ = [
    "KEPT",
    "NO_POPULATION",
    "TablesExploration",
    "attacker_of",
    "candidate_without_promise",
    "partial_population",
]

ATTACKER = "knows the quasi-identifiers and the population"
ATTACKER_OF_SAMPLE = "knows the quasi-identifiers and who is in the table"
ATTACKER_OF_HISTORIES = "knows the quasi-identifiers of all rows of everybody in the table"
KEPT = "the distribution of the quasi-identifiers"
_LISTED = 12


def attacker_of(table: Table) -> str:
    """Return what an attacker knows, in words, by what the table is measured against."""
    if table.schema.joined:
        return ATTACKER_OF_HISTORIES
    return ATTACKER if table.population_codes is not None else ATTACKER_OF_SAMPLE


NO_POPULATION = "No population was given: the table is used as the population, which overstates the risk of a sample."
"""An assumption of frontier.json; reports say it in their own sentence."""


def partial_population(names: Sequence[str], covered: Sequence[str]) -> str:
    """Return the assumptions about a population without some of the quasi-identifiers."""
    lacking = [name for name in names if name not in covered]
    return (
        f"The population does not have {', '.join(lacking)[:300]}: its people are taken to have these values as "
        "often as the records that agree with them in the others, so the figures about the population are "
        "modelled. Further estimates take the table as a random sample of those people."
    )


class TablesExploration(Exploration[TablesFrontier, TablesCandidate]):
    """The frontier of a table. When it holds very many policies, `candidates` is an even selection.

    Parameters
    ----------
    record : TablesFrontier
        The content of frontier.json.
    payload : TablesPayload
        What a publication is checked against.
    policies : mapping of str to Policy
        The policies of the references, by name.

    """

    Record = TablesFrontier

    def __init__(
        self, record: TablesFrontier, payload: TablesPayload, policies: Mapping[str, Policy]
    ) -> None:
        super().__init__(record)
        self.payload = payload
        self.policies = dict(policies)

    def area(self) -> float:
        """Return the area under the whole frontier, of which the candidates may be a selection."""
        return self.record.full_area

    @classmethod
    def knee_of(
        cls, record: FrontierRecord, frontier: Frontier[TablesCandidate]
    ) -> TablesCandidate:
        """Return the knee of the frontier of a table.

        This is the candidate farthest above the straight line between the two ends, or one that leaves fewer columns
        the same for everybody, where it has at most twice the risk and is at least half as far above the line.
        """
        assert isinstance(record, TablesFrontier)
        domains = record.domains
        return frontier.knee(keeps=lambda c: -len(constant_columns(c.ends, domains)))

    def policy(self, candidate: TablesCandidate | str) -> Policy:
        """Return the policy of a candidate, or of a reference by its name."""
        if isinstance(candidate, str) and candidate in self.policies:
            return self.policies[candidate]
        found = self.candidate(candidate) if isinstance(candidate, str) else candidate
        return self.payload.lattice.from_hex(found.bits)

    def candidate_of(self, policy: Policy | str | os.PathLike[str]) -> TablesCandidate:
        """Return the candidate of a policy or policy file; an unlisted policy promises nothing."""
        from .space.policy import Policy
        from .space.policy_files import load_policy

        if not isinstance(policy, Policy):
            policy = load_policy(policy, self.payload.lattice)
        for candidate in self.candidates:
            if candidate.bits == policy.hex:
                return candidate
        return candidate_without_promise(policy)

    def compare(
        self,
        candidate: TablesCandidate | str,
        data: object,
        *,
        columns: Sequence[str] | None = None,
        target: str | None = None,
    ) -> AnalystLoss:
        """Return what analysts lose under a candidate: figures of the table before and after.

        They are computed from the raw table, for the steward alone.

        Parameters
        ----------
        candidate : TablesCandidate or str
            The candidate, its id, or the name of a reference.
        data : path or frame
            The table that was explored.
        columns : sequence of str, optional
            Quasi-identifiers to look at; all without.
        target : str, optional
            A column of numbers, or with two values, for a linear regression on the others.

        """
        from .analysis import compare_analyses

        policy = self.policy(candidate)
        return compare_analyses(self.payload, policy, data, columns=columns, target=target)

    def save_payload(self, folder: Path) -> None:
        """Write policies.json and, where there is a population, population.npz."""
        from .payload import save_payload

        save_payload(self.payload, self.policies, folder)

    @classmethod
    def load_payload(cls, folder: Path, record: FrontierRecord) -> Self:
        """Build the exploration from its record and what `save_payload` wrote."""
        from .payload import load_payload

        assert isinstance(record, TablesFrontier)
        payload, references = load_payload(folder, record)
        for candidate in record.candidates:
            policy = payload.lattice.from_hex(candidate.bits)
            if policy.id != candidate.id or policy.ends() != candidate.ends:
                raise ModelError(
                    "A candidate of the frontier does not fit its policy.",
                    hint="explore the table again.",
                )
        return cls(record, payload, references)

    def lines(self) -> list[str]:
        """Return what the command line prints about the frontier."""
        record = self.record
        found = [
            (
                f"{record.records:,} records, {record.cells:,} distinct; {record.lattice_bits:,} cuts over "
                f"{', '.join(record.quasi)}"
            ),
            (
                f"{record.frontier_size:,} policies on the frontier, area {self.area():.4f}, "
                f"{record.evaluations:,} measured"
            ),
            f"{'id':12} {'risk':>9} {'utility':>8} {'groups':>8} {'k':>5}",
        ]
        rows, knee = list(self), self.knee()
        some = rows[:: max(1, -(-len(rows) // _LISTED))]
        found += [
            f"{c.id:12} {c.risk.value:9.3g} {c.utility.value:8.3f} {c.groups:8,} {c.k:5,}"
            f"{'   knee' if c.id == knee.id else ''}"
            for c in rows
            if c in some or c.id == knee.id
        ]
        for r in record.references:
            found.append(
                f"{r.name:12} {r.risk.value:9.3g} {r.utility.value:8.3f} {r.groups:8,} {r.k:5,}"
            )
            found.append(r.in_words)
        if record.certificate is not None:
            found.append(certificate_words(record))
        found += [f"Note: {sentence}" for sentence in record.assumptions]
        found.append(f"knee: {knee.id}")
        if constant := constant_columns(knee.ends, record.domains):
            found.append(
                f"at the knee the same for everybody (published as *): {', '.join(constant)}"
            )
        return found


def certificate_words(record: TablesFrontier) -> str:
    """Return in a sentence what was proven about the frontier."""
    proof = record.certificate
    assert proof is not None
    if proof.exact:
        return "proven: the frontier is exact, no policy of this lattice lies beyond it."
    share = 1.0 - proof.area / record.area if record.area > 0 else 0.0
    return (
        f"proven: no frontier of this lattice has an area below {proof.area:.4f}, "
        f"{share:.1%} less than the one found."
    )


def candidate_without_promise(policy: Policy) -> TablesCandidate:
    """Return the candidate of a policy about which nothing is promised."""
    return TablesCandidate(
        id=policy.id,
        risk=Risk(1.0, attacker=ATTACKER),
        utility=Utility(0.0, kept=KEPT),
        policy=policy.published_labels(),
        ends=policy.ends(),
        bits=policy.hex,
        loss=1.0,
        loss_nats=0.0,
        k=0,
        smallest_population_group=0.0,
        groups=0,
        prosecutor_risk=1.0,
        average_group=0.0,
        promised=False,
    )
