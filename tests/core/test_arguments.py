"""Values with arguments: one grammar, read alike on the command line, in a plan and in Python."""

from __future__ import annotations

import shlex
import warnings

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from sfumato.cli._options import make_command
from sfumato.core.arguments import Argument, Keyed, Named
from sfumato.core.command_lines import command_line, warn_of_former
from sfumato.core.engine import ENGINES
from sfumato.core.errors import FormerSpellingWarning, ParameterError
from sfumato.core.plan import Plan
from sfumato.core.request import Request, fields_of, parameters

TABLES, BASKETS, TEXT = (ENGINES[name] for name in ("tables", "baskets", "text"))
START = next(verb.Request for verb in TEXT.verbs() if verb.name == "start")
EXPLORE = {"table": "t.csv"}
READ = {"corpus": "c.jsonl", "labels": ["NAME"]}
WRITE = {"documents": "c.jsonl"}

SPELLINGS = [
    # model, what it needs, the value now (a text), the same as a table, and what it was
    (TABLES.Request, EXPLORE, {"risk": "small-groups:7"}, {"risk": {"name": "small-groups", "k": 7}},
     {"risk": "small-groups", "k": 7}),
    (TABLES.Request, EXPLORE, {"loss": "mutual-information:income"},
     {"loss": {"name": "mutual-information", "target": "income"}},
     {"loss": "mutual-information", "target": "income"}),
    (TABLES.Request, EXPLORE, {"strategy": "shs:0.2"}, {"strategy": {"name": "shs", "threshold": 0.2}},
     {"strategy": "shs", "threshold": 0.2}),
    (TABLES.Request, EXPLORE, {"min_l": "3:recursive=2"}, {"min_l": {"value": 3, "recursive": 2}},
     {"min_l": 3, "diversity": "recursive", "recursive_c": 2}),
    (TABLES.Request, EXPLORE, {"min_l": "3:entropy"}, {"min_l": {"value": 3, "diversity": "entropy"}},
     {"min_l": 3, "diversity": "entropy"}),
    (TABLES.Request, EXPLORE, {"suppress": "0.05:cells"}, {"suppress": {"value": 0.05, "suppress_as": "cells"}},
     {"suppress": 0.05, "suppress_as": "cells"}),
    (TABLES.Request, EXPLORE, {"reference": ["Ours=p.json", "q.json"]}, None,
     {"references": {"Ours": "p.json"}, "reference": ["q.json"]}),
    (TABLES.Request, EXPLORE, {"budget": "4000"}, {"budget": {"evaluations": 4000}}, {"evaluations": 4000}),
    (TABLES.Request, EXPLORE, {"budget": "60s"}, {"budget": {"seconds": 60}}, {"seconds": 60.0}),
    (TABLES.Request, EXPLORE, {"compute": "local:4"}, {"compute": {"name": "local", "threads": 4}},
     {"engine": "local", "threads": 4}),
    (BASKETS.Request, {"matrix": "log.csv"}, {"log": "item=a,person=c,quantity=q:2"},
     {"log": {"item": "a", "person": "c", "quantity": "q", "min_quantity": 2}},
     {"item": "a", "person": "c", "quantity": "q", "min_quantity": 2}),
    (BASKETS.PublishRequest, {"matrix": "log.csv"}, {"log": "item=a,basket=b"},
     {"log": {"item": "a", "basket": "b"}}, {"item": "a", "basket": "b"}),
    (TEXT.Request, READ, {"format": "conll:token=1,tag=none,keep=2+3"},
     {"format": {"name": "conll", "token": 1, "tag": "none", "keep": [2, 3]}},
     {"format": "conll", "token_column": 1, "tag_column": "none", "kept_columns": [2, 3]}),
    (TEXT.PublishRequest, WRITE, {"format": "csv:delimiter=;,overlaps=merge"},
     {"format": {"name": "csv", "delimiter": ";", "overlaps": "merge"}},
     {"format": "csv", "delimiter": ";", "overlaps": "merge"}),
    (TEXT.Request, READ, {"format": "auto:spans=marks"}, {"format": {"name": "auto", "spans": "marks"}},
     {"spans_column": "marks"}),
    (TEXT.PublishRequest, WRITE, {"format": "csv:delimiter=comma"}, None, {"format": "csv", "delimiter": ","}),
    (TEXT.PublishRequest, WRITE, {"replacement": "surrogate:scope=corpus,dates=day-first"},
     {"replacement": {"name": "surrogate", "scope": "corpus", "dates": "day-first"}},
     {"replacement": "surrogate", "scope": "corpus", "dates": "day-first"}),
    (TEXT.Request, READ, {"encoder": "default:all"}, {"encoder": {"name": "default", "encoder_tuning": "all"}},
     {"encoder": "default", "encoder_tuning": "all"}),
    (START, {"documents": "d.jsonl"}, {"background": ["generated"]}, None, {"generated": True}),
    (TEXT.Choice, {}, {"id": "knee"}, None, {"knee": True}),
    (TEXT.Choice, {}, {"id": "better-than:Safe Harbor"}, None, {"dominates": "Safe Harbor"}),
    (TEXT.Choice, {}, {"id": "ratio:10"}, None, {"ratio": 10}),
    (TABLES.Choice, {}, {"id": "policy=p.json"}, None, {"policy": "p.json"}),
    (TABLES.Choice, {}, {"id": "p17"}, None, {"id": "p17"}),
    (TABLES.Choice, {}, {"id": "max-risk:0"}, None, {"max_risk": 0.0}),
    (BASKETS.Choice, {}, {"id": "max-risk:0.2,min-utility:0.5"}, None, {"max_risk": 0.2, "min_utility": 0.5}),
    (TEXT.PublishRequest, WRITE, {"findings": "a:b.jsonl:min-score=0.4,PERSON=NAME"}, None,
     {"findings": "a:b.jsonl", "min_score": 0.4, "findings_labels": {"PERSON": "NAME"}}),
    (TEXT.PublishRequest, WRITE, {"findings": "a:b.jsonl"}, None, {"findings": "a:b.jsonl"}),
]  # fmt: skip


