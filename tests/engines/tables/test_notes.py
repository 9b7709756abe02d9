"""Notes of a table: what they say of their row is what the row shows; the steward's list stays private."""

import csv
import json
import re
from dataclasses import replace

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.core.errors import PlanError
from sfumato.core.storage.placed_bands import PlacedBands
from sfumato.data.table_schema import TableSchema
from sfumato.data.table_source import TableSource
from sfumato.engines.tables.engine import TablesEngine
from sfumato.engines.tables.release.notes import rewrite_notes
from sfumato.engines.tables.release.rows import Generaliser
from sfumato.engines.tables.release.steps import publish_by_policy
from sfumato.reports.parts import find_parts

MONTHS = (
    "January February March April May June July August September October November December".split()
)
AREAS = ("30011", "30022", "30033", "30044")


def schema(notes=None, **more):
    return {
        "attribute": [
            {"name": "id", "role": "identifier"},
            {"name": "age", "role": "quasi", "domain": {"range": [20, 79]}},
            {"name": "area", "role": "quasi", "domain": {"values": list(AREAS)}},
            {"name": "visit", "role": "other", "date": {"unit": "quarter"}},
            {
                "name": "notes",
                "role": "other",
                "publish": notes or {"mentions": ["age", "area", "visit"]},
            },
        ],
        **more,
    }


def table():
    rows = {"id": [], "age": [], "area": [], "visit": [], "notes": []}
    for i in range(240):
        age, area, month, day = 20 + i % 60, AREAS[i // 60], i % 12 + 1, i % 27 + 1
        rows["id"].append(i)
        rows["age"].append(age)
        rows["area"].append(area)
        rows["visit"].append(f"2023-{month:02d}-{day:02d}")
        rows["notes"].append(
            f"A {age}-year-old from {area}, seen on {day} {MONTHS[month - 1]} 2023. Pulse {age}; her mother is {age + 25}."
        )
    return rows


WIDE = {
    "age": [[low, low + 4] for low in range(20, 80, 5)],
    "area": [["30011", "30022"], ["30033", "30033"], ["30044", "30044"]],
}


def publish(data, intervals, described=None, **options):
    """Publish by a policy that the test names."""
    lattice = sf.tables.explore(data, schema=described or schema(), evaluations=2).payload.lattice
    return publish_by_policy(
        lattice.policy(intervals), data, schema=described or schema(), **options
    )


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notes")
    with (folder / "t.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(table())
        writer.writerows(zip(*table().values(), strict=True))
    return folder / "out", publish(folder / "t.csv", WIDE, out=folder / "out")


def test_a_note_says_what_its_row_shows_and_no_more(released):
    folder, _ = released
    with (folder / "t.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 240
    for row in rows:
        said = re.match(
            r"An? (\S+?)-year-old from (.+?), seen (?:in|on)? ?(.+?)\. Pulse", row["notes"]
        )
        assert said[1].replace("–", "-") == row["age"]
        assert said[2] == (
            "[area]"
            if row["area"] == "*"
            else row["area"]
            if row["area"] in AREAS
            else f"[area {row['area']}]"
        )
        assert said[3].split()[0] == row["visit"].split("-")[1]
        assert re.search(r"Pulse \d\d; her mother is \d+\.", row["notes"])


def test_the_list_is_private_and_the_record_counts_notes_only(released):
    folder, release = released
    public = json.loads((folder / "release.json").read_text())
    assert public["measured"]["notes"] == {"notes": {"notes": 240, "people_who_fit": {}}}
    lines = [
        json.loads(line)
        for line in (folder.with_name("out.private") / "mentions.jsonl").read_text().splitlines()
    ]
    with (folder / "t.csv").open(newline="") as stream:
        notes = {row["notes"] for row in csv.DictReader(stream)}
    bands = PlacedBands.beside([folder / "t.csv"])
    assert {bands.without(note) for note in notes} <= set(table()["notes"])
    found = release.measured.notes["notes"]
    assert found.rewritten["date"] == 240
    assert found.held == sum(len(line["held"]) for line in lines) >= 1
    assert not any("mentions" in name.name for name in folder.iterdir())


def test_that_names_in_notes_stay_is_told_unless_another_part_redacts_them(released):
    folder, release = released
    assert any(
        "names and numbers in the notes are published as they were" in line
        for line in release.lines()
    )

    def told(part):
        looks = [check.text for check in TablesEngine().story(part).checks if check.state == "look"]
        return any(
            "names, telephone numbers and addresses in them are published" in words
            for words in looks
        )

    (part,) = find_parts([folder])
    assert told(part)
    assert not told(replace(part, passed_on=True))


def test_blanked_cells_are_blank_in_the_note_too():
    described = TableSchema.of(schema())
    lattice = sf.tables.explore(table(), schema=schema(), evaluations=2).payload.lattice
    generaliser = Generaliser.of(lattice.policy(WIDE), described)
    blanks = pa.table(
        {"l0": ["20-24"], "l1": ["30033"], "b0": ["*"], "b1": pa.nulls(1, pa.string())}
    )
    done = rewrite_notes(TableSource.open(table()), generaliser, blanks)
    notes = done.opened.query(f"SELECT age, area, notes FROM {done.opened.sql}").to_pylist()
    for row in notes:
        is_blank = row["area"] == "30033" and 20 <= int(row["age"]) <= 24
        assert row["notes"].startswith("An [age]-year-old") == is_blank
    assert sum(row["notes"].startswith("An [age]-") for row in notes) == 5


def test_birth_years_come_from_the_day_that_the_schema_names():
    rows = {"age": [47, 30] * 10, "notes": ["Born in 1975.", "Born in 1992."] * 10}
    described = {
        "attribute": [
            {"name": "age", "role": "quasi", "domain": {"range": [20, 79]}},
            {
                "name": "notes",
                "role": "other",
                "publish": {"mentions": ["age"], "at": "2023-03-12"},
            },
        ]
    }
    made = publish(rows, {"age": [[20, 39], [40, 79]]}, described)["notes"].to_pylist()
    assert set(made) == {"Born in 1943–1983.", "Born in 1983–2003."}


@pytest.mark.parametrize(
    ("notes", "words"),
    [
        ({"mentions": ["nobody"]}, "which is not another attribute"),
        ({"mentions": []}, "a list of at least 1 value"),
        ({"mentions": ["age"], "languages": ["xx"]}, "languages"),
        ({"mentions": ["age"], "round": 5}, "round"),
    ],
)
def test_a_wrong_way_to_publish_notes_is_one_sentence(notes, words):
    with pytest.raises(PlanError, match=words):
        TableSchema.of(schema(notes))
