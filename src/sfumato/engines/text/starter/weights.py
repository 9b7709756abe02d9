"""The starter as it is shipped: weights by the hash of a feature, one column for each kind, and the words it knows.

The file is a model directory like any other: a JSON header and raw arrays, no code, every length, type and
hash checked before anything is used. Kinds share their keys; weights are whole steps of 0.05 in one byte.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ....core.errors import ModelError
from ....core.files import sha256_of
from ..learners.crf import CRFModel
from ..reading.arrays import Array, Header
from ..reading.features import TokenData
from ..sanitize.storage import load_model, save_model
from .collection import CASE_PLACES, SPREAD_PLACES

__all__ = ["PACKAGED", "STEP", "Starter", "packaged_starter"]

PACKAGED = Path(__file__).parent / "shipped"
STEP = 0.05
_VERSION = 1
_PLACES = (4, CASE_PLACES, SPREAD_PLACES)
_HINT = "install sfumato again."


@dataclass(frozen=True, eq=False)
class Starter:
    """What was learned from public corpora.

    Parameters
    ----------
    models : mapping from str to CRFModel
        One model for each kind that it knows, such as NAME.
    known : array of uint64
        The hashes of the words that it knows, sorted.
    corpora : tuple of str
        The names of the corpora that it was learned from.
    sha256 : str
        The hash of the header, which holds those of all arrays.

    """

    models: Mapping[str, CRFModel]
    known: npt.NDArray[np.uint64]
    corpora: tuple[str, ...] = ()
    sha256: str = ""

    def coverage(self, data: TokenData) -> float:
        """Return the share of the words that it knows; words in another language it mostly does not.

        Only words in small letters count: it knows no name of a person, in whatever language.

        Parameters
        ----------
        data : TokenData
            The tokens.

        """
        rows = data.rows[data.counted & ~data.words.capital[data.rows] & ~_numbers(data)]
        return float(np.isin(data.words.lower[rows], self.known).mean()) if len(rows) else 0.0

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the model directory.

        Parameters
        ----------
        folder : path
            The folder.
        force : bool, default False
            Whether an existing one may be replaced.

        """
        arrays: dict[str, Array] = {"known": self.known}
        for part in ("row", "joint"):
            keys, weights = _join_keys(self.models, part)
            arrays |= {f"{part}_keys": keys, f"{part}_weights": weights}
        for kind, model in self.models.items():
            arrays[f"{kind}/places"] = model.place_weights
            arrays[f"{kind}/transitions"] = model.transitions
        header: Header = {
            "kind": "starter",
            "version": _VERSION,
            "kinds": list(self.models),
            "corpora": list(self.corpora),
            "step": STEP,
        }
        save_model(folder, header, arrays, force=force)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Starter:
        """Read a model directory back; what is damaged or does not fit together is refused.

        Parameters
        ----------
        folder : path
            What `save` wrote.

        """
        header, arrays = load_model(folder)
        try:
            if (
                header["kind"] != "starter"
                or header["version"] != _VERSION
                or header["step"] != STEP
            ):
                raise ValueError
            kinds = tuple(str(kind) for kind in header["kinds"])
            _check_arrays(arrays, len(kinds))
            models = {
                kind: CRFModel.from_arrays({"memory": False, "place_sizes": _PLACES}, parts)
                for kind, parts in (
                    (kind, _column(arrays, n, kind)) for n, kind in enumerate(kinds)
                )
            }
            corpora = tuple(str(name) for name in header["corpora"])
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise ModelError("The starter does not fit together.", hint=_HINT) from error
        digest = sha256_of(Path(folder) / "model.json")
        return cls(models, arrays["known"], corpora, digest)


def _numbers(data: TokenData) -> npt.NDArray[np.bool_]:
    """Return which tokens hold no letter."""
    lengths = data.tokens.end - data.tokens.start
    text = data.tokens.text
    has_letter = (text >= 0x80) | ((text | 0x20) >= 0x61) & ((text | 0x20) <= 0x7A)
    before = np.concatenate([[0], np.cumsum(has_letter)])
    start = data.tokens.start
    found: npt.NDArray[np.bool_] = before[start + lengths] == before[start]
    return found


def _join_keys(models: Mapping[str, CRFModel], part: str) -> tuple[Array, Array]:
    """Return the keys of all kinds and a column of small whole numbers for each; nothing that is 0 in all."""
    keys = np.unique(np.concatenate([getattr(m, f"{part}_keys") for m in models.values()]))
    weights = np.zeros((len(models), len(keys)), np.int8)
    for n, model in enumerate(models.values()):
        steps = np.clip(np.round(getattr(model, f"{part}_weights") / STEP), -127, 127)
        weights[n, np.searchsorted(keys, getattr(model, f"{part}_keys"))] = steps
    used = (weights != 0).any(axis=0)
    return keys[used], weights[:, used]


def _check_arrays(arrays: Mapping[str, Array], kinds: int) -> None:
    known = arrays["known"]
    sound = kinds > 0 and known.dtype == np.uint64 and known.ndim == 1
    for part in ("row", "joint"):
        keys, weights = arrays[f"{part}_keys"], arrays[f"{part}_weights"]
        sound &= keys.dtype == np.uint64 and keys.ndim == 1 and weights.dtype == np.int8
        sound &= weights.shape == (kinds, len(keys)) and bool((keys[1:] > keys[:-1]).all())
    if not (sound and bool((known[1:] > known[:-1]).all())):
        raise ValueError


def _column(arrays: Mapping[str, Array], number: int, kind: str) -> dict[str, Array]:
    """Return the arrays of one kind as those of a CRF."""
    found = {
        "place_weights": arrays[f"{kind}/places"],
        "transitions": arrays[f"{kind}/transitions"],
    }
    for part in ("row", "joint"):
        weights = arrays[f"{part}_weights"][number]
        used = weights != 0
        found[f"{part}_keys"] = arrays[f"{part}_keys"][used]
        found[f"{part}_weights"] = weights[used].astype(np.float32) * np.float32(STEP)
    return found


@cache
def packaged_starter() -> Starter:
    """Return the starter that is shipped with the package."""
    return Starter.load(PACKAGED)
