"""What `--choose max-found:N` recommends: what attackers find there, in the half that was learned from and in an unseen one.

The halves are those of `benchmarks encoder_halves` (two layers, background) in which attackers found more than 12 names in
100 words. The publisher is as it is shipped, with background: a sample of the corpora of which no half is attacked, the same
for all halves. The candidate is chosen by what attackers find out of fold, and then publishes the other half: the ratios are
attacked from the most useful one on, until one is good enough. Attackers have the same background: CRFs and character n-grams
that learn from a labelled part of the release, with and without what the background's CRF thinks, that CRF alone, an encoder
that learned from the background with most names masked, and that encoder tuned on the release. `--most N` says what is good
enough; `--each` attacks the release at every ratio, in both halves; `--bound high` goes on until the upper end of the range is low enough as well; `--scratch`
adds an encoder that is tuned on the release alone; with `--more` attackers know more than the publisher: twice as much of
every corpus but those of the halves that are named.

`python -m benchmarks.encoder_recommended keep FOLDER [HALF …] [--words N] [--most N] [--each] [--bound high] [--scratch] [--more]` keeps what
some halves gave, after each release, and goes on where it ended; it also keeps what the encoder thought of them for
`benchmarks.encoder_background later`;
`python -m benchmarks.encoder_recommended combine FOLDER` adds them to the results of `benchmarks encoder_attackers`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks._common import RESULTS, data_folder, write_results
from benchmarks.calibration import sample
from benchmarks.encoder import _encoder
from benchmarks.encoder_background import BACKGROUND, background_of, write_part
from benchmarks.encoder_halves import labelled_half
from benchmarks.text import prepared, read
from sfumato.core.randomness import Streams
from sfumato.engines.text.attack.attacker import AttackedRelease
from sfumato.engines.text.attack.encoder import _attacking, _of_background
from sfumato.engines.text.attack.inspection import inspect
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.learners.folds import deal, out_of_fold
from sfumato.engines.text.learners.ngrams import CharacterNGrams
from sfumato.engines.text.learners.protocol import Learner, Model
from sfumato.engines.text.learners.registry import model_from_arrays
from sfumato.engines.text.reading.arrays import Mask, Scores
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.labelled import Labelled
from sfumato.engines.text.sanitize.cross_fit import CrossFitSearch
from sfumato.engines.text.sanitize.greedy import GreedySanitize
from sfumato.engines.text.sanitize.stacking import encoder_forms
from sfumato.engines.text.sanitize.stacking.encoded import learn_from_background
from sfumato.engines.text.sanitize.stacking.stack import stack_places

WITHHELD = ("btc_twitter", "gum_ccby", "litbank", "wikigold")  # corpora that are no background
RATIOS = (10.0, 20.0, 50.0)
MOST, BUDGET = (12, 6), 100
OWN, UNSEEN = "out of fold", "unseen half"
TUNED, SCRATCH = "encoder of the masked background, tuned on the release", "encoder on the release"
FOUND, FOUND_WITH_MORE, MORE = "found", "found by attackers with more background", 15_000


class Half(NamedTuple):
    """A half of a corpus that was dealt in two with a seed, all of it or its first words."""

    name: str
    way: int
    seed: int
    words: int | None = None

    @classmethod
    def named(cls, title: str, words: int | None = None) -> Half:
        """Return a half by its name, as `benchmarks encoder_halves` writes it."""
        name, way, seed = title.split("--")
        return cls(name, int(way), int(seed), words)

    def documents(self, *, unseen: bool = False) -> list[Any]:
        folder = data_folder()
        assert folder is not None
        way = 1 - self.way if unseen else self.way
        documents = sample(read(folder, self.name), self.seed)[way]
        if self.words is None:
            return documents
        words = np.cumsum([len(d.text.split()) for d in documents])
        return documents[: int(np.searchsorted(words, self.words)) + 1]


HALVES = (
    "btc_twitter--0--2", "wikigold--1--1", "wikigold--0--2",
    "litbank--1--1", "gum_ccby--1--1", "gum_ccby--0--2", "gum_ccby--0--0",
)  # fmt: skip


def _kept(path: Path, learn: Callable[[], Model]) -> Model:
    """Return a model that an earlier run has kept, or learn it."""
    if path.exists():
        with np.load(path) as arrays:
            header = json.loads(bytes(arrays["header"]))
            return model_from_arrays(header, {k: arrays[k] for k in arrays.files if k != "header"})
    model = learn()
    header, arrays = model.to_arrays()
    written = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, header=written, **arrays)  # type: ignore[arg-type]
    return model


class _Background:
    """What is learned from other corpora once, for all halves."""

    def __init__(self, known: list[Any], folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        data, labels = prepared(known)
        self.folder, self.streams, self.encoder = folder, Streams(0), _encoder("two")
        self.whole = Labelled(data, labels, ("NAME",), np.zeros(data.documents, np.bool_))

    @cached_property
    def crf(self) -> Model:
        data, seed = self.whole.data, self.streams.seed_of("background")
        return _kept(
            self.folder / "crf.npz", lambda: CRF().fit(data, self.whole.sensitive, seed=seed)
        )

    @cached_property
    def publisher(self) -> Model:
        """The publisher's encoder."""
        return _kept(
            self.folder / "publisher.npz",
            lambda: learn_from_background(self.encoder, self.whole, self.streams),
        )

    @cached_property
    def masked(self) -> Model:
        """The attackers' encoder, which expects names to be masked."""
        release = AttackedRelease(self.whole.data, self.whole.sensitive, self.whole.own)
        return _kept(
            self.folder / "masked.npz", lambda: _of_background(self.encoder, release, self.streams)
        )

    def __call__(self, _encoder: Any, _whole: Labelled, _streams: Streams) -> Model:
        """Return the publisher's encoder, in place of one that is learned for each half."""
        return self.publisher


