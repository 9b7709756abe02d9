"""`sfumato text explore` and `publish`, as people call them."""

import json
import os

import pytest
from typer.testing import CliRunner

from sfumato.cli._engines import engine_app
from sfumato.core.randomness import Streams
from sfumato.engines.text.engine import ENGINE

app = engine_app(ENGINE)

GIVEN = ["Ann", "Bob", "Zoe", "Ivan", "Lena", "Omar"]
FAMILY = ["Canaryson", "Canaryova", "Canarez", "Canarim"]
PLAIN = ["The patient slept well.", "No fever today.", "Walks at 9:30.", "Diet as before."]


def note(number, random):
    text, spans = "", []
    for _ in range(4):
        if random.random() < 0.5:
            text += "Seen by Dr. "
            name = f"{random.choice(GIVEN)} {random.choice(FAMILY)}"
            spans.append({"start": len(text), "end": len(text) + len(name), "label": "NAME"})
            text += f"{name} at noon. "
        text += f"{random.choice(PLAIN)} "
    return {"id": f"n{number}", "text": text, "spans": spans, "ward": number % 4}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    random = Streams(5).generator("notes")
    notes = [note(i, random) for i in range(60)]
    path = folder / "notes.jsonl"
    path.write_text("".join(json.dumps(n) + "\n" for n in notes), encoding="utf-8")
    return path


def call(*arguments, status=0):
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == status, result.output
    assert "Traceback" not in result.output
    return result


@pytest.fixture(scope="module")
def frontier(corpus, tmp_path_factory):
    out = tmp_path_factory.mktemp("explored") / "frontier"
    call("explore", corpus, "--label", "NAME", "--ratios", "1,10", "--folds", 2, "--out", out)
    return out


def test_explore_writes_a_frontier_and_a_model(frontier, corpus):
    assert sorted(p.name for p in frontier.iterdir()) == ["frontier.json", "learned", "model"]
    content = json.loads((frontier / "frontier.json").read_text(encoding="utf-8"))
    assert content["engine"] == "text"
    assert sorted(c["ratio"] for c in content["candidates"]) == [1, 10]
    for candidate in content["candidates"]:
        assert {"id", "risk", "risk_interval", "utility", "rounds", "leaked", "attack"} <= set(
            candidate
        )
    assert content["inputs"][0]["rows"] == 60
    assert "Canar" not in json.dumps(content)


def test_publish_redacts_and_says_what_it_did(frontier, corpus, tmp_path):
    out = tmp_path / "release"
    result = call(
        "publish",
        frontier,
        corpus,
        "--ratio",
        10,
        "--keep-ids",
        "--keep",
        "ward",
        "--out",
        out,
        "--json",
    )
    assert sorted(p.name for p in out.iterdir()) == ["notes.jsonl", "release.json"]
    text = (out / "notes.jsonl").read_text(encoding="utf-8")
    published = [json.loads(line) for line in text.splitlines()]
    original = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
    assert [p["id"] for p in published] == [o["id"] for o in original]
    assert [p["ward"] for p in published] == [o["ward"] for o in original]
    assert all(p["spans"] == [] for p in published)
    assert "Dr. [NAME] at noon" in text
    assert text.count("Canar") < 5
    record = json.loads((out / "release.json").read_text(encoding="utf-8"))
    assert json.loads(result.stdout)["counts"] == record["counts"]
    assert "Canar" not in json.dumps(record)
    assert record["how"]["fields_as_they_are"] == ["ward"]


def test_a_largest_risk_of_zero_is_a_choice(frontier, corpus, tmp_path):
    content = json.loads((frontier / "frontier.json").read_text(encoding="utf-8"))
    safe = [c["id"] for c in content["candidates"] if c["risk"] == 0]
    arguments = ("publish", frontier, corpus, "--max-risk", 0, "--out", tmp_path / "out")
    result = call(*arguments, status=0 if safe else 2)
    if safe:
        record = json.loads((tmp_path / "out" / "release.json").read_text(encoding="utf-8"))
        assert record["candidate"] in safe
    else:
        assert "No candidate" in result.stderr


