"""How people write ages, births and days in seven languages, for a record of 47, born 3 December 1975, seen 12 March 2023."""

FORMS = {
    "en": [
        "This is a 47-year-old woman.", "The woman is 47 years old.", "Patient aged 47.", "Pt is a 47 y/o woman.", "47yo woman, stable.",
        "Ms Smith (47) came alone.", "47 F, referred by the GP.", "Ms Smith, 47, was reviewed.", "She is a forty-seven-year-old woman.",
        "At forty seven years of age she still works.", "We saw her after her 47th birthday.", "Age: 47  Sex: F.", "She is in her late forties.",
        "A woman in her forties.", "First diagnosed in 1998 at the age of 22.", "She retired at 40, seven years ago.", "She is in her 48th year.",
        "She will be 48 next month.", "Born in 1975.", "DOB: 03/12/1975.", "The patient was born on 3 December 1975.", "(b. 1975)",
        "Born in December 1975.", "born Dec 3rd, 1975", "Seen on 12 March 2023.", "Admitted 12/03/2023.", "Came on Sunday, 12 March.",
        "First contact in March 2023.", "Clinic of March 12, 2023.", "Surgery on 3 May 2023.", "Her husband (47) called.",
    ],
    "de": [
        "Es handelt sich um eine 47-jährige Patientin.", "Die 47jährige Patientin kam.", "Die Patientin ist 47 Jahre alt.", "Patientin, 47 J., wach.",
        "Im Alter von 47 Jahren lebt sie allein.", "Frau Schmidt (47) kam allein.", "Die siebenundvierzigjährige Patientin ist mobil.",
        "Kurz nach dem 47. Geburtstag traten Beschwerden auf.", "Alter: 47, Geschlecht: w.", "w, 47a, Erstvorstellung.", "Sie ist Ende vierzig.",
        "Patientin in den Vierzigern.", "Erstdiagnose 1998 mit 22 Jahren.", "Sie ist im 48. Lebensjahr.", "Jahrgang 1975.", "geb. 03.12.1975.",
        "Geboren am 3. Dezember 1975.", "(*1975)", "Geboren im Dezember 1975.", "Vorstellung am 12.03.2023.", "Untersuchung vom 12. März 2023.",
        "Kontrolle am 12.3. vorgesehen.", "Erstkontakt im März 2023.", "Ihr Ehemann (47) rief an.",
    ],
    "fr": [
        "Il s'agit d'une patiente de 47 ans.", "La patiente est âgée de 47 ans.", "À l'âge de 47 ans elle vit seule.", "Mme Martin (47 ans) est venue.",
        "La patiente a quarante-sept ans.", "Vue après son 47e anniversaire.", "Elle est dans la quarantaine.", "Née le 3 décembre 1975.", "Née en 1975.",
        "Date de naissance : 03/12/1975.", "Vue le 12 mars 2023.", "Consultation du 12/03/2023.", "Premier contact en mars 2023.",
        "Diagnostic en 1998 à l'âge de 22 ans.", "Son mari (47 ans) a appelé.",
    ],
    "es": [
        "Se trata de una mujer de 47 años.", "La paciente tiene 47 años de edad.", "Edad: 47 años.", "La paciente tiene cuarenta y siete años.",
        "Vista tras su 47 cumpleaños.", "Es una cuarentona.", "Nacida el 3 de diciembre de 1975.", "Nacida en 1975.", "Fecha de nacimiento: 03/12/1975.",
        "Vista el 12 de marzo de 2023.", "Consulta del 12/03/2023.", "Primer contacto en marzo de 2023.", "Diagnosticada en 1998 a los 22 años.",
        "Su marido (47 años) llamó.",
    ],
    "it": [
        "Si tratta di una paziente di 47 anni.", "La paziente ha 47 anni.", "Età: 47 anni.", "La paziente ha quarantasette anni.", "La 47enne è venuta da sola.",
        "Vista dopo il 47° compleanno.", "È sulla quarantina.", "Nata il 3 dicembre 1975.", "Nata nel 1975.", "Data di nascita: 03/12/1975.",
        "Vista il 12 marzo 2023.", "Visita del 12/03/2023.", "Primo contatto nel marzo 2023.", "Diagnosi nel 1998 all'età di 22 anni.",
        "Il marito (47 anni) ha chiamato.",
    ],
    "nl": [
        "Het gaat om een 47-jarige patiënte.", "De patiënte is 47 jaar oud.", "Leeftijd: 47 jaar.", "De zevenenveertigjarige patiënte is mobiel.",
        "Gezien na haar 47e verjaardag.", "Zij is eind veertig.", "Geboren op 3 december 1975.", "Geboren in 1975.", "Geboortedatum: 03-12-1975.",
        "Gezien op 12 maart 2023.", "Consult van 12-03-2023.", "Eerste contact in maart 2023.", "Diagnose in 1998 op de leeftijd van 22 jaar.",
        "Haar echtgenoot (47 jaar) belde.",
    ],
    "pt": [
        "Trata-se de uma mulher de 47 anos.", "A doente tem 47 anos de idade.", "Idade: 47 anos.", "A doente tem quarenta e sete anos.",
        "Vista depois do seu 47.º aniversário.", "Está na casa dos quarenta.", "Nascida em 3 de dezembro de 1975.", "Nascida em 1975.",
        "Data de nascimento: 03/12/1975.", "Vista em 12 de março de 2023.", "Consulta de 12/03/2023.", "Primeiro contacto em março de 2023.",
        "Diagnosticada em 1998 aos 22 anos.", "O marido (47 anos) telefonou.",
    ],
}  # fmt: skip
