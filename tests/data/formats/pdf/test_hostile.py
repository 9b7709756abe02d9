"""Files that cannot be handled are withheld with one sentence, soon and in little memory."""

from __future__ import annotations

import io
import random
import re

import pytest

pikepdf = pytest.importorskip("pikepdf", reason="the extra pdf is not installed")

from benchmarks._pdf_places import HOSTILE, PLACES, empty_pages, with_content  # noqa: E402
from hypothesis import example, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sfumato.core.errors import InputError  # noqa: E402
from sfumato.data.documents import read_documents  # noqa: E402
from sfumato.data.formats.files import RefusedFileError  # noqa: E402
from sfumato.data.formats.pdf import read, refusal  # noqa: E402
from sfumato.data.formats.pdf.format import Pdf  # noqa: E402
from sfumato.data.formats.pdf.scan import OddContentError, decode_string, scan  # noqa: E402
from sfumato.data.limits import Limits  # noqa: E402

SLOW = {"bomb", "empty_pages"}


@pytest.mark.parametrize(
    "kind", sorted(set(HOSTILE) - SLOW - {"scan"})
)  # which is read: test_scans.py
def test_hostile_files_are_withheld(tmp_path, kind):
    (tmp_path / "a.pdf").write_bytes(HOSTILE[kind](random.Random(1)))
    (found,) = read_documents(tmp_path).tolerant()
    assert re.fullmatch(r"(is|has|holds|draws) [a-zA-Z0-9 ,()]+", found.reason)


def test_a_bomb_is_not_unpacked():
    import zlib

    packed = zlib.compress(b" " * (70 << 20))
    data = b"%%PDF-1.5\n1 0 obj<</Filter/FlateDecode/Length %d>>stream\n%b\nendstream" % (
        len(packed),
        packed,
    )
    with pytest.raises(RefusedFileError, match="grow beyond the limit"):
        Pdf().open(data)


def test_too_many_pages(monkeypatch):
    from sfumato.data.formats.pdf import sanitise

    monkeypatch.setattr(sanitise, "_MOST_PAGES", 50)
    with pytest.raises(RefusedFileError, match="more than 50 pages"):
        Pdf().open(empty_pages(random.Random(1), 60))


def test_the_extra_is_asked_for_by_name(monkeypatch, tmp_path):
    (tmp_path / "a.pdf").write_bytes(b"%PDF-")
    monkeypatch.setattr(refusal, "_PACKAGES", ("no_such_package",))
    with pytest.raises(InputError, match=r"install sfumato\[pdf\]"):
        list(read_documents(tmp_path).tolerant())


def test_a_page_of_letters_without_a_meaning_is_withheld(tmp_path):
    data, _ = PLACES["type3"](random.Random(1))
    with pikepdf.open(io.BytesIO(data)) as pdf:
        del pdf.pages[0].Resources.Font.T3["/ToUnicode"]
        pdf.save(tmp_path / "a.pdf")
    (found,) = read_documents(tmp_path).tolerant()
    assert "no meaning" in getattr(found, "reason", "") or found.text


def test_resources_that_are_no_fonts_are_replaced():
    data = with_content(random.Random(1), "BT /F1 11 Tf 60 700 Td (seen on ward) Tj ET")
    with pikepdf.open(io.BytesIO(data)) as pdf:
        pdf.pages[0].obj.Resources.Font.F2 = 7
        out = io.BytesIO()
        pdf.save(out)
    with pikepdf.open(io.BytesIO(Pdf().open(out.getvalue()).save({}))) as pdf:
        assert all(font.Type == "/Font" for font in pdf.pages[0].obj.Resources.Font.values())


@settings(max_examples=30)
@given(st.data())
def test_damaged_files_are_read_or_withheld(data):
    """A byte changed, a stretch lost or doubled: our own refusal or a document, and nothing else."""
    whole = _seed()
    at = data.draw(st.integers(0, len(whole) - 1))
    size = data.draw(st.integers(0, 80))
    kind = data.draw(st.sampled_from(["change", "lose", "double"]))
    if kind == "change":
        broken = whole[:at] + bytes([data.draw(st.integers(0, 255))]) + whole[at + 1 :]
    elif kind == "lose":
        broken = whole[:at] + whole[at + size :]
    else:
        broken = whole[:at] + whole[at : at + size] * 2 + whole[at + size :]
    form = Pdf()
    form.names = type(form.names)(limits=Limits(document_characters=1 << 20))
    try:
        opened = form.open(broken)
    except RefusedFileError:
        return
    try:
        opened.save({})
    except RefusedFileError:
        return


def _seed(made=[]):  # noqa: B006 (made once)
    if not made:
        made.append(PLACES["letters"](random.Random(5))[0])
    return made[0]


@settings(max_examples=150)
@given(st.binary(max_size=60))
@example(b"(a)'(b)'")
@example(b"[(a) 5 <62>] TJ")
@example(b"/Span <</A (x)>> BDC EMC")
def test_the_scanner_takes_any_bytes(content):
    try:
        operators = scan(content)
    except OddContentError:
        return
    ends = [0, *(operator.end for operator in operators)]
    assert ends == sorted(ends)
    assert all(operator.start < operator.end for operator in operators)


@given(st.lists(st.one_of(st.integers(0, 0x110100), st.integers(0, 0x60), st.sampled_from([0x0D, 0x0A, 2, 0xFFFE, 0xD835, 0xDC00, 0x7F, 0x85])), max_size=12))  # fmt: skip
def test_codes_are_decoded_as_one_by_one(codes):
    assert read._decode(codes) == read._decode_each(codes)


@given(st.binary(max_size=12))
def test_strings_are_decoded_as_the_library_does(content):
    written = pikepdf.String(content).unparse()
    assert decode_string(written) == content
