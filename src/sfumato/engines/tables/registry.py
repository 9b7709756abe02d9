"""The names that a request of the tables engine may use: strategies, risks, losses and shown measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...core.arguments import Argument
from ...core.registry import Registry

if TYPE_CHECKING:
    from .measures.protocol import Measure
    from .measures.shown import Shown
    from .search.proof import Certified

__all__ = ["ARGUMENTS", "CERTIFIERS", "LOSSES", "RISKS", "SHOWN", "STRATEGIES"]

STRATEGIES: Registry[Callable[..., None]] = Registry(
    "strategy",
    {
        "exchange": "sfumato.engines.tables.search.exchange:exchange",
        "shs": "sfumato.engines.tables.search.sublattices:sublattice_heuristic_search",
        "rcs": "sfumato.engines.tables.search.chains:random_chain_search",
        "bisecting": "sfumato.engines.tables.search.chains:bisecting",
        "exhaustive": "sfumato.engines.tables.search.exhaustive:exhaustive",
    },
    group="sfumato.tables.strategies",
    of="collections.abc:Callable",
)
"""Called with a `SearchRun` and the strategy's own options; measures policies until the budget is used up."""

CERTIFIERS: Registry[Callable[..., Certified]] = Registry(
    "certifier",
    {"bounds": "sfumato.engines.tables.certificate.certify:certify"},
    group="sfumato.tables.certifiers",
    of="collections.abc:Callable",
)
"""Called with a `SearchRun`, seconds and threads; returns what no policy can be better than. `--certify` asks "bounds"."""

RISKS: Registry[type[Measure]] = Registry(
    "risk",
    {
        "population": "sfumato.engines.tables.measures.axes:PopulationRisk",
        "prosecutor": "sfumato.engines.tables.measures.axes:ProsecutorRisk",
        "small-groups": "sfumato.engines.tables.measures.axes:SmallGroups",
    },
    group="sfumato.tables.risks",
    of="sfumato.engines.tables.measures.protocol:Measure",
)
"""Measures (built with `of`) that do not rise as a policy becomes more general."""

LOSSES: Registry[type[Measure]] = Registry(
    "loss",
    {
        "kl": "sfumato.engines.tables.measures.axes:InformationLoss",
        "granularity": "sfumato.engines.tables.measures.granularity:GranularityLoss",
        "class-size": "sfumato.engines.tables.measures.axes:AverageClassSize",
        "mutual-information": "sfumato.engines.tables.measures.axes:MutualInformationLoss",
    },
    group="sfumato.tables.losses",
    of="sfumato.engines.tables.measures.protocol:Measure",
)
"""Measures (built with `of`) that do not fall as a policy becomes more general."""

SHOWN: Registry[type[Shown]] = Registry(
    "shown measure",
    {
        "loss_nats": "sfumato.engines.tables.measures.shown:LossInNats",
        "k": "sfumato.engines.tables.measures.shown:SmallestGroup",
        "smallest_population_group": "sfumato.engines.tables.measures.shown:SmallestPopulationGroup",
        "risks": "sfumato.engines.tables.measures.shown:Risks",
        "l_diversity": "sfumato.engines.tables.measures.shown:DistinctDiversity",
        "l_diversity_entropy": "sfumato.engines.tables.measures.shown:EntropyDiversity",
        "t_closeness": "sfumato.engines.tables.measures.shown:Closeness",
    },
    group="sfumato.tables.shown",
    of="sfumato.engines.tables.measures.shown:Shown",
)
"""Figures of every policy and of the published file that are on neither axis."""

ARGUMENTS: Mapping[str, Mapping[str, Sequence[Argument]]] = {
    "strategy": {"shs": [Argument("threshold", metavar="TH")]},
    "risk": {"small-groups": [Argument("k", metavar="K")]},
    "loss": {"mutual-information": [Argument("target", metavar="COLUMN")]},
}
"""What the entries take after a colon (`small-groups:5`), by the parameter that names them."""
