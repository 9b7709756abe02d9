"""FHIR exports by paths: what is left of planted strings, how fast it is beside JSON alone, memory, and the standard's lists.

The standard's lists are those of fhir.resources (R5, R4B, STU3), read from its files where they are found (SFUMATO_FHIR names the
folder that holds `fhir/resources`); they are left out elsewhere.
"""

from __future__ import annotations

import base64
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.data.formats.health import test_hl7
from tests.data.formats.health.exports import (
    FIRST,
    LAST,
    Planted,
    bundle,
    message,
    patient,
)
from tests.data.formats.health.test_fhir import all_strings, redact

from sfumato.data.document import Edit, Edited
from sfumato.data.documents import read_documents
from sfumato.data.formats.health.profile import load_profile
from sfumato.data.formats.health.streams import decode, encode
from sfumato.data.formats.protocol import CorpusFile
from sfumato.data.formats.verification import Digests

SEEDS, FILES = 20, int(os.environ.get("SFUMATO_FILES", "25"))
RESOURCES = int(os.environ.get("SFUMATO_RESOURCES", "100000"))
NAME = re.compile(rf"(?:{'|'.join(FIRST)})\s+(?:{'|'.join(LAST)})[a-z]*")
TYPES = {
    "CodeType": "code", "DateType": "date", "DateTimeType": "date", "InstantType": "date", "StringType": "string",
    "MarkdownType": "string", "IdType": "id", "UriType": "uri", "UrlType": "uri", "CanonicalType": "uri", "OidType": "uri",
    "UuidType": "uri", "Base64BinaryType": "base64", "TimeType": "time",
}  # fmt: skip
FITTING = {
    "date": {"date"}, "code": {"keep", "code"}, "id": {"identifier"}, "time": {"keep"}, "base64": {"drop", "base64"},
}  # fmt: skip


def run() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = {
            "planted": _planted(folder),
            "planted_hl7": _planted_messages(folder),
            "speed": _speed(folder),
            "speed_hl7": _speed_of_messages(folder),
            "memory": _memory(),
            "standard": _standard(),
        }
    for what, own in found.items():
        print(f"   {what}: {own}", flush=True)
    return found


def _planted(folder: Path) -> dict[str, int]:
    planted = before = left = withheld = 0
    for seed in range(SEEDS):
        for file in range(FILES):
            p = Planted(f"bench {seed} {file}")
            path, out = folder / "in.json", folder / "out.json"
            path.write_text(json.dumps(bundle(p)), encoding="utf-8")
            known = path.read_text() + all_strings(json.loads(path.read_text()))
            planted, before = planted + len(p.gone), before + sum(text in known for text in p.gone)
            _, verified = redact(path, out)
            if not verified:
                withheld += 1
                continue
            known = out.read_text() + all_strings(json.loads(out.read_text()))
            left += sum(text in known for text in p.gone)
    return {
        "files": SEEDS * FILES,
        "planted": planted,
        "found_before": before,
        "left": left,
        "withheld": withheld,
    }


def _planted_messages(folder: Path) -> dict[str, int]:
    planted = left = withheld = 0
    for seed in range(SEEDS):
        people = [Planted(f"hl7 {seed} {file}") for file in range(FILES)]
        path, out = folder / "in.hl7", folder / "out.hl7"
        path.write_bytes("".join(map(message, people)).encode())
        _, verified = test_hl7.redact(path, out, people)
        withheld += 0 if verified else FILES
        written = out.read_bytes().decode()
        planted += sum(len(p.gone) for p in people)
        left += sum(text in written for p in people for text in p.gone)
    return {"messages": SEEDS * FILES, "planted": planted, "left": left, "withheld": withheld}


def _speed_of_messages(folder: Path, count: int = 2_000) -> dict[str, Any]:
    path, out = folder / "many.hl7", folder / "out.hl7"
    path.write_bytes("".join(message(Planted(i)) for i in range(count)).encode())
    corpus = read_documents(path)
    form, part = corpus.format, corpus.parts[0]
    start = time.process_time()
    documents = list(form.read(part))
    read = time.process_time() - start
    edited = [Edited(d, (), form.new_id(d, "")) for d in documents]  # type: ignore[arg-type]
    start = time.process_time()
    form.write(part, edited, out)
    return {
        "messages": count,
        "read_per_second": round(count / read),
        "write_per_second": round(count / (time.process_time() - start)),
    }


CODES = [
    ("8302-2", "Body Height", "cm"), ("29463-7", "Body Weight", "kg"), ("39156-5", "Body mass index (BMI) [Ratio]", "kg/m2"),
    ("8867-4", "Heart rate", "/min"), ("9279-1", "Respiratory rate", "/min"), ("2339-0", "Glucose [Mass/volume] in Blood", "mg/dL"),
    ("6299-2", "Urea nitrogen [Mass/volume] in Blood", "mg/dL"), ("718-7", "Hemoglobin [Mass/volume] in Blood", "g/dL"),
]  # fmt: skip


