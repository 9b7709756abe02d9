"""The tables engine: one object that every surface calls."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ...core.engine import Call, Engine, Part, Progress, Verb, no_progress
from ...core.errors import ParameterError
from ...core.story import Story
from ...data.statistics_files import SUFFIXES
from .exploration import TablesExploration
from .records import TablesCandidate, TablesRelease
from .request import (
    MappingRequest,
    SchemaRequest,
    StudyRequest,
    TablesChoice,
    TablesPublishRequest,
    TablesRequest,
)

if TYPE_CHECKING:
    from pydantic import JsonValue

    from .release.steps import Frame

__all__ = ["ENGINE", "TablesEngine"]

_DATA = (".csv", ".tsv", ".parquet", *SUFFIXES)
_MAPPINGS = (".csv", ".sql", ".json")


class TablesEngine(Engine):
    """Tables: the frontier of de-identification policies, risk against information loss."""

    name: ClassVar[str] = "tables"
    title: ClassVar[str] = "Tables"
    summary: ClassVar[str] = (
        "Generalise a table: explore risk against usefulness, choose a policy, publish."
    )
    order: ClassVar[int] = 10
    Request = TablesRequest
    PublishRequest = TablesPublishRequest
    Choice = TablesChoice
    Exploration = TablesExploration
    Release = TablesRelease
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
            <candidate 5cf6202e3e: risk 0.5, utility 0.05746>
        """
    }

    def explore(
        self, request: TablesRequest, *, progress: Progress = no_progress
    ) -> TablesExploration:
        """Search the policies of a table for the frontier of risk against utility."""
        from .frontier.steps import explored

        return explored(request, progress=progress)

    def publish(
        self,
        exploration: TablesExploration,
        candidate: TablesCandidate,
        request: TablesPublishRequest,
        *,
        out: Path | None,
        force: bool = False,
        progress: Progress = no_progress,  # noqa: ARG002 (the rows stream inside the database)
    ) -> TablesRelease | Frame:
        """Write a table as a candidate says, in its own format, and measure what was written."""
        from .release.steps import published

        return published(
            exploration.policy(candidate),
            candidate,
            request,
            terms=exploration.terms,
            seed=exploration.record.seed,
            out=out,
            force=force,
        )

    def story(self, part: Part) -> Story:
        """Return the part of a report about a table."""
        from .story.part import story

        return story(part)

    def verbs(self) -> Sequence[Verb]:
        """Return the commands beyond explore and publish."""
        return (
            Verb(
                "schema",
                "Draft a schema from a table, for you to check and edit.",
                SchemaRequest,
                _schema,
                writes="optional",
            ),
            Verb(
                "mapping",
                "Export a candidate's policy: its mapping as CSV or SQL CASE, or the policy as JSON.",
                MappingRequest,
                _mapping,
            ),
            Verb(
                "study",
                "Repeat the paper's experiments on a table: figures 5 to 8 as data and charts.",
                StudyRequest,
                _study,
            ),
        )

    def draft(self, file: Path, others: Mapping[str, Path], folder: Path) -> list[str] | None:
        """Return the lines of a plan's section for a table; its schema is drafted where none is named."""
        if Path(file.name.removesuffix(".gz")).suffix.lower() not in _DATA:
            return None
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
            f"table = {_beside(file, folder)}",
            f"schema = {_beside(schema, folder)}",
        ]
        if "population" in others:
            lines.append(f"population = {_beside(others['population'], folder)}")
        return [
            *lines,
            "evaluations = 4000",
            "choose = { knee = true }   # or { max_risk = 0.01 }",
            "",
        ]


def _beside(path: Path, folder: Path) -> str:
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
    with whole_file(call.out, force=call.force) as beside:
        beside.write_text(text, encoding="utf-8")
    call.say(f"Draft written to {call.out}. Check every role and domain before you use it.")
    return {"out": str(call.out)}


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
    found = TablesExploration.load(Path(request.frontier))
    candidate = request.of(found)
    chosen = found.policy(candidate)
    save = save_policy if call.out.suffix.lower() == ".json" else save_mapping
    save(chosen, call.out, force=call.force)
    for name, treatment in chosen.summary().items():
        call.say(f"{name}: {treatment}")
    return {"out": str(call.out), "candidate": candidate.id, "summary": dict(chosen.summary())}


def _study(request: StudyRequest, call: Call) -> Mapping[str, JsonValue]:
    from ...core.files import check_output

    assert call.out is not None
    check_output(call.out, force=call.force)
    study = import_module("sfumato.laboratory.tables.study").study
    facts: Mapping[str, JsonValue] = study(
        request.table, request.schema_, request.population, call.out,
        evaluations=request.evaluations, runs=request.runs, sublattices=request.sublattices,
        seed=request.seed, force=call.force, say=call.say,
    )  # fmt: skip
    call.say(f"Figures written to {call.out}.")
    return facts


ENGINE = TablesEngine()
