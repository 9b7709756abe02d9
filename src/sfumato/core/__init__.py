"""The types that all engines share; imports no other package of sfumato.

Each name loads its module when it is first used: `sfumato --help` needs the errors alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import lazy_names

if TYPE_CHECKING:
    from .errors import (
        DataError,
        FormatError,
        InputError,
        LimitError,
        LockedError,
        ModelError,
        NoCandidateError,
        OutputExistsError,
        ParameterError,
        PlanError,
        PrivacyWarning,
        ReleaseRefusedError,
        SfumatoError,
        WithheldError,
        WorkError,
        did_you_mean,
    )
    from .exploration import Exploration
    from .frontier import Frontier, non_dominated
    from .measures import Estimate, Interval, Risk, Utility
    from .randomness import Streams
    from .records import Candidate, InputFile, Reference, Release, versions

__all__ = [
    "Candidate",
    "DataError",
    "Estimate",
    "Exploration",
    "FormatError",
    "Frontier",
    "InputError",
    "InputFile",
    "Interval",
    "LimitError",
    "LockedError",
    "ModelError",
    "NoCandidateError",
    "OutputExistsError",
    "ParameterError",
    "PlanError",
    "PrivacyWarning",
    "Reference",
    "Release",
    "ReleaseRefusedError",
    "Risk",
    "SfumatoError",
    "Streams",
    "Utility",
    "WithheldError",
    "WorkError",
    "did_you_mean",
    "non_dominated",
    "versions",
]

_HOME = {
    "Candidate": "records",
    "DataError": "errors",
    "Estimate": "measures",
    "Exploration": "exploration",
    "FormatError": "errors",
    "Frontier": "frontier",
    "InputError": "errors",
    "InputFile": "records",
    "Interval": "measures",
    "LimitError": "errors",
    "LockedError": "errors",
    "ModelError": "errors",
    "NoCandidateError": "errors",
    "OutputExistsError": "errors",
    "ParameterError": "errors",
    "PlanError": "errors",
    "PrivacyWarning": "errors",
    "Reference": "records",
    "Release": "records",
    "ReleaseRefusedError": "errors",
    "Risk": "measures",
    "SfumatoError": "errors",
    "Streams": "randomness",
    "Utility": "measures",
    "WithheldError": "errors",
    "WorkError": "errors",
    "did_you_mean": "errors",
    "non_dominated": "frontier",
    "versions": "records",
}

__getattr__, __dir__ = lazy_names(__name__, _HOME)
