"""Architectures of encoders, recognised by config.json and all read into one layout of tensors.

BERT's names are the usual ones. RoBERTa and XLM-R count places from where padding ends, DistilBERT has other names,
DeBERTa (v2, v3) attends by relative distances, ModernBERT turns queries and keys by their places and reads some layers
locally.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from .....core.errors import ModelError

__all__ = ["ARCHITECTURES", "Config", "name_in_file", "usual_name"]

# The keys of config.json that say a size, by architecture.
_BERT = {
    "vocabulary": "vocab_size",
    "hidden": "hidden_size",
    "layers": "num_hidden_layers",
    "heads": "num_attention_heads",
    "intermediate": "intermediate_size",
    "positions": "max_position_embeddings",
    "types": "type_vocab_size",
    "epsilon": "layer_norm_eps",
}
_ROBERTA = {**_BERT, "padding": "pad_token_id"}
ARCHITECTURES: Mapping[str, Mapping[str, str]] = {
    "bert": _BERT,
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
    "distilbert": {
        "vocabulary": "vocab_size",
        "hidden": "dim",
        "layers": "n_layers",
        "heads": "n_heads",
        "intermediate": "hidden_dim",
        "positions": "max_position_embeddings",
    },
    "deberta-v2": {**_BERT, "buckets": "position_buckets", "reach": "max_relative_positions"},
    "modernbert": {
        **{key: name for key, name in _BERT.items() if key != "types"},
        "epsilon": "norm_eps",
        "every": "global_attn_every_n_layers",
        "local": "local_attention",
    },
}
_RANGES = {
    "vocabulary": (8, 1 << 20),
    "hidden": (4, 4096),
    "layers": (1, 48),
    "heads": (1, 64),
    "intermediate": (4, 1 << 15),
    "positions": (160, 1 << 14),
    "types": (0, 16),
    "padding": (0, 1 << 20),
    "buckets": (-1, 1 << 12),
    "reach": (-1, 1 << 14),
    "every": (1, 48),
    "local": (2, 1 << 14),
}
_ABSENT = {"padding": 1, "buckets": -1, "reach": -1, "every": 3, "local": 128}
_EPSILONS = {"bert": 1e-12, "distilbert": 1e-12, "deberta-v2": 1e-7}
# What else config.json may ask for, and the one answer that is understood.
_ONLY: Mapping[str, Mapping[str, object]] = {
    "bert": {"hidden_act": "gelu", "position_embedding_type": "absolute"},
    "distilbert": {"activation": "gelu"},
    "deberta-v2": {
        "hidden_act": "gelu",
        "relative_attention": True,
        "share_att_key": True,
        "norm_rel_ebd": "layer_norm",
        "conv_kernel_size": 0,
    },
    "modernbert": {"hidden_activation": "gelu"},
}
_TURNS = {"full_attention": 160_000.0, "sliding_attention": 10_000.0}


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
    kind: str = "bert"
    padding: int = 0  # RoBERTa: places are counted from the one after this id
    buckets: int = 0  # DeBERTa: distances beyond half of them share buckets; −1: none do
    reach: int = 0  # DeBERTa: the largest distance
    places: bool = True  # whether places have embeddings
    every: int = 0  # ModernBERT: each such layer reads the whole window
    local: int = 0  # ModernBERT: how many places the other layers read
    turns: tuple[float, float] = (0.0, 0.0)  # ModernBERT: bases of the angles, whole and local

    @classmethod
    def of(cls, content: object) -> Config:
        """Check the content of config.json.

        Parameters
        ----------
        content : object
            The parsed JSON.

        """
        kind = content.get("model_type") if isinstance(content, dict) else None
        if not isinstance(content, dict) or not isinstance(kind, str) or kind not in ARCHITECTURES:
            raise ModelError(
                "config.json does not describe an encoder that is known.",
                hint=f'its "model_type" must be one of {", ".join(ARCHITECTURES)}.',
            )
        for key, only in _ONLY.get(kind, _ONLY["bert"]).items():
            if content.get(key, only) != only:
                raise ModelError(
                    f"config.json asks for a {key!r} that is not supported.",
                    hint=f"{key!r} must be {only!r}.",
                )
        names = ARCHITECTURES[kind]
        sizes = {key: _size(content, key, names[key]) for key in names if key != "epsilon"}
        name = names.get("epsilon", "")
        epsilon = content.get(name, _EPSILONS.get(kind, 1e-5))
        if not isinstance(epsilon, int | float) or not 0 <= epsilon < 1e-2:
            raise ModelError(f"config.json: {name!r} must be a number in [0, 0.01).")
        config = cls(
            sizes["vocabulary"], sizes["hidden"], sizes["layers"], sizes["heads"],
            sizes["intermediate"], sizes["positions"], sizes.get("types", 0), float(epsilon), kind,
            padding=sizes.get("padding", 0), buckets=sizes.get("buckets", 0),
            reach=sizes.get("reach", 0), every=sizes.get("every", 0), local=sizes.get("local", 0),
        )  # fmt: skip
        if config.hidden % config.heads:
            raise ModelError(f"config.json: {names['hidden']!r} is not a multiple of the heads.")
        if kind in {"bert", "roberta", "xlm-roberta"} and config.types < 1:
            raise ModelError("config.json: 'type_vocab_size' must be an integer in [1, 16].")
        if kind == "deberta-v2":
            return _deberta(config, content)
        return _modernbert(config, content) if kind == "modernbert" else config

    def to_json(self) -> dict[str, object]:
        """Return the sizes in the words of config.json."""
        found: dict[str, object] = {"model_type": self.kind}
        for key, name in ARCHITECTURES[self.kind].items():
            found[name] = getattr(self, key)
        if self.kind == "deberta-v2":
            found |= {
                "pos_att_type": ["p2c", "c2p"],
                "position_biased_input": self.places,
                "norm_rel_ebd": "layer_norm",
                "relative_attention": True,
                "share_att_key": True,
            }
        if self.kind == "modernbert":
            found |= {"global_rope_theta": self.turns[0], "local_rope_theta": self.turns[1]}
        return found

    @property
    def is_modern(self) -> bool:
        """Whether norms come before attention, queries and keys are turned, and a gate multiplies."""
        return self.kind == "modernbert"

    @property
    def span(self) -> int:
        """How many distances to each side have an embedding; 0 where distances have none."""
        if self.kind != "deberta-v2":
            return 0
        return self.buckets if self.buckets > 0 else self.reach

    @property
    def first_place(self) -> int:
        """The number of the first place."""
        return self.padding + 1 if self.kind in {"roberta", "xlm-roberta"} else 0

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the usual name and the shape of every tensor that the forward pass uses."""
        hidden = self.hidden
        norm = {"weight": (hidden,), "bias": (hidden,)}
        found: dict[str, tuple[int, ...]] = {
            "embeddings.word_embeddings.weight": (self.vocabulary, hidden),
        }
        if self.places:
            found["embeddings.position_embeddings.weight"] = (self.positions, hidden)
        if self.types:
            found["embeddings.token_type_embeddings.weight"] = (self.types, hidden)
        found |= {f"embeddings.LayerNorm.{part}": shape for part, shape in norm.items()}
        if self.span:
            found["encoder.rel_embeddings.weight"] = (2 * self.span, hidden)
            found |= {f"encoder.LayerNorm.{part}": shape for part, shape in norm.items()}
        if self.is_modern:
            found |= {f"final.LayerNorm.{part}": shape for part, shape in norm.items()}
        for i in range(self.layers):
            found |= {f"encoder.layer.{i}.{name}": shape for name, shape in self.layer().items()}
        return found

    def layer(self) -> dict[str, tuple[int, ...]]:
        """Return the usual name and the shape of every tensor of one layer."""
        hidden, inner = self.hidden, self.intermediate
        dense = {
            "attention.self.query": (hidden, hidden),
            "attention.self.key": (hidden, hidden),
            "attention.self.value": (hidden, hidden),
            "attention.output.dense": (hidden, hidden),
            "intermediate.dense": (2 * inner if self.is_modern else inner, hidden),
            "output.dense": (hidden, inner),
        }
        found: dict[str, tuple[int, ...]] = {}
        for name, shape in dense.items():
            found |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            found |= {f"{name}.weight": (hidden,), f"{name}.bias": (hidden,)}
        return found


