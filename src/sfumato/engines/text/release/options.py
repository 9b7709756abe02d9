"""How documents are written, and what the record of a release says beyond the counts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from pydantic import JsonValue

from ....core.engine import Progress, no_progress
from ....core.files import sha256_of
from ....core.measures import Risk
from ....core.storage.private_key import private_key
from ..attack_records import RangedShare
from ..records import StarterRecord, TextMeasured
from ..redaction.counts import RedactionCounts
from .sample import CorpusSample, Sampler

__all__ = ["AnsweredRequest", "Measures", "WriteOptions"]

# Characters of a part (bytes of JSON lines): with larger ones the system takes memory back and forth.
_PART_SIZE = 1 << 19


class Measures(TypedDict, total=False):
    """What the record of a release says beyond the counts."""

    risk: Risk
    measured: TextMeasured
    documents_with_leak: RangedShare
    left_by_label: dict[str, RangedShare]
    sentences: tuple[str, ...]
    starter: StarterRecord


@dataclass(frozen=True)
class AnsweredRequest:
    """A labelling project that is published.

    Parameters
    ----------
    record : mapping
        The request as it was made, for the record: it names the project.
    cleared : mapping of str to sequence of (int, int)
        By id of a document, what a review took back.
    is_reviewed : bool, default False
        Whether the release is made in the review room, where a person sees every scanned page before it is approved.

    """

    record: Mapping[str, JsonValue]
    cleared: Mapping[str, Sequence[tuple[int, int]]]
    is_reviewed: bool = False


Measure = Callable[[RedactionCounts], Measures]


@dataclass(frozen=True, kw_only=True)
class WriteOptions:
    """How documents are written.

    Parameters
    ----------
    replacement : str, default "placeholder"
        The name of what replaces, for the record.
    request : mapping
        The recorded request.
    seed : int, default 0
        The seed of the exploration, for the record.
    frontier : str, optional
        The mark of the frontier, for the record.
    findings : path, default None
        Another tool's findings, redacted first.
    min_score : float, default 0
        Findings below this score are left out.
    findings_labels : mapping
        Other names of the findings' labels.
    keep : sequence of str
        Other fields to publish; all others are left out.
    keep_ids : bool, default False
        Whether documents keep their ids and their order; else they get new ones, and the mapping is
        private.
    engine, threads : str, int
        Where the work is done, and by how many threads.
    force : bool, default False
        Whether an existing release may be replaced.
    characters : int
        The size of a part.
    accept_shift : bool, default False
        Whether the steward accepted that the documents are not like those learned from.
    accept_scans : bool, default False
        Whether the steward accepted scanned pages that nobody has seen.
    measure : callable, default None
        Returns what the record says beyond the counts, from the counts of what was read back: the
        promise for a release of this size and what was measured.
    sampler : Sampler, default None
        Draws a sample of the documents while they are read.
    check : callable, default None
        Refuses documents by the sample of them, before anything is written.
    progress : callable
        Called with the documents that are done.

    """

    replacement: str = "placeholder"
    request: Mapping[str, JsonValue] = field(default_factory=dict)
    seed: int = 0
    frontier: str | None = None
    findings: str | os.PathLike[str] | None = None
    min_score: float = 0.0
    findings_labels: Mapping[str, str] | None = None
    keep: Sequence[str] = ()
    keep_ids: bool = False
    engine: str = "local"
    threads: int | None = None
    force: bool = False
    characters: int = _PART_SIZE
    accept_shift: bool = False
    accept_scans: bool = False
    measure: Measure | None = None
    sampler: Sampler | None = None
    check: Callable[[CorpusSample], None] | None = None
    progress: Progress = no_progress

    def changing(self) -> dict[str, object]:
        """Return what an output depends on, in plain values; findings by a keyed mark."""
        findings = self.findings
        return {
            "replacement": self.replacement,
            "findings": None
            if findings is None
            else private_key().mark("input", sha256_of(findings)),
            "keep": sorted(self.keep),
            "keep_ids": self.keep_ids,
            "min_score": self.min_score,
            "findings_labels": dict(self.findings_labels or {}),
        }
