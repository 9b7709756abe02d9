"""From a labelled matrix to a frontier over k and selectors, and from a chosen candidate to a release.

Risk is 1/k, the promise against someone who knows what a person has; what absences add and how many rows
are unique stand beside it. Utility is the nested AUC. Publishing audits what was written, not what was
meant: a release whose AC is below k is refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...compute import engine as compute_engine
from ...compute.protocol import Compute
from ...core.errors import DataError, InputError, ParameterError, did_you_mean
from ...core.exploration import Candidate, Exploration, InputFile, Reference
from ...core.measures import Risk, Utility
from ...data.baskets import Baskets, as_baskets
from .binary import BinaryMatrix, as_binary, as_classes
from .containment import audit
from .evaluation import cross_validated_auc, nested_auc
from .publishing import publish
from .selectors import (
    BestSelector,
    ContainmentSelector,
    ExactSelector,
    GreedyDistCnt,
    GreedyHamDist,
    GreedyInformation,
    MaximalSelector,
)
from .selectors.exact import MOST_FEATURES

__all__ = ["ATTACKER", "SELECTORS", "explore", "load_exploration", "make_selector", "publish"]

ATTACKER = "knows everything the person has, and nothing of what the person lacks"
KEPT = "AUC of a linear SVM, features chosen inside the training folds"

SELECTORS: dict[str, Callable[[int, str, int], ContainmentSelector]] = {
    "hamdist": lambda k, stop, _seed: GreedyHamDist(k, stop=stop),
    "distcnt": lambda k, stop, _seed: GreedyDistCnt(k, stop=stop),
    "information": lambda k, stop, _seed: GreedyInformation(k, stop=stop),
    "conditional": lambda k, stop, _seed: GreedyInformation(k, stop=stop, criterion="conditional"),
    "maximal": lambda k, _stop, seed: MaximalSelector(k, random_state=seed),
    "maximal-frequent": lambda k, _stop, seed: MaximalSelector(
        k, family="frequent", random_state=seed
    ),
    "exact": lambda k, _stop, _seed: ExactSelector(k),
    "best": lambda k, _stop, seed: BestSelector(k, random_state=seed),
}


def make_selector(name: str, k: int, *, stop: str = "never", seed: int = 0) -> ContainmentSelector:
    """Make a selector by the name that the command line uses."""
    if name not in SELECTORS:
        raise ParameterError(
            f"There is no selector {name!r}.", hint=did_you_mean(name, [*SELECTORS, "all"])
        )
    return SELECTORS[name](k, stop, seed)


def _names(selector: str | Sequence[str], d: int) -> list[str]:
    names = [selector] if isinstance(selector, str) else list(selector)
    if not names:
        raise ParameterError(
            "At least one selector is needed.", hint="for example hamdist, or all."
        )
    if "all" in names:
        greedy = ["hamdist", "distcnt", "information", "conditional", "maximal-frequent"]
        exact = ["exact"] if d <= MOST_FEATURES else []
        names = [*greedy, *exact, *(name for name in names if name != "all")]
    for name in names:
        make_selector(name, 1)
    return list(dict.fromkeys(names))


def explore(
    matrix: Any,
    labels: Any = None,
    *,
    k: int | Iterable[int] = (5, 8, 11),
    selector: str | Sequence[str] | ContainmentSelector = "all",
    stop: str = "never",
    seed: int = 0,
    folds: int = 5,
    absences: Sequence[int] = (1, 2),
    absence_risky: Any = None,
    engine: str = "local",
    threads: int | None = None,
    progress: Callable[..., None] | None = None,
) -> Exploration:
    """Find feature sets for each k and place them on the frontier.

    `matrix` is baskets, a path, a scipy matrix, an array or a frame; `labels` one of two classes a
    row. `selector` is a name (see `SELECTORS`), several names, "all", or a selector of your own (its
    k is set here). `absence_risky` flags features (by name or index, or "all") whose absence an
    attacker may know. Candidates that another one dominates are listed too, marked as such. With
    `engine="spark"` equal rows are counted on a cluster.
    """
    started = time.monotonic()
    compute = compute_engine(engine, threads=threads)
    baskets = as_baskets(matrix, labels=labels)
    rows = as_binary(baskets.matrix)
    positive = as_classes(baskets.labels, rows.n)
    ks = _checked_ks(k, rows.n, folds)
    if rows.d == 0:
        raise DataError("The matrix has no features.", hint="give at least one column.")
    exploration = Exploration(
        "baskets",
        seed=seed,
        axes={
            "risk": "1/k: the promise against one who knows what a person has",
            "utility": "AUC of a linear SVM, features chosen inside the training folds",
        },
        inputs=_inputs(baskets),
        keep_dominated=True,
    )
    risky = _flags(absence_risky, baskets.feature_names)
    makers = _makers(selector, stop, seed, rows.d, risky)
    empty = []
    for wanted in ks:
        for name, make in makers.items():
            chosen_by = make(wanted)
            chosen = np.sort(chosen_by.fit(rows, positive).selected_)
            if len(chosen) == 0:
                empty.append({"selector": name, "k": wanted})
                continue
            candidate = _candidate(
                name,
                wanted,
                chosen=chosen,
                selector=chosen_by,
                names=baskets.feature_names,
                classes=sorted(set(baskets.labels or ())),
                rows=rows,
                positive=positive,
                folds=folds,
                seed=seed,
                absences=absences,
                compute=compute,
                progress=progress,
            )
            exploration.add(replace(candidate, publisher=partial(publish, candidate, seed=seed)))
            exploration.evaluations += 1
    if not exploration.candidates:
        raise DataError(
            f"No feature can be kept at k = {', '.join(map(str, ks))}: the selection is empty.",
            hint="try a smaller k; each feature must be held by at least k rows.",
        )
    exploration.references.append(_full_set(rows, positive, folds, seed, absences, compute))
    exploration.extra = {
        "rows": rows.n,
        "features_offered": rows.d,
        "empty_rows": int(np.count_nonzero(np.diff(rows.indptr) == 0)),
        "positives": int(positive.sum()),
        "folds": folds,
        "stop": stop,
        "empty_selections": empty,
        "warning": WARNING,
    }
    exploration.seconds = time.monotonic() - started
    return exploration


WARNING = (
    "k-anonymity by containment protects against someone who knows what a person has. Someone who "
    "also knows absences may single people out: read unique_share and ac_under_absences beside ac."
)


def _checked_ks(k: int | Iterable[int], n: int, folds: int) -> list[int]:
    ks = [k] if isinstance(k, int | np.integer) else list(k)
    for value in ks:
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
            raise ParameterError.constraint("k", "explore", "ints in [1, inf)", value)
    if not ks:
        raise ParameterError("At least one k is needed.", hint="for example --k 5,8,11.")
    if max(ks) > n:
        raise DataError(
            f"k = {max(ks)} is larger than the number of rows ({n}).",
            hint="no selection of features can hide a row among more rows than there are.",
        )
    if not isinstance(folds, int) or folds < 2:
        raise ParameterError.constraint("folds", "explore", "an int in [2, inf)", folds)
    if max(ks) > n - -(-n // folds):
        raise DataError(
            f"k = {max(ks)} is larger than the number of rows in a training fold.",
            hint="lower k, or give more rows or folds.",
        )
    return sorted({int(v) for v in ks})


def _flags(absence_risky: Any, names: Sequence[str]) -> Any:
    """Turn names or indices into a mask; "all" stays as it is."""
    if absence_risky is None or isinstance(absence_risky, str):
        return absence_risky
    flags = np.asarray(absence_risky)
    if flags.dtype.kind in "US":
        position = {name: i for i, name in enumerate(names)}
        unknown = [f for f in flags.tolist() if f not in position]
        if unknown:
            raise InputError(
                f"{len(unknown)} of the features flagged as risky by absence are not in the data.",
                hint="use the names of the features file or the header.",
            )
        return np.array([position[f] for f in flags.tolist()], dtype=np.intp)
    return flags


def _makers(
    selector: Any, stop: str, seed: int, d: int, risky: Any
) -> dict[str, Callable[[int], ContainmentSelector]]:
    if isinstance(selector, ContainmentSelector):
        from sklearn.base import clone

        name = type(selector).__name__.lower()
        return {name: lambda k: clone(selector).set_params(k=k)}

    def make(name: str, k: int) -> ContainmentSelector:
        made = make_selector(name, k, stop=stop, seed=seed)
        if risky is not None:
            if "absence_risky" not in made.get_params():
                raise ParameterError(
                    f"The selector {name!r} does not take absence flags.",
                    hint="use hamdist, distcnt, information or conditional.",
                )
            made.set_params(absence_risky=risky)
        return made

    names = _names(selector, d)
    if risky is not None and selector == "all":
        names = [name for name in names if name not in {"exact", "maximal-frequent"}]
    return {name: partial(make, name) for name in names}


def _candidate(
    name: str,
    k: int,
    *,
    chosen: npt.NDArray[np.intp],
    selector: ContainmentSelector,
    names: Sequence[str],
    classes: Sequence[str],
    rows: BinaryMatrix,
    positive: npt.NDArray[np.bool_],
    folds: int,
    seed: int,
    absences: Sequence[int],
    compute: Compute,
    progress: Callable[..., None] | None,
) -> Candidate:
    projected = rows.project(chosen)
    measured = audit(projected, absences=absences, compute=compute)
    nested = nested_auc(rows, positive, selector, folds=folds, seed=seed, done=progress)
    on_all = cross_validated_auc(projected, positive, folds=folds, seed=seed)
    report = measured.to_json()
    del report["rows"]
    risky = _risky_among(selector.get_params().get("absence_risky"), chosen, rows.d)
    details = {
        **report,
        **({} if risky is None else {"absence_risky": [names[i] for i in risky]}),
        "k": k,
        "selector": name,
        "stop": selector.get_params().get("stop"),
        "features": [names[i] for i in chosen],
        "classes": list(classes),
        "auc": nested.value,
        "auc_chosen_on_all_labels": on_all.value,
        "counts_in_folds": list(nested.counts),
        "empty_rows": int(np.count_nonzero(np.diff(projected.indptr) == 0)),
    }
    return Candidate(
        f"{name}-k{k}",
        Risk(1.0 / k, attacker=ATTACKER),
        Utility(nested.value, nested.interval, kept=KEPT),
        details,
    )


def _risky_among(flags: Any, chosen: npt.NDArray[np.intp], d: int) -> npt.NDArray[np.intp] | None:
    """List the chosen features whose absence is taken as known."""
    if flags is None:
        return None
    mask = np.zeros(d, dtype=bool)
    mask[slice(None) if isinstance(flags, str) else flags] = True
    return chosen[mask[chosen]]


def _full_set(
    rows: BinaryMatrix,
    positive: npt.NDArray[np.bool_],
    folds: int,
    seed: int,
    absences: Sequence[int],
    compute: Compute,
) -> Reference:
    measured = audit(rows, absences=absences, compute=compute)
    auc = cross_validated_auc(rows, positive, folds=folds, seed=seed)
    report = {**measured.to_json(), "auc": auc.value}
    report["utility_interval"] = [auc.interval.low, auc.interval.high]
    return Reference("full feature set", 1.0 / measured.ac, auc.value, report)


def _inputs(baskets: Baskets) -> list[InputFile]:
    return [InputFile.of(path, len(baskets)) for path in baskets.files]


def load_exploration(directory: str | Path) -> Exploration:
    """Read frontier.json back, with candidates that can publish."""
    found = Exploration.load(directory)
    if found.engine != "baskets":
        raise InputError(
            f"This frontier was made by the engine {found.engine!r}.",
            hint=f"use `sfumato {found.engine} publish`.",
        )
    restored = Exploration(
        found.engine, seed=found.seed, axes=found.axes, inputs=found.inputs,
        keep_dominated=found.keep_dominated,
    )  # fmt: skip
    for candidate in found.candidates:
        risk, utility = candidate.risk, candidate.utility
        full = replace(
            candidate,
            risk=Risk(risk.value, risk.interval, attacker=ATTACKER),
            utility=Utility(utility.value, utility.interval, kept=KEPT),
        )
        restored.add(replace(full, publisher=partial(publish, full, seed=found.seed)))
    restored.references = found.references
    restored.extra = found.extra
    restored.evaluations = found.evaluations
    restored.seconds = found.seconds
    restored.version = found.version
    return restored
