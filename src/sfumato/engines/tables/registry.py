"""The names that a request of the tables engine may use: strategies, risks and losses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...core.arguments import Argument
from ...core.registry import Registry

if TYPE_CHECKING:
    from .measures.protocol import Measure
    from .search.proof import Certified

__all__ = ["ARGUMENTS", "CERTIFIERS", "LOSSES", "RISKS", "STRATEGIES"]

_SEARCH = "sfumato.engines.tables.search"
_MEASURES = "sfumato.engines.tables.measures.axes"

STRATEGIES: Registry[Callable[..., None]] = Registry(
    "strategy",
    {
        "exchange": f"{_SEARCH}.exchange:exchange",
        "shs": f"{_SEARCH}.sublattices:sublattice_heuristic_search",
        "rcs": f"{_SEARCH}.chains:random_chain_search",
        "bisecting": f"{_SEARCH}.chains:bisecting",
        "exhaustive": f"{_SEARCH}.exhaustive:exhaustive",
    },
    group="sfumato.tables.strategies",
    of="collections.abc:Callable",
)
"""Called with a `Run` and the strategy's own options; measures policies until the budget is used up."""

CERTIFIERS: Registry[Callable[..., Certified]] = Registry(
    "certifier",
    {"bounds": "sfumato.engines.tables.certificate.certify:certify"},
    group="sfumato.tables.certifiers",
    of="collections.abc:Callable",
)
"""Called with a `Run`, seconds and threads; returns what no policy can be better than. `--certify` asks "bounds"."""

RISKS: Registry[type[Measure]] = Registry(
    "risk",
    {
        "population": f"{_MEASURES}:PopulationRisk",
        "prosecutor": f"{_MEASURES}:ProsecutorRisk",
        "small-groups": f"{_MEASURES}:SmallGroups",
    },
    group="sfumato.tables.risks",
    of="sfumato.engines.tables.measures.protocol:Measure",
)
"""Measures (built with `of`) that do not rise as a policy becomes more general."""

LOSSES: Registry[type[Measure]] = Registry(
    "loss",
    {
        "kl": f"{_MEASURES}:InformationLoss",
        "class-size": f"{_MEASURES}:AverageClassSize",
        "mutual-information": f"{_MEASURES}:MutualInformationLoss",
    },
    group="sfumato.tables.losses",
    of="sfumato.engines.tables.measures.protocol:Measure",
)
"""Measures (built with `of`) that do not fall as a policy becomes more general."""

ARGUMENTS: Mapping[str, Mapping[str, Sequence[Argument]]] = {
    "strategy": {"shs": [Argument("threshold", metavar="TH")]},
    "risk": {"small-groups": [Argument("k", metavar="K")]},
    "loss": {"mutual-information": [Argument("target", metavar="COLUMN")]},
}
"""What the entries take after a colon (`small-groups:5`), by the parameter that names them."""
