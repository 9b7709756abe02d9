"""The registry of document formats; listing the names loads none of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.registry import Registry

if TYPE_CHECKING:
    from .protocol import Format

__all__ = ["FORMATS", "format_of_file", "format_of_name", "suffixes"]

FORMATS: Registry[type[Format[Any]]] = Registry(
    "document format",
    {
        "fhir": f"{__package__}.health.formats:Fhir",
        "jsonl": f"{__package__}.jsonl:Jsonl",
        "csv": f"{__package__}.delimited:Csv",
        "tsv": f"{__package__}.delimited:Tsv",
        "parquet": f"{__package__}.columns:Parquet",
        "conll": f"{__package__}.conll:Conll",
        "brat": f"{__package__}.brat:Brat",
        "prodigy": f"{__package__}.tools:Prodigy",
        "doccano": f"{__package__}.tools:Doccano",
        "labelstudio": f"{__package__}.tools:LabelStudio",
        "i2b2": f"{__package__}.i2b2:I2b2",
        "docx": f"{__package__}.office.formats:Docx",
        "xlsx": f"{__package__}.office.formats:Xlsx",
        "sheet": f"{__package__}.office.tables:SheetTable",
        "pptx": f"{__package__}.office.formats:Pptx",
        "html": f"{__package__}.markup.formats:Html",
        "xml": f"{__package__}.markup.formats:Xml",
        "odt": f"{__package__}.markup.formats:Odt",
        "rtf": f"{__package__}.markup.formats:Rtf",
        "pdf": f"{__package__}.pdf.format:Pdf",
        "eml": f"{__package__}.mail.formats:Mail",
        "mbox": f"{__package__}.mail.formats:Mailbox",
        "hl7": f"{__package__}.health.hl7:Hl7",
        "plain": f"{__package__}.plain:Plain",
        "mixed": f"{__package__}.mixed:Mixed",
    },
    group="sfumato.formats",
    of=f"{__package__}.protocol:Format",
    classes=True,
)
"""Formats by name, in the order in which they are asked whether a file is theirs."""

_ENDINGS: dict[str, tuple[str, ...]] = {
    "fhir": (".ndjson", ".json"),
    "csv": (".csv",),
    "tsv": (".tsv",),
    "parquet": (".parquet", ".pq"),
    "conll": (".conll", ".iob", ".bio"),
    "brat": (".txt", ".ann"),
    "prodigy": (),
    "doccano": (),
    "labelstudio": (),
    "i2b2": (".xml",),
    "docx": (".docx",),
    "xlsx": (".xlsx",),
    "sheet": (),
    "pptx": (".pptx",),
    "html": (".html", ".htm", ".xhtml"),
    "xml": (".xml", ".cda"),
    "odt": (".odt",),
    "rtf": (".rtf",),
    "pdf": (".pdf",),
    "eml": (".eml",),
    "mbox": (".mbox",),
    "hl7": (".hl7",),
    "plain": (),
    "mixed": (),
}
"""The endings of formats that need not be loaded to know that a file with another one is not theirs."""


def _claims(name: str, head: bytes) -> Iterator[str]:
    """Yield the formats that claim a file by its name and first bytes; load only those that might."""
    plain = name.lower().removesuffix(".gz")
    for kind in FORMATS:
        endings = _ENDINGS.get(kind)
        if (endings is None or plain.endswith(endings)) and FORMATS[kind].sniff(name, head):
            yield kind


def format_of_name(path: Path, head: bytes = b"") -> str | None:
    """Return the name of the format that claims a file, or None.

    >>> format_of_name(Path("notes.jsonl.gz")), format_of_name(Path("notes"))
    ('jsonl', None)
    """
    return next(_claims(path.name, head), None)


def format_of_file(path: Path) -> str | None:
    """Return the name of the format that claims a file, or None; where several do, they look inside."""
    claims = list(_claims(path.name, b""))
    if len(claims) < 2:
        return claims[0] if claims else None
    head = _head(path)
    return next((name for name in claims if FORMATS[name].sniff(path.name, head)), None)


def _head(path: Path) -> bytes:
    """Return the first bytes of a file, for formats that look at them; nothing of what cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(4096)
    except OSError:
        return b""


def suffixes() -> tuple[str, ...]:
    """Return the endings of names by which files are known for documents."""
    return tuple(suffix for kind in FORMATS.values() for suffix in kind.suffixes)
