"""Names that are planted in every place of a PDF are gone from it, for every reader."""

from __future__ import annotations

import io
import random
from dataclasses import replace

import pytest

pikepdf = pytest.importorskip("pikepdf", reason="the extra pdf is not installed")

from benchmarks import _pdf_checks as checks  # noqa: E402
from benchmarks._pdf_more_places import MORE_PLACES, outlines  # noqa: E402
from benchmarks._pdf_places import HOSTILE, PLACES, _vera, drawn, lines, plain, with_content  # noqa: E402

from sfumato.data.document import Document, Edited  # noqa: E402
from sfumato.data.documents import read_documents  # noqa: E402
from sfumato.data.formats.pdf.format import Pdf  # noqa: E402
from sfumato.data.formats.pdf.refusal import FileRefusedError  # noqa: E402
from sfumato.data.formats.protocol import CorpusFile  # noqa: E402
from sfumato.data.formats.verification import Digests  # noqa: E402

EVERY_PLACE = PLACES | MORE_PLACES


@pytest.fixture(scope="module")
def redacted():
    """Return the redacted file of a place; each is made once."""
    made = {}

    def make(place):
        if place not in made:
            data, names = EVERY_PLACE[place](random.Random(f"{place} 7"))
            made[place] = data, names, checks.redact(data, names)
        return made[place]

    return make


@pytest.mark.parametrize("place", EVERY_PLACE)
def test_planted_names_are_gone_and_all_else_is_as_it_was(redacted, place):
    data, names, done = redacted(place)
    before = data + b"".join(checks._streams(data))
    assert any(name.encode("latin-1", "ignore") in before for name in names) or done.edits
    assert checks.find_leaks(done.data, names) == {}
    assert len(done.report.pictures) == (place == "vertical")
    assert all(share < 0.001 for share in checks.changed_pixels(done))


@pytest.mark.parametrize("place", ["truetype", "typeset", "type3"])
def test_fonts_spell_nothing_and_keep_no_letter_that_is_unused(redacted, place):
    _, names, done = redacted(place)
    assert checks.tell_by_fonts(done.data, names) == (0, 0)


def test_left_over_letters_are_seen_by_the_check(redacted):
    """A font that keeps the letters of a name nothing shows any more is what the check looks for."""
    data, names, _ = redacted("typeset")
    with pikepdf.open(io.BytesIO(data)) as pdf:
        pdf.pages[0].Contents = pdf.make_stream(b"")
        out = io.BytesIO()
        pdf.save(out)
    assert checks.tell_by_fonts(out.getvalue(), names)[1] == len(names)


SHORT, LONG = "Al Wu", "Margarethe Vandermeulen"


def written_for(who, style):
    if style == "kerned":
        shown = "[" + " ".join(f"({letter}) -30" for letter in who) + "] TJ"
    elif style == "moved":
        shown = " ".join(f"({letter}) Tj 7 0 Td" for letter in who)
    elif style == "objects":
        shown = "ET " + " ".join(f"BT /F1 11 Tf {60 + 7 * i} 700 Td ({x}) Tj ET" for i, x in enumerate(who)) + " BT /F1 11 Tf"  # fmt: skip
    elif style == "matrices":
        shown = "ET " + " ".join(f"q 1 0 0 1 {60 + 7 * i} 700 cm BT /F1 11 Tf ({x}) Tj ET Q" for i, x in enumerate(who)) + " BT /F1 11 Tf"  # fmt: skip
    elif style == "underlined":
        wide = 6.1 * len(who)
        shown = (
            f"({who}) Tj ET 60 698 m {60 + wide:.2f} 698 l S 60 697 {wide:.2f} .5 re f BT /F1 11 Tf"
        )
    else:
        shown = f"({who}) Tj"
    return with_content(
        random.Random(3),
        f"BT /F1 11 Tf 60 780 Td (All letters of the alphabet: Jackdaws love my big sphinx of quartz, W V M.) Tj "
        f"0 -80 Td {shown} ET BT /F1 11 Tf 60 600 Td (The line after.) Tj ET",
    )


