"""The study: one sequence serves all ratios, parts are kept, rows are tidy, charts are drawn."""

from __future__ import annotations

import csv
import json
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from sfumato.core.errors import DataError, OutputExistsError, ParameterError
from sfumato.core.randomness import Streams
from sfumato.engines.text.attack.inspection import confusion_of
from sfumato.engines.text.learners.svm import SVM
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, tokenize
from sfumato.laboratory.text.corpora import StudyPlan
from sfumato.laboratory.text.figures import FIGURES, best_single_pass, figure
from sfumato.laboratory.text.publishers import PUBLISHERS, Literal, Training, decisions
from sfumato.laboratory.text.study import study

NAMES = ["Alba", "Borges", "Cruz", "Diaz", "Evans", "Fuchs", "Grant", "Rose", "May"]


def write(path, seed=0, documents=16):
    rng = np.random.default_rng(seed)
    lines = []
    for i in range(documents):
        text, spans = "", []
        for _ in range(14):
            if rng.random() < 0.6:
                text += "Dr. " if rng.random() < 0.7 else "with "
                name = str(rng.choice(NAMES))
                spans.append({"start": len(text), "end": len(text) + len(name), "label": "NAME"})
                text += name + " "
            plain = rng.choice(["saw", "the", "Rose", "rain", "May", "we", "left"], 5)
            text += " ".join(str(w) for w in plain) + ". "
        lines.append(json.dumps({"id": f"{seed}-{i}", "text": text.strip(), "spans": spans}))
    path.write_text("\n".join(lines) + "\n")
    return path


PLAN = StudyPlan(
    ratios=(1.0, 5.0), folds=2, publishers=("gs crf", "gs svm", "cost crf", "cost adaboost", "honest"),
    budgets=(5, 50),
)  # fmt: skip


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    corpora = [write(folder / "one.jsonl"), write(folder / "two.jsonl", 1)]
    return folder, corpora, study(corpora, folder / "out", plan=PLAN, threads=2)


def small(seed=0):
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(20):
        words = [str(w) for w in rng.choice(["saw", "Rose", "rain", "May", "we", "Dr", *NAMES], 40)]
        texts.append(" ".join(words))
        labels += [int(w in NAMES and words[i - 1] != "we") for i, w in enumerate(words)]
    vocabulary = Vocabulary()
    data = TokenData.of(tokenize(texts, vocabulary), vocabulary)
    return Training(data, np.array(labels, np.uint8))


def algorithm_1(learner, train, ratio, seed):
    """The plain twin: learn, stop where L·TP ≤ C·FP, else redact and go on."""
    data, models = train.data, []
    while True:
        step = Streams(seed).seed_of(f"round {len(models) + 1}")
        model = learner.fit(data, train.sensitive, seed=step)
        found, words = model.scores(data) >= 0, data.counted
        last = confusion_of(found[words], train.sensitive[words] != 0)
        if ratio * last.tp - last.fp <= 0:
            return SimpleNamespace(models=models, data=data, last=last)
        models.append(model)
        data = data.redact(found)


@pytest.mark.parametrize("ratio", [0.5, 1.0, 5.0, 50.0])
def test_one_sequence_is_algorithm_1_for_each_ratio(ratio):
    """The shared rounds stop where Algorithm 1, run for the ratio alone, stops."""
    train, (unseen, _) = small(), small(1)
    learner = SVM(penalty=0.001)
    ratios = (0.5, 1.0, 5.0, 50.0)
    shared = {
        d.ratio: d
        for d in Literal("gs svm", "", False, learner).decide(train, unseen, ratios=ratios, seed=3)
    }[ratio]
    alone = algorithm_1(learner, train, ratio, seed=3)
    assert shared.rounds == len(alone.models)
    assert np.array_equal(shared.residual, alone.data.redacted)
    assert shared.last == alone.last
    assert shared.last.fp >= ratio * shared.last.tp
    for model in alone.models:
        unseen = unseen.redact(model.scores(unseen) >= 0)
    assert np.array_equal(shared.unseen, unseen.redacted)


def test_every_publisher_decides_every_ratio():
    train, (unseen, _) = small(), small(1)
    made = list(decisions(train, unseen, ratios=(2.0, 10.0)))
    assert [(d.publisher, d.ratio) for d in made] == [
        (p, r) for p in PUBLISHERS for r in (2.0, 10.0)
    ]
    assert all(len(d.unseen) == len(unseen) and len(d.residual) == len(train[0]) for d in made)


