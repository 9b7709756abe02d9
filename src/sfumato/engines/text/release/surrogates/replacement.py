"""Realistic replacements for what is redacted, consistent by a secret key.

A surrogate never equals the original, whatever the key: where no other value can be made (a month
that does not move, a text of no known form) a placeholder stands instead. Surrogates hide leaks among
themselves, but they are drawn from lists: who holds the key can draw them again.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from .....core.errors import ParameterError
from ..redaction import Replacer
from . import dates, formats, names
from .keyed import SecretKey, read_key

__all__ = ["Surrogates", "kind_of_label"]

# What a label's name says about the form of its content: the first word found in the name decides.
_KINDS = {
    "email": ("email", "mail", "correo"),
    "web": ("url", "web", "http", "ip"),
    "phone": ("phone", "fax", "tel", "mobile", "telefono", "pager"),
    "date": ("date", "dob", "birth", "fecha", "fechas", "datum"),
    "address": ("address", "street", "calle", "addr", "direccion"),
    "place": ("city", "town", "village", "territorio", "county"),
    "number": ("id", "ssn", "mrn", "number", "num", "account", "license", "licence", "plate", "zip",
               "zipcode", "postal", "credit", "iban", "passport", "device", "serial", "numero",
               "identificador", "identificacion", "medicalrecord", "code", "card"),
    "name": ("name", "nombre", "person", "per", "patient", "doctor", "physician", "nombres", "judge",
             "petitioner", "respondent", "witness", "lawyer", "username", "surname", "profile"),
}  # fmt: skip


def kind_of_label(label: str) -> str | None:
    """Say what form a label's content has; None where its name does not tell.

    >>> kind_of_label("NAME"), kind_of_label("ID_SUJETO"), kind_of_label("PHONE_NUMBER")
    ('name', 'number', 'phone')
    """
    words = label.casefold().replace("-", "_").replace(" ", "_").split("_")
    for kind, signs in _KINDS.items():
        if any(word in signs for word in words):
            return kind
    return None


class Surrogates(Replacer):
    """Replace what is redacted by something of the same kind; the same input, scope and key, the same output.

    `scope` is "document" (a name has one surrogate in its document) or "corpus" (everywhere: better
    to follow people through documents, for the reader and for an attacker alike). Dates move by the same
    number of whole weeks inside a scope, so that intervals and weekdays survive.
    """

    def __init__(
        self,
        key: SecretKey,
        *,
        scope: str = "document",
        furthest_weeks: int = 52,
        day_first: bool = False,
    ) -> None:
        if scope not in {"document", "corpus"}:
            raise ParameterError.constraint("scope", "Surrogates", "'document' or 'corpus'", scope)
        if furthest_weeks < 1:
            raise ParameterError.constraint(
                "furthest_weeks", "Surrogates", "an int in [1, inf)", furthest_weeks
            )
        self.scope = scope
        self.furthest_weeks = furthest_weeks
        self.day_first = day_first
        self._key = key

    @classmethod
    def for_release(
        cls, *, key: str | os.PathLike[str] | None = None, scope: str = "document"
    ) -> Surrogates:
        return cls(read_key(key), scope=scope)

    @property
    def mark(self) -> int:
        return self._key.number("journal", self.scope, below=1 << 62)

    def days(self, document_id: str) -> int:
        """Give the document's shift in days: ± 1 to `furthest_weeks` weeks, never 0."""
        drawn = self._key.number("days", self._scope(document_id), below=2 * self.furthest_weeks)
        weeks = drawn - self.furthest_weeks
        return 7 * (weeks if weeks < 0 else weeks + 1)

    def replace(self, document_id: str, text: str, label: str) -> str:
        """Give the surrogate of a redacted text, or a placeholder where none can be made."""
        kind = kind_of_label(label)
        scope = self._scope(document_id)
        makers: dict[str, Callable[[SecretKey, str, str], str]] = {
            "name": names.name,
            "place": names.place,
            "address": names.address,
            "email": formats.email if "@" in text else formats.scrambled,
            "web": formats.web_address if "/" in text or "." in text else formats.scrambled,
            "phone": formats.scrambled,
            "number": formats.scrambled,
        }
        made: str | None = None
        if kind == "date":
            made = dates.shifted(text, self.days(document_id), day_first=self.day_first)
        elif kind is not None:
            made = makers[kind](self._key, scope, text)
        if not made or made.casefold() == text.casefold():
            return f"[{label}]"
        if kind in {"name", "place", "address"} and names.shares_a_name(made, text):
            # One name of the text became another name of the same text: nothing is hidden by that.
            return f"[{label}]"
        return made

    def _scope(self, document_id: str) -> str:
        return f"document\x1f{document_id}" if self.scope == "document" else "corpus"
