"""The codebook of a release: what each published label of a quasi-identifier means, as CSV and JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TypedDict

from ....core.files import spreadsheet_safe, write_json
from ..space.policy import Policy

__all__ = ["codebook", "codebook_names", "write_codebook"]


class CodebookEntry(TypedDict):
    """What one published label means."""

    attribute: str
    published: str
    values: Sequence[str]
    complete: bool


def codebook(policy: Policy, published: Sequence[Collection[str]] = ()) -> list[CodebookEntry]:
    """Return one entry per published label: its attribute, its values, and whether they are all.

    Values of a domain that was read from the data are spelled only where enough people share them; a
    numeric label explains itself.

    Parameters
    ----------
    policy : Policy
        The policy.
    published : sequence of collections of str
        By attribute, the labels that occur in the release: a label that names what few people share
        has an entry only then.

    """
    found: list[CodebookEntry] = []
    for a, name in enumerate(policy.lattice.names):
        labels = policy.lattice.labels[a]
        for label, (low, high) in zip(policy.labels(a), policy.spans(a), strict=True):
            if published and label not in published[a] and labels.names_few(low, high):
                continue
            values, complete = labels.spell(low, high)
            found.append(
                {
                    "attribute": name,
                    "published": label,
                    "values": values,
                    "complete": complete,
                }
            )
    return found


def codebook_names(record: str) -> tuple[str, str]:
    """Return the names of the two files next to a release record.

    >>> codebook_names("release.json"), codebook_names("out.release.json")
    (('codebook.csv', 'codebook.json'), ('out.codebook.csv', 'out.codebook.json'))
    """
    stem = record.removesuffix("release.json")
    return f"{stem}codebook.csv", f"{stem}codebook.json"


def write_codebook(
    policy: Policy, folder: Path, record: str, published: Sequence[Collection[str]] = ()
) -> tuple[Path, Path]:
    """Write both forms of the codebook into a folder; the parameters are those of `codebook`."""
    entries = codebook(policy, published)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("attribute", "published", "values", "complete"))
    for entry in entries:
        row = (entry["attribute"], entry["published"], "|".join(entry["values"]))
        writer.writerow([*map(spreadsheet_safe, row), "yes" if entry["complete"] else "no"])
    as_csv, as_json = (folder / name for name in codebook_names(record))
    as_csv.write_text(buffer.getvalue(), encoding="utf-8")
    write_json(as_json, {"codebook": entries})
    return as_csv, as_json
