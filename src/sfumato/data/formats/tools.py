"""Files of labelling tools: Prodigy and doccano (JSON lines) and Label Studio (a JSON array), both ways.

Of a record, the text, the spans and the fields that the tool does not make itself are kept. What a tool
derives from the text (tokens, hashes, quoted words, predictions) is left out: it would carry the words of
the text past the redaction.
"""

# ruff: noqa: ARG002 (all formats share one protocol)
from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import FormatError
from ..document import Document, Edited
from ..sources import Withheld, create_bytes, open_bytes
from .jsonl import Jsonl, encode_json, encoded_line
from .protocol import CorpusFile, Format, FormatOptions, document_from

if TYPE_CHECKING:
    from .lines import SeenMarks

__all__ = ["Doccano", "LabelStudio", "Prodigy"]

Fields = dict[str, Any]


class _Lines(Jsonl):
    """JSON lines of another tool: each record is turned into our own form first."""

    suffixes = ()

    def blocks(
        self, part: CorpusFile, seen: SeenMarks, *, size: int, keep: Sequence[str] | None = None
    ) -> None:
        """Return None: each line has to be turned first."""

    def read_back(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        """Yield the lines with all that they hold; what the tool makes itself is a field here."""
        for record in Jsonl(self.names).read(part):
            yield record if isinstance(record, Withheld) else self._bare(record)

    def _bare(self, document: Document) -> Document | Withheld:
        """Return a document without what the tool asks for, if that says nothing."""
        raise NotImplementedError

    def record(self, part: CorpusFile, record: int, line: bytes | None) -> Document | Withheld:
        """Read one line of the tool."""
        if line is not None:
            try:
                fields = json.loads(line)
            except (ValueError, RecursionError):
                fields = None
            if isinstance(fields, dict):
                reason = self.unusable(fields)
                if reason is not None:
                    return Withheld(
                        f"record {record}",
                        reason,
                        record,
                        part.name,
                        None,
                        FormatError,
                        in_labels=True,
                    )
                # Turned into our own form and read again, so that every check is the same.
                line = encode_json(self.turned(fields, record))
        return super().record(part, record, line)

    def unusable(self, fields: Fields) -> str | None:
        """Return why a record holds no usable labels, where that is so."""
        return None

    def turned(self, fields: Fields, record: int) -> Fields:
        """Return a record of the tool in our own form."""
        raise NotImplementedError

    def _ours(self, fields: Fields, record: int, spans: object, made: frozenset[str]) -> Fields:
        names = self.names
        kept = {k: v for k, v in fields.items() if k not in made}
        if names.id is not None and names.id not in kept:
            kept[names.id] = str(record)
        kept[names.spans] = spans
        return kept


LOOKED_AT = "looked_at"
"""The field that says how much of a document somebody has read: "all", "part" or "none"; others are ignored in Prodigy."""


class Prodigy(_Lines):
    """`{"text", "spans": [{"start", "end", "label"}], "answer"}` per line; records need no id."""

    name = "prodigy"
    _MADE = frozenset({
        "tokens", "answer", "_input_hash", "_task_hash", "_is_binary", "_view_id", "_timestamp",
        "_annotator_id", "_session_id", "html", "options", "accept",
    })  # fmt: skip

    def unusable(self, fields: Fields) -> str | None:
        answer = fields.get("answer", "accept")
        return None if answer == "accept" else "was not accepted in Prodigy"

    def turned(self, fields: Fields, record: int) -> Fields:
        spans = fields.get("spans")
        if isinstance(spans, list):
            keys = ("start", "end", "label", "score")
            spans = [{k: s[k] for k in keys if k in s} if isinstance(s, dict) else s for s in spans]
        return self._ours(fields, record, spans, self._MADE | {"spans"})

    def encode(self, edited: Edited) -> bytes:
        """Return the line of a document."""
        looked_at = edited.fields.get(LOOKED_AT, "all")
        answer = "accept" if looked_at == "all" else "ignore"
        return encoded_line({**self.line(edited), "answer": answer}, edited.id)

    def _bare(self, document: Document) -> Document | Withheld:
        rest = {name: value for name, value in document.fields.items() if name != "answer"}
        return replace(document, fields=rest)


class Doccano(_Lines):
    """`{"text", "label": [[start, end, label]]}` per line, or `entities` as newer versions export them."""

    name = "doccano"
    _MADE = frozenset({"label", "labels", "entities", "relations", "Comments", "comments"})

    def turned(self, fields: Fields, record: int) -> Fields:
        spans: list[object] = [
            {"start": e.get("start_offset"), "end": e.get("end_offset"), "label": e.get("label")}
            if isinstance(e, dict)
            else e
            for e in fields.get("entities") or []
        ]
        for entry in fields.get("label") or fields.get("labels") or []:
            whole = isinstance(entry, list) and len(entry) == 3
            spans.append(
                dict(zip(("start", "end", "label"), entry, strict=True)) if whole else entry
            )
        return self._ours(fields, record, spans, self._MADE | {self.names.spans})

    def encode(self, edited: Edited) -> bytes:
        """Return the line of a document."""
        fields = self.line(edited)
        del fields[self.names.spans]
        marks = [[s.start, s.end, s.label] for s in edited.spans]
        return encoded_line({**fields, "label": marks}, edited.id)

    def _bare(self, document: Document) -> Document | Withheld:
        rest = {k: v for k, v in document.fields.items() if not (k == "label" and v == [])}
        return replace(document, fields=rest)


class LabelStudio(Format[FormatOptions]):
    """A JSON array of tasks: `{"data": {"text"}, "annotations": [{"result": [{"value"}]}]}`."""

    name = "labelstudio"

    def read(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        limits = self.names.limits
        with open_bytes(part.file, limits) as stream:
            content = stream.read()
        try:
            tasks = json.loads(content)
        except (ValueError, RecursionError):
            raise FormatError(f"The file {part.name!r} is not valid JSON.") from None
        if not isinstance(tasks, list):
            raise FormatError(
                f"The file {part.name!r} is not a JSON array of tasks.",
                hint="export from Label Studio as JSON.",
            )
        for record, task in enumerate(tasks, 1):
            yield self._document(part, record, task)

    def read_back(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        """Yield the tasks; one with more than text, fields and an empty annotation is withheld."""
        with open_bytes(part.file, self.names.limits) as stream:
            tasks = json.loads(stream.read())
        for record, (task, found) in enumerate(zip(tasks, self.read(part), strict=True), 1):
            if task.keys() != {"data", "annotations"} or task["annotations"] != [{"result": []}]:
                yield Withheld(f"record {record}", "holds more than its text", record, part.name)
            else:
                yield found

    def _document(self, part: CorpusFile, record: int, task: object) -> Document | Withheld:
        names = self.names

        def withheld(reason: str) -> Withheld:
            return Withheld(f"record {record}", reason, record, part.name, None, FormatError)

        data = task.get("data") if isinstance(task, dict) else None
        if not isinstance(task, dict) or not isinstance(data, dict) or names.text not in data:
            return withheld(f"has no text in data.{names.text}")
        spans: list[object] = []
        annotations = task.get("annotations", task.get("completions")) or []
        done = [
            a for a in annotations if isinstance(a, Mapping) and not a.get("was_cancelled", False)
        ]
        if len(done) > 1:
            reason = "was annotated more than once; export one annotation per task"
            return replace(withheld(reason), in_labels=True)
        for result in (done[0].get("result") or []) if done else []:
            value = result.get("value") if isinstance(result, Mapping) else None
            if not isinstance(value, Mapping) or "labels" not in value:
                continue  # choices, ratings and relations are no spans
            label = (value["labels"] or [None])[0] if isinstance(value["labels"], list) else None
            spans.append({"start": value.get("start"), "end": value.get("end"), "label": label})
        rest = {k: v for k, v in data.items() if k not in (names.text, names.id)}
        raw_id = data.get(names.id) if names.id is not None else None
        if raw_id is None:
            raw_id = task.get("id", record)
        return document_from(names, part, record, raw_id=raw_id, text=data[names.text],
                             raw_spans=spans, fields=rest)  # fmt: skip

    def write(self, part: CorpusFile | None, edited: Iterable[Edited], out: Path) -> None:
        names = self.names
        with create_bytes(out, compress=out.name.endswith(".gz")) as stream:
            stream.write(b"[")
            for number, document in enumerate(edited):
                stream.write(b",\n" if number else b"\n")
                results = [
                    {"type": "labels", "from_name": "label", "to_name": "text",
                     "value": {"start": s.start, "end": s.end, "labels": [s.label]}}
                    for s in document.spans
                ]  # fmt: skip
                data: Fields = {names.text: document.text, **document.fields}
                if names.id is not None:
                    data[names.id] = document.id
                stream.write(encode_json({"data": data, "annotations": [{"result": results}]}))
            stream.write(b"\n]\n")