@pytest.mark.parametrize(("model", "needs", "now", "table", "before"), SPELLINGS)
def test_the_new_spelling_is_the_former_request(model, needs, now, table, before):
    former = model.build({**needs, **before}, owner="call")
    assert model.build({**needs, **now}, owner="call") == former
    if table is not None:
        assert model.build({**needs, **table}, owner="call") == former


@pytest.mark.parametrize(("model", "needs", "now", "table", "before"), SPELLINGS)
def test_a_request_with_resolved_paths_is_the_same(model, needs, now, table, before, tmp_path):
    request = model.build({**needs, **now}, owner="call")
    assert request.with_absolute_paths(tmp_path).with_absolute_paths(
        tmp_path
    ) == request.with_absolute_paths(tmp_path)


def called(model: type[Request], words: list[str]) -> tuple[Request, str]:
    """Return the request that a command line makes, and what it writes to stderr."""
    app, found = typer.Typer(), []
    app.command()(
        make_command("call", "Call.", [model], lambda g, _c, _o: found.append(g.build(model)), writes="no")
    )  # fmt: skip
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return found[0], done.stderr


def words_of(model: type[Request], values: dict[str, object]) -> list[str]:
    """Return the options that give these values, by the flags that the request declares."""
    fields, words = fields_of(model) | parameters(model), []
    for name, value in values.items():
        about = fields[name]
        if about.is_flag:
            words += [about.flag]
        elif isinstance(value, dict):
            words += [about.flag, ",".join(f"{k}={v}" for k, v in value.items())]
        else:
            for one in value if isinstance(value, list) else [value]:
                words += [about.flag, str(one)]
    return words


