"""From a labelled matrix to a frontier over k and selectors.

Risk is 1/k, the promise against someone who knows what a person has; what absences add and how many rows
are unique stand beside it. Utility is the nested AUC.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ...compute import engine as compute_engine
from ...compute.protocol import Compute
from ...core.engine import Progress
from ...core.errors import DataError, InputError, ParameterError
from ...core.exploration import placed
from ...core.measures import Risk, Utility
from ...core.records import InputFile
from ...data.baskets import as_baskets
from .binary import BinaryMatrix, as_binary, as_classes
from .containment import audit
from .evaluation import cross_validated_auc, nested_auc
from .exploration import BasketsExploration
from .records import BasketsCandidate, BasketsFrontier, BasketsReference, EmptySelection
from .registry import ALL, SELECTORS
from .request import BasketsRequest
from .selectors.base import ContainmentSelector
from .selectors.offers import Offer

__all__ = ["ATTACKER", "KEPT", "WARNING", "explored", "make_selector"]

ATTACKER = "knows everything the person has, and nothing of what the person lacks"
KEPT = "AUC of a linear SVM, features chosen inside the training folds"
WARNING = (
    "k-anonymity by containment protects against someone who knows what a person has. Someone who "
    "also knows absences may single people out: read unique_share and ac_under_absences beside ac."
)


def make_selector(name: str, k: int, *, stop: str = "never", seed: int = 0) -> ContainmentSelector:
    """Return an unfitted selector by the name that the command line uses."""
    return cast("Offer", SELECTORS.named(name)).make(k, stop, seed)


def explored(request: BasketsRequest, *, progress: Progress) -> BasketsExploration:
    """Find feature sets for each k and place them on the frontier."""
    compute = compute_engine(request.engine, threads=request.threads)
    baskets = as_baskets(request.matrix, labels=request.labels)
    rows = as_binary(baskets.matrix)
    positive = as_classes(baskets.labels, rows.n)
    ks = _checked_ks(request.k, rows.n, request.folds)
    if rows.d == 0:
        raise DataError("The matrix has no features.", hint="give at least one column.")
    risky = _flags(_flag_names(request.absence_risky), baskets.feature_names)
    makers = _makers(request, rows, risky)
    found, empty = [], []
    folds = len(ks) * len(makers) * request.folds
    for wanted in ks:
        for name, make in makers.items():
            chosen_by = make(wanted)
            chosen = np.sort(chosen_by.fit(rows, positive).selected_)
            if len(chosen) == 0:
                empty.append(EmptySelection(selector=name, k=wanted))
                progress(request.folds, total=folds)
                continue
            found.append(
                _candidate(
                    name,
                    wanted,
                    chosen=chosen,
                    selector=chosen_by,
                    names=baskets.feature_names,
                    classes=sorted(set(baskets.labels or ())),
                    rows=rows,
                    positive=positive,
                    request=request,
                    compute=compute,
                    progress=partial(progress, total=folds),
                )
            )
    if not found:
        raise DataError(
            f"No feature can be kept at k = {', '.join(map(str, ks))}: the selection is empty.",
            hint="try a smaller k; each feature must be held by at least k rows.",
        )
    candidates, area = placed(found)
    return BasketsExploration(
        BasketsFrontier(
            engine="baskets",
            seed=request.seed,
            request=request.to_record(),
            inputs=tuple(InputFile.of(path, len(baskets)) for path in baskets.files),
            axes={
                "risk": "1/k: the promise against one who knows what a person has",
                "utility": KEPT,
            },
            area=area,
            evaluations=len(found),
            candidates=candidates,
            references=(_full_set(rows, positive, request, compute),),
            rows=rows.n,
            features_offered=rows.d,
            empty_rows=int(np.count_nonzero(np.diff(rows.indptr) == 0)),
            positives=int(positive.sum()),
            empty_selections=tuple(empty),
            warning=WARNING,
        )
    )


def _checked_ks(ks: Iterable[int], n: int, folds: int) -> list[int]:
    largest = max(ks)
    if largest > n:
        raise DataError(
            f"k = {largest} is larger than the number of rows ({n}).",
            hint="no selection of features can hide a row among more rows than there are.",
        )
    if largest > n - -(-n // folds):
        raise DataError(
            f"k = {largest} is larger than the number of rows in a training fold.",
            hint="lower k, or give more rows or folds.",
        )
    return sorted(set(ks))


def _flag_names(absence_risky: Any) -> Any:
    """Read a file of feature names; everything else stays as it is."""
    if absence_risky is None or not isinstance(absence_risky, str | Path) or absence_risky == "all":
        return absence_risky
    from ...data._basket_files import read_lines

    return np.asarray(read_lines(Path(absence_risky), what="risky features"))


def _flags(absence_risky: Any, names: Sequence[str]) -> Any:
    """Turn names into indices; indices, masks and "all" stay as they are."""
    if absence_risky is None or isinstance(absence_risky, str):
        return absence_risky
    flags = np.asarray(absence_risky)
    if flags.dtype.kind not in "US":
        return flags
    position = {name: i for i, name in enumerate(names)}
    unknown = [f for f in flags.tolist() if f not in position]
    if unknown:
        raise InputError(
            f"{len(unknown)} of the features flagged as risky by absence are not in the data.",
            hint="use the names of the features file or the header.",
        )
    return np.array([position[f] for f in flags.tolist()], dtype=np.intp)


def _makers(
    request: BasketsRequest, rows: BinaryMatrix, risky: Any
) -> dict[str, Callable[[int], ContainmentSelector]]:
    """Return the selectors asked for; one that cannot run here is refused before any work."""
    makers: dict[str, Callable[[int], ContainmentSelector]] = {}
    for asked in request.selector:
        if isinstance(asked, ContainmentSelector):
            makers[type(asked).__name__.lower()] = partial(_cloned, asked)
            continue
        for name in SELECTORS if asked == ALL else (str(asked),):
            offer = cast("Offer", SELECTORS.named(name))
            refusal = offer.refusal(rows, flags=risky is not None)
            if refusal is None:
                makers.setdefault(name, partial(_made, offer, request, risky))
            elif asked != ALL:
                raise ParameterError(
                    f"The selector {name!r} {refusal}.",
                    hint="choose another one, or all: every selector that can run here.",
                )
    return makers


def _cloned(selector: ContainmentSelector, k: int) -> ContainmentSelector:
    from sklearn.base import clone

    made: ContainmentSelector = clone(selector).set_params(k=k)
    return made


def _made(offer: Offer, request: BasketsRequest, risky: Any, k: int) -> ContainmentSelector:
    made = offer.make(k, request.stop, request.seed)
    if risky is not None:
        made.set_params(absence_risky=risky)
    return made


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
    request: BasketsRequest,
    compute: Compute,
    progress: Callable[..., None],
) -> BasketsCandidate:
    projected = rows.project(chosen)
    measured = audit(projected, absences=request.absences, compute=compute).to_json()
    del measured["rows"]
    nested = nested_auc(
        rows, positive, selector, folds=request.folds, seed=request.seed, done=progress
    )
    on_all = cross_validated_auc(projected, positive, folds=request.folds, seed=request.seed)
    risky = _risky_among(selector.get_params().get("absence_risky"), chosen, rows.d)
    return BasketsCandidate(
        id=f"{name}-k{k}",
        risk=Risk(1.0 / k, attacker=ATTACKER),
        utility=Utility(nested.value, nested.interval, kept=KEPT),
        k=k,
        selector=name,
        stop=selector.get_params().get("stop"),
        features=tuple(names[i] for i in chosen),
        absence_risky=None if risky is None else tuple(names[i] for i in risky),
        classes=tuple(classes),
        empty_rows=int(np.count_nonzero(np.diff(projected.indptr) == 0)),
        auc=nested.value,
        auc_chosen_on_all_labels=on_all.value,
        counts_in_folds=nested.counts,
        **measured,
    )


def _risky_among(flags: Any, chosen: npt.NDArray[np.intp], d: int) -> npt.NDArray[np.intp] | None:
    """Return the chosen features whose absence is taken as known."""
    if flags is None:
        return None
    mask = np.zeros(d, dtype=bool)
    mask[slice(None) if isinstance(flags, str) else flags] = True
    return chosen[mask[chosen]]


def _full_set(
    rows: BinaryMatrix,
    positive: npt.NDArray[np.bool_],
    request: BasketsRequest,
    compute: Compute,
) -> BasketsReference:
    measured = audit(rows, absences=request.absences, compute=compute)
    auc = cross_validated_auc(rows, positive, folds=request.folds, seed=request.seed)
    fields = measured.to_json()
    del fields["rows"]
    return BasketsReference(
        name="full feature set",
        risk=Risk(1.0 / measured.ac, attacker=ATTACKER),
        utility=Utility(auc.value, auc.interval, kept=KEPT),
        auc=auc.value,
        **fields,
    )
