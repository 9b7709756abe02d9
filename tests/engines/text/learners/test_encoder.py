"""The encoder: files are checked, pieces are aligned, the network is what it should be, learning works."""

import hashlib
import json
import math
import os
import re
import shutil
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import InputError, ModelError, ParameterError
from sfumato.data.detectors import open_detector
from sfumato.engines.text.learners.encoder import folder as folders
from sfumato.engines.text.learners.encoder.pieces import Pieces, case_of, piece_table, windows_of
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, tokenize

NAMES = ("Ann", "Bob", "Lee", "John")
PLAIN = ("cat", "Paris", "met", "said")


def tokens_of(texts):
    vocabulary = Vocabulary()
    return TokenData.of(tokenize(texts, vocabulary), vocabulary)


def documents(count, seed=0, words=36):
    """Short texts in which some words are always sensitive; a unit of work for a tiny encoder."""
    random = np.random.default_rng(seed)
    drawn = [random.choice(NAMES + 3 * PLAIN, words) for _ in range(count)]
    data = tokens_of([" ".join(d) for d in drawn])
    labels = np.concatenate([np.isin(d, NAMES) for d in drawn]).astype(np.uint8)
    return data, labels


# --- files ---------------------------------------------------------------------------------------


def altered(encoder_files, tmp_path, change):
    config = dict(encoder_files.config)
    tensors = encoder_files.tensors(config)
    change(config, tensors)
    return encoder_files.write(tmp_path / "changed", config, tensors)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("hidden_size", 17),
        ("hidden_size", "16"),
        ("hidden_size", True),
        ("num_hidden_layers", 0),
        ("vocab_size", 1 << 30),
        ("max_position_embeddings", 8),
        ("layer_norm_eps", 1.0),
        ("model_type", "electra"),
        ("hidden_act", "relu"),
        ("position_embedding_type", "relative_key"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(encoder_files, tmp_path, key, value):
    place = altered(encoder_files, tmp_path, lambda config, _: config.update({key: value}))
    with pytest.raises(ModelError):
        folders.open_encoder(str(place))


def test_tensors_are_checked_by_name_shape_type_and_value(encoder_files, tmp_path):
    name = "encoder.layer.1.output.dense.weight"

    def refused(change):
        with pytest.raises(ModelError):
            folders.open_encoder(str(altered(encoder_files, tmp_path / str(id(change)), change)))

    refused(lambda _, t: t.pop(name))
    refused(lambda _, t: t.update({name: t[name].T.copy()}))
    refused(lambda _, t: t.update({name: t[name].astype("f8")}))
    refused(lambda _, t: t.update({name: np.full_like(t[name], np.nan)}))
    refused(lambda _, t: t.update({name: np.full_like(t[name], 1e6)}))  # beyond float16


def test_tensors_of_a_larger_model_and_of_older_names_are_found(encoder_files, tmp_path):
    def older(_, tensors):
        for name in list(tensors):
            old = name.replace("LayerNorm.weight", "LayerNorm.gamma")
            tensors["bert." + old.replace("LayerNorm.bias", "LayerNorm.beta")] = tensors.pop(name)
        tensors["cls.predictions.bias"] = np.zeros(3, "f4")

    same = folders.open_encoder(str(altered(encoder_files, tmp_path, older)))
    plain = folders.open_encoder(str(encoder_files.write(tmp_path / "plain")))
    assert same.tensors.keys() == plain.tensors.keys()
    assert all(np.array_equal(same.tensors[n], plain.tensors[n]) for n in plain.tensors)


def test_damaged_and_missing_files_are_refused(tiny_folder, tmp_path, monkeypatch):
    for file in ("config.json", "model.safetensors", "tokenizer.json"):
        for damage in ("missing", "truncated", "noise", "oversized"):
            place = shutil.copytree(tiny_folder, tmp_path / f"{file}-{damage}")
            path = place / file
            raw = path.read_bytes()
            if damage == "missing":
                path.unlink()
            elif damage == "truncated":
                path.write_bytes(raw[: len(raw) // 2])
            elif damage == "noise":
                path.write_bytes(bytes(255 - b for b in raw[:64]) + raw[64:])
            else:
                limit = {"config.json": "_CONFIG_LIMIT", "tokenizer.json": "_TOKENIZER_LIMIT"}
                monkeypatch.setattr(folders, limit.get(file, "_WEIGHTS_LIMIT"), len(raw) - 1)
            with pytest.raises(ModelError):
                found = folders.open_encoder(str(place))
                piece_table(found.tokenizer, found.config.vocabulary)
            monkeypatch.undo()


@pytest.mark.parametrize(
    ("wanted", "says", "hint"),
    [
        ("nowhere", "There is no folder 'nowhere'", "name 'default'"),
        ("sentence-transformers/all-MiniLM-L6-v2", "There is no folder", "name 'default'"),
        ("a.toml", "'a.toml' is a file", "the folder that holds config.json"),
        ("tiny:all", "There is no folder 'tiny:all'", "--encoder-tuning with a folder"),
        ("default:two", "There is no folder 'default:two'", "--encoder default:TUNING"),
    ],
)
def test_what_is_no_folder_is_said_to_be_none(tmp_path, monkeypatch, wanted, says, hint):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").write_text("")
    (tmp_path / "tiny").mkdir()
    with pytest.raises(InputError, match=says) as raised:
        folders.open_encoder(wanted)
    assert hint in str(raised.value.hint)
    with pytest.raises(InputError, match="There is no folder"):
        open_detector(tmp_path / wanted)
    with pytest.raises(InputError, match="holds no detector"):
        open_detector(tmp_path)


def test_the_default_weights_are_known_by_their_hash(tiny_folder, monkeypatch):
    monkeypatch.setattr(folders, "default_folder", lambda: tiny_folder)
    with pytest.raises(ModelError, match="not the one that is known"):
        folders.open_encoder("default")
    monkeypatch.setattr(folders, "default_folder", lambda: None)
    with pytest.raises(InputError, match="not installed"):
        folders.open_encoder("default")


def test_the_default_weights_are_found_in_the_cache_of_the_hub(
    encoder_files, tiny_folder, tmp_path, monkeypatch
):
    monkeypatch.delenv(folders.ENCODER_VARIABLE, raising=False)
    monkeypatch.setattr(folders, "PACKAGES", {})
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert folders.default_folder() is None
    snapshots = tmp_path / folders.HUB_NAME / "snapshots"
    shutil.copytree(tiny_folder, snapshots / "b")
    other = snapshots / "a"  # another revision, by another configuration
    shutil.copytree(tiny_folder, other)
    (other / "config.json").write_text("{}", encoding="utf-8")
    hashes = {
        name: hashlib.sha256((tiny_folder / name).read_bytes()).hexdigest()
        for name in folders.DEFAULT_HASHES
    }
    monkeypatch.setattr(folders, "DEFAULT_HASHES", hashes)
    assert folders.default_folder() == snapshots / "b"
    assert folders.open_encoder("default").sha256 == hashes["model.safetensors"]
    (snapshots / "b" / "model.safetensors").unlink()
    assert folders.default_folder() is None


def test_programs_are_kept_in_a_private_folder_of_limited_size(tmp_path, monkeypatch):
    import jax

    from sfumato.engines.text.learners.encoder import compile_cache

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    was = jax.config.jax_compilation_cache_dir
    try:
        jax.config.update("jax_compilation_cache_dir", None)
        compile_cache.keep_programs()
        folder = Path(jax.config.jax_compilation_cache_dir)
        assert folder.parent.parent == tmp_path
        assert folder.stat().st_mode & 0o777 == 0o700
        folder.chmod(0o777)  # anybody could leave a program there
        jax.config.update("jax_compilation_cache_dir", None)
        compile_cache.keep_programs()
        assert jax.config.jax_compilation_cache_dir is None
    finally:
        jax.config.update("jax_compilation_cache_dir", was)
    for age in range(4):
        path = folder / f"program-{age}"
        path.write_bytes(bytes(100))
        os.utime(path, (1000 - age, 1000 - age))
    compile_cache.trim(folder, 400)
    assert len(list(folder.iterdir())) == 4
    compile_cache.trim(folder, 399)
    assert sorted(path.name for path in folder.iterdir()) == ["program-0"]


def test_the_first_use_says_that_it_compiles_and_for_how_long(tmp_path, monkeypatch):
    import jax

    from sfumato.core.notices import notices_to
    from sfumato.engines.text.learners.encoder import compile_cache

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    was, heard = jax.config.jax_compilation_cache_dir, []
    try:
        with notices_to(heard.append):
            for _ in range(2):  # what was compiled is there the second time
                monkeypatch.setattr(compile_cache, "_first", compile_cache._FirstUse())
                jax.config.update("jax_compilation_cache_dir", None)
                with compile_cache.tell_of_compiling(learns=False):
                    pass
                for _ in range(2):
                    with compile_cache.tell_of_compiling(learns=True):
                        jax.jit(lambda x: x * 3 + 1)(np.float32(2))
                next(tmp_path.rglob("programs")).joinpath("one").touch()
    finally:
        jax.config.update("jax_compilation_cache_dir", was)
    assert len(heard) == 2
    assert heard[0] == compile_cache.FIRST_USE
    assert re.fullmatch(r"compiled [1-9]\d* programs of the encoder in \d+ s; .+", heard[1])


def test_installed_weights_can_be_hidden(monkeypatch):
    monkeypatch.setenv(folders.ENCODER_VARIABLE, "none")
    assert folders.default_folder() is None


def test_without_the_extra_a_call_says_what_to_install(monkeypatch):
    monkeypatch.setattr(folders, "missing_packages", lambda: ("jax",))
    with pytest.raises(InputError, match=r"jax.*sfumato\[encoder\]"):
        folders.open_encoder("default")


def test_a_tokenizer_that_knows_too_much_or_lacks_a_mark_is_refused(tiny_encoder):
    with pytest.raises(ModelError, match="more word pieces"):
        piece_table(tiny_encoder.tokenizer, 20)
    content = json.loads(tiny_encoder.tokenizer)
    content["model"]["vocab"]["{mask}"] = content["model"]["vocab"].pop("[MASK]")
    with pytest.raises(ModelError, match="MASK"):
        piece_table(json.dumps(content).encode(), tiny_encoder.config.vocabulary)


# --- pieces and windows --------------------------------------------------------------------------

texts = st.text(
    st.one_of(
        st.sampled_from("abzAZ ,.'\n19éÉßμΩжЖ安ع\u0301\u200d\x00[]"), st.characters(codec="utf-8")
    ),
    max_size=60,
)


@settings(max_examples=60)
@given(st.lists(texts, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_every_token_has_its_pieces_in_any_script(tiny_encoder, written, random):
    data = tokens_of(written)
    gone = np.array([random.random() < 0.3 for _ in range(len(data))], bool)
    where = np.array([random.random() < 0.8 for _ in range(len(data))], bool)
    data = data.redact(gone)
    table = piece_table(tiny_encoder.tokenizer, tiny_encoder.config.vocabulary)
    pieces = Pieces.of(data, table, where=where)
    # The plain twin: token by token, run by run.
    ids, first, bounds, owner = [], [], [0], []
    text = data.tokens.text.tobytes()
    before = None
    for i in np.flatnonzero(where).tolist():
        document = int(data.document_of[i])
        if before is None or before != (i - 1, document):
            if before is not None:
                bounds.append(len(ids))
            owner.append(document)
        elif gone[i] and gone[i - 1]:
            before = (i, document)
            continue
        word = text[data.tokens.start[i] : data.tokens.end[i]].decode()
        cut = [table.mask] if gone[i] else list(table.look_up([word])[0][0])
        assert cut
        ids += cut
        first += [-1 if gone[i] else i] + [-1] * (len(cut) - 1)
        before = (i, document)
    if before is not None:
        bounds.append(len(ids))
    assert pieces.ids.tolist() == ids
    assert pieces.token.tolist() == first
    assert pieces.bounds.tolist() == bounds
    assert pieces.document.tolist() == owner


def test_a_mask_in_the_text_is_no_redaction(tiny_encoder):
    table = piece_table(tiny_encoder.tokenizer, tiny_encoder.config.vocabulary)
    pieces = Pieces.of(tokens_of(["the [MASK] met"]), table)
    assert table.mask not in pieces.ids


@settings(max_examples=100)
@given(st.lists(st.integers(0, 900), min_size=1, max_size=5))
def test_each_piece_is_judged_once_and_with_context(lengths):
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    n = int(bounds[-1])
    pieces = Pieces(
        np.zeros(n, np.int32), np.zeros(n, np.uint8), np.arange(n), bounds, np.arange(len(lengths))
    )
    windows = windows_of(pieces)
    judged = np.zeros(n, int)
    for a, b, low, high, d in zip(
        windows.start, windows.stop, windows.judged, windows.until, windows.document, strict=True
    ):
        assert bounds[d] <= a <= low < high <= b <= bounds[d + 1]
        assert b - a <= 158
        assert a == bounds[d] or low - a >= 20
        assert b == bounds[d + 1] or b - high >= 20
        judged[low:high] += 1
    assert (judged == 1).all()


def test_cases():
    assert len({case_of(w) for w in ("ann", "Ann", "ANN", "A", "McAnn", "12", ",", "安")}) == 8


# --- the network ---------------------------------------------------------------------------------


def plain_layer(tensors, i, x, real, heads, eps):
    """The twin of a layer: one window, one head at a time, in numpy."""

    def at(name):
        return tensors[f"encoder.layer.{i}.{name}"].astype(np.float64)

    def dense(name, x):
        return x @ at(f"{name}.weight").T + at(f"{name}.bias")

    x = x.copy()
    joined = np.zeros_like(x)
    size = x.shape[1] // heads
    for h in range(heads):
        part = slice(h * size, (h + 1) * size)
        q, k, v = (dense(f"attention.self.{n}", x)[:, part] for n in ("query", "key", "value"))
        weight = q @ k.T / math.sqrt(size)
        weight[:, real:] = -np.inf
        weight = np.exp(weight - weight.max(1, keepdims=True))
        joined[:, part] = weight / weight.sum(1, keepdims=True) @ v
    x = plain_norm(x + dense("attention.output.dense", joined), at("attention.output.LayerNorm.weight"),
                   at("attention.output.LayerNorm.bias"), eps)  # fmt: skip
    wide = plain_gelu(dense("intermediate.dense", x))
    return plain_norm(x + dense("output.dense", wide), at("output.LayerNorm.weight"),
                      at("output.LayerNorm.bias"), eps)  # fmt: skip


def plain_norm(x, weight, bias, eps):
    centred = x - x.mean(1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(1, keepdims=True) + eps) * weight + bias


def plain_gelu(x):
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def plain_states(folder, ids, layers):
    t = {k: v.astype(np.float64) for k, v in folder.tensors.items()}
    x = (
        t["embeddings.word_embeddings.weight"][ids]
        + t["embeddings.position_embeddings.weight"][: len(ids)]
    )
    x = x + t["embeddings.token_type_embeddings.weight"][0]
    x = plain_norm(x, t["embeddings.LayerNorm.weight"], t["embeddings.LayerNorm.bias"],
                   folder.config.epsilon)  # fmt: skip
    for i in range(layers):
        x = plain_layer(t, i, x, len(ids), folder.config.heads, folder.config.epsilon)
    return x


def test_the_forward_pass_equals_a_plain_one(tiny_encoder):
    from sfumato.engines.text.learners.encoder import layer, network

    config = tiny_encoder.config
    shape = layer.Shape(config.heads, config.epsilon)
    random = np.random.default_rng(1)
    lengths = np.array([7, 4], np.int32)
    ids = random.integers(5, 80, (2, 9)).astype(np.int32)
    below = network.lower(config, tiny_encoder.tensors, 1)
    states = np.asarray(network.frozen_states(below, ids, lengths, shape))
    tuned = network.initial(config, tiny_encoder.tensors, 1, random)
    tuned["case"] = tuned["case"] + random.normal(0, 0.5, tuned["case"].shape)
    case = random.integers(0, 8, (2, 9)).astype(np.uint8)
    alone = network.members_of([tuned])
    answers = np.asarray(network.logits(alone, states, case, lengths, shape))
    for w, n in enumerate(lengths):
        plain = plain_states(tiny_encoder, ids[w, :n], 1)
        assert states[w, :n] == pytest.approx(plain, abs=5e-3)
        x = states[w, :n].astype(np.float64) + np.asarray(tuned["case"])[case[w, :n]]
        for i in (1, 2):
            x = plain_layer(
                {k: v.astype(np.float64) for k, v in tiny_encoder.tensors.items()}, i, x, n,
                config.heads, config.epsilon,
            )  # fmt: skip
        first, last = tuned["head"]["first"], tuned["head"]["last"]
        x = plain_gelu(x @ np.asarray(first[0]) + np.asarray(first[1]))
        assert answers[w, :n] == pytest.approx(
            x @ np.asarray(last[0]) + float(last[1]), abs=2e-3, rel=1e-3
        )
    # Accelerators compute in half precision, and nearly the same.
    half = shape._replace(half=True)
    assert np.asarray(network.logits(alone, states, case, lengths, half)) == pytest.approx(
        answers, abs=0.1
    )
    assert np.asarray(network.frozen_states(below, ids, lengths, half), np.float32) == (
        pytest.approx(states.astype(np.float32), abs=0.1)
    )


@pytest.mark.parametrize("share", [0, 64])
def test_gradients_against_finite_differences(tiny_encoder, share):
    import jax

    from sfumato.engines.text.learners.encoder import layer, network

    config = tiny_encoder.config
    shape = layer.Shape(config.heads, config.epsilon)
    random = np.random.default_rng(2)
    tuned = network.initial(config, tiny_encoder.tensors, 2, random)
    batch = network.WindowBatch(
        random.normal(0, 1, (2, 6, config.hidden)).astype(np.float16),
        random.integers(0, 8, (2, 6)).astype(np.uint8),
        np.array([6, 4], np.int32),
        np.array([0, 1, 3, 4, 5, 6, 7, 8, 9], np.int32),
        random.integers(0, 2, 9).astype(np.float32),
        np.ones(9, np.float32),
    )

    dropout = layer.Dropout(jax.random.key(3), share) if share else None
    value = jax.jit(lambda t: network.loss(t, batch, shape, np.float32(5), dropout))
    gradient = jax.tree.leaves(jax.grad(value)(tuned))
    leaves, tree = jax.tree.flatten(tuned)
    for k, leaf in enumerate(leaves):
        direction = random.normal(0, 1, leaf.shape).astype(np.float32)
        size = 3e-3 / max(1.0, float(np.abs(direction).max()))

        def moved(step, k=k, leaf=leaf, direction=direction):
            return float(
                value(
                    jax.tree.unflatten(
                        tree, [*leaves[:k], leaf + step * direction, *leaves[k + 1 :]]
                    )
                )
            )

        numeric = (moved(size) - moved(-size)) / (2 * size)
        exact = float((np.asarray(gradient[k]) * direction).sum())
        assert exact == pytest.approx(numeric, rel=0.05, abs=2e-3)


def test_attention_and_its_gradient_equal_a_plain_softmax():
    jax = pytest.importorskip("jax")
    import jax.numpy as jnp

    from sfumato.engines.text.learners.encoder import attention

    def plain(query, key, value, away):
        weight = jax.nn.softmax(jnp.einsum("whqd,whkd->whqk", query, key) + away, axis=-1)
        return jnp.einsum("whqk,whkd->whqd", weight, value)

    random = np.random.default_rng(6)
    parts = [random.normal(0, 2, (2, 3, 5, 4)).astype(np.float32) for _ in range(3)]
    away = np.where(np.arange(5) < np.array([5, 3])[:, None], 0.0, -1e9)[:, None, None, :]
    away = away.astype(np.float32)
    wanted = random.normal(0, 1, (2, 3, 5, 4)).astype(np.float32)
    fast, back = jax.vjp(lambda *p: attention.attention(*p, away), *parts)
    slow, plain_back = jax.vjp(lambda *p: plain(*p, away), *parts)
    assert np.asarray(fast) == pytest.approx(np.asarray(slow), abs=1e-5)
    for one, other in zip(back(wanted), plain_back(wanted), strict=True):
        assert np.asarray(one) == pytest.approx(np.asarray(other), abs=1e-5)


@pytest.mark.parametrize("frozen", [1, 3])
def test_the_last_layer_at_judged_places_alone_learns_the_same(tiny_encoder, frozen):
    import jax

    from sfumato.engines.text.learners.encoder import layer, network

    config = tiny_encoder.config
    shape = layer.Shape(config.heads, config.epsilon)
    random = np.random.default_rng(7)
    tuned = network.initial(config, tiny_encoder.tensors, frozen, random)
    labels = random.integers(0, 2, 27).astype(np.float32)
    weights = (random.random(27) < 0.4).astype(np.float32)
    every = network.WindowBatch(
        random.normal(0, 1, (3, 9, config.hidden)).astype(np.float16),
        random.integers(0, 8, (3, 9)).astype(np.uint8),
        np.array([9, 4, 7], np.int32),
        np.arange(27, dtype=np.int32),
        labels,
        weights[None],
    )
    some = np.flatnonzero((weights > 0) | (np.arange(27) == 2)).astype(np.int32)
    few = every._replace(judged=some, labels=labels[some], weights=weights[None, some])
    assert 2 < len(some) < 27

    # The plain twin: the log-odds of all places, then the loss of those that count.
    alone = network.members_of([tuned])
    z = np.asarray(network.logits(alone, every.seen, every.case, every.length, shape)).ravel()
    plain = float(((np.logaddexp(0, z) - labels * z) * weights).sum())
    for batch in (every, few):
        assert np.asarray(network.loss_sum(alone, batch, shape)) == pytest.approx(plain, rel=1e-5)
    gradient = jax.jit(jax.grad(network.loss), static_argnums=2)
    gradients = [
        jax.tree.leaves(
            gradient(tuned, batch._replace(weights=batch.weights[0]), shape, np.float32(5))
        )
        for batch in (every, few)
    ]
    for one, other in zip(*gradients, strict=True):
        assert np.asarray(one) == pytest.approx(np.asarray(other), abs=1e-5)


@settings(max_examples=60)
@given(st.lists(st.booleans(), min_size=1, max_size=60), st.sampled_from(["cpu", "gpu"]))
def test_batches_hold_every_judged_place_in_few_sizes(judged, kind):
    from sfumato.engines.text.learners.encoder import windowed

    judged = np.array(judged)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(windowed, "device_kind", lambda: kind)
        chosen = windowed._pad_places(judged)
        sizes = {
            len(windowed._pad_places(np.arange(len(judged)) < n)) for n in range(len(judged) + 1)
        }
    assert np.all(np.diff(chosen) > 0)
    assert set(np.flatnonzero(judged)) <= set(chosen.tolist()) <= set(range(len(judged)))
    assert len(sizes) <= (1 if kind == "gpu" else 3)


@pytest.mark.parametrize("finer", [1, 4])
def test_a_batch_in_parts_teaches_what_it_would_as_a_whole(tiny_encoder, finer):
    """A whole batch, as accelerators take it, is the plain twin."""
    import jax

    from sfumato.engines.text.learners.encoder import network, steps, windowed
    from sfumato.engines.text.learners.encoder.learner import Encoder

    learner = Encoder(tiny_encoder)
    base, random = learner._untuned, np.random.default_rng(9)
    data, labels = documents(90, words=40)
    corpus = base.laid(data, None)
    corpus.keep_states(base.below)
    judges = random.random((2, data.documents)) < 0.7
    tuned = network.members_of(
        [network.initial(tiny_encoder.config, tiny_encoder.tensors, 2, random) for _ in range(2)]
    )
    seeds = np.array([3, 4], np.uint32)

    def taught(kind, group, rows):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(windowed, "device_kind", lambda: kind)
            batch = corpus.batch(group, rows, labels, judges)
        gradient = steps._gradient(
            tuned, batch, np.float32(1), np.float32(50), base.shape, seeds, 0
        )
        found = network.loss_sum(tuned, batch, base.shape)
        return batch, np.asarray(found), jax.tree.leaves(gradient)

    plan = corpus.plan(np.ones(data.documents, bool), random, finer)
    for group, rows in [plan[0], min(plan, key=lambda entry: (entry[1] >= 0).sum())]:
        (parts, loss, some), (whole, plain, every) = (
            taught(kind, group, rows) for kind in ("cpu", "gpu")
        )
        assert len(whole.case) == 1 < len(parts.case) == 8 // finer
        assert parts.weights.sum() == whole.weights.sum() > 0
        assert loss == pytest.approx(plain, rel=1e-5)
        for one, other in zip(some, every, strict=True):
            assert np.asarray(one) == pytest.approx(np.asarray(other), abs=1e-5)


def test_lower_layers_learn_more_slowly(tiny_encoder):
    import jax

    from sfumato.engines.text.learners.encoder import layer, network, steps

    config = tiny_encoder.config
    shape = layer.Shape(config.heads, config.epsilon)
    random = np.random.default_rng(4)
    batch = network.WindowBatch(
        random.normal(0, 1, (2, 6, config.hidden)).astype(np.float16),
        random.integers(0, 8, (2, 6)).astype(np.uint8),
        np.array([6, 4], np.int32),
        np.arange(12, dtype=np.int32),
        random.integers(0, 2, 12).astype(np.float32),
        np.ones((1, 12), np.float32),
    )

    def moves(decay):
        """How far the query of each layer moves in one step."""
        tuned = network.initial(config, tiny_encoder.tensors, 1, np.random.default_rng(5))
        tuned = network.members_of([tuned])
        before = [np.array(layer["query"][0]) for layer in tuned["layers"]]
        moved, _ = steps.train_step(
            tuned, steps.moments(tuned), batch, np.float32(1), np.float32(1e-3), np.float32(12),
            shape, np.zeros(1, np.uint32), share=0, layer_decay=decay,
        )  # fmt: skip
        after = [np.array(layer["query"][0]) for layer in jax.device_get(moved)["layers"]]
        return [a - b for a, b in zip(after, before, strict=True)]

    same, half = moves(1.0), moves(0.5)
    assert len(same) == config.layers - 1 > 1
    for below, (full, slow) in enumerate(zip(reversed(same), reversed(half), strict=True)):
        assert slow == pytest.approx(full * 0.5**below, abs=1e-6)
        assert np.abs(full).max() > 0


def test_members_learn_side_by_side_as_each_would_alone(tiny_encoder):
    import jax

    from sfumato.engines.text.learners.encoder import layer, network, steps

    config = tiny_encoder.config
    shape = layer.Shape(config.heads, config.epsilon)
    random = np.random.default_rng(8)
    batch = network.WindowBatch(
        random.normal(0, 1, (2, 6, config.hidden)).astype(np.float16),
        random.integers(0, 8, (2, 6)).astype(np.uint8),
        np.array([6, 4], np.int32),
        np.array([0, 2, 3, 7], np.int32),
        random.integers(0, 2, 4).astype(np.float32),
        np.array([[1, 1, 1, 0], [0, 1, 1, 1]], np.float32),  # each judges other places
    )
    each = [network.initial(config, tiny_encoder.tensors, 2, random) for _ in range(2)]
    seeds = np.array([3, 4], np.uint32)

    def moved(members, which):
        tuned = network.members_of(members)
        found, _ = steps.train_step(
            tuned, steps.moments(tuned), batch._replace(weights=batch.weights[which]),
            np.float32(1), np.float32(1e-3), np.float32(4), shape, seeds[which],
        )  # fmt: skip
        return found

    together = moved(each, slice(0, 2))
    apart = [moved([one], slice(i, i + 1)) for i, one in enumerate(each)]
    for i, alone in enumerate(apart):
        for one, other in zip(jax.tree.leaves(alone), jax.tree.leaves(together), strict=True):
            assert np.asarray(one[0]) == pytest.approx(np.asarray(other[i]), abs=1e-5)

    def answers(tuned):
        return np.asarray(network.logits(tuned, batch.seen, batch.case, batch.length, shape))

    mean = np.mean([answers(alone) for alone in apart], axis=0)
    assert answers(together) == pytest.approx(mean, abs=1e-4)
    assert np.abs(answers(apart[0]) - answers(apart[1])).max() > 1e-3


def test_dropout_silences_a_share_and_keeps_the_mean():
    jax = pytest.importorskip("jax")

    from sfumato.engines.text.learners.encoder import layer

    ones = np.ones((64, 500), np.float32)
    dropout = layer.Dropout(jax.random.key(1), 26)
    silenced = np.asarray(dropout.of(ones))
    assert set(np.unique(silenced).tolist()) == {0.0, float(np.float32(256 / 230))}
    assert (silenced == 0).mean() == pytest.approx(26 / 256, abs=0.01)
    assert silenced.mean() == pytest.approx(1, abs=0.01)
    assert np.array_equal(silenced, np.asarray(dropout.of(ones)))
    assert not np.array_equal(silenced, np.asarray(dropout.at(1).of(ones)))


# --- learning ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def learned(tiny_encoder):
    from sfumato.engines.text.learners.encoder.learner import Encoder
    from sfumato.engines.text.learners.pretrained import Schedule

    learner = Encoder(tiny_encoder, schedule=Schedule(3, 1e-2, steps=60, most=60))
    data, labels = documents(70)
    learner.prepare(data)
    train = np.arange(70) < 66
    return learner, data, labels, train, learner.fit(data, labels, documents=train, seed=3)


@pytest.mark.parametrize("tuning", ["head", "two"])
def test_only_known_tokens_are_judged(tiny_encoder, tuning):
    """The loss with unknown tokens is that of the known ones alone, and so is its gradient."""
    import jax

    from sfumato.engines.text.learners.encoder import network
    from sfumato.engines.text.learners.encoder.learner import Encoder

    learner = Encoder(tiny_encoder, tuning=tuning)
    random = np.random.default_rng(5)
    data, labels = documents(9, words=200)
    known = random.random(len(data)) < 0.1
    known[data.document_of == 4] = False
    learner.prepare(data)
    base = learner._untuned
    corpus = base.laid(data, None)
    corpus.keep_states(base.below)
    tuned = network.members_of(
        [network.initial(tiny_encoder.config, tiny_encoder.tensors, learner.frozen, random)]
    )
    everywhere = np.ones(data.documents, bool)

    def summed(corpus, labels):
        def total(tuned):
            return sum(
                network.loss_sum(tuned, corpus.batch(group, rows, labels), base.shape).sum()
                for group, rows in corpus.plan(everywhere)
            )

        return jax.value_and_grad(total)(tuned)

    above = jax.tree_util.Partial(network.logits, tuned, shape=base.shape)
    z = corpus.scores(len(data), base.below, above)
    plain = (np.logaddexp(0, z) - labels * z)[known].sum()
    ways = [corpus.judging(known)] + [corpus.judging(known, apart=True)] * (tuning == "head")
    for way in ways:
        judged = np.concatenate([group.token[group.token >= 0] for group in way.groups])
        assert sorted(judged.tolist()) == np.flatnonzero(known).tolist()
        assert 4 not in way.windows.document[np.concatenate([g.windows for g in way.groups])]
        loss, gradient = summed(way, labels)
        assert float(loss) == pytest.approx(plain, rel=1e-4)
        # What an unknown token would be called changes nothing.
        other, same = summed(way, np.where(known, labels, 1 - labels).astype(np.uint8))
        assert float(other) == float(loss)
        for a, b in zip(jax.tree.leaves(gradient), jax.tree.leaves(same), strict=True):
            assert np.array_equal(a, b)
    if tuning == "head":
        pairs = zip(jax.tree.leaves(summed(ways[0], labels)[1]),
                    jax.tree.leaves(summed(ways[1], labels)[1]), strict=True)  # fmt: skip
        for a, b in pairs:
            assert np.asarray(a) == pytest.approx(np.asarray(b), rel=1e-3, abs=1e-3)


def test_reading_can_be_watched_and_ended(tiny_encoder):
    from sfumato.engines.text.learners.encoder.learner import Encoder

    learner = Encoder(tiny_encoder, tuning="head")
    data, _ = documents(80, words=150)
    calls = []

    def watch(most=1):
        calls.append(1)
        if len(calls) > most:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learner.prepare(data, watch=watch)
    assert len(calls) == 2  # it was ended before the second batch, and nothing of it is kept
    learner.prepare(data, watch=lambda: calls.append(1))
    assert len(calls) > 4
    count = len(calls)
    learner.prepare(data, watch=lambda: calls.append(1))
    assert len(calls) == count


@pytest.mark.parametrize("tuning", ["head", "two"])
def test_an_encoder_learns_from_a_few_known_tokens(tiny_encoder, tuning):
    from sfumato.engines.text.learners.encoder.learner import Encoder
    from sfumato.engines.text.learners.pretrained import Schedule

    schedule = Schedule(3, 1e-2, steps=60, most=60)
    learner = Encoder(tiny_encoder, tuning=tuning, schedule=schedule)
    data, labels = documents(30)
    learner.prepare(data)
    known = np.random.default_rng(6).random(len(data)) < 0.1
    hidden = np.where(known, labels, 1).astype(np.uint8)  # what is unknown is not looked at
    model = learner.fit(data, hidden, seed=3, known=known)
    scores = model.scores(data)
    unknown = data.counted & ~known
    right = (scores > 0) == (labels > 0)
    assert right[unknown].mean() > 0.87  # one class alone: 0.76
    again = learner.fit(data, labels, seed=3, known=known)
    assert np.array_equal(again.scores(data), scores)
    assert (model.slope, model.offset) == (1.0, 0.0)


def test_an_encoder_learns_and_calibrates(learned):
    _, data, labels, train, model = learned
    unseen = ~train
    scores = model.scores(data, documents=unseen)
    inside = unseen[data.document_of]
    assert np.isneginf(scores[~inside]).all()
    assert np.mean((scores[inside] > 0) == (labels[inside] != 0)) > 0.95
    assert (model.slope, model.offset) != (1.0, 0.0)


def test_the_same_seed_gives_the_same_bytes(learned):
    learner, data, labels, train, model = learned
    again = learner.fit(data, labels, documents=train, seed=3)
    header, arrays = model.to_arrays()
    other_header, other = again.to_arrays()
    assert header == other_header
    assert all(arrays[n].tobytes() == other[n].tobytes() for n in arrays)


def test_what_is_read_beside_a_document_does_not_change_it(learned):
    _, _, _, _, model = learned
    new, _ = documents(9, seed=8)
    together = model.scores(new)
    for d in range(3):
        mask = np.arange(9) == d
        inside = mask[new.document_of]
        assert np.array_equal(model.scores(new, documents=mask)[inside], together[inside])


def test_redacted_words_are_masks_and_get_no_score(learned):
    _, _, _, _, model = learned
    new, _ = documents(2, seed=9)
    gone = np.arange(len(new)) % 5 == 0
    scores = model.scores(new.redact(gone))
    assert np.isneginf(scores[gone]).all()
    assert np.isfinite(scores[~gone]).all()


def test_passages_are_read_by_themselves(learned):
    _, _, _, _, model = learned
    new, _ = documents(2, seed=10)
    where = np.zeros(len(new), bool)
    where[3:9] = True
    scores = model.scores_in(new, where)
    assert np.array_equal(np.isfinite(scores), where)
    text = new.tokens.text.tobytes().decode()
    alone = tokens_of([text[new.tokens.start[3] : new.tokens.end[8]]])
    assert np.array_equal(model.scores(alone), scores[3:9])


def test_a_model_is_data_and_what_does_not_fit_is_refused(learned):
    from sfumato.engines.text.learners.registry import model_from_arrays

    _, _, _, _, model = learned
    new, _ = documents(3, seed=11)
    header, arrays = model.to_arrays()
    header = json.loads(json.dumps(header))
    back = model_from_arrays(header, arrays)
    assert np.array_equal(back.scores(new), model.scores(new))
    assert "base/encoder.layer.2.output.dense.weight" not in arrays  # it was tuned

    def refused(header, arrays):
        with pytest.raises(ModelError):
            model_from_arrays(header, arrays)

    refused({**header, "frozen": 9}, arrays)
    refused({**header, "frozen": "1"}, arrays)
    refused({**header, "slope": -1.0}, arrays)
    for members in (0, 3, True, "1", 1 << 30):
        refused({**header, "members": members}, arrays)
    refused({**header, "config": {**header["config"], "hidden_size": 32}}, arrays)
    for name in arrays:
        refused(header, {n: a for n, a in arrays.items() if n != name})
    name = "tuned/case"
    for wrong in (
        arrays[name].astype("f4"),
        arrays[name][:, :-1],
        np.full_like(arrays[name], np.inf),
    ):
        refused(header, {**arrays, name: wrong})


def test_an_encoder_of_several_members_comes_back_and_goes_on(tiny_encoder):
    from sfumato.engines.text.learners.encoder.learner import Encoder
    from sfumato.engines.text.learners.pretrained import Schedule
    from sfumato.engines.text.learners.registry import model_from_arrays

    learner = Encoder(tiny_encoder, tuning="all", schedule=Schedule(2, 1e-2, steps=30, most=30))
    data, labels = documents(64, seed=12, words=9)
    model = learner.fit(data, labels, seed=1)
    assert model.members == len(model.tuned["case"]) == 2
    assert (model.slope, model.offset) == (1.0, 0.0)  # what calibrates is in the heads
    assert not np.array_equal(model.tuned["case"][0], model.tuned["case"][1])
    header, arrays = model.to_arrays()
    back = model_from_arrays(json.loads(json.dumps(header)), arrays)
    assert np.array_equal(back.scores(data), model.scores(data))
    started = learner.warm_start(back)
    assert started is not None
    assert started.fit(data, labels, seed=1).members == 2
    assert np.mean((model.scores(data) > 0) == (labels != 0)) > 0.9
    # A slope and an offset of each member are those of its answers.
    moved = model.calibrate([(2.0, 0.5), (0.5, -1.0)])
    first, second = (model.member(i).scores(data) for i in (0, 1))
    plain = (2 * first + 0.5 + 0.5 * second - 1) / 2
    read = np.isfinite(plain)
    assert moved.scores(data)[read] == pytest.approx(plain[read], abs=0.02)  # heads are float16


def test_models_of_several_folds_share_the_lower_layers(tiny_encoder):
    from sfumato.engines.text.learners.encoder.learner import Encoder
    from sfumato.engines.text.learners.pretrained import Schedule
    from sfumato.engines.text.learners.registry import model_from_arrays

    learner = Encoder(tiny_encoder, schedule=Schedule(1, 1e-2, steps=1))
    data, labels = documents(12, seed=3, words=9)
    learner.prepare(data)
    first, second = (learner.fit(data, labels, seed=seed) for seed in (0, 1))
    assert first._below is second._below
    where = np.arange(len(data)) % 3 == 0
    header, arrays = second.to_arrays()
    alone = model_from_arrays(json.loads(json.dumps(header)), arrays)
    assert alone._below is not second._below
    assert np.array_equal(alone.scores_in(data, where), second.scores_in(data, where))


def test_each_member_sets_other_documents_aside():
    from sfumato.engines.text.learners.encoder.learner import _set_aside

    chosen = np.arange(40) < 32
    aside = _set_aside(chosen, np.random.default_rng(0), 2)
    assert aside.sum(axis=1).tolist() == [4, 4]
    assert not (aside[0] & aside[1]).any()
    assert not (aside & ~chosen).any()
    assert _set_aside(np.arange(40) < 7, np.random.default_rng(0), 2) is None
    assert _set_aside(chosen, np.random.default_rng(0), 1) is None  # one alone needs more
    assert _set_aside(np.ones(64, bool), np.random.default_rng(0), 1).sum() == 4


def test_each_member_keeps_its_own_best_epoch():
    from sfumato.engines.text.learners.encoder.training import _BestEpochs

    best = _BestEpochs(2)
    epochs = [([3.0, 3.0], [1.0, 10.0]), ([2.0, 4.0], [2.0, 20.0]), ([2.5, 1.0], [3.0, 30.0])]
    for losses, weights in epochs:
        best.offer(
            np.array(losses), {"case": np.array(weights), "layers": [np.array([weights] * 2).T]}
        )
    assert best.tuned["case"].tolist() == [2.0, 30.0]
    assert best.tuned["layers"][0].tolist() == [[2.0, 2.0], [30.0, 30.0]]


def test_a_member_learns_nothing_from_what_it_set_aside(tiny_encoder):
    """Only labels of documents aside differ: the weights do not, as long as no epoch is chosen by them."""
    from sfumato.engines.text.learners.encoder import network
    from sfumato.engines.text.learners.encoder.learner import Encoder

    learner = Encoder(tiny_encoder, tuning="head")
    base = learner._untuned
    data, labels = documents(6, words=9)
    corpus = base.laid(data, None)
    corpus.keep_states(base.below)
    aside = np.zeros((2, 6), bool)
    aside[0, :2] = aside[1, 4:] = True
    flipped = labels.copy()
    flipped[data.document_of < 2] ^= 1
    tuned = network.members_of(
        [network.initial(tiny_encoder.config, tiny_encoder.tensors, 3, np.random.default_rng(0))]
        * 2
    )

    def losses(seen):
        parts = [
            network.loss_sum(tuned, corpus.batch(group, rows, seen, ~aside), base.shape)
            for group, rows in corpus.plan(np.ones(6, bool))
        ]
        return np.sum(parts, axis=0)

    before, after = losses(labels), losses(flipped)
    assert before[0] == pytest.approx(after[0])
    assert before[1] != pytest.approx(after[1], rel=1e-3)


def test_learning_goes_on_from_a_model_of_the_same_shape(learned, encoder_files, tmp_path):
    from dataclasses import replace

    from sfumato.engines.text.learners.encoder.learner import Encoder
    from sfumato.engines.text.learners.pretrained import Schedule

    learner, data, labels, _, model = learned
    started = learner.warm_start(model)
    assert started is not None
    few = np.arange(70) < 2  # of so few documents none is set aside
    still = replace(started, schedule=Schedule(1, 0.0, 0, 1)).fit(data, labels, documents=few)
    assert np.array_equal(still.tuned["case"], model.tuned["case"])
    assert replace(learner, tuning="head").warm_start(model) is None
    assert learner.planned == started.planned
    assert Encoder(learner.folder, start=model).planned.rate < Encoder(learner.folder).planned.rate


@pytest.mark.parametrize(("kind", "together"), [("gpu", 1), ("cpu", 2)])
def test_threads_share_an_accelerator_one_at_a_time(monkeypatch, kind, together):
    from sfumato.engines.text.learners.encoder import device

    monkeypatch.setattr(device, "device_kind", lambda: kind)
    here, most, both = [], [], threading.Barrier(2)

    def use():
        both.wait()
        with device.one_at_a_time():
            here.append(1)
            time.sleep(0.2)
            most.append(len(here))
            here.pop()

    threads = [threading.Thread(target=use) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == together


def test_unknown_tunings_are_refused(tiny_encoder):
    from sfumato.engines.text.learners.encoder.learner import Encoder

    with pytest.raises(ParameterError, match="tuning"):
        Encoder(tiny_encoder, tuning="most")
    assert [Encoder(tiny_encoder, tuning=t).frozen for t in ("head", "two", "all")] == [3, 1, 0]
    assert Encoder(tiny_encoder).quick().tuning == "head"


def test_nothing_is_imported_before_an_encoder_is_used():
    import subprocess
    import sys

    code = (
        "import sys, sfumato.engines.text.sanitize.greedy, sfumato.engines.text.attack.attacker\n"
        "assert not {'jax', 'tokenizers', 'safetensors'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.slow
def test_the_real_weights_against_the_plain_forward_pass(default_encoder):
    encoder = default_encoder
    table = encoder._untuned.table
    cut = [ids for ids, _ in table.look_up(["Ann", "Krzyżewski", "安", "\u200b"])]
    assert all(cut)
    data = tokens_of(["Ann Lee met Bob."])
    states = encoder._untuned.below(*_window(Pieces.of(data, table), table))
    plain = plain_states(encoder.folder, _window(Pieces.of(data, table), table)[0][0, :8], 4)
    assert np.asarray(states)[0, :8] == pytest.approx(plain, abs=0.02)
    assert case_of("McAnn") != case_of("Ann")


def _window(pieces, table):
    ids = np.array([[table.first, *pieces.ids.tolist(), table.last]], np.int32)
    return ids, np.array([ids.shape[1]], np.int32)
