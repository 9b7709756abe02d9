"""Plans and schemas from hostile files: refused in one sentence and at once."""

import pytest

from sfumato.core.errors import FormatError, PlanError
from sfumato.core.toml_files import read_toml
from sfumato.data.table_schema import TableSchema


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (".".join(["a"] * 50_000) + " = 1", "key of too many parts"),
        ("[" + ".".join(["a"] * 50_000) + "]", "key of too many parts"),
        ("[[" + " . ".join(['"a"'] * 20_000) + "]]", "key of too many parts"),
        ("x = {" + ".".join(["a"] * 50_000) + " = 1}", "key of too many parts"),
        ("seed = " + "9" * 5_000, "number that is too long"),
        ("a = " + "[" * 5_000, "not readable|not valid"),
    ],
)
def test_l8_long_keys_and_numbers_are_refused(content, told, tmp_path):
    (tmp_path / "p.toml").write_text(content)
    with pytest.raises(FormatError, match=told):
        read_toml(tmp_path / "p.toml")


def test_l8_many_dots_in_a_value_are_fine(tmp_path):
    (tmp_path / "p.toml").write_text(f'title = "{"." * 500}"\nb = [{", ".join(["1.5"] * 200)}]\n')
    assert read_toml(tmp_path / "p.toml")["title"] == "." * 500


def test_l8_few_of_many_mistakes_are_told(tmp_path):
    (tmp_path / "s.toml").write_text('[[attribute]]\nname = "a"\nrole = "x"\n' * 30_000)
    with pytest.raises(PlanError, match=r"30,000 mistakes") as caught:
        TableSchema.load(tmp_path / "s.toml")
    assert len(str(caught.value).splitlines()) == 22
    assert "and 29,980 more" in str(caught.value)


def test_l6_a_key_cannot_paint_the_terminal(tmp_path):
    (tmp_path / "s.toml").write_text('"a\\u001b[31m\\u202e" = 1\n')
    with pytest.raises(PlanError) as caught:
        TableSchema.load(tmp_path / "s.toml")
    assert "\x1b" not in str(caught.value)
    assert "\u202e" not in str(caught.value)
