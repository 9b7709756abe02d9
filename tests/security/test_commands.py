"""The findings that lived in outputs and records, as the commands of all three engines meet them."""

import csv
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

ENGINES = ("tables", "text", "baskets")


def sfumato(*words, status=0):
    """Run a command in this process; return what it said."""
    from sfumato.cli import build

    line = [str(word) for word in words]
    done = CliRunner().invoke(build(line[:1]), line)
    assert done.exit_code == status, f"{' '.join(line)}\n{done.output}\n{done.exception!r}"
    return done.output


@pytest.fixture
def at(written, tmp_path):
    """Give the inputs and what explore wrote, in a folder of the test's own."""
    for entry in written.iterdir():
        if entry.is_file():
            shutil.copy(entry, tmp_path / entry.name)
        elif entry.name.endswith("-explored"):
            shutil.copytree(entry, tmp_path / entry.name)
    return tmp_path


def explore_line(at, engine, out):
    return {
        "tables": ["tables", "explore", at / "register.csv", "--schema", at / "schema.toml",
                   "--evaluations", 20],
        "text": ["text", "explore", at / "learn.jsonl", "--label", "NAME", "--ratios", 10,
                 "--folds", 2, "--attackers", "none"],
        "baskets": ["baskets", "explore", at / "purchases.npz", "--labels",
                    at / "purchases.labels.txt", "--k", 5, "--selector", "hamdist", "--folds", 2],
    }[engine] + ["--out", out]  # fmt: skip


def publish_line(at, engine, out):
    return {
        "tables": ["tables", "publish", at / "tables-explored", at / "register.csv", "--choose", "knee"],
        "text": ["text", "publish", at / "text-explored", at / "bare.jsonl", "--ratio", 10],
        "baskets": ["baskets", "publish", at / "baskets-explored", at / "purchases.npz", "--labels",
                    at / "purchases.labels.txt", "--choose", "knee"],
    }[engine] + ["--out", out]  # fmt: skip


def source_of(at, engine):
    return at / {"tables": "register.csv", "text": "bare.jsonl", "baskets": "purchases.npz"}[engine]


