"""The tables engine: one object that every surface calls."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ...core.engine import AnyVerb, Call, Engine, Part, Progress, Verb, no_progress
from ...core.errors import ParameterError

if TYPE_CHECKING:
    from pydantic import JsonValue

    from ...core.publication import Publication
    from ...core.request import Request as AnyRequest
    from ...core.story import Story
    from .attack_records import TablesAttack
    from .exploration import TablesExploration
    from .records import TablesCandidate, TablesRelease
    from .request import (
        MappingRequest,
        SchemaRequest,
        TablesAttackRequest,
        TablesChoice,
        TablesPublishRequest,
        TablesRequest,
        TablesStudyRequest,
    )
    from .tabulation.request import TabulateRequest
    from .update_request import UpdateRequest

__all__ = ["ENGINE", "TablesEngine"]

_SHARED = (".csv", ".tsv", ".parquet")  # forms that other engines may read too
_MAPPINGS = (".csv", ".sql", ".json")


class TablesEngine(
    Engine[
        "TablesRequest",
        "TablesPublishRequest",
        "TablesExploration",
        "TablesCandidate",
        "TablesRelease",
    ]
):
    """Tables: the frontier of de-identification policies, risk against information loss."""

    name: ClassVar[str] = "tables"
    title: ClassVar[str] = "Tables"
    summary: ClassVar[str] = (
        "Generalise a table: explore risk against usefulness, choose a policy, publish."
    )
    order: ClassVar[int] = 10
    figures: ClassVar[Mapping[str, tuple[str, str]]] = {
        "smallest group": ("measured.k", "k"),
        "maximum risk": ("measured.risks.prosecutor_max", "risks.prosecutor_max"),
        "average risk": ("measured.risks.prosecutor_average", "risks.prosecutor_average"),
        "maximum risk in the population": ("measured.risks.journalist_max", "risks.journalist_max"),
        "average risk in the population": (
            "measured.risks.journalist_average",
            "risks.journalist_average",
        ),
        "sample uniqueness": ("measured.risks.sample_uniqueness", "risks.sample_uniqueness"),
        "population uniqueness": (
            "measured.risks.population_uniqueness",
            "risks.population_uniqueness",
        ),
        "distinct sensitive values": ("measured.l_diversity", "l_diversity"),
        "distance of sensitive values": ("measured.t_closeness", "t_closeness"),
        "records left out": ("measured.suppressed", "suppressed"),
    }
    examples: ClassVar[Mapping[str, str]] = {
        "explore": """
            >>> import sfumato as sf
            >>> people = {"age": [23, 27, 34, 36, 41, 48], "sex": ["f", "m", "f", "m", "f", "m"]}
            >>> schema = {"attribute": [
            ...     {"name": "age", "role": "quasi", "domain": {"range": [20, 49]}},
            ...     {"name": "sex", "role": "quasi", "domain": "observed"},
            ... ]}
            >>> found = sf.tables.explore(people, schema=schema)
            >>> found.choose(max_risk=0.5)
            <candidate a7865484ef: risk 0.5, utility 0.08147>
        """
    }

    @property
    def Request(self) -> type[TablesRequest]:
        """The parameters of explore."""
        from .request import TablesRequest

        return TablesRequest

    @property
    def PublishRequest(self) -> type[TablesPublishRequest]:
        """The parameters of publish."""
        from .request import TablesPublishRequest

        return TablesPublishRequest

    @property
    def Choice(self) -> type[TablesChoice]:
        """The ways of choosing a candidate."""
        from .request import TablesChoice

        return TablesChoice

    @property
    def AttackRequest(self) -> type[TablesAttackRequest]:
        """The parameters of attack."""
        from .request import TablesAttackRequest

        return TablesAttackRequest

    @property
    def Attack(self) -> type[TablesAttack]:
        """The record of an attack."""
        from .attack_records import TablesAttack

        return TablesAttack

    @property
    def Exploration(self) -> type[TablesExploration]:
        """What explore returns."""
        from .exploration import TablesExploration

        return TablesExploration

    @property
    def Release(self) -> type[TablesRelease]:
        """The record of a publication."""
        from .records import TablesRelease

        return TablesRelease

    def explore(
        self, request: TablesRequest, *, progress: Progress = no_progress
    ) -> TablesExploration:
        """Search the policies of a table for the frontier of risk against utility."""
        from .frontier.steps import explore

        return explore(request, progress=progress)

    def publish(
        self,
        exploration: TablesExploration,
        candidate: TablesCandidate,
        request: TablesPublishRequest,
        *,
        out: Path | None,
        force: bool = False,
        progress: Progress = no_progress,  # noqa: ARG002 (the rows stream inside the database)
    ) -> Publication[TablesRelease]:
        """Write a table by a candidate, in the input's format, and measure what was written."""
        from ...core.publication import Publication
        from .records import TablesRelease
        from .release.steps import publish

        made = publish(
            exploration.policy(candidate),
            candidate,
            request,
            payload=exploration.payload,
            seed=exploration.record.seed,
            frontier=exploration.record.current_mark(),
            out=out,
            force=force,
        )
        if isinstance(made, TablesRelease):
            return Publication(made, out)
        return Publication(data=made)

    def attack(self, request: AnyRequest, call: Call) -> TablesAttack:
        """Measure what a release and earlier ones of the same people reveal together."""
        from .attack.steps import attack
        from .request import TablesAttackRequest

        assert isinstance(request, TablesAttackRequest)
        return attack(request, call)

    def story(self, part: Part) -> Story:
        """Return the part of a report about a table."""
        from .story.part import story

        return story(part)

    def verbs(self) -> Sequence[AnyVerb]:
        """Return the commands beyond explore and publish."""
        from .request import MappingRequest, SchemaRequest, TablesStudyRequest
        from .tabulation.request import TabulateRequest
        from .update_request import UpdateRequest

        return (
            Verb(
                "schema",
                "Draft a schema from a table, for you to check and edit.",
                SchemaRequest,
                _schema,
                writes="optional",
            ),
            Verb(
                "update",
                "Show what changed in new data since its schema was written.",
                UpdateRequest,
                _update,
                writes="no",
            ),
            Verb(
                "mapping",
                "Export a candidate's policy: its mapping as CSV or SQL CASE, or the policy as JSON.",
                MappingRequest,
                _mapping,
            ),
            Verb(
                "tabulate",
                "Count a release or a table by columns, with small counts hidden, rounded or noisy.",
                TabulateRequest,
                _tabulate,
            ),
            Verb(
                "study",
                "Repeat the paper's experiments on a table: figures 5 to 8 as data and charts.",
                TablesStudyRequest,
                _study,
            ),
        )

    def claim(self, file: Path) -> float:
        """Claim tables by their suffix."""
        from ...data.statistics_files import SUFFIXES

        suffix = Path(file.name.removesuffix(".gz")).suffix.lower()
        return 0.5 if suffix in _SHARED else 1.0 if suffix in SUFFIXES else 0.0

    def draft(self, file: Path, others: Mapping[str, Path], folder: Path) -> list[str]:
        """Return the lines of a plan's section for a table; its schema is drafted where none is named."""
        schema = others.get("schema")
        if schema is None:
            from ...core.files import whole_file
            from ...data.schema_draft import draft_schema

            schema = folder / "schema.toml"
            text = draft_schema(file)
            with whole_file(schema) as partial:
                partial.write_text(text, encoding="utf-8")
        lines = [
            "[tables]",
            f"table = {_relative_path(file, folder)}",
            f"schema = {_relative_path(schema, folder)}",
        ]
        if "population" in others:
            lines.append(f"population = {_relative_path(others['population'], folder)}")
        return [
            *lines,
            "evaluations = 4000",
            "choose = { knee = true }   # or { max_risk = 0.01 }",
            "",
        ]


