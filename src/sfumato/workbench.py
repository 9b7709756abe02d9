"""From a plan to one release and one report: explore, choose, publish and report, engine by engine.

A run is a journal of finished steps; if interrupted, it resumes where it stopped, and the same plan gives
the same bytes. What may be published is in `release/`; frontiers and learned models, which were made
from the sensitive data, are separate in `private/`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from .compute.journal import Journal, JournalEntry, fingerprint
from .core.engine import Progress, no_progress
from .core.errors import WithheldError
from .core.files import read_json, sha256_of, write_json
from .core.plan import Plan, Section, data_parameter
from .core.publication import unread_sentence, withheld_sentence
from .core.records import FIGURES_FILE, RELEASE_FILE
from .core.storage.disk import make_private, remove, set_modes
from .core.storage.private_folder import private_folder_of
from .core.storage.quarantine import QUARANTINE, UNREAD, quarantine_of, read_unread
from .presentation.language import check_language

__all__ = ["RunResult", "refuse_withheld", "run"]

Say = Callable[[str], None]
_PRIVATE = "private"  # the folder of a step for what must not be published with its release


@dataclass(frozen=True, slots=True)
class RunResult:
    """Where a run's output is, its verdicts, and how many records were withheld or not read."""

    out: Path
    report: Path
    verdicts: tuple[str, ...]
    withheld: int
    unread: int = 0
    """How many records exploring could not read; all of them may be among those that were withheld."""