@dataclass
class Attackers:
    """Who attacks, with what is learned from the background, and under which key it is kept."""

    background: _Background
    scratch: bool = False
    key: str = FOUND

    def __call__(self, release: Labelled, redacted: Mask) -> dict[str, list[float]]:
        """Return what each attacker finds in the first words of a release, and the ends of its range."""
        data = release.data.redact(redacted)
        live = data.counted
        truth, owner = release.sensitive[live] != 0, data.document_of[live]
        found = {}
        for title, scores in self._scores(data, release.sensitive).items():
            seen = scores[live]
            result = inspect(
                seen, seen >= 0, truth, owner,
                budgets=(BUDGET,), generator=Streams(0).generator(f"ranges {title}"),
            ).ranked[BUDGET]  # fmt: skip
            found[title] = [round(v, 1) for v in (result.found, result.low, result.high)]
        return found

    def _scores(self, data: TokenData, sensitive: Any) -> dict[str, Scores]:
        random = Streams(0).generator("attack folds")
        fold = deal(np.arange(data.documents), 4, random, of=data.documents)

        def inside(learner: Learner, read: TokenData) -> Scores:
            return out_of_fold(learner, read, sensitive, fold, seed=0)

        outside = self.background.crf.scores(data)
        informed = data.with_places(*stack_places(data, outside, with_own=True))
        encoder = _attacking(_encoder("two"))
        encoder.prepare(data)  # what the lower layers say of a release is the same for all of these
        tuned = encoder.warm_start(self.background.masked)
        assert tuned is not None
        every = {
            "crf on the release": inside(CRF(), data),
            "character n-grams on the release": inside(CharacterNGrams(), data),
            "crf of the background": outside,
            "crf on the release, informed by background": inside(CRF(), informed),
            "encoder of the masked background": self.background.masked.scores(data),
            TUNED: inside(tuned, data),
        }
        return every | ({SCRATCH: inside(encoder, data)} if self.scratch else {})


