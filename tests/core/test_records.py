"""Records: what is written is what is read, measures with attackers and methods included."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core.dominance import mark_dominated
from sfumato.core.errors import FormatError
from sfumato.core.exploration import Exploration
from sfumato.core.files import canonical_json
from sfumato.core.measures import Interval, Risk, Utility
from sfumato.core.records import Candidate, FrontierRecord, InputFile, Reference, Release

SHARES = st.floats(0, 1, allow_nan=False)
WORDS = st.text(st.characters(categories=["L", "Nd", "Zs", "P"]), max_size=20)


@st.composite
def intervals(draw):
    low, high = sorted([draw(SHARES), draw(SHARES)])
    return draw(st.none() | st.just(Interval(low, high, draw(st.floats(0.5, 1)), draw(WORDS))))


RISKS = st.builds(Risk, SHARES, intervals(), st.booleans(), WORDS)
UTILITIES = st.builds(Utility, SHARES, intervals(), st.booleans(), WORDS)
IDS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,10}", fullmatch=True)
CANDIDATES = st.lists(
    st.builds(Candidate, id=IDS, risk=RISKS, utility=UTILITIES),
    min_size=1,
    max_size=6,
    unique_by=lambda c: c.id,
)


@st.composite
def frontiers(draw):
    candidates, area = mark_dominated(draw(CANDIDATES))
    return FrontierRecord(
        engine="toy",
        seed=draw(st.integers(0, 9)),
        request={"ratios": [1.0, 2.5], "schema": None},
        inputs=(InputFile(path="a.csv", sha256="0" * 64, rows=3),),
        axes={"risk": "r", "utility": "u"},
        area=area,
        candidates=candidates,
        references=(Reference(name="One pass", risk=draw(RISKS), utility=draw(UTILITIES)),),
    )


@given(frontiers())
def test_a_frontier_written_and_read_back_is_equal(record):
    again = FrontierRecord.from_json(json.loads(canonical_json(record.to_json())))
    assert again == record
    assert canonical_json(again.to_json()) == canonical_json(record.to_json())


@given(frontiers())
def test_scripts_read_plain_numbers(record):
    for candidate, plain in zip(record.candidates, record.to_json()["candidates"], strict=True):
        assert plain["risk"] == candidate.risk.value
        assert plain["utility"] == candidate.utility.value
        interval = candidate.risk.interval
        assert plain["risk_interval"] == (
            None if interval is None else [interval.low, interval.high]
        )


@given(frontiers())
def test_dominated_candidates_are_marked_and_only_they(record):
    for c in record.candidates:
        beaten = any(
            o.risk.value <= c.risk.value and o.utility.value >= c.utility.value
            and (o.risk.value, o.utility.value) != (c.risk.value, c.utility.value)
            for o in record.candidates
        )  # fmt: skip
        assert c.dominated or not beaten
    assert sum(not c.dominated for c in record.candidates) == len(Exploration(record))


@given(RISKS, UTILITIES)
def test_a_release_written_and_read_back_is_equal(risk, utility):
    release = Release(
        engine="toy", candidate="p1", seed=0, risk=risk, utility=utility,
        counts={"rows": 3, "redacted": {"NAME": 2}}, withheld=({"id": "7", "reason": "empty"},),
    )  # fmt: skip
    assert Release.from_json(json.loads(canonical_json(release.to_json()))) == release


@pytest.mark.parametrize("path", ["/home/x/notes.jsonl", "a/b", "a\nb", ""])
def test_a_record_names_files_and_no_folder(path):
    with pytest.raises(ValueError, match="path"):
        InputFile(path=path)


def test_a_foreign_file_is_refused_without_its_values():
    with pytest.raises(FormatError) as caught:
        FrontierRecord.from_json({"engine": "toy", "seed": "CANARY"}, file="frontier.json")
    assert "CANARY" not in str(caught.value)
    assert "frontier.json" in str(caught.value)


def test_an_exploration_shows_itself():
    candidates, area = mark_dominated(
        [
            Candidate(id="a", risk=Risk(0.1), utility=Utility(0.5)),
            Candidate(id="b", risk=Risk(0.2), utility=Utility(0.4)),
        ]
    )
    axes = {"risk": "r", "utility": "u"}
    found = Exploration(
        FrontierRecord(engine="toy", seed=0, axes=axes, area=area, candidates=candidates)
    )
    assert "1 of 2 candidates" in repr(found)
    assert "<td>a</td>" in found._repr_html_()
    assert found.to_frame().shape[0] == 2