def contents(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("engine", ENGINES)
def test_m7_inputs_and_strangers_files_survive_every_force(at, engine):
    """§6.1: an input, the folder that holds it, the frontier and a thesis are still there afterwards."""
    (at / "thesis").mkdir()
    (at / "thesis" / "thesis.tex").write_text("years of work")
    (at / "mine.txt").write_text("mine")
    before = contents(at)
    for line in (explore_line, publish_line):
        for out in (source_of(at, engine), at, at / "thesis", at / "mine.txt"):
            said = sfumato(*line(at, engine, out), "--force", status=2)
            assert "sfumato" in said
            assert contents(at) == before
    said = sfumato(*publish_line(at, engine, at / f"{engine}-explored"), "--force", status=2)
    assert "holds an input" in said
    assert contents(at) == before


@pytest.mark.parametrize("engine", ENGINES)
def test_m3_m5_modes_names_and_marks(at, engine):
    """What explore wrote is the owner's alone; a release names files without folders and without hashes."""
    sfumato(*explore_line(at, engine, at / "new"))
    for path in [at / "new", *(at / "new").rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    sfumato(*publish_line(at, engine, at / "out"))
    text = (at / "out" / "release.json").read_text()
    assert str(at) not in text
    record = json.loads(text)
    assert record["inputs"]
    for file in record["inputs"]:
        assert "/" not in file["path"]
        assert "sha256" not in file
        assert len(file["hmac"]) == 64
    assert record["how"]["order"] == "shuffled"
    # The same command again gives the same bytes, and adds nothing.
    sfumato(*publish_line(at, engine, at / "again"))
    assert contents(at / "again") == contents(at / "out")


@pytest.mark.parametrize("engine", ENGINES)
def test_h3_l5_a_swapped_payload_is_refused(at, engine):
    """A model or policies of another exploration do not publish under this one's promise."""
    folder = at / f"{engine}-explored"
    files = json.loads((folder / "frontier.json").read_text())["files"]
    seed = ["--seed", "7"] if engine == "baskets" else []  # the salt of the columns depends on it
    sfumato(*explore_line(at, engine, at / "other"), *seed)
    for name in files:
        shutil.rmtree(folder / name) if (folder / name).is_dir() else (folder / name).unlink()
        source = at / "other" / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        elif source.exists():
            shutil.copy(source, folder / name)
    said = sfumato(*publish_line(at, engine, at / "out"), status=2)
    assert "is not the file that explore wrote" in said
    assert not (at / "out").exists()


def test_h3_a_release_far_from_its_promise_is_refused(at):
    """A model that redacts hardly anything is noticed by what it does."""
    from sfumato.engines.text.engine import ENGINE

    plain = [
        {"id": str(i), "text": "the weather was fine and nobody came by. " * 30} for i in range(9)
    ]
    (at / "plain.jsonl").write_text("".join(json.dumps(d) + "\n" for d in plain))
    promised = (
        1
        - next(
            c for c in ENGINE.load(at / "text-explored").candidates if c.ratio == 10
        ).utility.value
    )
    assert promised > 0.05
    said = sfumato("text", "publish", at / "text-explored", at / "plain.jsonl", "--ratio", 10, "--out",
                   at / "out", status=3)  # fmt: skip
    assert "nothing was published" in said.lower()
    assert not (at / "out").exists()


def test_h2_findings_cannot_be_forgotten_and_gaps_are_withheld(at):
    learned = [json.loads(line) for line in (at / "learn.jsonl").read_text().splitlines()]
    shown = [json.loads(line) for line in (at / "bare.jsonl").read_text().splitlines()]

    def findings(name, records):
        lines = [json.dumps({"id": d["id"], "findings": []}) + "\n" for d in records]
        (at / name).write_text("".join(lines))
        return at / name

    line = explore_line(at, "text", at / "found")
    sfumato(*line, "--findings", findings("all.jsonl", learned))
    publish = ["text", "publish", at / "found", at / "bare.jsonl", "--ratio", 10]
    said = sfumato(*publish, "--out", at / "out", status=2)
    assert "findings" in said
    half = findings("half.jsonl", shown[::2])
    sfumato(*publish, "--findings", half, "--keep-ids", "--out", at / "out", status=1)
    published = [json.loads(s)["id"] for s in (at / "out" / "bare.jsonl").read_text().splitlines()]
    assert published == [d["id"] for d in shown[::2]]
    withheld = json.loads((at / "out.private" / "figures.json").read_text())["withheld"]
    assert [w["id"] for w in withheld] == [d["id"] for d in shown[1::2]]
    assert {w["reason"] for w in withheld} == {"has no entry in the findings"}


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "brat"])
def test_new_ids_replace_ids_and_order(at, form):
    """No id of the input is in the release unless it is kept; the mapping lies beside it, for the owner alone."""
    from sfumato.data.documents import read_documents, write_documents

    documents = list(read_documents(at / "bare.jsonl"))
    source = at / ("docs" if form == "brat" else f"docs.{form}")
    if form == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(
            pa.table({"id": [d.id for d in documents], "text": [d.text for d in documents]}), source
        )
    else:
        write_documents(documents, like=form, out=source)
    line = ["text", "publish", at / "text-explored", source, "--ratio", 10, "--out"]
    sfumato(*line, at / "kept", "--keep-ids")
    sfumato(*line, at / "new")
    kept = {d.id: d.text for d in read_documents(at / "kept")}
    new = {d.id: d.text for d in read_documents(at / "new")}
    private = at / "new.private"
    mapping = [json.loads(s) for s in (private / "ids.jsonl").read_text().splitlines()]
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in private.iterdir()} == {0o600}
    by_new = {entry["published_as"]: entry["id"] for entry in mapping}
    assert {by_new[i]: text for i, text in new.items()} == kept
    assert not set(new) & set(kept)
    assert [by_new[i] for i in new] != list(kept)  # in an order of their own
    record = json.loads((at / "new" / "release.json").read_text())
    assert (record["how"]["ids"], record["how"]["order"]) == ("new", "shuffled")
    released = (
        b"".join(contents(at / "new").values()) + "".join(map(str, contents(at / "new"))).encode()
    )
    assert not [d.id for d in documents if d.id.encode() in released]
    sfumato(*line, at / "twice", "--new-ids")
    assert {d.id for d in read_documents(at / "twice")} == set(new)


