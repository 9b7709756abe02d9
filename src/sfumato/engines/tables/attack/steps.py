"""The attack command: a release together with earlier ones of the same people."""

from __future__ import annotations

from pathlib import Path

from ....core.composition.releases import measure_each, record_of
from ....core.engine import Call
from ....core.files import read_json, sha256_of
from ..attack_records import TablesAttack
from ..composition.measure import measure_composition
from ..composition.people import KnownPeople
from ..records import TablesRelease
from ..request import TablesAttackRequest

__all__ = ["attack"]


def attack(request: TablesAttackRequest, call: Call) -> TablesAttack:
    """Measure what a release and earlier ones give away together."""
    release = Path(request.release)
    record = record_of(release)
    published = TablesRelease.from_json(read_json(record), file=record.name)
    later = KnownPeople.of(release)
    found = measure_each(
        request.earlier,
        KnownPeople.of,
        lambda before: measure_composition(before, later),
        call,
        hint='people are known by the column with role = "person" or "identifier", under one private key.',
    )
    return TablesAttack(
        engine="tables",
        candidate=published.candidate,
        frontier=published.frontier,
        release=sha256_of(record),
        request=request.to_record(),
        compositions=found,
    )
