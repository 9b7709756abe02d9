"""Charts: every spec compiles without a warning, fetches nothing, and says its numbers in words."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from sfumato.report.charts import charts_of, spec, to_png, to_svg
from sfumato.report.facts import gather

SPECS = sorted(
    p.name.removesuffix(".json")
    for p in (files("sfumato.presentation") / "chart_specs").iterdir()
    if p.name.endswith(".json") and p.name != "theme.json"
)


@pytest.fixture
def charts(tmp_path, made_up):
    return {c.id: c for cs in charts_of(gather([made_up(tmp_path)])).values() for c in cs}


def test_every_spec_is_used(charts):
    assert {c.id.rsplit("-", 1)[1] for c in charts.values()} == set(SPECS)


def test_every_view_is_drawn(charts, capfd):
    import vl_convert

    for chart in charts.values():
        for view in chart.views:
            svg = vl_convert.vegalite_to_svg(view.spec, show_warnings=True)
            assert svg.startswith("<svg")
            assert svg.count("<path") > 3
            assert "NaN" not in svg
    assert "WARN" not in capfd.readouterr().err


@pytest.mark.parametrize("name", SPECS)
def test_specs_hold_no_data_and_no_address(name):
    content = spec(name)
    text = json.dumps(content)
    assert "datasets" not in content
    assert '"values": [{' not in text
    assert text.count("http") == 1  # the schema's name, which nobody fetches
    assert '"url"' not in text


def test_the_text_for_those_who_do_not_see_holds_the_key_numbers(charts):
    assert (
        "18, random reading 1, the bound allows 91, before it was 213" in charts["text-attack"].alt
    )
    assert "Safe Harbor stands at risk 0.081" in charts["tables-frontier"].alt
    assert "82% unique" in charts["baskets-uniqueness"].alt
    for chart in charts.values():
        assert chart.rows
        assert all(len(row) == len(chart.heads) for row in chart.rows)


def test_frontiers_have_a_linear_and_a_logarithmic_view(charts):
    for engine in ("text", "tables", "baskets"):
        scales = {v.spec["encoding"]["x"]["scale"].get("type", "linear") for v in charts[f"{engine}-frontier"].views}  # fmt: skip
        assert scales == {"linear", "log"}


def test_drawings_repeat(charts):
    view = charts["tables-groups"].views[0]
    assert to_svg(view.spec) == to_svg(view.spec)
    assert to_png(view.spec, scale=1).startswith(b"\x89PNG")
