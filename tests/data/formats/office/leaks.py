"""Whether a string is left in a file: every stream unpacked, in every encoding that a file may use."""

import base64
import email
import email.policy
import html
import io
import re
import zipfile

SPACE = re.compile(r"\s|\u00ad|%20|_|\u2011")
TAG = re.compile(r"<[^>]*>")
CODES = re.compile(r"\\u(-?\d+)\??|\\'([0-9a-f]{2})")  # characters in a rich text
WORDS = re.compile(r"\\[a-z]+-?\d* ?|[{}]")


def streams(content):
    """Yield the bytes of a file, of its parts, and of files inside them."""
    yield content
    if content[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            yield packed.comment
            for entry in packed.infolist():
                yield entry.filename.encode() + entry.comment + entry.extra
                yield from streams(packed.read(entry))
    elif content[:5] == b"{\\rtf":
        text = content.decode("cp1252", "replace")
        yield text.encode()
        text = CODES.sub(lambda m: chr(int(m[1]) & 0xFFFF) if m[1] else chr(int(m[2], 16)), text)
        yield WORDS.sub("", text).encode("utf-8", "replace")
    elif content[:5] == b"From ":
        for message in re.split(rb"(?:^|\n)From [^\n]*\n", content):
            yield from mail_streams(message)
    elif b"MIME-Version:" in content[:20_000]:
        yield from mail_streams(content)


def mail_streams(content):
    """Yield the headers of a message as they are read, and the bytes of each of its parts."""
    message = email.message_from_bytes(content, policy=email.policy.default)
    for part in message.walk():
        yield "\n".join(f"{name}: {value}" for name, value in part.items()).encode(
            "utf-8", "replace"
        )
        raw = part.get_payload(decode=True)
        if raw:
            yield from streams(raw)
            yield raw.decode(part.get_content_charset() or "utf-8", "replace").encode()


def squeezed(text):
    return SPACE.sub("", text)


def encodings(text):
    """Yield the bytes that stand for a text in UTF-8, UTF-16, hexadecimal and base64 at each offset."""
    for code in ("utf-8", "utf-16-le", "utf-16-be"):
        raw = text.encode(code)
        yield raw
        yield raw.hex().encode()
        yield raw.hex().upper().encode()
        for shift in range(3):
            cut = len(raw[3 - shift :]) // 3 * 3 if shift else len(raw) // 3 * 3
            start = (3 - shift) % 3
            yield base64.b64encode(raw[start : start + cut])


def found(content, planted):
    """Return the places whose planted strings are left in a file."""
    left = set()
    bare = {place: squeezed(string) for place, string in planted.items()}
    raws = {p: [raw for raw in set(encodings(s)) if len(raw) > 5] for p, s in planted.items()}
    for stream in streams(content):
        text = stream.decode("utf-8", "replace")
        view = squeezed(html.unescape(TAG.sub("", text))) + "\n" + squeezed(html.unescape(text))
        for place in planted.keys() - left:
            if bare[place] in view or any(raw in stream for raw in raws[place]):
                left.add(place)
    return left
