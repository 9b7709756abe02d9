"""Sentences whose number is a dose, a vital sign, a laboratory value, a score or a duration: none may be changed.

They were written before the guard of `sfumato.mentions`; `{n}` is the age of the person.
"""

from __future__ import annotations

__all__ = ["CLINICAL"]

CLINICAL: dict[str, tuple[str, ...]] = {
    "en": (
        "Pulse {n}, regular.", "Heart rate was {n} at rest.", "HR {n}, afebrile.", "BP 132/{n} mmHg.", "Blood pressure {n} diastolic.",
        "Saturation {n} % on air.", "SpO2 {n}%.", "Oxygen at {n} percent.", "Respiratory rate {n}.", "RR {n}/min.",
        "Weight {n} kg.", "She weighs {n} kilograms.", "Height 1{n} cm.", "BMI {n}.", "BMI of {n}.",
        "Metoprolol {n} mg twice daily.", "Insulin glargine {n} units at night.", "Dose raised to {n} mg.", "Started on {n} mcg of levothyroxine.",
        "Furosemide {n}mg in the morning.", "Heparin at {n} ml/h.", "Give {n} drops at night.", "Atorvastatin {n}.0 mg.",
        "Prednisolone tapered from {n} mg.", "Gentamicin {n} mg IV once.", "Vitamin D {n} IU weekly.",
        "Creatinine {n} umol/l.", "Creatinine was {n}.", "eGFR {n}.", "GFR of {n} ml/min.", "CRP {n}.", "CRP fell to {n} mg/l.",
        "Hb {n} g/l.", "Haemoglobin {n} on admission.", "Platelets {n}.", "Potassium 4.{n}.", "Sodium 1{n} mmol/l.", "ESR {n} mm/h.",
        "Ferritin {n} ug/l.", "ALT {n} U/l.", "AST {n}, ALT {n}.", "GGT {n} U/L.", "HbA1c {n} mmol/mol.", "Glucose {n} mg/dl.",
        "TSH 2.{n} mU/l.", "INR 2.{n}.", "Troponin {n} ng/l.", "LDL {n} mg/dl.", "Bilirubin {n}.", "Albumin {n} g/l.", "Urea {n}.",
        "Lactate dehydrogenase {n}.", "White cells {n}.", "Lymphocytes {n} %.",
        "Pain for {n} days.", "Symptoms for {n} hours.", "Stayed {n} nights.", "Review in {n} weeks.", "Cough for {n} weeks.",
        "Operation lasted {n} minutes.", "Smoked {n} pack years.", "{n} pack-years.", "Last seen {n} months ago.",
        "Ejection fraction {n} %.", "EF {n}.", "LVEF was {n}%.", "QRS {n} ms.", "PR interval 1{n} ms.", "Lesion of {n} mm.",
        "The ulcer measures {n} x 12 mm.", "Tumour {n} mm in diameter.", "Flexion to {n} degrees.", "Walks {n} metres.",
        "Mini-mental score {n}.", "Barthel index {n}.", "APACHE II score {n}.", "Score of {n} points.", "Grade {n} of the scale.",
        "Room {n}.", "Bed {n}.", "Ward {n}.", "Bay {n}, by the window.", "Case number {n}.", "Ref. no. {n}.", "Sample {n} was sent.",
        "Report ({n}) is attached.", "Page {n} of the file.", "See figure {n}.", "Temperature {n} F.", "Drank {n} ml of water.",
        "Vomited {n} times.", "Peak flow {n} %.", "FEV1 {n} % predicted.", "Cycle {n} of dialysis.", "Session {n} of physiotherapy.",
        "Urine output {n} ml per hour.", "Capillary glucose {n}.", "{n} tablets were left.", "She took {n} tablets.", "Lipase {n} U/l.",
    ),
    "de": (
        "Puls {n}, regelmäßig.", "Herzfrequenz {n}/min.", "HF {n}.", "RR 130/{n} mmHg.", "Blutdruck diastolisch {n}.", "Sättigung {n} %.",
        "SpO2 {n}%.", "Atemfrequenz {n}.", "AF {n}/min.", "Gewicht {n} kg.", "Sie wiegt {n} Kilogramm.", "Größe 1{n} cm.", "BMI {n}.",
        "BMI von {n}.", "Metoprolol {n} mg zweimal täglich.", "Insulin {n} Einheiten zur Nacht.", "Dosis auf {n} mg erhöht.",
        "L-Thyroxin {n} µg.", "Furosemid {n}mg morgens.", "Heparin {n} ml/h.", "{n} Tropfen zur Nacht.", "Atorvastatin {n},0 mg.",
        "Prednisolon ab {n} mg ausgeschlichen.", "Gentamicin {n} mg i.v.", "Vitamin D {n} IE wöchentlich.", "Kreatinin {n} µmol/l.",
        "Kreatinin war {n}.", "eGFR {n}.", "GFR von {n} ml/min.", "CRP {n}.", "CRP gefallen auf {n} mg/l.", "Hb {n} g/l.",
        "Hämoglobin {n} bei Aufnahme.", "Thrombozyten {n}.", "Kalium 4,{n}.", "Natrium 1{n} mmol/l.", "BSG {n} mm/h.", "Ferritin {n} ng/ml.",
        "GPT {n} U/l.", "GOT {n}, GPT {n}.", "Gamma-GT {n} U/l.", "HbA1c {n} mmol/mol.", "Glukose {n} mg/dl.", "TSH 2,{n} mU/l.",
        "INR 2,{n}.", "Troponin {n} ng/l.", "LDL {n} mg/dl.", "Bilirubin {n}.", "Albumin {n} g/l.", "Harnstoff {n}.", "LDH {n}.",
        "Leukozyten {n}.", "Lymphozyten {n} %.", "Schmerzen seit {n} Tagen.", "Beschwerden seit {n} Stunden.", "Blieb {n} Nächte.",
        "Kontrolle in {n} Wochen.", "Husten seit {n} Wochen.", "Die Operation dauerte {n} Minuten.", "{n} Packungsjahre.",
        "Zuletzt vor {n} Monaten gesehen.", "Ejektionsfraktion {n} %.", "EF {n}.", "LVEF {n}%.", "QRS {n} ms.", "PQ-Zeit 1{n} ms.",
        "Läsion von {n} mm.", "Das Ulkus misst {n} x 12 mm.", "Tumor {n} mm im Durchmesser.", "Beugung bis {n} Grad.", "Geht {n} Meter.",
        "Mini-Mental-Test {n} Punkte.", "Barthel-Index {n}.", "APACHE-II-Score {n}.", "Score von {n}.", "Zimmer {n}.", "Bett {n}.",
        "Station {n}.", "Fallnummer {n}.", "Nr. {n}.", "Probe {n} wurde versandt.", "Befund ({n}) liegt bei.", "Seite {n} der Akte.",
        "Siehe Abbildung {n}.", "Trank {n} ml Wasser.", "{n} Mal erbrochen.", "Peak-Flow {n} %.", "FEV1 {n} % vom Soll.", "Zyklus {n} der Dialyse.",
        "{n}. Sitzung der Physiotherapie.", "Urinmenge {n} ml pro Stunde.", "Blutzucker {n}.", "{n} Tabletten waren übrig.",
        "Nahm {n} Tabletten.", "Temperatur 3{n}.", "Nierenwert {n}.", "Quick {n} %.", "PTT {n} s.", "Cholesterin {n}.", "Lipase {n} U/l.",
    ),
}  # fmt: skip
