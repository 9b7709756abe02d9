"""What background is worth to each reader, and to forms made of them: T(10) out of fold, on a CPU.

Small halves of some corpora; the background is a sample of the other ones, the same for three corpora at a time. A CRF
and an encoder (two layers) are learned from it once, then from the half as the publisher does: each document is scored by
models that have not seen it. The encoder is tuned once for each recipe, in four folds; the CRFs, which cost little, are
learned again on several splits, and T is the sum over these. Thresholds are cut where the other folds say.

`python -m benchmarks encoder_background` does all of it;
`python -m benchmarks.encoder_background GROUP FOLDER [RECIPE …]` keeps what one group of corpora gave, and
`python -m benchmarks.encoder_background combine FOLDER` puts what a folder holds together;
`python -m benchmarks.encoder_background later FOLDER` adds forms that were tried later, on what `encoder_recommended` kept.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._common import RESULTS, data_folder, write_results
from benchmarks.calibration import sample
from benchmarks.encoder import _corpora, _encoder
from benchmarks.text import prepared, read
from sfumato.core.randomness import Streams
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.learners.folds import deal, out_of_fold
from sfumato.engines.text.learners.protocol import Model
from sfumato.engines.text.reading.arrays import Scores
from sfumato.engines.text.reading.features import RESERVED
from sfumato.engines.text.reading.labelled import Labelled
from sfumato.engines.text.sanitize.classifiers import mean_of, stage_features, weigh
from sfumato.engines.text.sanitize.competition import Competition, Form
from sfumato.engines.text.sanitize.cross_fit import CrossFitSearch
from sfumato.engines.text.sanitize.greedy import GreedySanitize
from sfumato.engines.text.sanitize.stacking.starter_forms import learn_weights

RATIO = 10.0
SEED, SPLITS, FIRST_SPLIT = 0, 6, 1000
GROUPS = {
    "first": ("gum_ccby", "enron_emailcoref", "presidio_synth_v2"),
    "second": ("wikigold", "litbank", "inlegalner_dev"),
}
BACKGROUND = 8_000  # words of each other corpus
WORDS, DOCUMENTS, LONG = 10_000, 14, {"litbank": 6}  # of a half: at least so many documents
PARTS = 4  # folds of the encoder
OWN, SHIPPED, WHOLE = "own documents alone", "shipped", "at the whole rate"
LINEAR = "linear, background"
Sees = tuple[tuple[str, bool], ...]


def background_of(group: Sequence[str], size: int = BACKGROUND) -> list[Any]:
    """Return a sample of the corpora that are not in a group, so many words of each."""
    folder = data_folder()
    assert folder is not None
    drawn = []
    for other in _corpora():
        if other not in group:
            documents = read(folder, other)
            order = Streams(SEED).generator(f"background {other}").permutation(len(documents))
            words = np.cumsum([len(documents[i].text.split()) for i in order])
            drawn += [documents[i] for i in order[: int(np.searchsorted(words, size)) + 1]]
    return drawn


def half_of(name: str) -> Labelled:
    folder = data_folder()
    assert folder is not None
    documents = sample(read(folder, name), SEED)[0]
    words = np.cumsum([len(d.text.split()) for d in documents])
    some = documents[: max(LONG.get(name, DOCUMENTS), int(np.searchsorted(words, WORDS)) + 1)]
    data, labels = prepared(some)
    return Labelled(data, labels, ("NAME",), np.ones(len(some), np.bool_))


def learn_background(group: Sequence[str]) -> tuple[Model, Model]:
    """Return what a CRF and an encoder learn from the background of a group."""
    data, labels = prepared(background_of(group))
    sensitive = (labels > 0).astype(np.uint8)
    streams = Streams(SEED)
    crf = CRF().fit(data, sensitive, seed=streams.seed_of("background"))
    encoder = _encoder("two")
    two_epochs = encoder.scheduled(replace(encoder.planned, epochs=2, steps=0))
    return crf, two_epochs.fit(data, sensitive, seed=streams.seed_of("encoder background"))


def recipes(background: Model) -> dict[str, Any]:
    """Return the encoder without background, after it as it is shipped, and with the whole rate after it."""
    encoder = _encoder("two")
    after = encoder.warm_start(background)
    return {OWN: encoder, SHIPPED: after, WHOLE: after.scheduled(encoder.planned)}


def read_out_of_fold(labelled: Labelled, encoder: Any) -> Scores:
    """Return an encoder's scores, each by a model that has not seen the document."""
    data = labelled.data
    search = CrossFitSearch(
        GreedySanitize(encoder=encoder, seed=SEED).settings, labelled, np.zeros(len(data), np.bool_)
    )
    encoder.prepare(data)
    scores = np.full(len(data), -np.inf)
    part_of = search.fold % PARTS
    for part in np.unique(part_of):
        held = part_of == part
        seed = search.seed("encoder") + int(part)
        model = encoder.fit(data, search.sensitive, documents=~held, seed=seed)
        inside = held[data.document_of]
        scores[inside] = model.scores(data, documents=held)[inside]
    return scores


