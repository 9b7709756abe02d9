"""Where a release is written: the format and the names of its files, shown whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ....core.errors import FormatError
from ....core.files import check_output, whole_directory
from ....core.records import RELEASE_FILE
from ....core.release import check_files, released_files
from ....data.table_files import WRITTEN
from ....data.table_source import TableSource, format_of_name

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

__all__ = ["Frame", "check_outputs", "delimiter", "kind_and_name", "like", "staged"]

Frame: TypeAlias = "pa.Table | pd.DataFrame | pl.DataFrame"
_SUFFIX = {"csv": ".csv", "tsv": ".tsv", "parquet": ".parquet"}


def kind_and_name(opened: TableSource, target: Path | None) -> tuple[str, str]:
    """Return the format to write, and the name of the file in a folder."""
    if opened.format not in WRITTEN:  # a frame, or a file of another program
        as_file = None if target is None else _data_format(target)
        if as_file is not None and as_file not in WRITTEN:
            raise FormatError(
                f"The output {Path(target or '').name!r} has a format that is read and not written.",
                hint="use .csv, .tsv or .parquet.",
            )
        kind = as_file or "csv"
        return kind, f"{opened.paths[0].stem if opened.paths else 'table'}{_SUFFIX[kind]}"
    name = opened.paths[0].name if len(opened.paths) == 1 else f"table{_SUFFIX[opened.format]}"
    return opened.format, name


def _data_format(target: Path) -> str | None:
    """Return the format when the output names a data file; None for a folder."""
    return None if target.is_dir() else format_of_name(target)


def _record_of(target: Path) -> Path:
    stem = target.name.removesuffix(".gz")
    return target.with_name(f"{Path(stem).stem}.release.json")


def check_outputs(
    target: Path, kind: str, *, force: bool, inputs: Sequence[str | os.PathLike[str]]
) -> None:
    """Refuse an output that already exists, is an input, or would be of another format."""
    as_file = _data_format(target)
    if as_file is not None and as_file != kind:
        raise FormatError(
            f"The output {target.name!r} would be {as_file}, but the input is {kind}.",
            hint="a release is written in the format it was read from.",
        )
    if as_file is None:
        check_output(target, force=force, inputs=inputs)
    else:
        check_files(target, _record_of(target), force=force, inputs=inputs)


@contextmanager
def staged(
    target: Path, name: str, *, force: bool, inputs: Sequence[str | os.PathLike[str]]
) -> Iterator[tuple[Path, str, str]]:
    """Yield a folder that nobody sees and the names to write there; show it all when the block ends well."""
    if _data_format(target) is None:
        with whole_directory(target, force=force, inputs=inputs, private=False) as folder:
            yield folder, name, RELEASE_FILE
    else:
        record = _record_of(target)
        with released_files(target, record, force=force, inputs=inputs) as folder:
            yield folder, target.name, record.name


def delimiter(opened: TableSource, kind: str) -> str:
    """Return what separates the cells of the output: what did in the input, where that is a text file."""
    return opened.delimiter if opened.format == kind else "\t" if kind == "tsv" else ","


def like(frame: pa.Table, data: object) -> Frame:
    """Return an Arrow table as the kind of frame that came in."""
    module = type(data).__module__.partition(".")[0]
    if module == "pandas":
        return frame.to_pandas()
    if module == "polars":
        import polars as pl

        return pl.from_arrow(frame)
    return frame
