"""What attackers find: the papers' figures on five corpora, the bounds, background on both sides.

The study goes on where it stopped (build/text_study). Every figure is of documents that the publisher
had not seen: four folds by document, their releases put together and attacked as one.
"""

from __future__ import annotations

import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._common import ROOT, data_folder
from sfumato.core.files import read_json, write_json
from sfumato.core.randomness import Streams
from sfumato.data.document import Document
from sfumato.engines.text.attack.attacker import AttackedRelease, attack
from sfumato.engines.text.attack.bounds import certificate
from sfumato.engines.text.attack.contextual import (
    contextual_redactions,
    find_associated_words,
    infer_identifiers,
)
from sfumato.engines.text.attack.inspection import Confusion, InspectionResult
from sfumato.engines.text.reading.background import read_background
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.labelled import Labelled
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.sanitize.greedy import GreedySanitize
from sfumato.laboratory.text.corpora import StudyPlan
from sfumato.laboratory.text.study import study

CORPORA = ("enron_emailcoref", "wikigold", "inlegalner_dev", "litbank", "meddocan_es")
RATIO = 10.0
FOLDS = 4


def _path(name: str) -> Path:
    folder = data_folder()
    assert folder is not None
    return folder / "text" / f"{name}.jsonl.gz"


def _names(name: str) -> list[Document]:
    documents, _ = read_background([_path(name)], ["NAME"])
    return documents


def _tokens(documents: list[Document]) -> tuple[TokenData, np.ndarray]:
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    labels = (labels_from_spans(documents, tokens, ["NAME"]) > 0).astype(np.uint8)
    return TokenData.of(tokens, vocabulary), labels


def with_background(name: str, keep: Path) -> dict[str, Any]:
    """Attack, with background, the releases of three publishers: literal, honest, honest + background."""
    path = keep / f"background.{name}.json"
    if path.exists():
        return read_json(path)
    started = time.thread_time()
    own = _names(name)
    others = [
        d
        for file in sorted(_path(name).parent.glob("*.jsonl.gz"))
        if file.name.split(".")[0] != name
        for d in _names(file.name.split(".")[0])
    ]
    fold = np.random.default_rng(0).permutation(np.arange(len(own)) % FOLDS)
    data, sensitive = _tokens([*own, *others])
    mine = np.arange(len(own) + len(others)) < len(own)
    releases = {
        p: np.zeros(len(data), np.bool_) for p in ("paper", "honest", "honest + background")
    }
    for k in range(FOLDS):
        held = np.zeros(len(mine), np.bool_)
        held[: len(own)] = fold == k
        unseen, _ = _tokens([d for d, f in zip(own, fold, strict=True) if f == k])
        place = held[data.document_of]
        train = [d for d, f in zip(own, fold, strict=True) if f != k]
        for publisher, redacted in releases.items():
            learned = [*train, *others] if publisher.endswith("background") else train
            tokens, labels = _tokens(learned)
            labelled = Labelled(
                tokens, labels.astype(np.int16), ("NAME",), np.arange(len(learned)) < len(train)
            )
            mode = "paper" if publisher == "paper" else "honest"
            made = GreedySanitize(mode=mode).fit(labelled, [RATIO])[RATIO]
            redacted[place] = made.classifiers.redactions(unseen) > 0
    words = data.counted & mine[data.document_of]
    result: dict[str, Any] = {"background_documents": len(others), "publishers": {}}
    known: dict[str, Any] = {}
    for publisher, redacted in releases.items():
        leaked = int((words & (sensitive != 0) & ~redacted).sum())
        wrong = int((words & (sensitive == 0) & redacted).sum())
        report = attack(
            AttackedRelease(data.redact(redacted), sensitive, mine),
            streams=Streams(0).child(name),
            known=known,
        )
        result["publishers"][publisher] = {
            "leaked": leaked, "false_positives": wrong, "total_loss": RATIO * leaked + wrong,
            "published": 1 - float((words & redacted).sum() / words.sum()),
            "attack": report.to_json(),
        }  # fmt: skip
    result["cpu_seconds"] = round(time.thread_time() - started, 1)
    write_json(path, result, force=True)
    return result


def _found(entry: dict[str, Any], attacker: str) -> float:
    return float(entry["attack"]["outside"]["learners"][attacker]["ranked"]["100"])


