"""TOML files checked against a pydantic model, with every mistake reported together, each with the path of its key."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from .errors import FormatError, InputError, PlanError, did_you_mean
from .files import check_plain_file
from .mistakes import is_of_another_kind, rule_of

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

    M = TypeVar("M", bound=BaseModel)

__all__ = ["mistakes_in", "read_toml", "validate"]

_MOST_BYTES = 16 << 20
_MOST_PARTS = 64
_A_TABLE = "input should be a table"
_MOST_MISTAKES = 20  # shown
_BRANCHES = frozenset({"str", "int", "float"})


def read_toml(path: str | os.PathLike[str]) -> dict[str, object]:
    """Read a TOML file, or say in one sentence why it cannot be read."""
    import tomllib

    path = Path(path)
    check_plain_file(path)
    if path.is_dir():
        raise InputError(
            f"{path.resolve().name!r} is a folder, not a file.", hint="name the TOML file itself."
        )
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise FormatError(
                f"The file {path.name!r} is larger than {_MOST_BYTES >> 20} MB.",
                hint="put long lists of values into separate files.",
            )
        text = path.read_text(encoding="utf-8")
        _check_keys(text, path)
        return tomllib.loads(text)
    except FileNotFoundError as error:
        raise InputError(f"There is no file {path.name!r}.", hint="check the path.") from error
    except (OSError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"The file {path.name!r} is not readable as UTF-8 text.") from error
    except tomllib.TOMLDecodeError as error:
        raise FormatError(
            f"The file {path.name!r} is not valid TOML: {error}.", hint=_way_on(text, path)
        ) from error
    except ValueError as error:  # more digits than Python reads
        raise FormatError(f"The file {path.name!r} holds a number that is too long.") from error


def _way_on(text: str, path: Path) -> str | None:
    """Return a hint for a file that was not written as TOML, or whose tables of a list have one bracket."""
    if text.lstrip().startswith(("{", "[{")):
        return 'it looks like JSON: write key = "value" lines and [table] headings instead.'
    headings = re.findall(r"^\[(\w+)\]", text, flags=re.MULTILINE)
    if len(set(headings)) < len(headings):
        return "a heading that occurs several times has two brackets: [[attribute]]."
    if path.suffix.lower() != ".toml":
        return "plans, schemas and rules are TOML files: was another file meant?"
    return None


def _check_keys(text: str, path: Path) -> None:
    """Refuse keys of very many parts: reading them takes a time that grows with their square."""
    for line, content in enumerate(text.split("\n"), 1):
        if content.count(".") > _MOST_PARTS:
            keys = [re.split("[{,]", before)[-1] for before in content.split("=")[:-1]]
            if content.lstrip().startswith("["):
                keys.append(content)
            if any(key.count(".") > _MOST_PARTS for key in keys):
                raise FormatError(f"Line {line} of {path.name!r} has a key of too many parts.")


def validate(model: type[M], content: Mapping[str, object], *, source: str) -> M:
    """Check a dict against a model; raise one `PlanError` that lists all mistakes."""
    from pydantic import ValidationError

    try:
        return model.model_validate(content)
    except ValidationError as error:
        mistakes = mistakes_in(error, model=model)
        count = "a mistake" if len(mistakes) == 1 else f"{len(mistakes):,} mistakes"
        if len(mistakes) > _MOST_MISTAKES:
            left = len(mistakes) - _MOST_MISTAKES
            mistakes[_MOST_MISTAKES:] = [f"and {left:,} more"]
        raise PlanError(f"The file {source!r} holds {count}:", mistakes=mistakes) from None


def mistakes_in(
    error: ValidationError,
    *,
    model: type[BaseModel] | None = None,
    known: Sequence[str] = (),
    under: str = "",
) -> list[str]:
    """Return one sentence per mistake, each with the path of its key and without its value.

    Parameters
    ----------
    error : ValidationError
        What pydantic found.
    model : type of BaseModel, optional
        The model, to suggest keys for an unknown one.
    known : sequence of str
        The keys to suggest where there is no model.
    under : str
        The path that all keys are under.

    """
    mistakes = []
    errors = error.errors(include_url=False)
    tables = {_key_path(e["loc"]) for e in errors if rule_of(e) == _A_TABLE}
    for e in _closest(errors):
        path = ".".join(part for part in (under, _key_path(e["loc"])) if part)
        where = path or "(top)"
        if e["type"] == "extra_forbidden":
            names = _known_keys(model, e["loc"][:-1]) if model is not None else known
            hint = f"; {did_you_mean(str(e['loc'][-1]), names)}" if names else ""
            mistakes.append(f"{where}: unknown key{hint}")
        else:
            message = rule_of(e)
            if (
                e["type"] == "literal_error"
                and is_of_another_kind(e)
                and _key_path(e["loc"]) in tables
            ):
                message = message.replace("input should be ", f"{_A_TABLE}, ", 1)
            head, _, rest = message.partition(": ")
            if not e["loc"] and rest and head in known:
                where, message = f"{where}.{head}", rest
            mistakes.append(f"{where}: {message}")
    return mistakes


def _closest(errors: Sequence[ErrorDetails]) -> list[ErrorDetails]:
    """Return the errors without those of the branches of a union that the value was not meant for.

    A value that may be text or a table is tried as both: what it lacks as a table matters if it is one, and if it
    is neither, the last branch says enough.
    """
    paths = [_key_path(e["loc"]) for e in errors]
    above = {path[: mark.start()] for path in paths for mark in re.finditer(r"[.\[]", path)}
    last = {path: i for i, path in enumerate(paths)}
    of_its_kind = {p for e, p in zip(errors, paths, strict=True) if not is_of_another_kind(e)}
    return [
        error
        for i, (error, path) in enumerate(zip(errors, paths, strict=True))
        if not is_of_another_kind(error)
        or not (path in above or path in of_its_kind or last[path] > i)
    ]


def _key_path(location: tuple[int | str, ...]) -> str:
    path = ""
    for part in location:
        if isinstance(part, str) and ("[" in part or part in _BRANCHES):
            continue  # pydantic's name of one branch of a union
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path


def _known_keys(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """Return the keys of the models that a place can hold."""
    models = [model]
    for part in location:
        if isinstance(part, int) or "[" in part:
            continue  # an item of a list, or pydantic's name of one branch of a union
        fields = [m.model_fields[part] for m in models if part in m.model_fields]
        models = [inner for field in fields for inner in _models_in(field.annotation)]
    return [f.alias or name for m in models for name, f in m.model_fields.items()]


def _models_in(annotation: object) -> list[type[BaseModel]]:
    """Return the models of a type, of the branches of a union, and of the items of a list."""
    from typing import get_args

    from pydantic import BaseModel as Base

    if isinstance(annotation, type) and issubclass(annotation, Base):
        return [annotation]
    return [found for inner in get_args(annotation) for found in _models_in(inner)]
