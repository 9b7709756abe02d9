"""Marks for missing values, in several languages, and as numbers; a draft of a schema proposes those that occur."""

from __future__ import annotations

__all__ = ["MISSING_MARKS", "MISSING_NUMBERS"]

MISSING_MARKS = (
    "NA", "N/A", "n/a", "n.a.", "NaN", "nan", "NULL", "null", "None", "#N/A", "#NV", "-", "--", "–", ".", "..",
    "k.A.", "k. A.", "keine Angabe", "unbekannt", "n/d", "N/D", "ND", "n.d.", "N.D.", "NR",
    "non renseigné", "inconnu", "s/d", "s.d.", "N.C.", "NC", "n.c.", "nc", "n.v.t.",
)  # fmt: skip

MISSING_NUMBERS = (
    "-1", "-2", "-3", "-4", "-5", "-6", "-7", "-8", "-9",
    "-66", "-77", "-88", "-97", "-98", "-99", "-777", "-888", "-997", "-998", "-999", "-9999",
)  # fmt: skip
"""What surveys write for "no answer", "does not apply" and the like, where no other number is negative."""
