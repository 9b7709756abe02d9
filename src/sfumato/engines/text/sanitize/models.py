"""What `explore` leaves next to frontier.json: the classifiers of every candidate, in one model folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ....core.errors import ModelError
from .classifiers import ClassifierSet
from .storage import load_model, save_model

__all__ = ["MODEL_FOLDER", "load_candidates", "save_candidates"]

MODEL_FOLDER = "model"


def save_candidates(
    directory: str | os.PathLike[str],
    candidates: Mapping[str, ClassifierSet],
    *,
    force: bool = False,
) -> None:
    """Write the classifiers of all candidates, by id; what they share is stored once.

    Parameters
    ----------
    directory : path
        The folder that gets the folder model/.
    candidates : mapping from str to ClassifierSet
        The classifiers by candidate.
    force : bool, default False
        Whether an existing model may be replaced.

    """
    headers, arrays = {}, {}
    for name, candidate in candidates.items():
        header, parts = candidate.to_arrays()
        headers[name] = header
        arrays.update({f"{name}/{part}": array for part, array in parts.items()})
    save_model(Path(directory) / MODEL_FOLDER, {"candidates": headers}, arrays, force=force)


def load_candidates(directory: str | os.PathLike[str]) -> dict[str, ClassifierSet]:
    """Read the classifiers of all candidates back; what is damaged is refused.

    Parameters
    ----------
    directory : path
        The folder that holds the folder model/.

    """
    header, arrays = load_model(Path(directory) / MODEL_FOLDER)
    headers = header.get("candidates")
    if not isinstance(headers, dict):
        raise ModelError("The model holds no candidates.", hint="explore again.")
    found = {}
    for name, described in headers.items():
        prefix = name + "/"
        own = {k[len(prefix) :]: array for k, array in arrays.items() if k.startswith(prefix)}
        found[name] = ClassifierSet.from_arrays(described, own)
    return found
