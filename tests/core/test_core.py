"""Measures, streams, files, explorations, releases, errors and checked TOML."""

import json
import os
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, Field

from sfumato.core import (
    Candidate,
    DataError,
    Exploration,
    FormatError,
    InputError,
    Interval,
    NoCandidateError,
    OutputExistsError,
    ParameterError,
    PlanError,
    Reference,
    Release,
    Risk,
    Streams,
    Utility,
)
from sfumato.core.dominance import mark_dominated
from sfumato.core.files import canonical_json, sha256_of, whole_directory, whole_file, write_json
from sfumato.core.records import FrontierRecord
from sfumato.core.toml_files import read_toml, validate


def test_measures_refuse_what_is_not_a_number():
    with pytest.raises(ParameterError):
        Risk(float("nan"), attacker="a")
    with pytest.raises(ParameterError):
        Interval(0.4, 0.3)
    risk = Risk(0.2, attacker="reads all").with_interval(0.1, 0.3, method="bootstrap")
    assert 0.25 in risk.interval
    assert risk.attacker == "reads all"
    assert Utility(0.9, kept="words").to_json()["kept"] == "words"


def test_streams_depend_on_seed_and_name_alone():
    a, b = Streams(1), Streams(1)
    a.generator("other").random(10)
    assert a.generator("x").random(3).tolist() == b.generator("x").random(3).tolist()
    assert Streams(2).seed_of("x") != a.seed_of("x")
    assert a.child("x").seed_of("y") != a.seed_of("x")
    assert a.child("a").child("b").seed_of("c") == Streams(1, ("a", "b")).seed_of("c")


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    target = tmp_path / "out.txt"
    with pytest.raises(RuntimeError), whole_file(target) as beside:
        beside.write_text("half")
        raise RuntimeError
    assert os.listdir(tmp_path) == []
    with whole_file(target) as beside:
        beside.write_text("whole")
    with pytest.raises(OutputExistsError, match="--force"), whole_file(target):
        pass
    with whole_file(target, force=True) as beside:
        beside.write_text("again")
    assert target.read_text() == "again"
    assert os.listdir(tmp_path) == ["out.txt"]
    with pytest.raises(InputError, match="does not exist"), whole_file(tmp_path / "no" / "x"):
        pass


def test_a_folder_appears_whole_or_not_at_all(tmp_path):
    target = tmp_path / "out"
    with pytest.raises(RuntimeError), whole_directory(target) as beside:
        (beside / "a").write_text("half")
        raise RuntimeError
    assert os.listdir(tmp_path) == []
    for content in ("one", "two"):
        with whole_directory(target, force=content == "two") as beside:
            (beside / "frontier.json").write_text(json.dumps({"engine": "", "candidates": content}))
    assert "two" in (target / "frontier.json").read_text()
    assert os.listdir(tmp_path) == ["out"]


def test_hashes_and_json(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    assert sha256_of(tmp_path / "a").startswith("ba7816bf")
    before = sha256_of(tmp_path)
    (tmp_path / "a").rename(tmp_path / "b")
    assert sha256_of(tmp_path) != before
    assert json.loads(canonical_json({"é": 1})) == {"é": 1}
    with pytest.raises(DataError, match="finite"):
        write_json(tmp_path / "c", {"x": float("inf")})
    assert not (tmp_path / "c").exists()


def test_exploration_round_trips(tmp_path):
    candidates, area = mark_dominated([
        Candidate(id="a", risk=Risk(0.1), utility=Utility(0.5)),
        Candidate(id="b", risk=Risk(0.3, Interval(0.2, 0.4)), utility=Utility(0.9)),
        Candidate(id="c", risk=Risk(0.3), utility=Utility(0.4)),
    ])  # fmt: skip
    record = FrontierRecord(
        engine="text", seed=3, axes={"risk": "r", "utility": "u"}, area=area, candidates=candidates,
        references=(Reference(name="Safe Harbor", risk=Risk(0.2), utility=Utility(0.3)),),
    )  # fmt: skip
    Exploration(record).save(tmp_path)
    again = Exploration.load(tmp_path)
    assert again.record == record.model_copy(update={"mark": record.current_mark()})
    assert [c.id for c in again] == ["a", "b"]
    assert [c.id for c in again.candidates] == ["a", "c", "b"]
    assert again.choose(max_risk=0.2).id == "a"
    assert again.dominating("Safe Harbor").id == "a"
    with pytest.raises(NoCandidateError, match="no candidate 'z'"):
        again.candidate("z")


@pytest.mark.parametrize("content", ["", "[]", "{}", "nope", '{"engine": 1}', "\x00"])
def test_a_damaged_frontier_file_is_told_plainly(tmp_path, content):
    (tmp_path / "frontier.json").write_text(content)
    with pytest.raises(FormatError, match=r"frontier\.json"):
        Exploration.load(tmp_path)


def test_release_holds_only_numbers_as_counts():
    with pytest.raises(ValueError, match="counts"):
        Release(engine="text", candidate="r10", seed=0, counts={"words": "Ann"})
    with pytest.raises(FormatError):
        Release.from_json([], file="release.json")


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    k: int = Field(ge=2)


class Whole(BaseModel):
    model_config = ConfigDict(extra="forbid")
    seed: int = 0
    part: list[Part]


def test_all_mistakes_of_a_toml_file_are_told_at_once(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text('seeed = 1\n[[part]]\nname = "a"\nk = 1\n[[part]]\nnam = "b"\nk = 5\n')
    with pytest.raises(PlanError) as caught:
        validate(Whole, read_toml(path), source=path.name)
    told = str(caught.value)
    assert "4 mistakes" in told
    for fragment in ("seeed: unknown key", "part[0].k:", "part[1].name:", "part[1].nam: unknown"):
        assert fragment in told
    path.write_text("= nonsense")
    with pytest.raises(FormatError, match="not valid TOML"):
        read_toml(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(FormatError, match="UTF-8"):
        read_toml(path)
    with pytest.raises(InputError, match="no file"):
        read_toml(Path(tmp_path) / "none.toml")