@pytest.mark.parametrize(("model", "needs", "now", "table", "before"), SPELLINGS)
def test_the_command_line_reads_both_and_warns_of_the_former(model, needs, now, table, before):
    data = [str(v) for k, v in needs.items() if k != "labels"]
    labels = ["--label", "NAME"] if "labels" in needs else []
    request, said = called(model, [*data, *labels, *words_of(model, now)])
    assert said == ""
    again, said = called(model, [*data, *labels, *words_of(model, before)])
    assert again == request
    fields = fields_of(model)
    former = [fields[name].flag for name in before if fields[name].within and fields[name].warns]
    assert ("warning" in said) is bool(former)
    for flag in former:
        assert said.count(flag + " ") == 1
    if former and "NAME=FILE" not in said:  # the spelling in the warning works, and means the same
        shown = shlex.split(said.partition("now written ")[2].partition("; the former")[0])
        (option,) = [about for about in parameters(model).values() if about.flag == shown[0]]
        left = [n for n in before if fields[n].within != option.name and n != option.name]
        more = words_of(model, {n: before[n] for n in left})
        assert called(model, [*data, *labels, *shown, *more]) == (request, "")


@pytest.mark.parametrize(("model", "needs", "now", "table", "before"), SPELLINGS)
def test_the_printed_command_gives_back_the_request(model, needs, now, table, before):
    request = model.build({**needs, **now}, owner="call")
    words = shlex.split(command_line(("sfumato",), model, request.to_record()))[1:]
    again, said = called(model, words)
    assert said == ""
    assert again.to_record() == request.to_record()


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (TABLES.Request, ["t.csv", "--evaluations", "100", "--seconds", "5", "--engine", "local"]),
        (TEXT.Choice, ["--ratio", "10"]),
        (TEXT.PublishRequest, ["c.jsonl", "--engine", "spark"]),
        (BASKETS.Request, ["m.npz", "--publish-as", "columns,cells,rows"]),
        (TABLES.Choice, ["--choose", "p17"]),
    ],
)
def test_what_scripts_rely_on_does_not_warn(model, words):
    assert called(model, words)[1] == ""


@pytest.mark.parametrize(
    ("model", "words", "says"),
    [
        (TEXT.Request, ["c", "--label", "N", "--context", "0.05"], "--context is now written --context-fdr"),
        (BASKETS.Request, ["m", "--max-rows-out", "0.1"], "--max-suppressed-rows"),
        (START, ["d", "--wanted", "0.1"], "--target-risk"),
        (TABLES.Request, ["t", "--k", "5"], "--risk small-groups:K"),
    ],
)  # fmt: skip
def test_renamed_options_warn(model, words, says):
    assert says in called(model, words)[1]


def test_python_names_of_an_earlier_version_warn():
    with pytest.warns(FormerSpellingWarning, match="'k' is now written risk='small-groups:5'"):
        warn_of_former(TABLES.Request, {"risk": "small-groups", "k": 5})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_former(TABLES.Request, {"risk": "small-groups:5", "evaluations": 10})


@pytest.mark.parametrize(
    ("model", "values", "says"),
    [
        (TABLES.Request, {**EXPLORE, "risk": "small-groups:5", "k": 6}, "given twice"),
        (TABLES.Request, {**EXPLORE, "risk": "small-groups:x"}, "'k' of call"),
        (TABLES.Request, {**EXPLORE, "risk": "population:5"}, "there is no 'population:5'"),
        (TABLES.Request, {**EXPLORE, "min_l": "3:recursive=2,entropy"}, "given twice"),
        (TABLES.Request, {**EXPLORE, "budget": "soon"}, "'evaluations' of call"),
        (TEXT.Request, {**READ, "format": "conll:colour=1"}, "takes other arguments"),
        (TEXT.Request, {**READ, "format": "conll:token"}, "takes other arguments"),
        (TEXT.Request, {**READ, "format": "conl:token=1"}, "there is no"),
        (BASKETS.Request, {"matrix": "m", "log": "a"}, "KEY=VALUE"),
        (BASKETS.Request, {"matrix": "m", "log": "colour=a"}, "has no 'colour'"),
    ],
)
def test_a_value_that_does_not_fit_is_one_sentence(model, values, says):
    with pytest.raises(ParameterError, match=says):
        model.build(values, owner="call")


