"""Doctests of modules that need an extra are collected where the extra is installed."""

from importlib.util import find_spec

collect_ignore = (
    [] if find_spec("jax") else ["src/sfumato/engines/text/learners/encoder/network.py"]
)
