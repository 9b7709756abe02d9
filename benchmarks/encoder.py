"""A pretrained encoder for both players: what the publisher gains, and what the attacker finds.

Four folds by document, person names sensitive, L/C = 10. The publisher learns from the training folds
alone and takes its own decisions inside them; every figure is summed over the four test folds. The
attack table sets linear and encoder attackers against releases of the literal algorithm, of the honest
publisher, and of that publisher with background and with an encoder.

`python -m benchmarks encoder` runs everything, corpus by corpus: hours on two cores, minutes on a GPU.
`python -m benchmarks.encoder publish|attack|student|speed CORPUS FOLDER` runs one part of it, and
`python -m benchmarks.encoder combine FOLDER` puts parts together.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._common import data_folder, write_results
from benchmarks.text import FOLDS, Sums, folds_of, prepared, read
from sfumato.core.randomness import Streams
from sfumato.engines.text.attack.attacker import AttackedRelease, AttackReport, attack
from sfumato.engines.text.attack.inspection import inspect
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.labelled import Labelled
from sfumato.engines.text.reading.tokens import Vocabulary, tokenize
from sfumato.engines.text.redaction.compiled import compile_candidate
from sfumato.engines.text.sanitize.classifiers import ClassifierSet
from sfumato.engines.text.sanitize.cross_fit import CrossFitSearch
from sfumato.engines.text.sanitize.greedy import GreedySanitize
from sfumato.engines.text.sanitize.stacking import encoded
from sfumato.engines.text.sanitize.stacking.second_look import passages

RATIO = 10.0
BOUND = 1 / (1 + RATIO)
RARE = 0.04  # the share of names under which a second look should be nearly free
MEAN = "CRF + encoder + CRF that sees it"
CITED = (
    "today", "today, alone", "chosen", "form: encoder", f"form: {MEAN}", "form: second look",
)  # fmt: skip
SMALL = 20_000  # words to time a classifier on
LARGEST = int(os.environ.get("SFUMATO_BENCH_WORDS", "0"))  # of a corpus; 0: all of it
TWINS = {  # the same visits twice: no background for each other
    "aci_bench_notes": "aci_bench_dialogues",
    "aci_bench_dialogues": "aci_bench_notes",
}


def _encoder(tuning: str) -> Any:
    from sfumato.engines.text.learners.encoder.learner import Encoder

    return Encoder.named(os.environ.get("SFUMATO_BENCH_ENCODER", "default"), tuning=tuning)


def _corpora() -> list[str]:
    folder = data_folder()
    assert folder is not None
    return sorted(path.name.split(".")[0] for path in (folder / "text").glob("*.jsonl.gz"))


def _read(name: str) -> list[Any]:
    folder = data_folder()
    assert folder is not None
    documents = read(folder, name)
    if not LARGEST:
        return documents
    order = Streams(0).generator("benchmark words").permutation(len(documents))
    size = np.cumsum([len(documents[i].text.split()) for i in order])
    chosen = np.sort(order[: int(np.searchsorted(size, LARGEST)) + 1])
    return [documents[i] for i in chosen]


def _others(name: str) -> list[Any]:
    away = {name, TWINS.get(name)}
    return [d for other in _corpora() if other not in away for d in _read(other)]


class _OnePerCorpus:
    """The encoder of the background, learned once for the four test folds: it is the same in all."""

    def __init__(self) -> None:
        self.kept: Any = None
        self.learn = encoded.learn_from_background

    def __call__(self, encoder: Any, whole: Labelled, streams: Streams) -> Any:
        if self.kept is None:
            self.kept = self.learn(encoder, whole, streams)
        return self.kept


def _rate(candidate: ClassifierSet, texts: list[str]) -> float:
    """Words per second of a candidate's decisions, on one thread of Python."""
    decider = compile_candidate(candidate)
    vocabulary = Vocabulary()
    sample, size = [], 0
    for text in texts:
        if size < SMALL:
            sample.append(text)
            size += len(text.split())
    new = TokenData.of(tokenize(sample, vocabulary), vocabulary, candidate.knowledge)
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        decider.decide(new)
        best = min(best, time.perf_counter() - start)
    return round(float(new.counted.sum() / best))


