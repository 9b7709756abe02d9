"""A report is about one release: the one that was approved, or written last, with its approval, its audit and its attack."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace

import pytest
from tests.conftest import sfumato

from sfumato.core.approval import APPROVAL_FILE, Approval, Look
from sfumato.core.engine import ENGINES
from sfumato.core.files import sha256_of, write_json
from sfumato.core.statistics.shift import DIFFERENT
from sfumato.core.storage.private_folder import write_private
from sfumato.presentation.language import speaking
from sfumato.presentation.numbers import about, plain
from sfumato.reports.facts import ReportFacts
from sfumato.reports.parts import find_parts, public_parts, stories


@pytest.fixture(scope="module")
def project(written, tmp_path_factory):
    """A frontier with two releases of it in one folder, the first one written last."""
    place = tmp_path_factory.mktemp("project")
    shutil.copytree(written / "text-explored", place / "frontier")
    shutil.copytree(written / "text-attack", place / "attack")
    for ratio in (10, 1):
        out = place / "releases" / f"r{ratio}"
        out.parent.mkdir(exist_ok=True)
        sfumato("text", "publish", place / "frontier", written / "bare.jsonl", "--ratio", ratio, "--out",
                out, "--quiet")  # fmt: skip
    os.utime(place / "releases" / "r10" / "release.json", (1, 1))
    (place / "attack" / "attack.json").unlink()
    return place


def approve(out, **changes):
    mark = sha256_of(out / "release.json")
    looks = (Look(document=3, seconds=40, to_the_end=True), Look(document=7, seconds=2))
    found = Approval(
        release=changes.get("release", mark), candidate="r10", by="MM", at="2026-11-16T12:30:00Z",
        documents_seen=2, looks=looks, corrections=3,
    )  # fmt: skip
    write_private(out, APPROVAL_FILE, json.dumps(found.to_json()).encode())


def test_the_last_release_is_reported_and_the_others_are_listed(project):
    (part,) = find_parts([project])
    assert part.release.candidate == "r1"
    assert part.others == ("r10",)
    (story,) = stories([part])
    assert story.title.endswith("(r1)")
    assert any("this report is not about: r10." in s for s in story.published)
    assert story.checks[0].state == "open"
    assert "Nobody has approved" in story.checks[0].text


def test_an_approved_release_comes_first_with_who_when_and_what(project, tmp_path):
    place = tmp_path / "project"
    shutil.copytree(project, place)
    approve(place / "releases" / "r10", release="0" * 64)  # of another version: void
    assert find_parts([place])[0].release.candidate == "r1"
    approve(place / "releases" / "r10")
    (part,) = find_parts([place])
    assert part.release.candidate == "r10"
    (story,) = stories([part])
    assert story.checks[0].state == "holds"
    assert story.checks[0].text == (
        "Candidate r10 was approved by MM on 16 November 2026 at 12:30 UTC, who had seen 2 documents of it, "
        "1 to the end. They read for 42 seconds. Earlier reviews made 3 corrections."
    )
    facts = ReportFacts((part,)).to_json()["parts"][0]
    assert facts["approval"]["by"] == "MM"
    assert facts["others"] == ["r1"]


def test_a_release_that_is_named_is_reported(project):
    (part,) = find_parts([project / "frontier", project / "releases" / "r10"])
    assert part.release.candidate == "r10"
    assert part.others == ()
    both = find_parts(
        [project / "frontier", project / "releases" / "r10", project / "releases" / "r1"]
    )
    assert sorted(p.release.candidate for p in both) == ["r1", "r10"]


def test_nothing_of_the_approval_is_in_the_edition_that_is_given_out(project, tmp_path):
    place = tmp_path / "project"
    shutil.copytree(project, place)
    approve(place / "releases" / "r10")
    sfumato("report", place, "--static", "--out", tmp_path / "report", "--quiet")
    assert "approved by MM" in (tmp_path / "report.private" / "report.html").read_text()
    assert "MM" not in (tmp_path / "report" / "facts.json").read_text()
    assert "approved by" not in (tmp_path / "report" / "report.html").read_text()


def test_the_documents_with_a_leak_stand_first_and_an_audit_follows(project, tmp_path):
    place = tmp_path / "project"
    shutil.copytree(project, place)
    out = place / "releases" / "r1"
    audit = {
        "engine": "text", "release": sha256_of(out / "release.json"), "kind": "documents", "candidate": "r1",
        "drawn": 20, "leaking": 16, "marked": 30, "measured": {"value": 0.8, "low": 0.563, "high": 0.943},
        "promised": None, "bound": None, "seed": 0,
    }  # fmt: skip
    write_json(out.with_name("r1.audit-documents.json"), audit)
    (part,) = find_parts([place])
    (story,) = stories([part])
    said = [plain(sentence) for sentence in story.verdict]
    documents, leak = part.release.counts["documents"], part.release.documents_with_leak
    expected = f"In {documents} documents expect about {about(leak.value * documents)} "
    first = next(s for s in said if "documents expect about" in s)
    assert expected in first
    assert said.index(first) <= 1  # only that the documents differ comes before it
    assert said[said.index(first) + 1] == (
        "An audit read 20 documents of this release, drawn at random: 16 hold something that should have been "
        "redacted (80%; 56.3%–94.3%)."
    )
    audit["release"] = "0" * 64  # of another version of the release
    write_json(out.with_name("r1.audit-documents.json"), audit, force=True)
    assert find_parts([place])[0].audits == ()


def test_the_figures_of_the_card_are_those_of_the_sentences(project):
    (story,) = stories(find_parts([project]))
    words = " ".join(plain(s) for s in story.verdict)
    shown = {stat.label: stat.value for stat in story.stats}
    assert f"{shown['of the words published']} of the words are published" in words
    assert f"About {shown['of the sensitive words left']} (" in words
    assert "would be published" not in words


def test_what_holds_is_not_open_elsewhere(written, project, tmp_path):
    """Documents that were learned from are one fact: it is said once, and it does not hold."""
    out = tmp_path / "learned"
    sfumato("text", "publish", written / "text-explored", written / "learn.jsonl", "--ratio", 10, "--out", out,
            "--quiet")  # fmt: skip
    (story,) = stories(find_parts([written / "text-explored", out]))
    learned = [c for c in story.checks if "learned from" in c.text]
    assert [c.state for c in learned] == ["open"]


TOPICS = (
    "learned from",
    "processed",
    "approved",
    "bound C/(L+C)",
    "read back",
    "unique",
    "Safe Harbor",
    "attack",
)


@pytest.mark.parametrize("public", [False, True], ids=["steward", "public"])
def test_nothing_holds_beside_an_open_on_the_same_fact(written, project, public):
    parts = [*find_parts([written]), *find_parts([project])]
    parts = public_parts(parts) if public else parts
    for story in stories(parts, public=public):
        for topic in TOPICS:
            states = {check.state for check in story.checks if topic in check.text}
            assert "holds" not in states or states == {"holds"}, (topic, story.checks)


def test_the_edition_that_is_given_out_does_not_deny_what_the_steward_has(written):
    """Frontier and attack are the steward's: a public report says where they are, not that there are none."""
    parts = public_parts(find_parts([written]))
    told = {story.engine: story for story in stories(parts, public=True)}
    for story in told.values():
        said = [*story.verdict, *story.tradeoff, *story.attack, *(c.text for c in story.checks)]
        assert not any("No attack was run" in s or "was not given" in s for s in said)
        assert "The other candidates are shown in the steward's edition." in story.tradeoff
        assert len(story.tradeoff) == 1  # "Each point is …" belongs to a chart
    assert told["text"].attack == ["What attackers find is in the steward's edition."]
    release = next(p.release for p in parts if p.engine == "text")
    labels = next(g for g in told["text"].grids if "of each label" in g.caption)
    assert [row[0] for row in labels.rows] == sorted(release.left_by_label)
    assert any("exactly unique" in c.text and c.state == "look" for c in told["baskets"].checks)


