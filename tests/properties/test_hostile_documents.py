"""Any bytes at all: a reader gives documents, withholds records or raises one of our errors."""

from __future__ import annotations

import contextlib
import functools
import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import InputError
from sfumato.data.document import Document, Span
from sfumato.data.documents import Limits, Withheld, read_documents, write_documents
from sfumato.data.findings import read_findings

NAMES = {
    "jsonl": "a.jsonl",
    "csv": "a.csv",
    "tsv": "a.tsv",
    "conll": "a.conll",
    "parquet": "a.parquet",
}
LIMITS = Limits(document_characters=10_000, record_bytes=20_000, expansion_from=100_000, columns=50)
PIECES = [b'"', b"\n", b"\r", b"\t", b" ", b",", b"{", b"[", b"\\ud800", b"\xff", b"\x00", b"-", b"1e999", b"\xef\xbb\xbf",
          b"\x1f\x8b", b"-DOCSTART-", b"T1\t", b"null", b"NaN", b'"spans": [{"start": -1}]', b"PAR1"]  # fmt: skip


@functools.cache
def valid(form: str) -> bytes:
    made = [
        Document("a", "Ann Lee\ncalled, é", [Span(0, 7, "NAME")], {"ward": "x"}),
        Document("b", "", (), {"ward": ""}),
        Document("c", "😀 ok", [Span(0, 1, "X")], {"ward": "y"}),
    ]
    with tempfile.TemporaryDirectory() as folder:
        write_documents(made, like=form, out=Path(folder, NAMES[form]))
        return Path(folder, NAMES[form]).read_bytes()


edits = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.sampled_from(["cut", "put", "flip", "drop", "twice"]),
        st.one_of(st.sampled_from(PIECES), st.binary(max_size=6)),
    ),
    max_size=6,
)


def damaged(content: bytes, changes) -> bytes:
    for share, way, piece in changes:
        at = int(share * len(content))
        if way == "cut":
            content = content[:at]
        elif way == "put":
            content = content[:at] + piece + content[at:]
        elif way == "flip" and content:
            at = min(at, len(content) - 1)
            content = (
                content[:at] + bytes([content[at] ^ (piece[0] if piece else 1)]) + content[at + 1 :]
            )
        elif way == "drop":
            content = content[:at] + content[at + 5 :]
        else:
            content += content[at:]
    return content


def survives(source, **options) -> None:
    """Read twice: tolerant readings never raise anything but our errors, and neither do strict ones."""
    for strict in (False, True):
        with contextlib.suppress(InputError):
            corpus = read_documents(source, limits=LIMITS, **options)
            for record in corpus if strict else corpus.tolerant():
                if isinstance(record, Withheld):
                    assert isinstance(record.error(), InputError)
                else:
                    record.checked()
                    record.text.encode()
                    record.id.encode()


@pytest.mark.parametrize("form", list(NAMES))
@given(changes=edits, zipped=st.booleans())
@settings(max_examples=80)
def test_damaged_files(form, changes, zipped):
    content = damaged(valid(form), changes)
    if zipped and form != "parquet":
        content = damaged(gzip.compress(content, mtime=0), changes[:1])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, NAMES[form])
        path.write_bytes(content)
        survives(path)
        survives(path, id=None, overlaps="merge")


@given(st.binary(max_size=60), edits)
@settings(max_examples=100)
def test_damaged_annotations(text, changes):
    ann = b"T1\tNAME 0 3\tAnn\nT2\tID 4 5;6 7\tx y\n#1\tNote T1\tx\nR1\tRel Arg1:T1 Arg2:T2\n"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.txt").write_bytes(text or b"Ann x y")
        Path(folder, "a.ann").write_bytes(damaged(ann, changes))
        survives(folder)
        survives(folder, overlaps="best")


@given(edits, st.sampled_from(["f.json", "f.jsonl"]))
@settings(max_examples=100)
def test_damaged_findings(changes, name):
    entry = b'{"id": "a", "findings": [{"start": 0, "end": 3, "entity_type": "PERSON", "score": 0.85}]}\n'
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(damaged(entry, changes))
        with contextlib.suppress(InputError):
            read_findings(path)
