"""Records from hostile files: what fuzzing found, each as a small case of its own."""

import pytest

from sfumato.core.records import Candidate


@pytest.mark.parametrize("measures", [1.5, "x", None, [], [1]])
def test_measures_that_are_no_object_are_refused(measures):
    content = {"id": "a", "risk": 0.1, "utility": 0.5, "measures": measures}
    with pytest.raises(ValueError, match="measures must be an object"):
        Candidate.model_validate(content)
