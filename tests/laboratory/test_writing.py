"""What the studies write alike: CSV with all columns, charts whose titles fit."""

import csv
import json
import re

import pytest

from sfumato.laboratory.writing import draw_charts, with_style, write_charts, write_csv


def test_columns_are_those_of_all_rows(tmp_path):
    write_csv(tmp_path / "a.csv", [{"x": 1, "y": "a,b"}, {"x": 2, "z": 3.5}])
    with (tmp_path / "a.csv").open(newline="") as stream:
        assert list(csv.DictReader(stream)) == [
            {"x": "1", "y": "a,b", "z": ""},
            {"x": "2", "y": "", "z": "3.5"},
        ]
    write_csv(tmp_path / "none.csv", [])
    assert (tmp_path / "none.csv").read_text() == "\n"


@pytest.mark.parametrize("width", [160, 280, 600])
def test_a_title_fits_into_its_picture(tmp_path, width):
    """No line of the title reaches past the edge of the drawing."""
    title = (
        "Figure 8: classifiers kept (the algorithm learns one more to see that it gains nothing)"
    )
    spec = {
        "title": title, "width": width, "height": 60, "data": {"values": [{"x": 1, "y": 2}]},
        "mark": "point", "encoding": {"x": {"field": "x", "type": "quantitative"}},
    }  # fmt: skip
    chart = with_style(spec, width=width)
    assert " ".join(chart["title"]["text"]) == title
    write_charts(tmp_path, {"one": chart})
    assert json.loads((tmp_path / "one.vl.json").read_text()) == chart
    draw_charts(tmp_path)
    picture = (tmp_path / "one.svg").read_text()
    whole = float(re.search(r'width="([\d.]+)"', picture).group(1))
    longest = max(len(line) for line in chart["title"]["text"])
    assert longest * 6.2 < whole  # about the mean width of a character at this size
    assert all(line in picture for line in chart["title"]["text"])
