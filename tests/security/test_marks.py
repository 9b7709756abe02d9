"""C1: nothing that leaves the house is a plain function of raw input; the key that marks inputs stays."""

import hashlib
import json
import os
import pickle
import stat
import subprocess
import sys

import pytest

from sfumato.core.errors import InputError, ModelError, PrivacyWarning
from sfumato.core.exploration import Exploration
from sfumato.core.measures import Risk, Utility
from sfumato.core.records import Candidate, FrontierRecord, InputFile, OutputFile, Release
from sfumato.core.storage.private_key import PrivateKey, key_file, private_key

ROWS = "name,age\nCanarina,33\n"
SHA256 = hashlib.sha256(ROWS.encode()).hexdigest()


@pytest.fixture
def own_key(tmp_path, monkeypatch):
    path = tmp_path / "steward" / "private.key"
    monkeypatch.setenv("SFUMATO_PRIVATE_KEY", str(path))
    return path


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_the_key_is_drawn_once_and_is_the_owners_alone(own_key):
    first = private_key().mark("x")
    assert (mode(own_key), mode(own_key.parent)) == (0o600, 0o700)
    assert private_key().mark("x") == first
    assert [p.name for p in own_key.parent.iterdir()] == ["private.key"]
    own_key.unlink()
    assert private_key().mark("x") != first


def test_a_key_that_others_can_read_is_refused(own_key):
    private_key()
    own_key.chmod(0o644)
    with pytest.raises(InputError, match="others than its owner"):
        private_key()
    own_key.chmod(0o600)
    own_key.write_text("short")
    with pytest.raises(InputError, match="does not hold a private key"):
        private_key()
    own_key.write_text("ab" * 8)
    with pytest.raises(InputError, match="at least 32"):
        private_key()
    own_key.unlink()
    own_key.symlink_to(own_key.parent / "elsewhere")
    with pytest.raises(OSError):
        private_key()


def test_the_key_is_never_shown_or_serialised():
    key = PrivateKey(b"s" * 32)
    assert "s" * 8 not in repr(key) + str(key)
    with pytest.raises(TypeError, match="not written anywhere"):
        pickle.dumps(key)
    assert key.mark("a", "b") != key.mark("ab", "")
    assert 0 <= key.seed("x") < 2**63


def test_two_processes_draw_one_key(own_key):
    code = (
        "from sfumato.core.storage.private_key import private_key; print(private_key().mark('x'))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment)
        for _ in range(4)
    ]
    assert len({process.communicate()[0] for process in running}) == 1


def test_without_a_place_for_the_key(monkeypatch, tmp_path):
    monkeypatch.delenv("SFUMATO_PRIVATE_KEY")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert key_file() == tmp_path / "data" / "sfumato" / "private.key"
    (tmp_path / "data").write_text("a file: nothing can be made below it")
    with pytest.warns(PrivacyWarning, match="cannot be kept"):
        first = private_key().mark("x")
    assert private_key().mark("x") == first


def test_c1_a_release_holds_no_hash_of_an_input(tmp_path):
    """Whoever reads the release can check no guess of what the input held."""
    path = tmp_path / "register.csv"
    path.write_text(ROWS)
    file = InputFile.of(path, 1)
    assert file.sha256 == SHA256
    release = Release(
        engine="tables", candidate="p1", inputs=(file,), outputs=(OutputFile.of(path, 1),), seed=0
    )
    content = json.loads(release.save(tmp_path).read_text())
    assert "sha256" not in content["inputs"][0]
    assert content["inputs"][0]["hmac"] != SHA256
    assert content["inputs"][0]["path"] == "register.csv"
    assert (
        content["outputs"][0]["sha256"] == SHA256
    )  # of what is published, which everyone can hash
    again = Release.from_json(content)
    assert again.to_public_json() == content
    # The same input is known again by its mark; without the key nobody can compute it.
    assert InputFile.of(path, 1).with_mark().hmac == content["inputs"][0]["hmac"]


def explored(folder, payload=b"model"):
    class Bound(Exploration):
        def save_payload(self, folder):
            (folder / "model").mkdir()
            (folder / "model" / "arrays.bin").write_bytes(payload)
            (folder / "policies.json").write_text("{}")

    candidate = Candidate(
        id="r10", risk=Risk(0.1, attacker="reads"), utility=Utility(0.9, kept="words")
    )
    folder.mkdir()
    file = InputFile(path="notes.jsonl", sha256=SHA256, rows=1)
    record = FrontierRecord(
        engine="text", seed=0, axes={"risk": "r", "utility": "u"}, area=0.1, candidates=(candidate,),
        inputs=(file,),
    )  # fmt: skip
    Bound(record).save(folder)
    return folder


def test_c1_a_report_holds_no_hash_of_inputs_or_models(tmp_path):
    record = FrontierRecord.read(explored(tmp_path / "f"))
    assert record.inputs[0].sha256 == SHA256  # the frontier stays private
    assert record.to_public_json() == {}
    text = json.dumps(record.to_report_json())
    assert SHA256 not in text
    assert not [digest for digest in record.files.values() if digest in text]


@pytest.mark.parametrize("what", ["model/arrays.bin", "policies.json"])
def test_h3_l5_a_frontier_is_bound_to_what_lies_beside_it(tmp_path, what):
    folder = explored(tmp_path / "f")
    Exploration.load(folder)
    explored(tmp_path / "g", b"another model")
    (folder / what).write_bytes(b"of somebody else")
    with pytest.raises(ModelError, match="is not the file that explore wrote"):
        Exploration.load(folder)
    (folder / what).unlink()
    with pytest.raises(ModelError, match="is not the file that explore wrote"):
        Exploration.load(folder)


def test_h3_saving_twice_keeps_the_binding(tmp_path):
    folder = explored(tmp_path / "f")
    before = sorted(p.name for p in folder.iterdir())
    Exploration.load(folder)
    assert before == ["frontier.json", "model", "policies.json"]


def test_m5_an_archive_has_the_same_bytes_everywhere(tmp_path):
    """No date, no system and no version of Python is in it: only the arrays are."""
    import zipfile

    import numpy as np
    import scipy.sparse as sp

    from sfumato.data.npz import write_csr

    matrix = sp.csr_matrix(np.eye(3, dtype=np.int8))
    write_csr(tmp_path / "m.npz", matrix)
    assert (sp.load_npz(tmp_path / "m.npz") != matrix).nnz == 0
    with zipfile.ZipFile(tmp_path / "m.npz") as archive:
        for entry in archive.infolist():
            assert entry.date_time == (1980, 1, 1, 0, 0, 0)
            assert (entry.create_system, entry.extra, entry.comment) == (3, b"", b"")
            assert entry.external_attr == 0o600 << 16
