"""Exports of health records, made by rule, with a string of its own in every place that could name a person."""

from __future__ import annotations

import base64
import random

WORDS = "stable findings will return for review after treatment of mild pain".split()
FIRST = "Wolfgang Fiona Siobhan Zoltan Ludmila Quentin".split()
LAST = "Pfeiffer Flaherty Szymborska Quackenbush Griffith Abernathy".split()
LOINC, SCT = "http://loinc.org", "http://snomed.info/sct"


class Planted:
    """One patient: a name, and a string of its own for each place."""

    def __init__(self, seed: object) -> None:
        self.dice = random.Random(str(seed))
        self.letters = "".join(self.dice.choice("bcdfghklmnprstvz") + self.dice.choice("aeiou") for _ in range(5))  # fmt: skip
        self.first, self.last = self.dice.choice(FIRST), self.dice.choice(LAST) + self.letters
        self.name = f"{self.first} {self.last}"
        self.id = f"pat-{self.letters}-{self.dice.randrange(10**6)}"
        self.gone: list[str] = [self.last, self.id]

    def plant(self, kind: str) -> str:
        """Return a string that must not be in what is written."""
        made = f"{kind}{self.letters}{len(self.gone)}x"
        self.gone.append(made)
        return made

    def note(self) -> str:
        words = [self.dice.choice(WORDS) for _ in range(12)]
        return " ".join([*words[:6], self.name, *words[6:]])


