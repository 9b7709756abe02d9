"""Choosing by what attackers find: the choice, the suggestion, and what the report says of it."""

import json

import numpy as np
import pytest

import sfumato as sf
from sfumato.core.engine import engine_named
from sfumato.core.errors import InputError, NoCandidateError, ParameterError, PrivacyWarning
from sfumato.data.document import Document, Span
from sfumato.engines.text.exploration import TextExploration
from sfumato.engines.text.records import MOST_FOUND, TWICE_FOUND
from sfumato.engines.text.request import TextChoice
from sfumato.presentation.numbers import plain
from sfumato.reports.facts import ReportFacts, facts_json
from sfumato.reports.parts import find_parts, stories
from sfumato.web.frontiers import Frontiers


def corpus(count, seed=0, sure=0.9):
    """Return documents in which some names are clear and others are names two times out of five."""
    random = np.random.default_rng(seed)
    found = []
    for i in range(count):
        text, spans = "", []
        for _ in range(6):
            clear = random.random() < 0.5
            word = str(random.choice(["Ann", "Bob", "Lee"] if clear else ["Mark", "Rose", "Bill"]))
            text += "they met Mr " if clear else "so it was "
            if random.random() < (sure if clear else 0.4):
                spans.append(Span(len(text), len(text) + len(word), "NAME"))
            text += word + str(random.choice([" in the town . ", " and a cat . "]))
        found.append(Document(f"d{i}", text, spans))
    return found


def explored_at(*ratios, **options):
    return sf.text.explore(corpus(80), labels="NAME", ratios=list(ratios), folds=2, **options)


@pytest.fixture(scope="module")
def explored():
    return explored_at(0.1, 1, 20)


@pytest.fixture(scope="module")
def folder(explored, tmp_path_factory):
    place = tmp_path_factory.mktemp("explored") / "notes"
    explored.save(place)
    return place


def test_the_most_useful_of_those_in_which_few_are_found_is_chosen(explored):
    found = {c.id: c.found.found for c in explored.candidates}
    assert max(found.values()) > MOST_FOUND >= min(found.values())
    for most in [0.0, *sorted(found.values()), 100.0]:
        within = [c for c in explored.candidates if found[c.id] <= most]
        if not within:
            with pytest.raises(NoCandidateError, match="In every candidate the strongest"):
                explored.choose(max_found=most)
            continue
        best = max(within, key=lambda c: (c.utility.value, -c.risk.value))
        assert explored.choose(max_found=most).id == best.id
        for candidate in within:  # together with the other limits
            risk = candidate.risk.value
            chosen = explored.choose(max_found=most, max_risk=risk)
            assert chosen.risk.value <= risk
            assert found[chosen.id] <= most
            assert chosen.utility.value >= candidate.utility.value


@pytest.mark.parametrize(
    ("said", "fields"),
    [
        ("max-found:12", {"max_found": 12}),
        ("max-found:2.5", {"max_found": 2.5}),
        ("max-risk:0.5,max-found:12", {"max_risk": 0.5, "max_found": 12}),
        ("max-found:12, min-utility:0.1", {"max_found": 12, "min_utility": 0.1}),
    ],
)
def test_the_command_line_the_plan_and_python_say_the_same(explored, said, fields):
    given = TextChoice.build({"id": said}, owner="choose")
    assert given == TextChoice.build(fields, owner="choose")
    values = {name: getattr(given, name) for name in TextChoice.model_fields}
    written, _ = TextChoice.compounds["id"].write(values)
    assert TextChoice.build({"id": written}, owner="choose") == given
    assert given.of(explored) == explored.choose(**fields)


@pytest.mark.parametrize("said", ["max-found:101", "max-found:-1", "max-found:few", "max-found:"])
def test_what_is_no_number_of_a_hundred_words_is_refused(said):
    with pytest.raises(InputError):
        TextChoice.build({"id": said}, owner="choose")


def test_a_table_has_no_such_choice():
    with pytest.raises(ParameterError):
        engine_named("tables").Choice.build({"max_found": 12}, owner="choose")


def test_without_attackers_there_is_no_such_choice(explored):
    unattacked = explored_at(1, 20, attackers="none")
    with pytest.raises(NoCandidateError, match="No attacker that inspects 100 words") as refused:
        unattacked.choose(max_found=12)
    assert "--attackers" in refused.value.hint
    assert not any("found" in line for line in unattacked.lines())
    of_fifty = explored_at(20, budgets=[10, 50])
    with pytest.raises(NoCandidateError, match="No attacker that inspects 100 words"):
        of_fifty.choose(max_found=12)
    with pytest.raises(NoCandidateError, match="There is no candidate") as refused:
        explored.candidate("max-foun:12")
    assert "max-found:N" in refused.value.hint


