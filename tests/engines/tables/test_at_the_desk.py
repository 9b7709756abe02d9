"""What a steward meets at the desk: marks of missing cells, commas, policies by hand, the knee, hints."""

import json

import numpy as np
import pandas as pd
import pytest

from sfumato import tables
from sfumato.core.errors import DataError, FormatError
from sfumato.data.schema_draft import draft_schema
from sfumato.data.table_schema import TableSchema
from sfumato.data.table_source import TableSource


def german(rows=200, seed=0):
    """Patients as a German office writes them: semicolons, decimal commas, marks of missing cells."""
    dice = np.random.default_rng(seed)
    days = pd.to_datetime("1950-01-01") + pd.to_timedelta(dice.integers(0, 20_000, rows), "D")
    weight = pd.Series(dice.normal(70, 12, rows).round(1)).astype(str).str.replace(".", ",")
    frame = pd.DataFrame(
        {
            "Geburtsdatum": days.strftime("%d.%m.%Y"),
            "Geschlecht": dice.choice(["w", "m"], rows),
            "Gewicht": weight,
            "Alter": dice.integers(18, 90, rows).astype(str),
        }
    )
    frame.loc[3, "Geburtsdatum"] = "NA"
    frame.loc[[5, 9], "Gewicht"] = ["-", "k.A."]
    frame.loc[7, "Alter"] = "n/d"
    return frame


def test_marks_of_missing_cells_are_proposed_and_hide_nothing():
    schema = TableSchema.model_validate(_toml(draft_schema(german())))
    found = {a.name: a for a in schema.attributes}
    assert found["Geburtsdatum"].missing_values == ["NA"]
    assert found["Geburtsdatum"].date.format == "%d.%m.%Y"
    assert found["Geburtsdatum"].meaning == "birth date"
    assert found["Gewicht"].missing_values == ["-", "k.A."]
    assert found["Gewicht"].decimal == ","
    assert found["Alter"].missing_values == ["n/d"]
    assert found["Alter"].domain.range is not None
    assert found["Geschlecht"].missing_values == []


def test_a_word_that_is_also_a_mark_stays_a_value_among_words():
    frame = pd.DataFrame({"country": ["NA", "DE", "FR", "ZA"] * 6, "sex": ["f", "m"] * 12})
    schema = TableSchema.model_validate(_toml(draft_schema(frame)))
    assert all(a.missing_values == [] for a in schema.attributes)


def _toml(text):
    import tomllib

    found = tomllib.loads(text)
    for attribute in found["attribute"]:
        attribute.pop("undecided", None)
    return found


def test_treated_numbers_keep_the_comma_they_were_read_with(tmp_path):
    frame = german().drop(columns="Geburtsdatum")
    frame["Hoehe"] = "1,75"
    path = tmp_path / "patienten.csv"
    frame.to_csv(path, sep=";", index=False)
    schema = {
        "decimal": ",",
        "missing": "value",
        "attribute": [
            {"name": "Geschlecht", "role": "quasi", "domain": "observed"},
            {
                "name": "Alter",
                "role": "quasi",
                "domain": {"range": [0, 120]},
                "missing_values": ["n/d"],
            },
            {
                "name": "Gewicht",
                "role": "other",
                "missing_values": ["-", "k.A."],
                "publish": {"microaggregate": 5},
            },
            {"name": "Hoehe", "role": "other"},
        ],
    }
    found = tables.explore(path, schema=schema, evaluations=60)
    found.publish(found.knee(), path, out=tmp_path / "out.csv")
    read = pd.read_csv(tmp_path / "out.csv", sep=";", decimal=",")
    assert read["Gewicht"].dtype == float
    assert read["Hoehe"].dtype == float
    before = pd.read_csv(path, sep=";", decimal=",", na_values=["-", "k.A."])["Gewicht"]
    assert read["Gewicht"].mean() == pytest.approx(before.mean(), abs=0.1)
    assert read["Gewicht"].isna().sum() == 2


SCHEMA = {
    "attribute": [
        {"name": "age", "role": "quasi", "domain": {"range": [0, 9]}},
        {"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}},
        {"name": "icd", "role": "sensitive"},
    ]
}


def ill(rows=300, seed=0):
    dice = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": dice.integers(0, 10, rows),
            "sex": dice.choice(["f", "m"], rows),
            "icd": dice.choice([1, 2, 3, 4, 5], rows, p=[0.5, 0.1, 0.1, 0.1, 0.2]),
        }
    )


