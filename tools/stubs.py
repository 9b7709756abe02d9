"""Writes the type stubs of the front door from the engines' requests: `make stubs`."""

from __future__ import annotations

import os
import sys
import textwrap
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, Union, get_args, get_origin

from sfumato._front_door import operations
from sfumato._operation import Operation
from sfumato._signatures import EMPTY, FunctionArgument, docstring, marker, signature
from sfumato.core.engine import ENGINES, AnyEngine
from sfumato.core.request import Parameter

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "sfumato"
PATH = "str | os.PathLike[str]"
PLAIN = (bool, int, float, str)
HEAD = "# Generated from the requests by `make stubs`; a test compares."


class Annotations:
    """Annotations as source, and what they import."""

    def __init__(self) -> None:
        self.imports: dict[str, set[str]] = {}

    def imported(self, module: str, name: str) -> str:
        """Return a name, and remember where it comes from."""
        self.imports.setdefault(module, set()).add(name)
        return name

    def _list(self, given: Sequence[str]) -> str:
        return f"{self.imported('collections.abc', 'Sequence')}[{' | '.join(dict.fromkeys(given))}]"

    def _literal(self, values: Sequence[object]) -> str:
        return f"{self.imported('typing', 'Literal')}[{', '.join(map(_quoted, values))}]"

    def of(self, annotation: object, choices: Sequence[str] = ()) -> list[str]:
        """Return the alternatives of an annotation; `choices` are the only texts it takes."""
        origin, args = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            noted = marker(args[1:])
            if noted is None:
                return self.of(args[0], choices)
            return [self.imported(noted.module, noted.name)]
        if origin in (Union, types.UnionType):
            return [word for part in args for word in self.of(part, choices)]
        if origin is Literal:
            return [self._literal(args)]
        if origin in (list, tuple, set, frozenset, Sequence):
            one = self.of(args[0], choices)
            return [self._list(one), *one]  # one value is a list of one
        if origin in (dict, Mapping):
            key, value = (" | ".join(dict.fromkeys(self.of(a))) for a in args)
            return [f"{self.imported('collections.abc', 'Mapping')}[{key}, {value}]"]
        if annotation is type(None):
            return ["None"]
        if annotation is str and choices:
            return [self._literal(choices)]
        kind = origin or annotation
        if isinstance(kind, type) and issubclass(kind, os.PathLike):
            return PATH.split(" | ")
        return [kind.__name__ if kind in PLAIN else "object"]  # type: ignore[union-attr]

    def parameter(self, about: Parameter) -> str:
        """Return the annotation of a parameter of a request."""
        assert about.field is not None
        noted = marker(about.field.metadata)
        is_open = about.choices is None or about.compound is not None  # a name may carry arguments
        choices = [] if is_open else list(about.choices())
        if noted is not None:
            words = [self.imported(noted.module, noted.name)]
        else:
            words = self.of(about.field.annotation, choices)
        words = [word for word in words if word != "None"]
        if not about.required and about.default is None:
            words.append("None")
        return " | ".join(dict.fromkeys(words))


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _default(value: object) -> str:
    if value is EMPTY:
        return ""
    return f" = {_quoted(value)}" if value is None or isinstance(value, PLAIN) else " = ..."


def _definition(
    operation: Operation, words: Mapping[str, str], returns: str, *, overload: bool = False
) -> list[str]:
    """Return the lines of a function up to its colon."""
    lines = ["@overload"] if overload else []
    lines.append(f"def {operation.name}(")
    star = False
    for p in signature(operation.arguments).parameters.values():
        if p.kind is p.KEYWORD_ONLY and not star:
            star = True
            lines.append("    *,")
        lines.append(f"    {p.name}: {words[p.name]}{_default(p.default)},")
    return [*lines, f") -> {returns}:"]


def _function(operation: Operation, types_: Annotations) -> list[str]:
    words = {a.name: _hint(a, types_) for a in operation.arguments}
    if operation.returns is None:
        json = types_.imported("pydantic", "JsonValue")
        returns = f"dict[str, {json}]"
    else:
        returns = types_.imported(operation.returns.__module__, operation.returns.__name__)
    text = docstring(
        operation.summary,
        operation.arguments,
        (operation.returned_type, operation.returned),
        operation.example,
    )
    body = textwrap.indent(f'"""{text}"""', "    ").splitlines()
    body = [line.rstrip() for line in body]
    if operation.name != "publish":
        return ["", *_definition(operation, words, returns), *body]
    types_.imported("typing", "overload")
    anything = types_.imported("typing", "Any")
    written = {**words, "out": PATH}
    kept = {**words, "out": "None"}
    with_out = [
        line.removesuffix(" = None,") + "," if line.startswith("    out: ") else line
        for line in _definition(operation, written, returns, overload=True)
    ]
    return ["", *with_out, *body, *_definition(operation, kept, anything, overload=True), "    ..."]


def _hint(argument: FunctionArgument, types_: Annotations) -> str:
    if not argument.hint:
        assert argument.about is not None
        return types_.parameter(argument.about)
    if "Progress" in argument.hint:
        types_.imported("sfumato.core.engine", "Progress")
    for kind in argument.classes:
        types_.imported(kind.__module__, kind.__name__)
    return argument.hint


def stub(engine: AnyEngine) -> str:
    """Return the text of the stub of an engine's front door."""
    types_ = Annotations()
    found = operations(engine)
    functions = [line for operation in found for line in _function(operation, types_)]
    names = sorted(operation.name for operation in found)
    imports = {"os": ["import os"]}
    for module, given in types_.imports.items():
        imports[module] = [f"from {module} import {', '.join(sorted(given))}"]
    groups = [("os", "collections", "typing"), ("pydantic",), ("sfumato",)]
    blocks = [
        [line for m in sorted(imports, key=lambda m: (m != "os", m)) if m.split(".")[0] in group for line in imports[m]]
        for group in groups
    ]  # fmt: skip
    listed = [line for block in blocks if block for line in ("", *block)]
    all_ = ["", "__all__ = [", *(f'    "{name}",' for name in names), "]"]
    head = [f'"""{engine.summary}"""', "", HEAD]
    return "\n".join([*head, *listed, *all_, *functions]) + "\n"


def stubs() -> dict[Path, str]:
    """Return the text of every stub, by its path."""
    own = [e for e in ENGINES.values() if type(e).__module__.startswith("sfumato.")]
    return {PACKAGE / f"{engine.name}.pyi": stub(engine) for engine in own}


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"written: {path.name}, {len(text.splitlines())} lines\n")
