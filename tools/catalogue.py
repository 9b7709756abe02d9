"""The catalogue of messages: what is to be translated, what is missing, and the compiled files: `make catalogue`.

Messages are the literal arguments of `say`, `say_many` and, in templates, `_`; sentences of module constants in the rooms
that write reports and the local page; titles of chart specs; glossaries and methods; what the regimes file says; and
what the page offers where a release is published. Sentences that records hold, and errors that the page shows, have the
context "record" in the .po files, with names where values are.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import get_args

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from sfumato.core.engine import engine_named
from sfumato.core.request import parameters
from sfumato.engines.text.records import Way
from sfumato.web.language import script_messages

SOURCE = Path(__file__).resolve().parents[1] / "src" / "sfumato"
LOCALES = SOURCE / "presentation" / "locales"
ROOMS = (
    "reports",
    "presentation",
    "engines/text/story",
    "engines/tables/story",
    "engines/baskets/story",
    "engines/text/labelling",
    "web",
)
SHOWN_ERRORS = ("engines/text/labelling", "web")
"""The rooms whose errors people meet on the local page."""
SHOWN_LINES = (
    "core/records.py",
    "core/publication.py",
    "engines/text/records.py",
    "engines/tables/records.py",
    "engines/baskets/records.py",
    "data/attributes.py",
    "data/column_treatments.py",
)
"""What the local page says after a release was published, and what release.json says of columns."""
_MARKED = re.compile(r'_\(\s*"((?:[^"\\]|\\.)*)"')
_TABLE = re.compile(r"_\(\{([^}]*)\}\[")
_LINES = {"lines", "_withheld_sentence", "in_words"}
_TELLERS = ("Release", "Publication", "Treatment", "Dates")
_PLACE = re.compile(r"\{\w+\}")
_WORDS = re.compile(r"[A-Za-z]{2,}")
_PROPER = {"title", "authors", "sections", "paper", "section"}


def _python(tree: ast.Module) -> Iterator[str]:
    """Yield the literal messages of a module, and the sentences among its constants."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            count = {"say": 1, "say_many": 3}.get(node.func.id, 0)
            for argument in node.args[:count]:
                yield from _literals(argument)
            if node.func.id == "plural":
                words = [a.value for a in node.args[1:] if isinstance(a, ast.Constant)]
                yield from words
                yield from [f"{words[0]}s"] if len(words) == 1 else []
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            if isinstance(target, ast.Name) and target.id not in {
                "__all__",
                "_FONT",
                "NAMES",
                "Spec",
            }:
                yield from _constants(statement.value)
    for node in ast.walk(tree):  # sentences that are chosen first and said afterwards
        if isinstance(node, ast.Assign):
            names = {target.id for target in node.targets if isinstance(target, ast.Name)}
            if names & {"words", "nothing", "named", "by"}:
                yield from _constants(node.value)


def _literals(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)


