"""Policies on disk: JSON that is checked against the schema it was made for, and the mapping as CSV and SQL."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from pathlib import Path

from ....core.errors import FormatError, ModelError
from ....core.files import read_json, spreadsheet_safe, whole_file, write_json
from .policy import Lattice, Policy

__all__ = ["load_policy", "mapping_csv", "mapping_sql", "save_mapping", "save_policy"]

_KIND = "sfumato table policy"


def save_policy(policy: Policy, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a policy as JSON."""
    content = {
        "kind": _KIND,
        "version": 1,
        "fingerprint": policy.lattice.fingerprint,
        "bits": policy.hex,
        "intervals": policy.intervals(),
    }
    write_json(path, content, force=force)


def load_policy(path: str | os.PathLike[str], lattice: Lattice) -> Policy:
    """Read a policy; refuse one of another schema, or whose bits and intervals disagree.

    A file written by hand needs no more than its intervals, or levels of hierarchies:
    `{"intervals": {"age": ["0-17", "18-120"]}, "levels": {"zip": 2}}`; an attribute that it does not name stays as it is.
    """
    name = Path(path).name
    content = read_json(path)
    if isinstance(content, dict) and not {"kind", "version", "bits"} & content.keys():
        return _policy_by_hand(name, content, lattice)
    if not isinstance(content, dict) or content.get("kind") != _KIND or content.get("version") != 1:
        raise FormatError(f"The file {name!r} is not a policy.")
    if content.get("fingerprint") != lattice.fingerprint:
        raise ModelError(
            f"The policy {name!r} was made for another schema.",
            hint="attributes and domains must be the same, in the same order.",
        )
    intervals = content.get("intervals")
    if not isinstance(intervals, dict) or not all(isinstance(v, list) for v in intervals.values()):
        raise ModelError(f"The policy {name!r} lacks its intervals.")
    policy = lattice.from_hex(str(content.get("bits")))
    if policy.intervals() != intervals:
        raise ModelError(f"The policy {name!r} is damaged: its bits and its intervals disagree.")
    return policy


def _policy_by_hand(name: str, content: Mapping[str, object], lattice: Lattice) -> Policy:
    intervals, levels = content.get("intervals", {}), content.get("levels", {})
    if (
        not isinstance(intervals, dict)
        or not isinstance(levels, dict)
        or not all(isinstance(v, list) for v in intervals.values())
        or not intervals.keys() | levels.keys()
        or content.keys() - {"intervals", "levels", "fingerprint"}
    ):
        raise FormatError(
            f"The file {name!r} is not a policy.",
            hint='one written by hand is { "intervals": { "age": ["0-17", "18-120"] }, "levels": { "zip": 2 } }.',
        )
    if content.get("fingerprint") not in {None, lattice.fingerprint}:
        raise ModelError(f"The policy {name!r} was made for another schema.")
    if twice := sorted(intervals.keys() & levels.keys()):
        raise FormatError(f"The policy {name!r} gives intervals and a level of {twice[0]!r}.")
    by_level = {attribute: lattice.at_level(attribute, n) for attribute, n in levels.items()}
    return lattice.policy({**intervals, **by_level})


def mapping_csv(policy: Policy) -> str:
    """Return the mapping as CSV: attribute, value, published.

    People open it in spreadsheets: cells that would run as formulas begin with an apostrophe.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("attribute", "value", "published"))
    writer.writerows([spreadsheet_safe(cell) for cell in row] for row in policy.mapping())
    return buffer.getvalue()


def mapping_sql(policy: Policy) -> str:
    """Return the mapping as one SQL CASE expression an attribute."""

    def text(value: str) -> str:
        return "'" + value.replace("'", "''") + "'"

    expressions = []
    for a, name in enumerate(policy.lattice.names):
        column = '"' + name.replace('"', '""') + '"'
        lines = [f"CASE CAST({column} AS VARCHAR)"]
        domain = policy.lattice.domains[a]
        for label, (low, high) in zip(policy.labels(a), policy.spans(a), strict=True):
            then = f"THEN {text(label)}"
            lines += [f"  WHEN {text(domain[v])} {then}" for v in range(low, high + 1)]
        lines.append(f"END AS {column}")
        expressions.append("\n".join(lines))
    return ",\n".join(expressions) + "\n"


def save_mapping(policy: Policy, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write the mapping: SQL for a name that ends in .sql, CSV otherwise."""
    text = mapping_sql(policy) if Path(path).suffix.lower() == ".sql" else mapping_csv(policy)
    with whole_file(path, force=force) as partial:
        partial.write_text(text, encoding="utf-8")
