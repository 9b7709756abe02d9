"""The paper's theorems about a release, with their assumptions and whether they say anything here."""

from ...attack_records import Assumption, Bound
from ..inspection import Confusion
from .certificate import certificate
from .finite_samples import (
    SampleParameters,
    false_alarm_floor,
    finite_sample_gain,
    finite_sample_true_positives,
    tightest_parameters,
    vc_deviation,
)
from .local_optima import (
    gain_at_local_optimum,
    gain_of_positives_first,
    local_optimum,
    most_true_positives,
    positives_first_pays,
    ranked_prefix,
)

__all__ = [
    "Assumption",
    "Bound",
    "Confusion",
    "SampleParameters",
    "certificate",
    "false_alarm_floor",
    "finite_sample_gain",
    "finite_sample_true_positives",
    "gain_at_local_optimum",
    "gain_of_positives_first",
    "local_optimum",
    "most_true_positives",
    "positives_first_pays",
    "ranked_prefix",
    "tightest_parameters",
    "vc_deviation",
]
