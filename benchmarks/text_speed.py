"""How fast the text engine learns and publishes, side by side with python-crfsuite on one core.

Times are CPU times of the working thread, the best of several; two threads are compared by wall time.
Both sides get the same tokens and the same kinds of features. `python -m benchmarks.text_speed WORDS`
publishes so many words in a process of its own and prints time and peak memory.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._common import ROOT, best_of, data_folder
from sfumato.compute.local import Local
from sfumato.core.randomness import Streams
from sfumato.data.document import Document, Span
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.redaction.sanitiser import Sanitiser, batches
from sfumato.engines.text.sanitize.models import load_candidates, save_candidates
from sfumato.text import explore

CORPORA = ("litbank", "wikigold", "inlegalner_dev", "wnut17", "meddocan_es")
GROWTH = (1_000_000, 4_000_000, 16_000_000)
ITERATIONS = 60


def corpus(name: str) -> list[Document]:
    folder = data_folder()
    assert folder is not None
    documents = []
    with gzip.open(folder / "text" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            record = json.loads(line)
            spans = [Span(s["start"], s["end"], s["label"]) for s in record["spans"]]
            documents.append(Document(record["id"], record["text"], spans))
    return documents


def words_of(documents: list[Document]) -> int:
    """Words as people count them: between white space."""
    return sum(len(d.text.split()) for d in documents)


# --- the same features, as strings ---------------------------------------------------------------


def _shape(word: str) -> str:
    out = ""
    for c in word:
        s = "X" if c.isupper() else "x" if c.islower() else "0" if c.isdigit() else c
        if not out.endswith(s * 3):
            out += s
    return out


def string_features(words: list[str]) -> list[list[str]]:
    """Word, lower, shape, affixes, length, flags, neighbours and conjunctions, as strings."""
    lower = [w.lower() for w in words]
    shape = [_shape(w) for w in words]
    n = len(words)
    out = []
    for i, w in enumerate(words):
        low = lower[i]
        b, a = (lower[i - 1], shape[i - 1]) if i else ("^", "^")
        c, d = (lower[i + 1], shape[i + 1]) if i + 1 < n else ("$", "$")
        features = ["w=" + w, "l=" + low, "s=" + shape[i], f"n={min(len(w), 12)}"]
        features += [f"p{k}={low[:k]}" for k in range(1, min(4, len(w)) + 1)]
        features += [f"e{k}={low[-k:]}" for k in range(1, min(4, len(w)) + 1)]
        features += [f"f={w[0].isupper()}{w.isupper()}{w.isdigit()}"]
        features += [
            "-1l=" + b,
            "-1s=" + a,
            "-1e=" + b[-3:],
            "+1l=" + c,
            "+1s=" + d,
            "+1e=" + c[-3:],
        ]
        if i > 1:
            features += ["-2l=" + lower[i - 2], "-2s=" + shape[i - 2]]
        if i + 2 < n:
            features += ["+2l=" + lower[i + 2], "+2s=" + shape[i + 2]]
        features += [f"j1={b}|{shape[i]}", f"j2={shape[i]}|{c}", f"j3={a}|{shape[i]}|{d}"]
        out.append(features)
    return out


def _sequences(documents: list[Document]) -> tuple[Any, list[list[str]], np.ndarray]:
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    words = vocabulary.words
    sequences = [
        [words[t] for t in tokens.type[tokens.doc[d] : tokens.doc[d + 1]].tolist()]
        for d in range(len(documents))
    ]
    return tokens, sequences, labels_from_spans(documents, tokens, ["NAME"])


def _f1(truth: np.ndarray, answer: np.ndarray) -> float:
    hit = np.count_nonzero((truth > 0) & answer)
    return float(2 * hit / max(1, np.count_nonzero(truth > 0) + np.count_nonzero(answer)))


# --- learning ------------------------------------------------------------------------------------


def training(name: str, theirs: Path) -> dict[str, Any]:
    """Learn from three quarters of the documents, raw text to model, and test on the rest.

    The model of python-crfsuite is left at the path `theirs`.
    """
    documents = corpus(name)
    order = Streams(0).generator("split").permutation(len(documents))
    test = [documents[i] for i in sorted(order[: len(order) // 4])]
    train = [documents[i] for i in sorted(order[len(order) // 4 :])]

    def ours() -> Any:
        vocabulary = Vocabulary()
        tokens = tokenize([d.text for d in train], vocabulary)
        labels = labels_from_spans(train, tokens, ["NAME"]).astype(np.uint8)
        return CRF().fit(TokenData.of(tokens, vocabulary), labels)

    ours()  # compile
    seconds, model = best_of(3, ours)
    vocabulary = Vocabulary()
    data = TokenData.of(tokenize([d.text for d in test], vocabulary), vocabulary)
    _, sequences, truth = _sequences(test)
    result = {
        "words": words_of(train),
        "sfumato_seconds": round(seconds, 3),
        "sfumato_f1": round(_f1(truth, model.scores(data) >= 0), 4),
    }
    if importlib.util.find_spec("pycrfsuite") is None:
        print("   python-crfsuite is not installed: its figures are left out.")
        return result
    import pycrfsuite

    start = time.thread_time()
    tokens, train_sequences, labels = _sequences(train)
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"max_iterations": ITERATIONS})
    tags = np.array(["O", "N"])[(labels > 0).astype(int)]
    for d, words in enumerate(train_sequences):
        if words:
            trainer.append(string_features(words), tags[tokens.doc[d] : tokens.doc[d + 1]].tolist())
    prepared = time.thread_time() - start
    trainer.train(str(theirs))
    total = time.thread_time() - start
    tagger = pycrfsuite.Tagger()
    tagger.open(str(theirs))
    answer = [
        tag == "N" for words in sequences if words for tag in tagger.tag(string_features(words))
    ]
    tagger.close()
    return {
        **result,
        "crfsuite_seconds": round(total, 3),
        "crfsuite_seconds_without_features": round(total - prepared, 3),
        "crfsuite_f1": round(_f1(truth, np.array(answer)), 4),
        "times_faster": round(total / seconds, 1),
        "times_faster_without_features": round((total - prepared) / seconds, 1),
    }


# --- publishing ----------------------------------------------------------------------------------


def default_candidate(documents: list[Document]) -> Any:
    """The candidate that `sfumato text explore` finds at L/C = 10 with its defaults."""
    found = explore(documents, labels=["NAME"], ratios=[10], attackers=())
    return found.classifiers["r10"]


def publishing(documents: list[Document], candidate: Any, crfsuite: Path) -> dict[str, Any]:
    """Raw text to redacted text by the default candidate, and by a python-crfsuite pipeline."""
    sanitiser = Sanitiser(candidate)
    cut = list(batches(documents))

    def ours() -> int:
        return sum(len(sanitiser(batch).texts) for batch in cut)

    ours()
    seconds, _ = best_of(7, ours)
    words = words_of(documents)
    cold = Sanitiser(candidate)  # every word is new to it
    start = time.thread_time()
    for batch in cut:
        cold(batch)
    first = time.thread_time() - start
    result = {
        "words": words,
        "rounds": len(candidate.classifiers),
        "stages": sum(len(h.stages) for h in candidate.classifiers),
        "sfumato_words_per_second": round(words / seconds),
        "sfumato_words_per_second_first_time": round(words / first),
    }
    if not crfsuite.exists():
        return result
    some = documents[: max(1, len(documents) // 8)]
    pipeline = _Crfsuite(crfsuite)
    theirs, _ = best_of(2, lambda: [pipeline.redacted(d.text) for d in some])
    pipeline.close()
    speed = words_of(some) / theirs
    return {
        **result,
        "crfsuite_words_per_second": round(speed),
        "times_faster": round(words / seconds / speed, 1),
    }


class _Crfsuite:
    """What a user would write with python-crfsuite; it gets our tokenizer for free."""

    def __init__(self, path: Path) -> None:
        import pycrfsuite

        self.tagger = pycrfsuite.Tagger()
        self.tagger.open(str(path))

    def redacted(self, text: str) -> str:
        vocabulary = Vocabulary()
        tokens = tokenize([text], vocabulary)
        words = [vocabulary.words[t] for t in tokens.type.tolist()]
        start, end = (offsets.tolist() for offsets in tokens.char_offsets())
        out, at = [], 0
        for i, tag in enumerate(self.tagger.tag(string_features(words))):
            if tag == "N":
                out += [text[at : start[i]], "[NAME]"]
                at = end[i]
        return "".join([*out, text[at:]])

    def close(self) -> None:
        self.tagger.close()


def two_threads(documents: list[Document], candidate: Any) -> dict[str, Any]:
    """Wall time on one and on two threads, alternating, the best of each; and the CPU of each thread.

    Wall times tell only when both cores are free: `load_of_the_machine` says whether they were. The CPU
    time of the busiest thread does not depend on other programs; it leaves out waiting for each other.
    """
    cut = list(batches(documents * max(1, 1_000_000 // words_of(documents)), 1 << 19))
    wall = {1: float("inf"), 2: float("inf")}
    busiest = dict(wall)
    runs = {threads: Sanitiser(candidate) for threads in wall}
    for _ in range(8):
        for threads, sanitiser in runs.items():
            spent: dict[int, float] = {}

            def work(batch: list[Document], spent: Any = spent, call: Any = sanitiser) -> None:
                start = time.thread_time()
                call(batch)
                me = threading.get_ident()
                spent[me] = spent.get(me, 0.0) + time.thread_time() - start

            start = time.perf_counter()
            for _done in Local(threads=threads).map_batches(work, cut):
                pass
            wall[threads] = min(wall[threads], time.perf_counter() - start)
            busiest[threads] = min(busiest[threads], max(spent.values()))
    return {
        "one_thread_seconds": round(wall[1], 3),
        "two_threads_seconds": round(wall[2], 3),
        "times_faster": round(wall[1] / wall[2], 2),
        "cpu_of_one_thread": round(busiest[1], 3),
        "cpu_of_the_busier_of_two": round(busiest[2], 3),
        "times_less_cpu_a_thread": round(busiest[1] / busiest[2], 2),
        "load_of_the_machine": round(os.getloadavg()[0], 1),
    }


# --- growth --------------------------------------------------------------------------------------


def _made_up(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number, 26)
        letters += chr(97 + rest)
    return letters


def endless(documents: list[Document], words: int) -> Iterator[Document]:
    """Repeat documents up to so many words; 2 in 100 words are ones that were never seen before."""
    done = copy = fresh = 0
    while done < words:
        for document in documents:
            own = len(document.text.split())
            more = max(1, own // 50)
            new = " ".join(_made_up(1_000_000 + fresh + k) for k in range(more))
            fresh += more
            done += own + more
            yield Document(f"{document.id}-{copy}", f"{document.text}\n{new}.")
            if done >= words:
                return
        copy += 1


def _peak_megabytes() -> int:
    """The most memory that this process held; getrusage would count its parent's as well."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def grown(words: int, folder: Path) -> dict[str, Any]:
    """Publish so many words in this process: seconds of CPU and peak memory."""
    candidate = load_candidates(folder)["r10"]
    documents = corpus("litbank") + corpus("wnut17")
    sanitiser = Sanitiser(candidate)
    sanitiser(documents[:2])
    counted = redacted = 0
    spent = 0.0
    for batch in batches(endless(documents, words)):
        start = time.thread_time()
        done = sanitiser(batch)
        spent += time.thread_time() - start
        counted += sum(len(d.text.split()) for d in batch)
        redacted += sum(done.counts.redacted.values())
    return {
        "words": counted,
        "seconds": round(spent, 3),
        "words_per_second": round(counted / spent),
        "redacted": redacted,
        "peak_megabytes": _peak_megabytes(),
    }


