"""A model directory is read back exactly, or refused."""

import hashlib
import json
import random

import numpy as np
import pytest

from sfumato.core.errors import DataError, ModelError, OutputExistsError
from sfumato.core.files import canonical_json
from sfumato.engines.text.sanitize.storage import load_model, save_model

HEADER = {"labels": ["NAME", "Ñ"], "ratio": 10.5, "nothing": None, "nested": {"a": [1, 2]}}


def arrays():
    generator = np.random.default_rng(5)
    weights = generator.normal(size=(7, 3))
    return {
        "weights": weights,
        "again": weights.copy(),
        "ids": np.arange(20, dtype=np.int32),
        "keys": generator.integers(0, 1 << 63, 9).astype(np.uint64),
        "flags": np.array([True, False, True]),
        "big_endian": np.arange(4, dtype=">i4"),
        "strided": np.arange(10, dtype=np.int16)[::2],
        "single": np.float32(2.5),
        "empty": np.empty((0, 4), np.uint8),
    }


def same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        expected = np.asarray(a[name])
        assert b[name].shape == expected.shape
        assert b[name].dtype == expected.dtype.newbyteorder("=")
        assert np.array_equal(b[name], expected)


def test_what_is_saved_is_loaded(tmp_path):
    save_model(tmp_path / "model", HEADER, arrays())
    header, loaded = load_model(tmp_path / "model")
    assert header == HEADER
    same(arrays(), loaded)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model"]
    stored = sum(np.asarray(a).nbytes for n, a in arrays().items() if n != "again")
    assert (tmp_path / "model" / "arrays.bin").stat().st_size == stored


def test_the_same_model_has_the_same_bytes(tmp_path):
    save_model(tmp_path / "a", HEADER, arrays())
    save_model(
        tmp_path / "b", dict(reversed(HEADER.items())), dict(reversed(list(arrays().items())))
    )
    for name in ("model.json", "arrays.bin"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_refusals(tmp_path):
    save_model(tmp_path / "model", HEADER, arrays())
    with pytest.raises(OutputExistsError):
        save_model(tmp_path / "model", HEADER, arrays())
    with pytest.raises(DataError):
        save_model(tmp_path / "objects", {}, {"a": np.array([object()])})
    with pytest.raises(DataError):
        save_model(tmp_path / "keys", {1: 2}, {})
    with pytest.raises(DataError):
        save_model(tmp_path / "nan", {"a": float("nan")}, {})
    for missing in ("model.json", "arrays.bin"):
        kept = (tmp_path / "model" / missing).read_bytes()
        (tmp_path / "model" / missing).unlink()
        with pytest.raises(ModelError):
            load_model(tmp_path / "model")
        (tmp_path / "model" / missing).write_bytes(kept)
    load_model(tmp_path / "model")
    with pytest.raises(ModelError):
        load_model(tmp_path / "nowhere")


def rewritten(folder, change):
    """Edit the header and compute its hash anew, as someone with the source code could."""
    path = folder / "model.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    content.pop("sha256", None)
    content["sha256"] = hashlib.sha256(canonical_json(content).encode()).hexdigest()
    path.write_text(canonical_json(content), encoding="utf-8")


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.update(version=2),
        lambda c: c.update(version="1"),
        lambda c: c.update(format="other"),
        lambda c: c.update(more=1),
        lambda c: c.pop("parts"),
        lambda c: c.update(parts={}),
        lambda c: c.update(parts=[1]),
        lambda c: c.update(header=[]),
        lambda c: c.update(arrays={"weights": 99}),
        lambda c: c.update(arrays={"weights": True}),
        lambda c: c.update(arrays={"weights": -1}),
        lambda c: c.update(arrays=[0]),
        lambda c: c["parts"][0].update(shape=[1 << 60]),
        lambda c: c["parts"][0].update(shape=[1 << 40, 1 << 40]),
        lambda c: c["parts"][0].update(shape=[-1]),
        lambda c: c["parts"][0].update(shape=[2.0]),
        lambda c: c["parts"][0].update(shape="ab"),
        lambda c: c["parts"][0].update(shape=None),
        lambda c: c["parts"][0].update(dtype="|O"),
        lambda c: c["parts"][0].update(dtype=["<i4"]),
        lambda c: c["parts"][0].update(dtype="<c16"),
        lambda c: c["parts"][0].update(sha256="0" * 64),
        lambda c: c["parts"].pop(),
        lambda c: c["parts"].reverse(),
    ],
)
def test_headers_that_lie_are_refused(tmp_path, change):
    save_model(tmp_path / "model", HEADER, arrays())
    rewritten(tmp_path / "model", change)
    with pytest.raises(ModelError):
        load_model(tmp_path / "model")


@pytest.mark.parametrize(
    "raw", [b"", b"[" * 100_000, b"\xff\xfe", b"null", b"1" * 10_000, b'{"a": NaN}', b'"x"']
)
def test_headers_that_are_no_header(tmp_path, raw):
    save_model(tmp_path / "model", HEADER, arrays())
    (tmp_path / "model" / "model.json").write_bytes(raw)
    with pytest.raises(ModelError):
        load_model(tmp_path / "model")


def test_ten_thousand_corruptions(tmp_path):
    folder = tmp_path / "model"
    save_model(folder, HEADER, arrays())
    whole = {name: (folder / name).read_bytes() for name in ("model.json", "arrays.bin")}
    dice = random.Random(11)
    for turn in range(10_000):
        name = dice.choice(list(whole))
        raw = bytearray(whole[name])
        kind = turn % 5
        at = dice.randrange(len(raw))
        if kind == 0:
            raw[at] ^= 1 << dice.randrange(8)
        elif kind == 1:
            del raw[at:]
        elif kind == 2:
            del raw[at : at + dice.randint(1, 8)]
        elif kind == 3:
            raw[at:at] = dice.randbytes(dice.randint(1, 8))
        else:
            raw[at] = dice.choice([b for b in range(256) if b != raw[at]])
        (folder / name).write_bytes(raw)
        with pytest.raises(ModelError):
            load_model(folder)
        (folder / name).write_bytes(whole[name])
    same(arrays(), load_model(folder)[1])