def publish(name: str, tuning: str, *, background: bool) -> Iterator[dict[str, Any]]:
    """Every form of the publisher on one corpus, with its loss on documents that it has not seen.

    Yields what is known after each test fold.
    """
    documents = _read(name)
    others = _others(name) if background else []
    fold = folds_of(len(documents))
    sums: dict[str, Sums] = {}
    won: dict[str, int] = {}
    read_again, words_again = 0, 0
    rates: dict[str, float] = {}
    seconds = {"today": 0.0, "encoder": 0.0}
    shared = _OnePerCorpus()
    encoded.learn_from_background = shared  # type: ignore[assignment]
    for held_out in range(FOLDS):
        train = [d for d, f in zip(documents, fold, strict=True) if f != held_out]
        test = [d for d, f in zip(documents, fold, strict=True) if f == held_out]
        data, labels = prepared([*train, *others])
        own = np.arange(len(train) + len(others)) < len(train)
        labelled = Labelled(data, labels, ("NAME",), own)
        unseen, truth = prepared(test)

        def take(title: str, candidate: ClassifierSet, seen: tuple = (unseen, truth > 0)) -> None:
            redacted = candidate.redactions(seen[0]) > 0
            sums.setdefault(title, Sums()).add(redacted, seen[1], seen[0].counted)

        start = time.perf_counter()
        today = GreedySanitize().fit(labelled, (RATIO,))[RATIO]
        seconds["today"] += time.perf_counter() - start
        take("today", today.classifiers)
        alone = today
        if background:
            alone = GreedySanitize().fit(labelled.alone(), (RATIO,))[RATIO]
        take("today, alone", alone.classifiers)
        start = time.perf_counter()
        publisher = GreedySanitize(encoder=_encoder(tuning))
        search = CrossFitSearch(publisher.settings, labelled, np.zeros(len(data), np.bool_))
        chosen = search.run((RATIO,))[RATIO]
        seconds["encoder"] += time.perf_counter() - start
        take("chosen", chosen.classifiers)
        won[chosen.rounds[0].form] = won.get(chosen.rounds[0].form, 0) + 1
        for other in search.alternatives:
            take(other.way, other.classifiers)
        for form, candidate in search.by_form(RATIO).items():
            take(f"form: {form}", candidate)
            if form == "second look":
                first = candidate.classifiers[0]
                stage = next(s for s in first.stages if s.look is not None)
                answers = np.mean(
                    [_stage_scores(first, unseen, k) for k in stage.look.sources], axis=0
                )
                again = passages(unseen, answers, stage.look) & unseen.counted
                read_again += int(again.sum())
                words_again += int(unseen.counted.sum())
            if held_out == 0 and form in ("cost-sensitive pass", "CRF + encoder", "second look"):
                rates[form] = _rate(candidate, [d.text for d in test])
        print(
            f"   {name} {tuning} fold {held_out}: {time.perf_counter() - start:.0f} s", flush=True
        )
        yield _published(sums, won, rates, seconds, read_again / max(words_again, 1), held_out + 1)
    encoded.learn_from_background = shared.learn


def _published(
    sums: dict[str, Sums],
    won: dict[str, int],
    rates: dict[str, float],
    seconds: dict[str, float],
    reads: float,
    folds: int,
) -> dict[str, Any]:
    table = {title: found.row(RATIO) for title, found in sums.items()}
    names = sums["today"]
    return {
        "folds": folds,
        "words": names.words,
        "names_share": round((names.leaks + names.true_positives) / max(names.words, 1), 4),
        "rows": table,
        "forms_chosen": dict(won),
        "second_look_reads": round(reads, 4),
        "words_per_second": dict(rates),
        "seconds_per_fold": {k: round(v / folds, 1) for k, v in seconds.items()},
    }


