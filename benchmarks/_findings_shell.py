"""What the attacks of `benchmarks.findings` share: the commands of one tree, in a folder and a home of their own."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from benchmarks.same import environment
from benchmarks.startup import SCRIPT

WAIT = 300  # seconds after which a command counts as one that does not end, on a busy machine


class Told(NamedTuple):
    """What an attack found: whether it succeeded, and in words with its numbers."""

    succeeded: bool
    words: str


class Done(NamedTuple):
    """How a command ended; the status is None where it did not within its limits."""

    status: int | None
    said: str
    seconds: float


@dataclass(frozen=True)
class Shell:
    """The commands of a tree."""

    source: Path
    folder: Path
    home: Path

    def __truediv__(self, name: str) -> Path:
        return self.folder / name

    @property
    def environment(self) -> dict[str, str]:
        return environment(self.source, self.home)

    def run(
        self, *words: object, cpu: int | None = None, hook: str = "", wait: int = WAIT, **more: str
    ) -> Done:
        """Run a command, with `hook` before it in the same process; `cpu` limits its CPU seconds."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        limit = None if cpu is None else lambda: resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
        command = [sys.executable, "-c", hook + SCRIPT, *map(str, words)]
        try:
            done = subprocess.run(
                command, cwd=self.folder, env={**self.environment, **more}, capture_output=True,
                text=True, check=False, timeout=wait if cpu is None else None, preexec_fn=limit,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Done(None, "", float(wait))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        ended = done.returncode >= 0
        return Done(done.returncode if ended else None, done.stdout + done.stderr, seconds)

    def must(self, *words: object) -> Done:
        """Run a command that has to succeed."""
        done = self.run(*words)
        if done.status != 0:
            sys.exit(f"{' '.join(map(str, words))}\n{done.said}")
        return done

    def table(self, name: str, frame: pd.DataFrame, schema: Sequence[dict[str, Any]]) -> Path:
        """Write a table and its schema; return the table."""
        lines = []
        for attribute in schema:
            lines += ["[[attribute]]", *(f"{k} = {_toml(v)}" for k, v in attribute.items())]
        (self / f"{name}.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        frame.to_csv(self / f"{name}.csv", index=False)
        return self / f"{name}.csv"

    def explore_table(self, name: str, *more: object) -> Path:
        """Explore a table that was written; return its frontier."""
        words = [
            "tables",
            "explore",
            f"{name}.csv",
            "--schema",
            f"{name}.toml",
            "--evaluations",
            200,
        ]
        self.must(*words, *more, "--out", f"{name}-explored", "--quiet")
        return self / f"{name}-explored"

    def publish_table(self, frontier: Path, source: Path, out: str) -> dict[str, Any] | None:
        """Publish the knee; return release.json, or None where the output is refused."""
        accepted = ("--accept-shift", "--accept-worse", "--quiet")
        words = ["tables", "publish", frontier, source, "--knee", "--out", out]
        if self.run(*words, *accepted).status != 0:
            return None
        return self.read(out, "release.json")

    def read(self, *parts: str) -> dict[str, Any]:
        """Return the content of a JSON file."""
        found = json.loads(self.folder.joinpath(*parts).read_text(encoding="utf-8"))
        assert isinstance(found, dict)
        return found


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {_toml(v)}" for k, v in value.items()) + "}"
    return json.dumps(value)


Attack = Callable[[Shell], Told]


def text_of(folder: Path) -> str:
    """Return everything that a folder holds, as text."""
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return "\n".join(p.read_bytes().decode("utf-8", "replace") for p in files)


def left_in(folder: Path) -> list[str]:
    """Return the names in a folder."""
    return sorted(os.listdir(folder))
