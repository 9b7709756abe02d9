"""The tidy rows of a study and the content of its study.json."""

from __future__ import annotations

from typing import TypedDict

__all__ = ["AttackRow", "CorpusRow", "PlanFields", "PublisherRow", "StudyContent"]


class PlanFields(TypedDict):
    """What was studied."""

    labels: tuple[str, ...]
    ratios: tuple[float, ...]
    folds: int
    publishers: tuple[str, ...]
    budgets: tuple[int, ...]
    seed: int


class CorpusRow(TypedDict):
    """The size of one corpus."""

    corpus: str
    documents: int
    words: int
    sensitive: int


class PublisherRow(TypedDict):
    """What one publisher did to the documents of one fold at one ratio."""

    corpus: str
    publisher: str
    ratio: float
    fold: int
    rounds: int
    words: int
    sensitive: int
    published: float
    leaked: int
    false_positives: int
    total_loss: float


class AttackRow(TypedDict):
    """What one attacker finds in one release, by way of inspecting and by budget."""

    corpus: str
    publisher: str
    ratio: float
    reading: str
    attacker: str
    way: str
    budget: int
    found: float
    low: float
    high: float
    share: float
    tp: int
    fp: int
    fn: int
    tn: int


class StudyContent(TypedDict):
    """What a study returns."""

    version: str
    plan: PlanFields
    corpora: list[CorpusRow]
    publish: list[PublisherRow]
    attack: list[AttackRow]
