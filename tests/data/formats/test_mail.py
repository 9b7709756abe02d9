"""E-mail is written anew: listed headers and texts are read, everything else is dropped, and nothing removed is left."""

import email
from email.message import EmailMessage
from email.policy import default

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core.errors import InputError
from sfumato.data.document import Edit, Edited
from sfumato.data.documents import read_documents
from sfumato.data.formats.mail.message import HEADERS, compose, open_message
from sfumato.data.formats.mail.second_reader import search_message

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


def redact(content):
    opened = open_message(content, "eml")
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
        "header", "attachment", "other form of the text", "form of the message",
    }  # fmt: skip


def test_a_written_message_has_nothing_to_drop_and_reads_the_same():
    _, out = redact(planted().as_bytes())
    again = open_message(out, "eml")
    assert not again.found.dropped
    assert again.save({}) == out


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
