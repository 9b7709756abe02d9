"""Releases as files: aligned with their originals and attacked, whatever stands for what was redacted."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from sfumato.core.errors import DataError
from sfumato.data.document import Document, Span
from sfumato.engines.text.attack.released import target_of
from sfumato.engines.text.attack.released.alignment import align
from sfumato.engines.text.redaction.replacer import MASK

tokens = st.lists(st.integers(0, 3), max_size=10).map(lambda x: np.array(x, np.int32))


def longest_common(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), int)
    for i in range(len(a)):
        for j in range(len(b)):
            same = a[i] == b[j]
            table[i + 1, j + 1] = table[i, j] + 1 if same else max(table[i, j + 1], table[i + 1, j])
    return table[-1, -1]


@settings(max_examples=200)
@given(tokens, tokens)
def test_alignment_is_a_longest_common_sequence(a, b):
    match = align(a, b)
    found = match[match >= 0]
    assert (np.diff(found) > 0).all()
    assert all(a[m] == b[j] for j, m in enumerate(match) if m >= 0)
    assert len(found) == longest_common(a, b)


def original():
    text = "Dr. Ann Lee saw Bo Cruz and Ann on Monday."
    spans = [Span(4, 11, "NAME"), Span(16, 23, "NAME"), Span(28, 31, "NAME")]
    return Document("d", text, spans)


@pytest.mark.parametrize(
    ("published", "left"),
    [
        ("Dr. [NAME] saw [NAME] and Ann on Monday.", 1),
        (f"Dr. {MASK} saw {MASK} and {MASK} on Monday.", 0),
        ("Dr. Eve May saw Rose Mill and Eve on Monday.", 0),
        ("Dr. [NAME] Lee saw Bo [NAME] and [NAME] on Monday.", 2),
        ("Dr. Ann Lee saw Bo Cruz and Ann on Monday.", 5),
    ],
)
def test_what_is_left_of_a_document(published, left):
    target, before = target_of([Document("d", published)], [original()], ["NAME"])
    assert before == (10, 5)
    assert int(target.sensitive[target.instances].sum()) == left
    if "[" in published:
        assert not target.data.counted[target.data.redacted].any()


def test_background_keeps_its_own_labels():
    other = Document("b", "Mr Smith left.", [Span(3, 8, "NAME")])
    target, _ = target_of(
        [Document("d", "Dr. [NAME] saw [NAME] and [NAME] on Monday.")],
        [original()],
        ["NAME"],
        [other],
    )
    assert target.documents.tolist() == [True, False]
    assert int(target.sensitive.sum()) == 1


def test_a_foreign_release_is_refused():
    with pytest.raises(DataError, match="no labelled original"):
        target_of([Document("x", "text")], [original()], ["NAME"])
    with pytest.raises(DataError, match="occur in the labelled"):
        target_of([Document("d", "something else entirely was written")], [original()], ["NAME"])
    with pytest.raises(DataError, match="no document"):
        target_of([], [original()], ["NAME"])


# ---- the command -------------------------------------------------------------------------------


def write(path, documents):
    lines = [
        json.dumps({
            "id": d.id, "text": d.text,
            "spans": [{"start": s.start, "end": s.end, "label": s.label} for s in d.spans],
        })
        for d in documents
    ]  # fmt: skip
    path.write_text("\n".join(lines) + "\n")
    return path


def corpus(seed, documents=16):
    rng = np.random.default_rng(seed)
    found = []
    for i in range(documents):
        text, spans = "", []
        for _ in range(14):
            if rng.random() < 0.6:
                text += "Dr. "
                name = str(rng.choice(["Alba", "Borges", "Cruz", "Diaz", "Evans", "Fuchs"]))
                spans.append(Span(len(text), len(text) + len(name), "NAME"))
                text += name + " "
            text += (
                " ".join(str(w) for w in rng.choice(["saw", "the", "rain", "we", "left"], 5)) + ". "
            )
        found.append(Document(f"d{seed}-{i}", text.strip(), spans))
    return found


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    train, test = write(folder / "train.jsonl", corpus(1)), write(folder / "test.jsonl", corpus(2))
    app = the_app()
    runner = CliRunner()
    for call in (
        ["explore", train, "--label", "NAME", "--ratios", "2,10", "--out", folder / "dir"],
        ["publish", folder / "dir", test, "--ratio", "10", "--out", folder / "out"],
    ):
        result = runner.invoke(app, [str(part) for part in call])
        assert result.exit_code == 0, result.output
    return folder


def the_app():
    from sfumato.cli._engines import engine_app
    from sfumato.engines.text.engine import ENGINE

    return engine_app(ENGINE)


def call(*parts):
    return CliRunner().invoke(the_app(), ["attack", *(str(p) for p in parts)])


def test_attack_command(files, tmp_path):
    result = call(
        files / "dir", files / "out", "--labels", files / "test.jsonl", "--training",
        files / "train.jsonl", "--background", files / "train.jsonl", "--budget", "5,20",
        "--out", tmp_path / "attack.json", "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    content = json.loads(result.stdout)
    assert content == json.loads((tmp_path / "attack.json").read_text())
    assert {"A", "B", "outside", "strongest", "left"} <= content["attack"].keys()
    assert content["attack"]["B"]["ranked"].keys() == {"5", "20"}
    assert content["bounds"]["theorem 2"]["sentence"]
    guessed = content["inference"]
    assert 0 <= guessed["low"] <= guessed["share"] <= guessed["high"] <= 1
    assert guessed["right"] <= guessed["cases"]
    for name in ("Alba", "Borges", "Cruz"):
        assert name not in result.output
    plain = call(files / "dir", files / "out", "--labels", files / "test.jsonl")
    assert plain.exit_code == 0
    assert "strongest" in plain.output
    assert "words around" not in plain.output  # nobody said what the adversary knows


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"--budget": "0"}, "budget"),
        ({"--budget": "ten"}, "whole numbers"),
        ({"published": "nothing"}, "no release"),
        ({"directory": "nothing"}, "Hint"),
        ({"--labels": "train.jsonl"}, "no labelled original"),
    ],
)
def test_attack_bad_calls(files, change, message):
    parts = [
        files / change.get("directory", "dir"), files / change.get("published", "out"),
        "--labels", files / change.get("--labels", "test.jsonl"),
        "--budget", change.get("--budget", "10"),
    ]  # fmt: skip
    result = call(*parts)
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output


def test_attack_refuses_to_overwrite(files, tmp_path):
    (tmp_path / "there.json").write_text("{}")
    result = call(files / "dir", files / "out", "--labels", files / "test.jsonl", "--out",
                  tmp_path / "there.json")  # fmt: skip
    assert result.exit_code == 2
    assert (tmp_path / "there.json").read_text() == "{}"
