"""Every evaluator agrees with a pandas group-by to 1e-12."""

import numpy as np
import pytest
from hypothesis import given, settings
from table_twins import pandas_measures, random_bits, random_cells, seeds

from sfumato.core.errors import DataError
from sfumato.engines.tables.contingency.cells import Cells
from sfumato.engines.tables.contingency.intervals import interval_table
from sfumato.engines.tables.search import _kernels as kernels

CLOSE = {"rel": 0, "abs": 1e-12}


def nats(cells, loss):
    """Normalising by a tiny loss of the top policy magnifies the rounding; nats do not."""
    return loss * cells.loss_top_nats


def agree(cells, bits):
    fast, slow = cells.measure(bits), pandas_measures(cells, bits)
    assert fast.risk == pytest.approx(slow["risk"], **CLOSE)
    assert fast.loss * cells.loss_top_nats == pytest.approx(fast.loss_nats, **CLOSE)
    assert fast.loss_nats == pytest.approx(slow["nats"], **CLOSE)
    assert fast.groups == slow["groups"]
    assert fast.smallest_sample_group == slow["least_n"]
    assert fast.smallest_population_group == slow["least_g"]
    assert fast.below == slow["below"](*cells.least)


@settings(max_examples=25)
@given(seeds, seeds)
def test_any_policy_agrees_with_pandas(seed, other):
    cells = random_cells(
        seed, population=seed % 2 == 0, wide=seed % 3 == 0, least_sample=3, least_population=7
    )
    agree(cells, random_bits(cells, other))


def wide_cells(seed=0, population=True):
    """A product of domains far beyond 63 bits."""
    return random_cells(seed, sizes=[90] * 11, records=50, population=population)


@pytest.mark.parametrize("population", [True, False])
def test_domains_beyond_64_bits_are_exact(population):
    cells = wide_cells(population=population)
    assert cells.wide
    for k in range(6):
        agree(cells, random_bits(cells, k, share=0.05 * k))
    order = np.random.default_rng(1).permutation(cells.length)
    along = cells.walk(order)
    for k in (0, 300, 600, 900, cells.length - 1):
        bits = np.ones(cells.length, dtype=np.uint8)
        bits[order[: k + 1]] = 0
        measured = cells.measure(bits)
        assert along[k, 0] == pytest.approx(measured.risk, **CLOSE)
        assert along[k, 1] == pytest.approx(measured.loss, **CLOSE)


def test_sparse_cells_are_hashed_exactly():
    cells = random_cells(3, sizes=[500, 400, 30], records=300)
    assert not cells.wide
    assert cells.space > cells._limit  # the hash table, not the index
    for k in range(6):
        agree(cells, random_bits(cells, k, share=0.02 + 0.1 * k))


@settings(max_examples=20)
@given(seeds, seeds)
def test_a_chain_is_measured_step_by_step(seed, other):
    cells = random_cells(
        seed, population=seed % 2 == 0, wide=seed % 3 == 0, least_sample=2, least_population=5
    )
    if cells.length == 0:
        return
    order = np.random.default_rng(other).permutation(cells.length)
    along = cells.walk(order)
    bits = np.ones(cells.length, dtype=np.uint8)
    for step, bit in enumerate(order):
        bits[bit] = 0
        measured = cells.measure(bits)
        assert along[step, 0] == pytest.approx(measured.risk, **CLOSE)
        assert nats(cells, along[step, 1]) == pytest.approx(measured.loss_nats, **CLOSE)
        assert along[step, 2] == measured.below


def greedy(cells, steps=10_000):
    length = cells.length
    groups, bits = cells.bottom_groups(), np.ones(length, dtype=np.uint8)
    deltas = np.zeros((length, 3))
    kernels.all_deltas(groups, bits, cells.attribute_of_bit, cells.first, deltas, cells.nlogn)
    room = length * (length + 1) // 2 + length
    found, at = np.empty((room, 3)), np.empty((room, 2), dtype=np.int64)
    order = np.empty(length, dtype=np.int64)
    done, written = kernels.greedy(
        groups, bits, np.zeros(length, dtype=np.uint8), cells.attribute_of_bit, cells.first,
        cells.sizes, deltas, cells.nlogn, cells.scale, steps, order, found, at, 0,
    )  # fmt: skip
    return order[:done], found[:written], at[:written]


