"""What `--choose max-found:N` recommends: what attackers find at each ratio, in the half that was learned from and in an unseen one.

The halves are those of `benchmarks encoder_halves` in which attackers found most, cut to some 10,000 words, and learned from
by the publisher as it is shipped, with background; the other corpora are the background, the same for all halves. The
candidate is chosen by what attackers find out of fold, and then publishes documents of the other half. Attackers have the
same background: CRFs and character n-grams that learn from a labelled part of the release, with and without what the
background's CRF thinks, that CRF alone, and an encoder that learned from the background with most names masked. An encoder
tuned on each release costs most and was left out.

`python -m benchmarks.encoder_recommended FOLDER [HALF …]` keeps what some halves gave, and what the encoder thought of them for
`benchmarks.encoder_background later`;
`python -m benchmarks.encoder_recommended combine FOLDER` adds them to the results of `benchmarks encoder_attackers`.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._common import RESULTS, data_folder, write_results
from benchmarks.calibration import sample
from benchmarks.encoder import _encoder
from benchmarks.encoder_background import BACKGROUND, background_of, write_part
from benchmarks.encoder_halves import labelled_half
from benchmarks.text import prepared, read
from sfumato.core.randomness import Streams
from sfumato.engines.text.attack.attacker import AttackedRelease
from sfumato.engines.text.attack.encoder import _of_background
from sfumato.engines.text.attack.inspection import found_best_first
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.learners.folds import deal, out_of_fold
from sfumato.engines.text.learners.ngrams import CharacterNGrams
from sfumato.engines.text.learners.protocol import Learner, Model
from sfumato.engines.text.reading.arrays import Mask, Scores
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.labelled import Labelled
from sfumato.engines.text.sanitize.cross_fit import CrossFitSearch
from sfumato.engines.text.sanitize.greedy import GreedySanitize
from sfumato.engines.text.sanitize.stacking import encoder_forms
from sfumato.engines.text.sanitize.stacking.stack import stack_places

HALVES = {  # corpus, half, seed
    "btc_twitter": (0, 2),
    "wikigold": (1, 1),
    "gum_ccby": (1, 1),
    "litbank": (1, 1),
}
WORDS = 10_000
RATIOS = (10.0, 15.0, 20.0, 30.0, 50.0)
MOST, BUDGET = (12, 6, 4), 100


class _Shared:
    """What is learned from the background once, for all halves."""

    def __init__(self, known: list[Any]) -> None:
        data, labels = prepared(known)
        self.background = Labelled(data, labels, ("NAME",), np.zeros(data.documents, np.bool_))
        streams = Streams(0)
        self.crf = CRF().fit(data, self.background.sensitive, seed=streams.seed_of("background"))
        self.publisher = encoder_forms.learn_from_background(
            _encoder("two"), self.background, streams
        )
        self.masked = _of_background(
            _encoder("two"),
            AttackedRelease(data, self.background.sensitive, self.background.own),
            streams,
        )

    def __call__(self, _encoder: Any, _whole: Labelled, _streams: Streams) -> Model:
        """Return the publisher's encoder, in place of one that is learned for each half."""
        return self.publisher


def documents_of(name: str, way: int, seed: int) -> list[Any]:
    folder = data_folder()
    assert folder is not None
    documents = sample(read(folder, name), seed)[way]
    words = np.cumsum([len(d.text.split()) for d in documents])
    return documents[: int(np.searchsorted(words, WORDS)) + 1]


def found_by(release: Labelled, redacted: Mask, shared: _Shared) -> dict[str, float]:
    """Return what each attacker finds in the first words of a release."""
    data = release.data.redact(redacted)
    outside = shared.crf.scores(data)
    fold = deal(
        np.arange(data.documents), 4, Streams(0).generator("attack folds"), of=data.documents
    )

    def inside(learner: Learner, read: TokenData) -> Scores:
        return out_of_fold(learner, read, release.sensitive, fold, seed=0)

    informed = data.with_places(*stack_places(data, outside, with_own=True))
    every = {
        "crf on the release": inside(CRF(), data),
        "character n-grams on the release": inside(CharacterNGrams(), data),
        "crf of the background": outside,
        "crf on the release, informed by background": inside(CRF(), informed),
        "encoder of the masked background": shared.masked.scores(data),
    }
    live = data.counted
    truth = release.sensitive[live] != 0
    return {
        title: round(float(found_best_first(scores[live], truth, (BUDGET,))[0]), 1)
        for title, scores in every.items()
    }


