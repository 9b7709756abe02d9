"""What a publication is held to: schema, lattice, population, the measures explored and the table explored.

`policies.json` holds the schema with every domain written down (so also the values of the
quasi-identifiers that were read from data, where the schema says "observed" or "population") and
`population.npz` the counts of the population: the folder is the steward's, not part of a release.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from ...core.errors import InputError, ModelError
from ...core.files import read_json, write_json
from ...data.npz import read_npz, write_npz
from ...data.table import Table
from ...data.table_schema import TableSchema
from .contingency.tables import cells_hash
from .groups.conditions import Conditions
from .space.labels import DomainLabels, writer_of
from .space.policy import Lattice, Policy

__all__ = ["POLICIES_FILE", "POPULATION_FILE", "Terms", "load_terms", "policy_of_hex", "save_terms"]

POLICIES_FILE = "policies.json"
POPULATION_FILE = "population.npz"
_KIND = "sfumato table policies"
_VERSION = 2


@dataclass(frozen=True)
class Terms:
    """What a publication is measured against, and how."""

    schema: TableSchema
    lattice: Lattice
    population_codes: npt.NDArray[np.int32] | None = None
    population_count: npt.NDArray[np.float64] | None = None
    explored: str | None = None
    inputs: tuple[str, ...] = ()
    min_sample: int = 0
    min_population: float = 0.0
    risk: str = "population"
    loss: str = "kl"
    target: str | None = None
    k: int = 5
    conditions: Conditions = field(default_factory=Conditions)
    margins: tuple[npt.NDArray[np.int64], ...] | None = None
    """How many explored records hold each value of each quasi-identifier."""
    sampling_fraction: float | None = None
    covered: tuple[str, ...] | None = None
    """The quasi-identifiers of a population that does not have all of them."""

    def same_table(self, table: Table) -> bool:
        """Return whether a table is the one that was explored: the same files, or the same counts."""
        files = set(self.inputs)
        same_files = bool(table.inputs) and all(i.sha256 in files for i in table.inputs)
        return same_files or cells_hash(table) == self.explored


def save_terms(terms: Terms, references: Mapping[str, Policy], folder: Path) -> None:
    """Write policies.json and, where there is a population, population.npz."""
    lattice = terms.lattice
    content = {
        "kind": _KIND,
        "version": _VERSION,
        "fingerprint": lattice.fingerprint,
        "schema": terms.schema.model_dump(mode="json", exclude_none=True, exclude_defaults=True),
        "names": list(lattice.names),
        "domains": {n: list(d) for n, d in zip(lattice.names, lattice.domains, strict=True)},
        "labels": [
            {
                "observed": one.observed,
                "rare": sorted(one.rare),
                "nodes": [[low, high, name] for (low, high), name in sorted(one.nodes.items())],
            }
            for one in lattice.labels
        ],
        "explored": terms.explored,
        "inputs": list(terms.inputs),
        "min_sample": terms.min_sample,
        "min_population": terms.min_population,
        "risk": terms.risk,
        "loss": terms.loss,
        "target": terms.target,
        "k": terms.k,
        "conditions": asdict(terms.conditions),
        "margins": None if terms.margins is None else [m.tolist() for m in terms.margins],
        "sampling_fraction": terms.sampling_fraction,
        "population": terms.population_codes is not None,
        "covered": None if terms.covered is None else list(terms.covered),
        "references": {name: policy.hex for name, policy in sorted(references.items())},
    }
    write_json(folder / POLICIES_FILE, content, force=True)
    if terms.population_codes is not None and terms.population_count is not None:
        write_npz(
            folder / POPULATION_FILE,
            {"codes": terms.population_codes, "count": terms.population_count},
        )


def load_terms(folder: Path) -> tuple[Terms, dict[str, Policy]]:
    """Read back what `save_terms` wrote; anything that does not fit is refused."""
    content = read_json(folder / POLICIES_FILE)
    try:
        return _terms_of(content, folder)
    except (
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        OverflowError,
        ValidationError,
    ) as error:
        if isinstance(error, InputError):
            raise
        raise ModelError(
            f"The file {POLICIES_FILE!r} does not have the fields of a frontier's policies.",
            hint="explore the table again.",
        ) from None


def _terms_of(content: Mapping[str, Any], folder: Path) -> tuple[Terms, dict[str, Policy]]:
    if content["kind"] != _KIND or content["version"] != _VERSION:
        raise ModelError(f"The file {POLICIES_FILE!r} is of another version.")
    schema = TableSchema.model_validate(content["schema"])
    names = tuple(str(n) for n in content["names"])
    domains = tuple(tuple(map(str, content["domains"][n])) for n in names)
    labels = tuple(
        DomainLabels(
            domain,
            bool(entry["observed"]),
            frozenset(int(i) for i in entry["rare"]),
            {(int(low), int(high)): str(name) for low, high, name in entry["nodes"]},
            writer_of(attribute, domain),
        )
        for attribute, domain, entry in zip(schema.quasi, domains, content["labels"], strict=True)
    )
    lattice = Lattice(names, domains, labels)
    if lattice.fingerprint != content["fingerprint"] or list(names) != schema.names("quasi"):
        raise ModelError(f"The file {POLICIES_FILE!r} is damaged: its schema does not fit.")
    codes, count = _population(folder, lattice) if content["population"] else (None, None)
    target = content["target"]
    terms = Terms(
        schema,
        lattice,
        codes,
        count,
        str(content["explored"]),
        tuple(str(i) for i in content["inputs"]),
        int(content["min_sample"]),
        float(content["min_population"]),
        str(content["risk"]),
        str(content["loss"]),
        None if target is None else str(target),
        int(content["k"]),
        _conditions(content["conditions"]),
        _margins(content["margins"], lattice),
        None if content["sampling_fraction"] is None else float(content["sampling_fraction"]),
        _covered(content.get("covered"), names),
    )
    references = {str(n): policy_of_hex(lattice, h) for n, h in content["references"].items()}
    return terms, references


def _covered(content: object, names: tuple[str, ...]) -> tuple[str, ...] | None:
    if content is None:
        return None
    covered = tuple(n for n in names if isinstance(content, list) and n in content)
    if not covered or list(covered) != content:
        raise ModelError(f"The file {POLICIES_FILE!r} is damaged: its population does not fit.")
    return covered


def _margins(
    content: list[list[int]] | None, lattice: Lattice
) -> tuple[npt.NDArray[np.int64], ...] | None:
    if content is None:
        return None
    margins = tuple(np.array(counts, np.int64) for counts in content)
    fit = (
        tuple(m.shape for m in margins) == tuple((size,) for size in lattice.sizes)
        and all(((m >= 0) & (m <= (1 << 53) // m.size)).all() for m in margins)
        and len({int(m.sum()) for m in margins}) == 1
    )
    if not fit:
        raise ModelError(f"The file {POLICIES_FILE!r} is damaged: its margins do not fit.")
    return margins


def _conditions(content: Mapping[str, Any]) -> Conditions:
    def number(name: str) -> float | None:
        return None if content[name] is None else float(content[name])

    return Conditions(
        float(content["min_l"]),
        str(content["diversity"]),
        float(content["recursive_c"]),
        number("max_t"),
        number("max_average_risk"),
        float(content["max_suppressed"]),
        str(content["suppress_as"]),
    )


def policy_of_hex(lattice: Lattice, text: str) -> Policy:
    """Read a policy from the hexadecimal form of its bits."""
    try:
        packed = bytes.fromhex(text)
    except ValueError:
        packed = b""
    spare = -lattice.length % 8
    if len(packed) * 8 - spare != lattice.length or (spare and packed[-1] & ((1 << spare) - 1)):
        raise ModelError(
            "A policy of the frontier does not fit its schema.", hint="explore the table again."
        )
    return Policy(lattice, packed)


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
