"""Plans are checked whole: every mistake at once, by the path of its key."""

import pytest

from sfumato.core import (
    Candidate,
    Exploration,
    NoCandidateError,
    PlanError,
    Reference,
    Risk,
    Utility,
)
from sfumato.core.plan import Choice, Plan


def written(folder, text):
    path = folder / "plan.toml"
    path.write_text(text)
    return path


def test_a_good_plan_loads(tmp_path):
    (tmp_path / "notes.jsonl").write_text("{}")
    plan = Plan.load(written(tmp_path, '[text]\ncorpus = "notes.jsonl"\nlabels = ["NAME"]\n'))
    assert plan.text.ratios == [1, 2, 5, 10, 20, 50]
    assert plan.text.choose == Choice(ratio=10)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("seed = -1", ["seed:", "(top)", "at least one"][:1]),
        ("", ["at least one of [text], [tables], [baskets]"]),
        (
            '[text]\ncorpus = 5\nlabels = []\nratios = [0]\nmode = "x"\nlearners = "crf"\n',
            ["text.corpus", "text.labels", "text.ratios[0]", "text.mode", "text.learners: unknown key"],
        ),
        (
            '[baskets]\nmatrix = "m"\nlabels = "l"\nk = [1]\nchoose = { id = "a", knee = true }\n',
            ["baskets.k[0]", "baskets.choose: give exactly one"],
        ),
        ('[tables]\ntable = "t.csv"\nschema = "s.toml"\n', ["tables.table: there is no file 't.csv'"]),
        ('[text]\ncorpus = "c"\nlabels = ["N"]\npublish = "tables"\n', ["needs a [tables] part"]),
    ],
)  # fmt: skip
def test_all_mistakes_are_told(tmp_path, text, told):
    with pytest.raises(PlanError) as caught:
        Plan.load(written(tmp_path, text))
    for fragment in told:
        assert fragment in str(caught.value)


def test_choices():
    found = Exploration("text", seed=0, axes={}, keep_dominated=True)
    for ratio, risk, utility in ((1, 0.3, 0.99), (10, 0.1, 0.95), (50, 0.01, 0.7)):
        found.add(Candidate(f"r{ratio}", Risk(risk), Utility(utility), {"ratio": ratio}))
    found.references.append(Reference("one pass", 0.2, 0.9))
    assert Choice(id="r1").of(found).id == "r1"
    assert Choice(ratio=50).of(found).id == "r50"
    assert Choice(max_risk=0.2).of(found).id == "r10"
    assert Choice(min_utility=0.6).of(found).id == "r50"
    assert Choice(dominates="one pass").of(found).id == "r10"
    assert Choice(knee=True).of(found).id == "r10"
    for wrong in (Choice(ratio=3), Choice(dominates="x"), Choice(id="zz")):
        with pytest.raises(NoCandidateError):
            wrong.of(found)
