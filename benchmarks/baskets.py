"""Baskets: quality of every selector and baseline, speed beside plain numpy/scipy twins, scale and growth.

Twins are what one would write from the paper with numpy and scipy: HamDist from class means, AC by one
matrix product, DistCnt from grouped rows. They are timed side by side; where a twin would run for
hours it is timed on a part and scaled, and the result says so.
"""

from __future__ import annotations

import gzip
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks._common import best_of, data_folder

K = (5, 8, 11)


# ---------------------------------------------------------------- twins


def twin_ac(X: Any) -> int:
    """AC by the definition: one product tells how many features two rows share."""
    P = X.toarray().astype(np.float32) if X.shape[1] <= 2000 else X.astype(np.float32)
    shared = P @ P.T
    shared = shared.toarray() if sp.issparse(shared) else shared
    sizes = np.asarray(X.sum(axis=1)).ravel()
    return int((shared >= sizes[:, None] - 0.5).sum(axis=1).min())


def twin_greedy_ham_dist(
    X: Any, y: np.ndarray, k: int, most_checks: int | None = None
) -> list[int]:
    """Algorithm 2 with stop="first" (or a bounded number of checks), from class means."""
    a = np.asarray(X[y == 1].mean(axis=0)).ravel()
    b = np.asarray(X[y == 0].mean(axis=0)).ravel()
    order = np.argsort(-(a * (1 - b) + b * (1 - a)), kind="stable")
    columns = X.tocsc()
    chosen: list[int] = []
    for checks, f in enumerate(order):
        if checks == most_checks:
            break
        if twin_ac(columns[:, [*chosen, f]].tocsr()) >= k:
            chosen.append(int(f))
        elif most_checks is None:
            break
    return chosen


def twin_dist_cnt(X: Any, y: np.ndarray) -> int:
    """Pairs of unlike class told apart: group equal rows, count within."""
    _, group = np.unique(X, axis=0, return_inverse=True)
    p = np.bincount(group.ravel(), weights=y)
    q = np.bincount(group.ravel(), weights=1 - y)
    return int(y.sum() * (1 - y).sum() - (p * q).sum())


def twin_dist_cnt_step(X: Any, y: np.ndarray, chosen: list[int], features: np.ndarray) -> int:
    """One step of Algorithm 3: try the given features after the chosen ones, keep the best."""
    columns = X.tocsc()
    best, best_value = -1, -1
    for f in features:
        value = twin_dist_cnt(columns[:, [*chosen, int(f)]].toarray(), y)
        if value > best_value:
            best, best_value = int(f), value
    return best


# ---------------------------------------------------------------- data


def load_sparse(folder: Path, name: str) -> tuple[Any, np.ndarray]:
    X = sp.load_npz(folder / "sparse" / f"{name}.npz").tocsr()
    with gzip.open(folder / "sparse" / f"{name}.labels.txt.gz", "rt") as lines:
        return X, np.array([int(line) for line in lines])


def load_adult(folder: Path) -> tuple[Any, np.ndarray]:
    from sfumato.data.baskets import read_baskets

    baskets = read_baskets(folder / "table" / "adult" / "adult_binary19.csv.gz", labels="y")
    return baskets.matrix, np.array([int(v) for v in baskets.labels or ()])


def generated(
    n: int, d: int, ones: int, *, seed: int = 0, templates: int = 0
) -> tuple[Any, np.ndarray]:
    """Sparse rows with a power law of features; with templates, rows that resemble each other."""
    rng = np.random.default_rng(seed)
    each = ones // n
    weights = 1.0 / (10 + np.arange(d)) ** 0.8
    cumulated = np.cumsum(weights / weights.sum())
    if templates:
        base = np.searchsorted(cumulated, rng.random(templates * each)).astype(np.int32)
        base = np.minimum(base, d - 1).reshape(templates, each)
        indices = base[rng.integers(templates, size=n)]
        fresh = rng.random((n, each)) < 0.05
        drawn = np.searchsorted(cumulated, rng.random(int(fresh.sum()))).astype(np.int32)
        indices[fresh] = np.minimum(drawn, d - 1)
        indices = indices.ravel()
    else:
        indices = np.searchsorted(cumulated, rng.random(n * each)).astype(np.int32)
        indices = np.minimum(indices, d - 1)
    indptr = np.arange(n + 1, dtype=np.int64) * each
    X = sp.csr_matrix((np.ones(len(indices), dtype=np.uint8), indices, indptr), shape=(n, d))
    X.sum_duplicates()
    X.data[:] = 1
    return X, (rng.random(n) < 0.3).astype(np.int64)


# ---------------------------------------------------------------- parts


