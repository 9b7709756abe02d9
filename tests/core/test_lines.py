"""Lines of JSON: whole or not there, and ended by a line feed alone."""

import errno
import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core import lines
from sfumato.core.lines import append_line, read_lines

VALUES = st.lists(st.dictionaries(st.text(), st.text() | st.integers()), max_size=8)


@settings(max_examples=60)
@given(VALUES, st.binary(max_size=30).filter(lambda b: b"\n" not in b), st.integers(1, 40))
def test_what_was_appended_is_read_back_and_a_torn_line_is_dropped(
    tmp_path_factory, values, torn, block
):
    path = tmp_path_factory.mktemp("lines") / "lines.jsonl"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_BLOCK", block)
        for value in values:
            append_line(path, value, sync=False)
            with path.open("ab") as stream:
                stream.write(torn)
            assert json.loads(read_lines(path)[-1]) == value
        append_line(path, {"last": 1})
    assert [json.loads(line) for line in read_lines(path)] == [*values, {"last": 1}]
    assert path.read_bytes().endswith(b'{"last":1}\n')
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "sign", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\r", "\ud800"]
)
def test_a_sign_that_ends_a_line_elsewhere_is_part_of_a_text(tmp_path, sign):
    append_line(tmp_path / "notes.jsonl", {"note": f"a{sign}b"})
    append_line(tmp_path / "notes.jsonl", {"note": "c"})
    read = [json.loads(line) for line in read_lines(tmp_path / "notes.jsonl")]
    assert read == [{"note": f"a{sign}b"}, {"note": "c"}]


def test_a_line_that_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    path = tmp_path / "lines.jsonl"
    append_line(path, 1)
    real = os.write

    def write(file, content):
        if content.startswith(b"["):
            return real(file, content[:2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch, pytest.raises(OSError, match="No space left"):
        patch.setattr(os, "write", write)
        append_line(path, [1, 2, 3])
    assert path.read_bytes() == b"1\n"
    with pytest.raises(ValueError, match="not JSON compliant"):
        append_line(path, float("nan"))
    assert path.read_bytes() == b"1\n"
