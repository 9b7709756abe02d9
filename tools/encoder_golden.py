"""Write what the library `transformers` makes of tiny random encoders, for the tests of our own forward pass.

`python tools/encoder_golden.py tests/engines/text/learners/encoder_golden.json` needs torch and transformers, which the tests
do not: the weights are drawn again from the seed that the file names.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

SEED, PLACES = 7, 24
LENGTHS = (24, 15)
CONFIGS: dict[str, dict[str, object]] = {
    "bert": {
        "model_type": "bert", "vocab_size": 60, "hidden_size": 16, "num_hidden_layers": 3,
        "num_attention_heads": 4, "intermediate_size": 24, "max_position_embeddings": 160,
        "type_vocab_size": 2, "layer_norm_eps": 1e-12, "hidden_act": "gelu",
    },
    "roberta": {
        "model_type": "roberta", "vocab_size": 60, "hidden_size": 16, "num_hidden_layers": 3,
        "num_attention_heads": 4, "intermediate_size": 24, "max_position_embeddings": 162,
        "type_vocab_size": 1, "layer_norm_eps": 1e-5, "hidden_act": "gelu", "pad_token_id": 1,
    },
    "xlm-roberta": {
        "model_type": "xlm-roberta", "vocab_size": 60, "hidden_size": 16, "num_hidden_layers": 3,
        "num_attention_heads": 2, "intermediate_size": 24, "max_position_embeddings": 162,
        "type_vocab_size": 1, "layer_norm_eps": 1e-5, "hidden_act": "gelu", "pad_token_id": 1,
    },
    "distilbert": {
        "model_type": "distilbert", "vocab_size": 60, "dim": 16, "n_layers": 3, "n_heads": 4,
        "hidden_dim": 24, "max_position_embeddings": 160, "activation": "gelu",
        "sinusoidal_pos_embds": False, "pad_token_id": 0,
    },
    "deberta-v2": {
        "model_type": "deberta-v2", "vocab_size": 60, "hidden_size": 16, "num_hidden_layers": 3,
        "num_attention_heads": 4, "intermediate_size": 24, "max_position_embeddings": 160,
        "type_vocab_size": 0, "layer_norm_eps": 1e-7, "hidden_act": "gelu",
        "relative_attention": True, "max_relative_positions": -1, "position_buckets": 8,
        "norm_rel_ebd": "layer_norm", "share_att_key": True, "pos_att_type": ["p2c", "c2p"],
        "position_biased_input": False, "pad_token_id": 0,
    },
    "modernbert": {
        "model_type": "modernbert", "vocab_size": 60, "hidden_size": 16, "num_hidden_layers": 4,
        "num_attention_heads": 2, "intermediate_size": 24, "max_position_embeddings": 160,
        "norm_eps": 1e-5, "norm_bias": False, "hidden_activation": "gelu",
        "global_attn_every_n_layers": 3, "local_attention": 8, "global_rope_theta": 160000.0,
        "local_rope_theta": 10000.0, "attention_bias": False, "mlp_bias": False,
        "pad_token_id": 0,
    },
}  # fmt: skip


def draw(shapes: dict[str, tuple[int, ...]], seed: int = SEED) -> dict[str, np.ndarray]:
    """Draw tensors in the order of their names; norms lie around 1, all are exact in float16."""
    random = np.random.default_rng(seed)
    found = {}
    for name in sorted(shapes):
        values = random.normal(0, 0.3, shapes[name])
        if "norm" in name.lower() and name.endswith("weight"):
            values = values + 1
        found[name] = values.astype(np.float16).astype(np.float32)
    return found


def inputs() -> tuple[np.ndarray, np.ndarray]:
    """Return ids of two windows and their lengths."""
    random = np.random.default_rng(SEED)
    ids = random.integers(5, 60, (len(LENGTHS), PLACES))
    return ids, np.array(LENGTHS)


def hidden_states(config: dict[str, object]) -> tuple[dict[str, tuple[int, ...]], np.ndarray]:
    """Return the tensors' shapes and what the last layer makes of the windows."""
    import torch
    from transformers import AutoConfig, AutoModel

    given = {k: v for k, v in config.items() if k != "model_type"}
    built = AutoConfig.for_model(config["model_type"], **given)
    model = AutoModel.from_config(built, attn_implementation="eager").eval().float()
    state = {k: tuple(v.shape) for k, v in model.state_dict().items() if v.is_floating_point()}
    state = {k: v for k, v in state.items() if "inv_freq" not in k and "pooler" not in k}
    drawn = {k: torch.tensor(v) for k, v in draw(state).items()}
    model.load_state_dict(drawn, strict=False)
    ids, lengths = inputs()
    mask = np.arange(PLACES)[None, :] < lengths[:, None]
    if config["model_type"] in {"roberta", "xlm-roberta"}:
        ids = np.where(mask, ids, 1)  # positions are counted from what is no padding
    with torch.no_grad():
        found = model(input_ids=torch.tensor(ids), attention_mask=torch.tensor(mask.astype(int)))
    return state, found.last_hidden_state.numpy()


def main(path: Path) -> None:
    """Write the file."""
    import transformers

    content: dict[str, object] = {"transformers": transformers.__version__, "seed": SEED}
    for name, config in CONFIGS.items():
        shapes, states = hidden_states(config)
        content[name] = {
            "config": config,
            "shapes": {k: list(v) for k, v in sorted(shapes.items())},
            "states": [
                [[round(float(x), 6) for x in place] for place in window[:length]]
                for window, length in zip(states, LENGTHS, strict=True)
            ],
        }
    path.write_text(json.dumps(content) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
