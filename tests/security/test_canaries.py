"""One canary harness for all engines, formats and commands; `python -m fuzz.canaries` runs it at length."""

import base64
import gzip
import hashlib
import json

import pytest
from fuzz.canaries import FEW, Scene, baskets, play
from fuzz.looking import Canary, Looker, look, pdf_text
from tests.seeds import seeded

from sfumato.core.randomness import Streams
from sfumato.core.records import InputFile, Release

WORD = "Quixadelmotarivexo"


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    return Scene(tmp_path_factory.mktemp("scene"), Streams(seeded(7)).generator("canaries"))


@pytest.fixture(scope="module")
def played(scene):
    return play(scene, FEW)


def test_no_canary_comes_out_of_any_command(scene, played):
    found, counted = played
    assert found == []
    assert counted["canaries"] >= 20
    assert counted["commands"] >= 25
    assert counted["places"] >= 100
    assert not list(scene.scratch.iterdir())  # nothing is left in the temporary folder


def test_the_harness_saw_what_was_written(scene, played):
    """Each kind of place was there to be looked at; the certificate's own words can be read."""
    names = {p.name for p in scene.outputs.rglob("*")}
    assert {"release.json", "frontier.json", "facts.json", "report.html", "report.pdf", "attack.json",
            "policies.json", "arrays.bin", "plan.toml", "mapping.csv"} <= names  # fmt: skip
    assert any(name.endswith(".svg") for name in names)
    assert b"sfumato" in pdf_text((scene.outputs / "report" / "report.pdf").read_bytes())


def test_c1_with_the_hash_put_back_the_harness_fails(tmp_path, monkeypatch):
    """The harness would have found 0.1.0: a plain hash of an input in release.json."""
    monkeypatch.setattr(InputFile, "with_mark", lambda self, **_: self)
    monkeypatch.setattr(Release, "to_public_json", Release.to_json)
    scene = Scene(tmp_path, Streams(8).generator("canaries"))
    baskets(scene, ("npz",))
    found, _ = scene.look()
    assert any("hash of the input" in line and "release.json" in line for line in found)


@pytest.mark.parametrize(
    ("form", "content"),
    {
        "plain": f"... {WORD} ...".encode(),
        "other case": f"x{WORD.upper()}x".encode(),
        "UTF-16": WORD.encode("utf-16-le"),
        "first half": WORD[: len(WORD) // 2].encode(),
        "second half": WORD[len(WORD) // 2 :].lower().encode(),
        "backwards": WORD[::-1].encode(),
        "hex": WORD.encode().hex().upper().encode(),
        "base64 at 0": base64.b64encode(f"{WORD} and more".encode()),
        "base64 at 1": base64.b64encode(f"a{WORD} and more".encode()),
        "base64 at 2": base64.b64encode(f"ab{WORD} and more".encode()),
        "md5": hashlib.md5(WORD.encode()).hexdigest().encode(),
        "sha1 of the lower case": hashlib.sha1(WORD.lower().encode()).hexdigest().encode(),
        "raw sha256": b"12345" + hashlib.sha256(WORD.encode()).digest(),
        "base64 of sha512": base64.b64encode(hashlib.sha512(WORD.encode()).digest()),
        "blake2b of 8 bytes": hashlib.blake2b(WORD.encode(), digest_size=8).hexdigest().encode(),
        "sha256 of a line": hashlib.sha256(f"d1,{WORD}".encode()).hexdigest().encode(),
        "sha256 of a file": hashlib.sha256(f"id,name\nd1,{WORD}\n".encode()).hexdigest().encode(),
    }.items(),
)  # fmt: skip
def test_every_form_is_seen(tmp_path, form, content):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "t.csv").write_text(f"id,name\nd1,{WORD}\n")
    (tmp_path / "out").mkdir()
    looker = Looker([Canary(WORD, "name")])
    looker.know_files(tmp_path / "in")
    (tmp_path / "out" / "a.json").write_text(json.dumps({"nothing": "here", "n": 0.123456789}))
    assert look(looker, [tmp_path / "out"], {"stdout": "1,234 documents"})[0] == []
    (tmp_path / "out" / "b.bin").write_bytes(content)
    assert look(looker, [tmp_path / "out"], {})[0], form
    (tmp_path / "out" / "b.bin").unlink()
    (tmp_path / "out" / "c.gz").write_bytes(gzip.compress(content))
    assert look(looker, [tmp_path / "out"], {})[0], form
