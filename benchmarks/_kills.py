"""Kill runs (SIGKILL), resume them, and compare with an undisturbed run.

    python -m benchmarks._kills KIND 100       a hundred kills at random moments
    python -m benchmarks._kills KIND steps     a kill before each call that changes a name on the disk
    python -m benchmarks._kills KIND steps 0 40 60   the same for the steps from 40 to 59

KIND is text, files (a folder of several kinds), tables, baskets, run, report or serve. Half of the runs replace an earlier output (--force), but
for a project at the local page, which is never replaced. Beside
the output lie files of somebody else, which must stay as they are. Each run is a forked process, so that
nothing is left of a killed one but its files; modules are loaded before, because loading them takes longer
than the work, but nothing that starts threads is used.
"""

from __future__ import annotations

import ast
import csv
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from sfumato.core.randomness import Streams

Run = Callable[[Path], Any]
_HANGS = 300.0  # seconds after which a run that nobody disturbs has failed


def content_of(path: Path) -> dict[str, bytes]:
    """Give all files below a path."""
    return {
        str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()
    }


def attempt(
    work: Run, out: Path, kill_after: float | None, *, step: int | None = None
) -> tuple[bool, bool]:
    """Do the work in a fork; return whether it ended by itself, and whether it ended well.

    With `step` the fork kills itself before so many calls that change a name.
    """
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), 2)
                if step is not None:
                    _die_before(step)
                work(out)
            status = 0
        except BaseException as error:
            from sfumato.core.errors import OutputExistsError

            status = 3 if isinstance(error, OutputExistsError) else 1
        finally:
            os._exit(status)
    deadline = time.monotonic() + (_HANGS if kill_after is None else kill_after)
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            ended = os.waitstatus_to_exitcode(status)
            return ended >= 0, ended in (0, 3)
        if time.monotonic() >= deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return kill_after is None, False
        time.sleep(0.0005)


def _die_before(step: int) -> None:
    """Let this process be killed before its n-th call that changes a name."""
    from sfumato.core.storage import disk, work_folder

    calls = 0

    def watched(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **named)

        return call

    places: list[tuple[Any, str]] = [
        (os, name) for name in ("mkdir", "rmdir", "rename", "replace", "unlink", "remove", "link")
    ]
    for place, name in [*places, (disk, "rename_by"), (work_folder, "rename_by")]:
        setattr(place, name, watched(getattr(place, name)))


class Trial:
    """One kind of work, killed again and again; counts what differed afterwards."""

    def __init__(self, work: Callable[..., None], folder: Path, *, replaces: bool = True) -> None:
        self.work, self.folder, self.replaces = work, folder, replaces
        self.reference = folder / "undisturbed" / "out"
        self.reference.parent.mkdir()
        start = time.monotonic()
        _, well = attempt(work, self.reference, None)
        self.seconds = time.monotonic() - start
        if not well:
            raise RuntimeError("the undisturbed run failed")
        self.wanted = content_of(self.reference)
        self.kills = self.runs = self.different = self.left = self.failed = self.touched = 0

    def round(self, kill: Callable[[Callable[..., None], Path], bool]) -> None:
        """Set a place up, let `kill` disturb the work there until it ends, and compare."""
        place = self.folder / "place"
        place.mkdir()
        (place / "thesis.tex").write_text("years of work")
        self.runs += 1
        work = self.work
        if self.replaces and self.runs % 2 == 0:  # an earlier output stands there and is replaced
            shutil.copytree(self.reference, place / "out")
            for record in (place / "out").rglob("release.json"):  # and is not the new one
                record.write_bytes(record.read_bytes() + b"\n")
            work = partial(self.work, force=True)
        well = kill(work, place / "out")
        self.failed += not well
        found = content_of(place / "out")
        other = sorted(k for k in {*found, *self.wanted} if found.get(k) != self.wanted.get(k))
        if other:
            self.different += 1
            print(f"different: {', '.join(other)}", file=sys.stderr)
            if keep := os.environ.get("KEEP_DIFFERENT"):
                shutil.copytree(place, Path(keep) / f"{self.runs}")
                shutil.copytree(self.reference, Path(keep) / f"{self.runs}-wanted")
        self.left += len(
            [p for p in place.iterdir() if p.name not in {"out", "out.private", "thesis.tex"}]
        )
        self.touched += (place / "thesis.tex").read_text() != "years of work"
        shutil.rmtree(place)
        print(f"{self.kills} kills, {self.runs} runs, {self.different} different, {self.left} left, "
              f"{self.failed} failed, {self.touched} touched", file=sys.stderr, flush=True)  # fmt: skip

    def to_json(self) -> dict[str, object]:
        return {
            "kills": self.kills, "completed_runs": self.runs, "different_outputs": self.different,
            "files_left": self.left, "failed_resumes": self.failed, "foreign_files_touched": self.touched,
            "undisturbed_seconds": round(self.seconds, 2), "files_compared": len(self.wanted),
        }  # fmt: skip


