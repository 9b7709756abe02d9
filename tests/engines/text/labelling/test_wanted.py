"""What is wanted of each label: on the command line, on the page, and in what is said to be enough."""

import json

import pytest

from sfumato.core.errors import ParameterError
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.labelling.desk import TextDesk
from sfumato.engines.text.labelling.estimate import LabelEstimate, RiskEstimate
from sfumato.engines.text.labelling.next_step import next_step
from sfumato.engines.text.labelling.project import LabellingAims, start_project
from sfumato.engines.text.verb_requests import StartRequest

SECONDS = {"mark": 4.0, "window": 20.0}


def judged(*labels):
    """Return an estimate whose total is under one per cent."""
    by_label = tuple(LabelEstimate(name, n, left, 0.0, high) for name, n, left, high in labels)
    return [(300, RiskEstimate(100, 3000, 900, 0, 0.0, 0.004, 5, 1.0, by_label=by_label))]


def said(*labels, **by_label):
    return next_step(judged(*labels), 0.01, seconds=SECONDS, by_label=by_label)


def test_enough_is_never_said_while_a_label_may_be_above_what_is_wanted_of_it():
    names = ("NAME", 800, 0, 0.005)
    assert said(names).what == "enough"
    dates = ("DATE", 100, 0, 0.036)
    audit = said(names, dates)
    assert audit.what == "audit"
    assert "DATE up to 3.6%" in audit.words
    assert audit.minutes > 1
    assert said(names, dates, DATE=0.05).what == "enough"
    assert said(names, dates, DATE=0.05, NAME=0.001).what == "audit"
    left = said(names, ("DATE", 100, 6, 0.12), DATE=0.05)
    assert left.what == "answers"
    assert "rule" in left.words
    unmet = ("AGE", 0, 0, 1.0)
    assert (
        said(names, unmet).what == "enough"
    )  # nobody wants anything of it, and no word of it was met
    assert said(names, unmet, AGE=0.1).what == "windows"


@pytest.mark.parametrize(
    ("given", "share", "by_label"),
    [
        (0.02, 0.02, {}),
        ("0.02", 0.02, {}),
        ("NAME=0.01,DATE=0.05", 0.01, {"NAME": 0.01, "DATE": 0.05}),
        ("0.02,DATE=0.05", 0.02, {"DATE": 0.05}),
        ({"all": 0.03, "DATE": 0.05}, 0.03, {"DATE": 0.05}),
    ],
)
def test_a_value_carries_the_shares_of_labels(given, share, by_label):
    request = StartRequest.build({"documents": "d", "target_risk": given}, owner="start")
    assert (request.target_risk, request.target_risks) == (share, by_label)


@pytest.mark.parametrize("given", ["NAME=2", "NAME=0.1,NAME=0.2", "=0.1", "NAME="])
def test_shares_that_make_no_sense_are_refused(given):
    with pytest.raises(ParameterError):
        StartRequest.build({"documents": "d", "target_risk": given}, owner="start")


def test_the_page_changes_what_is_wanted_and_the_journal_keeps_it(tmp_path):
    file = tmp_path / "notes.jsonl"
    file.write_text("\n".join(json.dumps({"id": d.id, "text": d.text}) for d in clinic_notes(6)))
    aims = LabellingAims(wanted_by_label={"DATE": 0.05})
    with pytest.raises(ParameterError, match="not a label of the project"):
        start_project(file, tmp_path / "other", labels=["NAME"], aims=aims)
    start_project(file, tmp_path / "project", labels=["NAME", "DATE"], aims=aims)
    desk = TextDesk(tmp_path / "project")
    try:
        assert desk.session.wanted_by_label == {"DATE": 0.05}
        desk.answer({"do": "want", "label": "NAME", "share": 0.02})
        for bad in ({"label": "NAME", "share": 1}, {"label": "NOPE", "share": 0.1}, {"share": 0.1}):
            with pytest.raises(ParameterError):
                desk.answer({"do": "want", **bad})
    finally:
        desk.close()
    desk = TextDesk(tmp_path / "project")
    try:
        assert desk.session.wanted_by_label == {"DATE": 0.05, "NAME": 0.02}
        assert desk.status()["answers"] == 0
    finally:
        desk.close()