@pytest.mark.parametrize("style", ["whole", "kerned", "moved", "objects", "matrices", "underlined"])
def test_the_bytes_do_not_depend_on_the_name(style):
    """Two letters that differ in the name alone are the same file afterwards: no gap, move, count or rule tells."""
    one, other = (checks.redact(written_for(who, style), [who]) for who in (SHORT, LONG))
    assert len(one.edits) == len(other.edits) == 1
    assert one.data == other.data
    assert one.clean != other.clean


def test_the_rest_of_a_justified_line_moves_with_even_spaces():
    def line(who):
        spaces = {SHORT: 9.0, LONG: 4.0}[who]
        text = "".join(f"({word}) Tj ( ) Tj {spaces} 0 Td " for word in ["seen", "by"])
        lines = " ".join(
            f"BT /F1 11 Tf {0.4 * i:.1f} Tw 60 {600 - 14 * i} Td (a line of some words that are set apart) Tj ET"
            for i in range(6)
        )
        return (
            with_content(
                random.Random(3),
                f"BT /F1 11 Tf 60 780 Td (Jackdaws love my big sphinx of quartz: A W V M G) Tj ET "
                f"BT /F1 11 Tf {spaces} Tw 60 700 Td (seen by {who} on the ward) Tj ET {lines}",
            )
            if text
            else b""
        )

    one, other = (checks.redact(line(who), [who]) for who in (SHORT, LONG))
    places = []
    for done in (one, other):
        page = checks.read_pages(done.data)[0]
        at = page.text.index("on the ward")
        places.append([round(float(x), 1) for x in page.origin[at : at + 11, 0]])
    assert places[0] == places[1]


def test_raised_and_lowered_letters_move_with_their_line():
    content = (
        "BT /F1 12 Tf 60 700 Td (by Margarethe Vandermeulen) Tj (: x) Tj /F1 8 Tf 4 Ts (2) Tj -3 Ts (i) Tj "
        "0 Ts /F1 12 Tf ( and y) Tj ET"
    )
    done = checks.redact(with_content(random.Random(3), content), ["Margarethe Vandermeulen"])
    old, new = done.text.pages[0], checks.read_pages(done.data)[0]
    moved = {
        round(float(new.origin[new.text.rindex(c), 0] - old.origin[old.text.rindex(c), 0]), 1)
        for c in ":x2iy"
    }
    assert len(moved) == 1
    assert moved.pop() < -40


def test_the_edges_of_a_cell_stay_and_a_frame_around_the_name_goes():
    def frame(left, right):
        corners = [(left, 698), (right, 698), (right, 708), (left, 708), (left, 698)]
        pairs = zip(corners, corners[1:], strict=False)
        return " ".join(f"{a} {b} m {c} {d} l S" for (a, b), (c, d) in pairs)

    text = "BT /F1 11 Tf 60 700 Td (Margarethe) Tj ET "
    cell, tight = (
        checks.redact(with_content(random.Random(3), text + frame(58, right)), ["Margarethe"])
        for right in (170, 118)
    )
    assert checks.changed_pixels(cell) == [0.0]
    counts = []
    for done in (cell, tight):
        with pikepdf.open(io.BytesIO(done.data)) as pdf:
            counts.append(pdf.pages[0].Contents.read_bytes().count(b" l S"))
    assert counts == [4, 2], "the upright edges tell nothing, the level ones how wide the name was"