def _size(content: dict[str, object], key: str, name: str) -> int:
    low, high = _RANGES[key]
    value = content.get(name, _ABSENT.get(key))
    if type(value) is not int or not low <= value <= high:
        raise ModelError(f"config.json: {name!r} must be an integer in [{low}, {high}].")
    return value


def _deberta(config: Config, content: dict[str, object]) -> Config:
    kinds = content.get("pos_att_type")
    kinds = kinds.split("|") if isinstance(kinds, str) else kinds
    if not isinstance(kinds, list) or sorted(map(str, kinds)) != ["c2p", "p2c"]:
        raise ModelError(
            "config.json asks for a 'pos_att_type' that is not supported.",
            hint='\'pos_att_type\' must be ["p2c", "c2p"].',
        )
    if content.get("embedding_size", config.hidden) != config.hidden:
        raise ModelError("config.json: 'embedding_size' must be 'hidden_size'.")
    reach = config.reach if config.reach > 0 else config.positions
    places = content.get("position_biased_input", True)
    return replace(config, reach=reach, places=places is True)


def _modernbert(config: Config, content: dict[str, object]) -> Config:
    said = content.get("rope_parameters")
    newer: Mapping[str, object] = said if isinstance(said, dict) else {}

    def turn(name: str, kind: str) -> float:
        part = newer.get(kind)
        base = content.get(name, part.get("rope_theta") if isinstance(part, dict) else None)
        base = _TURNS[kind] if base is None else base
        if not isinstance(base, int | float) or not 1 < base < 1e9:
            raise ModelError(f"config.json: {name!r} must be a number in (1, 1e9).")
        return float(base)

    if (config.hidden // config.heads) % 2:
        raise ModelError("config.json: 'hidden_size' over the heads must be even.")
    turns = (
        turn("global_rope_theta", "full_attention"),
        turn("local_rope_theta", "sliding_attention"),
    )
    return replace(config, places=False, turns=turns)


# --- names in files ------------------------------------------------------------------------------

_PREFIXES = ("bert.", "roberta.", "distilbert.", "deberta.", "model.")
_RENAMED: Mapping[str, Mapping[str, str]] = {
    "distilbert": {
        "encoder.layer": "transformer.layer",
        "attention.self.query": "attention.q_lin",
        "attention.self.key": "attention.k_lin",
        "attention.self.value": "attention.v_lin",
        "attention.output.dense": "attention.out_lin",
        "attention.output.LayerNorm": "sa_layer_norm",
        "intermediate.dense": "ffn.lin1",
        "output.dense": "ffn.lin2",
        "output.LayerNorm": "output_layer_norm",
    },
    "deberta-v2": {
        f"attention.self.{part}": f"attention.self.{part}_proj"
        for part in ("query", "key", "value")
    },
    "modernbert": {
        "embeddings.word_embeddings": "embeddings.tok_embeddings",
        "embeddings.LayerNorm": "embeddings.norm",
        "final.LayerNorm": "final_norm",
        "encoder.layer": "layers",
        **{f"attention.self.{part}": "attn.Wqkv" for part in ("query", "key", "value")},
        "attention.output.dense": "attn.Wo",
        "attention.output.LayerNorm": "attn_norm",
        "intermediate.dense": "mlp.Wi",
        "output.dense": "mlp.Wo",
        "output.LayerNorm": "mlp_norm",
    },
}


def name_in_file(config: Config, name: str, stored: Mapping[str, str]) -> str | None:
    """Return under which name a file holds a tensor.

    None where it need not: ModernBERT has no offsets unless it says so, and its first layer no first norm.

    Parameters
    ----------
    config : Config
        The encoder.
    name : str
        The usual name.
    stored : mapping from str to str
        The names in the file, by those names without a model's prefix.

    """
    parts = name.split(".")
    number = parts[2] if name.startswith("encoder.layer.") else ""
    renamed = _RENAMED.get(config.kind, {})
    if number:
        inside = ".".join(parts[3:-1])
        before = renamed.get("encoder.layer", "encoder.layer")
        wanted = f"{before}.{number}.{renamed.get(inside, inside)}.{parts[-1]}"
    else:
        whole = ".".join(parts[:-1])
        wanted = f"{renamed.get(whole, whole)}.{parts[-1]}"
    if wanted in stored:
        return stored[wanted]
    if config.is_modern and (parts[-1] == "bias" or wanted == "layers.0.attn_norm.weight"):
        return None
    raise ModelError(f"model.safetensors lacks the tensor {wanted!r}.")


def usual_name(name: str) -> str:
    """Return a tensor's name without the model's prefix, and as it is called today."""
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    if name.endswith(("LayerNorm.gamma", "LayerNorm.beta")):
        return name.replace("gamma", "weight").replace("beta", "bias")
    return name
