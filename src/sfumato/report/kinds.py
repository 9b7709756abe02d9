"""The kinds of strings that may stand in a report, so that a sensitive word has no way in.

A fact is a number, a member of a closed vocabulary, a hash, the name of a file, of a column, of a
feature or of a label that the steward declared, or an interval of a policy that the schema declares.
Anything else that a file holds is left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

__all__ = [
    "COUNT_NAMES",
    "LABELS",
    "LEARNERS",
    "PACKAGES",
    "REFERENCES",
    "SELECTORS",
    "STRATEGIES",
    "ColumnName",
    "Engine",
    "Fact",
    "FileName",
    "Hash",
    "Identifier",
    "IntervalText",
    "Label",
    "Vocabulary",
    "base_name",
    "column_name",
    "column_names",
    "flag",
    "fraction",
    "identifier",
    "interval_text",
    "items",
    "known",
    "label",
    "mapping",
    "number",
    "whole",
]

Engine = Literal["text", "tables", "baskets"]
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
FileName = Annotated[str, StringConstraints(pattern=r"^[^/\\\x00-\x1f\x7f]{1,255}$")]
Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:=+-]{0,63}$")]
Label = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f\[\]]{1,64}$")]
ColumnName = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,128}$")]
IntervalText = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,160}$")]
Vocabulary = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9 _,./()=+-]{0,47}$")]
"""A member of one of the closed lists below; the functions that read files enforce the lists."""

LEARNERS = frozenset({
    "crf", "svm", "adaboost", "ensemble", "selection", "stack", "background", "one pass",
    "literal", "average", "logistic", "perceptron", "none", "character n-grams",
    "crf with background", "crf with background and release",
    "crf on release, informed by background", "crf, mean of both",
})  # fmt: skip
STRATEGIES = frozenset(
    {"exchange", "shs", "rcs", "bisecting", "exhaustive", "dp", "nsga2", "grid", "greedy"}
)
SELECTORS = frozenset({
    "hamdist", "distcnt", "information", "conditional", "maximal", "mutual", "chi2", "random",
    "all", "frequent", "greedy", "cmi", "relief", "variance", "maximal-frequent", "exact", "best",
})  # fmt: skip
PACKAGES = frozenset({
    "sfumato", "python", "numpy", "scipy", "scikit-learn", "numba", "duckdb", "pyarrow", "pandas",
    "polars", "pyspark",
})  # fmt: skip
LABELS = frozenset({
    "NAME", "PERSON", "PER", "DATE", "TIME", "AGE", "ID", "LOCATION", "LOC", "ADDRESS", "ZIP",
    "PHONE", "FAX", "EMAIL", "URL", "ORG", "ORGANIZATION", "HOSPITAL", "DOCTOR", "PATIENT",
    "PROFESSION", "CONTACT", "USERNAME", "MEDICALRECORD", "IDNUM", "SSN", "ACCOUNT", "LICENSE",
    "DEVICE", "BIOMETRIC", "PHOTO", "VEHICLE", "IP", "CITY", "STATE", "COUNTRY", "STREET", "MISC",
    "OTHER", "SENSITIVE", "REDACTED", "IDENTIFIER",
})  # fmt: skip
REFERENCES = {
    "safe harbor": "Safe Harbor", "no sanitising": "No sanitising", "nothing": "No sanitising",
    "none": "No sanitising", "unsanitised": "No sanitising", "literal algorithm 1": "Literal Algorithm 1",
    "literal": "Literal Algorithm 1", "paper": "Literal Algorithm 1", "one pass": "One pass", "one plain pass": "One pass",
    "all features": "All features", "full feature set": "All features", "unchanged": "Unchanged",
    "fully generalised": "Fully generalised", "k-anonymity": "k-anonymity",
    "frequent itemsets": "Frequent itemsets", "laplace": "Laplace", "exponential": "Exponential",
}  # fmt: skip
"""Names that engines give to references, and what the report calls them."""
COUNT_NAMES = frozenset({
    "documents", "words", "tokens", "published", "redacted", "redactions", "rows", "columns",
    "withheld", "features", "cells", "generalised", "suppressed", "dropped", "batches", "spans",
    "sensitive", "surrogates", "masked", "placeholders", "characters", "labels", "missing",
    "ones", "empty_rows", "rows_read", "published_words", "redacted_words", "distinct_words", "input_rows", "output_rows",
})  # fmt: skip


class Fact(BaseModel):
    """Base of all facts: frozen, no field beyond the declared ones, finite numbers only."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def number(value: Any) -> float | None:
    """Give a finite number, or nothing.

    >>> number(3), number("3"), number(float("nan")), number(True)
    (3.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def whole(value: Any) -> int | None:
    """Give a whole number, or nothing.

    >>> whole(4.0), whole(4.5), whole("4")
    (4, None, None)
    """
    found = number(value)
    return int(found) if found is not None and found == int(found) else None


def fraction(value: Any) -> float | None:
    """Give a number in [0, 1], or nothing."""
    found = number(value)
    return found if found is not None and 0 <= found <= 1 else None


def flag(value: Any) -> bool | None:
    """Give a truth value, or nothing."""
    return value if isinstance(value, bool) else None


def known(value: Any, vocabulary: Iterable[str], other: str | None = None) -> str | None:
    """Give the member of a closed vocabulary that the value names, whatever its case.

    >>> known("CRF", LEARNERS), known("Mr Smith", LEARNERS, "other")
    ('crf', 'other')
    """
    if isinstance(value, str):
        folded = value.casefold().replace("_", " ").strip()
        for word in sorted(vocabulary):
            if word.casefold().replace("_", " ") == folded:
                return word
        return other
    return None


def _matching(value: Any, pattern: str) -> str | None:
    return value if isinstance(value, str) and re.fullmatch(pattern, value) else None


def identifier(value: Any) -> str | None:
    """Give the id of a candidate, or nothing when it does not look like one."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return _matching(value, r"[A-Za-z0-9][A-Za-z0-9._:=+-]{0,63}")


