"""Attacks on what the publishers of a study release; a finished one is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...core.files import read_json, write_json
from ...core.randomness import Streams
from ...engines.text.attack.attacker import AttackedRelease, Residual, attack
from ...engines.text.attack_records import AttackDetails
from ...engines.text.reading.arrays import Mask
from .corpora import COMPARED, Fold, StudyCorpus, StudyPlan, key_of, part_of_corpus, path_of_part
from .figures import best_single_pass
from .publishers import PUBLISHERS, CostSensitive
from .rows import AttackRow, PublisherRow

if TYPE_CHECKING:
    from ...compute.protocol import Compute

__all__ = ["attack_releases", "configurations_of"]


def configurations_of(
    plan: StudyPlan, published: Sequence[PublisherRow] = ()
) -> list[tuple[str, float]]:
    """List what is attacked: everything iterative at every ratio, one-pass learners where compared.

    The baseline of figure 3 is one plain pass (L/C = 1) of the learner that errs least.
    """
    baseline = best_single_pass(published)
    return [
        (publisher, ratio)
        for publisher in plan.publishers
        for ratio in plan.ratios
        if not isinstance(PUBLISHERS[publisher], CostSensitive)
        or ratio in COMPARED
        or (ratio == 1 and publisher in baseline.values())
    ]


def attack_releases(
    corpus: StudyCorpus,
    folds: Sequence[Fold],
    plan: StudyPlan,
    out: Path,
    *,
    compute: Compute,
    advance: Callable[[int, str], None],
) -> Iterator[list[AttackRow]]:
    """Attack every release of a corpus; yield the rows of each attack."""
    where = [np.flatnonzero((corpus.fold == f)[corpus.data.document_of]) for f in range(plan.folds)]
    releases: dict[str, tuple[str, Mask, list[tuple[str, float]]]] = {}
    rows = [row for facts, _ in folds for row in facts["rows"]]
    for publisher, ratio in configurations_of(plan, rows):
        key = key_of(publisher, ratio)
        redacted = np.zeros(len(corpus.data), np.bool_)
        for place, (_, arrays) in zip(where, folds, strict=True):
            redacted[place] = np.unpackbits(arrays[f"unseen/{key}"], count=len(place)).astype(bool)
        with_a = f"residual/{key}" in folds[0][1]
        same = hashlib.blake2b(
            np.packbits(redacted).tobytes() + bytes([with_a]), digest_size=8
        ).hexdigest()
        # Ratios at which a publisher does the same share one attack.
        releases.setdefault(same, (key, redacted, []))[2].append((publisher, ratio))

    def run(entry: tuple[str, Mask, list[tuple[str, float]]]) -> list[AttackRow]:
        key, redacted, configurations = entry
        content = _attack_part(corpus, key, redacted, folds, plan=plan, out=out)
        found = [
            row
            for publisher, ratio in configurations
            for row in _attack_rows(corpus.name, publisher, ratio, content)
        ]
        advance(len(configurations), f"{corpus.name}, attacks on {key}")
        return found

    yield from compute.map_batches(run, releases.values())


def _attack_part(
    corpus: StudyCorpus,
    key: str,
    redacted: Mask,
    folds: Sequence[Fold],
    *,
    plan: StudyPlan,
    out: Path,
) -> AttackDetails:
    path = path_of_part(out, corpus, key.replace(" ", "_"), ".json")
    if path.exists():
        return AttackDetails.from_json(read_json(path))
    every = np.ones(corpus.data.documents, np.bool_)
    target = AttackedRelease(corpus.data.redact(redacted), corpus.sensitive, every)
    residuals = []
    for fold, (_, arrays) in enumerate(folds):
        packed = arrays.get(f"residual/{key}")
        if packed is None:
            continue
        held = corpus.fold == fold
        data, sensitive = part_of_corpus(corpus, ~held)
        left = data.redact(np.unpackbits(packed, count=len(data)).astype(bool))
        residuals.append(Residual(left, sensitive, np.ones(data.documents, np.bool_), held))
    report = attack(
        target, streams=Streams(plan.seed).child(corpus.name).child("attack"),
        residuals=residuals, folds=plan.folds, budgets=plan.budgets,
    )  # fmt: skip
    content = report.to_record()
    write_json(path, content.to_json(), force=True)
    return content


def _attack_rows(
    corpus: str, publisher: str, ratio: float, content: AttackDetails
) -> Iterator[AttackRow]:
    for reading, entry in content.readings().items():
        ways = {"ranked": entry.ranked, "unordered": entry.unordered, "random": entry.random}
        for way, by_budget in ways.items():
            for budget, found in by_budget.items():
                yield {
                    "corpus": corpus,
                    "publisher": publisher,
                    "ratio": ratio,
                    "reading": reading,
                    "attacker": entry.learner,
                    "way": way,
                    "budget": int(budget),
                    "found": found.found,
                    "low": found.low,
                    "high": found.high,
                    "share": found.found / int(budget),
                    "tp": entry.tp,
                    "fp": entry.fp,
                    "fn": entry.fn,
                    "tn": entry.tn,
                }
