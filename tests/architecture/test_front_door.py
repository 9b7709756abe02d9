"""The Python front door: one shape for all engines, full signatures, help for every parameter, true stubs."""

from __future__ import annotations

import doctest
import importlib.util
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

import sfumato as sf
from sfumato._front_door import front_door, operations
from sfumato.core.engine import ENGINES
from sfumato.core.errors import ParameterError
from sfumato.core.request import parameters

ROOT = Path(__file__).resolve().parents[2]
ENGINE_NAMES = ["baskets", "tables", "text"]
FUNCTIONS = [
    *(getattr(sf, name) for name in sf.__all__ if inspect.isfunction(getattr(sf, name))),
    *(getattr(getattr(sf, e), name) for e in ENGINE_NAMES for name in dir(getattr(sf, e))),
]


def told(function):
    return f"{function.__module__}.{function.__qualname__}"


def documented(text):
    """Return (name, type, help) of every parameter that a numpydoc docstring lists."""
    section = re.search(r"Parameters\n-+\n(.*?)(?:\n\n[A-Z]|\Z)", inspect.cleandoc(text), re.DOTALL)
    assert section, text[:80]
    found = re.findall(
        r"^(\*{0,2}\w+)(?: : (.+))?\n((?: {4}.+\n?)+)", section[1] + "\n", re.MULTILINE
    )
    return {name.lstrip("*"): (kind, " ".join(words.split())) for name, kind, words in found}


@pytest.mark.parametrize("function", FUNCTIONS, ids=told)
def test_help_shows_every_parameter_with_a_line(function):
    found = documented(function.__doc__)
    given = inspect.signature(function).parameters
    assert list(found) == list(given)
    for name, (kind, words) in found.items():
        assert words.endswith("."), name
        if given[name].kind is not inspect.Parameter.VAR_KEYWORD:
            assert kind, name
        if isinstance(given[name].default, bool | int | float | str):
            assert f"default={given[name].default!r}" in kind, name
    assert "\nReturns\n" in inspect.cleandoc(function.__doc__)


def methods():
    """Return what the public classes can be asked with an argument, and the classes that are made by their parameters."""
    for cls in (getattr(sf, name) for name in sf.__all__ if inspect.isclass(getattr(sf, name))):
        if not issubclass(cls, BaseModel):  # those are read from files
            yield cls
        for owner in (c for c in cls.__mro__ if c.__module__.startswith("sfumato.")):
            for name, found in tuple(vars(owner).items()):
                function = getattr(found, "__func__", found)
                if inspect.isfunction(function) and not name.startswith("_"):
                    yield function


@pytest.mark.parametrize("function", dict.fromkeys(methods()), ids=told)
def test_help_of_public_classes_shows_every_parameter(function):
    given = [name for name in inspect.signature(function).parameters if name not in {"self", "cls"}]
    assert function.__doc__
    found = documented(function.__doc__) if given else {}
    assert list(found) == given
    assert all(words.endswith(".") for _, words in found.values())


def test_dir_shows_the_public_names_and_nothing_else():
    assert dir(sf) == sorted({*sf.__all__, *ENGINES})
    for name in ENGINE_NAMES:
        door = getattr(sf, name)
        verbs = {verb.name for verb in ENGINES[name].verbs()}
        attack = {"attack"} if ENGINES[name].AttackRequest is not None else set()
        assert set(dir(door)) == {"explore", "publish", "load"} | attack | verbs
        assert all(inspect.isfunction(getattr(door, shown)) for shown in dir(door))
        assert door.explore.__module__ == f"sfumato.{name}"


@pytest.mark.parametrize("name", ENGINE_NAMES)
def test_functions_take_what_the_requests_declare(name):
    engine, door = ENGINES[name], getattr(sf, name)
    given = inspect.signature(door.explore).parameters
    assert list(given)[-1] == "progress"
    declared = parameters(engine.Request)
    assert set(given) == {*declared, "progress"}
    for known, about in declared.items():
        positional = given[known].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        assert positional == (about.role == "data")
        assert given[known].default == (
            inspect.Parameter.empty if about.required else about.default
        )
    publish = list(inspect.signature(door.publish).parameters)
    assert publish[:3] == ["exploration", "data", "choose"]
    assert publish[-3:] == ["out", "force", "progress"]
    chosen = set(parameters(engine.Choice)) - {"id"}
    own = {n for n, p in parameters(engine.PublishRequest).items() if p.role != "data"}
    assert set(publish) == chosen | own | {
        "exploration",
        "data",
        "choose",
        "out",
        "force",
        "progress",
    }


def test_progress_is_none_everywhere():
    for function in FUNCTIONS:
        given = inspect.signature(function).parameters.get("progress")
        assert given is None or given.default is None, told(function)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: sf.tables.explore("t.csv", schemma="s.toml"),
         "tables.explore has no parameter 'schemma'. Hint: did you mean 'schema'?"),
        (lambda: sf.text.publish("folder", [], formats=3),
         "text.publish has no parameter 'formats'. Hint: did you mean 'format'"),
        (lambda: sf.text.explore("notes.jsonl", "NAME"),
         "text.explore takes corpus by position, and everything else by name."),
        (lambda: sf.text.explore("notes.jsonl", corpus="notes.jsonl"), "text.explore got 'corpus' twice."),
        (lambda: sf.text.explore("notes.jsonl"), "text.explore needs 'labels'. Hint: Labels that are"),
        (lambda: sf.text.convert("notes.jsonl", to="csv"), "text.convert needs 'out'."),
        (lambda: sf.baskets.publish(sf, "matrix.npz"), "baskets.publish takes a BasketsExploration, or"),
        (lambda: sf.tables.explore("t.csv", schema="s.toml", risk="prosecutr"),
         "'risk' of tables.explore: there is no 'prosecutr'."),
        (sf.report, "report needs a folder."),
    ],
)  # fmt: skip
def test_a_wrong_call_is_one_sentence(call, sentence):
    with pytest.raises(ParameterError) as caught:
        call()
    assert str(caught.value).startswith(sentence)


