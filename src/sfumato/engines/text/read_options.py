"""How the documents of a request are read, and what another tool found in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ...core.arguments import Compound, number
from ...core.request import Request, fields_of, parameter
from ...data.formats.registry import FORMATS
from ...data.inputs import DocumentsInput
from .format_options import FORMAT
from .reading.given_words import File

if TYPE_CHECKING:
    from ...data.documents import Corpus

__all__ = ["ReadOptions", "WithFindings"]

_LOWEST = "min-score"


class ReadOptions(Request):
    """How documents are read."""

    compounds: ClassVar[Mapping[str, Compound]] = {"format": FORMAT}
    text_column: str = parameter("text", help="Field that holds the text.", flag="--text")
    id_column: str = parameter("id", help="Field that holds the id; empty: numbered.", flag="--id")
    spans_column: str = parameter(
        "spans", help="Field that holds the spans.", flag="--spans", within="format"
    )
    format: str | None = parameter(
        None, help="Format, if not inferred from the name, and how it is read (`sfumato text formats`).",
        choices=lambda: FORMATS,
    )  # fmt: skip
    overlaps: str = parameter(
        "error", help="What is done about overlapping spans.",
        choices=lambda: ("error", "merge", "best"), within="format",
    )  # fmt: skip
    delimiter: str | None = parameter(
        None, help="CSV delimiter; detected if not given.", max_length=1, within="format"
    )
    token_column: int | None = parameter(
        None, help="Column of the tokens in a CoNLL file, from 0; detected if not given.",
        within="format",
    )  # fmt: skip
    tag_column: int | Literal["none"] = parameter(
        -1, help="Column of the tags in a CoNLL file (negative: from the end), or none.",
        metavar="INT|none", within="format",
    )  # fmt: skip
    kept_columns: list[int] = parameter(
        [], help="Other columns of a CoNLL file to publish as they are; all others become _.",
        flag="--keep-columns", within="format",
    )  # fmt: skip

    pictures: str = parameter(
        "blank", help="Whether the pictures of a PDF, which nobody has read, are blanked or kept.",
        choices=lambda: ("blank", "keep"), within="format",
    )  # fmt: skip

    profile: File | None = parameter(
        None, help="Profile that says what is done to each element of FHIR or HL7 records.", role="file",
        within="format",
    )  # fmt: skip

    def open(self, source: DocumentsInput) -> Corpus:
        """Open documents as the request says.

        Parameters
        ----------
        source : path, Corpus, frame or list of Document
            The documents.

        """
        from ...data.documents import read_documents

        return read_documents(
            source, text=self.text_column, id=self.id_column or None, spans=self.spans_column,
            format=self.format, overlaps=self.overlaps, **self._format_options(),
        )  # fmt: skip

    def _format_options(self) -> dict[str, Any]:
        """Return what is said about one format alone; another format refuses it."""
        known = fields_of(type(self))
        named = ("delimiter", "token_column", "tag_column", "kept_columns", "pictures", "profile")
        said = {n: getattr(self, n) for n in named if getattr(self, n) != known[n].default}
        return {n: None if value == "none" else value for n, value in said.items()}


class _Findings(Compound):
    """A file of findings, and how it is read: `FILE:min-score=0.4,PERSON=NAME`."""

    metavar = "FILE[:min-score=SCORE,FOUND=LABEL,…]"
    takes = ()

    def read(self, value: object) -> dict[str, object]:
        """Return the file, the lowest score and the labels' names; a name may hold colons itself."""
        path, colon, rest = value.rpartition(":") if isinstance(value, str) else ("", "", "")
        pairs = [part.partition("=") for part in rest.split(",")]
        if not colon or not all(key.strip() and equals for key, equals, _ in pairs):
            return {"findings": value}
        said = {key.strip(): given.strip() for key, _, given in pairs}
        found: dict[str, object] = {"findings": path}
        if _LOWEST in said:
            found["min_score"] = said.pop(_LOWEST)
        return found | ({"findings_labels": said} if said else {})

    def write(self, values: Mapping[str, object]) -> tuple[str, set[str]]:
        """Return the file with what is said about it."""
        if not isinstance(values.get("findings"), str):
            return "", set()
        labels, score = values.get("findings_labels"), values.get("min_score")
        pairs = {_LOWEST: score} if score else {}
        pairs |= labels if isinstance(labels, Mapping) else {}
        said = ",".join(f"{key}={number(value)}" for key, value in pairs.items())
        covered = {"findings", "min_score", "findings_labels"} & values.keys()
        return f"{values['findings']}:{said}" if said else str(values["findings"]), covered


class WithFindings(ReadOptions):
    """Documents, and what another tool found in them."""

    compounds: ClassVar[Mapping[str, Compound]] = {"findings": _Findings()}
    findings: File | Mapping[str, object] | None = parameter(
        None,
        help="Another tool's findings (JSONL), or the folder of a detector; redacted before anything else.",
        role="file",
    )
    min_score: float = parameter(
        0.0, help="Ignore findings below this score; findings without a score are used.",
        ge=0, le=1, within="findings", warns=False,
    )  # fmt: skip
    findings_labels: dict[str, str] = parameter(
        {}, help="Other names of the findings' labels, for example PERSON=NAME.",
        metavar="FOUND=LABEL", within="findings", warns=False,
    )  # fmt: skip
