"""What a label means: the names that corpora and people give to the same kind, in seven languages.

Matching is without regard to case, accents and punctuation. A label of several words (`NAME_PATIENT`,
`FECHA-NACIMIENTO`) means what its last known word means, or its first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache

__all__ = ["closest_label", "is_several", "kind_of", "matching_labels", "parts_of", "same_kind"]

_NAMES = {
    "NAME": "name person per personname patient patientin doctor pers individual firstname lastname givenname "
    "surname human namen vorname nachname familienname arzt aerztin nombre nombres apellido apellidos persona "
    "paciente medico nom noms prenom personne medecin nome nomi cognome paziente persoon naam namen voornaam "
    "achternaam arts pessoa sobrenome",
    "DATE": "date datetime dat time dates datum geburtsdatum birthdate dob zeit fecha fechas data dataora naissance "
    "nacimiento geboortedatum nascimento",
    "LOCATION": "location loc gpe address city place street zip zipcode postcode postalcode housenumber country state ort "
    "orte adresse anschrift strasse hausnummer stadt plz postleitzahl wohnort geburtsort land lugar direccion calle ciudad territorio pais lieu ville rue pays luogo "
    "indirizzo citta paese plaats adres stad straat local endereco cidade rua",
    "ORGANIZATION": "organization organisation org hospital company institution klinik krankenhaus firma organizacion "
    "empresa institucion hopital entreprise etablissement organizzazione ospedale azienda ziekenhuis bedrijf "
    "organisatie organizacao instituicao",
    "PHONE": "phone phonenumber telephone fax faxnumber tel mobile telefon telefonnummer handy telefono telefoon "
    "telefone telephoonnummer",
    "EMAIL": "email emailaddress mail correo correoelectronico courriel postaelettronica",
    "ID": "id ids identifier medicalrecord mrn ssn iban creditcard passport idnum idnumber accountnumber accessionnumber "
    "kennung nummer aktenzeichen fallnummer patientennummer identificacion identifiant identificativo identificatie "
    "identificacao numero",
    "IP": "ip ipaddress ipv4 ipv6 ipadresse direccionip adresseip indirizzoip ipadres enderecoip",
    "AGE": "age ages alter edad eta leeftijd idade",
    "FAMILY": "family relative relatives kin kinship familie angehorige angehoerige verwandte verwandter familiar "
    "familiares parentesco famille parente parent proche famiglia parenti familiare familia familielid "
    "familieleden",
    "SEX": "sex gender sexe sexo geschlecht sesso genere geslacht genero",
    "URL": "url website domainname webseite web sitioweb siteweb sito",
}
_NUMBER = frozenset(["NUMBER", "NUM", "NUMMER", "NUMERO", "NR"])
_ENDINGS = {"NUMMER": "ID", "NUMBER": "ID", "DATUM": "DATE"}  # of compounds
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
    >>> kind_of("SOCIAL_SECURITY_NUMBER"), kind_of("Versichertennummer"), kind_of("Telefon-Nr")
    ('ID', 'ID', 'PHONE')
    """
    if found := _KINDS.get(_plain(label)):
        return found
    words = [_plain(word) for word in re.split(r"[\W_]+", label) if word]
    known = [_KINDS[word] for word in words if word in _KINDS and word not in _NUMBER]
    if len(words) < 2:
        return _kind_of_compound(words[0]) if words else None
    if not _NUMBER.isdisjoint(words):  # the number of a patient is no name
        return known[-1] if known and known[-1] != "NAME" else "ID"
    if not known:
        return None
    # The name of a street or a hospital is no name of a person.
    return known[0] if known[-1] == "NAME" else known[-1]


def _kind_of_compound(word: str) -> str | None:
    for ending, kind in _ENDINGS.items():
        if word.endswith(ending):
            first = _KINDS.get(word.removesuffix(ending))
            return first if kind == "ID" and first not in (None, "NAME") else kind
    return None


def parts_of(label: str) -> tuple[str, ...]:
    """Return the kinds that a label contains: its own, or several.

    >>> parts_of("Kontakt"), parts_of("Datum"), parts_of("MISC")
    (('PHONE', 'EMAIL', 'URL'), ('DATE',), ())
    """
    kind = kind_of(label)
    return (kind,) if kind is not None else _WIDER.get(_plain(label), ())


def is_several(label: str) -> bool:
    """Return whether a label reads like several that a space or a semicolon separates.

    >>> is_several("Name Datum Ort"), is_several("Name; Datum"), is_several("Case number"), is_several("MISC")
    (True, True, False, False)
    """
    kinds = [kind_of(word) for word in re.split(r"[\s;|/]+", label) if word]
    return len(kinds) > 1 and None not in kinds and len(set(kinds)) == len(kinds)


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


def closest_label(labels: Sequence[str], before: str) -> str:
    """Return the one of several labels of a kind that is named nearest before a place; the first where none is named.

    A label is named by its words, or by their initials, after the number before.

    >>> closest_label(["ACCOUNT_NUMBER", "MEDICAL_RECORD_NUMBER"], "seen on 3 May, MRN: ")
    'MEDICAL_RECORD_NUMBER'
    """
    said = [_plain(word) for word in re.findall(r"[^\W\d_]+", re.split(r"\d", before)[-1])]
    return max(labels, key=lambda label: [word in _named_by(label) for word in reversed(said)])


@cache
def _named_by(label: str) -> frozenset[str]:
    words = [_plain(word) for word in re.split(r"[\W_]+", label) if word]
    initials = {"".join(word[0] for word in words)} if len(words) > 2 else set()
    return frozenset({word for word in words if len(word) > 2} - _NUMBER | initials)
