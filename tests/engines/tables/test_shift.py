"""A table that is not like the explored one is refused, unless a person accepts it."""

from __future__ import annotations

import json

import numpy as np
import pyarrow.compute as pc
import pytest
from typer.testing import CliRunner

from sfumato import tables
from sfumato.cli import build
from sfumato.core.engine import Part
from sfumato.core.errors import ModelError, ReleaseRefusedError
from sfumato.core.statistics.shift import DIFFERENT, LIKE
from sfumato.data.samples import patient_register, register_population, register_schema
from sfumato.data.table import read_table
from sfumato.engines.tables.engine import ENGINE
from sfumato.engines.tables.measures.shift import margins_of
from sfumato.engines.tables.payload import load_payload
from sfumato.engines.tables.release.steps import publish_by_policy
from sfumato.engines.tables.space.policy_files import load_policy, save_policy


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("shift")
    (place / "schema.toml").write_text(register_schema(), encoding="utf-8")
    register_population().to_pandas().to_csv(place / "population.csv", index=False)
    every = patient_register(1200)
    every.slice(0, 800).to_pandas().to_csv(place / "register.csv", index=False)
    later = every.slice(800)
    later.to_pandas().to_csv(place / "later.csv", index=False)
    old = patient_register(1200, seed=0).slice(800).filter(pc.greater(later["age"], 60))
    old.to_pandas().to_csv(place / "old.csv", index=False)
    found = tables.explore(
        place / "register.csv",
        schema=place / "schema.toml",
        population=place / "population.csv",
        evaluations=200,
    )
    (place / "frontier").mkdir()
    found.save(place / "frontier")
    return place


def publish(folder, name, out, **options):
    found = tables.load(folder / "frontier")
    chosen = found.choose(max_risk=0.05)
    return found.publish(chosen, folder / name, out=out, accept_worse=True, **options)


def test_margins_against_counting_rows(folder):
    frame = patient_register(1200).slice(0, 800).to_pandas()
    table = read_table(frame, folder / "schema.toml", folder / "population.csv")
    found = margins_of(table, [len(d) for d in table.domains])
    for name, domain, counts in zip(table.names, table.domains, found, strict=True):
        values = frame[name].astype(str).tolist()
        assert counts.tolist() == [values.count(value) for value in domain]
    stored = tables.load(folder / "frontier").payload.margins
    assert all(np.array_equal(a, b) for a, b in zip(found, stored, strict=True))


def test_the_explored_table_and_its_like_are_published(folder, tmp_path):
    same = publish(folder, "register.csv", tmp_path / "same.csv")
    assert same.measured.shift.verdict == LIKE
    assert same.measured.shift.p_value == 1.0
    assert same.sentences == ()
    later = publish(folder, "later.csv", tmp_path / "later.csv")
    assert later.measured.shift.verdict == LIKE
    assert later.lines()[0].startswith("These 400 records look like the 800 explored")
    figures = tmp_path / "later.csv.private" / "figures.json"
    record = json.loads(figures.read_text(encoding="utf-8"))
    assert set(record["measured"]["shift"]["measures"]) == {
        f"{what} of {name}" for what in ("new values", "distribution") for name in later.how.quasi
    }


def test_other_records_are_refused_unless_they_are_accepted(folder, tmp_path):
    with pytest.raises(ReleaseRefusedError, match="'age' is distributed in another way") as caught:
        publish(folder, "old.csv", tmp_path / "old.csv")
    assert caught.value.exit_status == 3
    assert list(tmp_path.iterdir()) == []
    release = publish(folder, "old.csv", tmp_path / "old.csv", accept_shift=True)
    assert release.how.accept_shift
    assert release.measured.shift.verdict == DIFFERENT
    assert release.lines()[0].startswith("These records differ from those explored")
    told = ENGINE.story(Part("tables", "tables", release=release))
    assert told.verdict[0] == f"{release.sentences[0]} The steward accepted this."
    assert told.checks[-2].state == "look"


def test_the_command_line_says_so_with_status_3(folder, tmp_path):
    words = ["tables", "publish", str(folder / "frontier"), str(folder / "old.csv")]
    words += ["--max-risk", "0.05", "--accept-worse", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(build(), words)
    assert result.exit_code == 3
    assert "Nothing was published. These records differ" in result.stderr
    assert not (tmp_path / "out").exists()
    assert CliRunner().invoke(build(), [*words, "--accept-shift"]).exit_code == 0


def test_a_frame_is_refused_too_and_a_saved_policy_promises_nothing(folder, tmp_path):
    frame = patient_register(1200).slice(800).to_pandas().query("age > 60").reset_index(drop=True)
    found = tables.load(folder / "frontier")
    chosen = found.choose(max_risk=0.05)
    with pytest.raises(ReleaseRefusedError):
        found.publish(chosen, frame, accept_worse=True)
    save_policy(found.policy(chosen), tmp_path / "policy.json")
    policy = load_policy(tmp_path / "policy.json", found.payload.lattice)
    published = publish_by_policy(policy, frame, schema=folder / "schema.toml")
    assert len(published) == len(frame)


def test_margins_that_do_not_fit_are_refused(folder, tmp_path):
    record = tables.load(folder / "frontier").record
    for wrong in ([[1]], [[-1]], "x"):
        content = json.loads((folder / "frontier" / "policies.json").read_text(encoding="utf-8"))
        content["margins"] = wrong
        (tmp_path / "policies.json").write_text(json.dumps(content), encoding="utf-8")
        (tmp_path / "population.npz").write_bytes(
            (folder / "frontier" / "population.npz").read_bytes()
        )
        with pytest.raises(ModelError):
            load_payload(tmp_path, record)
