"""Health records with a name planted in every field of a segment, and in resources and elements that few exports have."""

from __future__ import annotations

import base64
import json

from sfumato.data.formats.health.profile import load_profile

from ..office.planted import Names, esc

_KNOWN = {7: "20200101", 9: "ORU^R01", 11: "P", 12: "2.5"}
_TYPES = "CE XPN NM DT TS ED RP CX ST FT SN CWE XAD HD EI ID QQ".split()


def message(seed: object) -> tuple[bytes, dict[str, str]]:
    """Return a message of HL7 with a name in every field of ten segments, drawn by the seed, and what was planted, by place."""
    n = Names(f"hl7 further {seed}")
    drawn = n.random.sample([*load_profile("hl7").segments, "ZPI", "CON", "UB2"], 10)
    lines = ["MSH|^~\\&|" + "|".join(_KNOWN.get(i) or n(f"MSH.{i}") for i in range(3, 22))]
    for segment in ("PID", "OBX", *drawn):
        if segment != "MSH":
            fields = ("TX" if (segment, i) == ("OBX", 2) else n(f"{segment}.{i}") for i in range(1, 40))  # fmt: skip
            lines.append(f"{segment}|" + "|".join(fields))
    for kind in _TYPES:
        value = (
            f"{n(f'{kind} first')}^{n(f'{kind} second')}&{n(f'{kind} inner')}~{n(f'{kind} again')}"
        )
        lines.append(f"OBX|1|{kind}|{n(f'{kind} code')}||{value}|{n(f'{kind} unit')}")
    return ("\r".join(lines) + "\r").encode(), dict(n.planted)