def test_l3_a_report_appears_whole_and_replaces_only_reports(at, kills):
    from sfumato.reports import write_report

    class Killed(BaseException):
        pass

    for step in range(1, 99):
        out = at / f"report-{step}"
        try:
            with kills(step, Killed) as counted:
                write_report([at / "baskets-explored"], out=out)
        except Killed:
            assert not out.exists() or {p.name for p in out.iterdir()} == {
                "facts.json",
                "report.html",
            }
            if out.exists():  # killed after it had appeared: the next one removes what is left
                write_report([at / "baskets-explored"], out=out)
                assert not out.with_name(f".{out.name}.work").exists()
        if counted.calls < step:
            break
    assert step > 3
    write_report([at / "baskets-explored"], out=out)  # an older report is made again
    (out / "report.html").write_text("mine")
    said = sfumato("report", at / "baskets-explored", "--out", out, status=2)
    assert "--force" in said
    assert (out / "report.html").read_text() == "mine"
    sfumato("report", at / "baskets-explored", "--out", out, "--force")
    assert (out / "report.html").read_text() != "mine"


PLAN = """
[tables]
table = "register.csv"
schema = "plan-schema.toml"
evaluations = 20
choose = { knee = true }
"""


def test_m14_everything_that_is_read_is_in_the_key_of_a_run(at):
    """A file that a schema names, or that lies beside a matrix, starts the run anew when it changes."""
    from sfumato.core.plan import Plan

    (at / "ages.txt").write_text("".join(f"{i}\n" for i in range(121)))
    (at / "tree.csv").write_text("".join(f"{i},{i // 10 * 10},any\n" for i in range(121)))
    schema = (at / "schema.toml").read_text()
    first = schema.index("domain")
    end = schema.index("\n", first)
    changed = (
        schema[:first] + 'domain = { file = "ages.txt" }\nhierarchy = "tree.csv"' + schema[end:]
    )
    (at / "plan-schema.toml").write_text(changed)
    (at / "plan.toml").write_text(
        PLAN + '[baskets]\nmatrix = "purchases.npz"\nlabels = "purchases.labels.txt"\nk = [5]\n'
        "choose = { knee = true }\n"
    )
    read = {path.name for _, path in Plan.load(at / "plan.toml").input_files()}
    assert {"register.csv", "plan-schema.toml", "ages.txt", "tree.csv", "purchases.npz",
            "purchases.labels.txt", "purchases.features.txt"} <= read  # fmt: skip


def started(*words, folder):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, "-m", "sfumato", *map(str, words)],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_m1_a_stopped_run_and_a_second_one(at, engine):
    """Whoever is second is refused, or the first is when it wakes up; no release is replaced."""
    out = at / "out"
    first = started(*publish_line(at, engine, out), folder=at)
    deadline = time.monotonic() + 60
    while not (at / ".out.work").exists() and first.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    first.send_signal(signal.SIGSTOP)
    try:
        second = started(*publish_line(at, engine, out), folder=at)
        said = second.communicate(timeout=60)[1]
    finally:
        first.send_signal(signal.SIGCONT)
    told = first.communicate(timeout=60)[1]
    # Stopped at work: the second is refused by the lock. Stopped before or after it: by the output.
    assert sorted([first.returncode, second.returncode]) in ([0, 1], [0, 2]), said + told
    if second.returncode == 1:
        assert "Another run is writing" in said
    assert (out / "release.json").is_file()
    assert [p.name for p in at.iterdir() if p.name.startswith(".")] == []


@pytest.mark.parametrize("engine", ENGINES)
def test_a_place_that_cannot_be_written_is_one_sentence(at, engine, monkeypatch):
    """A read-only folder, simulated where the tests run as root: one sentence, nothing left behind."""
    real = os.mkdir

    def refused(path, *rest, **named):
        if str(path).startswith(str(at / "closed")):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *rest, **named)

    (at / "closed").mkdir()
    monkeypatch.setattr(os, "mkdir", refused)
    said = sfumato(*publish_line(at, engine, at / "closed" / "out"), status=2)
    assert "Permission denied" in said
    assert list((at / "closed").iterdir()) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_a_full_disk_is_told_by_every_engine(at, engine, monkeypatch):
    """No space for the record: one sentence, status 1, nothing published."""
    from pathlib import Path

    real = Path.write_text

    def full(self, *rest, **named):
        if self.name == "release.json":
            raise OSError(28, "No space left on device")
        return real(self, *rest, **named)

    monkeypatch.setattr(Path, "write_text", full)
    said = sfumato(*publish_line(at, engine, at / "out"), status=1)
    assert "disk is full" in said
    assert not (at / "out").exists()


