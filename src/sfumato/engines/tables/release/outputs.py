"""The format and file name of a release, or a frame like the input."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ....core.errors import FormatError
from ....core.release import Target
from ....data.attributes import MISSING
from ....data.table_files import WRITTEN
from ....data.table_schema import TableSchema
from ....data.table_source import TableSource, format_of_name
from ....data.value_labels import LABELLED, NamedCodes
from ..space.labels import ALL
from ..space.policy import Policy

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

__all__ = ["Frame", "delimiter_of", "frame_like", "named_codes", "target_of"]

Frame: TypeAlias = "pa.Table | pd.DataFrame | pl.DataFrame"
_SUFFIX = {"csv": ".csv", "tsv": ".tsv", "parquet": ".parquet", **LABELLED}


def target_of(
    opened: TableSource, path: Path, *, force: bool, inputs: Sequence[str | os.PathLike[str]]
) -> Target:
    """Return where a release of a table is written: in its own format where that can be written."""
    kind, name = opened.format, f"table{_SUFFIX.get(opened.format, '.csv')}"
    if opened.format not in WRITTEN:  # a frame, or a file of another program
        as_file = None if path.is_dir() else format_of_name(path)
        if as_file is not None and as_file not in {*WRITTEN, *LABELLED}:
            raise FormatError(
                f"The output {path.name!r} has a format that is read and not written.",
                hint="use .csv, .tsv, .parquet, .sav or .dta.",
            )
        kind = as_file or (opened.format if opened.format in LABELLED else "csv")
        name = f"{opened.paths[0].stem if opened.paths else 'table'}{_SUFFIX[kind]}"
    elif len(opened.paths) == 1:
        name = opened.paths[0].name
    return Target(path, name, kind, format_of_name, force=force, inputs=inputs)


def delimiter_of(opened: TableSource, kind: str) -> str:
    """Return what separates the cells of the output: what did in the input, where that is a text file."""
    return opened.delimiter if opened.format == kind else "\t" if kind == "tsv" else ","


def named_codes(policy: Policy, schema: TableSchema) -> NamedCodes:
    """Return the quasi-identifiers whose codes have labels, and all that is published of them."""
    found = {}
    for a, attribute in enumerate(schema.quasi):
        if attribute.labels is not None:
            shown = [policy.lattice.label(a, *span) for span in policy.spans(a)]
            order = dict.fromkeys([*attribute.labels.values(), *shown, ALL, MISSING])
            found[attribute.name] = (attribute.labels, list(order))
    return found


def frame_like(frame: pa.Table, data: object) -> Frame:
    """Return an Arrow table as the kind of frame that came in."""
    module = type(data).__module__.partition(".")[0]
    if module == "pandas":
        return frame.to_pandas()
    if module == "polars":
        import polars as pl

        return pl.from_arrow(frame)
    return frame
