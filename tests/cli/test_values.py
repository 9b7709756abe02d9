"""Lists on the command line: split, checked, refused in one sentence."""

import pytest

from sfumato.cli._values import names, numbers
from sfumato.core import ParameterError


def test_lists_are_split_and_trimmed():
    assert names(" a, b ,,c,") == ["a", "b", "c"]
    assert names("") == []
    assert numbers("1, 2.5", "--ratios") == [1.0, 2.5]
    assert numbers("10,100", "--budget", int, least=1) == [10, 100]


@pytest.mark.parametrize(
    ("text", "kind", "least", "sentence"),
    [
        ("1,x", float, None, "--n takes numbers separated by commas."),
        ("1.5", int, None, "--n takes whole numbers separated by commas."),
        ("0,5", int, 1, "--n takes whole numbers from 1, separated by commas."),
        ("", int, 1, "--n takes whole numbers from 1, separated by commas."),
    ],
)
def test_what_is_no_number_is_refused_without_repeating_it(text, kind, least, sentence):
    with pytest.raises(ParameterError) as caught:
        numbers(text, "--n", kind, least=least)
    assert str(caught.value) == f"{sentence} Hint: for example --n 1,10,100."
