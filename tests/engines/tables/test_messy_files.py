"""Files as offices send them, German and French: drafted, published and opened again with the same meaning."""

import tomllib

import numpy as np
import pandas as pd
import pytest

from sfumato import tables
from sfumato.data.schema_draft import draft_schema
from sfumato.data.table_schema import TableSchema

ROWS = 240


def comma(numbers):
    return pd.Series(numbers).map(lambda n: f"{n:.1f}".replace(".", ","))


def people(seed):
    """Ages, days of birth, weights and codes, before anybody writes them down."""
    dice = np.random.default_rng(seed)
    days = pd.to_datetime("1950-01-01") + pd.to_timedelta(dice.integers(0, 3_000, ROWS), "D")
    return dice, days, dice.normal(70, 12, ROWS).round(1)


def german():
    dice, days, weight = people(3)
    frame = pd.DataFrame(
        {
            "Patienten-Nr": [f"P{n:05d}" for n in dice.permutation(ROWS)],
            "Geburtsdatum": days.strftime("%d.%m.%Y"),
            "Geschlecht": dice.choice(["männlich", "weiblich"], ROWS),
            "Familienstand": dice.integers(1, 4, ROWS).astype(str),
            "Gewicht": comma(weight),
            "Krankheit": dice.choice(["Müdigkeit; chronisch", 'sog. "Grippe"', "Übelkeit"], ROWS),
        }
    )
    frame.loc[[3, 50], "Geburtsdatum"] = ["NA", "k.A."]
    frame.loc[[5, 9, 70], "Gewicht"] = ["-", "k.A.", ""]
    return frame, "%d.%m.%Y", ["NA", "k.A.", "-"]


def french():
    dice, days, weight = people(4)
    frame = pd.DataFrame(
        {
            "Numéro": [f"N° {n}" for n in dice.permutation(ROWS)],
            "Date de naissance": days.strftime("%d/%m/%Y"),
            "Sexe": dice.choice(["féminin", "masculin"], ROWS),
            "Commune": dice.choice(["Saint-Étienne", "L'Haÿ-les-Roses", "Évry"], ROWS),
            "Poids": comma(weight),
            "Maladie": dice.choice(["fièvre; aiguë", "œdème", "asthme"], ROWS),
        }
    )
    frame.loc[[3, 51], "Date de naissance"] = ["n/d", "ND"]
    frame.loc[[5, 9, 71], "Poids"] = ["n/d", "-", ""]
    return frame, "%d/%m/%Y", ["n/d", "ND", "-"]


def decided(path, weight):
    """Return the draft with the steward's decisions: the weight is kept, in means of five people."""
    content = tomllib.loads(draft_schema(path))
    for attribute in content["attribute"]:
        attribute.pop("undecided", None)
        if attribute["name"] == weight:
            attribute.pop("domain", None)
            attribute.update(role="other", publish={"microaggregate": 5})
    return content


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (german, ("Patienten-Nr", "Geburtsdatum", "Gewicht", "Krankheit")),
        (french, ("Numéro", "Date de naissance", "Poids", "Maladie")),
    ],
)
def test_a_messy_file_keeps_its_meaning(tmp_path, make, names):
    frame, written, marks = make()
    identifier, birth, weight, illness = names
    path = tmp_path / "in.csv"
    path.write_bytes(
        b"\xef\xbb\xbf" + frame.to_csv(sep=";", index=False, lineterminator="\r\n").encode()
    )
    schema = decided(path, weight)
    drafted = {a.name: a for a in TableSchema.model_validate(schema).attributes}
    assert drafted[identifier].role == "identifier"
    assert drafted[illness].role == "sensitive"
    assert (drafted[birth].date.format, drafted[birth].meaning) == (written, "birth date")
    assert {*drafted[birth].missing_values, *drafted[weight].missing_values} == set(marks)
    assert drafted[weight].decimal == ","

    found = tables.explore(path, schema=schema, evaluations=150, min_k=4)
    chosen = max(found, key=lambda c: c.utility.value)
    found.publish(chosen, path, out=tmp_path / "out.csv")
    text = (tmp_path / "out.csv").read_bytes()
    assert text.count(b";") > ROWS  # the separator of the file that came
    out = pd.read_csv(
        tmp_path / "out.csv", sep=";", decimal=",", encoding="utf-8-sig", keep_default_na=False,
        na_values={weight: [""]},
    )  # fmt: skip
    assert list(out.columns) == [c for c in frame.columns if c != identifier]
    assert len(out) == ROWS

    before = frame.replace(marks, np.nan)
    numbers = pd.to_numeric(before[weight].str.replace(",", "."))
    assert out[weight].dtype == float
    assert out[weight].isna().sum() == numbers.isna().sum() == 3
    assert out[weight].mean() == pytest.approx(numbers.mean(), abs=0.1)
    assert sorted(out[illness]) == sorted(frame[illness])

    label = {(name, value): shown for name, value, shown in found.policy(chosen).mapping()}
    months = pd.to_datetime(before[birth], format=written).dt.strftime("%Y-%m")
    values = before.assign(**{birth: months}).fillna("?")
    quasi = list(found.payload.lattice.names)
    shown = pd.DataFrame({q: [label[q, v] for v in values[q]] for q in quasi})
    both = [list(map(tuple, t[quasi].astype(str).to_numpy())) for t in (shown, out)]
    assert sorted(both[0]) == sorted(both[1])
