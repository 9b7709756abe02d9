"""Safe Harbor as a policy: three-digit prefixes, small prefixes grouped, ages of 90 and over in one band."""

import numpy as np
import pytest

from sfumato.core.errors import InputError
from sfumato.engines.tables.policy import Lattice
from sfumato.engines.tables.safe_harbor import find_age_and_zip, safe_harbor, told

ZIPS = ("37010", "37011", "37101", "37102", "37201", "38001", "38002")
AGES = tuple(str(v) for v in range(121))
LATTICE = Lattice(("sex", "age", "zip"), (("f", "m"), AGES, ZIPS))


def test_prefixes_and_ages():
    policy = safe_harbor(LATTICE).intervals()
    assert policy["sex"] == ["f", "m"]
    assert policy["age"] == [*AGES[:90], "90-120"]
    assert policy["zip"] == ["37010-37011", "37101-37102", "37201", "38001-38002"]


def test_small_prefixes_are_grouped():
    people = [np.ones(2), np.ones(121), np.array([9e4, 9e4, 1e3, 2e3, 5e3, 9e4, 9e4])]
    policy = safe_harbor(LATTICE, people).intervals()["zip"]
    # 371 and 372 hold 8,000 people together: still too few, so they join the smaller neighbour
    assert policy in (["37010-37201", "38001-38002"], ["37010-37011", "37101-38002"])


def test_a_schema_without_age_or_zip_has_none():
    lattice = Lattice(("language", "town"), (("a", "b"), ("c", "d")))
    assert find_age_and_zip(lattice) == (None, None)
    with pytest.raises(InputError, match="five-digit ZIP"):
        safe_harbor(lattice)


def test_in_words():
    said = told("Safe Harbor", 0.08, 0.36, 24, 0.001, 0.2)
    assert said == (
        "24 policies are better than Safe Harbor in both risk and loss: at Safe Harbor's loss the risk is "
        "80.0 times lower, and at Safe Harbor's risk the loss is 0.200 instead of 0.360."
    )
    assert "No policy" in told("Safe Harbor", 0.0, 0.0, 0, None, None)