def test_rows_are_complete_and_consistent(done):
    _, _, content = done
    assert len(content["publish"]) == 2 * 2 * 5 * 2
    for row in content["publish"]:
        assert 0 <= row["published"] <= 1
        assert row["total_loss"] == row["ratio"] * row["leaked"] + row["false_positives"]
    words = {c["corpus"]: c["words"] for c in content["corpora"]}
    for corpus, total in words.items():
        rows = [
            r for r in content["publish"] if r["corpus"] == corpus and r["publisher"] == "honest"
        ]
        assert sum(r["words"] for r in rows if r["ratio"] == 5) == total
    by_release = {}
    for row in content["attack"]:
        assert 0 <= row["low"] <= row["found"] <= row["high"] <= row["budget"]
        left = row["tp"] + row["fn"]
        by_release.setdefault((row["corpus"], row["publisher"], row["ratio"]), set()).add(left)
    for (corpus, publisher, ratio), left in by_release.items():
        leaked = sum(
            r["leaked"] for r in content["publish"]
            if (r["corpus"], r["publisher"], r["ratio"]) == (corpus, publisher, ratio)
        )  # fmt: skip
        assert left == {leaked}
    assert {r["reading"] for r in content["attack"] if r["publisher"] == "gs crf"} == {
        "A", "B", "outside",
    }  # fmt: skip


def test_a_study_goes_on_where_it_stopped(done):
    folder, corpora, content = done
    parts = sorted((folder / "out" / "parts").iterdir())
    before = {p.name: p.stat().st_mtime_ns for p in parts}
    lost = next(p for p in parts if p.name.startswith("two.") and ".fold" not in p.name)
    lost.unlink()
    again = study(corpora, folder / "out", plan=PLAN, threads=1)
    assert json.dumps(again, sort_keys=True) == json.dumps(content, sort_keys=True)
    after = {p.name: p.stat().st_mtime_ns for p in (folder / "out" / "parts").iterdir()}
    assert {n for n in after if after[n] != before[n]} == {lost.name}


def test_another_study_does_not_overwrite(done):
    folder, corpora, _ = done
    with pytest.raises(OutputExistsError):
        study(corpora[:1], folder / "out", plan=PLAN)


def test_no_word_of_the_data_is_written(done):
    folder, _, _ = done
    for file in (folder / "out").rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            for name in NAMES[:6]:
                assert name.encode() not in content


def test_files_and_figures(done):
    folder, _, content = done
    with (folder / "out" / "publish.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(content["publish"])
    for name in FIGURES:
        spec = json.loads((folder / "out" / "charts" / f"{name}.vl.json").read_text())
        assert spec == figure(name, content)
        assert spec["data"]["values"] or name == "figure_7"  # L/C = 10 is not in this plan
    assert set(best_single_pass(content["publish"])) == {"one", "two"}


def test_bad_studies(tmp_path):
    with pytest.raises(ParameterError, match="publishers"):
        StudyPlan(publishers=("gs tree",))
    with pytest.raises(ParameterError, match="folds"):
        StudyPlan(folds=1)
    with pytest.raises(ParameterError, match="ratios"):
        StudyPlan(ratios=(0.0,))
    with pytest.raises(ParameterError, match="one of figure_3"):
        figure("figure_1", {})
    corpus = write(tmp_path / "a.jsonl", documents=3)
    with pytest.raises(DataError, match="fewer than"):
        study([corpus], tmp_path / "out", plan=StudyPlan(folds=4))
    with pytest.raises(DataError, match="carries"):
        study([corpus], tmp_path / "out2", plan=StudyPlan(folds=2, labels=("DATE",)))
    with pytest.raises(ParameterError, match="same name"):
        study([corpus, corpus], tmp_path / "out3", plan=PLAN)


def test_command(tmp_path):
    from sfumato.cli._engines import engine_app
    from sfumato.engines.text.engine import ENGINE

    app = engine_app(ENGINE)
    corpus = write(tmp_path / "a.jsonl")
    call = ["study", str(corpus), "--out", str(tmp_path / "out"), "--ratios", "5", "--folds", "2",
            "--publishers", "gs crf", "--budget", "10", "--json"]  # fmt: skip
    result = CliRunner().invoke(app, call)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["corpora"][0]["documents"] == 16
    assert (tmp_path / "out" / "charts" / "figure_3.svg").read_text().startswith("<svg")
    wrong = CliRunner().invoke(app, [*call[:4], "--ratios", "five"])
    assert wrong.exit_code == 2
    assert "--ratios" in wrong.output