def disturb(trial: Trial, kills: int, seed: int = 0) -> None:
    """Kill the work so many times at random moments, resuming it each time."""
    dice = Streams(seed).generator("kills")

    def kill(work: Callable[..., None], out: Path) -> bool:
        while True:
            # After the last kill of the series, the run is let go on to its end.
            last = trial.kills >= kills
            after = None if last else float(dice.uniform(0, 1.1 * trial.seconds))
            ended, well = attempt(work, out, after)
            if ended:
                return well
            trial.kills += 1

    while trial.kills < kills:
        trial.round(kill)


def at_every_step(trial: Trial, first: int = 1, last: int = 400, *, both: bool = True) -> bool:
    """Kill the work once before each call that changes a name, and let it go on.

    Parameters
    ----------
    trial : Trial
        The work.
    first, last : int
        The steps, the last one left out.
    both : bool, default=True
        Whether each step is tried without an earlier output and over one; else in turns.

    Returns
    -------
    Whether the work has no further step.

    """
    for step in range(first, last):
        ended = False

        def kill(work: Callable[..., None], out: Path, step: int = step) -> bool:
            nonlocal ended
            ended, well = attempt(work, out, None, step=step)
            if ended:
                return well
            trial.kills += 1
            return attempt(work, out, None)[1]

        for _ in range(1 + (both and trial.replaces)):
            trial.round(kill)
        if ended:
            return True
    return False


def text_publish(folder: Path) -> Callable[..., None]:
    """Return a publish of many parts."""
    from dataclasses import replace

    from sfumato.data.documents import write_documents
    from sfumato.data.samples.notes import clinic_notes

    source = folder / "notes.jsonl"
    notes = clinic_notes(80)
    many = (replace(note, id=f"{copy}-{note.id}") for copy in range(15) for note in notes)
    write_documents(many, like="jsonl", out=source)
    return publish_of(source, folder)


def pdf_publish(folder: Path, count: int = 40) -> Callable[..., None]:
    """Return a publish of PDF files."""
    from sfumato.data.formats.pdf.format import Pdf
    from sfumato.data.samples.notes import clinic_notes

    source = folder / "letters"
    source.mkdir()
    notes = clinic_notes(min(count, 100))
    for number in range(count):
        text = notes[number % len(notes)].text.encode("cp1252", "replace").decode("cp1252")
        (source / f"{number}.pdf").write_bytes(Pdf().create(text))
    return publish_of(source, folder)


def publish_of(source: Path, folder: Path) -> Callable[..., None]:
    """Return a publish of a corpus, with a model learned from a few generated notes."""
    from sfumato.data.samples.notes import clinic_notes
    from sfumato.engines.text.redaction.sanitiser import Sanitiser
    from sfumato.engines.text.release.writing import publish
    from sfumato.text import explore

    found = explore(clinic_notes(80), labels=["NAME"], ratios=[10], folds=2, attackers="none")
    candidate = found.candidates[0]
    classifiers = found.classifiers[candidate.id]

    def work(out: Path, threads: int = 2, *, force: bool = False) -> None:
        sanitiser = Sanitiser(classifiers)
        publish(
            source, out, sanitiser=sanitiser, candidate=candidate, made_from={"model": "kills"},
            characters=20_000, threads=threads, force=force,
        )  # fmt: skip

    work(folder / "warm", threads=1)  # compiles the kernels here, before the forks
    shutil.rmtree(folder / "warm")
    return work


def files_publish(folder: Path) -> Callable[..., None]:
    """Return a publish of a folder that mixes kinds: letters, pages, rich texts, messages and plain texts."""
    from sfumato.data.documents import write_documents
    from sfumato.data.samples.notes import clinic_notes
    from sfumato.engines.text.redaction.sanitiser import Sanitiser
    from sfumato.engines.text.release.writing import publish
    from sfumato.text import explore

    notes = clinic_notes(80)
    found = explore(notes, labels=["NAME"], ratios=[10], folds=2, attackers="none")
    candidate = found.candidates[0]
    source = folder / "letters"
    source.mkdir()
    kinds = ("docx", "html", "rtf", "eml", "plain")
    for number, kind in enumerate(kinds):
        write_documents(notes[number :: len(kinds)], like=kind, out=folder / kind)
        for path in (folder / kind).iterdir():
            if path.suffix != ".ann":
                shutil.copy(path, source / path.name)

    def work(out: Path, threads: int = 2, *, force: bool = False) -> None:
        sanitiser = Sanitiser(found.classifiers[candidate.id])
        publish(
            source, out, sanitiser=sanitiser, candidate=candidate, made_from={"model": "kills"},
            characters=2_000, threads=threads, force=force,
        )  # fmt: skip

    work(folder / "warm", threads=1)  # compiles the kernels here, before the forks
    shutil.rmtree(folder / "warm")
    return work


