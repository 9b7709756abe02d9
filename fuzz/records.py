"""Health records and mail: files of many documents, read, cut, written and verified.

FHIR as lines and as a bundle, HL7 messages, a mailbox, and a message with files attached.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from pathlib import Path

from fuzz.onward import PLANTED, LeakError

FILES = {
    "fhir": "input.ndjson", "fhir-bundle": "input.json", "hl7": "input.hl7", "mbox": "input.mbox", "eml": "input.eml",
}  # fmt: skip
NAMES = {"fhir-bundle": "fhir"}


def seeds(target: str) -> Callable[[], Sequence[bytes]]:
    """Return what makes the good files of a target."""
    return _SEEDS[target]


def read(target: str) -> Callable[[Path], object]:
    """Return what reads a file, cuts the planted word out of each document, and looks at what was written."""

    def check(folder: Path) -> None:
        from sfumato.data.document import Document, Edit, Edited
        from sfumato.data.formats.protocol import CorpusFile
        from sfumato.data.formats.registry import FORMATS
        from sfumato.data.formats.verification import Digests

        form, path = FORMATS[NAMES.get(target, target)](), folder / FILES[target]
        part, out = CorpusFile(path.name, path), folder / f"out{path.suffix}"
        edited, expected = [], Digests()
        for record in form.read(part):
            if isinstance(record, Document):
                places = re.finditer(PLANTED, record.text)
                edits = [Edit(m.start(), m.end(), "[NAME]", "NAME") for m in places]
                edited.append(Edited(record, edits, record.id))
                expected.add(form.digest_of(edited[-1]))
        form.write(part, edited, out)
        removed = {PLANTED} if any(one.edits for one in edited) else ()
        verified = form.verify(CorpusFile(path.name, out), expected, removed)
        is_cut = edited and all(one.edits for one in edited)
        if verified and is_cut and PLANTED.encode() in out.read_bytes():
            raise LeakError(target)
        form.inspect(part)

    return check


def _resources() -> list[dict[str, object]]:
    note = f"Ann Perez called {PLANTED}.\nTwice."
    return [
        {
            "resourceType": "Patient", "id": "p1", "birthDate": "1970-05", "name": [{"family": PLANTED}],
            "text": {"status": "generated", "div": f"<div><p id='{PLANTED}'>{note}<br/>&amp;</p><!-- x --></div>"},
        },
        {
            "resourceType": "Observation", "id": "o1", "subject": {"reference": "Patient/p1", "display": PLANTED}, "note": [{"text": note}],
            "valueQuantity": {"value": 7.20, "unit": "g/dL"}, "effectiveDateTime": "2020-01-31T10:00:00Z", "x": [{"y": None}, 5, [note]],
        },
        {
            "resourceType": "Binary", "id": "b1", "contentType": "text/plain", "data": "QW5uIGNhbGxlZC4=",
            "contained": [{"resourceType": "Basic", "id": "c", "extension": [{"valueString": PLANTED}]}],
        },
    ]  # fmt: skip


def _lines() -> list[bytes]:
    return ["\n".join(map(json.dumps, _resources())).encode()]


def _bundle() -> list[bytes]:
    entries = [{"fullUrl": f"urn:uuid:{i}", "resource": one} for i, one in enumerate(_resources())]
    made = {"resourceType": "Bundle", "type": "collection", "entry": entries, "total": 3}
    return [json.dumps(made, indent=1).encode()]


def _messages() -> list[bytes]:
    one = (
        f"MSH|^~\\&|A|B|||20200101||ORU^R01|1|P|2.5\rPID|1||7^^^X^MR||{PLANTED}^Ann||19700501|F\rOBX|1|TX|N^Note^L||called {PLANTED}\\.br\\\\T\\ twice~again||||||F\r"
        f"OBX|2|NM|718-7^Hb^LN||7.2|g/dL\rNTE|1||\\X41\\nn {PLANTED}\rZZZ|{PLANTED}\r"
    )  # fmt: skip
    return [f"FHS|^~\\&\r{one}{one}FTS|1\r".encode()]


def _mail() -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"] = "ward@example.org", f"About {PLANTED}"
    message["Message-ID"], message["References"] = "<1@example.org>", "<0@example.org>"
    message.set_content(f"Ann Perez called {PLANTED}.\nFrom here, twice\n")
    message.add_alternative(f"<p title='{PLANTED}'>called {PLANTED}</p>", subtype="html")
    message.add_attachment(f"attached {PLANTED}", filename="a.txt")
    return message.as_bytes()


def _mailbox() -> list[bytes]:
    one = b"From x Thu Jan  1 00:00:00 1970\n" + _mail() + b"\n"
    return [one + one]


_SEEDS: dict[str, Callable[[], Sequence[bytes]]] = {
    "fhir": _lines, "fhir-bundle": _bundle, "hl7": _messages, "mbox": _mailbox, "eml": lambda: [_mail()],
}  # fmt: skip