def _visit(p: Planted) -> list[dict[str, Any]]:
    """Return twenty resources as Synthea writes them: a patient, a visit, what was found, and two notes as attachments."""
    dice, who = p.dice, {"reference": f"Patient/{p.id}"}
    visit = {"reference": f"Encounter/{dice.getrandbits(128):032x}"}
    day = f"20{dice.randrange(10, 24)}-{dice.randrange(1, 13):02d}-{dice.randrange(1, 29):02d}"

    def made(kind: str, **more: Any) -> dict[str, Any]:
        meta = {
            "profile": [f"http://hl7.org/fhir/us/core/StructureDefinition/us-core-{kind.lower()}"]
        }
        return {"resourceType": kind, "id": f"{dice.getrandbits(128):032x}", "meta": meta, **more}

    def code(system: str, own: str, words: str) -> dict[str, Any]:
        return {"coding": [{"system": system, "code": own, "display": words}], "text": words}

    def observation(number: int) -> dict[str, Any]:
        own, words, unit = CODES[number % len(CODES)]
        group = code(
            "http://terminology.hl7.org/CodeSystem/observation-category",
            "vital-signs",
            "Vital signs",
        )
        value = {
            "value": round(dice.uniform(1, 200), 1),
            "unit": unit,
            "system": "http://unitsofmeasure.org",
            "code": unit,
        }
        return made("Observation", status="final", category=[group], code=code("http://loinc.org", own, words), subject=who,
                    encounter=visit, effectiveDateTime=f"{day}T10:{number:02d}:11+01:00", issued=f"{day}T10:{number:02d}:11.123+01:00",
                    valueQuantity=value)  # fmt: skip

    note = base64.b64encode(
        f"{day}\n\n# Chief Complaint\n{p.note()}\n\n# Plan\n{p.note()}".encode()
    ).decode()
    attached = {"contentType": "text/plain; charset=utf-8", "data": note}
    seen = {"start": f"{day}T10:00:11+01:00", "end": f"{day}T10:30:11+01:00"}
    doctor = {
        "individual": {
            "reference": "Practitioner?identifier=http://hl7.org/fhir/sid/us-npi|9999",
            "display": f"Dr. {p.name}",
        },
        "period": seen,
    }
    active = code("http://terminology.hl7.org/CodeSystem/condition-clinical", "active", "Active")
    return [
        patient(p),
        {**made("Encounter", status="finished", subject={**who, "display": p.name}, participant=[doctor], period=seen), "id": visit["reference"][10:]},
        made("Condition", clinicalStatus=active, code=code("http://snomed.info/sct", "38341003", "Hypertension"), subject=who, encounter=visit,
             onsetDateTime=f"{day}T10:00:11+01:00", recordedDate=f"{day}T10:00:11+01:00"),
        *(observation(number) for number in range(12)),
        made("MedicationRequest", status="active", intent="order", subject=who, encounter=visit, authoredOn=f"{day}T10:00:11+01:00",
             medicationCodeableConcept=code("http://www.nlm.nih.gov/research/umls/rxnorm", "308136", "amLODIPine 2.5 MG Oral Tablet")),
        made("Procedure", status="completed", code=code("http://snomed.info/sct", "430193006", "Medication Reconciliation (procedure)"),
             subject=who, encounter=visit, performedPeriod=seen),
        made("Immunization", status="completed", vaccineCode=code("http://hl7.org/fhir/sid/cvx", "140", "Influenza, seasonal"), patient=who,
             encounter=visit, occurrenceDateTime=f"{day}T10:00:11+01:00", primarySource=True),
        made("DiagnosticReport", status="final", code=code("http://loinc.org", "34117-2", "History and physical note"), subject=who,
             encounter=visit, effectiveDateTime=f"{day}T10:00:11+01:00", presentedForm=[attached]),
        made("DocumentReference", status="current", type=code("http://loinc.org", "34117-2", "History and physical note"), subject=who,
             date=f"{day}T10:00:11.123+01:00", content=[{"attachment": attached}]),
    ]  # fmt: skip


