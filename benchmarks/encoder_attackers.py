"""What attackers find of what the encoder's publisher leaves: after a further round against them, or at another ratio.

The half, the background and the readers are those of `benchmarks encoder_background`; the publisher is the mean of the three
readers. The attackers have the same background: CRFs, and an encoder that learned from it with most names masked. A
further round redacts the words that rank first among those left, by the publisher's own scores or by an encoder that
was tuned on the release as an attacker's is (out of fold, from the publisher's own background encoder).

`python -m benchmarks encoder_attackers` does all of it;
`python -m benchmarks.encoder_attackers combine FOLDER` puts what a folder holds together.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._common import data_folder, write_results
from benchmarks.encoder import _encoder
from benchmarks.encoder_background import (
    GROUPS,
    LINEAR,
    RATIO,
    SEED,
    SHIPPED,
    SPLITS,
    Split,
    background_of,
    half_of,
    learn_background,
    read_out_of_fold,
    recipes,
    write_part,
)
from benchmarks.text import prepared
from sfumato.core.randomness import Streams
from sfumato.engines.text.attack.attacker import AttackedRelease
from sfumato.engines.text.attack.encoder import mask_background
from sfumato.engines.text.attack.inspection import found_best_first
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.learners.folds import out_of_fold
from sfumato.engines.text.learners.protocol import Model
from sfumato.engines.text.reading.arrays import Mask, Scores
from sfumato.engines.text.reading.labelled import Labelled
from sfumato.engines.text.sanitize.competition import Competition, Form
from sfumato.engines.text.sanitize.stacking.stack import stack_places

CORPORA = ("wikigold",)  # whose releases are attacked
RATIOS = (10.0, 12.0, 15.0, 20.0, 30.0)
FURTHER = (50, 150)
MEAN = f"{SHIPPED}: mean of three"
EPOCHS, STEPS = 3, 60  # as an attacker tunes


def masked_background(group: Sequence[str]) -> Model:
    """Return the encoder of an attacker, who expects names to be masked."""
    data, labels = prepared(background_of(group))
    sensitive = (labels > 0).astype(np.uint8)
    streams = Streams(SEED)
    target = AttackedRelease(data, sensitive, np.zeros(data.documents, np.bool_))
    masked = mask_background(target, streams.generator("masked background"))
    encoder = _encoder("two")
    two_epochs = encoder.scheduled(replace(encoder.planned, epochs=2, steps=0))
    return two_epochs.fit(masked, sensitive, seed=streams.seed_of("encoder of attackers"))


def redacted_at(ratio: float, labelled: Labelled, split: Split, scores: Scores) -> Mask:
    """Return what is redacted at a ratio, cut in each fold where the others say."""
    form = Form("", (0,))
    judged = Competition(
        {form: scores}, live=labelled.instances,
        value=np.where(labelled.sensitive > 0, ratio, -1.0), fold_of=split.fold_of,
        document_of=labelled.data.document_of, leak=ratio, expected=-float(np.log(ratio)),
    )  # fmt: skip
    cut = judged.entries[form].fit.by_fold[split.fold_of]
    found: Mask = labelled.instances & (scores >= cut)
    return found


def left_by(labelled: Labelled, redacted: Mask) -> dict[str, int]:
    live, sensitive = labelled.instances, labelled.sensitive > 0
    leaks = int((live & ~redacted & sensitive).sum())
    withheld = int((live & redacted & ~sensitive).sum())
    return {"T": round(RATIO) * leaks + withheld, "left": leaks, "withheld for nothing": withheld}


def by_ratio(labelled: Labelled, crf: Model, encoders: dict[str, Scores]) -> dict[str, Any]:
    """Return T(10) and the names left by the ratio that is asked for: the means over the splits."""
    found: dict[str, list[dict[str, int]]] = {}
    for number in range(SPLITS):
        split = Split(number, labelled, crf, encoders)
        forms = split.forms()
        for title in (LINEAR, MEAN):
            for ratio in RATIOS:
                redacted = redacted_at(ratio, labelled, split, forms[title])
                found.setdefault(f"{title}, {ratio:g}", []).append(left_by(labelled, redacted))
    return {
        title: {key: round(float(np.mean([one[key] for one in every])), 1) for key in every[0]}
        for title, every in found.items()
    }


def attackers(labelled: Labelled, redacted: Mask, crf: Model, masked: Model) -> dict[str, float]:
    """Return what each attacker finds in 100 words of a release."""
    release = labelled.data.redact(redacted)
    truth = labelled.sensitive[release.counted] != 0
    split = Split(0, labelled, crf, {})
    outside = crf.scores(release)
    informed = release.with_places(*stack_places(release, outside, with_own=True))

    def inside(data: Any) -> Scores:
        return out_of_fold(CRF(), data, labelled.sensitive, split.fold, seed=SEED)

    every = {
        "CRF": inside(release),
        "CRF with background": outside,
        "CRF informed by background": inside(informed),
        "encoder with background": masked.scores(release),
    }
    return {
        title: round(float(found_best_first(scores[release.counted], truth, (100,))[0]), 1)
        for title, scores in every.items()
    }


def further(labelled: Labelled, redacted: Mask, own: Scores, background: Model) -> dict[str, Mask]:
    """Return what is redacted after a further round of so many words, by each ranking."""
    data = labelled.data.redact(redacted)
    encoder = _encoder("two").warm_start(background)
    assert encoder is not None
    attacking = encoder.scheduled(replace(encoder.planned, epochs=EPOCHS, steps=STEPS))
    theirs = read_out_of_fold(replace(labelled, data=data), attacking)
    rest = np.flatnonzero(labelled.instances & ~redacted)
    found = {}
    for count in FURTHER:
        for title, scores in (("own scores", own), ("an encoder's of the release", theirs)):
            mask = redacted.copy()
            mask[rest[np.argsort(-scores[rest], kind="stable")[:count]]] = True
            found[f"{count} further words by {title}"] = mask
    return found


def releases_of(
    labelled: Labelled, crf: Model, background: Model, masked: Model, encoders: dict[str, Scores]
) -> dict[str, Any]:
    """Return what is left of the releases of one half, and what attackers find there."""
    split = Split(0, labelled, crf, encoders)
    own = split.forms()[MEAN]
    masks = {f"ratio {r:g}": redacted_at(r, labelled, split, own) for r in RATIOS}
    masks |= further(labelled, masks[f"ratio {RATIO:g}"], own, background)
    return {
        title: {**left_by(labelled, mask), "found": attackers(labelled, mask, crf, masked)}
        for title, mask in masks.items()
    }


def combine(folder: Path) -> dict[str, Any]:
    parts = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    return {"ratio": RATIO, "splits": SPLITS, "device": "cpu", "tuning": "two", "corpora": parts}


def run() -> dict[str, Any]:
    from sfumato.engines.text.learners.encoder.folder import default_folder, missing_packages

    if data_folder() is None:
        return {"skipped": "the folder with real data is not there"}
    if missing_packages() or default_folder() is None:
        return {"skipped": "the extra `encoder` or its weights are not installed"}
    folder = Path(__file__).resolve().parent.parent / "build" / "encoder_attackers"
    folder.mkdir(parents=True, exist_ok=True)
    for group in GROUPS.values():
        crf, background = learn_background(group)
        masked = masked_background(group)
        for name in group:
            labelled = half_of(name)
            encoders = {
                "background encoder": background.scores(labelled.data),
                SHIPPED: read_out_of_fold(labelled, recipes(background)[SHIPPED]),
            }
            found: dict[str, Any] = {"by ratio": by_ratio(labelled, crf, encoders)}
            if name in CORPORA:
                found["releases"] = releases_of(labelled, crf, background, masked, encoders)
            write_part(folder / f"{name}.json", found)
    return combine(folder)


if __name__ == "__main__":
    print(write_results("encoder_attackers", combine(Path(sys.argv[2]))))
