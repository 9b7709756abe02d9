"""What a label means: the names that corpora and people give to the same kind, in seven languages.

Matching is without regard to case, accents and punctuation. A label of several words (`NAME_PATIENT`,
`FECHA-NACIMIENTO`) means what its last known word means, or its first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache

__all__ = ["kind_of", "matching_labels", "parts_of", "same_kind"]

_NAMES = {
    "NAME": "name person per personname patient patientin doctor pers individual firstname lastname givenname "
    "surname human namen vorname nachname familienname arzt aerztin nombre nombres apellido apellidos persona "
    "paciente medico nom noms prenom personne medecin nome nomi cognome paziente persoon naam namen voornaam "
    "achternaam arts pessoa sobrenome",
    "DATE": "date datetime dat time dates datum geburtsdatum birthdate dob zeit fecha fechas data dataora naissance "
    "nacimiento geboortedatum nascimento",
    "LOCATION": "location loc gpe address city place street zip zipcode postcode country state ort orte adresse "
    "anschrift strasse stadt plz land lugar direccion calle ciudad territorio pais lieu ville rue pays luogo "
    "indirizzo citta paese plaats adres stad straat local endereco cidade rua",
    "ORGANIZATION": "organization organisation org hospital company institution klinik krankenhaus firma organizacion "
    "empresa institucion hopital entreprise etablissement organizzazione ospedale azienda ziekenhuis bedrijf "
    "organisatie organizacao instituicao",
    "PHONE": "phone phonenumber telephone fax faxnumber tel mobile telefon telefonnummer handy telefono telefoon "
    "telefone telephoonnummer",
    "EMAIL": "email emailaddress mail correo correoelectronico courriel postaelettronica",
    "ID": "id ids identifier medicalrecord mrn ssn idnum idnumber accountnumber accessionnumber kennung nummer "
    "fallnummer patientennummer identificacion identifiant identificativo identificatie identificacao numero",
    "AGE": "age ages alter edad eta leeftijd idade",
    "FAMILY": "family relative relatives kin kinship familie angehorige angehoerige verwandte verwandter familiar "
    "familiares parentesco famille parente parent proche famiglia parenti familiare familia familielid "
    "familieleden",
    "SEX": "sex gender sexe sexo geschlecht sesso genere geslacht genero",
    "URL": "url website domainname webseite web sitioweb siteweb sito",
}
_WIDER = {
    "CONTACT": ("PHONE", "EMAIL", "URL"),
    "KONTAKT": ("PHONE", "EMAIL", "URL"),
    "CONTACTO": ("PHONE", "EMAIL", "URL"),
    "CONTATTO": ("PHONE", "EMAIL", "URL"),
    "CONTATO": ("PHONE", "EMAIL", "URL"),
    "COORDONNEES": ("PHONE", "EMAIL", "URL"),
}  # what a label contains where no other label of the same steward does
_KINDS = {name.upper(): kind for kind, names in _NAMES.items() for name in names.split()}


@cache
def _plain(label: str) -> str:
    """Return a label in capitals, without accents and marks."""
    letters = unicodedata.normalize("NFKD", label.upper())
    return "".join(c for c in letters if c.isalnum())


@cache
def kind_of(label: str) -> str | None:
    """Return the kind that a label means, by its English name; None where it is none of the known kinds.

    >>> kind_of("Geburtsdatum"), kind_of("NOMBRE_SUJETO_ASISTENCIA"), kind_of("PATIENT_ID"), kind_of("MISC")
    ('DATE', 'NAME', 'ID', None)
    """
    if found := _KINDS.get(_plain(label)):
        return found
    words = [_KINDS.get(_plain(word)) for word in re.split(r"[\W_]+", label) if word]
    known = [kind for kind in words if kind is not None]
    if len(words) < 2 or not known:
        return None
    # The name of a street or a hospital is no name of a person.
    return known[0] if known[-1] == "NAME" else known[-1]


def parts_of(label: str) -> tuple[str, ...]:
    """Return the kinds that a label contains: its own, or several.

    >>> parts_of("Kontakt"), parts_of("Datum"), parts_of("MISC")
    (('PHONE', 'EMAIL', 'URL'), ('DATE',), ())
    """
    kind = kind_of(label)
    return (kind,) if kind is not None else _WIDER.get(_plain(label), ())


def same_kind(label: str, other: str) -> bool:
    """Return whether two corpora's labels represent the same kind.

    >>> same_kind("Person", "NAME"), same_kind("DATE", "NAME"), same_kind("Datum", "DATE")
    (True, False, True)
    """
    if _plain(label) == _plain(other):
        return True
    kind = kind_of(label)
    return kind is not None and kind == kind_of(other)


def matching_labels(theirs: Iterable[str], wanted: Sequence[str]) -> dict[str, str]:
    """Return which of a corpus's labels represent which of the wanted ones.

    Parameters
    ----------
    theirs : iterable of str
        The labels of a corpus.
    wanted : sequence of str
        The sensitive labels.

    >>> matching_labels({"PER", "MISC"}, ["NAME"])
    {'PER': 'NAME'}
    >>> matching_labels({"PHONE", "EMAIL"}, ["Name", "CONTACT", "EMAIL"])
    {'EMAIL': 'EMAIL', 'PHONE': 'CONTACT'}

    """
    found = {}
    names = sorted(theirs)
    for label in names:
        for want in wanted:
            same = _plain(label) == _plain(want)
            if same or (
                # A synonym is used only where the corpus does not have the name itself.
                not any(_plain(want) == _plain(other) for other in names) and same_kind(label, want)
            ):
                found[label] = want
                break
        else:
            wider = [w for w in wanted if kind_of(label) in _WIDER.get(_plain(w), ())]
            if wider:
                found[label] = wider[0]
    return found
