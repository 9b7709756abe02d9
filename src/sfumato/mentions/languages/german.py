"""German."""

from .base import AgeForm, LanguageWords

__all__ = ["VOCABULARY"]

VOCABULARY = LanguageWords(
    code="de",
    month_names=("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
                 "Dezember"),
    months=("januar janner jan jaenner", "februar feb", "marz maerz mar mrz", "april apr", "mai", "juni jun", "juli jul", "august aug",
            "september sept sep", "oktober okt", "november nov", "dezember dez"),
    weekdays="montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so",
    common="""der die das und ist war im am mit ihr sein sie er fur zu bei keine nicht hat hatte von aus ein eine einen wurde wird wegen
patient patientin kommt kam aufnahme nach vor den dem auf als seit sich es jetzt vom zur""",
    age_before=r"\balter(?:\s?\((?:j|jahre)\.?\))?\s?(?:[:=]|von|betragt|ist)?\s?|\bim\salter\svon\s|\b(?:frau|mann|patientin|patient|dame|herr)\svon\s",
    age_after=r"\s?-?\s?j(?:a|ae)hr(?:ig|\.)|\s?-?jg\.|\s?-?j\.(?!\w)|\s?j\b|\sjahren?\s(?:alt|jung)|\slebensjahren?\b|\sjahre?,\s(?:weiblich|mannlich|w\b|m\b)"
    r"|a\b(?=[,;.)\s]|$)",
    forms=(
        AgeForm(r"", r"\.\s?geburtstag\w*", "Geburtstag"),
        AgeForm(r"\bvollendet\w*\s", r"\.\s?lebensjahr\w*", "Alter von {band} Jahren"),
        AgeForm(r"", r"\.\s?lebensjahr\w*", "Alter von {band} Jahren", more=1),
        AgeForm(r"\b(?:wird|werde)\s(?:bald|demnachst|nun|jetzt)?\s?", r"(?:\sjahre(?:\salt)?)?(?!\w)", "ist {band}", more=1),
        AgeForm(r"\b(?:bald|fast|knapp|nahezu)\s", r"(?:\sjahre(?:\salt)?)?(?!\w)", "{band} Jahre alt", more=1),
        AgeForm(r"(?:^|(?<=[.;!?,]\s))", r"\sjahre\b", "{band} Jahre"),
    ),
    past=r"mit|im\salter\svon",
    earlier="früher",
    parts={"anfang": (0, 3), "mitte": (4, 6), "ende": (7, 9), "end": (7, 9)},
    decades=r"\b(?P<part>anfang|mitte|ende)\s(?P<ten>zwanzig|drei(?:ß|ss)ig|vierzig|funfzig|sechzig|siebzig|achtzig|neunzig|[2-9]0\b(?!\s?[%\d./]))|\bin\sden\s"
    r"(?P<ten2>zwanziger|drei(?:ß|ss)iger|vierziger|funfziger|sechziger|siebziger|achtziger|neunziger)n\b|\b(?P<part3>anfang|mitte|end)"
    r"(?P<ten3>zwanziger|drei(?:ß|ss)iger|vierziger|funfziger|sechziger|siebziger|achtziger|neunziger)(?:in)?\b",
    decade_words={"zwanzig": 20, "dreißig": 30, "dreissig": 30, "vierzig": 40, "funfzig": 50, "sechzig": 60, "siebzig": 70, "achtzig": 80,
                  "neunzig": 90},
    aged="{band} Jahre alt",
    birth_before=r"\bgeb(?:oren|urtsdatum|urtsjahr|\.-?dat\.?|\.)?(?:\s(?:am|im|in|ist))?\s?:?\s?|\bjahrgang\s?:?\s?|\bjg\.?\s?|\*\s?|\bgd:?\s|\bgeboren\s(?:am|im|in)?\s?",
    birth_after=r"\sgeboren\b|er\sjahrgang|\szur\swelt|\sgeb\.",
    prepositions="am|im|vom|den|dem|der",
    of="",
    ordinal=r"(?:\.|ter|ten|te)?",
    person="""patient patientin pat patienten frau mann dame herr junge madchen sie er die w m weiblich mannlich bewohnerin bewohner""",
    copula="ist war wurde gerade jetzt inzwischen nun mit von aktuell derzeit erst bereits schon noch",
    follow="""und mit die der ist war kam kommt wohnt lebt noch jetzt aus in im bei jahre jahren j verheiratet ledig verwitwet weiblich mannlich
geworden wach orientiert stellt wurde wird seit berufstatig""",
    kin="""sohn sohne sohnes tochter ehemann mann ehefrau mutter vater bruder schwester kind kinder partner partnerin nachbar nachbarin
enkel enkelin oma opa tante onkel neffe nichte cousin cousine gatte gattin baby eltern zwilling freund freundin geschwister""",
    clinical="""puls herzfrequenz blutdruck diastolisch systolisch sattigung atemfrequenz gewicht wiegt große dosis dosierung insulin heparin fieber
temperatur kreatinin hamoglobin thrombozyten kalium natrium ferritin glukose blutzucker bz harnstoff leukozyten lymphozyten cholesterin troponin
index score skala grad stadium wert werte nierenwert zimmer bett station fallnummer fall seite abbildung probe befund referenz akte tel
zyklus sitzung zeit fraktion ejektionsfraktion flow urinmenge ulkus lasion tumor beugung streckung geht test punkte erhoht reduziert
ab auf uber alle vor nach in seit dauerte blieb trank nahm erhielt kontrolle husten schmerzen beschwerden test flow bilirubin albumin""",
    counted="""tag tage tagen woche wochen monat monate monaten stunde stunden minute minuten sekunden nacht nachte nachten mal male grad meter metern
einheit einheiten tropfen tablette tabletten kapsel kapseln hub hube dosen punkt punkte punkten packungsjahre pack packungen prozent kilogramm
kilo gramm milligramm milliliter liter zigaretten schritte zentimeter millimeter uhr sitzung zyklus""",
    quarter=("{q}. Quartal {y}", "im {q}. Quartal {y}"),
    month=("{m} {y}", "im {m} {y}"),
    year=("{y}", "{y}"),
    between=("{a} bis {b}", "{a} bis {b}"),
    birth_years=("{a}–{b}", "{a}–{b}"),
    sums=(r"\bseit\s{m}\sjahren\s[^.;,]{1,30},\sseit\sdem\s{n}\.\slebensjahr\b", "im Ruhestand"),
    unknown={"age": "[Alter]", "birth": "[Jahr]", "date": "[Datum]"},
)  # fmt: skip
