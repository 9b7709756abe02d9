"""Attacks: plain counting agrees, and no attacker does better than the promise."""

import numpy as np
import pytest

from sfumato.baskets import explore
from sfumato.core.engine import Call
from sfumato.engines.baskets.attack._kernels import best_fits
from sfumato.engines.baskets.attack.linkage import Attackers, link, sample_people
from sfumato.engines.baskets.engine import ENGINE
from sfumato.engines.baskets.matrix.binary import as_binary
from sfumato.engines.baskets.records import BasketsAttack
from sfumato.engines.baskets.request import BasketsAttackRequest

from .test_engine import purchases


@pytest.fixture(scope="module")
def found():
    X, _ = purchases(n=300, d=25, seed=8)
    return X, explore(X, k=[3, 5], method=["columns", "cells", "rows"])


def by_hand(X, P, r, known):
    """Return the chance of an attacker who knows these items of person r."""
    fits = P[:, known].sum(axis=1)
    best = fits.max() if len(known) else 0
    return (fits[r] == best) / (fits == best).sum()


def test_the_chance_is_that_of_plain_counting(found):
    X, _ = found
    rng = np.random.default_rng(1)
    P = (X * (rng.random(X.shape) < 0.6)).astype(np.uint8)
    everyone = np.ones(len(X), dtype=bool)
    people = sample_people(as_binary(X), 50, 0)
    (all_items,) = Attackers(as_binary(X), people, items=[None]).on(as_binary(P), everyone)
    after = [by_hand(X, P, r, np.flatnonzero(X[r])) for r in people]
    before = [by_hand(X, X, r, np.flatnonzero(X[r])) for r in people]
    assert all_items.after == pytest.approx(np.mean(after))
    assert all_items.before == pytest.approx(np.mean(before))
    assert all_items.highest == pytest.approx(max(after))
    (rarest,) = [
        f
        for f in Attackers(as_binary(X), people, items=[2]).on(as_binary(P), everyone)
        if f.attacker == "rarest"
    ]
    order = np.argsort(X.sum(axis=0), kind="stable")
    after = [by_hand(X, P, r, [j for j in order if X[r, j]][:2]) for r in people]
    assert rarest.after == pytest.approx(np.mean(after))
    found_by_linkage = link(as_binary(P), as_binary(X), everyone, people=people)
    after = [by_hand(P, X, r, np.flatnonzero(P[r])) for r in people]
    assert found_by_linkage.after == pytest.approx(np.mean(after))


@pytest.mark.parametrize("density", [0.01, 0.4])  # a list of the rows met, and a look at all rows
def test_the_rows_that_fit_best_are_those_of_plain_counting(density):
    rng = np.random.default_rng(5)
    X = rng.random((120, 30)) < density
    published = rng.random(len(X)) < 0.8
    P = X & (rng.random(X.shape) < 0.7) & published[:, None]
    people = np.arange(len(X))
    known = [np.flatnonzero(X[r])[: rng.integers(0, 9)].astype(np.int32) for r in people]
    lacking = [np.flatnonzero(~X[r])[: rng.integers(0, 3)].astype(np.int32) for r in people]

    def flat(lists):
        return np.cumsum([0, *map(len, lists)]), np.concatenate(lists)

    columns = as_binary(P.astype(np.uint8)).columns
    count, own = best_fits(*columns, published, people, *flat(known), *flat(lacking))
    for r in people:
        out = P[:, lacking[r]].any(axis=1)
        held = np.where(out, 0, P[:, known[r]].sum(axis=1))
        best = held.max()
        fits = held == best if best else published & ~out
        assert (count[r], own[r]) == (fits.sum(), fits[r] and published[r])


def test_no_attacker_does_better_than_one_in_k(found):
    _, exploration = found
    assert {c.publish_as for c in exploration.candidates} == {"columns", "cells", "rows"}
    for candidate in exploration.candidates:
        without = [f for f in candidate.attack if f.absences == 0]
        assert len(without) == 10
        assert max(f.highest for f in without) <= 1 / candidate.k + 1e-12
        assert any(f.before > 1 / candidate.k for f in without)


def test_the_command_attacks_candidates_of_a_saved_frontier(found, tmp_path):
    X, exploration = found
    exploration.save(tmp_path)
    said = []
    request = BasketsAttackRequest(
        directory=tmp_path, matrix=X, items=[1, 0], people=40, link="cells-k5",
        candidates=["cells-k3"],
    )  # fmt: skip
    record = ENGINE.attack(request, Call(say=said.append))
    assert BasketsAttack.from_json(record.to_json()) == record
    (one,) = record.attacks
    assert one.candidate == record.candidate == "cells-k3"
    assert [f.attacker for f in one.findings] == ["random", "popular", "rarest", "all", "linkage"]
    assert len(said) == 6
