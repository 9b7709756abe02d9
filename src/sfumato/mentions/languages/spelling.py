"""Numbers up to 119 as words, in seven languages; accents as they are written."""

# ruff: noqa: SIM905 (lists of words read best as words)
from __future__ import annotations

from collections.abc import Callable

__all__ = ["spell"]

_MOST = 119


def _english(n: int) -> list[str]:
    ones = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
    tens = "twenty thirty forty fifty sixty seventy eighty ninety".split()
    if n < 20:
        return [ones[n]]
    if n >= 100:
        rest = "" if n == 100 else f" and {_english(n - 100)[0]}"
        return [f"a hundred{rest}", f"one hundred{rest}"]
    first = tens[n // 10 - 2]
    return [first] if n % 10 == 0 else [f"{first}{join}{ones[n % 10]}" for join in ("-", " ", "")]


def _german(n: int) -> list[str]:
    ones = "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn".split()
    tens = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
    if n < 20:
        found = [ones[n]]
    elif n >= 100:
        rest = "" if n == 100 else _german(n - 100)[0]
        found = [f"hundert{rest}", f"einhundert{rest}"]
    else:
        found = [(f"{ones[n % 10]}und" if n % 10 else "") + tens[n // 10 - 2]]
    with_ae = [w.replace("ü", "ue").replace("ö", "oe") for w in found]
    with_ss = [w.replace("ß", "ss") for w in (*found, *with_ae)]
    return list(dict.fromkeys([*found, *with_ae, *with_ss]))


def _french(n: int) -> list[str]:
    ones = "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf".split()
    tens = {20: "vingt", 30: "trente", 40: "quarante", 50: "cinquante", 60: "soixante"}
    if n < 20:
        found = [ones[n]]
    elif n >= 100:
        found = ["cent" if n == 100 else f"cent {_french(n - 100)[0]}"]
    elif n >= 80:
        rest = n - 80
        found = ["quatre-vingts" if rest == 0 else f"quatre-vingt-{ones[rest]}"]
        if n >= 90:
            found.append("nonante" + ("" if n == 90 else f"-{ones[n - 90]}"))
    elif n >= 70:
        rest = n - 60
        found = ["soixante et onze" if rest == 11 else f"soixante-{ones[rest]}"]
        found.append("septante" + ("" if n == 70 else f"-{ones[n - 70]}"))
    else:
        base = tens[n // 10 * 10]
        found = [
            base if n % 10 == 0 else f"{base} et un" if n % 10 == 1 else f"{base}-{ones[n % 10]}"
        ]
    return list(
        dict.fromkeys(
            [
                *found,
                *(w.replace("-", " ") for w in found),
                *(w.replace(" et ", "-et-") for w in found),
            ]
        )
    )


def _spanish(n: int) -> list[str]:
    ones = "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve".split()
    tens = "treinta cuarenta cincuenta sesenta setenta ochenta noventa".split()
    if n < 30:
        found = [ones[n]]
    elif n >= 100:
        found = ["cien" if n == 100 else f"ciento {_spanish(n - 100)[0]}"]
    else:
        found = [tens[n // 10 - 3] + (f" y {ones[n % 10]}" if n % 10 else "")]
    return [*found, *(w[:-1] for w in found if w.endswith("uno"))]


def _italian(n: int) -> list[str]:
    ones = "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove".split()
    tens = "venti trenta quaranta cinquanta sessanta settanta ottanta novanta".split()
    if n < 20:
        return [ones[n]]
    if n >= 100:
        return ["cento" + ("" if n == 100 else _italian(n - 100)[0])]
    base, rest = tens[n // 10 - 2], n % 10
    if rest == 0:
        return [base]
    word = (base[:-1] if rest in (1, 8) else base) + ("tré" if rest == 3 else ones[rest])
    return [word, word[:-1]] if rest == 1 else [word]


def _dutch(n: int) -> list[str]:
    ones = "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien".split()
    tens = "twintig dertig veertig vijftig zestig zeventig tachtig negentig".split()
    if n < 20:
        return ["één", "een"] if n == 1 else [ones[n]]
    if n >= 100:
        return ["honderd" + ("" if n == 100 else _dutch(n - 100)[0])]
    if n % 10 == 0:
        return [tens[n // 10 - 2]]
    one = ones[n % 10]
    return [f"{one}{'ën' if one.endswith('e') else 'en'}{tens[n // 10 - 2]}"]


def _portuguese(n: int) -> list[str]:
    ones = "zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito dezenove".split()
    tens = "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa".split()
    european = {16: "dezasseis", 17: "dezassete", 19: "dezanove", 14: "quatorze"}
    if n < 20:
        return [ones[n], *([european[n]] if n in european else [])]
    if n >= 100:
        return ["cem" if n == 100 else f"cento e {_portuguese(n - 100)[0]}"]
    return [tens[n // 10 - 2] + (f" e {ones[n % 10]}" if n % 10 else "")]


_SPELLERS: dict[str, Callable[[int], list[str]]] = {
    "en": _english, "de": _german, "fr": _french, "es": _spanish, "it": _italian, "nl": _dutch, "pt": _portuguese,
}  # fmt: skip


def spell(number: int, language: str) -> list[str]:
    """Return how a number from 0 to 119 is spelled, the most usual way first.

    >>> [spell(47, code)[0] for code in ("en", "de", "fr", "es", "it", "nl", "pt")]
    ['forty-seven', 'siebenundvierzig', 'quarante-sept', 'cuarenta y siete', 'quarantasette', 'zevenenveertig', 'quarenta e sete']
    """
    if not 0 <= number <= _MOST:
        raise ValueError(f"numbers are spelled up to {_MOST}")
    return _SPELLERS[language](number)
