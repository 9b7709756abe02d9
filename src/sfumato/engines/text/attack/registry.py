"""The registry of attacking learners; listing their names loads nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ....core.registry import Registry

if TYPE_CHECKING:
    from ..learners.pretrained import PretrainedEncoder
    from ..learners.protocol import Learner

__all__ = ["ATTACKERS", "ENCODER", "find_attackers", "find_encoder"]

STARTER = "starter"  # the outsider who holds it
_HERE = f"{__package__}.learners"

ATTACKERS: Registry[Callable[[], Learner]] = Registry(
    "attacker",
    {name: f"{_HERE}:{name}" for name in ("crf", "svm", "adaboost", "ensemble", STARTER)},
    group="sfumato.attackers",
    of="collections.abc:Callable",
)
"""Attacking learners by name: functions without arguments."""

ENCODER = "encoder"  # attackers with a pretrained encoder, of any reading


def find_attackers(given: Sequence[object], *, starter: bool = False) -> tuple[Learner, ...]:
    """Return the learners that attack.

    Parameters
    ----------
    given : sequence of str or Learner
        Names of `ATTACKERS`, "all" for all of them, "none" for nobody, or learners themselves. The
        attackers with an encoder are separate: see `find_encoder`.
    starter : bool, default False
        Whether the publisher uses the starter: then an outsider who holds it attacks, too, if anybody does.

    """
    found: list[Learner] = []
    alone = not {"all", "none", STARTER} & {one for one in given if isinstance(one, str)}
    for one in (*given, *((STARTER,) if starter and given and alone else ())):
        if one == "all":
            found += [make() for make in ATTACKERS.values()]
        elif isinstance(one, str):
            found += [] if one in ("none", ENCODER) else [ATTACKERS.get_or_raise(one)()]
        else:
            found.append(one)
    return tuple(found)


def find_encoder(
    given: Sequence[object], wanted: str | os.PathLike[str] | None, *, tuning: str = "two"
) -> PretrainedEncoder | None:
    """Return the encoder of the attackers who have one; None where there are none.

    Parameters
    ----------
    given : sequence of str or Learner
        Who attacks: "encoder" or "all" asks for them.
    wanted : str, path or None
        "none", "default" or a folder; None for the installed one, if there is one.
    tuning : str, default "two"
        How much of the encoder is tuned.

    """
    if wanted == "none" or not {ENCODER, "all"} & {one for one in given if isinstance(one, str)}:
        return None
    from ..learners.registry import encoders

    if wanted is None:
        if ENCODER not in given and not encoders().is_installed():
            return None
        wanted = "default"
    return encoders().named(os.fspath(wanted), tuning=tuning)
