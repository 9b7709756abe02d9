"""The first step: everything that is not on the pages is removed, by lists of what may stay.

Text is read from the sanitised bytes only, so that nothing that is read is out of reach of the cut.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Stream

from ...limits import Limits
from . import keys
from .content_edits import TAGS, with_plain_tags
from .encodings import put_unicode, unicode_map
from .font_names import FontNames
from .odd_content import called_names, has_comment, has_only_drawing, only_drawing
from .profiles import clean_profile
from .read import copy_pages
from .refusal import FileRefusedError
from .resource_names import rename_resources
from .roles import clean_roles
from .streams import SHOWS, Operation, Unpacking, content_of, parse, unparse, walk, without_text

__all__ = ["Sanitised", "sanitise", "save"]

_MOST_PAGES = 20_000
_UNREADABLE = (pikepdf.PdfError, RuntimeError, ValueError, TypeError, OverflowError)
_PLAIN_INKS = {"/All", "/None", "/Black", "/Cyan", "/Magenta", "/Yellow"}


@dataclass(frozen=True)
class Sanitised:
    """A PDF without what is not on its pages: its bytes, what was dropped, and which pages hold pictures."""

    data: bytes
    dropped: tuple[str, ...]
    pictures: frozenset[int]


def sanitise(data: bytes, limits: Limits, *, blank: bool = True) -> Sanitised:
    """Return a PDF that holds its pages and nothing else.

    Parameters
    ----------
    data : bytes
        The file.
    limits : Limits
        How large it may become when it is unpacked.
    blank : bool, default=True
        Whether pictures become grey boxes: nobody has read what they show.

    """
    unpacking = Unpacking(len(data), limits)
    unpacking.check_bytes(data)
    pdf = _open(data)
    dropped = {"what readers may not do with the file"} if pdf.is_encrypted else set[str]()
    try:
        root = pdf.Root
        if not isinstance(root, Dictionary) or not len(pdf.pages):
            raise FileRefusedError("is a PDF without a page")
        if len(pdf.pages) > _MOST_PAGES:
            raise FileRefusedError(f"has more than {_MOST_PAGES:,} pages")
        _refuse_kinds(root)
        _flatten(pdf, dropped)
        _apply_lists(pdf, dropped)
        for stream in walk(root):
            if isinstance(stream, Stream):
                unpacking.check(stream)
        if clean_roles(pdf):
            dropped.add("private data, descriptions and texts for copying")
        found = _Objects(pdf, dropped, blank=blank)
        found.clean()
        pictures = found.pages_with_pictures()
        found.clean_contents()
        rename_resources(pdf)
        unpacking.check_calls(_contents(pdf))
        return Sanitised(save(pdf), tuple(sorted(dropped)), pictures)
    except pikepdf.PdfError:
        raise FileRefusedError("is a damaged PDF") from None
    except (ValueError, TypeError, AttributeError, KeyError, IndexError, OverflowError, RuntimeError, RecursionError):  # fmt: skip
        raise FileRefusedError(
            "is a PDF with objects of another kind than its pages need"
        ) from None


def save(pdf: pikepdf.Pdf, *, recompress: bool = True) -> bytes:
    """Return the bytes of a PDF: written anew, without earlier versions and what nothing points at.

    Parameters
    ----------
    pdf : Pdf
        The file.
    recompress : bool, default=True
        Whether compressed streams are compressed again, because something may follow their content.

    """
    out = io.BytesIO()
    pdf.save(
        out,
        deterministic_id=True,
        object_stream_mode=pikepdf.ObjectStreamMode.generate,
        compress_streams=True,
        encryption=False,
        stream_decode_level=pikepdf.StreamDecodeLevel.generalized,
        recompress_flate=recompress,
    )
    return out.getvalue()


def _open(data: bytes) -> pikepdf.Pdf:
    try:
        return pikepdf.open(io.BytesIO(data))
    except pikepdf.PasswordError:
        raise FileRefusedError("is encrypted") from None
    except _UNREADABLE:
        return _open_rebuilt(data)


def _open_rebuilt(data: bytes) -> pikepdf.Pdf:
    """Open a file that is not as the standard wants it: the reader, which shows it, writes its pages anew."""
    try:
        return pikepdf.open(io.BytesIO(copy_pages(data, _MOST_PAGES)))
    except _UNREADABLE:
        raise FileRefusedError("is not a readable PDF") from None


def _refuse_kinds(root: Object) -> None:
    form = root.get("/AcroForm")
    if isinstance(form, Dictionary) and "/XFA" in form:
        raise FileRefusedError("is an XFA form, whose pages are made by another program")
    if "/Collection" in root:
        raise FileRefusedError("is a portfolio of other files")


def _flatten(pdf: pikepdf.Pdf, dropped: set[str]) -> None:
    """Draw fields and annotations on the pages, where what they show is read as text."""
    if "/AcroForm" not in pdf.Root and not any("/Annots" in page.obj for page in pdf.pages):
        return
    dropped.add("links, form fields and annotations, as far as they are not drawn on the page")
    for page in pdf.pages:  # of notes and links only the looks can be drawn, and a link has none
        annotations = page.obj.get("/Annots")
        if isinstance(annotations, Array) and len(annotations) > 10_000:
            raise FileRefusedError("has a page with more than 10,000 annotations")
    try:
        pdf.generate_appearance_streams()
    except (pikepdf.PdfError, RuntimeError, ValueError, TypeError):
        dropped.add("the values of form fields without a drawn form")
    pdf.flatten_annotations("screen")


def _apply_lists(pdf: pikepdf.Pdf, dropped: set[str]) -> None:
    root = pdf.Root
    if "/StructTreeRoot" in root:
        dropped.add("the tags for screen readers")
    if "/Outlines" in root:
        dropped.add("bookmarks")
    _keep(root, keys.CATALOG)
    if "/Lang" in root and not keys.may_hold("/Lang", str(root["/Lang"])):
        del root["/Lang"]
    if "/Info" in pdf.trailer:
        dropped.add("title, author and other properties")
        del pdf.docinfo
    for key in [k for k in pdf.trailer.keys() if k not in ("/Root", "/Size", "/ID", "/Prev")]:  # noqa: SIM118 (its iterator gives objects)
        del pdf.trailer[key]
    for page in pdf.pages:
        _keep(page.obj, keys.PAGE)


def _keep(found: Object, listed: frozenset[str]) -> bool:
    gone = [key for key in found.keys() if key not in listed]  # noqa: SIM118 (as above)
    for key in gone:
        del found[key]
    return bool(gone)


def _drop_text(found: Object, key: str) -> None:
    if (
        key in keys.COLLECTION
    ):  # a collection of characters of another name: the codes mean glyphs alone
        found[key] = pikepdf.String("Identity" if key == "/Ordering" else "Adobe")
    elif key != "/Length":  # a stream always has a number there when it is written
        del found[key]


def _contents(pdf: pikepdf.Pdf) -> Iterator[tuple[Object, Object | None, bytes]]:
    for page in pdf.pages:
        resources = page.obj.get("/Resources")
        if resources is None:
            resources = page.resources
        try:
            yield page.obj, resources, content_of(page.obj)
        except pikepdf.PdfError:
            raise FileRefusedError("has a content stream that cannot be unpacked") from None


def _has_image(resources: Object) -> bool:
    named = resources.get("/XObject") if isinstance(resources, Dictionary) else None
    if isinstance(named, Dictionary) and list(named.keys()) == [keys.PAGE_PICTURE]:
        return False
    found = walk(Dictionary(R=resources))
    return any(isinstance(o, Stream) and o.get("/Subtype") == Name.Image for o in found)


class _Objects:
    """The objects of a file that its pages reach, cleaned one by one."""

    def __init__(self, pdf: pikepdf.Pdf, dropped: set[str], *, blank: bool) -> None:
        self.pdf, self.dropped, self.blank = pdf, dropped, blank
        self.layers = self.inks = 0
        self.font_names = FontNames()
        self.images: set[tuple[int, int]] = set()
        self.streams: list[Object] = []
        self.called = frozenset[bytes]()

    def clean(self) -> None:
        """Clean every dictionary and stream by the list of its kind."""
        for found in walk(self.pdf.Root):
            if _keep(found, frozenset(found.keys()) - keys.DROPPED):
                self.dropped.add("private data, descriptions and texts for copying")
            self._clean_kind(found)
            self._clean_values(found)

    def _clean_kind(self, found: Object) -> None:
        kind, subtype = found.get("/Type"), found.get("/Subtype")
        listed = None
        if isinstance(found, Stream) and subtype == Name.Form:
            listed = keys.FORM
            self.streams.append(found)
        elif isinstance(found, Stream) and subtype == Name.Image:
            listed = keys.IMAGE
            self.images.add(found.objgen)
        elif found.get("/PatternType") is not None:
            listed = keys.PATTERN
            if isinstance(found, Stream):
                self._blank_pattern(found)
                self.streams.append(found)
        elif kind == Name.Font:
            listed = keys.FONT
            self._check_type3(found)
            self._rewrite_unicode(found)
            self.font_names.clean(found)
        elif kind == Name.FontDescriptor:
            listed = keys.DESCRIPTOR
            self.font_names.clean(found)
        elif kind == Name.ExtGState:
            listed = keys.GRAPHICS_STATE
        elif kind == Name.Pages:
            listed = keys.PAGES
        elif kind == Name.OCG:
            listed = keys.LAYER
            self.layers += 1
            found["/Name"] = pikepdf.String(f"Layer {self.layers}")
        if listed is not None and _keep(found, listed):
            self.dropped.add("private data, descriptions and texts for copying")
        resources = found.get("/Resources")
        if isinstance(resources, Dictionary):
            _keep(resources, keys.RESOURCES)
        layers = found.get("/OCProperties")
        if isinstance(layers, Dictionary):
            _keep(layers, keys.LAYERS)
            if isinstance(layers.get("/D"), Dictionary):
                _keep(layers["/D"], frozenset({"/BaseState", "/ON", "/OFF"}))

    def _clean_values(self, found: Object) -> None:
        """Remove texts wherever none is listed, and rename inks, whose names can be anything."""
        is_layer = found.get("/Type") == Name.OCG
        for key, value in list(found.items()):
            if isinstance(value, pikepdf.String):
                if not keys.may_hold(key, str(value)) and not (is_layer and key == "/Name"):
                    _drop_text(found, key)
            elif isinstance(value, Array):
                self._clean_array(value, 0)

    def _clean_array(self, values: Array, depth: int) -> None:
        first = values[0] if len(values) else None
        if first == Name.Indexed or first == Name("/I"):
            return self._clean_array(values[1], depth + 1) if len(values) > 1 and isinstance(values[1], Array) else None  # fmt: skip
        if first == Name.ICCBased and len(values) > 1 and isinstance(values[1], Stream):
            clean_profile(values[1])
        elif first == Name.Separation and len(values) > 1 and str(values[1]) not in _PLAIN_INKS:
            self.inks += 1
            values[1] = Name(f"/Ink{self.inks}")
        elif first == Name.DeviceN and len(values) > 1 and isinstance(values[1], Array):
            for i, ink in enumerate(values[1]):
                if str(ink) not in _PLAIN_INKS:
                    self.inks += 1
                    values[1][i] = Name(f"/Ink{self.inks}")
            while len(values) > 4:
                del values[4]
        for i, value in enumerate(values):
            if isinstance(value, pikepdf.String):
                values[i] = pikepdf.String("")
            elif isinstance(value, Array) and depth < 20:
                self._clean_array(value, depth + 1)
        return None

    def _blank_pattern(self, pattern: Object) -> None:
        if any(name in SHOWS for _, name in parse(pattern)):
            pattern.write(without_text(pattern))
            self.dropped.add("text that was drawn as a pattern")

    def _rewrite_unicode(self, font: Object) -> None:
        """Write the map from codes to text anew: it is a program, which can hold any words."""
        is_wide = font.get("/Subtype") == Name.Type0
        if "/ToUnicode" not in font or (
            is_wide and not str(font.get("/Encoding")).startswith("/Identity")
        ):
            return  # a page with such a font becomes a picture
        if isinstance(font["/ToUnicode"], Stream):
            put_unicode(self.pdf, font, unicode_map(font), 2 if is_wide else 1)
        else:
            del font["/ToUnicode"]

    def _check_type3(self, font: Object) -> None:
        if font.get("/Subtype") != Name.Type3 or not isinstance(font.get("/CharProcs"), Dictionary):
            return
        for drawing in font["/CharProcs"].values():
            if isinstance(drawing, Stream):
                content = bytes(drawing.read_bytes())
                if re.search(rb"(?<![A-Za-z])(?:Tj|TJ|Do)(?![A-Za-z])", content):
                    raise FileRefusedError("has a font whose letters draw text or pictures")
                self.streams.append(drawing)

    def pages_with_pictures(self) -> frozenset[int]:
        """Return the pages, from 0, that reach a picture; blank the pictures if they are to be."""
        held = frozenset(
            number
            for number, (_, resources, content) in enumerate(_contents(self.pdf))
            if re.search(rb"(?<![A-Za-z])BI[\x00\t\n\x0c\r ]", content)
            or (b"Do" in content and resources is not None and _has_image(resources))
        )
        blanked = sorted(self.images - self._own_pictures()) if self.blank else []
        for objgen in blanked:
            image = self.pdf.get_object(objgen)
            if image.get("/Width") == 1 and image.get("/Height") == 1:
                continue
            self.dropped.add("pictures, which are grey boxes now")
            _keep(image, frozenset({"/Type", "/Subtype", "/Length", "/Filter", "/DecodeParms"}))
            image.write(b"\xe0")
            image["/Width"] = image["/Height"] = 1
            image["/BitsPerComponent"] = 8
            image["/ColorSpace"] = Name.DeviceGray
        return held

    def _own_pictures(self) -> set[tuple[int, int]]:
        """Return the pictures that pages became when they were cut before."""
        found = set()
        for page in self.pdf.pages:
            resources = page.obj.get("/Resources")
            named = resources.get("/XObject") if isinstance(resources, Dictionary) else None
            if isinstance(named, Dictionary) and list(named.keys()) == [keys.PAGE_PICTURE]:
                found.add(named[keys.PAGE_PICTURE].objgen)
        return found

    def clean_contents(self) -> None:
        """Rewrite the content streams that hold comments, inline pictures, tags with a text, or what nothing draws."""
        self.called = called_names(self.pdf)
        for stream in self.streams:
            try:
                content = bytes(stream.read_bytes())
            except pikepdf.PdfError:
                raise FileRefusedError("has a form that cannot be unpacked") from None
            new = self._clean_content(stream, content)
            if new is not None:
                stream.write(new)
        for page, _, content in _contents(self.pdf):
            new = self._clean_content(pikepdf.Page(page), content)
            if new is not None or isinstance(page.get("/Contents"), Array):
                page["/Contents"] = self.pdf.make_stream(content if new is None else new)

    def _clean_content(self, where: Object | pikepdf.Page, content: bytes) -> bytes | None:
        picture = re.search(rb"(?<![A-Za-z])BI[\x00\t\n\x0c\r ]", content)
        if not picture:
            is_plain = not has_comment(content) and keys.has_plain_tags(content)
            changed = content if is_plain else with_plain_tags(content)
            if changed is not None and has_only_drawing(changed, self.called):
                return None if is_plain else changed
        kept: list[Operation] = []
        for given, name in parse(where):
            if name == "INLINE" and self.blank:
                self.dropped.add("pictures, which are grey boxes now")
                continue
            if name in ("BDC", "DP", "BMC", "MP") and isinstance(given, list):
                tag = given[0] if given and str(given[0]) in TAGS else Name.Span
                named = len(given) > 1 and isinstance(given[1], Name)
                given = [tag, *([given[1] if named else Dictionary()] if name in ("BDC", "DP") else [])]  # fmt: skip
            kept.append((given, name))
        return unparse(only_drawing(kept, self.called))
