"""Prove that two trees write the same bytes: run the same commands with both, compare files and printed lines.

    python -m benchmarks.same OLD [--jobs 'tables*,run'] [--workers 2] [--keep FOLDER]
    make same OLD=<commit>

OLD is a commit of this repository; its tree is taken out by `git archive` into build/same (kept there, with its
compiled kernels, until `make clean`). The new tree is the working tree as it is. Inputs are written once, by
the old tree; both trees share them, one private key and one installation. Every file that a command writes is
compared by its bytes and mode, and so is every line that it prints and its exit status. What may differ on purpose is
listed in `_same_jobs.ALLOWED`, with a reason; a rule that no difference needed is named too. What was found is kept by
chain in benchmarks/results/same.json, so that a few chains can be run at a time.

The chains of commands are in `_same_jobs.CHAINS`; `--jobs` picks some by globs. All of them take about five
minutes on two cores, three more when the kernels of a tree have to be compiled. Not covered: Spark, the encoder, `serve`
and what a labelling project learns from answers. Run the tests as well: a name that no command uses shows there alone.

Exit status: 0 the same, 1 different, 2 the old tree could not run a command.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks._common import RESULTS, ROOT, write_results
from benchmarks._same_jobs import (
    ALLOWED,
    CHAINS,
    MARKS,
    ORDER,
    Allowed,
    as_before,
    without_marks,
    write_inputs,
)

_SHOWN = 6  # differences of one file that are listed


class Chain(NamedTuple):
    """What a chain of commands did with both trees, and how often each difference that is meant was met."""

    commands: int
    files: int
    different: int
    used: Counter[Allowed]


class Tree(NamedTuple):
    """A checkout of the source, and the folder in which its commands run."""

    source: Path
    work: Path

    def run(self, words: list[str], folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "sfumato", *as_before(words, self.source)]
        return subprocess.run(
            command,
            cwd=folder,
            env=environment(self.source, home),
            capture_output=True,
            text=True,
            check=False,
        )


def environment(source: Path, home: Path) -> dict[str, str]:
    """Return the environment in which the commands of a tree run, with a home and a key of their own."""
    own = {
        "HOME": str(home),
        "PYTHONPATH": str(source),
        "PYTHONHASHSEED": "0",
        "SFUMATO_PRIVATE_KEY": str(home / "private.key"),
        "SFUMATO_ENCODER": "none",
        "COLUMNS": "100",
    }
    others = ("XDG_DATA_HOME", "XDG_CACHE_HOME", "SFUMATO_KEY", "PYTHONSTARTUP")
    return {k: v for k, v in os.environ.items() if k not in others} | own


def check_out(commit: str) -> Path:
    """Take the source and the benchmarks of a commit out into build/same; return its `src`."""
    named = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if named.returncode:
        sys.exit(f"'{commit}' is no commit of this repository.")
    folder = ROOT / "build" / "same" / named.stdout.strip()[:16]
    if not folder.exists():
        packed = subprocess.run(
            ["git", "archive", commit, "src", "benchmarks", "pyproject.toml"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
        beside = folder.with_suffix(".tmp")
        shutil.rmtree(beside, ignore_errors=True)
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(beside, filter="data")
        write_entry_points(beside)
        beside.rename(folder)
    return folder / "src"


def write_entry_points(tree: Path) -> None:
    """Give a tree the entry points of its own project: those that are installed name the new tree's modules."""
    project = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = []
    for group, entries in project.get("entry-points", {}).items():
        lines += [f"[{group}]", *(f"{name} = {target}" for name, target in entries.items())]
    # Found before the installed one, because the tree comes first on the path.
    info = tree / "src" / "sfumato-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: sfumato\nVersion: 0\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def run_chain(name: str, tree: Tree, inputs: Path, home: Path) -> dict[str, Any]:
    """Run the commands of a chain in a folder of their own; return what they printed and how they ended."""
    folder = tree.work / name
    shutil.copytree(inputs, folder / "data")
    told: dict[str, Any] = {"stdout": "", "stderr": "", "failed": []}
    began = time.monotonic()
    for step in CHAINS[name]:
        if not isinstance(step, str):
            step(folder)
            continue
        done = tree.run(shlex.split(step), folder, home)
        told["stdout"] += f"$ {step}\n{done.stdout}[{done.returncode}]\n"
        told["stderr"] += f"$ {step}\n{done.stderr}"
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["nothing was printed"])[-1]
            told["failed"].append(f"{step}\n    status {done.returncode}: {last}")
    for stream in ("stdout", "stderr"):  # for whoever keeps the folder
        folder.with_suffix(f".{stream}").write_text(told[stream], encoding="utf-8")
    shutil.rmtree(folder / "data")
    told["seconds"] = time.monotonic() - began
    return told


