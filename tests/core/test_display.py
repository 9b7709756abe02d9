"""Objects show themselves in one line and in one small table, without a value of the data."""

import json

import pytest

import sfumato as sf
from sfumato.core.errors import OutputExistsError, ParameterError
from sfumato.core.measures import Risk, Utility
from sfumato.core.records import Candidate, OutputFile, Release


def candidate(**more):
    risk = Risk(0.0049661).with_interval(0.00188, 0.009471, method="bootstrap")
    utility = Utility(0.85931).with_interval(0.852, 0.866, method="bootstrap")
    return Candidate(id="r10", risk=risk, utility=utility, **more)


def test_a_candidate():
    shown = "<candidate r10: risk 0.004966 [0.00188, 0.00947], utility 0.8593 [0.852, 0.866]>"
    assert repr(candidate()) == str(candidate()) == shown
    assert repr(candidate(dominated=True)).endswith(", dominated>")
    plain = Candidate(id="p1", risk=Risk(0.5), utility=Utility(1.0))
    assert repr(plain) == "<candidate p1: risk 0.5, utility 1>"
    html = candidate()._repr_html_()
    assert html.startswith("<table><caption>candidate r10</caption>")
    assert "<th>risk</th><td>0.004966 [0.00188, 0.00947]</td>" in html


def test_a_release():
    release = Release(
        engine="text", candidate="r10", seed=0, counts={"documents": 1300, "failed": 0},
        outputs=(OutputFile(path="notes.jsonl"),), risk=Risk(0.01), withheld=({"id": "d7"}, {"id": "d8"}),
        left_out={"withheld": 2},
    )  # fmt: skip
    assert repr(release) == "<text release r10 → notes.jsonl: documents 1,300, withheld 2>"
    html = release._repr_html_()
    assert "<th>risk</th><td>0.01</td>" in html
    assert "d7" not in html
    given = Release.from_json(release.to_public_json())
    assert repr(given) == "<text release r10 → notes.jsonl: documents 1,300, withheld at most 5>"


def test_names_are_escaped(tmp_path):
    path = tmp_path / "<b>.jsonl"
    path.write_text('{"id": "d1", "text": "Ann called."}\n')
    corpus = sf.read_documents(path)
    assert repr(corpus) == "<Corpus <b>.jsonl: jsonl, text 'text', id 'id'>"
    assert "<b>" not in corpus._repr_html_()
    assert "Ann" not in repr(corpus) + corpus._repr_html_()


def test_a_corpus_of_several_files_and_one_without_ids(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("text\nAnn called.\n")
    found = sf.read_documents([tmp_path / "a.csv", tmp_path / "b.csv"], id=None)
    assert repr(found) == "<Corpus 2 files: csv, 2 files, text 'text', numbered>"


def test_a_table(tmp_path):
    (tmp_path / "register.csv").write_text("age,sex,zip,race,ill\n" + "1,f,a,b,flu\n" * 1200)
    quasi = [
        {"name": n, "role": "quasi", "domain": "observed"} for n in ("age", "sex", "zip", "race")
    ]
    schema = {"attribute": [*quasi, {"name": "ill", "role": "sensitive"}]}
    table = sf.read_table(tmp_path / "register.csv", schema)
    assert repr(table) == (
        "<Table register.csv: 1,200 rows, 4 quasi-identifiers (age, sex, zip, …), 1 sensitive>"
    )
    assert "flu" not in table._repr_html_()
    assert "<th>rows</th><td>1,200 rows</td>" in table._repr_html_()


@pytest.fixture(scope="module")
def found():
    people = {"age": [23, 27, 34, 36, 41, 48], "sex": ["f", "m", "f", "m", "f", "m"]}
    age = {"name": "age", "role": "quasi", "domain": {"range": [20, 49]}}
    sex = {"name": "sex", "role": "quasi", "domain": "observed"}
    return sf.tables.explore(people, schema={"attribute": [age, sex]}, evaluations=200)


def test_an_exploration(found):
    assert repr(found).startswith(f"<tables exploration: {len(found)} of ")
    html = found._repr_html_()
    assert html.count("<tr>") == len(found.candidates) + 1
    assert found.knee().id in html


def test_a_plot_is_the_chart_of_the_report(found, tmp_path):
    chart = found.plot()
    assert "linear" not in json.dumps(chart.spec["encoding"])
    assert chart.spec["datasets"]["chosen"][0]["name"] == "suggested"
    marked = found.plot(found.candidates[0].id, log=True)
    assert marked.spec["encoding"]["x"]["scale"]["type"] == "log"
    (point,) = marked.spec["datasets"]["chosen"]
    assert point["name"] == "chosen"
    assert point["utility"] == found.candidates[0].utility.value
    assert found.plot(found.candidates[0], log=True).spec == marked.spec
    assert "<svg" in chart._repr_html_()
    assert "http" not in chart._repr_html_().replace("http://www.w3.org", "")
    assert chart.save(tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert chart.save(tmp_path / "a.svg").read_text().startswith("<svg")
    assert json.loads(chart.save(tmp_path / "a.json").read_text()) == chart.spec
    with pytest.raises(OutputExistsError):
        chart.save(tmp_path / "a.png")
    chart.save(tmp_path / "a.png", force=True)
    with pytest.raises(ParameterError, match=r"use \.svg, \.png or \.json"):
        chart.save(tmp_path / "a.pdf")


def test_the_whole_way_in_python(found, tmp_path):
    """Explore, save, publish from the folder, report: every step of the front door, for real."""
    people = {"age": [23, 27, 34, 36, 41, 48], "sex": ["f", "m", "f", "m", "f", "m"]}
    found.save(tmp_path / "explored")
    (tmp_path / "people.csv").write_text(
        "age,sex\n" + "".join(f"{a},{s}\n" for a, s in zip(*people.values(), strict=True))
    )
    release = sf.tables.publish(
        tmp_path / "explored", tmp_path / "people.csv", max_risk=0.5, out=tmp_path / "released"
    )
    assert release.candidate == found.choose(max_risk=0.5).id
    same = sf.tables.publish(found, people, choose=found.choose(max_risk=0.5))
    assert same.num_rows == 6
    with pytest.raises(ParameterError, match="exactly one way"):
        sf.tables.publish(found, people, choose="knee", max_risk=0.5)
    report = sf.report(tmp_path / "explored", tmp_path / "released", out=tmp_path / "report")
    assert report.html.read_text().startswith("<!DOCTYPE html>")
    assert report.facts.is_file()
    assert report.pdf is None
    assert "report.html" in repr(report)
    (tmp_path / "plan.toml").write_text(
        '[tables]\ntable = "people.csv"\nevaluations = 50\nchoose = { max_risk = 0.5 }\n'
        'schema = "schema.toml"\n'
    )
    (tmp_path / "schema.toml").write_text(
        '[[attribute]]\nname = "age"\nrole = "quasi"\ndomain = { range = [20, 49] }\n'
        '[[attribute]]\nname = "sex"\nrole = "quasi"\ndomain = "observed"\n'
    )
    done = []
    result = sf.run(
        tmp_path / "plan.toml", out=tmp_path / "run",
        progress=lambda n=1, *, total=None, note="": done.append((n, total)),
    )  # fmt: skip
    assert result.report.is_file()
    assert done == [(1, 3)] * 3
