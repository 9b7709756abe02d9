"""Generated scans: pages of text in several fonts, turned, noisy and compressed, with what is written on them."""

from __future__ import annotations

import io
import json
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pikepdf
from pikepdf import Dictionary, Name
from PIL import Image, ImageDraw, ImageFont

__all__ = ["Scan", "as_pdf", "fonts", "scans"]

_A5 = 5.83, 8.27  # inches
_FOLDERS = [Path("/usr/share/fonts"), *map(Path, filter(None, os.environ.get("SFUMATO_FONTS", "").split(os.pathsep)))]  # fmt: skip
_WANTED = (
    "LiberationSans-Regular.ttf", "LiberationSerif-Regular.ttf", "LiberationMono-Regular.ttf",
    "LiberationSerif-Italic.ttf", "LiberationSansNarrow-Regular.ttf", "Carlito-Regular.ttf",
    "Caladea-Regular.ttf", "DejaVuSans.ttf", "DejaVuSerif.ttf", "DejaVuSansCondensed.ttf",
    "LinLibertine_R.otf", "LinBiolinum_R.otf", "Courier Prime.otf",
)  # fmt: skip
_FIRST = ["Jürgen", "Çağla", "Zoë", "François", "Núria", "Søren", "Małgorzata", "Björn", "Renée", "Inés", "Hans", "Käthe", "Ömer", "Agnès", "Raúl", "Anne", "Peter", "Maria", "Lukas", "Sofía"]  # fmt: skip
_LAST = ["Müller", "Großmann", "Łukasiewicz", "Nuñez", "Lefèvre", "Öztürk", "Kowalczyk", "Sørensen", "Schäfer", "Dupont", "García", "Weiß", "Jäger", "Horváth", "Fernández", "Becker", "Hoffmann", "Châtelet", "Ibáñez", "Krüger"]  # fmt: skip
_LETTERS = (
    (
        "Sehr geehrte Frau Kollegin, wir berichten über {name}, der sich am 3. Mai in unserer Ambulanz vorstellte. "
        "Die Beschwerden von {last} bestehen seit zwei Wochen; Fieber trat nicht auf. {other} begleitete die Untersuchung "
        "und wird den weiteren Verlauf überwachen. Mit freundlichen Grüßen, Dr. {last2}"
    ),
    (
        "Chère collègue, j'ai revu {name} en consultation ce matin. L'état général est bon et la fièvre a disparu. "
        "Le traitement de {last} sera poursuivi pendant dix jours. {other} assurera le suivi à domicile. "
        "Bien cordialement, le docteur {last2}"
    ),
    (
        "Estimado compañero: hoy he visto a {name}, que acude por dolor de espalda. La exploración de {last} fue normal "
        "y no precisa más pruebas. {other} vendrá a recoger el informe la próxima semana. Un saludo, doctor {last2}"
    ),
)


@dataclass(frozen=True)
class Scan:
    """A page as a scanner gives it, and what was written on it."""

    name: str
    jpeg: bytes
    size: tuple[int, int]
    dpi: int
    turn: int
    skew: float
    font: str
    quality: int
    noise: float
    words: list[str]
    names: list[str]

    def facts(self) -> dict[str, object]:
        """Return what is known of the page, as plain JSON."""
        named = ("name", "dpi", "turn", "skew", "font", "quality", "noise", "words", "names")
        return {name: getattr(self, name) for name in named}


@cache
def fonts() -> tuple[Path, ...]:
    """Return the fonts that the system has of those that are wanted (OFL and similar licences)."""
    found = {p.name: p for folder in _FOLDERS for p in folder.rglob("*") if p.suffix in (".ttf", ".otf")}  # fmt: skip
    return tuple(found[name] for name in _WANTED if name in found)


def _letter(random_: random.Random) -> tuple[str, list[str]]:
    name, other = (f"{random_.choice(_FIRST)} {random_.choice(_LAST)}" for _ in range(2))
    last, last2 = name.split()[1], random_.choice(_LAST)
    text = random_.choice(_LETTERS).format(name=name, last=last, other=other, last2=last2)
    return text, [name, last, other, last2]


def _texts(notes: list[dict[str, Any]], random_: random.Random) -> tuple[str, list[str]]:
    """Return the text of a page: notes of the sample, or letters in other languages."""
    text, names = "", list[str]()
    while len(text) < random_.choice([300, 500, 700]):
        if random_.random() < 0.7:
            note = random_.choice(notes)
            own = [
                note["text"][s["start"] : s["end"]] for s in note["spans"] if s["label"] == "NAME"
            ]
            text += note["text"] + "\n\n"
        else:
            letter, own = _letter(random_)
            text += letter + "\n\n"
        names += own
    return text, names


