"""Italian."""

from .base import AgeForm, LanguageWords

__all__ = ["VOCABULARY"]

VOCABULARY = LanguageWords(
    code="it",
    month_names=("gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre", "novembre",
                 "dicembre"),
    months=("gennaio gen", "febbraio feb", "marzo mar", "aprile apr", "maggio mag", "giugno giu", "luglio lug", "agosto ago",
            "settembre sett set", "ottobre ott", "novembre nov", "dicembre dic"),
    weekdays="lunedi martedi mercoledi giovedi venerdi sabato domenica",
    common="""il lo la i gli le un una di del della e ed con per al alla non ha che si da in sua suo paziente visto vista anni viene
ricovero era nel nella sono""",
    age_before=r"\beta\s?(?:[:=]|di|e)?\s?|\ball'eta\sdi\s|\b(?:donna|uomo|paziente|signora|signore)\sdi\s",
    age_after=r"\s?anni\b(?!\s(?:fa|dopo|prima))|enne\b|\s?aa\.?(?=[\s,.])",
    forms=(
        AgeForm(r"", r"[°º]?\scompleanno\b", "compleanno"),
        AgeForm(r"\b(?:compira|compie|quasi|sta\sper\scompiere)\s", r"\sanni\b", "{band} anni", more=1),
        AgeForm(r"\bnel\ssuo\s", r"[°º]\sanno\b", "età di {band} anni", more=1),
    ),
    past=r"all'eta\sdi|a",
    earlier="in precedenza",
    parts={"inizio": (0, 3), "meta": (4, 6), "fine": (7, 9)},
    decades=r"\b(?:sulla\s|nella\s)?(?P<ten>ventina|trentina|quarantina|cinquantina|sessantina|settantina|ottantina|novantina)\b",
    decade_words={"ventina": 20, "trentina": 30, "quarantina": 40, "cinquantina": 50, "sessantina": 60, "settantina": 70,
                  "ottantina": 80, "novantina": 90},
    aged="{band} anni",
    birth_before=r"\bnat[oa]\s(?:il|nel|in)?\s?:?\s?|\bdata\sdi\snascita\s?:?\s?|\banno\sdi\snascita\s?:?\s?|\bclasse\s",
    birth_after=r"\sdi\snascita\b",
    prepositions="il giorno|il|dal|del|nel|in|al",
    of=r"(?:di\s)?",
    ordinal=r"[°º]?",
    person="""paziente donna uomo signora signore sig ella egli lei lui pz f m bambina bambino ragazza ragazzo""",
    copula="ha di e con ora attualmente oggi",
    follow="""e con che ha anni giunge vive coniugata coniugato nubile celibe vedova vedovo ricoverata ricoverato residente in""",
    kin="""figlio figlia figli marito moglie madre padre fratello sorella fratelli bambino bambina compagno compagna vicino vicina zia zio nipote
nonna nonno cugino cugina neonato genitori amico amica""",
    clinical="""polso frequenza cardiaca pressione arteriosa saturazione peso pesa altezza dose dosi insulina eparina febbre temperatura creatinina
emoglobina piastrine potassio sodio ferritina glicemia bilirubina urea albumina leucociti linfociti lattato colesterolo troponina indice scala
punteggio grado stadio livello valore stanza letto reparto cartella numero pagina figura campione referto seduta ciclo intervallo frazione flusso
diuresi ulcera lesione tumore flessione cammina punti da durante ogni dopo entro aumentata ridotta""",
    counted="""giorno giorni settimana settimane mese mesi ora ore minuto minuti secondo secondi notte notti volta volte grado gradi metro metri unita
goccia gocce compressa compresse capsula capsule punto punti pacchetti cento chili chilogrammi grammi milligrammi litri sigarette passi""",
    quarter=("{q}º trimestre {y}", "nel {q}º trimestre {y}"),
    month=("{m} {y}", "nel {m} {y}"),
    year=("{y}", "nel {y}"),
    between=("{a}–{b}", "nel periodo {a}–{b}"),
    birth_years=("{a}–{b}", "nel {a}–{b}"),
    unknown={"age": "[età]", "birth": "[anno]", "date": "[data]"},
)  # fmt: skip
