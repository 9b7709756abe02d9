"""Rows that are not like the explored ones are refused, unless a person accepts them."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from sfumato import baskets
from sfumato.cli import build
from sfumato.core.engine import Part
from sfumato.core.errors import ModelError, ReleaseRefusedError
from sfumato.core.statistics.shift import DIFFERENT, LIKE
from sfumato.data.baskets import Baskets
from sfumato.data.tally import Tally
from sfumato.engines.baskets.engine import ENGINE
from sfumato.engines.baskets.measures.shift import COLUMNS_FILE, ExploredColumns

KINDS = np.array([[(i * (k + 3)) % 30 < 3 + k for i in range(30)] for k in range(8)], np.uint8)
EVEN = np.full(8, 1 / 8)
SMALL = np.array([4, 3, 2, 1, 1, 1, 1, 1]) / 14


def rows(n, seed, shares=EVEN):
    """Draw rows of a few kinds, so that each is there many times."""
    return KINDS[np.random.default_rng(seed).choice(8, n, p=shares)]


def write(path, matrix):
    lines = [" ".join(f"item{i}" for i in np.flatnonzero(row)) for row in matrix]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("shift")
    source = write(place / "explored.txt", rows(600, 0))
    found = baskets.explore(source, k=[5], method=["columns"])
    (place / "frontier").mkdir()
    found.save(place / "frontier")
    write(place / "later.txt", rows(300, 1))
    write(place / "fewer.txt", rows(300, 2, SMALL))
    other = np.pad(rows(300, 3), ((0, 0), (0, 10)))
    for i, row in enumerate(other):  # one item of each row is another one now
        held = np.flatnonzero(row)[1:]
        row[held[i % len(held)]], row[30 + i % 10] = 0, 1
    write(place / "new.txt", other)
    return place


def publish(folder, name, out, **options):
    found = baskets.load(folder / "frontier")
    return found.publish(found.candidates[0], folder / name, out=out, **options)


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(1, 6))
def test_a_tally_in_batches_against_the_whole_matrix(seed, parts, columns):
    random = np.random.default_rng(seed)
    matrix = random.integers(0, 3, (7, columns)) * (random.random((7, columns)) < 0.5)
    names = [f"n{i}" for i in range(columns)]
    tally = Tally()
    for piece in np.array_split(matrix, parts):
        stored = sp.csr_matrix(np.ones_like(piece))  # zeros are stored as well
        stored.data = piece.ravel().astype(np.int64)
        tally.add(stored.indptr, stored.indices, stored.data, names)
    assert tally.counts.tolist() == (matrix > 0).sum(axis=0).tolist()
    sizes = (matrix > 0).sum(axis=1).tolist()
    assert tally.sizes.tolist() == [sizes.count(k) for k in range(len(tally.sizes))]


def test_the_explored_rows_and_their_like_are_published(folder, tmp_path):
    same = publish(folder, "explored.txt", tmp_path / "same")
    assert same.measured.shift.verdict == LIKE
    assert same.sentences == ()
    later = publish(folder, "later.txt", tmp_path / "later")
    assert later.measured.shift.verdict == LIKE
    assert later.lines()[0].startswith("These 300 rows look like the 600 explored")
    record = json.loads((tmp_path / "later" / "release.json").read_text(encoding="utf-8"))
    assert "shift" not in record["measured"]
    figures = tmp_path / "later.private" / "figures.json"
    record = json.loads(figures.read_text(encoding="utf-8"))
    assert set(record["measured"]["shift"]["measures"]) == {
        "new columns", "counts of columns", "ones per row", "new numbers of ones per row",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "words"),
    [("fewer.txt", "fewer"), ("new.txt", "columns that were not there")],
)
def test_other_rows_are_refused(folder, tmp_path, name, words):
    with pytest.raises(ReleaseRefusedError, match=words) as caught:
        publish(folder, name, tmp_path / "out")
    assert caught.value.exit_status == 3
    assert not (tmp_path / "out").exists()


def test_a_difference_that_was_accepted_is_recorded_and_told_first(folder, tmp_path):
    release = publish(folder, "fewer.txt", tmp_path / "out", accept_shift=True)
    assert release.how.accept_shift
    assert release.measured.shift.verdict == DIFFERENT
    assert release.lines()[0].startswith("These rows differ from those explored")
    told = ENGINE.story(
        Part(
            "baskets",
            "baskets",
            release=release,
            chosen=baskets.load(folder / "frontier").candidates[0],
        )
    )
    assert told.verdict[0] == f"{release.sentences[0]} The steward accepted this."


def test_rows_in_memory_are_refused_too(folder):
    found = baskets.load(folder / "frontier")
    names = [f"item{i}" for i in range(30)]
    fewer = Baskets.of(rows(300, 2, SMALL), feature_names=names)
    with pytest.raises(ReleaseRefusedError):
        found.publish(found.candidates[0], fewer)
    alike = Baskets.of(rows(300, 1), feature_names=names)
    assert len(found.publish(found.candidates[0], alike)) == 300


def test_the_command_line_says_so_with_status_3(folder, tmp_path):
    words = ["baskets", "publish", str(folder / "frontier"), str(folder / "fewer.txt")]
    words += ["--choose", "knee", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(build(), words)
    assert result.exit_code == 3
    assert "Nothing was published. These rows differ" in result.stderr
    assert not (tmp_path / "out").exists()
    assert CliRunner().invoke(build(), [*words, "--accept-shift"]).exit_code == 0


def test_no_name_of_a_column_is_kept_and_damage_is_refused(folder, tmp_path):
    file = folder / "frontier" / COLUMNS_FILE
    assert b"item" not in file.read_bytes()
    kept = ExploredColumns.load(folder / "frontier")
    with pytest.raises(ModelError):
        ExploredColumns.load(tmp_path)
    for changed in (
        {"keys": kept.keys[::-1].copy()}, {"counts": -kept.counts}, {"sizes": kept.sizes[None]},
        {"keys": np.uint64(1), "counts": np.int64(1)}, {"salt": np.array([-1])}, {"counts": kept.counts[:-1]}, {"counts": kept.counts + 601},
        {"sizes": kept.sizes + (1 << 62)},
    ):  # fmt: skip
        arrays = {
            "salt": np.array([kept.salt]), "keys": kept.keys, "counts": kept.counts, "sizes": kept.sizes,
        }  # fmt: skip
        np.savez(tmp_path / COLUMNS_FILE, **{**arrays, **changed})
        with pytest.raises(ModelError):
            ExploredColumns.load(tmp_path)
