"""How each format of documents is read: what comes after its name, as in `conll:token=1,tag=none`."""

from __future__ import annotations

from ...core.arguments import Argument, Named

__all__ = ["AUTO", "FORMAT"]

AUTO = "auto"
"""The format that a file's name says, where only its options are given: `auto:overlaps=merge`."""

_CHARACTERS = {"tab": "\t", "comma": ",", "colon": ":", "space": " "}


def _character(text: str) -> str:
    """Return a delimiter, which may be named where the grammar has another use for it."""
    return _CHARACTERS.get(text, text)


def _name(value: object) -> str:
    return next((name for name, one in _CHARACTERS.items() if one == value), str(value))


def _columns(text: str) -> object:
    return text.split("+")


def _join(value: object) -> str:
    return "+".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


_OVERLAPS = Argument("overlaps", "overlaps", "error|merge|best")
_SPANS = Argument("spans_column", "spans", "FIELD")
_DELIMITER = Argument("delimiter", "delimiter", "CHARACTER", read=_character, write=_name)
_COLUMNS = [
    Argument("token_column", "token", "INT"),
    Argument("tag_column", "tag", "INT|none"),
    Argument("kept_columns", "keep", "INT+INT", read=_columns, write=_join),
]

_PICTURES = Argument("pictures", "pictures", "blank|keep")

_PROFILE = Argument("profile", "profile", "FILE", write=str)

FORMAT = Named(
    "format",
    {
        AUTO: [_SPANS, _DELIMITER, *_COLUMNS, _OVERLAPS, _PICTURES],
        "jsonl": [_SPANS, _OVERLAPS],
        "csv": [_DELIMITER, _SPANS, _OVERLAPS],
        "tsv": [_DELIMITER, _SPANS, _OVERLAPS],
        "parquet": [_SPANS, _OVERLAPS],
        "conll": [*_COLUMNS, _OVERLAPS],
        "fhir": [_PROFILE],
        "hl7": [_PROFILE],
        "pdf": [_PICTURES, _OVERLAPS],
        **{name: [_OVERLAPS] for name in ("brat", "prodigy", "doccano", "labelstudio", "i2b2")},
    },
    metavar="NAME[:KEY=VALUE,…]",
    unset=AUTO,
)