def left_in(release: Labelled, redacted: Mask) -> dict[str, Any]:
    """Return what a release leaves and loses."""
    live, sensitive = release.instances, release.sensitive > 0
    left = int((live & sensitive & ~redacted).sum())
    lost = int((live & ~sensitive & redacted).sum())
    published = round(float((live & ~redacted).sum() / live.sum()), 4)
    return {"left": left, "T(10)": 10 * left + lost, "published": published}


def published(
    half: Half, path: Path, known: list[Any], shared: _Background
) -> tuple[dict[str, Any], dict[str, dict[str, Mask]], dict[str, Labelled]]:
    """Publish a half and the unseen one at every ratio; return what is known of it, what is redacted, and the halves."""
    whole = labelled_half(half.documents(), known)
    halves = {OWN: whole.alone(), UNSEEN: labelled_half(half.documents(unseen=True), [])}
    masks = path.with_suffix(".npz")
    if path.exists() and masks.exists():
        with np.load(masks) as kept:
            redacted = {w: {f"{r:g}": kept[f"{w} {r:g}"] for r in RATIOS} for w in halves}
        return json.loads(path.read_text()), redacted, halves
    start = time.process_time()
    publisher = GreedySanitize(encoder=_encoder("two"), seed=half.seed)
    search = CrossFitSearch(publisher.settings, whole, np.zeros(len(whole.data), np.bool_))
    found = search.run(RATIOS)
    alone, unseen = halves[OWN], halves[UNSEEN].data
    _encoder("two").prepare(unseen)
    redacted = {
        OWN: {f"{r:g}": p.redacted[: len(alone.data)] for r, p in found.items()},
        UNSEEN: {f"{r:g}": p.classifiers.redactions(unseen) > 0 for r, p in found.items()},
    }
    assert search.first is not None
    np.savez(
        masks,
        words=np.int64(half.words or 0),
        encoder=next(stage.scores for stage in search.first.stages if stage.by_encoder),
        background=shared.publisher.scores(alone.data),
        **{f"{w} {r}": mask for w, own in redacted.items() for r, mask in own.items()},
    )  # fmt: skip
    part: dict[str, Any] = {
        "words": int(alone.instances.sum()),
        "names": int((alone.sensitive[alone.instances] > 0).sum()),
        "form": {f"{r:g}": p.rounds[0].form for r, p in found.items()},
        "cpu_seconds_of_the_publisher": round(time.process_time() - start),
    }
    for where, one in halves.items():
        part[where] = {ratio: left_in(one, mask) for ratio, mask in redacted[where].items()}
    write_part(path, part)
    return part, redacted, halves


def by_use(part: dict[str, Any]) -> list[str]:
    """Return the ratios from the one that publishes most on, out of fold: the order in which `max-found` prefers them."""
    own = part[OWN]
    return sorted(own, key=lambda ratio: (-own[ratio]["published"], own[ratio]["left"]))


def strongest(one: dict[str, Any], key: str, end: int = 0) -> float:
    """Return what the attacker who finds most finds, or the upper end of the range of that."""
    return float(max(one[key].values(), key=lambda found: found[0])[end])


def recommended(part: dict[str, Any], key: str, most: float, end: int = 0) -> str | None:
    """Return the ratio that publishes most among those at which the strongest attacker finds few enough."""
    attacked = (ratio for ratio in by_use(part) if key in part[OWN][ratio])
    return next(
        (ratio for ratio in attacked if strongest(part[OWN][ratio], key, end) <= most), None
    )


def attack_half(
    half: Half, path: Path, known: list[Any], publisher: _Background, attackers: Attackers,
    *, each: bool, most: float, end: int,
) -> None:  # fmt: skip
    """Attack what was published of a half until a candidate is good enough, and this one in the unseen half."""
    part, redacted, halves = published(half, path, known, publisher)
    key = attackers.key

    def attacked(where: str, ratio: str) -> None:
        one = part[where][ratio]
        if key not in one:
            one[key] = attackers(halves[where], redacted[where][ratio])
            write_part(path, part)

    for ratio in by_use(part):
        attacked(OWN, ratio)
        if not each and strongest(part[OWN][ratio], key, end) <= most:
            break
    chosen = {recommended(part, key, most, end)}
    for ratio in part[UNSEEN]:
        if each or ratio in chosen:
            attacked(UNSEEN, ratio)