def _load_modules(*packages: str) -> None:
    """Import all modules of some packages of sfumato, and what they use when they work."""
    import importlib
    import pkgutil

    for package in packages:
        found = importlib.import_module(package)
        for module in pkgutil.walk_packages(found.__path__, f"{package}."):
            if module.name.endswith("spark"):
                continue
            with suppress(ModuleNotFoundError):  # an extra that is not installed here
                importlib.import_module(module.name)
    import duckdb  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import sklearn.svm  # noqa: F401


def _in_fork(work: Callable[[], None]) -> None:
    """Prepare something in a process of its own: DuckDB does not survive a fork."""
    _, well = attempt(lambda _: work(), Path(), None)
    if not well:
        raise RuntimeError("the preparation failed")


def _remember_drawings(folder: Path, work: Callable[..., None]) -> None:
    """Draw everything once in a fork, and hand that out from then on.

    The program that draws takes longer than all the rest, writes no file and does not survive a fork.
    """
    import vl_convert

    names = ("javascript_bundle", "vegalite_to_svg", "vegalite_to_png")
    file = folder / "drawings"

    def key(name: str, arguments: object, named: object) -> str:
        return repr((name, arguments, named))

    def draw() -> None:
        drawn: dict[str, Any] = {}

        def kept(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any, **named: Any) -> Any:
                found = drawn[key(name, arguments, named)] = function(*arguments, **named)
                return found

            return call

        for name in names:
            setattr(vl_convert, name, kept(name, getattr(vl_convert, name)))
        work(folder / "drawn")
        shutil.rmtree(folder / "drawn")
        file.write_text(repr(drawn))

    _in_fork(draw)
    drawn: dict[str, Any] = ast.literal_eval(file.read_text())
    for name in names:
        setattr(vl_convert, name, lambda *a, _name=name, **named: drawn[key(_name, a, named)])


def tables_publish(folder: Path) -> Callable[..., None]:
    """Return a publish of a register."""
    _load_modules("sfumato.core", "sfumato.data", "sfumato.compute", "sfumato.engines.tables")
    samples = folder / "samples"

    def prepare() -> None:
        from sfumato import tables
        from sfumato.data.samples.writing import write_samples

        write_samples(samples)

        found = tables.explore(
            samples / "register.csv", schema=samples / "schema.toml", population=samples / "population.csv",
            evaluations=60,
        )  # fmt: skip
        (folder / "explored").mkdir()
        found.save(folder / "explored")

    _in_fork(prepare)

    def work(out: Path, *, force: bool = False) -> None:
        from sfumato.engines.tables.engine import ENGINE

        found = ENGINE.load(folder / "explored")
        found.publish(found.knee(), samples / "register.csv", out=out, force=force)

    return work


def baskets_publish(folder: Path) -> Callable[..., None]:
    """Return a publish of a purchase log as CSV, which is copied batch by batch and shuffled."""
    from sfumato import baskets
    from sfumato.data.baskets import Baskets, write_baskets
    from sfumato.data.samples.purchases import purchase_log

    log = purchase_log(800, 60)
    source = folder / "log.csv"
    write_baskets(Baskets.of(log.matrix, labels=log.labels, format="csv", label_column="y"), source)
    found = baskets.explore(
        source, labels="y", k=[8], selector="hamdist", method="columns", folds=2
    )

    def work(out: Path, *, force: bool = False) -> None:
        found.publish(found.candidates[0], source, labels="y", out=out, force=force)

    work(folder / "warm")
    return work


def report(folder: Path) -> Callable[..., None]:
    """Return a report with its charts, into a new folder or over an older one."""
    from sfumato import baskets
    from sfumato.data.samples.purchases import purchase_log
    from sfumato.reports import ReportForm, write_report

    log = purchase_log(300, 60)
    found = baskets.explore(log.matrix, labels=log.labels, k=[8], selector="hamdist", folds=2)
    (folder / "explored").mkdir()
    found.save(folder / "explored")
    _load_modules("sfumato.presentation", "sfumato.reports")

    def work(out: Path, *, force: bool = False) -> None:
        write_report([folder / "explored"], ReportForm(charts=True), out=out, force=force)

    _remember_drawings(folder, work)
    return work


