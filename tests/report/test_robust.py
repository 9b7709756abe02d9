"""Damaged or odd files: a report is made, or refused with one sentence; never an unforeseen error."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.core.errors import SfumatoError
from sfumato.report.charts import charts_of
from sfumato.report.facts import facts_from, facts_json
from sfumato.report.facts.sources import Source
from sfumato.report.words import stories

ODD = [None, 0, -1, 1e-300, 1e300, "Zanzibarovic", [], {}, True, [None], {"a": []}, 0.5, 10**9]


def places(value, path=()):
    """List the paths of everything in a JSON value."""
    found = [path] if path else []
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()  # fmt: skip
    for key, child in list(children)[:8]:
        found += places(child, (*path, key))
    return found


def damaged(content, path, odd):
    content = copy.deepcopy(content)
    place = content
    for key in path[:-1]:
        place = place[key]
    if odd == "gone":
        del place[path[-1]]
    else:
        place[path[-1]] = odd
    return content


@pytest.mark.parametrize("engine", ["text", "tables", "baskets"])
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(data=st.data())
def test_a_damaged_file_gives_a_report_or_one_sentence(contents, engine, data):
    files = {name.rsplit("/")[-1].removesuffix(".json"): content() for name, content in contents[engine].items()}  # fmt: skip
    which = data.draw(st.sampled_from(sorted(files)))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places(files[which])))
        files[which] = damaged(files[which], path, data.draw(st.sampled_from(["gone", *ODD])))
    source = Source(engine, **files)
    try:
        facts = facts_from([source])
    except SfumatoError as error:
        assert "anzibarovic" not in str(error)  # noqa: PT017 (either end is right)
        return
    assert json.loads(facts_json(facts))["parts"][0]["engine"] == engine
    (story,) = stories(facts)
    assert story.title
    for chart in charts_of(facts)[story.id]:
        for view in chart.views:
            json.dumps(view.spec, allow_nan=False)


@pytest.mark.parametrize(
    ("engine", "key", "odd"),
    [("baskets", "k", 0), ("baskets", "k", -3), ("text", "ratio", -1), ("text", "ratio", 0), ("text", "leaked", 0),
     ("tables", "risk", 0), ("tables", "utility", 0), ("text", "total_loss", 0), ("tables", "policy", {})],
)  # fmt: skip
def test_odd_numbers_in_every_candidate(contents, engine, key, odd):
    frontier = contents[engine]["frontier.json"]()
    for candidate in frontier["candidates"]:
        candidate[key] = odd
    facts = facts_from([Source(engine, frontier=frontier)])
    (story,) = stories(facts)
    assert story.verdict
    assert charts_of(facts)[story.id] is not None


def test_budgets_of_nothing_are_left_out(contents):
    frontier = contents["text"]["frontier.json"]()
    for candidate in frontier["candidates"]:
        for attack in candidate["attack"].values():
            attack["ranked"] = {
                "0": {"found": 1},
                "100": {"found": -2},
                "x": {"found": 3},
                "10": {"found": 0},
            }
    (part,) = facts_from([Source("text", frontier=frontier)]).parts
    assert {f.budget for a in part.attacks for f in a.ranked} == {10}
