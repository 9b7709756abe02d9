"""Facts: what enters, what stays out, and that the same release gives the same bytes anywhere."""

from __future__ import annotations

import json
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import FormatError, InputError, NoCandidateError
from sfumato.report.facts import facts_json, gather
from sfumato.report.facts.model import Facts
from sfumato.report.facts.shared import thinned


def test_three_engines_make_one_record(tmp_path, made_up):
    facts = gather([made_up(tmp_path)])
    assert facts.engines == ("text", "tables", "baskets")
    text, tables, baskets = facts.parts
    assert text.chosen.id == "ratio-10"
    assert text.attack_on == "the release"
    assert text.bound == pytest.approx(1 / 11)
    assert text.headline.budget == 1000
    assert text.headline.before_name == "Literal Algorithm 1"
    assert tables.published
    assert tables.safe_harbor.attributes[0].intervals == 91
    assert tables.references[0].same_utility.risk < tables.references[0].risk
    assert not baskets.published
    assert baskets.chosen_by == "knee"
    assert [a.absences for a in baskets.absences] == [0, 1, 2, 3]
    assert baskets.all_features_unique == 0.99


def test_the_same_release_gives_the_same_bytes_in_two_folders(tmp_path, made_up):
    one = made_up(tmp_path / "one")
    other = tmp_path / "quite" / "another place"
    shutil.copytree(one, other)
    assert facts_json(gather([one])) == facts_json(gather([other]))


def test_the_order_of_folders_does_not_matter(tmp_path, made_up):
    folder = made_up(tmp_path)
    there = [folder / "text", folder / "tables", folder / "baskets"]
    assert facts_json(gather(there)) == facts_json(gather(there[::-1]))
    assert facts_json(gather(there)) == facts_json(gather([folder]))


def test_seconds_folders_and_key_order_leave_no_trace(tmp_path, made_up, contents):
    folder = made_up(tmp_path / "a", "tables")
    before = facts_json(gather([folder]))
    path = folder / "tables" / "frontier.json"
    content = json.loads(path.read_text())
    content["seconds"] = 99.9
    content["inputs"][0]["path"] = "/quite/elsewhere/adult.csv"
    path.write_text(json.dumps(dict(reversed(content.items()))))
    assert facts_json(gather([folder])) == before
    assert "somewhere" not in before


def test_facts_read_back_as_the_same_facts(tmp_path, made_up):
    facts = gather([made_up(tmp_path)])
    assert Facts.model_validate_json(facts_json(facts)) == facts


def test_a_release_without_its_frontier_still_has_facts(tmp_path, made_up):
    facts = gather([made_up(tmp_path, "text") / "text" / "release"])
    (part,) = facts.parts
    assert part.published
    assert part.points == ()
    assert part.chosen.risk == pytest.approx(288 / 17050)


def test_the_record_beside_a_published_file_is_found(tmp_path, made_up):
    folder = made_up(tmp_path, "tables") / "tables"
    record = folder / "release" / "release.json"
    published = tmp_path / "adult_published.csv"
    published.write_text("age\n", encoding="utf-8")
    record.rename(tmp_path / "adult_published.release.json")
    (part,) = gather([folder, published]).parts
    assert part.published
    assert part.chosen.id == "p035"


def test_the_steward_may_choose(tmp_path, made_up):
    folder = made_up(tmp_path, "baskets")
    (part,) = gather([folder], choose={"baskets": "information-20"}).parts
    assert (part.chosen.id, part.chosen_by) == ("information-20", "steward")
    with pytest.raises(NoCandidateError):
        gather([folder], choose={"baskets": "information-21"})
    with pytest.raises(InputError):
        gather([folder], choose={"basket": "information-20"})


def test_the_plan_is_named_by_file_and_hash(tmp_path, made_up):
    folder = made_up(tmp_path, "baskets")
    assert gather([folder]).plan is None
    plan = folder / "plan.toml"
    plan.write_text("seed = 1\n")
    assert gather([folder]).plan.name == "plan.toml"
    assert gather([folder]) == gather([folder / "baskets"], plan=plan)


def test_two_parts_of_one_engine_have_ids_of_their_own(tmp_path, made_up):
    made_up(tmp_path / "a", "baskets")
    other = made_up(tmp_path / "b", "baskets") / "baskets" / "frontier.json"
    other.write_text(other.read_text().replace('"seed": 1', '"seed": 2'))
    facts = gather([tmp_path])
    assert [part.id for part in facts.parts] == ["baskets", "baskets-2"]
    assert [part.seed for part in facts.parts] == [1, 2]


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("nothing.txt", "", InputError),
        ("frontier.json", "{", FormatError),
        ("frontier.json", "[]", FormatError),
        ("frontier.json", '{"engine": "other"}', FormatError),
        ("frontier.json", '{"engine": "text", "candidates": [{"id": "a"}]}', FormatError),
        ("attack.json", '{"attack": {}}', InputError),
    ],
)
def test_bad_folders_are_refused_with_one_sentence(tmp_path, name, content, error):
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(error) as caught:
        gather([tmp_path])
    assert str(caught.value).count("\n") == 0
    assert str(tmp_path) not in str(caught.value)


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(InputError):
        gather([tmp_path / "nowhere"])


def rewrite(path, **fields):
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}), encoding="utf-8")


CANARIES = ["Zanzibarovic", "Zanzibarovic, Ondine", "zanzibarovic street 7"]