def test_an_estimate_that_was_not_made_for_these_documents_is_said_as_such(project):
    """After --accept-shift no sentence and no card gives the estimate as that of the release."""
    (part,) = find_parts([project])
    measured = part.release.measured
    shift = measured.shift.model_copy(update={"verdict": DIFFERENT, "p_value": 0.001})
    other = part.release.model_copy(
        update={"measured": measured.model_copy(update={"shift": shift})}
    )
    (story,) = stories([replace(part, release=other)])
    said = [plain(s) for s in story.verdict]
    supposed = [s for s in said if s.startswith("If they were like the documents learned from: ")]
    assert len(supposed) == 2
    assert not any(
        "stay in the text" in s or "expect about" in s for s in set(said) - set(supposed)
    )
    assert any("if the documents were like" in stat.label for stat in story.stats)


def test_a_release_that_nobody_could_judge_says_so_first(project):
    (part,) = find_parts([project])
    unjudged = (
        "No document of this kind was labelled from end to end: what is left was not measured on whole "
        "documents; audit the release."
    )
    bare = part.release.model_copy(update={"measured": None, "sentences": (unjudged,)})
    (story,) = stories([replace(part, release=bare)])
    assert unjudged in story.verdict[:2]
    nothing = bare.model_copy(update={"documents_with_leak": None})
    (story,) = stories(public_parts([replace(part, release=nothing)]), public=True)
    assert "is not measured" in story.verdict[0]