def patient(p: Planted) -> dict:
    number = p.plant("mrn")
    return {
        "resourceType": "Patient", "id": p.id,
        "meta": {"versionId": p.plant("ver"), "lastUpdated": "2021-03-04T05:06:07Z", "source": f"#{p.plant('src')}", "profile": ["http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient"]},
        "text": {"status": "generated", "div": f'<div xmlns="http://www.w3.org/1999/xhtml"><p id="{p.plant("attr")}">Seen: <b>{p.first}</b> {p.last} &amp; son</p><!-- {p.plant("comment")} --></div>'},
        "extension": [{"url": "http://example.org/maiden", "valueString": p.plant("ext")}],
        "identifier": [{"system": "urn:oid:1.2.36.146", "value": number, "assigner": {"display": "Ward 4"}}],
        "name": [{"use": "official", "family": p.last, "given": [p.first, p.plant("given")], "text": p.name, "prefix": ["Dr"]}],
        "telecom": [{"system": "phone", "value": p.plant("tel")}],
        "gender": "female", "birthDate": "1970-05-01", "_birthDate": {"extension": [{"url": "x", "valueDateTime": "1970-05-01T14:35:45Z"}]},
        "address": [{"line": [f"12 {p.plant('street')} Road"], "city": p.plant("city"), "state": "NY", "postalCode": p.plant("zip"), "country": "US"}],
        "contact": [{"name": {"family": p.plant("kin")}, "telecom": [{"value": p.plant("kintel")}]}],
        "photo": [{"contentType": "image/png", "data": "AAAA"}],
        "maritalStatus": {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v3-MaritalStatus", "code": "M", "display": "Married"}], "text": "Married"},
        "generalPractitioner": [{"reference": f"Practitioner/{p.plant('gp')}", "display": f"Dr {p.plant('gpname')}"}],
    }  # fmt: skip


def observation(p: Planted, number: int, reference: str | None = None) -> dict:
    return {
        "resourceType": "Observation", "id": p.plant("obs"), "status": "final",
        "category": [{"coding": [{"system": "http://terminology.hl7.org/CodeSystem/observation-category", "code": "laboratory", "display": "Laboratory"}]}],
        "code": {"coding": [{"system": LOINC, "code": "718-7", "display": "Hemoglobin [Mass/volume] in Blood"}], "text": "Hemoglobin [Mass/volume] in Blood"},
        "subject": {"reference": reference or f"Patient/{p.id}", "display": p.name}, "encounter": {"reference": f"Encounter/{p.plant('enc')}"},
        "effectiveDateTime": f"2020-01-{number % 28 + 1:02d}T10:00:00+01:00", "issued": "2020-02-01T08:00:00.000Z",
        "valueQuantity": {"value": 7.2, "unit": "g/dL", "system": "http://unitsofmeasure.org", "code": "g/dL"},
        "note": [{"authorString": p.plant("author"), "time": "2020-01-05", "text": p.note()}],
    }  # fmt: skip


def report(p: Planted) -> dict:
    letter = base64.b64encode(f"Dear colleague,\n{p.note()}".encode()).decode()
    return {
        "resourceType": "DiagnosticReport", "id": p.plant("rep"), "status": "final", "subject": {"reference": f"Patient/{p.id}"},
        "code": {"text": "Ward report"}, "conclusion": p.note(), "effectivePeriod": {"start": "2020-01-01", "end": "2020-03"},
        "presentedForm": [
            {"contentType": "text/plain; charset=utf-8", "data": letter, "title": f"Letter on {p.name}", "hash": p.plant("hash"), "size": 120},
            {"contentType": "application/pdf", "data": base64.b64encode(p.plant("pdf").encode()).decode()},
            {"contentType": "text/html", "data": base64.b64encode(f"<p title='{p.plant('title')}'>{p.name}</p>".encode()).decode(), "url": f"https://host.example/{p.plant('url')}"},
        ],
        "contained": [{"resourceType": "Practitioner", "id": "p1", "name": [{"family": p.plant("doc"), "text": f"Dr {p.plant('doctext')}"}]}],
        "performer": [{"reference": "#p1"}],
        "strange": {"newElement": f"unknown words about {p.name}", "when": "2020-01-09", "where": f"Location/{p.plant('loc')}1", "more": f"mailto:{p.plant('mail')}@example.org"},
    }  # fmt: skip


def bundle(p: Planted, observations: int = 3) -> dict:
    own = patient(p)
    entries = [{"fullUrl": f"urn:uuid:{p.id}", "resource": own, "request": {"method": "POST", "url": "Patient", "ifNoneExist": p.plant("ine")}}]  # fmt: skip
    entries += [{"fullUrl": f"https://host.example/fhir/Observation/{p.plant('fu')}", "resource": observation(p, i, f"urn:uuid:{p.id}")} for i in range(observations)]  # fmt: skip
    entries.append({"resource": report(p), "search": {"mode": "include"}})
    return {
        "resourceType": "Bundle", "id": p.plant("bundle"), "type": "collection", "timestamp": "2021-01-01T00:00:00Z",
        "link": [{"relation": "self", "url": f"https://host.example/fhir?name={p.plant('search')}"}], "entry": entries,
    }  # fmt: skip


def message(p: Planted, separators: str = "|^~\\&") -> str:
    """Return a message of HL7 with the default separators or others, one segment a line end."""
    doctor, note = (
        f"{p.plant('nr')}^{p.plant('doc')}^Bob^^^Dr",
        f"seen {p.name} \\T\\ again\\.br\\then {p.last}",
    )
    made = "\r".join([
        f"MSH|^~\\&|{p.plant('app')}|{p.plant('fac')}|EHR|{p.plant('rec')}|20200101120000+0100||ORU^R01^ORU_R01|{p.plant('ctl')}|P|2.5",
        f"EVN|R01|20200102||||{20200103}",
        f"PID|1|{p.plant('old')}|{p.id}^^^{p.plant('auth')}^MR~{p.plant('alt')}^^^X^SS||{p.last}^{p.first}^A||19700501|F|{p.plant('alias')}|2106-3^White^HL70005|12 {p.plant('street')} Road^^{p.plant('city')}^NY^{p.plant('zip')}^US||{p.plant('tel')}|||M||{p.plant('acct')}|{p.plant('ssn')}||||{p.plant('born')}",
        f"NK1|1|{p.plant('kin')}^Ann|SPO^Spouse^HL70063|{p.plant('kinstreet')}^^Town|{p.plant('kintel')}",
        f"PV1|1|I|{p.plant('ward')}^389^1|R|||{doctor}|{doctor}||MED||||||||S|{p.plant('visit')}",
        f"OBR|1|{p.plant('order')}^LAB|{p.plant('filler')}|718-7^Hemoglobin^LN|||20200101|||||||||{doctor}",
        "OBX|1|NM|718-7^Hemoglobin^LN||7.2|g/dL^gram per deciliter^UCUM|12-16|L|||F|||20200102",
        f"OBX|2|TX|N^Note^L||{note}~second line on {p.name}||||||F||||{p.plant('lab')}|{doctor}",
        f"OBX|3|CE|29308-4^Diagnosis^LN||44054006^Diabetes mellitus type 2^SCT||||||F||||{p.plant('producer')}",
        f"OBX|4|ED|PDF^^L||^application^pdf^Base64^{p.plant('pdf')}||||||F",
        "OBX|5|DT|8665-2^Last period^LN||20191224||||||F",
        f"NTE|1||comment on {p.name}",
        f"DG1|1||I10^Hypertension of {p.name}^L||2020",
        f"ZPI|1|{p.plant('z')}",
    ])  # fmt: skip
    if separators != "|^~\\&":
        apart = dict(zip("|^~\\&", separators, strict=True))
        made = "".join(apart.get(c, c) for c in made)
    return made + "\r"
