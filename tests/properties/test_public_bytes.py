"""What is public is a function of what is published: a raw value that changes inside its band changes no public byte.

The property is checked on whole releases and reports, marks under the private key aside. Each case makes a small
data set, publishes it, changes what the release does not show, publishes again and compares every byte that
may be given out: the data, release.json, facts.json, report.html and, once per engine, report.pdf.
"""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import baskets, tables, text
from sfumato.core.errors import SfumatoError
from sfumato.data.document import Document, Span
from sfumato.reports import ReportForm, write_report

_MARK = re.compile(rb"[0-9a-f]{64}")


def public_bytes(release: Path, report: Path) -> dict[str, bytes]:
    """Return every public file of a release and its report, keyed marks blanked."""
    files = [p for folder in (release, report) for p in sorted(folder.rglob("*")) if p.is_file()]
    marks = set(_marks(json.loads((release / "release.json").read_text(encoding="utf-8"))))
    found = {}
    for path in files:
        content = path.read_bytes()
        if path.suffix != ".pdf":
            content = _MARK.sub(lambda m: b"MARK" if m[0].decode() in marks else m[0], content)
        found[path.name] = content
    facts = found["facts.json"]
    # The page and the PDF name the hash of facts.json, which the marks are part of.
    return found | {"facts.json": facts, "report.html": _without_hash(found["report.html"])}


def _without_hash(page: bytes) -> bytes:
    return _MARK.sub(b"HASH", page)