def _stage_scores(classifier: Any, data: TokenData, number: int) -> np.ndarray:
    known: list[np.ndarray] = []
    for stage in classifier.stages[: number + 1]:
        known.append(stage.scores(data, known))
    return known[number]


def student(name: str, tuning: str, times: int) -> dict[str, Any]:
    """What a student keeps of the gain, with unlabelled text of so many times the labelled.

    All training documents are cut in two by chance: labelled ones, and others whose labels are not seen.
    """
    documents = _read(name)
    fold = folds_of(len(documents))
    random = Streams(0).generator("student")
    sums: dict[str, Sums] = {}
    rate = 0.0
    for held_out in range(FOLDS):
        train = [d for d, f in zip(documents, fold, strict=True) if f != held_out]
        test = [d for d, f in zip(documents, fold, strict=True) if f == held_out]
        mixed = [train[i] for i in random.permutation(len(train))]
        few = max(2, len(mixed) // (times + 1))
        data, labels = prepared(mixed[:few])
        both, _ = prepared(mixed)
        labelled = Labelled(data, labels, ("NAME",), np.ones(few, np.bool_))
        unseen, truth = prepared(test)
        publisher = GreedySanitize(encoder=_encoder(tuning), unlabelled=both)
        search = CrossFitSearch(publisher.settings, labelled, np.zeros(len(data), np.bool_))
        search.run((RATIO,))
        forms = search.by_form(RATIO)
        for form, candidate in forms.items():
            redacted = candidate.redactions(unseen) > 0
            sums.setdefault(form, Sums()).add(redacted, truth > 0, unseen.counted)
        rate = max(rate, _rate(forms["student + stack"], [d.text for d in mixed]))
        full, all_labels = prepared(mixed)
        every = Labelled(full, all_labels, ("NAME",), np.ones(len(mixed), np.bool_))
        labelled_all = GreedySanitize().fit(every, (RATIO,))[RATIO]
        redacted = labelled_all.classifiers.redactions(unseen) > 0
        sums.setdefault("all labelled", Sums()).add(redacted, truth > 0, unseen.counted)
    return {
        "rows": {title: found.row(RATIO) for title, found in sums.items()},
        "words_per_second": rate,
    }


def _encoder_range(report: AttackReport, target: AttackedRelease, seed: int) -> dict[str, float]:
    """What the best attacker with an encoder finds in 100 words, and the range printed for it."""
    best = max((a for a in report.attacks if "encoder" in a.learner), key=lambda a: a.found[100])
    seen = best.scores[target.instances]
    owner = (np.cumsum(target.documents) - 1)[target.data.document_of[target.instances]]
    found = inspect(
        seen, seen >= 0, target.sensitive[target.instances] != 0, owner,
        budgets=(100,), generator=Streams(seed).generator("ranges encoder"), replicates=400,
    ).ranked[100]  # fmt: skip
    return {"found": found.found, "low": found.low, "high": found.high}


def attacks(name: str, tuning: str, seeds: int = 3) -> Iterator[dict[str, Any]]:
    """What linear and encoder attackers find in 100 words of five releases of one corpus.

    Yields what is known after each seed of the attackers.
    """
    documents, others = _read(name), _others(name)
    data, labels = prepared([*documents, *others])
    own = np.arange(len(documents) + len(others)) < len(documents)
    informed = Labelled(data, labels, ("NAME",), own)
    alone = informed.alone()
    encoder = _encoder(tuning)

    def padded(mask: np.ndarray) -> np.ndarray:
        whole = np.zeros(len(data), np.bool_)
        whole[: len(mask)] = mask
        return whole

    releases = {
        "literal": GreedySanitize(mode="paper").held_out(alone, (RATIO,))[RATIO],
        "honest": GreedySanitize().fit(alone, (RATIO,))[RATIO].redacted,
        "honest + background": GreedySanitize().fit(informed, (RATIO,))[RATIO].redacted,
        "honest + encoder": GreedySanitize(encoder=encoder).fit(alone, (RATIO,))[RATIO].redacted,
        "honest + background + encoder": (
            GreedySanitize(encoder=encoder).fit(informed, (RATIO,))[RATIO].redacted
        ),
    }
    found: dict[str, Any] = {}
    for seed in range(seeds):
        known: dict[str, Any] = {}
        for release, redacted in releases.items():
            mask = padded(redacted)
            target = AttackedRelease(data.redact(mask), informed.sensitive, own)
            report = attack(
                target,
                streams=Streams(seed), learners=(CRF(),), budgets=(100, 1000), known=known,
                encoder=encoder,
            )  # fmt: skip
            entry = found.setdefault(release, {"left": report.left, "attackers": []})
            rows = {f"{a.reading}: {a.learner}": a.found[100] for a in report.attacks}
            headline = report.headline
            strongest = report.strongest
            entry["attackers"].append(
                {
                    "found": {k: round(v, 1) for k, v in rows.items()},
                    "strongest": None if strongest is None else strongest.learner,
                    "range": None if headline is None else [headline.low, headline.high],
                    "headline": None if headline is None else headline.found,
                    "encoder": _encoder_range(report, target, seed),
                }
            )
            print(f"   {name} seed {seed} {release}: {entry['attackers'][-1]}", flush=True)
        yield found


def speed(name: str, tuning: str, words: int = 100_000) -> dict[str, Any]:
    """What it costs to learn from so many words, out of fold included."""
    documents, size = [], 0
    for document in _read(name):
        if size < words:
            documents.append(document)
            size += len(document.text.split())
    data, labels = prepared(documents)
    labelled = Labelled(data, labels, ("NAME",), np.ones(len(documents), np.bool_))
    start, cpu = time.perf_counter(), time.process_time()
    marks: dict[str, float] = {}

    def tell(note: str) -> None:
        marks[note] = round(time.perf_counter() - start, 1)
        print(f"   {marks[note]:7.1f} s  {note}", flush=True)

    publisher = GreedySanitize(encoder=_encoder(tuning), progress=tell)
    published = publisher.fit(labelled, (RATIO,))[RATIO]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    texts = [d.text for d in documents]
    candidates = {"everywhere": published.classifiers}
    candidates |= {p.way: p.classifiers for p in publisher.alternatives}
    return {
        "words": int(data.counted.sum()),
        "form": published.rounds[0].form,
        "seconds": round(time.perf_counter() - start, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
        "started_at": marks,
        "peak_gib": round(peak, 2),
        "cores": len(os.sched_getaffinity(0)),
        "words_per_second": {k: _rate(c, texts) for k, c in candidates.items()},
    }


def _over(rows: dict[str, Any], title: str, base: float) -> float:
    return round(rows[title]["T"] / max(base, 1), 3)


def _published_summary(corpora: dict[str, Any], part: str) -> dict[str, Any]:
    """Each publisher over today's honest one, which has neither background nor an encoder."""
    rows = {n: c[part]["rows"] for n, c in corpora.items() if part in c}
    today = {n: r.get("today, alone", r["today"])["T"] for n, r in rows.items()}
    found: dict[str, Any] = {"corpora": len(rows)}
    for title in next(iter(rows.values())):
        if not all(title in r for r in rows.values()):
            continue  # a way that stands beside an encoder's form only where that won
        over = {n: _over(r, title, today[n]) for n, r in rows.items()}
        found[title] = {
            "median": round(statistics.median(over.values()), 3),
            "most": max(over.values()),
        }
    kept = {}
    for n, r in rows.items():
        linear, best = r["today"]["T"], r["form: CRF + encoder"]["T"]
        if linear > best:
            gain = round((linear - r["form: second look"]["T"]) / (linear - best), 2)
            c = corpora[n][part]
            kept[n] = {"of_gain": gain, "reads": c["second_look_reads"], "names": c["names_share"]}
    rare = [k["of_gain"] for k in kept.values() if k["names"] < RARE]
    found["second_look_kept"] = {n: k["of_gain"] for n, k in kept.items()}
    found["second_look_kept_median"] = statistics.median(k["of_gain"] for k in kept.values())
    found["second_look_kept_where_names_are_rare"] = statistics.median(rare)
    return found


def _attack_summary(table: dict[str, Any]) -> dict[str, Any]:
    """What is found in the first 100 words: by the strongest of all, by linear attackers, by encoders.

    A corpus counts with its mean over the seeds of the attackers; `most` is over corpora and seeds.
    `inside` is how often what the best attacker with an encoder finds with one seed lies in the range
    printed for it with another.
    """
    found: dict[str, Any] = {"bound_per_100": round(100 * BOUND, 1)}
    for title, word in (("strongest", ""), ("linear", "crf"), ("encoder", "encoder")):
        by = {n: {r: _most(e, word) for r, e in c.items()} for n, c in table.items()}
        releases = next(iter(by.values()))
        mean = {r: [statistics.mean(c[r]) for c in by.values()] for r in releases}
        found[title] = {
            "median": {r: round(statistics.median(values), 1) for r, values in mean.items()},
            "most": {r: max(max(c[r]) for c in by.values()) for r in releases},
        }
    inside = [
        one["encoder"]["low"] <= other["encoder"]["found"] <= one["encoder"]["high"]
        for corpus in table.values()
        for entry in corpus.values()
        for one in entry["attackers"]
        for other in entry["attackers"]
        if one is not other
    ]
    found["inside"] = {"share": round(statistics.mean(inside), 3), "pairs": len(inside)}
    return found


def _most(entry: dict[str, Any], word: str) -> list[float]:
    """What the best attacker of a kind finds, by seed."""
    return [max(v for k, v in seed["found"].items() if word in k) for seed in entry["attackers"]]


def _student_summary(table: dict[str, Any]) -> dict[str, Any]:
    """What of the encoder's gain over the CRF a student keeps, by how much text is unlabelled."""
    found: dict[str, Any] = {}
    for key, content in table.items():
        name, times = key.split("--")
        loss = {k: v["T"] for k, v in content["rows"].items()}
        linear, best = loss["pass + stack"], loss[MEAN]
        kept = (linear - loss["student + stack"]) / max(1, linear - best)
        entry = found.setdefault(times, {"kept": {}, "words_per_second": {}})
        entry["kept"][name] = round(kept, 2)
        entry["words_per_second"][name] = content["words_per_second"]
    for entry in found.values():
        entry["kept_median"] = statistics.median(entry["kept"].values())
        entry["words_per_second_median"] = statistics.median(entry.pop("words_per_second").values())
    return found


def summary(parts: dict[str, Any]) -> dict[str, Any]:
    """The figures that the targets are about."""
    found: dict[str, Any] = {}
    for tuning, corpora in parts.get("publish", {}).items():
        for part in ("alone", "with_background"):
            if any(part in c for c in corpora.values()):
                found[f"{tuning}, {part}"] = _published_summary(corpora, part)
    if "attack" in parts:
        found["attack"] = _attack_summary(parts["attack"])
    if "student" in parts:
        found["student"] = _student_summary(parts["student"])
    return found


def _published_table(part: dict[str, Any]) -> dict[str, Any]:
    """Keep of one publisher on one corpus what the documentation cites."""
    rows = part["rows"]
    return {
        **{k: part[k] for k in ("names_share", "forms_chosen")},
        "second_look_reads": part["second_look_reads"],
        "T": {title: round(rows[title]["T"]) for title in CITED if title in rows},
        "leaks": {title: rows[title]["leaks"] for title in ("today", "chosen")},
        "f1": {title: round(rows[title]["f1"], 3) for title in ("today", "chosen")},
    }


def _attacked_table(entry: dict[str, Any]) -> dict[str, Any]:
    """Keep of the attacks on one release what each kind of attacker finds, by seed."""
    ranges = (seed["encoder"] for seed in entry["attackers"])
    return {
        "left": entry["left"],
        "linear": " ".join(f"{v:g}" for v in _most(entry, "crf")),
        "encoder": " ".join(f"{v:g}" for v in _most(entry, "encoder")),
        "range_of_encoder": " ".join(f"{r['low']:.0f}-{r['high']:.0f}" for r in ranges),
    }


def combine(folder: Path) -> dict[str, Any]:
    """Put the parts of a folder together, and keep what the documentation cites.

    A file that is named by its kind alone is kept as it is; `how.txt` says how the parts were measured.
    """
    parts: dict[str, Any] = {}
    for path in sorted(folder.glob("*.json")):
        kind, *rest = path.stem.split("--")
        if kind == "publish":
            name, tuning, background = rest
            target = parts.setdefault("publish", {}).setdefault(tuning, {}).setdefault(name, {})
            target[background] = json.loads(path.read_text())
        elif not rest:
            parts[kind] = json.loads(path.read_text())
        else:
            parts.setdefault(kind, {})["--".join(rest)] = json.loads(path.read_text())
    notes = folder / "how.txt"
    found = {
        "folds": FOLDS,
        "ratio": RATIO,
        **({"how": notes.read_text()} if notes.exists() else {}),
        "summary": summary(parts),
        **parts,
    }
    found["publish"] = {
        tuning: {
            name: {title: _published_table(part) for title, part in corpus.items()}
            for name, corpus in corpora.items()
        }
        for tuning, corpora in parts.get("publish", {}).items()
    }
    found["attack"] = {
        name: {release: _attacked_table(entry) for release, entry in corpus.items()}
        for name, corpus in parts.get("attack", {}).items()
    }
    found["speed"] = {
        title: {key: value for key, value in part.items() if key != "started_at"}
        for title, part in parts.get("speed", {}).items()
    }
    found.pop("student", None)  # the summary has what is cited
    return found


def one(kind: str, name: str, folder: Path, *options: str) -> None:
    """Run one part and leave its results in a folder."""
    folder.mkdir(parents=True, exist_ok=True)

    def keep(title: str, content: dict[str, Any]) -> None:
        (folder / f"{title}.json").write_text(json.dumps(content))

    tuning = options[0] if options else "two"
    if kind == "publish":
        for part in options[1:] or ("alone", "with_background"):
            for found in publish(name, tuning, background=part == "with_background"):
                keep(f"publish--{name}--{tuning}--{part}", found)
    elif kind == "attack":
        for found in attacks(name, tuning):
            keep(f"attack--{name}", found)
    elif kind == "student":
        for times in map(int, options[1:] or (0, 1, 10)):
            keep(f"student--{name}--{times}", student(name, tuning, times))
    elif kind == "speed":
        keep(f"speed--{name}--{tuning}", speed(name, tuning))


def run() -> dict[str, Any]:
    from sfumato.engines.text.learners.encoder.folder import default_folder, missing_packages

    if data_folder() is None:
        return {"skipped": "the folder with real data is not there"}
    if missing_packages() or default_folder() is None:
        return {"skipped": "the extra `encoder` is not installed"}
    folder = Path(__file__).resolve().parent.parent / "build" / "encoder"
    for kind in ("publish", "attack", "student"):
        for name in _corpora():
            one(kind, name, folder)
    one("speed", "litbank", folder, "two")
    one("speed", "litbank", folder, "head")
    return combine(folder)


if __name__ == "__main__":
    if sys.argv[1] == "combine":
        print(write_results("encoder", combine(Path(sys.argv[2]))))
    else:
        one(sys.argv[1], sys.argv[2], Path(sys.argv[3]), *sys.argv[4:])
