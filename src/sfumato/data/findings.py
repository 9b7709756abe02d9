"""Another tool's findings (as Presidio, OpenMed and `opf` emit them) as ready-made spans of documents.

A finding is `{"start", "end", "entity_type" or "label", "score" or "confidence"}`. Tools emit overlapping findings;
`resolve` makes them a sorted, non-overlapping list. The findings of a document are known by its id or, where
a tool gives back the text instead, by that text. A folder is a detector, which finds them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import DataError, FormatError, InputError, ParameterError
from .document import Document, Span

if TYPE_CHECKING:
    from .detectors import Detector

__all__ = ["as_spans", "read_findings", "resolve", "with_findings"]

# A label is published in place of what it labels, so it must not be able to say it.
_LABEL = re.compile(r"[^\W_][\w.:/&+-]{0,63}")

_BY_LABEL = "predicted_spans"
_LISTS = ("findings", "entities", "detected_spans", _BY_LABEL)
"""What tools call the findings of a document: ours, OpenMed's, and opf's for a text and for a file of texts."""
_TOGETHER = 64  # documents that a detector reads at a time


def as_spans(findings: object) -> list[Span]:
    """Turn findings or spans (dicts or objects with these fields) into spans, in the order given.

    >>> as_spans([{"start": 0, "end": 3, "entity_type": "PERSON", "score": 0.85}])
    [Span(start=0, end=3, label='PERSON', score=0.85)]
    """
    if findings is None:
        return []
    if not isinstance(findings, Sequence) or isinstance(findings, str | bytes):
        raise DataError("Its spans are not a list.", hint="give a list of {start, end, label}.")
    spans = []
    for number, finding in enumerate(findings, 1):
        if type(finding) is dict:  # nearly all of them: the quick way first
            get: Callable[[str], object] = finding.get
        elif isinstance(finding, Span):
            _check_label(finding.label, number)
            spans.append(finding)
            continue
        elif isinstance(finding, Mapping):
            get = finding.get
        else:
            get = partial(_attribute, finding)
        start, end, label, score = get("start"), get("end"), get("label"), get("score")
        if label is None:
            label = get("entity_type")
        if label is None:
            label = get("entity_group")
        if score is None:
            score = get("confidence")
        if type(start) is not int or type(end) is not int:
            raise DataError(f"Its span {number} has no whole numbers as start and end.")
        if type(label) is not str or not label:
            raise DataError(f"Its span {number} has no label (or entity_type).")
        _check_label(label, number)
        if score is not None:
            if not isinstance(score, int | float) or isinstance(score, bool):
                raise DataError(f"Its span {number} has a score that is not a finite number.")
            score = _finite(score, number)
        spans.append(Span(start, end, label, score))
    return spans


def _check_label(label: str, number: int) -> None:
    if not _is_name(label):
        raise DataError(
            f"Its span {number} has a label that is not the name of a kind.",
            hint="a label is one word of at most 64 letters, digits and - _ . : / & characters: it "
            "replaces the text in the release.",
        )


def _attribute(finding: object, key: str) -> object:
    return getattr(finding, key, None)


@lru_cache(maxsize=256)
def _is_name(label: str) -> bool:
    return _LABEL.fullmatch(label) is not None


def _finite(score: float, number: int) -> float:
    try:
        value = float(score)
    except OverflowError:
        value = inf
    if not isfinite(value):
        raise DataError(f"Its span {number} has a score that is not a finite number.")
    return value


def resolve(spans: Iterable[Span], overlaps: str = "merge") -> list[Span]:
    """Make spans sorted and free of overlaps.

    "merge" covers every character that any finding covers: overlapping findings become one, with the
    label and score of the best of them (highest score, then longest, then first). "best" keeps the
    best findings as they are and drops those that overlap a better one, so that some characters
    which a tool found may be left uncovered.

    >>> found = [Span(0, 4, "DATE", 0.6), Span(2, 9, "NAME", 0.9), Span(12, 15, "ID", 0.5)]
    >>> [(s.start, s.end, s.label) for s in resolve(found)]
    [(0, 9, 'NAME'), (12, 15, 'ID')]
    >>> [(s.start, s.end, s.label) for s in resolve(found, "best")]
    [(2, 9, 'NAME'), (12, 15, 'ID')]
    """
    if overlaps == "merge":
        merged: list[Span] = []
        best: list[Span] = []
        for span in sorted(spans, key=lambda s: (s.start, s.end, s.label)):
            if merged and span.start < merged[-1].end:
                leader = min(best[-1], span, key=_rank)
                end = max(merged[-1].end, span.end)
                merged[-1] = Span(merged[-1].start, end, leader.label, leader.score)
                best[-1] = leader
            else:
                merged.append(span)
                best.append(span)
        return merged
    if overlaps == "best":
        from bisect import bisect_left, insort

        kept: list[tuple[int, int, Span]] = []
        for span in sorted(spans, key=_rank):
            place = bisect_left(kept, (span.start,))
            clear = place == 0 or kept[place - 1][1] <= span.start
            if clear and (place == len(kept) or span.end <= kept[place][0]):
                insort(kept, (span.start, span.end, span))
        return [span for _, _, span in kept]
    raise ParameterError.constraint("overlaps", "resolve", "'merge' or 'best'", overlaps)


def _rank(span: Span) -> tuple[float, int, int, int, str]:
    score = span.score if span.score is not None else 0.0
    return (-score, span.start - span.end, span.start, span.end, span.label)


def read_findings(
    source: str | os.PathLike[str] | Mapping[str, object],
) -> dict[str, list[Span]]:
    """Read findings by document id: a dict, a JSON file of one, or a JSONL of {"id", "findings"}.

    All findings are held in memory; it grows with their number, not with the texts.

    >>> read_findings({"d1": [{"start": 0, "end": 3, "label": "NAME"}]})["d1"][0].end
    3
    """
    return _read_entries(source).by_id


class _Entries:
    """What findings say: the spans by id or by the hash of the text, and the hash of a text by its id."""

    def __init__(self) -> None:
        self.by_id: dict[str, list[Span]] = {}
        self.by_text: dict[str, list[Span]] = {}
        self.texts: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self.by_id) + len(self.by_text)

    def find(self, document: Document) -> list[Span] | None:
        """Return the findings of a document; None if it has no entry."""
        found = self.by_id.get(document.id)
        return self.by_text.get(document.text_sha256) if found is None else found

    def add(self, record: int, key: object, findings: object) -> None:
        """Add the findings of one document by its id."""
        if not isinstance(key, str | int) or isinstance(key, bool):
            raise DataError(f"Record {record} of the findings has no usable 'id'.")
        if str(key) in self.by_id:
            raise DataError(f"Record {record} of the findings repeats the id {str(key)!r}.")
        self.by_id[str(key)] = self._spans(f"{record} of the findings (id {str(key)!r})", findings)

    def add_entry(self, record: int, entry: Mapping[str, object]) -> None:
        """Add what a tool says of one document: by its id, else by the text that it gives back."""
        findings = next(entry[key] for key in _LISTS if key in entry)
        if isinstance(held := entry.get(_BY_LABEL), Mapping):
            findings = _by_label(held)
        text, known = entry.get("text"), entry.get("text_sha256")
        if "id" not in entry and isinstance(text, str):
            # Equal texts have equal findings: the first ones are kept.
            self.by_text.setdefault(
                Document("", text).text_sha256,
                self._spans(f"{record} of the findings", findings),
            )
            return
        self.add(record, entry.get("id"), findings)
        if isinstance(known, str):
            self.texts[str(entry["id"])] = known

    @staticmethod
    def _spans(where: str, findings: object) -> list[Span]:
        try:
            return as_spans(findings)
        except DataError as error:
            raise DataError(
                f"Record {where} is refused: {error.message}", hint=error.hint
            ) from None


def _by_label(findings: Mapping[str, object]) -> list[object]:
    """Return findings that come as {"label: what was found": [[start, end], …]} as a list of them."""
    return [
        {"label": str(key).partition(":")[0], "start": place[0], "end": place[1]}
        if isinstance(place, list) and len(place) == 2
        else {}
        for key, places in findings.items()
        for place in (places if isinstance(places, list) else [None])
    ]


def _is_entry(content: object) -> bool:
    return isinstance(content, dict) and any(key in content for key in _LISTS)


def _read_entries(source: str | os.PathLike[str] | Mapping[str, object]) -> _Entries:
    found = _Entries()
    if isinstance(source, Mapping):
        for record, (key, findings) in enumerate(source.items(), 1):
            found.add(record, key, findings)
        return found
    from .limits import current_limits
    from .sources import lines_of, open_bytes

    path = Path(source)
    with open_bytes(path, current_limits()) as stream:
        if path.name.removesuffix(".gz").endswith(".json"):
            content = _json(stream.read(), f"The file {path.name!r}")
            if isinstance(content, dict) and not (_is_entry(content) and "text" in content):
                return _read_entries(content)
            records: Iterable[object] = content if isinstance(content, list) else [content]
        else:
            records = (
                None if line is None else _json(line, f"Line {number} of {path.name!r}")
                for number, line in enumerate(lines_of(stream, current_limits()), 1)
                if line is None or line.strip()
            )
        for number, entry in enumerate(records, 1):
            if not isinstance(entry, dict) or not _is_entry(entry):
                raise FormatError(
                    f"Record {number} of {path.name!r} is not an object with 'id' and 'findings'.",
                    hint='write one {"id": …, "findings": [{"start", "end", "entity_type", '
                    '"score"}]} a line, or one object of id → findings in a .json file.',
                )
            found.add_entry(number, entry)
    return found


def _json(content: bytes, where: str) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):  # a decoding error is a ValueError
        raise FormatError(f"{where} is not valid JSON.") from None


def _missing_entry_error(name: str, *, before: int = 0) -> DataError:
    which = f"{before:,} documents before {name!r} have" if before else f"The document {name!r} has"
    return DataError(
        f"{which} no entry in the findings.",
        hint='an entry with an empty list ("findings": []) says that nothing was found.',
    )


def with_findings(
    documents: Iterable[Document],
    findings: str | os.PathLike[str] | Mapping[str, object] | None = None,
    *,
    field: str | None = None,
    min_score: float = 0.0,
    labels: Mapping[str, str] | None = None,
    overlaps: str = "merge",
    keep: Sequence[str] = (),
    absent: Callable[[Document], None] | None = None,
) -> Iterator[Document]:
    """Return the documents with another tool's findings as their spans.

    The spans that they had are replaced, but for those whose label is in `keep`: what a person marked
    stays marked.

    A document without an entry was not looked at, which is not the same as "nothing found" (an empty
    list): it is refused, or handed to `absent` and left out.

    The findings come from a file or dict (see `read_findings`), from a folder that holds a detector (see
    `sfumato.data.detectors`), or from a `field` of each document,
    which is then taken out of its other fields, since tools may quote the text in it. Findings below `min_score` are skipped; one without
    a score counts as certain. `labels` renames kinds, e.g. {"PERSON": "NAME"}.

    >>> found = {"d1": [{"start": 0, "end": 3, "entity_type": "PERSON", "score": 0.8}]}
    >>> next(with_findings([Document("d1", "Ann!")], found, labels={"PERSON": "NAME"})).spans
    (Span(start=0, end=3, label='NAME', score=0.8),)
    """
    if (findings is None) == (field is None):
        raise ParameterError("Give either findings or the field that holds them.")
    merge = partial(
        _with, field=field, min_score=min_score, labels=labels or {}, overlaps=overlaps,
        keep=frozenset(keep), absent=absent,
    )  # fmt: skip
    if findings is not None and not isinstance(findings, Mapping) and Path(findings).is_dir():
        from .detectors import open_detector

        return _detect(documents, open_detector(Path(findings)), merge)
    return merge(documents, entries=_Entries() if findings is None else _read_entries(findings))


def _detect(
    documents: Iterable[Document],
    detector: Detector,
    merge: Callable[..., Iterator[Document]],
) -> Iterator[Document]:
    """Let a detector read the documents, some at a time."""
    waiting = iter(documents)
    while batch := list(islice(waiting, _TOGETHER)):
        entries = _Entries()
        for document, spans in zip(batch, detector.find([d.text for d in batch]), strict=True):
            entries.by_id[document.id] = spans
        yield from merge(batch, entries=entries)


def _with(
    documents: Iterable[Document],
    *,
    entries: _Entries,
    field: str | None,
    min_score: float,
    labels: Mapping[str, str],
    overlaps: str,
    keep: frozenset[str],
    absent: Callable[[Document], None] | None,
) -> Iterator[Document]:
    matched, left_out = False, 0
    for document in documents:
        fields = document.fields
        if field is None:
            found = entries.find(document)
            if found is None:
                left_out += 1
                if absent is not None:
                    absent(document)
                elif matched:
                    raise _missing_entry_error(document.id)
                continue
            if left_out and not matched and absent is None:
                raise _missing_entry_error(document.id, before=left_out)
            matched = True
            if entries.texts.get(document.id, document.text_sha256) != document.text_sha256:
                raise DataError(
                    f"The document {document.id!r} is read differently than when the findings were made: "
                    "their offsets no longer hold.",
                    hint="make the findings again for the documents in their present form.",
                )
            spans: Iterable[Span] = found
        else:
            if field not in fields:
                raise DataError(
                    f"The document {document.id!r} has no field {field!r}.",
                    hint="an empty list says that nothing was found.",
                )
            try:
                held = fields[field]
                spans = as_spans(_json(held.encode(), "It") if isinstance(held, str) else held)
            except InputError as error:
                raise DataError(
                    f"The field {field!r} of document {document.id!r} is refused: {error.message}",
                    hint=error.hint,
                ) from None
            fields = {name: value for name, value in fields.items() if name != field}
        kept = [
            Span(s.start, s.end, labels.get(s.label, s.label), s.score)
            for s in spans
            if s.score is None or s.score >= min_score
        ]
        kept += [s for s in document.spans if s.label in keep]
        yield replace(document, spans=tuple(resolve(kept, overlaps)), fields=fields).checked()
    if left_out and not matched:
        raise DataError(
            f"None of the {len(entries):,} ids in the findings is the id of a document.",
            hint="the findings must use the ids of the corpus, or give back the texts.",
        )
