"""L11: every dependency has bounds that were tested, and `make` installs the versions that were tested."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
NEEDED = [
    *PROJECT["project"]["dependencies"],
    *PROJECT["project"]["optional-dependencies"]["encoder"],
    *PROJECT["project"]["optional-dependencies"]["onnx"],
    *PROJECT["project"]["optional-dependencies"]["spark"],
]


def pinned(name):
    lines = (ROOT / name).read_text().splitlines()
    found = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(package): Version(version) for package, version in found}


@pytest.mark.parametrize("needed", [*NEEDED, *PROJECT["build-system"]["requires"]])
def test_l11_dependencies_have_lower_and_upper_bounds(needed):
    operators = {each.operator for each in Requirement(needed).specifier}
    assert operators >= {">=", "<"}


@pytest.mark.parametrize("needed", NEEDED)
def test_l11_the_tested_versions_lie_within_the_bounds(needed):
    requirement = Requirement(needed)
    newest = pinned("constraints.txt")[canonicalize_name(requirement.name)]
    assert requirement.specifier.contains(newest)


@pytest.mark.parametrize("needed", PROJECT["project"]["dependencies"])
def test_l11_the_lowest_versions_are_the_lower_bounds(needed):
    requirement = Requirement(needed)
    (least,) = (Version(s.version) for s in requirement.specifier if s.operator == ">=")
    assert pinned("constraints-lowest.txt")[canonicalize_name(requirement.name)] == least


def test_l11_make_installs_what_was_tested():
    installs = [
        line for line in (ROOT / "Makefile").read_text().splitlines()
        if "$(BIN)/python -m pip install" in line
    ]  # fmt: skip
    assert installs
    assert all("-c constraints.txt" in line for line in installs)
