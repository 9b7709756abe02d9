"""JSON lines in columns: the same documents, withheld records and bytes as the reader in Python."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sfumato.core.errors import FormatError
from sfumato.data.byte_columns import Column
from sfumato.data.document import Edited
from sfumato.data.documents import Withheld, read_documents
from sfumato.data.formats import line_edits
from sfumato.data.formats.jsonl import encode_json
from sfumato.data.formats.lines import LineBlock, LineWriter, SeenMarks, read_blocks
from sfumato.data.formats.protocol import FieldNames
from sfumato.data.limits import Limits


def plainly(corpus, keep=None):
    """Read and write in Python: the lines, the names of other fields, what was withheld, records."""
    lines, fields, withheld, records = [], set(), [], 0
    for record in corpus.tolerant():
        records += 1
        if isinstance(record, Withheld):
            withheld.append(record)
            continue
        own = {k: v for k, v in record.fields.items() if keep is None or k in keep or k == "id"}
        fields.update(own)
        lines.append(corpus.format.encode(Edited(record, (), record.id, own)))
    return b"".join(lines), sorted(fields), withheld, records


def in_columns(corpus, keep=None, size=1 << 20):
    lines, fields, withheld, records = [], set(), [], 0
    seen, writer = SeenMarks(), LineWriter(corpus.format.names)
    for part in corpus.parts:
        for block in read_blocks(corpus.format, part, seen, size=size, keep=keep):
            travelled = LineBlock.of_arrow(block.to_arrow()) if len(block) else block
            lines.append(writer.lines(travelled, travelled.text))
            fields.update(block.fields)
            withheld += block.withheld
            records += block.records
    return b"".join(lines), sorted(fields), withheld, records


def check(folder, content, keep=None, **options):
    path = folder / "notes.jsonl"
    path.write_bytes(content)
    corpus = read_documents(path, **options)
    try:
        wanted = plainly(corpus, keep)
    except Exception:  # no document at all: the caller says so
        assert in_columns(corpus, keep)[3] == 0
        return
    for size in (1 << 20, 64, 7):
        assert in_columns(corpus, keep, size) == wanted


TAKEN = [
    '{"id": "a", "text": "Ann called."}',
    '{"text":"x","id":"b","spans":[],"ward":4}',
    '  {"id" : "c" , "text" : "tab\\tquote\\" slash\\/ é \\u00e9 \\ud83d\\ude00 \\u0001" , "spans" : null }  ',
    '{"id": 17, "text": "", "when": null, "ok": true, "no": false}',
    '{"id": -3, "text": "x", "a": {"b":[1,2.5,{"c":"d","e":[]},{}],"f":-0.5}, "g": "\\u0022\\\\ \\n"}',
    '{"id": "d", "text": "x", "n": [0, 1.25, 0.0, -0.0, 0.001, 0.0001, 123456789.25, 12345678901234567890]}',
    '{"id": "e\\u0041", "text": "x\\r\\n\\b\\f"}',
]
SLOW = [
    '{"id": "a", "text": "x", "text": "y"}', '{"id": "b", "text": "x", "k": 1, "k": 2}',
    '{"id": "c", "text": "x", "k": {"a": 1, "a": 2}}', '{"id": "d", "text": "x", "n": 1e5}',
    '{"id": "e", "text": "x", "n": [1.50, 0.00001, -0, 1.0000000000000001, 123456789012345.25, 1e999]}',
    '{"id": "f", "text": "Ann", "spans": [{"start": 0, "end": 3, "label": "NAME"}]}',
    '{"id": "g", "text": "x", "k\\u0041": 1}', '{"id": "h", "text": "x", "n": ' + "[" * 40 + "]" * 40 + "}",
    '{"id": "i", "text": "x", "id": "j"}', '{"id": "k", "text": "x", "spans": [], "spans": []}',
    '{"id": "l", "text": "x", "n": 01}', '{"id": "m", "text": "x", "n": 1.}', '{"id": "n", "text": "x"',
    '{"id": "o", "text": "x"} {}', '{"id": "p", "text": "x",}', '{"id": "q", "text": "\\ud800"}',
    '{"id": "r", "text": "x", "n": NaN}', '{"id": "s", "text": "x", "n": truth}', '{"id": "t"}', "[]", "7",
    '{"id": true, "text": "x"}', '{"id": 1.5, "text": "x"}', '{"id": "", "text": "x"}', '{"id": null, "text": "x"}',
    '{"id": "u", "text": "a\tb"}', '{"id": "v", "text": 5}', '{"text": "x"}', '{"id": "w" "text": "x"}',
    '{"id": "x", "text": "x", "spans": 5}', '{"id": "y", "text": "\\x"}', '{"id": "z", "text": "\\u12"}',
    '{"id": -0, "text": "x"}', '{"id": "\\ud83d", "text": "x"}', '{"id": "aa", "text": "x", "k": "\\udc00"}',
    "{'id': 1}", '{"id": "bb", "text": "x", "k": [1 2]}', '{"id": "cc", "text": "x", "k": {"a" 1}}',
    '{"id": "dd", "text": "x", "k": {1: 1}}', '{"id": "ee", "text": "x", "k": [1,]}', '{"id": "ff", "text": "x", "k": ]}',
    '{"id": "gg", "text": "x", "k": -}', '{"id": "hh", "text": "x", "k": nul}', '{"id": "ii", "text": "x", "k":',
]  # fmt: skip


def test_lines_of_every_kind(tmp_path):
    check(tmp_path, "\n".join(TAKEN).encode())
    check(tmp_path, "\n".join(SLOW).encode())
    check(tmp_path, ("\r\n".join([*TAKEN, *SLOW, "", " \t\x0b ", *TAKEN]) + "\r\n").encode())
    check(tmp_path, b"\n\n \n")
    check(tmp_path, b"\xef\xbb\xbf" + TAKEN[0].encode())
    check(tmp_path, TAKEN[0].encode() + b'\n{"id": "z", "text": "\xff"}\n' + TAKEN[1].encode())


def test_the_usual_lines_are_taken_by_the_kernels(tmp_path, monkeypatch):
    (tmp_path / "notes.jsonl").write_text("\n".join(TAKEN))
    corpus = read_documents(tmp_path / "notes.jsonl")
    wanted = plainly(corpus)
    monkeypatch.setattr(type(corpus.format), "record", None)  # whoever called it would fail
    assert in_columns(corpus) == wanted


def test_ids_are_unique_across_blocks_and_files(tmp_path):
    for name, ids in (("a.jsonl", "xyx"), ("b.jsonl", "zy")):
        lines = [json.dumps({"id": i, "text": f"{name} {n}", "n": 1.50}) for n, i in enumerate(ids)]
        (tmp_path / name).write_text("\n".join([*lines, '{"id": 5, "text": ""}']))
    corpus = read_documents(tmp_path)
    found = in_columns(corpus, size=8)
    assert found == plainly(corpus)
    assert [w.id for w in found[2]] == ["x", "y", "5"]


def test_limits_hold_as_in_python(tmp_path):
    lines = [json.dumps({"id": "i" * n, "text": "é" * m}) for n, m in ((3, 5), (9, 5), (4, 60))]
    lines += [json.dumps({"id": str(n), "text": "x" * n}) for n in range(20, 60)]
    content = "\n".join(lines).encode()
    for longest in (40, 50, 51, 52, 53):
        limits = Limits(record_bytes=longest, id_characters=5, document_characters=30)
        check(tmp_path, content, limits=limits)
        check(tmp_path, content + b"\n", limits=limits)


def test_an_endless_line_is_not_kept(tmp_path):
    limits = Limits(record_bytes=1 << 16)
    content = b'{"id": "a", "text": "' + b"x" * (1 << 20) + b'"}\n{"id": "b", "text": "y"}'
    check(tmp_path, content, limits=limits)


@pytest.mark.parametrize("keep", [(), ("ward", "k", "a"), ("g", "nobody")])
def test_fields_are_dropped_unless_they_are_kept(tmp_path, keep):
    check(tmp_path, "\n".join([*TAKEN, *SLOW]).encode(), keep=keep)


def test_other_names_and_many_fields(tmp_path):
    rows = [{"no": f"{i}", "body": f"b {i}", "found": [], f"f{i}": i, "id": i} for i in range(300)]
    content = "\n".join(json.dumps(row) for row in rows).encode()
    check(tmp_path, content, text="body", id="no", spans="found")
    wide = {"id": "a", "text": "x", **{f"f{i}": i for i in range(200)}}
    check(tmp_path, json.dumps(wide).encode())
    check(tmp_path, json.dumps({"id": "a", "text": "x", "k": wide}).encode())


def test_gzip(tmp_path):
    (tmp_path / "n.jsonl.gz").write_bytes(gzip.compress("\n".join(TAKEN).encode()))
    corpus = read_documents(tmp_path / "n.jsonl.gz")
    assert in_columns(corpus) == plainly(corpus)
    (tmp_path / "n.jsonl.gz").write_bytes(b"\x1f\x8bnot")
    with pytest.raises(FormatError):
        in_columns(corpus)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8)
    | st.floats(allow_nan=False, allow_infinity=False) | st.decimals(-1000, 1000, places=3).map(float),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
records = st.fixed_dictionaries(
    {"id": st.text(max_size=5) | st.integers(-9, 99), "text": st.text(max_size=30)},
    optional={"spans": st.just([]) | st.none(), "a": json_values, "b": json_values},
)
styles = st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " : ")])


@settings(max_examples=150)
@given(st.lists(st.tuples(records, styles, st.booleans()), max_size=5), st.randoms())
def test_any_records_as_in_python(tmp_path_factory, written, dice):
    lines = []
    for fields, separators, ascii_only in written:
        names = list(fields)
        dice.shuffle(names)
        lines.append(json.dumps({n: fields[n] for n in names}, separators=separators,
                                ensure_ascii=ascii_only))  # fmt: skip
    content = "\n".join(lines).encode("utf-8", "surrogatepass")
    check(tmp_path_factory.mktemp("any"), content)


@settings(max_examples=150)
@given(
    st.sampled_from([*TAKEN, *SLOW]), st.integers(0, 200), st.integers(1, 6), st.binary(max_size=3)
)
@example(TAKEN[0], 0, 6, b"")
def test_any_damage_as_in_python(tmp_path_factory, line, place, length, put):
    raw = bytearray(line.encode())
    raw[place : place + length] = put
    check(tmp_path_factory.mktemp("damaged"), bytes(raw) + b"\n" + TAKEN[1].encode())


@given(st.lists(st.lists(st.integers(0, 20)), max_size=8))
@settings(max_examples=60)
def test_marks_seen_before(batches):
    seen, plain = SeenMarks(), set()
    for batch in batches:
        wanted = []
        for mark in batch:
            wanted.append(mark not in plain)
            plain.add(mark)
        assert seen.add(np.array(batch, np.uint64)).tolist() == wanted


def test_a_text_for_each_document(tmp_path):
    (tmp_path / "n.jsonl").write_text("\n".join(TAKEN) + "\n")
    corpus = read_documents(tmp_path / "n.jsonl")
    (block,) = read_blocks(corpus.format, corpus.parts[0], SeenMarks(), size=1 << 20)
    with pytest.raises(ValueError, match="a text for each"):
        LineWriter(corpus.format.names).lines(block, Column.of([b"one"]))
    assert [block.id(i) for i in range(len(block))] == ["a", "b", "c", "17", "-3", "d", "eA"]


def test_columns():
    column = Column.of([b"ab", b"", b"c"])
    assert [column[i] for i in range(len(column))] == [b"ab", b"", b"c"]
    again = Column.of_arrow(column.to_arrow().slice(1))
    assert [again[i] for i in range(len(again))] == [b"", b"c"]


# --- what was written, read back ------------------------------------------------------------------

_WRITTEN = [
    b'{"id": "a", "text": "Ann \xf0\x9f\x98\x80", "spans": [], "ward": 4, "score": 0.5, "more": {"k": [1, null]}}',
    b'{"id": "b \\"q\\"", "text": "", "spans": []}',
    b'{"id": 7, "text": "x", "spans": []}',
]
_DAMAGED = [
    b'{"id": "a", "text": "x"',
    b'{"id": "a", "text": 5, "spans": []}',
    b'{"id": "a", "text": "x", "spans": [{"start": 0}]}',
    b'{"id": "a", "spans": []}',
    b'{"id": "a", "text": "x", "spans": []},{"id": "b", "text": "x", "spans": []}',
    b"[]",
    b"7",
    b"",
]


def read_back(*lines):
    return line_edits._block_back(b"".join(line + b"\n" for line in lines), FieldNames())


def in_python(line):
    return np.zeros(3, np.uint64) + line_edits._line_back(line, FieldNames())


def test_lines_that_are_damaged_are_none_and_leave_the_others():
    wanted = np.array([in_python(line) for line in _WRITTEN])
    assert wanted.all()
    assert np.array_equal(read_back(*_WRITTEN), wanted)
    for damaged in _DAMAGED:
        rows = read_back(_WRITTEN[0], damaged, _WRITTEN[2])
        assert np.array_equal(rows[[0, 2]], wanted[[0, 2]])
        assert not rows[1].any()


_FIELDS = st.dictionaries(
    st.text(max_size=4).filter(lambda name: name not in {"id", "text", "spans"}),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=5,
    ),
    max_size=3,
)  # fmt: skip


@settings(max_examples=150)
@given(id=st.text(min_size=1) | st.integers(), text=st.text(), fields=_FIELDS, data=st.data())
def test_lines_are_read_back_as_python_reads_them(id, text, fields, data):
    line = encode_json({"id": id, "text": text, "spans": [], **fields})
    wanted = in_python(line)
    others = b", " + encode_json(fields)[1:-1] if fields else b""
    texts = line_edits.ByteEdits.unchanged(Column.of([text.encode()])).hashes()
    decided = line_edits.line_hashes(Column.of([encode_json(id)]), texts, Column.of([others]))
    assert np.array_equal(read_back(line)[0], wanted)
    assert np.array_equal(decided[0], wanted)
    # A line that is another one is never taken for it: not by a byte, not by a second text.
    place = data.draw(st.integers(0, len(line) - 1))
    byte = data.draw(st.integers(1, 255).map(lambda change: bytes([line[place] ^ change])))
    for other in (line[:place] + byte + line[place + 1 :], line[:-1] + b', "text": "Ann"}'):
        if b"\n" not in other and np.array_equal(read_back(other)[0], wanted):
            assert np.array_equal(in_python(other), wanted)


def test_plain_lines_are_read_back_by_the_loops(monkeypatch):
    monkeypatch.setattr(line_edits, "_line_back", lambda *_: pytest.fail("read in Python"))
    assert read_back(*_WRITTEN).all()
    for second in (b'"text": "Ann"', b'"id": 1', b'"spans": []', b'"te\\u0078t": "Ann"'):
        with pytest.raises(pytest.fail.Exception):
            read_back(_WRITTEN[0][:-1] + b", " + second + b"}")
