"""A release that is a file: data, record and what lies beside them appear together, the data last."""

import json
import os

import pytest

from sfumato.core.errors import OutputExistsError
from sfumato.core.files import sha256_of
from sfumato.core.release import check_files, released_files

CONTENT = {"m.csv": "data", "m.labels.txt": "labels"}


def publish(folder, content=CONTENT, **options):
    target, record = folder / "m.csv", folder / "m.release.json"
    with released_files(target, record, **options) as stage:
        for name, text in content.items():
            (stage / name).write_text(text)
        outputs = [{"path": name, "sha256": sha256_of(stage / name)} for name in content]
        (stage / record.name).write_text(json.dumps({"outputs": outputs}))


def names(folder):
    return sorted(p.name for p in folder.iterdir())


@pytest.mark.parametrize("fatal", [1, 2, 3])
@pytest.mark.parametrize("changed", [False, True])
def test_a_kill_between_the_renames_needs_no_force(tmp_path, monkeypatch, fatal, changed):
    real, calls = os.replace, iter(range(1, 9))

    def killed(old, new):
        if next(calls) == fatal:
            raise KeyboardInterrupt
        real(old, new)

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        publish(tmp_path)
    assert not (tmp_path / "m.csv").exists()
    monkeypatch.setattr(os, "replace", real)
    content = {**CONTENT, "m.csv": "other"} if changed else CONTENT
    publish(tmp_path, content)
    assert names(tmp_path) == ["m.csv", "m.labels.txt", "m.release.json"]
    assert (tmp_path / "m.csv").read_text() == content["m.csv"]


def test_what_is_there_is_refused(tmp_path):
    publish(tmp_path)
    with pytest.raises(OutputExistsError, match=r"'m\.csv'"):
        publish(tmp_path)
    publish(tmp_path, {"m.csv": "new"}, force=True)
    assert (tmp_path / "m.csv").read_text() == "new"


@pytest.mark.parametrize(
    "mine", ["mine", "{}", '{"outputs": [{"path": "else", "sha256": ""}]}', "[]"]
)
def test_a_file_of_somebody_else_is_no_unfinished_release(tmp_path, mine):
    (tmp_path / "m.release.json").write_text(mine)
    with pytest.raises(OutputExistsError, match=r"'m\.release\.json'"):
        check_files(tmp_path / "m.csv", tmp_path / "m.release.json")
    assert (tmp_path / "m.release.json").read_text() == mine


def test_a_changed_file_beside_is_refused(tmp_path):
    publish(tmp_path)
    (tmp_path / "m.csv").unlink()
    (tmp_path / "m.labels.txt").write_text("mine")
    with pytest.raises(OutputExistsError, match=r"'m\.labels\.txt'"):
        publish(tmp_path)
    assert names(tmp_path) == ["m.labels.txt", "m.release.json"]
    assert (tmp_path / "m.labels.txt").read_text() == "mine"
