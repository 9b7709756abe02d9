"""What is fuzzed: a target lays bytes where a reader finds them and reads; only our own errors may come.

The good files (seeds) are small and generated here. Several files in one input are joined by a line
of equal signs.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fuzz import files, pdf, records
from fuzz.onward import (
    PLANTED,
    LeakError,
    publish_baskets,
    publish_documents,
    publish_lines,
    publish_table,
    sanitised,
    search,
    stands_in,
)
from sfumato.core.errors import SfumatoError

BETWEEN = b"\n=====\n"


@dataclass(frozen=True)
class Target:
    """A reader, the good files to start from, and how bytes come into a folder and are read there.

    `onward` reads what was laid as well, and goes on through explore and publish.
    """

    name: str
    seeds: Callable[[], Sequence[bytes]]
    lay: Callable[[bytes, Path], object]
    read: Callable[[Path], object]
    onward: Callable[[Path], object] | None = None

    def check(self, data: bytes, *, onward: bool = False) -> str | None:
        """Read hostile bytes; return how they were refused, None when they were taken.

        Whatever is not one of our errors comes through, and so does a file written elsewhere, or a
        planted word in a message.
        """
        with tempfile.TemporaryDirectory(prefix="sfumato-fuzz-") as name:
            outer = Path(name)
            folder = outer / "inner" / "folder"
            folder.mkdir(parents=True)
            try:
                self.lay(data, folder)
                (self.onward if onward and self.onward is not None else self.read)(folder)
                refused = None
            except SfumatoError as error:
                refused = type(error).__name__
                # Records are told by their ids, which a mutation may have made of the word.
                if stands_in(str(error).encode()) and "id '" not in str(error):
                    raise LeakError("message") from None
            astray = sorted(p.name for p in outer.rglob("*") if folder not in (p, *p.parents))
            if astray != ["inner"]:
                raise AssertionError(f"{len(astray) - 1} files were written outside the folder")
            return refused


# --- documents -----------------------------------------------------------------------------------


def _documents():  # type: ignore[no-untyped-def]
    from sfumato.data.document import Document, Span

    return [
        Document(
            "d1", f"Ann Perez called {PLANTED}.\nTwice.", (Span(0, 9, "NAME"),), {"year": 1999}
        ),
        Document("d2", "Señora Ö. Muñoz, 12.3.2020 😀", (Span(7, 9, "NAME"),), {"year": None}),
        Document("d3", "", (), {"year": 5}),
    ]


def _written(form: str, suffix: str) -> list[bytes]:
    from sfumato.data.documents import write_documents

    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / f"seed{suffix}"
        write_documents(_documents(), like=form, out=out)
        return [out.read_bytes()]


def _laid(name: str) -> Callable[[bytes, Path], object]:
    return lambda data, folder: (folder / name).write_bytes(data)


def _documents_target(name: str, seeds: Callable[[], Sequence[bytes]]) -> Target:
    """Return a target of documents in one file."""
    path = f"input.{name}"
    return Target(
        name, seeds, _laid(path), lambda f: _read_and_write(f / path), lambda f: _publish(f / path)
    )


def _read_and_write(path: Path) -> None:
    """Read tolerantly, write back what could be read, then read strictly."""
    from sfumato.data.documents import Withheld, read_documents, write_documents

    corpus = read_documents(path)
    good = [record for record in corpus.tolerant() if not isinstance(record, Withheld)]
    write_documents(good, like=corpus, out=path.parent / f"out{''.join(path.suffixes)}")
    list(read_documents(path))


def _publish(path: Path) -> None:
    """Publish what can be read, then read strictly."""
    from sfumato.data.documents import read_documents

    publish_documents(path, path.parent)
    list(read_documents(path))


def _bare_parquet(table: Any) -> bytes:
    """Return Parquet of pages as they are: a change of a value breaks nothing else."""
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(
        table, sink, compression="none", use_dictionary=False, write_statistics=False,
        store_schema=False,
    )  # fmt: skip
    return sink.getvalue()


def _parquet_documents() -> list[bytes]:
    import pyarrow.parquet as pq

    (whole,) = _written("parquet", ".parquet")
    return [whole, _bare_parquet(pq.read_table(io.BytesIO(whole)))]


def _lines_seed() -> list[bytes]:
    compact = b'{"text":"Quetzalcanary \\u00e9\\ud83d\\ude00","id":7,"spans":[],"x":{"y":[1,2.5,"z\\n",{}]}}\n'
    return [
        *_written("jsonl", ".jsonl"),
        compact,
        compact + b'{"id": "b", "text": "", "n": -0.25}\n',
    ]


def _read_lines(folder: Path) -> None:
    """Read JSON lines in columns and in Python: what is written and withheld must be the same."""
    from sfumato.data.document import Document
    from sfumato.data.documents import Withheld, read_documents
    from sfumato.data.formats.lines import LineWriter, SeenMarks, read_blocks

    corpus = read_documents(folder / "input.jsonl")
    lines, withheld = [], []
    for block in read_blocks(corpus.format, corpus.parts[0], SeenMarks(), size=100):
        lines.append(LineWriter(corpus.format.names).lines(block, block.text))
        withheld += block.withheld
    records = list(corpus.tolerant())
    assert withheld == [r for r in records if isinstance(r, Withheld)]
    good = (Document(r.id, r.text, (), r.fields) for r in records if isinstance(r, Document))
    assert b"".join(lines) == b"".join(map(corpus.format.encode, good))


def _publish_lines(folder: Path) -> None:
    _read_lines(folder)
    publish_lines(folder / "input.jsonl")


def _brat_seed() -> list[bytes]:
    text = f"Ann Perez called {PLANTED}.\nTwice."
    return [
        text.encode()
        + BETWEEN
        + b"T1\tNAME 0 9\tAnn Perez\n#1\tNote T1\tx\nT2\tDATE 32 37\tTwice\n"
    ]


def _lay_brat(data: bytes, folder: Path) -> None:
    text, _, notes = data.partition(BETWEEN)
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "a.txt").write_bytes(text)
    (corpus / "a.ann").write_bytes(notes)


def _conll_seed() -> list[bytes]:
    return [
        (
            b"-DOCSTART- -X- O O\n\nAnn NNP B-NP B-PER\nPerez NNP I-NP I-PER\nsaw VBD O O\n"
            b"Quetzalcanary Quetzalcanary O O\n. . O O\n\nHi UH O O\n"
        ),
        b"1\tAnn\tAnn\tB-PER\n2\tsaw\tsee\tO\n3\tQuetzalcanary\tQuetzalcanary\tO\n\n",
    ]


def _zipped() -> list[bytes]:
    plain = _written("jsonl", ".jsonl")[0]
    lines = b"".join(b'{"id": "%d", "text": "again"}\n' % number for number in range(100))
    return [gzip.compress(plain, mtime=0), gzip.compress(lines, mtime=0), plain]


def _lay_zipped(data: bytes, folder: Path) -> None:
    """Compress what is not: a change of it meets no checksum."""
    packed = data if data.startswith(b"\x1f") else gzip.compress(data, compresslevel=1, mtime=0)
    (folder / "input.jsonl.gz").write_bytes(packed)


_REST: dict[str, list[dict[str, object]]] = {"d2": [], "d3": []}
_FOUND = {"d1": [{"start": 0, "end": 3, "label": "NAME", "score": 0.5}], **_REST}
_PRESIDIO = {"d1": [{"entity_type": "PERSON", "start": 0, "end": 3, "score": 0.85}], **_REST}


def _findings_lines() -> list[bytes]:
    return [
        b"".join(json.dumps({"id": k, "findings": f}).encode() + b"\n" for k, f in found.items())
        for found in (_FOUND, _PRESIDIO)
    ]


def _read_findings(path: Path) -> None:
    from sfumato.data.findings import read_findings, with_findings

    read_findings(path)
    list(with_findings(_documents(), path))


def _redact_findings(path: Path) -> None:
    from sfumato.data.findings import read_findings, with_findings

    read_findings(path)
    sanitised(list(with_findings(_documents(), path)), findings=True)


def _findings_target(form: str, seeds: Callable[[], Sequence[bytes]]) -> Target:
    name = f"findings.{form}"
    return Target(
        f"findings-{form}", seeds, _laid(name), lambda f: _read_findings(f / name),
        lambda f: _redact_findings(f / name),
    )  # fmt: skip


# --- text ----------------------------------------------------------------------------------------


def _texts() -> list[bytes]:
    return [d.text.encode() for d in _documents()] + [
        "O'Brien's e-mail: x_y@z.de; İstanbul’da 東京タワー 한국어 \u200b\u202e a\u0301\u0301 1,234.5 B12".encode()
    ]


def _tokenise(folder: Path) -> None:
    from sfumato.engines.text.reading.tokens import Vocabulary, tokenize

    data = (folder / "text").read_bytes()
    text = data.decode("utf-8", "surrogateescape" if data[:1] == b"\xff" else "replace")
    vocabulary = Vocabulary()
    tokens = tokenize([text, text[::-1]], vocabulary)
    raw, end = tokens.text.tobytes(), 0
    for start, stop, kind in zip(tokens.start, tokens.end, tokens.type, strict=True):
        assert end <= start < stop
        assert raw[start:stop].decode() == vocabulary.words[kind]
        end = stop
    assert end <= len(raw)


def _redact_text(folder: Path) -> None:
    from sfumato.data.document import Document

    _tokenise(folder)
    text = (folder / "text").read_bytes().decode("utf-8", "replace")
    sanitised(
        [
            Document("a", text),
            Document("b", f"{PLANTED} {text}"),
            Document("c", f"{text} {PLANTED}"),
        ]
    )


@cache
def _model_files() -> tuple[bytes, bytes]:
    """Give the two files of a whole model, learned from a few generated notes."""
    from sfumato.data.samples.notes import clinic_notes
    from sfumato.engines.text.sanitize.storage import ARRAYS_FILE, HEADER_FILE
    from sfumato.text import explore

    with tempfile.TemporaryDirectory() as name:
        found = explore(clinic_notes(6), labels=["NAME"], ratios=[10], folds=2, attackers=())
        found.save(name)
        model = Path(name) / "model"
        return (model / HEADER_FILE).read_bytes(), (model / ARRAYS_FILE).read_bytes()


def _written_model(folder: Path, header: bytes, arrays: bytes) -> None:
    from sfumato.engines.text.sanitize.storage import ARRAYS_FILE, HEADER_FILE

    (folder / "model").mkdir()
    (folder / "model" / HEADER_FILE).write_bytes(header)
    (folder / "model" / ARRAYS_FILE).write_bytes(arrays)


def _lay_model(data: bytes, folder: Path) -> None:
    header, _, arrays = data.partition(BETWEEN)
    _written_model(folder, header, arrays)


def _load_model(folder: Path) -> None:
    """Load a damaged model: a changed one that still loads would be a silent wrong answer."""
    from sfumato.engines.text.sanitize.models import load_candidates
    from sfumato.engines.text.sanitize.storage import ARRAYS_FILE, HEADER_FILE

    load_candidates(folder)
    model = folder / "model"
    found = (model / HEADER_FILE).read_bytes(), (model / ARRAYS_FILE).read_bytes()
    assert found == _model_files(), "a changed model loads"


def _lay_signed(header: bytes, arrays: bytes, folder: Path) -> None:
    """Lay a model whose hashes were computed anew by whoever changed it."""
    from sfumato.core.files import canonical_json
    from sfumato.engines.text.sanitize.storage import _own_hash, _size_of

    try:
        content = json.loads(header)
        start = 0
        for part in content["parts"]:
            end = start + _size_of(part)
            part["sha256"] = hashlib.sha256(arrays[start:end]).hexdigest()
            start = end
        content["sha256"] = _own_hash(content)
        header = canonical_json(content).encode()
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, SfumatoError):
        pass  # what cannot be signed is sent as it is
    _written_model(folder, header, arrays)


def _lay_header(data: bytes, folder: Path) -> None:
    _lay_signed(data, _model_files()[1], folder)


def _lay_arrays(data: bytes, folder: Path) -> None:
    header, arrays = _model_files()
    _lay_signed(header, data[: len(arrays)].ljust(len(arrays), b"\xff"), folder)


def _publish_by_model(folder: Path) -> None:
    from sfumato.engines.text.redaction.sanitiser import Sanitiser
    from sfumato.engines.text.sanitize.models import load_candidates

    for classifiers in load_candidates(folder).values():
        Sanitiser(classifiers)(_documents())


# --- tables --------------------------------------------------------------------------------------

_SCHEMA = """missing = "value"
undeclared = "drop"

