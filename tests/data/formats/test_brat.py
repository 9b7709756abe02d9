"""brat: text-bound annotations in a folder, and nothing outside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sfumato.core.errors import DataError, FormatError, LimitError
from sfumato.data.document import Document, Span
from sfumato.data.documents import read_documents, write_documents
from sfumato.data.limits import Limits

from ..document_files import CANARY, refused


def brat(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        stem, _, suffix = name.rpartition("_")
        (folder / f"{stem}.{suffix}").write_bytes(content.encode())
    return folder


def test_brat_reads_text_bound_annotations(tmp_path):
    ann = "T2\tNAME 4 7;8 11\tBob Lee\nT1\tID 0 1\tA\n#1\tAnnotatorNotes T1\tsecret\nR1\tRel Arg1:T1 Arg2:T2\n"
    folder = brat(tmp_path / "in", d_txt="A\r\n Bob Lee", d_ann=ann, plain_txt="no labels")
    corpus = read_documents(folder)
    first, second = corpus
    assert [(s.start, s.end, s.label) for s in first.spans] == [
        (0, 1, "ID"),
        (4, 7, "NAME"),
        (8, 11, "NAME"),
    ]
    assert (second.id, second.spans) == ("plain", ())
    write_documents(corpus, like=corpus, out=tmp_path / "out")
    names = sorted(p.name for p in (tmp_path / "out").iterdir())
    assert names == ["d.ann", "d.txt", "plain.txt"]
    assert (tmp_path / "out" / "d.txt").read_bytes() == b"A\r\n Bob Lee"
    assert "secret" not in (tmp_path / "out" / "d.ann").read_text()
    assert list(read_documents(tmp_path / "out")) == list(corpus)
    (alone,) = read_documents(folder / "d.txt")
    assert alone == first


def test_brat_mistakes(tmp_path):
    folder = brat(tmp_path / "in", a_txt=CANARY, a_ann="T1\tNAME 0 3\tXyz\n")
    refused(DataError, folder, "quotes other words than its offsets", "'a'")
    brat(folder, a_ann=f"T1\tNAME {CANARY}\n")
    refused(FormatError, folder, "line 1", "not in brat's form")
    brat(folder, a_ann=f"T1\tNAME 0 99\t{CANARY}\n")
    refused(DataError, folder, "outside its text")
    brat(folder, a_ann="T1\tNAME 0 5\nT2\tNAME 2 9\n")
    refused(DataError, folder, "overlaps")
    assert len(next(iter(read_documents(folder, overlaps="merge"))).spans) == 1
    brat(folder, a_ann="", b_ann="T1\tNAME 0 5\n")
    refused(FormatError, folder, "'b'", "no .txt")
    (folder / "b.txt").write_bytes(b"\xff\xfe\xff")
    refused(FormatError, folder, "'b'", "not UTF-8")
    assert [type(r).__name__ for r in read_documents(folder).tolerant()] == ["Document", "Withheld"]
    refused(LimitError, folder, "limit of bytes", limits=Limits(record_bytes=2))
    refused(FormatError, brat(tmp_path / "empty"), "no documents")
    refused(LimitError, folder, "number of files", limits=Limits(files=1))


def test_links_out_of_the_folder_are_not_followed(tmp_path):
    (tmp_path / "secret.txt").write_text(CANARY)
    folder = brat(tmp_path / "in", a_txt="a")
    os.symlink(tmp_path / "secret.txt", folder / "b.txt")
    refused(FormatError, folder, "'b'", "leads out of the folder")


@pytest.mark.parametrize(
    "trick",
    [
        "../x",
        "/etc/x",
        "a/../../x",
        "..",
        ".",
        "",
        "a//b",
        "a\\..\\b",
        "a\x00b",
        "a\nb",
        "C:x",
        " a",
        "é" * 200,
        "/".join("a" * 40),
    ],
)
def test_ids_cannot_write_outside_the_output(tmp_path, trick):
    (tmp_path / "work").mkdir()
    with pytest.raises(DataError, match="cannot be a file name"):
        write_documents([Document(trick, "t")], like="brat", out=tmp_path / "work" / "out")
    assert list(tmp_path.rglob("*")) == [tmp_path / "work"]


def test_ids_with_folders_are_fine_and_may_not_meet(tmp_path):
    made = [Document("a/b", "1", [Span(0, 1, "X")]), Document("a.b", "2")]
    write_documents(made, like="brat", out=tmp_path / "out")
    assert [d.id for d in read_documents(tmp_path / "out")] == ["a.b", "a/b"]
    with pytest.raises(DataError, match="Two documents"):
        write_documents([made[0], made[0]], like="brat", out=tmp_path / "twice")
    with pytest.raises(DataError, match="space"):
        write_documents(
            [Document("a", "b", [Span(0, 1, "X Y")])], like="brat", out=tmp_path / "label"
        )
