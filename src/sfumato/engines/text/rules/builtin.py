"""The rules that come with the engine, by language.

Scores are rough and say only which rules are firm: those with a check or an unmistakable form. What each
rule reaches on labelled corpora is measured (`python -m benchmarks rules`) and is in the reference.

Every pattern takes a time that grows with the length of the text and no faster (`python -m benchmarks
rules_growth`). So no two parts that can match the same run of characters are side by side (`\\s*:?\\s*`), and
none that is open to the right begins at many places of one run (`^\\W*` over empty lines).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from ....core.errors import ParameterError
from .addresses import ADDRESSES
from .checks import CHECKS
from .letters import GAP as _GAP
from .letters import LOWER as _L
from .letters import UPPER as _U
from .names import NameRule
from .phones import PhoneRule
from .rule import PatternRule, Rule, RuleSet

__all__ = ["LANGUAGES", "built_in", "guess_languages"]

# O'Brien, d'Ornano, McDonald, Poulmarc'h; the 's of a possessive is no part of it.
_PART = rf"(?:[{_U}](?:['’][{_U}])?[{_L}]+(?:[{_U}][{_L}]+)*(?:['’](?!s\b)[{_L}]+)?)"
_CAPITALS = rf"(?:[{_U}]['’])?[{_U}]{{2,}}"
_NAME_WORD = rf"(?:(?:[dl]['’])?{_PART}(?:-{_PART})*|{_CAPITALS}|[{_U}]\.)"
_PARTICLE = r"(?:van|von|der|den|de|del|la|las|los|da|dos|di|du|le|zu|ten|ter)"
_NO_NAME = r"(?!(?:Dr|Prof|med|Kollege|Kollegin|Doktor|Doctor|Professor|Herrn?|Frau|Mrs?|Ms)\b)"
_FULL_NAME = (
    rf"{_NO_NAME}{_NAME_WORD}(?:{_GAP}(?:{_PARTICLE}{_GAP}){{0,2}}{_NO_NAME}{_NAME_WORD}){{0,3}}"
)

_MONTHS = {
    "en": "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec",
    "de": "Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember",
    "es": "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre"
    "|diciembre",
    "fr": "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre",
    "it": "gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre"
    "|dicembre",
    "nl": "januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december",
    "pt": "janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro",
}
_TITLES = {
    "en": r"Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Sir|Dame|Lord|Lady|Judge|Justice|Rev|Father|Sister"
    r"|Nurse|Capt|Captain|Lt|Sgt|Col|Detective|Officer|Senator",
    "de": r"Herrn?|Frau|Fräulein|Dr|Prof|Professor|Professorin|OA|OÄ|CA|PD|Dipl\.-Ing|Schwester|Pfleger",
    "es": r"Sr|Sra|Srta|D|Dña|Don|Doña|Dr|Dra|Prof|Profa",
    "fr": r"M|Mme|Mlle|Monsieur|Madame|Mademoiselle|Dr|Pr|Docteur|Professeur|Me|Maître",
    "it": r"Sig|Sigra|Sig\.ra|Signor|Signora|Dott|Dott\.ssa|Dr|Prof|Avv",
    "nl": r"Dhr|Mevr|Mw|Meneer|Mevrouw|De heer|Dr|Drs|Prof|Ir|Mr",
    "pt": r"Sr|Sra|Dr|Dra|D|Dom|Dona|Senhor|Senhora|Prof|Profa",
}
_SALUTATIONS = {
    "en": r"(?:Dear|Hi|Hello|Hey|Thanks|Thank you),?",
    "de": r"(?:Liebe[rs]?|Sehr geehrte[rs]?|Hallo|Guten Tag)",
    "es": r"(?:Estimad[oa]s?|Querid[oa]s?|Hola)",
    "fr": r"(?:Cher|Chère|Bonjour)",
    "it": r"(?:Gentile|Car[oa]|Buongiorno|Egregio)",
    "nl": r"(?:Beste|Geachte|Hallo)",
    "pt": r"(?:Prezad[oa]|Car[oa]|Olá)",
}
_SIGNATURES = {
    "en": r"(?:Sincerely|Kind regards|Best regards|Regards|Yours (?:sincerely|faithfully|truly)|Best|Cheers"
    r"|(?:Electronically )?[Ss]igned by|[Dd]ictated by)",
    "de": r"(?:Mit freundlichen (?:kollegialen )?Grüßen|Hochachtungsvoll|Viele Grüße|gez\.|[Uu]nterschrieben von)",
    "es": r"(?:Atentamente|Un saludo|Saludos|Cordialmente|[Ff]irmado(?: por)?|Fdo\.?|[Rr]emitido por|[Mm]édico)",
    "fr": r"(?:Cordialement|Bien à vous|Sincères salutations|[Ss]igné(?: par)?)",
    "it": r"(?:Cordiali saluti|Distinti saluti|In fede|[Ff]irmato(?: da)?)",
    "nl": r"(?:Met vriendelijke groet(?:en)?|Hoogachtend|[Gg]etekend door)",
    "pt": r"(?:Atenciosamente|Cumprimentos|[Aa]ssinado por)",
}
_FIELDS = {
    "en": r"(?:Patient(?: [Nn]ame)?|[Nn]ame|Client|Physician|Doctor|Provider|Attending|Surgeon|Consultant"
    r"|Author|From|To|Cc|Referred by|Seen by)",
    "de": r"(?:Patient(?:in)?|[Nn]ame|Vorname|Nachname|Arzt|Ärztin|Oberarzt|Oberärztin|Chefarzt|Hausarzt)",
    "es": r"(?:Paciente|[Nn]ombre|Apellidos?|Médico|Doctora?|Facultativo|Remitente)",
    "fr": r"(?:Patiente?|[Nn]om|[Pp]rénom|Médecin|Docteur)",
    "it": r"(?:Paziente|[Nn]ome|[Cc]ognome|Medico)",
    "nl": r"(?:Patiënte?|[Nn]aam|Voornaam|Achternaam|Arts|Huisarts)",
    "pt": r"(?:Paciente|Utente|[Nn]ome|Médic[oa])",
}
_AGES = {
    "en": (
        r"(?P<span>\d{1,3})(?:[\s-]?(?:year|yr|month|week|day)s?[\s-]?old|\s?(?:y/o|yo|y\.o\.))\b",
        r"\b(?:aged?|age of|age:)(?:\s*:)?\s*(?P<span>\d{1,3})\b",
    ),
    "de": (
        r"\b(?P<span>\d{1,3})[\s-]?(?:jährige[rnms]?|Jahre alt|Jahren?)\b",
        r"\bAlter(?: von)?(?:\s*:)?\s*(?P<span>\d{1,3})\b",
    ),
    "es": (
        r"\b(?P<span>\d{1,3}\s+(?:años|meses|días|semanas))\b",
        r"\b[Ee]dad(?:\s*:)?\s*(?P<span>\d{1,3})\b",
    ),
    "fr": (
        r"\b(?:âgée? de|[Aâ]ge\s*:)\s*(?P<span>\d{1,3}(?:\s+ans)?)\b",
        r"\b(?P<span>\d{1,3}) ans\b",
    ),
    "it": (r"\b(?:di|età(?:\s*:)?)\s*(?P<span>\d{1,3})\s+anni\b", r"\b(?P<span>\d{1,3}) anni\b"),
    "nl": (
        r"\b(?P<span>\d{1,3})[\s-]?(?:jarige|jaar oud|jaar)\b",
        r"\b[Ll]eeftijd(?:\s*:)?\s*(?P<span>\d{1,3})\b",
    ),
    "pt": (r"\b(?P<span>\d{1,3})\s+anos\b", r"\b[Ii]dade(?:\s*:)?\s*(?P<span>\d{1,3})\b"),
}
_RELATIVES = {
    "en": r"(?:mother|father|brother|sister|son|daughter)-in-law|(?:grand|step|god)?(?:mother|father|parents?|sons?|daughters?|child|children)|mum|mom|dad"
    r"|(?:half-?)?(?:brothers?|sisters?)|siblings?|twins?|wife|husband|spouse|fiancée?|aunts?|uncles?|cousins?|nephews?"
    r"|nieces?",
    "de": r"(?:groß|stief|schwieger|paten|ur)*(?:mutter|mütter|vater|väter|eltern)|(?:enkel|stief|schwieger)?"
    r"(?:sohn|söhne|tochter|töchter)|(?:halb)?(?:brüder|bruder|schwestern|schwester)|geschwister|zwilling(?:en?|s)?"
    r"|ehefrau|ehemann|gatt(?:e|in)|onkel|tante|cousin(?:en?|s)?|neffen?|nichten?|oma|opa|enkel(?:in|kind|kinder)?",
    "es": r"madre|padres?|mamá|papá|hij[oa]s?|herman(?:astr)?[oa]s?|melliz[oa]s?|gemel[oa]s?|abuel[oa]s?|niet[oa]s?|tí[oa]s?"
    r"|prim[oa]s?|sobrin[oa]s?|espos[oa]|marido|cónyuge|suegr[oa]s?|cuñad[oa]s?|padrastro|madrastra|familiares",
    "fr": r"mère|pères?|parents|fils|filles?|frères?|sœurs?|soeurs?|jumeaux|jumelles|époux|épouse|mari|conjointe?"
    r"|(?:grand|beau|belle)-(?:mère|père|frère|sœur|fils|fille)|grands-parents|oncle|tante|cousine?s?|neveux?|nièces?"
    r"|petits?-(?:fils|enfants)|petite-fille",
    "it": r"madre|padre|genitor[ei]|figli[oae]?|fratell[oi]|sorell[ae]|gemell[oaie]|marito|moglie|coniuge|nonn[oaie]"
    r"|zi[oaie]|cugin[oaie]|nipot[ei]|suocer[oaie]|cognat[oaie]",
    "nl": r"moeder|vader|ouders|zoon|zonen|dochters?|broers?|zus(?:sen|ter)?|tweeling|echtgeno(?:ot|te)|groot(?:moeder|vader|ouders)"
    r"|oom|tante|neef|nicht|kleinkind(?:eren)?|schoon(?:moeder|vader|ouders|zus|broer|zoon|dochter)|oma|opa",
    "pt": r"mãe|pais?|filh[oa]s?|irmãos?|irmãs?|gême[oa]s?|marido|esposa|cônjuge|avós?|avô|net[oa]s?|ti[oa]s?|prim[oa]s?"
    r"|sobrinh[oa]s?|sogr[oa]s?|cunhad[oa]s?",
}
_SEXES = {
    "en": r"(?:fe)?males?|(?:wo)?m[ae]n|girls?|boys?|gentleman|lady",
    "de": r"(?:männlich|weiblich)(?:e[mnrs]?)?|Mann|Mädchen|Junge",
    "es": r"var[oó]n(?:es)?|mujer(?:es)?|hombres?|masculin[oa]|femenin[oa]|niñ[oa]",
    "fr": r"hommes?|femmes?|masculin|féminin|garçon|fillette",
    "it": r"uomo|donna|maschi(?:o|le)|femmin(?:a|ile)|ragazz[oa]|bambin[oa]",
    "nl": r"man|vrouw|mannelijke?|vrouwelijke?|jongen|meisje",
    "pt": r"homem|mulher|masculin[oa]|feminin[oa]|menin[oa]",
}
_SEX_FIELDS = {
    "en": "Sex|Gender", "de": "Geschlecht", "es": "Sexo", "fr": "Sexe", "it": "Sesso|Genere", "nl": "Geslacht",
    "pt": "Sexo",
}  # fmt: skip
_NUMBER_WORDS = {
    "en": r"(?:M[Rr][Nn]|mrn|[Mm]edical [Rr]ecord|[Hh]ealth [Pp]lan|[Bb]eneficiary|[Ss]ubscriber|[Cc]laim|[Rr]ecord|[Cc]ase|[Pp]atient|[Aa]ccount|[Mm]ember|[Pp]olicy|[Ii]nsurance"
    r"|[Ll]icen[cs]e|[Pp]assport|[Cc]hart|[Ee]ncounter|[Ff]ile|[Ee]mployee|[Hh]ospital|NHS|ID)",
    "de": r"(?:[Pp]atienten|Pat\.?|[Ff]all|[Vv]ersicherten|[Aa]ufnahme|[Pp]ersonal|[Aa]kten(?:zeichen)?|[Gg]eschäftszeichen"
    r"|Az\.|[Kk]onto|[Kk]assen|[Kk]unden|[Mm]itglieds|[Rr]echnungs|[Aa]uftrags|[Vv]organgs|[Aa]usweis|ID)",
    "es": r"(?:NHC|[Hh]istoria(?: clínica)?|[Ee]xpediente|[Pp]aciente|[Cc]olegiado|NºCol|[Pp]óliza|NASS|CIPA?|ID)",
    "fr": r"(?:IPP|NIP|[Dd]ossier|[Pp]atient|[Ss]éjour|[Cc]ontrat|ID)",
    "it": r"(?:[Cc]artella(?: clinica)?|[Pp]ratica|[Pp]aziente|[Tt]essera|ID)",
    "nl": r"(?:[Pp]atiënt|[Dd]ossier|[Pp]olis|BSN|ID)",
    "pt": r"(?:[Pp]rocesso|[Uu]tente|[Pp]aciente|[Rr]egisto|[Aa]pólice|ID)",
}
_NATIONAL = {
    "en": (
        ("nhs number", r"\b\d{3}[ -]?\d{3}[ -]?\d{4}\b", "nhs", 0.5, ("NHS",)),
        ("social security number", r"\b\d{3}-\d{2}-\d{4}\b", "ssn", 0.85, ()),
    ),
    "de": (
        ("tax number", r"\b\d{2} ?\d{3} ?\d{3} ?\d{3}\b", "german_tax", 0.55, ("Steuer", "IdNr")),
        ("health insurance number", r"\b[A-Z]\d{9}\b", "german_health", 0.9, ()),
    ),
    "es": (
        ("identity number", r"\b[XYZ]?\d{7,8}[ -]?[A-Z]\b", "spanish_identity", 0.95, ()),
    ),
    "fr": (
        ("insurance number",
         r"\b[12] ?\d{2} ?[01]\d ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}\b", "french_insurance", 0.95, ()),
    ),
    "it": (
        ("codice fiscale", r"\b[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]\b", "italian_fiscal", 0.98, ()),
    ),
    "nl": (
        ("citizen number", r"\b\d{9}\b", "dutch_citizen", 0.5, ("BSN", "burgerservicenummer")),
    ),
    "pt": (
        ("tax number", r"\b[1-35689]\d{2} ?\d{3} ?\d{3}\b", "portuguese_tax", 0.5, ("NIF", "contribuinte")),
    ),
}  # fmt: skip
_COMMON_WORDS = {
    "en": "the of and to in is was that for with on he she his her at this",
    "de": "der die und das den mit von ist nicht ein eine des dem bei wurde auf",
    "es": "el la los las de que del con por una para se fue su al es",
    "fr": "le la les des et du est une dans pour que au par sur avec",
    "it": "il di che la della per con una del nel alla sono dei le è",
    "nl": "de het een van en is dat met voor niet op te zijn werd aan",
    "pt": "o a de que do da em com uma os no na foi ao não",
}
LANGUAGES = tuple(sorted(_COMMON_WORDS))
"""The languages with their own rules."""


def guess_languages(texts: Iterable[str], *, characters: int = 200_000) -> tuple[str, ...]:
    """Return the languages that texts seem to be written in, by their most common small words.

    >>> guess_languages(["Der Patient wurde mit einer Fraktur in die Klinik gebracht und operiert."])
    ('de',)
    """
    counts: dict[str, int] = {}
    seen = 0
    for text in texts:
        part = text[: characters - seen]
        seen += len(part)
        for word in re.findall(r"[^\W\d_]+", part.lower()):
            counts[word] = counts.get(word, 0) + 1
        if seen >= characters:
            break
    totals = {
        language: sum(counts.get(word, 0) for word in words.split())
        for language, words in _COMMON_WORDS.items()
    }
    most = max(totals.values())
    if most == 0:
        return LANGUAGES
    return tuple(sorted(name for name, total in totals.items() if 2 * total > most))


def built_in(languages: Sequence[str] | None = None) -> RuleSet:
    """Return the built-in rules.

    Parameters
    ----------
    languages : sequence of str
        The languages to include in addition to the rules that hold everywhere; all of them by default.

    """
    chosen = LANGUAGES if languages is None else tuple(languages)
    for name in chosen:
        if name not in LANGUAGES:
            raise ParameterError.constraint(
                "languages", "built_in", f"among {', '.join(LANGUAGES)}", name
            )
    rules = _everywhere()
    for language in chosen:
        rules += _of(language)
    included = frozenset(chosen)
    rules.append(PhoneRule("phone", "PHONE", 0.85, included, is_built_in=True))
    rules.append(NameRule("listed name", "NAME", 0.45, included, is_built_in=True))
    return RuleSet(tuple(rules), languages=tuple(chosen))


def _pattern(
    name: str,
    label: str,
    score: float,
    pattern: str,
    flags: int = 0,
    *,
    languages: frozenset[str] = frozenset(),
    check: Callable[[str], bool] | None = None,
    context: tuple[str, ...] = (),
) -> PatternRule:
    compiled = re.compile(pattern, flags)
    group: int | str = "span" if "span" in compiled.groupindex else 0
    return PatternRule(
        name, label, score, languages, is_built_in=True, pattern=compiled, check=check,
        context=context, group=group,
    )  # fmt: skip


def _everywhere() -> list[Rule]:
    return [
        _pattern("e-mail", "EMAIL", 0.98, r"[\w.+'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"),
        _pattern(
            "address on the web", "URL", 0.95,
            r"(?:https?|ftp)://[^\s<>\"')\]]+[^\s<>\"')\].,;:!?]|\bwww\.[\w-]+(?:\.[\w-]+)+(?:/[^\s<>\"')\]]*)?",
        ),
        _pattern("IP address", "IP", 0.9,
                 r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\.?\d)"),
        _pattern("IPv6 address", "IP", 0.9, r"(?<![\w:])(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}(?![\w:])"),
        _pattern("bank account", "ID", 0.98, r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b",
                 check=CHECKS["iban"]),
        _pattern("payment card", "ID", 0.9, r"(?<![\d-])(?:\d[ -]?){12,18}\d(?![\d-])", check=CHECKS["luhn"]),
        _pattern("ISO date", "DATE", 0.9, r"\b(?:19|20)\d{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\b"),
        _pattern("numeric date", "DATE", 0.85,
                 r"(?<![\d./-])(?:0?[1-9]|[12]\d|3[01])([./-])(?:0?[1-9]|[12]\d|3[01])\1(?:(?:19|20)\d{2}|\d{2})(?![\d/-])"),
        _pattern("month and year", "DATE", 0.6, r"(?<![\d./-])(?:0[1-9]|1[0-2])/(?:19|20)\d{2}(?![\d/])"),
        _pattern("day and month", "DATE", 0.45, r"(?<![\d./,-])(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?!\d)"),
        _pattern("telephone after its word", "PHONE", 0.8,
                 r"(?i:\b(?:phone|tel(?:efon|éfono|éphone|efono|efoon|efone)?|fax|mobile|cell|call|handy|móvil)\b)"
                 r"[^\d\n+(]{0,15}(?P<span>[+(]?\d[\d ()./-]{5,18}\d)"),
        # Also where the area code is none that is in use: made up, mistyped or new.
        _pattern("international telephone", "PHONE", 0.75, r"(?<![\w+])\+[1-9]\d{0,2}(?:[ ./()-]{0,3}\d){7,12}(?!\d)"),
        _pattern("dashed telephone", "PHONE", 0.7, r"(?<![\d-])(?:\+?1[ .-]?)?\(?\d{3}\)?[ .-]\d{3}[.-]\d{4}(?![\d-])"),
        _pattern("year", "DATE", 0.25, r"(?<![\d.,/-])(?:19[2-9]\d|20[0-3]\d)(?![\d,/-]|\.\d)"),
    ]  # fmt: skip


def _of(language: str) -> list[Rule]:
    only = frozenset({language})
    months = _MONTHS[language]
    of = r"(?:\s+de|\s+del)?" if language in ("es", "pt") else ""
    ordinal = r"(?:st|nd|rd|th|\.|er|º|°)?"
    written = (
        rf"\b(?:\d{{1,2}}{ordinal}{of}\s+(?:of\s+)?(?:{months})\b\.?,?(?:{of}\s+(?:19|20)?\d{{2}}\b)?"
        rf"|(?:{months})\b\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+(?:19|20)\d{{2}}\b)?"
        rf"|(?:{months})\b\.?,?{of}\s+(?:19|20)\d{{2}}\b"
        rf"|\d{{1,2}} (?:{_MONTHS['en']}) (?:19|20)\d{{2}}\b)"  # as every mail has it, in any language
    )
    # German nouns are capitalised too: one word after a title, more only where it looks like a name.
    name = _FULL_NAME
    rules: list[Rule] = [
        _pattern("written date", "DATE", 0.85, written, 0 if language in ("en", "de") else re.IGNORECASE, languages=only),
        _pattern("title and name", "NAME", 0.85,
                 rf"\b(?:(?:{_TITLES[language]})(?:\.{_GAP}|\.|{_GAP})(?:(?:med|Dr|Prof|h\.c)\.[^\S\r\n]*|(?:Kollege|Kollegin|Doctor|Doktor|Dr){_GAP}){{0,4}})(?P<span>(?:{_PARTICLE}{_GAP})?{name})", languages=only),
        _pattern("salutation", "NAME", 0.6, rf"(?m:^[^\w\n]*){_SALUTATIONS[language]}\s+(?P<span>{name})(?=\s*[,:!\n])", languages=only),
        _pattern("signature", "NAME", 0.65, rf"{_SIGNATURES[language]}(?:\s*[:,])?\s+(?P<span>{_NAME_WORD}(?:{_GAP}{_NAME_WORD}){{1,3}})", languages=only),
        _pattern("name in a field", "NAME", 0.75, rf"\b{_FIELDS[language]}\s*:\s*(?P<span>{name})", languages=only),
        _pattern("number after its word", "ID", 0.75,
                 rf"\b{_NUMBER_WORDS[language]}(?:[\s-]?(?:number|no|num|[Nn]ummer|[Nn]r|[Nn]úmero|nº|numéro|n°|numero|nummer|#|ID|id))?"
                 r"\.?(?:\s*(?:[:#]|is|es|ist))?\s*(?P<span>[A-Z]{0,4}[-/]?\d[\dA-Z/-]{3,19})\b", languages=only),
    ]  # fmt: skip
    rules += [
        _pattern(kind, "ID", score, pattern, check=CHECKS[check], context=context,
                 languages=only)
        for kind, pattern, check, score, context in _NATIONAL[language]
    ]  # fmt: skip
    # Everyday words, which only a project with such a label looks for.
    rules += [
        _pattern("relative", "FAMILY", 0.7, rf"\b(?:{_RELATIVES[language]})\b", re.IGNORECASE, languages=only),
        _pattern("sex", "SEX", 0.75, rf"\b(?:{_SEXES[language]})\b", re.IGNORECASE, languages=only),
        _pattern("sex in a field", "SEX", 0.75, rf"\b(?:{_SEX_FIELDS[language]})\s*:\s*(?P<span>[^\W\d_]{{1,20}})\b", languages=only),
    ]  # fmt: skip
    rules += [_pattern("age", "AGE", 0.75, pattern, languages=only) for pattern in _AGES[language]]
    rules += [
        _pattern(name, "LOCATION", score, pattern, languages=only)
        for name, score, pattern in ADDRESSES[language]
    ]
    return rules
