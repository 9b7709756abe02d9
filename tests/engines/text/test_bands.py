"""Bands that a table put into its notes: redaction leaves them alone, and they are no other kind of notes."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import sfumato as sf
from sfumato.core.errors import FormatError
from sfumato.core.storage.placed_bands import PlacedBands, text_hash, write_mentions
from sfumato.data.document import Document, apply
from sfumato.engines.text.redaction.sanitiser import Sanitiser


class Everything:
    """Redacts every word."""

    labels = ("AGE",)
    knowledge = ()

    def decide(self, data):
        return np.ones(len(data), np.int16)


def test_what_lies_in_a_band_stays_whatever_is_decided():
    text = "Née 45–49 ans, vue."
    bands = PlacedBands({text_hash(text): [(4, 9, "47")]})
    for given, wanted in ((bands, "[AGE] 45–49 [AGE]"), (None, "[AGE]")):
        done = Sanitiser(Everything(), bands=given)([Document("d", text)])
        published = apply(text, done.edits[0])
        assert ("45–49" in published) == (given is not None)
        assert published.startswith(wanted[:5])
        assert "ans" not in published
    assert bands.without(text) == "Née 47 ans, vue."
    assert bands.without("another") == "another"


@pytest.fixture(scope="module")
def chain(tmp_path_factory, short_samples):
    """Publish a register with notes, and its notes after it, as a plan does."""
    folder = tmp_path_factory.mktemp("chain")
    register = short_samples / "register_with_notes.csv"
    tables = sf.tables.explore(
        register, schema=short_samples / "schema_with_notes.toml", evaluations=100
    )
    tables.publish(tables.choose(max_risk=0.05), register, out=folder / "rows")
    text = sf.text.explore(short_samples / "notes.jsonl.gz", labels=["DATE"], ratios=[10])
    # No shift is accepted: the check must not trip over what the table put into the notes.
    text.publish(
        next(iter(text)),
        folder / "rows" / register.name,
        text_column="notes",
        id_column="",
        out=folder / "notes",
    )
    return folder, register.name


def test_the_engine_redacts_other_dates_and_keeps_every_band(chain):
    folder, name = chain
    with (folder / "rows" / name).open(newline="") as stream:
        between = [row["notes"] for row in csv.DictReader(stream)]
    with (folder / "notes" / name).open(newline="") as stream:
        published = " ".join(row["notes"] for row in csv.DictReader(stream))
    bands = PlacedBands.beside([folder / "rows" / name])
    words = [note[a:b] for note in between for a, b in bands.of(note)]
    assert len(words) > 50
    assert sum(published.count(word) for word in set(words)) >= len(words)
    assert published.count("[DATE]") > 10


def test_the_check_for_shift_compares_notes_as_they_were_written(chain):
    folder, _ = chain
    figures = json.loads((folder / "notes.private" / "figures.json").read_text())
    assert figures["how"]["accept_shift"] is False
    assert not figures["measured"]["shift"]["verdict"].startswith("different")


def test_a_list_that_is_none_is_one_sentence(tmp_path):
    (tmp_path / "rows").mkdir()
    path = write_mentions(tmp_path / "rows", [{"bands": 3}])
    assert path.parent.name == "rows.private"
    with pytest.raises(FormatError, match="does not hold the bands"):
        PlacedBands.beside([tmp_path / "rows" / "t.csv"])


def test_a_file_named_without_its_folder_has_bands_beside_it_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert PlacedBands.beside([Path("notes.csv")]) is None
    write_mentions(tmp_path, [{"text_sha256": "0" * 64, "bands": [[0, 5, "age", "47"]]}])
    found = PlacedBands.beside([Path("notes.csv")])
    assert found is not None
    assert found.spans == {"0" * 64: [(0, 5, "47")]}
    assert PlacedBands.beside([Path("/notes.csv")]) is None