[[attribute]]
name = "age"
role = "quasi"
domain = { range = [20, 40] }

[[attribute]]
name = "sex"
role = "quasi"
domain = { values = ["f", "m"] }
widest = 2

[[attribute]]
name = "zip"
role = "quasi"
domain = "observed"
hierarchy = "zip.csv"

[[attribute]]
name = "illness"
role = "sensitive"

[[attribute]]
name = "name"
role = "identifier"
"""
_TABLE = f"""age,sex,name,zip,illness,ward
30,f,{PLANTED},10,flu,{PLANTED}
31,m,{PLANTED},11,"a,b",w
?,f,{PLANTED},20,,w
30,f,{PLANTED},10,flu,w
"""
_HIERARCHY = "10;1*;*\n11;1*;*\n20;2*;*\n"
_POPULATION = f"age,sex,zip,count,who\n30,f,10,5,{PLANTED}\n31,m,11,2,x\n32,f,20,9,x\n"


_TABLE_FILES = {
    "schema.toml": _SCHEMA, "table.csv": _TABLE, "zip.csv": _HIERARCHY, "population.csv": _POPULATION,
}  # fmt: skip


def _table_target(name: str, changed: str, seeds: Callable[[], Sequence[bytes]]) -> Target:
    """Return a target that changes one of the files of a table."""
    table = changed if changed.startswith("table") else "table.csv"

    def lay(data: bytes, folder: Path) -> None:
        for file, content in _TABLE_FILES.items():
            (folder / file).write_text(content)
        (folder / changed).write_bytes(data)

    def read(folder: Path) -> None:
        from sfumato.data.hierarchy import hierarchy_nodes, hierarchy_order
        from sfumato.data.table import read_table

        if changed == "zip.csv":
            hierarchy_order(folder / "zip.csv")
            hierarchy_nodes("zip.csv", ["10", "11", "20"], folder)
        read_table(folder / table, folder / "schema.toml", folder / "population.csv")

    return Target(name, seeds, lay, read, lambda folder: publish_table(folder, table))


def _parquet_tables() -> list[bytes]:
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    table, sink = pc.read_csv(io.BytesIO(_TABLE.encode())), io.BytesIO()
    pq.write_table(table, sink)
    return [sink.getvalue(), _bare_parquet(table)]


def _lattice() -> Any:
    from sfumato.engines.tables.space.policy import Lattice

    return Lattice(("age", "sex"), (tuple(map(str, range(9))), ("f", "m")))


def _policy_seed() -> list[bytes]:
    from sfumato.engines.tables.space.policy_files import save_policy

    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "policy.json"
        save_policy(_lattice().policy({"age": ["0-4", "5-8"], "sex": ["f", "m"]}), path)
        return [path.read_bytes()]


def _load_policy(folder: Path) -> None:
    from sfumato.engines.tables.space.policy_files import load_policy

    load_policy(folder / "policy.json", _lattice())


_COLUMNS = {
    "age": [1, 2, 3, 3],
    "sex": ["f", "m", "f", "f"],
    "name": [f"{PLANTED}{i}" for i in range(4)],
}
_ROLES = {
    "attribute": [
        {"name": "age", "role": "quasi", "domain": "observed"},
        {"name": "sex", "role": "quasi", "domain": "observed"},
        {"name": "name", "role": "identifier"},
    ]
}


@cache
def _tables_seed() -> tuple[bytes, ...]:
    from sfumato.tables import explore

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        explore(_COLUMNS, schema=_ROLES, evaluations=5).save(folder)
        files = [folder / "frontier.json", folder / "policies.json"]
        return (BETWEEN.join(file.read_bytes() for file in files),)


def _lay_tables(data: bytes, folder: Path) -> None:
    frontier, _, policies = data.partition(BETWEEN)
    (folder / "frontier.json").write_bytes(frontier)
    (folder / "policies.json").write_bytes(policies)


def _load_tables(folder: Path) -> None:
    from sfumato.tables import load

    load(folder)


def _publish_loaded(folder: Path) -> None:
    """Publish by what was loaded from a changed folder; the identifier may not come out."""
    from sfumato.tables import load

    found = load(folder)
    for candidate in found.candidates[:1]:
        found.publish(candidate, _COLUMNS, out=folder / "released")
    search(folder / "released")


def _publish_policy(folder: Path) -> None:
    from sfumato.engines.tables.release.steps import publish_by_policy
    from sfumato.engines.tables.space.policy_files import load_policy

    policy = load_policy(folder / "policy.json", _lattice())
    data = {"age": [1, 2, 8], "sex": ["f", "m", "f"], "name": [f"{PLANTED}{i}" for i in range(3)]}
    domains = zip(("age", "sex"), ({"range": [0, 8]}, {"values": ["f", "m"]}), strict=True)
    quasi = [{"name": n, "role": "quasi", "domain": d} for n, d in domains]
    schema = {"attribute": [*quasi, {"name": "name", "role": "identifier"}]}
    publish_by_policy(policy, data, schema=schema, out=folder / "released")
    search(folder / "released")


# --- baskets -------------------------------------------------------------------------------------


def _columns_seed() -> tuple[bytes, ...]:
    import io

    import numpy as np

    arrays = {
        "salt": np.array([7]), "keys": np.array([3, 5, 9], np.uint64), "counts": np.array([40, 30, 2]),
        "sizes": np.array([0, 38, 17]),
    }  # fmt: skip
    content = io.BytesIO()
    np.savez(content, **arrays)
    return (content.getvalue(),)


def _compare_columns(folder: Path) -> None:
    """Compare rows with what a changed folder says of those explored."""
    import numpy as np

    from sfumato.data.tally import Tally
    from sfumato.engines.baskets.measures.shift import ExploredColumns, sentence_of

    seen = Tally(["a", "b"], np.array([20, 30]), np.array([10, 10, 20]))
    sentence_of(ExploredColumns.load(folder).check(seen))


def _baskets_target(
    name: str,
    suffix: str,
    seeds: Callable[[], Sequence[bytes]],
    lay: Callable[[bytes, Path], object] | None = None,
) -> Target:
    file = f"input{suffix}"

    def read(folder: Path) -> None:
        from sfumato.data.baskets import read_baskets, write_baskets

        write_baskets(read_baskets(folder / file), folder / f"out{suffix}")

    return Target(
        f"baskets-{name}", seeds, lay or _laid(file), read,
        lambda folder: publish_baskets(folder / file, folder),
    )  # fmt: skip


def _npz() -> list[bytes]:
    import numpy as np
    import scipy.sparse as sp

    sink = io.BytesIO()
    sp.save_npz(
        sink,
        sp.csr_matrix(np.tile(np.eye(4, dtype=np.int8) + np.eye(4, k=1, dtype=np.int8), (2, 1))),
        compressed=False,
    )
    return [sink.getvalue()]


_ARRAYS = ("data", "indices", "indptr", "shape", "format")


_CONTENTS = b"contents"


def _npz_arrays() -> list[bytes]:
    """Return the arrays of the matrix one after the other, so that a change meets no checksum.

    The second seed has the contents of the arrays alone; they get good headers when they are laid.
    """
    archive = zipfile.ZipFile(io.BytesIO(_npz()[0]))
    arrays = [archive.read(f"{name}.npy") for name in _ARRAYS]
    header = 128  # bytes; NumPy pads it
    return [BETWEEN.join(arrays), BETWEEN.join([_CONTENTS, *(a[header:] for a in arrays)])]


def _lay_arrays_of_matrix(data: bytes, folder: Path) -> None:
    import numpy as np

    first, *contents = data.split(BETWEEN)
    arrays = [first, *contents]
    if first == _CONTENTS:
        types = ("i1", "i4", "i4", "i8", "S3")
        arrays = []
        for content, kind in zip(contents, types, strict=False):
            size = np.dtype(kind).itemsize
            values = np.frombuffer(content[: len(content) // size * size], dtype=kind)
            sink = io.BytesIO()
            np.lib.format.write_array(sink, values[0] if kind == "S3" and len(values) else values)
            arrays.append(sink.getvalue())
    with zipfile.ZipFile(folder / "input.npz", "w") as archive:
        for name, content in zip(_ARRAYS, arrays, strict=False):
            archive.writestr(f"{name}.npy", content)


# --- plans and records ---------------------------------------------------------------------------

_PLAN = """title = "Ward"
seed = 3
out = "release"

