"""Kill runs at random moments (SIGKILL), resume them, and compare with an undisturbed run.

    python -m benchmarks._kills text 100     a text publish of many small parts
    python -m benchmarks._kills run 100      a whole plan

Each run is a forked process, so that nothing is left of a killed one but its files.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sfumato.core.randomness import Streams

Run = Callable[[Path], None]


def content_of(path: Path) -> dict[str, bytes]:
    """Give all files below a path."""
    return {
        str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()
    }


def attempt(work: Run, out: Path, kill_after: float | None) -> tuple[bool, bool]:
    """Do the work in a fork; tell whether it ended by itself, and whether it ended well."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), 2)
                work(out)
            status = 0
        except BaseException as error:
            from sfumato.core.errors import OutputExistsError

            status = 3 if isinstance(error, OutputExistsError) else 1
        finally:
            os._exit(status)
    deadline = None if kill_after is None else time.monotonic() + kill_after
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return True, os.waitstatus_to_exitcode(status) in (0, 3)
        if deadline is not None and time.monotonic() >= deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return False, False
        time.sleep(0.0005)


def disturb(work: Run, kills: int, folder: Path, seed: int = 0) -> dict[str, object]:
    """Kill the work so many times, resuming it each time, and count what differed afterwards."""
    dice = Streams(seed).generator("kills")
    reference = folder / "undisturbed"
    start = time.monotonic()
    _, well = attempt(work, reference, None)
    seconds = time.monotonic() - start
    if not well:
        raise RuntimeError("the undisturbed run failed")
    wanted = content_of(reference)
    shutil.rmtree(reference)
    place = folder / "place"
    done = runs = different = left = failed = 0
    while done < kills:
        place.mkdir()
        runs += 1
        while True:
            # After the last kill of the series, the run is let go on to its end.
            kill_after = float(dice.uniform(0, 1.1 * seconds)) if done < kills else None
            began, fresh = time.monotonic(), not any(place.iterdir())
            ended, well = attempt(work, place / "out", kill_after)
            if ended:
                if fresh:  # the machine may be quicker or slower by now
                    seconds = time.monotonic() - began
                break
            done += 1
        failed += not well
        different += not (place / "out").is_dir() or content_of(place / "out") != wanted
        left += len(list(place.iterdir())) - 1
        shutil.rmtree(place)
        print(f"{done} kills, {runs} runs completed, {different} different, {left} files left, "
              f"{failed} failed", file=sys.stderr, flush=True)  # fmt: skip
    return {
        "kills": done, "completed_runs": runs, "different_outputs": different,
        "files_left": left, "failed_resumes": failed, "undisturbed_seconds": round(seconds, 2),
        "files_compared": len(wanted),
    }  # fmt: skip


def text_publish(folder: Path) -> Run:
    """Give a publish of many parts, with a model learned from a few generated notes."""
    from dataclasses import replace

    from sfumato.data.documents import write_documents
    from sfumato.data.samples.notes import clinic_notes
    from sfumato.engines.text import explore
    from sfumato.engines.text.release.sanitiser import Sanitiser
    from sfumato.engines.text.release.writing import publish

    notes = clinic_notes(150)
    found = explore(notes, labels=["NAME"], ratios=[10], folds=2, attackers=())
    candidate = found.candidates[0]
    classifiers = found.classifiers[candidate.id]
    source = folder / "notes.jsonl"
    many = (replace(note, id=f"{copy}-{note.id}") for copy in range(8) for note in notes)
    write_documents(many, like="jsonl", out=source)

    def work(out: Path, threads: int = 2) -> None:
        sanitiser = Sanitiser(classifiers)
        publish(
            source, out, sanitiser=sanitiser, candidate=candidate, made_from={"model": "kills"},
            characters=20_000, threads=threads,
        )  # fmt: skip

    work(folder / "warm", threads=1)  # compiles the kernels here, before the forks
    shutil.rmtree(folder / "warm")
    return work


def whole_plan(folder: Path) -> Run:
    """Give a run of a small plan."""
    import scipy.sparse as sp

    from sfumato import workbench
    from sfumato.data.documents import write_documents
    from sfumato.data.samples.notes import clinic_notes
    from sfumato.data.samples.purchases import purchase_log
    from sfumato.data.samples.writing import write_samples
    from sfumato.engines import baskets, tables, text  # noqa: F401
    from sfumato.report import writing  # noqa: F401

    samples = write_samples(folder / "samples")
    write_documents(clinic_notes(60), like="jsonl", out=samples / "few.jsonl")
    register = (samples / "register.csv").read_text().splitlines(keepends=True)
    (samples / "few.csv").write_text("".join(register[:400]))
    log = purchase_log()
    sp.save_npz(samples / "few.npz", log.matrix[:300, :60])
    (samples / "y.txt").write_text("".join(f"{label}\n" for label in log.labels[:300].tolist()))
    (samples / "plan.toml").write_text(
        '[text]\ncorpus = "few.jsonl"\nlabels = ["NAME"]\nratios = [10]\nfolds = 2\n\n'
        '[baskets]\nmatrix = "few.npz"\nlabels = "y.txt"\nk = [8]\nselector = "hamdist"\n\n'
        '[tables]\ntable = "few.csv"\nschema = "schema.toml"\nevaluations = 30\n'
    )

    # Kernels are loaded here, before the forks; tables are not, because DuckDB does not survive one.
    baskets.explore(samples / "few.npz", labels=samples / "y.txt", k=[8], selector="hamdist")
    text.explore(clinic_notes(60), labels=["NAME"], ratios=[10], folds=2)

    def work(out: Path) -> None:
        workbench.run(samples / "plan.toml", out=out)

    return work


KINDS = {"text": text_publish, "run": whole_plan}


def main(kind: str, kills: int, seed: int = 0) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="sfumato-kills-") as name:
        work = KINDS[kind](Path(name))
        (Path(name) / "kills").mkdir()
        return disturb(work, kills, Path(name) / "kills", seed)


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]), *map(int, sys.argv[3:]))))