def planted(value, canary):
    """Put a canary beside every key, into every list, and in place of every free text."""
    if isinstance(value, dict):
        grown = {k: planted(v, canary) for k, v in value.items()}
        return {**grown, canary: canary, "note": canary, "sentence": canary, "text": canary}
    if isinstance(value, list):
        return [planted(v, canary) for v in value]
    return value


# Where names of columns, declared values and ids stand, words are meant to stand.
MEANT = {"policy", "features", "candidates", "inputs", "outputs", "quasi"}


@pytest.mark.parametrize("canary", CANARIES)
def test_planted_words_never_reach_the_facts(tmp_path, made_up, contents, canary):
    folder = made_up(tmp_path)
    clean = facts_json(gather([folder]))
    for engine, files in contents.items():
        for name, content in files.items():
            original = content()
            grown = planted(original, canary)
            for candidate, was in zip(grown.get("candidates", []), original.get("candidates", []), strict=True):  # fmt: skip
                candidate.update({k: was[k] for k in MEANT & was.keys()})
            for reference, was in zip(grown.get("references", []), original.get("references", []), strict=True):  # fmt: skip
                reference.update({k: was[k] for k in MEANT & was.keys()})
            (folder / engine / name).write_text(json.dumps(grown), encoding="utf-8")
    dirty = facts_json(gather([folder]))
    assert "anzibarovic" not in dirty
    assert dirty == clean


FIELDS = ["learner", "mode", "strategy", "selector", "stop", "labels", "label", "replace", "version", "engine_note",
          "name", "attacker", "method", "warning", "seed", "folds", "words", "population", "max_risk"]  # fmt: skip


@pytest.mark.parametrize("field", FIELDS)
def test_a_word_in_place_of_a_known_field_is_left_out(tmp_path, made_up, field):
    folder = made_up(tmp_path)
    for path in sorted(folder.rglob("*.json")):
        content = json.loads(path.read_text())
        for place in (content, content.get("how", {}), *content.get("references", [])):
            place[field] = "Zanzibarovic"
        path.write_text(json.dumps(content), encoding="utf-8")
    assert "anzibarovic" not in facts_json(gather([folder]))


def test_every_declared_label_is_listed_well_known_or_not(tmp_path, made_up):
    folder = made_up(tmp_path, "text")
    rewrite(
        folder / "text" / "frontier.json", labels=["name", "CASE_NO", "Aktenzeichen (§ 4)", "ZIP"]
    )
    counts = {
        "documents": 399,
        "redacted": {"name": 50, "CASE_NO": 7, "date": 3, "Zanzibarovic": 2},
    }
    rewrite(folder / "text" / "release" / "release.json", counts=counts)
    (part,) = gather([folder]).parts
    assert part.labels == ("name", "CASE_NO", "Aktenzeichen (§ 4)", "ZIP")
    assert part.redactions == {
        "Aktenzeichen (§ 4)": 0, "CASE_NO": 7, "DATE": 3, "OTHER": 2, "ZIP": 0, "name": 50,
    }  # fmt: skip
    assert "anzibarovic" not in facts_json(gather([folder]))


@pytest.mark.parametrize("wrong", ["[NAME]", "[[text.found|x]]", "a\nb", "x" * 65, "", 7])
def test_a_label_that_cannot_be_shown_stands_as_other(tmp_path, made_up, wrong):
    folder = made_up(tmp_path, "text")
    rewrite(folder / "text" / "frontier.json", labels=["NAME", wrong])
    (part,) = gather([folder]).parts
    assert part.labels == ("NAME", "OTHER")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(), max_size=60), st.integers(2, 20))
def test_thinning_keeps_the_ends_and_the_order(values, most):
    kept = thinned(list(enumerate(values)), most)
    assert len(kept) == min(len(values), most)
    assert kept == sorted(kept)
    if values:
        assert kept[0] == (0, values[0])
        assert kept[-1] == (len(values) - 1, values[-1])


def test_every_field_is_documented():
    from pathlib import Path

    from sfumato.report.facts import model

    page = Path(__file__).parents[2] / "docs" / "reference" / "facts.md"
    text = page.read_text(encoding="utf-8")
    kinds = [k for k in vars(model).values() if isinstance(k, type) and issubclass(k, model.Fact)]
    fields = {name for kind in kinds for name in kind.model_fields}
    assert len(fields) > 60
    assert {name for name in fields if f"`{name}`" not in text} == set()


def test_every_word_of_the_vocabularies_may_stand_in_the_facts():
    from pydantic import TypeAdapter

    from sfumato.report import kinds

    lists = [kinds.LEARNERS, kinds.STRATEGIES, kinds.SELECTORS, kinds.PACKAGES, kinds.COUNT_NAMES, kinds.REFERENCES.values()]  # fmt: skip
    for word in {word for words in lists for word in words}:
        assert TypeAdapter(kinds.Vocabulary).validate_python(word) == word
    for word in kinds.LABELS:
        assert TypeAdapter(kinds.Label).validate_python(word) == word


def test_a_value_that_no_type_allows_is_refused_without_repeating_it(
    tmp_path, made_up, monkeypatch
):
    from sfumato.report.facts import shared

    folder = made_up(tmp_path, "tables")
    monkeypatch.setattr(shared, "known", lambda *_: "Zanzibarovic; drop")
    with pytest.raises(FormatError) as caught:
        gather([folder])
    assert "anzibarovic" not in str(caught.value)