def run(
    plan: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    say: Say | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Do what a plan says: read, explore, choose, publish, report.

    Parameters
    ----------
    plan : path
        The plan, a TOML file.
    out : path, optional
        Where the output goes instead of where the plan says.
    force : bool, default=False
        Whether an existing output of sfumato may be replaced.
    say : callable, optional
        Called with a line for each step.
    progress : callable, optional
        Called when a step is done, with the total number of steps and a note.

    Returns
    -------
    RunResult
        Where the output is, what the report says first of each part, and how many records were withheld or not read.

    """
    from .reports.signing import load_signing_key, sign_files

    plan_path = Path(plan)
    content = Plan.load(plan_path)
    check_language(content.language)
    key = None if content.sign is None else load_signing_key(content.sign)
    target = plan_path.absolute().parent / content.out if out is None else Path(out)
    made_from = fingerprint(
        plan=content.content,
        inputs=[(name, sha256_of(file)) for name, file in content.input_files()],
    )
    read = [plan_path, *(file for _, file in content.input_files())]
    with Journal(target, made_from, force=force, inputs=read, folder=True) as journal:
        if not journal.finished:
            _PlanRun(
                content, plan_path, journal, say or _say_nothing, progress or no_progress
            ).all_steps()

            def assemble(built: Path) -> None:
                _assemble(content, plan_path, journal, built)
                if key is not None:
                    sign_files(built, built, (), key, kept="private")

            journal.finish(assemble)
    verdicts, withheld = _outcome(target)
    unread = sum(len(read_unread(folder)) for folder in (target / "private").iterdir())
    return RunResult(target, target / "report.html", verdicts, withheld, unread)


def refuse_withheld(result: RunResult) -> None:
    """End with an error when records were withheld or not read, so that nobody overlooks it."""
    if result.withheld:
        raise WithheldError(
            withheld_sentence(result.withheld),
            hint=f"{result.out / 'private'} lists them by id, with the reason ({QUARANTINE}).",
        )
    if result.unread:
        raise WithheldError(
            unread_sentence(result.unread),
            hint=f"{result.out / 'private'} lists them by id, with the reason ({UNREAD}).",
        )


def _say_nothing(line: str) -> None:
    """Print nothing of a step."""


@dataclass
class _PlanRun:
    plan: Plan
    plan_path: Path
    journal: Journal
    say: Say
    progress: Progress

    def all_steps(self) -> None:
        sections = self.plan.sections
        passed_on = {s.published_from for s in sections.values()} - {None}
        for name, section in sections.items():
            self._step(f"{name}-frontier", partial(self._explore, section))
        for name, section in sections.items():
            if section.published_from is not None:
                self._chain(sections[section.published_from], section)
            elif name not in passed_on:
                self._step(f"{name}-release", partial(self._publish, section))
        self._step("report", self._report)

    def _chain(self, first: Section, second: Section) -> None:
        """Publish one part from what another wrote, and keep only the record of the first.

        The data in between is half treated (a register whose notes are not yet sanitised): it is in
        the work folder, which only its owner can read, while these two steps run, and at no other time.
        """
        steps = [f"{section.engine.name}-release" for section in (first, second)]
        if all(map(self.journal.has, steps)):
            self.say(f"{', '.join(steps)}: done before")
            self._done(2)
            return
        self.say(f"{steps[0]} …")
        with self.journal.part(steps[0], sync=False) as between:
            self._publish(first, between)
            record = first.engine.Release.from_json(read_json(between.path / RELEASE_FILE))
            self.say(f"{steps[1]} …")
            with self.journal.part(steps[1]) as part:
                self._publish(second, part, between.path / record.outputs[0].path)
            record = record.with_figures([between.path / _PRIVATE / FIGURES_FILE])
            # A codebook, which explains the records, is published; the records were passed on.
            kept_files = {file.path for file in record.outputs if file.rows is None}
            for entry in between.path.iterdir():
                if entry.name not in {RELEASE_FILE, QUARANTINE, _PRIVATE, *kept_files}:
                    remove(entry)
            # What was passed on is not published: its hash would be an oracle on the raw notes.
            outputs = tuple(
                file if file.path in kept_files else file.with_mark() for file in record.outputs
            )
            kept = record.model_copy(update={"outputs": outputs})
            kept.save(between.path)
            write_json(between.path / _PRIVATE / FIGURES_FILE, kept.to_json(), force=True)

    def _done(self, steps: int = 1) -> None:
        self.progress(steps, total=2 * len(self.plan.sections) + 1, note="steps of the plan done")

    def _step(self, name: str, work: Callable[[JournalEntry], None]) -> None:
        if self.journal.has(name):
            self.say(f"{name}: done before")
            self._done()
            return
        self.say(f"{name} …")
        with self.journal.part(name) as part:
            work(part)
        self._done()

    def _explore(self, section: Section, part: JournalEntry) -> None:
        found = section.engine.explore(section.request)
        part.path.mkdir()
        found.save(part.path)

    def _publish(self, section: Section, part: JournalEntry, data: Path | None = None) -> None:
        """Publish with force: what is at a step's place was left by an interrupted run of ours."""
        engine = section.engine
        exploration = engine.load(self.journal.path(f"{engine.name}-frontier"))
        candidate = section.choice.of(exploration)
        self.say(f"  chosen: {candidate.id}")
        request = section.publish_request(data or _data_of(section))
        engine.publish(exploration, candidate, request, out=part.path, force=True)
        listed = quarantine_of(part.path)
        if listed.exists():  # kept with the step, and laid out apart from the release at the end
            os.replace(listed, part.path / QUARANTINE)
        _keep_private(part.path)

    def _report(self, part: JournalEntry) -> None:
        from .reports import ReportForm, write_report

        steps = [self.journal.path(name) for name in self.journal.names]
        part.path.mkdir()
        form = ReportForm(pdf=self.plan.pdf, regime=self.plan.regime, language=self.plan.language)
        write_report(steps, form, out=part.path, plan=self.plan_path)
        _keep_private(part.path)


def _data_of(section: Section) -> object:
    """Return what a section publishes: what it names, or the data that it explored."""
    if section.publish is not None:
        return section.publish
    return section.request.public()[data_parameter(type(section.request))]


def _keep_private(step: Path) -> None:
    """Move what the steward keeps into the folder of its step, to be laid out apart at the end."""
    if (kept := private_folder_of(step)).exists():
        os.replace(kept, step / _PRIVATE)


def _assemble(plan: Plan, plan_path: Path, journal: Journal, built: Path) -> None:
    """Lay the finished steps out: release/ may be published, private/ stays."""
    (built / "release").mkdir(parents=True)
    (built / "private").mkdir()
    for name in plan.sections:
        shutil.copytree(journal.path(f"{name}-frontier"), built / "private" / name)
        step, target = journal.path(f"{name}-release"), built / "release" / name
        if (step / QUARANTINE).exists():
            shutil.copy(step / QUARANTINE, built / "private" / name / QUARANTINE)
        shutil.copytree(step, target, ignore=shutil.ignore_patterns(QUARANTINE, _PRIVATE))
        if (step / _PRIVATE).is_dir():
            shutil.copytree(step / _PRIVATE, built / "private" / name, dirs_exist_ok=True)
    report = journal.path("report")
    shutil.copytree(report, built, ignore=shutil.ignore_patterns(_PRIVATE), dirs_exist_ok=True)
    if (report / _PRIVATE).is_dir():
        shutil.copytree(report / _PRIVATE, built / "private", dirs_exist_ok=True)
    shutil.copyfile(plan_path, built / "plan.toml")
    set_modes(built, private=False)
    make_private(built / "private")


def _outcome(folder: Path) -> tuple[tuple[str, ...], int]:
    """Return the first sentence of the report on each part, as plain text, and how many records were withheld."""
    from .presentation.numbers import plain
    from .reports.parts import find_parts, stories

    parts = find_parts([folder])
    releases = [part.release for part in parts if part.release is not None]
    withheld = sum(release.left_out.get("withheld", 0) for release in releases)
    return tuple(plain(story.verdict[0]) for story in stories(parts) if story.verdict), withheld
