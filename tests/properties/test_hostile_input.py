"""Hostile files: every reader takes them or refuses them with an error of ours, and writes nowhere else.

The targets are those of the longer run (`make fuzz`); here hypothesis looks for small counterexamples.
"""

import gzip
import io
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import examples

from sfumato.core.errors import LimitError

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from fuzz.mutations import PIECES, mutated
from fuzz.quick import shortcuts
from fuzz.targets import TARGETS
from tests.seeds import seeded

edits = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 20), st.sampled_from(PIECES) | st.binary(max_size=8)),
    max_size=4,
)


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_a_good_file_is_taken(name):
    if name == "model":
        return  # refused for what it lacks: a model of two arrays is no candidate
    for seed in TARGETS[name].seeds():
        assert TARGETS[name].check(seed) is None


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_a_few_hostile_files_go_on_through_explore_and_publish(name):
    """The longer run is `make fuzz`, with bounds checks in the kernels."""
    target, dice = TARGETS[name], np.random.default_rng(seeded(7))
    seeds = list(target.seeds())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for data in [*seeds, mutated(seeds, dice), mutated(seeds, dice)]:
            target.check(data, onward=True)


@pytest.mark.parametrize("name", sorted(TARGETS))
@given(data=st.data())
@settings(max_examples=examples(20, fuzz=40), suppress_health_check=list(HealthCheck))
def test_hostile_files_are_taken_or_refused(name, data):
    target = TARGETS[name]
    content = bytearray(data.draw(st.sampled_from(list(target.seeds()))))
    for place, length, piece in data.draw(edits):
        start = int(place * len(content))
        content[start : start + length] = piece
    with warnings.catch_warnings(), shortcuts():
        warnings.simplefilter("ignore")
        target.check(bytes(content))


def test_mutations_repeat_and_change():
    seeds = [b"one two 3\nfour"]
    made = [mutated(seeds, np.random.default_rng(seeded(n))) for n in range(50)]
    assert made == [mutated(seeds, np.random.default_rng(seeded(n))) for n in range(50)]
    assert len(set(made)) > 40


def test_a_gzip_bomb_is_refused(tmp_path):
    from sfumato.data.baskets import read_baskets
    from sfumato.data.documents import read_documents

    bomb = gzip.compress(b"x" * (300 << 20), compresslevel=9)
    assert len(bomb) < 1 << 20
    for name in ("bomb.jsonl.gz", "bomb.csv.gz"):
        (tmp_path / name).write_bytes(bomb)
        with pytest.raises(LimitError, match="limit"):
            list(read_documents(tmp_path / name))
    (tmp_path / "bomb.txt.gz").write_bytes(bomb)
    with pytest.raises(LimitError, match="expansion"):
        read_baskets(tmp_path / "bomb.txt.gz")


def test_an_archive_that_explodes_is_refused(tmp_path):
    from sfumato.data.baskets import read_baskets

    with (
        zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("data.npy", "w", force_zip64=True) as stream,
    ):
        for _ in range(100):
            stream.write(bytes(1 << 20))
    with pytest.raises(LimitError, match="expansion"):
        read_baskets(tmp_path / "bomb.npz")


def test_absurd_widths_are_refused(tmp_path):
    import scipy.sparse as sp

    from sfumato.data.baskets import read_baskets

    sink = io.BytesIO()
    sp.save_npz(sink, sp.csr_matrix((2, 2**31 - 2), dtype=np.int8))
    (tmp_path / "wide.npz").write_bytes(sink.getvalue())
    (tmp_path / "wide.svm").write_text("1 1:1 2147483000:1\n")
    (tmp_path / "wider.svm").write_text(f"1 1:1 {'9' * 5000}:1\n")
    for name in ("wide.npz", "wide.svm", "wider.svm"):
        with pytest.raises(LimitError, match="features"):
            read_baskets(tmp_path / name)


@pytest.mark.parametrize("name", ["a\\u0000b", "a" * 5000, ".", "/"])
@pytest.mark.parametrize("key", ["hierarchy", "domain"])
def test_names_that_no_file_can_have(tmp_path, name, key):
    from sfumato.core.errors import InputError
    from sfumato.tables import explore

    given = (
        f'hierarchy = "{name}"\ndomain = "observed"'
        if key == "hierarchy"
        else (f'domain = {{ file = "{name}" }}')
    )
    (tmp_path / "t.csv").write_text("age\n1\n2\n")
    (tmp_path / "s.toml").write_text(f'[[attribute]]\nname = "age"\nrole = "quasi"\n{given}\n')
    with pytest.raises(InputError, match="cannot be read"):
        explore(tmp_path / "t.csv", schema=tmp_path / "s.toml", evaluations=2)


def test_formulas_do_not_reach_a_spreadsheet():
    from sfumato.engines.tables.space.policy import Lattice
    from sfumato.engines.tables.space.policy_files import mapping_csv, mapping_sql

    values = ("=1+1", "@x", "-3", "plain")
    lattice = Lattice(("name",), (values,))
    policy = lattice.policy({"name": list(values)})
    mapping = mapping_csv(policy)
    assert "'=1+1" in mapping
    assert ",=1+1" not in mapping
    assert ",-3," in mapping
    assert "'=1+1'" in mapping_sql(policy)  # for machines: the value itself, as an SQL text
