"""From a plan to one release and one report: explore, choose, publish and report, engine by engine.

A run is a journal of finished steps; if interrupted, it resumes where it stopped, and the same plan gives
the same bytes. What may leave the house lies in `release/`; frontiers and learned models, which were made
from the sensitive data, lie apart in `private/`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from .compute.journal import Journal, Part, fingerprint
from .core.errors import WithheldError
from .core.files import read_json, sha256_of
from .core.plan import Plan, Section, data_parameter
from .core.quarantine import QUARANTINE, quarantine_of
from .core.records import RELEASE_FILE

__all__ = ["RunResult", "refuse_withheld", "run"]

Say = Callable[[str], None]


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
    """Do what a plan says: read, explore, choose, publish, report.

    Parameters
    ----------
    plan_file : path
        The plan.
    out : path, optional
        Where the output goes instead of where the plan says.
    force : bool, default=False
        Whether an existing output of sfumato may be replaced.
    say : callable
        Called with a line for each step.

    """
    plan_path = Path(plan_file)
    plan = Plan.load(plan_path)
    target = plan_path.absolute().parent / plan.out if out is None else Path(out)
    key = fingerprint(
        plan=plan.content, inputs=[(name, sha256_of(file)) for name, file in plan.input_files()]
    )
    with Journal(target, key, force=force) as journal:
        if not journal.finished:
            _Run(plan, plan_path, journal, say).all_steps()
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
    journal: Journal
    say: Say

    def all_steps(self) -> None:
        for name, section in self.plan.sections.items():
            self._step(f"{name}-frontier", partial(self._explore, section))
            self._step(f"{name}-release", partial(self._publish, section))
        self._step("report", self._report)

    def _step(self, name: str, work: Callable[[Part], None]) -> None:
        if self.journal.has(name):
            self.say(f"{name}: done before")
            return
        self.say(f"{name} …")
        with self.journal.part(name) as part:
            work(part)

    def _explore(self, section: Section, part: Part) -> None:
        found = section.engine.explore(section.request)
        part.path.mkdir()
        found.save(part.path)

    def _publish(self, section: Section, part: Part) -> None:
        """Publish with force: what lies at a step's place was left by an interrupted run of ours."""
        engine = section.engine
        exploration = engine.load(self.journal.path(f"{engine.name}-frontier"))
        candidate = section.choice.of(exploration)
        self.say(f"  chosen: {candidate.id}")
        chained = section.published_from is not None
        request = section.publish_request(self._data(section), chained=chained)
        engine.publish(exploration, candidate, request, out=part.path, force=True)
        listed = quarantine_of(part.path)
        if listed.exists():  # kept with the step, and laid out apart from the release at the end
            os.replace(listed, part.path / QUARANTINE)

    def _data(self, section: Section) -> object:
        if section.published_from is not None:
            released = self.journal.path(f"{section.published_from}-release")
            record = read_json(released / RELEASE_FILE)
            return released / str(record["outputs"][0]["path"])
        if section.publish is not None:
            return section.publish
        return section.request.public()[data_parameter(type(section.request))]

    def _report(self, part: Part) -> None:
        from .report import write_report

        steps = [self.journal.path(name) for name in self.journal.names]
        part.path.mkdir()
        write_report(steps, out=part.path, pdf=self.plan.pdf, plan=self.plan_path)


def _assemble(plan: Plan, plan_path: Path, journal: Journal, built: Path) -> None:
    """Lay the finished steps out: release/ may leave the house, private/ stays."""
    (built / "release").mkdir(parents=True)
    (built / "private").mkdir()
    consumed = {section.published_from for section in plan.sections.values()}
    for name in plan.sections:
        shutil.copytree(journal.path(f"{name}-frontier"), built / "private" / name)
        step, target = journal.path(f"{name}-release"), built / "release" / name
        if (step / QUARANTINE).exists():
            shutil.copy(step / QUARANTINE, built / "private" / name / QUARANTINE)
        if name in consumed:  # another part publishes what this one wrote: only its record is kept
            target.mkdir()
            shutil.copyfile(step / RELEASE_FILE, target / RELEASE_FILE)
        else:
            shutil.copytree(step, target, ignore=shutil.ignore_patterns(QUARANTINE))
    for file in sorted(journal.path("report").iterdir()):
        shutil.copyfile(file, built / file.name)
    shutil.copyfile(plan_path, built / "plan.toml")


def _verdicts(folder: Path) -> tuple[str, ...]:
    """Return the first sentence that the report says of each part, as plain text."""
    from .presentation.numbers import plain
    from .report.parts import find_parts, stories

    return tuple(plain(s.verdict[0]) for s in stories(find_parts([folder])) if s.verdict)
