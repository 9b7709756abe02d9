"""Word documents: nothing planted stays, what is not marked stays as it was, and hostile files are withheld."""

import io
import zipfile

import docx as python_docx
import pytest

from sfumato.data.document import Document, Edit, Edited
from sfumato.data.documents import read_documents
from sfumato.data.formats.office.formats import Docx
from sfumato.data.formats.protocol import CorpusFile

from . import leaks, planted
from .redacting import redacted, verified


@pytest.mark.parametrize("seed", range(3))
def test_no_planted_name_is_left(tmp_path, seed):
    content, names = planted.docx(seed)
    assert leaks.found(content, names) == set(names)
    form = Docx()
    edited, out = redacted(form, content, names.values(), tmp_path)
    assert leaks.found(out.read_bytes(), names) == set()
    assert verified(form, edited, out)


def test_another_reader_finds_what_was_kept_and_no_more(tmp_path):
    content, names = planted.docx(7)
    edited, out = redacted(Docx(), content, names.values(), tmp_path)
    found = python_docx.Document(out)
    lines = [paragraph.text for paragraph in found.paragraphs]
    assert "Letter about [NAME]" in lines
    assert "before [NAME] after" in lines
    assert "kept [NAME]" in lines
    assert found.tables[0].cell(0, 1).text.startswith("[NAME]")
    assert found.sections[0].header.paragraphs[0].text == "Header [NAME]"
    assert [comment.text for comment in found.comments] == ["ask [NAME]"]
    assert found.core_properties.author == ""
    assert len(edited.edits) == edited.text.count("[NAME]")


def test_the_same_file_gives_the_same_bytes(tmp_path):
    content, names = planted.docx(1)
    written = []
    for _ in range(2):
        _, out = redacted(Docx(), content, names.values(), tmp_path)
        written.append(out.read_bytes())
    assert written[0] == written[1]


def test_what_the_writer_leaves_is_seen(tmp_path):
    content, names = planted.docx(1)
    form = Docx()
    edited, out = redacted(form, content, names.values(), tmp_path)
    good = out.read_bytes()
    name = edited.document.text[edited.edits[0].start : edited.edits[0].end]

    def with_change(change):
        parts = {n: zipfile.ZipFile(io.BytesIO(good)).read(n) for n in zipfile.ZipFile(io.BytesIO(good)).namelist()}  # fmt: skip
        change(parts)
        out.write_bytes(planted.zipped(parts))
        return verified(form, edited, out)

    main = "word/document.xml"
    assert with_change(lambda parts: None)
    assert not with_change(lambda p: p.update({main: p[main].replace(b"[NAME]", name.encode(), 1)}))
    assert not with_change(lambda p: p.update({"docProps/core.xml": f"<x>{name}</x>".encode()}))
    assert not with_change(lambda p: p.update({main: p[main].replace(b"<w:body>", f"<!-- {name} --><w:body>".encode())}))  # fmt: skip
    assert not with_change(lambda p: p.update({main: p[main].replace(b"<w:body>", f'<w:body w:x="{name}">'.encode())}))  # fmt: skip


def test_a_mark_over_two_paragraphs_keeps_the_line(tmp_path):
    form = Docx()
    content = form.create("Dear Ann\nLee,\nhello")
    path = tmp_path / "a.docx"
    path.write_bytes(content)
    part = CorpusFile("a.docx", path)
    (document,) = form.read(part)
    start = document.text.index("Ann")
    edited = Edited(document, [Edit(start, start + 7, "[NAME]", "NAME")], "a.docx")
    out = tmp_path / "out.docx"
    form.write(part, [edited], out)
    assert [p.text for p in python_docx.Document(out).paragraphs] == ["Dear [NAME]", ",", "hello"]
    assert verified(form, edited, out)


def bomb():
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("[Content_Types].xml", b" " * (300 << 20))
    return made.getvalue()


def changed(path, change):
    content, _ = planted.docx(0)
    packed = zipfile.ZipFile(io.BytesIO(content))
    parts = {name: packed.read(name) for name in packed.namelist()}
    parts[path] = change(parts[path])
    return planted.zipped(parts)


def doubled():
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        packed.writestr("[Content_Types].xml", b"<x/>")
        with pytest.warns(UserWarning, match="Duplicate name"):
            packed.writestr("[Content_Types].xml", b"<y/>")
    return made.getvalue()


LAUGHS = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
MAIN = "word/document.xml"
HOSTILE = {
    "empty": (lambda: b"", "is damaged or no Office file"),
    "text": (lambda: b"Dear Quixadelmo", "is damaged or no Office file"),
    "old": (lambda: b"\xd0\xcf\x11\xe0" * 200, "is encrypted, or of an older Office format"),
    "half": (lambda: planted.docx(0)[0][:4000], "is damaged or no Office file"),
    "bomb": (bomb, "grows too far when it is unpacked"),
    "doubled": (doubled, "has two parts of one name"),
    "no main": (lambda: planted.zipped({"[Content_Types].xml": "<Types/>"}), "is damaged, or not of the kind that its name says"),
    "broken": (lambda: changed(MAIN, lambda part: part[:-9]), "has a part that is not well-formed XML"),
    "entities": (lambda: changed(MAIN, lambda part: LAUGHS + part), "has a part with a document type that is needed to read it"),
    "deep": (lambda: changed(MAIN, lambda _: b"<w:p>" * 9000 + b"</w:p>" * 9000), "has a part that is not well-formed XML"),
    "loop": (lambda: changed("word/_rels/document.xml.rels", lambda part: part.replace(b'Target="header1.xml"', b'Target="document.xml"')), None),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_are_withheld_in_one_sentence(tmp_path, kind):
    made, reason = HOSTILE[kind]
    path = tmp_path / "letter.docx"
    path.write_bytes(made())
    (record,) = read_documents(path).tolerant()
    if reason is None:
        assert isinstance(record, Document)
    else:
        assert record.reason == reason


def test_names_of_planted_places_are_told_by_inspecting(tmp_path):
    content, _ = planted.docx(2)
    path = tmp_path / "letter.docx"
    path.write_bytes(content)
    found = Docx().inspect(CorpusFile("letter.docx", path)).to_json()
    assert found["documents"] == 1
    assert {"body", "header", "footer", "note", "comment", "chart"} <= set(found["places"])
    assert found["hidden"]["hidden text"] == 1
    assert {"tracked change", "properties", "macros", "picture", "author"} <= set(found["dropped"])


def test_no_pattern_takes_long_on_a_hostile_value():
    from sfumato.data.formats.markup import opendocument, records
    from sfumato.data.formats.office import attributes, second_reader, word

    long = 60
    for pattern, hostile in (
        (second_reader._WORDS_ONLY, "a" * long + "é"),
        (second_reader._SPACE, "a" * long + "É"),
        (attributes._SPACE, "a" * long + "É"),
        (attributes._NUMBERS, "1" * long + "é"),
        (opendocument._SPACE, "a" * long + "É"),
        (opendocument._LENGTHS, "1" * long + "é"),
        (records._BASE64, "a" * 200 + "é"),
        (word._SAFE_FIELD, " TOC " + "1" * long + "é"),
    ):
        assert pattern.fullmatch(hostile) is None  # in no time: each of them would else take years
