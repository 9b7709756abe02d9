"""Canary names are planted in every field of the input: none may come out anywhere but in its own place.

Texts are published with the canaries redacted; other fields are published as they are unless dropped, so
they are dropped here. Everything else (frontier, model, record, attack, study, messages, errors) must
never hold a canary, whatever goes wrong.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from sfumato.cli._engines import engine_app
from sfumato.engines.text.engine import ENGINE

app = engine_app(ENGINE)
CANARIES = ["Quillfeather", "Zxarnowitz", "Brandybuckle", "Öþelwyn", "Mxyzptlkova", "Fnordington"]
FIELDS = ["Secretnotefield", "Hiddenwardname"]


def document(i, seed=0):
    rng = np.random.default_rng(1000 * seed + i)
    text, spans = "", []
    for _ in range(12):
        name = str(rng.choice(CANARIES))
        text += "Patient Dr. "
        spans.append({"start": len(text), "end": len(text) + len(name), "label": "NAME"})
        text += (
            name + " " + " ".join(str(w) for w in rng.choice(["came", "home", "late", "well"], 6))
        )
        text += ". "
    return {
        "id": f"{seed}-{i}",
        "text": text,
        "spans": spans,
        "note": f"seen by {FIELDS[0]}",
        "more": {"ward": [FIELDS[1], CANARIES[0]]},
    }


def write(path, documents):
    path.write_text("\n".join(json.dumps(d, ensure_ascii=False) for d in documents) + "\n")
    return path


def call(*parts, env=None):
    return CliRunner().invoke(app, [str(p) for p in parts], env=env)


def assert_silent(content):
    if isinstance(content, str):
        content = content.encode()
    folded = content.decode("utf-8", "replace").casefold()
    for canary in (*CANARIES, *FIELDS):
        assert canary.casefold() not in folded
        assert canary.encode() not in content
        assert canary.encode("utf-16-le") not in content
        assert canary.encode("utf-32-le") not in content


def assert_all_silent(folder):
    files = [f for f in folder.rglob("*") if f.is_file()]
    assert files
    for file in files:
        assert_silent(file.read_bytes())
        assert_silent(str(file))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("canaries")
    train = write(folder / "train.jsonl", [document(i) for i in range(16)])
    test = write(folder / "test.jsonl", [document(i, 1) for i in range(8)])
    result = call("explore", train, "--label", "NAME", "--ratios", "10,50", "--out", folder / "dir",
                  "--budget", "10")  # fmt: skip
    assert result.exit_code == 0, result.output
    assert_silent(result.output)
    return folder, train, test


def test_explore_keeps_silent(files):
    folder, train, _ = files
    assert_all_silent(folder / "dir")
    result = call("explore", train, "--label", "NAME", "--ratios", "10", "--out", folder / "json",
                  "--background", train, "--json")  # fmt: skip
    assert result.exit_code == 0
    assert_silent(result.output)
    assert_all_silent(folder / "json")


@pytest.mark.parametrize("replace", ["placeholder", "mask", "surrogate"])
def test_publish_and_attack_keep_silent(files, replace):
    folder, train, test = files
    secret = "a very secret key of the canaries"
    out = folder / f"out-{replace}"
    result = call("publish", folder / "dir", test, "--ratio", "50", "--out", out, "--replace", replace,
                  "--drop", "note,more", env={"SFUMATO_KEY": secret})  # fmt: skip
    assert result.exit_code == 0, result.output
    assert_silent(result.output)
    assert_all_silent(out)
    for file in out.rglob("*"):
        assert secret.encode() not in (file.read_bytes() if file.is_file() else b"")
    found = call("attack", folder / "dir", out, "--labels", test, "--training", train,
                 "--background", train, "--out", folder / f"attack-{replace}.json")  # fmt: skip
    assert found.exit_code == 0, found.output
    assert_silent(found.output)
    assert_silent((folder / f"attack-{replace}.json").read_bytes())


def test_other_fields_are_published_only_when_not_dropped(files):
    """The warning that fields go out as they are names the fields, not what is in them."""
    folder, _, test = files
    result = call("publish", folder / "dir", test, "--ratio", "50", "--out", folder / "kept")
    assert result.exit_code == 0
    assert "note" in result.output
    assert_silent(result.output)
    assert_silent((folder / "kept" / "release.json").read_bytes())
    assert FIELDS[0] in (folder / "kept" / "test.jsonl").read_text()


def broken(kind):
    good = document(0)
    if kind == "span outside":
        return [good, {**document(1), "spans": [{"start": 3, "end": 10**6, "label": "NAME"}]}]
    if kind == "overlap":
        spans = [{"start": 0, "end": 20, "label": "NAME"}, {"start": 5, "end": 25, "label": "NAME"}]
        return [good, {**document(1), "spans": spans}]
    if kind == "text is no text":
        return [good, {**document(1), "text": [CANARIES[1]]}]
    if kind == "same id":
        return [good, good]
    return [good]


@pytest.mark.parametrize("kind", ["span outside", "overlap", "text is no text", "same id", "one"])
@pytest.mark.parametrize("flag", [[], ["--json"], ["--quiet"]])
def test_errors_keep_silent(tmp_path, kind, flag):
    corpus = write(tmp_path / "broken.jsonl", broken(kind))
    result = call("explore", corpus, "--label", "NAME", "--out", tmp_path / "dir", *flag)
    assert result.exit_code in {1, 2}
    assert_silent(result.output)
    assert not (tmp_path / "dir").exists()


def test_unreadable_files_keep_silent(tmp_path, files):
    folder, _, test = files
    torn = tmp_path / "torn.jsonl"
    torn.write_text(test.read_text()[:-200] + CANARIES[2])
    binary = tmp_path / "binary.jsonl"
    binary.write_bytes(
        b'{"id": "1", "text": "' + CANARIES[3].encode("latin-1", "replace") + b"\xff\xfe"
    )
    for source in (torn, binary):
        for parts in (
            ["explore", source, "--label", "NAME", "--out", tmp_path / "x"],
            [
                "publish",
                folder / "dir",
                source,
                "--ratio",
                "50",
                "--strict",
                "--out",
                tmp_path / "y",
            ],
            ["attack", folder / "dir", source, "--labels", test],
            ["attack", folder / "dir", folder / "dir", "--labels", source],
            ["study", source, "--out", tmp_path / "z"],
        ):
            result = call(*parts)
            assert result.exit_code in {1, 2}, parts
            assert_silent(result.output)


def test_study_keeps_silent(tmp_path, files):
    _, train, _ = files
    result = call("study", train, "--out", tmp_path / "out", "--ratios", "5", "--folds", "2",
                  "--publishers", "gs crf,honest", "--budget", "10")  # fmt: skip
    assert result.exit_code == 0, result.output
    assert_silent(result.output)
    assert_all_silent(tmp_path / "out")


def test_withheld_records_keep_silent(tmp_path, files):
    folder, _, _ = files
    source = write(
        tmp_path / "some.jsonl",
        [document(5, 2), {**document(6, 2), "text": {"a": CANARIES[0]}}, document(7, 2)],
    )
    result = call("publish", folder / "dir", source, "--ratio", "50", "--out", tmp_path / "out",
                  "--drop", "note,more")  # fmt: skip
    assert result.exit_code == 1
    assert_silent(result.output)
    assert_all_silent(tmp_path / "out")
