"""Sensitive items that are misspelled, and people of whom nothing is left in a published log."""

import csv
import json

import pytest
from tests.conftest import sfumato

PEOPLE, ALONE = 40, 3


@pytest.fixture
def log(tmp_path):
    """Forty people who share their items, and three with one item each that nobody else has."""
    with (tmp_path / "log.csv").open("w", newline="") as stream:
        lines = csv.writer(stream)
        lines.writerow(["person", "item"])
        for person in range(PEOPLE):
            lines.writerows([person, f"item {i}"] for i in range(4) if (person + i) % 3)
        lines.writerows([PEOPLE + i, f"lonely {i}"] for i in range(ALONE))
    return tmp_path / "log.csv"


COLUMNS = ["--item", "item", "--person", "person"]


def explore(log, *more, status=0):
    out = log.parent / "frontier"
    words = ["baskets", "explore", log, *COLUMNS, "--k", 5, "--publish-as", "cells", "--utility", "ones"]  # fmt: skip
    return sfumato(*words, *more, "--out", out, status=status)


def test_a_misspelled_sensitive_item_among_known_ones_is_refused(log):
    (log.parent / "list.txt").write_text("item 1\nitem 2\niten 3\n")
    said = explore(log, "--sensitive", log.parent / "list.txt", "--max-confidence", 0.9, status=2)
    assert "1 of the 3 sensitive items are not in the data (number 3)" in said
    assert "did you mean 'item 3'" in said
    assert "iten" not in said
    assert not (log.parent / "frontier").exists()
    (log.parent / "list.txt").write_text("item 1\nQuite another\n")
    said = explore(log, "--sensitive", log.parent / "list.txt", status=2)
    assert "number 2" in said
    assert "did you mean" not in said  # nothing is near, and no other item is told
    (log.parent / "list.txt").write_text("item 1\nitem 2\n")
    explore(log, "--sensitive", log.parent / "list.txt", "--max-confidence", 0.9)
    record = json.loads((log.parent / "frontier" / "frontier.json").read_text())
    assert record["candidates"][0]["sensitive"] == ["item 1", "item 2"]


def test_a_confidence_without_sensitive_items_is_refused(log):
    said = explore(log, "--max-confidence", 0.3, status=2)
    assert "is about sensitive items, and none are named" in said
    assert not (log.parent / "frontier").exists()


def test_people_of_whom_nothing_is_left_are_counted_and_told(log):
    explore(log)
    out = log.parent / "out"
    said = sfumato("baskets", "publish", log.parent / "frontier", log, *COLUMNS, "--knee", "--out", out)  # fmt: skip
    with (out / "log.csv").open(newline="") as stream:
        left = len({row["person"] for row in csv.DictReader(stream)})
    gone = PEOPLE + ALONE - left
    assert gone >= ALONE
    record = json.loads((out / "release.json").read_text())
    assert record["counts"]["rows"] == left
    k = record["how"]["k"]
    to_k = -(-gone // k) * k
    assert record["left_out"] == {"rows_without_items": to_k}
    sentence = f"{gone} rows of which no item is left are not in the published log"
    assert sentence in said
    sfumato("report", log.parent / "frontier", out, "--out", log.parent / "report", "--quiet")
    page = (log.parent / "report" / "report.html").read_text()
    assert f"At most {to_k} rows of which no item is left are not in the published log" in page
    assert sentence in (log.parent / "report.private" / "report.html").read_text()
    assert f"per row are over {left} rows, not over all that were read" in page
    assert f"not over {left + to_k}" not in page  # rounded up: nobody read as many
    assert "every row stays" not in page


def test_rows_of_a_matrix_stay_when_nothing_is_left_of_them(written, tmp_path):
    sfumato("baskets", "publish", written / "baskets-explored", written / "purchases.npz", "--labels",
            written / "purchases.labels.txt", "--knee", "--out", tmp_path / "out")  # fmt: skip
    record = json.loads((tmp_path / "out" / "release.json").read_text())
    assert record["left_out"] == {"rows_without_items": 0}