class Split:
    """One way to deal the documents into folds: CRFs out of fold, and forms of them and of encoders."""

    def __init__(
        self, number: int, labelled: Labelled, crf: Model, encoders: dict[str, Scores]
    ) -> None:
        self.streams = Streams(FIRST_SPLIT + number)
        self.labelled, data = labelled, labelled.data
        folds = min(8, data.documents)
        random = self.streams.generator("folds")
        self.fold = deal(np.arange(data.documents), folds, random, of=data.documents)
        self.fold_of = self.fold[data.document_of]
        self.learner = GreedySanitize(seed=SEED).settings.learner
        self.start = self.learner.warm_start(crf)
        self.encoders = encoders
        self.known: dict[str, Scores] = {"background": crf.scores(data), **encoders}

    def learn(self, title: str, sees: Sees, *, start: bool = False) -> Scores:
        """Learn a stage, and the mean of it and of a second one that sees it elsewhere in the document."""
        pair = []
        for name, seen in ((title, sees), (f"{title}, stack", (*sees, (title, False)))):
            data = self.labelled.data
            for source, own in seen:
                data = stage_features(data, [(0, own)], [self.known[source]])
            by = self.start if start and self.start is not None else self.learner
            self.known[name] = out_of_fold(
                by, data, self.labelled.sensitive, self.fold, seed=self.streams.seed_of(name)
            )
            pair.append(self.known[name])
        return mean_of(pair)

    def forms(self) -> dict[str, Scores]:
        """Return the log-odds of each form."""
        plain = self.learn("pass", ())
        self.learn("informed", (("background", True),))
        self.learn("start", (), start=True)
        crf = mean_of([self.known[k] for k in ("informed", "informed, stack", "start, stack")])
        found = {"linear, own documents": plain, LINEAR: crf}
        if OWN in self.encoders:
            own, sees = self.encoders[OWN], self.learn("sees own", ((OWN, True),))
            found |= {f"{OWN}: encoder": own, f"{OWN}: mean of three": mean_of([plain, own, sees])}
        for recipe in (SHIPPED, WHOLE):
            if recipe in self.encoders:
                encoder = self.encoders[recipe]
                sees = self.learn(f"sees {recipe}", ((recipe, True),))
                found[f"{recipe}: encoder"] = encoder
                found[f"{recipe}: CRF that sees the encoder"] = sees
                found[f"{recipe}: mean of three"] = mean_of([crf, encoder, sees])
        return found | self._further(crf, self.encoders[SHIPPED])

    def _further(self, crf: Scores, encoder: Scores) -> dict[str, Scores]:
        """Return forms that were tried beside the shipped one, all after the shipped recipe."""
        plain = mean_of([self.known[f"sees {SHIPPED}{rest}"] for rest in ("", ", stack")])
        both = self.learn("sees both", (("background", True), (SHIPPED, True)))
        warm = self.learn("start, sees", ((SHIPPED, True),), start=True)
        untuned = self.encoders["background encoder"]
        every = mean_of([plain, both, warm])
        found = {
            "CRF that sees the encoder and the background": both,
            "the CRF that sees the encoder sees the background too": mean_of([crf, encoder, both]),
            "the CRF that sees the encoder starts from the background's": mean_of(
                [crf, encoder, warm]
            ),
            "all three kinds of CRFs that see the encoder": mean_of([crf, encoder, every]),
            "these count twice": mean_of([crf, encoder, every, every]),
            "these, weights learned": self._weighed([crf, encoder, every]),
            "these, the background's encoder counts as half an encoder": mean_of(
                [crf, (2 * encoder + untuned) / 3, every]
            ),
            "these and the background's encoder, weights learned": self._weighed(
                [crf, encoder, every, untuned]
            ),
        }
        if OWN in self.encoders:
            two = (encoder + self.encoders[OWN]) / 2
            found["these, mean of the encoders with and without background"] = mean_of(
                [crf, two, every]
            )
        return found

    def later(self) -> dict[str, Scores]:
        """Return the shipped form, and forms that were tried later."""
        self.learn("informed", (("background", True),))
        self.learn("start", (), start=True)
        crf = mean_of([self.known[k] for k in ("informed", "informed, stack", "start, stack")])
        encoder, sees = self.encoders[SHIPPED], self.learn("sees", ((SHIPPED, True),))
        outside = self.known["background"]
        even = alike_in_documents(self.labelled, encoder)
        return {
            LINEAR: crf,
            f"{SHIPPED}: mean of three": mean_of([crf, encoder, sees]),
            "the encoder's scores of a word are averaged over its document": mean_of(
                [crf, even, sees]
            ),
            "and with its own score": mean_of([crf, (encoder + even) / 2, sees]),
            "the background's CRF is a fourth reader": mean_of([crf, encoder, sees, outside]),
            "the background's CRF is a third of a reader": (
                3 * crf + 3 * encoder + 3 * sees + outside
            )
            / 10,
        }

    def _weighed(self, voices: Sequence[Scores]) -> Scores:
        """Weigh voices, in each fold as the others say."""
        live = self.labelled.instances & np.isfinite(voices[0])
        found = np.full(len(live), -np.inf)
        for held_out in np.unique(self.fold):
            part = live & (self.fold_of != held_out)
            *weights, bias = learn_weights(voices, self.labelled.sensitive, part)
            held = self.fold_of == held_out
            found[held] = weigh([voice[held] for voice in voices], weights, bias)
        return found

    def losses(self) -> dict[str, float]:
        """Return T of each form, cut in each fold where the others say."""
        return {title: self.loss(scores) for title, scores in self.forms().items()}

    def loss(self, scores: Scores) -> float:
        """Return T of some scores, cut in each fold where the others say."""
        labelled, form = self.labelled, Form("", (0,))
        live, sensitive = labelled.instances, labelled.sensitive
        judged = Competition(
            {form: scores}, live=live, value=np.where(sensitive > 0, RATIO, -1.0),
            fold_of=self.fold_of, document_of=labelled.data.document_of, leak=RATIO,
            expected=-float(np.log(RATIO)),
        )  # fmt: skip
        return RATIO * int(sensitive[live].sum()) - float(judged.gains(form).sum())