def test_former_names_are_accepted():
    assert sf.tables.load_exploration is sf.tables.load
    with pytest.warns(DeprecationWarning, match="sfumato.engines.baskets.GreedyHamDist"):
        selector = sf.baskets.GreedyHamDist
    from sfumato.engines.baskets import GreedyHamDist

    assert selector is GreedyHamDist
    with pytest.raises(AttributeError, match=r"module 'sfumato\.text' has no attribute 'train'"):
        _ = sf.text.train
    with pytest.raises(AttributeError, match="module 'sfumato' has no attribute 'pictures'"):
        _ = sf.pictures
    with pytest.warns(FutureWarning, match="takes labels by name"):
        found = sf.baskets.explore([[1, 0], [1, 1]] * 20, [0, 1] * 20, k=2, publish_as="columns")
    assert found.candidates


def test_functions_import_by_name_and_pickle_by_reference():
    from sfumato.tables import explore

    assert explore is sf.tables.explore
    assert getattr(sys.modules[explore.__module__], explore.__qualname__) is explore


def test_a_front_door_is_made_from_the_entry_point_alone():
    """What `sf.geo` is for an engine of another package; tests/plugins installs one."""
    door = front_door("tables")
    assert dir(door) == dir(sf.tables)
    assert door.explore.__doc__ == sf.tables.explore.__doc__
    assert str(inspect.signature(door.explore)) == str(inspect.signature(sf.tables.explore))


@pytest.mark.parametrize(
    "operation",
    [o for name in ENGINE_NAMES for o in operations(ENGINES[name]) if o.example],
    ids=lambda o: o.owner,
)
def test_examples_run_as_printed(operation):
    text = operation.function().__doc__
    test = doctest.DocTestParser().get_doctest(text, {}, operation.owner, None, 0)
    assert test.examples
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def stubs():
    found = importlib.util.spec_from_file_location("stubs", ROOT / "tools" / "stubs.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module.stubs()


def test_stubs_are_what_the_requests_say():
    assert (ROOT / "src/sfumato/py.typed").is_file()
    written = stubs()
    assert {path.name for path in written} == {f"{name}.pyi" for name in ENGINE_NAMES}
    for path, text in written.items():
        assert path.read_text(encoding="utf-8") == text, (
            f"{path.name} is not up to date: run `make stubs`"
        )


SCRIPT = """
import sfumato as sf
from sfumato.data.samples import clinic_notes

found = sf.tables.explore(
    "register.csv", schema={"attribute": [{"name": "age", "role": "quasi"}]}, budget=500,
    risk="prosecutor", min_k=5, progress=True,
)
release = sf.tables.publish(found, "register.csv", choose="max-risk:0.01", out="published")
print(release.counts, found.policy(found.knee()).hex)
found.plot(log=True).save("frontier.png")
frame = sf.tables.publish("explored", "register.csv", choose=found.knee())
print(len(frame))

texts = sf.text.explore(clinic_notes(10), labels="NAME", ratios=[1, 10], attackers=["crf"])
print(texts.spans("Ann called.", ratio=10), sf.text.load("explored").candidates[0].ratio)
print(sf.text.attack("explored", "published", labels="notes.jsonl").candidate)
print(sf.baskets.explore([[0, 1], [1, 1]], k=2, selector="hamdist").knee().features)
print(sf.baskets.audit("log.csv", log="item=article,person=customer")["ac"])
print(sf.report("explored", "published", pdf=True).html, sf.run("plan.toml", out="release").withheld)
reveal_type(found)
reveal_type(release)
"""

WRONG = {
    'sf.text.explore("notes.jsonl", labels="NAME", mode="honst")': '"mode"',
    'sf.tables.explore("t.csv", schema="s.toml", risk=5)': '"risk"',
    'sf.tables.explore("t.csv", schema="s.toml", evaluation=5)': '"evaluation"',
    'sf.tables.explore("t.csv", "s.toml")': "positional",
    'sf.text.explore("notes.jsonl")': '"labels"',
    'sf.text.explore("notes.jsonl", labels="NAME", learner="crff")': '"learner"',
    'sf.baskets.explore("log.csv", k="5")': '"k"',
    'sf.text.publish("explored", "notes.jsonl", ratio="ten")': "publish",
    "sf.text.train()": '"train"',
}


def test_a_type_checker_accepts_right_use_and_refuses_wrong_use(tmp_path):
    (tmp_path / "right.py").write_text(SCRIPT)
    (tmp_path / "wrong.py").write_text("\n".join(["import sfumato as sf", *WRONG]) + "\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml"),
         "--cache-dir", str(ROOT / ".mypy_cache"), str(tmp_path / "right.py"), str(tmp_path / "wrong.py")],
        cwd=ROOT, env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert [line for line in errors if "wrong.py" not in line] == [], done.stdout
    for line, (call, words) in enumerate(WRONG.items(), 2):
        mine = [e for e in errors if f"wrong.py:{line}:" in e]
        assert mine, f"accepted: {call}"
        assert any(words in e for e in mine), mine
    assert "TablesExploration" in done.stdout
    assert "TablesRelease" in done.stdout
