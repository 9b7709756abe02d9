"""Word lists of our own from which the clinic notes are put together.

Names come from several cultures; many surnames and first names are also ordinary words or drugs'
and diseases' eponyms, because that is what makes redaction hard.
"""

# ruff: noqa: SIM905 (lists of words read best as words)
from __future__ import annotations

GIVEN = """Ann Maria James Robert Linda Susan David Karen Peter Laura Thomas Julia Martin Helen Simon Amira
Fatima Yusuf Omar Leila Hassan Noor Tariq Samira Khalid Wei Mei Jun Li Xiu Hiro Yuki Kenji
Sakura Akira Priya Anil Sunita Ravi Deepa Arjun Lakshmi Vikram Olga Ivan Dmitri Svetlana Katya
Bogdan Mirela Carlos Lucia Diego Elena Mateo Pilar Joaquín Inés Søren Astrid Björn Ingrid Lars
Freya Chidi Ngozi Emeka Adaeze Kwame Abena Zanele Thabo Nia Tunde Aylin Emre Deniz Ayşe Kerem
Jürgen Anneliese Käthe Giulia Marco Chiara Renée Thérèse Étienne Niamh Siobhán Eoin Rhys Carys
Hamish Moana Tane Aroha Ha-eun Min-jun Seo-yeon Linh Thuy Quang Bao Dalia Rivka Moshe Yael
Tomasz Agnieszka Zofia Piotr""".split()

# First names that are also words of a note.
GIVEN_WORDS = """May Will Hope Rose Grace Mark Bill Faith Joy Dawn Violet Iris Ivy Sandy Pat Rich Jack Frank Ray
Gene Art Grant Chase Olive Summer April June Angel Dean Miles Penny Sky Daisy Guy Chance Heath
Victor Clay Drew Melody Ginger""".split()

FAMILY = """Okafor Nguyen Tanaka Kowalski Petrov García Fernández Hernández Schmidt Müller Rossi Bianchi
Johansson Lindqvist Haddad Rahman Chaudhry Patel Sharma Iyer Mehta Goldstein Abramov Yılmaz
Demir O'Neill MacDougall Fitzgerald Vandenberg DeLuca Dubois Lefèvre Moreau Kim Park Choi Zhang
Wang Chen Tran Pham Adeyemi Mensah Dlamini Nkosi Ferreira Sousa Castillo Morales Ibarra Novák
Horváth Szabó Papadopoulos Kaya Whitmore Ashdown Pemberton Hargreaves Thackeray Ellsworth
Kirkbride Calloway Tremaine Osgood Winslow Applegate Barlow Cromwell Dunmore Everhart Garrick
Hollis Jessup Kettering Langford Maddox Norcross Prescott Quimby Radcliffe Stanhope Tillman
Underhill Vickers Wexford Yarrow Bin-Salem al-Farsi van-Dijk Ó-Briain Saint-Clair Lloyd-Hughes""".split()

# Family names that are also words, the first dozen more common than the rest: colours, places, professions, eponyms of diseases.
FAMILY_WORDS = """Brown Young Long Grant He May Rose Ward Hill Bell Day Best Short White Black Green Gray Bright Strong Little Good Best Sharp Stone Wood
Hill Lake Banks Fields Rivers Marsh Ford Bridges Church Hall House Street Lane Park Cook Baker
Butcher Fisher Hunter Carpenter Walker Rider Day Weeks Winter Snow Frost Rain Storm Bell Ball
Case Cross Major Price Pain Burns Payne Bone Head Foot Hand Hart Heart Love Grant Chance Small
Rash Cold Cough Mild Ward Page Field Nurse Parkinson Bell Crohn Graves Hodgkin Addison Down
Marfan Still Wilson Turner Cushing Weber Fever Pill Dose Temple Rose Root He Bao Ho Ng An Do Le
Su In So""".split()

TITLES = ("Mr.", "Mrs.", "Ms.", "Miss", "Mr", "Mrs", "Dr.", "Dr", "Prof.", "Sr.", "Nurse", "Sister")

STREETS = """Larch Willow Mill Orchard Station Harbour Quarry Chapel Meadow Foundry Beacon Juniper Market
Castle Abbey Granary Heron Kestrel Lantern Maple Needle Osprey Poplar Rowan Saddler Tanner Vine
Weaver Copper Brook Elm High Church Bridge King Queen Victoria""".split()
STREET_KINDS = (
    "Street",
    "Road",
    "Lane",
    "Avenue",
    "Close",
    "Drive",
    "St",
    "Rd",
    "Ave",
    "Court",
    "Way",
)
TOWNS = """Northwick Easterby Caldermouth Fenbridge Harrowgate Millhaven Stonebury Westerleigh Oakhollow
Redmarsh Saltcombe Thornley Upwell Wyndale Brackwater Dunmere""".split()

DRUGS = """metformin lisinopril amlodipine atorvastatin omeprazole warfarin amoxicillin ibuprofen
prednisolone salbutamol levothyroxine sertraline Lipitor Glucophage Ventolin Coumadin Norvasc
Zestril Zoloft Synthroid Augmentin Nexium Lasix Plavix Humira Lantus Januvia Crestor""".split()
# Diseases and signs named after people: never a patient's name.
EPONYMS = ("Parkinson's disease", "Crohn's disease", "Graves' disease", "Bell's palsy",
           "Addison's disease", "Hodgkin lymphoma", "Marfan syndrome", "Still's disease",
           "Wilson's disease", "Turner syndrome", "Cushing syndrome", "Down syndrome",
           "Murphy's sign", "Babinski", "Foley catheter", "Apgar 9", "Glasgow score 15",
           "Homans sign", "Weber test", "Rinne test", "Hartmann's solution", "Raynaud's")  # fmt: skip
PLACES = ("Rose Ward", "Ward 4", "Grant Wing", "Marsh Unit", "Hope Clinic", "St Brannock's",
          "the Winslow Building", "Turner Suite", "Bay 12", "Hill House", "the Brown Centre",
          "Day Surgery", "the Violet Suite", "May Wing", "Young Adults Clinic")  # fmt: skip
CONDITIONS = """hypertension asthma migraine pneumonia cellulitis anaemia gout eczema angina sciatica bronchitis
sinusitis vertigo dyspepsia arthritis tonsillitis""".split()
COMPLAINTS = ("chest pain", "a dry cough", "low back pain", "shortness of breath", "a rash on one hand",
              "headaches", "dizziness when standing", "a sore throat", "abdominal pain", "poor sleep",
              "swelling of the left foot", "palpitations", "a burn on the right hand",
              "fatigue", "pain in the hip", "blurred vision")  # fmt: skip
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
          "October", "November", "December")  # fmt: skip