def _background_summary(by_corpus: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Compare what the same background attacker finds in 100 words of the three releases."""
    rows = {}
    attackers = ("crf with background", "crf with background and release",
                 "crf on release, informed by background", "crf, mean of both")  # fmt: skip
    for corpus, content in by_corpus.items():
        rows[corpus] = {
            attacker: {p: _found(e, attacker) for p, e in content["publishers"].items()}
            for attacker in attackers
        }
        rows[corpus]["total_loss"] = {p: e["total_loss"] for p, e in content["publishers"].items()}
    ratios = {}
    for attacker in attackers:
        to_honest = [
            r[attacker]["honest + background"] / max(r[attacker]["honest"], 1)
            for r in rows.values()
        ]
        to_paper = [
            r[attacker]["honest + background"] / max(r[attacker]["paper"], 1) for r in rows.values()
        ]
        ratios[attacker] = {
            "median of honest + background over honest": statistics.median(to_honest),
            "median of honest + background over paper": statistics.median(to_paper),
        }
    return {"found_of_100": rows, "ratios": ratios}


def _headline(content: dict[str, Any]) -> dict[str, Any]:
    """At L/C = 10: attacker B ranked against the bound, A and the outsider beside it, by corpus."""
    rows: dict[str, Any] = {}
    for r in content["attack"]:
        if r["ratio"] == RATIO and r["way"] == "ranked" and r["budget"] in (100, 1000):
            entry = rows.setdefault(r["corpus"], {}).setdefault(r["publisher"], {})
            reading = entry.setdefault(r["reading"], {"attacker": r["attacker"]})
            reading[str(r["budget"])] = [r["found"], r["low"], r["high"]]
    bound = 1 / (1 + RATIO)
    kept = {
        corpus: {
            budget: {"share": v[0] / int(budget), "low": v[1] / int(budget),
                     "within": v[1] / int(budget) <= bound, "under": v[0] / int(budget) <= bound}
            for budget, v in by["honest"]["B"].items() if budget != "attacker"
        }
        for corpus, by in rows.items()
    }  # fmt: skip
    fifth = [
        by["honest"]["B"]["100"][0] / max(by["gs crf"]["B"]["100"][0], 1) for by in rows.values()
    ]
    return {"bound": bound, "honest_under_bound": kept,
            "median_of_honest_over_paper_at_100": statistics.median(fifth)}  # fmt: skip


def _bounds(content: dict[str, Any], keep: Path) -> dict[str, Any]:
    """Every bound at L/C = 10 for the literal and the honest release."""
    found: dict[str, Any] = {}
    sizes = {c["corpus"]: c for c in content["corpora"]}
    for r in content["attack"]:
        if not (r["ratio"] == RATIO and r["reading"] == "B" and r["way"] == "ranked"
                and r["budget"] == 100 and r["publisher"] in ("gs crf", "honest")):  # fmt: skip
            continue
        size = sizes[r["corpus"]]
        attacked = Confusion(r["tp"], r["fp"], r["fn"], r["tn"])
        found.setdefault(r["corpus"], {})[r["publisher"]] = certificate(
            attack=attacked, ratio=RATIO, budget=max(100, attacked.positives),
            words=size["words"], sensitive=size["sensitive"],
            train=_last(keep, r["corpus"]) if r["publisher"] == "gs crf" else None,
            dimension=30 * size["words"],  # features of a linear classifier, of that order
            ranked={100: InspectionResult(r["found"], r["low"], r["high"])},
        ).to_json()  # fmt: skip
    return found


def _last(keep: Path, corpus: str) -> Confusion:
    """Add up, over the folds, the counts of the classifier that ended the rounds."""
    from sfumato.laboratory.text.corpora import load_fold

    total = Confusion(0, 0, 0, 0)
    for part in sorted((keep / "parts").glob(f"{corpus}.fold*.npz")):
        total = total + Confusion(**load_fold(part)[0]["last"][f"gs crf {RATIO:g}"])
    return total


def context(name: str) -> dict[str, Any]:
    """The inference attack before and after the associated words are removed."""
    data, sensitive = _tokens(_names(name))
    known = np.random.default_rng(0).random(data.documents) < 0.75
    removed = sensitive != 0
    found = find_associated_words(data, sensitive, documents=known)
    more = contextual_redactions(data, removed, found)
    words = data.counted & ~known[data.document_of]

    def guessed(gone: np.ndarray) -> dict[str, Any]:
        return infer_identifiers(
            data, sensitive, gone, known=known, attacked=~known,
            generator=Streams(0).generator("context"),
        ).to_json()  # fmt: skip

    return {
        "pairs_tested": found.tested,
        "pairs_associated": len(found),
        "share_of_words_removed": float((words & more).sum() / words.sum()),
        "before": guessed(removed),
        "after": guessed(removed | more),
    }


def run(names: tuple[str, ...] = CORPORA) -> dict[str, Any]:
    if data_folder() is None:
        return {"skipped": "the folder with real data was not found"}
    keep = ROOT / "build" / "text_study"
    keep.parent.mkdir(exist_ok=True)
    started, cpu = time.perf_counter(), time.process_time()

    def tell(_steps: int, note: str) -> None:
        print(f"   {time.perf_counter() - started:6.0f} s  {note}", flush=True)

    content = study(
        [_path(name) for name in names], keep, plan=StudyPlan(), threads=2, progress=tell
    )
    seconds = {
        "wall": round(time.perf_counter() - started),
        "cpu": round(time.process_time() - cpu),
    }
    background = {}
    with ThreadPoolExecutor(2) as pool:
        for name, found in zip(
            names, pool.map(lambda n: with_background(n, keep), names), strict=True
        ):
            background[name] = found
            tell(1, f"{name}, background")
    return {
        "study": {"seconds_of_this_run": seconds, "plan": content["plan"],
                  "corpora": content["corpora"]},
        "publish": _lines(_averaged(content), "corpus publisher ratio rounds published leaked "
                          "false_positives total_loss"),
        "found_of_100": _lines(_found_of_100(content), "corpus publisher reading attacker tp ranked low "
                               "high positives_first"),
        "headline": _headline(content),
        "bounds": _verdicts(_bounds(content, keep)),
        "background": _background_summary(background),
        "context": {name: context(name) for name in names},
    }  # fmt: skip


def _lines(rows: list[dict[str, Any]], columns: str) -> dict[str, Any]:
    """Keep rows as one line of text each: what the docs cite, small enough for a repository."""

    def cell(value: object) -> str:
        return f"{value:.4g}" if isinstance(value, float) else str(value)

    names = columns.split()
    return {"columns": columns, "rows": [";".join(cell(r[c]) for c in names) for r in rows]}


def _found_of_100(content: dict[str, Any]) -> list[dict[str, Any]]:
    """What each attacker finds in 100 words at L/C = 10, ranked and positives first."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for r in content["attack"]:
        if r["ratio"] != RATIO or r["budget"] != 100:
            continue
        row = found.setdefault((r["corpus"], r["publisher"], r["reading"]), dict(r))
        if r["way"] == "ranked":
            row |= {"ranked": r["found"], "low": r["low"], "high": r["high"]}
        elif r["way"] == "unordered":
            row["positives_first"] = r["found"]
    return [row for row in found.values() if "ranked" in row and "positives_first" in row]


def _verdicts(bounds: dict[str, Any]) -> dict[str, Any]:
    """Keep of each bound its value and whether it applies and says anything."""

    def kept(certified: dict[str, Any]) -> dict[str, Any]:
        return {
            name: ";".join(f"{k}={bound[k]}" for k in ("value", "applies", "vacuous"))
            for name, bound in certified.items()
            if isinstance(bound, dict) and "applies" in bound
        }

    return {
        corpus: {publisher: kept(certified) for publisher, certified in by.items()}
        for corpus, by in bounds.items()
    }


def _averaged(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Sum counts and average rates over the folds."""
    groups: dict[tuple[str, str, float], list[dict[str, Any]]] = {}
    for r in content["publish"]:
        groups.setdefault((r["corpus"], r["publisher"], r["ratio"]), []).append(r)
    return [
        {"corpus": c, "publisher": p, "ratio": x,
         "rounds": statistics.mean(r["rounds"] for r in rows),
         "published": statistics.mean(r["published"] for r in rows),
         **{k: sum(r[k] for r in rows) for k in ("leaked", "false_positives", "total_loss")}}
        for (c, p, x), rows in groups.items()
    ]  # fmt: skip


if __name__ == "__main__":
    from benchmarks._common import write_results

    print(write_results("text_study", run(tuple(sys.argv[1:]) or CORPORA)))
