"""A detector in ONNX: a tiny graph, written byte by byte, against what its tables say."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sfumato.core.errors import ModelError
from sfumato.data.detectors import open_detector
from sfumato.data.document import Document
from sfumato.data.findings import with_findings

LABELS = ("O", "B-PER", "I-PER", "LOC")
TEXTS = ["Mr Ann Lee met the cat in Rome .", "", "the dog saw Bob ; Bob ran"]
VOCABULARY = 120


def number(field, value):
    """A whole number in the wire format of protocol buffers."""
    digits = []
    for part in (field << 3, value):
        while part > 127:
            digits.append(part & 127 | 128)
            part >>= 7
        digits.append(part)
    return bytes(digits)


def part(field, content):
    content = content.encode() if isinstance(content, str) else content
    key, size = number(field, 0)[:-1], number(0, len(content))[1:]
    return bytes([*key[:-1], key[-1] | 2]) + size + content


def tensor(name, values):
    dims = b"".join(number(1, n) for n in values.shape)
    return dims + number(2, 1) + part(8, name) + part(9, values.astype("<f4").tobytes())


def value(name, kind):
    return part(1, name) + part(2, part(1, number(1, kind)))


def node(kind, inputs, output):
    return b"".join(part(1, name) for name in inputs) + part(2, output) + part(4, kind)


def graph(by_piece, by_mask, inputs=("input_ids", "attention_mask")):
    """Answers of a piece are a row of one table, plus a row of another by whether it is read."""
    float_, whole = 1, 7
    nodes = [node("Gather", ("by_piece", inputs[0]), "a"), node("Gather", ("by_mask", inputs[1]), "b"),
             node("Add", ("a", "b"), "logits")]  # fmt: skip
    content = b"".join(part(1, n) for n in nodes) + part(2, "tiny")
    content += part(5, tensor("by_piece", by_piece)) + part(5, tensor("by_mask", by_mask))
    content += b"".join(part(11, value(name, whole)) for name in inputs)
    content += part(12, value("logits", float_))
    return number(1, 8) + part(7, content) + part(8, part(1, "") + number(2, 13))


@pytest.fixture
def folder(tmp_path, encoder_files):
    random = np.random.default_rng(0)
    tables = random.normal(0, 2, (VOCABULARY, 4)), np.array([[0.0] * 4, [1, 0, 0, 0]])
    config = {"id2label": dict(enumerate(LABELS)), "vocab_size": VOCABULARY, "model_type": "any"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "tokenizer.json").write_text(json.dumps(encoder_files.tokenizer()))
    (tmp_path / "model.onnx").write_bytes(graph(*tables))
    return tmp_path, tables


def plain_findings(found, tables, text):
    """Words of one kind that follow each other are one finding, unless one begins."""
    from sfumato.engines.text.learners.encoder.pieces import piece_table

    table, spans, place = piece_table(found.tokenizer, VOCABULARY), [], 0
    for word in text.split(" ") if text else []:
        answers = tables[0][table.look_up([word])[0][0][0]] + tables[1][1]
        chance = np.exp(answers) / np.exp(answers).sum()
        by_kind = {"O": chance[0], "LOC": chance[3], "PER": chance[1] + chance[2]}
        kind = max(by_kind, key=by_kind.get)
        start, end = place, place + len(word)
        if spans and spans[-1][2] == kind and chance.argmax() != 1:
            start, scores = spans[-1][0], spans.pop()[3]
        else:
            scores = []
        spans.append((start, end, kind, [*scores, by_kind[kind]]))
        place = end + 1
    return [(a, b, kind, np.mean(scores)) for a, b, kind, scores in spans if kind != "O"]


def test_findings_of_a_graph_against_its_tables(folder):
    place, tables = folder
    found = open_detector(place)
    spans = found.find(TEXTS)
    assert sum(map(len, spans)) >= 3
    for text, there in zip(TEXTS, spans, strict=True):
        plain = plain_findings(found, tables, text)
        assert [(s.start, s.end, s.label) for s in there] == [p[:3] for p in plain]
        assert [s.score for s in there] == pytest.approx([p[3] for p in plain], abs=1e-5)
    assert found.find([""]) == [[]]
    (document,) = with_findings([Document("d", TEXTS[0])], place, labels={"PER": "NAME"})
    assert {s.label for s in document.spans} <= {"NAME", "LOC"}


def test_a_graph_that_does_not_fit_is_refused(folder):
    place, tables = folder
    model, config = place / "model.onnx", json.loads((place / "config.json").read_text())
    for content, words in (
        (b"\x00", "cannot be run"),
        (graph(*tables, inputs=("input_ids", "secret")), "does not take"),
        (graph(tables[0][:, :3], tables[1][:, :3]), "does not give 4"),
        (graph(tables[0][:3], tables[1]), "cannot be run"),  # pieces beyond its table
        (graph(np.full((VOCABULARY, 4), np.nan), tables[1]), "finite"),
    ):
        model.write_bytes(content)
        with pytest.raises(ModelError, match=words) as raised:
            open_detector(place).find(TEXTS)
        assert "Ann" not in str(raised.value)
    model.write_bytes(graph(*tables))
    for changed, words in (({"vocab_size": None}, "vocab_size"), ({"id2label": {}}, "id2label")):
        (place / "config.json").write_text(json.dumps({**config, **changed}))
        with pytest.raises(ModelError, match=words):
            open_detector(place)
    (place / "tokenizer.json").unlink()
    (place / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=r"holds no tokenizer\.json"):
        open_detector(place)


def test_without_its_packages_a_detector_says_what_to_install(folder, monkeypatch):
    import importlib.util

    usual = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "onnxruntime" else usual(name)
    )
    with pytest.raises(Exception, match="onnxruntime") as raised:
        open_detector(folder[0])
    assert "sfumato[onnx]" in str(raised.value.hint)
