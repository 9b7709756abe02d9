"""The baskets engine: feature sets that hide every person among k, from exploring to the report."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ...core.engine import AnyVerb, Call, Engine, Part, Progress, Verb, no_progress
from ...core.errors import InputError

if TYPE_CHECKING:
    from pydantic import JsonValue

    from ...core.publication import Publication
    from ...core.request import Request as AnyRequest
    from ...core.story import Story
    from .exploration import BasketsExploration
    from .records import BasketsAttack, BasketsCandidate, BasketsRelease
    from .request import (
        BasketsAttackRequest,
        BasketsAuditRequest,
        BasketsHierarchyRequest,
        BasketsPublishRequest,
        BasketsRequest,
        BasketsStudyRequest,
        BasketsTopicsRequest,
    )

__all__ = ["ENGINE", "BasketsEngine"]


class BasketsEngine(
    Engine[
        "BasketsRequest",
        "BasketsPublishRequest",
        "BasketsExploration",
        "BasketsCandidate",
        "BasketsRelease",
    ]
):
    """Sparse 0/1 rows under k-anonymity by containment."""

    name: ClassVar[str] = "baskets"
    title: ClassVar[str] = "Baskets"
    summary: ClassVar[str] = (
        "Sparse 0/1 rows (purchases, diagnoses, words): hide every person among k."
    )
    order: ClassVar[int] = 30
    figures: ClassVar[Mapping[str, tuple[str, str]]] = {
        "smallest group": ("promised", "promised"),
        "rows left": ("measured.smallest_group", "smallest_group"),
        "unique rows": ("measured.unique_share", "unique_share"),
    }
    examples: ClassVar[Mapping[str, str]] = {
        "explore": """
            >>> import sfumato as sf
            >>> rows = [[1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1], [1, 1, 1], [1, 1, 0]]
            >>> found = sf.baskets.explore(rows, k=2, publish_as="columns")
            >>> found.knee()
            <candidate support-k2: risk 0.5, utility 0.7692>
        """
    }

    @property
    def Request(self) -> type[BasketsRequest]:
        """The parameters of explore."""
        from .request import BasketsRequest

        return BasketsRequest

    @property
    def PublishRequest(self) -> type[BasketsPublishRequest]:
        """The parameters of publish."""
        from .request import BasketsPublishRequest

        return BasketsPublishRequest

    @property
    def AttackRequest(self) -> type[BasketsAttackRequest]:
        """The parameters of attack."""
        from .request import BasketsAttackRequest

        return BasketsAttackRequest

    @property
    def Exploration(self) -> type[BasketsExploration]:
        """What explore returns."""
        from .exploration import BasketsExploration

        return BasketsExploration

    @property
    def Release(self) -> type[BasketsRelease]:
        """The record of a publication."""
        from .records import BasketsRelease

        return BasketsRelease

    @property
    def Attack(self) -> type[BasketsAttack]:
        """The record of an attack."""
        from .records import BasketsAttack

        return BasketsAttack

    def explore(
        self, request: BasketsRequest, *, progress: Progress = no_progress
    ) -> BasketsExploration:
        """Try the methods of suppression for each k; return a frontier of risk (1/k) and utility."""
        from .frontier.steps import explore

        return explore(request, progress=progress)

    def publish(
        self,
        exploration: BasketsExploration,
        candidate: BasketsCandidate,
        request: BasketsPublishRequest,
        *,
        out: Path | None,
        force: bool = False,
        progress: Progress = no_progress,
    ) -> Publication[BasketsRelease]:
        """Write the matrix by the candidate, in the input's format, and audit what was written."""
        from ...core.publication import Publication
        from .release.steps import publish, publish_in_memory

        request = request.as_explored(exploration.record.request)
        if out is None:
            data = publish_in_memory(
                candidate, request, seed=exploration.record.seed, columns=exploration.columns
            )
            return Publication(data=data)
        release = publish(
            candidate, request, out, seed=exploration.record.seed, columns=exploration.columns,
            frontier=exploration.record.current_mark(), force=force, progress=progress,
        )  # fmt: skip
        return Publication(release, out)

    def attack(self, request: AnyRequest, call: Call) -> BasketsAttack:
        """Look for people in the releases of candidates, by a few of their items."""
        from .attack.steps import attack
        from .request import BasketsAttackRequest

        assert isinstance(request, BasketsAttackRequest)
        return attack(request, call)

    def story(self, part: Part) -> Story:
        """Return the baskets part of a report."""
        from .story.part import story

        return story(part)

    def verbs(self) -> Sequence[AnyVerb]:
        """Return the audit of any file, a learned hierarchy, the entity score and the paper's study."""
        from .request import (
            BasketsAuditRequest,
            BasketsHierarchyRequest,
            BasketsStudyRequest,
            BasketsTopicsRequest,
        )

        return (
            Verb(
                "audit",
                "Measure what an unchanged file reveals to someone with some knowledge.",
                BasketsAuditRequest,
                _audit,
                writes="no",
            ),
            Verb(
                "hierarchy",
                "Learn groups of items that people have together, for --hierarchy.",
                BasketsHierarchyRequest,
                _hierarchy,
            ),
            Verb(
                "topics",
                "Score how widely each row's items spread over topics (rows shared by several people).",
                BasketsTopicsRequest,
                _topics,
                writes="no",
            ),
            Verb(
                "study",
                "Reproduce the paper's tables (AUC by method and k) and figure (differential privacy).",
                BasketsStudyRequest,
                _study,
            ),
        )

    def claim(self, file: Path) -> float:
        """Claim matrices by their suffix."""
        suffix = Path(file.name.removesuffix(".gz")).suffix.lower()
        return 1.0 if suffix in {".npz", ".svm", ".libsvm"} else 0.0

    def draft(self, file: Path, others: Mapping[str, Path], folder: Path) -> list[str]:
        """Return the plan section of a matrix."""
        if "labels" not in others:
            raise InputError(
                f"The matrix {file.name!r} needs its labels.", hint="give --labels FILE."
            )

        def relative_path(path: Path) -> str:
            return json.dumps(Path(os.path.relpath(path.absolute(), folder)).as_posix())

        return [
            "[baskets]",
            f"matrix = {relative_path(file)}",
            f"labels = {relative_path(others['labels'])}",
            "k = [5, 8, 11]",
            "choose = { knee = true }   # or { max_risk = 0.2 }",
            "",
        ]


