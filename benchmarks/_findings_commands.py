"""Attacks on commands: fields that nobody named, inputs that change, grow or never end, what is left and told."""

from __future__ import annotations

import csv
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._findings_shell import Shell, Told, left_in, text_of

NAME = "Stanhope"
LINK, STAGE = ("os.symlink", "input-"), ("os.mkdir", "stage-")
# Something happens when the process is about to make its n-th link to an input, or its n-th stage.
_HOOK = """
import os, sys
def _watch(event, given, seen=[0]):
    if event == {moment[0]!r} and any({moment[1]!r} in str(name) for name in given):
        seen[0] += 1
        if seen[0] == {number}:
            {act}
sys.addaudithook(_watch)
"""


def _notes(shell: Shell, many: int = 60) -> list[dict[str, Any]]:
    names = ("Ada", "Ben", "Cleo", "Dora", "Emil", "Fay")
    lines = []
    for i in range(many):
        start, name = f"Note {i % 7} about our patient ", names[i % 6]
        span = {"start": len(start), "end": len(start) + len(name), "label": "NAME"}
        lines.append({"id": f"d{i}", "text": f"{start}{name} who slept well.", "spans": [span]})
    _write_lines(shell / "notes.jsonl", lines)
    return lines


def _write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def _explore_notes(shell: Shell) -> list[dict[str, Any]]:
    lines = _notes(shell)
    shell.must("text", "explore", "notes.jsonl", "--label", "NAME", "--ratios", "10", "--folds", 2,
               "--attackers", "none", "--out", "text-explored", "--quiet")  # fmt: skip
    return lines


def fields(shell: Shell) -> Told:
    """Columns beside the text that explore never saw, and keys that are names."""
    lines = _explore_notes(shell)
    with (shell / "letters.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "patient_name", "text"])
        writer.writerows([line["id"], NAME, line["text"]] for line in lines[:30])
    extra = [{"id": d["id"], "text": d["text"], "title": NAME, f"patient {NAME}": 1} for d in lines]
    _write_lines(shell / "letters.jsonl", extra)
    told = 0
    for name in ("letters.csv", "letters.jsonl"):
        shell.must("text", "publish", "text-explored", name, "--ratio", 10, "--accept-shift", "--out", f"out-{name}", "--quiet")  # fmt: skip
        told += text_of(shell / f"out-{name}").count(NAME)
    return Told(told > 0, f"{told} times in two releases of 30 and 60 documents")


def _small_register(shell: Shell) -> Path:
    dice = np.random.default_rng(8)
    frame = pd.DataFrame({"age": dice.integers(0, 40, 200), "stay": np.full(200, 1)})
    attributes: list[dict[str, Any]] = [
        {"name": "age", "role": "quasi", "domain": {"range": [0, 39]}}, {"name": "stay", "role": "other"},
    ]  # fmt: skip
    return shell.table("register", frame, attributes)


def changing_input(shell: Shell) -> Told:
    """Another file in the place of the input, at some moments between its hash and the end."""
    source = _small_register(shell)
    frontier = shell.explore_table("register", "--min-k", 5)
    first = source.read_bytes()
    (shell / "other.csv").write_bytes(first.replace(b",1\n", b",9\n"))
    publish = [
        "tables",
        "publish",
        frontier,
        source,
        "--knee",
        "--accept-shift",
        "--quiet",
        "--out",
    ]
    shell.must(*publish, "own")
    mark = shell.read("own", "release.json")["inputs"][0]["hmac"]
    moments = [(moment, number) for moment in (LINK, STAGE) for number in (1, 2)]
    wrong = 0
    for at, (moment, number) in enumerate(moments):
        source.write_bytes(first)
        act = "open('register.csv', 'wb').write(open('other.csv', 'rb').read())"
        hook = _HOOK.format(moment=moment, number=number, act=act)
        if shell.run(*publish, f"out{at}", hook=hook).status == 0:
            rows = (shell / f"out{at}" / "register.csv").read_text(encoding="utf-8").count(",9")
            record = shell.read(f"out{at}", "release.json")
            wrong += rows > 0 and record["inputs"][0]["hmac"] == mark
    return Told(wrong > 0, f"at {wrong} of {len(moments)} moments the second file is under the mark of the first")  # fmt: skip


def workbook(shell: Shell) -> Told:
    """A small workbook that claims every cell of the largest sheet."""
    import openpyxl

    path = shell / "wide.xlsx"
    openpyxl.Workbook().save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    cell = '<row r="{row}"><c r="{place}" t="inlineStr"><is><t>x</t></is></c></row>'
    rows = cell.format(row=1, place="A1") + cell.format(row=1_048_576, place="XFD1048576")
    parts["xl/worksheets/sheet1.xml"] = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        f'<dimension ref="A1:XFD1048576"/><sheetData>{rows}</sheetData></worksheet>'
    ).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return _ends(shell, "tables", "schema", "wide.xlsx", "--out", "wide.toml")