def _relative_path(path: Path, folder: Path) -> str:
    return json.dumps(Path(os.path.relpath(path.absolute(), folder.absolute())).as_posix())


def _schema(request: SchemaRequest, call: Call) -> Mapping[str, JsonValue]:
    from ...core.files import check_output, whole_file
    from ...data.schema_draft import draft_schema

    if call.out is None:
        text = draft_schema(request.table)
        call.say(text.rstrip("\n"))
        return {"schema": text}
    check_output(call.out, force=call.force)
    text = draft_schema(request.table)
    with whole_file(call.out, force=call.force) as partial:
        partial.write_text(text, encoding="utf-8")
    call.say(f"Draft written to {call.out}. Check every role and domain before you use it.")
    return {"out": str(call.out)}


def _update(request: UpdateRequest, call: Call) -> Mapping[str, JsonValue]:
    from .schema_update import changes_of

    found = changes_of(request.schema_, request.table)
    for change in found:
        call.say(change.in_words())
    if not found:
        call.say("Nothing changed: the schema fits the data.")
    return {"changes": [vars(change) for change in found]}


def _mapping(request: MappingRequest, call: Call) -> Mapping[str, JsonValue]:
    from ...core.files import check_output
    from .space.policy_files import save_mapping, save_policy

    assert call.out is not None
    if call.out.suffix.lower() not in _MAPPINGS:
        raise ParameterError(
            f"The output {call.out.name!r} is not named as a mapping.",
            hint="use .csv, .sql or .json.",
        )
    check_output(call.out, force=call.force)
    found = ENGINE.load(Path(request.frontier))
    candidate = request.of(found)
    chosen = found.policy(candidate)
    save = save_policy if call.out.suffix.lower() == ".json" else save_mapping
    save(chosen, call.out, force=call.force)
    for name, treatment in chosen.summary().items():
        call.say(f"{name}: {treatment}")
    return {"out": str(call.out), "candidate": candidate.id, "summary": dict(chosen.summary())}


def _tabulate(request: TabulateRequest, call: Call) -> Mapping[str, JsonValue]:
    from ...core.files import check_output, whole_file
    from ...core.storage.ownership import refuse_inputs
    from .tabulation.steps import tabulate
    from .tabulation.writing import check_suffix, write_counts

    assert call.out is not None
    check_suffix(call.out)
    check_output(call.out, force=call.force)
    refuse_inputs(call.out, [path for _, path in request.input_files()])
    found = tabulate(request.table, request.by, request.rule)
    with whole_file(call.out, force=call.force) as partial:
        write_counts(found, partial, call.out.suffix.lower())
    for line in found.lines():
        call.say(line)
    return {"out": str(call.out), "cells": int(found.shown.size), "hidden": found.hidden}


def _study(request: TablesStudyRequest, call: Call) -> Mapping[str, JsonValue]:
    from ...core.studies import STUDIES

    return STUDIES["tables"](request, call)


ENGINE = TablesEngine()
