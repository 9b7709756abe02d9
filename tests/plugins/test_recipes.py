"""The recipes of CONTRIBUTING.md, followed: one class and its registration each, and every surface knows it."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest

from sfumato.core.engine import ENGINES
from sfumato.core.exploration import load
from sfumato.core.records import FIGURES_FILE
from sfumato.engines.baskets.registry import SELECTORS
from sfumato.engines.tables.registry import LOSSES, RISKS, SHOWN, STRATEGIES
from sfumato.engines.tables.request import TablesRequest
from sfumato.engines.text.learners.registry import LEARNERS, MODELS
from sfumato.engines.text.redaction.registry import REPLACEMENTS
from sfumato.reports import write_report

PACKAGE = Path(__file__).parent / "extras" / "src"


def extra(module, name):
    """Return a class of the package of extras, which is not installed here: entry points are no help."""
    sys.path.insert(0, str(PACKAGE))
    try:
        return getattr(importlib.import_module(f"sfumato_extras.{module}"), name)
    finally:
        sys.path.remove(str(PACKAGE))


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


def test_a_learner(registered, small_samples, tmp_path):
    registered(LEARNERS, "capital", extra("learner", "Capital"))
    registered(MODELS, "capital", extra("learner", "CapitalModel"))
    values = {"corpus": small_samples / "learn.jsonl", "labels": ["NAME"], "learner": "capital",
              "ratios": [10], "folds": 2, "attackers": "none"}  # fmt: skip
    goes_round("text", values, small_samples / "bare.jsonl", tmp_path, named="capital")


# --- a replacement -----------------------------------------------------------------------------


def test_a_replacement(registered, small_samples, tmp_path):
    registered(REPLACEMENTS, "stars", extra("replacement", "Stars"))
    values = {"corpus": small_samples / "learn.jsonl", "labels": ["NAME"], "ratios": [10], "folds": 2,
              "attackers": "none"}  # fmt: skip
    release = goes_round(
        "text", values, small_samples / "bare.jsonl", tmp_path, named="stars", replace="stars"
    )
    written = (tmp_path / "released" / release.outputs[0].path).read_text(encoding="utf-8")
    assert "***NAME***" in written


# --- a measure and a strategy ------------------------------------------------------------------


def table_values(small_samples, **more):
    return {"table": small_samples / "register.csv", "schema": small_samples / "schema.toml",
            "evaluations": 200, **more}  # fmt: skip


def test_a_risk(registered, small_samples, tmp_path):
    registered(RISKS, "lone", extra("risk", "LoneShare"))
    values = table_values(small_samples, risk="lone")
    goes_round("tables", values, small_samples / "register.csv", tmp_path, named="lone")


def test_a_loss(registered, small_samples, tmp_path):
    registered(LOSSES, "groups-lost", extra("loss", "GroupsLost"))
    values = table_values(small_samples, loss="groups-lost")
    goes_round("tables", values, small_samples / "register.csv", tmp_path, named="groups-lost")


@pytest.mark.parametrize(
    "asked",
    [{}, {"population": "population.csv"}, {"min_k": 5, "suppress": 0.2},
     {"min_k": 5, "suppress": 0.2, "suppress_as": "cells"}],
)  # fmt: skip
def test_a_shown_measure(registered, small_samples, tmp_path, asked):
    """A class and its registration: the figure is explored, saved, measured on the file and reported."""
    registered(SHOWN, "crowded", extra("shown", "CrowdedShare"))
    asked = {n: small_samples / v if n == "population" else v for n, v in asked.items()}
    release = goes_round(
        "tables", table_values(small_samples, **asked), small_samples / "register.csv", tmp_path,
        named=SHOWN["crowded"].help,
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
    registered(STRATEGIES, "left-to-right", extra("strategy", "left_to_right"))
    values = table_values(small_samples, strategy="left-to-right")
    goes_round("tables", values, small_samples / "register.csv", tmp_path, named="left-to-right")


# --- a selector --------------------------------------------------------------------------------


def test_a_selector(registered, small_samples, tmp_path):
    registered(SELECTORS, "first-three", extra("selector", "FirstThree"))
    values = {"matrix": small_samples / "purchases.npz", "labels": small_samples / "purchases.labels.txt",
              "k": [5], "selector": ["first-three"], "folds": 2}  # fmt: skip
    goes_round(
        "baskets", values, small_samples / "purchases.npz", tmp_path, named="first-three",
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