def alike_in_documents(labelled: Labelled, scores: Scores) -> Scores:
    """Return the mean of the scores of all places of a word in its document."""
    data = labelled.data
    word = data.words.groups()[data.tokens.type + np.int32(RESERVED)].astype(np.int64)
    live = np.isfinite(scores)
    place = np.unique(word + data.document_of * (int(word.max()) + 1), return_inverse=True)[1]
    total = np.bincount(place[live], scores[live], int(place.max()) + 1)
    found = total / np.maximum(1, np.bincount(place[live], minlength=len(total)))
    return np.where(live, found[place], scores)


def losses_later(folder: Path) -> dict[str, Any]:
    """Return T of the forms that were tried later over the shipped one, on halves of `encoder_recommended`."""
    from benchmarks.encoder_recommended import WITHHELD, Half

    data, labels = prepared(background_of(WITHHELD))
    crf = CRF().fit(data, (labels > 0).astype(np.uint8), seed=Streams(SEED).seed_of("background"))
    base, found = f"{SHIPPED}: mean of three", dict[str, Any]()
    for path in sorted(folder.glob("*.npz")):
        kept = np.load(path)
        half = Half.named(path.stem, int(kept["words"]) or None)
        own, own_labels = prepared(half.documents())
        labelled = Labelled(own, own_labels, ("NAME",), np.ones(own.documents, np.bool_))
        encoders = {SHIPPED: kept["encoder"], "background encoder": kept["background"]}
        losses: dict[str, list[float]] = {}
        for number in range(SPLITS):
            split = Split(number, labelled, crf, encoders)
            for title, scores in split.later().items():
                losses.setdefault(title, []).append(split.loss(scores))
        found[path.stem] = {
            "T of the shipped form": [round(t) for t in losses[base]],
            "over_shipped": {t: round(sum(v) / sum(losses[base]), 3) for t, v in losses.items()},
            "over_shipped_on_each_split": {
                t: [round(a / b, 3) for a, b in zip(v, losses[base], strict=True)]
                for t, v in losses.items()
            },
        }
        print(f"   {path.stem}: {json.dumps(found[path.stem])}", flush=True)
    return found


