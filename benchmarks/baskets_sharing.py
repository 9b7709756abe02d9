"""Sharing baskets: what columns, cells, rows and both keep under k-AC, k² and k³, and what it takes.

Beside them stand (a) the paper's selectors, (b) a twin of the Apriori-style global generalisation that
Amnesia uses for k^m-anonymity, over a hierarchy of ten items per node by rank, and (c) dropping the
rarest items until the promise holds. Labelled sets are scored by the AUC of a linear SVM that learns from
a release of the training rows and ranks real rows. Ceilings say what any release of cells could keep.

Each method is a list of figures, named by FIELDS; null where one was not measured.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks._ceilings import most_by_containment, most_by_pairs
from benchmarks._common import data_folder, resumed
from benchmarks.baskets import generated, load_adult, load_sparse
from sfumato.data.samples import purchase_log

K = (5, 11)
FOLDS = 3
MOST_ROWS = 25_000
MOST_TRIPLES = 300_000_000  # of items in rows; beyond them k³ is left out
FIELDS = ("ones", "columns", "supports", "itemsets", "auc", "cpu_seconds")
GREEDY = ("support", "hamdist", "distcnt", "information")  # one column after another
CORPORA = ("wnut17", "btc_twitter", "asq_phi", "inlegalner_dev", "wikigold", "meddocan_es")


# ---------------------------------------------------------------- data


def words_of(folder: Path, name: str) -> tuple[Any, np.ndarray | None]:
    """The words of each document of a corpus; the class is whether a person is named."""
    vocabulary: dict[str, int] = {}
    indices: list[int] = []
    indptr, classes = [0], []
    with gzip.open(folder / "text" / f"{name}.jsonl.gz", "rt") as lines:
        for line in lines:
            document = json.loads(line)
            words = set(re.findall(r"\w+", document["text"].lower()))
            indices += [vocabulary.setdefault(w, len(vocabulary)) for w in sorted(words)]
            indptr.append(len(indices))
            classes.append(any(s["label"] == "NAME" for s in document["spans"]))
    X = sp.csr_matrix(
        (np.ones(len(indices), dtype=np.uint8), indices, indptr),
        shape=(len(classes), len(vocabulary)),
    )
    y = np.array(classes, dtype=np.int64)
    return X, y if 20 <= y.sum() <= len(y) - 20 else None


def sets(folder: Path) -> dict[str, tuple[Any, np.ndarray | None]]:
    found: dict[str, tuple[Any, np.ndarray | None]] = {}
    for name in ("spamassassin", "fars_onehot"):
        found[name] = load_sparse(folder, name)
    found["adult19"] = load_adult(folder)
    for name in CORPORA:
        found[f"{name}, words"] = words_of(folder, name)
    log = purchase_log()
    found["purchases, a generated sample"] = log.matrix, np.array([int(v) for v in log.labels])
    for name, (X, y) in found.items():
        if X.shape[0] > MOST_ROWS:
            some = np.sort(np.random.default_rng(0).permutation(X.shape[0])[:MOST_ROWS])
            found[name] = X[some], None if y is None else y[some]
    return found


# ---------------------------------------------------------------- alternatives


def dropping_rare_items(matrix: Any, k: int, knowledge: Any) -> float:
    """The ones of the most common items for which the promise holds: the rarest go until it does."""
    from sfumato.engines.baskets.cells.cores import only_columns

    order = np.argsort(-matrix.supports, kind="stable")
    low, high = 0, int(np.count_nonzero(matrix.supports >= k))
    while low < high:  # fewer columns never break what more columns keep
        middle = (low + high + 1) // 2
        if knowledge.least_rows(only_columns(matrix, order[:middle])) >= k:
            low = middle
        else:
            high = middle - 1
    return float(matrix.supports[order[:low]].sum() / len(matrix.indices))


def generalising_twin(matrix: Any, k: int, m: int = 2) -> dict[str, float]:
    """Global generalisation until every pair is shared by k rows; the ones that stay exact."""
    assert m == 2
    order = np.argsort(np.argsort(-matrix.supports, kind="stable"), kind="stable")
    X = matrix.to_csr().astype(np.int32)
    level = np.zeros(matrix.d, dtype=np.int64)
    for _ in range(60):
        node = order // 10**level + level * (matrix.d + 1)
        names, code = np.unique(node, return_inverse=True)
        grouping = sp.csr_matrix(
            (np.ones(matrix.d, dtype=np.int32), (np.arange(matrix.d), code)),
            shape=(matrix.d, len(names)),
        )
        G = (X @ grouping).tocsr()
        G.data[:] = 1
        pairs = (G.T @ G).tocoo()
        rare = (pairs.data < k) & (pairs.data > 0)
        if not rare.any():
            break
        supports = np.asarray(G.sum(axis=0)).ravel()
        a, b = pairs.row[rare], pairs.col[rare]
        worst = np.unique(np.where(supports[a] <= supports[b], a, b))
        up = np.isin(code, worst)
        parents = np.unique(order[up] // 10 ** (level[up] + 1) + (level[up] + 1) * (matrix.d + 1))
        parent_of = order // 10 ** (level + 1) + (level + 1) * (matrix.d + 1)
        level[np.isin(parent_of, parents)] += 1
    exact = level == 0
    return {
        "ones": float(matrix.supports[exact].sum() / max(len(matrix.indices), 1)),
        "columns": float(exact.mean()),
    }


# ---------------------------------------------------------------- one set


def quality(name: str, X: Any, y: np.ndarray | None, k: int) -> dict[str, Any]:
    """Measure every method on one set; each is a piece of its own, kept if the run is cut short."""
    from sfumato.engines.baskets.disclosure.knowledge import AttackerKnowledge
    from sfumato.engines.baskets.matrix.binary import as_binary
    from sfumato.engines.baskets.registry import SELECTORS

    matrix = as_binary(X)
    lengths = np.diff(matrix.indptr).astype(np.float64)
    triples = float((lengths * (lengths - 1) * (lengths - 2) / 6).sum())
    out: dict[str, Any] = {"rows": matrix.n, "items": matrix.d, "ones": len(matrix.indices)}
    on = _Set(matrix, y, k, score=k == K[0])

    def piece(what: str, work: Callable[[], Any]) -> Any:
        return resumed("baskets_sharing", f"{name}-{k}-{what}".replace(" ", "_"), work)

    highest = []
    for tag, knowledge in (("k-AC", AttackerKnowledge()), ("k2", AttackerKnowledge(2)), ("k3", AttackerKnowledge(3)),
                           ("k-anonymity", AttackerKnowledge(None, -1))):  # fmt: skip
        if tag == "k3" and triples > MOST_TRIPLES:
            continue
        table: dict[str, Any] = {}
        for method, way, spec in on.methods(tag, knowledge):
            found = piece(f"{tag}-{method}", lambda w=way, s=spec, t=tag: on.measured(w, s, t))
            highest.append(found.get("highest", 0.0))
            table[method] = _listed(found)
        ones = piece(f"{tag}-dropping", lambda q=knowledge: dropping_rare_items(matrix, k, q))
        table["dropping rare items"] = _listed({"ones": ones})
        if tag == "k2" and len(matrix.indices) <= 200_000:
            twin = generalising_twin(matrix, k)
            table["generalising, Apriori-style twin"] = _listed(twin)
        out[tag] = table
    out["highest_chance_of_any_attacker_under_k_AC"] = max(highest)
    if on.score:
        out["auc_of_everything"] = piece("everything", lambda: auc_of(matrix, y, None, None))
    out["ceilings"] = {
        "k-AC": piece("ceiling-k-AC", lambda: round(most_by_containment(matrix, k), 4)),
        "k2": piece("ceiling-k2", lambda: round(most_by_pairs(matrix, k), 4)),
    }
    columns = {n.removeprefix("columns, "): v[0] for n, v in out["k-AC"].items() if ", " in n}
    best = max(v for n, v in columns.items() if n in SELECTORS)
    offered = max(v for n, v in columns.items() if n in GREEDY)
    kept = {f"cells, {tag}": out[tag]["cells"][0] for tag in ("k-AC", "k2", "k3") if tag in out}
    kept |= {f"ceiling, {tag}": value for tag, value in out["ceilings"].items()}
    out["times_the_ones_of_columns"] = {n: round(v / best, 3) for n, v in kept.items()}
    out["times_the_ones_of_greedy_columns"] = {n: round(v / offered, 3) for n, v in kept.items()}
    return out


class _Set:
    """The rows of one set with what every method is measured by."""

    def __init__(self, matrix: Any, y: np.ndarray | None, k: int, *, score: bool) -> None:
        self.matrix, self.y, self.k = matrix, y, k
        self.score = score and y is not None
        self.positive = None if y is None else y == 1

    @cached_property
    def attackers(self) -> Any:
        from sfumato.engines.baskets.attack.linkage import Attackers, sample_people

        return Attackers(self.matrix, sample_people(self.matrix, 400, 0))

    @cached_property
    def measures(self) -> dict[str, Any]:
        from sfumato.engines.baskets.registry import MEASURES

        return {name: MEASURES[name].of(self.matrix, 0) for name in FIELDS if name in MEASURES}

    def methods(self, tag: str, knowledge: Any) -> Iterator[tuple[str, str, Any]]:
        """Yield the name of each method, its way to publish and what it is asked for."""
        from sfumato.engines.baskets.methods.protocol import MethodRequest
        from sfumato.engines.baskets.registry import SELECTORS

        k, positive = self.k, self.positive
        labels = positive is not None
        selectors = [
            name
            for name in (*GREEDY, "maximal", "maximal-frequent")
            if SELECTORS[name].refusal(self.matrix, flags=False, labels=labels) is None
        ]
        for name in {"k-AC": selectors, "k-anonymity": selectors[:4]}.get(tag, selectors[:1]):
            made = SELECTORS[name].make(k, "never", 0)
            yield f"columns, {name}", "columns", MethodRequest(k, knowledge, positive, made)
        yield "cells", "cells", MethodRequest(k, knowledge, positive)
        if labels and tag == "k-AC":
            for_class = MethodRequest(k, knowledge, positive, for_class=True)
            yield "cells, weighted by the class", "cells", for_class
            yield "columns and cells, by the class", "columns+cells", for_class
        if tag == "k-AC":
            yield "columns and cells", "columns+cells", MethodRequest(k, knowledge, positive)
        yield "rows", "rows", MethodRequest(k, knowledge, positive)
        yield "columns and rows", "columns+rows", MethodRequest(k, knowledge, positive)

    def measured(self, way: str, spec: Any, tag: str) -> dict[str, float]:
        from sfumato.engines.baskets.registry import METHODS

        start = time.process_time()
        made = METHODS[way].make(self.matrix, spec)
        entry = {"cpu_seconds": time.process_time() - start}
        file = made.matrix.take_rows(np.flatnonzero(made.rows))
        left = spec.knowledge.least_rows(file)
        assert left >= self.k or len(file.indices) == 0, (way, tag, left)
        entry |= {name: float(kept(made.matrix)) for name, kept in self.measures.items()}
        if tag == "k-AC" and len(file.indices):
            found = self.attackers.on(made.matrix, made.rows)
            entry["highest"] = max(f.highest for f in found)
            assert entry["highest"] <= 1 / self.k + 1e-12
        if self.score and tag in {"k-AC", "k2"}:
            entry["auc"] = auc_of(self.matrix, self.y, way, spec)
        return entry


def _listed(entry: dict[str, float]) -> list[float | None]:
    return [round(entry[name], 4) if name in entry else None for name in FIELDS]


def auc_of(matrix: Any, y: Any, way: str | None, spec: Any) -> float:
    from dataclasses import replace

    from sfumato.engines.baskets.matrix.targets import as_target
    from sfumato.engines.baskets.measures.prediction import score_release
    from sfumato.engines.baskets.registry import METHODS

    def release(part: Any, positive: Any) -> Any:
        if way is None:
            return part, np.ones(part.n, dtype=bool)
        made = METHODS[way].make(part, replace(spec, positive=positive))
        return made.matrix, made.rows

    return round(score_release(matrix, as_target(y, matrix.n), release, folds=FOLDS).value, 4)


# ---------------------------------------------------------------- scale


def one_size(n: int, d: int, ones: int, tag: str) -> dict[str, Any]:
    """Columns, or cells under some knowledge, on generated rows: made, written, audited, attacked."""
    import resource
    import tempfile

    from sfumato.data.baskets import Baskets, write_baskets
    from sfumato.engines.baskets.attack.linkage import Attackers, sample_people
    from sfumato.engines.baskets.disclosure.knowledge import AttackerKnowledge
    from sfumato.engines.baskets.matrix.binary import as_binary
    from sfumato.engines.baskets.methods.protocol import MethodRequest
    from sfumato.engines.baskets.registry import METHODS, SELECTORS

    promise = {"k2": AttackerKnowledge(2), "k-anonymity": AttackerKnowledge(None, -1)}.get(
        tag, AttackerKnowledge()
    )
    selector = SELECTORS["support"].make(5, "never", 0) if tag == "columns" else None
    way, spec = (
        ("cells" if selector is None else "columns"),
        MethodRequest(5, promise, selector=selector),
    )
    METHODS[way].make(as_binary(generated(2000, 300, 20_000)[0]), spec)  # compile
    matrix = as_binary(generated(n, d, ones, templates=20_000)[0])
    out: dict[str, Any] = {"rows": n, "items": d, "ones": len(matrix.indices), "what": tag}
    laps = [time.process_time()]

    def lap(what: str) -> None:
        laps.append(time.process_time())
        out[f"{what}_cpu_seconds"] = round(laps[-1] - laps[-2], 2)
        print(f"   {n:,} {tag} {what}: {out[f'{what}_cpu_seconds']} s", file=sys.stderr, flush=True)

    made = METHODS[way].make(matrix, spec)
    lap("make")
    assert promise.least_rows(made.matrix) >= 5
    lap("audit")
    with tempfile.TemporaryDirectory(prefix="sfumato-scale-") as folder:
        write_baskets(Baskets.of(made.matrix.to_csr()), Path(folder) / "release.npz")
        lap("write")
    found = Attackers(matrix, sample_people(matrix, 50, 0)).on(made.matrix, made.rows)
    if tag in {"k-AC", "columns"}:
        assert max(f.highest for f in found) <= 1 / 5 + 1e-12
    lap("attack")
    out["ones_kept"] = round(len(made.matrix.indices) / len(matrix.indices), 4)
    out["peak_gb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2)
    return out


def scale(sizes: list[tuple[int, int, int]]) -> list[dict[str, Any]]:
    """Each size and promise in a process of its own, so that the peak is its own."""
    found = []
    for size in sizes:
        for tag in ("columns", "k-AC", "k2", "k-anonymity"):
            key = f"rows-{size[0]}-{tag}"
            found.append(resumed("baskets_sharing", key, lambda s=(*size, tag): _alone(s)))
            print(f"   {found[-1]}", flush=True)
    return found


def _alone(arguments: tuple[Any, ...]) -> Any:
    code = (
        "import json; from benchmarks.baskets_sharing import one_size; "
        f"print(json.dumps(one_size{arguments}))"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
                          check=True, env=environment)  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


SIZES = [(10_000, 1_000, 90_000), (100_000, 10_000, 900_000), (1_000_000, 100_000, 9_000_000)]


def run() -> dict[str, Any]:
    folder = data_folder()
    if folder is None:
        return {"real data": "not there: quality was left out", "scale": scale(SIZES)}
    found = on_real_data(folder)
    return {
        "fields": FIELDS,
        "sets": found,
        "summary": summary(found),
        "scale": scale(SIZES),
    }


def on_real_data(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, (X, y) in sets(folder).items():
        found[name] = {f"k = {k}": quality(name.split(",")[0], X, y, k) for k in K}
        print(f"   {name}: {found[name]['k = 5']['times_the_ones_of_columns']}", flush=True)
    return found


def summary(found: dict[str, Any]) -> dict[str, Any]:
    """Medians of the ones that cells keep over those that columns keep, and the best AUC of each set."""
    out: dict[str, Any] = {}
    for k in K:
        for against in ("times_the_ones_of_columns", "times_the_ones_of_greedy_columns"):
            ratios = [s[f"k = {k}"][against] for s in found.values()]
            out[f"{against}, k = {k}"] = {
                name: {
                    "median": round(float(np.median([r[name] for r in ratios if name in r])), 3),
                    "least": min(r[name] for r in ratios if name in r),
                }
                for name in dict.fromkeys(name for r in ratios for name in r)
            }
    out["share_of_the_ceiling, k-AC, k = 5"] = {
        n: round(s["k = 5"]["k-AC"]["cells"][0] / s["k = 5"]["ceilings"]["k-AC"], 3)
        for n, s in found.items()
    }
    at = FIELDS.index("auc")
    for name, s in found.items():
        everything = s["k = 5"].get("auc_of_everything")
        if everything is None:
            continue
        scored = {n: v[at] for n, v in s["k = 5"]["k-AC"].items() if v[at] is not None}
        # the two that explore offers where the AUC is on the axis
        cells = max((n for n in scored if n.endswith("by the class")), key=lambda n: scored[n])
        columns = max((n for n in scored if n.startswith("columns, ")), key=lambda n: scored[n])
        out.setdefault("auc, k-AC, k = 5", {})[name] = {
            "everything": everything,
            "best with cells": scored[cells],
            "which": cells,
            "best columns": scored[columns],
            "within .01 of everything": everything - scored[cells] <= 0.01,
            "not lower than columns by more than .005": scored[columns] - scored[cells] <= 0.005,
        }
    return out
