"""Inputs that would keep a run busy for ever: pipes and devices, spreadsheets that grow, too many labels."""

import json
import os
import subprocess
import sys
import zipfile

import pytest

from sfumato.core.errors import InputError, LimitError
from sfumato.data.limits import Limits
from sfumato.data.table_source import TableSource

PATIENCE = 100  # seconds; a command that hangs never ends


def told_by(*words):
    """Run a command in a process of its own; return its status and what it said."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-m", "sfumato", *map(str, words)], capture_output=True, text=True,
        timeout=PATIENCE, env=env, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr


# --- pipes and devices ----------------------------------------------------------------------------


def unending(folder, name, kind):
    place = folder / name
    if kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to("/dev/zero")
    return place


@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize(
    ("engine", "name", "more"),
    [
        ("tables", "in.csv", ["--knee"]),
        ("text", "in.jsonl", ["--ratio", 10]),
        ("baskets", "in.npz", ["--knee"]),
    ],
)
def test_l1_a_pipe_or_a_device_is_one_sentence(written, tmp_path, engine, name, more, kind):
    place = unending(tmp_path, name, kind)
    words = [engine, "publish", written / f"{engine}-explored", place, *more]
    status, said = told_by(*words, "--out", tmp_path / "out")
    assert status == 2
    assert "is a pipe or a device, not a plain file" in said
    assert "Traceback" not in said
    assert not (tmp_path / "out").exists()


def test_l1_a_pipe_inside_a_folder_of_documents_is_one_sentence(written, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("Ann came.")
    unending(tmp_path / "docs", "b.txt", "pipe")
    words = ["text", "publish", written / "text-explored", tmp_path / "docs", "--ratio", 10]
    status, said = told_by(*words, "--out", tmp_path / "out")
    assert (status, "'b.txt' is a pipe" in said) == (2, True)


# --- spreadsheets ---------------------------------------------------------------------------------

SHEET = "xl/worksheets/sheet1.xml"
NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def workbook(path, rows, dimension="A1"):
    """Write a workbook whose one sheet is written by hand."""
    openpyxl = pytest.importorskip("openpyxl")
    openpyxl.Workbook().save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {entry: archive.read(entry) for entry in archive.namelist()}
    parts[SHEET] = (
        f'<worksheet xmlns="{NAMESPACE}"><dimension ref="{dimension}"/>'
        f"<sheetData>{rows}</sheetData></worksheet>"
    ).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def cell(place, text):
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


HEADER = f'<row r="1">{cell("A1", "a")}{cell("B1", "b")}</row>'


@pytest.mark.parametrize("header", ["", HEADER], ids=["corner", "header and corner"])
def test_m2_a_small_workbook_that_claims_every_cell_is_refused_at_once(tmp_path, header):
    corner = f'<row r="1048576">{cell("XFD1048576", "x")}</row>'
    path = workbook(tmp_path / "wide.xlsx", header + corner, "A1:XFD1048576")
    assert path.stat().st_size < 10_000
    status, said = told_by("tables", "schema", path, "--out", tmp_path / "schema.toml")
    assert status == 2
    assert "Traceback" not in said
    assert not (tmp_path / "schema.toml").exists()


def test_m2_a_workbook_that_grows_is_refused(tmp_path):
    row = "<row>" + "<c><v>1</v></c>" * 100 + "</row>"
    path = workbook(tmp_path / "bomb.xlsx", row * 11_000)
    with pytest.raises(LimitError, match=r"cells per byte of 'bomb\.xlsx'"):
        TableSource.open(path)


def test_m2_rows_that_hold_little_and_reach_far_are_refused(tmp_path):
    far = "".join(f'<row r="{n}"><c r="XFD{n}"/></row>' for n in range(2, 100))
    path = workbook(tmp_path / "far.xlsx", HEADER + far)
    with pytest.raises(LimitError, match=r"cells per byte of 'far\.xlsx'"):
        TableSource.open(path)


def test_m2_the_limit_can_be_raised_and_lets_small_and_sparse_tables_pass(tmp_path):
    lines = "".join(f'<row r="{n}">{cell(f"A{n}", 1)}</row>' for n in range(2, 60))
    path = workbook(tmp_path / "sparse.xlsx", HEADER + lines, "A1:XFD1048576")
    assert len(TableSource.open(path).query("SELECT * FROM frame")) == 58
    tight = Limits(cells_from=10, cells_per_byte=1)
    assert TableSource.open(path, limits=tight).columns == ["a", "b"]  # fewer cells than bytes
    row = "<row>" + "<c><v>1</v></c>" * 100 + "</row>"
    bomb = workbook(tmp_path / "bomb.xlsx", row * 200)
    with pytest.raises(LimitError, match="cells_per_byte"):
        TableSource.open(bomb, limits=tight)
    raised = Limits(cells_from=10, cells_per_byte=100)
    with pytest.raises(InputError, match="have the same name"):  # read, and found to be no table
        TableSource.open(bomb, limits=raised)


# --- labels ---------------------------------------------------------------------------------------


def test_m4_a_corpus_of_too_many_labels_is_one_sentence(tmp_path):
    lines = [
        {"id": f"d{i}", "text": "Ann came.", "spans": [{"start": 0, "end": 3, "label": f"L{i}"}]}
        for i in range(2_000)
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, lines)))
    for label in ("all", "L7", "none of them"):
        status, said = told_by("text", "explore", tmp_path / "in.jsonl", "--label", label,
                               "--out", tmp_path / "out")  # fmt: skip
        assert status == 2
        assert "The number of different labels in the corpus is beyond the limit of 200" in said
        assert len(said) < 1_000
        assert not (tmp_path / "out").exists()