def scans(notes: list[dict[str, Any]], count: int, seed: int) -> Iterator[Scan]:
    """Yield generated scans, the same for the same seed."""
    for number in range(count):
        random_ = random.Random(f"{seed} {number}")
        text, names = _texts(notes, random_)
        yield _scan(f"scan-{seed}-{number:04d}", text, names, random_)


def _scan(name: str, text: str, names: list[str], random_: random.Random) -> Scan:
    dpi = random_.choice([150, 200, 200, 300])
    font = random_.choice(fonts())
    size = random_.choice([10, 11, 12])
    width, height = (round(v * dpi) for v in _A5)
    page = Image.new("L", (width, height), random_.randint(235, 255))
    draw = ImageDraw.Draw(page)
    face = ImageFont.truetype(str(font), round(size * dpi / 72))
    ink, margin, lead = random_.randint(0, 60), round(0.6 * dpi), round(size * 1.35 * dpi / 72)
    written: list[str] = []
    y = margin
    for line in _wrap(text, face, width - 2 * margin):
        if y > height - margin - lead:
            break
        draw.text((margin, y), line, fill=ink, font=face)
        written.append(line)
        y += lead
    shown = " ".join(" ".join(written).split())
    skew = random_.choice([0.0, random_.uniform(1, 3) * random_.choice([-1, 1])])
    paper = page.getpixel((0, 0))
    if skew:
        page = page.rotate(skew, Image.Resampling.BICUBIC, fillcolor=paper)
    noise, quality = random_.choice([2.0, 6.0, 12.0]), random_.choice([30, 50, 75])
    generator = np.random.default_rng(random_.getrandbits(32))
    pixels = np.asarray(page, np.float32) + noise * generator.standard_normal(
        (height, width), np.float32
    )
    specks = generator.random((height, width)) < random_.choice([0, 0.0005])
    pixels[specks] = 40
    turn = random_.choice([0] * 7 + [90, 180, 270])
    page = Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).rotate(turn, expand=True)
    squeezed = io.BytesIO()
    page.save(squeezed, "JPEG", quality=quality)
    names = [n for n in dict.fromkeys(" ".join(n.split()) for n in names) if n in shown]
    return Scan(name, squeezed.getvalue(), page.size, dpi, turn, round(skew, 2), font.stem, quality, noise, shown.split(), names)  # fmt: skip


def _wrap(text: str, face: ImageFont.FreeTypeFont, width: int) -> Iterator[str]:
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}" if line else word
            if line and face.getlength(longer) > width:
                yield line
                longer = word
            line = longer
        yield line


def as_pdf(jpeg: bytes, size: tuple[int, int], dpi: int) -> bytes:
    """Return a scan as a PDF with one picture on its page, as scanners write it."""
    pdf = pikepdf.new()
    columns, rows = size
    image = pdf.make_stream(
        jpeg, Type=Name.XObject, Subtype=Name.Image, Width=columns, Height=rows, ColorSpace=Name.DeviceGray,
        BitsPerComponent=8, Filter=Name.DCTDecode,
    )  # fmt: skip
    across, down = (72 * v / dpi for v in size)
    page = Dictionary(
        Type=Name.Page, MediaBox=[0, 0, across, down], Resources=Dictionary(XObject=Dictionary(P=image)),
        Contents=pdf.make_stream(b"q %.3f 0 0 %.3f 0 0 cm /P Do Q" % (across, down)),
    )  # fmt: skip
    pdf.pages.append(pikepdf.Page(pdf.make_indirect(page)))
    out = io.BytesIO()
    pdf.save(out, deterministic_id=True)
    return out.getvalue()


def write_folder(folder: Path, notes: list[dict[str, Any]], count: int, seed: int) -> None:
    """Write scans as JPEG and PDF files, with what is on them in pages.json."""
    (folder / "scans").mkdir(parents=True, exist_ok=True)
    facts = []
    for scan in scans(notes, count, seed):
        (folder / f"{scan.name}.jpg").write_bytes(scan.jpeg)
        (folder / "scans" / f"{scan.name}.pdf").write_bytes(as_pdf(scan.jpeg, scan.size, scan.dpi))
        facts.append(scan.facts())
    (folder / "pages.json").write_text(json.dumps(facts), encoding="utf-8")
