"""The names that content streams call fonts, forms and pictures by: a producer may take them from the content."""

from __future__ import annotations

import re

import pikepdf
from pikepdf import Dictionary, Name, Object, Stream

from .content_edits import OF_OPERATOR, rename
from .streams import Operation, content_of, parse, unparse, walk

__all__ = ["rename_resources"]

# Names that producers make by counting: F1, TT0, Im12, GS0, C2_0, Xi3, R15.
_PLAIN = re.compile(
    r"/(?:[A-Za-z]{1,3}[0-9_+.]*|(?:Image|Form|Font|Fm|Meta|Pat|Image_|Sfumato[A-Z]\w*|Default(?:Gray|RGB|CMYK))[0-9_]*)\Z"
)


def rename_resources(pdf: pikepdf.Pdf) -> bool:
    """Rename every resource whose name is not a plain number; return whether there was one."""
    holders = [o for o in walk(pdf.Root) if isinstance(o.get("/Resources"), Dictionary)]
    resources = [holder["/Resources"] for holder in holders]
    resources += [page.resources for page in pdf.pages]
    new: dict[tuple[str, str], str] = {}
    for each in resources:
        for kind in set(OF_OPERATOR.values()):
            listed = each.get(kind)
            for name in list(listed.keys()) if isinstance(listed, Dictionary) else ():
                if not _PLAIN.match(name):
                    new.setdefault((kind, name), f"/N{len(new) + 1}x")
    if not new:
        return False
    order = {key: f"/N{i}x" for i, key in enumerate(sorted(new), 1)}
    done: set[tuple[int, int]] = set()
    for each in resources:
        for kind in set(OF_OPERATOR.values()):
            listed = each.get(kind)
            if isinstance(listed, Dictionary):
                _rename_keys(listed, kind, order, done)
    for page in pdf.pages:
        content = content_of(page.obj)
        if b"/" in content:
            renamed = rename(content, order)
            if renamed is None:
                renamed = _rewrite(parse(page), order)
            if renamed != content:
                page.obj["/Contents"] = pdf.make_stream(renamed)
    for found in list(walk(pdf.Root)):
        drawings = [found]
        if found.get("/Subtype") == Name.Type3 and isinstance(found.get("/CharProcs"), Dictionary):
            drawings = list(found["/CharProcs"].values())
        elif found.get("/Subtype") != Name.Form and found.get("/PatternType") != 1:
            continue
        for drawing in drawings:
            if isinstance(drawing, Stream):
                renamed = rename(bytes(drawing.read_bytes()), order)
                drawing.write(_rewrite(parse(drawing), order) if renamed is None else renamed)
    return True


def _rename_keys(
    listed: Object, kind: str, order: dict[tuple[str, str], str], done: set[tuple[int, int]]
) -> None:
    if listed.is_indirect:
        if listed.objgen in done:
            return
        done.add(listed.objgen)
    for name in list(listed.keys()):
        if (kind, name) in order:
            listed[order[kind, name]] = listed[name]
            del listed[name]


def _rewrite(operations: list[Operation], order: dict[tuple[str, str], str]) -> bytes:
    kept: list[Operation] = []
    for given, name in operations:
        kind = OF_OPERATOR.get(name)
        if kind is not None and isinstance(given, list):
            given = [
                Name(order[kind, str(v)]) if isinstance(v, Name) and (kind, str(v)) in order else v
                for v in given
            ]
        kept.append((given, name))
    return unparse(kept)
