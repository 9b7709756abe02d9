"""FHIR as a format of documents: a resource is a document, its free texts are the text of it."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ....core.errors import FormatError, InputChangedError, LimitError
from ...document import Document, Edited, by_place
from ...shuffling import write_by_place
from ...sources import Withheld, create_bytes
from ..files import RefusedFileError
from ..protocol import CorpusFile, document_from
from .own_values import repeats_itself
from .pseudonyms import tail_of
from .records import HealthRecords
from .resources import ResourceWalk, person_of
from .rewriting import CollectedTexts, EditedTexts, Json
from .scanning import ScannedResource, Scanner
from .second_reader import still_holds
from .splicing import collect, splice
from .streams import BundleReader, decode, encode, in_batches, is_lines, resource_lines

__all__ = ["Fhir"]

_ALONE = b'{"resource":'
_HEAD = ("resourceType", "id", "type", "timestamp")


class Fhir(HealthRecords):
    """FHIR as JSON: NDJSON with a resource a line, a bundle, or one resource a file."""

    name = "fhir"
    kind = "fhir"
    suffixes = (".ndjson", ".json")
    version = "3"

    _walk: ResourceWalk | None = None
    _scanner: Scanner | None = None
    _entry_scanner: Scanner | None = None
    _last: tuple[Path, int, ScannedResource | Json] | None = None

    @classmethod
    def sniff(cls, name: str, head: bytes) -> bool:
        """Return whether a file holds resources: by its name, and by its first bytes where they are known."""
        if not super().sniff(name, head):
            return False
        if head[:2] == b"\x1f\x8b":
            try:
                head = zlib.decompressobj(wbits=31).decompress(head, 4096)
            except zlib.error:
                return False
        return not head or b'"resourceType"' in head

    @property
    def walk(self) -> ResourceWalk:
        """The walk through resources by the profile."""
        if self._walk is None:
            self._walk = ResourceWalk(self.profile)
        return self._walk

    @property
    def scanner(self) -> Scanner:
        """The quick way through lines by the profile."""
        if self._scanner is None:
            self._scanner = Scanner(self.profile)
        return self._scanner

    @property
    def entry_scanner(self) -> Scanner:
        """The same for entries of bundles."""
        if self._entry_scanner is None:
            self._entry_scanner = Scanner(self.profile, of_entries=True)
        return self._entry_scanner

    def is_document(self, part: CorpusFile) -> bool:
        """Return whether the name of a part is replaced: that of a bundle often names a patient."""
        return not is_lines(part.name)

    # --- reading ---------------------------------------------------------------------------------

    def read_texts(self, part: CorpusFile) -> Iterator[tuple[Document, CollectedTexts] | Withheld]:
        people = _People(self.profile.persons)
        names = replace(self.names, id="id")
        is_line, limits = is_lines(part.name), self.names.limits
        longest = limits.document_characters
        for number, raw in enumerate(self._values(part), 1):
            texts = CollectedTexts()
            if isinstance(raw, ScannedResource) and not _collect_all(raw, texts):
                raw, texts = _parse(raw.content[raw.start : raw.end]), CollectedTexts()
            if isinstance(raw, ScannedResource):
                own = f"{raw.kind}/{raw.id}"
                person = people.of(raw.kind, raw.id, raw.person, raw.url)
                texts.scanned = raw
            else:
                if isinstance(raw, str):
                    kind = LimitError if "limit" in raw else FormatError
                    yield Withheld(f"record {number}", raw, number, part.name, None, kind)
                    continue
                resource = raw if is_line else raw.get("resource", {})
                name = _name_of(resource)
                if name is None:
                    yield Withheld(f"record {number}", "is no FHIR resource", number, part.name, None, FormatError)  # fmt: skip
                    continue
                own = name
                assert isinstance(resource, dict)
                (self.walk.resource if is_line else self.walk.entry)(raw, texts)
                person = people(resource, None if is_line else raw.get("fullUrl"))
            self._last = (part.file, number, raw)
            id = own if is_line and not own.endswith("/") else f"{part.name}:{number}"
            text, fields = texts.whole, {"record": own, "patient": person}
            if texts.scanned is not None and len(text) <= longest and len(id) <= limits.id_characters:  # fmt: skip
                yield Document(id, text, (), fields, texts.segments, (), part.name, number), texts
                continue
            document = document_from(
                names, part, number, raw_id=id, text=text, raw_spans=(), fields=fields, segments=texts.segments,
            )  # fmt: skip
            if isinstance(document, Document) and texts.orders:
                document = replace(document, orders=texts.orders)
            yield (document, texts) if isinstance(document, Document) else document

    def _values(self, part: CorpusFile) -> Iterator[ScannedResource | Json | str]:
        """Yield resources or entries, scanned or parsed; a text says why one cannot be read."""
        limits = self.names.limits
        if not is_lines(part.name):
            for entries in in_batches(BundleReader(part.file, limits).entries()):
                known = [entry for entry in entries if entry is not None]
                for entry, found in zip(known, self.entry_scanner.scan(known), strict=True):
                    parsed = found or _parse(entry)
                    yield parsed if not isinstance(parsed, str) else {}
            return
        for lines in in_batches(resource_lines(part.file, limits)):
            scanned = iter(self.scanner.scan([line for line in lines if line is not None]))
            for line in lines:
                if line is None:
                    yield "is a line beyond the limit of bytes"
                else:
                    yield next(scanned) or _parse(line)

    # --- writing ---------------------------------------------------------------------------------

    def write(self, part: CorpusFile | None, edited: Iterable[Edited], out: Path) -> None:
        if part is None or part.path is None:
            out.mkdir(exist_ok=True)
            with create_bytes(out / "DocumentReference.ndjson") as stream:
                for one in edited:
                    stream.write(encode(_as_resource(one)) + b"\n")
        elif is_lines(part.name):
            self._write_lines(part, edited, out)
        else:
            self._write_bundle(part, edited, out)

    def _rewrite(
        self, part: CorpusFile, edited: Iterable[Edited], *, alone: bool = False
    ) -> Iterator[tuple[Edited, bytes]]:
        """Yield the documents that may be written, each with its resource, or with its entry unless it is alone."""
        people, number, path = _People(self.profile.persons), 0, part.file
        values, is_line, own = self._values(part), is_lines(part.name), self.pseudonyms
        for one in edited:
            document, edits = one.document, one.edits
            raw: ScannedResource | Json | str = ""
            last, self._last = self._last, None  # nearly always what was just read
            if last is not None and last[:2] == (path, document.record):
                raw = last[2]
            while not raw and number < document.record:
                number = number + 1
                value = next(values, "")
                raw = _settle(value) if number == document.record else ""
            if isinstance(raw, str):
                raise InputChangedError
            places = by_place(document, edits) if edits else {}
            texts = EditedTexts(document.text, document.segments, places, own, people)
            texts.shift_for(str(document.fields.get("patient", "")))
            try:
                if isinstance(raw, ScannedResource):
                    line = splice(raw, texts)
                    line = line.removeprefix(_ALONE)[:-1] if alone else line
                else:
                    made = (self.walk.resource if is_line else self.walk.entry)(raw, texts)
                    line = encode(made["resource"] if alone else made)
            except RefusedFileError:  # a file in it cannot be cut: it is missed, and withheld
                continue
            if not texts.is_done:
                raise InputChangedError
            if not (
                edits and self._holds_leak(one, line, texts)
            ):  # else it is missed, and withheld
                yield one, line

    def _holds_leak(self, one: Edited, line: bytes, texts: EditedTexts) -> bool:
        """Return whether a written resource, or a file in it, holds what was removed."""
        removed = self.removed(one)
        return still_holds(line, removed, self.profile.terminologies) or texts.still_holds(removed, one.text)  # fmt: skip

    def _write_lines(self, part: CorpusFile, edited: Iterable[Edited], out: Path) -> None:
        """Write a resource a line, in the order of their new ids unless they keep their own."""
        lines = (
            (line + b"\n", self.pseudonyms.place_of(one))
            for one, line in self._rewrite(part, edited)
        )
        with create_bytes(out, compress=out.name.endswith(".gz")) as stream:
            write_by_place(lines, stream, out.parent)

    def _write_bundle(self, part: CorpusFile, edited: Iterable[Edited], out: Path) -> None:
        """Write a bundle in its own order, which its kind may ask for; a lone resource stays alone, or there is no file."""
        reader = BundleReader(part.file, self.names.limits)
        for _ in reader.entries():
            pass
        compress = out.name.endswith(".gz")
        if not reader.is_bundle:
            alone = [line + b"\n" for _, line in self._rewrite(part, edited, alone=True)]
            if alone:
                with create_bytes(out, compress=compress) as stream:
                    stream.writelines(alone)
            return
        with create_bytes(out, compress=compress) as stream:
            texts = EditedTexts("", (), {}, self.pseudonyms, _People(self.profile.persons))
            head = {n: reader.head[n] for n in _HEAD if isinstance(reader.head.get(n), str)}
            head = self.walk.resource({"resourceType": "Bundle", **head}, texts)
            stream.write(encode(head).removesuffix(b"}") + b',"entry":[')
            for count, (_, line) in enumerate(self._rewrite(part, edited)):
                stream.write((b",\n" if count else b"\n") + line)
            stream.write(b"\n]}\n")


class _People:
    """Whom each resource of a file is about; a patient of a bundle may have two names in it."""

    def __init__(self, persons: Sequence[str]) -> None:
        self._persons = persons
        self._also: dict[str, str] = {}

    def __call__(self, resource: Json, url: object) -> str:
        own = resource.get("id")
        found = person_of(resource, self._persons, url)
        return self._known(str(resource.get("resourceType")), own if isinstance(own, str) else "", found)  # fmt: skip

    def of(self, kind: str, own: str, reference: str, url: str) -> str:
        """Return whom a resource of a kind and id is about, by what it refers to or its address."""
        return self._known(kind, own, tail_of(reference or url) if reference or url else own)

    def _known(self, kind: str, own: str, found: str) -> str:
        if kind == "Patient" and own and own != found:
            self._also[own] = found
        return self._also.get(found, found)


def _collect_all(found: ScannedResource, texts: CollectedTexts) -> bool:
    """Collect the texts of a resource; return whether that is all: each attachment is what it says, and no text repeats
    what is elsewhere in the resource.
    """
    try:
        collect(found, texts)
    except ValueError:
        return False
    return not (found.texts and repeats_itself(found, texts.whole))


def _settle(raw: ScannedResource | Json | str) -> ScannedResource | Json | str:
    """Return a resource that was read again, as it was read before."""
    if isinstance(raw, ScannedResource) and not _collect_all(raw, CollectedTexts()):
        return _parse(raw.content[raw.start : raw.end])
    return raw


def _parse(line: bytes) -> Json | str:
    """Return a line as JSON; a text says why it is none."""
    try:
        value = decode(line)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else "is not a JSON object"


def _name_of(resource: object) -> str | None:
    """Return the kind and id of a resource; None for what is none."""
    if not isinstance(resource, dict) or not isinstance(resource.get("resourceType"), str):
        return None
    own = resource.get("id", "")
    kind = str(resource["resourceType"])
    return f"{kind}/{own}" if kind.isalpha() and isinstance(own, str) else None


def _as_resource(edited: Edited) -> Json:
    """Return a document as a resource that holds its text; FHIR has no place for labels."""
    data = base64.b64encode(edited.text.encode()).decode()
    made: Json = {"resourceType": "DocumentReference", "id": edited.id, "status": "current"}
    if edited.fields.get("patient"):
        made["subject"] = {"reference": f"Patient/{edited.fields['patient']}"}
    return {**made, "content": [{"attachment": {"contentType": "text/plain", "data": data}}]}
