"""What each engine says of its part: complete sentences, explained numbers, every assumption with its verdict."""

from __future__ import annotations

import json
import re

import pytest

from sfumato.core.engine import ENGINES
from sfumato.presentation.drawing import spec, to_png, to_svg
from sfumato.presentation.knowledge import shared_terms
from sfumato.presentation.numbers import plain, segments
from sfumato.reports.facts import ReportFacts, facts_json
from sfumato.reports.parts import find_parts, stories

ENGINE_NAMES = ["tables", "text", "baskets"]


@pytest.fixture(scope="module")
def parts(written):
    return {part.engine: part for part in find_parts([written])}


@pytest.fixture(scope="module")
def told(parts):
    return {story.engine: story for story in stories(list(parts.values()))}


def sentences_of(story):
    return [*story.verdict, *story.published, *story.tradeoff, *story.attack, *story.cost, *story.assumptions]  # fmt: skip


def test_every_engine_has_its_part_in_the_order_of_the_run(written):
    assert [part.engine for part in find_parts([written])] == ENGINE_NAMES


@pytest.mark.parametrize("engine", ENGINE_NAMES)
def test_a_part_has_a_verdict_figures_checks_and_charts(told, engine):
    story = told[engine]
    assert story.status == "Published"
    assert story.verdict
    assert story.stats
    assert story.checks
    assert story.assumptions
    assert [c for c in story.charts if c.id == f"{engine}-frontier"]


@pytest.mark.parametrize("engine", ENGINE_NAMES)
def test_no_sentence_has_a_hole(told, engine):
    story = told[engine]
    for sentence in [*sentences_of(story), *(c.text for c in story.checks)]:
        words = plain(sentence)
        assert words.endswith((".", "!"))
        assert not re.search(r"\b(None|nan|inf)\b|\[\[|  |\{| \.(?!\d)", words), words


@pytest.mark.parametrize("engine", ENGINE_NAMES)
def test_every_marked_number_has_a_glossary_entry_and_every_citation_its_paper(told, engine):
    story = told[engine]
    known = {**story.glossary, **shared_terms()}
    terms = {term for s in sentences_of(story) for _, term in segments(s) if term}
    terms |= {stat.term for stat in story.stats} | set(story.here)
    terms |= {term for grid in story.grids for _, term in grid.heads if term}
    assert terms <= known.keys()
    for entry in [*story.glossary.values(), *story.method]:
        if entry.paper is not None:
            assert entry.section in story.papers[entry.paper].sections


def test_every_assumption_of_every_bound_is_shown_with_its_verdict(parts, told):
    attack = parts["text"].attack
    story = told["text"]
    shown = "\n".join(
        [
            *(" | ".join(row) for grid in story.grids for row in grid.rows),
            *map(plain, story.assumptions),
        ]
    )
    bounds = attack.bounds.theorems
    assert bounds
    for name, bound in bounds.items():
        assert bound.assumptions, name
        for assumption in bound.assumptions:
            verdict = {True: "holds", False: "does not hold", None: "cannot be told"}[
                assumption.holds
            ]
            own = [line for line in shown.splitlines() if assumption.name in line and name in line]
            assert any(line.endswith(verdict) for line in own), (name, assumption.name)
    captions = {"The paper's guarantees", "Guarantees that say nothing here"}
    verdicts = [row[-1] for g in story.grids if g.caption in captions for row in g.rows]
    assert verdicts.count("applies") == sum(b.applies and not b.vacuous for b in bounds.values())
    assert verdicts.count("vacuous here") == sum(b.applies and b.vacuous for b in bounds.values())
    assert len(verdicts) == len(bounds)


@pytest.mark.parametrize("engine", ENGINE_NAMES)
def test_every_view_of_every_chart_is_drawn(told, engine, capfd):
    import vl_convert

    for chart in told[engine].charts:
        assert chart.rows
        assert all(len(row) == len(chart.heads) for row in chart.rows)
        assert len(chart.alt) > 40
        for view in chart.views:
            svg = vl_convert.vegalite_to_svg(view.spec, show_warnings=True)
            assert svg.startswith("<svg")
            assert "NaN" not in svg
            json.dumps(view.spec, allow_nan=False)
    assert "WARN" not in capfd.readouterr().err


@pytest.mark.parametrize("engine", ENGINE_NAMES)
def test_a_frontier_has_a_linear_and_a_logarithmic_view(told, engine):
    (chart,) = [c for c in told[engine].charts if c.id == f"{engine}-frontier"]
    scales = {v.spec["encoding"]["x"]["scale"].get("type", "linear") for v in chart.views}
    assert scales == {"linear", "log"}


def test_drawings_repeat(told):
    view = told["tables"].charts[0].views[0]
    assert to_svg(view.spec) == to_svg(view.spec)
    assert to_png(view.spec, scale=1).startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["frontier", "area", "theme"])
def test_specs_hold_no_data_and_no_address(name):
    if name == "theme":
        return
    content = spec(name)
    assert "datasets" not in content
    assert '"url"' not in json.dumps(content)


def test_facts_are_the_same_in_any_folder_and_any_order(written, copied, tmp_path):
    elsewhere = copied(tmp_path / "quite" / "another place")
    one = facts_json(ReportFacts(tuple(find_parts([written]))))
    other = facts_json(ReportFacts(tuple(find_parts(sorted(elsewhere.iterdir(), reverse=True)))))
    assert one == other


def test_facts_hold_no_hash_of_an_input(written):
    text = facts_json(ReportFacts(tuple(find_parts([written]))))
    for frontier in written.glob("*-explored/frontier.json"):
        for entry in json.loads(frontier.read_text())["inputs"]:
            assert entry["sha256"]
            assert entry["sha256"] not in text


def test_nothing_published_yet_is_told_at_the_knee(copied, tmp_path):
    folder = copied(tmp_path, published=False)
    for part, story in zip(p := find_parts([folder]), stories(p), strict=True):
        assert part.chosen_by == "knee"
        assert story.status == "Explored, not published"
        assert story.verdict
        assert ENGINES[part.engine].title
