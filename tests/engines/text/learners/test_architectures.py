"""Encoders of other architectures and detectors: read from files, equal to a plain forward pass and to what `transformers` makes."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from sfumato.core.errors import InputError, ModelError

GOLDEN = json.loads((Path(__file__).parent / "encoder_golden.json").read_text(encoding="utf-8"))
ARCHITECTURES = ["bert", "roberta", "xlm-roberta", "distilbert", "deberta-v2", "modernbert"]
PLACES, LENGTHS = 24, (24, 15)


def stored_tensors(kind):
    """Draw the tensors as tools/encoder_golden.py does: in the order of their names, exact in float16."""
    random = np.random.default_rng(GOLDEN["seed"])
    found = {}
    for name, shape in sorted(GOLDEN[kind]["shapes"].items()):
        values = random.normal(0, 0.3, shape)
        if "norm" in name.lower() and name.endswith("weight"):
            values = values + 1
        found[name] = values.astype(np.float16).astype(np.float32)
    return found


def window_ids():
    return np.random.default_rng(GOLDEN["seed"]).integers(5, 60, (2, PLACES))


def write(folder, kind, tensors=None, **changed):
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    config = {**GOLDEN[kind]["config"], **changed}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text("{}")
    save_file(stored_tensors(kind) if tensors is None else tensors, folder / "model.safetensors")
    return folder


@pytest.fixture(scope="module")
def opened(encoder_files, tmp_path_factory):
    from sfumato.engines.text.learners.encoder.folder import open_encoder

    place = tmp_path_factory.mktemp("architectures")
    return {kind: open_encoder(str(write(place / kind, kind))) for kind in ARCHITECTURES}


def states(folder, ids, lengths, frozen=None):
    """What our own layers make of some windows."""
    from sfumato.engines.text.learners.encoder import layer, network

    config = folder.config
    below = network.lower(config, folder.tensors, config.layers if frozen is None else frozen)
    found = network.frozen_states(
        below, ids.astype(np.int32), np.array(lengths, np.int32), layer.Shape.of(config)
    )
    return np.asarray(found, np.float32)


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_hidden_states_equal_those_of_the_usual_library(opened, kind):
    found = states(opened[kind], window_ids(), LENGTHS)
    for window, length, golden in zip(found, LENGTHS, GOLDEN[kind]["states"], strict=True):
        golden = np.array(golden)
        # Kept states are float16, which alone may differ by a thousandth of their size.
        assert window[:length] == pytest.approx(golden, abs=1e-4 + np.abs(golden).max() / 2000)


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_hidden_states_equal_to_a_ten_thousandth(opened, kind):
    """As above, in float32 throughout."""
    golden = GOLDEN[kind]["states"]
    with_padding = [np.array(one) for one in golden]
    found = wide_states(opened[kind], window_ids(), LENGTHS)
    plain = [plain_states(opened[kind], window_ids()[i][:n]) for i, n in enumerate(LENGTHS)]
    for window, length, expected, twin in zip(found, LENGTHS, with_padding, plain, strict=True):
        assert window[:length] == pytest.approx(expected, abs=1e-4)
        assert twin == pytest.approx(expected, abs=1e-4)


def wide_states(folder, ids, lengths):
    import jax.numpy as jnp

    from sfumato.engines.text.learners.encoder import layer, network

    config, shape = folder.config, layer.Shape.of(folder.config)
    below = network.lower(config, folder.tensors, config.layers)
    x = below["words"][ids] + below["places"][: ids.shape[1]] + below["type"]
    x = layer.normalize(below["norm"], x, shape.epsilon).reshape(ids.size, -1)
    away = jnp.where(np.arange(ids.shape[1])[None] < np.array(lengths)[:, None], 0.0, -1e9)
    for number, part in enumerate(below["layers"]):
        x = layer.apply_layer(part, x, away, shape, number)
    return np.asarray(x).reshape(*ids.shape, -1)


# --- the plain twin: one window, no padding, loops over heads and pairs of places ------------------


def plain_norm(x, weight, bias, epsilon):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon) * weight + bias


def plain_gelu(x):
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def plain_bucket(distance, buckets, reach):
    middle = buckets // 2
    if buckets <= 0 or abs(distance) <= middle:
        return distance
    far = math.log(abs(distance) / middle) / math.log((reach - 1) / middle) * (middle - 1)
    return int(math.copysign(math.ceil(far) + middle, distance))


def plain_scores(config, kind, q, k, number, far):
    """The product of each pair of places in one head."""
    n, size = q.shape
    if kind == "modernbert":
        whole = number % config.every == 0
        base = config.turns[0] if whole else config.turns[1]
        q, k = plain_turn(q, base), plain_turn(k, base)
    found = np.full((n, n), -np.inf)
    for i in range(n):
        for j in range(n):
            found[i, j] = q[i] @ k[j]
            if kind == "deberta-v2":
                at = plain_bucket(i - j, config.buckets, config.reach) + config.span
                at = min(max(at, 0), 2 * config.span - 1)
                found[i, j] += q[i] @ far[1][at] + k[j] @ far[0][at]
            if kind == "modernbert" and not whole and abs(i - j) > config.local // 2:
                found[i, j] = -np.inf
    return found / math.sqrt(size * (3 if kind == "deberta-v2" else 1))


def plain_turn(x, base):
    found = np.empty_like(x)
    half = x.shape[1] // 2
    for place in range(len(x)):
        for i in range(half):
            angle = place * base ** (-2 * i / x.shape[1])
            a, b = x[place, i], x[place, i + half]
            found[place, i] = a * math.cos(angle) - b * math.sin(angle)
            found[place, i + half] = b * math.cos(angle) + a * math.sin(angle)
    return found


def plain_states(folder, ids):
    config, kind = folder.config, folder.config.kind
    t = {name: array.astype(np.float64) for name, array in folder.tensors.items()}

    def dense(x, name):
        return x @ t[f"{name}.weight"].T + t[f"{name}.bias"]

    def norm(x, name):
        return plain_norm(x, t[f"{name}.weight"], t[f"{name}.bias"], config.epsilon)

    x = t["embeddings.word_embeddings.weight"][ids]
    if config.places:
        first = 2 if "roberta" in kind else 0
        x = x + t["embeddings.position_embeddings.weight"][first : first + len(ids)]
    if config.types:
        x = x + t["embeddings.token_type_embeddings.weight"][0]
    x = norm(x, "embeddings.LayerNorm")
    modern = kind == "modernbert"
    for number in range(config.layers):
        name = f"encoder.layer.{number}."
        seen = norm(x, f"{name}attention.output.LayerNorm") if modern and number else x
        q, k, v = (dense(seen, f"{name}attention.self.{p}") for p in ("query", "key", "value"))
        far = (None, None)
        if kind == "deberta-v2":
            table = norm(t["encoder.rel_embeddings.weight"], "encoder.LayerNorm")
            far = tuple(dense(table, f"{name}attention.self.{p}") for p in ("query", "key"))
        taken = []
        for head in np.split(np.arange(config.hidden), config.heads):
            near = [None if f is None else f[:, head] for f in far]
            scores = plain_scores(config, kind, q[:, head], k[:, head], number, near)
            weight = np.exp(scores - scores.max(1, keepdims=True))
            taken.append(weight / weight.sum(1, keepdims=True) @ v[:, head])
        joined = dense(np.concatenate(taken, 1), f"{name}attention.output.dense")
        if modern:
            x = x + joined
            wide = dense(norm(x, f"{name}output.LayerNorm"), f"{name}intermediate.dense")
            wide, gate = np.split(wide, 2, -1)
            x = x + dense(plain_gelu(wide) * gate, f"{name}output.dense")
        else:
            x = norm(x + joined, f"{name}attention.output.LayerNorm")
            narrow = dense(plain_gelu(dense(x, f"{name}intermediate.dense")), f"{name}output.dense")
            x = norm(x + narrow, f"{name}output.LayerNorm")
    return norm(x, "final.LayerNorm") if modern else x


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_a_configuration_comes_back_from_its_own_words(opened, kind):
    from sfumato.engines.text.learners.encoder.architectures import Config

    config = opened[kind].config
    assert Config.of(json.loads(json.dumps(config.to_json()))) == config


def test_tensors_in_parts_in_bfloat16_and_under_a_prefix_are_the_same(opened, tmp_path):
    from ml_dtypes import bfloat16
    from safetensors.numpy import save_file

    from sfumato.engines.text.learners.encoder.folder import open_encoder

    whole = stored_tensors("roberta")
    rounded = {f"roberta.{n}": a.astype(bfloat16) for n, a in whole.items()}
    place = write(tmp_path / "parts", "roberta")
    (place / "model.safetensors").unlink()
    names = sorted(rounded)
    files = {"model-1-of-2.safetensors": names[::2], "model-2-of-2.safetensors": names[1::2]}
    for file, inside in files.items():
        save_file({n: rounded[n] for n in inside}, place / file)
    index = {"weight_map": {n: file for file, inside in files.items() for n in inside}}
    (place / "model.safetensors.index.json").write_text(json.dumps(index))
    found = open_encoder(str(place))
    assert found.tensors.keys() == opened["roberta"].tensors.keys()
    for name, array in found.tensors.items():
        plain = whole[name].astype(bfloat16).astype(np.float16)
        assert np.array_equal(array, plain)
    # An index that leaves the folder, or names nothing, is refused.
    for parts in ({"a": "../model.safetensors"}, {"a": "model.bin"}, {}, {"a": 1}):
        (place / "model.safetensors.index.json").write_text(json.dumps({"weight_map": parts}))
        open_encoder.__globals__["_read"].cache_clear()
        with pytest.raises(ModelError, match="damaged"):
            open_encoder(str(place))


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("roberta", {"hidden_act": "relu"}),
        ("roberta", {"type_vocab_size": 0}),
        ("distilbert", {"activation": "relu"}),
        ("distilbert", {"dim": 17}),
        ("deberta-v2", {"pos_att_type": ["c2p"]}),
        ("deberta-v2", {"share_att_key": False}),
        ("deberta-v2", {"conv_kernel_size": 3}),
        ("deberta-v2", {"embedding_size": 8}),
        ("deberta-v2", {"norm_rel_ebd": "none"}),
        ("modernbert", {"hidden_activation": "silu"}),
        ("modernbert", {"global_rope_theta": 0.5}),
        ("modernbert", {"num_attention_heads": 16}),
        ("modernbert", {"model_type": "electra"}),
    ],
)
def test_what_is_not_supported_is_refused(encoder_files, tmp_path, kind, changed):
    from sfumato.engines.text.learners.encoder.folder import open_encoder

    with pytest.raises(ModelError, match=r"config\.json"):
        open_encoder(str(write(tmp_path / "changed", kind, **changed)))


def test_a_missing_tensor_is_named_as_the_file_would(encoder_files, tmp_path):
    from sfumato.engines.text.learners.encoder.folder import open_encoder

    tensors = stored_tensors("modernbert")
    del tensors["layers.1.attn.Wqkv.weight"]
    with pytest.raises(ModelError, match=r"layers\.1\.attn\.Wqkv\.weight"):
        open_encoder(str(write(tmp_path / "lacks", "modernbert", tensors)))
    tensors = stored_tensors("modernbert")
    tensors["layers.1.attn.Wqkv.weight"] = tensors["layers.1.attn.Wqkv.weight"][:32]
    with pytest.raises(ModelError, match="shape"):
        open_encoder(str(write(tmp_path / "small", "modernbert", tensors)))


# --- tokenizers ----------------------------------------------------------------------------------


def byte_level(marks=("<s>", "</s>", "<mask>", "<unk>"), *, spaced=False):
    letters = [chr(c) for c in range(97, 123)]
    pieces = [*marks, *letters, "Ġ", ",", "Ġa", "nn", "Ġann"]
    return {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "ByteLevel",
            "add_prefix_space": spaced,
            "trim_offsets": True,
            "use_regex": True,
        },
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "BPE",
            "unk_token": "<unk>",
            "vocab": {piece: i for i, piece in enumerate(pieces)},
            "merges": ["Ġ a", "n n", "Ġa nn"],
        },
    }


@pytest.mark.parametrize("spaced", [False, True])
def test_a_tokenizer_that_reads_spaces_sees_words_as_inside_a_text(encoder_files, spaced):
    from sfumato.engines.text.learners.encoder.pieces import PieceTable

    content = byte_level(spaced=spaced)
    table = PieceTable(json.dumps(content).encode(), 64)
    vocab = content["model"]["vocab"]
    assert (table.first, table.last, table.mask, table.unknown) == (0, 1, 2, 3)
    (word, _), (mark, _) = table.look_up(["ann", ","])
    assert word == (vocab["Ġann"],)
    assert mark[-1] == vocab[","]
    assert len(mark) == (2 if spaced else 1)
    for lacking in range(4):
        marks = [
            m if i != lacking else f"x{i}" for i, m in enumerate(("<s>", "</s>", "<mask>", "<unk>"))
        ]
        with pytest.raises(ModelError, match="lacks"):
            PieceTable(json.dumps({**byte_level(marks), "model": {
                **byte_level(marks)["model"], "unk_token": marks[3]}}).encode(), 64)  # fmt: skip


# --- tuned from end to end -----------------------------------------------------------------------


def test_a_modern_encoder_is_tuned_stored_and_scores_the_same(opened, tmp_path):
    from dataclasses import replace

    from sfumato.engines.text.learners.encoder.learner import Encoder
    from sfumato.engines.text.learners.pretrained import Schedule
    from sfumato.engines.text.learners.registry import model_from_arrays
    from sfumato.engines.text.reading.features import TokenData
    from sfumato.engines.text.reading.tokens import Vocabulary, tokenize

    random = np.random.default_rng(0)
    drawn = [random.choice(["ann", "bob", "cat", "met", "said"], 12) for _ in range(24)]
    vocabulary = Vocabulary()
    data = TokenData.of(tokenize([" ".join(d) for d in drawn], vocabulary), vocabulary)
    labels = np.isin(np.concatenate(drawn), ["ann", "bob"]).astype(np.uint8)
    tokenizer = json.dumps(byte_level()).encode()
    folder = replace(opened["modernbert"], tokenizer=tokenizer)
    learner = Encoder(folder, schedule=Schedule(1, 1e-2, steps=80, most=80))
    train = np.arange(24) < 16
    model = learner.fit(data, labels, documents=train, seed=1)
    scores = model.scores(data)
    unseen = data.document_of >= 16
    assert np.mean((scores > 0)[unseen] == (labels > 0)[unseen]) > 0.9
    header, arrays = model.to_arrays()
    back = model_from_arrays(json.loads(json.dumps(header)), arrays)
    assert np.array_equal(back.scores(data), scores)
    arrays.pop("tuned/layers/1/final/0")
    with pytest.raises(ModelError):
        model_from_arrays(header, arrays)


def test_gradients_by_distance_against_finite_differences(opened):
    import jax

    from sfumato.engines.text.learners.encoder import layer, network

    config = opened["deberta-v2"].config
    random = np.random.default_rng(3)
    tuned = network.initial(config, opened["deberta-v2"].tensors, 2, random)
    batch = network.WindowBatch(
        random.normal(0, 1, (2, 6, config.hidden)).astype(np.float16),
        random.integers(0, 8, (2, 6)).astype(np.uint8),
        np.array([6, 4], np.int32),
        np.array([0, 1, 3, 6, 7], np.int32),
        random.integers(0, 2, 5).astype(np.float32),
        np.ones(5, np.float32),
    )
    value = jax.jit(
        lambda t: network.loss(t, batch, layer.Shape.of(config, frozen=2), np.float32(5))
    )
    gradient = jax.grad(value)(tuned)["layers"][0]["distance"][0]
    direction = random.normal(0, 1, gradient.shape).astype(np.float32)

    def moved(step):
        table, offset = tuned["layers"][0]["distance"]
        part = {**tuned["layers"][0], "distance": (table + step * direction, offset)}
        return float(value({**tuned, "layers": [part]}))

    slope = (moved(3e-3) - moved(-3e-3)) / 6e-3
    assert float((gradient * direction).sum()) == pytest.approx(slope, rel=0.03, abs=2e-3)


# --- detectors -----------------------------------------------------------------------------------

LABELS = ("O", "B-PER", "I-PER", "B-LOC")
TEXTS = ["Mr Ann met Bob in Paris .", "the cat said John Smith, 安 met Ann", ""]


def detector_folder(folder, head, kind="bert", tokenizer=None):
    """Write a detector: a tiny encoder, and a head over its states."""
    from safetensors.numpy import save_file

    config = {**GOLDEN[kind]["config"], "vocab_size": 120, "id2label": dict(enumerate(LABELS))}
    random = np.random.default_rng(1)
    tensors = {}
    for name, shape in GOLDEN[kind]["shapes"].items():
        shape = [120 if n == 60 else n for n in shape]
        values = random.normal(0, 0.3, shape) + ("norm" in name.lower() and name.endswith("weight"))
        tensors[f"bert.{name}"] = values.astype("f4")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    save_file({**tensors, **head}, folder / "model.safetensors")
    return folder


@pytest.fixture(scope="module")
def detector(encoder_files, tmp_path_factory):
    """A detector with a random head, which finds about half of the words."""
    from sfumato.engines.text.learners.encoder.detector import TokenClassifier

    random = np.random.default_rng(4)
    weight = random.normal(0, 1.0, (4, 16)).astype("f4")
    place, tokenizer = tmp_path_factory.mktemp("detector"), encoder_files.tokenizer()

    def opened(name, bias):
        head = {"classifier.weight": weight, "classifier.bias": bias.astype("f4")}
        folder = detector_folder(place / name, head, tokenizer=tokenizer)
        return folder, TokenClassifier.open(folder)

    usual = weight @ word_states(opened("first", np.zeros(4))[1], TEXTS).mean(axis=0)
    return opened("bert", np.array([0.5, 0, 0, 0]) - usual)


def word_states(found, texts):
    """The plain states of each word's first piece, text by text."""
    from sfumato.engines.text.learners.encoder.pieces import piece_table
    from sfumato.engines.text.reading.tokens import Vocabulary, tokenize

    table = piece_table(found.folder.tokenizer, found.folder.config.vocabulary)
    rows = []
    for written in texts:
        tokens = tokenize([written], Vocabulary())
        text = tokens.text.tobytes()
        cut = table.look_up(
            [text[a:b].decode() for a, b in zip(tokens.start, tokens.end, strict=True)]
        )
        ids, first = [table.first], []
        for pieces, _ in cut:
            first.append(len(ids))
            ids += pieces
        if first:
            rows.append(plain_states(found.folder, np.array([*ids, table.last]))[first])
    return np.concatenate(rows)