def growth(candidate: Any) -> list[dict[str, Any]]:
    results = []
    with tempfile.TemporaryDirectory() as folder:
        save_candidates(folder, {"r10": candidate})
        for words in GROWTH:
            command = [sys.executable, "-m", "benchmarks.text_speed", str(words), folder]
            done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
            results.append(json.loads(done.stdout))
            print(f"   growth {results[-1]}", flush=True)
    return results


def presidio(documents: list[Document]) -> dict[str, Any] | None:
    """Presidio with a spaCy model, where both are installed."""
    if any(importlib.util.find_spec(m) is None for m in ("presidio_analyzer", "spacy")):
        print("   Presidio with a spaCy model is not installed: its figures are left out.")
        return None
    from presidio_analyzer import AnalyzerEngine  # type: ignore[import-not-found]

    analyzer = AnalyzerEngine()
    some = documents[:20]
    seconds, _ = best_of(
        1, lambda: [analyzer.analyze(d.text, entities=["PERSON"], language="en") for d in some]
    )
    return {"words_per_second": round(words_of(some) / seconds)}


def run() -> dict[str, Any]:
    if data_folder() is None:
        return {"note": "the folder with real data was not found; nothing was measured"}
    results: dict[str, Any] = {"training": {}, "publishing": {}}
    candidates = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in CORPORA:
            theirs = Path(folder) / name
            documents = corpus(name)
            results["training"][name] = training(name, theirs)
            print(f"   training {name} {results['training'][name]}", flush=True)
            candidates[name] = default_candidate(documents)
            results["publishing"][name] = publishing(documents, candidates[name], theirs)
            print(f"   publishing {name} {results['publishing'][name]}", flush=True)
    documents, candidate = corpus(CORPORA[0]), candidates[CORPORA[0]]
    results["two_threads"] = two_threads(documents, candidate)
    print(f"   two threads {results['two_threads']}", flush=True)
    results["growth"] = growth(candidate)
    results["presidio"] = presidio(documents)
    return results


if __name__ == "__main__":
    print(json.dumps(grown(int(sys.argv[1]), Path(sys.argv[2]))))
