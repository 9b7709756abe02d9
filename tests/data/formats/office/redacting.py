"""Redacting a file by hand: every planted name is marked, the file is written, and verified."""

from sfumato.data.document import Document, Edit, Edited
from sfumato.data.formats.protocol import CorpusFile
from sfumato.data.formats.verification import Digests

from . import leaks


def marked(text, names):
    """Return edits of every name in a text, whatever white space or hyphen is inside."""
    flat, at = [], []
    for index, letter in enumerate(text):
        if not leaks.SPACE.match(letter):
            flat.append(letter)
            at.append(index)
    flat = "".join(flat)
    spans = set()
    for name in names:
        bare = leaks.squeezed(name)
        start = flat.find(bare)
        while start >= 0:
            spans.add((at[start], at[start + len(bare) - 1] + 1))
            start = flat.find(bare, start + 1)
    alone: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda own: (own[0], -own[1])):
        if not alone or start >= alone[-1][1]:
            alone.append((start, end))
        elif end > alone[-1][1]:
            alone[-1] = (alone[-1][0], end)
    return [Edit(start, end, "[NAME]", "NAME") for start, end in alone]


def redacted(form, content, names, folder):
    path = folder / f"input{form.suffixes[0]}"
    path.write_bytes(content)
    part = CorpusFile(path.name, path)
    (document,) = form.read(part)
    assert isinstance(document, Document), document
    edited = Edited(document, marked(document.text, names), path.name)
    out = folder / f"output{form.suffixes[0]}"
    form.write(part, [edited], out)
    return edited, out


def verified(form, edited, out):
    expected = Digests()
    expected.add(form.digest_of(edited))
    text = edited.document.text
    gone = {s for e in edited.edits if (s := text[e.start : e.end]) not in edited.text}
    return form.verify(CorpusFile(edited.id, out), expected, gone)
