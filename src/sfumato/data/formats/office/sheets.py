"""Spreadsheets: cells row by row, formulas that follow renamed sheets, and nothing that caches other cells."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lxml import etree

from ....core.errors import LimitError
from ...limits import Limits
from ..files import RefusedFileError
from .cleaning import namespace, remove
from .dates import date_styles, show_date
from .formulas import Formula
from .package import OfficePart, Package, local
from .unread import drop_unread
from .walking import USUAL_AUTHOR, CollectedText, ElementText, read_attributes, read_tree

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["Workbook"]

_OF_BOOK = frozenset({"workbookPr", "bookViews", "sheets", "definedNames", "calcPr"})
_OF_SHEET = frozenset({
    "sheetPr", "dimension", "sheetViews", "sheetFormatPr", "cols", "sheetData", "mergeCells",
    "conditionalFormatting", "dataValidations", "hyperlinks", "printOptions", "pageMargins", "pageSetup",
    "headerFooter", "rowBreaks", "colBreaks", "drawing", "legacyDrawing", "autoFilter",
})  # fmt: skip
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\]")
_ERROR = re.compile(r"#[A-Z/0]+[!?]?")
_CELL_STYLE = re.compile(
    r"(?:Normal|Comma|Currency|Percent|Good|Bad|Neutral|Input|Output|Total|Title|Note)(?: \[0\])?"
)
_LONGEST = 31


@dataclass(frozen=True, slots=True)
class _CellText:
    """What a cell shows: a number, a day, or the result of a formula; changed, it becomes a text."""

    cell: _Element

    def put(self, text: str) -> None:
        for child in list(self.cell):
            self.cell.remove(child)
        space = namespace(self.cell)
        self.cell.set("t", "inlineStr")
        own = etree.SubElement(etree.SubElement(self.cell, f"{{{space}}}is"), f"{{{space}}}t")
        ElementText(own).put(text)


@dataclass(frozen=True, slots=True)
class _Literal:
    """A text inside a formula."""

    formula: Formula
    number: int

    def put(self, text: str) -> None:
        self.formula.put(self.number, text)


@dataclass(slots=True)
class _SheetName:
    """The name of a sheet."""

    sheet: _Element

    def put(self, text: str) -> None:
        self.sheet.set("name", text)


@dataclass
class Workbook:
    """A spreadsheet file whose parts were cleaned of what all office files lose.

    Parameters
    ----------
    package : Package
        Its parts.
    limits : Limits
        How much text it may hold.

    """

    package: Package
    limits: Limits
    _formulas: list[tuple[_Element, Formula]] = field(default_factory=list)
    _sheets: list[tuple[_Element, OfficePart, str]] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)
    _known: list[_Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._book = self.package.parts[0]
        assert self._book.tree is not None
        _keep(self._book.tree, _OF_BOOK, self.package)
        properties = self._book.tree.find("{*}workbookPr")
        self.is_since_1904 = properties is not None and properties.get("date1904") in ("1", "true")
        by_id = {r.id: r.target for r in self._book.relations.values()}
        for element in list(self._book.tree.iter("{*}sheet")):
            id = next((str(v) for k, v in element.attrib.items() if str(k).endswith("}id")), "")
            part = by_id.get(id)
            if part is None or part.tree is None:
                raise RefusedFileError("is damaged: a sheet of it is missing")
            self._sheets.append((element, part, element.get("name") or ""))
        self._drop_unlisted()
        self._inline()
        for part in self.package.parts:
            if part.kind == "worksheet" and part.tree is not None:
                _keep(part.tree, _OF_SHEET, self.package)
                self._clean_sheet(part.tree)
            elif part.kind == "comments" and part.tree is not None:
                for author in part.tree.iter("{*}author"):
                    self.package.dropped["author"] += author.text != USUAL_AUTHOR
                    author.text = USUAL_AUTHOR
            elif part.kind == "styles" and part.tree is not None:
                self._clean_styles(part.tree)
        self._rename_ranges()
        self._take_formulas()

    @property
    def trees(self) -> list[_Element]:
        """The sheets, in their order."""
        return [part.tree for _, part, _ in self._sheets if part.tree is not None]

    # --- cleaning --------------------------------------------------------------------------------

    def _drop_unlisted(self) -> None:
        """Leave out the sheets that the workbook does not list: no program shows them."""
        listed = {id(part) for _, part, _ in self._sheets}
        sheets = [p for p in self.package.parts if p.kind in ("worksheet", "chartsheet")]
        unlisted = [part for part in sheets if id(part) not in listed]
        if unlisted:
            self.package.drop(*unlisted)
            self.package.dropped["sheet that is not listed"] += len(unlisted)

    def _inline(self) -> None:
        """Put shared texts into their cells, so that a row is read as it is seen."""
        shared = next((p for p in self.package.parts if p.kind == "sharedStrings"), None)
        texts = [] if shared is None or shared.tree is None else list(shared.tree)
        sizes = [sum(len(str(t)) for t in own.itertext()) for own in texts]
        left = self.limits.document_characters
        for _, part, _ in self._sheets:
            assert part.tree is not None
            for cell in part.tree.iter("{*}c"):
                if cell.get("t") != "s":
                    continue
                value = cell.find("{*}v")
                number = (value.text or "").strip() if value is not None else ""
                if not number.isdigit() or int(number) >= len(texts):
                    raise RefusedFileError("is damaged: a cell refers to a text that is not there")
                left -= sizes[int(number)]
                if left < 0:
                    hint = self.limits.hint("document_characters")
                    raise RefusedFileError("has a text beyond the limit of characters", hint, LimitError)  # fmt: skip
                for child in list(cell):
                    cell.remove(child)
                own = etree.SubElement(cell, f"{{{namespace(cell)}}}is")
                own.extend(deepcopy(child) for child in texts[int(number)])
                cell.set("t", "inlineStr")
        if shared is not None:
            self.package.drop(shared)

    def _clean_sheet(self, root: _Element) -> None:
        for element in list(
            root.iter("{*}rPh", "{*}phoneticPr", "{*}filterColumn", "{*}sortState")
        ):
            self.package.dropped["filter or reading"] += 1
            remove(element)
        for rule in list(root.iter("{*}cfRule")):
            if rule.get("type") in ("containsText", "notContainsText", "beginsWith", "endsWith"):
                self.package.dropped["conditional format"] += 1
                remove(rule)
        for cell in root.iter("{*}c"):
            kind, value = cell.get("t"), cell.find("{*}v")
            if kind in ("b", "e") and value is not None:
                text = value.text or ""
                if not (text in ("0", "1") or _ERROR.fullmatch(text)):
                    cell.attrib.pop("t")
        for link in root.iter("{*}hyperlink"):
            place = link.get("location")
            if place is not None and not Formula(place).is_known(self._old_sheets(), {}):
                self.package.dropped["link target"] += 1
                del link.attrib["location"]

    def _clean_styles(self, root: _Element) -> None:
        for element in list(root.iter("{*}tableStyles")):
            self.package.dropped["table style"] += bool(len(element))
            remove(element)
        for number, style in enumerate(root.iter("{*}cellStyle"), 1):
            name = style.get("name") or ""
            if not (_CELL_STYLE.fullmatch(name) or re.fullmatch(r"(?:Heading|Style) \d+", name)):
                self.package.dropped["style name"] += 1
                style.set("name", f"Style {number}")

    def _old_sheets(self) -> dict[str, str]:
        return {name.lower(): name for _, _, name in self._sheets}

    def _rename_ranges(self) -> None:
        """Replace the names of ranges by numbered ones; drop those that refer to what is not known, then those that refer to these."""
        assert self._book.tree is not None
        sheets, gone = self._old_sheets(), [self._book.tree]
        while gone:
            listed = list(self._book.tree.iter("{*}definedName"))
            known = {str(own.get("name")).lower(): "" for own in listed}
            gone = [own for own in listed if not Formula(own.text or "").is_known(sheets, known)]
            for element in gone:
                self.package.dropped["formula"] += 1
                remove(element)
        for element in list(self._book.tree.iter("{*}definedName")):
            name = element.get("name") or ""
            if name.startswith("_xlnm.") and name[6:].replace("_", "").isalpha():
                continue
            new = self._names.setdefault(name.lower(), f"range{len(self._names) + 1}")
            self.package.dropped["range name"] += name != new
            element.set("name", new)

    def _take_formulas(self) -> None:
        """Read all formulas; one that refers to what is not known is dropped, its value stays."""
        sheets = self._old_sheets()
        for part in self.package.parts:
            if part.tree is None:
                continue
            gone: set[str] = set()
            cells = list(part.tree.iter("{*}f", "{*}formula", "{*}formula1", "{*}formula2", "{*}definedName"))  # fmt: skip
            for element in cells:
                formula = Formula(element.text or "")
                if formula.is_known(sheets, self._names):
                    formula.rename({}, self._names)
                    element.text = formula.text() or None
                    self._formulas.append((element, formula))
                    continue
                self.package.dropped["formula"] += 1
                if element.get("t") == "shared":
                    gone.add(element.get("si") or "")
                _drop_formula(element, part)
            for element in cells:
                if element.get("t") == "shared" and (element.get("si") or "") in gone:
                    _drop_formula(element, part)

    # --- reading ---------------------------------------------------------------------------------

    def read(self, collected: CollectedText) -> None:
        """Read the sheets in their order, then the parts that belong to them."""
        dates = date_styles(next((p for p in self.package.parts if p.kind == "styles"), None))
        of_formula = {id(element): formula for element, formula in self._formulas}
        for element, part, name in self._sheets:
            collected.add(name, _SheetName(element), "sheet name")
            collected.make("\n")
            assert part.tree is not None
            for row in part.tree.iter("{*}row"):
                for cell in row:
                    self._read_cell(collected, cell, dates, of_formula)
                    collected.make("\t")
                collected.make("\n")
            for leaf in part.tree.iter("{*}headerFooter"):
                for own in leaf:
                    collected.add(own.text or "", ElementText(own), "header")
                    collected.make("\n")
            read_attributes(collected, part)
        cells = {id(element) for element, _ in self._formulas if _is_in_cell(element)}
        for element, formula in self._formulas:
            if id(element) not in cells:
                _read_literals(collected, formula)
        for part in self.package.parts:
            if part.kind in ("comments", "drawing", "vmlDrawing", "chart", "chartUserShapes", "chartsheet",
                             "diagramData", "diagramDrawing"):  # fmt: skip
                read_tree(collected, part)
        self._known += [element for element, _ in self._formulas]
        drop_unread(self.package, collected, self._known)

    def _read_cell(
        self, collected: CollectedText, cell: _Element, dates: frozenset[str],
        of_formula: dict[int, Formula],
    ) -> None:  # fmt: skip
        kind = cell.get("t", "n")
        formula, value, inside = cell.find("{*}f"), cell.find("{*}v"), cell.find("{*}is")
        self._known += [own for own in (formula, value) if own is not None]
        if inside is not None:
            for leaf in inside.iter("{*}t"):
                collected.add(leaf.text or "", ElementText(leaf), "cell")
        elif value is not None and value.text and kind not in ("b", "e"):
            shown = value.text
            if kind == "n" and cell.get("s", "0") in dates:
                shown = show_date(shown, since_1904=self.is_since_1904)
            collected.add(shown, _CellText(cell), "cell")
        if formula is not None and id(formula) in of_formula:
            _read_literals(collected, of_formula[id(formula)])

    # --- writing ---------------------------------------------------------------------------------

    def finish(self) -> None:
        """Rename sheets where their names are not allowed, and let all formulas follow."""
        taken: set[str] = set()
        renamed: dict[str, str] = {}
        for element, _, old in self._sheets:
            new = element.get("name") or ""
            if new != old or new.lower() in taken:
                new = _NOT_IN_NAMES.sub("", new).strip("' ")[:_LONGEST] or "Sheet"
                while new.lower() in taken:
                    new = f"{new[: _LONGEST - 1]}_" if len(new) < _LONGEST else f"_{new[1:-1].lstrip('_')}_"  # fmt: skip
                element.set("name", new)
            taken.add(new.lower())
            renamed[old.lower()] = new
        for element, formula in self._formulas:
            formula.rename(renamed, {})
            element.text = formula.text() or None
        for _, part, _ in self._sheets:
            assert part.tree is not None
            for link in part.tree.iter("{*}hyperlink"):
                place = link.get("location")
                if place is not None:
                    formula = Formula(place)
                    formula.rename(renamed, {})
                    link.set("location", formula.text())


def _keep(root: _Element, listed: frozenset[str], package: Package) -> None:
    for child in list(root):
        if local(child) not in listed:
            package.dropped["setting"] += 1
            root.remove(child)


def _is_in_cell(formula: _Element) -> bool:
    parent = formula.getparent()
    return local(formula) == "f" and parent is not None and local(parent) == "c"


def _drop_formula(element: _Element, part: OfficePart) -> None:
    """Take out a formula; a rule or a name that is nothing without it goes too."""
    parent = element.getparent()
    if parent is None:
        return
    if local(element) == "f" and part.kind != "worksheet":
        element.text = "#REF!"  # of a chart, which has its values
    elif local(element) in ("f", "definedName"):
        parent.remove(element)
    else:
        remove(parent)


def _read_literals(collected: CollectedText, formula: Formula) -> None:
    for number, text in formula.literals():
        if any(map(str.isalnum, text)):  # whatever it becomes, it is read again by the same rule
            collected.make(" ")
            collected.add(text, _Literal(formula, number), "formula")
