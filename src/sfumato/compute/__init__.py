"""The same few verbs, map_batches and count_groups, on one machine and on Spark.

`engine("local")` and `engine("spark")` give objects that answer alike, part by part; `Journal` keeps the
finished parts of a publish, so that a killed run goes on where it stopped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.errors import ParameterError

if TYPE_CHECKING:
    from .protocol import Compute

__all__ = ["ENGINES", "engine"]

ENGINES = ("local", "spark")


def engine(name: str = "local", *, threads: int | None = None, **options: Any) -> Compute:
    """Return the compute engine of that name; `threads` (all cores) for both, `master` for spark.

    >>> engine("local", threads=2)
    Local(threads=2)
    """
    if threads is not None:
        options["threads"] = threads
    if name == "local":
        from .local import Local

        return Local(**options)
    if name == "spark":
        from .spark import Spark

        return Spark(**options)
    raise ParameterError.constraint("engine", "sfumato", "one of local, spark", name)