def labels(shell: Shell) -> Told:
    """A corpus of 100,000 labels."""
    lines = [
        {"id": f"d{i}", "text": "Ann came.", "spans": [{"start": 0, "end": 3, "label": f"L{i}"}]}
        for i in range(100_000)
    ]
    _write_lines(shell / "labels.jsonl", lines)
    return _ends(shell, "text", "explore", "labels.jsonl", "--label", "all", "--out", "labels")


def _ends(shell: Shell, *words: object, cpu: int = 30) -> Told:
    done = shell.run(*words, cpu=cpu)
    if done.status is None:
        return Told(True, f"not done after {cpu} CPU seconds")
    return Told(False, f"status {done.status} after {done.seconds:.1f} CPU seconds")


def empty_lines(shell: Shell) -> Told:
    """A note of empty lines under the built-in rules, and one of twice as many."""
    _notes(shell)
    seconds = []
    for many in (0, 16_000, 32_000):
        lines = [{"id": "d0", "text": "Dear Ann," + "\n" * many + "Ann came."}]
        _write_lines(shell / f"lines{many}.jsonl", lines)
        done = shell.run(
            "text",
            "start",
            f"lines{many}.jsonl",
            "--label",
            "NAME",
            "--out",
            f"project{many}",
            cpu=60,
        )
        seconds.append(done.seconds)
    once, twice = seconds[1] - seconds[0], seconds[2] - seconds[0]
    return Told(once > 1, f"{once:.2f} and {twice:.2f} CPU seconds for 16,000 and 32,000 empty lines")  # fmt: skip


def pipe(shell: Shell) -> Told:
    """A pipe in the place of an input."""
    _small_register(shell)
    frontier = shell.explore_table("register", "--min-k", 5)
    os.mkfifo(shell / "pipe.csv")
    words = ["tables", "publish", frontier, "pipe.csv", "--knee", "--out", "out", "--quiet"]
    done = shell.run(*words, wait=90)
    return Told(
        done.status is None, "waits for ever" if done.status is None else f"status {done.status}"
    )


def leftovers(shell: Shell) -> Told:
    """What a killed run leaves in the temporary folder, after the next run."""
    source = _small_register(shell)
    frontier = shell.explore_table("register", "--min-k", 5)
    place = shell / "tmp"
    place.mkdir()
    words = ["tables", "publish", frontier, source, "--knee", "--quiet", "--out"]
    for number in (1, 2):
        hook = _HOOK.format(moment=LINK, number=number, act="os.kill(os.getpid(), 9)")
        shell.run(*words, f"killed{number}", hook=hook, TMPDIR=str(place))
    shell.run(*words, "out", TMPDIR=str(place))
    found = left_in(place)
    return Told(bool(found), f"{len(found)} folders of two killed runs are left")


def long_name(shell: Shell) -> Told:
    """A name of 250 characters for the output."""
    source = _small_register(shell)
    frontier = shell.explore_table("register", "--min-k", 5)
    name = "n" * 250
    done = shell.run("tables", "publish", frontier, source, "--knee", "--out", name, "--quiet")
    return Told(name in done.said, f"status {done.status}, the name {'' if name in done.said else 'not '}repeated")  # fmt: skip


def _log(shell: Shell) -> list[object]:
    with (shell / "log.csv").open("w", newline="", encoding="utf-8") as stream:
        lines = csv.writer(stream)
        lines.writerow(["person", "item"])
        for person in range(40):
            lines.writerows([person, f"item {i}"] for i in range(4) if (person + i) % 3)
        lines.writerows([100 + i, f"lonely {i}"] for i in range(3))
    return ["baskets", "explore", "log.csv", "--item", "item", "--person", "person", "--k", 5,
            "--publish-as", "cells", "--utility", "ones", "--quiet"]  # fmt: skip


def sensitive_item(shell: Shell) -> Told:
    """A misspelled sensitive item among known ones."""
    words = _log(shell)
    (shell / "list.txt").write_text("item 1\niten 3\n", encoding="utf-8")
    done = shell.run(
        *words, "--sensitive", "list.txt", "--max-confidence", 0.9, "--out", "explored"
    )
    return Told(done.status == 0, f"status {done.status}")


def confidence_alone(shell: Shell) -> Told:
    """A limit of confidence without sensitive items."""
    done = shell.run(*_log(shell), "--max-confidence", 0.3, "--out", "explored")
    return Told(done.status == 0, f"status {done.status}")


def lost_rows(shell: Shell) -> Told:
    """People of whom nothing is left in a published log."""
    shell.must(*_log(shell), "--out", "explored")
    shell.must("baskets", "publish", "explored", "log.csv", "--item", "item", "--person", "person", "--knee",
               "--out", "out", "--quiet")  # fmt: skip
    left = pd.read_csv(shell / "out" / "log.csv")["person"].nunique()
    record = shell.read("out", "release.json")
    counted = record.get("left_out", {}).get("rows_without_items", 0)
    return Told(left < 43 and not counted, f"{43 - left} people are gone, {counted} are counted (in multiples of k)")  # fmt: skip
