"""The papers' experiments on any labelled corpora: publishers and attackers, fold by fold, as tidy rows.

Work is cut into parts (corpus × fold for the publishers, corpus × release for the attackers); a part that
is finished is kept, so that a study that was stopped resumes where it was.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..._version import __version__
from ...compute import engine as compute_engine
from ...core.engine import Call
from ...core.errors import OutputExistsError, ParameterError
from ...core.files import read_json, sha256_of, whole_file, write_json
from ...core.randomness import Streams
from ...core.storage.disk import remove
from ...core.storage.work_folder import refuse_existing
from ...engines.text.verb_requests import TextStudyRequest
from ..writing import draw_charts, write_charts, write_csv
from .attacks import attack_releases, configurations_of
from .corpora import (
    COMPARED,
    StudyCorpus,
    StudyPlan,
    corpus_row,
    key_of,
    load_fold,
    part_of_corpus,
    path_of_part,
    read_corpus,
)
from .figures import FIGURES, figure
from .publishers import PUBLISHERS, decisions
from .rows import AttackRow, CorpusRow, PublisherRow, StudyContent

__all__ = ["StudyPlan", "run_study", "study"]


def study(
    corpora: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    plan: StudyPlan | None = None,
    threads: int | None = None,
    force: bool = False,
    progress: Callable[[int, str], None] | None = None,
    units: Callable[[int], None] | None = None,
) -> StudyContent:
    """Run the study into a folder: publish.csv, attack.csv, study.json and a chart for each figure.

    A folder that holds parts of the very same study is continued; `units` is called with the
    number of parts.

    Parameters
    ----------
    corpora : sequence of path
        Labelled corpora.
    out : path
        The folder of the study; one that holds parts of the very same study is continued.
    plan : StudyPlan, default None
        What is studied.
    threads : int, default None
        Threads; all cores for None.
    force : bool, default False
        Whether another study may be replaced.
    progress : callable, default None
        Called with the parts that are done and a note.
    units : callable, default None
        Called with the number of parts.

    """
    plan = StudyPlan() if plan is None else plan
    advance = progress or (lambda _steps, _note: None)
    out = Path(out)
    marks = {Path(path).name.split(".")[0]: _mark(path, plan) for path in corpora}
    if len(marks) != len(corpora):
        raise ParameterError("Two corpora of the study have the same name.")
    _prepare(out, marks, force=force)
    compute = compute_engine("local", threads=threads)
    if units is not None:
        units(len(corpora) * (plan.folds + len(configurations_of(plan))))
    published: list[PublisherRow] = []
    attacked: list[AttackRow] = []
    described: list[CorpusRow] = []
    for path in corpora:
        corpus = read_corpus(path, plan, marks[Path(path).name.split(".")[0]])
        described.append(corpus_row(corpus))

        def publish(fold: int, corpus: StudyCorpus = corpus) -> int:
            return _publish_part(corpus, fold, plan, out)

        for fold in compute.map_batches(publish, range(plan.folds)):
            advance(1, f"{corpus.name}, fold {fold + 1}")
        folds = [
            load_fold(path_of_part(out, corpus, f"fold{fold}", ".npz"))
            for fold in range(plan.folds)
        ]
        published += [row for facts, _ in folds for row in facts["rows"]]
        for rows in attack_releases(corpus, folds, plan, out, compute=compute, advance=advance):
            attacked += rows
    content: StudyContent = {
        "version": __version__,
        "plan": plan.to_json(),
        "corpora": described,
        "publish": published,
        "attack": attacked,
    }
    _write(out, content)
    return content


def run_study(request: TextStudyRequest, call: Call) -> dict[str, object]:
    """Run the study that `sfumato text study` asks for, and draw its charts.

    Parameters
    ----------
    request : TextStudyRequest
        What is studied.
    call : Call
        Where to write, and how to report.

    """
    assert call.out is not None
    plan = StudyPlan(
        labels=tuple(request.labels),
        ratios=tuple(request.ratios),
        folds=request.folds,
        publishers=tuple(request.publishers) or tuple(PUBLISHERS),
        budgets=tuple(request.budgets),
        seed=request.seed,
    )
    content = study(
        request.corpora,
        call.out,
        plan=plan,
        threads=request.threads,
        force=call.force,
        progress=lambda steps, note: call.progress(steps, note=note),
        units=lambda total: call.progress(0, total=total),
    )
    draw_charts(call.out / "charts")
    call.say(
        f"{len(content['publish']):,} rows of publishers, {len(content['attack']):,} of attacks"
    )
    call.say(f"written: {call.out}/study.json, publish.csv, attack.csv, charts/")
    return {"out": str(call.out), "corpora": content["corpora"]}


def _prepare(out: Path, marks: Mapping[str, str], *, force: bool) -> None:
    """Take the folder over when it holds the same study, or none."""
    note = out / "study.lock.json"
    if out.exists() and any(out.iterdir()):
        if note.is_file() and read_json(note) == {"marks": dict(marks)}:
            return
        if not force:
            raise OutputExistsError(
                f"The output {out.name!r} already exists and is not this very study.",
                hint="give --force to replace it.",
            )
        refuse_existing(out, force=True, folder=True)  # a folder that is not a study stays
        remove(out)
    (out / "parts").mkdir(parents=True, exist_ok=True)
    write_json(note, {"marks": dict(marks)}, force=True)


def _mark(path: str | os.PathLike[str], plan: StudyPlan) -> str:
    """Name a corpus and a plan by what their results depend on."""
    facts = json.dumps([sha256_of(path), asdict(plan), __version__], sort_keys=True)
    return hashlib.blake2b(facts.encode(), digest_size=8).hexdigest()


def _publish_part(corpus: StudyCorpus, fold: int, plan: StudyPlan, out: Path) -> int:
    """Let every publisher learn from all folds but one and redact that one."""
    path = path_of_part(out, corpus, f"fold{fold}", ".npz")
    if path.exists():
        return fold
    held = corpus.fold == fold
    train, (unseen, truth) = part_of_corpus(corpus, ~held), part_of_corpus(corpus, held)
    words, left = unseen.counted, truth != 0
    rows: list[PublisherRow] = []
    arrays: dict[str, npt.NDArray[np.uint8]] = {}
    lasts: dict[str, dict[str, int]] = {}
    for made in decisions(
        train, unseen, ratios=plan.ratios, publishers=plan.publishers,
        seed=Streams(plan.seed).child(corpus.name).seed_of(f"fold {fold}") % 2**32,
    ):  # fmt: skip
        key = key_of(made.publisher, made.ratio)
        leaked = int((words & left & ~made.unseen).sum())
        wrong = int((words & ~left & made.unseen).sum())
        rows.append(
            {
                "corpus": corpus.name,
                "publisher": made.publisher,
                "ratio": made.ratio,
                "fold": fold,
                "rounds": made.rounds,
                "words": int(words.sum()),
                "sensitive": int((words & left).sum()),
                "published": 1 - float((words & made.unseen).sum()) / max(int(words.sum()), 1),
                "leaked": leaked,
                "false_positives": wrong,
                "total_loss": made.ratio * leaked + wrong,
            }
        )
        arrays[f"unseen/{key}"] = np.packbits(made.unseen)
        if PUBLISHERS[made.publisher].attacked_with_residual and made.ratio in COMPARED:
            arrays[f"residual/{key}"] = np.packbits(made.residual)
        if made.last is not None:
            lasts[key] = made.last.to_json()
    facts = json.dumps({"rows": rows, "last": lasts}).encode()
    buffer = io.BytesIO()
    np.savez(buffer, facts=np.frombuffer(facts, np.uint8), **arrays)  # type: ignore[arg-type]
    with whole_file(path, force=True) as partial:
        partial.write_bytes(buffer.getvalue())
    return fold


def _write(out: Path, content: StudyContent) -> None:
    write_json(out / "study.json", content, force=True)
    write_csv(out / "publish.csv", content["publish"])
    write_csv(out / "attack.csv", content["attack"])
    write_charts(out / "charts", {name: figure(name, content) for name in FIGURES})
