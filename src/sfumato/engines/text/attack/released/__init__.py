"""A release as files, attacked with the labels of its originals."""

from .releases import AttackSettings, attack_release, classifiers_of, target_of

__all__ = ["AttackSettings", "attack_release", "classifiers_of", "target_of"]
