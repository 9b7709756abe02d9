"""Messages with a name planted in every place where one can hide; each name is told by its place."""

from __future__ import annotations

import base64
import quopri
from email.header import Header

from .office.planted import Names, docx


def mail(seed: object) -> tuple[bytes, dict[str, str]]:
    """Return a message and the names that are planted in it, by place; a letter in Word is attached."""
    n = Names(f"mail {seed}")
    letter, inside = docx(f"mail {seed}")
    text = f"Dear ward,\n\n{n.prose()} {n('body')} {n.prose()}\n>From {n('quoted')}\n{'x' * n.random.randint(0, 60)} {n('soft break')}\n"
    page = f"<html><head><title>{n('title')}</title></head><body><p title='{n('attribute')}'>{text}</p><!-- {n('comment')} --><b>An</b>n</body></html>"
    latin = f"Grüße von {n('latin').replace('Ł', 'L')}"
    n.planted["latin"] = n.planted["latin"].replace("Ł", "L")
    inner = "\n".join([
        f"From: {_word(n('inner from'))} <a@example.org>", f"Subject: {_word(n('inner subject'))}", f"X-Inner: {_ascii(n, 'inner header')}",
        "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit", "", f"forwarded {n('inner body')}", "",
    ])  # fmt: skip
    head = [
        f"Return-Path: <{_ascii(n, 'return path', '.')}@example.org>",
        f"Received: from {_ascii(n, 'received')} by host.example.org",
        f"DKIM-Signature: v=1; d={_ascii(n, 'dkim')}",
        f"From: {_word(n('from'))} <ward@example.org>", f"To: {_word(n('to'))} <to@example.org>", f"Cc: {_word(n('cc'))} <cc@example.org>",
        f"Bcc: {_ascii(n, 'bcc')}", f"Reply-To: {_ascii(n, 'reply to')}",
        f"Subject: {_folded(n('subject'))}", "Date: Mon, 02 Nov 2026 10:00:00 +0000",
        f"Message-ID: <{_ascii(n, 'message id', '.')}@example.org>", f"References: <{_ascii(n, 'references', '.')}@example.org>",
        f"Thread-Topic: {_ascii(n, 'topic')}", f"X-Mailer: {_ascii(n, 'mailer')}", f"Comments: {_ascii(n, 'comments')}",
        "MIME-Version: 1.0", f'Content-Type: multipart/mixed; boundary="{_ascii(n, "boundary")}"; name="{_ascii(n, "parameter")}"', "",
    ]  # fmt: skip
    edge = f"--{n.planted['boundary']}"
    parts = [
        f"preamble {n('preamble')}", edge, 'Content-Type: multipart/alternative; boundary="alt"', "", "--alt",
        f"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\nContent-Description: {_ascii(n, 'description')}\n",
        quopri.encodestring(text.encode()).decode(), "--alt",
        "Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n", base64.encodebytes(page.encode()).decode(), "--alt--", edge,
        "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: base64\n", base64.encodebytes(latin.encode("latin-1", "replace")).decode(), edge,
        f'Content-Type: application/octet-stream; name="{_ascii(n, "file name")}.docx"\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename="{n.planted["file name"]}.docx"\n',
        base64.encodebytes(letter).decode(), edge,
        "Content-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\nContent-Transfer-Encoding: base64\n", base64.encodebytes(f"attached {n('text file')}".encode()).decode(), edge,
        "Content-Type: application/octet-stream\nContent-Disposition: attachment; filename=a.bin\nContent-Transfer-Encoding: base64\n", base64.encodebytes(n("unknown file").encode()).decode(), edge,
        "Content-Type: message/rfc822\n", inner, f"{edge}--", f"epilogue {n('epilogue')}", "",
    ]  # fmt: skip
    planted = {**n.planted, **{f"letter: {place}": name for place, name in inside.items()}}
    return "\n".join([*head, *parts]).encode(), planted


def _ascii(names: Names, place: str, space: str = " ") -> str:
    """Plant a name in a place that holds plain letters only, and perhaps no spaces."""
    name = names(place).encode("ascii", "ignore").decode().replace(" ", space)
    names.planted[place] = name
    return name


def _word(text: str) -> str:
    return Header(text, "utf-8").encode()


def _folded(text: str) -> str:
    """Return a text as encoded words that break in the middle of a name, over two lines."""
    half = len(text) // 2
    return f"{_word(text[:half])}\n {_word(text[half:])}"
