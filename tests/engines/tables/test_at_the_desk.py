"""What a steward meets at the desk: marks of missing cells, commas, policies by hand, the knee, hints."""

import json

import numpy as np
import pandas as pd
import pytest

from sfumato import tables
from sfumato.core.errors import DataError, FormatError, PlanError
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
    for wrong in ({"intervals": {"age": ["0-4"]}}, {"intervals": 3}, {"levels": {"age": 1}}, {}):
        by_hand.write_text(json.dumps(wrong))
        with pytest.raises(FormatError):
            found.candidate_of(by_hand)


def test_a_policy_written_by_levels_is_published_and_measured(tmp_path):
    frame = ill()
    frame.loc[:9, "age"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "icd.csv").write_text(
        "".join(f"{c};{'ab'[c > 2]};{'xy'[c > 4]};*\n" for c in range(1, 6))
    )
    schema = {
        "missing": "value",
        "attribute": [
            {**SCHEMA["attribute"][0], "hierarchy": {"widths": [2, 4]}},
            SCHEMA["attribute"][1],
            {**SCHEMA["attribute"][2], "role": "quasi", "domain": "observed",
             "hierarchy": str(tmp_path / "icd.csv")},
        ],
    }  # fmt: skip
    found = tables.explore(tmp_path / "t.csv", schema=schema, evaluations=50)
    found.save(tmp_path / "frontier")
    by_hand = tmp_path / "hand.json"
    content = {"levels": {"age": 2, "icd": 1}, "intervals": {"sex": ["f", "m"]}}
    by_hand.write_text(json.dumps(content))
    release = tables.publish(
        tables.load(tmp_path / "frontier"),
        tmp_path / "t.csv",
        choose=f"policy={by_hand}",
        out=tmp_path / "o.csv",
    )
    out = pd.read_csv(tmp_path / "o.csv", dtype=str, keep_default_na=False)
    assert set(out["age"]) == {"0-3", "4-7", "8-9", "?"}
    assert set(out["icd"]) == {"a", "b"}
    assert release.measured.k == out.groupby(["age", "sex", "icd"]).size().min()
    nothing = {"levels": {"age": 3, "icd": 3}, "intervals": {"sex": ["f|m"]}}
    by_hand.write_text(json.dumps(nothing))
    top = found.candidate_of(by_hand)
    assert [len(ends) for ends in top.ends.values()] == [1, 1, 1]
    for level in (4, -1, True, "1"):
        by_hand.write_text(json.dumps({"levels": {"age": level}}))
        with pytest.raises(FormatError, match="levels 0 to 3"):
            found.candidate_of(by_hand)
    for wrong, told in [
        ({"levels": {"sex": 0}}, "no hierarchy"),
        ({"levels": {"ages": 0}}, "does not have"),
        ({"levels": {"age": 0}, "intervals": {"age": ["0-9"]}}, "intervals and a level"),
    ]:
        by_hand.write_text(json.dumps(wrong))
        with pytest.raises(FormatError, match=told):
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


def coded(rows=400, seed=1):
    """People with codes whose numbers mean nothing: 1 and 4 are common, 2 and 3 are rare."""
    dice = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "married": dice.choice([1, 2, 3, 4], rows, p=[0.45, 0.04, 0.06, 0.45]),
            "age": dice.integers(0, 10, rows),
            "icd": dice.choice([1, 2, 3, 4, 5], rows),
        }
    )


def test_codes_of_a_quasi_identifier_are_names_where_the_schema_says_so(tmp_path):
    frame = coded()
    married = {"name": "married", "role": "quasi", "domain": "observed", "ordered": False}
    schema = {"attribute": [married, SCHEMA["attribute"][0], SCHEMA["attribute"][2]]}
    found = tables.explore(frame, schema=schema, evaluations=300, min_k=5)
    domain = found.payload.lattice.domains[0]
    assert set(domain[:2]) == {"1", "4"}  # by how many people hold them
    labels = {label for c in found for label in found.policy(c).labels(0)}
    assert not any("-" in label or "≤" in label for label in labels)
    assert "2|3" in labels
    by_number = {"attribute": [{**married, "ordered": True}, *schema["attribute"][1:]]}
    ordered = tables.explore(frame, schema=by_number, evaluations=300, min_k=5)
    assert ordered.payload.lattice.domains[0] == ("1", "2", "3", "4")
    found.save(tmp_path / "f")
    chosen = next(c for c in found if "2|3" in found.policy(c).labels(0))
    published = tables.load(tmp_path / "f").publish(chosen.id, frame)
    assert set(published["married"]) <= {"1", "4", "1|4", "2|3", "1|2|3", "2|3|4", "*"}
    means = [f.of for f in found.compare(chosen, frame).figures if f.kind == "mean"]
    assert means == ["age"]
    with pytest.raises(PlanError, match="without an order"):
        wrong = {**married, "domain": {"range": [1, 4]}}
        tables.explore(frame, schema={"attribute": [wrong, *schema["attribute"][1:]]})


def test_a_draft_knows_codes_that_have_no_order():
    schema = TableSchema.model_validate(_toml(draft_schema(coded())))
    found = {a.name: a for a in schema.attributes}
    assert (found["married"].domain, found["married"].ordered) == ("observed", False)
    assert found["age"].ordered


def test_closeness_of_codes_is_that_of_names_and_not_of_numbers():
    """The shares of five diagnoses for which .516 was told, in steps between numbers, where names are .8945 apart."""
    codes = np.repeat([1, 2, 3, 4, 5], [211, 650, 339, 400, 400])
    frame = pd.DataFrame({"age": np.where(np.arange(2000) < 20, 0, 9), "sex": "f", "icd": codes})
    for is_code, wanted in ((False, 0.516), (True, 0.8945)):
        icd = {**SCHEMA["attribute"][2], "ordered": not is_code}
        asked = {"attribute": [*SCHEMA["attribute"][:2], icd]}
        found = tables.explore(frame, schema=asked, evaluations=50)
        best = max(found, key=lambda c: c.utility.value)
        assert best.t_closeness["icd"] == pytest.approx(wanted, abs=1e-9)


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
