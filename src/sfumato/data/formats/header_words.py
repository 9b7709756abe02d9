"""Common column names in seven languages, which messages may show when a header may be missing."""

from __future__ import annotations

import re

__all__ = ["HEADER_WORDS", "is_header"]

_LINKS = ("", "s", "n", "en")  # between the parts of a German compound

HEADER_WORDS = frozenset(
    [
        "id",
        "ids",
        "nr",
        "no",
        "number",
        "key",
        "record",
        "case",
        "note",
        "notes",
        "text",
        "texts",
        "document",
        "documents",
        "doc",
        "letter",
        "letters",
        "report",
        "comment",
        "body",
        "content",
        "message",
        "date",
        "label",
        "labels",
        "spans",
        "name",
        "patient",
        "title",
        "subject",
        "age",
        "sex",
        "diagnosis",
        "station",
        "ward",
        "department",
        "author",
        "type",
        "brief",
        "briefe",
        "abteilung",
        "verfasser",
        "befund",
        "bericht",
        "dokument",
        "fallnummer",
        "fall",
        "nummer",
        "datum",
        "kommentar",
        "inhalt",
        "freitext",
        "notiz",
        "arztbrief",
        "geburtsdatum",
        "alter",
        "geschlecht",
        "diagnose",
        "titel",
        "betreff",
        "texto",
        "nota",
        "informe",
        "carta",
        "documento",
        "fecha",
        "caso",
        "numero",
        "comentario",
        "contenido",
        "nombre",
        "edad",
        "sexo",
        "texte",
        "lettre",
        "rapport",
        "commentaire",
        "contenu",
        "dossier",
        "numero",
        "date",
        "nom",
        "age",
        "sexe",
        "testo",
        "lettera",
        "referto",
        "documento",
        "data",
        "caso",
        "numero",
        "commento",
        "contenuto",
        "nome",
        "eta",
        "sesso",
        "tekst",
        "brief",
        "verslag",
        "document",
        "datum",
        "geval",
        "nummer",
        "opmerking",
        "inhoud",
        "naam",
        "leeftijd",
        "geslacht",
        "texto",
        "relatorio",
        "carta",
        "documento",
        "data",
        "caso",
        "numero",
        "comentario",
        "conteudo",
        "nome",
        "idade",
        "sexo",
    ]
)
"""Words that are names of columns; a name of a person is none of them."""


def is_header(name: str) -> bool:
    """Return whether a column's name is made of such words alone, so that it can be shown.

    >>> [is_header(name) for name in ("note_text", "PatientID", "Brieftext", "Patientennummer", "text 2", "Text Meier")]
    [True, True, True, True, True, False]
    """
    apart = re.sub(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])", " ", name)
    parts = [part for part in re.split(r"[\W\d_]+", apart) if part]
    return bool(parts) and all(_is_word(part.casefold()) for part in parts)


def _is_word(part: str) -> bool:
    return part in HEADER_WORDS or any(
        part.startswith(word) and part.removeprefix(word + link) in HEADER_WORDS
        for word in HEADER_WORDS
        for link in _LINKS
    )
