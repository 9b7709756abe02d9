"""Drafts of schemas: roles and domains guessed from names and counts, for the steward to decide."""

from __future__ import annotations

import json
import re

from .attributes import Role
from .table_source import Source

__all__ = ["draft_schema"]

_IDENTIFIER_WORDS = frozenset({
    "name", "surname", "forename", "ssn", "email", "mail", "phone", "fax", "mobile", "mrn", "passport",
    "address", "street", "id", "pid", "uid", "uuid", "guid", "key", "nr", "no", "num", "number", "account",
    "iban", "licence", "license", "plate", "serial", "url", "ip", "photo", "fingerprint",
})  # fmt: skip
_SENSITIVE_WORDS = ("diagnos", "disease", "income", "salary", "outcome", "result", "hiv", "icd")
_QUASI_WORDS = frozenset({
    "age", "sex", "gender", "race", "zip", "zcta", "postcode", "postal", "birth", "birthdate", "dob", "date",
    "year", "latitude", "longitude", "lat", "lon", "lng",
})  # fmt: skip
_FREE_TEXT = ("note", "comment", "remark", "description", "text", "narrative")


def draft_schema(source: object) -> str:
    """Draft a schema in TOML for the user to edit; roles are guesses from names and counts alone.

    The draft fails closed: what is not recognised as an identifier (removed) or a sensitive column is a
    quasi-identifier, so that it is generalised and never published as it is.

    Only names of columns, ranges of whole numbers and `"observed"` are written: no text value of the data.
    """
    opened = Source.open(source)
    opened.check_header()
    lines = [
        "# A draft: check every role and domain before you use it.",
        "# identifier: removed · quasi: what an outsider could know · sensitive: must not be tied to a person · other: kept",
        '# Columns that nothing is known of are quasi: give them role = "other" only if nobody outside can know them.',
        "",
    ]
    facts = opened.column_facts()
    missing = any(f.missing for f in facts)
    lines += [f'missing = "{"value" if missing else "error"}"', ""]
    for fact in facts:
        role = _guess_role(fact.name, fact.distinct, fact.rows)
        lines += ["[[attribute]]", f"name = {_quoted(fact.name)}", f'role = "{role}"']
        if role == "quasi":
            if fact.low is not None and fact.high is not None and fact.high - fact.low < 10_000:
                low, high = fact.low, fact.high
                if "age" in fact.name.lower() and low >= 0 and high <= 120:
                    low, high = 0, 120
                lines.append(f"domain = {{ range = [{low}, {high}] }}")
            else:
                lines.append(
                    'domain = "observed"   # sorted; write the values down to set their order'
                )
        lines.append("")
    return "\n".join(lines)


def _guess_role(name: str, distinct: int, rows: int) -> Role:
    """Guess a role; what is not recognised is a quasi-identifier, never published as it is."""
    lower = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    words = set(re.split(r"[^a-z0-9]+", lower))
    if any(w in lower for w in _SENSITIVE_WORDS):
        return "sensitive"
    if words & _IDENTIFIER_WORDS or any(w in lower for w in _FREE_TEXT):
        return "identifier"
    if not words & _QUASI_WORDS and rows >= 20 and distinct >= 0.95 * rows:
        return "identifier"
    return "quasi"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