def plain_findings(found, text):
    """Words of one kind that follow each other are one finding, unless one begins."""
    from sfumato.engines.text.reading.tokens import Vocabulary, tokenize

    z = word_states(found, [text]) @ found.head["classifier.weight"].astype(float).T
    z = np.exp(z + found.head["classifier.bias"].astype(float))
    chances = z / z.sum(axis=1, keepdims=True)
    spans = []
    start, end = tokenize([text], Vocabulary()).char_offsets()
    for chance, first, last in zip(chances, start.tolist(), end.tolist(), strict=True):
        by_kind = {"O": chance[0], "LOC": chance[3], "PER": chance[1] + chance[2]}
        kind = max(by_kind, key=by_kind.get)
        goes_on = spans and spans[-1][2] == kind and LABELS[chance.argmax()][:2] != "B-"
        if goes_on:
            spans[-1] = (spans[-1][0], last, kind, [*spans[-1][3], by_kind[kind]])
        else:
            spans.append((first, last, kind, [by_kind[kind]]))
    return [(a, b, kind, float(np.mean(c))) for a, b, kind, c in spans if kind != "O"]


def test_findings_of_a_detector_against_a_plain_one(detector):
    _, found = detector
    spans = found.find(TEXTS)
    assert spans[2] == []
    for text, one in zip(TEXTS[:2], spans, strict=False):
        plain = plain_findings(found, text)
        assert 2 < len(plain) < 8
        assert [(s.start, s.end, s.label) for s in one] == [p[:3] for p in plain]
        assert [s.score for s in one] == pytest.approx([p[3] for p in plain], abs=2e-3)
    assert found.find([TEXTS[1]]) == [spans[1]]  # whatever is read beside it


