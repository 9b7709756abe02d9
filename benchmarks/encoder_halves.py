"""The encoder on halves of documents that nobody has seen: what was promised, and what is left there.

Each corpus is dealt into two halves. A publisher with an encoder learns from one half, person names sensitive, L/C = 10;
every form, and the one that was chosen, is measured on the other half beside the linear publisher of the same run. With
background, the other corpora are labelled text of other kinds, a sample of each; attackers with the same background, linear
and with an encoder, then inspect what was published of the half that was learned from. A GPU is advisable.

`python -m benchmarks encoder_halves` runs the corpora of `CORPORA`;
`python -m benchmarks.encoder_halves CORPUS WAY SEED FOLDER [two|all] [background]` runs one half of one, and
`python -m benchmarks.encoder_halves combine FOLDER` puts such parts together. A stored run can be read again without a GPU:
`python -m benchmarks.encoder_halves replay` says what the shipped rule would have chosen on the runs of the results, and
`python -m benchmarks.encoder_halves gains CORPUS WAY SEED` measures, and adds, by how much two layers are ahead of the
linear publisher on the half that is learned from, where a run did not store it.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._common import RESULTS, data_folder, write_results
from benchmarks._halves_replay import MEAN, replay
from benchmarks.calibration import sample
from benchmarks.encoder import TWINS, _corpora, _encoder
from benchmarks.text import prepared, read
from sfumato.core.randomness import Streams
from sfumato.engines.text.attack.attacker import AttackedRelease, attack
from sfumato.engines.text.frontier.judge import Judge
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.reading.labelled import Labelled
from sfumato.engines.text.sanitize.cross_fit import CrossFitSearch, _RatioRun
from sfumato.engines.text.sanitize.greedy import GreedySanitize

RATIO = 10.0
CORPORA = ("gum_ccby", "enron_emailcoref", "wikigold")
SEEDS = 2
BACKGROUND = 15_000  # words of each other corpus


def others(name: str, seed: int) -> list[Any]:
    """Return documents of the other corpora, the same share of words of each."""
    folder = data_folder()
    assert folder is not None
    drawn = []
    for other in _corpora():
        if other not in (name, TWINS.get(name)):
            documents = read(folder, other)
            order = Streams(seed).generator(f"background {other}").permutation(len(documents))
            words = np.cumsum([len(documents[i].text.split()) for i in order])
            drawn += [documents[i] for i in order[: int(np.searchsorted(words, BACKGROUND)) + 1]]
    return drawn


def found_by_attackers(whole: Labelled, redacted: np.ndarray, seed: int) -> dict[str, float]:
    """Return what the best attacker of each kind finds in 100 words of what was published."""
    mask = np.zeros(len(whole.data), np.bool_)
    mask[: len(redacted)] = redacted
    report = attack(
        AttackedRelease(whole.data.redact(mask), whole.sensitive, whole.own),
        streams=Streams(seed), learners=(CRF(),), budgets=(100,), known={}, encoder=_encoder("two"),
    )  # fmt: skip
    found: dict[str, float] = {"linear": 0.0, "encoder": 0.0}
    for one in report.attacks:
        kind = "encoder" if "encoder" in one.learner else "linear"
        found[kind] = max(found[kind], round(one.found[100], 1))
    return found


def labelled_half(own: list[Any], known: list[Any]) -> Labelled:
    data, labels = prepared([*own, *known])
    return Labelled(data, labels, ("NAME",), np.arange(data.documents) < len(own))


def gains(name: str, way: int, seed: int) -> dict[str, Any]:
    """Return by how much two layers are ahead of the linear publisher out of fold, without background."""
    folder = data_folder()
    assert folder is not None
    labelled = labelled_half(sample(read(folder, name), seed)[way], [])
    settings = GreedySanitize(encoder=_encoder("two"), seed=seed).settings
    search = CrossFitSearch(settings, labelled, np.zeros(len(labelled.data), np.bool_))
    contest, ratio = search._first_round((RATIO,)), _RatioRun(search, RATIO)  # noqa: SLF001
    compete = partial(search._competition, ratio, live=search._live(ratio))  # noqa: SLF001
    stands = compete(contest.of_way("", encoder=False).scores()).winner()
    judged = compete(contest.scores(), again=contest.scores_again())
    (form,) = (form for form in judged.entries if form.name == MEAN)
    errors, spreads = judged.margins(form, stands)
    return {
        "errors_gained": round(errors, 2),
        "spreads_gained_on_halves": round(spreads, 2),
        "measured_on": "CPU, one seed",
    }


def half(
    name: str, way: int, seed: int, *, tuning: str = "all", background: bool = False
) -> dict[str, Any]:
    """Learn from one half, measure on the other."""
    folder = data_folder()
    assert folder is not None
    halves = sample(read(folder, name), seed)
    known = others(name, seed) if background else []
    labelled = labelled_half(halves[way], known)
    data = labelled.data
    unseen, truth = prepared(halves[1 - way])
    words, names = unseen.counted, unseen.counted & (truth > 0)

    def measured(classifiers: Any) -> tuple[float, float]:
        redacted = classifiers.redactions(unseen) > 0
        leaks = int((names & ~redacted).sum())
        return RATIO * leaks + int((words & ~names & redacted).sum()), leaks / int(names.sum())

    start = time.perf_counter()
    publisher = GreedySanitize(encoder=_encoder(tuning), seed=seed)
    search = CrossFitSearch(publisher.settings, labelled, np.zeros(len(data), np.bool_))
    chosen = search.run((RATIO,))[RATIO]
    seconds = time.perf_counter() - start
    judge = Judge(
        labelled, weights={}, attackers=(), budgets=(100,), streams=Streams(seed),
        progress=lambda _: None, batch=unseen.documents,
    )  # fmt: skip
    risk, _ = judge.measures(chosen.redacted, chosen.redacted_by_seed)
    assert risk.interval is not None
    total, left = measured(chosen.classifiers)
    scale = int(names.sum()) / int(judge.sensitive.sum())
    forms = {title: measured(found)[0] for title, found in search.by_form(RATIO).items()}
    linear = [p for p in search.alternatives if p.way == "linear"] or [chosen]
    return {
        "words": int(words.sum()),
        "names": int(names.sum()),
        "form": chosen.rounds[0].form,
        "promised": round(chosen.total_loss * scale),
        "promised_by_seed": [round(t * scale) for t in chosen.rounds[0].by_seed],
        "promised_by_form": {k: round(v * scale) for k, v in chosen.rounds[0].forms.items()},
        "measured": total,
        "measured_linear": measured(linear[0].classifiers)[0],
        "measured_by_form": forms,
        "share_left": round(left, 4),
        "share_left_range": [round(risk.interval.low, 4), round(risk.interval.high, 4)],
        "upper_end_holds": bool(left <= risk.interval.high),
        "attackers_found": found_by_attackers(labelled, chosen.redacted, seed)
        if background
        else None,
        "seconds": round(seconds),
    }


def summary(parts: dict[str, dict[str, Any]]) -> dict[str, Any]:
    over = {title: part["measured"] / part["measured_linear"] for title, part in parts.items()}
    by_form = {
        form: [
            part["measured_by_form"][form] / part["measured_linear"]
            for part in parts.values()
            if form in part["measured_by_form"]
        ]
        for form in (MEAN, f"{MEAN}, all layers")
    }
    attacked = [p["attackers_found"] for p in parts.values() if p.get("attackers_found")]
    strongest = [max(found.values()) for found in attacked]
    return {
        "chosen_over_linear": {k: round(v, 3) for k, v in over.items()},
        "median_over_linear": round(statistics.median(over.values()), 3),
        "worst_over_linear": round(max(over.values()), 3),
        "worst_of_form_over_linear": {
            form: round(max(found), 3) for form, found in by_form.items() if found
        },
        "attackers_find_in_100_words": {
            "median": statistics.median(strongest),
            "most": max(strongest),
        }
        if strongest
        else None,
        "upper_ends_held": round(statistics.mean(p["upper_end_holds"] for p in parts.values()), 3),
        "halves": len(parts),
    }


def combine(folder: Path) -> dict[str, Any]:
    parts = {p.stem: json.loads(p.read_text()) for p in sorted(folder.glob("*.json"))}
    kinds: dict[str, dict[str, Any]] = {}
    for title, part in parts.items():
        kinds.setdefault(title.split("--", 3)[3], {})[title] = part
    return {
        "ratio": RATIO,
        "background_words_of_each_other_corpus": BACKGROUND,
        "summary": {kind: summary(own) for kind, own in kinds.items()},
        "parts": parts,
    }


def one(
    name: str, way: int, seed: int, folder: Path, tuning: str = "all", background: str = ""
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    found = half(name, way, seed, tuning=tuning, background=bool(background))
    title = f"{name}--{way}--{seed}--{tuning}{', background' if background else ''}"
    (folder / f"{title}.json").write_text(json.dumps(found))
    print(f"   {title}: {json.dumps(found)}", flush=True)


def run() -> dict[str, Any]:
    from sfumato.engines.text.learners.encoder.folder import default_folder, missing_packages

    if data_folder() is None:
        return {"skipped": "the folder with real data is not there"}
    if missing_packages() or default_folder() is None:
        return {"skipped": "the extra `encoder` or its weights are not installed"}
    folder = Path(__file__).resolve().parent.parent / "build" / "encoder_halves"
    for name in CORPORA:
        for way in (0, 1):
            for seed in range(SEEDS):
                one(name, way, seed, folder)
    return combine(folder)


def rewrite(stored: dict[str, Any]) -> Path:
    """Write the results again with the replay; versions and machine stay those of the runs."""
    return write_results("encoder_halves", {**stored, "replayed": replay(stored["parts"])})


def add_gains(name: str, way: int, seed: int) -> None:
    """Measure the gains of one half out of fold, and write the results again with them."""
    found = gains(name, way, seed)
    print(f"   {name}--{way}--{seed}--two: {json.dumps(found)}", flush=True)
    stored = json.loads((RESULTS / "encoder_halves.json").read_text())
    stored["parts"][f"{name}--{way}--{seed}--two"]["two_layers_over_linear"] = found
    rewrite(stored)


if __name__ == "__main__":
    if sys.argv[1] == "combine":
        print(write_results("encoder_halves", combine(Path(sys.argv[2]))))
    elif sys.argv[1] == "replay":
        print(rewrite(json.loads((RESULTS / "encoder_halves.json").read_text())))
    elif sys.argv[1] == "gains":
        add_gains(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        one(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]), *sys.argv[5:])