def test_rules_across_a_cut_and_the_lines_of_patterns_stay():
    """An axis beside a word says nothing about it, and what a pattern draws is seen."""
    from benchmarks._pdf_places import changed

    def change(pdf):
        form = pdf.make_stream(b"0 0 m 40 40 l S BT /F1 .1 Tf (inner) Tj ET", Type=pikepdf.Name.XObject,
                               Subtype=pikepdf.Name.Form, BBox=[0, 0, 40, 40])  # fmt: skip
        page = pdf.pages[0].obj.Resources
        form.Resources = pikepdf.Dictionary(Font=page.Font)
        pattern = pdf.make_stream(
            b"/X Do", Type=pikepdf.Name.Pattern, PatternType=1, PaintType=1, TilingType=1, BBox=[0, 0, 40, 40], XStep=40,
            YStep=40, Resources=pikepdf.Dictionary(XObject=pikepdf.Dictionary(X=form)),
        )  # fmt: skip
        page.Pattern = pikepdf.Dictionary(P1=pattern)

    content = (
        "BT /F1 11 Tf 60 700 Td (by Margarethe on ward) Tj ET 70 690 m 70 790 l S 130 640 m 130 705 l S 74 697 m 130 697 l S "
        "/Pattern cs /P1 scn 60 400 200 200 re f"
    )
    done = checks.redact(changed(with_content(random.Random(3), content), change), ["Margarethe"])
    assert done.report.pictures == {}
    assert checks.changed_pixels(done) == [0.0]
    assert checks.find_leaks(done.data, ["Margarethe", "inner"]) == {}
    with pikepdf.open(io.BytesIO(done.data)) as pdf:
        page = pdf.pages[0]
        drawn = page.Contents.read_bytes()
        assert drawn.count(b" l S") == 2, "the line through the word goes with it"
        (pattern,) = page.Resources.Pattern.values()
        (form,) = pattern.Resources.XObject.values()
        assert b" l" in form.read_bytes()
        assert b"inner" not in form.read_bytes()


def test_a_letter_that_is_kerned_into_a_cut_moves_with_the_line():
    """The full stop begins before the end of the name, and still follows the placeholder."""
    data = with_content(
        random.Random(3),
        "BT /F1 11 Tf 60 700 Td [(seen by Vandermeulen) 90 (. Then nothing more)] TJ ET",
    )
    done = checks.redact(data, ["Vandermeulen"])
    assert done.report.pictures == {}
    assert checks.read_pages(done.data)[0].text.rstrip() == "seen by [NAME]. Then nothing more"


def test_the_format_writes_and_reads_back(tmp_path):
    data, names = PLACES["body"](random.Random(2))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.pdf").write_bytes(data)
    corpus = read_documents(tmp_path / "in")
    (document,) = corpus
    assert isinstance(corpus.format, Pdf)
    assert document.segments[0].place == "page 1"
    edits = checks.mark(document.text, document.orders, names)
    edited = Edited(document, edits, document.id)
    form, part, out = corpus.format, corpus.parts[0], tmp_path / "a.pdf"

    def verify(decided):
        expected = Digests()
        expected.add(form.digest(decided.id, decided.text, decided.fields, decided.spans))
        gone = {document.text[e.start : e.end] for e in decided.edits}
        return form.verify(CorpusFile("a.pdf", out), expected, gone)

    form.write(part, [edited], out)
    assert verify(edited)
    written = out.read_bytes()
    form.write(part, [replace(edited, edits=edits[1:])], out)  # an edit that is skipped
    assert not verify(edited)
    for fault in faults(written, names[0]):
        out.write_bytes(fault)
        assert not verify(edited)
    out.unlink()
    assert not verify(edited)


def faults(written, name):
    """Yield written files in which a name was left, each in another place."""
    yield written + b"\n% " + name.encode()
    yield written + b"\n1 0 obj<</A(x)>>endobj\nstartxref\n0\n%%EOF\n"
    for where in ("info", "content", "stream", "attachment"):
        with pikepdf.open(io.BytesIO(written)) as pdf:
            page = pdf.pages[0]
            if where == "info":
                pdf.docinfo["/Author"] = name
            elif where == "content":
                page.contents_add(pdf.make_stream(b"BT 1 0 0 1 9 9 Tm (%b) pop ET" % name.encode("utf-16-be").hex().encode()))  # fmt: skip
            elif where == "stream":
                page.obj.Resources.Properties = pikepdf.Dictionary(P=pdf.make_stream(name.encode()))
            else:
                pdf.attachments["a.txt"] = name.encode()
            out = io.BytesIO()
            pdf.save(out)
            yield out.getvalue()


