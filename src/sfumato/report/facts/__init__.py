"""Facts first: a frontier folder or a release becomes one plain, typed, JSON-able record.

Everything that a report shows comes from here. Unknown fields of the files are left out, so that a word of
the data has no way in; folders, times and machine names are left out too, so that the same plan gives the
same facts.json byte for byte.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..._version import __version__
from ...core.errors import FormatError, InputError
from ...core.files import canonical_json, sha256_of
from ..kinds import base_name
from .baskets import baskets_part
from .model import BasketsPart, Facts, File, TablesPart, TextPart
from .sources import Source, find_sources
from .tables import tables_part
from .text import text_part

__all__ = [
    "BasketsPart",
    "Facts",
    "TablesPart",
    "TextPart",
    "facts_from",
    "facts_json",
    "find_sources",
    "gather",
]

PLAN_FILE = "plan.toml"
_PARTS = {"text": text_part, "tables": tables_part, "baskets": baskets_part}


def gather(
    folders: Sequence[str | os.PathLike[str]],
    *,
    choose: Mapping[str, str] | None = None,
    plan: str | os.PathLike[str] | None = None,
) -> Facts:
    """Read the folders of explorations and releases and give the facts of the report about them.

    `choose` names the candidate of a part (by its id, the engine's name) where nothing was published yet: {"tables": "p17"}.
    `plan` is the plan that made the folders; a plan.toml in one of them is found without it.
    """
    beside = [path for folder in folders if (path := Path(folder) / PLAN_FILE).is_file()]
    if plan is None and len(beside) == 1:
        plan = beside[0]
    return facts_from(find_sources(folders), choose=choose, plan=plan)


def facts_from(
    sources: Sequence[Source],
    *,
    choose: Mapping[str, str] | None = None,
    plan: str | os.PathLike[str] | None = None,
) -> Facts:
    """Give the facts of what was read already."""
    if not sources:
        raise InputError("A report needs at least one frontier or release.")
    seen: dict[str, int] = {}
    parts: list[Any] = []
    for source in sources:
        seen[source.engine] = seen.get(source.engine, 0) + 1
        times = seen[source.engine]
        part_id = source.engine if times == 1 else f"{source.engine}-{times}"
        try:
            parts.append(_PARTS[source.engine](source, part_id, (choose or {}).get(part_id)))
        except ValidationError as error:  # its message would repeat the value
            field = ".".join(str(step) for step in error.errors()[0]["loc"][:1])
            raise FormatError(
                f"The {source.engine} files hold something unexpected in {field!r}.",
                hint="were they written by this version of sfumato?",
            ) from None
    wrong = set(choose or ()) - {part.id for part in parts}
    if wrong:
        raise InputError(
            f"A choice is for a part of the report. Got {min(wrong)!r} instead.",
            hint=f"the parts are {', '.join(part.id for part in parts)}.",
        )
    parts = _joined(parts)
    described = None
    if plan is not None:
        described = File(name=base_name(os.fspath(plan)) or PLAN_FILE, sha256=sha256_of(plan))
    return Facts(version=__version__, plan=described, parts=tuple(parts))


def _joined(parts: list[Any]) -> list[Any]:
    """Tell a text part when its documents are what a table part published: its fields were treated there."""
    tables = {
        f.sha256: part.id for part in parts if part.engine == "tables" for f in part.outputs if f.sha256
    }  # fmt: skip
    return [
        part.model_copy(update={"fields_from": source})
        if part.engine == "text"
        and (
            source := next(
                (tables[f.sha256] for f in part.published_from if f.sha256 in tables), None
            )
        )
        else part
        for part in parts
    ]


def facts_json(facts: Facts) -> str:
    """Render facts.json.

    >>> facts_json(Facts(version="1.0", parts=()))
    '{\\n "facts": 1,\\n "parts": [],\\n "plan": null,\\n "version": "1.0"\\n}\\n'
    """
    return canonical_json(facts.model_dump(mode="json"))
