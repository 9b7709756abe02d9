"""`python -m benchmarks [part …]` runs the named parts, or all of them."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks
from benchmarks._common import ROOT, data_folder, write_results

_TOOLS = {"same", "suite"}  # command lines of their own, without results to keep


def main(wanted: list[str]) -> int:
    parts = sorted(
        m.name
        for m in pkgutil.iter_modules(benchmarks.__path__)
        if m.name[0] != "_" and m.name not in _TOOLS
    )
    unknown = set(wanted) - set(parts)
    if unknown:
        print(f"unknown parts: {', '.join(sorted(unknown))}; known: {', '.join(parts)}")
        return 2
    if data_folder() is None:
        print("The folder with real data was not found (SFUMATO_DATA): those figures are left out.")
    for part in wanted or parts:
        print(f"== {part}", flush=True)
        results = importlib.import_module(f"benchmarks.{part}").run()
        print(f"   written: {write_results(part, results).relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