[text]
corpus = "notes.jsonl"
labels = ["NAME"]
ratios = [1, 10]
choose = { ratio = 10 }

[tables]
table = "table.csv"
schema = "schema.toml"
choose = { max_risk = 0.1 }

[baskets]
matrix = "m.npz"
labels = "y.txt"
k = [5, 8]
choose = { knee = true }
"""


def _lay_plan(data: bytes, folder: Path) -> None:
    for name in ("notes.jsonl", "table.csv", "schema.toml", "m.npz", "y.txt"):
        (folder / name).touch()
    (folder / "plan.toml").write_bytes(data)


def _load_plan(folder: Path) -> None:
    from sfumato.core.plan import Plan

    Plan.load(folder / "plan.toml")


def _frontier() -> bytes:
    from sfumato.core.dominance import mark_dominated
    from sfumato.core.files import canonical_json
    from sfumato.core.measures import Interval, Risk, Utility
    from sfumato.core.records import Candidate, FrontierRecord, InputFile, Reference

    risk = Risk(0.1, Interval(0.05, 0.2, 0.95, "bootstrap"), attacker="knows everything")
    candidates, area = mark_dominated([Candidate(id="p1", risk=risk, utility=Utility(0.5))])
    record = FrontierRecord(
        engine="tables", seed=0, axes={"risk": "r", "utility": "u"}, area=area, candidates=candidates,
        inputs=(InputFile(path="t.csv", sha256="0" * 64, rows=3),), request={"evaluations": 300},
        references=(Reference(name="Safe Harbor", risk=Risk(0.2), utility=Utility(0.3)),),
    )  # fmt: skip
    return canonical_json(record.to_json()).encode()


def _release() -> bytes:
    from sfumato.core.files import canonical_json
    from sfumato.core.measures import Risk, Utility
    from sfumato.core.records import Release

    release = Release(
        engine="tables", candidate="p1", seed=0, counts={"rows": 3, "redacted": {"NAME": 2}},
        risk=Risk(0.1), utility=Utility(0.5), withheld=({"id": "7", "reason": "empty"},),
    )  # fmt: skip
    return canonical_json(release.to_json()).encode()


def _load_frontier(folder: Path) -> None:
    from sfumato.core.exploration import Exploration

    found = Exploration.load(folder)
    if len(found):
        found.knee()


def _load_release(folder: Path) -> None:
    from sfumato.core.files import read_json
    from sfumato.core.records import Release

    Release.from_json(read_json(folder / "release.json"), file="release.json")


TARGETS = {
    target.name: target
    for target in [
        _documents_target("jsonl", lambda: _written("jsonl", ".jsonl")),
        Target("lines", _lines_seed, _laid("input.jsonl"), _read_lines, _publish_lines),
        _documents_target("csv", lambda: _written("csv", ".csv")),
        _documents_target("tsv", lambda: _written("tsv", ".tsv")),
        _documents_target("parquet", _parquet_documents),
        _documents_target("conll", _conll_seed),
        *(Target(kind, files.seeds(kind), files.lay(kind), files.read(kind)) for kind in files.KINDS),
        *(Target(name, records.seeds(name), _laid(file), records.read(name)) for name, file in records.FILES.items()),
        Target("brat", _brat_seed, _lay_brat, lambda f: _read_and_write(f / "corpus"),
               lambda f: _publish(f / "corpus")),
        Target("pdf", pdf.seeds, _laid("input.pdf"), lambda f: pdf.read_and_cut(f / "input.pdf")),
        Target("gzip", _zipped, _lay_zipped, lambda f: _read_and_write(f / "input.jsonl.gz"),
               lambda f: _publish(f / "input.jsonl.gz")),
        _findings_target("json", lambda: [json.dumps(f).encode() for f in (_FOUND, _PRESIDIO)]),
        _findings_target("jsonl", _findings_lines),
        Target("tokens", _texts, _laid("text"), _tokenise, _redact_text),
        Target("model", lambda: [BETWEEN.join(_model_files())], _lay_model, _load_model),
        Target("model-header", lambda: [_model_files()[0]], _lay_header, _publish_by_model),
        Target("model-arrays", lambda: [_model_files()[1]], _lay_arrays, _publish_by_model),
        _table_target("schema", "schema.toml", lambda: [_SCHEMA.encode()]),
        _table_target("table-csv", "table.csv", lambda: [_TABLE.encode()]),
        _table_target("table-parquet", "table.parquet", _parquet_tables),
        _table_target("population", "population.csv", lambda: [_POPULATION.encode()]),
        _table_target("hierarchy", "zip.csv", lambda: [_HIERARCHY.encode()]),
        Target("policy", _policy_seed, _laid("policy.json"), _load_policy, _publish_policy),
        Target("tables-folder", _tables_seed, _lay_tables, _load_tables, _publish_loaded),
        Target("baskets-columns", _columns_seed, _laid("columns.npz"), _compare_columns),
        _baskets_target("npz", ".npz", _npz),
        _baskets_target("arrays", ".npz", _npz_arrays, _lay_arrays_of_matrix),
        _baskets_target("libsvm", ".svm", lambda: [b"1 1:1 3:1\n-1 2:1 # x\n1 3:1\n-1 1:1 3:1\n1 2:1\n"]),
        _baskets_target("transactions", ".txt", lambda: [b"a b c\nb Quetzalcanary\n\nc a\nb c\na b\n"]),
        _baskets_target("csv", ".csv", lambda: [b"a,b,Quetzalcanary,y\n1,0,0,p\n0,1,1,q\n1,1,0,p\n1,0,0,q\n"]),
        Target("plan", lambda: [_PLAN.encode()], _lay_plan, _load_plan),
        Target("frontier", lambda: [_frontier()], _laid("frontier.json"), _load_frontier),
        Target("release", lambda: [_release()], _laid("release.json"), _load_release),
    ]
}  # fmt: skip
