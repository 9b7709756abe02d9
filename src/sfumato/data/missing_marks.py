"""Marks for missing values, in several languages; a draft of a schema proposes those that occur."""

from __future__ import annotations

__all__ = ["MISSING_MARKS"]

MISSING_MARKS = (
    "NA", "N/A", "n/a", "n.a.", "NaN", "nan", "NULL", "null", "None", "#N/A", "#NV", "-", "--", "–", ".", "..",
    "k.A.", "k. A.", "keine Angabe", "unbekannt", "n/d", "N/D", "ND", "n.d.", "N.D.", "NR",
    "non renseigné", "inconnu", "s/d", "s.d.", "N.C.", "NC", "n.c.", "nc", "n.v.t.",
)  # fmt: skip