def test_the_same_call_gives_the_same_bytes(frontier, corpus, tmp_path):
    for name, threads in (("a", 1), ("b", 2)):
        call(
            "publish",
            frontier,
            corpus,
            "--ratio",
            10,
            "--out",
            tmp_path / name,
            "--compute",
            f"local:{threads}",
        )
    for name in ("notes.jsonl", "release.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_exploring_again_gives_the_same_model(frontier, corpus, tmp_path):
    again = tmp_path / "again"
    call("explore", corpus, "--label", "NAME", "--ratios", "1,10", "--folds", 2, "--out", again)
    for name in ("model.json", "arrays.bin"):
        assert (frontier / "model" / name).read_bytes() == (again / "model" / name).read_bytes()


def test_masks_and_surrogates(frontier, corpus, tmp_path, monkeypatch):
    # Two releases of one input side by side would rightly be warned about.
    apart = tmp_path / "apart"
    apart.mkdir()
    call("publish", frontier, corpus, "--ratio", 10, "--replace", "mask", "--out", apart / "mask")
    assert "Dr. █████ at" in (apart / "mask" / "notes.jsonl").read_text(encoding="utf-8")
    monkeypatch.delenv("SFUMATO_KEY", raising=False)
    arguments = ("publish", frontier, corpus, "--ratio", 10, "--replace", "surrogate", "--out",
                 tmp_path / "s")  # fmt: skip
    result = call(*arguments, status=2)
    assert "secret key" in result.stderr
    assert not (tmp_path / "s").exists()
    key = tmp_path / "key"
    key.write_text("a secret that nobody guesses")
    os.chmod(key, 0o600)
    call(*arguments, "--key", key)
    for file in (tmp_path / "s").iterdir():
        content = file.read_text(encoding="utf-8")
        assert "[NAME]" not in content
        assert "nobody guesses" not in content
    assert sorted(p.name for p in tmp_path.iterdir()) == ["apart", "key", "s", "s.private"]


def test_what_was_withheld_ends_with_status_one(frontier, tmp_path):
    source = tmp_path / "notes.jsonl"
    lines = [json.dumps({"id": "a", "text": "fine"}), '{"id": "b"}', "Canarix is no JSON"]
    source.write_text("\n".join(lines), encoding="utf-8")
    result = call("publish", frontier, source, "--ratio", 10, "--out", tmp_path / "out", status=1)
    assert "2 records could not be processed and were withheld" in result.stderr
    assert "Canarix" not in result.output
    record = json.loads((tmp_path / "out.private" / "figures.json").read_text(encoding="utf-8"))
    assert len(record["withheld"]) == record["left_out"]["withheld"] == 2
    assert "Canarix" not in json.dumps(record)
    call("publish", frontier, source, "--ratio", 10, "--out", tmp_path / "strict", "--strict",
         status=2)  # fmt: skip
    assert not (tmp_path / "strict").exists()


BAD_PUBLISH = {
    "no such folder": (["nowhere", "CORPUS", "--out", "OUT"], "nowhere"),
    "no such input": (
        ["FRONTIER", "missing.jsonl", "--ratio", "1", "--out", "OUT"],
        "missing.jsonl",
    ),
    "no such ratio": (["FRONTIER", "CORPUS", "--ratio", "3", "--out", "OUT"], "ratio 3"),
    "no such candidate": (["FRONTIER", "CORPUS", "--choose", "r3", "--out", "OUT"], "r3"),
    "no wish": (["FRONTIER", "CORPUS", "--out", "OUT"], "exactly one way"),
    "two wishes": (
        ["FRONTIER", "CORPUS", "--choose", "r1", "--ratio", "1", "--out", "OUT"],
        "exactly one way",
    ),
    "no such replacement": (["FRONTIER", "CORPUS", "--replace", "x", "--out", "OUT"], "mask"),
    "no such engine": (["FRONTIER", "CORPUS", "--engine", "x", "--out", "OUT"], "local, spark"),
    "output holds an input": (
        ["FRONTIER", "CORPUS", "--ratio", "1", "--out", "FRONTIER"],
        "never modified",
    ),
}


@pytest.mark.parametrize("case", BAD_PUBLISH)
def test_bad_calls_of_publish(frontier, corpus, tmp_path, case):
    names = {"FRONTIER": frontier, "CORPUS": corpus, "OUT": tmp_path / "out"}
    arguments, says = BAD_PUBLISH[case]
    result = call("publish", *(names.get(a, a) for a in arguments), status=2)
    assert says in result.stderr
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_model_is_refused(frontier, corpus, tmp_path):
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(frontier, copy)
    raw = bytearray((copy / "model" / "arrays.bin").read_bytes())
    raw[len(raw) // 2] ^= 1
    (copy / "model" / "arrays.bin").write_bytes(raw)
    result = call("publish", copy, corpus, "--out", tmp_path / "out", status=2)
    assert "is not the file that explore wrote" in result.stderr
    (copy / "frontier.json").write_text("{}")
    call("publish", copy, corpus, "--out", tmp_path / "out", status=2)
    assert not (tmp_path / "out").exists()


BAD_EXPLORE = {
    "no such label": (["--label", "NAMES"], "NAMES"),
    "no label": (["--label", ","], "label"),
    "ratio zero": (["--label", "NAME", "--ratios", "0"], "ratio"),
    "ratio words": (["--label", "NAME", "--ratios", "ten"], "--ratios"),
    "budget words": (["--label", "NAME", "--budget", "1.5"], "--budget"),
    "learner": (["--label", "NAME", "--learner", "oracle"], "oracle"),
    "mode": (["--label", "NAME", "--mode", "fast"], "mode"),
    "attackers": (["--label", "NAME", "--attackers", "me"], "attackers"),
    "background": (["--label", "NAME", "--background", "none.jsonl"], "none.jsonl"),
}


@pytest.mark.parametrize("case", BAD_EXPLORE)
def test_bad_calls_of_explore(corpus, tmp_path, case):
    arguments, says = BAD_EXPLORE[case]
    result = call("explore", corpus, *arguments, "--out", tmp_path / "out", status=2)
    assert says in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_odd_corpora_get_a_clear_answer(tmp_path):
    def tried(notes):
        path = tmp_path / "notes.jsonl"
        path.write_text("".join(json.dumps(n) + "\n" for n in notes), encoding="utf-8")
        out = tmp_path / "out"
        return call("explore", path, "--label", "NAME", "--out", out, status=2).stderr

    whole = [{"start": 0, "end": 3, "label": "NAME"}]
    assert "only one" in tried([{"id": "a", "text": "Ann ran.", "spans": whole}])
    every = [{"id": i, "text": "Ann", "spans": whole} for i in range(3)]
    assert "Every word" in tried(every)
    assert "no documents" in tried([])
    assert "NAME" in tried([{"id": "a", "text": "x"}, {"id": "b", "text": "y"}])
    beyond = [{"start": 0, "end": 99, "label": "NAME"}]
    assert "outside its text" in tried([{"id": "a", "text": "Ann", "spans": beyond}])
    (tmp_path / "notes.jsonl").write_bytes(b'{"id": "a", "text": "J\xfcrgen"}\n')
    result = call(
        "explore", tmp_path / "notes.jsonl", "--label", "X", "--out", tmp_path / "o", status=2
    )
    assert "UTF-8" in result.stderr