def written_and_verified(data, names, folder):
    """Write a file without some names; return what it holds then, or None where it is withheld."""
    form = Pdf()
    path, out = folder / "a.pdf", folder / "b.pdf"
    path.write_bytes(data)
    (document,) = form.read(CorpusFile("a.pdf", path))
    edited = Edited(document, checks.mark(document.text, document.orders, names), "a.pdf")
    form.write(CorpusFile("a.pdf", path), [edited], out)
    expected = Digests()
    expected.add(form.digest_of(edited))
    if form.verify(CorpusFile("a.pdf", out), expected, form.sought(names, edited.text)):
        return out.read_bytes()
    return None


@pytest.mark.parametrize("place", ["right_to_left", "locked", "ligatures"])
def test_files_of_other_kinds_pass_their_verification(place, tmp_path):
    data, names = MORE_PLACES[place](random.Random(3))
    assert b"/Encrypt" not in written_and_verified(data, names, tmp_path)


def test_words_of_the_format_itself_are_no_leaks(tmp_path):
    words = ["range", "Image", "begin", "trailer", "stream", "Type", "Identity"]

    def letter(canvas):
        lines(canvas, f"{' '.join(words)} on the ward, seen", font=_vera())

    data = drawn(letter)
    assert written_and_verified(data, words, tmp_path) is not None


def test_letters_without_a_height_are_cut():
    flat = "BT /F1 11 Tf 60 740 Td (on the ward) Tj ET BT 1 0 0 0 60 700 Tm (Quixadelmo seen) Tj ET"
    done = checks.redact(with_content(random.Random(1), flat), ["Quixadelmo"])
    assert len(done.edits) == 1
    assert b"Quixadelmo" not in done.data


@pytest.mark.parametrize("over_text", [True, False])
def test_letters_that_are_drawn_are_a_picture_of_text(over_text):
    """Nobody can cut them, so that their page is read as a scanned one or the file withheld."""
    data, names = outlines(random.Random(1), over_text=over_text)
    with pytest.raises(FileRefusedError, match="scanned pages"):
        checks.redact(data, names)
    lines_alone = " ".join(f"60 {y} m 300 {y} l S" for y in range(100, 700, 3))
    assert checks.redact(with_content(random.Random(1), lines_alone), names).text.text == ""


def test_a_scanned_page_among_others_is_blanked_and_told(tmp_path):
    """A file of scanned pages is withheld, as it would be empty."""
    with pikepdf.new() as pdf:
        for data in (
            plain(random.Random(1)),
            HOSTILE["scan"](random.Random(1)),
            plain(random.Random(2)),
        ):
            pdf.pages.extend(pikepdf.open(io.BytesIO(data)).pages)
        pdf.save(tmp_path / "a.pdf")
    form = Pdf()
    form.reads_scans = False
    opened = form.open((tmp_path / "a.pdf").read_bytes())
    assert opened.found.dropped["scanned pages, which are grey boxes now"] == 1
    with pikepdf.open(io.BytesIO(opened.save({}))) as pdf:
        held = [page.obj.Resources.get("/XObject", {}) for page in pdf.pages]
        images = [image for named in held for image in named.values()]
        assert [(image.Width, image.Height) for image in images] == [(1, 1)]


def test_a_file_that_the_library_refuses_is_written_anew_by_the_reader():
    whole = plain(random.Random(1))
    broken = whole.replace(b"/Info 5 0 R", b"/Encrypt [1]")
    with pytest.raises(pikepdf.PdfError):
        pikepdf.open(io.BytesIO(broken))
    assert Pdf().open(broken).text == Pdf().open(whole).text


