"""Documents from hostile or careless files: what was not recognised is not published."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.seeds import seeded
from typer.testing import CliRunner

from sfumato.core.errors import DataError, FormatError, InputError, LimitError
from sfumato.data.document import Document, Edit, Edited, Span
from sfumato.data.documents import Withheld, documents_frame, read_documents, write_documents
from sfumato.data.findings import read_findings
from sfumato.data.formats._parquet_footer import _page, pages, read_footer
from sfumato.data.limits import Limits

CONLL_U = """# sent_id = 1
# text = CANARYTEXT
1\tMr\tmr\tNOUN\tO
2-3\tvamonos\t_\t_\tO
2\tStanhope\tstanhope\tPROPN\tB-NAME
2.1\tghost\t_\t_\tO
3\trang\tring\tVERB\tO

1\tHi\thi\tINTJ\tO

"""


def test_c3_numbered_tokens_are_recognised(tmp_path):
    (tmp_path / "u.conll").write_text(CONLL_U)
    corpus = read_documents(tmp_path / "u.conll")
    first, second = corpus
    assert first.text == "Mr vamonos Stanhope ghost rang"
    assert [first.text[s.start : s.end] for s in first.spans] == ["Stanhope"]
    (span,) = first.spans
    redacted = Edited(first, [Edit(span.start, span.end, "[NAME]", "NAME")], first.id, first.fields)
    (part,) = corpus.parts
    corpus.format.write(part, [redacted, Edited.unchanged(second)], tmp_path / "o.conll")
    written = (tmp_path / "o.conll").read_text()
    assert "tanhope" not in written
    assert written.splitlines()[:3] == [
        "1\tMr\t_\t_\tO",
        "2\tvamonos\t_\t_\tO",
        "3\t[NAME]\t_\t_\tO",
    ]
    again = list(read_documents(tmp_path / "o.conll"))
    assert [d.text for d in again] == [redacted.text, "Hi"]


def test_c3_other_columns_go_out_only_when_asked_for(tmp_path):
    (tmp_path / "a.conll").write_text("Ann CANARY NNP O\nsleeps CANARY VBZ O\n\n")
    for kept, wanted in [((), "Ann _ _ O"), ((2,), "Ann _ NNP O"), ((-2,), "Ann _ NNP O")]:
        corpus = read_documents(tmp_path / "a.conll", kept_columns=kept)
        write_documents(corpus, like=corpus, out=tmp_path / "o.conll", force=True)
        assert (tmp_path / "o.conll").read_text().splitlines()[0] == wanted


def test_c3_numbers_alone_are_withheld(tmp_path):
    (tmp_path / "a.conll").write_text("7\tCANARY\tO\n8\tCANARY\tO\n9\tCANARY\tO\n\n")
    (record,) = read_documents(tmp_path / "a.conll").tolerant()
    assert isinstance(record, Withheld)
    assert "token_column" in str(record.error())
    assert [d.text for d in read_documents(tmp_path / "a.conll", token_column=1)] == [
        "CANARY CANARY CANARY"
    ]


def test_c3_columns_are_named_on_the_command_line(tmp_path):
    """Numbers before the tokens, a lemma, tags in the middle: every command is told which column is what."""
    from sfumato.cli import build

    def sfumato(*line):
        ran = CliRunner().invoke(build(list(line[:1])), [*map(str, line)])
        assert ran.exit_code == 0, ran.output
        return ran.output

    rows = ["7 B-NAME Ann CANARYLEMMA NNP", "8 O sleeps sleep VBZ", "9 O well well RB", "", ""]
    (tmp_path / "a.conll").write_text("-DOCSTART-\n\n".join(["", *["\n".join(rows)] * 8]))
    reading = ["--format", "conll:token=2,tag=1,keep=4"]
    sfumato("text", "explore", tmp_path / "a.conll", "--label", "NAME", "--folds", 2, "--ratios", 10,
            "--attackers", "none", *reading, "--out", tmp_path / "found")  # fmt: skip
    told = sfumato("text", "publish", tmp_path / "found", tmp_path / "a.conll", "--choose", "knee", *reading,
                   "--out", tmp_path / "o")  # fmt: skip
    lines = (tmp_path / "o" / "a.conll").read_text().splitlines()
    assert lines[2:5] == ["_ O [NAME] _ _", "_ O sleeps _ VBZ", "_ O well _ RB"]
    assert "CANARYLEMMA" not in "".join(lines)
    record = json.loads((tmp_path / "o" / "release.json").read_text())
    assert record["how"]["fields_as_they_are"] == ["column 4"]
    assert "published as they are, because you keep them: column 4" in told


@pytest.mark.parametrize("name", ["h.csv", "h.tsv", "h.parquet", "h.jsonl"])
def test_h10_no_cell_or_key_is_told(name, tmp_path):
    if name.endswith("parquet"):
        pq.write_table(pa.table({"p1": ["x"], "Ann CanaryLee": ["Smith called"]}), tmp_path / name)
    elif name.endswith("jsonl"):
        (tmp_path / name).write_text('{"id": "a", "Ann CanaryLee": 3}\n')
    else:
        tab = "\t" if name.endswith("tsv") else ","
        lines = [tab.join(["p1", "Ann CanaryLee", "Smith called"]), tab.join(["p2", "Bo", "fine"])]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError) as caught:
        list(read_documents(tmp_path / name))
    assert "Canary" not in str(caught.value)
    assert "it has" in str(caught.value)


def test_m6_parquet_holds_nothing_of_what_was_withheld(tmp_path):
    frame = pd.DataFrame(
        {
            "id": ["a", "b", "c"], "text": ["one", None, "three"],
            "ward": pd.Categorical(["x", "CANARYWITHHELDWARD", "y"], ordered=True),
            "when": pd.to_datetime(["2020-01-01"] * 3).tz_localize("Europe/Berlin"),
        }
    )  # fmt: skip
    frame.attrs["note"] = "CANARYATTRIBUTE"
    frame.columns.name = "CANARYCOLUMNS"
    table = pa.Table.from_pandas(frame)
    kinds = pa.list_(pa.dictionary(pa.int32(), pa.string()))
    nested = pa.array([["x"], ["CANARYNESTED"], ["y"]], pa.list_(pa.string())).cast(kinds)
    table = table.append_column(pa.field("codes", kinds), nested)
    field = table.schema.field("id").with_metadata({"comment": "CANARYFIELDMETA"})
    table = table.cast(table.schema.set(0, field))
    pq.write_table(table, tmp_path / "a.parquet")
    corpus = read_documents(tmp_path / "a.parquet")
    kept = [r for r in corpus.tolerant() if isinstance(r, Document)]
    write_documents(kept, like=corpus, out=tmp_path / "o.parquet")
    assert b"CANARY" in (tmp_path / "a.parquet").read_bytes()
    assert b"CANARY" not in (tmp_path / "o.parquet").read_bytes()
    back = pd.read_parquet(tmp_path / "o.parquet")
    assert back["ward"].tolist() == ["x", "y"]
    assert back["ward"].dtype == "category"
    assert str(back["when"].dt.tz) == "Europe/Berlin"
    assert back["codes"].map(list).tolist() == [["x"], ["y"]]
    own = read_documents(table)
    given = documents_frame((r for r in own.tolerant() if isinstance(r, Document)), like=own)
    assert "CANARY" not in str(given.schema.metadata) + str(
        given.column("ward").chunk(0).dictionary
    )


@pytest.mark.parametrize("as_dictionary", [True, False])
def test_m11_a_parquet_bomb_is_refused_before_it_fills_memory(as_dictionary, tmp_path):
    cells = pa.DictionaryArray.from_arrays(pa.array(np.zeros(20_000, np.int32)), ["x" * 2_000_000])
    table = pa.table({"id": [str(i) for i in range(20_000)], "text": cells})
    pq.write_table(table, tmp_path / "bomb.parquet", compression="zstd", store_schema=as_dictionary)
    assert (tmp_path / "bomb.parquet").stat().st_size < 1_000_000
    read = 0
    with pytest.raises(LimitError, match="grows"):
        for document in read_documents(tmp_path / "bomb.parquet"):
            read += len(document.text)
    assert read < 300_000_000


def test_m11_a_dictionary_that_is_not_the_first_page_is_seen(tmp_path):
    """The pages of a column change places: what room they ask for is known before they are read."""
    cells = ["x" * 5_000, "y" * 5_000] * 400
    table = pa.table({"id": [str(i) for i in range(800)], "text": cells})
    pq.write_table(table, tmp_path / "t.parquet", compression="none", use_dictionary=["text"])
    content = bytearray((tmp_path / "t.parquet").read_bytes())
    (group,) = read_footer(tmp_path / "t.parquet")
    chunk = group[1]
    start, end = chunk.first_page, chunk.first_page + chunk.size
    with (tmp_path / "t.parquet").open("rb") as raw:
        first, second = pages(raw, chunk)
        _, length = _page(raw, start)
    middle = start + length + first.packed
    content[start:end] = content[middle:end] + content[start:middle]
    (tmp_path / "moved.parquet").write_bytes(content)
    with (tmp_path / "moved.parquet").open("rb") as raw:
        assert list(pages(raw, chunk)) == [second, first]
    assert (first.is_dictionary, second.is_dictionary) == (True, False)
    corpus = read_documents(tmp_path / "moved.parquet")
    with pytest.raises(FormatError, match="not readable"):
        list(corpus)


def test_m11_limits_are_in_one_place_and_can_be_raised(tmp_path):
    from sfumato.data.limits import current_limits, set_limits
    from sfumato.data.table_source import TableSource

    (tmp_path / "t.csv").write_text("id,text,x\na,b,c\n")
    before = current_limits()
    try:
        set_limits(Limits().with_overrides(["columns=2"]))
        for read in (lambda: TableSource.open(tmp_path / "t.csv"),
                     lambda: list(read_documents(tmp_path / "t.csv"))):  # fmt: skip
            with pytest.raises(LimitError, match=r"--limit columns="):
                read()
    finally:
        set_limits(before)
    assert len(list(read_documents(tmp_path / "t.csv"))) == 1


@pytest.mark.parametrize(
    "label", ["ssn of CANARYJOHN SMITH", "A\x1bB", "A\u202eB", "A\nB", "", "x" * 65, "_"]
)
def test_l6_labels_are_names_of_kinds(label, tmp_path):
    found = {"id": "d", "findings": [{"start": 0, "end": 1, "label": label}]}
    (tmp_path / "f.jsonl").write_text(json.dumps(found))
    with pytest.raises(DataError) as caught:
        read_findings(tmp_path / "f.jsonl")
    assert "CANARY" not in str(caught.value)
    (tmp_path / "n.jsonl").write_text(
        json.dumps({"id": "d", "text": "a", "spans": found["findings"]})
    )
    (record,) = read_documents(tmp_path / "n.jsonl").tolerant()
    assert isinstance(record, Withheld)
    (record,) = read_documents([Document("d", "a", (Span(0, 1, label),))]).tolerant()
    assert isinstance(record, Withheld)


def test_l6_messages_hold_no_control_characters():
    told = FormatError("The column a\x1b[31mb\u202ec is wrong.", hint="see \x07it\nhere")
    assert str(told) == "The column a\\x1b[31mb\\u202ec is wrong. Hint: see \\x07it\nhere"


@pytest.mark.parametrize("name", ["a|b", "a:b", "a\nb", " a"])
def test_l7_one_odd_file_name_is_withheld_alone(name, tmp_path):
    folder = tmp_path / "brat"
    folder.mkdir()
    for stem in (name, "good"):
        (folder / f"{stem}.txt").write_text("Ann")
    corpus = read_documents(folder)
    records = list(corpus.tolerant())
    assert sorted(type(r).__name__ for r in records) == ["Document", "Withheld"]
    write_documents(
        [r for r in records if isinstance(r, Document)], like=corpus, out=tmp_path / "o"
    )
    assert [p.name for p in (tmp_path / "o").iterdir()] == ["good.txt"]


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "brotli", "lz4"])
def test_the_footer_of_parquet_is_read_as_pyarrow_reads_it(compression, tmp_path):
    rng = np.random.default_rng(seeded(3))
    table = pa.table(
        {
            "text": ["word " * int(n) for n in rng.integers(0, 50, 700)],
            "n": rng.integers(0, 9, 700),
            "deep": pa.array([[{"a": str(n), "b": n}] for n in rng.integers(0, 9, 700).tolist()]),
            "flag": rng.random(700) < 0.5,
        }
    )
    pq.write_table(
        table, tmp_path / "t.parquet", compression=compression, row_group_size=300,
        use_dictionary=["text"], write_page_index=True,
    )  # fmt: skip
    meta = pq.read_metadata(tmp_path / "t.parquet")
    footer = read_footer(tmp_path / "t.parquet")
    assert len(footer) == meta.num_row_groups == 3
    with (tmp_path / "t.parquet").open("rb") as raw:
        for g, group in enumerate(footer):
            assert len(group) == meta.num_columns
            for c, chunk in enumerate(group):
                own = meta.row_group(g).column(c)
                codec = "none" if own.compression == "UNCOMPRESSED" else own.compression.lower()
                assert chunk.codec == codec
                assert chunk.is_text == (own.physical_type == "BYTE_ARRAY")
                found = list(pages(raw, chunk))
                assert found[0].is_dictionary == own.has_dictionary_page
                assert not any(page.is_dictionary for page in found[1:])
                unpacked, packed = sum(p.unpacked for p in found), sum(p.packed for p in found)
                assert own.total_uncompressed_size - 200 * len(found) < unpacked
                assert unpacked < own.total_uncompressed_size
                assert own.total_compressed_size - 200 * len(found) < packed
                assert packed < own.total_compressed_size
    for cut in (4, 9, 30):
        (tmp_path / "cut.parquet").write_bytes((tmp_path / "t.parquet").read_bytes()[:-cut])
        with pytest.raises(FormatError):
            read_footer(tmp_path / "cut.parquet")
