"""Plain words and small pieces: what a newcomer would stumble over does not come back.

Lists of what is still allowed only become shorter.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "sfumato"


@cache
def trees() -> dict[str, ast.Module]:
    """Return what every file says, read when a test first asks: each worker imports this file, one runs it."""
    return {
        str(path.relative_to(SOURCE)): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
    }


# --- names ---------------------------------------------------------------------------------------

ADJECTIVES = {
    "_is_numbered", "engine_named", "find_misplaced", "find_removed", "is_listed", "is_measured", "is_pinned",
    "mark_dominated", "merge_redacted", "non_dominated", "warn_if_composed",
}  # fmt: skip
"""Functions whose last word is an adjective of what they are about, not what they do."""
NO_PARTICIPLES = ("seed", "need", "speed", "feed", "bed")


def participles() -> Iterator[tuple[str, str]]:
    for name, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                last = node.name.strip("_").split("_")[-1]
                if last.endswith("ed") and last not in NO_PARTICIPLES:
                    yield name, node.name


def test_functions_are_named_by_verbs():
    found = [(file, name) for file, name in participles() if name not in ADJECTIVES]
    assert found == [], "a function that does something takes the verb: suppress, not suppressed"


def test_the_adjectives_are_used():
    assert {name for _, name in participles()} >= ADJECTIVES


def test_no_two_classes_share_a_name():
    homes = defaultdict(list)
    for name, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(name)
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


# --- sentences -----------------------------------------------------------------------------------

STILTED = (
    r"told by|(is|are|was|were) (told|heard|spoken)|spoken for|speaks? for|given out|give out|in the place of|of one's own|"
    r"whoever|stands? (for|in|beside|at|before|after|there|next)|stood|lies (in|beside|at|under|between)|beside|so many|"
    r"all the same|leaves? the house|stays? in the house|hangs? on|from which on"
)
"""Phrases of a translation: something is reported, published, used, or next to something else."""
FORBIDDEN = re.compile(
    rf"\b({STILTED}|by itself|of its own|of their own|voices?|lessons?|teachers?)\b", re.IGNORECASE
)
IN_PAGES = re.compile(rf"\b({STILTED})\b", re.IGNORECASE)
IN_REPORTS = ("engines/text/story", "presentation")
"""Where sentences are written that a report prints: their bytes are compared, and change on purpose only."""
KEPT = {"In so far as we can tell the wound is clean."}


def docstrings(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            name = getattr(node, "name", "")
            if not name.startswith("_") or name.startswith("__"):
                lines = (ast.get_docstring(node) or "").split("\n")
                yield " ".join(
                    line for line in lines if not line.strip().startswith((">>>", "..."))
                )


def messages(tree: ast.Module) -> Iterator[str]:
    """Yield the texts of errors, hints and help texts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            named = getattr(node.func, "id", getattr(node.func, "attr", ""))
            given = [k.value for k in node.keywords if k.arg in ("hint", "help")]
            if named.endswith(("Error", "Warning", "warn", "Option", "Argument")):
                given += node.args
            for value in given:
                for part in ast.walk(value):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield part.value


@pytest.mark.parametrize("kind", [docstrings, messages])
def test_sentences_are_plain(kind):
    wrong = []
    for name, tree in trees().items():
        if name.startswith(IN_REPORTS):
            continue
        for text in kind(tree):
            found = FORBIDDEN.search(text)
            if found and text not in KEPT:
                wrong.append(f"{name}: {text[max(0, found.start() - 40) : found.end() + 40]!r}")
    assert wrong == []


# The sentences of regimes.md are those of reports: their catalogues translate them.
PAGES = sorted(
    [
        *(ROOT / f"{name}.md" for name in ("README", "CHANGELOG", "CONTRIBUTING", "SECURITY")),
        *(p for p in (ROOT / "docs").rglob("*.md") if {"_build", "regimes.md"}.isdisjoint(p.parts)),
        *(ROOT / "src").rglob("PAPER*.md"),
    ]
)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_pages_are_plain(page):
    """Code, addresses of links and quotations are left out."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"```.*?```|`[^`\n]*`|\]\([^)]*\)|\"[^\"\n]*\"", " ", text, flags=re.DOTALL)
    text = text.replace("explanation/beside-others", " ")  # the name of a page
    wrong = [text[max(0, m.start() - 40) : m.end() + 40] for m in IN_PAGES.finditer(text)]
    assert wrong == []


def test_docstrings_neither_give_nor_say_nor_tell():
    """A function returns, writes, prints or sends; a class predicts, reads or holds."""
    wrong = [
        f"{name}:{getattr(node, 'name', '')}"
        for name, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module)
        and re.match(r"(Give|Say|Tell)s?\b", ast.get_docstring(node) or "")
    ]
    assert not wrong


def test_what_returns_an_answer_says_so():
    """`Return whether …`, as in every other docstring; a property may be a sentence without a verb."""
    wrong = [
        f"{name}:{node.name}"
        for name, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and not any("property" in ast.unparse(d) for d in node.decorator_list)
        and (ast.get_docstring(node) or "").startswith("Whether ")
    ]
    assert not wrong


# --- sizes ---------------------------------------------------------------------------------------

MANY_PARAMETERS = {
    "cli/report.py:report",  # each is an option
    "cli/run.py:run",
    "core/parameter.py:parameter",  # each is a property of a parameter
    "data/formats/pdf/second_reader.py:render_string_horizontal",  # overrides a method of pdfminer.six
    "engines/baskets/selectors/maximal.py:__init__",
    "engines/text/attack/attacker.py:attack",
    "engines/text/learners/encoder/steps.py:train_step",
    "engines/text/sanitize/greedy.py:__init__",
    "reports/report.py:report",  # each is an option
}
MOST_ANY = 59
"""How often `Any` is an annotation."""


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    for name, tree in trees().items():
        if "kernels" not in name:
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef):
                    yield f"{name}:{node.name}", node


def parameters_of(node: ast.FunctionDef) -> int:
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return len(given) - (bool(given) and given[0].arg in ("self", "cls"))


def test_a_file_fits_in_the_head():
    found = {
        name
        for name in trees()
        if "kernels" not in name and (SOURCE / name).read_text(encoding="utf-8").count("\n") > 400
    }
    assert found == set()


def test_a_function_does_one_thing():
    found = {name for name, node in functions() if node.end_lineno - node.lineno + 1 > 80}
    assert found == set()


def test_a_function_takes_few_parameters():
    found = {name for name, node in functions() if parameters_of(node) > 8}
    assert found == MANY_PARAMETERS, "an entry that no function needs goes"
    assert len(found) <= 10


def test_types_say_something():
    found = sum(
        isinstance(node, ast.Name) and node.id == "Any"
        for tree in trees().values()
        for node in ast.walk(tree)
    )
    assert found <= MOST_ANY
