"""What the tests of the document formats share: files to read, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sfumato.core.errors import InputError
from sfumato.data.documents import read_documents

CANARY = "Zaphyrine"


def jsonl(path: Path, *records: object) -> Path:
    lines = [r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in records]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def refused(kind: type[InputError], source, *words: str, **options) -> InputError:
    """Read strictly, expect one clear sentence of that kind without a word of the data."""
    with pytest.raises(kind) as caught:
        list(read_documents(source, **options))
    message = str(caught.value)
    assert caught.value.exit_status == 2
    assert CANARY not in message
    for word in words:
        assert word in message
    return caught.value
