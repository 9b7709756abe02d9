"""Candidates come back from the model folder as they were."""

import numpy as np
import pytest

from sfumato.core.errors import ModelError
from sfumato.engines.text.sanitize.models import load_candidates, save_candidates
from sfumato.engines.text.sanitize.storage import save_model

from ..release.test_compiled import candidates, labelled


def test_candidates_come_back(tmp_path):
    sets = {f"ratio-{i}": candidate for i, candidate in enumerate(candidates())}
    save_candidates(tmp_path, sets)
    loaded = load_candidates(tmp_path)
    assert list(loaded) == sorted(sets)
    data, _ = labelled(11)
    for name, candidate in sets.items():
        assert loaded[name].labels == candidate.labels
        assert np.array_equal(loaded[name].decide(data), candidate.decide(data))
    # Six candidates share their models: the folder is hardly larger than the largest of them.
    whole = (tmp_path / "model" / "arrays.bin").stat().st_size
    alone = tmp_path / "alone"
    alone.mkdir()
    save_candidates(alone, {"a": candidates()[4], "b": candidates()[5]})
    assert whole < 1.5 * (alone / "model" / "arrays.bin").stat().st_size


def test_another_model_is_refused(tmp_path):
    save_model(tmp_path / "model", {"kind": "other"}, {})
    with pytest.raises(ModelError):
        load_candidates(tmp_path)
