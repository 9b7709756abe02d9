"""The same few verbs, map_batches and count_groups, on one machine and on Spark.

`engine("local")` and `engine("spark")` return objects with the same results, part by part; `Journal` keeps the
finished parts of a publish, so that a killed run resumes where it stopped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.arguments import Argument, Named
from ..core.errors import ParameterError
from ..core.parameter import parameter
from ..core.registry import Registry

if TYPE_CHECKING:
    from .protocol import Compute

__all__ = ["COMPUTE", "compute_option", "engine", "engine_parameter", "threads_parameter"]

COMPUTE: Registry[type[Compute]] = Registry(
    "compute engine",
    {"local": "sfumato.compute.local:Local", "spark": "sfumato.compute.spark:Spark"},
    group="sfumato.compute",
    of="sfumato.compute.protocol:Compute",
)
"""Engine that does the work, by name; each is built with `threads` and its own options."""


def compute_option(help: str) -> Named:  # noqa: A002 (the word of every command line)
    """Return the option `--compute NAME[:THREADS]` of a request with the fields `engine` and `threads`."""
    arguments = {"": [Argument("threads", metavar="THREADS")]}
    return Named("engine", arguments, help=help, metavar="NAME[:THREADS]", default="local")


def engine_parameter(help: str, *, in_plan: bool = True) -> str:  # noqa: A002
    """Return the field `engine` of a request: a compute engine by its name."""
    name: str = parameter(
        "local",
        help=help,
        choices=lambda: COMPUTE,
        in_plan=in_plan,
        recorded=False,
        within="compute",
        warns=False,
    )
    return name


def threads_parameter(help: str, *, in_plan: bool = True) -> int | None:  # noqa: A002
    """Return the field `threads` of a request: how many work on this machine, all cores by default."""
    many: int | None = parameter(
        None, help=help, ge=1, in_plan=in_plan, recorded=False, within="compute"
    )
    return many


def engine(name: str = "local", *, threads: int | None = None, **options: object) -> Compute:
    """Return the compute engine of that name; `threads` (all cores) for all, `master` for spark.

    >>> engine("local", threads=2)
    Local(threads=2)
    """
    if name not in COMPUTE:
        raise ParameterError.constraint("engine", "sfumato", f"one of {', '.join(COMPUTE)}", name)
    if threads is not None:
        options["threads"] = threads
    return COMPUTE[name](**options)