def test_a_policy_written_by_hand_is_published_and_measured(tmp_path):
    frame = ill()
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = tables.explore(tmp_path / "t.csv", schema=SCHEMA, evaluations=50)
    by_hand = tmp_path / "hand.json"
    by_hand.write_text(json.dumps({"intervals": {"age": ["0-4", "5-9"], "sex": ["f|m"]}}))
    release = tables.publish(
        found, tmp_path / "t.csv", choose=f"policy={by_hand}", out=tmp_path / "o.csv"
    )
    out = pd.read_csv(tmp_path / "o.csv", dtype=str)
    assert set(out["age"]) == {"0-4", "5-9"}
    assert set(out["sex"]) == {"*"}
    assert release.measured.k == out.groupby(["age", "sex"]).size().min()
    assert "sex" in " ".join(line for line in release.lines() if "same for everybody" in line)
    for wrong in ({"intervals": {"age": ["0-4"]}}, {"intervals": 3}, {"levels": {"age": 1}}):
        by_hand.write_text(json.dumps(wrong))
        with pytest.raises(FormatError):
            found.candidate_of(by_hand)


def test_the_knee_stands_in_the_list_with_the_columns_that_it_makes_constant():
    found = tables.explore(ill(2000), schema=SCHEMA, evaluations=400)
    lines = found.lines()
    assert len(found.candidates) > 12
    assert sum(line.startswith(found.knee().id) and "knee" in line for line in lines) == 1
    coarse = tables.explore(ill(40), schema=SCHEMA, evaluations=100, min_k=15)
    assert len(coarse.knee().ends["sex"]) == 1 or len(coarse.knee().ends["age"]) == 1
    assert any("same for everybody" in line for line in coarse.lines())


def test_codes_are_not_ordered_where_the_schema_says_so(tmp_path):
    frame = ill()
    codes = {"attribute": [*SCHEMA["attribute"][:2], {**SCHEMA["attribute"][2], "ordered": False}]}
    found = tables.explore(frame, schema=codes, evaluations=80)
    chosen = max(found, key=lambda c: c.utility.value)
    out = found.publish(chosen, frame)
    whole = frame["icd"].value_counts(normalize=True)
    far = out.groupby(["age", "sex"])["icd"].apply(
        lambda v: (
            v.value_counts(normalize=True).reindex(whole.index, fill_value=0).sub(whole).abs().sum()
            / 2
        )
    )
    assert chosen.t_closeness["icd"] == pytest.approx(far.max(), abs=1e-6)
    plain = tables.explore(frame, schema=SCHEMA, evaluations=80)
    same = max(plain, key=lambda c: c.utility.value)
    assert same.t_closeness["icd"] < chosen.t_closeness["icd"]
    frame.to_csv(tmp_path / "t.csv", index=False)
    release = found.publish(chosen, tmp_path / "t.csv", out=tmp_path / "o.csv")
    assert release.measured.t_closeness["icd"] == pytest.approx(far.max(), abs=1e-6)
    found.save(tmp_path / "f")
    assert not tables.load(tmp_path / "f").payload.schema.attributes[2].ordered


def test_hints_name_the_remedy(tmp_path):
    frame = ill()
    later = frame.assign(age=frame["age"] + 1)
    with pytest.raises(DataError, match="open_ends"):
        tables.explore(later, schema=SCHEMA, evaluations=20)
    marked = frame.astype(str)
    marked.loc[4, "age"] = "NaN"
    with pytest.raises(DataError, match="missing_values"):
        tables.explore(marked, schema=SCHEMA, evaluations=20)
    with pytest.raises(DataError, match="did you mean 'genders'"):
        TableSource.open(pd.DataFrame({"genders": ["f"]})).require(["gender"])
    (tmp_path / "latin.csv").write_bytes("age,sex,icd\n1,f,Bäcker\n".encode("cp1252"))
    with pytest.raises(FormatError, match="iconv -f CP1252"):
        tables.explore(tmp_path / "latin.csv", schema=SCHEMA, evaluations=20)


def test_people_and_rows_that_are_left_out_are_both_counted(tmp_path):
    dice = np.random.default_rng(2)
    frame = ill(300, seed=4)
    frame["age"] = np.where(np.arange(len(frame)) < 6, 9, frame["age"] % 3)
    frame["pid"] = dice.integers(0, 120, len(frame))
    schema = {"attribute": [*SCHEMA["attribute"], {"name": "pid", "role": "person"}]}
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = tables.explore(
        tmp_path / "t.csv", schema=schema, evaluations=100, min_k=10, suppress=0.2
    )
    chosen = max(found, key=lambda c: c.suppressed)
    release = found.publish(chosen, tmp_path / "t.csv", out=tmp_path / "o.csv")
    out = pd.read_csv(tmp_path / "o.csv")
    assert chosen.suppressed > 0
    assert release.left_out["suppressed_rows"] == len(frame) - len(out)
    people, rows = release.left_out["suppressed_people"], release.left_out["suppressed_rows"]
    assert any(f"{people:,} people, {rows:,} rows" in line for line in release.lines())
