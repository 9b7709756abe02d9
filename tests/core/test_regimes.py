"""The regimes file is checked when it is loaded, sizes are compared and not decimals, and only what was read decides."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from sfumato.core.choice import Choice
from sfumato.core.errors import NoCandidateError, ParameterError, PlanError, PrivacyWarning
from sfumato.core.exploration import load
from sfumato.core.plan import Plan
from sfumato.core.regimes import MEASURES, REGIMES, Regime, find_regime, smallest_group

FILE = tomllib.loads((files("sfumato.core") / "regimes.toml").read_text(encoding="utf-8"))


def entry(**changes):
    found = {
        "id": "house",
        "name": "House rules",
        "authority": "The house",
        "instrument": "Rule 1",
        "binding": "rule",
        "number": "threshold",
        "threshold": {"value": 0.2, "size": 5},
        "ask": [{"what": "Who signs", "at": "sign"}],
        "sources": [
            {"title": "Rule 1", "sure": "read", "of": ["threshold", "ask", "instrument"]},
        ],
    }
    return {**found, **changes}


def test_every_entry_of_the_file_is_a_regime_and_every_measure_is_held_by_an_engine():
    from sfumato.core.engine import ENGINES

    assert [r["id"] for r in FILE["regime"]] == [*REGIMES][: len(FILE["regime"])]
    held = {name for engine in ENGINES.values() for name in engine.figures}
    assert held <= set(MEASURES)
    assert {name for regime in REGIMES.values() for name in regime.measures} <= held


@pytest.mark.parametrize(
    "wrong",
    [
        {"threshold": {"value": 0.09, "size": 10}},
        {"number": "none"},
        {"sources": []},
        {"sources": [{"title": "Rule 1", "sure": "read", "of": ["ask", "instrument"]}]},
        {"sources": [{"title": "Rule 1", "sure": "read", "of": ["threshold", "askk"]}]},
        {"measures": ["biggest group"]},
        {"ask": []},
        {"colour": "red"},
    ],
)
def test_an_entry_that_does_not_hold_together_is_refused(wrong):
    with pytest.raises(ValueError, match=r"house|threshold|sources|ask|colour"):
        Regime.model_validate(entry(**wrong))


def test_eleven_is_enough_where_a_regime_prints_point_nought_nine():
    ema = find_regime("ema")
    assert ema.limits[0].value < 1 / 11
    assert [ema.meets(size) for size in (10, 11, 12)] == [False, True, True]
    assert [level.size for level in find_regime("ontario:high").limits] == [20]


def test_only_a_number_that_was_read_carries_a_verdict():
    def of(sure):
        sources = [{"title": "Rule 1", "sure": sure, "of": ["threshold", "ask", "instrument"]}]
        return Regime.model_validate(entry(sources=sources))

    assert [c.verdict for c in of("read").compare(5)] == ["within"]
    assert [c.verdict for c in of("read").compare(4)] == ["above"]
    assert [(c.meets, c.verdict) for c in of("reported").compare(5)] == [(True, None)]
    assert of("recalled").compare(5) == ()
    assert [c.verdict for c in of("read").compare(None)] == [None]


def test_a_regime_of_ones_own_is_a_file(tmp_path):
    file = tmp_path / "house.toml"
    lines = ["format = 1", "reviewed = 2026-01-01", "[[regime]]"]
    for key, value in entry().items():
        if key not in {"ask", "sources", "threshold"}:
            lines.append(f'{key} = "{value}"')
    lines += ["threshold = { value = 0.2, size = 5 }", 'ask = [{ what = "Who signs", at = "sign" }]',
              'sources = [{ title = "Rule 1", sure = "read", of = ["threshold", "ask", "instrument"] }]']  # fmt: skip
    file.write_text("\n".join(lines), encoding="utf-8")
    assert find_regime(file).limits[0].size == 5
    file.write_text("\n".join(lines).replace("size = 5", "size = 3"), encoding="utf-8")
    with pytest.raises(PlanError, match="size of 3"):
        find_regime(file)


def test_an_unknown_regime_or_level_is_one_sentence_with_a_hint(tmp_path):
    with pytest.raises(ParameterError, match=r"no regime 'emma'.*ema"):
        find_regime("emma")
    with pytest.raises(ParameterError, match="no level 'max'"):
        find_regime("ontario:max")
    with pytest.raises(PlanError, match="for: There is no regime"):
        Plan.of({"for": "emma", "tables": {}}, folder=tmp_path)


def test_the_most_useful_candidate_within_a_regime_is_chosen(written):
    explored = load(written / "baskets-explored")
    sizes = {c.id: smallest_group(explored.engine, c) for c in explored.candidates}
    with pytest.warns(PrivacyWarning, match="original was not read"):
        chosen = Choice(regime="ema").of(explored)
    assert sizes[chosen.id] >= 11
    assert min(sizes.values()) < 11  # there was something to leave out
    within = [c for c in explored.candidates if sizes[c.id] >= 11]
    assert chosen.utility.value == max(c.utility.value for c in within)


def test_what_a_regime_cannot_choose_is_said(written):
    explored = load(written / "baskets-explored")
    for name, message in (("wp216", "names no number"), ("ontario", "several levels")):
        with pytest.raises(ParameterError, match=message):
            Choice(regime=name).of(explored)
    with pytest.raises(NoCandidateError, match="groups of 20"):
        Choice(regime="ontario:high").of(explored)
    with pytest.raises(ParameterError, match="measures no groups"):
        Choice(regime="ema").of(load(written / "text-explored"))
