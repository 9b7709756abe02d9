"""Where the tests' time goes: CPU seconds by item, by file and by room, children included.

    python -m benchmarks.suite [--log FILE.jsonl] [--top 20] [pytest arguments …]

Wall-clock time says nothing on a busy machine; CPU seconds differ by about a tenth from run to run. With `--log`
the seconds of single items are kept, and items that stand there already are not run again: a long measurement
goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def measure(log: Path, arguments: list[str]) -> int:
    """Run pytest in one process with the plugin that logs; return its status."""
    environment = {**os.environ, "SFUMATO_CPU_LOG": str(log.resolve())}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as in make: processes share their bytecode
    command = [sys.executable, "-m", "pytest", "-q", "-p", "benchmarks._cpu_log", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def read(log: Path) -> dict[str, float]:
    """Return the seconds of each item; of an item that was run twice, the last."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return {entry["item"]: entry["seconds"] for entry in map(json.loads, lines)}


def describe(seconds: dict[str, float], top: int) -> str:
    """Return the sums and the slowest items as a table."""
    rooms, files = Counter[str](), Counter[str]()
    for item, used in seconds.items():
        file = item.partition("::")[0]
        files[file] += used
        rooms["/".join(file.split("/")[:2])] += used
    lines = [f"{sum(seconds.values()):.1f} CPU seconds, {len(seconds):,} items", "by room"]
    lines += [f"{used:8.1f}  {room}" for room, used in rooms.most_common()]
    lines += ["by file", *(f"{used:8.1f}  {file}" for file, used in files.most_common(top))]
    lines += ["by item", *(f"{used:8.1f}  {i}" for i, used in Counter(seconds).most_common(top))]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suite", description=__doc__.split("\n")[0])  # fmt: skip
    parser.add_argument("--log", type=Path, help="file of JSON lines to keep the seconds in")
    parser.add_argument("--top", type=int, default=20, help="how many files and items to list")
    asked, arguments = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        log = asked.log or Path(folder, "cpu.jsonl")
        done = [word for item in read(log) for word in ("--deselect", item)]
        status = measure(log, [*done, *arguments])
        print(describe(read(log), asked.top))
    return status


if __name__ == "__main__":
    sys.exit(main())