def bundle(seed: object) -> tuple[bytes, dict[str, str]]:
    """Return a bundle of rare resources and what was planted in it, by place."""
    n = Names(f"fhir further {seed}")

    def coded(place: str) -> dict[str, object]:
        return {"coding": [{"system": "urn:own", "code": n(f"{place} code"), "display": n(f"{place} display")}], "text": n(f"{place} text")}  # fmt: skip

    def given(place: str) -> dict[str, object]:
        return {"reference": "Patient/p", "display": n(f"{place} display"), "identifier": {"value": n(f"{place} identifier")}}  # fmt: skip

    def address(place: str, apart: str = "_") -> str:
        n.planted[place] = n(place).encode("ascii", "ignore").decode().replace(" ", apart)
        return n.planted[place]

    page = f'<div xmlns="http://www.w3.org/1999/xhtml"><table title="{esc(n("page title"))}"><tr><td>{esc(n("page cell"))}</td></tr></table><a href="{esc(n("page link"))}">x</a><img src="{esc(n("page source"))}" alt="{esc(n("page picture"))}"/></div>'
    resources = [
        {"resourceType": "Patient", "id": "p", "text": {"status": "additional", "div": page}, "name": [{"_family": {"extension": [{"url": "urn:x", "valueString": n("family extension")}]}, "suffix": [n("suffix")]}], "link": [{"other": given("linked patient")}], "communication": [{"language": coded("language")}], "managingOrganization": given("organisation")},
        {"resourceType": "QuestionnaireResponse", "item": [{"linkId": n("question id"), "text": n("question"), "answer": [{"valueString": n("answer")}, {"valueCoding": {"display": n("coded answer")}}, {"valueUri": f"mailto:{address('answer address', '.')}"}]}]},
        {"resourceType": "Communication", "payload": [{"contentString": n("payload")}, {"contentAttachment": {"contentType": "text/html", "data": base64.b64encode(f"<p>{n('attached page')}</p>".encode()).decode(), "title": n("attachment title")}}], "about": [given("about")]},
        {"resourceType": "AuditEvent", "agent": [{"altId": n("agent id"), "name": n("agent name"), "network": {"address": n("agent address")}}], "source": {"observer": given("observer"), "site": n("site")}, "entity": [{"name": n("entity"), "description": n("entity description"), "query": base64.b64encode(n("query").encode()).decode(), "detail": [{"type": "x", "valueBase64Binary": base64.b64encode(n("detail").encode()).decode()}]}]},
        {"resourceType": "Provenance", "signature": [{"who": given("signer"), "data": base64.b64encode(n("signature").encode()).decode()}], "agent": [{"who": given("agent")}]},
        {"resourceType": "Coverage", "subscriberId": n("subscriber"), "policyHolder": given("policy holder"), "class": [{"value": n("class value"), "name": n("class name")}], "network": n("network")},
        {"resourceType": "Device", "udiCarrier": [{"deviceIdentifier": n("device"), "carrierHRF": n("carrier")}], "serialNumber": n("serial number"), "lotNumber": n("lot"), "deviceName": [{"name": n("device name")}], "url": f"https://x.example/{address('device address')}"},
        {"resourceType": "Composition", "title": n("title"), "author": [given("author")], "section": [{"title": n("section title"), "text": {"status": "generated", "div": f"<div>{esc(n('section page'))}</div>"}, "entry": [given("entry")]}]},
        {"resourceType": "Location", "name": n("location"), "alias": [n("location alias")], "description": n("location description"), "position": {"longitude": 1.5}},
        {"resourceType": "Organization", "name": n("organisation name"), "contact": [{"name": {"text": n("contact")}, "purpose": coded("purpose")}]},
        {"resourceType": "MedicationRequest", "dosageInstruction": [{"text": n("dosage"), "patientInstruction": n("instruction"), "additionalInstruction": [coded("additional")]}], "note": [{"text": n("note"), "authorReference": given("note author")}], "groupIdentifier": {"value": n("group")}, "reasonCode": [coded("reason")]},
        {"resourceType": "Goal", "description": {"text": n("goal")}, "statusReason": n("status reason"), "meta": {"tag": [{"display": n("tag")}], "security": [{"display": n("security")}]}},
        {"resourceType": "Task", "description": n("task"), "input": [{"type": coded("input"), "valueString": n("input value")}], "owner": given("owner"), "instantiatesUri": f"https://x.example/{address('task address')}"},
        {"resourceType": "DocumentReference", "description": n("description"), "content": [{"attachment": {"contentType": "application/xml", "data": base64.b64encode(f"<a>{esc(n('attached record'))}</a>".encode()).decode(), "url": f"Binary/{address('attachment address', '-')}"}}], "masterIdentifier": {"value": n("master"), "type": coded("identifier type")}},
        {"resourceType": "Basic", "id": "b", "modifierExtension": [{"url": f"https://x.example/{address('extension address')}", "valueHumanName": {"family": n("extension name")}}], "implicitRules": f"https://x.example/{address('rules')}", "language": "en", "own": {n("own key"): n("own value"), "list": [n("own list"), [n("inner list")]]}},
        {"resourceType": "Parameters", "parameter": [{"name": n("parameter"), "valueString": n("parameter value"), "resource": {"resourceType": "Person", "name": [{"text": n("inner person")}]}}]},
        {"resourceType": "OperationOutcome", "issue": [{"diagnostics": n("diagnostics"), "details": {"text": n("details")}, "expression": [f"Patient.name.where(family='{n('expression')}')"]}]},
        {"resourceType": "List", "id": "l", "title": n("list"), "contained": [{"resourceType": "RelatedPerson", "id": "r", "name": [{"given": [n("contained person")]}], "telecom": [{"value": n("contained telephone")}]}]},
    ]  # fmt: skip
    made = {"resourceType": "Bundle", "id": n("bundle id"), "type": "collection", "signature": {"data": base64.b64encode(n("bundle signature").encode()).decode()}, "meta": {"source": n("bundle source")}, "entry": [{"resource": one, "response": {"location": n(f"response {i}"), "etag": n(f"tag {i}")}} for i, one in enumerate(resources)]}  # fmt: skip
    return json.dumps(made, ensure_ascii=False).encode(), dict(n.planted)
