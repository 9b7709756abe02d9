"""Content streams that hold more than is drawn: unknown operators, operands that nothing takes, names that nothing has.

A quick look tells whether there is any of that; only then a parser takes the stream apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import pikepdf
from pikepdf import Array, Dictionary, Name, Object

from . import keys
from .content_edits import OF_OPERATOR
from .streams import SHOWS, Operation, walk

__all__ = ["called_names", "has_comment", "has_only_drawing", "only_drawing"]

_OPERANDS = {
    **dict.fromkeys("b B b* B* BT BX EMC ET EX f F f* h n q Q s S T* W W*".split(), 0),  # noqa: SIM905
    **dict.fromkeys("BMC CS cs Do G g gs i j J M MP ri sh Tc Tj TJ TL Tr Ts Tw Tz w '".split(), 1),  # noqa: SIM905
    **dict.fromkeys("BDC d d0 DP l m Td TD Tf".split(), 2),  # noqa: SIM905
    **dict.fromkeys('RG rg "'.split(), 3),  # noqa: SIM905
    **dict.fromkeys("K k re v y".split(), 4),  # noqa: SIM905
    **dict.fromkeys("c cm d1 Tm".split(), 6),  # noqa: SIM905
    **dict.fromkeys("SC sc SCN scn".split(), 33),  # noqa: SIM905 (a space has at most 32 colours)
}
"""How many operands each operator takes."""
_MARKS = ("BDC", "BMC", "DP", "MP")
_OPERATORS = frozenset(name.encode() for name in _OPERANDS)
_DELIMITER = rb"\x00\t\n\x0c\r ()<>\[\]{}/%"
_STRING = re.compile(
    rb"\((?:[^()\\]++|\\.)*+\)|(?<!<)<[0-9A-Fa-f\x00\t\n\x0c\r ]*+>(?!>)", re.DOTALL
)
_NAME = re.compile(rb"/([^" + _DELIMITER + rb"]*+)")
_WORD = re.compile(rb"(?<![^\x00\t\n\x0c\r ()<>\[\]{}%])[-+.\d]*+([^-+.\d" + _DELIMITER + rb"][^" + _DELIMITER + rb"]*+)")  # fmt: skip
_SHOWN = re.compile(rb"\(\)[\x00\t\n\x0c\r ]*+(?:Tj|['\"])(?![A-Za-z0-9*])")
_SHOWN_TOGETHER = re.compile(rb"\[([^\[\]]*+)\][\x00\t\n\x0c\r ]*+TJ(?![A-Za-z0-9*])")
_LAST = re.compile(rb"[^" + _DELIMITER + rb"]*\Z")
_NUMBERS = re.compile(r"[-+.\d]+")
_NAMES = frozenset(name[1:].encode() for name in (keys.NAMES | keys.COLOURS.keys()))


def called_names(pdf: pikepdf.Pdf) -> frozenset[bytes]:
    """Return the names by which resources of a file can be called."""
    found = set[bytes]()
    for holder in [*walk(pdf.Root), *(Dictionary(Resources=page.resources) for page in pdf.pages)]:
        resources = holder.get("/Resources")
        for listed in resources.values() if isinstance(resources, Dictionary) else ():
            if isinstance(listed, Dictionary):
                found |= {name[1:].encode("utf-8", "surrogateescape") for name in listed.keys()}  # noqa: SIM118 (its iterator gives objects)
    return frozenset(found)


def has_comment(content: bytes) -> bool:
    """Return whether a stream without pictures has a comment: a percent sign that is not in a string.

    >>> has_comment(b"(50%) Tj"), has_comment(b"(50) Tj % for Ann"), has_comment(b"((50%)) Tj")
    (False, True, False)
    """
    return b"%" in content and b"%" in _STRING.sub(b"()", content)


def has_only_drawing(content: bytes, called: frozenset[bytes]) -> bool:
    """Return whether a stream without inline pictures holds known operators and what they take.

    Parameters
    ----------
    content : bytes
        The stream; its marked content has tags of the standard.
    called : set of bytes
        The names of resources.

    Examples
    --------
    >>> has_only_drawing(b"BT /F1 9 Tf (Ann) Tj ET", frozenset([b"F1"]))
    True
    >>> [has_only_drawing(odd, frozenset()) for odd in (b"(Ann) pop", b"(Ann) (x) Tj", b"/Ann gs", b"q Q (Ann)")]
    [False, False, False, False]

    """
    bare = _STRING.sub(b"()", content)
    strings = bare.count(b"()")
    if bare.count(b"(") != strings:
        return False
    shown = len(_SHOWN.findall(bare))
    if shown < strings:
        shown += sum(given.count(b"()") for given in _SHOWN_TOGETHER.findall(bare))
    if shown != strings or not _OPERATORS.issuperset(_WORD.findall(bare)):
        return False
    last = _LAST.search(bare.rstrip(b"\x00\t\n\x0c\r "))
    if last is None or (last[0] and last[0] not in _OPERATORS and not _WORD.fullmatch(last[0])) or (not last[0] and bare.strip()):  # fmt: skip
        return False
    names = set(_NAME.findall(bare)) - called - _NAMES
    return all(keys.is_plain_tag(name) for name in names)


def only_drawing(operations: Iterable[Operation], called: frozenset[bytes]) -> list[Operation]:
    """Return the operations of a stream that draw, with the operands that they take."""
    kept: list[Operation] = []
    for given, name in operations:
        own = _NUMBERS.sub("", name, count=1) if name not in _OPERANDS else name
        if not isinstance(given, list) or name in _MARKS:
            kept.append((given, name))
            continue
        if own not in _OPERANDS:
            continue
        taken = given[len(given) - _OPERANDS[own] :] if len(given) > _OPERANDS[own] else given
        plain = [_plain(value, name, called) for value in taken]
        if all(value is not None for value in plain):
            kept.append(([value for value in plain if value is not None], name))
    return kept


def _plain(value: Object, operator: str, called: frozenset[bytes]) -> Object | None:
    """Return an operand as its operator may take it; None where it takes no such thing."""
    if isinstance(value, Name):
        if str(value)[1:].encode("utf-8", "surrogateescape") in called | _NAMES:
            return value
        return Name("/N0x") if operator in OF_OPERATOR else None
    if isinstance(value, pikepdf.String):
        return value if operator in SHOWS else None
    if isinstance(value, Array):
        if any(isinstance(v, Object) and not (isinstance(v, pikepdf.String) and operator == "TJ") for v in value):  # fmt: skip
            return Array(v for v in value if not isinstance(v, Object) or (isinstance(v, pikepdf.String) and operator == "TJ"))  # fmt: skip
        return value
    return None if isinstance(value, Dictionary) else value
