"""Registries find what other packages register, and refuse what is not what it says."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable
from importlib import metadata
from typing import Protocol

import pytest

from sfumato.core import entry_points as scanned
from sfumato.core.entry_points import entry_points
from sfumato.core.errors import ParameterError
from sfumato.core.registry import Registry


class Shape:
    """What the registry below holds."""


class Drawn(Protocol):
    corners: int

    def draw(self): ...


CODE = """
from sfumato.core.errors import InputError as Wrong
def circle(): return 1
class Round:
    corners = 0
    def draw(self): ...
    class Inner: corners = 1
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a function that writes a package with entry points into a folder on the path."""
    made = iter(range(100))

    def install(points, name="Round-Shapes", version="1.2", group="sfumato.shapes", place=None):
        folder = tmp_path / f"place{next(made)}" if place is None else place
        info = folder / f"{name}-{version}.dist-info"
        info.mkdir(parents=True)
        lines = "".join(f"{n} = {v}\n" for n, v in points.items())
        (info / "entry_points.txt").write_text(f"[console_scripts]\nx = y:z\n\n[{group}]\n{lines}")
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (folder / "round_shapes.py").write_text(CODE)
        monkeypatch.syspath_prepend(folder)
        monkeypatch.delitem(sys.modules, "round_shapes", raising=False)
        return folder

    return install


def shapes(**more):
    return Registry("shape", {"square": 4}, group="sfumato.shapes", **more)


def test_a_name_of_another_package_is_listed_and_loaded_when_asked_for(package):
    package({"round": "round_shapes:Round", "broken": "no_such_module:x", "inner": "round_shapes:Round.Inner"})  # fmt: skip
    found = shapes()
    assert list(found) == ["square", "broken", "inner", "round"]
    assert "round_shapes" not in sys.modules
    assert found["round"].__name__ == "Round"
    assert found.get_or_raise("inner").corners == 1
    assert len(found) == 4
    assert "round" in found
    assert "oval" not in found
    with pytest.raises(ParameterError, match="There is no shape 'oval'"):
        found.get_or_raise("oval")
    with pytest.raises(KeyError):
        found["oval"]


def test_another_package_never_replaces_an_entry_of_ours(package):
    package({"square": "round_shapes:Round"})
    found = shapes()
    assert found["square"] == 4
    assert list(found) == ["square"]
    assert len(found) == 1


def test_a_package_that_cannot_be_imported_is_named(package):
    package({"broken": "no_such_module:x"})
    with pytest.raises(ParameterError) as told:
        shapes()["broken"]
    assert str(told.value) == (
        "The entry point 'broken' of sfumato.shapes (package Round-Shapes 1.2) cannot be imported "
        "(ModuleNotFoundError). Hint: update or uninstall the package."
    )


@pytest.mark.parametrize(
    ("of", "classes", "told"),
    [
        (Shape, False, "is not a Shape."),
        (Shape, True, "is not a subclass of Shape."),
        ("tests_of_registry:Drawn", False, ""),
    ],
)
def test_an_entry_of_another_type_is_refused(package, monkeypatch, of, classes, told):
    monkeypatch.setitem(sys.modules, "tests_of_registry", sys.modules[__name__])
    package({"round": "round_shapes:Round"})
    found = shapes(of=of, classes=classes)
    if not told:
        assert found["round"].corners == 0
        return
    with pytest.raises(ParameterError) as error:
        found["round"]
    where = "The entry point 'round' of sfumato.shapes (package Round-Shapes 1.2)"
    assert str(error.value) == f"{where} {told}"


def test_what_lacks_a_member_of_a_protocol_or_cannot_be_called_is_refused(package):
    package({"circle": "round_shapes:circle", "inner": "round_shapes:Round.Inner"})
    assert shapes(of="collections.abc:Callable")["circle"]() == 1
    with pytest.raises(ParameterError, match=r"has no draw\.$"):
        shapes(of=Drawn)["inner"]
    with pytest.raises(ParameterError, match=r"The shape 'square' is not a Callable\."):
        shapes(of=Callable)["square"]


def test_what_was_registered_may_be_adapted(package):
    package({"round": "round_shapes:Round"})
    found = shapes(adapt=lambda entry: entry() if isinstance(entry, type) else entry)
    assert found["round"].corners == 0
    assert found["square"] == 4


def test_two_packages_with_one_name_are_refused(package):
    package({"round": "round_shapes:Round"})
    package({"round": "round_shapes:Round"}, name="Other")
    with pytest.raises(ParameterError, match=r"registered by Other 1\.2 and Round-Shapes 1\.2\."):
        shapes()["round"]


def test_of_a_package_that_is_there_twice_the_first_counts(package):
    package({"round": "round_shapes:circle"}, version="1.0")
    package({"round": "round_shapes:Round"}, version="2.0", name="round_shapes")
    assert shapes()["round"].__name__ == "Round"


def test_the_quick_scan_finds_what_the_standard_library_finds(package):
    package({"round": "round_shapes:Round", "inner": "round_shapes:Round.Inner"})
    for group in ("sfumato.shapes", "sfumato.engines"):
        slow = {(p.name, p.value) for p in metadata.entry_points(group=group)}
        assert {(p.name, p.value) for ps in entry_points(group).values() for p in ps} == slow


def test_an_archive_on_the_path_is_read(package, tmp_path, monkeypatch):
    folder = package({"round": "round_shapes:Round"})
    archive = tmp_path / "shapes.zip"
    with zipfile.ZipFile(archive, "w") as stream:
        for file in folder.rglob("*"):
            stream.write(file, file.relative_to(folder))
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p != str(folder)])
    assert "round" not in shapes()
    monkeypatch.syspath_prepend(archive)
    assert shapes()["round"].__name__ == "Round"


def test_the_path_is_scanned_once_for_all_groups(package, monkeypatch):
    package({"round": "round_shapes:Round"})
    scanned._scan.cache_clear()
    list(shapes())
    list(Registry("engine", group="sfumato.engines"))
    assert scanned._scan.cache_info().misses == 1


def test_an_entry_may_be_registered_and_taken_back():
    found = shapes()
    found.register("round", "math:pi")
    assert found["round"] > 3
    with pytest.raises(ParameterError, match="already a shape 'round'"):
        found.register("round", 3)
    found.unregister("round")
    assert "round" not in found