def _write(path: Path, count: int) -> None:
    with path.open("w", encoding="utf-8") as stream:
        for number in range(count // 20):
            stream.writelines(json.dumps(one) + "\n" for one in _visit(Planted(number)))


def _speed(folder: Path, count: int = 20_000) -> dict[str, Any]:
    path, out = folder / "export.ndjson", folder / "out.ndjson"
    _write(path, count)
    lines = path.read_bytes().splitlines()
    seconds: dict[str, float] = {}

    def timed(what: str, work: Any) -> None:
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            work()
            best = min(best, time.process_time() - start)
        seconds[what] = best

    timed("json_alone", lambda: [encode(decode(line)) for line in lines])  # type: ignore[arg-type]
    corpus = read_documents(path)
    form, part = corpus.format, corpus.parts[0]
    timed("read", lambda: sum(1 for _ in form.read(part)))
    decided = {
        d.id: [Edit(m.start(), m.end(), "[NAME]", "NAME") for m in NAME.finditer(d.text)] for d in corpus
    }  # fmt: skip
    expected = Digests()

    def write() -> None:
        nonlocal expected
        expected = Digests()

        def edited() -> Any:
            for document in form.read(part):
                one = Edited(document, decided[document.id], form.new_id(document, ""))
                expected.add(form.digest_of(one))
                yield one

        form.write(part, edited(), out)

    timed("read_and_write", write)
    timed("verify", lambda: form.verify(CorpusFile(out.name, out), expected))
    assert form.verify(CorpusFile(out.name, out), expected)
    seconds["all"] = seconds["read_and_write"] + seconds["verify"]
    return {
        "resources": count, "bytes": path.stat().st_size,
        **{f"{what}_per_second": round(count / own) for what, own in seconds.items()},
        "all_times_json": round(seconds["all"] / seconds["json_alone"], 1),
    }  # fmt: skip


def _memory() -> dict[str, float]:
    """Return the peak memory of a process that reads, writes and verifies some resources, and ten times as many."""
    found = {}
    for count in (RESOURCES // 10, RESOURCES):
        code = f"from benchmarks.health import measure; measure({count})"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        found[f"megabytes_{count}"] = round(float(done.stdout.split()[-1]), 1)
    return found


def measure(count: int) -> None:
    """Read, write and verify an export in this process, and print its peak memory."""
    with tempfile.TemporaryDirectory() as name:
        path, out = Path(name) / "export.ndjson", Path(name) / "out.ndjson"
        _write(path, count)
        corpus = read_documents(path)
        form, expected = corpus.format, Digests()

        def edited() -> Any:
            for document in form.read(corpus.parts[0]):
                one = Edited(document, (), form.new_id(document, ""))
                expected.add(form.digest_of(one))
                yield one

        form.write(corpus.parts[0], edited(), out)
        assert form.verify(CorpusFile(out.name, out), expected)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _standard() -> dict[str, Any]:
    """Compare the rules of the default profile with the types of each element name."""
    folder = Path(os.environ.get("SFUMATO_FHIR", "none"), "fhir", "resources")
    if not folder.is_dir():
        return {"left_out": "fhir.resources was not found"}
    types: dict[str, set[str]] = defaultdict(set)
    field = re.compile(
        r'^    \w+: (?:typing\.List\[)?fhirtypes\.(\w+)[^\n]*Field\([^"]*?alias="(\w+)"',
        re.MULTILINE,
    )
    for file in (*folder.glob("*.py"), *folder.glob("R4B/*.py"), *folder.glob("STU3/*.py")):
        for kind, name in field.findall(file.read_text(encoding="utf-8")):
            types[name].add(TYPES.get(kind, "other"))
    profile = load_profile("fhir")
    wrong: dict[str, list[str]] = {}
    for kind, fitting in FITTING.items():
        names = [name for name, own in types.items() if own - {"other"} == {kind}]
        wrong[kind] = sorted(
            n for n in names if (profile.action(("x", n)) or "text") not in {*fitting, "text"}
        )
    kept = sorted(
        name for name, own in types.items() if own & {"string", "base64"} and profile.action(("x", name)) == "keep"
    )  # fmt: skip
    found = {"names": len(types), "against_the_type": wrong, "kept_though_also_strings": kept}
    return {"fhir": found, "hl7": _segments(folder.parents[1])}


def _segments(folder: Path) -> dict[str, Any]:
    """Compare the data types of the HL7 profile with those of hl7apy."""
    if not (folder / "hl7apy").is_dir():
        return {"left_out": "hl7apy was not found"}
    sys.path.insert(0, str(folder))
    from hl7apy.v2_5.segments import SEGMENTS

    ours = {name: own.split() for name, own in load_profile("hl7").segments.items()}
    theirs = {name: [field[1][2] for field in SEGMENTS[name][1]] for name in ours}
    differ = sorted(name for name in ours if ours[name][: len(theirs[name])] != theirs[name])
    later = {
        name: len(own) - len(theirs[name])
        for name, own in ours.items()
        if len(own) > len(theirs[name])
    }
    rules = {path[0] for path in load_profile("hl7").rules}
    unruled = sorted({kind for own in ours.values() for kind in own} - rules - {"varies"})
    return {
        "segments": len(ours),
        "differ": differ,
        "fields_of_later_versions": later,
        "types_without_a_rule": unruled,
    }
