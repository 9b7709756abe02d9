"""Every built-in rule takes a time that grows with the text and no faster, whatever the text."""

import json
import re

import pytest
from benchmarks.rules_growth import FACTOR, growth, hostile, rules
from tests.conftest import sfumato

from sfumato.core.errors import LimitError
from sfumato.data.limits import Limits, current_limits, set_limits
from sfumato.engines.text.rules.rule import PatternRule, Rule, RuleSet, WordRule

MOST = 2.5 * FACTOR  # a time that grows with the square grows by FACTOR ** 2
NOISE = 0.02  # seconds below which nothing is told about growth
BUILT_IN = rules()


def by_name():
    return sorted({rule.name for rule in BUILT_IN})


@pytest.mark.parametrize("name", by_name())
def test_m3_every_built_in_rule_is_linear(name):
    for rule in BUILT_IN:
        if rule.name != name:
            continue
        for beginning, run in hostile(rule):
            ratio, spent = growth(rule, beginning, run, times=1)
            if spent > NOISE and ratio > MOST:  # again, with more care
                ratio, spent = growth(rule, beginning, run, times=5)
            assert spent <= NOISE or ratio <= MOST, (rule.languages, beginning, run, ratio)


def test_m3_the_measure_sees_a_rule_that_is_quadratic():
    former = PatternRule("former", "NAME", 0.6, pattern=re.compile(r"(?m:^\W*)Dear\s+[A-Z]"))
    ratio, spent = growth(former, "", "\n")
    assert spent > NOISE
    assert ratio > MOST


def test_m3_allowed_words_are_linear():
    class Set(Rule):
        def spans(self, text):
            allow = WordRule("allow", "", 1.0, words=frozenset({"ann"}))
            words = WordRule("words", "NAME", 1.0, words=frozenset({"ann", "bo"}))
            return (span for _, span in RuleSet((words,), allow=allow).by_rule(text))

    ratio, spent = growth(Set("set", "NAME", 1.0), "", "ann bo ", times=3)
    assert spent <= NOISE or ratio <= MOST
    text = "ann bo bo annbo"
    assert [span.start for span in Set("set", "NAME", 1.0).spans(text)] == [4, 7]


@pytest.fixture
def tight():
    """Limits of few matches, for as long as the test runs."""
    usual = current_limits()
    set_limits(Limits(rule_matches=1_000))
    yield
    set_limits(usual)


def test_m3_a_rule_that_matches_too_often_in_a_document_is_told(tight):
    words = RuleSet((WordRule("wards", "PLACE", 1.0, words=frozenset({"north"})),))
    assert len(words.find("north " * 1_000)) == 1_000
    with pytest.raises(LimitError, match="rule 'wards' in one document is beyond the limit"):
        words.find("north " * 1_001)
    phone = RuleSet(tuple(rule for rule in BUILT_IN if rule.name == "phone"))
    with pytest.raises(LimitError, match="rule 'phone'"):
        phone.find("0151 2345678 and then " * 6)


def test_m3_a_document_beyond_the_limit_is_withheld(tight, tmp_path):
    sick = "Seen on 3 May 2021. " * 1_001
    well = [{"id": f"a{i}", "text": "Dear Ann Miller,\nseen on 3 May 2021."} for i in range(20)]
    (tmp_path / "learn.jsonl").write_text("\n".join(map(json.dumps, well)))
    (tmp_path / "in.jsonl").write_text(
        "\n".join(map(json.dumps, [*well, {"id": "b", "text": sick}]))
    )
    sfumato("text", "explore", tmp_path / "learn.jsonl", "--label", "NAME,DATE", "--rules", "built-in",
            "--out", tmp_path / "found")  # fmt: skip
    sfumato("text", "publish", tmp_path / "found", tmp_path / "in.jsonl", "--choose", "rules",
            "--accept-shift", "--keep-ids", "--out", tmp_path / "out", status=1)  # fmt: skip
    kept = (tmp_path / "out" / "in.jsonl").read_text()
    assert '"a0"' in kept
    assert "3 May" not in kept
    assert '"b"' not in kept
    quarantined = (tmp_path / "out.quarantine.jsonl").read_text()
    assert "rule_matches" in quarantined