def _audit(request: BasketsAuditRequest, call: Call) -> Mapping[str, JsonValue]:
    from ...compute.local import Local
    from .containment.posets import table_containment
    from .disclosure.knowledge import measure_disclosure
    from .matrix.binary import as_binary

    if request.ordered or request.equal:
        k = table_containment(request.matrix, request.ordered, request.equal)
        call.say(f"At least {k} rows fit what is known of a person by these columns.")
        return {"ac": k, "ordered": list(request.ordered), "equal": list(request.equal)}
    found = measure_disclosure(as_binary(request.baskets().matrix), request.absences, Local())
    call.say(
        f"{found.rows:,} rows, {found.count:,} features; rows left at least, by what is known:"
    )
    for m, left in found.left_by_items.items():
        exact = "" if found.items_exact[m] else " or fewer"
        call.say(f"  {'at most ' + m + ' item' + 's' * (m != '1'):34} {left:,}{exact}")
    call.say(f"  {'any items':34} {found.ac:,}")
    for m, left in found.ac_under_absences.items():
        exact = "" if found.absences_exact[m] else " or fewer"
        call.say(
            f"  {'any items, at most ' + m + ' absence' + 's' * (m != '1'):34} {left:,}{exact}"
        )
    call.say(f"  {'everything':34} {found.smallest_group:,}")
    call.say(f"{found.unique_share:.1%} of the rows are unique.")
    return found.to_json()


def _hierarchy(request: BasketsHierarchyRequest, call: Call) -> Mapping[str, JsonValue]:
    import csv

    from ...core.errors import DataError
    from ...core.storage.staging import whole_file
    from .matrix.co_occurrence import learn_hierarchy

    assert call.out is not None
    baskets = request.baskets()
    lines = learn_hierarchy(
        baskets.matrix, baskets.feature_names, size=request.size, min_rows=request.min_rows,
        seed=request.seed,
    )  # fmt: skip
    if not lines:
        raise DataError(
            f"No item is held by {request.min_rows} rows or more.", hint="lower --min-rows."
        )
    groups, sections = len({line[1] for line in lines}), len({line[2] for line in lines})
    with (
        whole_file(call.out, force=call.force, inputs=baskets.files) as path,
        path.open("w", encoding="utf-8", newline="") as stream,
    ):
        csv.writer(stream, delimiter=";", lineterminator="\n").writerows(lines)
    call.say(
        f"{len(lines):,} items in {groups:,} groups and {sections:,} sections, learned from what people "
        "have together. Read them before use: the file itself tells about the people, and is not part "
        "of a release."
    )
    return {"items": len(lines), "groups": groups, "sections": sections, "learned": True}


def _topics(request: BasketsTopicsRequest, call: Call) -> Mapping[str, JsonValue]:
    from .measures.topics import topic_entropy_auc

    baskets = request.baskets()
    auc = topic_entropy_auc(
        baskets.matrix, baskets.labels, topics=request.topics, seed=request.seed
    )
    call.say(f"AUC of the topic entropy of each row: {auc:.3f}")
    return {"auc": auc, "topics": request.topics}


def _study(request: BasketsStudyRequest, call: Call) -> Mapping[str, JsonValue]:
    from ...core.studies import STUDIES

    return STUDIES["baskets"](request, call)


ENGINE = BasketsEngine()
