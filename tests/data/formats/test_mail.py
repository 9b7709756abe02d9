"""E-mail is written anew: listed headers and texts are read, everything else is dropped, and nothing removed is left."""

import email
import mailbox as mailbox_module
import re
from contextlib import closing
from email.message import EmailMessage
from email.policy import default

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core.errors import InputError
from sfumato.data.document import Document, Edit, Edited, by_place
from sfumato.data.documents import read_documents
from sfumato.data.formats.mail.formats import Mail
from sfumato.data.formats.mail.message import HEADERS, compose, open_message
from sfumato.data.formats.mail.second_reader import search_message
from sfumato.data.formats.protocol import CorpusFile
from sfumato.data.formats.verification import Digests

from .office import leaks
from .office.redacting import redacted, verified
from .planted_mail import mail

NAME = "Zoltán Quixadelmo"


def planted():
    """Return a message that holds a name in every place that was thought of."""
    inner = EmailMessage()
    inner["From"] = "ward@example.org"
    inner["Subject"] = f"About {NAME}"
    inner["X-Inner"] = "Quixadelmo"
    inner.set_content(f"{NAME} was forwarded.")
    message = EmailMessage()
    message["From"] = f"{NAME} <quixadelmo@example.org>"
    message["To"] = "ward@example.org"
    message["Cc"] = f"Dr {NAME} <cc@example.org>"
    message["Subject"] = f"Visit of {NAME}"
    message["Date"] = "Mon, 02 Nov 2026 10:00:00 +0000"
    message["Message-ID"] = "<quixadelmo.1@example.org>"
    message["References"] = "<quixadelmo.0@example.org>"
    message["Received"] = "from quixadelmo.example.org"
    message["X-Mailer"] = "Quixadelmo"
    message.set_content(f"Dear ward,\n\n{NAME} was seen today.\n")
    message.add_alternative(
        f"<html><body><p title='Quixadelmo'>{NAME} was seen</p><!-- Quixadelmo --></body></html>",
        subtype="html",
    )
    message.add_attachment(b"Quixadelmo", maintype="application", subtype="octet-stream", filename="Quixadelmo.bin")  # fmt: skip
    message.add_attachment(inner)
    return message


def redact(content, *, by_place_too=False):
    opened = open_message(content, "eml")
    if by_place_too:  # names lie over the segments of attached files
        found = [Edit(at, at + len(NAME), "[NAME]", "NAME") for at in range(len(opened.text)) if opened.text.startswith(NAME, at)]  # fmt: skip
        return opened, opened.save(
            by_place(Document("x", opened.text, segments=opened.segments), found)
        )
    places = {}
    for segment in opened.segments:
        text = opened.text[segment.start : segment.end]
        places[segment.place] = [
            Edit(at, at + len(word), "[NAME]", "NAME")
            for word in (NAME, "quixadelmo")
            for at in range(len(text))
            if text.startswith(word, at)
        ]
        places[segment.place].sort(key=lambda edit: edit.start)
    return opened, opened.save(places)


def test_nothing_that_was_removed_or_not_read_is_left():
    opened, out = redact(planted().as_bytes())
    assert opened.text.count(NAME) == 6
    assert "was forwarded" in opened.text
    assert search_message(planted().as_bytes(), ["Quixadelmo"]) == 1
    assert search_message(out, ["Quixadelmo", "quixadelmo", "Zoltán"]) == 0
    read = email.message_from_bytes(out, policy=default)
    assert [name for name in read.keys() if name in HEADERS] == list(HEADERS)  # noqa: SIM118
    assert read["Subject"] == "Visit of [NAME]"
    assert "[NAME] was seen today." in read.get_content()
    assert set(opened.found.dropped) == {
        "header", "attachment", "other form of the text", "form of the message", "id of a message",
    }  # fmt: skip


def test_a_written_message_has_nothing_to_drop_and_reads_the_same():
    _, out = redact(planted().as_bytes())
    again = open_message(out, "eml")
    assert not again.found.dropped
    assert again.save({}) == out


