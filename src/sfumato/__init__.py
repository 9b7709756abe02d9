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
    from . import baskets, tables, text
    from .core import Candidate, Exploration, Frontier, Release, Risk, SfumatoError, Utility
    from .core.exploration import load
    from .data.baskets import read_baskets
    from .data.documents import read_documents
    from .data.table import read_table
    from .reports import report
    from .workbench import run

settle()  # before numba is imported, which reads it once

_LAZY = {
    "text": "sfumato.text",
    "tables": "sfumato.tables",
    "baskets": "sfumato.baskets",
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
    "report": "sfumato.reports:report",
    "run": "sfumato.workbench:run",
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
    "report",
    "run",
    "tables",
    "text",
]


def __getattr__(name: str) -> object:
    if name in _LAZY:
        from importlib import import_module

        module, _, attribute = _LAZY[name].partition(":")
        found = import_module(module)
        return getattr(found, attribute) if attribute else found
    if not name.startswith("_"):
        from .core.engine import ENGINES

        if name in ENGINES:  # of another package
            from ._front_door import front_door

            return globals().setdefault(name, front_door(name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    from .core.engine import ENGINES

    return sorted({*__all__, *ENGINES})
