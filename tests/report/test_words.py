"""The verdict in words: checked by hand against the made-up numbers."""

from __future__ import annotations

import json

from sfumato.presentation.numbers import plain, segments
from sfumato.report.facts import gather
from sfumato.report.prose import glossary, methods, papers
from sfumato.report.words import stories


def told(tmp_path, made_up):
    return {s.engine: s for s in stories(gather([made_up(tmp_path)]))}


def sentences_of(story):
    return [*story.verdict, *story.published, *story.tradeoff, *story.attack, *story.cost, *story.assumptions]  # fmt: skip


def test_the_text_verdict_says_who_finds_what(tmp_path, made_up):
    verdict = [plain(s) for s in told(tmp_path, made_up)["text"].verdict]
    assert verdict[0] == "An attacker who reads 1,000 words finds about 18 names (15–20); at random it would be 1."  # fmt: skip
    assert "1.7% of the names stay in the text" in verdict[-1]


def test_the_tables_verdict_stands_beside_safe_harbor(tmp_path, made_up):
    story = told(tmp_path, made_up)["tables"]
    verdict = " ".join(plain(s) for s in story.verdict)
    assert "matches about 88 of 32,561 records to the right person; unchanged it would be 6,512" in verdict  # fmt: skip
    assert "Safe Harbor" in verdict
    assert story.grids["policy"].heads[-1][0] == "Safe Harbor"


def test_k_never_stands_alone(tmp_path, made_up):
    story = told(tmp_path, made_up)["baskets"]
    verdict = " ".join(plain(s) for s in story.verdict)
    assert "82% of the rows are exactly unique" in verdict
    assert any(c.state == "look" and "unique" in c.text for c in story.checks)


def test_a_risk_measured_above_the_promise_is_pointed_at(tmp_path, made_up):
    checks = told(tmp_path, made_up)["tables"].checks
    assert any(c.state == "look" and "0.0137, more than the 0.0135" in c.text for c in checks)


def test_an_attacker_above_the_bound_is_pointed_at(tmp_path, made_up):
    folder = made_up(tmp_path, "text")
    path = folder / "text" / "release" / "attack.json"
    content = json.loads(path.read_text())
    content["attack"]["B"]["ranked"]["100"] = {"found": 30, "low": 22, "high": 38}
    path.write_text(json.dumps(content))
    (story,) = stories(gather([folder]))
    assert any(c.state == "look" and "B at 100 words" in c.text for c in story.checks)


def test_every_marked_number_has_a_glossary_entry(tmp_path, made_up):
    known = glossary()
    for story in told(tmp_path, made_up).values():
        terms = {term for s in sentences_of(story) for _, term in segments(s) if term}
        terms |= {stat.term for stat in story.stats} | set(story.here)
        terms |= {term for grid in story.grids.values() for _, term in grid.heads if term}
        assert terms <= known.keys()
        assert len(terms) > 4


def test_glossary_and_methods_cite_sections_that_exist():
    entries = [*glossary().values(), *(step for steps in methods().values() for step in steps)]
    for entry in entries:
        if entry["paper"] is not None:
            assert entry["section"] in papers()[entry["paper"]]["sections"]
    for entry in glossary().values():
        assert all(entry[k] for k in ("term", "means", "formula", "inputs", "reading"))


def test_no_sentence_has_a_hole(tmp_path, made_up):
    for story in told(tmp_path, made_up).values():
        for sentence in [*sentences_of(story), *(c.text for c in story.checks)]:
            words = plain(sentence)
            assert words.endswith((".", "!"))
            assert not any(hole in words for hole in ("None", "nan", "[[", "  ", "{", " ."))


def test_fields_that_the_table_part_treated_are_no_warning(tmp_path, made_up):
    folder = made_up(tmp_path, "text", "tables")
    path = folder / "text" / "release" / "release.json"
    record = json.loads(path.read_text())
    record["how"]["fields_as_they_are"] = ["age", "zip"]
    path.write_text(json.dumps(record))
    alone, _ = stories(gather([folder]))
    assert any(c.state == "look" and "age and zip" in c.text for c in alone.checks)
    table = json.loads((folder / "tables" / "release" / "release.json").read_text())
    record["inputs"] = table["outputs"]
    path.write_text(json.dumps(record))
    joined, _ = stories(gather([folder]))
    assert not any("age and zip" in c.text for c in joined.checks)
    assert any(
        "as the table part of this report treated them: age and zip" in s for s in joined.published
    )
