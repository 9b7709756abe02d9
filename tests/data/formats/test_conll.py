"""CoNLL: text and offsets out of tokens and tags, and back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sfumato.core.errors import DataError, FormatError, LimitError
from sfumato.data.document import Document, Edit, Edited, Span
from sfumato.data.documents import read_documents, write_corpus, write_documents
from sfumato.data.limits import Limits

from ..document_files import CANARY, refused

CONLL = """-DOCSTART- -X- O

Ann NNP B-NAME
Lee NNP I-NAME
sleeps VBZ O

Bob NNP B-NAME
Al NNP B-NAME

-DOCSTART- -X- O

Nothing NN O

"""


def test_conll_text_offsets_and_back(tmp_path):
    source = tmp_path / "n.conll"
    source.write_text(CONLL)
    corpus = read_documents(source, kept_columns=(1,))
    first, second = corpus
    assert (first.id, first.text) == ("n-1", "Ann Lee sleeps\nBob Al")
    assert [(first.text[s.start : s.end], s.label) for s in first.spans] == [
        ("Ann Lee", "NAME"), ("Bob", "NAME"), ("Al", "NAME"),
    ]  # fmt: skip
    assert second.text == "Nothing"
    write_documents(corpus, like=corpus, out=tmp_path / "o.conll")
    assert (tmp_path / "o.conll").read_text() == CONLL


def test_conll_other_columns_do_not_give_a_redacted_token_away(tmp_path):
    source = tmp_path / "n.conll"
    source.write_text(
        f"# text = {CANARY} sleeps\n"
        f"The\tthe\tO\n{CANARY}\t{CANARY.lower()}\tB-NAME\nX\tx\tI-NAME\nsleeps\tsleep\tO\n"
    )
    corpus = read_documents(source, kept_columns=(1,))
    (document,) = corpus
    whole = [Edit(4, 4 + len(CANARY) + 2, "[NAME]", "NAME")]
    redacted = Edited(document, whole, document.id, spans=[Span(4, 10, "NAME")])
    write_corpus([redacted], like=corpus, out=tmp_path / "o.conll")
    assert (
        tmp_path / "o.conll"
    ).read_text() == "The\tthe\tO\n[NAME]\t_\tB-NAME\nsleeps\tsleep\tO\n\n"
    joined = replace(
        redacted, edits=[replace(whole[0], end=whole[0].end + 1, replacement="[NAME]\n")]
    )
    write_corpus([joined], like=corpus, out=tmp_path / "p.conll")
    assert (
        tmp_path / "p.conll"
    ).read_text() == "The\tthe\tO\n[NAME]\t_\tB-NAME\n\nsleeps\tsleep\tO\n\n"


@pytest.mark.parametrize(
    "tags",
    [
        "B-X I-X O B-X B-Y",
        "I-X I-X O I-X B-X I-Y",
        "B-X E-X S-X O S-Y",
        "B-X L-X U-X O U-Y B-X I-X L-X",
    ],
)
def test_conll_schemes_are_written_as_read(tmp_path, tags):
    source = tmp_path / "n.iob"
    whole = "".join(f"w{i}\t{tag}\n" for i, tag in enumerate(tags.split())) + "\n"
    source.write_text(whole)
    corpus = read_documents(source)
    write_documents(corpus, like=corpus, out=tmp_path / "o.iob")
    assert (tmp_path / "o.iob").read_text() == whole


def test_conll_without_docstart_has_a_document_a_block(tmp_path):
    source = tmp_path / "n.conll"
    source.write_text("\n\na\tO\nb\tO\n\n\n# a comment\nc\tO\n")
    corpus = read_documents(source)
    assert [(d.id, d.text) for d in corpus] == [("n-1", "a b"), ("n-2", "c")]
    assert [d.text for d in read_documents(source, tag_column=None)] == ["a b", "c"]
    source.write_text("# O\na O\n# O\n")
    assert [d.text for d in read_documents(source)] == ["# a #"]
    source.write_text("# O\n\n# B-X\n")
    assert [d.text for d in read_documents(source)] == ["#", "#"]
    source.write_text("# made by hand\n\n# sent 1\na\tO\n")
    assert [d.text for d in read_documents(source)] == ["a"]


def test_conll_titles_and_comments_do_not_travel(tmp_path):
    source = tmp_path / "n.conll"
    source.write_text(f"-DOCSTART- (1 {CANARY})\n\na\tO\n# text = {CANARY}\nb\tO\n\n")
    corpus = read_documents(source)
    write_documents(corpus, like=corpus, out=tmp_path / "o.conll")
    assert (tmp_path / "o.conll").read_text() == "-DOCSTART-\n\na\tO\nb\tO\n\n"


def test_conll_mistakes(tmp_path):
    source = tmp_path / "n.conll"
    source.write_text(f"a\tO\n\n{CANARY}\n\nb\tO\n")
    refused(FormatError, source, "'n-2'", "too few columns on line 3", "tag_column")
    assert [type(r).__name__ for r in read_documents(source).tolerant()] == [
        "Document",
        "Withheld",
        "Document",
    ]
    source.write_text(f"{CANARY}\tPER\n")
    refused(FormatError, source, "tag that is not of the form")
    source.write_text(f"a {CANARY}\tO\n")
    refused(DataError, source, "token or one with a space on line 1")
    source.write_bytes(f"{CANARY}é\tO\n".encode("latin-1"))
    refused(FormatError, source, "not UTF-8 text on line 1")
    source.write_text(f"{CANARY}\tO\n" * 3)
    refused(LimitError, source, "beyond the limit", limits=Limits(document_characters=20))
    refused(LimitError, source, "beyond the limit", limits=Limits(record_bytes=5))
    source.write_text("\n")
    refused(DataError, source, "no documents")
    with pytest.raises(DataError, match="keeps for itself"):
        write_documents([Document("a", "-DOCSTART-")], like="conll", out=tmp_path / "o.conll")
