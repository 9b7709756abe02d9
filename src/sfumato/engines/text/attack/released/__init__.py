"""A release as files, attacked with the labels of its originals."""

from .releases import attack_release, target_of

__all__ = ["attack_release", "target_of"]