def price(here, there):
    gain, loss = here.risk - there.risk, there.loss - here.loss
    if loss <= 1e-13:
        return 0.0
    return loss / gain if gain > 1e-13 else 1e290 + loss


@settings(max_examples=15)
@given(seeds)
def test_maintained_deltas_are_exact_neighbours(seed):
    cells = random_cells(seed, population=seed % 2 == 0, wide=seed % 3 == 0)
    if cells.length == 0:
        return
    order, found, at = greedy(cells)
    assert sorted(order.tolist()) == list(range(cells.length))
    for (risk, loss, _), (step, bit) in zip(found, at, strict=True):
        bits = np.ones(cells.length, dtype=np.uint8)
        bits[order[:step]] = 0
        bits[bit] = 0
        measured = cells.measure(bits)
        assert risk == pytest.approx(measured.risk, **CLOSE)
        assert nats(cells, loss) == pytest.approx(measured.loss_nats, **CLOSE)


@settings(max_examples=10)
@given(seeds)
def test_the_chain_takes_the_best_exchange_rate(seed):
    cells = random_cells(seed, sizes=[5, 4, 3], population=seed % 2 == 0)
    order, _, _ = greedy(cells)
    bits = np.ones(cells.length, dtype=np.uint8)
    for bit in order:
        here = cells.measure(bits)
        prices = {}
        for i in np.flatnonzero(bits):
            up = bits.copy()
            up[i] = 0
            prices[int(i)] = price(here, cells.measure(up))
        assert prices[int(bit)] <= min(prices.values()) * (1 + 1e-6) + 1e-9
        bits[bit] = 0


@settings(max_examples=20)
@given(seeds, seeds)
def test_interval_tables_give_optimal_partitions(seed, other):
    """The dynamic programme against all partitions, and its flips against the evaluator."""
    wide = seed % 3 == 0
    sizes = [2, 3, 2] if wide else [6, 3, 2]  # a wide domain has four values more
    cells = random_cells(seed, sizes=sizes, population=seed % 2 == 0, wide=wide)
    bits = random_bits(cells, other)
    table = interval_table(cells, bits, 0, 6)
    weights = np.array([0.05, 0.3, 0.7])
    found, ends = table.best(weights)
    every = []
    for mask in range(32):
        policy = bits.copy()
        policy[:5] = (mask >> np.arange(5)) & 1
        m = cells.measure(policy)
        every.append((m.risk, m.loss))
    for w in weights:
        best = min((1 - w) * r + w * l for r, l in every)
        mine = min((1 - w) * r + w * l for r, l in zip(found.risk, found.loss, strict=True))
        assert mine == pytest.approx(best, **CLOSE)
    near, at = table.flips(ends, found)
    for (risk, loss), (k, bit) in zip(near, at, strict=True):
        policy = bits.copy()
        policy[:5] = found.bits[k]
        policy[bit] ^= 1
        m = cells.measure(policy)
        assert risk == pytest.approx(m.risk, **CLOSE)
        assert nats(cells, loss) == pytest.approx(m.loss_nats, **CLOSE)


def test_a_band_and_units_limit_the_partitions():
    cells = random_cells(5, sizes=[8, 2])
    cuts = np.array([1, 3, 5])
    table = interval_table(cells, np.ones(8, dtype=np.uint8), 0, 2, cuts=cuts, widest=4)
    found, _ = table.best(np.array([1e-6]))  # risk alone: the most general allowed
    assert found.bits.tolist() == [[0, 0, 0, 1, 0, 0, 0]]


def test_without_records_there_is_nothing_to_measure():
    with pytest.raises(DataError, match="no record"):
        Cells([2], np.zeros((1, 1), dtype=int), np.array([0]))


def test_given_cells_are_found_again():
    codes = np.array([[2, 0, 1, 0], [0, 1, 1, 1]])
    cells = Cells([3, 2], codes, np.array([5, 1, 0, 2]))
    assert cells.count.tolist() == [3, 5]
    assert cells.place.tolist() == [1, 0, -1, 0]