def quality(X: Any, y: np.ndarray, *, repeats: int) -> dict[str, Any]:
    """AUC and feature count of every selector and baseline, nested, each set audited."""
    from sfumato.engines.baskets.measures.prediction import nested_auc
    from sfumato.engines.baskets.selectors import BestSelector
    from sfumato.laboratory.baskets.study import BasketsStudyPlan, run_study

    study = run_study(X, y, BasketsStudyPlan(k=K, repeats=repeats))
    best = [
        {"k": k, "auc": nested_auc(X, y, BestSelector(k, factors=(1.0, 2.0), folds=2)).value}
        for k in K
    ]
    full = study["table"][-1]["cells"][0]["auc"]
    audits = [c["ac"] >= c["k"] for row in study["table"] for c in row["cells"] if "ac" in c]
    ours = [row for row in study["table"] if row["method"] not in _OTHERS]
    top = {
        str(k): max((c["auc"], row["method"]) for row in ours for c in row["cells"] if c["k"] == k)
        for k in K
    }
    return {
        "table": {
            row["method"]: {
                str(c["k"]): {key: v for key, v in c.items() if key != "k"} for c in row["cells"]
            }
            for row in study["table"]
        },
        "best_of_selectors_and_k": {str(b["k"]): b["auc"] for b in best},
        "differential_privacy": study["figure"],
        "full_auc": full,
        "best_method": {
            k: {"auc": a, "method": m, "below_full": full - a} for k, (a, m) in top.items()
        },
        "every_selected_set_passed_the_audit": all(audits),
        "audited_sets": len(audits),
    }


_OTHERS = {"CM Greedy", "RF", "k-anonymity HamDist", "k-anonymity DistCnt", "Full feature set"}


