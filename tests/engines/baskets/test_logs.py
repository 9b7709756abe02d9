"""Logs as they come: people, baskets, quantities; written back in the same form."""

import json

import numpy as np
import pandas as pd
import pytest

from sfumato.baskets import explore, load
from sfumato.core import DataError, FormatError, InputError, ParameterError
from sfumato.data.logs import LogColumns, read_log
from sfumato.engines.baskets.attack.people import PublishedPeople
from sfumato.workbench import run


def events(seed=0, people=120):
    """Events of people with several baskets: who, basket, date, item, how many."""
    rng = np.random.default_rng(seed)
    rows = []
    for p in range(people):
        for b in range(rng.integers(1, 4)):
            rows += [
                (f"p{p:03}", f"p{p:03}b{b}", "2024-01-02", f"item {min(i, 30)}", rng.integers(1, 4))
                for i in np.unique(rng.zipf(1.6, rng.integers(1, 6)))
            ]
    return pd.DataFrame(rows, columns=["who", "basket", "day", "what", "many"])


def written(frame, path):
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".tsv":
        frame.to_csv(path, index=False, sep="\t")
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_a_log_is_published_in_its_own_form_with_people_as_rows(suffix, tmp_path):
    frame = events()
    path = written(frame, tmp_path / f"log{suffix}")
    before = path.read_bytes()
    found = explore(path, k=4, log="item=what,person=who", method=["columns", "cells", "rows"])
    assert found.record.rows == frame["who"].nunique()
    folder = tmp_path / "frontier"
    folder.mkdir()
    found.save(folder)
    release = load(folder).publish(
        "cells-k4", path, log="item=what,person=who", out=tmp_path / "out"
    )
    assert path.read_bytes() == before
    out = tmp_path / "out" / path.name
    again = read_log(out, LogColumns("what", "who"))
    assert release.promised >= 4
    assert again.matrix.sum() == release.counts["ones"]
    raw = out.read_bytes()
    assert b"p001" not in raw
    assert b"2024" not in raw
    pairs = set(zip(frame["who"], frame["what"], strict=True))
    items = frame.drop_duplicates(["who", "what"])["what"].value_counts()
    kept = (
        again.matrix.sum(axis=0).A1
        if hasattr(again.matrix.sum(axis=0), "A1")
        else again.matrix.sum(axis=0)
    )
    for name, count in zip(again.feature_names, np.ravel(kept), strict=True):
        assert 4 <= count <= items[name]
    assert release.counts["ones"] <= len(pairs)
    single = tmp_path / f"single{suffix}"
    found.publish("cells-k4", path, out=single)  # the frontier knows the columns
    assert single.read_bytes() == raw
    assert (tmp_path / "single.release.json").exists()


def test_a_release_whose_name_has_a_dot_is_a_folder_unless_it_names_a_log(tmp_path):
    """A step of a plan is written into such a folder, and a person may call one after a version."""
    path = written(events(), tmp_path / "log.parquet")
    found = explore(path, k=4, log="item=what,person=who", method="columns")
    found.publish(found.knee(), path, out=tmp_path / "release.v2")
    assert (tmp_path / "release.v2" / "log.parquet").is_file()
    (tmp_path / "elsewhere").mkdir()  # two releases side by side would be told of
    found.publish(found.knee(), path, out=tmp_path / "elsewhere" / "log.v2.tsv")
    assert (tmp_path / "elsewhere" / "log.v2.tsv").read_bytes().startswith(b"who\twhat\n")


def test_a_plan_publishes_a_log(tmp_path):
    written(events(), tmp_path / "log.parquet")
    (tmp_path / "plan.toml").write_text(
        'out = "out"\n[baskets]\nmatrix = "log.parquet"\nlog = { item = "what", person = "who" }\n'
        'k = [4]\nmethod = ["columns"]\nchoose = "knee"\n'
    )
    run(tmp_path / "plan.toml")
    again = read_log(
        tmp_path / "out" / "release" / "baskets" / "log.parquet", LogColumns("what", "who")
    )
    assert len(again) > 0
    # the run keeps the private side of its parts where `attack --with` looks for it
    assert PublishedPeople.of(tmp_path / "out" / "release" / "baskets").matrix.n == len(again)


def test_a_log_in_a_workbook_is_published_as_csv(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "log.xlsx"
    events().drop(columns="day").to_excel(path, index=False)
    found = explore(path, k=4, log="item=what,person=who", method="columns")
    release = found.publish(found.knee(), path, out=tmp_path / "out")
    again = read_log(tmp_path / "out" / "log.csv", LogColumns("what", "who"))
    assert again.matrix.sum() == release.counts["ones"]


def test_quantities_and_baskets(tmp_path):
    frame = events(1)
    path = written(frame, tmp_path / "log.csv")
    by_basket = read_log(path, LogColumns("what", "basket"))
    assert len(by_basket) == frame["basket"].nunique()
    totals = frame.groupby(["who", "what"])["many"].sum()
    many = read_log(path, LogColumns("what", "who", "many", 3))
    assert many.matrix.sum() == (totals >= 3).sum()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"log": "item=what"}, ParameterError, "no column names the person"),
        ({"log": "person=who"}, ParameterError, "column of the items is not named"),
        ({"log": "item=wath,person=who"}, DataError, "no column 'wath'"),
        (
            {"log": "item=what,person=who,quantity=day"},
            DataError,
            "events have a 'day' that is not a number",
        ),
        ({"labels": np.zeros(3)}, InputError, "no labels"),
    ],
)
def test_wrong_calls_are_answered_in_one_sentence(change, error, message, tmp_path):
    path = written(events(2), tmp_path / "log.csv")
    with pytest.raises(error, match=message) as found:
        explore(path, k=3, **{"log": "item=what,person=who", **change})
    assert "p001" not in str(found.value)


@pytest.mark.parametrize("log", ["item=artikel,person=klant", "item=insulin,person=Damienne"])
def test_a_log_without_a_header_is_told_without_its_first_line(log, tmp_path):
    """What stands where names of columns should be may be a person's: it is not repeated."""
    path = tmp_path / "log.csv"
    path.write_text("Damien Boulangeot;thyroxine;3\nIda Nouvellet;metformin;2\n")
    with pytest.raises(DataError, match="it has 3 columns") as found:
        explore(path, k=2, log=log)
    told = f"{found.value} {found.value.hint}"
    assert "Boulangeot" not in told
    assert "thyroxine" not in told


def test_lines_that_are_no_events(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({"who": "a", "what": "b"}) + "\n[1]\n")
    with pytest.raises(FormatError, match="Line 2 of"):
        read_log(path, LogColumns("what", "who"))


def test_the_separator_of_a_log_is_kept(tmp_path):
    path = tmp_path / "log.csv"
    events(people=40).to_csv(path, index=False, sep=";")
    found = explore(path, k=3, log="item=what,person=who", method=["columns"])
    found.save(tmp_path / "frontier")
    chosen = found.record.candidates[0].id
    load(tmp_path / "frontier").publish(
        chosen, path, log="item=what,person=who", out=tmp_path / "out"
    )
    assert (tmp_path / "out" / "log.csv").read_text().startswith("who;what\n")
