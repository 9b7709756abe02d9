"""The house keeps its shape: layers, public names, lazy imports, and a number of tests that does not change unseen."""

import ast
import importlib
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
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


def contracts():
    content = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return content["tool"]["importlinter"]["contracts"]


def test_every_layer_contract_is_exhaustive():
    """A new room needs a place in the layers; what a contract leaves out are names of types alone."""
    layers = [contract for contract in contracts() if contract["type"] == "layers"]
    assert all(contract["exhaustive"] for contract in layers)
    homes = {container for contract in layers for container in contract["containers"]}
    engines = {f"sfumato.engines.{name}" for name in ("text", "tables", "baskets")}
    assert homes >= {"sfumato", "sfumato.core", "sfumato.data", *engines}


def test_what_has_its_own_dependencies_is_reached_by_its_registry_only():
    protected = {
        module: contract["allowed_importers"]
        for contract in contracts()
        if contract["type"] == "protected"
        for module in contract["protected_modules"]
    }
    assert protected == {
        "sfumato.compute.spark": [],
        "sfumato.engines.tables.certificate": [],
        "sfumato.engines.text.learners.encoder": [],
        "sfumato.laboratory": [],
    }


def test_an_import_that_a_contract_ignores_is_of_types_alone():
    for contract in contracts():
        for rule in contract.get("ignore_imports", ()):
            importer, imported = rule.split(" -> ")
            path = SOURCE.parent / importer.replace(".", "/")
            file = (
                path.with_suffix(".py")
                if path.with_suffix(".py").is_file()
                else path / "__init__.py"
            )
            for node in at_run_time(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom):
                    assert imported not in named_by(node, importer, file.name == "__init__.py"), (
                        rule
                    )


def at_run_time(tree):
    """Yield the statements of a module that run: what is under `if TYPE_CHECKING` and in functions does not."""
    for node in tree.body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node


def named_by(node, importer, is_package):
    """Return the modules that an import may load: the one it names, and those whose name it takes from it."""
    parts = importer.split(".")
    base = parts[: len(parts) - node.level + is_package] if node.level else []
    home = ".".join([*base, *([node.module] if node.module else [])])
    return {home, *(f"{home}.{alias.name}" for alias in node.names)}