def with_files():
    """Return a message with a letter, a PDF, a text and a file that cannot be read attached, each with the name."""
    from sfumato.data.formats.office.formats import Docx
    from sfumato.data.formats.pdf.format import Pdf

    message = EmailMessage()
    message["Subject"] = "Letters"
    message["Message-ID"] = "<quixadelmo.2@example.org>"
    message["In-Reply-To"] = "<quixadelmo.1@example.org>"
    message["References"] = "<quixadelmo.0@example.org> <quixadelmo.1@example.org>"
    message.set_content(f"Three files on {NAME}\n")
    text = f"Discharge of {NAME} on Monday.\nAll well.\n"
    for suffix, content in (
        ("docx", Docx().create(text)), ("pdf", Pdf().create(text)), ("txt", text.encode()), ("docx", b"PK broken Quixadelmo"),
    ):  # fmt: skip
        message.add_attachment(content, maintype="application", subtype="octet-stream", filename=f"Quixadelmo.{suffix}")  # fmt: skip
    return message.as_bytes()


def test_attached_files_are_redacted_by_their_own_formats(tmp_path):
    pytest.importorskip("lxml")
    pytest.importorskip("pikepdf")
    opened, content = redact(with_files(), by_place_too=True)
    assert opened.text.count(NAME) == 4
    assert opened.found.dropped["attachment that cannot be read"] == 1
    assert search_message(with_files(), ["Quixadelmo"]) >= 1
    assert search_message(content, ["Quixadelmo", "quixadelmo", "Zoltán"]) == 0
    read = email.message_from_bytes(content, policy=default)
    files = list(read.iter_attachments())
    assert [part.get_filename() for part in files] == ["attachment-1.docx", "attachment-2.pdf", "attachment-3.txt"]  # fmt: skip
    again = open_message(content, "eml")
    assert not again.found.dropped
    assert again.text.count("[NAME]") == 4
    assert again.text.count("All well.") == 3


@pytest.mark.parametrize("seed", range(2))
def test_no_name_is_left_in_any_place_of_a_message(tmp_path, seed):
    pytest.importorskip("lxml")
    content, names = mail(seed)
    assert leaks.found(content, names) == set(names)
    edited, out = redacted(Mail(), content, names.values(), tmp_path)
    assert verified(Mail(), edited, out)
    assert leaks.found(out.read_bytes(), names) == set()


def test_threads_hold_under_keyed_ids():
    def ids(content):
        read = email.message_from_bytes(open_message(content, "eml").save({}), policy=default)
        return [str(read[name]).split() for name in ("Message-ID", "In-Reply-To", "References")]

    first, answer = ids(planted().as_bytes()), ids(with_files())
    assert answer[1] == first[0]  # it answers the first
    assert answer[2] == [*first[2], *first[0]]
    assert "quixadelmo" not in str([first, answer])
    assert len({*first[0], *answer[0], *first[2]}) == 3


@pytest.fixture
def mailbox(tmp_path):
    made = mailbox_module.mbox(tmp_path / "zoltan.mbox")
    for number in range(8):
        message = planted()
        message.replace_header("Subject", f"Visit {number} of {NAME}")
        message.get_body(("plain",)).set_content(
            f"From the ward:\n\nFrom {NAME}, number {number}\n>From me\n"
        )
        made.add(message)
    made.close()
    return tmp_path / "zoltan.mbox"


def edited_of(corpus):
    made = []
    for document in corpus:
        places = [(at, word) for word in (NAME, "quixadelmo") for at in range(len(document.text)) if document.text.startswith(word, at)]  # fmt: skip
        edits = [Edit(at, at + len(word), "[NAME]", "NAME") for at, word in sorted(places)]
        made.append(
            Edited(document, edits, corpus.format.new_id(document, f"{document.record:016x}"))
        )
    return made


def test_a_mailbox_is_published_message_by_message(tmp_path, mailbox):
    corpus = read_documents(mailbox)
    assert corpus.format.name == "mbox"
    form, edited, expected = corpus.format, edited_of(corpus), Digests()
    for one in edited:
        expected.add(form.digest_of(one))
    out = tmp_path / "out.mbox"
    form.write(corpus.parts[0], edited, out)
    assert form.verify(CorpusFile(out.name, out), expected)
    assert b"uixadelmo" not in out.read_bytes()
    with closing(mailbox_module.mbox(out)) as written:
        read = list(written)
    assert len(read) == 8
    bodies = [message.get_payload(decode=True).decode() for message in read]
    assert sum("\nFrom [NAME], number" in body.replace(">From", "From") for body in bodies) == 8
    numbers = [int(re.search("Visit ([0-9])", str(message["Subject"]))[1]) for message in read]
    assert sorted(numbers) == list(range(8))
    found = form.inspect(corpus.parts[0])
    assert found.documents == 8
    assert found.dropped["attachment"] == 8
    out.write_bytes(out.read_bytes().replace(b"MIME-Version", b"X-Who: me\nMIME-Version", 1))
    assert form.verify(CorpusFile(out.name, out), expected).foreign == 1


