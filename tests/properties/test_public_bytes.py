"""What is public is a function of what is published: a raw value that changes inside its band changes no public byte.

The property is checked on whole releases and reports, marks under the private key aside, by the harness of
`fuzz.metamorphic`, which plays more and longer in `make fuzz`: small data sets of every engine, treatment and command
are published, something is changed that the release does not show, and every byte that may be given out is compared.
"""

import pytest
from fuzz.metamorphic import Tally, is_flip, play, rehearse
from fuzz.neighbours import STAGES
from fuzz.table_scenes import table_scene
from tests.seeds import draw

from sfumato.core.record import Exposure, Record
from sfumato.core.records import Release
from sfumato.engines.tables.records import TablesMeasured

MOST = 10  # scenes, where those that are drawn first say little


def played(prefix, folder, *, scenes=2, changes=3):
    """Play some scenes, more where little could be compared; nothing may differ."""
    tally = Tally()
    stages = {name: stage for name, stage in STAGES.items() if name.startswith(prefix)}
    for number in range(MOST):
        if number >= scenes and tally.compared >= 2 * scenes:
            break
        (folder / str(number)).mkdir()
        rehearse(stages, draw(number), folder / str(number), tally, changes=changes)
    assert tally.differences == []
    assert sum(tally.flips.values()) <= 1
    assert tally.compared >= 2 * scenes
    return tally


@pytest.mark.parametrize("stage", [name for name in STAGES if name.startswith("tables")])
def test_tables(tmp_path, stage):
    played(stage, tmp_path)


def test_baskets_an_item_that_is_not_published(tmp_path):
    assert len(played("baskets", tmp_path).scenes) == 3


def test_text_a_redacted_word(tmp_path):
    assert len(played("text", tmp_path).scenes) == 2


@pytest.mark.parametrize("stage", ["tables as it is", "baskets log", "text"])
def test_with_the_figures_put_back_neighbours_differ(tmp_path, monkeypatch, stage):
    """The harness sees what it must see: with every figure public, the bytes tell neighbours apart."""
    monkeypatch.setattr(Release, "to_public_json", Record.to_json)
    tally = Tally()
    for number in range(MOST):
        (tmp_path / str(number)).mkdir()
        rehearse({stage: STAGES[stage]}, draw(3 + number), tmp_path / str(number), tally, changes=6)
        if tally.differences:
            return
    pytest.fail("no neighbours were told apart")


def test_one_private_figure_is_enough(tmp_path, monkeypatch):
    """A single sum over raw records that is public by mistake is seen."""
    marks = TablesMeasured.exposure

    def forgetful(name):
        return Exposure.PUBLIC if name == "expected_unchanged" else marks(name)

    monkeypatch.setattr(TablesMeasured, "exposure", staticmethod(forgetful))
    tally = Tally()
    for number in range(20):
        folder = tmp_path / str(number)
        folder.mkdir()
        scene = table_scene("as it is", draw(number), folder)
        if "population" in scene.explored:  # the sum is over the people of each raw cell
            play(scene, folder, tally, changes=4)
            break
    assert tally.differences


def test_a_flip_is_the_last_digit_of_a_rounded_figure_and_nothing_else():
    def files(risk, rows=3):
        record = b'{"risk": %s, "rows": %d}' % (str(risk).encode(), rows)
        return {"release.json": record, "data.csv": b"a"}

    assert is_flip(files(0.013), files(0.014))
    assert is_flip(files(9.9), files(10.0))
    assert not is_flip(files(0.013), files(0.015))
    assert not is_flip(files(0.0131), files(0.0132))  # not rounded at all
    assert not is_flip(files(0.013), files(0.014, rows=4))
    assert not is_flip(files(0.013), {**files(0.014), "data.csv": b"b"})
