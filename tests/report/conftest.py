"""Folders made up after the contract of frontier.json, release.json and attack.json, for the report's tests."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path

import pytest

VERSION = "0.1.0"
BUDGETS = (10, 100, 1000)


def digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def found(value: float, spread: float) -> dict:
    return {"found": round(value, 3), "low": round(max(value - spread, 0), 3), "high": round(value + spread, 3)}  # fmt: skip


def attack_of(share_at_100: float, left: int, words: int, *, scale: float = 1.0) -> dict:
    """One attacker: precision falls with the budget, at random it is left / words."""
    ranked = {
        str(b): min(b * share_at_100 * (100 / b) ** 0.45, left * 0.9) * scale for b in BUDGETS
    }
    base = left / words
    tp = max(int(left * 0.02), 1)
    return {
        "learner": "crf", "tp": tp, "fp": tp * 12, "fn": left - tp, "tn": words - left - tp * 12,
        "ranked": {b: found(min(v, int(b)), 0.6 * math.sqrt(v + 1)) for b, v in ranked.items()},
        "unordered": {str(b): found(b * share_at_100 * 0.4, 1) for b in BUDGETS},
        "random": {str(b): found(b * base, 0) for b in BUDGETS},
    }  # fmt: skip


def text_frontier() -> dict:
    words, sensitive = 301_418, 17_050
    candidates = []
    for ratio, leaked, wrong, rounds in ((1, 903, 702, 1), (2, 610, 1105, 1.25), (5, 398, 1811, 1.5),
                                         (10, 288, 2350, 2), (20, 201, 3620, 2.25), (50, 118, 6950, 2.75)):  # fmt: skip
        candidates.append({
            "id": f"ratio-{ratio}", "ratio": ratio, "rounds": rounds,
            "published": 1 - (sensitive - leaked + wrong) / words, "leaked": leaked,
            "false_positives": wrong, "total_loss": ratio * leaked + wrong, "dominated": False,
            "risk": leaked / sensitive,
            "risk_interval": [leaked / sensitive * 0.85, leaked / sensitive * 1.15],
            "utility": 1 - (sensitive - leaked + wrong) / words,
            "utility_interval": [1 - (sensitive - leaked + wrong) / words - 0.002,
                                 1 - (sensitive - leaked + wrong) / words + 0.002],
            "attack": {
                "A": attack_of(0.5 / (1 + ratio) ** 1.1, leaked, words),
                "B": attack_of(0.62 / (1 + ratio) ** 1.05, leaked, words),
                "outside": attack_of(0.9 / (1 + ratio) ** 1.02, leaked, words),
            },
            "bounds": {
                "theorem 3": {"value": (words - sensitive) / ratio, "applies": True, "vacuous": True,
                              "assumptions": [{"name": "optimal attacker", "holds": None, "text": "x"},
                                              {"name": "local optimum", "holds": True, "text": "x"}],
                              "sentence": "x"},
            },
        })  # fmt: skip
    literal = attack_of(0.405, 1599, words)
    literal["ranked"]["1000"] = found(183, 20)
    return {
        "engine": "text", "seed": 0, "version": VERSION, "area": 0.0071, "evaluations": 6,
        "seconds": 81.2, "labels": ["NAME"], "mode": "honest", "learner": "selection", "folds": 4,
        "words": words, "sensitive_words": sensitive,
        "inputs": [{"path": "/somewhere/private/newswire.jsonl", "sha256": digest("newswire"), "rows": 1393}],
        "axes": {"risk": "share of the sensitive words left", "utility": "share of words published"},
        "candidates": candidates,
        "references": [{"name": "Literal Algorithm 1", "risk": 1599 / sensitive, "utility": 0.946, "ratio": 10,
                        "leaked": 1599, "published": 0.946, "total_loss": 16846, "rounds": 4.75,
                        "attack": {"A": attack_of(0.33, 1599, words), "B": literal,
                                   "outside": attack_of(0.6, 1599, words)}},
                       {"name": "No sanitising", "risk": 1.0, "utility": 1.0}],
    }  # fmt: skip


def text_release() -> dict:
    return {
        "engine": "text", "candidate": "ratio-10", "seed": 0,
        "inputs": [{"path": "/somewhere/private/new.jsonl", "sha256": digest("new"), "rows": 400}],
        "outputs": [{"path": "out/new.jsonl", "sha256": digest("out"), "rows": 399}],
        "how": {"ratio": 10, "replacement": "placeholder", "learner": "selection"},
        "counts": {"documents": 399, "words": 88_120, "redacted": {"NAME": 5021}, "withheld": 1},
        "risk": {"value": 288 / 17050, "interval": [0.0143, 0.0194], "level": 0.95, "method": "bootstrap", "modelled": False, "attacker": "x"},
        "utility": {"value": 0.9366, "interval": None, "level": None, "method": None, "modelled": False, "kept": "x"},
        "measured": {}, "withheld": [{"id": "doc-7", "reason": "x"}],
        "versions": {"sfumato": VERSION, "python": "3.11.9", "numpy": "2.4.0"},
    }  # fmt: skip


def text_attack() -> dict:
    return {
        "engine": "text", "candidate": "ratio-10",
        "attack": {"A": attack_of(0.03, 84, 88_120), "B": attack_of(0.035, 84, 88_120),
                   "outside": attack_of(0.05, 84, 88_120)},
        "headline": {"budget": 1000, "found": 17, "low": 12, "high": 22, "random": 0.95},
    }  # fmt: skip


def bins(low: int, high: int, width: int) -> list:
    return [[a, min(a + width - 1, high)] for a in range(low, high + 1, width)]


def tables_frontier() -> dict:
    candidates = []
    for i in range(60):
        risk = 10 ** (-4.6 + 4.6 * i / 59)
        utility = min(0.999, 0.30 + 0.7 * (i / 59) ** 0.55)
        width = max(1, 40 - int(i * 0.68))
        candidates.append({
            "id": f"p{i:03d}", "risk": risk, "risk_interval": None, "utility": utility,
            "utility_interval": None, "loss_nats": 4.1 * (1 - utility),
            "policy": {
                "age": bins(0, 120, width),
                "sex": ["Female", "Male"] if i > 8 else ["Female|Male"],
                "race": ["White", "Black|Other", "Asian"] if i > 20 else ["White|Black|Other|Asian"],
                "zip": bins(37010, 38589, max(1, 400 - i * 6)),
            },
            "smallest_population_group": max(1, 60 - i) + 0.5, "k": max(1, 20 - i // 2),
            "l_diversity": {"income": 1 if i > 30 else 2}, "t_closeness": {"income": 0.01 * i},
            "groups": [
                {"low": 1, "high": 1, "records": i, "risk_share": 0.02},
                {"low": 2, "high": 4, "records": 4 * i, "risk_share": 0.10},
                {"low": 5, "high": 19, "records": 900, "risk_share": 0.31},
                {"low": 20, "high": 99, "records": 6100, "risk_share": 0.34},
                {"low": 100, "high": 999, "records": 14000, "risk_share": 0.17},
                {"low": 1000, "high": None, "records": 11561 - 5 * i, "risk_share": 0.06},
            ],
        })  # fmt: skip
    visited = [(10 ** (-4.4 + 4.4 * ((i * 37) % 600) / 599), max(0.02, 0.99 * (((i * 37) % 600) / 599) ** 0.55 * (0.4 + 0.6 * ((i * 61) % 97) / 96))) for i in range(600)]  # fmt: skip
    return {
        "engine": "tables", "seed": 3, "version": VERSION, "area": 0.0815, "evaluations": 14_780,
        "seconds": 17.3, "strategy": "exchange", "population_cells": 277_314, "expected_reidentified": 6512.4, "records": 32_561,
        "inputs": [{"path": "/somewhere/private/adult.csv", "sha256": digest("adult"), "rows": 32_561}],
        "axes": {"risk": "equation 2", "utility": "1 − loss/loss(top)"},
        "candidates": candidates, "visited": {"risk": [r for r, _ in visited], "loss": [1 - u for _, u in visited]},
        "frontier": {"policies": 60, "listed": 60, "note": "x", "risk": ",".join(f"{c['risk']:.13g}" for c in candidates),
                     "loss": ",".join(f"{1 - c['utility']:.13g}" for c in candidates), "bits": "00,01"},
        "groups_before": [{"low": 1, "high": 1, "records": 900, "risk_share": 0.4}, {"low": 2, "high": 4, "records": 4100, "risk_share": 0.3},
                          {"low": 5, "high": 19, "records": 15_000, "risk_share": 0.2}, {"low": 20, "high": 99, "records": 12_561, "risk_share": 0.1}],
        "schema": {"missing": "value", "attribute": [{"name": n, "role": "quasi"} for n in ("age", "sex", "race", "zip")] + [{"name": "income", "role": "sensitive"}]},
        "trace": [{"evaluations": n, "seconds": n / 7, "area": 0.0775 + 0.9 / n**0.6} for n in (1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 14780)],
        "references": [{"name": "Safe Harbor", "risk": 0.081, "utility": 0.639,
                        "policy": {"age": [[i, i] for i in range(90)] + [[90, 120]],
                                   "sex": ["Female", "Male"], "race": ["White", "Black", "Other", "Asian"],
                                   "zip": [[37010, 37099], [37100, 37199], [37200, 37299], [37300, 38589]]}}],
    }  # fmt: skip


def tables_release() -> dict:
    return {
        "engine": "tables", "candidate": "p035", "seed": 3,
        "inputs": [{"path": "adult.csv", "sha256": digest("adult"), "rows": 32_561}],
        "outputs": [{"path": "adult_published.csv", "sha256": digest("adult out"), "rows": 32_561}],
        "how": {"identifiers_removed": ["name"], "columns_kept": ["age", "sex", "race", "zip", "income"], "columns_not_in_schema": []},
        "counts": {"rows": 32_561}, "risk": None, "utility": None,
        "measured": {"risk": 0.0137}, "withheld": [],
        "versions": {"sfumato": VERSION, "python": "3.11.9", "numpy": "2.4.0"},
    }  # fmt: skip


def baskets_frontier() -> dict:
    candidates = []
    for k, count, unique, auc in ((2, 16, 0.97, 0.849), (5, 14, 0.91, 0.846), (8, 13, 0.82, 0.843), (11, 12, 0.71, 0.839), (20, 10, 0.55, 0.832), (50, 8, 0.31, 0.801)):  # fmt: skip
        candidates.append({
            "id": f"information-{k}", "k": k, "features": [f"feature {i}" for i in range(count)],
            "count": count, "ac": k + (k % 3), "unique_share": unique, "auc": auc, "selector": "information",
            "risk": 1 / k, "risk_interval": None, "utility": auc,
            "utility_interval": [auc - 0.006, auc + 0.006],
            "ac_under_absences": {"1": max(k // 3, 1), "2": max(k // 6, 1), "3": 1},
            "absences_exact": {"1": True, "2": True, "3": False},
        })  # fmt: skip
    return {
        "engine": "baskets", "seed": 1, "version": VERSION, "area": 0.18, "evaluations": 6, "seconds": 2.0,
        "selector": "information", "stop": "never", "rows": 32_561, "features_offered": 19,
        "inputs": [{"path": "adult19.csv", "sha256": digest("adult19"), "rows": 32_561}],
        "axes": {"risk": "1/k", "utility": "AUC"}, "candidates": candidates,
        "references": [{"name": "full feature set", "risk": 1.0, "utility": 0.852, "ac": 1, "unique_share": 0.99}],
    }  # fmt: skip


MADE_UP = {
    "text": {"frontier.json": text_frontier, "release/release.json": text_release, "release/attack.json": text_attack},
    "tables": {"frontier.json": tables_frontier, "release/release.json": tables_release},
    "baskets": {"frontier.json": baskets_frontier},
}  # fmt: skip


def make(folder: Path, *engines: str) -> Path:
    for engine in engines or MADE_UP:
        for name, content in MADE_UP[engine].items():
            path = folder / engine / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(content()), encoding="utf-8")
    return folder


@pytest.fixture
def made_up():
    """Give the function that writes made-up folders."""
    return make


@pytest.fixture
def contents():
    """Give the made-up files as functions, by engine and name."""
    return MADE_UP


if __name__ == "__main__":
    import sys

    make(Path(sys.argv[1]))