def test_an_error_is_in_the_words_of_the_command_line():
    app = typer.Typer()
    app.command()(
        make_command("call", "Call.", [TABLES.Request], lambda g, _c, _o: g.build(TABLES.Request), writes="no")
    )  # fmt: skip
    done = CliRunner().invoke(app, ["t.csv", "--risk", "small-groups:0"])
    assert done.exit_code == 2
    assert "--risk small-groups:K of call must be greater than or equal to 1" in done.stderr


def test_an_encoder_of_a_folder_is_tuned_by_an_option_of_its_own():
    words = ["c.jsonl", "--label", "NAME", "--encoder", "enc", "--encoder-tuning", "all"]
    request, said = called(TEXT.Request, words)
    assert (str(request.encoder), request.encoder_tuning, said) == ("enc", "all", "")


def test_folders_never_take_an_argument():
    request = TEXT.Request.build({**READ, "encoder": "C:models:two"}, owner="call")
    assert str(request.encoder) == "C:models:two"
    assert request.encoder_tuning == "two"
    request = TABLES.Request.build({**EXPLORE, "reference": ["some/a=b.json"]}, owner="call")
    assert request.reference == ["some/a=b.json"]


def test_a_plan_takes_texts_and_tables_and_warns_of_former_keys(tmp_path):
    (tmp_path / "t.csv").write_text("age\n1\n")
    content = {"tables": {"table": "t.csv", "min_l": "3:recursive=2", "risk": {"name": "small-groups", "k": 9},
                          "compute": "local:2", "choose": "knee"}}  # fmt: skip
    section = Plan.of(content, folder=tmp_path).sections["tables"]
    request = section.request
    assert (request.min_l, request.diversity, request.recursive_c) == (3, "recursive", 2)
    assert (request.risk, request.k, request.threads) == ("small-groups", 9, 2)
    assert section.publishing["min_l"] == 3
    assert section.publishing["threads"] == 2
    assert section.choice.knee
    content["tables"] |= {"risk": "small-groups", "k": 9}
    with pytest.warns(
        FormerSpellingWarning, match='tables.k is now written tables.risk = "small-groups:9"'
    ):
        again = Plan.of(content, folder=tmp_path).sections["tables"].request
    assert again == request


WORDS = st.text(st.characters(categories=["Lu", "Ll", "Nd"], include_characters="-_ ."), min_size=1)


@given(st.fixed_dictionaries({}, optional={"a": WORDS, "b": WORDS, "c": WORDS}))
def test_what_is_written_is_read_back(values):
    kind = Named("name", {"x": [Argument("a"), Argument("b", "bee"), Argument("c", "sea")]})
    given = {"name": "x", **{k: v.strip() or "v" for k, v in values.items()}}
    text, covered = kind.write(given)
    assert covered == set(given)
    assert kind.read(text) == given


@given(st.dictionaries(st.sampled_from("abc"), WORDS, min_size=1), WORDS)
def test_pairs_are_read_back(values, least):
    kind = Keyed(
        "log", {"a": Argument("a"), "b": Argument("b"), "c": Named("c", {"": [Argument("least")]})},
        help="", metavar="",
    )  # fmt: skip
    given = {k: v.strip() or "v" for k, v in values.items()}
    if "c" in given:
        given["least"] = least.strip() or "v"
    text, covered = kind.write(given)
    assert covered == set(given)
    assert kind.read(text) == given
