"""The frontier of a table as a folder: frontier.json to read, and what it takes to publish from it later.

`policies.json` holds the schema with every domain written down (so also the values of the
quasi-identifiers that were read from data, where the schema says "observed" or "population") and
`population.npz` the counts of the population: the folder is the steward's, not part of a release.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from ...core.errors import FormatError, InputError, ModelError
from ...core.exploration import Candidate, Exploration, InputFile
from ...core.files import read_json, write_json
from ...data.table import Table
from ...data.table_schema import TableSchema
from .policy import Lattice, Policy
from .problem import Problem, cells_hash, resolved_schema

__all__ = ["POLICIES_FILE", "POPULATION_FILE", "TablesExploration", "Terms", "load"]

POLICIES_FILE = "policies.json"
POPULATION_FILE = "population.npz"
_KIND = "sfumato table policies"
ATTACKER = "knows the quasi-identifiers and the population"
ATTACKER_OF_SAMPLE = "knows the quasi-identifiers and who is in the table"
KEPT = "the distribution of the quasi-identifiers"


@dataclass(frozen=True)
class Terms:
    """What a publication is measured against: schema, lattice, population, and the table explored."""

    schema: TableSchema
    lattice: Lattice
    population_codes: npt.NDArray[np.int32] | None = None
    population_count: npt.NDArray[np.float64] | None = None
    explored: str | None = None
    inputs: tuple[InputFile, ...] = ()
    least_sample: int = 0
    least_population: float = 0.0
    on_axes: bool = True

    @classmethod
    def of(cls, problem: Problem, *, on_axes: bool = True) -> Terms:
        """Take the terms from the problem that was explored."""
        table = problem.table
        return cls(
            resolved_schema(table),
            problem.lattice,
            table.population_codes,
            table.population_count,
            cells_hash(table),
            tuple(table.inputs),
            int(problem.cells.least[0]),
            float(problem.cells.least[1]),
            on_axes,
        )

    def same_table(self, table: Table) -> bool:
        """Say whether a table is the one that was explored: the same files, or the same counts."""
        files = {i.sha256 for i in self.inputs}
        same_files = bool(table.inputs) and all(i.sha256 in files for i in table.inputs)
        return same_files or cells_hash(table) == self.explored


class TablesExploration(Exploration):
    """The frontier of a table. When it holds very many policies, `candidates` is an even selection.

    The area is always that of the whole frontier.
    """

    terms: Terms | None = None
    policies: Mapping[str, Policy] = {}  # of the references, by name

    def area(self) -> float:
        """Give the area under the whole frontier, of which the candidates may be a selection."""
        whole = self.extra.get("full_area")
        return super().area() if whole is None else float(whole)

    def to_json(self) -> dict[str, Any]:
        """Give the content of frontier.json; without `seconds`, nothing that was timed."""
        content = super().to_json()
        if self.seconds is None:
            content.pop("trace_seconds", None)
        return content

    def policy(self, candidate: Candidate | str) -> Policy:
        """Give the policy of a candidate, or of a reference by its name."""
        if isinstance(candidate, str) and candidate in self.policies:
            return self.policies[candidate]
        assert self.terms is not None
        found = self.candidate(candidate) if isinstance(candidate, str) else candidate
        return policy_of_hex(self.terms.lattice, str(found.details["bits"]))

    def attach_publishers(self) -> None:
        """Give every candidate the means to publish."""
        from .publishing import publish_policy

        assert self.terms is not None
        for risk, (utility, candidate) in list(self._entries.items()):
            publisher = partial(
                publish_policy,
                self.policy(candidate),
                terms=self.terms,
                promise=candidate,
                seed=self.seed,
            )
            self._entries[risk] = (utility, replace(candidate, publisher=publisher))

    def save(self, directory: str | os.PathLike[str]) -> Path:
        """Write frontier.json and what publishing needs beside it into a folder that exists."""
        path = super().save(directory)
        terms = self.terms
        if terms is None:
            return path
        lattice = terms.lattice
        content = {
            "kind": _KIND,
            "version": 1,
            "fingerprint": lattice.fingerprint,
            "schema": terms.schema.model_dump(mode="json", exclude_none=True),
            "names": list(lattice.names),
            "domains": {n: list(d) for n, d in zip(lattice.names, lattice.domains, strict=True)},
            "explored": terms.explored,
            "least_sample": terms.least_sample,
            "least_population": terms.least_population,
            "on_axes": terms.on_axes,
            "population": terms.population_codes is not None,
            "references": {name: policy.hex for name, policy in sorted(self.policies.items())},
        }
        write_json(Path(directory) / POLICIES_FILE, content, force=True)
        if terms.population_codes is not None and terms.population_count is not None:
            np.savez_compressed(
                Path(directory) / POPULATION_FILE,
                codes=terms.population_codes,
                count=terms.population_count,
            )
        return path


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


def load(directory: str | os.PathLike[str]) -> TablesExploration:
    """Read a frontier back from its folder; its candidates can publish again, without the table."""
    folder = Path(directory)
    found = TablesExploration.load(folder)
    assert isinstance(found, TablesExploration)
    if found.engine != "tables":
        raise FormatError(
            f"The frontier in {folder.name!r} is one of the engine {found.engine!r}.",
            hint="give a folder written by `sfumato tables explore`.",
        )
    content = read_json(folder / POLICIES_FILE)
    try:
        if content["kind"] != _KIND or content["version"] != 1:
            raise ModelError(f"The file {POLICIES_FILE!r} is of another version.")
        schema = TableSchema.model_validate(content["schema"])
        names = tuple(str(n) for n in content["names"])
        lattice = Lattice(names, tuple(tuple(map(str, content["domains"][n])) for n in names))
        if lattice.fingerprint != content["fingerprint"] or list(names) != schema.names("quasi"):
            raise ModelError(f"The file {POLICIES_FILE!r} is damaged: its schema does not fit.")
        codes, count = _population(folder, lattice) if content["population"] else (None, None)
        found.terms = Terms(
            schema,
            lattice,
            codes,
            count,
            str(content["explored"]),
            tuple(found.inputs),
            int(content["least_sample"]),
            float(content["least_population"]),
            bool(content["on_axes"]),
        )
        found.policies = {
            str(n): policy_of_hex(lattice, h) for n, h in content["references"].items()
        }
        found.attach_publishers()
        return found
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


def _population(
    folder: Path, lattice: Lattice
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    damaged = ModelError(
        f"The file {POPULATION_FILE!r} of the frontier is missing or damaged.",
        hint="explore the table again.",
    )
    try:
        with (
            (folder / POPULATION_FILE).open("rb") as stream,
            np.load(stream, allow_pickle=False) as arrays,
        ):
            codes, count = arrays["codes"], arrays["count"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        raise damaged from None
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
