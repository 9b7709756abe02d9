"""The forms in which documents are kept, by name; listing them loads nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._layout import Format

__all__ = ["FORMATS"]

FORMATS: Registry[Callable[..., Format]] = Registry(
    "document format",
    {
        "jsonl": f"{__package__}.jsonl:Jsonl",
        "csv": f"{__package__}.delimited:Delimited",
        "tsv": f"{__package__}.delimited:Delimited",
        "parquet": f"{__package__}.columns:Parquet",
        "conll": f"{__package__}.conll:Conll",
        "brat": f"{__package__}.brat:Brat",
        "prodigy": f"{__package__}.tools:Prodigy",
        "doccano": f"{__package__}.tools:Doccano",
        "labelstudio": f"{__package__}.tools:LabelStudio",
        "i2b2": f"{__package__}.i2b2:I2b2",
    },
    group="sfumato.formats",
    of=f"{__package__}._layout:Format",
)
"""Classes of formats; each is made with a `Layout` and the format's own options."""