def release_of(alone: Labelled, redacted: Mask, shared: _Shared) -> dict[str, Any]:
    live, sensitive = alone.instances, alone.sensitive > 0
    left = int((live & sensitive & ~redacted).sum())
    lost = int((live & ~sensitive & redacted).sum())
    found = found_by(alone, redacted, shared)
    return {
        "left": left,
        "T(10)": 10 * left + lost,
        "published": round(float((live & ~redacted).sum() / live.sum()), 4),
        "found": found,
        "strongest": max(found.values()),
    }


def recommended(by_ratio: dict[str, dict[str, Any]], most: float) -> str | None:
    """Return the ratio that publishes most among those at which the strongest attacker finds few enough."""
    within = [ratio for ratio, one in by_ratio.items() if one["strongest"] <= most]
    return max(within, key=lambda ratio: by_ratio[ratio]["published"], default=None)


def half(name: str, shared: _Shared, known: list[Any], folder: Path) -> dict[str, Any]:
    way, seed = HALVES[name]
    own, other = documents_of(name, way, seed), documents_of(name, 1 - way, seed)
    whole, unseen = labelled_half(own, known), labelled_half(other, [])
    start = time.process_time()
    publisher = GreedySanitize(encoder=_encoder("two"), seed=seed)
    search = CrossFitSearch(publisher.settings, whole, np.zeros(len(whole.data), np.bool_))
    published = search.run(RATIOS)
    seconds = time.process_time() - start
    alone = whole.alone()
    assert search.first is not None
    scores = next(stage.scores for stage in search.first.stages if stage.by_encoder)
    background = shared.publisher.scores(alone.data)
    np.savez(folder / f"{name}.npz", encoder=scores, background=background)
    out_of_fold, elsewhere = {}, {}
    for ratio, publication in published.items():
        redacted = publication.redacted[: len(alone.data)]
        out_of_fold[f"{ratio:g}"] = release_of(alone, redacted, shared)
        redacted = publication.classifiers.redactions(unseen.data) > 0
        elsewhere[f"{ratio:g}"] = release_of(unseen, redacted, shared)
    return {
        "words": int(alone.instances.sum()),
        "names": int((alone.sensitive[alone.instances] > 0).sum()),
        "form": {f"{r:g}": p.rounds[0].form for r, p in published.items()},
        "out of fold": out_of_fold,
        "unseen half": elsewhere,
        "cpu_seconds_of_the_publisher": round(seconds),
    }


def keep(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    known = background_of(tuple(HALVES))
    shared = _Shared(known)
    encoder_forms.learn_from_background = shared  # type: ignore[assignment]
    for name in names or list(HALVES):
        write_part(folder / f"{name}.json", half(name, shared, known, folder))


def choice(part: dict[str, Any], most: float) -> dict[str, Any] | None:
    """Return what `max-found` recommends out of fold, and what attackers find there and in the unseen half."""
    ratio = recommended(part["out of fold"], most)
    if ratio is None:
        return None
    found: dict[str, Any] = {"ratio": float(ratio)}
    for where in ("out of fold", "unseen half"):
        own, ten = part[where][ratio], part[where]["10"]
        found[where] = {
            "strongest": own["strongest"],
            "strongest_at_10": ten["strongest"],
            **{
                f"{key}_over_10": round(own[key] / max(1e-9, ten[key]), 3)
                for key in ("left", "T(10)", "published")
            },
        }
    return found


def combine(folder: Path) -> dict[str, Any]:
    """Return the results of `encoder_attackers` with what these halves gave."""
    parts = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    before = json.loads((RESULTS / "encoder_attackers.json").read_text(encoding="utf-8"))
    return {
        **{k: v for k, v in before.items() if k not in ("versions", "machine")},
        "max-found": {
            "background_words_of_each_other_corpus": BACKGROUND,
            "words_of_a_half": WORDS,
            "halves": {name: HALVES[name] for name in parts},
            "parts": parts,
            "choices": {
                f"max-found:{most}": {name: choice(part, most) for name, part in parts.items()}
                for most in MOST
            },
        },
    }


if __name__ == "__main__":
    if sys.argv[1] == "combine":
        print(write_results("encoder_attackers", combine(Path(sys.argv[2]))))
    else:
        keep(Path(sys.argv[1]), sys.argv[2:])
