"""French."""

from .base import AgeForm, LanguageWords

__all__ = ["VOCABULARY"]

VOCABULARY = LanguageWords(
    code="fr",
    month_names=("janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
                 "décembre"),
    months=("janvier janv", "fevrier fevr fev", "mars", "avril avr", "mai", "juin", "juillet juil", "aout", "septembre sept",
            "octobre oct", "novembre nov", "decembre dec"),
    weekdays="lundi mardi mercredi jeudi vendredi samedi dimanche",
    common="""le la les un une des du de et est etait dans avec sa son elle il pour au aux pas a ete par sur qui ne que patiente patient
vu vue depuis chez se ce cette nous""",
    age_before=r"\bage(?:e|s|es)?\s?(?:[:=]|de|d')?\s?|\ba\sl'age\sde\s|\b(?:femme|homme|patiente?|dame)\sde\s",
    age_after=r"\s?ans\b(?!\sde\s(?:tabac|evolution))|\s?a\.(?=[\s,])",
    forms=(
        AgeForm(r"", r"(?:e|eme)?\sanniversaire\b", "anniversaire"),
        AgeForm(r"\bdans\ssa\s", r"(?:e|eme)\sannee\b", "âge de {band} ans", more=1),
        AgeForm(r"\b(?:aura\sbientot|bientot|presque|va\savoir)\s", r"\sans\b", "{band} ans", more=1),
    ),
    past=r"a\sl'age\sde|a",
    earlier="auparavant",
    parts={"debut": (0, 3), "milieu": (4, 6), "fin": (7, 9)},
    decades=r"\b(?:dans\s)?(?:(?:la\s)?(?P<part>debut|milieu|fin)\s(?:de\s)?)?la\s(?P<ten>vingtaine|trentaine|quarantaine|cinquantaine|soixantaine)\b"
    r"|\b(?P<ten2>trentenaire|quadragenaire|quinquagenaire|sexagenaire|septuagenaire|octogenaire|nonagenaire)\b",
    decade_words={"vingtaine": 20, "trentaine": 30, "quarantaine": 40, "cinquantaine": 50, "soixantaine": 60, "trentenaire": 30,
                  "quadragenaire": 40, "quinquagenaire": 50, "sexagenaire": 60, "septuagenaire": 70, "octogenaire": 80,
                  "nonagenaire": 90},
    aged="{band} ans",
    birth_before=r"\bnee?(?:\s\(e\))?\s(?:le|en|l'an)?\s?:?\s?|\bnee?\s?:\s?|\bdate\sde\snaissance\s?:?\s?|\bannee\sde\snaissance\s?:?\s?|\bddn\s?:?\s?",
    birth_after=r"\snaissance\b",
    prepositions="le|du|au|en|des",
    of="",
    ordinal=r"(?:er|e)?",
    person="""patiente patient femme homme dame monsieur madame elle il mme mr m f h fille garcon""",
    copula="a est etait avait agee age maintenant actuellement de",
    follow="""et avec qui est a ans vient habite vit mariee marie celibataire veuve veuf admise admis adressee adresse suivie suivi se""",
    kin="""fils fille filles mari epoux epouse femme mere pere frere freres soeur soeurs enfant enfants conjoint compagne voisin voisine tante oncle
petit-fils petite-fille grand-mere grand-pere neveu niece cousin cousine bebe parents ami amie""",
    clinical="""pouls frequence cardiaque tension arterielle saturation poids pese taille dose doses insuline heparine fievre temperature creatinine
hemoglobine plaquettes potassium sodium ferritine glycemie bilirubine uree albumine leucocytes lymphocytes lactate cholesterol troponine index
score echelle grade stade taux chambre lit service dossier numero page figure echantillon rapport seance cycle intervalle fraction debit diurese
ulcere lesion tumeur flexion marche points depuis pendant toutes apres dans il y augmente reduit posologie""",
    counted="""jour jours semaine semaines mois heure heures minute minutes seconde secondes nuit nuits fois degre degres metre metres unite unites
goutte gouttes comprime comprimes gelule gelules bouffees point points paquets paquet-annees pour-cent kilogrammes kilos grammes milligrammes
litres cigarettes pas""",
    quarter=("{q}{o} trimestre {y}", "au {q}{o} trimestre {y}"),
    month=("{m} {y}", "en {m} {y}"),
    year=("{y}", "en {y}"),
    between=("{a} à {b}", "de {a} à {b}"),
    birth_years=("{a}–{b}", "en {a}–{b}"),
    unknown={"age": "[âge]", "birth": "[année]", "date": "[date]"},
)  # fmt: skip
