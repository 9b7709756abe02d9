"""A document format: a line per document, `id|text|first-last-label,…`."""

from __future__ import annotations

from sfumato.data.formats.protocol import Format, FormatOptions, document_from


class Pipes(Format[FormatOptions]):
    name = "pipes"
    suffixes = (".pipes",)

    def read(self, part):
        with part.file.open(encoding="utf-8", newline="\n") as lines:
            for record, line in enumerate(lines, 1):
                key, _, rest = line.rstrip("\n").partition("|")
                text, _, spans = rest.rpartition("|")
                marked = [span.split("-") for span in spans.split(",") if span]
                found = [{"start": int(a), "end": int(b), "label": label} for a, b, label in marked]
                yield document_from(
                    self.names, part, record, raw_id=key, text=text.replace("\\n", "\n"),
                    raw_spans=found,
                )  # fmt: skip

    def write(self, part, edited, out):
        with out.open("x", encoding="utf-8", newline="\n") as stream:
            for document in edited:
                spans = ",".join(f"{s.start}-{s.end}-{s.label}" for s in document.spans)
                text = document.text.replace("\n", "\\n")
                stream.write(f"{document.id}|{text}|{spans}\n")
