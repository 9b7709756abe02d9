"""The story of a table: told from records alone, for every stage, and true to what was measured."""

import numpy as np
import pandas as pd
import pytest

from sfumato import tables
from sfumato.core.engine import Part
from sfumato.data.samples import patient_register, register_population, register_schema
from sfumato.engines.tables.engine import ENGINE
from sfumato.engines.tables.records import GroupSize
from sfumato.engines.tables.story.charts import groups_chart
from sfumato.presentation.knowledge import shared_terms
from sfumato.presentation.numbers import segments


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    folder = tmp_path_factory.mktemp("story")
    (folder / "schema.toml").write_text(register_schema(), encoding="utf-8")
    frame = patient_register(300).to_pandas()
    frame.to_csv(folder / "register.csv", index=False)
    frame.iloc[:120].to_csv(folder / "some.csv", index=False)
    found = tables.explore(
        folder / "register.csv",
        schema=folder / "schema.toml",
        population=register_population(),
        evaluations=200,
    )
    chosen = found.knee()
    release = found.publish(chosen, folder / "some.csv", out=folder / "o.csv", accept_worse=True)
    return found, chosen, release


def parts(told):
    found, chosen, release = told
    yield Part("tables", "tables", frontier=found.record, chosen=chosen)
    yield Part(
        "tables",
        "tables",
        frontier=found.record,
        release=release,
        chosen=chosen,
        chosen_by="release",
    )
    yield Part("tables", "tables", release=release)
    yield Part("tables", "tables", frontier=found.record)


def test_every_stage_is_told_and_every_term_is_explained(told):
    for part in parts(told):
        story = ENGINE.story(part)
        assert story.verdict
        known = {*story.glossary, *shared_terms()}
        sentences = [*story.verdict, *story.published, *story.tradeoff, *story.attack, *story.cost]
        for sentence in sentences:
            assert {term for _, term in segments(sentence) if term} <= known
        for grid in story.grids:
            assert {len(row) for row in grid.rows} == {len(grid.heads)}


def test_the_headline_is_about_what_was_published(told):
    _, _, release = told
    story = ENGINE.story(list(parts(told))[1])
    assert "of 120 records" in story.verdict[0]
    assert story.stats[0].value == f"{release.measured.risk:.3g}"


def test_what_was_accepted_is_shown(told):
    _, _, release = told
    story = ENGINE.story(list(parts(told))[1])
    assert release.worse
    assert any("the steward accepted" in c.text for c in story.checks)
    assert not any(c.text.startswith("The risk was measured again") for c in story.checks)


def test_the_band_lies_between_the_frontier_and_what_is_proven():
    draw = np.random.default_rng(3)
    frame = pd.DataFrame({n: draw.integers(0, 12, 300) for n in ("a", "b")})
    schema = {
        "attribute": [
            {"name": n, "role": "quasi", "domain": {"range": [0, 11]}} for n in ("a", "b")
        ]
    }
    found = tables.explore(frame, schema=schema, evaluations=60, certify=0.2)
    proof = found.record.certificate
    chart = ENGINE.story(Part("tables", "tables", found.record)).charts[0]
    assert ("band", "still open: it is proven that nothing lies above") in chart.key
    for view in chart.views:
        band = view.spec["datasets"]["proven"]
        assert band
        assert all(step["low"] <= step["high"] for step in band)
        for candidate in found.candidates:
            assert candidate.utility.value <= proof.utility_at(candidate.risk.value) + 1e-9
    without = tables.explore(frame, schema=schema, evaluations=60)
    chart = ENGINE.story(Part("tables", "tables", without.record)).charts[0]
    assert not chart.views[0].spec["datasets"]["proven"]


def test_who_knows_that_a_person_is_in_the_table_is_not_left_out(told):
    _, _, release = told
    risks = release.measured.risks
    assert release.measured.k < 5
    assert risks.prosecutor_max > risks.journalist_max
    public = ENGINE.story(Part("tables", "tables", release=release.public()))
    assert "For someone who does it is at most" in public.verdict[1]
    assert any("Among the records of the table itself" in check.text for check in public.checks)
    assert not any("of fewer than five people" in sentence for sentence in public.attack)


def test_sizes_of_groups_that_are_divided_differently_are_drawn_together():
    """Of the unchanged table 2 records are in a pair: they must not be missing where the release says `2`."""

    def sizes(*of):
        return tuple(
            GroupSize(low=low, high=high, records=n, risk_share=share) for low, high, n, share in of
        )

    published = sizes((2, 2, 2, 0.03), (3, 4, 8, 0.07), (10, None, 590, 0.9))
    unchanged = sizes((1, 2, 600, 1.0))
    chart = groups_chart("tables", published, unchanged)
    by_series = {}
    for size, share, what in chart.rows:
        by_series.setdefault(what, {})[size] = share
    assert by_series["of the records, unchanged table"] == {"1–2": "100%", "3–4": "0%", "10+": "0%"}
    assert list(by_series["of the records, published"]) == ["1–2", "3–4", "10+"]
    alone = groups_chart("tables", published, ())
    assert {row[0] for row in alone.rows} == {"2", "3–4", "10+"}
