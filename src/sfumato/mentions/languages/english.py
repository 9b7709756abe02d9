"""English."""

from .base import AgeForm, LanguageWords

__all__ = ["VOCABULARY"]

VOCABULARY = LanguageWords(
    code="en",
    month_names=("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                 "November", "December"),
    months=("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sept sep", "october oct", "november nov", "december dec"),
    weekdays="monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun",
    common="""the a an of and is was in on with her his she he for to at no not has had from this who are by as be him they their
patient seen admitted clinic reports known came lives works will after before""",
    age_before=r"\baged?(?:/sex)?\s?(?:\((?:yrs?|years?|y)\.?\))?\s?(?:[:=,/]|of|is|as|at|now|around|about|approx\.?)?\s?"
    r"|\bage(?:[:=]|\sis|\sof)\s?|\ba/s[:\s]\s?|\b(?:just|recently|has)\sturned\s|\b(?:wom[ae]n|man|lady|gentleman|female|male)\sof\s|"
    r"\bat\sthe\sage\sof\s",
    age_after=r"[-\s]?(?:years?|yrs?|yr|y)\.?[-\s](?:old|young)\b|[-\s]?(?:years?|yrs?)\.?\sof\sage\b|\s?-?(?:y/o|yo|y\.\s?o\.?)(?!\w)"
    r"|[-\s]?(?:year|yr)s?-?old|\s?(?:y|yrs?)\.?\s(?:female|male|woman|man|lady|f|m)\b|\syears?\sand\s\w+\smonths?\sold",
    forms=(
        AgeForm(r"", r"(?:st|nd|rd|th)\sbirthday\b", "birthday"),
        AgeForm(r"\bin\s(?:his|her|their|the)\s", r"(?:st|nd|rd|th)\syear(?:\sof\slife)?\b", "aged {band}", more=1),
        AgeForm(r"\b(?:turning|turns|turned|nearly|almost|nearing|approaching)\s", r"(?!\w)(?:\s(?:years?\sold|next\s\w+|this\s\w+|later\sthis\s\w+))?",
             "aged {band}", more=1),
        AgeForm(r"\b(?:will\sbe|will\sturn|about\sto\sturn)\s", r"(?!\w)(?:\s(?:next|this|in)\s\w+)?", "is {band}", more=1),
        AgeForm(r"\b(?:she|he)'s\s", r"(?!\w)", "aged {band}"),
    ),
    past=r"(?:at|when)\s(?:the\s)?(?:age\s(?:of\s)?)?",
    earlier="earlier",
    parts={"early": (0, 3), "mid": (4, 6), "late": (7, 9)},
    decades=r"\b(?:in\s(?:his|her|their)\s)?(?:(?P<part>early|mid|late)[-\s])?(?P<ten>twenties|thirties|forties|fifties|sixties|"
    r"seventies|eighties|nineties|[2-9]0'?s\b)",
    decade_words={"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80,
                  "nineties": 90},
    aged="aged {band}",
    birth_before=r"\bborn(?:\s(?:on|in|back\sin|the|around))?:?\s?(?:the\s)?|\bd\.?o\.?b\.?(?:\s?[:=])?\s?|\by\.?o\.?b\.?:?\s?|\b(?:date|year)\sof\sbirth"
    r"(?:\s(?:is|was))?\s?[:=]?\s?|\bbirth\s?(?:date|day|year)(?:\s?[:=]|\sis|\swas)?\s?|\bb\.\s?",
    birth_after=r"[-\s]born\b|\sbirth\b",
    prepositions="on the|on|the",
    of=r"(?:of\s)?",
    ordinal=r"(?:st|nd|rd|th)?",
    person="""patient pt pts woman man lady gentleman female male girl boy she he who mother mum teacher f m w resident client
mrs mr ms miss""",
    copula="is was now currently at turned aged of only still already she's he's",
    follow="""and with who was is now came lives presents presented presenting from in at on has had female male years yrs year yr y
when but or next this last referred seen reviewed admitted living retired married single widowed a""",
    kin="""son sons daughter daughters husband wife mother father brother brothers sister sisters child children partner neighbour neighbor aunt uncle
grandson granddaughter grandmother grandfather nephew niece cousin spouse baby parent parents twin friend""",
    clinical="""pulse heart rate pressure saturation oxygen respiratory weight weighs height dose doses dosed insulin heparin units fever temperature
creatinine haemoglobin hemoglobin platelets potassium sodium ferritin glucose bilirubin urea albumin cells lymphocytes lactate cholesterol troponin
index score scale grade stage level levels value room bed ward bay case number page figure sample report reference ref chart file ext phone
cycle session interval fraction peak flow output ulcer lesion tumour tumor flexion extension walks mental points tapered
raised increased reduced started given gave took every for past last within over review smoked vomited drank lasted stayed""",
    counted="""day days week weeks month months hour hours hrs minute minutes mins second seconds night nights times degrees degree metre metres meters
unit units drop drops tablet tablets capsule capsules puff puffs dose doses point points pack packs pack-years pounds stone beats breaths
milligrams kilograms kilogrammes grams millilitres milliliters litres liters inches feet ago later earlier cigarettes bottles pints steps""",
    quarter=("Q{q} {y}", "in Q{q} {y}"),
    month=("{m} {y}", "in {m} {y}"),
    year=("{y}", "in {y}"),
    between=("{a} to {b}", "in {a} to {b}"),
    birth_years=("{a}–{b}", "in {a}–{b}"),
    sums=(r"\bat\s(?:the\sage\sof\s)?{n},?\s{m}\syears?\sago\b", "earlier"),
    unknown={"age": "[age]", "birth": "[year]", "date": "[date]"},
)  # fmt: skip
