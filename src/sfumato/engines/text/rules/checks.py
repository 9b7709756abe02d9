"""Check digits of record and national numbers: each function takes the characters that were matched.

Separators are ignored. A number that passes is far more likely to be one: a random number passes a check
of one decimal digit once in ten times, one of two digits once in ninety-seven.

python-stdnum agrees on Luhn, NHS, SSN, DNI, NIR and BSN, but refuses some IBANs, tax numbers and codes that pass
here: what is refused is not redacted. It is also slower, and its licence (LGPL) is none of those used here.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["CHECKS"]


def _digits(text: str) -> list[int]:
    return [int(c) for c in text if c.isdecimal()]


def _alphanumeric(text: str) -> str:
    return "".join(c for c in text.upper() if c.isalnum())


def luhn(text: str) -> bool:
    """Check payment cards and other numbers by Luhn's formula.

    >>> luhn("4111 1111 1111 1111"), luhn("4111 1111 1111 1112")
    (True, False)
    """
    total = 0
    for place, digit in enumerate(reversed(_digits(text))):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def iban(text: str) -> bool:
    """Check an international bank account number (ISO 13616, modulo 97).

    >>> iban("GB82 WEST 1234 5698 7654 32"), iban("GB83 WEST 1234 5698 7654 32")
    (True, False)
    """
    plain = _alphanumeric(text)
    moved = plain[4:] + plain[:4]
    return bool(moved) and int("".join(str(int(c, 36)) for c in moved)) % 97 == 1


def nhs(text: str) -> bool:
    """Check an English NHS number (ten digits, modulo 11).

    >>> nhs("943 476 5919"), nhs("943 476 5918")
    (True, False)
    """
    digits = _digits(text)
    if len(digits) != 10:
        return False
    total = sum(digit * weight for digit, weight in zip(digits, range(10, 1, -1), strict=False))
    return (11 - total % 11) % 11 == digits[9]


def ssn(text: str) -> bool:
    """Check a number of the United States' social security: areas and groups that are never issued.

    >>> ssn("536-90-4399"), ssn("666-90-4399"), ssn("536-00-4399")
    (True, False, False)
    """
    plain = "".join(map(str, _digits(text)))
    if len(plain) != 9:
        return False
    area, group, serial = plain[:3], plain[3:5], plain[5:]
    return area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


def german_tax(text: str) -> bool:
    """Check a German tax number of a person (eleven digits, ISO 7064 modulo 11, 10).

    >>> german_tax("36 574 261 809"), german_tax("36 574 261 808")
    (True, False)
    """
    digits = _digits(text)
    if len(digits) != 11 or digits[0] == 0:
        return False
    product = 10
    for digit in digits[:10]:
        total = (digit + product) % 10 or 10
        product = 2 * total % 11
    return (11 - product) % 10 == digits[10]


def german_health(text: str) -> bool:
    """Check a German health insurance number (a letter, nine digits; its letter as two digits).

    >>> german_health("A123456780"), german_health("A123456781")
    (True, False)
    """
    plain = _alphanumeric(text)
    if len(plain) != 10 or not plain[0].isalpha() or not plain[1:].isdecimal():
        return False
    digits = _digits(f"{ord(plain[0]) - 64:02d}{plain[1:9]}")
    total = 0
    for place, digit in enumerate(digits):
        product = digit * (1 + place % 2)
        total += product // 10 + product % 10
    return total % 10 == int(plain[9])


def spanish_identity(text: str) -> bool:
    """Check a Spanish DNI or NIE (the letter is the number modulo 23).

    >>> spanish_identity("12345678Z"), spanish_identity("X1234567L"), spanish_identity("12345678A")
    (True, True, False)
    """
    plain = _alphanumeric(text)
    if len(plain) != 9:
        return False
    number = plain[:8].translate(str.maketrans("XYZ", "012", ""))
    return number.isdecimal() and plain[8] == "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23]


def french_insurance(text: str) -> bool:
    """Check a French NIR (fifteen digits, key of 97; Corsican departments are 2A and 2B).

    >>> french_insurance("2 55 08 14 168 025 38"), french_insurance("2 55 08 14 168 025 39")
    (True, False)
    """
    plain = _alphanumeric(text)
    if len(plain) != 15:
        return False
    number = plain[:13].replace("2A", "19").replace("2B", "18")
    return (
        number.isdecimal() and plain[13:].isdecimal() and int(plain[13:]) == 97 - int(number) % 97
    )


_ODD = dict(zip("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", (
    1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8,
    12, 14, 16, 10, 22, 25, 24, 23), strict=True))  # fmt: skip


def italian_fiscal(text: str) -> bool:
    """Check an Italian codice fiscale (sixteen characters, the last one a check letter).

    >>> italian_fiscal("RCCMNL83S18D969H"), italian_fiscal("RCCMNL83S18D969A")
    (True, False)
    """
    plain = _alphanumeric(text)
    if len(plain) != 16 or any(c not in _ODD for c in plain):
        return False
    total = sum(
        _ODD[c] if place % 2 == 0 else (int(c) if c.isdecimal() else ord(c) - 65)
        for place, c in enumerate(plain[:15])
    )
    return plain[15] == chr(65 + total % 26)


def dutch_citizen(text: str) -> bool:
    """Check a Dutch BSN (nine digits, the eleven test).

    >>> dutch_citizen("111222333"), dutch_citizen("111222334")
    (True, False)
    """
    digits = _digits(text)
    if len(digits) != 9 or not any(digits):
        return False
    weights = (9, 8, 7, 6, 5, 4, 3, 2, -1)
    return sum(d * w for d, w in zip(digits, weights, strict=True)) % 11 == 0


def portuguese_tax(text: str) -> bool:
    """Check a Portuguese NIF (nine digits, modulo 11).

    >>> portuguese_tax("123456789"), portuguese_tax("123456788")
    (True, False)
    """
    digits = _digits(text)
    if len(digits) != 9:
        return False
    rest = sum(d * w for d, w in zip(digits, range(9, 1, -1), strict=False)) % 11
    return digits[8] == (0 if rest < 2 else 11 - rest)


CHECKS: dict[str, Callable[[str], bool]] = {
    "luhn": luhn,
    "iban": iban,
    "nhs": nhs,
    "ssn": ssn,
    "german_tax": german_tax,
    "german_health": german_health,
    "spanish_identity": spanish_identity,
    "french_insurance": french_insurance,
    "italian_fiscal": italian_fiscal,
    "dutch_citizen": dutch_citizen,
    "portuguese_tax": portuguese_tax,
}
"""The checks by the name that a rules file gives them."""