def test_a_detector_whose_files_do_not_fit_is_refused(detector, tmp_path):
    import shutil

    from sfumato.engines.text.learners.encoder.detector import TokenClassifier, read_labels

    for said in ({}, {"id2label": {"0": "O"}}, {"id2label": {"0": "O", "2": "B-X"}},
                 {"id2label": {"0": "A", "1": "B"}}, {"id2label": {"a": "O", "b": "B"}}):  # fmt: skip
        with pytest.raises(ModelError, match="id2label"):
            read_labels(said)
    changed = Path(shutil.copytree(detector[0], tmp_path / "changed"))
    config = json.loads((changed / "config.json").read_text())
    config["id2label"]["4"] = "B-MORE"
    (changed / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match="shape"):
        TokenClassifier.open(changed)


def met_documents(label="NAME"):
    """Documents in which three people meet a cat."""
    from sfumato.data.document import Document, Span

    random = np.random.default_rng(0)
    documents = []
    for i in range(12):
        text, spans = "", []
        for _ in range(4):
            name = str(random.choice(["Ann", "Bob", "Lee"]))
            text += "Mr "
            spans.append(Span(len(text), len(text) + len(name), label))
            text += f"{name} met the cat . "
        documents.append(Document(f"d{i}", text, spans))
    return documents