def differences(name: str, old: bytes, new: bytes, used: Counter[Allowed]) -> list[str]:
    """List where two versions of a file differ, without what is allowed."""
    rules = [rule for rule in ALLOWED if fnmatchcase(name, rule.file)]
    whole = [rule for rule in rules if not rule.what]
    if whole:
        used[whole[0]] += 1
        return []
    for what, alike in ((ORDER, _sorted_lines), (MARKS, without_marks)):
        rule = next((r for r in rules if r.what == what), None)
        if rule is not None and alike(old) == alike(new):
            used[rule] += 1
            return []
    found: Iterator[tuple[str, str]]
    try:
        if name.endswith(".json"):
            found = _fields("", json.loads(old), json.loads(new))
        else:
            found = _lines(old.decode(), new.decode())
        listed = list(found)
    except (UnicodeDecodeError, json.JSONDecodeError):
        return [f"{len(old):,} and {len(new):,} bytes differ"]
    if not listed:
        return ["equal as JSON, written in another way"]
    kept = []
    for where, text in listed:
        match = fnmatchcase if name.endswith(".json") else lambda at, what: re.search(what, at)
        rule = next((r for r in rules if match(where, r.what)), None)
        if rule is None:
            kept.append(text)
        else:
            used[rule] += 1
    return kept


def _sorted_lines(content: bytes) -> list[bytes]:
    return sorted(content.splitlines())