def _marks(value: object):
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in {"hmac", "frontier"} and isinstance(inner, str):
                yield inner
            else:
                yield from _marks(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _marks(inner)


def released(publish, folder: Path, *frontiers: Path, pdf: bool = False) -> dict[str, bytes]:
    """Publish into a folder, report on it, and return what is public."""
    folder.mkdir()
    publish(folder / "out")
    form = ReportForm(pdf=pdf, interactive=False)
    write_report([*frontiers, folder / "out"], form, out=folder / "report")
    return public_bytes(folder / "out", folder / "report")


# --- tables ----------------------------------------------------------------------------------------


AGES, AREAS = 12, ("n", "e", "s", "w")


def register(seed: int, rows: int) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    return pd.DataFrame({
        "age": draw.integers(0, AGES, rows).astype(str),
        "area": draw.choice(AREAS, rows),
        "illness": draw.choice(["a", "b", "c"], rows),
        "pay": draw.integers(1_000, 9_999, rows),
    })  # fmt: skip


def register_schema(treatment: dict | None) -> dict:
    pay = {"name": "pay", "role": "other"} | ({"publish": treatment} if treatment else {})
    return {
        "attribute": [
            {"name": "age", "role": "quasi", "domain": {"range": [0, AGES - 1]}},
            {"name": "area", "role": "quasi", "domain": {"values": list(AREAS)}},
            {"name": "illness", "role": "sensitive"},
            pay,
        ]
    }


def population(seed: int) -> pd.DataFrame:
    draw = np.random.default_rng(seed + 1)
    cells = [(str(a), b) for a in range(AGES) for b in AREAS]
    counts = draw.integers(3, 90, len(cells))
    return pd.DataFrame(cells, columns=["age", "area"]).assign(count=counts)


def neighbour(
    frame: pd.DataFrame, policy: dict[str, tuple[int, ...]], row: int, draw
) -> pd.DataFrame | None:
    """Return the table with one raw value changed inside its published interval, if it holds another."""
    changed = frame.copy()
    for column, domain in (("age", [str(a) for a in range(AGES)]), ("area", list(AREAS))):
        ends = policy[column]
        at = domain.index(frame[column].iloc[row])
        low = max((e + 1 for e in ends if e < at), default=0)
        high = min(e for e in ends if e >= at)
        others = [v for v in domain[low : high + 1] if v != domain[at]]
        if others:
            changed.loc[row, column] = draw.choice(others)
            return changed
    return None


@settings(max_examples=12)
@given(seed=st.integers(0, 10_000), with_population=st.booleans(), reexplore=st.booleans())
def test_tables(tmp_path_factory, seed, with_population, reexplore):
    folder = tmp_path_factory.mktemp("tables")
    draw = np.random.default_rng(seed)
    frame, schema = register(seed, int(draw.integers(30, 90))), register_schema({"round": 500})
    extra = {"population": population(seed)} if with_population else {}
    found = tables.explore(frame, schema=schema, evaluations=40, min_k=3, **extra)
    if not len(found):
        return
    chosen = list(found)[int(draw.integers(len(found)))]
    changed = neighbour(frame, chosen.ends, int(draw.integers(len(frame))), draw)
    if changed is None:
        return
    # The payment moves inside the step that it is rounded to.
    changed["pay"] = (changed["pay"] // 500) * 500 + changed["pay"] % 250
    frame["pay"] = (frame["pay"] // 500) * 500 + (frame["pay"] * 7) % 250
    both = []
    for name, data in (("before", frame), ("after", changed)):
        path = folder / name / "register.csv"
        path.parent.mkdir()
        data.to_csv(path, index=False)
        own = found
        if reexplore and name == "after":
            own = tables.explore(data, schema=schema, evaluations=40, min_k=3, **extra)
            if chosen.id not in {c.id for c in own.candidates}:
                return
        own.save(folder / name / "frontier")
        how = {"accept_shift": True, "accept_worse": True}
        both.append(
            released(
                lambda out, own=own, path=path, how=how: own.publish(
                    chosen.id, path, out=out, **how
                ),
                folder / name / "given",
                folder / name / "frontier",
            )
        )
    assert both[0] == both[1]


# --- baskets ---------------------------------------------------------------------------------------


@settings(max_examples=6)
@given(seed=st.integers(0, 10_000))
def test_baskets_an_item_that_is_not_published(tmp_path_factory, seed):
    folder = tmp_path_factory.mktemp("baskets")
    draw = np.random.default_rng(seed)
    matrix = (draw.random((60, 10)) < np.linspace(0.85, 0.05, 10)).astype(np.int8)
    names = [f"item{i}" for i in range(10)]
    (folder / "data.features.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
    sp.save_npz(folder / "data.npz", sp.csr_matrix(matrix))
    found = baskets.explore(folder / "data.npz", k=[5], publish_as=["columns"])
    chosen = next((c for c in found if len(c.features) < 10), None)
    if chosen is None:
        return
    hidden = [i for i, name in enumerate(names) if name not in chosen.features]
    found.save(folder / "frontier")
    both = []
    for flip in (False, True):
        data = matrix.copy()
        if flip:
            row, item = int(draw.integers(60)), int(draw.choice(hidden))
            data[row, item] ^= 1
        own = folder / f"own{flip}"
        own.mkdir()
        (own / "data.features.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
        sp.save_npz(own / "data.npz", sp.csr_matrix(data))
        both.append(
            released(
                lambda out, own=own: found.publish(
                    chosen.id, own / "data.npz", out=out, accept_shift=True
                ),
                folder / f"given{flip}",
                folder / "frontier",
            )
        )
    assert both[0] == both[1]


# --- text ------------------------------------------------------------------------------------------


NAMES = ("Ada", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana")


def letters(seed: int, many: int) -> list[Document]:
    draw = np.random.default_rng(seed)
    found = []
    for i in range(many):
        name = str(draw.choice(NAMES))
        start = f"Note {i % 7} about our patient "
        found.append(
            Document(
                f"d{i}",
                f"{start}{name} who slept well.",
                (Span(len(start), len(start) + len(name), "NAME"),),
            )
        )
    return found


@pytest.fixture(scope="module")
def names_model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names") / "frontier"
    found = text.explore(letters(0, 60), labels=["NAME"], ratios=[10], attackers=[], folds=3)
    found.save(folder)
    return found, folder


@settings(max_examples=6)
@given(seed=st.integers(0, 10_000))
def test_text_a_redacted_word(names_model, tmp_path_factory, seed):
    found, frontier = names_model
    folder = tmp_path_factory.mktemp("text")
    draw = np.random.default_rng(seed)
    before = letters(seed, 20)
    place = int(draw.integers(20))
    both, texts = [], []
    for name, changed in (("before", False), ("after", True)):
        (folder / name).mkdir()
        path = folder / name / "letters.jsonl"
        lines = []
        for i, letter in enumerate(before):
            written = letter.text
            if changed and i == place:
                span = letter.spans[0]
                other = str(draw.choice([n for n in NAMES if n != written[span.start : span.end]]))
                written = written[: span.start] + other + written[span.end :]
            lines.append(json.dumps({"id": letter.id, "text": written}) + "\n")
        path.write_text("".join(lines), encoding="utf-8")
        try:
            made = released(
                lambda out, path=path: found.publish("r10", path, out=out, accept_shift=True),
                folder / name / "given",
                frontier,
            )
        except SfumatoError:
            return  # too much was left, and nothing was published
        both.append(made)
        texts.append(made["letters.jsonl"])
    if texts[0] == texts[1]:  # the word was redacted in both
        assert both[0] == both[1]
