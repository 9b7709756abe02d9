"""Every parameter of the text engine's further verbs: start, convert, formats, audit, study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field, field_validator

from ...core.arguments import Compound, Flagged, number, table_of
from ...core.request import Request, parameter
from ...data.formats.registry import FORMATS
from ...data.inputs import DocumentsInput
from .read_options import ReadOptions
from .reading.given_words import File
from .request import RATIOS, Inspected, Ratio, as_encoder

__all__ = ["AuditRequest", "ConvertRequest", "FormatsRequest", "StartRequest", "TextStudyRequest"]

_ALL = "all"  # in the place of a label: all words together


class _Targets(Compound):
    """A share for all words, and shares for single labels: `0.02,NAME=0.01,DATE=0.05`."""

    metavar = "SHARE[,LABEL=SHARE,…]"

    def read(self, value: object) -> dict[str, object]:
        """Return the share of all words and those by label; a table has the former under "all"."""
        table = table_of(value)
        if table is None and not (isinstance(value, str) and "=" in value):
            return {"target_risk": value}
        pairs = list(table.items()) if table is not None else []
        for part in str(value).split(",") if table is None else ():
            label, equals, share = part.rpartition("=")
            pairs.append((label.strip() if equals else _ALL, share.strip()))
        said = dict(pairs)
        if len(said) < len(pairs) or "" in said:
            raise ValueError(f"each label takes one share; write {self.metavar}")
        found = {"target_risk": said.pop(_ALL)} if _ALL in said else {}
        return found | {"target_risks": said}

    def write(self, values: Mapping[str, object]) -> tuple[str, set[str]]:
        """Return the shares as they are typed."""
        by_label = values.get("target_risks")
        parts = [number(values["target_risk"])] if "target_risk" in values else []
        if isinstance(by_label, Mapping):
            parts += [f"{label}={number(share)}" for label, share in by_label.items()]
        return ",".join(parts), {"target_risk", "target_risks"} & values.keys()


class StartRequest(ReadOptions):
    """What `start` takes."""

    compounds: ClassVar[Mapping[str, Compound]] = {
        "background": Flagged("background", "generated", "generated"),
        "target_risk": _Targets(),
    }
    documents: File = parameter(help="Documents without labels.", role="data", metavar="DOCS")
    labels: list[str] = parameter(
        [], help="What is sensitive, at most nine labels (default: the common kinds).",
        flag="--label", aliases=["label"], max_length=9,
    )  # fmt: skip
    rules: File | None = parameter(
        None, help="Rules file; the built-in rules by default.", role="file"
    )
    findings: File | None = parameter(
        None,
        help="Another tool's findings (JSONL), or the folder of a detector.",
        role="file",
        aliases=["detector"],
    )
    model: File | None = parameter(
        None, help="Frontier folder of other documents: what its classifiers find is proposed.",
        role="file",
    )  # fmt: skip
    background: list[DocumentsInput] = parameter(
        [], help="Labelled corpora of any origin to learn a first model from, or generated notes.",
        role="file", metavar="FILE|generated",
    )  # fmt: skip
    generated: bool = parameter(
        False, help="Learn the first model from generated notes where no background is given.",
        within="background",
    )  # fmt: skip
    no_starter: bool = parameter(
        False, help="Propose by rules alone, without the built-in model.", within="model"
    )
    ratio: float = parameter(10.0, help="L/C: how many words withheld one leak is worth.", gt=0)
    target_risk: float = parameter(
        0.01, help="Stop when at most this share of sensitive words is left.", gt=0, lt=1,
        former=["wanted"], record_as="wanted", metavar="SHARE[,LABEL=SHARE,…]",
    )  # fmt: skip
    target_risks: dict[str, Annotated[float, Field(gt=0, lt=1)]] = parameter(
        {}, help="The same for single labels.", within="target_risk"
    )
    encoder: File | None = parameter(
        None,
        help="Encoder that also learns from the answers (default: the installed one, if any).",
        metavar="none|default|FOLDER",
    )
    seed: int = parameter(0, help="Seed of all randomness.", ge=0)

    _held_encoder = field_validator("encoder", mode="before")(as_encoder)


class ConvertRequest(ReadOptions):
    """What `convert` takes."""

    source: File = parameter(
        help="Labelled documents, or a project: then the answers are its labels.", role="data",
        metavar="SOURCE",
    )  # fmt: skip
    to: str = parameter(help="Format to write.", choices=lambda: FORMATS)


class FormatsRequest(Request):
    """What `formats` takes: nothing."""


class AuditRequest(Request):
    """What `audit` takes."""

    release: File = parameter(help="What publish wrote.", role="data", metavar="RELEASE")
    documents: int | None = parameter(None, help="How many documents a person reads.", ge=1)
    words: int | None = parameter(
        None,
        help="How many words a person reads, beginning with those an attacker would read first.",
        ge=1,
    )
    frontier: File | None = parameter(
        None, help="Folder that explore wrote; --words needs it.", role="file"
    )
    seed: int = parameter(0, help="Seed of the draw.", ge=0)


class TextStudyRequest(Request):
    """What `study` takes."""

    corpora: list[File] = parameter(
        help="Labelled corpora.", role="data", metavar="CORPUS…", min_length=1
    )
    labels: list[str] = parameter(
        ["NAME"], help="Labels that are sensitive.", flag="--label", aliases=["label"], min_length=1
    )
    ratios: list[Ratio] = parameter(RATIOS, help="Loss ratios L/C.", min_length=1)
    folds: int = parameter(4, help="Folds by document.", ge=2)
    publishers: list[str] = parameter([], help="Some of the publishers (default: all).")
    budgets: list[Inspected] = parameter(
        [10, 20, 50, 100, 200, 500, 1000, 2000], help="Numbers of words to inspect.",
        flag="--budget", aliases=["budget"], min_length=1,
    )  # fmt: skip
    threads: int | None = parameter(
        None, help="Threads (default: all cores).", ge=1, recorded=False
    )
    seed: int = parameter(0, help="Seed of all randomness.", ge=0)