def test_orders_are_indices_of_the_text_and_find_names_over_columns():
    for place in ("columns", "three_columns", "table", "hyphen", "page_break"):
        data, names = PLACES[place](random.Random(f"{place} 3"))
        clean = checks.sanitise(data, checks.Limits())
        text = checks.read_text(clean.data, clean.pictures, blank=True)
        orders = checks.read_orders(text)
        assert all(-1 <= i < len(text.text) for order in orders for i in order)
        whole = ["".join(text.text[i] if i >= 0 else " " for i in order) for order in orders]
        read = [" ".join(each.split()) for each in (*whole, text.text)]
        assert all(any(name in each for each in read) for name in names), place


def test_pages_that_cannot_be_cut_become_pictures_with_the_text_that_stays():
    who = "Zoltan Quackenbush"
    content = f"BT /F1 11 Tf 7 Tr 60 700 Td (seen by {who} on ward two) Tj ET"  # text that clips
    done = checks.redact(with_content(random.Random(1), content), [who])
    assert list(done.report.pictures.values()) == ["text that clips what is drawn on it"]
    assert checks.find_leaks(done.data, [who]) == {}
    (page,) = checks.read_pages(done.data)
    assert " ".join(page.text.split()) == "seen by [NAME] on ward two"
    again = checks.redact(done.data, ["nobody"])  # and they can be read again
    assert checks.comparable_text(again.text.text) == checks.comparable_text(page.text)


def test_pictures_are_blanked_unless_they_are_kept():
    def change(pdf):
        image = pdf.make_stream(b"\0" * 100, Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Image, Width=10, Height=10,
                                BitsPerComponent=8, ColorSpace=pikepdf.Name.DeviceGray)  # fmt: skip
        pdf.pages[0].obj.Resources.XObject = pikepdf.Dictionary(I=image)

    from benchmarks._pdf_places import changed

    who = "Zoltan Quackenbush"
    content = f"q 80 0 0 20 100 690 cm /I Do Q BT /F1 11 Tf 60 700 Td (seen by {who} on ward) Tj ET"
    data = changed(with_content(random.Random(1), content), change)
    assert checks.redact(data, [who]).report.pictures == {}
    kept = checks.redact(data, [who], blank=False)
    assert list(kept.report.pictures.values()) == ["a picture under a cut"]
    assert isinstance(Document("d", kept.text.text), Document)


def test_texts_become_pdf_files_with_their_marks(tmp_path):
    from sfumato.data.document import Span
    from sfumato.data.documents import write_documents

    text = "Seen by Ayşe Yıldız  today, well-\nknown to us.\n\n" + "a longer line of words " * 30
    note = Document("n1", text, [Span(8, 19, "NAME"), Span(28, 39, "OTHER")])
    write_documents([note], like="pdf", out=tmp_path / "out")
    (found,) = read_documents(tmp_path / "out")
    assert found.id == "n1.pdf"
    assert [found.text[s.start : s.end] for s in found.spans] == ["Ayşe Yıldız", "well-\nknown"]
    assert " ".join(found.text.split()) == " ".join(text.split())


def test_replacements_may_have_letters_of_other_european_languages():
    data, names = PLACES["body"](random.Random(2))
    clean = checks.sanitise(data, checks.Limits())
    text = checks.read_text(clean.data, clean.pictures, blank=True)
    edits = [replace(e, replacement="Łucja Świątek") for e in checks.mark(text.text, (), names)]
    places = checks.by_place(Document("d", text.text, segments=text.segments()), edits)
    out, report = checks.cut(clean.data, text, checks.page_edits(places))
    assert report.pictures == {}
    assert checks.read_pages(out)[0].text.count("Łucja Świątek") == 2
    assert checks._pdfminer(out).count("Łucja Świątek") == 2