def keep(given: argparse.Namespace) -> None:
    folder: Path = given.folder
    known = background_of(WITHHELD)
    publisher = _Background(known, folder / "shared")
    encoder_forms.learn_from_background = publisher  # type: ignore[attr-defined]
    halves = [Half.named(title, given.words) for title in given.halves or HALVES]
    attackers = Attackers(publisher, given.scratch)
    if given.more:
        names = sorted({half.name for half in halves})
        more = _Background(background_of(names, MORE), folder / "-".join(["more", *names]))
        attackers = Attackers(more, given.scratch, FOUND_WITH_MORE)
    for half in halves:
        path = folder / f"{half.name}--{half.way}--{half.seed}.json"
        end = 2 if given.bound == "high" else 0
        attack_half(
            half, path, known, publisher, attackers, each=given.each, most=given.most, end=end
        )


def choice(part: dict[str, Any], key: str, most: float, end: int) -> dict[str, Any] | None:
    """Return what is recommended out of fold, and what attackers find there and in the unseen half."""
    ratio = recommended(part, key, most, end)
    if ratio is None:
        return None
    found: dict[str, Any] = {"ratio": float(ratio)}
    for where in (OWN, UNSEEN):
        one, ten = part[where][ratio], part[where]["10"]
        found[where] = {
            f"{measure}_over_10": round(one[measure] / max(1e-9, ten[measure]), 3)
            for measure in ("left", "T(10)", "published")
        }
        if key in one:
            ends = (strongest(one, key, place) for place in range(3))
            found[where] |= dict(zip(("strongest", "low", "high"), ends, strict=True))
        if key in ten:
            found[where]["strongest_at_10"] = strongest(ten, key)
    return found


def combine(folder: Path) -> dict[str, Any]:
    """Return the results of `encoder_attackers` with what these halves gave."""
    parts = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    before = json.loads((RESULTS / "encoder_attackers.json").read_text(encoding="utf-8"))
    rules = {"": 0, ", by the upper end of the range": 2}
    return {
        **{k: v for k, v in before.items() if k not in ("versions", "machine")},
        "max-found, whole halves": {
            "background_words_of_each_other_corpus": BACKGROUND,
            "corpora_that_are_no_background": list(WITHHELD),
            "each_attacker": "what it finds in 100 words, and both ends of the range",
            FOUND_WITH_MORE: f"{MORE} words of every corpus but those of these halves; attackers alone know them",
            "parts": parts,
            "choices: null": "at none of the ratios that were attacked",
            "choices": {
                f"max-found:{most}{rule}, {key}": {
                    title: choice(part, key, most, end)
                    for title, part in parts.items()
                    if any(key in one for one in part[OWN].values())
                }
                for rule, end in rules.items()
                for most in MOST
                for key in (FOUND, FOUND_WITH_MORE)
            },
        },
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.encoder_recommended")
    commands = parser.add_subparsers(required=True, dest="command")
    for name in ("keep", "combine"):
        command = commands.add_parser(name)
        command.add_argument("folder", type=Path)
    command = commands.choices["keep"]
    command.add_argument("--words", type=int)
    command.add_argument("--each", action="store_true")
    command.add_argument("--bound", choices=("found", "high"), default="found")
    command.add_argument("--scratch", action="store_true")
    command.add_argument("--more", action="store_true")
    command.add_argument("--most", type=float, default=MOST[0])
    command.add_argument("halves", nargs="*", metavar="HALF")
    given = parser.parse_args(arguments)
    if given.command == "combine":
        print(write_results("encoder_attackers", combine(given.folder)))
    else:
        keep(given)


if __name__ == "__main__":
    main()
