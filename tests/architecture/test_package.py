"""What a stranger gets: a wheel and an sdist that work in an environment of their own, a citation, a container, a first picture."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from sfumato._version import __date__, __version__

ROOT = Path(__file__).resolve().parents[2]


def build(source, out, *targets):
    """Build with the backend of this environment: nothing is fetched."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(out)]
    for target in targets:
        command += ["-t", target]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return sorted(Path(out).iterdir())


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    pytest.importorskip("hatchling")
    out = tmp_path_factory.mktemp("dist")
    build(ROOT, out, "wheel", "sdist")
    return {path.suffix: path for path in out.iterdir()}


def test_the_wheel_works_in_an_environment_of_its_own(built, tmp_path):
    """The environment has this one's dependencies, and of sfumato nothing but the wheel."""
    place = tmp_path / "environment"
    venv.create(place, with_pip=False, symlinks=True)
    python = place / "bin" / "python"
    inside = Path(
        subprocess.run(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            capture_output=True, text=True, check=True,
        ).stdout.strip()
    )  # fmt: skip
    with zipfile.ZipFile(built[".whl"]) as wheel:
        wheel.extractall(inside)
    dependencies = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (inside / "dependencies.pth").write_text("\n".join(sorted(dependencies)), encoding="utf-8")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}

    def run(*words):
        command = [python, "-m", "sfumato", *words]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert run("--version").strip() == f"sfumato {__version__}"
    run("samples", "samples", "--quiet")
    assert (tmp_path / "samples" / "register.csv").is_file()
    code = """
import sfumato
from sfumato.core.regimes import REGIMES
from sfumato.presentation.language import say, speaking
from sfumato.reports.html import script_sources
with speaking("de"):
    print(sfumato.__file__, len(REGIMES), say("Signature"), len(script_sources()) > 0)
"""
    said = subprocess.run(
        [python, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert said[0].startswith(str(place))
    assert said[1:] == ["14", "Unterschrift", "True"]


def test_the_sdist_gives_the_same_wheel(built, tmp_path):
    with tarfile.open(built[".gz"]) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    (again,) = build(source, tmp_path / "again", "wheel")
    names = [set(zipfile.ZipFile(path).namelist()) for path in (built[".whl"], again)]
    assert names[0] == names[1]
    tracked = subprocess.run(
        ["git", "ls-files", "src/sfumato"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.splitlines()
    shipped = {f"src/{name}" for name in names[0] if name.startswith("sfumato/")}
    assert not [name for name in tracked if name not in shipped]


def test_versions_and_dates_agree():
    day = "-".join(f"{part:02}" for part in __date__)
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in citation
    assert f"\ndate-released: {day}\n" in citation
    assert f"\n## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"license: {about['license']}" in citation
    for keyword in about["keywords"]:
        assert f"  - {keyword}\n" in citation


def test_the_container_file_is_sound():
    """No builder is asked for: the rules are those of hadolint that apply."""
    text = (ROOT / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    words = [line.split(maxsplit=1) for line in lines]
    (image,) = [rest for word, rest in words if word == "FROM"]
    assert re.fullmatch(r"[a-z/.]+:[\w.-]+", image)
    assert not image.endswith(":latest")
    assert not [word for word, _ in words if word in {"ADD", "MAINTAINER"}]
    for word, rest in words:
        if word == "COPY":
            for source in rest.split()[:-1]:
                assert (ROOT / source).exists(), source
        if word == "RUN":
            assert "sudo" not in rest
            assert "pip install --no-cache-dir" in rest
            assert "-c constraints.txt" in rest
    users = [rest for word, rest in words if word == "USER"]
    assert users
    assert users[-1] not in {"root", "0"}
    (command,) = [json.loads(rest) for word, rest in words if word == "CMD"]
    (entry,) = [json.loads(rest) for word, rest in words if word == "ENTRYPOINT"]
    assert [*entry, *command][:2] == ["sfumato", "demo"]
    extras = re.search(r'"\.\[([\w,]+)\]"', text)[1].split(",")
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(extras) <= set(about["optional-dependencies"])
    ignored = (ROOT / ".containerignore").read_text(encoding="utf-8").split()
    assert not {"src", "pyproject.toml", "constraints.txt", "README.md", "LICENSE"} & set(ignored)


def test_the_first_picture_and_the_readme_say_the_same_numbers():
    figures = json.loads((ROOT / "docs/pictures/raw-to-released.json").read_text(encoding="utf-8"))
    svg = (ROOT / "docs/pictures/raw-to-released.svg").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    alt = re.search(r"!\[(.*?)\]\(docs/pictures/raw-to-released\.svg\)", readme)[1]
    for value in figures.values():
        written = f"{value:,}" if isinstance(value, int) else f"{value:g}"
        assert written in svg
        assert written in alt
    assert figures["matched"] < figures["matched_before"]
    assert figures["left_low"] < figures["left_percent"] < figures["left_high"]
