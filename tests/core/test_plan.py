"""Plans are checked whole: every mistake at once, by the path of its key."""

import pytest

from sfumato.core import (
    Candidate,
    InputError,
    NoCandidateError,
    PlanError,
    Reference,
    Risk,
    Utility,
)
from sfumato.core.choice import Choice
from sfumato.core.dominance import mark_dominated
from sfumato.core.exploration import Exploration
from sfumato.core.plan import Plan
from sfumato.core.records import FrontierRecord


def written(folder, text):
    path = folder / "plan.toml"
    path.write_text(text)
    return path


def test_a_good_plan_loads(tmp_path):
    (tmp_path / "notes.jsonl").write_text("{}")
    plan = Plan.load(
        written(
            tmp_path,
            'seed = 7\n[text]\ncorpus = "notes.jsonl"\nlabels = ["NAME"]\nchoose = { ratio = 10 }\n',
        )
    )
    section = plan.sections["text"]
    assert section.request.ratios == [1, 2, 5, 10, 20, 50]
    assert section.request.seed == 7
    assert section.choice.ratio == 10
    assert section.request.corpus == tmp_path / "notes.jsonl"
    assert plan.input_files() == [("text.corpus", tmp_path / "notes.jsonl")]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("seed = -1", ["seed:", "at least one of [baskets], [tables], [text]"]),
        ("[txet]\ncorpus = 1", ["txet: unknown key", "did you mean"]),
        ("[tables]\nevaluation = 50", ["tables.evaluation: unknown key; did you mean 'evaluations'?"]),
        ("[tables]\nchoose = { kneee = true }", ["tables.choose.kneee: unknown key; did you mean 'knee'?"]),
        ("[tables]\nchoose = { x = true }", ["tables.choose.x: unknown key; did you mean one of these: id, max_risk"]),
        (
            '[text]\ncorpus = "c"\nlabels = []\nratios = [0]\nmode = "x"\nlearners = "crf"\n',
            ["text.labels", "text.ratios[0]", "text.mode", "text.learners: unknown key", "text.choose: say which"],
        ),
        (
            '[baskets]\nmatrix = "m"\nlabels = "l"\nk = [0]\nchoose = { id = "a", knee = true }\n',
            ["baskets.k[0]", "baskets.choose: a candidate is chosen in exactly one way"],
        ),
        (
            '[tables]\ntable = "t.csv"\nschema = "s.toml"\nchoose = { knee = true }\n',
            ["tables.table: there is no file 't.csv'"],
        ),
        (
            '[text]\ncorpus = "c"\nlabels = ["N"]\npublish = "tables"\nchoose = { knee = true }\n',
            ["needs a [tables] section"],
        ),
    ],
)  # fmt: skip
def test_all_mistakes_are_told(tmp_path, text, told):
    with pytest.raises(PlanError) as caught:
        Plan.load(written(tmp_path, text))
    for fragment in told:
        assert fragment in str(caught.value)


def test_choices():
    candidates, area = mark_dominated([
        Candidate(id=f"r{ratio}", risk=Risk(risk), utility=Utility(utility))
        for ratio, risk, utility in ((1, 0.3, 0.99), (10, 0.1, 0.95), (50, 0.01, 0.7))
    ])  # fmt: skip
    reference = Reference(name="one pass", risk=Risk(0.2), utility=Utility(0.9))
    found = Exploration(
        FrontierRecord(
            engine="text",
            seed=0,
            axes={},
            area=area,
            candidates=candidates,
            references=(reference,),
        )
    )
    assert Choice(id="r1").of(found).id == "r1"
    assert Choice(max_risk=0.2).of(found).id == "r10"
    assert Choice(min_utility=0.6).of(found).id == "r50"
    assert Choice(dominates="one pass").of(found).id == "r10"
    assert Choice(knee=True).of(found).id == "r10"
    for wrong in (Choice(dominates="x"), Choice(id="zz")):
        with pytest.raises(NoCandidateError):
            wrong.of(found)
    for none in ({}, {"id": "r1", "knee": True}, {"max_risk": 2}):
        with pytest.raises(ValueError, match=r"exactly one way|less than or equal"):
            Choice(**none)
    assert Choice(max_risk=0.0).max_risk == 0


def test_a_folder_in_the_place_of_a_plan(tmp_path):
    with pytest.raises(InputError, match="is a folder, not a file"):
        Plan.load(tmp_path)