def test_a_message_of_a_mailbox_keeps_the_files_attached_to_it(tmp_path):
    pytest.importorskip("lxml")
    made = mailbox_module.mbox(tmp_path / "a.mbox")
    made.add(with_files())
    made.close()
    corpus = read_documents(tmp_path / "a.mbox")
    form, edited, expected = corpus.format, edited_of(corpus), Digests()
    expected.add(form.digest_of(edited[0]))
    form.write(corpus.parts[0], edited, tmp_path / "out.mbox")
    assert form.verify(CorpusFile("out.mbox", tmp_path / "out.mbox"), expected)
    with closing(mailbox_module.mbox(tmp_path / "out.mbox")) as written:
        assert "attachment-1.docx" in [part.get_filename() for part in written[0].walk()]


def test_what_is_no_mailbox_is_refused(tmp_path):
    (tmp_path / "a.mbox").write_bytes(b"dear all,\n\nFrom here\n")
    with pytest.raises(InputError, match="not a mailbox"):
        list(read_documents(tmp_path / "a.mbox"))
    (tmp_path / "a.mbox").write_bytes(b"From x\nnothing\n\nFrom y\nSubject: good\n\nx\n")
    found = list(read_documents(tmp_path / "a.mbox").tolerant())
    assert [getattr(one, "reason", None) for one in found] == [
        "has none of the headers of a message",
        None,
    ]


@given(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8"), min_size=1))
def test_what_is_composed_is_read(body, subject):
    opened = open_message(compose({"Subject": subject}, body), "eml")
    squeezed = "".join(f"Subject:{subject}{body}".replace("\x00", " ").split())
    assert "".join(opened.text.replace("\x00", " ").split()) in {
        squeezed, squeezed.removeprefix("Subject:"),  # a subject of white space alone is none
    }  # fmt: skip


def test_a_lone_page_is_read_as_text():
    message = EmailMessage()
    message["Subject"] = "x"
    message.set_content("<p>Ann &amp; Bob</p><script>Quixadelmo()</script><p>met</p>", subtype="html")  # fmt: skip
    opened = open_message(message.as_bytes(), "eml")
    assert opened.text.split("\n", 2)[2].split() == ["Ann", "&", "Bob", "met"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no message at all", "headers of a message"),
        (b"Subject: x\nContent-Type: text/plain; charset=utf-16\n\n\x00", "charset"),
        (b"Subject: x\nContent-Type: text/plain; charset=none-such\n\nx", "charset"),
        (b'Subject: x\nContent-Type: text/plain; charset="a\x00b"\n\nx', "charset"),
        (
            b"Subject: x\n" + b"".join(b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (i, i) for i in range(40)),
            "parts inside each other",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_a_reason(tmp_path, content, words):
    (tmp_path / "a.eml").write_bytes(content)
    with pytest.raises(InputError, match=words):
        list(read_documents(tmp_path / "a.eml"))


def test_headers_that_nobody_can_read_count_as_left():
    assert search_message(b"From: ward@\nSubject: x\n\nx", []) == 1


def test_a_folder_of_messages_is_published_message_by_message(tmp_path):
    folder = tmp_path / "mails"
    folder.mkdir()
    (folder / "one.eml").write_bytes(planted().as_bytes())
    corpus = read_documents(folder)
    (document,) = corpus
    at = document.text.index(NAME)
    edit = Edit(at, at + len(NAME), "[NAME]", "NAME")
    corpus.format.write(corpus.parts[0], [Edited(document, [edit], "one.eml")], tmp_path / "o.eml")
    assert b"[NAME] <quixadelmo@example.org>" in (tmp_path / "o.eml").read_bytes()
