"""Portuguese."""

from .base import AgeForm, LanguageWords

__all__ = ["VOCABULARY"]

VOCABULARY = LanguageWords(
    code="pt",
    month_names=("janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro", "novembro",
                 "dezembro"),
    months=("janeiro jan", "fevereiro fev", "marco mar", "abril abr", "maio mai", "junho jun", "julho jul", "agosto ago",
            "setembro set", "outubro out", "novembro nov", "dezembro dez"),
    weekdays="segunda-feira terca-feira quarta-feira quinta-feira sexta-feira sabado domingo",
    common="""o a os as um uma de do da e em com por para ao nao foi que se no na dos das sua seu ela ele doente paciente vista visto
desde anos vem idade internamento tem sem""",
    age_before=r"\bidade\s?(?:[:=]|de|e)?\s?|\baos\s|\b(?:mulher|homem|doente|paciente|senhora|senhor)\sde\s|\bcom\s(?=\d{1,3}\sanos)",
    age_after=r"\s?anos(?:\sde\sidade)?\b(?!\s(?:de\sevolucao|atras|depois|antes))",
    forms=(
        AgeForm(r"", r"\.?[oº]?\saniversario\b", "aniversário"),
        AgeForm(r"\b(?:fara|completara|quase|vai\sfazer)\s", r"\sanos\b", "{band} anos", more=1),
    ),
    past=r"com\sa\sidade\sde|aos|com",
    earlier="anteriormente",
    parts={"inicio": (0, 3), "meados": (4, 6), "finais": (7, 9), "fim": (7, 9)},
    decades=r"\b(?:na\scasa\sdos\s|(?P<part>inicio|meados|finais|fim)\sdos\s)(?P<ten>vinte|trinta|quarenta|cinquenta|sessenta|setenta|oitenta|noventa)\b(?!\se\s)"
    r"|\b(?P<ten2>quarentona|cinquentona|sessentona|quarentao|cinquentao|sessentao|septuagenari[oa]|octogenari[oa]|nonagenari[oa])\b",
    decade_words={"vinte": 20, "trinta": 30, "quarenta": 40, "cinquenta": 50, "sessenta": 60, "setenta": 70, "oitenta": 80, "noventa": 90,
                  "quarentona": 40, "quarentao": 40, "cinquentona": 50, "cinquentao": 50, "sessentona": 60, "sessentao": 60,
                  "septuagenario": 70, "septuagenaria": 70, "octogenario": 80, "octogenaria": 80, "nonagenario": 90, "nonagenaria": 90},
    aged="{band} anos",
    birth_before=r"\bnascid[oa]\s(?:a|em|no\sdia)?\s?:?\s?|\bdata\sde\snascimento\s?:?\s?|\bano\sde\snascimento\s?:?\s?|\bnasceu\s(?:a|em)\s|\bdn\s?:?\s?",
    birth_after=r"\snascimento\b",
    prepositions="no dia|em|a|no|de|ao",
    of=r"(?:de\s)?",
    ordinal=r"[ºo]?",
    person="""doente paciente mulher homem senhora senhor ela ele sra sr d f m menina menino utente""",
    copula="tem de e com agora atualmente ja",
    follow="""e com que e tem anos vem vive casada casado solteira solteiro viuva viuvo internada internado residente em""",
    kin="""filho filha filhos marido esposo esposa mulher mae pai irmao irma irmaos crianca companheiro companheira vizinho vizinha tia tio neto neta
avo sobrinho sobrinha primo prima bebe pais amigo amiga""",
    clinical="""pulso frequencia cardiaca tensao pressao arterial saturacao peso pesa altura dose doses insulina heparina febre temperatura creatinina
hemoglobina plaquetas potassio sodio ferritina glicose glicemia bilirrubina ureia albumina leucocitos linfocitos lactato colesterol troponina
indice escala pontuacao grau estadio nivel valor quarto cama enfermaria processo numero pagina figura amostra relatorio sessao ciclo intervalo
fracao fluxo diurese ulcera lesao tumor flexao anda pontos desde durante cada ha apos em aumentada reduzida""",
    counted="""dia dias semana semanas mes meses hora horas minuto minutos segundo segundos noite noites vez vezes grau graus metro metros unidade
unidades gota gotas comprimido comprimidos capsula capsulas ponto pontos macos cento quilos quilogramas gramas miligramas litros cigarros passos""",
    quarter=("{q}.º trimestre de {y}", "no {q}.º trimestre de {y}"),
    month=("{m} de {y}", "em {m} de {y}"),
    year=("{y}", "em {y}"),
    between=("{a} a {b}", "de {a} a {b}"),
    birth_years=("{a}–{b}", "em {a}–{b}"),
    unknown={"age": "[idade]", "birth": "[ano]", "date": "[data]"},
)  # fmt: skip
