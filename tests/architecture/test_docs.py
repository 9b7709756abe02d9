"""Every command block of the README and of the docs is run, page by page, in a fresh folder."""

import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.chromium import CHROMIUM, Browser, until
from tests.conftest import sfumato

ROOT = Path(__file__).resolve().parents[2]
FULL = os.environ.get("SFUMATO_DOCS") == "full"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
TARGETS = set(
    re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
)


def commands_of(page):
    text = page.read_text(encoding="utf-8")
    lines = "\n".join(BLOCK.findall(text)).replace("\\\n", " ").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """Run a line as a reader of the docs would, with this installation's `sfumato` on the path."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    script = bin_folder / "sfumato"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sfumato "$@"\n')
    script.chmod(0o755)
    (bin_folder / "python").symlink_to(sys.executable)
    work = tmp_path / "work"
    work.mkdir()
    path = f"{bin_folder}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "src")}
    monkeypatch.chdir(work)

    def run(line):
        done = subprocess.run(
            line, shell=True, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr

    return run


def run_here(line, short_samples):
    """Run a command in this process; the samples that it would write are copied."""
    words = shlex.split(line)
    if words[1:] == ["samples", "samples"]:
        shutil.copytree(short_samples, "samples")
    else:
        assert "Traceback" not in sfumato(*words[1:])


@pytest.mark.parametrize(
    "page",
    [p for p in PAGES if p.is_file() and commands_of(p)],
    ids=lambda p: p.relative_to(ROOT).as_posix(),
)
def test_commands_run(page, shell, request):
    """Every line ends with status 0 and without a traceback.

    Commands of sfumato run in this process on small samples; with SFUMATO_DOCS=full (`make docs`) on the
    samples that they write, each in a process of its own.
    """
    for line in commands_of(page):
        made = re.fullmatch(r"make ([a-z]+)", line)
        if made:  # the targets install a virtual environment of their own; CI runs them
            assert made.group(1) in TARGETS, line
        elif FULL or not is_plain_call(line):
            shell(line)
        else:
            run_here(line, request.getfixturevalue("short_samples"))


def is_plain_call(line):
    """Whether a line is one call of sfumato, with nothing that only a shell understands."""
    return line.startswith("sfumato ") and not set(line) & set("|&;<>$`*")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder of the built site, and what building it said."""
    place = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-E"]
    command += [str(ROOT / "docs"), str(place / "html"), "-d", str(place / "trees")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return place / "html", done


def test_docs_build_without_warnings(site):
    folder, done = site
    assert done.returncode == 0, done.stderr[-3000:]
    assert (folder / "index.html").is_file()


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: `apt-get install chromium` adds these checks")  # fmt: skip
def test_the_site_fits_a_phone_and_its_search_works_offline(site, tmp_path):
    folder, _ = site
    browser = Browser(tmp_path / "profile")
    try:
        for name in ("index", "tutorial", "explanation/papers", "explanation/beside-others",
                     "reference/parameters", "reference/regimes"):  # fmt: skip
            browser.open(folder / f"{name}.html", width=390, height=844)
            assert browser.run("document.documentElement.scrollWidth <= innerWidth"), name
        browser.open(f"{(folder / 'search.html').as_uri()}?q=presidio", width=390, height=844)
        found = until(browser, "document.querySelector('#search-results ul')?.innerText")
        assert "Comparison with other tools" in found
        assert browser.complaints() == []
        assert browser.requests() == []
    finally:
        browser.close()


def test_links_between_pages_and_pictures_exist():
    link = re.compile(r"\]\(([^)#]+?)(?:#[^)]*)?\)")
    for page in PAGES:
        if not page.is_file():
            continue
        for target in link.findall(page.read_text(encoding="utf-8")):
            if "://" not in target and not target.startswith("mailto:"):
                assert (page.parent / target).exists(), f"{page.name} → {target}"


def is_reached(name, packages):
    """Return whether a dotted name is an attribute of a module in one of the packages."""
    parts = name.split(".")
    for package in packages:
        for split in range(len(parts), 0, -1):
            try:
                found = importlib.import_module(".".join([package, *parts[:split]]))
            except ImportError:
                continue
            for part in parts[split:]:
                found = getattr(found, part, None)
            if found is not None:
                return True
    return False


@pytest.mark.parametrize(
    "paper", sorted((ROOT / "src").rglob("PAPER*.md")), ids=lambda p: f"{p.parent.name}/{p.name}"
)
def test_functions_and_tests_of_a_paper_exist(paper):
    """A table of PAPER.md maps what the paper defines to `module.function` and to `test_…`, which may end with `…`."""
    quoted = set(re.findall(r"`([^`\n]+)`", paper.read_text(encoding="utf-8")))
    packages = (f"sfumato.engines.{paper.parent.name}", "sfumato.core", "sfumato")
    dotted = {q.removesuffix("()") for q in quoted if re.fullmatch(r"[a-z_]+(\.\w+)+(\(\))?", q)}
    files = {q for q in dotted if re.search(r"\.(py|json|jsonl|csv|md|txt|toml)$", q)}
    assert [name for name in sorted(dotted - files) if not is_reached(name, packages)] == []
    tests = list((ROOT / "tests").rglob("test_*.py"))
    known = {p.stem for p in tests}
    known.update(*(re.findall(r"def (test_\w+)", p.read_text(encoding="utf-8")) for p in tests))
    named = {word for q in quoted for word in re.findall(r"\btest_\w+", q)}
    assert [n for n in sorted(named) if not any(k.startswith(n) for k in known)] == []
