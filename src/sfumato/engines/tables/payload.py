"""What a publication is checked against: schema, lattice, population, the measures explored and the table explored.

`policies.json` holds the schema with every domain written down (so also the values of the
quasi-identifiers that were read from data, where the schema says "observed" or "population") and
`population.npz` the counts of the population: the folder is the steward's, not part of a release. What
frontier.json says already (measures, conditions, inputs) is taken from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, PlainSerializer, model_validator

from ...core.arrays import Counts, Floats
from ...core.errors import InputError, ModelError
from ...core.files import read_json, write_json
from ...core.records import ColumnName, Count, HouseRecord, Name, Share
from ...data.npz import read_npz, write_npz
from ...data.table import Table
from ...data.table_schema import TableSchema
from .contingency.tables import cells_hash
from .groups.conditions import Conditions
from .records import Hex, TablesFrontier
from .space.labels import DomainLabels, writer_of
from .space.policy import Lattice, Policy

__all__ = [
    "POLICIES_FILE",
    "POPULATION_FILE",
    "PoliciesFile",
    "TablesPayload",
    "load_payload",
    "save_payload",
]

POLICIES_FILE = "policies.json"
POPULATION_FILE = "population.npz"
_IN_FRONTIER = frozenset(
    {"conditions", "covered", "fingerprint", "inputs", "loss", "min_population", "min_sample", "names",
     "population", "risk"}
)  # fmt: skip
"""Fields of version 2 that frontier.json has too."""


@dataclass(frozen=True)
class TablesPayload:
    """What a publication is measured against, and how."""

    schema: TableSchema
    lattice: Lattice
    population_codes: npt.NDArray[np.int32] | None = None
    population_count: Floats | None = None
    explored: str | None = None
    inputs: tuple[str, ...] = ()
    min_sample: int = 0
    min_population: float = 0.0
    risk: str = "population"
    loss: str = "kl"
    target: str | None = None
    k: int = 5
    conditions: Conditions = field(default_factory=Conditions)
    margins: tuple[Counts, ...] | None = None
    """How many explored records hold each value of each quasi-identifier."""
    sampling_fraction: float | None = None
    covered: tuple[str, ...] | None = None
    """The quasi-identifiers of a population that does not have all of them."""

    def matches(self, table: Table) -> bool:
        """Return whether a table is the one that was explored: the same files, or the same counts."""
        files = set(self.inputs)
        same_files = bool(table.inputs) and all(i.sha256 in files for i in table.inputs)
        return same_files or cells_hash(table) == self.explored


class _LabelsOfDomain(HouseRecord):
    """How the intervals of an attribute are labelled."""

    observed: bool
    rare: tuple[Count, ...]
    nodes: tuple[tuple[Count, Count, str], ...]
    levels: tuple[tuple[Count, ...], ...] = ()

    @classmethod
    def of(cls, labels: DomainLabels) -> _LabelsOfDomain:
        nodes = tuple((low, high, name) for (low, high), name in sorted(labels.nodes.items()))
        rare = tuple(sorted(labels.rare))
        return cls(observed=labels.observed, rare=rare, nodes=nodes, levels=labels.levels)


def _without_defaults(schema: TableSchema) -> dict[str, object]:
    return schema.model_dump(mode="json", exclude_none=True, exclude_defaults=True)


class PoliciesFile(HouseRecord):
    """policies.json: what frontier.json does not say about the policies that were searched."""

    kind: Literal["sfumato table policies"] = "sfumato table policies"
    version: Literal[3] = 3
    schema_: Annotated[TableSchema, PlainSerializer(_without_defaults)] = Field(alias="schema")
    domains: dict[ColumnName, tuple[str, ...]]
    labels: tuple[_LabelsOfDomain, ...]
    explored: Hex
    target: ColumnName | None
    k: Count
    margins: tuple[tuple[Count, ...], ...] | None
    sampling_fraction: Share | None
    references: dict[Name, Hex]

    @model_validator(mode="before")
    @classmethod
    def _from_version_2(cls, values: object) -> object:
        if not isinstance(values, Mapping) or values.get("version") != 2:
            return values
        return {**{n: v for n, v in values.items() if n not in _IN_FRONTIER}, "version": 3}

    def lattice(self) -> Lattice:
        """Return the lattice of the schema's quasi-identifiers."""
        names = tuple(self.schema_.names("quasi"))
        domains = tuple(self.domains[name] for name in names)
        labels = tuple(
            DomainLabels(
                domain,
                entry.observed,
                frozenset(entry.rare),
                {(low, high): name for low, high, name in entry.nodes},
                writer_of(attribute, domain),
                attribute.ordered,
                entry.levels,
            )
            for attribute, domain, entry in zip(
                self.schema_.quasi, domains, self.labels, strict=True
            )
        )
        return Lattice(names, domains, labels)


