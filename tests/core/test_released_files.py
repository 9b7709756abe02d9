"""A release that is a file: data, record and what is next to them appear together, or are completed."""

import json
from contextlib import suppress

import pytest

from sfumato.core.errors import InputError, OutputExistsError
from sfumato.core.files import sha256_of
from sfumato.core.release import Target, check_files, open_output
from sfumato.core.storage.work_folder import WorkFolder

CONTENT = {"m.csv": "data", "m.labels.txt": "labels"}
OTHER = {"m.csv": "new data", "m.labels.txt": "new labels"}


class Killed(BaseException):
    """As if the process had died."""


def publish(folder, content=CONTENT, **options):
    target, record = folder / "m.csv", folder / "m.release.json"
    with open_output(Target(target, target.name, "csv", lambda _: "csv", **options)) as output:
        stage = output.data.parent
        for name, text in content.items():
            (stage / name).write_text(text)
        outputs = [{"path": name, "sha256": sha256_of(stage / name)} for name in content]
        (stage / record.name).write_text(json.dumps({"engine": "x", "outputs": outputs}))


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def is_whole(folder, content):
    outputs = json.loads((folder / "m.release.json").read_text())["outputs"]
    return names(folder) == ["m.csv", "m.labels.txt", "m.release.json"] and all(
        (folder / o["path"]).read_text() == content[o["path"]]
        and sha256_of(folder / o["path"]) == o["sha256"]
        for o in outputs
    )


@pytest.mark.parametrize("force", [False, True])
def test_l1_killed_at_any_step_the_next_run_completes_or_starts_anew(
    tmp_path, kills, monkeypatch, force
):
    """A kill leaves the old release, the new one, or what the next run completes, refused or not."""
    for step in range(1, 99):
        folder = tmp_path / str(step)
        folder.mkdir()
        if force:
            publish(folder)
        with monkeypatch.context() as patch:
            patch.setattr(WorkFolder, "__exit__", lambda self, *_: self.unlock())  # no clean-up
            with kills(step, Killed) as counted, suppress(Killed):
                publish(folder, OTHER, force=force)
        if counted.calls < step:
            break
        with suppress(OutputExistsError):  # even a refused run puts right what was left half done
            check_files(folder / "m.csv", "m.release.json")
        if force or names(folder):
            assert is_whole(folder, CONTENT) or is_whole(folder, OTHER)
        with suppress(OutputExistsError):
            publish(folder, OTHER, force=force)
        assert is_whole(folder, OTHER)
    assert step > 6


def test_what_is_there_is_refused(tmp_path):
    publish(tmp_path)
    with pytest.raises(OutputExistsError, match=r"'m\.csv'"):
        publish(tmp_path)
    publish(tmp_path, {"m.csv": "new"}, force=True)
    assert (tmp_path / "m.csv").read_text() == "new"


@pytest.mark.parametrize(
    "mine", ["mine", "{}", '{"outputs": [{"path": "else", "sha256": ""}]}', "[]"]
)
def test_a_record_or_data_of_somebody_else_is_never_replaced(tmp_path, mine):
    (tmp_path / "m.release.json").write_text(mine)
    with pytest.raises(OutputExistsError, match=r"'m\.release\.json'"):
        check_files(tmp_path / "m.csv", "m.release.json")
    (tmp_path / "m.csv").write_text("mine too")
    with pytest.raises(OutputExistsError, match="no record"):
        publish(tmp_path, force=True)
    assert (tmp_path / "m.release.json").read_text() == mine
    assert (tmp_path / "m.csv").read_text() == "mine too"
    assert names(tmp_path) == ["m.csv", "m.release.json"]


def test_a_changed_file_beside_is_refused(tmp_path):
    (tmp_path / "m.labels.txt").write_text("mine")
    with pytest.raises(OutputExistsError, match=r"'m\.labels\.txt'"):
        publish(tmp_path)
    assert names(tmp_path) == ["m.labels.txt"]


def test_m7_an_input_is_never_replaced(tmp_path):
    publish(tmp_path)
    for given in (tmp_path / "m.csv", tmp_path / "m.labels.txt", tmp_path / "m.release.json"):
        if given.name != "m.labels.txt":
            with pytest.raises(InputError, match="never modified"):
                publish(tmp_path, OTHER, force=True, inputs=[given])
    assert is_whole(tmp_path, CONTENT)
