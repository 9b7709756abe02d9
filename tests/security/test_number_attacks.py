"""Attacks that once read raw values off release.json and facts.json: what they leave now.

Each ends with "more than 1,000 candidates fit" or "equal for neighbours": candidates that publish alike are published,
and give the same public bytes.
"""

import pytest
from fuzz.number_attacks import ATTACKS
from tests.seeds import draw

from sfumato.core.records import HouseRecord, Record, Release
from sfumato.reports import parts


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_on_numbers_finds_nothing(attack, tmp_path):
    outcome = ATTACKS[attack](draw(1), tmp_path, 2)
    assert outcome.found == 0
    assert outcome.candidates > 1
    assert outcome.equal == outcome.published == 2  # every one of them fits what is public
    if attack in {"four_people", "number_in_its_step"}:
        assert outcome.candidates > 1_000


@pytest.mark.parametrize("attack", ATTACKS)
def test_with_the_figures_put_back_the_attack_succeeds(attack, tmp_path, monkeypatch):
    """The test above sees what it must see: with every figure public, each attack finds what it found."""
    monkeypatch.setattr(Record, "to_public_json", Record.to_json)
    monkeypatch.setattr(HouseRecord, "to_public_json", Record.to_json)
    monkeypatch.setattr(Release, "to_public_json", Record.to_json)
    monkeypatch.setattr(parts, "public_parts", list)
    outcome = ATTACKS[attack](draw(1), tmp_path, 1)
    assert outcome.found > 0
