"""The recipes of CONTRIBUTING.md, followed: one class and its registration each, and every surface knows it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from sfumato.core.engine import ENGINES
from sfumato.core.errors import ModelError
from sfumato.core.exploration import load
from sfumato.core.records import FIGURES_FILE
from sfumato.engines.baskets.registry import SELECTORS
from sfumato.engines.baskets.selectors.base import ContainmentSelector
from sfumato.engines.baskets.selectors.greedy import GreedyHamDist
from sfumato.engines.tables.registry import LOSSES, RISKS, SHOWN, STRATEGIES
from sfumato.engines.tables.request import TablesRequest
from sfumato.engines.text.learners.protocol import Learner, Model
from sfumato.engines.text.learners.registry import LEARNERS, MODELS
from sfumato.engines.text.redaction.registry import REPLACEMENTS
from sfumato.engines.text.redaction.replacer import Replacer
from sfumato.reports import write_report


@pytest.fixture
def registered():
    """Return a function that registers an entry for the length of a test."""
    added = []

    def register(registry, name, entry):
        registry.register(name, entry)
        added.append((registry, name))

    yield register
    for registry, name in added:
        registry.unregister(name)


def goes_round(engine, values, data, tmp_path, *, named, **options):
    """Explore, save, load, publish and report; return the release and the page."""
    found = ENGINES[engine].explore(ENGINES[engine].Request.build(values, owner="explore"))
    folder = tmp_path / "explored"
    folder.mkdir()
    found.save(folder)
    again = load(folder)
    assert again.record == found.record
    release = again.publish(again.knee(), data, out=tmp_path / "released", **options)
    written = write_report([folder, tmp_path / "released"], out=tmp_path / "report")
    html = written["private report.html"].read_text(encoding="utf-8")
    assert named in html
    return release


# --- a learner ---------------------------------------------------------------------------------


class CapitalModel(Model):
    """Scores a capitalised word by how often capitalised words were sensitive."""

    kind = "capital"

    def __init__(self, odds):
        self.odds = odds

    @property
    def dimension(self):
        return 2.0

    def scores(self, data, *, documents=None):
        found = np.where(data.words.capital[data.rows], self.odds[1], self.odds[0])
        if documents is not None:
            found[~documents[data.document_of]] = -np.inf
        found[data.redacted] = -np.inf
        return found

    def to_arrays(self):
        return {"kind": self.kind}, {"odds": self.odds}

    @classmethod
    def from_arrays(cls, header, arrays):
        odds = np.asarray(arrays["odds"], np.float64)
        if odds.shape != (2,) or not np.isfinite(odds).all():
            raise ModelError("The model is damaged.")
        return cls(odds)


class Capital(Learner):
    name = "capital"

    def fit(self, data, labels, *, documents=None, cost_ratio=1.0, seed=0):
        chosen = data.counted if documents is None else data.counted & documents[data.document_of]
        capital = data.words.capital[data.rows]
        odds = []
        for kind in (False, True):
            own = labels[chosen & (capital == kind)]
            odds.append(np.log((own.sum() + 0.5) / (len(own) - own.sum() + 0.5)))
        return CapitalModel(np.array(odds))


def test_a_learner(registered, small_samples, tmp_path):
    registered(LEARNERS, "capital", Capital)
    registered(MODELS, "capital", CapitalModel)
    values = {"corpus": small_samples / "learn.jsonl", "labels": ["NAME"], "learner": "capital",
              "ratios": [10], "folds": 2, "attackers": "none"}  # fmt: skip
    goes_round("text", values, small_samples / "bare.jsonl", tmp_path, named="capital")


# --- a replacement -----------------------------------------------------------------------------


class Stars(Replacer):
    by_label_alone = True

    def replace(self, document_id, text, label):
        return f"***{label}***"


def test_a_replacement(registered, small_samples, tmp_path):
    registered(REPLACEMENTS, "stars", Stars)
    values = {"corpus": small_samples / "learn.jsonl", "labels": ["NAME"], "ratios": [10], "folds": 2,
              "attackers": "none"}  # fmt: skip
    release = goes_round(
        "text", values, small_samples / "bare.jsonl", tmp_path, named="stars", replace="stars"
    )
    written = (tmp_path / "released" / release.outputs[0].path).read_text(encoding="utf-8")
    assert "***NAME***" in written


# --- a measure and a strategy ------------------------------------------------------------------


@dataclass(frozen=True)
class LoneShare:
    """The share of records that stand alone in their group."""

    cells: object
    name: ClassVar[str] = "lone"
    rises: ClassVar[bool] = False

    @classmethod
    def of(cls, context):
        return cls(context.cells)

    def __call__(self, bits):
        return RISKS["small-groups"](self.cells, 2)(bits)

    @classmethod
    def on_groups(cls, groups):
        return float((groups.count == 1).sum()) / int(groups.count.sum())


@dataclass(frozen=True)
class GroupsLost:
    """The share of the distinct rows that are told apart no more."""

    cells: object
    name: ClassVar[str] = "groups-lost"
    rises: ClassVar[bool] = True

    @classmethod
    def of(cls, context):
        return cls(context.cells)

    def __call__(self, bits):
        return 1.0 - self.cells.measure(bits).groups / self.cells.occupied

    @classmethod
    def on_groups(cls, groups):
        return 1.0 - groups.count.size / groups.original.size


def one_step_at_a_time(run):
    """Generalise one cut after the other, from left to right."""
    bits = run.space.bottom.copy()
    run.measure(bits.copy())
    for place in run.space.free_bits:
        bits[place] = 0
        if run.over():
            break
        if run.space.allows(bits):
            run.measure(bits.copy())
    run.note()


def table_values(small_samples, **more):
    return {"table": small_samples / "register.csv", "schema": small_samples / "schema.toml",
            "evaluations": 200, **more}  # fmt: skip


def test_a_risk(registered, small_samples, tmp_path):
    registered(RISKS, "lone", LoneShare)
    values = table_values(small_samples, risk="lone")
    goes_round("tables", values, small_samples / "register.csv", tmp_path, named="lone")


def test_a_loss(registered, small_samples, tmp_path):
    registered(LOSSES, "groups-lost", GroupsLost)
    values = table_values(small_samples, loss="groups-lost")
    goes_round("tables", values, small_samples / "register.csv", tmp_path, named="groups-lost")


class CrowdedShare:
    """The share of records in groups that at least five people of the population fit."""

    name: ClassVar[str] = "crowded"
    help: ClassVar[str] = "Share of records in groups of five people or more."

    @staticmethod
    def of_groups(groups):
        return float(groups.count[groups.people >= 5].sum()) / groups.records

    @staticmethod
    def of_file(groups):
        return float(groups.count[groups.people >= 5].sum()) / int(groups.count.sum())


@pytest.mark.parametrize(
    "asked",
    [{}, {"population": "population.csv"}, {"min_k": 5, "suppress": 0.2},
     {"min_k": 5, "suppress": 0.2, "suppress_as": "cells"}],
)  # fmt: skip
def test_a_shown_measure(registered, small_samples, tmp_path, asked):
    """A class and its registration: the figure is explored, saved, measured on the file and reported."""
    registered(SHOWN, "crowded", CrowdedShare)
    asked = {n: small_samples / v if n == "population" else v for n, v in asked.items()}
    release = goes_round(
        "tables", table_values(small_samples, **asked), small_samples / "register.csv", tmp_path,
        named=CrowdedShare.help,
    )  # fmt: skip
    knee = load(tmp_path / "explored").knee()
    assert 0 < knee.shown["crowded"] <= 1
    assert release.measured.shown["crowded"] == pytest.approx(knee.shown["crowded"], abs=1e-12)
    figures = json.loads((tmp_path / "released.private" / FIGURES_FILE).read_text())
    assert figures["measured"]["shown"]


@pytest.mark.parametrize("name", list(SHOWN))
def test_a_shown_measure_is_the_same_in_the_file(name, small_samples, tmp_path):
    """Every figure of the search is measured again on the published file."""
    values = table_values(small_samples, evaluations=50)
    found = ENGINES["tables"].explore(TablesRequest.build(values, owner="explore"))
    knee = found.knee()
    release = found.publish(knee, small_samples / "register.csv", out=tmp_path / "released")
    explored, measured = (getattr(record, name) for record in (knee, release.measured))
    if name == "risks":
        explored, measured = (
            record.model_dump(exclude={"estimate"}) for record in (explored, measured)
        )
    assert measured == pytest.approx(explored, abs=1e-9)


def test_a_strategy(registered, small_samples, tmp_path):
    registered(STRATEGIES, "steps", one_step_at_a_time)
    values = table_values(small_samples, strategy="steps")
    goes_round("tables", values, small_samples / "register.csv", tmp_path, named="steps")


# --- a selector --------------------------------------------------------------------------------


class Frequent(ContainmentSelector):
    """Keeps the first three features that the greedy test of containment accepts."""

    def __init__(self, k=5, *, binarize=None):
        self.k, self.binarize = k, binarize

    def _select(self, rows, positive):
        return GreedyHamDist(self.k).fit(rows, positive).selected_[:3]


def test_a_selector(registered, small_samples, tmp_path):
    registered(SELECTORS, "frequent", Frequent)
    values = {"matrix": small_samples / "purchases.npz", "labels": small_samples / "purchases.labels.txt",
              "k": [5], "selector": ["frequent"], "folds": 2}  # fmt: skip
    goes_round(
        "baskets", values, small_samples / "purchases.npz", tmp_path, named="frequent",
        labels=small_samples / "purchases.labels.txt",
    )  # fmt: skip


def test_every_registry_is_what_its_option_offers():
    from sfumato.core.request import parameters

    text, tables = parameters(ENGINES["text"].Request), parameters(ENGINES["tables"].Request)
    offered = {
        "learner": (text["learner"], LEARNERS),
        "strategy": (tables["strategy"], STRATEGIES),
        "risk": (tables["risk"], RISKS),
        "loss": (tables["loss"], LOSSES),
    }
    for name, (about, registry) in offered.items():
        assert set(registry) <= set(about.choices()), name
    replace = parameters(ENGINES["text"].PublishRequest)
    assert any(set(REPLACEMENTS) <= set(p.choices()) for p in replace.values() if p.choices)
    chosen = parameters(ENGINES["baskets"].Request)["selector"]
    assert set(SELECTORS) <= set(chosen.choices())
    assert json.dumps(list(SELECTORS))
