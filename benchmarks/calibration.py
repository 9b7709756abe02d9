"""Do the printed ranges hold? Estimate on one half of a corpus, look at the truth on the other.

Every corpus at hand, many halves, person names sensitive. A range is counted as held at its upper end
when the truth of the other half is not above it; nothing of that half was seen when it was made. The
plain percentile bootstrap over documents stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._common import ROOT, data_folder, resumed
from benchmarks.text import prepared, read
from sfumato.core.randomness import Streams
from sfumato.data.document import Document
from sfumato.engines.text.attack.attacker import AttackedRelease, Residual, attack
from sfumato.engines.text.frontier.judge import Judge
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.reading.labelled import Labelled
from sfumato.engines.text.sanitize.greedy import GreedySanitize

RATIOS = (2.0, 10.0, 50.0)
ATTACKED = 10.0
BUDGETS = (10, 100, 1000)
HALVES = 12
LARGEST = 60_000  # words of a corpus that are used, so that no corpus takes minutes
MOST_DOCUMENTS = 1200
CHART = ROOT / "docs" / "pictures" / "calibration.svg"


def sample(documents: list[Document], seed: int) -> tuple[list[Document], list[Document]]:
    """Draw documents up to a size and deal them into two halves."""
    order = Streams(seed).generator("halves").permutation(len(documents))[:MOST_DOCUMENTS]
    words = np.cumsum([len(documents[i].text.split()) for i in order])
    taken = [documents[i] for i in order[: max(20, int((words <= LARGEST).sum()))]]
    return taken[::2], taken[1::2]


def percentile(part: np.ndarray, whole: np.ndarray, seed: int) -> tuple[float, float]:
    """The plain alternative: the bootstrap of the mean over documents."""
    n = len(part)
    drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), 600)
    low, high = np.quantile((drawn @ part) / np.maximum(drawn @ whole, 1), [0.025, 0.975])
    return float(low), float(high)


Held = tuple[str, bool, bool]


def half(learned: list[Document], other: list[Document], seed: int) -> Iterator[Held]:
    """Yield for each printed range whether its upper and its lower end held."""
    data, labels = prepared(learned)
    unseen, truth = prepared(other)
    labelled = Labelled(data, labels, ("NAME",), np.ones(len(learned), bool))
    publications = GreedySanitize(seed=seed).fit(labelled, RATIOS)
    words, sensitive = unseen.counted, unseen.counted & (truth > 0)
    own = np.ones(len(other), bool)
    for ratio, publication in publications.items():
        judge = Judge(
            labelled, weights={}, attackers=(CRF(),) if ratio == ATTACKED else (),
            budgets=BUDGETS, streams=Streams(seed), progress=lambda _: None, batch=len(other),
        )  # fmt: skip
        candidate = judge.candidate(ratio, publication, in_sample=None)
        redacted = publication.classifiers.redactions(unseen) > 0
        left = (sensitive & ~redacted).sum() / max(sensitive.sum(), 1)
        kept = (words & ~redacted).sum() / max(words.sum(), 1)
        before = publication.redacted
        for name, value, measure, part, whole in (
            ("share left", left, candidate.risk, judge.sensitive & ~before, judge.sensitive),
            ("words published", kept, candidate.utility, judge.words & ~before, judge.words),
        ):
            assert measure.interval is not None
            yield name, value <= measure.interval.high, value >= measure.interval.low
            low, high = percentile(judge.by_document(part), judge.by_document(whole), seed)
            yield f"{name}, percentile bootstrap", value <= high, value >= low
        if ratio != ATTACKED:
            continue
        again = data.redact(publication.classifiers.redactions(data) > 0)
        residual = Residual(again, labelled.sensitive, labelled.own, own)
        met = attack(
            AttackedRelease(unseen.redact(redacted), (truth > 0).astype(np.uint8), own),
            streams=Streams(seed).child("other half"), learners=(CRF(),), residuals=[residual],
            budgets=BUDGETS,
        ).to_record().to_json()  # fmt: skip
        assert candidate.attack is not None
        promised = candidate.attack.to_json()
        for reading in ("A", "B", "outside"):
            for way in ("ranked", "unordered", "random"):
                for budget in map(str, BUDGETS):
                    around = promised[reading][way][budget]
                    value = met[reading][way][budget]["found"]
                    yield (
                        f"attacker {reading}, {way}, found of {budget}",
                        value <= around["high"] + 1e-9,
                        value >= around["low"] - 1e-9,
                    )


def summary(held: dict[str, list[tuple[bool, bool]]]) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "ranges": len(ends),
            "upper_end_held": round(float(np.mean([u for u, _ in ends])), 4),
            "both_ends_held": round(float(np.mean([u and l for u, l in ends])), 4),
        }
        for name, ends in sorted(held.items())
    }


def chart(ranges: dict[str, dict[str, Any]], out: Path) -> None:
    """Draw the share of upper ends that held, one bar per printed range."""
    import vl_convert

    rows = [{"range": name, "held": entry["upper_end_held"]} for name, entry in ranges.items()]
    bars = {
        "mark": {"type": "bar", "color": "#3b6ea5"},
        "encoding": {
            "y": {"field": "range", "type": "nominal", "title": None, "axis": {"labelLimit": 320}},
            "x": {
                "field": "held", "type": "quantitative", "title": "upper ends that held",
                "axis": {"format": "%"}, "scale": {"domain": [0, 1]},
            },
        },
    }  # fmt: skip
    target = {
        "mark": {"type": "rule", "strokeDash": [4, 3], "color": "#333"},
        "encoding": {"x": {"datum": 0.92}},
    }
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": rows},
        "layer": [bars, target],
        "width": 360,
        "config": {"font": "sans-serif", "view": {"stroke": None}},
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(vl_convert.vegalite_to_svg(spec), encoding="utf-8")


def run(halves: int = HALVES) -> dict[str, Any]:
    folder = data_folder()
    if folder is None:
        return {"skipped": "the folder with real data is not there"}
    names = sorted(path.name.split(".")[0] for path in (folder / "text").glob("*.jsonl.gz"))
    held: dict[str, list[tuple[bool, bool]]] = {}
    by_corpus: dict[str, dict[str, list[tuple[bool, bool]]]] = {}
    for name in names:
        documents = read(folder, name)
        own: dict[str, list[tuple[bool, bool]]] = {}
        for seed in range(halves):
            ends = resumed(
                "calibration",
                f"{name}-{seed}",
                lambda seed=seed, documents=documents: [
                    (what, bool(upper), bool(lower))
                    for what, upper, lower in half(*sample(documents, seed), seed)
                ],
            )
            for what, upper, lower in ends:
                held.setdefault(what, []).append((upper, lower))
                group = what if what.startswith(("share", "words")) else "attackers"
                own.setdefault(group, []).append((upper, lower))
        by_corpus[name] = own
        shown = {k: v["upper_end_held"] for k, v in summary(own).items()}
        print(f"   {name}: upper ends held {shown}", flush=True)
    ranges = summary(held)
    chart(ranges, CHART)
    printed = {k: v for k, v in ranges.items() if "percentile" not in k}
    return {
        "halves_per_corpus": halves,
        "corpora": len(names),
        "ratios": list(RATIOS),
        "ranges": ranges,
        "by_corpus": {name: summary(own) for name, own in by_corpus.items()},
        "lowest_upper_end_held": min(v["upper_end_held"] for v in printed.values()),
    }
