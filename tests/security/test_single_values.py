"""Values that one person alone holds do not come out as the ends of bands, in labels or in a report."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.seeds import seeded

from sfumato import tables
from sfumato.reports import ReportForm, write_report

SCHEMA = {
    "attribute": [
        {"name": "income", "role": "quasi", "domain": "observed"},
        {"name": "occupation", "role": "quasi", "domain": "observed"},
        {"name": "age", "role": "quasi", "domain": {"range": [0, 99]}},
        {"name": "illness", "role": "sensitive"},
    ]
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A register in which one person earns most, one has a rare occupation, and ages end at 23 and 45."""
    at, dice = tmp_path_factory.mktemp("single"), np.random.default_rng(seeded(3))
    rows = 400
    frame = pd.DataFrame({
        "income": dice.choice([21000, 26000, 31000, 36000], rows),
        "occupation": dice.choice(["teacher", "nurse", "clerk"], rows),
        "age": np.r_[23, 45, dice.integers(26, 43, rows - 2)],
        "illness": dice.choice(["flu", "cold"], rows),
    })  # fmt: skip
    frame.loc[7, "income"] = 918273645
    frame.loc[7, "occupation"] = "CANARYGOVERNOR"
    frame.to_csv(at / "register.csv", index=False)
    found = tables.explore(at / "register.csv", schema=SCHEMA, evaluations=150, min_sample=20)
    (at / "explored").mkdir()
    found.save(at / "explored")
    for number, candidate in enumerate(found.candidates[:6]):
        (at / str(number)).mkdir()
        found.publish(candidate, at / "register.csv", out=at / str(number) / "release")
    write_report([at / "explored", at / "0" / "release"], ReportForm(pdf=True), out=at / "report")
    return at


def test_h5_the_value_of_one_person_is_no_end_of_a_band(written):
    """0.1.0 published 26000-918273645 and teacher|CANARYGOVERNOR in data, release.json and the report."""
    looked = 0
    for path in written.rglob("*"):
        if path.is_file() and path.parent not in {written, written / "explored"}:
            content = path.read_bytes()
            assert b"918273645" not in content, path.name
            assert b"CANARYGOVERNOR" not in content, path.name
            looked += 1
    assert looked > 12


def test_h5_bands_of_a_declared_range_do_not_end_at_the_youngest_and_the_oldest(written):
    for folder in written.glob("*/release"):
        record = json.loads((folder / "release.json").read_text())
        ends = {end for label in record["how"]["policy"]["age"] for end in str(label).split("-")}
        assert not ends & {"23", "45"}


def test_c1_a_report_holds_no_hash_of_the_observed_domains(written):
    """A hash of all values of a column confirms a guess at the one that only one person has."""
    record = json.loads((written / "explored" / "frontier.json").read_text())
    assert len(record["fingerprint"]) == 64
    for path in (written / "report").iterdir():
        assert record["fingerprint"].encode() not in path.read_bytes(), path.name
