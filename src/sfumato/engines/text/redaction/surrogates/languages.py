"""Which language a document is written in: what its record says, or its most frequent small words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

__all__ = ["DEFAULT", "LANGUAGES", "language_of"]

DEFAULT = "en"
_SMALL_WORDS = {
    "en": "the of and to in was is with for on at he she his her by from that were this has been are",
    "de": "der die und das ist mit des von dem den zu im ein eine nicht bei wir auf wurde sich am als",
    "es": "el los las una con por del se para su como más fue al sin ha presentó años paciente y o",
    "fr": "le les une et des du est dans pour par sur avec au il elle qui pas patient été nous ou",
    "it": "il lo gli di è che per con una del della nel non si da al dei alla paziente stato",
    "pt": "o os as um uma com não por para do da em foi dos das ao no na paciente mais sem",
    "nl": "het een en van met voor niet bij op te dat zijn werd aan patiënt naar door ook uit",
    "pl": "w z na się do nie że jest przez oraz po od dla był była jako pacjent przy roku",
    "tr": "ve bir bu ile için olarak da de olan sonra kadar gibi hasta daha çok ne var idi",
}
_SMALL = {language: frozenset(words.split()) for language, words in _SMALL_WORDS.items()}
LANGUAGES = tuple(_SMALL)
_FIELDS = ("lang", "language", "locale")
_WORD = re.compile(r"[^\W\d_]+")
_LOOKED_AT = 20_000


def language_of(text: str, record: Mapping[str, object] | None = None) -> str:
    """Return a document's language as a two-letter code.

    Parameters
    ----------
    text
        The document; its beginning is enough.
    record
        Its other fields: `lang`, `language` or `locale` decides where it is there and known.

    >>> language_of("Die Patientin wurde am Montag mit der Diagnose entlassen und ist zu Hause.")
    'de'
    >>> language_of("", {"lang": "es-ES"})
    'es'

    """
    for name in _FIELDS:
        value = (record or {}).get(name)
        if isinstance(value, str) and value[:2].casefold() in _SMALL:
            return value[:2].casefold()
    words = Counter(m.group() for m in _WORD.finditer(text[:_LOOKED_AT].casefold()))
    votes = {
        language: sum(count for word, count in words.items() if word in small)
        for language, small in _SMALL.items()
    }
    best = max(votes, key=lambda language: votes[language])
    return best if votes[best] > 0 else DEFAULT
