"""`python -m fuzz.canaries [--rounds N]`: words planted in every input of every command; none may come out.

Each round plants other words into documents, cells, headers, ids, labels, names of files and folders,
schemas, findings, populations, background corpora and a plan, runs every command in every format on them
(also wrong calls), and looks for the words in everything that was written anywhere or said.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.looking import Canary, Looker, look
from sfumato.core.randomness import Streams
from sfumato.core.records import versions

NOWHERE = re.compile(r"(?!)")
# A private side holds what SECURITY.md says that it holds: names of files, columns and labels in
# frontier.json, the values of the schema's domains in policies.json, words in model/.
PRIVATE = r"^outputs/explored-|/private/|\.private/|\.quarantine\.jsonl$"


@dataclass
class Scene:
    """One round: the inputs with their planted words, and what the commands wrote and said."""

    folder: Path
    dice: np.random.Generator
    canaries: list[Canary] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # A project has to find its documents again, and stays with the steward.
        self.folder_word = self.word("folder name", r"^outputs/explored-project/project\.json$")
        self.inputs = self.folder / self.folder_word
        self.outputs = self.folder / "outputs"
        self.scratch = self.folder / "scratch"
        for place in (self.inputs, self.outputs, self.scratch):
            place.mkdir()

    def word(self, kind: str, allowed: str | None = None) -> str:
        """Plant a new word, like a name; `allowed` says where it may be seen."""
        letters = (
            self.dice.choice(list("bcdfghjklmnpqrstvwxz"), 9),
            self.dice.choice(list("aeiou"), 9),
        )
        word = "".join(c + v for c, v in zip(*letters, strict=True)).capitalize()
        self.canaries.append(Canary(word, kind, re.compile(allowed) if allowed else NOWHERE))
        return word

    def run(self, name: str, *words: object, status: Sequence[int] = (0,)) -> None:
        """Run a command in this process and keep all that it says."""
        from typer.testing import CliRunner

        from sfumato.cli import build

        line = [str(word) for word in words]
        with _scratch(self.scratch), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = CliRunner().invoke(build(line[:1]), line)
        self.said[name] = done.output + (getattr(done, "stderr", "") or "")
        self.statuses[name] = done.exit_code
        if done.exit_code not in status:
            raise AssertionError(
                f"{name} ended with {done.exit_code}: {done.output} {done.exception!r}"
            )

    def looker(self) -> Looker:
        looker = Looker(self.canaries, hashes_allowed=re.compile(PRIVATE))
        looker.know_files(self.inputs)
        return looker

    def look(self) -> tuple[list[str], int]:
        """Look everywhere but at the inputs."""
        return look(self.looker(), [self.outputs, self.scratch], self.said)


@contextlib.contextmanager
def _scratch(folder: Path) -> Any:
    before, named = os.environ.get("TMPDIR"), tempfile.tempdir
    os.environ["TMPDIR"], tempfile.tempdir = str(folder), str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = named
        os.environ.pop("TMPDIR") if before is None else os.environ.update(TMPDIR=before)


# --- text ----------------------------------------------------------------------------------------


def _notes(scene: Scene, many: int, names: Sequence[str], **more: Any) -> list[dict[str, Any]]:
    """Make notes whose names are planted words."""
    found = []
    for i in range(many):
        text, spans = "", []
        for _ in range(6):
            name = str(scene.dice.choice(list(names)))
            text += "Patient Dr. "
            spans.append({"start": len(text), "end": len(text) + len(name), "label": "NAME"})
            text += (
                name + " " + " ".join(scene.dice.choice(["came", "home", "late", "well"], 6)) + ". "
            )
        fields = {key: value(i) if callable(value) else value for key, value in more.items()}
        found.append({"id": f"n{i}", "text": text, "spans": spans, **fields})
    return found


def _lines(path: Path, records: Sequence[dict[str, Any]]) -> Path:
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
    return path


def text(scene: Scene, formats: Sequence[str]) -> None:
    """Explore, publish in every format, attack; with findings, surrogates and wrong calls."""
    released = r"^outputs/(release-text-[^/]*|run/release/text)/(?!release\.json)"
    files = r"^name: outputs/release-text-brat/"  # there the id is the name of a file
    names = [scene.word("name in a document") for _ in range(4)]
    field_word, id_word = (
        scene.word("field of a document"),
        scene.word("id of a document learned from"),
    )
    corpus_file = scene.word(
        "name of a file",
        r"(release|figures)\.json$|frontier\.json$|facts\.json$|report\.|said: |attack\.json$|/plan\.toml$",
    )
    learned = _notes(scene, 24, names, ward=field_word)
    learned[3]["id"] = id_word
    shown_id = scene.word(
        "id of a published document", rf"{released}|{PRIVATE}|said: text withheld|{files}"
    )
    withheld_id = scene.word(
        "id of a withheld document",
        r"quarantine\.jsonl$|outputs/release-text-withheld/release\.json|outputs/release-text-withheld\.private/",
    )
    shown = [
        {k: v for k, v in d.items() if k != "spans"}
        for d in _notes(scene, 12, names, ward=field_word)
    ]
    shown[2]["id"] = shown_id
    train = _lines(scene.inputs / f"{corpus_file}.jsonl", learned)
    background = _lines(scene.inputs / "background.jsonl.gz", _notes(scene, 12, [scene.word("name in the background")]))  # fmt: skip
    unlabelled = _lines(scene.inputs / "unlabelled.jsonl", [
        {"id": f"u{i}", "text": f"{word} came home late."} for i, word in enumerate([scene.word("word of unlabelled texts")] * 8)
    ])  # fmt: skip
    explored = scene.outputs / "explored-text"
    scene.run("text explore", "text", "explore", train, "--label", "NAME", "--ratios", "50", "--folds", 2,
              "--background", background, "--unlabelled", unlabelled, "--attackers", "crf", "--budget", 10,
              "--out", explored)  # fmt: skip
    for form in formats:
        source = _documents(scene.inputs / f"notes.{form}", shown)
        out = scene.outputs / f"release-text-{form.replace('.', '-')}"
        drop = () if form in {"brat", "conll"} else ("--drop", "ward")  # they have no fields
        scene.run(f"text publish {form}", "text", "publish", explored, source, "--ratio", 50, *drop,
                  "--out", out)  # fmt: skip
    source = _documents(scene.inputs / "again.jsonl", shown)
    fresh = scene.outputs / "new-ids"
    scene.run("text publish new ids", "text", "publish", explored, source, "--ratio", 50, "--drop", "ward",
              "--new-ids", "--out", fresh)  # fmt: skip
    bad = [*shown[:3], {"id": withheld_id, "text": [names[0]]}]
    scene.run("text withheld", "text", "publish", explored, _documents(scene.inputs / "bad.jsonl", bad), "--ratio", 50,
              "--drop", "ward", "--out", scene.outputs / "release-text-withheld", status=(1,))  # fmt: skip
    labelled = _lines(scene.inputs / "held-out.jsonl", _notes(scene, 12, names, ward=field_word))
    bare = [
        {k: v for k, v in json.loads(line).items() if k != "spans"}
        for line in labelled.read_text().splitlines()
    ]
    scene.run("text publish held out", "text", "publish", explored, _lines(scene.inputs / "bare.jsonl", bare), "--ratio", 50,
              "--drop", "ward", "--out", scene.outputs / "release-text-held")  # fmt: skip
    scene.run("text attack", "text", "attack", explored, scene.outputs / "release-text-held", "--labels", labelled,
              "--training", train, "--background", background, "--budget", 10, "--encoder", "none", "--out",
              scene.outputs / "attack.json")  # fmt: skip
    quoted = scene.word("text that a finding quotes")
    findings = [{"id": d["id"], "findings": [{"start": 12, "end": 20, "entity_type": "PERSON", "score": 0.9,
                 "text": quoted}]} for d in learned]  # fmt: skip
    given = _lines(scene.inputs / "findings.jsonl", findings)
    with_found = scene.outputs / "explored-findings"
    scene.run("text explore findings", "text", "explore", train, "--label", "NAME", "--ratios", "50", "--folds", 2,
              "--attackers", "none", "--findings", given, "--out", with_found)  # fmt: skip
    scene.run("text publish without findings", "text", "publish", with_found, source, "--ratio", 50,
              "--out", scene.outputs / "no", status=(2,))  # fmt: skip
    found = [{**entry, "id": d["id"]} for entry, d in zip(findings, shown, strict=False)]
    scene.run("text publish findings", "text", "publish", with_found, source, "--ratio", 50, "--drop", "ward", "--findings",
              _lines(scene.inputs / "found.jsonl", found), "--out", scene.outputs / "release-text-findings")  # fmt: skip
    scene.run(
        "text wrong label",
        "text",
        "explore",
        train,
        "--label",
        "DATE",
        "--out",
        scene.outputs / "no",
        status=(2,),
    )
    for number, line in enumerate(
        [f'{{"id": "{names[0]}', f'["{names[1]}"]', f'{{"id": 1, "text": {{"{names[2]}": 1}}}}']
    ):
        wrong = scene.inputs / f"wrong{number}.jsonl"
        wrong.write_text(line + "\n")
        scene.run(f"text wrong {number}", "text", "explore", wrong, "--label", "NAME", "--out", scene.outputs / "no",
                  status=(2,))  # fmt: skip

    scene.run("text audit", "text", "audit", scene.outputs / "release-text-held", "--documents", 2)
    project = scene.outputs / "explored-project"
    plain = _lines(scene.inputs / "plain.jsonl", [{k: d[k] for k in ("id", "text")} for d in bare])
    scene.run("text start", "text", "start", plain, "--label", "NAME", "--out", project)
    _page(scene, project, labelled)


def _page(scene: Scene, project: Path, labelled: Path) -> None:
    """Answer every question of the local page, explore and publish there; and send what makes no sense."""
    from sfumato.core.errors import SfumatoError
    from sfumato.web.app import PageState

    page = PageState([project])
    desk = page.the_desk()
    said = []
    for number, line in enumerate(labelled.read_text().splitlines()):
        record = json.loads(line)
        spans = [[s["start"], s["end"], s["label"]] for s in record["spans"]]
        place = {"doc": number, "first": 0, "last": len(record["text"])}
        desk.answer({"do": "window", "random": True, "spans": spans, **place})
    for wrong in ({"do": "mark"}, {"do": "mark", "label": "X", "doc": 0, "first": 0, "last": 9},
                  {"do": "window", "doc": 99, "first": 0, "last": 9, "spans": [[0, 9, "NAME"]]}):  # fmt: skip
        try:
            desk.answer(wrong)
        except SfumatoError as error:
            said.append(str(error))
    desk.explore()
    desk.publish("r10", lambda *_, **__: None)
    said.append(json.dumps(desk.status(), default=str))
    page.shelf.add({"part": "text", "candidate": "r10", "note": "kept"})
    desk.close()
    scene.said["page"] = "\n".join(said)


def _documents(path: Path, records: Sequence[dict[str, Any]]) -> Path:
    """Write documents in the form that the name says."""
    if path.name.endswith((".jsonl", ".jsonl.gz")):
        return _lines(path, records)
    from sfumato.data.document import Document
    from sfumato.data.documents import write_documents

    if path.suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(list(records)), path)
        return path
    if path.suffix in {".csv", ".tsv"}:
        import csv

        with path.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(
                stream, list(records[0]), delimiter="\t" if path.suffix == ".tsv" else ","
            )
            writer.writeheader()
            writer.writerows(records)
        return path
    documents = [Document(r["id"], r["text"]) for r in records]
    form = path.suffix[1:]
    write_documents(documents, like=form, out=path if form == "conll" else path.with_suffix(""))
    return path if form == "conll" else path.with_suffix("")


# --- tables --------------------------------------------------------------------------------------


def tables(scene: Scene, formats: Sequence[str]) -> None:
    """Draft a schema, explore, publish in every format, export the mapping; and wrong calls."""
    data = r"^outputs/(release-tables-[^/]*|run/release/tables)/(?!release\.json)"
    header = scene.word(
        "header of an identifier",
        r"(release|figures)\.json$|facts\.json$|report\.|said: |schema\.toml$|frontier|policies",
    )
    person = [scene.word("identifier") for _ in range(5)]
    # Published as it is, and kept with the marks of people for the attack on two releases together.
    sensitive = scene.word("sensitive cell", rf"{data}|private/(tables/)?people\.parquet$")
    outside = scene.word("cell of the population")
    comment = scene.word("comment of a schema")
    rows = [
        {header: f"{person[i % 5]}{i}", "age": int(scene.dice.integers(0, 60)), "sex": "fm"[i % 2],
         "diagnosis": sensitive if i % 7 == 0 else "flu"}
        for i in range(200)
    ]  # fmt: skip
    schema = scene.inputs / "schema.toml"
    schema.write_text(
        f'# {comment}\nmissing = "error"\n'
        f'[[attribute]]\nname = "{header}"\nrole = "identifier"\n'
        '[[attribute]]\nname = "age"\nrole = "quasi"\ndomain = { range = [0, 99] }\n'
        '[[attribute]]\nname = "sex"\nrole = "quasi"\ndomain = { values = ["f", "m"] }\n'
        '[[attribute]]\nname = "diagnosis"\nrole = "sensitive"\n'
    )
    people = scene.inputs / "population.csv"
    people.write_text(
        "age,sex,count\n"
        + "".join(f"{a},{s},9\n" for a in range(60) for s in "fm")
        + f"30,{outside},4\n"
    )
    explored = scene.outputs / "explored-tables"
    first = _table(scene.inputs / "table.csv", rows)
    scene.run("tables explore", "tables", "explore", first, "--schema", schema, "--population", people,
              "--evaluations", 60, "--out", explored)  # fmt: skip
    for form in formats:
        source = _table(scene.inputs / f"register.{form}", rows)
        scene.run(f"tables publish {form}", "tables", "publish", explored, source, "--choose", "knee", "--out",
                  scene.outputs / f"release-tables-{form.replace('.', '-')}")  # fmt: skip
    scene.run(
        "tables mapping",
        "tables",
        "mapping",
        explored,
        "--choose",
        "knee",
        "--out",
        scene.outputs / "mapping.csv",
    )
    scene.run("tables schema", "tables", "schema", first, "--out", scene.outputs / "schema.toml")
    odd = [{**rows[0], "sex": person[0]}, *rows[1:]]
    scene.run("tables value outside", "tables", "publish", explored, _table(scene.inputs / "odd.csv", odd), "--choose", "knee",
              "--out", scene.outputs / "no", status=(2,))  # fmt: skip
    wrong = scene.inputs / "headless.csv"
    wrong.write_text("\n".join(first.read_text().splitlines()[1:]) + "\n")
    scene.run("tables without header", "tables", "explore", wrong, "--schema", schema, "--out", scene.outputs / "no",
              status=(2,))  # fmt: skip


def _table(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    import pyarrow as pa

    table = pa.Table.from_pylist(list(rows))
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, path)
        return path
    delimiter = "\t" if ".tsv" in path.name else ","
    lines = [delimiter.join(table.column_names)] + [
        delimiter.join(map(str, r.values())) for r in rows
    ]
    content = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    return path


# --- baskets -------------------------------------------------------------------------------------


def baskets(scene: Scene, formats: Sequence[str]) -> None:
    """Explore and publish in every format; features that are not chosen and labels stay where they belong."""
    from sfumato.data.baskets import Baskets, write_baskets

    data = r"^outputs/(release-baskets-[^/]*|run/release/baskets)/(?!release\.json)"
    rare = scene.word("feature that is not published")
    classes = [scene.word("class of a row", rf"{data}|{PRIVATE}") for _ in range(2)]
    chance = 0.7 / (1 + np.arange(12)) ** 0.5
    dense = (scene.dice.random((120, 12)) < chance).astype(np.int8)
    dense[:, 11] = 0
    dense[7, 11] = 1  # one person alone has it: no candidate can publish it
    labels = [classes[i % 2] for i in range(120)]
    for form in formats:
        kind = {"npz": "npz", "svm": "libsvm", "txt": "transactions", "csv": "csv"}[form]
        named = [f"item{i}" for i in range(11)] + [rare]
        names = [str(i + 1) for i in range(12)] if kind == "libsvm" else named
        own = (
            ["1" if label == classes[0] else "0" for label in labels]
            if kind == "libsvm"
            else labels
        )
        source = scene.inputs / f"rows-{form}.{form}"
        write_baskets(Baskets.of(dense, labels=own, feature_names=names, format=kind,
                                 label_column="y" if kind == "csv" else None), source)  # fmt: skip
        column = ["--labels", "y"] if kind == "csv" else []
        explored = scene.outputs / f"explored-baskets-{form}"
        scene.run(f"baskets explore {form}", "baskets", "explore", source, *column, "--k", 5, "--selector", "hamdist",
                  "--folds", 2, "--out", explored)  # fmt: skip
        scene.run(f"baskets publish {form}", "baskets", "publish", explored, source, *column, "--choose", "knee", "--out",
                  scene.outputs / f"release-baskets-{form}")  # fmt: skip
        scene.run(f"baskets audit {form}", "baskets", "audit", source, *column)
        scene.run(f"baskets topics {form}", "baskets", "topics", source, *column, "--topics", 2)
        scene.run(f"baskets attack {form}", "baskets", "attack", explored, source, *column, "--people", 20, "--items", 1,
                  "--out", scene.outputs / f"attack-{form}.json")  # fmt: skip
    wrong = scene.inputs / "wrong.csv"
    wrong.write_text(f"a,b,y\n1,{rare},p\n0,1,q\n")
    scene.run("baskets wrong cell", "baskets", "explore", wrong, "--labels", "y", "--k", 2, "--out", scene.outputs / "no",
              status=(2,))  # fmt: skip


# --- all together --------------------------------------------------------------------------------


def whole(scene: Scene) -> None:
    """Run a plan over the inputs of all engines, report on everything, draft a plan."""
    comment = scene.word("comment of a plan", r"/plan\.toml$")
    inputs = scene.inputs
    corpus = next(p for p in sorted(inputs.glob("*.jsonl")) if (p.name[0]).isupper())
    plan = inputs / "plan.toml"
    plan.write_text(
        f"# {comment}\nseed = 1\n"
        '[tables]\ntable = "table.csv"\nschema = "schema.toml"\nevaluations = 40\nchoose = { knee = true }\n'
        f'[text]\ncorpus = "{corpus.name}"\nlabels = ["NAME"]\nratios = [50]\nfolds = 2\nattackers = "none"\n'
        'publish = "bare.jsonl"\ndrop = ["ward"]\nchoose = { ratio = 50 }\n'
        '[baskets]\nmatrix = "rows-npz.npz"\nk = [5]\nselector = "hamdist"\nchoose = { knee = true }\n'
    )
    scene.run("run", "run", plan, "--out", scene.outputs / "run")
    scene.run(
        "report",
        "report",
        scene.outputs / "run",
        "--pdf",
        "--charts",
        "--out",
        scene.outputs / "report",
    )
    explored = sorted(scene.outputs.glob("explored-*"))
    scene.run("report explored", "report", *explored, scene.outputs / "release-text-jsonl", "--out",
              scene.outputs / "report-explored")  # fmt: skip
    scene.run("run again", "run", plan, "--out", scene.outputs / "run", status=(2,))
    broken = inputs / "broken.toml"
    broken.write_text(plan.read_text().replace("seed = 1", f'sead = "{comment}"'))
    scene.run("run broken", "run", broken, "--out", scene.outputs / "no", status=(2,))


Step = Callable[[Scene], None]
FEW = {"text": ("jsonl",), "tables": ("csv",), "baskets": ("npz",)}
ALL = {
    "text": ("jsonl", "jsonl.gz", "csv", "tsv", "parquet", "brat", "conll"),
    "tables": ("csv", "csv.gz", "tsv", "parquet"),
    "baskets": ("npz", "svm", "txt", "csv"),
}


def play(scene: Scene, formats: dict[str, Sequence[str]]) -> tuple[list[str], dict[str, int]]:
    """Play one round; return what was found, and how much was looked at."""
    text(scene, formats["text"])
    tables(scene, formats["tables"])
    baskets(scene, formats["baskets"])
    whole(scene)
    found, places = scene.look()
    return found, {"canaries": len(scene.canaries), "places": places, "commands": len(scene.said)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.canaries", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--results", type=Path, help="a JSON file to keep the figures in and go on from"
    )
    given = parser.parse_args()
    rounds: list[dict[str, int]] = []
    if given.results is not None and given.results.exists():
        rounds = json.loads(given.results.read_text())["rounds"]
    for number in range(len(rounds), given.rounds):
        folder = Path(tempfile.mkdtemp(prefix="canaries-"))
        try:
            dice = Streams(given.seed).child("canaries").generator(str(number))
            found, counted = play(Scene(folder, dice), ALL)
        finally:
            shutil.rmtree(folder)
        print(f"round {number}: {counted}, {len(found)} found", flush=True)
        for line in found:
            print(f"  FOUND {line}", flush=True)
        rounds.append({**counted, "found": len(found)})
        if given.results is not None:
            kept = {"command": "python -m fuzz.canaries", "rounds": rounds, "seed": given.seed,
                    "found": sum(r["found"] for r in rounds), "versions": versions()}  # fmt: skip
            given.results.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    return int(any(each["found"] for each in rounds))


if __name__ == "__main__":
    sys.exit(main())
