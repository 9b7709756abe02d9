"""A canary name is planted in every kind of input; it may appear in published data, and nowhere else."""

import json

import pytest
from typer.testing import CliRunner

from sfumato.cli import build
from sfumato.data.documents import write_documents
from sfumato.data.samples.notes import clinic_notes

CANARY = "Quixadelmo"


def run(*arguments):
    """Run a command as from a shell; give its exit status and all that it said."""
    line = [str(a) for a in arguments]
    done = CliRunner().invoke(build(line[:1]), line)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout + done.stderr


def silent(text):
    assert CANARY.lower() not in text.lower()


def lines_of(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


GOOD = {"id": "a", "text": f"{CANARY} came.", "spans": [{"start": 0, "end": 10, "label": "NAME"}]}
BAD_DOCUMENTS = {
    "cut.jsonl": lines_of(GOOD) + '{"id": "b", "text": "' + CANARY,
    "kind.jsonl": lines_of(GOOD, {"id": "b", "text": [CANARY]}),
    "span.jsonl": lines_of({**GOOD, "spans": [{"start": 3, "end": 900, "label": "NAME"}]}),
    "label.jsonl": lines_of({**GOOD, "spans": [{"start": 0, "end": 2, "label": {CANARY: 1}}]}),
    "twice.jsonl": lines_of(GOOD, GOOD),
    "number.jsonl": lines_of({**GOOD, "spans": f"{CANARY}"}),
    "ragged.csv": f"id,text,spans\na,{CANARY},,{CANARY}\n",
    "spans.csv": f'id,text,spans\na,{CANARY},"[{CANARY}"\n',
    "quote.csv": f'id,text,spans\na,"{CANARY},\n',
    "tags.conll": f"{CANARY} B-NAME\n{CANARY}\n",
    "broken.parquet": f"PAR1{CANARY}PAR1",
    "broken.jsonl.gz": CANARY,
}


@pytest.mark.parametrize("name", BAD_DOCUMENTS)
def test_bad_documents(tmp_path, name):
    (tmp_path / name).write_text(BAD_DOCUMENTS[name])
    out = tmp_path / "out"
    status, said = run("text", "explore", tmp_path / name, "--label", "NAME", "--out", out)
    assert status == 2, said
    assert "sfumato:" in said
    silent(said)
    assert sorted(p.name for p in tmp_path.iterdir()) == [name]


SCHEMA = """missing = "error"
[[attribute]]
name = "age"
role = "quasi"
domain = { range = [0, 120] }
[[attribute]]
name = "sex"
role = "quasi"
domain = { values = ["f", "m"] }
"""
BAD_TABLES = {
    "domain": {"table.csv": f"age,sex\n30,f\n31,{CANARY}\n"},
    "range": {"table.csv": f"age,sex\n{CANARY},f\n31,m\n"},
    "ragged": {"table.csv": f"age,sex\n30,f\n31,m,{CANARY}\n"},
    "quote": {"table.csv": f'age,sex\n30,f\n31,"m{CANARY}\n'},
    "bytes": {"table.csv": b"age,sex\n30,f\n31," + CANARY.encode() + b"\xff\n"},
    "crowd": {"population.csv": f"age,sex,count\n30,f,{CANARY}\n"},
    "people": {"population.csv": f"age,sex,count\n30,{CANARY},4\n"},
}


@pytest.mark.parametrize("kind", BAD_TABLES)
def test_bad_tables(tmp_path, kind):
    files = {
        "schema.toml": SCHEMA, "table.csv": "age,sex\n30,f\n31,m\n",
        "population.csv": "age,sex,count\n30,f,4\n31,m,4\n", **BAD_TABLES[kind],
    }  # fmt: skip
    for name, content in files.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    status, said = run(
        "tables", "explore", tmp_path / "table.csv", "--schema", tmp_path / "schema.toml",
        "--population", tmp_path / "population.csv", "--out", tmp_path / "out", "--evaluations", 5,
    )  # fmt: skip
    silent(said)
    if kind != "people":  # a population may hold values that the table has not
        assert status == 2, said
        assert sorted(p.name for p in tmp_path.iterdir()) == sorted(files)


BAD_BASKETS = {
    "cell.csv": f"a,b,y\n1,{CANARY},p\n0,1,q\n",
    "ragged.csv": f"a,b,y\n1,0,p,{CANARY}\n0,1,q\n",
    "value.svm": f"1 1:1 2:{CANARY}\n",
    "index.svm": f"1 {CANARY}:1\n",
    "broken.npz": CANARY,
    "bytes.txt": b"a b\n" + CANARY.encode() + b"\xff\n",
}


@pytest.mark.parametrize("name", BAD_BASKETS)
def test_bad_baskets(tmp_path, name):
    content = BAD_BASKETS[name]
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "y.txt").write_text("p\nq\n")
    status, said = run(
        "baskets", "explore", tmp_path / name, "--labels", tmp_path / "y.txt", "--k", 2,
        "--out", tmp_path / "out",
    )  # fmt: skip
    assert status == 2, said
    silent(said)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([name, "y.txt"])


@pytest.mark.parametrize(
    "content",
    [f'{{"a": "{CANARY}"}}', f'{{"a": [{{"start": "{CANARY}"}}]}}', CANARY, f'{{"id": "{CANARY}'],
)
def test_bad_findings(tmp_path, content):
    notes = clinic_notes(8)
    write_documents(notes, like="jsonl", out=tmp_path / "notes.jsonl")
    (tmp_path / "findings.json").write_text(content)
    status, said = run(
        "text", "explore", tmp_path / "notes.jsonl", "--label", "NAME",
        "--findings", tmp_path / "findings.json", "--out", tmp_path / "out",
    )  # fmt: skip
    assert status == 2, said
    silent(said)


def test_what_is_withheld(tmp_path):
    """A record that fails is listed apart from the release, by its id: by both commands, and told."""
    write_documents(clinic_notes(40), like="jsonl", out=tmp_path / "notes.jsonl")
    (tmp_path / "more.jsonl").write_text(
        lines_of({"id": "n1", "text": f"{CANARY} came."}, {"id": "n2", "text": [CANARY]})
    )
    (tmp_path / "plan.toml").write_text(
        '[text]\ncorpus = "notes.jsonl"\nlabels = ["NAME"]\nratios = [10]\nfolds = 2\n'
        "choose = { ratio = 10 }\n"
        'publish = "more.jsonl"\n'
    )
    status, said = run("run", tmp_path / "plan.toml", "--out", tmp_path / "out")
    assert status == 1, said
    assert str(tmp_path / "out" / "private") in said
    silent(said)
    listed = list(tmp_path.rglob("*quarantine*"))
    assert listed == [tmp_path / "out" / "private" / "text" / "quarantine.jsonl"]
    reason = "holds a list where its text should be"
    assert json.loads(listed[0].read_text()) == {"id": "n2", "reason": reason}
    model, out = tmp_path / "out" / "private" / "text", tmp_path / "release"
    status, said = run(
        "text", "publish", model, tmp_path / "more.jsonl", "--ratio", 10, "--out", out
    )
    assert status == 1, said
    assert f"{out}.quarantine.jsonl lists them by id" in said
    silent(said)
    assert (tmp_path / "release.quarantine.jsonl").read_bytes() == listed[0].read_bytes()
    assert sorted(p.name for p in out.iterdir()) == ["more.jsonl", "release.json"]
