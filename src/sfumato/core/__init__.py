"""The shared words of all engines; imports nothing else of ours."""

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
from .exploration import Candidate, Exploration, InputFile, Reference
from .frontier import Frontier, non_dominated
from .measures import Interval, Measure, Risk, Utility
from .randomness import Streams
from .release import Release, versions

__all__ = [
    "Candidate",
    "DataError",
    "Exploration",
    "FormatError",
    "Frontier",
    "InputError",
    "InputFile",
    "Interval",
    "LimitError",
    "LockedError",
    "Measure",
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