def test_a_detector_competes_and_is_stored_with_what_it_is_worth(detector):
    from sfumato.engines.text.learners.registry import model_from_arrays
    from sfumato.engines.text.reading.features import TokenData
    from sfumato.engines.text.reading.tokens import Vocabulary, tokenize
    from sfumato.text import explore

    folder, found = detector
    documents, vocabulary = met_documents(), Vocabulary()
    assert found.kinds() == ("LOC", "PER")
    model = found.as_model({"PER"})
    data = TokenData.of(tokenize([d.text for d in documents], vocabulary), vocabulary)
    every = model.scores(data)
    chances = found.judge(data)[:, 1:3].sum(axis=1)
    assert every == pytest.approx(np.log(chances / (1 - chances)))
    # Stored as arrays and read back, it says the same of what it is asked for.
    header, arrays = model.to_arrays()
    again = model_from_arrays(json.loads(json.dumps(header)), arrays)
    first, gone = np.arange(data.documents) < 1, np.arange(len(data)) == 3
    some = again.scores(data.redact(gone), documents=first)
    assert np.isfinite(some).tolist() == (first[data.document_of] & ~gone).tolist()
    assert again.scores(data, documents=first)[: data.tokens.doc[1]] == pytest.approx(
        every[: data.tokens.doc[1]], abs=1e-3
    )
    assert len(again.scores(data, documents=np.zeros(data.documents, bool))) == len(data)
    for changed in ({"labels": ["O"]}, {"sensitive": [1, 2, 3, 4]}, {"config": {}}):
        with pytest.raises(ModelError):
            model_from_arrays({**header, **changed}, arrays)
    with pytest.raises(ModelError, match="fit together"):
        model_from_arrays(
            header, {**arrays, "head/classifier.bias": np.full(4, np.nan, np.float16)}
        )
    given = {"labels": ["NAME"], "ratios": [10], "folds": 2, "attackers": ["none"]}
    explored = explore(documents, detector=folder, **given)
    (alone,) = (r for r in explored.record.references if r.name == "The detector alone")
    named = np.array([data.tokens.text[a:b].tobytes() in {b"Ann", b"Bob", b"Lee"} for a, b in
                      zip(data.tokens.start, data.tokens.end, strict=True)])  # fmt: skip
    assert alone.leaked == int((named & (every < 0)).sum())
    assert "CRF that sees the detector" in explored.candidates[0].record[0].total_loss_by_form
    with pytest.raises(InputError, match="finds none of the labels"):
        explore(met_documents("AGE"), detector=folder, **{**given, "labels": ["AGE"]})


