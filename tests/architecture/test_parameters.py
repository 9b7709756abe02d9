"""One parameter, one default: command line, plan, Python and the reference page agree."""

from __future__ import annotations

import importlib.util
import inspect
import json
import shutil
from pathlib import Path

import pytest

from sfumato.core.engine import ENGINES
from sfumato.core.plan import data_parameter
from sfumato.core.request import fields_of, parameters

ROOT = Path(__file__).resolve().parents[2]
NAMES = ["tables", "text", "baskets"]
VERBS = {"explore": "Request", "publish": "PublishRequest"}


def script_of_docs(name):
    found = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_the_page_is_what_the_requests_say():
    module = script_of_docs("generate")
    assert (ROOT / "docs/reference/parameters.md").read_text(encoding="utf-8") == module.page(), (
        "docs/reference/parameters.md is not up to date: run `make reference`"
    )
    regimes = (ROOT / "docs/reference/regimes.md").read_text(encoding="utf-8")
    assert regimes == module.regimes_page(), "docs/reference/regimes.md: run `make reference`"
    others = (ROOT / "docs/explanation/beside-others.md").read_text(encoding="utf-8")
    assert others == module.others_page(), "docs/explanation/beside-others.md: run `make reference`"


def test_the_papers_page_is_what_the_results_say(tmp_path, monkeypatch):
    papers = script_of_docs("papers")
    written = papers.PAGE.read_text(encoding="utf-8")
    assert written == papers.page(), "docs/explanation/papers.md: run `make reference`"
    figures = script_of_docs("figures")
    drawn = figures.draw(papers.read_results("tables_figures"))
    assert figures.PICTURE.read_text(encoding="utf-8") == drawn, "run `make reference`"
    for name in ("text_study", "tables", "tables_figures", "baskets"):
        shutil.copy(papers.RESULTS / f"{name}.json", tmp_path)
    path = tmp_path / "tables.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    found["safe_harbor"]["policies_better"] += 1
    path.write_text(json.dumps(found), encoding="utf-8")
    monkeypatch.setattr(papers, "RESULTS", tmp_path)
    assert written != papers.page(), "the page does not follow its results"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("verb", VERBS)
def test_every_parameter_has_its_option_and_no_default_of_its_own(name, verb):
    from sfumato.cli._engines import engine_app

    app = engine_app(ENGINES[name])
    (command,) = [c for c in app.registered_commands if c.name == verb]
    options = {}
    for given in inspect.signature(command.callback).parameters.values():
        (about,) = given.annotation.__metadata__
        for flag in (about.default, *(about.param_decls or ())):
            if isinstance(flag, str):
                options[flag] = given
    model = getattr(ENGINES[name], VERBS[verb])
    for about in (fields_of(model) | parameters(model)).values():
        if about.role != "data":
            assert options[about.flag].default is None, about.flag


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_has_one_line_of_help(name):
    engine = ENGINES[name]
    for kind in ("Request", "PublishRequest", "AttackRequest", "Choice"):
        model = getattr(engine, kind)
        for about in parameters(model).values() if model else ():
            assert about.help.endswith("."), (name, about.name)
            assert "\n" not in about.help


@pytest.mark.parametrize("name", NAMES)
def test_shared_keys_of_explore_and_publish_mean_the_same(name):
    """A plan's section is both requests: a key in both has one type, default and meaning."""
    engine = ENGINES[name]
    exploring, publishing = fields_of(engine.Request), fields_of(engine.PublishRequest)
    for key in exploring.keys() & publishing.keys():
        if key == data_parameter(engine.Request) or not publishing[key].in_plan:
            continue
        assert exploring[key].default == publishing[key].default, key
        assert exploring[key].plain == publishing[key].plain, key
