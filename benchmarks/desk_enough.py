"""How often "enough" is said too early: 200 projects for each setting, looked at again and again while windows come in.

`python -m benchmarks desk_enough`. The true share left is a little or much above what is wanted, documents differ in
their own share, and the next step is looked at after every twentieth random window, up to 240: who looks often has more
chances to be told "enough" by luck. Told at any look counts as told.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.core.randomness import Streams
from sfumato.engines.text.labelling.estimate import RiskEstimate, share_range
from sfumato.engines.text.labelling.next_step import next_step, seconds_of

PROJECTS = 200
DOCUMENTS, WINDOWS, EVERY = 60, 240, 20
PER_WINDOW = 3.0
SETTINGS = [
    (wanted, above, spread) for wanted in (0.01, 0.05) for above in (1.05, 1.5) for spread in (0.5,)
]  # fmt: skip


def project(wanted: float, above: float, spread: float, random: np.random.Generator) -> int | None:
    """Return after how many windows "enough" is said first; None where it never is."""
    share = wanted * above
    rates = np.full(DOCUMENTS, share)
    if spread:  # gamma-distributed shares of documents, their mean as said
        rates = random.gamma(1 / spread, spread, DOCUMENTS)
        rates *= share / rates.mean()
    unit = random.integers(DOCUMENTS, size=WINDOWS)
    of = random.poisson(PER_WINDOW, size=WINDOWS)
    left = random.binomial(of, np.minimum(rates[unit], 1.0))
    history = []
    seconds = seconds_of(())
    for many in range(EVERY, WINDOWS + 1, EVERY):
        total, lost = int(of[:many].sum()), int(left[:many].sum())
        low, high = share_range(left[:many], of[:many], unit[:many])
        history.append((5 * many, RiskEstimate(many, 30 * many, total, lost, low, high, 0, 0.0)))
        if next_step(history, wanted, seconds=seconds).what == "enough":
            return many
    return None


def run() -> dict[str, Any]:
    rows = []
    for number, (wanted, above, spread) in enumerate(SETTINGS):
        random = Streams(number).generator("projects")
        told = [project(wanted, above, spread, random) for _ in range(PROJECTS)]
        share = sum(t is not None for t in told) / PROJECTS
        rows.append({"wanted": wanted, "truth": round(wanted * above, 4), "spread": spread, "told_too_early": share})  # fmt: skip
        print(f"   {rows[-1]}", flush=True)
    return {
        "projects": PROJECTS, "windows": WINDOWS, "looks": WINDOWS // EVERY, "settings": rows,
        "most": max(row["told_too_early"] for row in rows),
        "all": round(float(np.mean([row["told_too_early"] for row in rows])), 4),
    }  # fmt: skip