def speed(X: Any, y: np.ndarray) -> dict[str, Any]:
    """Side by side with the twins on the same matrix, answers compared."""
    from sfumato.engines.baskets import GreedyDistCnt, GreedyHamDist, dataset_containment

    k = 5
    out: dict[str, Any] = {}

    GreedyHamDist(k, stop="first").fit(X, y)  # compile
    ours, fitted = best_of(9, lambda: GreedyHamDist(k, stop="first").fit(X, y))
    slow, chosen = best_of(2, lambda: twin_greedy_ham_dist(X, y, k))
    assert fitted.selected_.tolist() == chosen
    out["greedy HamDist, stop first"] = _ratio(slow, ours, features=len(chosen))

    never = GreedyHamDist(k).fit(X, y)
    ours, _ = best_of(5, lambda: GreedyHamDist(k).fit(X, y))
    part = 40
    slow, _ = best_of(1, lambda: twin_greedy_ham_dist(X, y, k, most_checks=part))
    whole = slow / part * X.shape[1]
    out["greedy HamDist, never stop"] = _ratio(
        whole,
        ours,
        features=len(never.selected_),
        twin="timed on the first 40 checks, scaled to all features",
    )

    for stop in ("first", "never"):
        fitted = GreedyDistCnt(k, stop=stop).fit(X, y)
        ours, _ = best_of(5, lambda s=stop: GreedyDistCnt(k, stop=s).fit(X, y))
        rng = np.random.default_rng(0)
        tried = rng.permutation(X.shape[1])[:150]
        half = fitted.selected_[: len(fitted.selected_) // 2].tolist()
        slow, _ = best_of(1, lambda h=half, t=tried: twin_dist_cnt_step(X, y, h, t))
        steps = len(fitted.selected_) + 1
        out[f"DistCnt, {stop}"] = _ratio(
            slow / len(tried) * X.shape[1] * steps,
            ours,
            features=len(fitted.selected_),
            twin="150 features of one step timed, scaled to all features and steps; AC checks left out",
        )

    chosen = never.selected_
    P = X[:, np.sort(chosen)].tocsr()
    dataset_containment(P)
    ours, ac = best_of(9, lambda: dataset_containment(P))
    slow, again = best_of(2, lambda: twin_ac(P))
    assert ac == again
    out["audit of a selection"] = _ratio(slow, ours, ac=ac, features=P.shape[1])
    ours, ac = best_of(9, lambda: dataset_containment(X))
    slow, again = best_of(1, lambda: twin_ac(X))
    assert ac == again
    out["audit of all features"] = _ratio(slow, ours, ac=ac, features=X.shape[1])
    return out


def _ratio(slow: float, fast: float, **more: Any) -> dict[str, Any]:
    return {"twin_seconds": slow, "seconds": fast, "times_faster": slow / fast, **more}


def _timed(work: Any) -> tuple[float, Any]:
    """Time one run by this thread's CPU clock: all of this work runs in one thread."""
    start = time.thread_time()
    result = work()
    return time.thread_time() - start, result


def large(X: Any, y: np.ndarray, k: int = 5) -> dict[str, Any]:
    """Audit, HamDist and DistCnt on one large matrix; every selection audited."""
    from sfumato.engines.baskets import (
        GreedyDistCnt,
        GreedyHamDist,
        GreedyInformation,
        dataset_containment,
    )
    from sfumato.engines.baskets.containment.audit import audit

    out: dict[str, Any] = {"rows": X.shape[0], "features": X.shape[1], "ones": int(X.nnz)}
    seconds, ac = _timed(lambda: dataset_containment(X))
    out["audit"] = {"seconds": seconds, "ac": ac}
    for name, make in (("HamDist", GreedyHamDist), ("DistCnt", GreedyDistCnt),
                       ("Information", GreedyInformation)):  # fmt: skip
        seconds, fitted = _timed(lambda m=make: m(k).fit(X, y))
        chosen = np.sort(fitted.selected_)
        audit_seconds, measured = _timed(lambda c=chosen: audit(X[:, c]))
        assert measured.ac >= k
        out[name] = {
            "seconds": seconds,
            "features": len(chosen),
            "audit_of_selection_seconds": audit_seconds,
            **measured.to_json(),
        }
    return out


def _peak_of_scale(n: int, d: int, ones: int, templates: int) -> dict[str, Any]:
    """Run one size in a process of its own, so that the peak is its own."""
    import json
    import subprocess
    import sys

    code = (
        "import json, resource; from benchmarks.baskets import generated, large; "
        "import numpy as np; large(*generated(2000, 300, 20000)); "
        f"X, y = generated({n}, {d}, {ones}, templates={templates}); "
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; out = large(X, y); "
        "out['peak_gb'] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6; "
        "out['peak_after_making_the_data_gb'] = before / 1e6; print(json.dumps(out))"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env=environment)  # fmt: skip
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def scale() -> dict[str, Any]:
    """The largest size, and how each part grows in n, d and density."""
    n, d, ones = 1_000_000, 100_000, 20_000_000
    out: dict[str, Any] = {
        "n = 1e6, d = 1e5, 2e7 ones, independent features": _peak_of_scale(n, d, ones, 0),
        "n = 1e6, d = 1e5, 2e7 ones, rows from 20,000 templates": _peak_of_scale(
            n, d, ones, 20_000
        ),
    }
    growth = []
    for what, size in (
        ("n", (125_000, d // 4, 2_500_000)),
        ("n", (250_000, d // 4, 5_000_000)),
        ("n", (500_000, d // 4, 10_000_000)),
        ("d", (250_000, 12_500, 5_000_000)),
        ("d", (250_000, 50_000, 5_000_000)),
        ("density", (250_000, d // 4, 2_500_000)),
        ("density", (250_000, d // 4, 10_000_000)),
    ):
        result = _peak_of_scale(*size, 20_000)
        growth.append(
            {
                "grows": what,
                "rows": size[0],
                "features": size[1],
                "ones": size[2],
                "audit": result["audit"]["seconds"],
                **{m: result[m]["seconds"] for m in ("HamDist", "DistCnt", "Information")},
                "peak_gb": result["peak_gb"],
            }
        )
    out["growth"] = growth
    return out


def on_real_data(folder: Path) -> dict[str, Any]:
    results: dict[str, Any] = {}
    X, y = load_sparse(folder, "spamassassin")
    results["speed on spamassassin"] = speed(X, y)
    _say(results["speed on spamassassin"])
    _note("quality on adult19")
    results["quality on adult19"] = quality(*load_adult(folder), repeats=3)
    _note("quality on spamassassin")
    results["quality on spamassassin"] = quality(X, y, repeats=1)
    table = results["quality on spamassassin"]["table"]
    results["never above first on spamassassin"] = {
        str(k): table["HamDist, never stop"][str(k)]["auc"] - table["HamDist"][str(k)]["auc"]
        for k in K
    }
    return results


def on_large_data(folder: Path | None) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for name in ("nycflights13_onehot", "fars_onehot") if folder is not None else ():
        _note(name)
        results[name] = large(*load_sparse(folder, name))
    _note("scale")
    results["scale"] = scale()
    return results


def run() -> dict[str, Any]:
    from benchmarks import baskets_sharing  # which reads the sets of this module

    folder = data_folder()
    _note("sharing")
    sharing = {"sharing": baskets_sharing.run()}
    if folder is None:
        missing = "not there: quality, speed and real large cases were left out"
        return {"real data": missing, **sharing, **on_large_data(None)}
    return {**on_real_data(folder), **sharing, **on_large_data(folder)}


def _note(text: str) -> None:
    print(f"   {text}", flush=True)


def _say(speeds: dict[str, Any]) -> None:
    for name, figures in speeds.items():
        print(f"   {name}: {figures['times_faster']:,.0f}×")