def label(value: Any) -> str | None:
    """Give the name of a label as the steward declared it, well known or not.

    Brackets mark what stands in place of a redacted word: no name that could be taken for it is shown.

    >>> label("CASE_NO"), label("[NAME]"), label(7)
    ('CASE_NO', None, None)
    """
    return _matching(value, r"[^\x00-\x1f\x7f\[\]]{1,64}")


def column_name(value: Any) -> str | None:
    """Give the name of a column or feature, or nothing."""
    return _matching(value, r"[^\x00-\x1f\x7f]{1,128}")


def column_names(value: Any) -> tuple[str, ...]:
    """Give the names of columns in a list; anything else is left out."""
    return tuple(name for entry in items(value) if (name := column_name(entry)) is not None)


def interval_text(value: Any) -> str | None:
    """Give an interval of a policy in readable form, or nothing.

    >>> interval_text([0, 4]), interval_text("Female, Male"), interval_text(7)
    ('0–4', 'Female, Male', '7')
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}"
    if isinstance(value, list | tuple) and value:
        ends = [interval_text(v) for v in value]
        if any(e is None for e in ends):
            return None
        numeric = all(number(v) is not None for v in value)
        if numeric and len(value) == 2:
            return ends[0] if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}"
        value = ", ".join(e for e in ends if e)
    if isinstance(value, str) and len(value) > 160:
        value = value[:157] + "…"
    return _matching(value, r"[^\x00-\x1f\x7f]{1,160}")


def base_name(path: Any) -> str | None:
    """Give the last part of a path: a report names files, never folders of a machine.

    >>> base_name("/home/x/notes.jsonl"), base_name("C:\\\\data\\\\a.csv"), base_name(3)
    ('notes.jsonl', 'a.csv', None)
    """
    if not isinstance(path, str):
        return None
    return _matching(PureWindowsPath(PurePosixPath(path).name).name, r"[^/\\\x00-\x1f\x7f]{1,255}")


def mapping(value: Any) -> Mapping[str, Any]:
    """Give the value if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def items(value: Any) -> list[Any]:
    """Give the value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []
