"""The only switchboard: from a plan to the engines, and from them to one release and one report.

A run is a journal of finished steps: explore, publish, report. Killed at any point it goes on where it was,
and the same plan gives the same bytes. What may leave the house lies in `release/`; the frontiers and the
learned models, which were made from the sensitive data, lie apart in `private/`.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .compute.journal import Journal, Part, fingerprint
from .core.errors import WithheldError
from .core.exploration import Candidate, Exploration
from .core.files import read_json, sha256_of, write_json
from .core.plan import Plan
from .core.quarantine import QUARANTINE, quarantine_of
from .core.release import RELEASE_FILE

__all__ = ["RunResult", "refuse_withheld", "run"]

Say = Callable[[str], None]
_EXTRA_TIMES = ("seconds", "elapsed")  # a plan repeats to the byte: what was timed is not kept


@dataclass(frozen=True, slots=True)
class RunResult:
    """Where a run's output lies, its verdicts, and how many records were withheld."""

    out: Path
    report: Path
    verdicts: tuple[str, ...]
    withheld: int


def run(
    plan_file: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    say: Say = lambda _: None,
) -> RunResult:
    """Do what a plan says: read, explore, choose, publish, attack, report."""
    plan_path = Path(plan_file)
    plan = Plan.load(plan_path)
    folder = plan_path.absolute().parent
    target = folder / plan.out if out is None else Path(out)
    files = plan.input_files()
    key = fingerprint(
        plan=plan.model_dump(mode="json", by_alias=True),
        inputs={name: sha256_of(folder / name) for _, name in files},
    )
    with Journal(target, key, force=force) as journal:
        if not journal.finished:
            _Run(plan, plan_path, folder, journal, say).all_steps()
            journal.finish(lambda built: _assemble(plan, plan_path, journal, built))
    withheld = sum(len(read_json(path).get("withheld", ())) for path in target.rglob(RELEASE_FILE))
    return RunResult(target, target / "report.html", _verdicts(target), withheld)


def refuse_withheld(result: RunResult) -> None:
    """End with an error when records were withheld, so that nobody overlooks it."""
    if result.withheld:
        raise WithheldError(
            f"{result.withheld:,} records could not be processed and were withheld.",
            hint=f"{result.out / 'private'} lists them by id, with the reason ({QUARANTINE}).",
        )


@dataclass
class _Run:
    plan: Plan
    plan_path: Path
    folder: Path
    journal: Journal
    say: Say

    def all_steps(self) -> None:
        if self.plan.tables:
            self._step("tables-frontier", self._explore_tables)
            self._step("tables-release", self._publish_tables)
        if self.plan.text:
            self._step("text-frontier", self._explore_text)
            self._step("text-release", self._publish_text)
        if self.plan.baskets:
            self._step("baskets-frontier", self._explore_baskets)
            self._step("baskets-release", self._publish_baskets)
        self._step("report", self._report)

    def _step(self, name: str, work: Callable[[Part], None]) -> None:
        if self.journal.has(name):
            self.say(f"{name}: done before")
            return
        self.say(f"{name} …")
        with self.journal.part(name) as part:
            work(part)

    def _path(self, name: str) -> Path:
        return self.folder / name

    def _save(self, found: Exploration, part: Part) -> None:
        """Save a frontier with paths relative to the plan and without times."""
        found.inputs = [replace(i, path=self._relative(i.path)) for i in found.inputs]
        found.seconds = None
        found.extra = _without_times(found.extra)
        part.path.mkdir()
        found.save(part.path)

    def _relative(self, path: str) -> str:
        return Path(os.path.relpath(os.path.abspath(path), self.folder)).as_posix()

    # A step publishes with force: what lies at its place is left of a killed run, and ours.

    def _published(self, part: Part) -> None:
        """Name the inputs of a release relative to the plan, or by the step that made them."""
        path = part.path / RELEASE_FILE
        record = read_json(path)
        steps = self.journal.path("tables-release") if self.journal.has("tables-release") else None
        for entry in record["inputs"]:
            inside = steps is not None and Path(os.path.abspath(entry["path"])).is_relative_to(
                steps
            )
            entry["path"] = Path(entry["path"]).name if inside else self._relative(entry["path"])
        write_json(path, record, force=True)
        listed = quarantine_of(part.path)
        if listed.exists():  # kept with the step, and laid out apart from the release at the end
            os.replace(listed, part.path / QUARANTINE)

    # --- tables ----------------------------------------------------------------------------------

    def _explore_tables(self, part: Part) -> None:
        from .engines import tables

        wish = self.plan.tables
        assert wish is not None
        found = tables.explore(
            self._path(wish.table),
            schema=self._path(wish.table_schema),
            population=None if wish.population is None else self._path(wish.population),
            strategy=wish.strategy,
            evaluations=wish.evaluations,
            seed=self.plan.seed,
        )
        self._save(found, part)

    def _publish_tables(self, part: Part) -> None:
        from .engines import tables

        wish = self.plan.tables
        assert wish is not None
        found = tables.load_exploration(self.journal.path("tables-frontier"))
        self._chosen(wish.choose.of(found)).publish(
            self._path(wish.table), out=part.path, force=True
        )
        self._published(part)

    # --- text ------------------------------------------------------------------------------------

    def _documents(self, path: Path) -> Any:
        """Read documents by the plan's columns; a table has no ids once its identifiers are gone."""
        from .data.documents import read_documents

        wish = self.plan.text
        assert wish is not None
        if path.suffix in {".csv", ".tsv", ".parquet"} or path.name.endswith(
            (".csv.gz", ".tsv.gz")
        ):
            numbered = wish.publish == "tables"
            return read_documents(
                path, text=wish.text_column, id=None if numbered else wish.id_column
            )
        return read_documents(path)

    def _explore_text(self, part: Part) -> None:
        from .engines import text

        wish = self.plan.text
        assert wish is not None
        found = text.explore(
            self._documents(self._path(wish.corpus)),
            labels=wish.labels,
            background=[self._path(f) for f in wish.background],
            unlabelled=[self._path(f) for f in wish.unlabelled],
            ratios=wish.ratios,
            folds=wish.folds,
            learner=wish.learner,
            mode=wish.mode,
            attackers=None,
            budgets=wish.budgets,
            seed=self.plan.seed,
        )
        self._save(found, part)

    def _publish_text(self, part: Part) -> None:
        from .engines.text.exploration import TextExploration

        wish = self.plan.text
        assert wish is not None
        found = TextExploration.load(self.journal.path("text-frontier"))
        if wish.publish == "tables":
            assert self.plan.tables is not None
            released = self.journal.path("tables-release")
            ours = (RELEASE_FILE, QUARANTINE)
            source = next(p for p in sorted(released.iterdir()) if p.name not in ours)
        else:
            source = self._path(wish.publish or wish.corpus)
        self._chosen(wish.choose.of(found)).publish(
            self._documents(source), out=part.path, replacement=wish.replace, force=True
        )
        self._published(part)

    # --- baskets ---------------------------------------------------------------------------------

    def _explore_baskets(self, part: Part) -> None:
        from .engines import baskets

        wish = self.plan.baskets
        assert wish is not None
        found = baskets.explore(
            self._path(wish.matrix),
            labels=self._path(wish.labels),
            k=wish.k,
            selector=wish.selector,
            stop=wish.stop,
            seed=self.plan.seed,
        )
        self._save(found, part)

    def _publish_baskets(self, part: Part) -> None:
        from .engines import baskets

        wish = self.plan.baskets
        assert wish is not None
        found = baskets.load_exploration(self.journal.path("baskets-frontier"))
        self._chosen(wish.choose.of(found)).publish(
            self._path(wish.matrix), labels=self._path(wish.labels), out=part.path
        )
        self._published(part)

    # --- all -------------------------------------------------------------------------------------

    def _chosen(self, candidate: Candidate) -> Candidate:
        self.say(f"  chosen: {candidate.id}")
        return candidate

    def _report(self, part: Part) -> None:
        from .report import write_report

        steps = [self.journal.path(name) for name in self.journal.names]
        part.path.mkdir()
        write_report(steps, out=part.path, pdf=self.plan.pdf, plan=self.plan_path)


def _without_times(extra: Mapping[str, Any]) -> dict[str, Any]:
    def cleaned(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {k: cleaned(v) for k, v in value.items() if k not in _EXTRA_TIMES}
        if isinstance(value, list):
            return [cleaned(v) for v in value]
        return value

    return {key: cleaned(value) for key, value in extra.items() if key not in _EXTRA_TIMES}


def _assemble(plan: Plan, plan_path: Path, journal: Journal, built: Path) -> None:
    """Lay the finished steps out: release/ may leave the house, private/ stays."""
    (built / "release").mkdir(parents=True)
    (built / "private").mkdir()
    for name in journal.names:
        engine, _, step = name.partition("-")
        if step == "frontier":
            shutil.copytree(journal.path(name), built / "private" / engine)
        elif step == "release":
            passed_on = (
                engine == "tables" and plan.text is not None and plan.text.publish == "tables"
            )
            target = built / "release" / engine
            listed = journal.path(name) / QUARANTINE
            if listed.exists():
                shutil.copy(listed, built / "private" / engine / QUARANTINE)
            if passed_on:  # its notes are not yet sanitised: only the record of the step is kept
                target.mkdir()
                shutil.copyfile(journal.path(name) / RELEASE_FILE, target / RELEASE_FILE)
            else:
                shutil.copytree(
                    journal.path(name), target, ignore=shutil.ignore_patterns(QUARANTINE)
                )
    for file in sorted(journal.path("report").iterdir()):
        shutil.copyfile(file, built / file.name)
    shutil.copyfile(plan_path, built / "plan.toml")


def _verdicts(folder: Path) -> tuple[str, ...]:
    """Give the first sentence that the report says of each part, as plain text."""
    from .report.facts import gather
    from .report.words import stories

    mark = re.compile(r"\[\[[^|\]]*\|([^\]]*)\]\]")
    return tuple(
        mark.sub(r"\1", story.verdict[0]) for story in stories(gather([folder])) if story.verdict
    )
