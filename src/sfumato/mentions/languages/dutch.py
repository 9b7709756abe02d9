"""Dutch."""

from .base import AgeForm, LanguageWords

__all__ = ["VOCABULARY"]

VOCABULARY = LanguageWords(
    code="nl",
    month_names=("januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november",
                 "december"),
    months=("januari jan", "februari feb", "maart mrt", "april apr", "mei", "juni jun", "juli jul", "augustus aug", "september sept sep",
            "oktober okt", "november nov", "december dec"),
    weekdays="maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    common="""de het een van en is was in op met haar zijn zij hij voor te bij geen niet heeft had uit patient patiente werd wordt wegens
komt kwam opname na den dat die ze er nu gezien woont""",
    age_before=r"\bleeftijd\s?(?:[:=]|van|is)?\s?|\bop\s(?:de\s)?leeftijd\svan\s|\b(?:vrouw|man|patiente?|dame|heer)\svan\s",
    age_after=r"\s?-?\s?jarige?\b|\sjaar(?:\soud)?\b(?!\s(?:geleden|later|eerder))|\s?jr\.?(?=[\s,])|\s?j\.(?=[\s,])",
    forms=(
        AgeForm(r"", r"(?:e|ste|de)\sverjaardag\b", "verjaardag"),
        AgeForm(r"\b(?:wordt\sbinnenkort|wordt|bijna|haast)\s", r"(?:\sjaar)?\b", "{band} jaar", more=1),
        AgeForm(r"\bin\s(?:haar|zijn)\s", r"(?:e|ste|de)\slevensjaar\b", "leeftijd van {band} jaar", more=1),
    ),
    past=r"op\s(?:de\s)?leeftijd\svan|op",
    earlier="eerder",
    parts={"begin": (0, 3), "midden": (4, 6), "eind": (7, 9)},
    decades=r"\b(?P<part>begin|midden|eind)\s(?P<ten>twintig|dertig|veertig|vijftig|zestig|zeventig|tachtig|negentig)\b"
    r"|\b(?P<ten2>twintiger|dertiger|veertiger|vijftiger|zestiger|zeventiger|tachtiger|negentiger)\b",
    decade_words={"twintig": 20, "dertig": 30, "veertig": 40, "vijftig": 50, "zestig": 60, "zeventig": 70, "tachtig": 80,
                  "negentig": 90},
    aged="{band} jaar",
    birth_before=r"\bgeboren\s(?:op|in)?\s?:?\s?|\bgeb\.?\s?(?:op\s)?:?\s?|\bgeboortedatum\s?:?\s?|\bgeboortejaar\s?:?\s?",
    birth_after=r"\sgeboren\b",
    prepositions="op|in|van|den",
    of="",
    ordinal=r"(?:e|ste|de)?",
    person="""patient patiente pat vrouw man dame heer mevrouw meneer mw dhr zij hij ze v m meisje jongen""",
    copula="is was nu van met inmiddels thans",
    follow="""en met die is was kwam komt woont jaar jr gehuwd ongehuwd gescheiden weduwe verwezen opgenomen uit in""",
    kin="""zoon zonen dochter dochters echtgenoot echtgenote man vrouw moeder vader broer broers zus zussen kind kinderen partner buurman buurvrouw
tante oom kleinzoon kleindochter oma opa neef nicht baby ouders vriend vriendin""",
    clinical="""pols hartslag hartfrequentie bloeddruk saturatie gewicht weegt lengte dosis dosering insuline heparine koorts temperatuur kreatinine
hemoglobine trombocyten kalium natrium ferritine glucose bilirubine ureum albumine leukocyten lymfocyten lactaat cholesterol troponine index score
schaal graad stadium waarde kamer bed afdeling dossier nummer pagina figuur monster verslag sessie cyclus interval fractie diurese ulcus laesie
tumor flexie loopt punten sinds gedurende elke na over verhoogd verlaagd""",
    counted="""dag dagen week weken maand maanden uur uren minuut minuten seconde seconden nacht nachten keer maal graden meter eenheid eenheden druppel
druppels tablet tabletten capsule capsules punt punten pakjaren procent kilo kilogram gram milligram liter sigaretten stappen""",
    quarter=("{q}e kwartaal {y}", "in het {q}e kwartaal {y}"),
    month=("{m} {y}", "in {m} {y}"),
    year=("{y}", "in {y}"),
    between=("{a} tot {b}", "van {a} tot {b}"),
    birth_years=("{a}–{b}", "in {a}–{b}"),
    unknown={"age": "[leeftijd]", "birth": "[jaar]", "date": "[datum]"},
)  # fmt: skip
