"""`python -m fuzz.metamorphic [--scenes N]`: change what a release does not show; no public byte may change.

A scene is a small data set, an engine, a treatment and the commands that make something public of it. It is
played once as it is, and once for each of a few changes: a raw value inside its published band, a number inside
its step, the cells of a row that is left out, an item that is not published, a redacted word. Where the published
data stays the same, every other public byte must: release.json, the codebook, facts.json, report.html and
report.pdf, marks under the private key aside. A figure of two digits may flip its last digit; flips are counted.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol
from unittest.mock import patch

import numpy as np

from sfumato.core.errors import PrivacyWarning, SfumatoError
from sfumato.core.randomness import Streams
from sfumato.core.records import Release, versions
from sfumato.reports import ReportForm, write_report
from sfumato.reports.facts import ReportFacts
from sfumato.reports.parts import find_parts, public_parts
from sfumato.reports.pdf import render_pdf

Files = dict[str, bytes]
_MARK = re.compile(rb"[0-9a-f]{64}")
_FIGURES = {"release.json", "facts.json", "report.html"}


class Scene(Protocol):
    """One data set and what is made public of it."""

    name: str
    """Engine, treatment and commands."""
    data: frozenset[str]
    """The names of the published data files."""

    def changes(self) -> Iterator[object]:
        """Yield the data with something changed that the release does not show."""
        ...

    def play(self, data: object | None, folder: Path) -> Iterable[Path]:
        """Make the data public (None: as it was) and return the folders that may be given out."""
        ...


class Stage(Protocol):
    """Makes scenes of one kind."""

    def __call__(self, dice: np.random.Generator, folder: Path) -> Scene | None:
        """Return a scene; None where the drawn data offers nothing to change."""
        ...


@dataclass
class Tally:
    """What was counted; `differences` names the files that told two neighbours apart."""

    scenes: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    shown: Counter[str] = field(default_factory=Counter)
    """Changes that the published data itself shows: they say nothing."""
    flips: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    @property
    def compared(self) -> int:
        return sum(self.changes.values()) - sum(self.shown.values())

    def to_json(self) -> dict[str, object]:
        """Return the figures by scene, and in all."""
        by_scene = {
            name: {
                "tables": self.scenes[name],
                "changes": self.changes[name],
                "compared": self.changes[name] - self.shown[name],
                "flips": self.flips[name],
            }
            for name in sorted(self.scenes)
        }
        return {
            "tables": sum(self.scenes.values()),
            "changes": sum(self.changes.values()),
            "compared": self.compared,
            "engines": len({name.split(":")[0] for name in self.scenes}),
            "flips": sum(self.flips.values()),
            "differences": len(self.differences),
            "scenes": by_scene,
        }

    def __str__(self) -> str:
        found = self.to_json()
        return (
            f"{found['tables']} tables, {found['changes']} changes, {found['engines']} engines: "
            f"{found['compared']} compared, {found['flips']} flips of a last digit, "
            f"{found['differences']} differences"
        )


def public_bytes(folders: Iterable[Path]) -> Files:
    """Return every public file, marks under the private key blanked."""
    found: Files = {}
    for folder in folders:
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            place = path.relative_to(folder)
            if "private" in place.parts:  # of a run: the steward's
                continue
            name = place.as_posix()
            found[name if name not in found else f"{folder.name}/{name}"] = path.read_bytes()
    marks = {
        mark.encode()
        for name, content in found.items()
        if name.endswith("release.json")
        for mark in _marks(json.loads(content))
    }
    for name, content in found.items():
        if name.endswith(".pdf"):
            continue
        # The page names the hash of facts.json, which the marks are part of.
        kept = set() if name.endswith(".html") else marks
        found[name] = _MARK.sub(
            lambda m, kept=kept: b"MARK" if not kept or m[0] in kept else m[0], content
        )
    return found


def _marks(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in {"hmac", "frontier"} and isinstance(inner, str):
                yield inner
            else:
                yield from _marks(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _marks(inner)


def different(before: Files, after: Files) -> list[str]:
    """Return the names of the files that are not the same."""
    return sorted(n for n in {*before, *after} if before.get(n) != after.get(n))


def is_flip(before: Files, after: Files) -> bool:
    """Return whether two neighbours differ by last digits of figures with two digits and nothing else."""
    names = different(before, after)
    if any(name.rpartition("/")[2] not in _FIGURES for name in names):
        return False
    pairs = [
        (json.loads(before[n]), json.loads(after[n])) for n in names if not n.endswith(".html")
    ]
    return bool(pairs) and all(_flipped(a, b) for a, b in pairs)


def _flipped(a: object, b: object) -> bool:
    """Return whether two JSON values are equal but for the second digit of numbers."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_flipped(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_flipped, a, b))
    if isinstance(a, float) and isinstance(b, float) and a != b:
        smallest = min(abs(a), abs(b))
        if smallest == 0:
            return False
        step = 10.0 ** (np.floor(np.log10(smallest)) - 1)
        coarse = all(abs(v / step - round(v / step)) < 1e-6 for v in (a, b))
        return coarse and abs(a - b) < 1.5 * step
    return a == b


