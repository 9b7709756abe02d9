"""sfumato: publish data safely.

Three engines (`text`, `tables`, `baskets`), one idea: each answers with a frontier of candidate
releases, risk against utility; you choose, it publishes, it attacks its own release, it reports.
Everything heavy loads when first used.
"""

from __future__ import annotations

from ._kernel_cache import settle
from ._version import __version__

TYPE_CHECKING = False  # `typing` itself takes longer than `sfumato --version` may
if TYPE_CHECKING:
    from .core import Candidate, Exploration, Frontier, Release, Risk, SfumatoError, Utility
    from .core.exploration import load
    from .data.baskets import read_baskets
    from .data.documents import read_documents
    from .data.table import read_table
    from .engines import baskets, tables, text

settle()  # before numba is imported, which reads it once

_LAZY = {
    "text": "sfumato.engines.text",
    "tables": "sfumato.engines.tables",
    "baskets": "sfumato.engines.baskets",
    "Candidate": "sfumato.core:Candidate",
    "Exploration": "sfumato.core:Exploration",
    "Frontier": "sfumato.core:Frontier",
    "Release": "sfumato.core:Release",
    "Risk": "sfumato.core:Risk",
    "SfumatoError": "sfumato.core:SfumatoError",
    "Utility": "sfumato.core:Utility",
    "load": "sfumato.core.exploration:load",
    "read_baskets": "sfumato.data.baskets:read_baskets",
    "read_documents": "sfumato.data.documents:read_documents",
    "read_table": "sfumato.data.table:read_table",
}

__all__ = [
    "Candidate",
    "Exploration",
    "Frontier",
    "Release",
    "Risk",
    "SfumatoError",
    "Utility",
    "__version__",
    "baskets",
    "load",
    "read_baskets",
    "read_documents",
    "read_table",
    "tables",
    "text",
]


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module, _, attribute = _LAZY[name].partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


def __dir__() -> list[str]:
    return __all__
