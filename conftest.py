"""What holds for every test: how hypothesis draws, which doctests are collected, and how many items there are.

`make test` draws the same examples each time, so that it never fails by chance; `make fuzz` draws others each time, and
SFUMATO_SEED=7 those of the seed 7, here and in every test that asks `tests.seeds` (`make seeds N=20`). What is found
becomes an `@example` of its test. The tests that a seed can change have the marker `seeded`.
"""

from __future__ import annotations

import gc
import json
import os
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test, settings

# The same examples are drawn each time, so that more of them find nothing new in the next run: `make fuzz` draws 500 others.
settings.register_profile(
    "test", derandomize=True, deadline=None, database=None, print_blob=True, max_examples=50
)
settings.register_profile("fuzz", derandomize=False, deadline=None, max_examples=500)
settings.register_profile("seeds", derandomize=False, deadline=None, database=None, print_blob=True)
_SEED = os.environ.get("SFUMATO_SEED")
settings.load_profile(os.environ.get("SFUMATO_HYPOTHESIS", "seeds" if _SEED else "test"))

# Doctests of modules that need an extra are collected where the extra is installed.
_ENCODER = "src/sfumato/engines/text/learners/encoder"
collect_ignore = (
    [] if find_spec("jax") else [f"{_ENCODER}/{module}.py" for module in ("network", "steps")]
)

_PDF = "src/sfumato/data/formats/pdf"
if not find_spec("pikepdf"):
    bare = ("__init__", "format", "keys", "refusal", "scan", "symbol_widths")
    modules = (Path(__file__).parent / _PDF).glob("*.py")
    collect_ignore += [f"{_PDF}/{path.name}" for path in modules if path.stem not in bare]

COUNTS = Path(__file__).parent / "tests" / "counts.json"
_COLLECTED = pytest.StashKey[dict[str, int]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `make counts` write down what is collected."""
    parser.addoption(
        "--write-counts",
        action="store_true",
        help="write how many items each file holds to tests/counts.json",
    )


@pytest.hookimpl(tryfirst=True)  # before hypothesis reads it
def pytest_configure(config: pytest.Config) -> None:
    """Give hypothesis the seed of the suite, where it has another one; collect tests without looking for garbage."""
    if _SEED and config.getoption("hypothesis_seed", None) is None:
        config.option.hypothesis_seed = _SEED
    gc.disable()  # until the tests are collected: modules stay


@pytest.hookimpl(tryfirst=True)  # before -k and -m take items out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Count the items of each file, and mark those that a seed can change."""
    config.stash[_COLLECTED] = Counter(item.nodeid.partition("::")[0] for item in items)
    for item in items:
        if isinstance(item, pytest.Function) and (
            is_hypothesis_test(item.obj) or _asks_for_seeds(item)
        ):
            item.add_marker("seeded")


def _asks_for_seeds(item: pytest.Function) -> bool:
    """Return whether the file of a test imports something of `tests.seeds`."""
    names = vars(item.module).values()
    return any(getattr(value, "__module__", None) == "tests.seeds" for value in names)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Write the counts where they are asked for; look for garbage from now on, but not among what was imported."""
    gc.enable()
    gc.freeze()
    if session.config.getoption("--write-counts"):
        if session.testsfailed:
            raise pytest.UsageError("The counts were not written: a file could not be collected.")
        counts = dict(sorted(session.config.stash[_COLLECTED].items()))
        COUNTS.write_text(json.dumps(counts, indent=0) + "\n", encoding="utf-8")


@pytest.fixture(scope="session")
def collected(pytestconfig: pytest.Config) -> dict[str, int]:
    """How many items were collected from each file of the whole suite, by this process."""
    wanted = sorted(pytestconfig.getini("testpaths"))
    if sorted(pytestconfig.args) != wanted or pytestconfig.getoption("lf", default=False):
        pytest.skip("only a part of the suite was collected")
    return pytestconfig.stash[_COLLECTED]
