"""A release as files, attacked with the labels of its originals."""

from .releases import ReleaseAttack, attack_release, target_of

__all__ = ["ReleaseAttack", "attack_release", "target_of"]