def test_a_safer_candidate_than_the_knee_is_suggested_where_attackers_find_too_much_there(explored):
    knee = explored.knee()
    assert knee.found.found > MOST_FOUND
    chosen, way = TextExploration.suggest(explored.record)
    assert way == "max-found"
    safer = [
        c
        for c in explored.candidates
        if c.risk.value <= knee.risk.value and c.found.found <= MOST_FOUND
    ]
    assert chosen == max(safer, key=lambda c: c.utility.value)
    assert any(line.startswith(f"suggested: {chosen.id}") for line in explored.lines())
    # Where it is as good as it can be, or nothing is, the knee stays.
    low = explored_at(0.1, 1)
    assert TextExploration.suggest(low.record) == (low.knee(), "knee")
    assert f"knee: {low.knee().id}" in low.lines()
    assert low.knee().found.found > MOST_FOUND
    assert any(
        line.startswith(f"{low.knee().id}: attackers find") and "higher loss ratios" in line
        for line in low.lines()
    )
    assert not any("higher loss ratios" in line for line in explored.lines())
    unattacked = explored_at(0.1, 1, 20, attackers="none")
    assert TextExploration.suggest(unattacked.record) == (unattacked.knee(), "knee")


def test_where_no_candidate_keeps_the_limit_one_that_keeps_twice_as_much_is_suggested(explored):
    knee = explored.knee()
    assert knee.found.found > TWICE_FOUND
    chosen, _ = TextExploration.suggest(explored.record)
    for found in (MOST_FOUND + 1, TWICE_FOUND, TWICE_FOUND + 1):
        strongest = chosen.attack.strongest.model_copy(update={"found": float(found)})
        attack = chosen.attack.model_copy(update={"strongest": strongest})
        worse = chosen.model_copy(update={"attack": attack})
        others = tuple(c if c.id != chosen.id else worse for c in explored.candidates)
        record = explored.record.model_copy(update={"candidates": others})
        again = TextExploration(record, explored.classifiers, explored.learned)
        suggested = TextExploration.suggest(record)
        if found > TWICE_FOUND:
            assert suggested == (knee, "knee")
            assert any("higher loss ratios" in line for line in again.lines())
        else:
            assert suggested == (worse, "max-found")
            few = f"suggested: {worse.id}, in which attackers find at most {TWICE_FOUND};"
            assert any(line.startswith(few) for line in again.lines())


def test_report_and_page_are_about_the_suggested_candidate_and_say_why(explored, folder):
    chosen, _ = TextExploration.suggest(explored.record)
    (part,) = find_parts([folder])
    assert (part.chosen, part.chosen_by) == (chosen, "max-found")
    assert json.loads(facts_json(ReportFacts((part,))))["parts"][0]["chosen_by"] == "max-found"
    (story,) = stories([part])
    told = plain(story.published[0])
    assert chosen.id in told
    assert f"at most {MOST_FOUND} names among the first 100 words" in told
    (grid,) = [g for g in story.grids if g.caption == "What each loss ratio gives on held-out documents"]  # fmt: skip
    assert [float(row[-1].split()[0]) for row in grid.rows] == [
        pytest.approx(c.found.found, abs=0.5)
        for c in sorted(explored.candidates, key=lambda c: c.ratio)
    ]
    view = Frontiers([folder], None).view(None, None)
    assert view["candidate"] == chosen.id
    assert told in view["details"]["sentences"]
    # Who looks at the knee is told of the other one.
    (part,) = find_parts([folder], chosen={"text": explored.knee().id})
    (story,) = stories([part])
    (check,) = [c for c in story.checks if "max-found" in c.text]
    assert check.state == "look"
    assert explored.choose(max_found=MOST_FOUND).id in check.text
    view = Frontiers([folder], None).view(None, explored.knee().id)
    assert any("which the steward chose" in s for s in view["details"]["sentences"])


def test_a_report_says_where_no_candidate_is_good_enough(tmp_path):
    explored_at(0.1, 1).save(tmp_path / "low")
    (story,) = stories(find_parts([tmp_path / "low"]))
    (check,) = [c for c in story.checks if "in every candidate" in c.text]
    assert "higher loss ratios" in check.text


def test_a_chosen_candidate_is_published(explored, folder):
    chosen = explored.choose(max_found=12)
    new = corpus(5, seed=1)
    for choice in ("max-found:12", {"max_found": 12}):
        published = sf.text.publish(folder, new, choose=choice, accept_shift=True)
        assert [d.text for d in published] == [
            d.text for d in explored.publish(chosen, new, accept_shift=True)
        ]


def test_attackers_without_an_encoder_are_said_where_the_publisher_has_one(tiny_folder):
    found = sf.text.explore(
        corpus(16), labels="NAME", ratios=[1, 20], folds=2, encoder=str(tiny_folder)
    )
    with pytest.warns(PrivacyWarning, match="No attacker with an encoder was run"):
        found.choose(max_found=100)
    assert any(line.startswith("No attacker with an encoder was run") for line in found.lines())


def test_what_is_found_is_listed_with_its_range(explored):
    head, *lines = explored.lines()
    assert head.endswith("found (range)")
    for candidate in explored.candidates:
        (line,) = [line for line in lines if line.split()[0] == candidate.id]
        found = candidate.found
        assert found.low <= found.found <= found.high
        assert f" {found.found:.0f} ({found.low:.0f}–{found.high:.0f})" in line


def test_a_single_candidate_in_which_too_much_is_found_is_said(explored):
    alone = explored_at(0.1)
    assert alone.knee().found.found > MOST_FOUND
    assert any("explore higher loss ratios" in line for line in alone.lines())
    assert not any(line.startswith("knee:") for line in alone.lines())
    assert not any("No attacker with an encoder" in line for line in explored.lines())