def save_payload(payload: TablesPayload, references: Mapping[str, Policy], folder: Path) -> None:
    """Write policies.json and, where there is a population, population.npz."""
    lattice = payload.lattice
    content = PoliciesFile(
        schema=payload.schema,
        domains=dict(zip(lattice.names, lattice.domains, strict=True)),
        labels=tuple(_LabelsOfDomain.of(labels) for labels in lattice.labels),
        explored=payload.explored or "",
        target=payload.target,
        k=payload.k,
        margins=None if payload.margins is None else tuple(m.tolist() for m in payload.margins),
        sampling_fraction=payload.sampling_fraction,
        references={name: policy.hex for name, policy in references.items()},
    )
    write_json(folder / POLICIES_FILE, content.to_json(), force=True)
    if payload.population_codes is not None and payload.population_count is not None:
        write_npz(
            folder / POPULATION_FILE,
            {"codes": payload.population_codes, "count": payload.population_count},
        )


def load_payload(folder: Path, frontier: TablesFrontier) -> tuple[TablesPayload, dict[str, Policy]]:
    """Read back what `save_payload` wrote next to a frontier; anything that does not fit is refused."""
    content = read_json(folder / POLICIES_FILE)
    try:
        return _payload_of(PoliciesFile.model_validate(content), folder, frontier)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise ModelError(
            f"The file {POLICIES_FILE!r} does not have the fields of a frontier's policies.",
            hint="explore the table again.",
        ) from None


def _payload_of(
    file: PoliciesFile, folder: Path, frontier: TablesFrontier
) -> tuple[TablesPayload, dict[str, Policy]]:
    lattice = file.lattice()
    if lattice.fingerprint != frontier.fingerprint:
        raise ModelError(
            "The frontier and its policies belong to different schemas.",
            hint="explore the table again.",
        )
    codes, count = _population(folder, lattice) if frontier.population else (None, None)
    payload = TablesPayload(
        schema=file.schema_,
        lattice=lattice,
        population_codes=codes,
        population_count=count,
        explored=file.explored,
        inputs=tuple(str(entry.sha256) for entry in frontier.inputs),
        min_sample=frontier.min_sample,
        min_population=frontier.min_population,
        risk=frontier.risk_measure,
        loss=frontier.loss_measure,
        target=file.target,
        k=file.k,
        conditions=Conditions(**vars(frontier.conditions)),
        margins=_margins(file.margins, lattice),
        sampling_fraction=file.sampling_fraction,
        covered=_check_cover(frontier),
    )
    references = {name: lattice.from_hex(bits) for name, bits in file.references.items()}
    return payload, references


def _check_cover(frontier: TablesFrontier) -> tuple[str, ...] | None:
    covered = frontier.population_covers
    if covered is None:
        return None
    if not covered or covered != tuple(name for name in frontier.quasi if name in covered):
        raise ModelError("The frontier is damaged: its population does not fit.")
    return covered


def _margins(
    content: tuple[tuple[int, ...], ...] | None, lattice: Lattice
) -> tuple[Counts, ...] | None:
    if content is None:
        return None
    margins = tuple(np.array(counts, np.int64) for counts in content)
    fit = (
        tuple(m.shape for m in margins) == tuple((size,) for size in lattice.sizes)
        and all((m <= (1 << 53) // m.size).all() for m in margins)
        and len({int(m.sum()) for m in margins}) == 1
    )
    if not fit:
        raise ModelError(f"The file {POLICIES_FILE!r} is damaged: its margins do not fit.")
    return margins


def _population(
    folder: Path, lattice: Lattice
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    damaged = ModelError(
        f"The file {POPULATION_FILE!r} of the frontier is missing or damaged.",
        hint="explore the table again.",
    )
    arrays = read_npz(folder / POPULATION_FILE, ("codes", "count"))
    if arrays is None:
        raise damaged
    codes, count = arrays
    sizes = np.array(lattice.sizes)[:, None]
    fits = (
        codes.dtype == np.int32
        and codes.ndim == 2
        and codes.shape == (len(lattice.names), count.size)
        and count.dtype == np.float64
        and bool(np.isfinite(count).all() and (count >= 0).all())
        and bool(((codes >= 0) & (codes < sizes)).all())
    )
    if not fits:
        raise damaged
    return codes, count
