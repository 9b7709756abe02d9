"""Which recipe of fine-tuning, and which combination with the CRF: T(10) out of fold, corpus by corpus.

Four folds by document, person names sensitive; thresholds are cross-fitted. This is how the recipe and the
forms were chosen: every score comes from a model that has not seen the document, but, other than in
`benchmarks encoder`, no document was held back from the choice among recipes. A GPU is advisable.
"""

from __future__ import annotations

import statistics
import sys
from typing import Any

import numpy as np

from benchmarks._common import data_folder
from benchmarks.encoder import _corpora, _encoder, _others, _read
from benchmarks.text import prepared
from sfumato.core.randomness import Streams
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.learners.folds import deal, out_of_fold
from sfumato.engines.text.learners.pretrained import Schedule
from sfumato.engines.text.sanitize.competition import Competition, Form
from sfumato.engines.text.sanitize.stacking.second_look import SecondPass, passages
from sfumato.engines.text.sanitize.stacking.stack import stack_places

RATIO = 10.0
RECIPES: dict[str, tuple[str, Schedule, bool]] = {
    "head": ("head", Schedule(6, 6e-4, steps=0), False),
    "two layers": ("two", Schedule(4, 3e-4, steps=0), False),
    "two layers, 8 epochs": ("two", Schedule(8, 3e-4, steps=0), False),
    "all layers": ("all", Schedule(6, 2e-4, steps=0), False),
    "two layers, background": ("two", Schedule(4, 1.5e-4, steps=0), True),
    "all layers, background": ("all", Schedule(4, 1e-4, steps=0), True),
}
BANDS = {"narrow": SecondPass((0,), -3.5, -1.0), "wide": SecondPass((0,), -4.0, 0.0)}


def study(name: str, recipes: dict[str, tuple[str, Schedule, bool]]) -> dict[str, float]:
    """T(10) of every recipe and combination on one corpus."""
    data, labels = prepared(_read(name))
    sensitive = (labels > 0).astype(np.uint8)
    fold = deal(np.arange(data.documents), 4, Streams(0).generator("f"), of=data.documents)
    found: dict[str, float] = {}

    def loss(title: str, scores: np.ndarray) -> None:
        form = Form(title, (0,))
        judged = Competition(
            {form: scores}, live=data.counted, value=np.where(sensitive > 0, RATIO, -1.0),
            fold_of=fold[data.document_of], document_of=data.document_of, leak=RATIO,
            expected=-np.log(RATIO),
        )  # fmt: skip
        names = int(sensitive[data.counted].sum())
        found[title] = round(RATIO * names - float(judged.gains(form).sum()))

    def crf(seen: Any, seed: int) -> np.ndarray:
        return out_of_fold(CRF(), seen, sensitive, fold, seed=seed)

    once = crf(data, 1)
    first = (once + crf(data.with_places(*stack_places(data, once)), 2)) / 2
    loss("CRF, one pass", once)
    loss("CRF, pass + stack", first)
    for title, (tuning, schedule, background) in recipes.items():
        encoder = _encoder(tuning)
        if background:
            others, theirs = prepared(_others(name))
            start = _with(encoder, Schedule(2, 2 * schedule.rate, steps=0)).fit(
                others, (theirs > 0).astype(np.uint8)
            )
            encoder = encoder.warm_start(start)
        encoder = _with(encoder, schedule)
        encoder.prepare(data)
        scores = out_of_fold(encoder, data, sensitive, fold)
        sees = crf(data.with_places(*stack_places(data, scores, with_own=True)), 3)
        loss(f"{title}: encoder", scores)
        loss(f"{title}: CRF + encoder", (first + scores) / 2)
        loss(f"{title}: CRF that sees it", sees)
        loss(f"{title}: mean of all three", (first + scores + sees) / 3)
        loss(f"{title}: encoder + CRF that sees it", (scores + sees) / 2)
        for band, look in BANDS.items():
            where = passages(data, first, look)
            found[f"{band}: words read"] = round(
                float((where & data.counted).sum() / data.counted.sum()), 3
            )
            loss(f"{title}: second look, {band}", np.where(where, (first + scores) / 2, first))
    return found


def _with(encoder: Any, schedule: Schedule) -> Any:
    from dataclasses import replace

    return replace(encoder, schedule=schedule)


def summary(corpora: dict[str, dict[str, float]]) -> dict[str, Any]:
    """Each figure over the better of the two CRF forms: the median and the most."""
    ratios: dict[str, list[float]] = {}
    for found in corpora.values():
        base = max(1.0, min(found["CRF, one pass"], found["CRF, pass + stack"]))
        for title, value in found.items():
            if not title.endswith("words read"):
                ratios.setdefault(title, []).append(value / base)
    return {
        title: {"median": round(statistics.median(values), 3), "most": round(max(values), 3)}
        for title, values in ratios.items()
    }


def run(names: tuple[str, ...] = ()) -> dict[str, Any]:
    if data_folder() is None:
        return {"skipped": "the folder with real data is not there"}
    corpora = {}
    for name in names or _corpora():
        corpora[name] = study(name, RECIPES)
        print(f"   {name}: {corpora[name]}", flush=True)
    return {"ratio": RATIO, "corpora": corpora, "over_the_better_crf": summary(corpora)}


if __name__ == "__main__":
    from benchmarks._common import write_results

    print(write_results("encoder_recipes", run(tuple(sys.argv[1:]))))
