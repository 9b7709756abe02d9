"""Starters that were learned without one corpus, kept in a folder between runs (SFUMATO_STARTERS)."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path

from benchmarks._common import data_folder
from benchmarks.starter.corpora import SHIPPED, SOURCES, read_corpus
from benchmarks.starter.learning import Corpora
from sfumato.engines.text.starter.weights import PACKAGED

TOGETHER = ({"aci_bench_notes", "aci_bench_dialogues"},)
"""Corpora of the same visits, which are left out together."""


@cache
def _corpora() -> Corpora:
    folder = data_folder()
    assert folder is not None
    return Corpora({name: read_corpus(folder, name) for name in SOURCES})


def starter_without(name: str) -> Path:
    """Return the folder of a starter of all kinds that was learned without a corpus.

    Parameters
    ----------
    name : str
        The corpus; the shipped starter is returned where it was not learned from it.

    """
    if name not in SHIPPED:
        return PACKAGED
    without = next((group for group in TOGETHER if name in group), {name})
    kept = Path(
        os.environ.get("SFUMATO_STARTERS", Path(tempfile.gettempdir()) / "sfumato-starters")
    )
    out = kept / "+".join(sorted(without))
    if not out.exists():
        kept.mkdir(parents=True, exist_ok=True)
        _corpora().learned([n for n in SHIPPED if n not in without]).save(out)
    return out
