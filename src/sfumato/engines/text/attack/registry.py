"""The registry of attacking learners; listing their names loads nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ....core.registry import Registry

if TYPE_CHECKING:
    from ..learners.protocol import Learner

__all__ = ["ATTACKERS", "attackers_named"]

_HERE = f"{__package__}.learners"

ATTACKERS: Registry[Callable[[], Learner]] = Registry(
    "attacker",
    {name: f"{_HERE}:{name}" for name in ("crf", "svm", "adaboost", "ensemble")},
)
"""Attacking learners by name: functions without arguments."""


def attackers_named(given: Sequence[object]) -> tuple[Learner, ...]:
    """Return the learners that attack.

    Parameters
    ----------
    given : sequence of str or Learner
        Names of `ATTACKERS`, "all" for all of them, "none" for nobody, or learners themselves.

    """
    found: list[Learner] = []
    for one in given:
        if one == "all":
            found += [make() for make in ATTACKERS.values()]
        elif isinstance(one, str):
            found += [] if one == "none" else [ATTACKERS.named(one)()]
        else:
            found.append(one)  # type: ignore[arg-type]
    return tuple(found)
