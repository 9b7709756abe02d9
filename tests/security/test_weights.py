"""The weight of a survey is as good as a name: it is published so that k people share it, or with a warning."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from tests.seeds import seeded

from sfumato import tables
from sfumato.core.errors import PlanError, PrivacyWarning

ROWS = 300


def survey(seed=0, person=False):
    draw = np.random.default_rng(seeded(seed))
    frame = pd.DataFrame({
        "age": draw.integers(0, 20, ROWS),
        "sex": draw.choice(["f", "m"], ROWS),
        "w": draw.lognormal(3, 0.6, ROWS).round(2) + 1,
    })  # fmt: skip
    frame.loc[7, "w"] = 987.65  # one person stands for many
    return frame.assign(who=[f"p{i // 2}" for i in range(ROWS)]) if person else frame


def schema(publish=None, person=False):
    weight = {"name": "w", "role": "weight"} | ({} if publish is None else {"publish": publish})
    attributes = [
        {"name": "age", "role": "quasi", "domain": {"range": [0, 19]}},
        {"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}},
        weight,
        *([{"name": "who", "role": "person"}] if person else []),
    ]
    return {"attribute": attributes}


def publish(folder, frame, min_k=7, **given):
    """Publish a survey; return the file, its release.json and the warnings."""
    frame.to_csv(folder / "t.csv", index=False)
    found = tables.explore(folder / "t.csv", schema=schema(**given), evaluations=40, min_k=min_k)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found.publish(found.knee(), folder / "t.csv", out=folder / "out")
    told = [str(w.message) for w in caught if w.category is PrivacyWarning]
    record = json.loads((folder / "out" / "release.json").read_text())
    return pd.read_csv(folder / "out" / "t.csv"), record, told


@pytest.mark.parametrize("min_k", [0, 7])
def test_weights_are_published_so_that_k_people_share_each(tmp_path, min_k):
    frame, k = survey(), max(min_k, 5)
    got, record, told = publish(tmp_path, frame, min_k=min_k)
    held = got["w"].value_counts()
    assert held.min() >= k
    assert len(held) > ROWS / (4 * k)  # and no coarser than it needs to be
    assert "987.65" not in (tmp_path / "out" / "t.csv").read_text()
    assert got["w"].sum() == pytest.approx(frame["w"].sum(), rel=0.01)
    alone = (frame["w"].map(frame["w"].value_counts()) == 1).sum()
    assert alone > 200
    assert [
        f"{alone:,} of {ROWS:,} people are alone by their weight 'w'" in words for words in told
    ] == [True]
    words = f"rounded so that at least {k} people share each"
    assert record["how"]["columns_treated"] == {"w": words}
    assert "w" not in record["how"]["columns_kept"]


def test_rows_of_one_person_do_not_hide_each_other(tmp_path):
    frame = survey(person=True)
    frame["w"] = frame.groupby("who")["w"].transform("first")
    got, _, told = publish(tmp_path, frame, min_k=5, person=True)
    people = frame.assign(new=0.0)
    # The published rows do not say whose they are: each weight stands on the rows of five people or more.
    assert got["w"].value_counts().min() >= 2 * 5
    assert len(told) == 1
    assert f"of {len(people['who'].unique()):,} people" in told[0]


def test_a_step_that_leaves_people_alone_is_told(tmp_path):
    frame = survey()
    got, record, told = publish(tmp_path, frame, publish={"round": 5})
    assert (got["w"] % 5 == 0).all()
    assert record["how"]["columns_treated"] == {"w": "rounded to multiples of 5"}
    alone = (got["w"].map(got["w"].value_counts()) == 1).sum()
    assert alone >= 1
    assert [f"and {alone:,} stay so as it is published" in words for words in told] == [True]


def test_weights_that_many_share_stay_as_they_are(tmp_path):
    frame = survey()
    frame["w"] = np.where(frame["sex"] == "f", 12.345, 23.456)
    got, _, told = publish(tmp_path, frame)
    assert set(got["w"]) == {12.345, 23.456}
    assert not told


def test_few_people_share_one_weight(tmp_path):
    frame = survey().head(4)
    frame["age"], frame["sex"] = 3, "f"
    got, _, _ = publish(tmp_path, frame, min_k=0)
    assert len(set(got["w"])) == 1


def test_noise_on_weights_is_refused():
    with pytest.raises(PlanError, match="a weight is rounded or averaged"):
        tables.explore(survey(), schema=schema(publish={"noise": 0.1}), evaluations=10)