def test_the_input_changes_while_a_text_is_published(at, monkeypatch):
    """A document that is another one at the second look is not published."""
    from sfumato.data.documents import read_documents, write_documents
    from sfumato.engines.text.release.output import Output

    documents = list(read_documents(at / "bare.jsonl"))
    write_documents(documents, like="csv", out=at / "docs.csv")
    real = Output.write

    def changed(*rest, **named):
        (at / "docs.csv").unlink()
        write_documents(documents[::-1], like="csv", out=at / "docs.csv")
        return real(*rest, **named)

    monkeypatch.setattr(Output, "write", changed)
    said = sfumato("text", "publish", at / "text-explored", at / "docs.csv", "--ratio", 10, "--out",
                   at / "out", status=1)  # fmt: skip
    assert "changed while it was published" in said
    assert not (at / "out").exists()


def reversed_lines(path, *, header):
    """Return the file as another one of the same length."""
    lines = path.read_bytes().splitlines(keepends=True)
    return b"".join([*lines[:header], *lines[: header - 1 if header else None : -1]])


@pytest.mark.parametrize("times", ["new times", "old times"])
@pytest.mark.parametrize("engine", ENGINES)
def test_m1_an_input_that_changes_while_it_is_published_is_noticed(at, engine, times, monkeypatch):
    """Not even a file of the same length and with the times of the first one is published under its mark."""
    from sfumato.compute.journal import Journal
    from sfumato.core.records import InputFile
    from sfumato.data.table_source import TableSource

    # The last step before the rows are read again, or the file is described.
    place, step = {"tables": (TableSource, "write_csv"), "text": (Journal, "finish"),
                   "baskets": (InputFile, "of")}[engine]  # fmt: skip
    real = getattr(place, step)
    source = source_of(at, engine)
    other = reversed_lines(source, header=int(engine == "tables"))
    assert other != source.read_bytes()

    def changed(*rest, **named):
        was = source.stat()
        source.write_bytes(other)
        if times == "old times":
            os.utime(source, ns=(was.st_atime_ns, was.st_mtime_ns))
        return real(*rest, **named)

    monkeypatch.setattr(place, step, changed)
    said = sfumato(*publish_line(at, engine, at / "out"), status=1)
    assert "The input changed while it was published" in said
    assert not (at / "out").exists()
    assert not [p.name for p in at.iterdir() if "quarantine" in p.name]


def test_h4_fields_that_nobody_named_do_not_go_out(at):
    """Other columns, other fields, and their names: dropped without a word of them, unless kept by name."""
    shown = [json.loads(line) for line in (at / "bare.jsonl").read_text().splitlines()]
    rows = [
        {
            **d,
            "Text": "CANARYNAME",
            "patient CANARYNAME": 1,
            "meta": {"CANARYNAME": "x"},
            "unit": "A",
        }
        for d in shown
    ]
    (at / "fields.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with (at / "fields.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "patient CANARYNAME", "text", "unit"])
        writer.writerows([d["id"], "CANARYNAME", d["text"], "A"] for d in shown)
    for name in ("fields.jsonl", "fields.csv"):
        line = ["text", "publish", at / "text-explored", at / name, "--ratio", 10, "--out"]
        said = sfumato(*line, at / f"out-{name}")
        said += sfumato(*line, at / f"kept-{name}", "--keep", "unit")
        released = b"".join(
            v for out in ("out", "kept") for v in contents(at / f"{out}-{name}").values()
        )
        assert b"CANARYNAME" not in released
        assert "CANARYNAME" not in said
        record = json.loads((at / f"kept-{name}" / "release.json").read_text())
        assert record["how"]["fields_as_they_are"] == ["unit"]
        assert b"unit" in (at / f"kept-{name}" / name).read_bytes()
        assert b"unit" not in (at / f"out-{name}" / name).read_bytes()
