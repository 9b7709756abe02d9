"""From a matrix to a frontier over k, methods of suppression and selectors.

Risk is 1/k, the promise against someone who knows what a person has; what absences add and how many rows
are unique are listed too. Utility is one of the measures of what is kept; the others are listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from ....compute import engine as compute_engine
from ....core.engine import Progress
from ....core.errors import DataError, ParameterError
from ....core.measures import Risk, Utility
from ....core.randomness import Streams
from ....core.records import InputFile
from ....data.baskets import Baskets
from ....data.tally import Tally
from ..attack.linkage import Attackers, sample_people
from ..cells.cores import Effort
from ..disclosure.inference import highest_confidence, places_of
from ..disclosure.knowledge import EVERYTHING, AttackerKnowledge, measure_disclosure
from ..exploration import BasketsExploration
from ..matrix.binary import BinaryMatrix, as_binary
from ..matrix.targets import PredictionTarget, as_target
from ..measures.prediction import AucScore, FoldScores, score_release
from ..measures.shift import ExploredColumns
from ..methods.protocol import MethodRequest, Proposal, make
from ..records import BasketsCandidate, BasketsFrontier, BasketsReference, EmptySelection
from ..registry import AUTO, MEASURES, METHODS, SCORE, SELECTORS
from ..request import BasketsRequest
from .selection import build_selector, flag_names, flags, names_in, risky_among, selector_builders

__all__ = [
    "WARNING",
    "explore",
    "knowledge_of",
]

_PEOPLE = 250  # looked for by each attacker while exploring
_LARGE = 2_000_000

WARNING = (
    "k-anonymity by containment protects against someone who knows what a person has. Someone who "
    "also knows absences may single people out: read unique_share and ac_under_absences beside ac."
)


def explore(request: BasketsRequest, *, progress: Progress) -> BasketsExploration:
    """Try every method at each k and place what it publishes on the frontier."""
    baskets = request.baskets()
    rows = as_binary(baskets.matrix)
    if rows.d == 0:
        raise DataError("The matrix has no features.", hint="give at least one column.")
    target = None if baskets.labels is None else as_target(baskets.labels, rows.n)
    search = _FrontierSearch(request, rows, target, baskets, progress)
    ks = _checked_ks(request.k, rows.n, request.folds if search.scored else None)
    found = search.candidates(ks)
    if not found:
        raise DataError(
            f"Nothing can be kept at k = {', '.join(map(str, ks))}: the selection is empty.",
            hint="try a smaller k; each feature must be held by at least k rows.",
        )
    candidates, area = BasketsExploration.mark_dominated(found)
    return BasketsExploration(
        BasketsFrontier(
            engine="baskets",
            seed=request.seed,
            request=request.to_record(),
            inputs=tuple(InputFile.of(path, len(baskets)) for path in baskets.files),
            axes={
                "risk": f"1/k: the promise against one who knows {search.knowledge.words}",
                "utility": search.words,
            },
            area=area,
            evaluations=len(found),
            candidates=candidates,
            references=(search.full_set(),),
            rows=rows.n,
            features_offered=rows.d,
            empty_rows=int(np.count_nonzero(np.diff(rows.indptr) == 0)),
            ones=len(rows.indices),
            positives=None if target is None else int(target.positive.sum()),
            utility=search.utility,
            promise=f"At least k rows are left to someone who knows {search.knowledge.words}.",
            empty_selections=tuple(search.empty),
            warning=WARNING,
        ),
        ExploredColumns.of(
            Tally.of(rows.indptr, rows.indices, baskets.feature_names),
            Streams(request.seed).seed_of("columns") >> 1,
        ),
    )


class _FrontierSearch:
    """The search: the rows, what is promised, and how what is kept is measured."""

    def __init__(
        self,
        request: BasketsRequest,
        rows: BinaryMatrix,
        target: PredictionTarget | None,
        baskets: Baskets,
        progress: Progress,
    ) -> None:
        self.request, self.rows, self.target = request, rows, target
        self.names = names = baskets.feature_names
        numbers = target is not None and target.kind == "number"
        self.classes = () if numbers else tuple(sorted(set(baskets.labels or ())))
        self.compute = compute_engine(request.engine, threads=request.threads)
        self.knowledge = knowledge_of(request.known_items, request.known_absences)
        self.utility = request.utility
        if self.utility == AUTO:
            self.utility = "ones" if target is None else SCORE
        self.scored = target is not None
        if self.utility == SCORE and target is None:
            raise DataError(
                "There are no labels, and a class to predict is needed for this utility.",
                hint="give --labels FILE, or another --utility, for example ones.",
            )
        if self.utility == "categories" and baskets.above is None:
            raise ParameterError(
                "The items have no categories, and a share of them is asked for.",
                hint="give --hierarchy FILE (hierarchy=…), or another --utility.",
            )
        risky = flags(flag_names(request.absence_risky), names)
        self.makers = selector_builders(request, rows, risky, labels=target is not None)
        if self.knowledge.items is not None and self.knowledge.items <= 2 and self.makers:
            few = "support"  # the columns do not depend on the selector
            self.makers = {few: partial(build_selector, SELECTORS[few], request, None)}
        listed = names_in(request.sensitive, "sensitive items")
        if listed is None and request.max_confidence < 1:
            raise ParameterError(
                "'max_confidence' is about sensitive items, and none are named.",
                hint="name them with --sensitive FILE (sensitive=…).",
            )
        self.sensitive = None if listed is None else places_of(names, listed)
        self.empty: list[EmptySelection] = []
        people = _PEOPLE if len(rows.indices) <= _LARGE else _PEOPLE // 5
        self.attackers = Attackers(
            rows, sample_people(rows, people, request.seed), absences=(0, 1), seed=request.seed
        )
        self.kept = {
            name: MEASURES[name].on(rows, request.seed, baskets.above) for name in MEASURES
        }
        self.folds = None
        if target is not None and target.kind == "two":
            self.folds = FoldScores(rows, target.positive, folds=request.folds, seed=request.seed)
        self.progress = progress

    @property
    def words(self) -> str:
        """What the utility axis shows."""
        if self.utility == SCORE:
            assert self.target is not None
            return f"{self.target.words}, released inside the training folds"
        return MEASURES[self.utility].kept

    def candidates(self, ks: Sequence[int]) -> list[BasketsCandidate]:
        jobs = [(name, spec) for k in ks for name, spec in self._jobs(k)]
        total = len(jobs) * (1 + (self.request.folds if self.scored else 0))
        step = partial(self.progress, total=total)
        found = []
        for name, (method, spec, selector) in jobs:
            made = make(METHODS[method], self.rows, spec)
            step()
            if len(made.matrix.indices) == 0:
                self.empty.append(EmptySelection(selector=name, k=spec.k))
                step(self.request.folds if self.scored else 0)
                continue
            found.append(self._candidate(name, method, spec, selector, made, step))
        return found

    def _jobs(self, k: int) -> Iterator[tuple[str, tuple[str, MethodRequest, str | None]]]:
        """Yield a name for every release to try at one k, and how it is made."""
        request = self.request
        positive = None if self.target is None else self.target.positive
        base = MethodRequest(
            k, self.knowledge, positive, seed=request.seed, max_rows_out=request.max_suppressed_rows,
            sensitive=self.sensitive, max_confidence=request.max_confidence,
        )  # fmt: skip
        methods = dict.fromkeys(request.method)
        # A classifier may want columns it can rely on.
        if self.utility == SCORE and "cells" in methods:
            methods["columns+cells"] = None
        for method in methods:
            if METHODS[method].selects:
                for name, make in self.makers.items():
                    yield name, (method, replace(base, selector=make(k)), name)
                continue
            # where a classifier is to learn, ones that separate the classes count for more
            yield method, (method, replace(base, for_class=self.utility == SCORE), None)

    def _candidate(
        self,
        name: str,
        method: str,
        spec: MethodRequest,
        selector: str | None,
        made: Proposal,
        step: Callable[..., None],
    ) -> BasketsCandidate:
        request, rows = self.request, self.rows
        file = made.matrix.take_rows(np.flatnonzero(made.rows)).project(made.features)
        score, on_all = self._scores(method, spec, made, step)
        kept = {name: float(measure(made.matrix)) for name, measure in self.kept.items()}
        on_axis = score if self.utility == SCORE else None
        risky = None
        if spec.selector is not None:
            given = spec.selector.get_params().get("absence_risky")
            risky = risky_among(given, made.features, rows.d)
        measured = measure_disclosure(file, request.absences, self.compute)
        return BasketsCandidate(
            id=f"{name}{self.knowledge.tag}-k{spec.k}",
            risk=Risk(1.0 / spec.k, attacker=f"knows {self.knowledge.words}"),
            utility=Utility(
                kept[self.utility] if on_axis is None else on_axis.value,
                None if on_axis is None else on_axis.interval,
                kept=self.words,
            ),
            k=spec.k,
            publish_as=method,
            known_items=self.knowledge.items,
            known_absences=self.knowledge.absences,
            for_class=spec.for_class,
            max_rows_out=spec.max_rows_out,
            promised=self.knowledge.least_rows(file),
            rows_out=int(np.count_nonzero(~made.rows)),
            ones=len(file.indices),
            kept=kept,
            selector=selector,
            stop=None if spec.selector is None else spec.selector.get_params().get("stop"),
            features=tuple(self.names[i] for i in made.features),
            absence_risky=None if risky is None else tuple(self.names[i] for i in risky),
            attack=self.attackers.on(made.matrix, made.rows),
            sensitive=None
            if self.sensitive is None
            else tuple(self.names[i] for i in self.sensitive),
            max_confidence=request.max_confidence,
            confidence=None
            if self.sensitive is None
            else highest_confidence(made.matrix, self.sensitive),
            classes=self.classes,
            numbers=self.target is not None and self.target.kind == "number",
            empty_rows=int(np.count_nonzero(np.diff(file.indptr) == 0)),
            auc=None if score is None else score.value,
            auc_by_fold=() if score is None else score.folds,
            auc_chosen_on_all_labels=on_all,
            counts_in_folds=() if score is None else score.counts,
            **measured.model_dump(exclude={"rows"}),
        )

    def _scores(
        self, method: str, spec: MethodRequest, made: Proposal, step: Callable[..., None]
    ) -> tuple[AucScore | None, float | None]:
        """Score the method inside training folds and, where columns are chosen, as the paper does, too."""
        target, request = self.target, self.request
        if target is None:
            return None, None
        plain = self.knowledge == AttackerKnowledge() and spec.max_confidence >= 1
        if method == "columns" and self.folds is not None and plain:
            assert spec.selector is not None
            nested = self.folds.score_selector(spec.selector, done=step)
            return nested, self.folds.of_features(made.features).value

        def release(
            part: BinaryMatrix, positive: npt.NDArray[np.bool_]
        ) -> tuple[BinaryMatrix, npt.NDArray[np.bool_]]:
            light = replace(spec, positive=positive, effort=Effort.quick())
            again = make(METHODS[method], part, light)
            return again.matrix, again.rows

        score = score_release(
            self.rows, target, release, folds=request.folds, seed=request.seed, done=step
        )
        return score, None

    def full_set(self) -> BasketsReference:
        """Return the unchanged matrix, on the same axes."""
        request, rows, target = self.request, self.rows, self.target
        measured = measure_disclosure(rows, request.absences, self.compute)
        auc = None
        if self.folds is not None:
            auc = self.folds.of_features(np.arange(rows.d))
        elif target is not None:
            auc = score_release(
                rows, target, lambda part, _: (part, np.ones(part.n, dtype=bool)),
                folds=request.folds, seed=request.seed,
            )  # fmt: skip
        on_axis = auc if self.utility == SCORE else None
        return BasketsReference(
            name="full feature set",
            risk=Risk(
                1.0 / max(1, self.knowledge.least_rows(rows)),
                attacker=f"knows {self.knowledge.words}",
            ),
            utility=Utility(
                1.0 if on_axis is None else on_axis.value,
                None if on_axis is None else on_axis.interval,
                kept=self.words,
            ),
            auc=None if auc is None else auc.value,
            kept=dict.fromkeys(MEASURES, 1.0),
            **measured.model_dump(exclude={"rows"}),
        )


def knowledge_of(items: int | None, absences: int | str) -> AttackerKnowledge:
    """Return the knowledge that a request names."""
    return AttackerKnowledge(items, EVERYTHING if absences == "all" else int(absences))


def _checked_ks(ks: Iterable[int], n: int, folds: int | None) -> list[int]:
    largest = max(ks)
    if largest > n:
        raise DataError(
            f"k = {largest} is larger than the number of rows ({n}).",
            hint="no selection of features can hide a row among more rows than there are.",
        )
    if folds is not None and largest > n - -(-n // folds):
        raise DataError(
            f"k = {largest} is larger than the number of rows in a training fold.",
            hint="lower k, or give more rows or folds.",
        )
    return sorted(set(ks))