def _fields(path: str, old: Any, new: Any) -> Iterator[tuple[str, str]]:
    """Yield the path of each field that differs, and both values in short."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(k for k in new if k not in old)]:
            at = f"{path}.{key}" if path else key
            if key not in old:
                yield at, f"{at}: new"
            elif key not in new:
                yield at, f"{at}: gone"
            else:
                yield from _fields(at, old[key], new[key])
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from _fields(f"{path}.{number}", a, b)
    elif old != new or type(old) is not type(new):
        yield path, f"{path}: {json.dumps(old)[:80]} → {json.dumps(new)[:80]}"


def _lines(old: str, new: str) -> Iterator[tuple[str, str]]:
    before, after = old.splitlines(), new.splitlines()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=len(before) > 2000)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        for was, now in zip_longest(before[a:b], after[c:d]):
            for sign, line in (("-", was), ("+", now)):
                if line is not None:
                    yield line, f"{sign} {line[:160]}"


def files_of(work: Path, chain: str) -> dict[str, Path]:
    found = sorted((work / chain).rglob("*"))
    return {path.relative_to(work).as_posix(): path for path in found if path.is_file()}


def compare_files(
    old: Path, new: Path, chain: str, used: Counter[Allowed]
) -> tuple[int, dict[str, list[str]]]:
    """Return how many files a chain wrote, and the differences by file."""
    before, after = files_of(old, chain), files_of(new, chain)
    different: dict[str, list[str]] = {}
    for name in sorted(before.keys() | after.keys()):
        if name not in before or name not in after:
            rule = next((r for r in ALLOWED if fnmatchcase(name, r.file) and not r.what), None)
            if rule is None:
                different[name] = ["written by the new tree only" if name in after else "no longer written"]  # fmt: skip
            else:
                used[rule] += 1
            continue
        modes = [oct(p.stat().st_mode & 0o777) for p in (before[name], after[name])]
        if modes[0] != modes[1]:
            different[name] = [f"mode {modes[0]} → {modes[1]}"]
        contents = [p.read_bytes() for p in (before[name], after[name])]
        if hashlib.sha256(contents[0]).digest() != hashlib.sha256(contents[1]).digest():
            found = differences(name, *contents, used)
            if found:
                different[name] = different.get(name, []) + found
    return len(before), different


def chosen(globs: str) -> list[str]:
    """Return the chains whose name matches one of the globs."""
    wanted = [glob.strip() for glob in globs.split(",") if glob.strip()]
    names = [name for name in CHAINS if any(fnmatchcase(name, glob) for glob in wanted)]
    if not names:
        sys.exit(f"no chain is called '{globs}'; there are: {', '.join(CHAINS)}")
    return names


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.same", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("old", help="commit to compare the working tree with")
    parser.add_argument("--jobs", default="*", help="globs of chains, separated by commas")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", type=Path, help="new folder to keep what both trees wrote in")
    asked = parser.parse_args()
    names = chosen(asked.jobs)
    source = check_out(asked.old)
    with tempfile.TemporaryDirectory(prefix="sfumato-same-") as temporary:
        work = asked.keep or Path(temporary)
        work.mkdir(exist_ok=asked.keep is None)
        return compare(names, asked.old, source, work.resolve(), asked.workers)


def compare(names: list[str], commit: str, source: Path, work: Path, workers: int) -> int:
    """Run the chains with both trees, print the differences, return the exit status."""
    home, inputs = work / "home", work / "inputs"
    for folder in (home, inputs):
        folder.mkdir()
    (home / "private.key").write_text(bytes(range(32)).hex() + "\n", encoding="ascii")
    (home / "private.key").chmod(0o600)
    # Both work in folders with names of the same length: a path that is printed wraps alike.
    old, new = Tree(source, work / "old"), Tree(ROOT / "src", work / "new")

    def prepare(*words: object) -> None:
        done = old.run([str(word) for word in words], work, home)
        if done.returncode:
            sys.exit(f"the old tree cannot write the inputs: {words[0]} {words[1]}\n{done.stderr}")

    print("writing the inputs …", flush=True)
    write_inputs(inputs, prepare)
    chains: dict[str, Chain] = {}
    broken: list[str] = []
    with ThreadPoolExecutor(workers) as pool:
        begun = {(name, tree): pool.submit(run_chain, name, tree, inputs, home)
                 for name in names for tree in (old, new)}  # fmt: skip
        for name in names:
            said = {tree: begun[name, tree].result() for tree in (old, new)}
            used: Counter[Allowed] = Counter()
            count, found = compare_files(old.work, new.work, name, used)
            for stream in ("stdout", "stderr"):
                a, b = (said[tree][stream].replace(f"{tree.work}/", "") for tree in (old, new))
                lines = differences(f"{name}/{stream}", a.encode(), b.encode(), used) if a != b else []  # fmt: skip
                if lines:
                    found[f"{name}/{stream}"] = lines
            steps = sum(isinstance(step, str) for step in CHAINS[name])
            print(f"{name}: {steps} commands, {count} files, {len(found) or 'none'} different; "
                  f"{said[old]['seconds']:.0f} and {said[new]['seconds']:.0f} s", flush=True)  # fmt: skip
            _show(found, said[old]["failed"])
            chains[name] = Chain(steps, count, len(found), used)
            broken += said[old]["failed"]
            if not broken:
                write_results("same", recorded(commit, chains))
    status = 2 if broken else int(any(chain.different for chain in chains.values()))
    _summarise(chains)
    return status


def _summarise(chains: dict[str, Chain]) -> None:
    used = sum((chain.used for chain in chains.values()), Counter())
    for rule in ALLOWED:
        print(f"allowed {used[rule]} ×: {rule.file} {rule.what}: {rule.reason}")
    commands, files, different = (sum(chain[i] for chain in chains.values()) for i in range(3))
    print(
        f"{len(chains)} chains, {commands} commands, {files} files: {different or 'none'} different"
    )


def recorded(commit: str, chains: dict[str, Chain]) -> dict[str, Any]:
    """Return what results/same.json is to hold: these chains, and those of earlier runs beside the same commit."""
    path = RESULTS / "same.json"
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    known = kept["chains"] if kept.get("old") == commit else {}
    tree = _output("git", "rev-parse", "--short", "HEAD")
    if _output("git", "status", "--porcelain", "src"):
        tree += " and changes"
    for name, chain in chains.items():
        allowed: dict[str, dict[str, int]] = {}
        for rule, times in chain.used.items():
            allowed.setdefault(rule.reason, {})[f"{rule.file} {rule.what}"] = times
        known[name] = {
            "commands": chain.commands,
            "files": chain.files,
            "different": chain.different,
            "allowed": allowed,
            "tree": tree,
        }
    sums = {k: sum(c[k] for c in known.values()) for k in ("commands", "files", "different")}
    found: dict[str, Any] = {"old": commit, "chains": known, **sums}
    if known.keys() >= CHAINS.keys():
        needed = {rule for c in known.values() for met in c["allowed"].values() for rule in met}
        found["exit_status"] = int(bool(sums["different"]))
        found["rules_that_no_difference_needs"] = sorted(
            {f"{rule.file} {rule.what}" for rule in ALLOWED if not rule.sometimes} - needed
        )
    return found


def _output(*words: str) -> str:
    return subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def _show(found: dict[str, list[str]], failed: list[str]) -> None:
    for name, lines in found.items():
        print(f"  DIFFERENT {name}")
        for line in lines[:_SHOWN]:
            print(f"    {line}")
        if len(lines) > _SHOWN:
            print(f"    … and {len(lines) - _SHOWN} more")
    for line in failed:
        print(f"  THE OLD TREE FAILED {line}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