def test_earlier_releases_that_a_release_was_measured_against_are_named(written):
    part = next(p for p in find_parts([written]) if p.engine == "tables")
    alone = {"k": 11, "below": 0.0, "unique": 0.0, "average": 0.05}
    both = {"k": 3, "below": 0.25, "unique": 0.0, "average": 0.125}
    counts = {"people": 900, "only_earlier": 10, "only_later": 20, "shared_columns": 4}
    record = {
        "engine": "tables", "compositions": [{
            "earlier": "register-2025", "changed": 0.5, "changed_below": 0.75, "changed_alone": 0.0, **counts,
            "first": alone, "second": alone, "unlinked": both, "linked": both,
        }],
    }  # fmt: skip
    attack = ENGINES["tables"].Attack.from_json(record, file="attack.json")
    (story,) = stories([replace(part, attack=attack)])
    (said,) = [s for s in story.attack if "register-2025" in s]
    assert "900 of the same people" in said
    assert "25% of the people are in groups below 11" in said
    (check,) = [c for c in story.checks if "register-2025" in c.text]
    assert check.state == "look"
    with speaking("de"):
        (story,) = stories([replace(part, attack=attack)])
    assert any("Zusammen mit register-2025" in s for s in story.attack)


def test_bounds_that_say_nothing_are_in_the_appendix(written):
    (part,) = [p for p in find_parts([written]) if p.engine == "text"]
    (story,) = stories([part])
    grids = {g.caption: g for g in story.grids}
    vacuous = {n for n, b in part.attack.bounds.theorems.items() if b.vacuous or not b.applies}
    assert vacuous
    assert grids["Guarantees that say nothing here"].section == "appendix"
    assert len(grids["Guarantees that say nothing here"].rows) == len(vacuous)
    assert grids["The conditions of the paper's guarantees"].section == "appendix"
    for grid in story.grids:
        if grid.section != "appendix":
            assert not any(
                "vacuous" in cell or "not met" in cell for row in grid.rows for cell in row
            )


def test_records_left_out_are_not_passed_over(written, tmp_path):
    """Where groups that were too small are left out, no check says that all is well."""
    explored, out = tmp_path / "explored", tmp_path / "release"
    sfumato("tables", "explore", written / "register.csv", "--schema", written / "schema.toml", "--evaluations",
            200, "--min-k", 5, "--suppress", 0.3, "--out", explored, "--quiet")  # fmt: skip
    sfumato(
        "tables",
        "publish",
        explored,
        written / "register.csv",
        "--max-risk",
        1,
        "--out",
        out,
        "--quiet",
    )
    (part,) = find_parts([explored, out])
    (story,) = stories([part])
    words = [c for c in story.checks if "could be processed" in c.text]
    assert part.release.measured.suppressed
    assert [c.state for c in words] == ["look"]
    policy = next(g for g in story.grids if g.caption == "The policy in words")
    assert not any("a rare value" in cell for row in policy.rows for cell in row)


def test_the_search_chart_ends_where_the_sentence_does(written):
    part = next(p for p in find_parts([written]) if p.engine == "tables")
    trace = part.frontier.trace
    again = ((1, 1.0), (max(trace[0][0] // 2, 1), 0.5), *trace, trace[-1])  # a point twice
    frontier = part.frontier.model_copy(update={"trace": again})
    (story,) = stories([replace(part, frontier=frontier)])
    area = next(c for c in story.charts if c.id == "tables-area")
    said = next(plain(s) for s in story.tradeoff if "area under it" in s)
    assert area.rows[-1][1] in said  # the sentence and the end of the chart agree
    steps = area.spec["datasets"]["trace"]
    assert [s["evaluations"] for s in steps] == sorted({s["evaluations"] for s in steps})
    assert area.spec["encoding"]["x"]["axis"]["values"]


def test_the_edition_that_is_given_out_says_what_was_published(written):
    for part in public_parts(find_parts([written])):
        (story,) = stories([part], public=True)
        said = " ".join(plain(s) for s in (*story.verdict, *story.published))
        assert "No candidate" not in said
        assert f"candidate {part.release.candidate}" in said
        assert story.verdict
