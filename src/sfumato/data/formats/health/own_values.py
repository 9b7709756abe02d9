"""Names, addresses and numbers that a resource holds in separate elements: a text that repeats one loses it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from . import _kernels as kernels
from .iso_dates import is_date
from .scanning import PEOPLE, ScannedResource, unescape

__all__ = ["REMOVED", "own_values", "pattern_of", "repeats_itself"]

REMOVED = "[REMOVED]"
"""The replacement, in a text, of what the resource says in a separate element."""
_NAMES = frozenset({"family", "given", "line", "city", "postalCode"})
_NUMBERS = frozenset({
    "subscriberId", "policyNumber", "preAuthRef", "serialNumber", "lotNumber", "deviceIdentifier", "distinctIdentifier",
    "accessionNumber", "carrierHRF",
})  # fmt: skip
_WHOLE = {
    "name": "text", "address": "text", "valueHumanName": "text", "valueAddress": "text", "telecom": "value", "traceNumber": "value",
    "requisition": "value",
}  # fmt: skip
_SHORTEST, _LONGEST, _MOST = 3, 200, 200
_SPACE = re.compile(r"\s+")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"(:?)')


def own_values(value: object) -> list[str]:
    """Return the names, addresses, numbers and days of birth that have separate elements, longest first.

    >>> own_values({"name": [{"family": "Meyer"}], "identifier": [{"value": "A-12345"}], "gender": "male"})
    ['A-12345', 'Meyer']
    """
    return sorted({text for text in _values(value) if _is_telling(text)}, key=lambda t: (-len(t), t))[:_MOST]  # fmt: skip


def _values(value: object) -> Iterator[str]:
    left: list[tuple[object, str, str]] = [(value, "", "")]
    while left:
        one, name, above = left.pop()
        if isinstance(one, dict):
            if _is_person(one.get("reference")):
                left.append((one.get("display"), "family", ""))
            if (
                one.get("resourceType")
                and isinstance(one.get("id"), str)
                and len(str(one["id"])) > 5
            ):
                left.append((one["id"], "serialNumber", ""))
            left += [
                (own, str(key), name) for key, own in one.items() if "xtension" not in str(key)
            ]
        elif isinstance(one, list):
            left += [(own, name, above) for own in one]
        elif isinstance(one, str) and (
            _is_own(name, above) or (name == "birthDate" and is_date(one))
        ):
            yield one.strip()


def _is_own(name: str, above: str) -> bool:
    """Return whether an element, inside another one, says a name, an address, a number or a day of birth."""
    is_number = name == "value" and above.endswith("dentifier")
    return name in _NAMES or name in _NUMBERS or _WHOLE.get(above) == name or is_number


def _is_person(reference: object) -> bool:
    return isinstance(reference, str) and reference.partition("/")[0].partition("?")[0] in PEOPLE


def _is_telling(text: str) -> bool:
    """Return whether a text is a name that begins in upper case, or holds a number that is no small one."""
    if not _SHORTEST <= len(text) <= _LONGEST:
        return False
    return (text[0].isalpha() and text[0] != text[0].lower()) or (len(text) > 3 and any(map(str.isdigit, text))) or "@" in text  # fmt: skip


def pattern_of(values: Iterable[str]) -> re.Pattern[str] | None:
    """Return what finds values in a text, as whole words, whatever white space is in them.

    >>> pattern_of(["Den Burg"]).sub("[REMOVED]", "in Den  Burg, Denburg")
    'in [REMOVED], Denburg'
    """
    found = [r"\s+".join(map(re.escape, _SPACE.split(value))) for value in values]
    return re.compile(rf"(?<!\w)(?:{'|'.join(found)})(?!\w)") if found else None


def repeats_itself(found: ScannedResource, texts: str) -> bool:
    """Return whether a scanned resource may repeat in its texts what it says elsewhere: then it is walked through."""
    squeezed, content, gone = "".join(texts.split()), found.content, []
    for code, first, last in found.places():
        if code in (kernels.IDENTIFIER, kernels.DATE):
            gone.append(content[first - 1 : last + 1])  # with its quotes
        elif code == kernels.DROP:
            gone.append(content[first:last])
    elsewhere = b" ".join(gone).decode()
    if "\\" in elsewhere:
        own = [unescape(one.encode()) for one, is_name in _STRING.findall(elsewhere) if not is_name]
    else:
        parts = elsewhere.split('"')
        own = [one for one, after in zip(parts[1::2], parts[2::2], strict=True) if after[:1] != ":"]
    return any(len(one) >= _SHORTEST and "".join(one.split()) in squeezed for one in own)
