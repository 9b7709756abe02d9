"""Damaged files: a report is made, or refused with one sentence that repeats no value."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.core.engine import ENGINES
from sfumato.core.errors import SfumatoError
from sfumato.reports.parts import find_parts, stories

ODD = [None, 0, -1, 1e-300, 1e300, "Zanzibarovic", [], {}, True, [None], {"a": []}, 0.5, 10**9]


def places(value, path=()):
    """List the paths of everything in a JSON value."""
    found = [path] if path else []
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()  # fmt: skip
    for key, child in list(children)[:8]:
        found += places(child, (*path, key))
    return found


def damaged(content, path, odd):
    content = copy.deepcopy(content)
    place = content
    for key in path[:-1]:
        place = place[key]
    if odd == "gone":
        del place[path[-1]]
    else:
        place[path[-1]] = odd
    return content


@pytest.mark.parametrize("engine", ["text", "tables", "baskets"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(data=st.data())
def test_a_damaged_file_gives_a_report_or_one_sentence(written, tmp_path_factory, engine, data):
    file = data.draw(st.sampled_from(["explored/frontier.json", "release/release.json"]))
    content = json.loads((written / f"{engine}-{file}").read_text())
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places(content)))
        try:
            content = damaged(content, path, data.draw(st.sampled_from(["gone", *ODD])))
        except (KeyError, IndexError, TypeError):
            continue  # an earlier damage took its place away
    folder = tmp_path_factory.mktemp("damaged")
    (folder / file.rsplit("/", 1)[1]).write_text(json.dumps(content))
    try:
        parts = find_parts([folder])
    except SfumatoError as error:
        assert "anzibarovic" not in str(error)  # noqa: PT017 (either end is right)
        return
    (story,) = stories(parts)
    assert story.title
    assert ENGINES[engine].title
    for chart in story.charts:
        for view in chart.views:
            json.dumps(view.spec, allow_nan=False)
