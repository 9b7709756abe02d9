"""Groups of a policy where the sample is the population: dense, by hash and wide, beside pandas."""

import numpy as np
import pandas as pd
import pytest

from sfumato.engines.tables.contingency.cells import Cells
from sfumato.engines.tables.contingency.numbering import group_sizes, sizes_of_groups
from sfumato.engines.tables.measures.shown import PolicyGroups


@pytest.mark.parametrize(
    ("sizes", "rows"),
    [
        ([4, 3, 5], 700),
        ([100, 50, 16, 15, 12, 7, 2], 700),
        ([100, 50, 16, 15, 12, 7, 2], 20_000),
        ([4_000] * 6, 700),
    ],
    ids=["dense", "hash", "hash in parts", "wide"],
)
def test_measures_sizes_and_numbers_are_those_of_pandas(sizes, rows):
    draw = np.random.default_rng(len(sizes))
    codes = np.unique(np.stack([draw.integers(0, s, rows) for s in sizes]), axis=1)
    count = draw.integers(1, 9, codes.shape[1])
    cells = Cells(sizes, codes, count, least_sample=5)
    assert cells.wide == (len(sizes) == 6)
    names = list(range(len(sizes)))
    for share in (0.0, 0.01, 0.05, 0.3, 0.9, 1.0):
        bits = (draw.random(cells.length) < share).astype(np.uint8)
        interval = cells.intervals(bits)
        rows = pd.DataFrame({a: interval[a][cells.codes[a]] for a in names}).assign(n=cells.count)
        wanted = rows.groupby(names)["n"].sum().to_numpy()
        measured = cells.measure(bits)
        assert measured.groups == wanted.size
        assert measured.smallest_sample_group == measured.smallest_population_group == wanted.min()
        assert measured.below == wanted[wanted < 5].sum()
        assert measured.risk * cells.expected_reidentified == pytest.approx(wanted.size)
        group, found = group_sizes(cells, bits)
        assert rows[names].assign(g=group).drop_duplicates().shape[0] == wanted.size
        assert sorted(found) == sorted(sizes_of_groups(cells, bits)) == sorted(wanted)
        shown = PolicyGroups.of_cells(cells, bits)
        assert shown.loss_nats == pytest.approx(measured.loss_nats, abs=1e-9)
        assert shown.expected == measured.groups
