"""A tiny random encoder, written as files the way a real one comes."""

import json
from pathlib import Path

import numpy as np
import pytest

WORDS = (
    "ann bob lee met the in paris and cat dr of said mr smith john we a to , . ' - 1 2 3".split()
)
CONFIG = {
    "model_type": "bert",
    "vocab_size": 120,
    "hidden_size": 16,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 24,
    "max_position_embeddings": 160,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
}


def tensors_of(config, seed=0):
    from sfumato.engines.text.learners.encoder.architectures import Config

    random = np.random.default_rng(seed)
    found = {}
    for name, shape in Config.of(config).shapes().items():
        values = random.normal(0, 0.3, shape)
        found[name] = (values + 1 if name.endswith("LayerNorm.weight") else values).astype("f4")
    return found


def tokenizer_of():
    letters = list("abcdefghijklmnopqrstuvwxyz")
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces += list(dict.fromkeys([*WORDS, *letters, *(f"##{c}" for c in letters)]))
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {piece: i for i, piece in enumerate(pieces)},
        },
    }


def write_encoder(folder: Path, config=CONFIG, tensors=None):
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_of()))
    save_file(tensors_of(CONFIG) if tensors is None else tensors, folder / "model.safetensors")
    return folder


@pytest.fixture(scope="session")
def encoder_files():
    """Write and vary a tiny encoder: `write_encoder`, `tensors_of`, `CONFIG`."""
    for package in ("jax", "tokenizers", "safetensors"):
        pytest.importorskip(package)
    from types import SimpleNamespace

    return SimpleNamespace(
        write=write_encoder, tensors=tensors_of, tokenizer=tokenizer_of, config=CONFIG
    )


@pytest.fixture(scope="session")
def tiny_folder(encoder_files, tmp_path_factory):
    """The path of a tiny encoder."""
    return encoder_files.write(tmp_path_factory.mktemp("encoder") / "tiny")


@pytest.fixture(scope="session")
def tiny_encoder(tiny_folder):
    """A tiny encoder, opened."""
    from sfumato.engines.text.learners.encoder.folder import open_encoder

    return open_encoder(str(tiny_folder))
