"""The review room shows what a guard held back in the notes of a table that the engine published."""

import csv
import json

import pytest
from tests.web.test_guard import TOKEN, Visitor

import sfumato as sf
from sfumato.core.errors import FormatError
from sfumato.core.storage.held_numbers import NotesToReview
from sfumato.engines.tables.release.steps import publish_by_policy
from sfumato.web import make_app
from sfumato.web.app import PageState

SCHEMA = {
    "attribute": [
        {"name": "age", "role": "quasi", "domain": {"range": [20, 79]}},
        {"name": "notes", "role": "other", "publish": {"mentions": ["age"]}},
    ]
}
NOTES = (
    "A {age}-year-old <b>woman</b>. Pulse {age}, calm.",
    "Seen at home, aged {wrong}. Takes {age} mg.",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notes")
    with (folder / "t.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["age", "notes"])
        for i in range(120):
            age = 20 + i % 60
            writer.writerow([age, NOTES[i % 2].format(age=age, wrong=(age + 20) % 60 + 20)])
    found = sf.tables.explore(folder / "t.csv", schema=SCHEMA, evaluations=2)
    (folder / "frontier").mkdir()
    found.save(folder / "frontier")
    policy = found.payload.lattice.policy({"age": [[20, 39], [40, 79]]})
    release = publish_by_policy(policy, folder / "t.csv", schema=SCHEMA, out=folder / "rows")
    return folder, release.measured.notes["notes"]


def test_numbers_and_contradictions_are_shown_to_the_steward(place):
    folder, counted = place
    page = PageState([folder / "frontier", folder / "rows"])
    assert ("review", "Review") in page.rooms()
    visitor = Visitor(make_app([], token=TOKEN, page=page))
    visitor.enter()
    status, _, body = visitor.ask("/review")
    assert status == 200
    assert counted.held >= 100
    assert f"{counted.held} numbers equal a value of their row" in body
    assert "Pulse <mark>20</mark>, calm." in body
    assert "&lt;b&gt;woman" in body
    assert "<b>" not in body
    assert "Nothing was published yet" not in body
    assert f"<td>age</td><td>{counted.contradicted['age']}</td>" in body
    assert counted.contradicted["age"] >= 50


def test_a_page_without_such_notes_has_no_room_for_them(place):
    folder, _ = place
    page = PageState([folder / "frontier"])
    assert "review" not in dict(page.rooms())
    assert not NotesToReview.near([folder / "frontier"])


def test_the_list_is_private_and_a_broken_one_is_one_sentence(place, tmp_path):
    folder, counted = place
    file = folder / "rows.private" / "mentions.jsonl"
    assert file.stat().st_mode & 0o077 == 0
    listed = [json.loads(line) for line in file.read_text().splitlines()]
    assert sum(len(entry["held"]) for entry in listed) == counted.held
    (tmp_path / "mentions.jsonl").write_text('{"column": "notes", "held": 3}\n')
    with pytest.raises(FormatError, match="does not hold what was found"):
        NotesToReview.near([tmp_path])
