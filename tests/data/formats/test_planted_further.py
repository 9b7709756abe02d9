"""No name is left that was planted in a place that few files have; benchmarks/documents_planted.py does it with many."""

import pytest

from sfumato.data.document import Edited
from sfumato.data.documents import read_documents
from sfumato.data.formats.protocol import CorpusFile
from sfumato.data.formats.registry import FORMATS
from sfumato.data.formats.verification import Digests

from . import planted_further as further
from .health import exports_further
from .office import leaks, planted_further
from .office.redacting import marked, redacted, verified

FILES = {
    "docx": planted_further.docx, "xlsx": planted_further.xlsx, "pptx": planted_further.pptx, "odt": further.odt,
    "rtf": further.rtf, "html": further.html, "xml": further.xml, "eml": further.mail,
}  # fmt: skip
MANY = {
    "in.json": (exports_further.bundle, {}), "in.hl7": (exports_further.message, {}),
    "in.xlsx": (further.sheet, {"text": "Brief", "id": "Nr"}),
}  # fmt: skip
UNSEEN = {
    "zero width spaces",
    "optional hyphens",
}  # which the search for what is left does not read over


@pytest.mark.parametrize("kind", FILES)
def test_nothing_planted_is_left_in_a_file(tmp_path, kind):
    content, names = FILES[kind]("test")
    assert set(names) - leaks.found(content, names) <= UNSEEN
    form = FORMATS[kind]()
    edited, out = redacted(form, content, names.values(), tmp_path)
    assert leaks.found(out.read_bytes(), names) == set()
    assert verified(form, edited, out)


@pytest.mark.parametrize("name", MANY)
def test_nothing_planted_is_left_in_a_file_of_many_documents(tmp_path, name):
    make, options = MANY[name]
    content, names = make("test")
    assert leaks.found(content, names) == set(names)
    (tmp_path / name).write_bytes(content)
    corpus = read_documents(tmp_path / name, **options)
    form, expected, edited = corpus.format, Digests(), []
    for number, document in enumerate(corpus):
        edits = marked(document.text, names.values())
        edited.append(Edited(document, edits, form.new_id(document, f"{number:016x}"), form.publish_fields(document, ())))  # fmt: skip
        expected.add(form.digest_of(edited[-1]))
    out = tmp_path / f"out-{name}"
    form.write(corpus.parts[0], edited, out)
    assert form.verify(CorpusFile(out.name, out), expected)
    assert leaks.found(out.read_bytes(), names) == set()
