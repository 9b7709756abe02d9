"""`python -m fuzz.guided TARGET [libFuzzer options]`: one target under atheris, guided by coverage."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import tempfile
import warnings


def main() -> None:
    try:
        import atheris  # only here, and only when it is there
    except ImportError:
        sys.exit("atheris is not installed: pip install atheris, or run python -m fuzz without it.")
    with atheris.instrument_imports(include=["sfumato.core", "sfumato.data"]):
        from fuzz.targets import TARGETS

        for name in ("sfumato.core", "sfumato.data"):  # readers load late: here they all do
            package = importlib.import_module(name)
            for module in pkgutil.walk_packages(package.__path__, f"{name}."):
                importlib.import_module(module.name)
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in TARGETS:
        sys.exit(f"Give one of these targets: {', '.join(TARGETS)}.")
    target = TARGETS[name]
    warnings.simplefilter("ignore")
    corpus = tempfile.mkdtemp(prefix=f"sfumato-fuzz-{name}-")
    for number, seed in enumerate(target.seeds()):
        with open(os.path.join(corpus, f"seed-{number}"), "wb") as stream:
            stream.write(seed)
    options = ["-timeout=5", "-runs=20000", "-seed=1", *sys.argv[2:]]
    atheris.Setup([sys.argv[0], *options, corpus], lambda data: target.check(data) and None)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
