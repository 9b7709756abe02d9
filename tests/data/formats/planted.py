"""Documents in every format, and faults that a careless writer of that format would make.

A new format needs an entry in STREAMS; one that cannot write documents from nothing, in SOURCES, too. A test
iterates the registry and fails where one is missing.
"""

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.data.document import Document, Edit, Segment, Span, apply, by_place
from sfumato.data.documents import Corpus, read_documents
from sfumato.data.formats.protocol import (
    CorpusFile,
    FieldNames,
    Format,
    FormatOptions,
    document_from,
)

TEXTS = [
    "Seen by Dr. Quixadelmo today",
    "Quixadelmo called Zoë 👍 twice",
    "Nobody came",
]
NAMES = ("Quixadelmo", "Zoë 👍")
GONE = NAMES[0]
"""What a stream that the writer leaves holds."""


def edits_of(text: str) -> list[Edit]:
    """Return the edits that remove every name from a text."""
    found = re.finditer("|".join(NAMES), text)
    return [Edit(match.start(), match.end(), "[NAME]", "NAME") for match in found]


def labelled() -> list[Document]:
    """Return the documents, with their names marked and one in a field, too."""
    return [
        Document(f"d{i}", text, [Span(e.start, e.end, e.label) for e in edits_of(text)], {"ward": GONE})
        for i, text in enumerate(TEXTS)
    ]  # fmt: skip


# --- documents -----------------------------------------------------------------------------------


class Package(Format[FormatOptions]):
    """A container such as an office file: a zip of a body, a header, and what nobody asked for."""

    name = "package"
    suffixes = (".package",)
    is_container = True
    LISTED = ("body", "header")

    def read(self, part):
        text, segments = "", []
        with zipfile.ZipFile(part.file) as packed:
            for name in self.LISTED:
                own = packed.read(name).decode()
                segments.append(Segment(len(text), len(text) + len(own), name))
                text += own + "\n"
        yield document_from(self.names, part, 1, raw_id=part.file.stem, text=text, raw_spans=(), segments=segments)  # fmt: skip

    def write(self, part, edited, out):
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
            for document in edited:
                places = by_place(document.document, document.edits)
                for segment in document.document.segments:
                    text = document.document.text[segment.start : segment.end]
                    packed.writestr(segment.place, apply(text, places.get(segment.place, ())))


def package(folder: Path) -> Corpus:
    path = folder / "d0.package"
    with zipfile.ZipFile(path, "w") as packed:
        for entry, text in (("body", TEXTS[1]), ("header", TEXTS[0]), ("author", GONE)):
            packed.writestr(entry, text)
    return Corpus(Package(FieldNames()), (CorpusFile(path.name, path),), path.name)


def parquet(folder: Path) -> Corpus:
    path = folder / "notes.parquet"
    rows = [{"id": d.id, "text": d.text, "ward": GONE} for d in labelled()]
    pq.write_table(pa.Table.from_pylist(rows), path)
    return read_documents(path)


def pdf(folder: Path) -> Corpus:
    from .pdf.letters import write_letters  # which skips where the extra is not installed

    return read_documents(write_letters(labelled(), folder / "letters"))


def letters(folder: Path, kind: str, made: Callable[[str], bytes]) -> Corpus:
    """Make a folder of files of one kind, a document each."""
    place = folder / "letters"
    place.mkdir()
    for document in labelled():
        (place / f"{document.id}.{kind}").write_bytes(made(document.text))
    return read_documents(place)


def xlsx(text: str) -> bytes:
    import openpyxl

    book, made = openpyxl.Workbook(), io.BytesIO()
    for line in text.split("\n"):
        book.active.append([line])
    book.save(made)
    return made.getvalue()


def pptx(text: str) -> bytes:
    import pptx as python_pptx

    show, made = python_pptx.Presentation(), io.BytesIO()
    show.slides.add_slide(show.slide_layouts[5]).shapes.title.text = text
    show.save(made)
    return made.getvalue()