def whole_plan(folder: Path) -> Callable[..., None]:
    """Return a run of a small plan."""
    import scipy.sparse as sp

    from sfumato import baskets, tables, text, workbench  # noqa: F401
    from sfumato.data.documents import write_documents
    from sfumato.data.samples.notes import clinic_notes
    from sfumato.data.samples.purchases import purchase_log
    from sfumato.data.samples.register import patient_register, register_schema
    from sfumato.reports import writing  # noqa: F401

    samples = folder / "samples"
    samples.mkdir()
    write_documents(clinic_notes(60), like="jsonl", out=samples / "few.jsonl")
    register = patient_register(300, notes=True)
    with (samples / "few.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, register.column_names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(register.to_pylist())
    (samples / "schema_with_notes.toml").write_text(register_schema(notes=True), encoding="utf-8")
    log = purchase_log(120, 30)
    sp.save_npz(samples / "few.npz", log.matrix)
    (samples / "y.txt").write_text("".join(f"{label}\n" for label in log.labels.tolist()))
    (samples / "plan.toml").write_text(
        '[tables]\ntable = "few.csv"\nschema = "schema_with_notes.toml"\nevaluations = 30\n'
        "choose = { knee = true }\n\n"
        '[text]\ncorpus = "few.jsonl"\nlabels = ["NAME"]\nratios = [10]\nfolds = 2\n'
        'attackers = "none"\npublish = "tables"\ntext_column = "notes"\n'
        "choose = { ratio = 10 }\n\n"
        '[baskets]\nmatrix = "few.npz"\nlabels = "y.txt"\nk = [8]\nselector = "hamdist"\n'
        "folds = 2\nchoose = { knee = true }\n"
    )

    # Kernels are loaded here, before the forks; tables are not, because DuckDB does not survive one.
    _load_modules("sfumato.core", "sfumato.data", "sfumato.compute", "sfumato.engines",
                  "sfumato.presentation", "sfumato.reports")  # fmt: skip
    baskets.explore(samples / "few.npz", labels=samples / "y.txt", k=[8], selector="hamdist",
                    folds=2)  # fmt: skip
    text.explore(clinic_notes(60), labels=["NAME"], ratios=[10], folds=2, attackers="none")

    def work(out: Path, *, force: bool = False) -> None:
        workbench.run(samples / "plan.toml", out=out, force=force)

    _remember_drawings(folder, work)
    return work


def serve(folder: Path) -> Callable[..., None]:
    """Return an hour at the local page: a project, answers, a frontier and a release.

    After a kill the page is opened again, shows what was answered, and goes on with the next answer.
    """
    from sfumato.data.samples.notes import clinic_notes
    from sfumato.engines.text.labelling.project import LabellingAims, start_project
    from sfumato.web.app import PageState

    notes = clinic_notes(30)
    (folder / "notes.jsonl").write_text(
        "".join(json.dumps({"id": d.id, "text": d.text}) + "\n" for d in notes)
    )

    def work(out: Path, *, force: bool = False) -> None:  # noqa: ARG001 (a project is never replaced)
        if not out.exists():
            # When an encoder's update is applied depends on the clock, and the journal says when.
            start_project(
                folder / "notes.jsonl", out, labels=["NAME"], aims=LabellingAims(encoder="none")
            )
        page = PageState([out])
        desk: Any = page.the_desk()
        events = desk.session.journal.events
        for number in range(len([e for e in events if e["do"] == "window"]), 10):
            place = {"doc": number, "first": 0, "last": len(notes[number].text)}
            spans = [[s.start, s.end, "NAME"] for s in notes[number].spans if s.label == "NAME"]
            desk.answer({"do": "window", "random": True, "spans": spans, **place})
        if not any(e["do"] == "release" for e in events):
            desk.explore()
            desk.publish("r10", lambda *_, **__: None)
        desk.close()

    _in_fork(partial(work, folder / "warm"))  # compiles the kernels
    shutil.rmtree(folder / "warm")
    return work


KINDS = {
    "text": text_publish, "pdf": pdf_publish, "tables": tables_publish, "baskets": baskets_publish, "run": whole_plan,
    "report": report, "serve": serve, "files": files_publish,
}  # fmt: skip


def main(
    kind: str, kills: str, seed: int = 0, first: int = 1, last: int = 400
) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="sfumato-kills-") as name:
        work = KINDS[kind](Path(name))
        (Path(name) / "kills").mkdir()
        trial = Trial(work, Path(name) / "kills", replaces=kind != "serve")
        if kills != "steps":
            disturb(trial, int(kills), seed)
            return {"kind": kind, "at": "random", **trial.to_json()}
        # A whole plan takes seconds and has hundreds of steps: every other one is over an earlier output.
        ended = at_every_step(trial, first, last, both=kind != "run")
        return {"kind": kind, "at": "steps", "first": first, "ended": ended, **trial.to_json()}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))))
