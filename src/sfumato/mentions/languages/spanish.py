"""Spanish."""

from .base import AgeForm, LanguageWords

__all__ = ["VOCABULARY"]

VOCABULARY = LanguageWords(
    code="es",
    month_names=("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre",
                 "diciembre"),
    months=("enero ene", "febrero feb", "marzo mar", "abril abr", "mayo may", "junio jun", "julio jul", "agosto ago",
            "septiembre setiembre sept sep", "octubre oct", "noviembre nov", "diciembre dic"),
    weekdays="lunes martes miercoles jueves viernes sabado domingo",
    common="""el la los las un una de del y es fue en con su ella por para al no ha que se paciente vista visto desde anos acude
ingreso mujer varon presenta tiene sin como""",
    age_before=r"\bedad\s?(?:[:=]|de|es)?\s?|\ba\sla\sedad\sde\s|\b(?:mujer|varon|hombre|paciente|senora|senor)\sde\s",
    age_after=r"\s?anos(?:\sde\sedad)?\b(?!\s(?:de\s(?:evolucion|tabaco)|despues|antes))|\s?a\.(?=[\s,])",
    forms=(
        AgeForm(r"", r"\.?[oº]?\scumpleanos\b", "cumpleaños"),
        AgeForm(r"\b(?:cumplira|cumple|casi|va\sa\scumplir)\s", r"\sanos\b", "{band} años", more=1),
    ),
    past=r"a\sla\sedad\sde|a\slos|con",
    earlier="anteriormente",
    parts={"principios": (0, 3), "mediados": (4, 6), "finales": (7, 9)},
    decades=r"\b(?:(?:a\s)?(?P<part>principios|mediados|finales)\sde\s)?(?:la\s)?(?P<ten>veintena|treintena|cuarentena|cincuentena|sesentena|setentena)\b"
    r"|\b(?P<ten2>veinteanera|treintanera|cuarentona|cincuentona|sesentona|setentona|ochentona|veinteanero|treintanero|cuarenton|cincuenton|sesenton|setenton|"
    r"ochenton|septuagenari[oa]|octogenari[oa]|nonagenari[oa])\b",
    decade_words={"veintena": 20, "treintena": 30, "cuarentena": 40, "cincuentena": 50, "sesentena": 60, "setentena": 70, "veinteanera": 20,
                  "veinteanero": 20, "treintanera": 30, "treintanero": 30, "cuarentona": 40, "cuarenton": 40, "cincuentona": 50,
                  "cincuenton": 50, "sesentona": 60, "sesenton": 60, "setentona": 70, "setenton": 70, "ochentona": 80, "ochenton": 80,
                  "septuagenario": 70, "septuagenaria": 70, "octogenario": 80, "octogenaria": 80, "nonagenario": 90, "nonagenaria": 90},
    aged="{band} años",
    birth_before=r"\bnacid[oa]\s(?:el|en)?\s?:?\s?|\bfecha\sde\snacimiento\s?:?\s?|\bano\sde\snacimiento\s?:?\s?|\bf\.?\s?nac\.?\s?:?\s?|\bnacio\s(?:el|en)\s",
    birth_after=r"\snacimiento\b",
    prepositions="el dia|el|del|en|al",
    of=r"(?:de\s)?",
    ordinal=r"[ºo]?",
    person="""paciente mujer varon hombre senora senor ella el sra sr d f m v h nina nino""",
    copula="tiene de es con ahora actualmente ya edad",
    follow="""y con que es de anos acude vive casada casado soltera soltero viuda viudo ingresa ingresada ingresado natural residente""",
    kin="""hijo hija hijos marido esposo esposa mujer madre padre hermano hermana hermanos nino nina pareja vecino vecina tia tio nieto nieta
abuela abuelo sobrino sobrina primo prima bebe padres amigo amiga""",
    clinical="""pulso frecuencia cardiaca tension presion arterial saturacion peso pesa talla dosis insulina heparina fiebre temperatura creatinina
hemoglobina plaquetas potasio sodio ferritina glucosa glucemia bilirrubina urea albumina leucocitos linfocitos lactato colesterol troponina indice
escala puntuacion grado estadio nivel valor habitacion cama planta historia numero pagina figura muestra informe sesion ciclo intervalo fraccion
flujo diuresis ulcera lesion tumor flexion camina puntos desde durante cada hace tras en aumento reducido pauta""",
    counted="""dia dias semana semanas mes meses hora horas minuto minutos segundo segundos noche noches veces vez grado grados metro metros unidad
unidades gota gotas comprimido comprimidos capsula capsulas punto puntos paquetes paquetes-ano ciento kilos kilogramos gramos miligramos litros
cigarrillos pasos""",
    quarter=("{q}.º trimestre de {y}", "en el {q}.º trimestre de {y}"),
    month=("{m} de {y}", "en {m} de {y}"),
    year=("{y}", "en {y}"),
    between=("{a} a {b}", "de {a} a {b}"),
    birth_years=("{a}–{b}", "en {a}–{b}"),
    unknown={"age": "[edad]", "birth": "[año]", "date": "[fecha]"},
)  # fmt: skip
