"""The house keeps its shape: layers, public names, lazy imports, and a number of tests that does not change unseen."""

import ast
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import sfumato

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "sfumato"
MODULES = sorted(m.name for m in pkgutil.walk_packages(sfumato.__path__, "sfumato."))


def one_of_each(pairs):
    """Refuse a file that stands twice, as after a merge."""
    assert len(dict(pairs)) == len(pairs), "a file is listed twice: run `make counts`"
    return dict(pairs)


def test_no_test_appears_or_vanishes_unseen(collected):
    """Every change of a number of tests is in the diff of counts.json, which `make counts` renews."""
    text = (ROOT / "tests" / "counts.json").read_text(encoding="utf-8")
    counted = json.loads(text, object_pairs_hook=one_of_each)
    if find_spec("jax") is None:  # see the root conftest.py
        encoder = "src/sfumato/engines/text/learners/encoder/"
        counted = {f: n for f, n in counted.items() if not f.startswith(encoder) or f in collected}
    different = {
        file: (counted.get(file, 0), collected.get(file, 0))
        for file in sorted({*counted, *collected})
        if counted.get(file) != collected.get(file)
    }
    assert not different, "counted before, collected now; if it is meant: `make counts`"
    files = {str(p.relative_to(ROOT)) for p in (ROOT / "tests").rglob("test_*.py")}
    assert files <= set(collected), "no test was collected from some files"


def test_public_names_exist_once():
    wrong = []
    for name in MODULES:
        needs_jax = name.rpartition("encoder.")[2] in ("network", "steps")
        if name.endswith("__main__") or (needs_jax and find_spec("jax") is None):
            continue
        module = importlib.import_module(name)
        public = getattr(module, "__all__", [])
        if len(set(public)) != len(public):  # ruff sorts them
            wrong.append(f"{name}: a name stands twice in __all__")
        wrong += [f"{name}.{n} does not exist" for n in public if not hasattr(module, n)]
        if not module.__doc__:
            wrong.append(f"{name} has no docstring")
    assert not wrong


def test_help_loads_nothing_heavy():
    heavy = "numpy scipy sklearn numba duckdb pyarrow pandas jinja2 rich starlette typst vl_convert jax faker".split()
    code = (
        "import sys\nsys.argv = ['sfumato', '--help']\n"
        "from sfumato.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print('LOADED', sorted(set({heavy!r}) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "LOADED []" in done.stdout


def test_the_package_imports_without_heavy_parts():
    code = "import sys, sfumato; print(sorted({'numpy', 'numba', 'duckdb'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_kernels_load_without_scipy_and_a_blas_is_still_found():
    code = """if True:
        import sys
        import sfumato.engines.text.release.steps, sfumato.engines.text.payload
        loaded = {name.partition('.')[0] for name in sys.modules} & {'pandas', 'pyarrow', 'sklearn'}
        print(sorted(loaded), 'scipy.linalg' in sys.modules, 'scipy.special' in sys.modules)
        from numba.np import arraymath, linalg
        print(arraymath._HAVE_BLAS, linalg.ensure_blas.__name__)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[] False False", "True ensure_blas"]


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def test_models_are_data_never_code():
    forbidden = {"pickle", "joblib", "dill", "cloudpickle", "marshal", "shelve"}
    for path in SOURCE.rglob("*.py"):
        roots = {name.split(".")[0] for name in imports_of(path)}
        assert not roots & forbidden, path.name


def test_every_random_stream_is_seeded():
    unseeded = re.compile(
        r"default_rng\(\)|np\.random\.(rand|seed|shuffle|choice|normal)\b|^import random$", re.M
    )
    for path in SOURCE.rglob("*.py"):
        assert not unseeded.search(path.read_text(encoding="utf-8")), path.name


def test_no_path_of_a_machine_is_written_down():
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout: there is no list of tracked files")
    here = str(ROOT)
    for name in listed.stdout.split("\n"):
        path = ROOT / name
        if (
            name
            and path.is_file()
            and path.suffix in {".py", ".md", ".toml", ".json", ".txt", ".html"}
        ):
            assert here not in path.read_text(encoding="utf-8"), name