def odt(text: str) -> bytes:
    made = io.BytesIO()
    office, words = (f"urn:oasis:names:tc:opendocument:xmlns:{n}:1.0" for n in ("office", "text"))
    lines = "".join(f"<t:p>{line}</t:p>" for line in text.split("\n"))
    with zipfile.ZipFile(made, "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        packed.writestr("content.xml", f'<o:document-content xmlns:o="{office}" xmlns:t="{words}"><o:body><o:text>{lines}</o:text></o:body></o:document-content>')  # fmt: skip
    return made.getvalue()


def xml(text: str) -> bytes:
    return f'<note by="{GONE if GONE in text else ""}"><text>{text}</text></note>'.encode()


def resources(folder: Path) -> Corpus:
    """Return a folder with a resource a file."""
    (folder / "letters").mkdir()
    for i, text in enumerate(TEXTS):
        made = {"resourceType": "Observation", "id": f"o{i}", "note": [{"text": text}]}
        (folder / "letters" / f"{i}.json").write_text(json.dumps(made), encoding="utf-8")
    return read_documents(folder / "letters")


def messages(folder: Path) -> Corpus:
    """Return a folder with a message of HL7 a file."""
    (folder / "letters").mkdir()
    for i, text in enumerate(TEXTS):
        made = f"MSH|^~\\&|||||||ORU|{i}\rNTE|1||{text}\r"
        (folder / "letters" / f"{i}.hl7").write_text(made, encoding="utf-8", newline="")
    return read_documents(folder / "letters")


def mailboxes(folder: Path) -> Corpus:
    """Return a folder with mailboxes of a message each."""
    (folder / "letters").mkdir()
    for i, text in enumerate(TEXTS):
        made = f"From x\nSubject: s\n\n{text}\n".encode()
        (folder / "letters" / f"{i}.mbox").write_bytes(made)
    return read_documents(folder / "letters")


SOURCES: dict[str, Callable[[Path], Corpus]] = {
    "fhir": resources,
    "hl7": messages,
    "mbox": mailboxes,
    "package": package,
    "parquet": parquet,
    "pdf": pdf,
    "xlsx": lambda folder: letters(folder, "xlsx", xlsx),
    "pptx": lambda folder: letters(folder, "pptx", pptx),
    "odt": lambda folder: letters(folder, "odt", odt),
    "xml": lambda folder: letters(folder, "xml", xml),
}
"""By format: makes a corpus whose documents hold two "Quixadelmo" and, where it can, one "Zoë 👍"."""


# --- streams that a writer left ------------------------------------------------------------------


def in_lines(out: Path) -> None:
    lines = [{**json.loads(line), "tokens": [GONE]} for line in out.read_text().splitlines()]
    out.write_text("".join(json.dumps(line) + "\n" for line in lines))


def in_a_column(tab: str) -> Callable[[Path], None]:
    def leave(out: Path) -> None:
        first, *rest = out.read_text().splitlines()
        lines = [f"{first}{tab}ward", *(f"{line}{tab}{GONE}" for line in rest)]
        out.write_text("\n".join(lines) + "\n")

    return leave


def in_a_comment(out: Path) -> None:
    file = next(out.glob("*.xml"))
    file.write_text(file.read_text().replace("</TAGS>", f"</TAGS><!-- {GONE} -->"))


def in_predictions(out: Path) -> None:
    tasks = json.loads(out.read_text())
    tasks[0]["predictions"] = [{"result": GONE}]
    out.write_text(json.dumps(tasks))


def in_metadata(out: Path) -> None:
    pq.write_table(pq.read_table(out).replace_schema_metadata({"by": GONE}), out)


def in_a_member(out: Path) -> None:
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("author", f"by {GONE}")


def at_the_end(comment: str) -> Callable[[Path], object]:
    return lambda out: out.write_bytes(out.read_bytes().rstrip() + comment.encode())


def in_an_extension(out: Path) -> None:
    """Put a name into what a resource may not hold when it is published."""
    resource = json.loads(out.read_bytes())
    out.write_text(json.dumps({**resource, "extension": [{"valueString": GONE}]}), encoding="utf-8")


STREAMS: dict[str, Callable[[Path], object]] = {
    "fhir": in_an_extension,
    "mbox": lambda out: out.write_bytes(
        out.read_bytes().replace(b"MIME-", f"X-Ward: {GONE}\nMIME-".encode())
    ),
    "hl7": lambda out: out.write_bytes(out.read_bytes() + f"ZPI|{GONE}\r".encode()),
    "xlsx": in_a_member,
    "pptx": in_a_member,
    "odt": in_a_member,
    "rtf": lambda out: out.write_bytes(
        out.read_bytes().replace(b"{\\fonttbl", f"{{\\*\\by {GONE}}}{{\\fonttbl".encode(), 1)
    ),
    "sheet": in_a_member,
    "eml": lambda out: out.write_bytes(f"X-Ward: {GONE}\n".encode() + out.read_bytes()),
    "html": at_the_end(f"<!-- {GONE} -->"),
    "xml": at_the_end(f"<!-- {GONE} -->"),
    "jsonl": in_lines,
    "prodigy": in_lines,
    "doccano": in_lines,
    "csv": in_a_column(","),
    "tsv": in_a_column("\t"),
    "conll": lambda out: out.write_text(out.read_text().replace("[NAME]\t", f"[NAME]\t{GONE}\t")),
    "brat": lambda out: next(out.glob("*.ann")).write_text(f"#1\tAnnotatorNotes T1\t{GONE}\n"),
    "i2b2": in_a_comment,
    "labelstudio": in_predictions,
    "parquet": in_metadata,
    "package": in_a_member,
    "docx": in_a_member,
    "pdf": lambda out: out.write_bytes(out.read_bytes() + b"\n% " + GONE.encode()),
    "plain": lambda out: out.write_text(out.read_text() + GONE),
}
"""By format: puts a removed word where no reader of documents looks, as a careless writer would."""
