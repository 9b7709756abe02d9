"""A rules file in TOML: patterns, words to find and words to leave alone; every mistake is reported at once.

languages = ["en"]            # built-in rules of these languages; guessed from the texts by default
builtin = true                # false: only the rules of this file

[[rule]]
name = "ward"
label = "ID"
pattern = 'W-(?P<span>\\d{4})'  # the group "span", where there is one, is what is found
score = 0.9
context = ["ward", "bed"]     # near the match they raise its score; optional
check = "luhn"                # optional

[[deny]]
label = "NAME"
words = ["Old Mill"]          # or file = "words.txt", one entry per line

[allow]
words = ["Parkinson"]
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from ....core.errors import PlanError, did_you_mean
from ....core.mistakes import rule_of
from ....core.toml_files import read_toml
from .builtin import LANGUAGES, built_in, guess_languages
from .checks import CHECKS
from .rule import PatternRule, Rule, RuleSet, WordRule

__all__ = ["RulesFile", "read_rules"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _RuleEntry(_Strict):
    name: str = Field(default="", max_length=64)
    label: str = Field(min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f\[\]]+$")
    pattern: str = Field(min_length=1, max_length=2000)
    score: float = Field(default=0.9, gt=0, le=1)
    ignore_case: bool = False
    context: list[str] = Field(default_factory=list)
    check: str | None = None

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            compiled = re.compile(value)
        except re.error as error:
            at = f" at character {error.pos}" if error.pos is not None else ""
            raise ValueError(f"not a regular expression: {error.msg}{at}") from None
        except (OverflowError, RecursionError):
            raise ValueError("not a regular expression: it is too complicated") from None
        if compiled.search("") is not None:
            raise ValueError("it matches the empty text, and so everywhere")
        return value

    @field_validator("check")
    @classmethod
    def _known(cls, value: str | None) -> str | None:
        if value is not None and value not in CHECKS:
            raise ValueError(f"there is no such check; {did_you_mean(value, CHECKS)}")
        return value


class _WordsTable(_Strict):
    words: list[str] = Field(default_factory=list)
    file: str | None = None

    @field_validator("file")
    @classmethod
    def _readable(cls, value: str | None, info: ValidationInfo) -> str | None:
        try:
            if value is not None:
                _read_words(Path(info.context or ".") / value)
        except (OSError, UnicodeDecodeError, ValueError):
            raise ValueError("there is no such file in UTF-8 in the folder of the rules") from None
        return value

    def entries(self, folder: Path) -> frozenset[str]:
        """Return the words given here and in the file."""
        more = _read_words(folder / self.file) if self.file is not None else []
        return frozenset(word for word in (*self.words, *more) if word.strip())


def _read_words(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


class _Deny(_WordsTable):
    label: str = Field(min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f\[\]]+$")
    score: float = Field(default=1.0, gt=0, le=1)


class RulesFile(_Strict):
    """The keys of a rules file outside its tables."""

    languages: list[str] | None = None
    builtin: bool = True


class _Lists(_Strict):
    rule: list[None] = Field(default_factory=list)
    deny: list[None] = Field(default_factory=list)


M = TypeVar("M", bound=BaseModel)


def _entries(content: Mapping[str, object], key: str) -> Iterator[tuple[int, object]]:
    value = content.get(key)
    yield from enumerate(value if isinstance(value, list) else [])


def read_rules(path: str | os.PathLike[str] | None = None, *, texts: Iterable[str] = ()) -> RuleSet:
    """Return the rules of a file together with the built-in ones.

    Parameters
    ----------
    path : path, default None
        The rules file; None for the built-in rules alone.
    texts : iterable of str
        Texts from which the languages are guessed where the file names none.

    """
    if path is None:
        return built_in(guess_languages(texts))
    path = Path(path)
    content = read_toml(path)
    lines = key_lines(path.read_text(encoding="utf-8"))
    mistakes: list[tuple[int, str]] = []

    def part(model: type[M], value: object, *place: int | str) -> M | None:
        # Each entry separately, so that a mistake in one does not hide those in the others.
        try:
            return model.model_validate(value, context=path.parent)
        except ValidationError as error:
            mistakes.extend(
                _error_at((*place, *e["loc"]), e["type"], rule_of(e), lines)
                for e in error.errors(include_url=False)
            )
            return None

    lists = {key: value for key, value in content.items() if key in ("rule", "deny")}
    part(_Lists, {key: [None] if isinstance(v, list) else v for key, v in lists.items()})
    top = part(RulesFile, {k: v for k, v in content.items() if k not in ("rule", "deny", "allow")})
    found: list[Rule] = []
    for number, value in _entries(content, "rule"):
        entry = part(_RuleEntry, value, "rule", number)
        found += [_pattern_rule(entry, number)] if entry is not None else []
    for number, value in _entries(content, "deny"):
        deny = part(_Deny, value, "deny", number)
        if deny is not None:
            words = deny.entries(path.parent)
            found.append(WordRule(f"deny {deny.label}", deny.label, deny.score, words=words))
    allow = part(_WordsTable, content.get("allow", {}), "allow") or _WordsTable()
    file = top or RulesFile()
    for number, name in enumerate(file.languages or []):
        if name not in LANGUAGES:
            line = lines.get(("languages",), 1)
            mistakes.append(
                (line, f"line {line}: languages[{number}]: {did_you_mean(name, LANGUAGES)}")
            )
    if mistakes:
        count = "a mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
        raise PlanError(
            f"The rules file {path.name!r} holds {count}:",
            mistakes=[text for _, text in sorted(mistakes)],
        )
    languages: tuple[str, ...] | None = None
    if file.builtin:
        languages = guess_languages(texts) if file.languages is None else tuple(file.languages)
        found += built_in(languages).rules
    allowed = WordRule("allow", "", 1.0, words=allow.entries(path.parent), strict=True)
    return RuleSet(tuple(found), allowed, languages)


_Path = tuple[int | str, ...]


def _error_at(location: _Path, kind: str, message: str, lines: dict[_Path, int]) -> tuple[int, str]:
    line = next(
        (lines[location[:n]] for n in range(len(location), 0, -1) if location[:n] in lines), 1
    )
    where = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in location).lstrip(".")
    if kind == "extra_forbidden":
        models: dict[str, type[BaseModel]] = {
            "rule": _RuleEntry,
            "deny": _Deny,
            "allow": _WordsTable,
        }
        model = models.get(str(location[0]), RulesFile)
        keys = [*RulesFile.model_fields, "rule", "deny", "allow"]
        known = keys if len(location) == 1 else list(model.model_fields)
        text = f"unknown key; {did_you_mean(str(location[-1]), known)}"
    elif kind == "missing":
        text = "is missing"
    else:
        text = message
    return line, f"line {line}: {where}: {text}"


def _pattern_rule(entry: _RuleEntry, number: int) -> PatternRule:
    compiled = re.compile(entry.pattern, re.IGNORECASE if entry.ignore_case else 0)
    return PatternRule(
        entry.name or f"rule {number + 1}",
        entry.label,
        entry.score,
        pattern=compiled,
        check=CHECKS[entry.check] if entry.check is not None else None,
        context=tuple(entry.context),
        group="span" if "span" in compiled.groupindex else 0,
    )


_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.-]+)\s*\]\]?")
_KEY = re.compile(r"\s*([\w-]+)\s*=")


def key_lines(text: str) -> dict[_Path, int]:
    """Return the line of each table and of each key at the start of a line, by its path.

    >>> key_lines("a = 1\\n[[rule]]\\nlabel = 'X'\\n")
    {('a',): 1, ('rule',): 2, ('rule', 0): 2, ('rule', 0, 'label'): 3}
    """
    found: dict[_Path, int] = {}
    counts: dict[str, int] = {}
    table: _Path = ()
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        if fence:  # inside a text of several lines nothing is a key
            fence = "" if fence in line else fence
            continue
        if header := _HEADER.match(line):
            name = header[2]
            table = tuple(name.split("."))
            if header[1] == "[[":
                counts[name] = counts.get(name, -1) + 1
                found.setdefault((name,), number)
                table = (name, counts[name])
            found[table] = number
        elif key := _KEY.match(line):
            found[(*table, key[1])] = number
        for mark in ('"""', "'''"):
            if line.count(mark) == 1:
                fence = mark
    return found
