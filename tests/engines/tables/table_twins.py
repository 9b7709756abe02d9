"""Slow, plain twins of the tables engine, and small random tables to compare them on."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from sfumato.engines.tables.contingency.cells import Cells
from sfumato.engines.tables.contingency.widths import spanned_values
from sfumato.engines.tables.space.constraints import AttributeRule, Space


def random_cells(seed, *, sizes=None, records=60, population=True, wide=False, **least):
    """Return random cells; a wide table declares two values more than occur at each end of a domain."""
    draw = np.random.default_rng(seed)
    sizes = list(draw.integers(1, 6, size=int(draw.integers(1, 5)))) if sizes is None else sizes
    codes = np.stack([draw.integers(0, s, size=records) for s in sizes])
    weights = 1 + draw.integers(0, 3, size=records)
    people = (None, None)
    if population:
        many = 2 * records
        people = (
            np.stack([draw.integers(0, s, size=many) for s in sizes]),
            draw.integers(0, 9, size=many),
        )
    if not wide:
        return Cells([int(s) for s in sizes], codes, weights, *people, **least)
    counts = [np.bincount(c + 2, minlength=s + 4) for c, s in zip(codes, sizes, strict=True)]
    spanned = [spanned_values([""] * held.size, held) for held in counts]
    if population:
        people = (people[0] + 2, people[1])
    return Cells([len(s) for s in spanned], codes + 2, weights, *people, spanned=spanned, **least)


def random_bits(cells, seed, share=None):
    draw = np.random.default_rng(seed)
    share = draw.random() if share is None else share
    return (draw.random(cells.length) < share).astype(np.uint8)


def plain_space(cells):
    return Space([AttributeRule(f"a{i}", int(s)) for i, s in enumerate(cells.sizes)])


def pandas_measures(cells, bits):
    """Group, join, add up: what a user would write with pandas."""
    names = [f"q{a}" for a in range(cells.attributes)]
    sample = pd.DataFrame(dict(zip(names, cells.codes[:, : cells.occupied], strict=True)))
    people = pd.DataFrame(dict(zip(names, cells.codes, strict=True)))
    sample["n"], people["g"] = cells.count, cells.weight
    top = np.zeros_like(bits)

    def sums(policy):
        result = []
        for frame in (sample, people):
            frame = frame.copy()
            for a, name in enumerate(names):
                part = policy[cells.first[a] : cells.first[a + 1]]
                frame[name] = np.concatenate(([0], np.cumsum(part))).astype(int)[frame[name]]
            result.append(frame.groupby(names, as_index=False).sum())
        groups = result[0].merge(result[1], on=names, how="left").fillna({"g": 0})
        size = np.maximum(groups["n"], groups["g"])
        risk = (groups["n"] / size).sum()
        spread = 0.0
        for a, name in enumerate(names):
            part = policy[cells.first[a] : cells.first[a + 1]]
            counts = np.ones(len(part) + 1)
            if not cells.widths.counted(a).all():  # a domain that is declared wider than the data
                counts = np.zeros(len(part) + 1)
                counts[sample[name].min() : sample[name].max() + 1] = 1
            width = np.bincount(np.concatenate(([0], np.cumsum(part))).astype(int), counts)
            spread += (groups["n"] * np.log(width[groups[name]])).sum()
        base = (sample["n"] * np.log(sample["n"])).sum()
        nats = (base - (groups["n"] * np.log(groups["n"])).sum() + spread) / sample["n"].sum()
        return risk, nats, groups, size

    risk, nats, groups, size = sums(bits)
    risk_0 = sums(np.ones_like(bits))[0]
    nats_top = sums(top)[1]
    return {
        "risk": risk / risk_0,
        "nats": nats,
        "loss": nats / nats_top if nats_top > 1e-12 else nats,
        "groups": len(groups),
        "least_n": groups["n"].min(),
        "least_g": size.min(),
        "below": lambda k, g: groups["n"][(groups["n"] < k) | (size < g)].sum(),
    }


seeds = st.integers(0, 10_000)
