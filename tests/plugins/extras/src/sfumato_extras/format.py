"""A document format: a line per document, `id|text|first-last-label,…`."""

from __future__ import annotations

from contextlib import contextmanager

from sfumato.data.formats._layout import document_from

from sfumato.data.sources import Extra


class Pipes:
    name = "pipes"
    is_folder = False

    def __init__(self, layout):
        self.layout = layout

    def read(self, part):
        with part.file.open(encoding="utf-8", newline="\n") as lines:
            for record, line in enumerate(lines, 1):
                key, _, rest = line.rstrip("\n").partition("|")
                text, _, spans = rest.rpartition("|")
                marked = [span.split("-") for span in spans.split(",") if span]
                found = [{"start": int(a), "end": int(b), "label": label} for a, b, label in marked]
                yield document_from(
                    self.layout, part, record, raw_id=key, text=text.replace("\\n", "\n"),
                    raw_spans=found, extra=Extra({}, part.name),
                )  # fmt: skip

    @contextmanager
    def writer(self, path, part=None, *, compress=False):
        with path.open("x", encoding="utf-8", newline="\n") as out:

            def write(document):
                spans = ",".join(f"{s.start}-{s.end}-{s.label}" for s in document.spans)
                text = document.text.replace("\n", "\\n")
                out.write(f"{document.id}|{text}|{spans}\n")

            yield write
