"""The format and the file name of a release of baskets."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from ....core.errors import FormatError, InputError
from ....core.files import check_plain_file
from ....core.release import Target
from ....core.storage.ownership import paths_in
from ....data.baskets import Baskets, beside_of, format_of
from ....data.logs import is_log_name
from ..request import BasketsPublishRequest

__all__ = ["target_of"]

_DEFAULT_NAME = {
    "npz": "baskets.npz", "libsvm": "baskets.svm", "transactions": "baskets.txt", "csv": "baskets.csv",
}  # fmt: skip


def target_of(request: BasketsPublishRequest, path: Path, *, force: bool) -> Target:
    """Return where a release of baskets is written: in the format it was read from."""
    kind, name = _kind_and_name(request)
    kind_of = partial(_kind_of_name, log=request.log_columns is not None)
    read = _read_from(request.matrix, request.labels)
    return Target(path, name, kind, kind_of, force=force, inputs=read)


def _read_from(data: object, labels: object) -> list[str | os.PathLike[str]]:
    """List the files that are read: the matrix, its labels, and its sibling files."""
    files = paths_in(data, labels)
    if isinstance(data, str | os.PathLike):
        files += [beside_of(Path(data), what) for what in ("labels", "features")]
    return files + (list(data.files) if isinstance(data, Baskets) else [])


def _kind_and_name(request: BasketsPublishRequest) -> tuple[str, str]:
    data = request.matrix
    if isinstance(data, str | os.PathLike):
        path = Path(data)
        check_plain_file(path)
        if request.log_columns is not None:
            # A workbook or a file of statistics software is released as CSV.
            return "log", path.name if is_log_name(path) else f"{path.stem}.csv"
        if not path.is_file():
            raise InputError(f"There is no file {path.name!r}.", hint="check the path.")
        return format_of(path), path.name
    kind = data.format if isinstance(data, Baskets) else "npz"
    return kind, _DEFAULT_NAME[kind]


def _kind_of_name(path: Path, *, log: bool) -> str | None:
    """Return the format when the output names a data file; None for a folder."""
    if "." not in path.name:
        return None
    if log:
        return "log" if is_log_name(path) else None
    try:
        return format_of(path)
    except FormatError:
        return None
