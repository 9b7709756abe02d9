"""Presentations: slides in the order in which they are shown."""

from __future__ import annotations

from .cleaning import remove
from .package import OfficePart, Package, local

__all__ = ["clean_slides", "reading_order"]

_OF_PRESENTATION = frozenset({
    "sldMasterIdLst", "notesMasterIdLst", "handoutMasterIdLst", "sldIdLst", "sldSz", "notesSz",
    "defaultTextStyle",
})  # fmt: skip


def clean_slides(package: Package) -> None:
    """Clean the parts of a presentation, after what all office files lose."""
    main = package.parts[0].tree
    assert main is not None
    for child in list(main):
        if local(child) not in _OF_PRESENTATION:
            package.dropped["setting"] += 1
            main.remove(child)
    for part in package.parts:
        if part.tree is None:
            continue
        if part.kind == "tableStyles":
            for number, style in enumerate(part.tree.iter("{*}tblStyle"), 1):
                package.dropped["style name"] += style.get("styleName") != f"Style {number}"
                style.set("styleName", f"Style {number}")
        for extra in list(part.tree.iter("{*}custDataLst")):
            remove(extra)


def reading_order(package: Package) -> list[OfficePart]:
    """Return the parts: slides as they are shown, each followed by the parts that belong to it, then the masters."""
    main = package.parts[0]
    assert main.tree is not None
    by_id = {r.id: r.target for r in main.relations.values()}
    found: list[OfficePart] = [main]
    for element in main.tree.iter("{*}sldId"):
        for key, value in element.attrib.items():
            slide = by_id.get(str(value)) if str(key).endswith("}id") else None
            if slide is not None and slide not in found:
                found.append(slide)
                found += [
                    r.target
                    for r in slide.relations.values()
                    if r.target is not None
                    and r.target.kind not in ("slideLayout", "slide")
                    and r.target not in found
                ]
    known = {id(part) for part in found}
    return found + [part for part in package.parts if id(part) not in known]