def losses_of(labelled: Labelled, crf: Model, encoders: dict[str, Scores]) -> dict[str, Any]:
    """Return T of each form over the splits of one half."""
    losses: dict[str, list[float]] = {}
    for number in range(SPLITS):
        for title, loss in Split(number, labelled, crf, encoders).losses().items():
            losses.setdefault(title, []).append(loss)
    live = labelled.instances
    return {
        "words": int(live.sum()),
        "names": int(labelled.sensitive[live].sum()),
        "T": losses,
    }


def keep(group: str, folder: Path, wanted: Sequence[str] = ()) -> None:
    """Keep the losses of the corpora of one group, with all recipes or some."""
    folder.mkdir(parents=True, exist_ok=True)
    crf, background = learn_background(GROUPS[group])
    for name in GROUPS[group]:
        labelled = half_of(name)
        encoders = {"background encoder": background.scores(labelled.data)}
        for title, encoder in recipes(background).items():
            if not wanted or title in wanted:
                encoders[title] = read_out_of_fold(labelled, encoder)
        write_part(folder / f"{name}.json", losses_of(labelled, crf, encoders))


def write_part(path: Path, found: dict[str, Any]) -> None:
    path.write_text(json.dumps(found))
    print(f"   {path.stem}: {json.dumps(found)}", flush=True)


def combine(folder: Path) -> dict[str, Any]:
    """Put together what was kept: each form's T over that of the linear form with the same background."""
    parts = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}

    def over(part: dict[str, Any], reduce: Callable[[str], float]) -> dict[str, float]:
        return {title: round(reduce(title) / reduce(LINEAR), 3) for title in part["T"]}

    corpora = {}
    for name, part in parts.items():
        splits = {
            title: [round(t / part["T"][LINEAR][i], 3) for i, t in enumerate(losses)]
            for title, losses in part["T"].items()
        }
        corpora[name] = {
            "words": part["words"],
            "names": part["names"],
            "T of the linear form": round(statistics.mean(part["T"][LINEAR])),
            "over_linear": over(part, lambda title, of=part["T"]: sum(of[title])),  # type: ignore[misc]
            "over_linear_on_each_split": splits,
        }
    titles = dict.fromkeys(title for part in parts.values() for title in part["T"])
    have = {t: {n: c["over_linear"][t] for n, c in corpora.items() if t in c["over_linear"]} for t in titles}  # fmt: skip
    base = f"{SHIPPED}: mean of three"
    return {
        "ratio": RATIO,
        "splits": SPLITS,
        "background_words_of_each_other_corpus": BACKGROUND,
        "device": "cpu",
        "tuning": "two",
        "corpora": corpora,
        "geometric_mean": {
            title: {
                "corpora": len(values),
                "over_linear": round(statistics.geometric_mean(values.values()), 3),
                "over_shipped": round(
                    statistics.geometric_mean(v / have[base][n] for n, v in values.items()), 3
                ),
                "most_over_shipped": round(max(v / have[base][n] for n, v in values.items()), 3),
            }
            for title, values in have.items()
        },
    }


def run() -> dict[str, Any]:
    from sfumato.engines.text.learners.encoder.folder import default_folder, missing_packages

    if data_folder() is None:
        return {"skipped": "the folder with real data is not there"}
    if missing_packages() or default_folder() is None:
        return {"skipped": "the extra `encoder` or its weights are not installed"}
    folder = Path(__file__).resolve().parent.parent / "build" / "encoder_background"
    for group in GROUPS:
        keep(group, folder)
    return combine(folder)


if __name__ == "__main__":
    if sys.argv[1] == "combine":
        print(write_results("encoder_background", combine(Path(sys.argv[2]))))
    elif sys.argv[1] == "later":
        before = json.loads((RESULTS / "encoder_background.json").read_text(encoding="utf-8"))
        print(
            write_results(
                "encoder_background", {**before, "later": losses_later(Path(sys.argv[2]))}
            )
        )
    else:
        keep(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