def write_public_report(folder: Path, *sources: Path, pdf: bool) -> list[Path]:
    """Report on the release in OUT of a folder, and return what may be given out."""
    given = [*sources, folder / "out"]
    write_report(given, ReportForm(interactive=False), out=folder / "report")
    if pdf:  # it shows the hash of facts.json, which the marks are part of: without them
        parts = [
            replace(p, release=_without_marks(p.release)) for p in public_parts(find_parts(given))
        ]
        content = render_pdf(ReportFacts(tuple(parts), public=True))
        (folder / "report" / "report.pdf").write_bytes(content)
    return [folder / "out", folder / "report"]


def _without_marks(release: Release | None) -> Release:
    assert release is not None
    inputs = tuple(file.model_copy(update={"hmac": None}) for file in release.inputs)
    return release.model_copy(update={"frontier": None, "inputs": inputs})


def play(scene: Scene, folder: Path, tally: Tally, *, changes: int) -> None:
    """Play a scene and some of its changes, and count."""
    tally.scenes[scene.name] += 1
    before = public_bytes(scene.play(None, folder / "before"))
    for number, data in zip(range(changes), scene.changes(), strict=False):
        try:
            after = public_bytes(scene.play(data, folder / f"after{number}"))
        except SfumatoError:
            continue  # nothing was published
        tally.changes[scene.name] += 1
        if any(before.get(name) != after.get(name) for name in scene.data):
            tally.shown[scene.name] += 1
        elif before != after:
            if is_flip(before, after):
                tally.flips[scene.name] += 1
            else:
                named = ", ".join(different(before, after))
                tally.differences.append(f"{scene.name}, change {number}: {named}")


def rehearse(
    stages: Mapping[str, Stage],
    dice: np.random.Generator,
    folder: Path,
    tally: Tally,
    *,
    changes: int,
) -> None:
    """Play one scene of each stage."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        for name, stage in stages.items():
            own = folder / name.replace(" ", "-").replace(":", "")
            own.mkdir()
            with contextlib.suppress(SfumatoError):  # the drawn data cannot be published at all
                scene = stage(dice, own)
                if scene is not None:
                    play(scene, own, tally, changes=changes)


def main() -> int:
    """Play scenes of every stage; return 1 where neighbours can be told apart."""
    from fuzz.neighbours import STAGES
    from fuzz.quick import in_memory

    parser = argparse.ArgumentParser(prog="python -m fuzz.metamorphic", description=__doc__)
    parser.add_argument("--scenes", type=int, default=20, help="rounds of one scene per stage")
    parser.add_argument("--changes", type=int, default=5, help="changes per scene")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="stages whose names begin so")
    parser.add_argument("--results", type=Path, help="a JSON file to keep the figures in")
    given = parser.parse_args()
    stages = {name: stage for name, stage in STAGES.items() if name.startswith(given.only)}
    tally = Tally()
    for number in range(given.scenes):
        folder = Path(tempfile.mkdtemp(prefix="metamorphic-", dir=in_memory()))
        try:
            dice = Streams(given.seed).child("metamorphic").generator(str(number))
            with patch.object(
                os, "fsync", lambda _: None
            ):  # nothing here has to outlast a power cut
                rehearse(stages, dice, folder, tally, changes=given.changes)
        finally:
            shutil.rmtree(folder)
        print(f"round {number}: {tally}", flush=True)
        if given.results is not None:
            kept = {"command": "python -m fuzz.metamorphic", "seed": given.seed, **tally.to_json(),
                    "rounds": number + 1, "versions": versions()}  # fmt: skip
            given.results.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    for line in tally.differences:
        print(f"  DIFFERENT {line}", flush=True)
    return int(bool(tally.differences))


if __name__ == "__main__":
    sys.exit(main())
