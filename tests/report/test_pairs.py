"""A release, its frontier and its attack find each other by marks, in any order and from any folder."""

import itertools
import json
import shutil

import pytest
from tests.conftest import sfumato

from sfumato.core.errors import InputError
from sfumato.reports.parts import find_parts


@pytest.fixture(scope="module")
def wards(tmp_path_factory, small_samples):
    """Two explorations of different wards with the same candidate ids, and a release of each."""
    folder = tmp_path_factory.mktemp("wards")
    (folder / "releases").mkdir()
    lines = (small_samples / "learn.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    for ward, part in (("a", lines[: len(lines) // 2]), ("b", lines[len(lines) // 2 :])):
        (folder / f"ward_{ward}.jsonl").write_text("".join(part), encoding="utf-8")
        sfumato("text", "explore", folder / f"ward_{ward}.jsonl", "--label", "NAME", "--ratios", "1,10",
                "--out", folder / f"front_{ward}", "--quiet")  # fmt: skip
        sfumato("text", "publish", folder / f"front_{ward}", folder / f"ward_{ward}.jsonl", "--ratio", "10",
                "--accept-shift", "--out", folder / "releases" / f"rel_{ward}", "--quiet")  # fmt: skip
    return folder


def _pairs(parts):
    return [(p.frontier.inputs[0].path, p.release.inputs[0].path) for p in parts]


def test_every_order_of_arguments_gives_the_same_right_pairs(wards, tmp_path):
    moved = tmp_path / "elsewhere" / "deep"
    shutil.copytree(wards / "releases" / "rel_a", moved / "rel_a")
    folders = [wards / "front_a", wards / "front_b", wards / "releases" / "rel_b", moved / "rel_a"]
    for order in itertools.permutations(folders):
        assert _pairs(find_parts(order)) == [
            ("ward_a.jsonl", "ward_a.jsonl"),
            ("ward_b.jsonl", "ward_b.jsonl"),
        ]


def test_the_report_says_the_same_in_any_order_and_from_any_folder(wards, tmp_path, monkeypatch):
    """The page itself, written by the command: the figures of each part are those of one ward."""
    moved = tmp_path / "moved"
    for name in ("front_a", "front_b"):
        shutil.copytree(wards / name, moved / name)
    for name in ("rel_a", "rel_b", "rel_a.private", "rel_b.private"):
        shutil.copytree(wards / "releases" / name, moved / "deep" / name)
    facts = []
    for number, (place, folders) in enumerate([
        (wards, ["front_a", "front_b", "releases/rel_b", "releases/rel_a"]),
        (wards / "releases", ["rel_a", "../front_b", "rel_b", "../front_a"]),
        (moved / "deep", ["rel_b", "../front_a", "rel_a", "../front_b"]),
    ]):  # fmt: skip
        monkeypatch.chdir(place)
        sfumato("report", *folders, "--out", tmp_path / f"r{number}", "--quiet")
        facts.append(json.loads((tmp_path / f"r{number}.private" / "facts.json").read_text()))
    assert facts[0] == facts[1] == facts[2]


def test_a_release_without_its_frontier_stands_alone_and_says_so(wards, tmp_path):
    (alone, other) = sorted(
        find_parts([wards / "front_a", wards / "releases" / "rel_b"]),
        key=lambda p: p.frontier is not None,
    )
    assert alone.frontier is None
    assert other.release is None
    sfumato(
        "report",
        wards / "front_a",
        wards / "releases" / "rel_b",
        "--out",
        tmp_path / "r",
        "--quiet",
    )
    assert (
        "is not among the folders of this report"
        in (tmp_path / "r.private" / "report.html").read_text()
    )


def test_an_attack_of_another_release_is_refused(wards, tmp_path):
    release, attacks = tmp_path / "held_out", tmp_path / "attack"
    attacks.mkdir()
    sfumato("text", "publish", wards / "front_a", wards / "ward_b.jsonl", "--ratio", "10", "--ignore-marks",
            "--accept-shift", "--out", release, "--quiet")  # fmt: skip
    sfumato("text", "attack", wards / "front_a", release, "--labels", wards / "ward_b.jsonl", "--budget", "10",
            "--out", attacks / "attack.json", "--quiet")  # fmt: skip
    others = [attacks, wards / "releases" / "rel_a", wards / "front_a"]
    for order in itertools.permutations([*others, release]):
        found = find_parts(order)
        assert [p.release.inputs[0].path for p in found if p.attack is not None] == ["ward_b.jsonl"]
        assert [p.release.inputs[0].path for p in found if p.frontier is not None] == ["ward_a.jsonl", "ward_b.jsonl"]  # fmt: skip
    with pytest.raises(InputError, match="is of another release or frontier"):
        find_parts(others)


def test_the_mark_is_of_the_frontier_and_under_the_key(wards, tmp_path, monkeypatch):
    frontier = json.loads((wards / "front_a" / "frontier.json").read_text())
    release = json.loads((wards / "releases" / "rel_a" / "release.json").read_text())
    assert release["frontier"] == frontier["mark"]
    assert frontier["mark"] != json.loads((wards / "front_b" / "frontier.json").read_text())["mark"]
    monkeypatch.setenv("SFUMATO_PRIVATE_KEY", str(tmp_path / "other.key"))
    sfumato("text", "explore", wards / "ward_a.jsonl", "--label", "NAME", "--ratios", "1,10", "--out",
            tmp_path / "again", "--quiet")  # fmt: skip
    assert (
        json.loads((tmp_path / "again" / "frontier.json").read_text())["mark"] != frontier["mark"]
    )
