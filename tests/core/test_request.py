"""Requests: one declaration, read alike by every surface."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core.command_lines import command_line
from sfumato.core.errors import ParameterError
from sfumato.core.registry import Registry
from sfumato.core.request import Request, parameter, parameters

LEARNERS: Registry[object] = Registry("learner", {"crf": object(), "svm": object()})


class Example(Request):
    corpus: object = parameter(help="Documents.", role="data")
    labels: list[str] = parameter(help="Labels.", flag="--label", min_length=1)
    background: list[object] = parameter([], help="Other corpora.", role="file")
    ratios: list[float] = parameter([1.0, 10.0], help="Ratios.")
    learner: str = parameter("crf", help="Learner.", choices=lambda: LEARNERS)
    min_sample: int = parameter(0, help="Smallest group.", ge=0, aliases=["least_sample"])
    weights: dict[str, float] = parameter({}, help="Weights.")
    table_schema: str | None = parameter(None, help="Schema.", role="file", alias="schema")
    strict: bool = parameter(False, help="Stop early.")


def made(**values: object) -> Example:
    return Example.build({"corpus": "a.jsonl", "labels": ["NAME"], **values}, owner="explore")


def test_parameters_are_named_as_people_see_them():
    about = parameters(Example)
    assert list(about) == [
        "corpus", "labels", "background", "ratios", "learner", "min_sample", "weights", "schema", "strict",
    ]  # fmt: skip
    assert about["labels"].flag == "--label"
    assert about["min_sample"].flag == "--min-sample"
    assert about["labels"].required
    assert about["ratios"].default == [1.0, 10.0]
    assert about["ratios"].is_list
    assert about["ratios"].scalar is float
    assert about["min_sample"].scalar is int
    assert about["weights"].is_mapping
    assert about["strict"].is_flag
    assert not about["schema"].is_flag


def test_defaults_are_not_shared_between_requests():
    made().ratios.append(99.0)
    assert made().ratios == [1.0, 10.0]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"learners": "crf"}, "has no parameter 'learners'"),
        ({"learner": "crff"}, "there is no 'crff'"),
        ({"labels": []}, "'labels' of explore"),
        ({"min_sample": -1}, "'min_sample' of explore"),
        ({"min_sample": 1, "least_sample": 2}, "former name"),
    ],
)
def test_a_wrong_value_is_one_sentence(values, says):
    with pytest.raises(ParameterError, match=says):
        made(**values)


def test_a_missing_value_is_named_with_its_help():
    with pytest.raises(ParameterError, match=r"needs 'labels'.*Labels"):
        Example.build({"corpus": "a"}, owner="explore")


def test_a_value_is_never_repeated_in_an_error():
    with pytest.raises(ParameterError) as caught:
        made(min_sample="CANARY")
    assert "CANARY" not in str(caught.value)


def test_former_names_are_accepted():
    assert made(least_sample=3).min_sample == 3


def test_files_are_recorded_by_name_and_objects_not_at_all():
    request = made(
        corpus=Path("some/where/a.jsonl"), background=["x/b.jsonl", object()], schema="s/t.toml"
    )
    record = request.to_record()
    assert record["corpus"] == "a.jsonl"
    assert record["background"] == "(in memory)"
    assert record["schema"] == "t.toml"


def test_files_are_resolved_against_a_folder():
    request = made(background=["b.jsonl"]).with_absolute_paths(Path("/plans"))
    assert request.corpus == Path("/plans/a.jsonl")
    assert request.background == [Path("/plans/b.jsonl")]
    assert [name for name, _ in request.input_files()] == ["corpus", "background"]


def parsed(words: list[str]) -> dict[str, object]:
    """Read a command back with the plainest parser there is."""
    about = {p.flag: p for p in parameters(Example).values()}
    found: dict[str, object] = {"corpus": words.pop(0)}
    while words:
        p = about[words.pop(0)]
        if p.is_flag:
            found[p.name] = True
        elif p.is_mapping:
            pairs = [pair.split("=") for pair in words.pop(0).split(",")]
            found[p.name] = {k: float(v) for k, v in pairs}
        elif p.is_list:
            found.setdefault(p.name, [])
            found[p.name] += [p.scalar(v) for v in words.pop(0).split(",")]
        else:
            found[p.name] = p.scalar(words.pop(0))
    return found


NAMES = st.text(st.characters(categories=["Lu", "Ll", "Nd"]), min_size=1, max_size=6)


@given(
    labels=st.lists(NAMES, min_size=1, max_size=3),
    ratios=st.lists(st.floats(0.001, 1e6).map(lambda v: float(f"{v:.4g}")), min_size=1, max_size=3),
    background=st.lists(NAMES, max_size=2),
    learner=st.sampled_from(list(LEARNERS)),
    min_sample=st.integers(0, 99),
    weights=st.dictionaries(NAMES, st.integers(1, 9).map(float), max_size=2),
    strict=st.booleans(),
)
def test_the_printed_command_gives_back_the_request(**values):
    request = made(**values)
    command = command_line(("sfumato", "text", "explore"), Example, request.to_record())
    again = Example.build(parsed(shlex.split(command)[3:]), owner="explore")
    assert again.to_record() == request.to_record()
