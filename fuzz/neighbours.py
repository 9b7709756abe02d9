"""The stages of `fuzz.metamorphic`: every engine, command and treatment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from fuzz.item_scenes import LettersScene, LogScene, MatrixScene
from fuzz.metamorphic import Scene, Stage
from fuzz.table_scenes import TREATMENTS, Dice, table_scene


def _matrix(dice: Dice, folder: Path, *, attacked: bool) -> Scene | None:
    name = "baskets: hidden item, publish, " + ("attack, report" if attacked else "report")
    scene = MatrixScene(name, dice, folder, attacked)
    return scene if scene.chosen is not None else None


def _log(dice: Dice, folder: Path) -> Scene | None:
    scene = LogScene("baskets: nothing left, publish, report", dice, folder)
    return scene if scene.chosen is not None else None


def _letters(dice: Dice, folder: Path, *, attacked: bool) -> Scene:
    name = "text: redacted word, publish, " + ("attack, report" if attacked else "report")
    return LettersScene(name, dice, folder, attacked)


_tables: dict[str, Callable[[Dice, Path], Scene | None]] = {
    f"tables {name}": partial(table_scene, name) for name in TREATMENTS
}
STAGES: dict[str, Stage] = {
    **_tables,
    "tables run": partial(table_scene, "round", by_plan=True),
    "baskets": partial(_matrix, attacked=False),
    "baskets attack": partial(_matrix, attacked=True),
    "baskets log": _log,
    "text": partial(_letters, attacked=False),
    "text attack": partial(_letters, attacked=True),
}