def _constants(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Dict):
        for value in node.values:
            yield from _constants(value)
    elif isinstance(node, ast.Tuple | ast.List):
        for value in node.elts:
            yield from _constants(value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_said(node.value):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _literals(node)


def _is_said(text: str) -> bool:
    return bool(re.match(r"[A-Z][a-z]+|[A-Z]: |[a-z-]+,? [a-z]", text)) and "<" not in text


def _titles(part: object) -> Iterator[str]:
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "title" and isinstance(value, str):
                yield value
            elif key == "domain" and isinstance(value, list):
                yield from (v for v in value if isinstance(v, str))
            else:
                yield from _titles(value)
    elif isinstance(part, list):
        for value in part:
            yield from _titles(value)


def _glossary(content: dict[str, dict[str, object]]) -> Iterator[str]:
    for entry in content["glossary"].values():
        assert isinstance(entry, dict)
        yield from (str(v) for k, v in entry.items() if k not in _PROPER and v)
    for step in content["method"]:
        assert isinstance(step, dict)
        yield str(step["step"])


def _regimes() -> Iterator[str]:
    content = tomllib.loads((SOURCE / "core" / "regimes.toml").read_text(encoding="utf-8"))
    for regime in content["regime"]:
        yield regime["binding"]
        yield from (*regime.get("rules", ()), *regime.get("questions", ()))
        yield from (ask["what"] for ask in regime["ask"])
        yield from (level["name"] for level in regime.get("levels", ()))
        yield from [regime["note"]] if "note" in regime else []
        for source in regime["sources"]:
            yield source["sure"]
            yield from source["of"]


def _page() -> Iterator[str]:
    """Yield what the local page offers and shows of engines: choices of a release, fields of a candidate, names of parts."""
    yield from script_messages()
    yield from get_args(Way)
    for name in ("text", "tables", "baskets"):
        engine = engine_named(name)
        yield engine.title
        for parameter_name, about in parameters(engine.PublishRequest).items():
            if about.on_page:
                yield from (parameter_name.replace("_", " "), about.help)
        candidate = engine.Exploration.Record.model_fields["candidates"].annotation.__args__[0]
        shown = set(candidate.model_fields) - {"id", "risk", "utility", "dominated", "measures"}
        yield from sorted(field.replace("_", " ") for field in shown)


def form_of(node: ast.expr) -> str:
    """Return a sentence with `{}` where its values are; empty where it is no literal."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    return ""


def forms() -> list[str]:
    """Return the sentences that the local page shows as they were made: errors, and lines about a release."""
    found: dict[str, None] = {}
    for room in SHOWN_ERRORS:
        for path in sorted((SOURCE / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                call = node.exc if isinstance(node, ast.Raise) else None
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                    said = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "hint")]
                    found |= dict.fromkeys(map(form_of, said))
    for file in SHOWN_LINES:
        for owner in ast.parse((SOURCE / file).read_text(encoding="utf-8")).body:
            if isinstance(owner, ast.ClassDef) and owner.name.endswith(_TELLERS):
                for node in ast.walk(owner):
                    if isinstance(node, ast.FunctionDef) and node.name in _LINES:
                        said = [n for n in ast.walk(node) if isinstance(n, ast.JoinedStr)]
                        found |= dict.fromkeys(map(form_of, said))
    whole = [form for form in found if form.strip(" ,") == form]  # others are parts of a line
    return [form for form in whole if _WORDS.search(form.replace("{}", ""))]


def messages() -> list[str]:
    """Return everything that a report or the local page may say, in English."""
    found: dict[str, None] = {}

    def add(texts: Iterator[str]) -> None:
        found.update(dict.fromkeys(text for text in texts if _WORDS.search(text)))

    for room in ROOMS:
        for path in sorted((SOURCE / room).rglob("*.py")):
            add(_python(ast.parse(path.read_text(encoding="utf-8"))))
        for path in sorted((SOURCE / room).rglob("*.j2")):
            text = path.read_text(encoding="utf-8")
            add(match.replace('\\"', '"') for match in _MARKED.findall(text))
            for table in _TABLE.findall(text):
                add(iter(re.findall(r': "([^"]+)"', table)))
    for path in sorted(SOURCE.rglob("chart_specs/*.json")):
        add(_titles(json.loads(path.read_text(encoding="utf-8"))))
    for path in sorted(SOURCE.rglob("knowledge.json")):
        add(_glossary(json.loads(path.read_text(encoding="utf-8"))))
    add(_regimes())
    add(_page())
    return list(found)


def compiled(language: str) -> bytes:
    """Return the .mo file of a language, made from its .po file."""
    with (LOCALES / language / "LC_MESSAGES" / "sfumato.po").open("rb") as file:
        catalogue = read_po(file, locale=language)
    out = BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()


def missing(language: str) -> list[str]:
    """Return the messages and forms that a language does not have yet."""
    known, told = known_messages(language)
    return [
        *(text for text in messages() if text not in known),
        *(form for form in forms() if form not in told),
    ]


def known_messages(language: str) -> tuple[set[str], set[str]]:
    """Return what a language has: its messages, and the forms of all its sentences with `{}` where values are."""
    with (LOCALES / language / "LC_MESSAGES" / "sfumato.po").open("rb") as file:
        catalogue = read_po(file, locale=language)
    known, told = set(), set()
    for message in catalogue:
        if message.id and all(_strings(message.string)):
            if not message.context:
                known |= set(_strings(message.id))
            told |= {_PLACE.sub("{}", text) for text in _strings(message.id)}
    return known, told


def _strings(value: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


if __name__ == "__main__":
    for folder in sorted(LOCALES.iterdir()):
        if (folder / "LC_MESSAGES" / "sfumato.po").is_file():
            for text in missing(folder.name):
                sys.stderr.write(f"{folder.name}: not translated: {text!r}\n")
            target = folder / "LC_MESSAGES" / "sfumato.mo"
            target.write_bytes(compiled(folder.name))
            sys.stdout.write(f"written: {target.relative_to(SOURCE)}\n")