def test_the_frontier_says_what_a_detector_alone_leaves_and_publishing_uses_it(detector, tmp_path):
    from sfumato.text import explore

    documents = met_documents()
    folder, found = detector
    explored = explore(
        documents, labels=["NAME"], ratios=[10], folds=2, attackers=["none"],
        findings=f"{folder}:PER=NAME,LOC=NAME",
    )  # fmt: skip
    references = {r.name: r for r in explored.record.references}
    alone = references["Findings of the other tool"]
    covered = [
        any(f.start <= s.start and s.end <= f.end for f in there)
        for document, there in zip(documents, found.find([d.text for d in documents]), strict=True)
        for s in document.spans
    ]
    assert alone.leaked == covered.count(False)
    plain, costs = (
        references[f"One {name}"]
        for name in ("plain pass without the findings", "pass without the findings at ratio 10")
    )
    assert costs.leaked <= plain.leaked < 48
    assert explored.candidates[0].leaked <= alone.leaked
    explored.publish("r10", documents, out=tmp_path / "out", findings=f"{folder}:PER=NAME,LOC=NAME", ignore_marks=True)  # fmt: skip
    lines = (tmp_path / "out.private" / "edits.jsonl").read_text().splitlines()
    edits = {entry["id"]: entry["edits"] for entry in map(json.loads, lines)}
    for document in documents:
        for span in found.find([document.text])[0]:
            assert any(e[0] <= span.start < e[1] for e in edits[document.id])
