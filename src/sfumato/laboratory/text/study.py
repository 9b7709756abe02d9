"""The papers' experiments on any labelled corpora: publishers and attackers, fold by fold, as tidy rows.

Work is cut into parts (corpus × fold for the publishers, corpus × release for the attackers); a part that
is finished is kept, so that a study that was stopped goes on where it was.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import numpy.typing as npt

from ..._version import __version__
from ...compute import engine as compute_engine
from ...core.engine import Call
from ...core.errors import DataError, OutputExistsError, ParameterError
from ...core.files import read_json, sha256_of, whole_file, write_json
from ...core.randomness import Streams
from ...core.storage.disk import remove
from ...core.storage.work_folder import refuse_existing
from ...data.documents import read_documents
from ...engines.text.attack.attacker import AttackedRelease, Residual, attack
from ...engines.text.attack_records import AttackDetails
from ...engines.text.learners.folds import deal
from ...engines.text.reading.arrays import Mask
from ...engines.text.reading.features import TokenData
from ...engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from ...engines.text.verb_requests import TextStudyRequest
from ..writing import draw_charts, write_charts, write_csv
from .figures import FIGURES, best_single_pass, figure
from .publishers import PUBLISHERS, CostSensitive, Training, decisions
from .rows import AttackRow, CorpusRow, Plan, PublisherRow, StudyContent

if TYPE_CHECKING:
    from ...compute.protocol import Compute

__all__ = ["StudyPlan", "run_study", "study"]

_COMPARED = (5.0, 10.0)  # the ratios of figures 4, 6 and 7


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """What is studied."""

    labels: tuple[str, ...] = ("NAME",)
    ratios: tuple[float, ...] = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
    folds: int = 4
    publishers: tuple[str, ...] = tuple(PUBLISHERS)
    budgets: tuple[int, ...] = (10, 20, 50, 100, 200, 500, 1000, 2000)
    seed: int = 0

    def __post_init__(self) -> None:
        unknown = sorted(set(self.publishers) - set(PUBLISHERS))
        if unknown:
            raise ParameterError.constraint(
                "publishers", "study", f"some of {', '.join(PUBLISHERS)}", unknown[0]
            )
        if self.folds < 2:
            raise ParameterError.constraint("folds", "study", "an int in [2, inf)", self.folds)
        if not self.ratios or not all(r > 0 and np.isfinite(r) for r in self.ratios):
            raise ParameterError.constraint("ratios", "study", "positive numbers", self.ratios)

    def to_json(self) -> Plan:
        """Return the plan as study.json holds it."""
        return {
            "labels": self.labels,
            "ratios": self.ratios,
            "folds": self.folds,
            "publishers": self.publishers,
            "budgets": self.budgets,
            "seed": self.seed,
        }


class _Facts(TypedDict):
    """What a part of the publishers holds beside its arrays."""

    rows: list[PublisherRow]
    last: dict[str, dict[str, int]]


_Fold = tuple[_Facts, Mapping[str, npt.NDArray[np.uint8]]]


@dataclass(frozen=True, eq=False)
class _Corpus:
    name: str
    texts: Sequence[str]
    sensitive: npt.NDArray[np.uint8]
    data: TokenData
    fold: npt.NDArray[np.int64]
    mark: str


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
    tell = progress or (lambda _steps, _note: None)
    out = Path(out)
    marks = {Path(path).name.split(".")[0]: _mark(path, plan) for path in corpora}
    if len(marks) != len(corpora):
        raise ParameterError("Two corpora of the study have the same name.")
    _prepare(out, marks, force=force)
    compute = compute_engine("local", threads=threads)
    if units is not None:
        units(len(corpora) * (plan.folds + len(_configurations(plan))))
    published: list[PublisherRow] = []
    attacked: list[AttackRow] = []
    described: list[CorpusRow] = []
    for path in corpora:
        corpus = _read(path, plan, marks[Path(path).name.split(".")[0]])
        described.append(_described(corpus))

        def publish(fold: int, corpus: _Corpus = corpus) -> int:
            return _publish_part(corpus, fold, plan, out)

        for fold in compute.map_batches(publish, range(plan.folds)):
            tell(1, f"{corpus.name}, fold {fold + 1}")
        folds = [_load(_part(out, corpus, f"fold{fold}", ".npz")) for fold in range(plan.folds)]
        published += [row for facts, _ in folds for row in facts["rows"]]
        for rows in _attack_parts(corpus, folds, plan, out, compute=compute, tell=tell):
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


def _read(path: str | os.PathLike[str], plan: StudyPlan, mark: str) -> _Corpus:
    documents = [d.checked() for d in read_documents(path)]
    name = Path(path).name.split(".")[0]
    if len(documents) < plan.folds:
        raise DataError(
            f"The corpus {name!r} has {len(documents)} documents, fewer than the "
            f"{plan.folds} folds.",
            hint="lower the number of folds or leave it out.",
        )
    vocabulary = Vocabulary()
    texts = [d.text for d in documents]
    tokens = tokenize(texts, vocabulary)
    sensitive = (labels_from_spans(documents, tokens, plan.labels) > 0).astype(np.uint8)
    if not sensitive.any():
        raise DataError(f"No word of the corpus {name!r} carries one of the labels.")
    random = Streams(plan.seed).generator("study folds")
    fold = deal(np.arange(len(documents)), plan.folds, random, of=len(documents))
    return _Corpus(name, texts, sensitive, TokenData.of(tokens, vocabulary), fold, mark)


def _described(corpus: _Corpus) -> CorpusRow:
    words = corpus.data.counted
    return {
        "corpus": corpus.name,
        "documents": corpus.data.documents,
        "words": int(words.sum()),
        "sensitive": int((words & (corpus.sensitive != 0)).sum()),
    }


def _some(corpus: _Corpus, documents: Mask) -> Training:
    """Return some documents of a corpus alone, so that nothing is known of the others."""
    vocabulary = Vocabulary()
    tokens = tokenize(
        [t for t, use in zip(corpus.texts, documents, strict=True) if use], vocabulary
    )
    sensitive = corpus.sensitive[documents[corpus.data.document_of]]
    return Training(TokenData.of(tokens, vocabulary), sensitive)


def _part(out: Path, corpus: _Corpus, name: str, suffix: str) -> Path:
    return out / "parts" / f"{corpus.name}.{name}.{corpus.mark}{suffix}"


def _publish_part(corpus: _Corpus, fold: int, plan: StudyPlan, out: Path) -> int:
    """Let every publisher learn from all folds but one and redact that one."""
    path = _part(out, corpus, f"fold{fold}", ".npz")
    if path.exists():
        return fold
    held = corpus.fold == fold
    train, (unseen, truth) = _some(corpus, ~held), _some(corpus, held)
    words, left = unseen.counted, truth != 0
    rows: list[PublisherRow] = []
    arrays: dict[str, npt.NDArray[np.uint8]] = {}
    lasts: dict[str, dict[str, int]] = {}
    for made in decisions(
        train, unseen, ratios=plan.ratios, publishers=plan.publishers,
        seed=Streams(plan.seed).child(corpus.name).seed_of(f"fold {fold}") % 2**32,
    ):  # fmt: skip
        key = _key(made.publisher, made.ratio)
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
        if PUBLISHERS[made.publisher].attacked_with_residual and made.ratio in _COMPARED:
            arrays[f"residual/{key}"] = np.packbits(made.residual)
        if made.last is not None:
            lasts[key] = made.last.to_json()
    facts = json.dumps({"rows": rows, "last": lasts}).encode()
    buffer = io.BytesIO()
    np.savez(buffer, facts=np.frombuffer(facts, np.uint8), **arrays)  # type: ignore[arg-type]
    with whole_file(path, force=True) as beside:
        beside.write_bytes(buffer.getvalue())
    return fold


def _load(path: Path) -> _Fold:
    with np.load(path, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    return json.loads(arrays.pop("facts").tobytes()), arrays


def _key(publisher: str, ratio: float) -> str:
    return f"{publisher} {ratio:g}"


def _configurations(
    plan: StudyPlan, published: Sequence[PublisherRow] = ()
) -> list[tuple[str, float]]:
    """List what is attacked: everything iterative at every ratio, one-pass learners where compared.

    The baseline of figure 3 is one plain pass (L/C = 1) of the learner that errs least.
    """
    baseline = best_single_pass(published)
    return [
        (publisher, ratio)
        for publisher in plan.publishers
        for ratio in plan.ratios
        if not isinstance(PUBLISHERS[publisher], CostSensitive)
        or ratio in _COMPARED
        or (ratio == 1 and publisher in baseline.values())
    ]


def _attack_parts(
    corpus: _Corpus,
    folds: Sequence[_Fold],
    plan: StudyPlan,
    out: Path,
    *,
    compute: Compute,
    tell: Callable[[int, str], None],
) -> Iterator[list[AttackRow]]:
    where = [np.flatnonzero((corpus.fold == f)[corpus.data.document_of]) for f in range(plan.folds)]
    releases: dict[str, tuple[str, Mask, list[tuple[str, float]]]] = {}
    rows = [row for facts, _ in folds for row in facts["rows"]]
    for publisher, ratio in _configurations(plan, rows):
        key = _key(publisher, ratio)
        redacted = np.zeros(len(corpus.data), np.bool_)
        for place, (_, arrays) in zip(where, folds, strict=True):
            redacted[place] = np.unpackbits(arrays[f"unseen/{key}"], count=len(place)).astype(bool)
        with_a = f"residual/{key}" in folds[0][1]
        same = hashlib.blake2b(
            np.packbits(redacted).tobytes() + bytes([with_a]), digest_size=8
        ).hexdigest()
        # Ratios at which a publisher does the same share one attack.
        releases.setdefault(same, (key, redacted, []))[2].append((publisher, ratio))

    def run(entry: tuple[str, Mask, list[tuple[str, float]]]) -> list[AttackRow]:
        key, redacted, configurations = entry
        content = _attack_part(corpus, key, redacted, folds, plan=plan, out=out)
        found = [
            row
            for publisher, ratio in configurations
            for row in _attack_rows(corpus.name, publisher, ratio, content)
        ]
        tell(len(configurations), f"{corpus.name}, attacks on {key}")
        return found

    yield from compute.map_batches(run, releases.values())


def _attack_part(
    corpus: _Corpus,
    key: str,
    redacted: Mask,
    folds: Sequence[_Fold],
    *,
    plan: StudyPlan,
    out: Path,
) -> AttackDetails:
    path = _part(out, corpus, key.replace(" ", "_"), ".json")
    if path.exists():
        return AttackDetails.from_json(read_json(path))
    every = np.ones(corpus.data.documents, np.bool_)
    target = AttackedRelease(corpus.data.redact(redacted), corpus.sensitive, every)
    residuals = []
    for fold, (_, arrays) in enumerate(folds):
        packed = arrays.get(f"residual/{key}")
        if packed is None:
            continue
        held = corpus.fold == fold
        data, sensitive = _some(corpus, ~held)
        left = data.redact(np.unpackbits(packed, count=len(data)).astype(bool))
        residuals.append(Residual(left, sensitive, np.ones(data.documents, np.bool_), held))
    report = attack(
        target, streams=Streams(plan.seed).child(corpus.name).child("attack"),
        residuals=residuals, folds=plan.folds, budgets=plan.budgets,
    )  # fmt: skip
    content = report.to_record()
    write_json(path, content.to_json(), force=True)
    return content


def _attack_rows(
    corpus: str, publisher: str, ratio: float, content: AttackDetails
) -> Iterator[AttackRow]:
    for reading, entry in content.readings().items():
        ways = {"ranked": entry.ranked, "unordered": entry.unordered, "random": entry.random}
        for way, by_budget in ways.items():
            for budget, found in by_budget.items():
                yield {
                    "corpus": corpus,
                    "publisher": publisher,
                    "ratio": ratio,
                    "reading": reading,
                    "attacker": entry.learner,
                    "way": way,
                    "budget": int(budget),
                    "found": found.found,
                    "low": found.low,
                    "high": found.high,
                    "share": found.found / int(budget),
                    "tp": entry.tp,
                    "fp": entry.fp,
                    "fn": entry.fn,
                    "tn": entry.tn,
                }


def _write(out: Path, content: StudyContent) -> None:
    write_json(out / "study.json", content, force=True)
    write_csv(out / "publish.csv", content["publish"])
    write_csv(out / "attack.csv", content["attack"])
    write_charts(out / "charts", {name: figure(name, content) for name in FIGURES})
