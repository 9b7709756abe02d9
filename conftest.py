"""Doctests of modules that need an extra are collected where the extra is installed."""

from importlib.util import find_spec

_ENCODER = "src/sfumato/engines/text/learners/encoder"
collect_ignore = (
    [] if find_spec("jax") else [f"{_ENCODER}/{module}.py" for module in ("network", "steps")]
)
